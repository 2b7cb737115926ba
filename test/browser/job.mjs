// The page of a job in Chromium: nothing overflows or is refused, at all widths, in light and dark; without scripts all is
// there; paper has the text.
//
//   node job.mjs FOLDER        report.html, hostile.html and bare.html, as test/t/115_jobs_report.pl makes them
//
// Prints TAP.
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import axe from 'axe-core';
import {done, is, launch, newPage, ok, ready, serve} from './browser.mjs';

const folder = process.argv[2];
const server = await serve(folder), {address} = server;
const browser = await launch();
const context = await browser.newContext({viewport: {width: 1200, height: 800}});
const pages = [];

async function open(path) {
	const page = await newPage(context, address);
	pages.push([path, page]);
	await page.goto(address + path);
	await ready(page);
	return page;
}

// It takes seconds for a long page; what it looks at are colours and what is there at a width.
const looked = ['400, dark', '1200, light'];
const all = [[400, 'light'], [400, 'dark'], [1200, 'light'], [1200, 'dark'], [1600, 'light']];
for (const [path, sights] of [['report.html', all], ['hostile.html', all.slice(1, 3)], ['bare.html', all.slice(0, 1)]]) {
	const page = await open(path);
	await page.evaluate(() => document.querySelectorAll('details').forEach(e => {
		e.open = true;
	}));
	for (const [width, scheme] of sights) {
		await page.setViewportSize({width, height: 800});
		await page.emulateMedia({colorScheme: scheme});
		await ready(page);
		ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path}: nothing is wider than ${width} pixels`);
		if (path == 'report.html' && !looked.includes(`${width}, ${scheme}`))
			continue;
		await page.evaluate(axe.source);
		const {violations} = await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations']}));
		is(violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary]), [], `${path}: axe-core finds nothing: ${width}, ${scheme}`);
	}
}

const page = await open('report.html');
const verdict = page.locator('header p').first();
ok((await verdict.boundingBox()).y < 200 && /^It took/.test(await verdict.textContent()), 'the verdict is the first thing to read');
await page.evaluate(() => document.querySelector('svg.fg').scrollIntoView());
ok(await page.evaluate(() => document.querySelectorAll('svg.fg .u, svg.fg [role=search]').length > 0), 'the chart is a viewer');
const hostile = await open('hostile.html');
is(await hostile.evaluate(() => [...document.querySelectorAll('img,iframe,object,embed,link,base,form')].length), 0, 'names make no elements');
is(await hostile.evaluate(() => [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => /^on/.test(a.name))).length), 0, 'and no attributes that act');

const still = await open("report.html?policy=script-src 'none'");
is(await still.evaluate(() => [document.querySelectorAll('main table').length, document.querySelectorAll('th button').length, document.querySelectorAll('main figure svg').length]), [4, 0, 4], 'without scripts everything is shown');
is(still.seen.filter(text => !text.includes("violates the following Content Security Policy directive 'script-src 'none''")), [], 'and nothing but the scripts is missing');
still.seen = [];

const paper = await open('report.html');
await paper.emulateMedia({media: 'print'});
writeFileSync(`${folder}/report.pdf`, await paper.pdf({printBackground: true}));
let text = null;
try {
	text = execFileSync('pdftotext', ['-layout', `${folder}/report.pdf`, '-'], {encoding: 'utf8'});
} catch (error) {
	console.log(`# pdftotext: ${error.message}`);
}
if (text != null) {
	const headings = await paper.evaluate(() => [...document.querySelectorAll('h2')].map(e => e.textContent));
	is(text.split('\f').map(page => page.trim().split('\n').pop().trim()).filter(line => headings.includes(line)), [], 'no heading stands alone at the end of a page');
	is(['It took', 'What costs most', 'What would help', 'Where', 'When', 'Who uses it', 'Whose', 'What limits Job', 'Usage of cpu', 'How this was computed'].filter(words => !text.includes(words)), [], 'paper has all parts, those that open, too');
}

is(pages.flatMap(([path, p]) => p.seen.map(text => [path, text])), [], 'no message on the console');
await browser.close();
server.close();
done();
