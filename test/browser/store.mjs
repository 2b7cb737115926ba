// Pages of the store in Chromium: complete without scripts, under policies, by keys alone, at any width, in the dark, on paper.
//
//   node store.mjs FOLDER        pages and expected.json, as test/t/098_store_pages_browser.pl makes them
//
// Expected values are those of SQL. Prints TAP.
import {spawnSync} from 'node:child_process';
import {is, ok, ready} from './browser.mjs';
import {file, folder, isAccessible, open, runParts, said, under} from './session.mjs';

const expected = JSON.parse(file('expected.json'));
const NAMES = ['night.html', 'report.html', 'benchmark.html'];
const openAll = page => page.evaluate(() => document.querySelectorAll('details').forEach(e => {
	e.open = true;
}));
const focus = page => page.evaluate(() => {
	const e = document.activeElement;
	return [e.localName, e.className.baseVal ?? e.className, e.getAttribute('aria-label') ?? e.textContent.trim().slice(0, 40)].join(' ');
});
// Texts of a column of the table with such a head, of rows that are shown.
const column = (page, head, n) => page.evaluate(([head, n]) => {
	const table = [...document.querySelectorAll('main table')].find(t => [...t.tHead.rows[0].cells].some(c => c.textContent.trim() == head));
	return [...table.tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[n].textContent.trim());
}, [head, n]);
const tab = async (page, most, wanted) => {
	for (let i = 0; i < most; i++) {
		await page.keyboard.press('Tab');
		if (wanted.test(await focus(page)))
			return true;
	}
	return false;
};

// --- policies ---------------------------------------------------------------------------------------------------------

// All that can be read, and where it stands.
const picture = page => page.evaluate(() => [document.body.innerText.length > 500, document.querySelectorAll('main table').length, document.querySelectorAll('svg.fg').length, document.querySelectorAll('svg .f, svg circle').length > 0]);

async function policies() {
	for (const name of NAMES) {
		const own = file(name).match(/http-equiv="Content-Security-Policy" content="([^"]*)"/)[1];
		is(own.replace(/'sha256-[^']*'/g, '#'), "default-src 'none'; script-src # # #; style-src # #; img-src data:; base-uri 'none'; form-action 'none'", `${name}: its policy`);
		const page = await under(own, name);
		ok(await page.evaluate(() => document.querySelectorAll('th button').length > 0), `${name}: its scripts run where a server sends the same policy`);
		is(page.seen, [], `${name}: and break none of it`);
		is(await page.evaluate(() => {
			const s = document.createElement('script');
			s.textContent = 'globalThis.intruder = 1';
			document.body.append(s);
			document.body.setAttribute('style', 'color: red');
			return [globalThis.intruder ?? null, getComputedStyle(document.body).color == 'rgb(255, 0, 0)'];
		}), [null, false], `${name}: scripts and styles that came in later do nothing`);
		is(said(page).filter(text => !/violates the following Content Security Policy/.test(text)), [], `${name}: the policy says so`);
		const still = await under("script-src 'none'", name);
		is(said(still).filter(text => !text.includes("violates the following Content Security Policy directive 'script-src 'none''")), [], `${name}: without scripts nothing else is missing`);
		is([await picture(still), await still.evaluate(() => document.querySelectorAll('th button, .filter').length)], [await picture(page), 0], `${name}: tables and pictures are there, unsorted and still`);
	}
}

// --- by keys alone ------------------------------------------------------------------------------------------------------

async function keys() {
	for (const name of NAMES) {
		const page = await open(name);
		await page.keyboard.press('Tab');
		is([await focus(page), await page.evaluate(() => document.activeElement.getBoundingClientRect().left >= 0)], ['a skip Skip to the report', true], `${name}: the first thing to reach skips the rest`);
		await page.keyboard.press('Enter');
		is(await page.evaluate(() => location.hash), '#main', `${name}: Enter does`);
		await page.keyboard.press('Tab');
		ok(await page.evaluate(() => document.activeElement.closest('main') != null), `${name}: Tab goes on in the report`, await focus(page));
	}
	const page = await open('night.html');
	ok(await tab(page, 80, /^button .*Benchmark$/), 'Tab reaches the head of a table');
	ok(await tab(page, 80, /^input /), 'and the filter', await focus(page));
	is((await column(page, 'Metric', 0)).length, expected.benchmarks, 'a line for each benchmark');
	await page.keyboard.type(expected.some.text);
	is([(await column(page, 'Metric', 0)).length, await page.evaluate(() => document.querySelector('.filter [role=status]').textContent)], [expected.some.count, `${expected.some.count} of ${expected.benchmarks} rows`], 'what is typed filters');
	for (const _ of expected.some.text)
		await page.keyboard.press('Backspace');
	is((await column(page, 'Metric', 0)).length, expected.benchmarks, 'and all again');
	ok(await tab(page, 9, /^button .*Change$/), 'Tab reaches the head of the column');
	await page.keyboard.press('Enter');
	const falling = (await column(page, 'Metric', 4)).map(parseFloat);
	is([falling, await page.evaluate(() => document.querySelector('[aria-sort]').getAttribute('aria-sort'))], [falling.slice().sort((a, b) => b - a), 'descending'], 'Enter sorts, the largest first');
	await page.keyboard.press('Space');
	const rising = (await column(page, 'Metric', 4)).map(parseFloat);
	is([rising, await page.evaluate(() => document.querySelector('[aria-sort]').getAttribute('aria-sort'))], [rising.slice().sort((a, b) => a - b), 'ascending'], 'and so does the space bar, the other way');
	is(await page.evaluate(() => {
		const box = document.querySelector('.long');
		box.scrollTo(0, 400);
		return [box.scrollTop > 0, Math.round(box.querySelector('th').getBoundingClientRect().top - box.getBoundingClientRect().top)];
	}), [true, 0], 'the head of a long table stays in sight');
	const report = await open('report.html');
	ok(await tab(report, 120, /^summary /), 'Tab reaches a part that is closed');
	await report.keyboard.press('Enter');
	await report.waitForFunction(() => document.activeElement.closest('details').open);
	ok(await tab(report, 40, /^div t /), 'Enter opens it, Tab goes in');
	const linked = await open('night.html');
	ok(await tab(linked, 80, /^a  orders/), 'Tab reaches a link', await focus(linked));
	await linked.keyboard.press('Enter');
	ok(await linked.waitForFunction(() => /^#to-/.test(location.hash) && [...document.querySelectorAll('details')].some(e => e.open), null, {timeout: 20000}).catch(() => null), 'Enter opens the part into which it leads');
}

// --- widths, colours ------------------------------------------------------------------------------------------------------

// Words of tables that are broken though they are short, by the lines of their letters.
const broken = page => page.evaluate(() => {
	const found = [], range = document.createRange();
	for (const cell of document.querySelectorAll('main td')) {
		const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
		for (let node = walk.nextNode(); node; node = walk.nextNode())
			for (const match of node.data.matchAll(/[A-Za-z0-9]{1,20}(?![A-Za-z0-9])/g)) {
				range.setStart(node, match.index);
				range.setEnd(node, match.index + match[0].length);
				if (!/[A-Za-z0-9]/.test(node.data[match.index - 1] ?? ' ') && new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1)
					found.push(match[0]);
			}
	}
	return found;
});
// Of pictures that are drawn: how large their smallest letters are on the screen, in pixels.
const smallest = page => page.evaluate(() => Math.min(...[...document.querySelectorAll('svg.fg text')].filter(e => e.textContent && e.getClientRects().length)
	.map(e => parseFloat(getComputedStyle(e).fontSize) * (e.ownerSVGElement.getBoundingClientRect().width / e.ownerSVGElement.getAttribute('width')))));
// It takes seconds for a long page.
const LOOKED_AT = ['night.html, 1200, light', 'report.html, 400, dark', 'benchmark.html, 400, light', 'benchmark.html, 1600, dark'];
const groundIs = {light: 'rgb(255, 255, 255)', dark: 'rgb(27, 27, 27)'};

async function looks() {
	for (const name of NAMES) {
		const page = await open(name);
		for (const width of [400, 1200, 1600])
			for (const scheme of ['light', 'dark']) {
				const at = `${name}, ${width}, ${scheme}`;
				await page.setViewportSize({width, height: 800});
				await page.emulateMedia({colorScheme: scheme});
				await openAll(page);
				await ready(page);
				is(await page.evaluate(() => [document.documentElement.scrollWidth > innerWidth, getComputedStyle(document.body).backgroundColor]), [false, groundIs[scheme]], `nothing is wider than the window, and the ground is right: ${at}`);
				ok(await smallest(page) > 9, `letters of pictures can be read: ${at}`, await smallest(page));
				is(await broken(page), [], `no short word is broken: ${at}`);
				is(await page.evaluate(() => [...document.querySelectorAll('figure')].filter(e => e.scrollWidth > e.clientWidth && e.tabIndex < 0).length), 0, `what scrolls is reached by keys: ${at}`);
				if (LOOKED_AT.includes(at))
					await isAccessible(page, at);
			}
		await page.setViewportSize({width: 1000, height: 800});
		is(await page.evaluate(() => [...document.querySelectorAll('.t')].filter(e => e.scrollWidth > e.clientWidth).map(e => [e.querySelector('th').textContent, e.scrollWidth, e.clientWidth])), [], `tables fit a window of 1000 pixels: ${name}`);
	}
}

// A viewer takes the width that there is, also in a part that was closed at first.
async function parted() {
	const page = await open('parted.html', {width: 700, height: 800});
	const widths = () => page.evaluate(() => [...document.querySelectorAll('svg.fg')].map(e => Math.abs(e.getBoundingClientRect().width - e.parentNode.clientWidth) <= 1));
	await openAll(page);
	ok(await page.waitForFunction(() => [...document.querySelectorAll('svg.fg')].every(e => Math.abs(e.getBoundingClientRect().width - e.parentNode.clientWidth) <= 1), null, {timeout: 20000}).catch(() => null), 'pictures in parts fill them when they are opened', await widths());
}

// --- paper --------------------------------------------------------------------------------------------------------------

const lastLines = text => String(text).split('\f').map(page => page.trim().split('\n').pop().trim());

async function paper() {
	let night;
	for (const name of NAMES) {
		const page = await open(name);
		await page.emulateMedia({media: 'print', colorScheme: 'dark'});
		is(await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, ...['nav', '.filter'].map(s => document.querySelector(s)).map(e => e ? getComputedStyle(e).display : 'none')]), [groundIs.light, 'none', 'none'], `${name}: print: white, without what is for screens`);
		is(await page.evaluate(() => [...document.querySelectorAll('tr, figure')].filter(e => getComputedStyle(e).breakInside != 'avoid').length), 0, `${name}: no row and no picture is split`);
		const closed = await page.evaluate(() => document.querySelectorAll('details:not([open])').length);
		await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
		is(await page.evaluate(() => document.querySelectorAll('details:not([open])').length), 0, `${name}: parts open for print`);
		await page.evaluate(() => dispatchEvent(new Event('afterprint')));
		is(await page.evaluate(() => document.querySelectorAll('details:not([open])').length), closed, `${name}: and close behind it`);
		const pdf = await page.pdf({printBackground: true, format: 'A4'}), text = spawnSync('pdftotext', ['-layout', '-', '-'], {input: pdf});
		if (name == 'night.html')
			night = {pdf, text};
		if (text.error) {
			ok(true, 'text of the PDF # skip pdftotext is not installed');
			continue;
		}
		const words = String(text.stdout).replace(/\s+/g, ' ');
		is(expected.printed[name].filter(word => !words.includes(word)), [], `${name}: a PDF has the text of all parts, also of those that were closed`);
		const headings = await page.evaluate(() => [...document.querySelectorAll('h2')].map(e => e.textContent));
		is(lastLines(text.stdout).filter(line => headings.includes(line)), [], `${name}: no heading stands alone at the end of a page`);
	}
	const {pdf, text} = night;
	if (!text.error)
		ok(String(text.stdout).split('Degradations').length > 3, 'heads of tables are repeated on the next page', String(text.stdout).split('Degradations').length);
	ok(!/\/URI/.test(pdf.toString('latin1')), 'and no address stands in it');
}

async function hostile() {
	for (const name of NAMES) {
		const page = await open(`hostile-${name}`);
		await openAll(page);
		is(await page.evaluate(() => [...document.querySelectorAll('img, iframe, object, embed, link, base, form, body script[src], [onload], [onerror], [onclick], a[href]:not([href^="#"])')].map(e => e.outerHTML.slice(0, 80))), [], `${name}: names make nothing of markup`);
		ok(await page.evaluate(() => document.body.textContent.includes('<script>alert(1)</script>') && !document.body.textContent.includes('\u202e')), `${name}: they are shown`);
		await page.setViewportSize({width: 400, height: 800});
		await ready(page);
		ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: and make it no wider`);
		if (name == 'benchmark.html')
			await isAccessible(page, `hostile ${name}`);
	}
}

ok(folder, 'pages are there');
await runParts(policies, keys, looks, parted, paper, hostile);
