// The viewer of flame graphs in Chromium: every row of the table of keys, links, policies, widths, accessibility.
//
//   node viewer.mjs FOLDER        pictures and expected.json, as test/t/056_pictures_browser.pl makes them
//
// Expected values are those of SQL. Prints TAP.
import {is, ok, ready} from './browser.mjs';
import {boxes, click, clipboard, find, focused, hash, names, press, status} from './screen.mjs';
import {browser, file, isAccessible, open, runParts, server} from './session.mjs';

const expected = JSON.parse(file('expected.json'));

// Boxes of one name in the row next to another box, on a side of it: names with what matches in their labels.
const nextTo = (list, root, side, pattern) => list.filter(b => b.level == 2 && Math.sign(b.y - root.y) == side).map(b => [b.name, ...b.label.match(pattern).slice(1)]).sort();

// --- the table of keys ------------------------------------------------------------------------------------------------

async function zooming() {
	const page = await open('small.svg'), all = await boxes(page);
	await click(page, 'parse');
	let now = await boxes(page);
	is(now.map(b => b.name), ['all', 'main', 'parse', 'read', 'tokenize', '"next char"'], 'a click zooms: what is outside leaves the document');
	is(now.slice(0, 3).map(b => b.w), [1180, 1180, 1180], 'the box and its callers have the full width');
	ok(/70 % of all, 100 % of parse/.test(now[2].label), 'both shares are said', now[2].label);
	is(await hash(page), '#zoom=main;parse', 'the link is a path');
	await press(page, 'Backspace');
	is((await names(page)).slice(0, 2).concat(await hash(page)), ['all', 'main', '#zoom=main'], 'Backspace: out one step');
	await click(page, 'all');
	is((await boxes(page)).map(b => b.w), all.map(b => b.w), 'a click on a faded caller zooms to it');
	for (const key of ['0', 'Escape']) {
		await click(page, 'tokenize');
		await press(page, key);
		is(await names(page), all.map(b => b.name), `${key}: all`);
	}
	await click(page, 'tokenize');
	const {x, y} = (await boxes(page))[0];
	await page.mouse.dblclick(x + 5, y + 5);
	await ready(page);
	is(await names(page), all.map(b => b.name), 'a double click on all: all');
	is(await hash(page), '', 'and no link');
}

async function moving() {
	const page = await open('small.svg');
	// First comes the document itself.
	await press(page, 'Tab', 'Tab');
	is([await focused(page), (await boxes(page)).filter(b => b.tab == '0').length], ['all', 1], 'one box is in the order of Tab');
	const way = [];
	for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'End', 'Home', 'ArrowUp']) {
		await press(page, key);
		way.push(await focused(page));
	}
	is(way, ['main', 'main', 'parse', 'render', 'parse', 'render', 'parse', 'main'], 'arrows, Home, End move as it is drawn');
	await press(page, 'ArrowDown', 'Enter');
	is([await hash(page), await focused(page)], ['#zoom=main;parse', 'parse'], 'Enter zooms and keeps the focus');
	await press(page, 'i');
	const turned = await boxes(page);
	ok(turned.find(b => b.name == 'all').y > turned.find(b => b.name == 'read').y, 'i turns over');
	await press(page, 'ArrowDown');
	is([await focused(page), await hash(page)], ['main', '#zoom=main;parse&flip=1'], 'and arrows with it');
	await press(page, '0', 'i');
	await page.mouse.move(200, (await boxes(page)).find(b => b.name == 'read').y + 5);
	ok(/^read: 400 samples, 40 % of all, self 400/.test((await status(page))[0]), 'hovering says what a box is', await status(page));
	ok((await page.evaluate(() => document.querySelector('.f:hover title').textContent)).startsWith('read\n400 samples'), 'in the tooltip, too');
}

async function searching() {
	const page = await open('recorded.svg');
	for (const [name, total, share, self] of expected.frames) {
		const said = await find(page, `^${name.replace(/[.*()[\]]/g, '\\$&')}$`);
		ok(said.includes(`: 1 frame, ${total} samples, ${share} of what is shown, ${share} of all, self ${self}`), `frame_total of ${name}`, [said, total, share, self]);
	}
	await press(page, 'Escape');
	await press(page, 'Escape');
	is(await hash(page), '', 'Escape ends a search');
	ok(/"RUNTIME": 0 frames/.test(await find(page, 'RUNTIME')), 'capitals matter where there are some');
	ok(/: [1-9]\d* frames/.test(await find(page, 'runtime')), 'and do not where there is none');
	ok(/"\(\*pp\)\.": [1-9]\d* frame/.test(await find(page, '(*pp).')), 'what is no expression is plain text');
	const small = await open('small.svg');
	await find(small, 'pa');
	is((await boxes(small)).filter(b => b.found).map(b => b.name), ['parse', 'layout::Table::paint'], 'matches have a mark');
	await find(small, 're');
	await press(small, 'Enter');
	const way = [await focused(small)];
	for (const key of ['n', 'n', 'N']) {
		await press(small, key);
		way.push(await focused(small));
	}
	is(way, ['read', 'render', 'layout::Table::measure', 'render'], 'Enter, n, N go through them');
	await find(small, '^log$');
	await press(small, 'Enter');
	is((await hash(small)), '#zoom=main;render;log&search=^log$', 'one thinner than 3 px is zoomed to');
	await press(small, 'Control+f');
	is(await small.evaluate(() => document.activeElement.getAttribute('role')), 'searchbox', 'Ctrl+F searches where the picture is the page');
	await press(small, 'Escape', '0');
	await press(small, 'Escape');
	await click(small, 'render');
	ok((await find(small, 'paint')).includes('75 samples, 37 % of what is shown, 7.5 % of all'), 'counted within the zoomed box');
}

async function copying() {
	const page = await open('hostile.svg'), first = (await boxes(page)).findIndex(b => b.node == expected.node);
	await page.evaluate(i => document.querySelectorAll('.v .f')[i].focus(), first);
	await press(page, 'c');
	is(await clipboard(page), expected.name, 'c copies the name as it is');
	await press(page, 'Shift+C');
	is(await clipboard(page), expected.literal, 'Shift+C copies the stack as SQL has it');
	const bare = await browser.newContext();
	await bare.addInitScript(() => Object.defineProperty(navigator, 'clipboard', {value: {writeText: () => Promise.reject(Error())}}));
	const refused = await open('small.svg', null, bare);
	await press(refused, 'Tab', 'ArrowDown', 'ArrowRight', 'Shift+C');
	await refused.waitForFunction(() => String(getSelection()));
	is(await refused.evaluate(() => String(getSelection()).trim()), "'main'", 'without a clipboard the text is shown, selected');
}

async function menus() {
	const page = await open('small.svg'), menu = () => page.evaluate(() => [...document.querySelectorAll('[role=menu]')].map(e => [e.getAttribute('aria-label'), document.activeElement.textContent]));
	const parse = (await boxes(page)).find(b => b.name == 'parse');
	await page.mouse.click(parse.x + 50, parse.y + 5, {button: 'right'});
	is([await menu(), await hash(page)], [[['parse', 'zoom']], ''], 'the right button opens a menu for the box');
	const way = [];
	for (const key of ['ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
		await press(page, key);
		way.push((await menu())[0][1]);
	}
	is(way, ['copy stack', 'copy name', 'copy stack', 'zoom', 'find its name'], 'arrows go around in it');
	await press(page, 'Escape');
	is([await menu(), await focused(page), await hash(page)], [[], 'parse', ''], 'Escape closes it, and the box is chosen');
	for (const [key, steps, text] of [['m', 3, 'parse'], ['ContextMenu', 4, "'main;parse'"]]) {
		await press(page, key, ...Array(steps).fill('ArrowDown'), 'Enter');
		is([await clipboard(page), await menu(), await focused(page)], [text, [], 'parse'], `${key} opens it, too; Enter chooses`);
	}
	const place = name => page.evaluate(name => {
		const r = [...document.querySelectorAll('[role=menuitem]')].find(e => e.textContent == name).getBoundingClientRect();
		return [r.x + 5, r.y + 5];
	}, name);
	const choose = async name => page.mouse.click(...await place(name));
	await press(page, 'm');
	await page.mouse.move(...await place('copy name'));
	is((await menu())[0][1], 'copy name', 'what the mouse is over is chosen');
	await choose('find its name');
	is([await hash(page), (await boxes(page)).filter(b => b.found).map(b => b.name), await menu()], ['#search=^parse$', ['parse'], []], 'the mouse chooses, too');
	await page.mouse.click(1195, parse.y + 5, {button: 'right'});
	is(await menu(), [], 'there is none beside boxes');
	await page.mouse.click(1185, parse.y - 30, {button: 'right'});
	ok(await page.evaluate(() => document.querySelector('[role=menu]').getBoundingClientRect().right <= innerWidth), 'it stays within the window');
	await page.mouse.click(1195, 20);
	is(await menu(), [], 'a click beside it closes it');
	await page.mouse.click(parse.x + 50, parse.y + 5, {button: 'right'});
	await choose('zoom');
	is(await hash(page), '#zoom=main;parse&search=^parse$', 'zoom');
}

async function sums() {
	const page = await open('sums.svg'), [, a, , , x] = await boxes(page);
	ok(a.label.startsWith('a: 0.30000000000000004 samples,'), 'sums are exact', a.label);
	ok(x.label.startsWith('x: 0.30000000000000004 samples,'), 'as single values are', x.label);
	ok(/, 0\.30000000000000004 samples,.* self 0\.30000000000000004$/.test(await find(page, '^[bc]$')), 'in searches, too', await status(page));
}

async function reshaping() {
	const page = await open('small.svg');
	await press(page, 's');
	is([(await names(page))[1], await hash(page)], ['main', '#sort=value'], 's sorts by value');
	await press(page, 's');
	const recorded = await open('recorded.svg');
	await recorded.evaluate(name => location.hash = `search=^${name}$`, expected.sandwich.frame);
	await press(recorded, 'Tab', 'n', 'w');
	const now = await boxes(recorded), root = now.find(b => b.name == expected.sandwich.frame && b.level == 1);
	is(nextTo(now, root, -1, /: ([0-9.]+) /), expected.sandwich.callers, 'w: callers above, as SQL has them');
	is(nextTo(now, root, 1, /: ([0-9.]+) /), expected.sandwich.callees, 'and callees below');
	const [, drawn, nodes] = /^(\d+) boxes drawn of (\d+)/.exec(await footnote(recorded)) || [];
	is([drawn, +nodes], [nodes, now.length], 'the footnote counts callers and callees');
	// One that calls it and is not called by it.
	const [caller, sum] = expected.sandwich.callers.find(([name]) => !expected.sandwich.callees.some(([callee]) => callee == name));
	ok((await find(recorded, `^${caller.replace(/[.*()[\]]/g, '\\$&')}$`)).includes(`callers: ${sum} samples, `), 'a search counts callers', [await status(recorded), caller, sum]);
	await press(recorded, 'Enter');
	ok((await boxes(recorded)).find(b => b.focus)?.y < root.y && await focused(recorded) == caller, 'and goes to them', await focused(recorded));
	await press(recorded, 'Escape', 'w');
	is((await names(recorded))[0], 'all', 'w again: back');
	await recorded.mouse.click(...await recorded.evaluate(() => {
		const r = [...document.querySelectorAll('[role=button]')].find(e => e.textContent == 'turn over').getBoundingClientRect();
		return [r.x + 5, r.y + 5];
	}));
	ok((await hash(recorded)).includes('flip=1'), 'a button does the same as its key');
}

// The smallest subtrees are sums in the data of large profiles: nobody is told that they were searched, or thin.
async function incomplete() {
	const page = await open('cut.svg');
	ok(/thinner than 0\.5 px or not in this file, together/.test(await footnote(page)), 'what is not in the data is said to be so', await footnote(page));
	ok((await find(page, 'hot')).endsWith('; what is not in this file is not counted'), 'and a search does not claim to have counted it');
	ok(!/not in this file/.test(await footnote(await open('wide.svg'))), 'nothing of that where the data are whole');
}

async function thin() {
	const page = await open('wide.svg'), before = await boxes(page);
	const more = before.filter(b => /^\(\d+ more\)$/.test(b.name));
	ok(more.length > 0 && !before.some(b => b.name == 'f7'), 'some are too thin at first');
	await page.evaluate(() => location.hash = 'zoom=few;group;f7');
	await page.waitForFunction(() => document.querySelectorAll('.v .f').length < 8);
	await ready(page);
	ok((await names(page)).includes('f7'), 'zooming shows them');
	await press(page, '0');
	await click(page, more[0].name);
	ok((await names(page)).length > 8 && await hash(page), 'a click on (n more) does, too', await names(page));
	const deep = await open('deep.svg', {width: 800, height: 600});
	ok((await names(deep)).includes('(4,601 deeper)'), '5,000 frames: rows below the last are one box', (await names(deep)).slice(-1));
	await press(deep, '/');
	await deep.keyboard.type('^f4990$');
	await press(deep, 'Enter');
	is(await names(deep), ['4,985 callers', ...[4985, 4986, 4987, 4988, 4989, 4990, 4991, 4992, 4993, 4994, 4995, 4996, 4997, 4998, 4999, 5000].map(n => `f${n}`)],
		'the nearest five callers, the others in a row');
	const chain = await open('chain.svg');
	is((await names(chain)).slice(-2), ['f255', '(59,745 deeper)'], '60,000 frames, 300 boxes at most: rows are fewer');
	ok(/256 boxes drawn of 60,001; 59,745 deeper than 256 rows/.test(await footnote(chain)), 'the footnote says so', await footnote(chain));
	await find(chain, '^f30000$');
	await press(chain, 'Enter');
	const near = await names(chain);
	is([near[0], near[1], near.at(-2), near.at(-1)], ['29,995 callers', 'f29995', 'f30255', '(29,745 deeper)'], 'and zoomed into it');
}

const footnote = page => page.evaluate(() => [...document.querySelectorAll('.z>.w')].map(g => g.textContent)[0].trim());

async function differences() {
	const page = await open('difference.svg'), found = async text => (await find(page, text), (await boxes(page)).filter(b => b.found).map(b => b.name).sort());
	for (const [state, frames] of Object.entries(expected.difference))
		is(await found(`is:${state}`), frames, `is:${state}`);
	ok(/^read: before 400 samples \(38 %\), after 700 samples \(56 %\): \+300, \+75 %/.test((await boxes(page)).find(b => b.name == 'read').label), 'both sides are said', (await boxes(page)).map(b => b.label));
	const groups = await open('groups.svg');
	await press(groups, 'd');
	const now = (await boxes(groups)).filter(b => !/more\)$/.test(b.name)).map(b => b.name).sort();
	is(now, expected.significant, 'd: what is significant, and what is above it');
	ok(/; 3 not significant/.test(await footnote(groups)), 'the others are counted', await footnote(groups));
	await press(groups, 'd');
	is((await boxes(groups)).length, 14, 'd again: all');
	await page.evaluate(() => location.hash = 'sandwich=render');
	await page.waitForFunction(() => document.querySelectorAll('.v .f').length < 11);
	await ready(page);
	const both = await boxes(page), root = both.find(b => b.name == 'render');
	is([-1, 1].map(side => nextTo(both, root, side, /: before ([0-9.]+) .*after ([0-9.]+) /)), expected.sides, 'a sandwich has both sides');
}

// What a difference says of a function, and of the box that is zoomed to.
async function places() {
	const {together, zoomed} = expected.places;
	const said = list => Object.fromEntries(list.map(b => [b.name, b.label.match(/\n(\d+ boxes, together .*?)(; label |$)/)?.[1]]).filter(([, text]) => text));
	for (const widths of ['union', 'after', 'before', 'change']) {
		const page = await open(`places-${widths}.svg`);
		is(Object.entries(said(await boxes(page))).map(String).sort(), Object.entries(together).map(String).sort(), `both sides of all boxes of a function: ${widths}`);
		await page.close();
	}
	const page = await open('places-union.svg#zoom=main;render'), now = await boxes(page), from = now.findIndex(b => b.name == 'render'), path = ['main'];
	const found = now.slice(from).map(({name, label, level}) => {
		path.splice(level - 2, Infinity, name);
		return [path.join(';'), label.slice(name.length + 2).split('\n')[0]];
	});
	is(found.map(String).sort(), Object.entries(zoomed).map(String).sort(), 'both shares of the zoomed box');
	is(now.slice(0, from).filter(b => /of render/.test(b.label)), [], 'what is above has none');
	await page.mouse.move(now[from].x + 5, now[from].y + 5);
	const [status1] = await status(page), tip = await page.evaluate(() => document.querySelector('.f:hover title').textContent);
	ok([status1, tip].every(text => text.includes(zoomed['main;render'])), 'in the status line and the tooltip, too', [status1, tip]);
	await press(page, '0');
	const read = (await boxes(page)).find(b => b.name == 'read');
	await page.mouse.move(read.x + 5, read.y + 5);
	ok((await status(page))[0].includes(together.read), 'and of the function', await status(page));
	const narrow = await open('places-union.svg', {width: 400, height: 900}), thin = (await boxes(narrow)).find(b => b.name == 'read');
	await narrow.mouse.move(thin.x + 5, thin.y + 5);
	ok((await status(narrow))[0].includes(together.read), 'whole in a narrow window', await status(narrow));
}

// Pixel for pixel.
async function same() {
	for (const [name, height] of Object.entries(expected.heights)) {
		const still = await open(`${name}.svg?policy=${encodeURIComponent("script-src 'none'")}`);
		still.seen = [];
		const page = await open(`${name}.svg`);
		ok((await shot(still, height)).equals(await shot(page, height)), `the viewer draws what SQL draws: ${name}`);
		for (const done of [still, page])
			await done.close();
	}
}

// What one side does not have stands below, on the same scale in windows of all widths.
async function elided() {
	const page = await open('after.svg'), {vanished, after, names: gone} = expected.elided;
	const heading = () => page.evaluate(() => (e => e.getAttribute('display') == 'none' ? null : +e.firstChild.getAttribute('y'))(document.querySelector('.q>.w')));
	const below = async () => (now => now.slice(now.findLastIndex(b => b.name == 'all')))(await boxes(page));
	ok(/^11 boxes drawn of 11below: 6 boxes drawn of 6$/.test(await footnote(page)), 'what has no width is not counted', await footnote(page));
	is((await below()).map(b => b.name).sort(), gone, 'what vanished');
	for (const width of [1200, 600]) {
		await page.setViewportSize({width, height: 700});
		await page.waitForFunction(width => +document.documentElement.getAttribute('width') == width, width);
		await ready(page);
		const all = await boxes(page), low = await below(), upper = all.slice(0, -low.length);
		ok([[all[0].w, width - 20], [low[0].w, (width - 20) * vanished / after]].every(([w, wanted]) => Math.abs(w - wanted) < 0.011), `on one scale at ${width} pixels`, [all[0], low[0]]);
		ok(Math.min(...low.map(b => b.y)) > Math.max(...upper.map(b => b.y)) + 30, 'below the other boxes');
	}
	await click(page, 'old');
	is([await names(page), await hash(page)], [['all', 'main', 'old', 'gone'], '#zoom=main;old'], 'zooming works there');
	ok(await heading() < (await boxes(page))[0].y, 'its heading stands above', await heading());
	await page.reload();
	await ready(page);
	is(await names(page), ['all', 'main', 'old', 'gone'], 'and has a link');
	await press(page, 'Backspace', 'Backspace');
	is((await boxes(page)).length, 17, 'and back');
	await click(page, 'parse');
	is(await heading(), null, 'which is not for other boxes');
	await press(page, '0');
	await find(page, 'is:gone');
	await press(page, 'Enter');
	is([await focused(page), await hash(page)], ['old', '#search=is:gone'], 'a search goes there');
	ok((await status(page))[1].endsWith(`0 samples, 0 % of what is shown, 0 % of all, self 0, below: ${vanished} samples, 100 % of what is shown, ${Math.round(100 * vanished / after * 10) / 10} % of all, self ${vanished}`), 'and counts there', await status(page));
	await press(page, '0', 'i');
	const turned = await below();
	ok(turned[0].y > turned.at(-1).y && turned.at(-1).y > (await boxes(page))[0].y, 'turned over it is still below');
}

// --- links, policies, surroundings --------------------------------------------------------------------------------------

async function links() {
	const page = await open('small.svg#zoom=main;render&search=paint&flip=1&sort=value'), before = await boxes(page);
	ok(before.some(b => b.found) && before[0].w == 1180, 'a link is followed');
	await page.reload();
	await ready(page);
	is([await boxes(page), await hash(page)], [before, '#zoom=main;render&search=paint&flip=1&sort=value'], 'the same after reload');
	const gone = await open('small.svg#zoom=main;render;absent;x');
	ok((await names(gone)).includes('render') && !(await names(gone)).includes('parse') && (await status(gone))[1].includes('absent'), 'a path that is gone: its beginning, and it says so', await status(gone));
	const both = await status(await open('small.svg#zoom=main;render;absent;x&search=paint'));
	ok(/"paint": 1 frame, 75 samples, 37 % .*; absent of main;render;absent;x is gone/.test(both[1]), 'and what a search finds there', both);
	is((await boxes(await open('started.svg'))).filter(b => b.found).map(b => b.name), ['layout::Table::paint'], 'options zoom and search are the state at the start');
	server.pages['two.html'] = `<!DOCTYPE html><title>two</title><h1>Two</h1>${file('small.svg')}${file('recorded.svg')}`;
	const two = await open('two.html');
	await two.evaluate(() => location.hash = 'zoom=main&zoom2=runtime.main');
	await two.waitForFunction(() => document.querySelectorAll('.v')[1].querySelector('.f').nextSibling.textContent.startsWith('runtime.main'));
	is(await two.evaluate(() => [...document.querySelectorAll('.v')].map(v => v.children[1].textContent)), ['main', 'runtime.main'], 'two pictures in a page have a state each');
	await two.keyboard.press('/');
	is(await two.evaluate(() => document.activeElement.tagName), 'BODY', 'keys of the page stay its own');
}

const shot = (page, height = expected.height) => page.screenshot({clip: {x: 0, y: 0, width: 1200, height}});

async function policies() {
	const scripted = encodeURIComponent(`default-src 'none'; script-src '${expected.hash}'; style-src '${expected.style}'`);
	const page = await open(`small.svg?policy=${scripted}`);
	await press(page, 'Tab', 'ArrowDown', 'Enter');
	is([await hash(page), page.seen], ['#zoom=main', []], 'runs under a policy that names its hash, and breaks none');
	const strict = await open(`small.svg?policy=${encodeURIComponent(`default-src 'none'; script-src '${expected.hash}'`)}`);
	await press(strict, 'Tab', 'ArrowDown', 'Enter');
	is([await hash(strict), strict.seen.filter(text => !/style/.test(text)).length], ['#zoom=main', 0], 'needs no style');
	strict.seen = [];
	const still = await open(`small.svg?policy=${encodeURIComponent("script-src 'none'")}`);
	still.seen = [];
	const picture = await shot(still);
	server.pages['img.html'] = '<!DOCTYPE html><title>x</title><body style="margin:0"><img alt="" style="display:block" src="small.svg">';
	server.pages['data.html'] = `<!DOCTYPE html><title>x</title><body style="margin:0"><img alt="" style="display:block" src="data:image/svg+xml;base64,${Buffer.from(file('small.svg')).toString('base64')}">`;
	for (const [name, what] of [['img.html', 'an image'], ['data.html', 'a data URI']])
		ok(picture.equals(await shot(await open(name))), `${what} is the same picture as without a script`);
	const viewer = await open('small.svg');
	ok(picture.equals(await shot(viewer)), 'and what the viewer draws, without its bar');
}

async function appearance() {
	const dark = await browser.newContext({viewport: {width: 1200, height: 700}, colorScheme: 'dark'});
	const page = await open('small.svg', null, dark), style = (selector, property) => page.evaluate(([s, p]) => getComputedStyle(document.querySelector(s))[p], [selector, property]);
	is([await style('.b', 'fill'), await style('.p', 'fill'), await style('.f>rect', 'fill')], ['rgb(27, 27, 27)', 'rgb(230, 230, 230)', 'rgb(217, 217, 217)'], 'dark: background and text, not the boxes');
	await page.emulateMedia({media: 'print', colorScheme: 'dark'});
	is([await style('.b', 'fill'), await style('.u', 'display'), await style('.fg', 'printColorAdjust')], ['rgb(255, 255, 255)', 'none', 'exact'], 'print: white, without the bar, colours kept');
	for (const width of [400, 777, 1600, 3000]) {
		const at = await open('recorded.svg', {width, height: 900});
		const [own, right, bad] = await at.evaluate(() => [
			document.documentElement.getBoundingClientRect().width,
			Math.max(...[...document.querySelectorAll('.f>rect')].map(r => +r.getAttribute('x') + +r.getAttribute('width'))),
			[...document.querySelectorAll('text')].filter(t => t.getBoundingClientRect().right > innerWidth).map(t => t.textContent)
		]);
		ok(own <= width && own > width - 20 && right == own - 10 && !bad.length, `laid out for ${width} pixels`, {own, right, bad});
		await at.close();
	}
	const resized = await open('recorded.svg');
	await resized.setViewportSize({width: 600, height: 800});
	await resized.waitForFunction(() => +document.documentElement.getAttribute('width') <= 600);
	await ready(resized);
	ok((await boxes(resized)).every(b => b.x + b.w <= 590), 'and anew when the window changes');
	for (const height of [260, 270, 280, 290, 300, 400]) {
		const at = await open('highlighted.svg', {width: 500, height});
		is(await at.evaluate(() => {
			const top = document.querySelector('.u').getBoundingClientRect().top;
			return [...document.querySelectorAll('.z text')].filter(t => t.getBoundingClientRect().top < top - 3 && t.getBoundingClientRect().bottom > top + 3).map(t => t.textContent);
		}), [], `the bar cuts no line in half in a window ${height} pixels high`);
		await at.close();
	}
	for (const [height, over] of [[500, true], [130, false]]) {
		const at = await open('recorded.svg', {width: 1200, height});
		const [bar, end] = await at.evaluate(() => [document.querySelector('.u').getBoundingClientRect().top, Math.max(...[...document.querySelectorAll('.f')].map(g => g.getBoundingClientRect().bottom))]);
		ok(over ? bar < height - 50 : bar >= end, `the bar ${over ? 'stays in sight' : 'does not cover what there is'} in a window ${height} pixels high`, [bar, end]);
		await at.close();
	}
}

// Text of a PDF, where the tool is there.
async function printing() {
	const page = await open('small.svg'), {spawnSync} = await import('node:child_process');
	const pdf = await page.pdf({printBackground: true});
	const text = spawnSync('pdftotext', ['-', '-'], {input: pdf});
	if (text.error)
		return ok(true, 'text of the PDF # skip pdftotext is not installed');
	return ok(['main', 'parse', 'tokenize', '"next char"'].every(name => String(text.stdout).includes(name)), 'a PDF has the frames as text', String(text.stdout));
}

async function accessible() {
	server.pages['page.html'] = `<!DOCTYPE html><html lang="en"><title>page</title><main><h1>Page</h1>${file('recorded.svg')}</main></html>`;
	for (const state of ['page.html', 'page.html#search=runtime&zoom=runtime.main', `page.html#sandwich=${expected.sandwich.frame}`]) {
		const page = await open(state);
		await isAccessible(page, state);
	}
	const page = await open('small.svg'), reached = [];
	for (let i = 0; i < 9; i++) {
		await page.keyboard.press('Tab');
		reached.push(await page.evaluate(() => document.activeElement.getAttribute('aria-label') || document.activeElement.textContent));
	}
	is(reached.map(text => text.split(':')[0]).slice(1), ['all', 'search', 'all', 'turn over', 'sort', 'sandwich', 'copy name', 'copy stack'], 'Tab reaches the boxes and every tool');
	const ring = await page.evaluate(() => (document.querySelector('.f').focus(), parseFloat(getComputedStyle(document.querySelector('.f>rect')).strokeWidth)));
	ok(ring >= 3, 'the focus has a ring of 3 pixels', ring);
	is(await page.evaluate(() => [document.documentElement, document.querySelector('.v'), document.querySelector('.f')].map(e => e.getAttribute('role'))), ['group', 'tree', 'treeitem'], 'roles');
}

async function hostile() {
	server.pages['hostile.html'] = `<!DOCTYPE html><title>x</title>${file('hostile.svg')}`;
	for (const path of ['hostile.svg', 'hostile.html', 'hostile.html?policy=' + encodeURIComponent(`default-src 'none'; style-src 'unsafe-inline'; script-src '${expected.hash}'`)]) {
		const page = await open(path);
		const known = 'circle defs desc g metadata path pattern rect script style svg text title html head body'.split(' ');
		const look = () => page.evaluate(() => [[...new Set([...document.querySelectorAll('*')].map(e => e.localName))], [...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => /^on|href|src|style/i.test(a.name)).length, document.scripts.length]);
		const way = [];
		for (const key of ['Tab', 'ArrowDown', 'Enter', 's', 'i', 'w', 'Shift+C', 'c', '0']) {
			await press(page, key);
			way.push(await look());
		}
		await find(page, '<script>alert(1)</script>');
		for (const box of (await boxes(page)).slice(0, 30))
			await page.mouse.move(box.x + box.w / 2, box.y + 5);
		way.push(await look());
		ok(way.every(([elements, attributes]) => !attributes && elements.every(e => known.includes(e))), `hostile names stay text: ${path.split('?')[0]}`, way);
		is(page.seen.filter(text => text.startsWith('dialog') || text.startsWith('request')), [], 'no dialog, no request');
	}
}

await runParts(zooming, moving, searching, copying, menus, sums, reshaping, thin, incomplete, differences, places, same, elided, links, policies, appearance, printing, accessible, hostile);
