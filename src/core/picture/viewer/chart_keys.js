// What people do with a flame chart: keys, the mouse, links; and the beginning of it all.

let wanted = "", named = [], pointer;

const bar = element("g", {class: "u p", fill: INK}, svg);
element("rect", {class: "b", fill: PAPER}, bar);
const status = element("g", {role: "status"}, bar), note = one(".z>.w");
element("g", {}, status);
element("g", {}, status);

function button(name, key, role = "button") {
	const e = element("g", {class: "x", role, tabindex: 0, cursor: "pointer"}, bar);
	element("rect", {height: FONT + 10, rx: 3, fill: "none", stroke: "#888", "pointer-events": "all"}, e);
	element("text", {x: 6, y: FONT + 3}, e, name);
	e.key = key;
	return e;
}

const field = attributes(button("/ search", "/", "searchbox"), {"aria-label": "search"});
[["all", "0"], ["zoom", "Enter"], ["nearer", "w"], ["farther", "s"], ["back", "a"], ["on", "d"], ["left heavy", "l"], ["copy name", "c"], ["copy range", "C"]].forEach(b => button(...b));

const move = (e, x, y) => e.setAttribute("transform", `translate(${x},${y})`);
const around = () => svg.getBoundingClientRect();

// Writes lines of a text from y on, so many at most; returns the y below them.
function write(e, text, y, most = 99, x = MARGIN) {
	const lines = wrapped(text, floor((fullWidth - MARGIN - x) / COLUMN));
	if (lines.length > most)
		lines[most - 1] += lines.splice(most) && DOTS;
	e.replaceChildren(...lines.map((part, i) => element("text", {x, y: y + i * LINE + FONT}, 0, part)));
	return y + lines.length * LINE;
}

const said = ["", ""], ROOM = () => ceil(150 * COLUMN / width());

function say(i, text, most = ROOM()) {
	said[i] = text;
	write(status.children[i], text, i && ROOM() * LINE, most);
}

const wordsOf = e => e.words ||= [...e.children].map(t => t.textContent).join(" ");
const [heading] = list(".p>text"), [subtitle] = list(".p:first-of-type>.w"), legend = list(".k");

// The title and the line below it, as wide as there is room.
function entitle() {
	if (heading)
		heading.textContent = fit(shown(TITLE), floor(width() / 10), 1);
	subtitle.top ??= one("text", subtitle).getAttribute("y") - FONT;
	topY = write(subtitle, wordsOf(subtitle), subtitle.top) + 4;
}

// What is below the boxes goes along with them.
function arrange() {
	let x = MARGIN, y = write(note, footnote(), bottomY + 4);
	for (const e of legend) {
		const r = one("rect", e), text = one(".w", e), indent = r ? 16 : 0, room = indent + 16 + columns(wordsOf(text)) * COLUMN;
		if (x > MARGIN && x + room > fullWidth)
			[x, y] = [MARGIN, y + LINE];
		if (r)
			attributes(r, {x, y: y + FONT - 10});
		y = write(text, wordsOf(text), y, 99, x + indent) - LINE;
		x += room;
	}
	const top = y + (legend.length && LINE);
	y = 2 * ROOM() * LINE + 4;
	x = MARGIN;
	for (const e of list(".x", bar)) {
		const w = e == field ? min(240, width()) : 12 + ceil(COLUMN * e.textContent.length);
		if (x + w > fullWidth - MARGIN)
			[x, y] = [MARGIN, y + FONT + 14];
		e.firstChild.setAttribute("width", w);
		move(e, x, y);
		x += w + 6;
	}
	y += FONT + 14 + MARGIN;
	move(bar, 0, top);
	attributes(bar.firstChild, {width: fullWidth, height: y});
	const height = top + y;
	attributes(svg, {width: fullWidth, height, viewBox: `0 0 ${fullWidth} ${height}`});
	attributes(one("rect.b"), {width: fullWidth, height});
}

const footnote = () => `${plural(boxes.filter(b => !b.more).length, "box").replace("boxs", "boxes")} drawn of ${grouped(counts.all)}` +
	(counts.thin ? `; ${grouped(counts.thin)} thinner than ${counts.least} px` : "") +
	(data.instants ? `; ${grouped(data.instants)} ${data.instants > 1 ? "samples have" : "sample has"} no duration` : "") +
	(undrawnLanes ? `; ${grouped(undrawnLanes)} lanes beyond the first ${grouped(options.lanes)} are not drawn, together ${lengthText(between(scene.from, scene.to, undrawn).total)}` : "") +
	(data.complete ? "" : `; the first ${grouped(samples.length)} samples of ${grouped(data.count)}`);

// The heaviest frames of a range, by their own time, and what the search finds.
function report() {
	const [from, to] = range || scene.heavy || [scene.from, scene.to], {count, total, sums} = between(from, to), own = [], seen = [];
	let matched = 0;
	sums.forEach((v, i) => own[frame[i]] = (own[frame[i]] || 0) + v);
	const most = frames.map((name, f) => f).filter(f => own[f]).sort((a, b) => own[b] - own[a]).slice(0, 3);
	for (let i = 1; wanted && i < parent.length; i++) {
		seen[i] = seen[parent[i]] || named[frame[i]];
		matched += seen[i] && sums[i] || 0;
	}
	say(0, `${range ? "selected" : scene.heavy ? "left heavy" : "shown"} ${timeText(from)} to ${withUnit(timeText(to))}: ${lengthText(to - from)}, ${plural(count, "sample")}` +
		most.map((f, i) => `${i ? ", " : "; most in "}${shown(frames[f])} (${share(own[f], total)})`).join("") +
		(wanted ? `; "${shown(wanted)}": ${plural(frames.filter((name, f) => named[f]).length, "frame")}, ${lengthText(matched)}, ${share(matched, total)} of the samples` : ""));
}

function refresh() {
	entitle();
	draw();
	arrange();
	report();
	link();
}

const tell = b => b && say(1, `${shown(nameIn(b))}: ${factsIn(b)}`);

function attend(b) {
	if (current && current.g)
		attributes(current.g, {tabindex: -1});
	current = b;
	attributes(b.g, {tabindex: 0});
	b.g.focus();
}

// Shows the time between two, as long as a script can tell them apart, within what there is.
function show(from, to) {
	const least = max(abs(scene.first), abs(scene.last), scene.last - scene.first) * 1e-12, size = min(max(to - from, least), scene.last - scene.first);
	scene.from = max(scene.first, min((from + to) / 2 - size / 2, scene.last - size));
	scene.to = scene.from + size;
	refresh();
}

// by < 1: nearer, around the pointer, or the selection, or the middle.
function zoomBy(by, at = range && !scene.heavy ? (range[0] + range[1]) / 2 : (scene.from + scene.to) / 2) {
	show(at - (at - scene.from) * by, at + (scene.to - at) * by);
}

const pan = by => show(scene.from + by * (scene.to - scene.from), scene.to + by * (scene.to - scene.from));

// A turning wheel stretches what is there: what is under the pointer has to stay for it to be heard.
let rolled;

function roll(by, at, on) {
	const {from, to} = scene, size = to - from;
	[scene.from, scene.to] = [from + size * (at - at * by + on), to - size * ((1 - at) * (1 - by) - on)];
	rolled ||= [from, to, 0];
	const k = (rolled[1] - rolled[0]) / (scene.to - scene.from), left = pixels(rolled[0] - scene.from) + MARGIN;
	layer.setAttribute("transform", `translate(${left - MARGIN * k}) scale(${k} 1)`);
	clearTimeout(rolled[2]);
	rolled[2] = setTimeout(() => {
		rolled = 0;
		show(scene.from, scene.to);
	}, 200);
}

function select(from, to) {
	range = from == to ? 0 : [min(from, to), max(from, to)];
	showRange();
	report();
}

// Shift and an arrow move the end of the selection, which begins at the box.
function grow(by) {
	if (scene.heavy)
		return;
	const [from, to] = range || [current ? max(scene.from, current.start) : scene.from, current ? max(scene.from, current.start) : scene.from];
	select(from, max(from, min(scene.last, to + by * (scene.to - scene.from) / 50)));
}

function enter() {
	const [from, to] = range && !scene.heavy ? range : current ? [current.start, current.stop] : [scene.from, scene.to];
	if (!scene.heavy)
		range = 0;
	show(from, to);
}

function all() {
	scene = chart;
	range = 0;
	show(scene.first, scene.last);
}

function leave() {
	if (wanted)
		return lookFor("");
	if (scene.heavy) {
		scene = chart;
		return refresh();
	}
	range ? select(0, 0) : all();
}

function lookFor(text) {
	wanted = text;
	named = text ? frames.map(name => pattern(text).test(name)) : [];
	field.children[1].textContent = text || "/ search";
	refresh();
}

// Capitals matter when there are some; what is no regular expression is plain text.
function pattern(text) {
	const flags = text == text.toLowerCase() ? "i" : "";
	try {
		return RegExp(text, flags);
	} catch {
		return RegExp(text.replace(/\W/g, "\\$&"), flags);
	}
}

// The next box that is found, around the end.
function step(by) {
	const found = boxes.filter(b => b == current || !b.more && wanted && named[frame[b.node]]), at = found.indexOf(current);
	if (found.length > 1)
		attend(found[(at + by + found.length) % found.length]);
}

// Where the clipboard is out of reach, the text is shown, selected.
function copy(text) {
	const refused = () => {
		say(1, text, 99);
		getSelection().selectAllChildren(status.lastChild);
	};
	if (!navigator.clipboard)
		return refused();
	navigator.clipboard.writeText(text).then(() => say(1, `copied: ${shown(text)}`), refused);
}

function copyRange() {
	const [from, to] = range || scene.heavy || [scene.from, scene.to];
	copy(`start_at < ${to} AND stop_at > ${from}`);
}

// The box beside another one in its row, or the one that touches it most in the next row.
function near(by, side) {
	const b = current, rows = [...new Set(boxes.map(o => o.y))], touches = o => min(o.x + o.w, b.x + b.w) - max(o.x, b.x);
	const line = boxes.filter(o => o.y == rows[rows.indexOf(b.y) + by]).sort((l, r) => by ? touches(r) - touches(l) : l.x - r.x);
	const to = line[by ? 0 : max(0, min(line.length - 1, line.indexOf(b) + side))];
	if (to)
		attend(to);
}

const COMMANDS = {
	Enter: enter,
	Escape: leave,
	0: all,
	w: () => zoomBy(0.5),
	s: () => zoomBy(2),
	a: () => pan(-0.25),
	d: () => pan(0.25),
	l() {
		const [from, to] = range || [scene.from, scene.to];
		scene = scene.heavy ? chart : heavyOf(from, to);
		refresh();
	},
	c: () => current && copy(nameIn(current)),
	C: copyRange,
	"/": () => field.focus(),
	n: () => step(1),
	N: () => step(-1),
	ArrowLeft: () => near(0, -1),
	ArrowRight: () => near(0, 1),
	ArrowUp: () => near(-1),
	ArrowDown: () => near(1),
	Home: () => near(0, -Infinity),
	End: () => near(0, Infinity)
};

// Keys in the search field are its text. Returns false for those that are not.
function type(key) {
	if (key == "Enter" || key == "Escape") {
		attend(current);
		return key == "Enter" ? step(1) : lookFor("");
	}
	if (key == "Backspace")
		return lookFor(wanted.slice(0, -1));
	return key.length == 1 && lookFor(wanted + key);
}

function press(key) {
	const act = COMMANDS[key];
	return act ? act() : false;
}

const whole = svg == page.documentElement;

function onKey(e) {
	const {key} = e, at = e.target.closest(".x"), control = e.ctrlKey || e.metaKey, by = {ArrowLeft: -1, ArrowRight: 1}[key];
	const act = control ? key == "f" && whole ? () => field.focus() : null : at == field ? () => type(key) :
		e.shiftKey && by ? () => grow(by) : at && (key == "Enter" || key == " ") ? () => press(at.key) : () => press(key);
	if (act && !e.altKey && act() !== false)
		e.preventDefault();
}

function listen() {
	const on = (name, act, to = svg, how) => to.addEventListener(name, act, how), boxAt = e => (e.target.closest(".f") || {}).box;
	const timeAt = e => scene.from + (e.clientX - around().x - MARGIN) / width() * (scene.to - scene.from), inside = t => max(scene.first, min(scene.last, t));
	let from, fromX, dragged;
	on("pointerdown", e => {
		if (e.button || scene.heavy || !layer.contains(e.target))
			return;
		from = timeAt(e);
		fromX = e.clientX;
		dragged = false;
	});
	on("pointermove", e => {
		if (fromX == null || !dragged && abs(e.clientX - fromX) < 4)
			return;
		dragged = true;
		select(inside(from), inside(timeAt(e)));
	}, browser);
	on("pointerup", () => fromX = null, browser);
	on("click", e => {
		const b = boxAt(e), at = e.target.closest(".x");
		if (at)
			press(at.key);
		else if (b && !dragged) {
			attend(b);
			if (!scene.heavy)
				select(b.start, b.stop);
		}
	});
	on("dblclick", e => boxAt(e) && enter());
	on("wheel", e => {
		const y = e.clientY - around().y;
		if (y < topY || y > bottomY || !e.ctrlKey && !e.shiftKey && !e.altKey && !e.deltaX)
			return;
		e.preventDefault();
		e.deltaX || e.shiftKey ? roll(1, 0, (e.deltaX || e.deltaY) / width()) : roll(1.2 ** sign(e.deltaY), (timeAt(e) - scene.from) / (scene.to - scene.from), 0);
	}, svg, {passive: false});
	on("pointerover", e => {
		const b = boxAt(e);
		if (!b)
			return;
		(one("title", b.g) || element("title", {}, b.g)).textContent = `${shown(nameIn(b))}\n${factsIn(b)}`;
		tell(b);
	});
	on("focusin", e => boxAt(e) && tell(current = boxAt(e)));
	on("keydown", onKey, whole ? browser : svg);
	on("paste", e => page.activeElement == field && lookFor(wanted + e.clipboardData.getData("text")), browser);
	on("resize", () => measure() && refresh(), browser);
	on("hashchange", restore, browser);
}

const sign = v => v < 0 ? -1 : 1, linked = () => new URLSearchParams(location.hash.slice(1));

// Further pictures of a page have a number.
function link() {
	const links = linked(), far = chart.from > chart.first || chart.to < chart.last, state = {from: far && chart.from, to: far && chart.to, search: wanted};
	for (const key in state) {
		links.delete(key + nr);
		if (state[key] || state[key] === 0)
			links.set(key + nr, state[key]);
	}
	try {
		history.replaceState(null, "", `#${links}`.replace(/=(?=&|$)/g, ""));
	} catch {
		// A document without an address has no links.
	}
}

function restore() {
	const links = linked(), [from, to] = ["from", "to"].map(key => parseFloat(links.get(key + nr)));
	scene = chart;
	wanted = links.get("search" + nr) || "";
	named = wanted ? frames.map(name => pattern(wanted).test(name)) : [];
	field.children[1].textContent = wanted || "/ search";
	if (from < to)
		[chart.from, chart.to] = [max(first, from), min(last, to)];
	if (!(chart.from < chart.to))
		[chart.from, chart.to] = [first, last];
	refresh();
}

// The width that there is: is it another one?
function measure() {
	const before = fullWidth;
	attributes(svg, {width: "100%"});
	fullWidth = max(200, round(around().width)) || before;
	attributes(svg, {width: fullWidth});
	return fullWidth != before;
}

measure();
if (samples.length) {
	attributes(svg, {role: "group"});
	restore();
	listen();
} else
	bar.remove();
