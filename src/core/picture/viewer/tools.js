// What stands around the boxes: lines of text, the status, buttons, the search field.

const LINE = FONT + 6, COLUMN = 0.625 * FONT;
const list = (selector, e = svg) => [...e.querySelectorAll(selector)];
const around = () => svg.getBoundingClientRect();
const [heading] = list(".p>text"), head = list(".p:first-of-type>.w"), headY = head[0] && one("text", head[0]).getAttribute("y") - FONT;
// Headings of panels, of the last ones.
const titles = list(".q>.w"), tail = list(".z>.w");
const legend = list(".k").map(e => [one("rect", e), one(".w", e)]);
const TOP = options["top"];
let topY, lowY, barY, fullHeight;

// Writes lines of a text, so many at most; returns the y below them.
function write(e, text, y, x = MARGIN, most = 99, room = fullWidth - MARGIN - x) {
	const lines = text.split("\n").flatMap(part => wrapped(part, floor(room / COLUMN)));
	if (lines.length > most)
		lines[most - 1] += lines.splice(most) && DOTS;
	e.replaceChildren(...lines.map((part, i) => element("text", {x, y: y + i * LINE + FONT}, 0, part)));
	return y + lines.length * LINE;
}

function rewrite(e, y, x, room) {
	e.words ||= [...e.children].map((t, i) => (t.getAttribute("class") ? "\n" : i ? " " : "") + t.textContent).join("");
	return write(e, e.words, y, x, 99, room);
}

// Entries stand side by side where there is room.
function placeLegend(y) {
	let x = MARGIN, end = y;
	for (const [r, e] of legend) {
		const indent = r ? 16 : 0, room = indent + 16;
		if (x > MARGIN && x + room + columns(e.words || e.textContent.trim()) * COLUMN > fullWidth + 6)
			[x, y] = [MARGIN, end];
		end = max(end, rewrite(e, y, x + indent));
		if (r)
			attributes(r, {x, y: y + FONT - 10});
		x += room + ceil(columns(e.words) * COLUMN);
	}
	return end;
}

function move(e, x, y) {
	e.setAttribute("transform", `translate(${x},${y})`);
}

// Writes headings at y, each above its panel or above what it is zoomed to; returns the y below them.
const entitle = (low, y) => titles.reduce((end, e, i) => {
	const tree = panels[i + panels.length - titles.length], whole = inPanels();
	if (whole ? low != panels.indexOf(tree) >= ACROSS : low || tree != root.tree)
		return end;
	e.removeAttribute("display");
	return max(end, whole ? rewrite(e, y, edgeOf(tree), panelWidth()) : rewrite(e, y));
}, y);

// Breaks the texts for the width, moves what is below the boxes to its place and sets the size of the document.
function place() {
	if (heading?.hasAttribute("font-weight"))
		heading.textContent = fit(shown(TITLE), floor((fullWidth - 2 * MARGIN) / 10), 1);
	titles.forEach(e => attributes(e, {display: "none"}));
	topY = entitle(false, head[0] ? head.reduce((y, e) => rewrite(e, y), headY) + 4 : TOP);
	let y = topY + max(rows, options["rows"]) * (ROW + 1);
	if (inPanels() && panels[ACROSS]) {
		lowY = entitle(true, y + 6);
		y = lowY + lowRows * (ROW + 1);
	}
	const [first, last] = panels;
	if (all)
		tail[0].words = footnote(inPanels() && !isParts ? [first] : inSight(), left) + (lowLeft ? `\nbelow: ${footnote([last], lowLeft)}` : "");
	y = tail.reduce((y, e) => rewrite(e, y), y + 4);
	barY = placeLegend(y) + LINE;
	fullHeight = all ? barY + placeBar() + MARGIN : barY;
	const size = {width: fullWidth, height: fullHeight};
	attributes(svg, {...size, viewBox: `0 0 ${fullWidth} ${fullHeight}`});
	attributes(one(".b"), size);
	stick();
}

// Of trees that are seen: what is drawn, and what is not.
const ABSENT = data.complete ? "" : " or not in this file";

function footnote(trees, left) {
	const drawn = boxes.filter(b => trees.includes(b.tree) && !b.more && !b.faded), many = drawn.length, sum = of => trees.reduce((sum, tree) => sum + of(tree)[root.n], 0);
	const out = (why, words) => left[why][0] ? `; ${grouped(left[why][0])} ${words}, together ${valued(left[why][1])} (${share(left[why][1], all)})` : "";
	// The frame of a sandwich is the root of both halves.
	return `${grouped(many)} box${many == 1 ? "" : "es"} drawn of ${grouped(sum(tree => tree.count) - trees.includes(halves.up))}` +
		out(THIN, (folded ? "not significant or thin" : `thinner than ${left.least} px`) + ABSENT) + out(DEEPER, `deeper than ${left.most} rows`) +
		(trees[0].lit ? `; ${grouped(sum(tree => tree.lit))} highlighted, ${grouped(drawn.filter(b => b.tree.marked[b.n] == 1).length)} of them drawn` : "");
}

// Lines for so many columns.
const linesFor = columns => ceil(columns * COLUMN / fullWidth);

// The bar's parts from left to right, in as many lines as they need; returns its height.
function placeBar() {
	let x = MARGIN, y = (boxLines() + linesFor(100)) * LINE + 4;
	for (const e of list(".x", bar)) {
		const w = e == field ? min(240, fullWidth - 2 * MARGIN) : 12 + ceil(COLUMN * e.textContent.length);
		if (x + w > fullWidth - MARGIN)
			[x, y] = [MARGIN, y + FONT + 14];
		e.firstChild.setAttribute("width", w);
		move(e, x, y);
		x += w + 6;
	}
	attributes(bar.firstChild, {width: fullWidth, height: (y += FONT + 14) + MARGIN + LINE});
	return y;
}

// The last y that is in sight.
const seen = () => min(fullHeight, innerHeight - around().y);

// The bar stays in sight where the picture is longer than the window, and cuts no line of text in half.
const stick = () => move(bar, 0, seen() < 2 * (fullHeight - barY) ? barY : max(topY, barY - ceil((fullHeight - seen()) / LINE) * LINE));

const said = ["", ""], boxLines = () => linesFor(isDiff ? 400 : 150);

// 0: of a box; 1: of the search, and messages, in one line where they are to be copied.
function say(i, text, room) {
	said[i] = text;
	said.forEach((text, i) => write(status.children[i], text, i && boxLines() * LINE, MARGIN, i ? 99 : boxLines(), i ? room : undefined));
}

const tell = b => say(0, `${shown(nameIn(b))}: ${factsIn(b).replace(/\n/g, "; ")}`);

const bar = element("g", {class: "u p", fill: INK}, svg);
element("rect", {class: "b", fill: PAPER}, bar);
const status = element("g", {role: "status"}, bar);
element("g", {}, status);
element("g", {}, status);

// The letter of the key comes first.
function button(text, role = "button", to = bar) {
	const e = element("g", {class: "x", role, tabindex: 0, cursor: "pointer"}, to);
	element("rect", {height: FONT + 10, rx: 3, fill: "none", stroke: "#888", "pointer-events": "all"}, e);
	element("text", {x: 6, y: FONT + 3}, e, text.slice(2));
	e.key = text[0];
	return e;
}

const field = attributes(button("/ / search", "searchbox"), {"aria-label": "search"});
const OFTEN = [...isParts ? [] : ["w sandwich"], "c copy name", "C copy stack"];
["0 all", "i turn over", "s sort", ...isDiff && tested ? ["d significant"] : [], ...OFTEN].forEach(text => button(text));

// What can be done with a box, beside it; the last that was chosen is of no use once the picture changes.
const ITEMS = ["  zoom", "f find its name", ...OFTEN];
let menu;

function openMenu(b, x = b.x + 16, y = yOf(b) + ROW) {
	attend(b);
	closeMenu();
	menu = element("g", {class: "u p", fill: INK, role: "menu", "aria-label": shown(nameIn(b))}, svg);
	const w = 16 * COLUMN, h = FONT + 14, ground = element("rect", {class: "b", fill: PAPER, stroke: "#888", width: w + 8, height: ITEMS.length * h + 4}, menu);
	ITEMS.forEach((text, i) => {
		const e = button(text, "menuitem", menu);
		attributes(e.firstChild, {width: w, stroke: "none"});
		move(e, 4, 4 + i * h);
	});
	move(menu, max(0, min(x, fullWidth - w - 8)), max(0, min(y, seen() - ITEMS.length * h - 4)));
	menu.children[1].focus();
}

function closeMenu() {
	menu &&= menu.remove();
}

// Where the clipboard is out of reach, the text is shown, selected.
function copy(text) {
	const refused = () => {
		say(1, text, Infinity);
		getSelection().selectAllChildren(status.lastChild);
	};
	if (!navigator.clipboard)
		return refused();
	navigator.clipboard.writeText(text).then(() => say(1, `copied: ${shown(text)}`), refused);
}
