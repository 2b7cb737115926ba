// The profile: trees of nodes with their values, made from the data of the picture.

const data = JSON.parse(svg.querySelector("metadata").textContent), {view, frames, widths, verdicts} = data, isDiff = !!verdicts;

// The next of the numbers that stand one after the other, as varints in base64.
const bytes = atob(data.nodes);
let spot = 0;

function varint() {
	let n = 0, scale = 1, byte;
	do {
		byte = bytes.charCodeAt(spot++);
		n += (byte & 127) * scale;
		scale *= 128;
	} while (byte > 127);
	return n;
}

// Children follow their parents, so sums go up from behind.
function addUp(tree) {
	const {parent, total, count, stripe} = tree;
	for (let i = parent.length - 1; i > 0; i--) {
		total[parent[i]] += total[i];
		// What has no width is no part of the picture.
		count[parent[i]] += total[i] ? count[i] : 0;
		for (let s = 0; stripe && s < 5; s++)
			stripe[parent[i]][s] += stripe[i][s];
	}
	return tree;
}

// Common, grown, appeared, shrunk and disappeared of one stack; what is as wide as the stack.
const stripeOf = (a, b) => [a && b && Math.min(a, b), a && Math.max(0, b - a), a ? 0 : b, b && Math.max(0, a - b), b ? 0 : a];
const widthOf = (a, b) => ({after: b, before: a, change: Math.abs(b - a)})[widths] ?? Math.max(a, b);

// size: nodes of the subtree in the data; count: how many of the profile these stand for; kind, test, stripe: of differences.
function readTree() {
	const value = n => n ? data.values[n - 1] : 0, path = [0];
	const tree = {dir: 1, parent: [-1], frame: [-1], self: [0], count: [1], test: [[0]], stripe: isDiff && [[0, 0, 0, 0, 0]]};
	for (let depth = 0; spot < bytes.length;) {
		depth += 1 - varint();
		// The empty stack is a node of depth 0.
		const i = depth && tree.self.length, frame = varint(), a = value(varint());
		tree.self[i] = a;
		if (isDiff) {
			const b = value(varint());
			tree.self[i] = widthOf(a, b);
			tree.stripe[i] = stripeOf(a, b);
			tree.test[i] = verdicts[varint() - 1] || [0];
		}
		if (!i)
			continue;
		tree.parent[i] = path[depth - 1];
		path[depth] = i;
		tree.frame[i] = frame;
		tree.count[i] = frame == frames.length ? varint() : 1;
	}
	tree.kind = tree.test.map(([state]) => state);
	const size = tree.size = tree.parent.map(() => 1), keep = tree.keep = tree.kind.map(kind => kind > 2);
	for (let i = size.length - 1; i > 0; i--) {
		size[tree.parent[i]] += size[i];
		keep[tree.parent[i]] ||= keep[i];
	}
	tree.kids = i => {
		const kids = [];
		for (let k = i + 1; k < i + size[i]; k += size[k])
			kids.push(k);
		return kids;
	};
	tree.total = tree.self.slice();
	return addUp(tree);
}

const main = readTree(), all = main.total[0];

// Stand-ins for nodes that the data leave out have no frame.
const isRest = (tree, i) => tree.frame[i] == frames.length;
const nameOf = (tree, i) => frames[tree.frame[i]] ?? "all";

// The nodes on the way to one, which is the last; the root is not among them.
function pathOf(tree, i) {
	const path = [];
	for (; i > 0; i = tree.parent[i])
		path.push(i);
	return path.reverse();
}

// A tree that grows by paths; nodes of one parent and frame are one.
function grower(frame, dir) {
	const below = [[]], ids = new Map(), self = [0], parent = [-1], count = [1];
	const tree = {parent, frame: [frame], self, count, dir, made: true, kids: i => below[i].slice()};
	tree.child = (at, frame) => {
		const key = at * (frames.length + 1) + frame;
		let i = ids.get(key);
		if (!i) {
			ids.set(key, i = below.push([]) - 1);
			below[at].push(i);
			[parent[i], tree.frame[i], self[i], count[i]] = [at, frame, 0, 1];
		}
		return i;
	};
	tree.done = () => {
		below.forEach(kids => kids.sort((a, b) => tree.frame[a] - tree.frame[b]));
		tree.total = self.slice();
		return addUp(tree);
	};
	return tree;
}

// Callers and callees of a frame, each stack from its outermost place on.
function sandwichOf(frame) {
	const up = grower(frame, -1), down = grower(frame, 1), {parent, size} = main;
	for (let i = 1; i < parent.length; i++) {
		if (main.frame[i] != frame)
			continue;
		const place = {[i]: 0}, end = i + size[i];
		up.self[pathOf(main, parent[i]).reduceRight((at, k) => up.child(at, main.frame[k]), 0)] += main.total[i];
		down.self[0] += main.self[i];
		for (i++; i < end; i++) {
			const to = place[i] = down.child(place[parent[i]], main.frame[i]);
			down.self[to] += main.self[i];
			if (isRest(main, i))
				down.count[to] = main.count[i];
		}
		i--;
	}
	return {up: up.done(), down: down.done()};
}

// How many boxes each frame has, and what is spent in them, each stack once.
let known;

function factsOf(frame) {
	if (!known) {
		const {parent} = main, open = [], path = [0];
		known = [];
		for (let i = 1; i < parent.length; i++) {
			while (path[path.length - 1] != parent[i])
				open[main.frame[path.pop()]]--;
			path.push(i);
			const f = main.frame[i], fact = known[f] ||= {boxes: 0, together: 0};
			fact.boxes++;
			fact.together += open[f] ? 0 : main.total[i];
			open[f] = (open[f] || 0) + 1;
		}
	}
	return known[frame];
}
