// How fast pictures are in a browser: the first contentful paint, a click on a box until the second frame after it, and
// back, a search until the second frame.
//
//   node browser.mjs FILE...        pictures; a file of JSON (flamegraph_to_json) is drawn by d3-flame-graph
//
// Prints for bench/report.py measure, side, size, 1 and seconds between tabs: browser_paint, browser_zoom (p95),
// browser_zoom_whole (p95 until the thinnest box is drawn, too), browser_search. Side is ours, flamegraph_pl or
// d3_flame_graph, size the number of nodes, as the file's name has them (picture.60000.svg, picture.flamegraph_pl.svg,
// picture.60000.json). The packages are those of test/browser and test/viewers (npm ci there).
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';
import path from 'node:path';

const require = createRequire(new URL('../../test/browser/', import.meta.url));
const {chromium} = require('playwright-core');
const RUNS = 5, ZOOMS = 20;

// A page in which d3-flame-graph draws what is in a file: boxes as wide and as many as ours, no animation.
async function pageOf(file) {
	const viewers = new URL('../../test/viewers/', import.meta.url);
	const {outputFiles: [script]} = await createRequire(viewers)('esbuild').build({bundle: true, write: false, format: 'iife', outdir: 'x', loader: {'.css': 'empty'}, stdin: {resolveDir: viewers.pathname, contents: `
		import {select} from 'd3-selection';
		import flamegraph from 'd3-flame-graph';
		const chart = flamegraph().width(1180).cellHeight(18).minFrameSize(0.05).transitionDuration(0);
		select(document.body.firstChild).datum(JSON.parse(document.querySelector('[type="application/json"]').textContent)).call(chart);`}});
	return `<!DOCTYPE html><meta charset="utf-8"><body><div></div><script type="application/json">${readFileSync(file, 'utf8').replace(/</g, '\\u003c')}</script>
		<script>${script.text.replace(/<\/script/g, '<\\/script')}</script>`;
}

const median = list => list.sort((a, b) => a - b)[list.length >> 1];
const p95 = list => list.sort((a, b) => a - b)[Math.ceil(0.95 * list.length) - 1];

// In the page: the time from an event to the second frame after it, and until nothing is left to be drawn.
function measure(act) {
	return new Promise(resolve => {
		const start = performance.now();
		act();
		requestAnimationFrame(() => requestAnimationFrame(() => {
			const seen = performance.now() - start;
			const wait = () => document.querySelector('[aria-busy]') ? setTimeout(wait, 1) : resolve([seen, performance.now() - start]);
			wait();
		}));
	});
}

// Clicks on boxes at random places of the picture, and back, always from the whole picture.
async function zooms(page, count) {
	return page.evaluate(async ([count, source]) => {
		const measure = eval(source), times = [];
		const click = e => measure(() => e.dispatchEvent(new MouseEvent('click', {bubbles: true})));
		const boxes = () => [...document.querySelectorAll('.v .f, #frames > g, #frames > a, g.frame')];
		for (let i = 0; i < count; i++) {
			const all = boxes(), box = all[1 + Math.floor((i + 0.5) / count * (all.length - 1))];
			times.push(await click(box));
			times.push(await click(document.querySelector('#unzoom') || boxes()[0]));
		}
		return times;
	}, [count, `(${measure})`]);
}

async function searches(page) {
	return page.evaluate(async source => {
		const measure = eval(source), field = document.querySelector('[role=searchbox]'), times = [];
		if (!field)
			return times;
		const key = name => field.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
		field.focus();
		for (const name of 'aeiou') {
			times.push((await measure(() => key(name)))[0]);
			await measure(() => key('Backspace'));
		}
		return times;
	}, `(${measure})`);
}

// Paint of a page that was not open before, in a new context each time.
async function paint(browser, file) {
	const context = await browser.newContext({viewport: {width: 1200, height: 900}}), page = await context.newPage();
	await (file.endsWith('.json') ? page.setContent(await pageOf(file)) : page.goto(`file://${path.resolve(file)}`));
	const time = await page.evaluate(() => new Promise(resolve => {
		const look = () => {
			const [entry] = performance.getEntriesByName('first-contentful-paint');
			return entry ? resolve(entry.startTime) : setTimeout(look, 5);
		};
		look();
	}));
	return {context, page, time};
}

const browser = await chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox']});
for (const file of process.argv.slice(2)) {
	const paints = [];
	let open;
	for (let run = 0; run < RUNS; run++) {
		if (open)
			await open.context.close();
		open = await paint(browser, file);
		paints.push(open.time);
	}
	const {page} = open;
	await page.waitForFunction(() => document.querySelector('#frames, g.frame, [role=tree]:not([aria-busy])'), null, {timeout: 60000});
	await zooms(page, 1);
	const times = await zooms(page, file.endsWith('.json') ? ZOOMS / 4 : ZOOMS), found = await searches(page);
	const seen = times.map(([frame]) => frame), whole = times.map(([, end]) => end);
	const [, name, kind] = /picture\.(\w+)\.(svg|json)$/.exec(file) || ['', path.basename(file)], peer = name == 'flamegraph_pl', d3 = kind == 'json';
	// What d3-flame-graph draws is made in the page, so its first paint is of something else.
	const measured = {paint: d3 ? null : median(paints), zoom: p95(seen), zoom_whole: p95(whole), search: found.length ? median(found) : null};
	for (const [measure, time] of Object.entries(measured))
		if (time != null)
			console.log([`browser_${measure}`, peer ? name : d3 ? 'd3_flame_graph' : 'ours', peer ? 415783 : name, 1, (time / 1000).toFixed(6)].join('\t'));
	await open.context.close();
}
await browser.close();
