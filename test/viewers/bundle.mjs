// Makes one script of a page and the packages it imports.
import {readFileSync} from 'node:fs';
import {build} from 'esbuild';

const replaced = Object.keys(JSON.parse(readFileSync(new URL('package.json', import.meta.url))).overrides);

// Packages that are not installed because Grafana's panel does not reach them: any name imported from them is a
// function that returns itself, or as a component what is within it.
const nothing = {
	name: 'nothing',
	setup(bundler) {
		bundler.onResolve({filter: new RegExp(`^(${replaced.join('|')})(/|$)`)}, ({path}) => ({path, namespace: 'nothing'}));
		bundler.onLoad({filter: /.*/, namespace: 'nothing'}, () => ({contents: `
			const get = (_, key) => key == Symbol.toPrimitive ? () => '' : nothing;
			const names = new Proxy({}, {get});
			const nothing = new Proxy(function () {}, {get, apply: (_, self, [first]) => first?.children ?? nothing, getPrototypeOf: () => names});
			module.exports = nothing;`}));
	},
};

export async function bundle(name) {
	const {outputFiles} = await build({entryPoints: [new URL(name, import.meta.url).pathname], bundle: true, write: false, format: 'iife', outfile: 'page.js', charset: 'utf8',
		define: {'process.env.NODE_ENV': '"production"', global: 'window'}, loader: {'.svg': 'dataurl', '.ttf': 'empty', '.woff2': 'empty'}, plugins: [nothing], logLevel: 'error'});
	return outputFiles.find(file => file.path.endsWith('.js')).text;
}
