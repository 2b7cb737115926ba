// The viewer of flame charts in Chromium: every key, the mouse, links, policies, widths, accessibility, many samples.
//
//   node chart.mjs FOLDER        pictures and expected.json, as test/t/067_flame_chart_browser.pl makes them
//
// Expected values are those of SQL. Prints TAP.
import {is, ok} from './browser.mjs';
import {boxes, clipboard, focused, hash, names, press, status} from './screen.mjs';
import {browser, file, isAccessible, open as openPage, runParts, server} from './session.mjs';

const expected = JSON.parse(file('expected.json'));

async function open(path, ...more) {
	const page = await openPage(path, ...more);
	if (!path.includes("'none'") || path.includes('sha256'))
		await page.waitForSelector('[role=status]');
	return page;
}

// Of the range that the status line speaks of: [from, to, samples], and its heaviest frames.
async function said(page) {
	const [line] = await status(page), [, from, to, samples] = line.match(/ (\S+) to (\S+) s: .*, ([\d,]+) samples?/) || [];
	return [+from, +to, +(samples || '').replace(/,/g, '')];
}

// As SQL counts the samples of a range, and what they are in.
const counted = (from, to) => expected.samples.filter(([start, stop]) => start < to && stop > from).length;

async function drag(page, fromX, toX, y = 100) {
	await page.mouse.move(fromX, y);
	await page.mouse.down();
	await page.mouse.move((fromX + toX) / 2, y);
	await page.mouse.move(toX, y);
	await page.mouse.up();
}

const xOf = t => 10 + t / expected.to * 1180;

// --- looking and zooming -------------------------------------------------------------------------------------------------

async function beginning() {
	const page = await open('chart.svg'), still = await open(`chart.svg?policy=${encodeURIComponent("script-src 'none'")}`);
	const picture = p => p.evaluate(() => [...document.querySelectorAll('.v .f')].map(g => [g.dataset.n, ...['x', 'y', 'width', 'fill'].map(a => g.querySelector('rect').getAttribute(a)), g.querySelector('text')?.textContent]).sort());
	is(await picture(page), await picture(still), 'the viewer draws the boxes, their colours and labels as the picture does');
	const cut = await open('cut.svg'), whole = await stillOf('cut.svg');
	is(await picture(cut), await picture(whole), 'it cuts labels where the picture does');
	is(await cut.evaluate(() => [...document.querySelectorAll('.v text')].filter(t => /\\(u\{?[0-9A-F]*)?\u2026/.test(t.textContent)).length), 0, 'and no character that is written out');
	is(await said(page), [0, expected.to, expected.samples.length], 'the status line says what is shown');
	ok((await status(page))[0].includes(`most in ${expected.heaviest}`), 'with its three heaviest frames', [await status(page), expected.heaviest]);
	is(await page.evaluate(() => document.querySelectorAll('.v .f title').length), 0, 'tooltips are made when they are wanted');
	const [box] = (await boxes(page)).filter(b => b.name == 'work');
	await page.mouse.move(box.x + 3, box.y + 5);
	ok((await status(page))[1].startsWith('work: '), 'hovering says what a box is', await status(page));
	ok(/^work: [^,]*, from \d+(\.\d{1,9})? to \d+(\.\d{1,9})?; /.test((await status(page))[1]), 'and from when to when, without the digits that adding up has made', await status(page));
	ok((await page.evaluate(() => document.querySelector('.f:hover title').textContent)).startsWith('work\n'), 'in the tooltip, too');
	still.seen.length = 0;
}

async function zooming() {
	const page = await open('chart.svg'), all = await names(page);
	await press(page, 'w');
	is(await said(page), [expected.to / 4, expected.to * 3 / 4, counted(expected.to / 4, expected.to * 3 / 4)], 'w: half of the time, around the middle');
	await press(page, 'a');
	is((await said(page)).slice(0, 2), [expected.to / 8, expected.to * 5 / 8], 'a: a quarter back');
	await press(page, 'd', 'd');
	is((await said(page)).slice(0, 2), [expected.to * 3 / 8, expected.to * 7 / 8], 'd: a quarter on');
	is(await hash(page), `#from=${expected.to * 3 / 8}&to=${expected.to * 7 / 8}`, 'the link is the time');
	await press(page, 's');
	is((await said(page)).slice(0, 2), [0, expected.to], 's: twice the time, not beyond the ends');
	for (const key of ['0', 'Escape']) {
		await press(page, 'w', 'w', key);
		is([await names(page), await hash(page)], [all, ''], `${key}: all`);
	}
	await page.mouse.move(xOf(expected.to / 4), 100);
	await page.keyboard.down('Control');
	await page.mouse.wheel(0, -100);
	await page.keyboard.up('Control');
	await page.waitForFunction(() => location.hash.length > 1);
	const before = await page.evaluate(() => location.hash), [from, to] = await said(page);
	ok(Math.abs((expected.to / 4 - from) / (to - from) - 0.25) < 0.01 && to - from < expected.to, 'the wheel zooms around the pointer', [from, to]);
	await page.keyboard.down('Shift');
	await page.mouse.wheel(0, 100);
	await page.keyboard.up('Shift');
	await page.waitForFunction(was => location.hash != was, before);
	ok((await said(page))[0] > from, 'with Shift it goes on in time', await said(page));
}

async function thin() {
	const page = await open('many.svg'), before = await names(page);
	ok(!before.includes('needle') && before.some(name => /more\)/.test(name)), 'what is thin stands together', before.slice(0, 5));
	await page.evaluate(([from, to]) => location.hash = `#from=${from}&to=${to}`, expected.needle);
	await page.waitForFunction(() => [...document.querySelectorAll('.f')].some(g => /^needle/.test(g.getAttribute('aria-label'))));
	ok(true, 'zooming shows it');
	const count = await page.evaluate(() => document.querySelectorAll('.v .f').length);
	ok(count < 2000, '100,000 samples are as many boxes as can be seen', count);
	await press(page, '0');
	ok((await page.evaluate(() => document.querySelectorAll('*').length)) < 5000, 'and few elements in all');
}

// What is left out is said by the viewer as by the picture; samples that overlap have the same lanes in both.
const lines = page => page.evaluate(() => [...document.querySelectorAll('.w, .z')].map(g => [...g.querySelectorAll('text')].map(t => t.textContent).join(' ')).join(' ').replace(/\s+/g, ' '));
const stillOf = async path => {
	const page = await open(`${path}?policy=${encodeURIComponent("script-src 'none'")}`);
	page.seen.length = 0;
	return page;
};

async function leftOut() {
	const page = await open('lanes.svg'), still = await stillOf('lanes.svg');
	const picture = p => p.evaluate(() => [...document.querySelectorAll('.v .f')].map(g => ['x', 'y', 'width'].map(a => g.querySelector('rect').getAttribute(a)).join(' ')).sort());
	const [drawn, wanted] = [await picture(page), await picture(still)];
	is([drawn.length, drawn.filter((b, i) => b != wanted[i]).slice(0, 3)], [wanted.length, []], 'lanes are those of the picture');
	const beyond = async p => ((await lines(p)).match(/([\d,]+) lanes beyond the first 1,000 are not drawn, together ([0-9.]+) (h|s)/) ?? []).slice(1);
	const [count, hours, h] = await beyond(still), [same, seconds, unit] = await beyond(page);
	ok(count > 0 && count == same && h == 'h' && unit == 's' && Math.abs(hours * 3600 - seconds) <= 70, 'lanes that are not drawn are counted by both', [await beyond(still), await beyond(page)]);
	ok(/3 samples have no duration/.test(await lines(await stillOf('instants.svg'))) && /3 samples have no duration/.test(await lines(await open('instants.svg'))), 'so are samples without a duration', await lines(await open('instants.svg')));
	const few = await open('first.svg');
	is((await said(few))[2], expected.first.count, 'more samples than the data may hold: the first of them');
	ok(new RegExp(`the first ${expected.first.count} samples of ${expected.samples.length}`).test(await lines(few)), 'and the footnote says so', await lines(few));
}

// --- selecting ----------------------------------------------------------------------------------------------------------

async function selecting() {
	const page = await open('chart.svg');
	await drag(page, xOf(1), xOf(3));
	const [from, to, samples] = await said(page);
	ok(Math.abs(from - 1) < 0.02 && Math.abs(to - 3) < 0.02, 'dragging selects', [from, to]);
	is(samples, counted(from, to), 'and counts its samples');
	ok(/^selected /.test((await status(page))[0]), 'the status line says that it is a selection');
	is(await page.evaluate(() => document.querySelectorAll('.v rect[fill-opacity]').length), 1, 'which is to be seen');
	await press(page, 'C');
	const sql = await clipboard(page), [, below, above] = sql.match(/^start_at < (\S+) AND stop_at > (\S+)$/) || [];
	ok(Math.abs(below - 3) < 0.02 && Math.abs(above - 1) < 0.02, 'Shift+C copies it for SQL', sql);
	await press(page, 'Enter');
	ok(Math.abs((await said(page))[0] - 1) < 0.02 && /^shown /.test((await status(page))[0]), 'Enter zooms to it', await status(page));
	await drag(page, 300, 600);
	await press(page, 'Escape');
	ok(/^shown /.test((await status(page))[0]) && (await hash(page)) != '', 'Escape: no selection');
	await press(page, 'Escape');
	is(await hash(page), '', 'Escape again: all');
	const box = (await boxes(page)).find(b => b.name == 'work');
	await page.mouse.click(box.x + 3, box.y + 5);
	is([(await said(page)).slice(0, 2), await focused(page)], [expected.work, 'work'], 'a click selects what a box lasts');
	await page.mouse.dblclick(box.x + 3, box.y + 5);
	is((await said(page)).slice(0, 2), expected.work, 'a double click zooms to it');
	ok((await boxes(page)).find(b => b.name == 'work').w == 1180, 'and it has the full width');
}

async function leftHeavy() {
	const page = await open('chart.svg');
	await press(page, 'l');
	const now = await boxes(page);
	ok(now.length == expected.nodes.length, 'l: a box for each node of the profile', [now.length, expected.nodes.length]);
	const scale = 1180 / expected.total;
	is(now.filter(b => !expected.nodes.some(n => n.frame == b.name && Math.abs(n.total * scale - b.w) < 0.03)).map(b => [b.name, b.w]), [], 'as wide as flamegraph_agg(stack, stop_at - start_at)');
	const first = now.filter(b => b.level == 1).sort((a, b) => a.x - b.x).map(b => b.w);
	is(first, first.slice().sort((a, b) => b - a), 'the largest first');
	await press(page, 'l');
	is((await said(page)).slice(0, 2), [0, expected.to], 'l again: the chart');
	await drag(page, xOf(1), xOf(3));
	await press(page, 'l');
	ok(/^selected|^left heavy/.test((await status(page))[0]), 'of the selection');
	await press(page, 'Escape');
	ok((await boxes(page)).length > expected.nodes.length, 'Escape leaves it');
}

// --- keyboard alone -----------------------------------------------------------------------------------------------------

async function moving() {
	const page = await open('chart.svg');
	await press(page, 'Tab', 'Tab');
	is([await focused(page), (await boxes(page)).filter(b => b.tab == '0').length], [(await names(page))[0], 1], 'one box is in the order of Tab');
	const way = [];
	for (const key of ['ArrowDown', 'ArrowRight', 'ArrowLeft', 'End', 'Home', 'ArrowUp']) {
		await press(page, key);
		way.push(await focused(page));
	}
	is(way, expected.way, 'arrows, Home, End move as it is drawn');
	await press(page, 'Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowLeft');
	const [from, to] = await said(page);
	ok(/^selected/.test((await status(page))[0]) && Math.abs(to - from - expected.to / 25) < 0.02, 'Shift and arrows select', [from, to]);
	await press(page, 'Enter');
	ok((await hash(page)).startsWith('#'), 'Enter zooms');
	await press(page, '0', 'c');
	is(await clipboard(page), await focused(page), 'c copies the name');
	const seen = [];
	for (let i = 0; i < 20; i++) {
		await press(page, 'Tab');
		seen.push(await page.evaluate(() => document.activeElement?.key ?? ''));
	}
	is(['/', '0', 'Enter', 'w', 's', 'a', 'd', 'l', 'c', 'C'].filter(key => !seen.includes(key)), [], 'every button is reached by Tab');
}

async function searching() {
	const page = await open('chart.svg');
	await press(page, '/');
	await page.keyboard.type('step');
	ok((await status(page))[0].includes(`"step": ${expected.steps.frames} frames, ${expected.steps.total} s, ${expected.steps.share} of the samples`), 'a search counts each sample once', [await status(page), expected.steps]);
	is((await boxes(page)).filter(b => b.found).map(b => b.name), (await names(page)).filter(name => /step/.test(name)), 'what is found is marked');
	await press(page, 'Enter');
	ok(/step/.test(await focused(page)), 'Enter goes to the first');
	const first = await focused(page);
	await press(page, 'n');
	ok((await focused(page)) != first, 'n to the next', [first, await focused(page)]);
	await press(page, 'N');
	is(await focused(page), first, 'N back');
	is(await hash(page), '#search=step', 'the link holds the search');
	await page.reload();
	await page.waitForSelector('[role=status]');
	ok((await boxes(page)).some(b => b.found), 'and brings it back');
	await press(page, 'Escape');
	ok(!(await boxes(page)).some(b => b.found), 'Escape ends it');
}

async function links() {
	const page = await open('chart.svg#from=1&to=3');
	is((await said(page)).slice(0, 2), [1, 3], 'a link shows its time');
	await page.evaluate(() => location.hash = '#from=2&to=2.5');
	await page.waitForFunction(() => /^shown 2 to 2.5/.test(document.querySelector('[role=status]').textContent));
	ok(true, 'so does another one');
	const wrong = await open('chart.svg#from=x&to=3');
	is((await said(wrong)).slice(0, 2), [0, expected.to], 'one without sense shows all');
	const two = await open('two.html');
	await two.evaluate(() => document.querySelectorAll('.f')[0].focus());
	await press(two, 'w');
	ok(/^#from=/.test(await hash(two)), 'pictures of a page have links of their own');
}

// --- around the picture ---------------------------------------------------------------------------------------------------

async function policies() {
	const scripted = `default-src 'none'; style-src 'unsafe-inline'; script-src '${expected.hash}'`;
	const page = await open(`chart.svg?policy=${encodeURIComponent(scripted)}`);
	await press(page, 'w');
	is([(await hash(page)).slice(0, 6), page.seen], ['#from=', []], 'runs under a policy that names its hash, and breaks none');
	const still = await open(`chart.svg?policy=${encodeURIComponent("script-src 'none'")}`);
	ok((await still.evaluate(() => document.querySelectorAll('.f title').length)) > 10, 'complete without script');
	ok(still.seen.length == 1 && /violates/.test(still.seen.shift()), 'and refused where a policy says so');
	const report = await open('report.html');
	ok(await report.evaluate(() => document.querySelectorAll('[role=status]').length) == 2, 'a page has the viewers of both kinds', await report.evaluate(() => document.querySelectorAll('[role=status]').length));
}

async function appearance() {
	const dark = await browser.newContext({viewport: {width: 1200, height: 700}, colorScheme: 'dark'});
	const page = await open('chart.svg', null, dark), style = (selector, property) => page.evaluate(([s, p]) => getComputedStyle(document.querySelector(s))[p], [selector, property]);
	is([await style('.b', 'fill'), await style('.v .p', 'fill')], ['rgb(27, 27, 27)', 'rgb(230, 230, 230)'], 'dark: background and text');
	await page.emulateMedia({media: 'print', colorScheme: 'dark'});
	is([await style('.b', 'fill'), await style('.u', 'display')], ['rgb(255, 255, 255)', 'none'], 'print: white, without the bar');
	ok((await page.pdf({printBackground: true})).length > 5000, 'prints');
	for (const width of [400, 1200, 1600, 3000]) {
		const page = await open('chart.svg', {width, height: 700}), [most, over] = await page.evaluate(() => [document.documentElement.getAttribute('width'),
			[...document.querySelectorAll('text, rect')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.textContent)]);
		is([+most <= width, over], [true, []], `${width} pixels: nothing is beyond the edge`);
		await page.setViewportSize({width: 800, height: 700});
		await page.waitForFunction(() => +document.documentElement.getAttribute('width') <= 800);
	}
}

async function accessible() {
	for (const [state, keys] of [['all', []], ['zoomed', ['w', 'w']], ['left heavy', ['l']], ['selected', ['Tab', 'Shift+ArrowRight']]]) {
		const page = await open('chart.html');
		if (keys.length)
			await page.evaluate(() => document.querySelector('.f').focus());
		await press(page, ...keys);
		await isAccessible(page, state);
	}
}

async function hostile() {
	for (const path of ['hostile.svg', 'hostile.html']) {
		const page = await open(path);
		await press(page, 'w', 'l', 'l', '0');
		await page.mouse.move(300, 105);
		const known = await page.evaluate(() => [...new Set([...document.querySelectorAll('svg *')].map(e => e.localName))].sort());
		is(known, ['defs', 'desc', 'g', 'metadata', 'path', 'pattern', 'rect', 'script', 'style', 'text', 'title'].filter(name => known.includes(name)), `${path}: no element but ours`);
		ok(!(await page.evaluate(() => document.documentElement.textContent.replace(/\{.*?\}/gs, '').includes('\u202e'))), `${path}: nothing deceives`);
	}
}

server.pages['chart.html'] = `<!DOCTYPE html><html lang="en"><title>A chart</title><main><h1>A chart</h1>${file('chart.svg')}</main>`;
server.pages['two.html'] = `<!DOCTYPE html><html lang="en"><title>Two</title><main>${file('chart.svg')}${file('hostile.svg')}</main>`;
server.pages['hostile.html'] = `<!DOCTYPE html><html lang="en"><title>Hostile</title><main>${file('hostile.svg')}</main>`;
await runParts(beginning, zooming, thin, leftOut, selecting, leftHeavy, moving, searching, links, policies, appearance, accessible, hostile);
