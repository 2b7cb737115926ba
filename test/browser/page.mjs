// Pages of reports in Chromium: complete without scripts, sorted and filtered with them, in the dark, on paper.
//
//   node page.mjs FOLDER        report.html and hostile.html, as test/t/068_html_report.pl makes them
//
// Prints TAP.
import {is, ok, ready} from './browser.mjs';
import {isAccessible, open, runParts, said, under} from './session.mjs';

// Texts of a column of the first table, of rows that are shown.
const column = (page, n) => page.evaluate(n => [...document.querySelectorAll('main table')[0].tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[n].textContent.trim()), n);
const numbers = texts => texts.map(t => t == '-' || t == 'NaN' ? null : parseFloat(t));
const known = list => list.filter(v => v != null);

async function tables() {
	const page = await open('report.html');
	const head = n => page.locator('main table').first().locator('thead button').nth(n);
	await head(1).click();
	const falling = numbers(await column(page, 1));
	is(known(falling), known(falling).slice().sort((a, b) => b - a), 'numbers: the largest first');
	is(falling.slice(-3), [null, null, null], 'what is not there comes last');
	await head(1).focus();
	await page.keyboard.press('Enter');
	const rising = numbers(await column(page, 1));
	is([known(rising), rising.slice(-3)], [known(rising).slice().sort((a, b) => a - b), [null, null, null]], 'the other way by a key, and nothing still last');
	is(await page.evaluate(() => [...document.querySelectorAll('th')].map(e => e.getAttribute('aria-sort')).slice(0, 3)), [null, 'ascending', null], 'aria-sort');
	await head(0).click();
	const names = await column(page, 0);
	is(names, names.slice().sort(), 'texts: a before b');
	const filter = page.getByLabel('Filter');
	await filter.fill('BENCH 2');
	is([(await column(page, 0)).length, await page.evaluate(() => document.querySelector('.filter [role=status]').textContent)], [7, '7 of 25 rows'], 'a filter, and how many it leaves');
	await filter.fill('');
	is((await column(page, 0)).length, 25, 'and all again');
	is(await page.evaluate(() => getComputedStyle(document.querySelector('td.n')).textAlign), 'right', 'numbers stand on the right');
	await page.evaluate(() => document.querySelector('.long').scrollTo(0, 300));
	is(await page.evaluate(() => Math.round(document.querySelector('.long thead th').getBoundingClientRect().top - document.querySelector('.long').getBoundingClientRect().top)), 0, 'the head stays in sight');
	await page.locator('td a').first().click();
	ok(await page.waitForFunction(() => document.querySelector('details').open && location.hash == '#to-part', null, {timeout: 20000}).catch(() => null), 'a link opens the part that it leads into');
}

async function pictures() {
	const page = await open('report.html');
	const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(e => e.id));
	is(ids.length, new Set(ids).size, 'no id twice, of two equal pictures either');
	is(await page.evaluate(() => document.querySelectorAll('svg.fg [role=search], svg.fg .u').length >= 2), true, 'each picture is a viewer');
	await page.locator('svg.fg').nth(1).locator('.f', {hasText: 'parse'}).first().click();
	await ready(page);
	is(await page.evaluate(() => [...document.querySelectorAll('svg.fg')].map(e => /render/.test(e.querySelector('.v').textContent))), [true, false], 'one is zoomed, the other is not');
}

async function structure() {
	const page = await open('report.html');
	is(await page.evaluate(() => ['header', 'nav', 'main', 'footer'].map(e => document.querySelectorAll(`body>${e}`).length)), [1, 1, 1, 1], 'landmarks');
	is(await page.evaluate(() => [...document.querySelectorAll('h1,h2,h3,h4')].map(e => e.tagName + e.textContent)), ['H1A night', 'H2Benchmarks', 'H2Profiles', 'H2More', 'H3Inside'], 'headings in order');
	is(await page.evaluate(() => [...document.querySelectorAll('nav a')].map(e => document.querySelector(e.getAttribute('href')).textContent)), ['Benchmarks', 'Profiles', 'More'], 'contents lead there');
	await page.keyboard.press('Tab');
	is(await page.evaluate(() => [document.activeElement.textContent, document.activeElement.getBoundingClientRect().left >= 0]), ['Skip to the report', true], 'the first thing to reach skips the rest');
	for (const [width, scheme] of [[1200, 'light'], [1200, 'dark'], [400, 'light'], [400, 'dark']]) {
		await page.setViewportSize({width, height: 800});
		await page.emulateMedia({colorScheme: scheme});
		await page.evaluate(() => document.querySelectorAll('details').forEach(e => {
			e.open = true;
		}));
		ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `nothing is wider than ${width} pixels`);
		// Which looks at colours and at what is there at a width.
		if ((width == 1200) == (scheme == 'light'))
			await isAccessible(page, `${width}, ${scheme}`);
	}
}

async function paper() {
	const page = await open('report.html');
	await page.emulateMedia({media: 'print', colorScheme: 'dark'});
	is(await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('nav')).display]), ['rgb(255, 255, 255)', 'none'], 'print: white, without contents');
	const widths = () => page.evaluate(() => [...document.querySelectorAll('main>figure svg.fg')].map(e => e.viewBox.baseVal.width));
	const [wide] = await widths();
	await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
	ok(wide > 800 && (await widths()).every(w => w > 600 && w <= 720), 'viewers are laid out for a sheet');
	ok(await page.evaluate(() => document.querySelector('details').open), 'parts open for print');
	await page.evaluate(() => dispatchEvent(new Event('afterprint')));
	ok(await page.evaluate(() => !document.querySelector('details').open), 'and close behind it');
	ok((await widths()).every(w => w > 720), 'and are wide again');
	const pdf = await page.pdf({printBackground: true});
	ok(pdf.length > 10000, 'a PDF comes out');
}

async function policies() {
	const page = await under("script-src 'none'", 'report.html');
	is(await page.evaluate(() => [document.querySelectorAll('main table').length, document.querySelectorAll('th button').length, document.querySelectorAll('svg.fg .f').length > 5]), [1, 0, true], 'without scripts everything is shown');
	is(said(page).filter(text => !text.includes("violates the following Content Security Policy directive 'script-src 'none''")), [], 'and nothing but the scripts is missing');
	const own = await open('report.html');
	is(await own.evaluate(() => {
		const s = document.createElement('script');
		s.textContent = 'globalThis.intruder = 1';
		document.body.append(s);
		return globalThis.intruder ?? null;
	}), null, 'its own policy keeps other scripts out');
	said(own);
}

async function hostile() {
	const page = await open('hostile.html');
	const names = await page.evaluate(() => [...new Set([...document.querySelectorAll('*')].map(e => e.localName))].sort());
	is(names.filter(n => ['img', 'iframe', 'object', 'embed', 'link', 'base', 'form'].includes(n)), [], 'names make no elements');
	is(await page.evaluate(() => [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => /^on/.test(a.name))).length), 0, 'and no attributes that act');
	ok(await page.evaluate(() => document.title.includes('</title><script>alert(1)</script>')), 'they are shown as they are');
	ok(await page.evaluate(() => !/[\u202e\u0001]/.test(document.documentElement.outerHTML)), 'but for characters that deceive');
}

await runParts(tables, pictures, structure, paper, policies, hostile);
