// Drawing a flame chart: what is to be seen between two times, as the picture itself draws it.

const MARGIN = 10, LINE = FONT + 6, COLUMN = 0.625 * FONT;
const TITLE = one("title").textContent, INK = options.dark ? "#e6e6e6" : "#222", PAPER = options.dark ? "#1b1b1b" : "#ffffff";
const rounded = x => floor(100 * x + 0.5) / 100;

let topY = options.top, bottomY, scene = chart, fullWidth = +svg.getAttribute("width"), layer = one(".v"), boxes = [], current, counts;
// The ends of the selection, or nothing.
let range;

function attributes(e, set) {
	for (const key in set)
		e.setAttribute(key, set[key]);
	return e;
}

function element(name, set, to, text = "") {
	const e = attributes(page.createElementNS(svg.namespaceURI, name), set);
	e.textContent = text;
	if (to)
		to.append(e);
	return e;
}

// Black or white, whichever stands out more.
function inkOn(color) {
	const light = [1, 3, 5].reduce((sum, at, i) => sum + (parseInt(color.slice(at, at + 2), 16) / 255) ** 2.2 * [0.2126, 0.7152, 0.0722][i], 0);
	return light < 0.18 ? "#fff" : "#000";
}

function fillOf({node, own, start, stop}) {
	const {shades} = data, turn = (depth[node] - 1) % 14;
	return data.mode ? shades[data.mode == "self" ? min(7, floor(8 * own / (stop - start))) : min(turn, 14 - turn)] : "#" + data.fills.substr(6 * frame[node], 6);
}

const width = () => fullWidth - 2 * MARGIN;
const pixels = t => t / (scene.to - scene.from) * width();
const place = t => rounded(rounded(pixels(min(max(t, scene.from), scene.to) - scene.from)) + MARGIN);

// The boxes of one lane; thin ones beside each other are one, and take with them what is below.
function layLane(lane, least, found) {
	const runs = [], lost = [], {from, to} = scene, most = options.max_rows;
	const endRun = row => {
		const run = runs[row];
		if (!run)
			return;
		runs[row] = 0;
		lost[row] = (lost[row] || 0) + run.more;
		if (pixels(min(run.stop, to) - max(run.start, from)) >= least)
			found.push(run);
	};
	for (const [node, start, stop, count, own] of lane.boxes) {
		const row = depth[node] - 1, within = min(stop, to) - max(start, from);
		if (within <= 0 || row > most)
			continue;
		counts.all++;
		if (row < most && pixels(within) >= least) {
			endRun(row);
			endRun(row + 1);
			counts.thin += lost[row + 1] || 0;
			lost[row + 1] = 0;
			found.push({lane, row, node, start, stop, count, own});
			continue;
		}
		const below = runs[row + 1], more = 1 + (below ? below.more : 0) + (lost[row + 1] || 0);
		runs[row + 1] = lost[row + 1] = 0;
		if (runs[row] && pixels(start - runs[row].stop) >= least)
			endRun(row);
		if (!runs[row])
			runs[row] = {lane, row, node, start, stop, more: 0, deeper: row == most};
		runs[row].stop = stop;
		runs[row].more += more;
	}
	endRun(0);
	counts.thin += lost[0] || 0;
}

function layOut(least = options.min_width) {
	const found = [];
	counts = {all: 0, thin: 0, least};
	scene.threads.forEach(thread => thread.lanes.forEach(lane => found.length > options.max_boxes || layLane(lane, least, found)));
	return found.length > options.max_boxes ? layOut(max(0.01, 2 * least)) : found;
}

// A sum of times, without the digits that adding up has made.
const plain = v => v % 1 ? +v.toPrecision(12) : v;
const timeOf = t => +t.toFixed(options.point);
// As many decimals as tell two pixels apart.
const decimals = () => min(12, max(0, 3 - floor(Math.log10(scene.to - scene.from))));
const timeText = t => +t.toFixed(decimals());
const UNIT = shown({seconds: "s", milliseconds: "ms", microseconds: "\u00b5s", nanoseconds: "ns"}[data.unit] ?? data.unit), withUnit = v => UNIT ? `${v} ${UNIT}` : `${v}`;
const lengthText = v => withUnit(few(v));

const nameIn = b => b.more ? `(${grouped(b.more)} ${b.deeper ? "deeper" : "more"})` : frames[frame[b.node]];

function factsIn(b) {
	const v = plain(b.stop - b.start);
	if (scene.heavy)
		return `${withUnit(v)}, ${share(v, scene.last)} of the selection` + (b.more ? "" : `, self ${plain(b.own)}`);
	return `${withUnit(v)}, from ${timeOf(b.start)} to ${timeOf(b.stop)}` + (b.more ? "" : `; ${plural(b.count, "sample")}, self ${plain(b.own)}`);
}

function makeBox(b, to) {
	const {x, y, w, more, node} = b, fill = more ? `url(#${svg.id}-m)` : fillOf(b), ink = more ? "#000" : inkOn(fill);
	const g = b.g = element("g", {class: more ? "f m" : "f", role: "treeitem", tabindex: b == current ? 0 : -1, "aria-level": b.row + 1, "data-n": node}, to);
	const label = w < 3 * COLUMN + 6 ? "" : clean(fit(nameIn(b), floor((w - 6) / COLUMN), options.cut));
	g.box = b;
	attributes(g, {"aria-label": `${shown(nameIn(b))}: ${factsIn(b)}${label ? `; label ${label}` : ""}`});
	attributes(element("rect", {x, y, width: w, height: ROW, fill}, g), w >= 2 ? {stroke: PAPER} : {});
	if (!more && wanted && named[frame[node]])
		element("path", {class: "h", d: w < 6 ? `M${x} ${y + ROW / 4}h${w}v${ROW / 2}h${-w}z` :
			`M${x + 1} ${y + 1}h${w - 2}v${ROW - 2}h${2 - w}zM${x + 3} ${y + 3}v${ROW - 6}h${w - 6}v${6 - ROW}z`, fill: ink, "pointer-events": "none"}, g);
	if (label)
		attributes(element("text", {x: rounded(x + 3), y: y + round((ROW + 0.75 * FONT) / 2), fill: ink}, g, label),
			more ? {"paint-order": "stroke", stroke: "#e4e4e4", "stroke-width": 3} : {});
}

// Round times, a label apart.
function ruler(to, bottom) {
	const {from} = scene, span = scene.to - from, room = COLUMN * (max(...[from, scene.to].map(t => `${timeText(t)}`.length)) + columns(UNIT) + 3);
	let step = 10 ** floor(Math.log10(span / width() * room));
	step *= [1, 2, 5, 10].find(by => pixels(by * step) >= room);
	const g = element("g", {class: "p", fill: INK}, to), n = ceil(from / step);
	for (let k = n; k * step <= scene.to && k < n + 100; k++) {
		const x = place(k * step);
		element("path", {d: `M${x} ${topY}V${bottom}`, stroke: "#888"}, g);
		if (x + room < fullWidth)
			element("text", {x: x + 3, y: topY + FONT}, g, withUnit(+(k * step).toPrecision(12)));
	}
}

function busyOf(thread) {
	let until = scene.from, sum = 0;
	for (const [start, stop] of thread.list) {
		const end = min(stop, scene.to);
		sum += max(0, end - max(start, until));
		until = max(until, end);
	}
	return share(sum, scene.to - scene.from);
}

const headingOf = thread => scene.heavy ? `left heavy: ${timeText(scene.heavy[0])} to ${withUnit(timeText(scene.heavy[1]))}, the largest first` :
	`${thread.name ? `${thread.name}, ` : scene.threads.length > 1 ? "no thread, " : ""}busy ${busyOf(thread)}`;

let bands;

// The place of each box, lane after lane; what is above them.
function draw() {
	const before = layer, within = layer.contains(page.activeElement), old = current;
	boxes = layOut();
	layer = layer.cloneNode(false);
	layer.removeAttribute("transform");
	const headings = element("g", {class: "p", fill: INK, "font-weight": "bold"}), tree = element("g", {role: "tree", "aria-label": shown(TITLE)});
	let y = topY + LINE;
	scene.threads.forEach(({lanes}) => lanes.forEach(lane => lane.rows = 0));
	boxes.forEach(b => b.lane.rows = max(b.lane.rows, b.row + 1));
	scene.threads.forEach(thread => {
		element("text", {x: MARGIN, y: y + FONT}, headings, clean(fit(headingOf(thread), floor(width() / COLUMN), 1)));
		y += LINE;
		thread.lanes.forEach(lane => {
			lane.y = y;
			y += lane.rows * (ROW + 1);
		});
		y += 6;
	});
	bottomY = y;
	boxes.forEach(b => {
		b.x = place(b.start);
		b.w = rounded(place(b.stop) - b.x);
		b.y = b.lane.y + b.row * (ROW + 1);
	});
	boxes.sort((a, b) => a.y - b.y || a.x - b.x);
	current = old && boxes.find(b => b.node == old.node && b.start == old.start && !b.more) || boxes[0];
	ruler(layer, y);
	layer.append(headings, tree);
	boxes.forEach(b => makeBox(b, tree));
	bands = element("g", {"pointer-events": "none"}, layer);
	showRange();
	before.replaceWith(layer);
	if (within && current)
		attend(current);
}

function showRange() {
	bands.replaceChildren();
	if (!range || scene.heavy)
		return;
	const x = place(range[0]), w = rounded(place(range[1]) - x), y = topY;
	attributes(element("rect", {x, y, width: max(1, w), height: bottomY - y, fill: "#0072b2", "fill-opacity": 0.15}, bands), {stroke: "#0072b2", "stroke-width": 2});
}
