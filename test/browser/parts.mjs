// The viewer of the four parts of a change and of differences with keys of other levels, and pictures of nothing, in Chromium.
//
//   node parts.mjs FOLDER        pictures and expected.json, as test/t/062_pictures_parts.pl makes them
//
// Expected values are those of SQL. Prints TAP.
import {is, ok, ready} from './browser.mjs';
import {boxes, clipboard, find, hash, names, press, read, status} from './screen.mjs';
import {file, isAccessible, open, runParts} from './session.mjs';

const expected = JSON.parse(file('expected.json'));

// Boxes with the part in which they are, their values and shares, from what is said of them.
const parted = async page => (await boxes(page)).map(b => {
	const [, value, part, share, side] = b.label.match(/: ([0-9.]+) samples (\w+), ([0-9.<]+) % of (\w+)/) ?? [];
	return {...b, value, part, share, side};
});
const headings = page => page.evaluate(() => [...document.querySelectorAll('.q>.w')].filter(g => g.getAttribute('display') != 'none')
	.map(g => [...g.children].map(t => t.textContent).join(' ')));
const click = async (page, part, name) => {
	const box = (await parted(page)).find(b => b.part == part && b.name == name);
	await page.mouse.click(box.x + Math.min(5, box.w / 2), box.y + 8);
	await ready(page);
};

async function values() {
	const page = await open('parts.svg'), now = await parted(page);
	is(now.map(b => [b.part, b.name, b.value, b.side]).sort().map(String), expected.nodes.map(String).sort(), 'the boxes of the four parts are those of SQL');
	for (const width of [1200, 400]) {
		await page.setViewportSize({width, height: 700});
		await page.waitForFunction(width => +document.documentElement.getAttribute('width') == width, width);
		await ready(page);
		const room = (width - 30) / 2, list = await parted(page), most = Math.max(...list.map(b => +b.value));
		ok(list.every(b => Math.abs(b.w - b.value / most * room) < 0.011), `one scale at ${width} pixels`, list);
		ok(list.every(b => ['grown', 'shrunk'].includes(b.part) == b.x > 10 + room && ['disappeared', 'shrunk'].includes(b.part) == b.y > list[0].y + 70), 'two by two', list);
		is((await headings(page)).map(text => text.split(':')[0]), ['appeared', 'grown', 'disappeared', 'shrunk'], 'each has its heading');
		is(await page.evaluate(() => [...document.querySelectorAll('text')].filter(t => t.getBoundingClientRect().right > innerWidth).length), 0, 'no text leaves the page');
	}
}

async function zooming() {
	const page = await open('parts.svg'), before = await boxes(page);
	await click(page, 'grown', 'parse');
	const now = await parted(page);
	is([now.map(b => b.name), now.slice(0, 3).map(b => b.w), new Set(now.map(b => b.part)).size], [['all', 'main', 'parse', 'read', 'tokenize'], [1180, 1180, 1180], 1], 'a click zooms within its part');
	ok(now[3].label.includes(`% of after, ${expected.of_parse} % of parse`), 'shares of the side and of the zoomed box', now[3].label);
	is([await hash(page), (await headings(page)).length, (await headings(page))[0].slice(0, 6)], ['#zoom=main;parse&part=grown', 1, 'grown:'], 'a link with the part, and its heading');
	await page.reload();
	await ready(page);
	is((await parted(page)).map(b => [b.name, b.value]), now.map(b => [b.name, b.value]), 'the same after reload');
	await press(page, 'Backspace', 'Backspace');
	const places = list => list.map(({label, x, y, w}) => [label, x, y, w]);
	is([places(await boxes(page)), await hash(page)], [places(before), ''], 'back to all four');
	await page.evaluate(() => location.hash = 'zoom=main;render&part=grown');
	await page.waitForFunction(() => document.querySelectorAll('.v .f').length < 8);
	await ready(page);
	is([...new Set((await parted(page)).map(b => b.part))], ['shrunk'], 'what is not in a part is shown where it is');
}

async function searching() {
	const page = await open('parts.svg');
	for (const [text, said] of Object.entries(expected.searches))
		is(await find(page, text), said, `found: ${text}`);
	const found = (await parted(page)).filter(b => b.found).map(b => b.part);
	is(found.sort(), expected.matches, 'marked in every part that has it');
	const way = [];
	for (const key of ['Enter', 'n', 'n', 'N']) {
		await press(page, key);
		way.push((await parted(page)).filter(b => b.focus).map(b => [b.part, b.name]).flat());
	}
	is(way, [['grown', 'parse'], ['shrunk', 'parse'], ['grown', 'parse'], ['shrunk', 'parse']], 'from match to match through the parts');
	await click(page, 'grown', 'main');
	ok((await status(page))[1].startsWith(expected.within), 'within a part: of what is shown', await status(page));
}

async function keys() {
	const page = await open('parts.svg');
	await press(page, 'Tab', 'Tab');
	const at = async () => (list => list.filter(b => b.focus).map(b => [b.part, b.name])[0])(await parted(page));
	const way = [await at()];
	for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft']) {
		await press(page, key);
		way.push(await at());
	}
	is(way, [['appeared', 'all'], ['grown', 'all'], ['grown', 'main'], ['appeared', 'main']], 'arrows go from part to part');
	await press(page, 'c');
	is(await clipboard(page), 'main', 'c copies the name');
	await press(page, 'ArrowRight', 'ArrowDown', 'ArrowDown', 'Shift+C');
	is(await clipboard(page), `'main;parse;read'`, 'Shift+C the stack');
	const before = await names(page);
	await press(page, 'w');
	is([await names(page), await page.evaluate(() => [...document.querySelectorAll('[role=button]')].map(e => e.textContent))], [before, ['all', 'turn over', 'sort', 'copy name', 'copy stack']], 'there is no sandwich of parts');
	await press(page, 'i');
	const turned = await parted(page), root = part => turned.find(b => b.part == part && b.name == 'all');
	ok(turned.every(b => b.y <= root(b.part).y) && root('appeared').y == root('grown').y && root('shrunk').y > root('grown').y, 'i turns each part over', turned);
	await press(page, 'i', 's');
	is(await hash(page), '#sort=value', 's sorts by value');
	const box = (await parted(page)).find(b => b.part == 'disappeared' && b.name == 'gone');
	await page.mouse.move(box.x + 2, box.y + 5);
	is((await status(page))[0], expected.hovered, 'hovering says what a box is');
}

// Of each family of pictures (widths-after, widths-before, ...) the first, or all with FLAMEGRAPH_TEST_LONG: two pictures are drawn and
// compared for each, which takes longer than all that is read of them.
const family = name => name.split('-')[0];
const chosen = process.env.FLAMEGRAPH_TEST_LONG ? () => true : ([name], i, all) => all.findIndex(([other]) => family(other) == family(name)) == i;

// Pixel for pixel, and word for word: tooltips, labels, footnotes of SQL, and those of the viewer after it was zoomed and reset.
async function same() {
	for (const [name, height] of Object.entries(expected.heights).filter(chosen)) {
		// As wide as the picture; one of many rows has its tools in sight.
		const narrow = name.startsWith('labels'), size = {width: narrow ? 200 : 1200, height: 700};
		const still = await open(`${name}.svg?policy=${encodeURIComponent("script-src 'none'")}`, size), shot = page => page.screenshot({clip: {x: 0, y: 0, width: size.width, height: narrow ? 200 : height}});
		still.seen = [];
		const page = await open(`${name}.svg`, size);
		ok((await shot(still)).equals(await shot(page)), `the viewer draws what SQL draws: ${name}`);
		// Back to where it was: all, or the sandwich with which it begins.
		await press(page, 'Tab', 'Tab', 'ArrowDown', 'Enter', 'Backspace');
		const texts = [await read(page), await read(still)];
		// Numbers of nodes are those of the profile: the viewer does not have them where its data are cut.
		if (name.startsWith('cut'))
			texts.forEach(({boxes}) => (boxes.forEach(b => b.shift()), boxes.sort()));
		is(...texts, `and writes what SQL writes: ${name}`);
		for (const done of [still, page])
			await done.close();
	}
}

// Line by line, in a window as wide as the picture.
async function lines() {
	const texts = async path => {
		const page = await open(path, {width: 400, height: 700});
		if (path.includes('policy'))
			page.seen = [];
		return page.evaluate(() => [...document.querySelectorAll('.w')].map(g => [...g.children].map(t => t.textContent.trim())));
	};
	const still = await texts(`percent.svg?policy=${encodeURIComponent("script-src 'none'")}`);
	is(await texts('percent.svg'), still, 'lines are broken where SQL breaks them');
	is(still.flat().filter(text => text.startsWith('%')), [], 'no line begins with a percent sign');
}

// What is empty has a width of the window, too, and no tools.
async function nothing() {
	for (const name of ['empty', 'unchanged', 'no-difference']) {
		const page = await open(`${name}.svg`, {width: 400, height: 300});
		const [width, wrong, tools] = await page.evaluate(() => [document.documentElement.getAttribute('width'),
			[...document.querySelectorAll('text')].filter(t => t.getBoundingClientRect().right > innerWidth || t.getBoundingClientRect().height < 12).map(t => t.textContent), document.querySelectorAll('.u').length]);
		is([width, wrong, tools], ['400', [], 0], `laid out for 400 pixels: ${name}`);
		await page.setViewportSize({width: 800, height: 300});
		await page.waitForFunction(() => document.documentElement.getAttribute('width') == 800);
		ok(true, 'and anew for 800');
		await page.close();
	}
	is((await headings(await open('unchanged.svg'))).map(text => text.split(': ')[1]), ['nothing', 'nothing', 'nothing', 'nothing'], 'parts of no change say so');
}

// Where nothing was tested, nothing is significant.
async function untested() {
	const page = await open('untested.svg'), before = await names(page);
	ok((await find(page, 'is:significant')).startsWith('"is:significant": 0 frames'), 'nothing is significant without a test', await status(page));
	await press(page, 'Escape', 'Escape', 'd');
	is([await names(page), await page.evaluate(() => [...document.querySelectorAll('[role=button]')].some(e => e.textContent == 'significant'))], [before, false], 'and there is no key for it');
}

// A stack that the clipboard does not take is selected as it is.
async function refused() {
	const page = await open('long.svg', null, undefined, page => page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', {value: undefined})));
	await press(page, 'Tab', 'Tab', ...Array(12).fill('ArrowDown'), 'Shift+C');
	is(await page.evaluate(() => getSelection().toString()), expected.long, 'what is selected is the stack');
}

async function accessible() {
	for (const state of ['parts.svg', 'parts.svg#zoom=main;parse&part=grown&search=read']) {
		const page = await open(state);
		await isAccessible(page, state);
	}
	const page = await open('hostile.svg');
	for (const key of ['Tab', 'ArrowDown', 'Enter', 's', 'i', 'Shift+C', '0'])
		await press(page, key);
	is([await page.evaluate(() => [...document.querySelectorAll('*')].filter(e => !'circle defs desc g metadata path pattern rect script style svg text title'.split(' ').includes(e.localName)).length), page.seen], [0, []], 'hostile names stay text');
}

await runParts(values, zooming, searching, keys, same, lines, untested, refused, nothing, accessible);
