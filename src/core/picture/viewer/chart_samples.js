// The samples of a flame chart: read from the data of the picture, in lanes, with their boxes.

const page = document, browser = window;
const one = (selector, e = svg) => e.querySelector(selector);
const list = (selector, e = svg) => [...e.querySelectorAll(selector)];
const data = JSON.parse(one("g>metadata").textContent), options = data.view, frames = data.frames, ROW = options.row, FONT = options.font;

// Varints, one after the other, of what is written in base64.
function reader(text) {
	const bytes = atob(text);
	let spot = 0;
	return () => {
		let n = 0, scale = 1, byte;
		if (spot >= bytes.length)
			return -1;
		do {
			byte = bytes.charCodeAt(spot++);
			n += (byte & 127) * scale;
			scale *= 128;
		} while (byte > 127);
		return n;
	};
}

// Node 0 is the empty stack; parents come before their children.
const parent = [0], frame = [-1], depth = [0];

function readTree() {
	const next = reader(data.tree), path = [0];
	for (let up = next(), at = 0; up >= 0; up = next()) {
		const i = parent.length;
		at += 1 - up;
		parent[i] = path[at - 1];
		frame[i] = next();
		depth[i] = at;
		path[at] = i;
	}
}

// By start: start, stop, node and thread of each.
const samples = [];

function readSamples() {
	const next = reader(data.samples), timeOf = n => data.zero + n / data.scale;
	for (let by = next(), at = data.start; by >= 0; by = next()) {
		at += by;
		samples.push([timeOf(at), timeOf(at + next()), next(), next()]);
	}
}

const touch = t => 2e-15 * abs(t);

// Heaps of arrays: the one with the smallest first element is on top.
function put(heap, entry) {
	let at = heap.length;
	for (let up; at && heap[up = at - 1 >> 1][0] > entry[0]; at = up)
		heap[at] = heap[up];
	heap[at] = entry;
}

function take(heap) {
	const top = heap[0], last = heap.pop(), most = heap.length;
	let at = 0;
	for (let kid = 1; kid < most; kid = 2 * at + 1) {
		if (kid + 1 < most && heap[kid + 1][0] < heap[kid][0])
			kid++;
		if (heap[kid][0] >= last[0])
			break;
		heap[at] = heap[kid];
		at = kid;
	}
	if (most)
		heap[at] = last;
	return top;
}

// Samples in lanes beyond those that are drawn, and how many of these there are.
const undrawn = [];
let undrawnLanes = 0;

// The first lane of its thread that is free, as in the picture. What a thread has is counted together.
function lanesOf() {
	const threads = data.threads.map(name => ({name, list: [], lanes: [], busy: [], free: []}));
	let room = options.lanes;
	samples.forEach(sample => {
		const {list, lanes, busy, free} = threads[sample[3]], [start, stop] = sample;
		list.push(sample);
		while (busy[0] && busy[0][0] <= start + touch(start))
			put(free, [take(busy)[1]]);
		const [at] = free[0] ? take(free) : [lanes.push({list: []}) - 1];
		lanes[at].list.push(sample);
		put(busy, [stop, at]);
	});
	threads.forEach(({lanes}) => {
		const beyond = lanes.splice(room);
		undrawnLanes += beyond.length;
		beyond.forEach(lane => lane.list.forEach(sample => undrawn.push(sample)));
		room -= lanes.length;
	});
	return threads.filter(({lanes}) => lanes.length);
}

function commonNode(a, b) {
	while (a != b)
		a > b ? a = parent[a] : b = parent[b];
	return a;
}

// The boxes of samples in one lane, as [node, start, stop, count, own time], children before their parents.
function boxesOf(list) {
	const found = [], open = [];
	let leaf = 0, end = -Infinity;
	const closeTo = most => {
		while (open.length > most) {
			const box = open.pop();
			box[2] = end;
			found.push(box);
			if (open.length)
				open[open.length - 1][3] += box[3];
		}
	};
	list.forEach(([start, stop, node]) => {
		const touches = options.merge && start - end <= options.gap + touch(start), path = [];
		const common = touches ? commonNode(leaf, node) : 0;
		closeTo(depth[common]);
		for (let i = node; i != common; i = parent[i])
			path.push(i);
		while (path.length)
			open.push([path.pop(), start, stop, 0, 0]);
		if (open.length) {
			open[open.length - 1][3]++;
			open[open.length - 1][4] += stop - start;
		}
		leaf = node;
		end = stop;
	});
	closeTo(0);
	return found;
}

readTree();
readSamples();
// What is looked at: lanes by thread, the ends of the time, and the part of it that is shown.
const first = samples.reduce((t, sample) => min(t, sample[0]), options.from), last = samples.reduce((t, sample) => max(t, sample[1]), options.to);
const chart = {threads: lanesOf(), first, last, from: options.from, to: options.to};
chart.threads.forEach(thread => thread.lanes.forEach(lane => lane.boxes = boxesOf(lane.list)));

// Samples that last between two times: how many, how long, and by node.
function between(from, to, of = samples) {
	const sums = [];
	let count = 0, total = 0;
	for (const [start, stop, node] of of) {
		const v = min(stop, to) - max(start, from);
		if (v > 0) {
			count++;
			total += v;
			sums[node] = (sums[node] || 0) + v;
		}
	}
	return {count, total, sums};
}

// The sum of what is between two times, the largest first: a chart in which nothing comes twice.
function heavyOf(from, to) {
	const {sums, total} = between(from, to), kids = parent.map(() => []), all = parent.map((p, i) => sums[i] || 0), boxes = [];
	for (let i = parent.length - 1; i > 0; i--) {
		all[parent[i]] += all[i];
		if (all[i])
			kids[parent[i]].push(i);
	}
	const stack = [[0, 0, 0]];
	kids.forEach(list => list.sort((a, b) => all[b] - all[a] || a - b));
	while (stack.length) {
		const top = stack[stack.length - 1], [i, at, k] = top, kid = kids[i][k];
		if (kid) {
			stack.push([kid, at, 0]);
			top[1] += all[kid];
			top[2]++;
		} else {
			stack.pop();
			if (i)
				boxes.push([i, top[1] - kids[i].reduce((sum, kid) => sum + all[kid], 0), 0, 0, sums[i] || 0]);
		}
	}
	boxes.forEach(box => box[2] = box[1] + all[box[0]]);
	return {threads: [{name: "", lanes: [{boxes, list: []}]}], first: 0, last: total, from: 0, to: total, heavy: [from, to]};
}
