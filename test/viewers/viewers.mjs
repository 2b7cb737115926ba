// Viewers by others in Chromium: d3-flame-graph, speedscope and Grafana's flame graph draw our rows and exports.
//
//   node viewers.mjs FOLDER        expected.json, as test/t/058_other_viewers.pl makes it
//
// Expected values are those of SQL. Prints TAP; what speedscope writes again is left in FOLDER/speedscope.json.
import {readFileSync, writeFileSync} from 'node:fs';
import {bundle} from './bundle.mjs';
import {done, is, launch, newPage, ok, serve} from './browser.mjs';

const folder = process.argv[2], expected = JSON.parse(readFileSync(`${folder}/expected.json`));
const html = script => `<!DOCTYPE html><meta charset="utf-8"><title>x</title><body><script>${script.replaceAll('</script', '<\\/script')}</script>`;
const server = await serve(new URL('.', import.meta.url).pathname, {
	'd3.html': html(await bundle('d3.mjs')), 'grafana.html': html(await bundle('grafana.mjs')), 'profile.json': JSON.stringify(expected.speedscope),
});
// speedscope draws with WebGL, which needs no graphics card.
const browser = await launch('--enable-unsafe-swiftshader');
const context = await browser.newContext({viewport: {width: 1200, height: 700}, acceptDownloads: true});

async function open(path) {
	const page = await newPage(context, server.address);
	await page.goto(server.address + path);
	return page;
}

// Icons are files of Grafana's server, which are not there.
const quiet = (page, who) => is(page.seen.filter(line => /^(error: (?!Failed to load resource)|dialog|request|assert)/.test(line)), [], `${who} has nothing to complain of`);
const sorted = list => list.map(entry => JSON.stringify(entry)).sort();
const near = (a, b) => Math.abs(a - b) < 1e-9;

// Colours on the screen, each as a number.
async function colours(page, selector) {
	const picture = (await page.locator(selector).first().screenshot()).toString('base64');
	return page.evaluate(async picture => {
		const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
		const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
		context.drawImage(bitmap, 0, 0);
		return new Set(new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
	}, picture);
}

// --- d3-flame-graph ---------------------------------------------------------------------------------------------------

async function testD3() {
	const page = await open('d3.html');
	await page.evaluate(root => window.draw(root, false), expected.json);
	const boxes = await page.evaluate(() => window.boxes());
	is(boxes.length, expected.nodes.length, 'd3-flame-graph draws a box for each node, and the root');
	is(sorted(boxes.map(box => [box.name, +box.title.match(/, (\S+) samples\)$/)[1]])), sorted(expected.nodes.map(node => [node.frame, node.value])), 'they have our names and values');
	is(sorted(boxes.map(box => [box.name, box.share.toFixed(9)])), sorted(expected.nodes.map(node => [node.frame, (node.value / expected.total).toFixed(9)])), 'and are as wide as our shares');
	quiet(page, 'd3-flame-graph');
	await page.close();
}

// Its colours: orange is new, red more, blue less, grey the same.
function meaning(colour) {
	const [r, g, b] = colour.match(/\d+/g).map(Number);
	return r == 255 && g == 190 && b == 90 ? 'new' : r > g && g == b ? 'more' : b > g && r == g ? 'less' : r == g && g == b ? 'same' : colour;
}

async function testD3Difference() {
	const page = await open('d3.html');
	await page.evaluate(root => window.draw(root, true), expected.two.json);
	const boxes = await page.evaluate(() => window.boxes());
	is(boxes.length, expected.two.nodes.length, 'd3-flame-graph draws a box for each node of two profiles, and the root');
	is(sorted(boxes.map(box => [box.name, meaning(box.colour)])), sorted(expected.two.nodes.map(node => [node.frame, node.change])), 'its colours of differences say what delta says');
	quiet(page, 'd3-flame-graph');
	await page.close();
}

// --- speedscope -------------------------------------------------------------------------------------------------------

async function testSpeedscope() {
	const page = await open('node_modules/speedscope/dist/release/index.html#profileURL=/profile.json&view=sandwich');
	await page.waitForSelector('tr:nth-child(2)');
	ok((await page.textContent('body')).includes(expected.speedscope.profiles[0].name), 'speedscope opens the export under its name');
	// Rows of its table: total and share, own value and share, name.
	const rows = await page.$$eval('tr', all => all.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent)));
	const seen = rows.filter(cells => cells.length == 3).map(cells => [cells[2], ...[cells[1], cells[0]].map(text => +text.replaceAll(',', '').match(/^[\d.]+/)[0])]);
	is(sorted(seen), sorted(expected.frames.map(frame => [frame.frame, frame.self, frame.total])), 'its own values and totals of frames are ours');
	const download = page.waitForEvent('download', {timeout: 10000});
	await page.getByText('Export').click();
	await (await download).saveAs(`${folder}/speedscope.json`);
	const again = JSON.parse(readFileSync(`${folder}/speedscope.json`)).profiles;
	is(again.map(profile => profile.endValue), [expected.total], 'its total weight is the total');
	await page.keyboard.press('2');
	await page.waitForSelector('tr', {state: 'detached'});
	await page.waitForTimeout(300);
	ok(await colours(page, 'body') > 20, 'it draws the graph');
	quiet(page, 'speedscope');
	await page.close();
}

// --- Grafana ----------------------------------------------------------------------------------------------------------

// What is not as the panel wants it: boxes that leave their parents or lie upon each other.
const misplaced = levels => levels.flatMap((items, level) => items.filter((item, i) => {
	const parent = levels[level - 1]?.[item.parent], before = items[i - 1];
	return level && (!parent || item.start < parent.start || item.start + item.value > parent.start + parent.value + 1e-9) || before && item.start < before.start + before.value - 1e-9;
}));

async function testLevels() {
	const page = await open('grafana.html');
	const ask = (what, rows) => page.evaluate(([what, rows]) => window[what](rows), [what, rows]);
	is(await ask('wrongFields', expected.rows), [], 'Grafana accepts the fields of nested_set');
	is(await ask('wrongFields', expected.two.rows), [], 'and those of two profiles');
	is(await ask('wrongFields', expected.rows.map(({self, ...row}) => ({...row, level: 'x'}))), ['self', 'level'], 'and not any fields');
	const levels = await ask('levels', expected.rows);
	is(sorted(levels.flatMap((items, level) => items.map(item => [level, item.label, item.value]))), sorted(expected.nodes.map(node => [node.level, node.level ? node.frame : 'total', node.value])), 'its levels are our nodes');
	is(misplaced(levels), [], 'each within its parent, beside its siblings');
	const two = await ask('levels', expected.two.rows);
	is(sorted(two.flatMap((items, level) => items.map(item => [level, item.label, item.value - item.right, item.right]))),
		sorted(expected.two.nodes.map(node => [node.level, node.level ? node.frame : 'total', node.before, node.after])), 'its levels of two profiles are the nodes of both');
	is(misplaced(two), [], 'each within its parent, beside its siblings');
	const pruned = await ask('levels', expected.pruned);
	ok(pruned.flat().length > 1 && pruned.flat().length < levels.flat().length && misplaced(pruned).length == 0, 'what is left after min_share is in place, too', pruned);
	quiet(page, 'Grafana');
	await page.close();
}

// Draws rows and returns what the tooltip says about the box of this label.
async function tooltip(page, rows, label) {
	const levels = await page.evaluate(rows => (window.draw(rows), window.levels(rows)), rows);
	const canvas = page.getByTestId('flameGraph');
	await canvas.waitFor({timeout: 10000});
	await page.waitForTimeout(300);
	const level = levels.findIndex(items => items.some(item => item.label == label)), item = levels[level].find(one => one.label == label);
	const box = await canvas.boundingBox(), total = levels[0][0].value;
	await page.mouse.move(box.x + 5, box.y + 5);
	await page.mouse.move(box.x + (item.start + item.value / 2) / total * box.width, box.y + 22 * (level + 0.5));
	const shown = page.locator('#grafana-portal-container, body > div').filter({hasText: label}).last();
	await shown.waitFor({state: 'attached', timeout: 10000});
	return shown.innerText();
}

async function testPanel() {
	const one = await open('grafana.html'), parse = expected.nodes.find(node => node.frame == 'parse');
	const text = await tooltip(one, expected.rows, 'parse');
	ok(text.includes(`Total: ${parse.value} `) && text.includes(`Self: ${parse.self} `), 'its tooltip has the value and the own value', text);
	ok(await colours(one, '[data-testid=flameGraph]') > 20, 'its canvas is not blank');
	quiet(one, 'Grafana');
	await one.close();
	const page = await open('grafana.html'), node = expected.two.nodes.find(node => node.frame == 'parse');
	const both = await tooltip(page, expected.two.rows, 'parse');
	ok(new RegExp(`Baseline\\s+Comparison\\s+Diff[^]*Value\\s+${node.before}\\s+${node.after}\\s+${node.after - node.before}\\s`).test(both), 'the tooltip of two profiles has both sides', both);
	ok(await colours(page, '[data-testid=flameGraph]') > 20, 'its canvas is not blank');
	quiet(page, 'Grafana');
	await page.close();
}

for (const test of [testD3, testD3Difference, testSpeedscope, testLevels, testPanel])
	await test().catch(error => ok(false, `${test.name} came to its end`, `${error}`));
await browser.close();
server.close();
done();
