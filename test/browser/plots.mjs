// Pictures without a script in Chromium: the same everywhere, in the dark, on paper, labels apart, hostile texts.
//
//   node plots.mjs FOLDER        NAME-WIDTH.svg, hostile-NAME.svg and expected.json, as test/t/064_plots_browser.pl makes them
//
// Prints TAP.
import {spawnSync} from 'node:child_process';
import {is, ok} from './browser.mjs';
import {browser, file, isAccessible, open, runParts, said, server, under} from './session.mjs';

const {pictures, widths} = JSON.parse(file('expected.json'));
const size = svg => ['width', 'height'].map(name => Math.ceil(+svg.match(new RegExp(`${name}="([0-9.]+)"`))[1]));
const shot = page => page.screenshot({clip: {x: 0, y: 0, width: page.viewportSize().width, height: page.viewportSize().height}});
const withPage = (name, body) => {
	server.pages[name] = `<!DOCTYPE html><html lang="en"><title>x</title><body style="margin:0">${body}</body></html>`;
	return name;
};

// Files in frames of one page, each as large as what it is asked for: loading a page takes far longer than looking at a picture.
// Gives the page, and the frames by the files' names.
async function frames(name, files, where) {
	const body = Object.entries(files).map(([path, [width, height]]) => `<iframe title="${path}" style="display:block;border:0" width="${width}" height="${height}" src="${path}"></iframe>`);
	const page = await open(withPage(`${name}.html`, body.join('')), {width: 1600, height: 700}, where);
	return [page, Object.fromEntries(page.frames().filter(frame => frame != page.mainFrame()).map(frame => [frame.url().split('/').pop(), frame]))];
}

// --- the same picture wherever it is shown ------------------------------------------------------------------------------

// One piece of code writes head and style of all of them; these differ in what is inside: marks, patterns, boxes, cells.
const kinds = ['change', 'chart', 'heat', 'trend'];

async function same() {
	for (const name of kinds) {
		const svg = file(`${name}-800.svg`), [width, height] = size(svg);
		const plain = await open(`${name}-800.svg`, {width, height}), picture = await shot(plain);
		const still = await under("default-src 'none'; script-src 'none'; style-src 'unsafe-inline'", `${name}-800.svg`, {width, height});
		ok(picture.equals(await shot(still)), `${name}: the same without scripts`);
		const image = await open(withPage(`img-${name}.html`, `<img alt="" style="display:block" src="${name}-800.svg">`), {width, height});
		ok(picture.equals(await shot(image)), `${name}: the same as an image`);
		const bare = await under("default-src 'none'", `${name}-800.svg`, {width, height});
		is([said(bare).filter(text => !/Content Security Policy directive/.test(text)), await bare.evaluate(() => document.querySelectorAll('text').length)],
			[[], await plain.evaluate(() => document.querySelectorAll('text').length)], `${name}: complete without its style`);
		await Promise.all([plain, still, image, bare].map(page => page.close()));
	}
	const [name] = pictures, svg = file(`${name}-800.svg`), [width, height] = size(svg);
	const mailed = await open(withPage('data.html', `<img alt="" style="display:block" src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}">`), {width, height});
	ok((await shot(await open(`${name}-800.svg`, {width, height}))).equals(await shot(mailed)), 'the same as a data URI');
}

// --- labels ---------------------------------------------------------------------------------------------------------------

// Texts that overlap, and those that leave the picture; letters are smaller than the box of their line.
const labels = page => page.evaluate(() => {
	const {width, height} = document.documentElement.getBoundingClientRect();
	const corners = t => {
		const {x, y, width: w, height: h} = t.getBBox(), m = t.getScreenCTM(), inset = h * 0.2;
		return [[x + 1, y + inset], [x + w - 1, y + inset], [x + w - 1, y + h - inset], [x + 1, y + h - inset]].map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]);
	};
	const texts = [...document.querySelectorAll('text')].filter(t => t.textContent.trim() && t.getClientRects().length && getComputedStyle(t).visibility == 'visible').map(t => ({text: t.textContent, at: corners(t)}));
	// Two convex figures are apart when one side of either parts them.
	const apart = (a, b) => a.some(([x, y], i) => {
		const [nx, ny] = [a[(i + 1) % 4][1] - y, x - a[(i + 1) % 4][0]], side = ([px, py]) => (px - x) * nx + (py - y) * ny;
		return b.every(p => side(p) * Math.sign(side(a[(i + 2) % 4])) < 0);
	});
	const overlaps = [];
	texts.forEach((a, i) => texts.slice(i + 1).forEach(b => apart(a.at, b.at) || apart(b.at, a.at) || overlaps.push([a.text, b.text])));
	const outside = texts.filter(t => t.at.some(([x, y]) => x < -1 || y < -1 || x > width + 1 || y > height + 1)).map(t => t.text);
	return {overlaps: overlaps.slice(0, 5), outside: outside.slice(0, 5), least: Math.min(...[...document.querySelectorAll('text')].map(t => parseFloat(getComputedStyle(t).fontSize)))};
});

async function apart() {
	const files = Object.fromEntries(pictures.flatMap(name => widths.map(width => [`${name}-${width}.svg`, [width, size(file(`${name}-${width}.svg`))[1]]])));
	const [all, framed] = await frames('apart', files);
	for (const name of pictures)
		for (const width of widths) {
			const frame = framed[`${name}-${width}.svg`], {overlaps, outside, least} = await labels(frame);
			is([overlaps, outside, least >= 9], [[], [], true], `${name}, ${width}: labels are apart, within, and can be read`);
			is(await frame.evaluate(() => [innerWidth, document.documentElement.scrollWidth > innerWidth]), [width, false], `${name}, ${width}: as wide as was asked for`);
		}
	await all.close();
	// The measure itself: a label that is moved onto another one, and one out of the picture.
	const page = await open(`${pictures[0]}-800.svg`, {width: 800, height: 400});
	await page.evaluate(() => {
		const [a, b] = [...document.querySelectorAll('text')].filter(t => t.textContent.length > 3 && !t.closest('[transform]'));
		for (const name of ['x', 'y'])
			b.setAttribute(name, a.getAttribute(name));
	});
	is((await labels(page)).overlaps.length > 0, true, 'labels upon each other are seen');
	await page.evaluate(() => document.querySelector('text').setAttribute('x', '-30'));
	is((await labels(page)).outside.length, 1, 'and one that leaves the picture');
}

// --- dark, paper, screen readers --------------------------------------------------------------------------------------------

async function looks() {
	const dark = await browser.newContext({viewport: {width: 800, height: 400}, colorScheme: 'dark'});
	const sizes = names => Object.fromEntries(names.map(name => [`${name}-800.svg`, [800, size(file(`${name}-800.svg`))[1]]]));
	const [page, framed] = await frames('looks', sizes(pictures), dark);
	const colors = name => framed[`${name}-800.svg`].evaluate(() => [...[document.querySelector('.b'), document.querySelector('.p')].map(e => getComputedStyle(e).fill), getComputedStyle(document.documentElement).printColorAdjust]);
	for (const name of pictures)
		is((await colors(name)).slice(0, 2), ['rgb(27, 27, 27)', 'rgb(230, 230, 230)'], `${name}: dark`);
	await page.emulateMedia({media: 'print', colorScheme: 'dark'});
	for (const name of pictures)
		is(await colors(name), ['rgb(255, 255, 255)', 'rgb(34, 34, 34)', 'exact'], `${name}: print`);
	await page.close();
	const [paper] = await frames('paper', sizes(kinds), dark), {stdout, error} = spawnSync('pdftotext', ['-', '-'], {input: await paper.pdf({printBackground: true, landscape: true})});
	for (const name of kinds)
		ok(error || String(stdout).includes(`Title of ${name}`), `${name}: a PDF has its title as text${error ? ' # skip pdftotext is not installed' : ''}`);
	await paper.close();
	const inlined = await open(withPage('inlined.html', `<main><h1>x</h1>${pictures.map(name => `<section>${file(`${name}-800.svg`)}</section>`).join('')}</main>`));
	await isAccessible(inlined, 'all of them');
	await inlined.emulateMedia({colorScheme: 'dark'});
	const facts = await inlined.evaluate(() => [...document.querySelectorAll('section>svg')].map(svg => [svg.getAttribute('role'), svg.querySelector(':scope>title').textContent != '', svg.querySelector(':scope>desc').textContent != '']));
	pictures.forEach((name, i) => is(facts[i], ['img', true, true], `${name}: an image with a name and a description`));
	await inlined.close();
}

// --- hostile texts ----------------------------------------------------------------------------------------------------------

const KNOWN = 'svg title desc style defs pattern rect g text line path circle metadata clipPath polygon tspan script'.split(' ');

async function hostile() {
	const paths = pictures.flatMap(name => [`hostile-${name}.svg`, withPage(`hostile-${name}.html`, `<div id="here">${file(`hostile-${name}.svg`)}</div>`)]);
	const [page, framed] = await frames('hostile', Object.fromEntries(paths.map(path => [path, [900, 700]])));
	for (const path of paths) {
		const [elements, acting, seen] = await framed[path].evaluate(known => {
			const inside = [...document.querySelectorAll('svg, svg *')], all = document.querySelectorAll('#here *').length || document.querySelectorAll('*').length;
			return [[...new Set(inside.map(e => e.localName))].filter(n => !known.includes(n)).concat(inside.length == all ? [] : ['more than the picture']),
				inside.flatMap(e => [...e.attributes]).filter(a => /^on|href|src|style/i.test(a.name)).length, /[\u202e\u200b\u0001]/.test(document.documentElement.textContent)];
		}, KNOWN);
		is([elements, acting, seen], [[], 0, false], `${path}: texts stay texts, and deceive nobody`);
	}
	await page.close();
}

await runParts(same, apart, looks, hostile);
