// Drawing: boxes as elements, and what is said of them.

let layer = one(".v");
const TITLE = one("title").textContent, INK = options.dark ? "#e6e6e6" : "#222", PAPER = options.dark ? "#1b1b1b" : "#ffffff";

function attributes(e, set) {
	for (const key in set)
		e.setAttribute(key, set[key]);
	return e;
}

function element(name, set, parent, text = "") {
	const e = attributes(page.createElementNS(svg.namespaceURI, name), set);
	e.textContent = text;
	if (parent)
		parent.append(e);
	return e;
}

// What is behind the marks of a texture.
const groundOf = fill => fill[0] == "#" ? fill : one(fill.slice(4, -1)).firstChild.getAttribute("fill");

// Black or white, whichever stands out more.
function inkOn(fill) {
	const n = parseInt(groundOf(fill).slice(1), 16);
	return (n >> 16) ** 2.2 * 0.2126 + (n >> 8 & 255) ** 2.2 * 0.7152 + (n & 255) ** 2.2 * 0.0722 < 0.18 * 255 ** 2.2 ? "#fff" : "#000";
}

function fillOf({tree, n, v, more, far, faded, level}) {
	const {mode, shades} = options, turn = (level - !tree.made) % 14;
	return more ? `url(#${svg.id}-m)` : faded || far || tree.frame[n] < 0 ? "#d9d9d9" : isDiff ? data.fills[tree.kind[n]] :
		mode ? shades[mode == "self" ? min(7, floor(8 * tree.self[n] / v)) : min(turn, 14 - turn)] : "#" + options.fills.substr(6 * tree.frame[n], 6);
}

// What format_value() makes of a value, which is more than 0: the least step of the unit at which the next one is too large.
function valued(v) {
	const steps = options["scale"];
	if (!steps)
		return share(v, 1);
	const [name, size] = steps.find(([, size], i) => !(written(v / steps[i + 1]?.[1]) >= 1 && written(v / size) * size >= steps[i + 1][1])), n = written(v / size);
	return (n < 100 || n >= 1e15 ? digits(n) : grouped(n)) + shown(name);
}

const exact = v => digits(v) + (data.unit && ` ${shown(data.unit)}`);
const nameIn = ({tree, n, more, far}) => far ? plural(far, "caller") : more ? `(${grouped(abs(more))} ${more < 0 ? "deeper" : "more"})` : nameOf(tree, n);
const signed = v => (v < 0 ? "" : "+") + digits(v);
const sidesOf = (tree, n) => stripeIn(tree, n).slice(5);
const wordFor = ([a, b], by = changeBy(a, b)) => !by ? "" : !a ? "new" : !b ? "gone" : `${by < 0 ? "" : "+"}${share(by, a)}`;

// How much the key of a node changed.
const changeIn = ({tree, n}) => wordFor(data.key_name && n && !tree.made ? tree.test[n].slice(5) : sidesOf(tree, n));

// Both sides of a change; within: those of the box that is zoomed to, and its name.
function sidesIn([a, b], within) {
	const shares = (v, i) => `${exact(v)} (${share(v, totals[i])}${within ? `, ${share(v, within[i])}${within[2]}` : ""})`, word = wordFor([a, b]);
	return `before ${shares(a, 0)}, after ${shares(b, 1)}: ${signed(few(changeBy(a, b), 6))}${word && `, ${word}`}`;
}

// Of a node, and of its key where that is another one.
function changeOf({tree, n}, within) {
	const [, more, fresh, less, lost, ...sides] = stripeIn(tree, n);
	const [state, , lower, upper, q, ...key] = tree.test[n], {runs, alpha} = data;
	return sidesIn(sides, within && [...sidesOf(root.tree, root.n), within]) +
		(key[0] == null ? "" : `\n${data.key_name}: ${sidesIn(key)}`) +
		(q == null ? state == 2 && !tree.made ? "\nnot tested: that needs two runs a side" : "" :
			`\n${lower == null ? "" : `${digits(few(100 * (1 - alpha), 6))} % interval ${signed(few(lower))} to ${signed(few(upper))}, `}q = ${digits(few(q))}, ${way == "sampling" ? "sampling noise only" : way == "runs" ? `${runs.join(" + ")} runs` : `${runs[0]} runs before`}: ${state > 2 ? "" : "not "}significant`) +
		`\nappeared ${digits(fresh)}, grown ${digits(more)}, shrunk ${digits(less)}, disappeared ${digits(lost)}`;
}

// All that is known of a box: the tooltip, what a screen reader says, the status line.
function factsIn(b) {
	const {tree, n, v, more, far} = b, top = root.tree.total[root.n], {word, side = "all", whole = all} = tree, self = tree.self[n];
	const within = v <= top && top < whole && !inPanels() && ` of ${shown(nameOf(root.tree, root.n))}`, own = isParts ? tree : main;
	const outermost = more || far ? [] : factsOf(own, tree.frame[n]), many = outermost.many, sum = of => sumOf(outermost.map(i => of[i]));
	if (isDiff && !more)
		return changeOf(b, within) + (many > 1 ? `\n${grouped(many)} boxes, together ${sidesIn([sum(main.stripes[5]), sum(main.stripes[6])])}` : "");
	return `${exact(v)}${word ? ` ${word}` : ""}, ${share(v, whole)} of ${side}${within ? `, ${share(v, top)}${within}` : ""}` +
		(more || far ? "" : `, self ${digits(self)}` + (self ? ` (${share(self, whole)})` : "") +
			(many > 1 ? `; ${grouped(many)} boxes, together ${digits(sum(own.total))} (${share(sum(own.total), whole)})` : ""));
}

function labelOf(b) {
	const room = floor((b.w - 6) / COLUMN), name = nameIn(b);
	if (room < 3)
		return "";
	// The data have the beginning only of what is longer.
	const text = clean(fit(name, room, name.length > 10000 ? 1 : options.cut));
	const word = isDiff && !b.more && changeIn(b);
	return word && columns(text + word) < room ? `${text} ${word}` : text;
}

// The height that it takes; 0 where all is common.
function putStripe(b, y) {
	if (!isDiff || b.more || b.w < 8)
		return 0;
	const parts = stripeIn(b.tree, b.n).map((v, i) => (b.low ? i == leftOut : PIECES.includes(i)) ? v : 0), whole = parts.reduce((sum, v) => sum + v);
	let at = 0, x = b.x;
	if (parts[0] == whole)
		return 0;
	element("rect", {x, y: y + ROW - 4, width: b.w, height: 1, fill: "#fff"}, b.g);
	parts.forEach((v, i) => {
		const end = rounded(b.x + (at += v) / whole * b.w);
		if (end > x)
			element("rect", {x, y: y + ROW - 3, width: rounded(end - x), height: 3, fill: data.stripe[i]}, b.g);
		x = end;
	});
	return 3;
}

// A ring of two pixels in the colour of text, of which the box is a pixel wider so that it is seen on any page, with a
// flag in its corner for what a search has found; under the stripe and the label.
function outline(b, flag) {
	const {x, w} = b, h = ROW, y = yOf(b);
	let d = `M${x} ${y + h / 4}h${w}v${h / 2}h${-w}z`;
	if (w >= 6)
		d = `M${x + 1} ${y + 1}h${w - 2}v${h - 2}h${2 - w}zM${x + 3} ${y + 3}v${h - 6}h${w - 6}v${6 - h}z`;
	if (flag && w >= 16)
		d += `M${x + w - 3} ${y + 3}v7l-7-7z`;
	b.g.firstChild.after(element("path", {class: flag ? "h" : "", "d": d, fill: inkOn(fillOf(b)), "pointer-events": "none"}));
}

const yOf = b => (b.low ? lowY - rows * (ROW + 1) : topY) + b.row * (ROW + 1);

const template = element("g");
element("rect", {height: ROW}, template);

function makeBox(b) {
	const g = b.g = template.cloneNode(true), {x, w, n, more} = b, fill = fillOf(b), y = yOf(b), label = labelOf(b);
	const drawn = attributes(g.firstChild, {x, y, width: w, fill});
	g.box = b;
	attributes(g, {class: more ? "f m" : "f", role: "treeitem", tabindex: b == current ? 0 : -1, "aria-level": b.level});
	if (data.complete)
		attributes(g, {"data-n": b.tree.number?.[n] ?? n});
	const border = isDiff && !more && data.borders[b.tree.kind[n]];
	if (w >= (border ? 3 : 2))
		attributes(drawn, border ? {stroke: border, "stroke-width": 1, "stroke-dasharray": "3 2"} : {stroke: PAPER});
	if (!more && b.tree.marked?.[n] == 1)
		outline(b);
	const striped = putStripe(b, y);
	if (label)
		attributes(element("text", {x: rounded(x + 3), y: y + round((ROW - striped + 0.75 * FONT) / 2), fill: inkOn(fill)}, g, label),
			// A rim, so that marks do not cross letters.
			groundOf(fill) != fill ? {"paint-order": "stroke", stroke: groundOf(fill), "stroke-width": 3} : b.tree.made && !n && {"font-weight": "bold"});
	return g;
}

// Wide boxes at once, the others and what is only heard in slices of time, so that a click is answered soon.
function draw() {
	const before = layer, within = layer.contains(page.activeElement);
	layout();
	place();
	const state = boxes, wide = state.length > 2000 ? 3 : 0, tail = state.slice();
	current = boxes.find(b => b.n == current.n && b.tree == current.tree && !b.more && !b.far) || boxes.find(b => !b.faded);
	layer = attributes(layer.cloneNode(false), {"aria-busy": true});
	layer.append(...boxes.filter(b => b.w >= wide).map(makeBox));
	before.replaceWith(layer);
	let next = null;
	const goOn = () => {
		const end = performance.now() + 8;
		while (boxes == state && tail.length && performance.now() < end) {
			const b = tail.pop();
			if (!b.g)
				layer.insertBefore(makeBox(b), next);
			next = b.g;
			// What can be read on the box belongs to its name, for those who speak to their machine.
			const name = shown(nameIn(b)), [text] = next.getElementsByTagName("text");
			attributes(next, {"aria-label": `${name}: ${factsIn(b)}${!text || text.textContent == name ? "" : `; label ${text.textContent}`}`});
			mark(b);
		}
		if (boxes == state)
			tail.length ? soon(goOn) : layer.removeAttribute("aria-busy");
	};
	boxes.forEach(mark);
	soon(() => soon(goOn));
	if (within)
		attend(current);
}
