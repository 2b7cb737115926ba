// What stands around the boxes: lines of text, the status, buttons, the search field.

const {font, row} = view, LINE = font + 6, COLUMN = 0.625 * font;
const list = selector => [...svg.querySelectorAll(selector)], number = (e, name) => +e.getAttribute(name), textY = e => number(e.querySelector("text"), "y") - font;
const [heading] = list(".p>text"), head = list(".p:first-of-type>.w"), below = list(".v~g:not(.z)"), tail = list(".z>.w"), tailY = textY(list(".z")[0]), headY = head[0] && textY(head[0]);
const legend = list(".k").map(e => [e.querySelector("rect"), e.querySelector(".w")]);
const [lower] = /below:[^]*/.exec(tail[0].textContent) || [""];
let topY = view.top, barY, height;

// Writes lines of a text; returns the y below them.
function write(e, text, y, x = MARGIN) {
	const lines = wrapped(text, Math.floor((width - MARGIN - x) / COLUMN));
	e.replaceChildren(...lines.map((part, i) => element("text", {x, y: y + i * LINE + font}, null, part)));
	return y + lines.length * LINE;
}

function rewrite(e, y, x) {
	e.words ||= [...e.children].map(t => t.textContent).join(" ");
	return write(e, e.words, y, x);
}

// Entries stand side by side where there is room.
function placeLegend(y) {
	let x = MARGIN, end = y;
	for (const [r, e] of legend) {
		const indent = r ? 16 : 0, room = indent + 16;
		if (x > MARGIN && x + room + columns(e.words || e.textContent.trim()) * COLUMN > width)
			[x, y] = [MARGIN, end];
		end = Math.max(end, rewrite(e, y, x + indent));
		if (r)
			attributes(r, {x, y: y + font - 10});
		x += room + Math.ceil(columns(e.words) * COLUMN);
	}
	return end;
}

function move(e, x, y) {
	e.setAttribute("transform", `translate(${x},${y})`);
}

// Breaks the texts for the width, moves what is below the boxes to its place and sets the size of the document.
function place() {
	const shift = tailY - view.top - view.rows * (row + 1);
	if (heading && heading.hasAttribute("font-weight"))
		heading.textContent = fit(shown(TITLE), Math.floor((width - 2 * MARGIN) / 10), 1);
	if (head[0])
		topY = head.reduce((y, e) => rewrite(e, y), headY) + 4;
	let y = topY + Math.max(rows, view.rows) * (row + 1) + shift;
	// What a difference draws below its boxes is of the whole of them.
	below.forEach(e => move(attributes(e, {display: root.n ? "none" : ""}), 0, y - tailY));
	tail[0].words = `${footnote()} ${lower}`.trim();
	y = tail.reduce((y, e) => rewrite(e, y), y);
	barY = placeLegend(y) + MARGIN;
	height = barY + placeBar() + MARGIN;
	attributes(svg, {width, height, viewBox: `0 0 ${width} ${height}`});
	attributes(svg.querySelector(".b"), {width, height});
	stick();
}

function footnote() {
	const drawn = boxes.filter(b => !b.more && !b.faded).length, {tree, n} = root;
	const out = (why, words) => left[why][0] ? `; ${grouped(left[why][0])} ${words}, together ${digits(left[why][1])} ${shown(data.unit)} (${share(left[why][1], all)})` : "";
	return `${grouped(drawn)} box${drawn == 1 ? "" : "es"} drawn of ${grouped(tree.count[n] + (sandwich && !n ? sandwich.up.count[0] - 1 : 0))}` +
		out("thin", folded ? "not significant or thin" : `thinner than ${left.min} px`) + out("deeper", `deeper than ${view.max_rows} rows`);
}

// The bar's parts from left to right, in as many lines as they need; returns its height.
function placeBar() {
	let x = MARGIN, y = (width < 700 ? 5 : 2) * LINE + 4;
	for (const e of bar.querySelectorAll(".x")) {
		const w = e == field ? Math.min(240, width - 2 * MARGIN) : 12 + Math.ceil(COLUMN * e.textContent.length);
		if (x + w > width - MARGIN)
			[x, y] = [MARGIN, y + font + 14];
		e.firstChild.setAttribute("width", w);
		move(e, x, y);
		x += w + 6;
	}
	attributes(bar.firstChild, {width, height: (y += font + 14) + MARGIN});
	return y;
}

// The bar stays in sight where the picture is longer than the window.
function stick() {
	move(bar, 0, Math.max(topY, Math.min(barY, innerHeight - svg.getBoundingClientRect().top - height + barY)));
}

const said = ["", ""];

// 0: of a box; 1: of the search, and messages.
function say(i, text) {
	said[i] = text;
	said.forEach((text, i) => write(status.children[i], text, i ? (width < 700 ? 3 : 1) * LINE : 0));
}

const tell = b => say(0, `${shown(nameIn(b))}: ${factsIn(b).replace(/\n/g, "; ")}`);

const bar = element("g", {class: "u p", fill: INK}, svg);
element("rect", {class: "b", fill: PAPER}, bar);
const status = element("g", {role: "status"}, bar);
element("g", {}, status);
element("g", {}, status);

function button(name, key, role = "button") {
	const e = element("g", {class: "x", role, tabindex: 0, cursor: "pointer"}, bar);
	element("rect", {height: font + 10, rx: 3, fill: "none", stroke: "#888", "pointer-events": "all"}, e);
	element("text", {x: 6, y: font + 3}, e, name);
	e.key = key;
	return e;
}

const field = attributes(button("/ search", "/", "searchbox"), {"aria-label": "search"});
[["all", "0"], ["turn over", "i"], ["sort", "s"], isDiff ? ["significant", "d"] : ["sandwich", "w"], ["copy name", "c"], ["copy stack", "C"]].forEach(b => button(...b));

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
