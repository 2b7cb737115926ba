// What is on the screen of a page with a picture, and how it is used.
import {ready} from './browser.mjs';

// Boxes by label: name as screen readers say it, place, row.
export const boxes = page => page.evaluate(() => [...document.querySelectorAll('.v .f')].map(g => {
	const r = g.querySelector('rect'), [x, y, w] = ['x', 'y', 'width'].map(a => +r.getAttribute(a));
	return {label: g.getAttribute('aria-label'), name: g.getAttribute('aria-label').split(': ')[0], node: g.dataset.n, level: +g.getAttribute('aria-level'),
		x, y, w, found: !!g.querySelector('.h'), focus: g == document.activeElement, tab: g.getAttribute('tabindex')};
}));
export const names = async page => (await boxes(page)).map(b => b.name);
export const focused = async page => (await boxes(page)).find(b => b.focus)?.name;
export const status = page => page.evaluate(() => [...document.querySelectorAll('[role=status]>g')].map(g => [...g.children].map(t => t.textContent).join(' ')));
export const hash = page => page.evaluate(() => decodeURIComponent(location.hash));
export const press = async (page, ...keys) => {
	for (const key of keys)
		await page.keyboard.press(key);
	await ready(page);
};
export const click = async (page, name) => {
	const box = (await boxes(page)).find(b => b.name == name);
	await page.mouse.click(box.x + Math.min(5, box.w / 2), box.y + 8 - await page.evaluate(() => scrollY));
	await ready(page);
};
export const find = async (page, text) => {
	await press(page, '/');
	for (const _ of await page.evaluate(() => document.activeElement.textContent))
		await page.keyboard.press('Backspace');
	await page.keyboard.type(text);
	await ready(page);
	return (await status(page))[1];
};
export const clipboard = page => page.evaluate(() => navigator.clipboard.readText());

// What can be read of each box and around them: as SQL wrote it, or as the viewer says it while the mouse is over it. What only
// the viewer knows is left out: shares of what is zoomed to, how many boxes a function has.
export const read = page => page.evaluate(() => ({
	boxes: [...document.querySelectorAll('.f')].map(g => {
		g.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
		const said = g.querySelector('title').textContent, [name, ...facts] = said.split('\n');
		const text = g.querySelector('text');
		return [g.dataset.n, name, facts.join('\n').replace(/, [^,\n]* % of (?!all|before|after)[^,]*(?=, self |$)/, '').replace(/[;\n] ?[0-9,]+ boxes, together .*/, ''), text?.textContent, text?.getAttribute('y')];
	}).sort((a, b) => `${a}` < `${b}` ? -1 : 1),
	around: [...document.querySelectorAll('.w')].map(g => [...g.children].map(t => t.textContent).join(' ').trim())
}));
