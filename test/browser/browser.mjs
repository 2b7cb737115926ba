// What the tests in a browser share: Chromium, a server for files under policies, counted checks in the form of TAP.
import {createServer} from 'node:http';
import {existsSync, readFileSync} from 'node:fs';
import {chromium} from 'playwright-core';

export const executable = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(path => path && existsSync(path));

export const launch = (...more) => chromium.launch({executablePath: executable, args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', ...more]});

let checks = 0;

export function ok(good, name, more = '') {
	console.log(`${good ? 'ok' : 'not ok'} ${++checks} - ${name}`);
	if (!good)
		console.log(`# ${JSON.stringify(more)}`.slice(0, 2000));
	return good;
}

export const is = (got, expected, name) => ok(JSON.stringify(got) === JSON.stringify(expected), name, {got, expected});
export const done = () => console.log(`1..${checks}`);

const types = {svg: 'image/svg+xml', css: 'text/css', js: 'text/javascript', json: 'application/json'};

// Files of a folder, and pages made here: body by path. A query ?policy=… becomes the header of a policy.
export async function serve(folder, pages = {}) {
	const server = createServer((request, response) => {
		const url = new URL(request.url, 'http://x'), name = url.pathname.slice(1);
		const body = pages[name] ?? (existsSync(`${folder}/${name}`) ? readFileSync(`${folder}/${name}`) : null);
		if (body == null)
			return response.writeHead(name == 'favicon.ico' ? 204 : 404).end();
		const headers = {'Content-Type': types[name.split('.').pop()] ?? 'text/html; charset=utf-8'};
		if (url.searchParams.has('policy'))
			headers['Content-Security-Policy'] = url.searchParams.get('policy');
		response.writeHead(200, headers).end(body);
	});
	await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
	return {pages, address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close()};
}

// A page whose messages, errors, dialogs and requests to anywhere else are kept in page.seen.
export async function newPage(context, address) {
	const page = await context.newPage();
	page.seen = [];
	page.on('console', message => page.seen.push(`${message.type()}: ${message.text()}`));
	page.on('pageerror', error => page.seen.push(`error: ${error.message}`));
	page.on('dialog', dialog => (page.seen.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
	page.on('request', request => request.url().startsWith(address) || /^(data|about|blob):/.test(request.url()) || page.seen.push(`request: ${request.url()}`));
	return page;
}

// Until all boxes are drawn and named. Mostly they are already, and to ask is far less work than to begin to wait.
const drawn = () => !document.querySelector('[aria-busy]');
export const ready = async page => await page.evaluate(drawn) || page.waitForFunction(drawn);
