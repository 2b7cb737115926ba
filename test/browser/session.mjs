// What the scripts of this folder begin and end with: a folder that is served, Chromium, pages that are watched, parts one
// after the other.
import {readFileSync} from 'node:fs';
import axe from 'axe-core';
import {done, is, launch, newPage, ok, ready, serve} from './browser.mjs';

export const folder = process.argv[2];
export const file = name => readFileSync(`${folder}/${name}`, 'utf8');
export const server = await serve(folder), {address} = server;
export const browser = await launch();
export const context = await browser.newContext({viewport: {width: 1200, height: 700}, permissions: ['clipboard-read', 'clipboard-write']});

// A page has a process of its own, which takes far longer to start than a page takes to load: one that is closed, by a loop over
// pictures or at the end of a part, is used again. Not where something was set that the next document would inherit.
const lasting = ['emulateMedia', 'addInitScript', 'route', 'exposeFunction'];
const idle = new Map();
let used = [];
const messages = [];

async function pageOf(where, path) {
	const page = idle.get(where)?.pop();
	if (page) {
		// The mouse would point at something, and an address that differs in its fragment alone loads nothing.
		await page.mouse.move(0, 0);
		await page.goto('about:blank');
		page.path = path;
		return page;
	}
	const made = await newPage(where, address), size = made.viewportSize(), close = made.close.bind(made);
	for (const name of lasting) {
		const method = made[name].bind(made);
		made[name] = (...more) => ((made.single = true), method(...more));
	}
	made.path = path;
	made.close = async () => {
		messages.push(...made.seen.splice(0).map(text => [made.path, text]));
		used = used.filter(page => page != made);
		if (made.single)
			return close();
		await made.setViewportSize(size);
		idle.set(where, [...idle.get(where) ?? [], made]);
	};
	return made;
}

// before: what is done with the page before anything is in it.
export async function open(path, size, where = context, before = () => {}) {
	const page = await pageOf(where, path);
	used.push(page);
	if (size)
		await page.setViewportSize(size);
	await before(page);
	await page.goto(address + path);
	await ready(page);
	return page;
}

// Under another policy than its own.
export const under = (policy, path, ...more) => open(`${path}?policy=${encodeURIComponent(policy)}`, ...more);

export async function isAccessible(page, name) {
	await page.evaluate(axe.source);
	const {violations} = await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations']}));
	is(violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary]), [], `axe-core finds nothing: ${name}`);
}

// What a page said that it should not have; asked for, it is forgotten.
export const said = page => page.seen.splice(0);

export async function runParts(...parts) {
	for (const part of parts) {
		try {
			await part();
		} catch (error) {
			ok(false, `${part.name} came to its end`, error.stack);
		}
		for (const page of used)
			await page.close();
	}
	is(messages, [], 'no message on the console, error, dialog or request');
	done();
	await browser.close();
	server.close();
}
