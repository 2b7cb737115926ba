// What stands around the boxes: lines of text, the status, buttons, the search field.

const {font, row} = options, LINE = font + 6, COLUMN = 0.625 * font;
const list = (selector, e = svg) => [...e.querySelectorAll(selector)];
const around = () => svg.getBoundingClientRect();
const [heading] = list(".p>text"), head = list(".p:first-of-type>.w"), headY = head[0] && one("text", head[0]).getAttribute("y") - font;
const [lowHead] = list(".v~.p:not(.z)>.w"), tail = list(".z>.w");
const legend = list(".k").map(e => [one("rect", e), one(".w", e)]);
let topY = options.top, lowY, barY, height;

// Writes lines of a text, so many at most; returns the y below them.
function write(e, text, y, x = MARGIN, most = 99) {
	const lines = text.split("\n").flatMap(part => wrapped(part, floor((width - MARGIN - x) / COLUMN)));
	if (lines.length > most)
		lines[most - 1] += lines.splice(most) && DOTS;
	e.replaceChildren(...lines.map((part, i) => element("text", {x, y: y + i * LINE + font}, null, part)));
	return y + lines.length * LINE;
}

function rewrite(e, y, x) {
	e.words ||= [...e.children].map((t, i) => (t.getAttribute("class") ? "\n" : i ? " " : "") + t.textContent).join("");
	return write(e, e.words, y, x);
}

// Entries stand side by side where there is room.
function placeLegend(y) {
	let x = MARGIN, end = y;
	for (const [r, e] of legend) {
		const indent = r ? 16 : 0, room = indent + 16;
		if (x > MARGIN && x + room + columns(e.words || e.textContent.trim()) * COLUMN > width)
			[x, y] = [MARGIN, end];
		end = max(end, rewrite(e, y, x + indent));
		if (r)
			attributes(r, {x, y: y + font - 10});
		x += room + ceil(columns(e.words) * COLUMN);
	}
	return end;
}

function move(e, x, y) {
	e.setAttribute("transform", `translate(${x},${y})`);
}

// Breaks the texts for the width, moves what is below the boxes to its place and sets the size of the document.
function place() {
	if (heading && heading.hasAttribute("font-weight"))
		heading.textContent = fit(shown(TITLE), floor((width - 2 * MARGIN) / 10), 1);
	if (head[0])
		topY = head.reduce((y, e) => rewrite(e, y), headY) + 4;
	let y = topY + max(rows, options.rows) * (row + 1);
	if (lowHead)
		attributes(lowHead, {display: lowRows ? "" : "none"});
	if (lowRows) {
		lowY = rewrite(lowHead, y + 6);
		y = lowY + lowRows * (row + 1);
	}
	const {tree, n} = root, held = tree.count[n] + (halves && !n ? halves.up.count[0] - 1 : 0);
	tail[0].words = footnote(boxes.filter(b => !b.low), held, left) + (lowRows ? `\nbelow: ${footnote(boxes.filter(b => b.low), elided.count[0], left.low)}` : "");
	y = tail.reduce((y, e) => rewrite(e, y), y + 4);
	barY = placeLegend(y) + MARGIN;
	height = barY + placeBar() + MARGIN;
	attributes(svg, {width, height, viewBox: `0 0 ${width} ${height}`});
	attributes(one(".b"), {width, height});
	stick();
}

function footnote(boxes, held, left) {
	const drawn = boxes.filter(b => !b.more && !b.faded).length;
	const out = (why, words) => left[why][0] ? `; ${grouped(left[why][0])} ${words}, together ${digits(left[why][1])} ${shown(data.unit)} (${share(left[why][1], all)})` : "";
	return `${grouped(drawn)} box${drawn == 1 ? "" : "es"} drawn of ${grouped(held)}` +
		out("thin", folded ? "not significant or thin" : `thinner than ${left.least} px`) + out("deeper", `deeper than ${left.most} rows`);
}

// Lines for so many columns.
const linesFor = columns => ceil(columns * COLUMN / width);

// The bar's parts from left to right, in as many lines as they need; returns its height.
function placeBar() {
	let x = MARGIN, y = (boxLines() + linesFor(100)) * LINE + 4;
	for (const e of list(".x", bar)) {
		const w = e == field ? min(240, width - 2 * MARGIN) : 12 + ceil(COLUMN * e.textContent.length);
		if (x + w > width - MARGIN)
			[x, y] = [MARGIN, y + font + 14];
		e.firstChild.setAttribute("width", w);
		move(e, x, y);
		x += w + 6;
	}
	attributes(bar.firstChild, {width, height: (y += font + 14) + MARGIN});
	return y;
}

// The last y that is in sight.
const seen = () => min(height, innerHeight - around().y);

// The bar stays in sight where the picture is longer than the window.
function stick() {
	const tall = height - barY;
	move(bar, 0, seen() < 2 * tall ? barY : max(topY, seen() - tall));
}

const said = ["", ""], boxLines = () => linesFor(isDiff ? 250 : 150);

// 0: of a box; 1: of the search, and messages.
function say(i, text) {
	said[i] = text;
	said.forEach((text, i) => write(status.children[i], text, i && boxLines() * LINE, MARGIN, i ? 99 : boxLines()));
}

const tell = b => say(0, `${shown(nameIn(b))}: ${factsIn(b).replace(/\n/g, "; ")}`);

const bar = element("g", {class: "u p", fill: INK}, svg);
element("rect", {class: "b", fill: PAPER}, bar);
const status = element("g", {role: "status"}, bar);
element("g", {}, status);
element("g", {}, status);

function button(name, key, role = "button", to = bar) {
	const e = element("g", {class: "x", role, tabindex: 0, cursor: "pointer"}, to);
	element("rect", {height: font + 10, rx: 3, fill: "none", stroke: "#888", "pointer-events": "all"}, e);
	element("text", {x: 6, y: font + 3}, e, name);
	e.key = key;
	return e;
}

const field = attributes(button("/ search", "/", "searchbox"), {"aria-label": "search"});
[["all", "0"], ["turn over", "i"], ["sort", "s"], ...isDiff ? [["significant", "d"]] : [], ["sandwich", "w"], ["copy name", "c"], ["copy stack", "C"]].forEach(b => button(...b));

// What can be done with a box, beside it; the last that was chosen is of no use once the picture changes.
const ITEMS = [["zoom", "Enter"], ["sandwich", "w"], ["find its name", "f"], ["copy name", "c"], ["copy stack", "C"]];
let menu;

function openMenu(b, x = b.x + 16, y = yOf(b) + row) {
	focus(b);
	closeMenu();
	menu = element("g", {class: "u p", fill: INK, role: "menu", "aria-label": shown(nameIn(b))}, svg);
	const w = 16 * COLUMN, h = font + 14, ground = element("rect", {class: "b", fill: PAPER, stroke: "#888", width: w + 8, height: ITEMS.length * h + 4}, menu);
	ITEMS.forEach(([name, key], i) => {
		const e = button(name, key, "menuitem", menu);
		attributes(e.firstChild, {width: w, stroke: "none"});
		move(e, 4, 4 + i * h);
	});
	move(menu, max(0, min(x, width - w - 8)), max(0, min(y, seen() - ITEMS.length * h - 4)));
	menu.children[1].focus();
}

function closeMenu() {
	if (menu)
		menu.remove();
	menu = null;
}

// Where the clipboard is out of reach, the text is shown, selected.
function copy(text) {
	const refused = () => {
		say(1, shown(text));
		getSelection().selectAllChildren(status.lastChild);
	};
	if (!navigator.clipboard)
		return refused();
	navigator.clipboard.writeText(text).then(() => say(1, `copied: ${shown(text)}`), refused);
}
