// The profile: trees of nodes with their values, made from the data of the picture.

const page = document, browser = window;
const one = (selector, e = svg) => e.querySelector(selector);
const data = JSON.parse(one("metadata").textContent), options = data.view, {widths, verdicts = []} = data, frames = data["frames"], totals = data["totals"], isDiff = !!data.verdicts, isParts = totals && !isDiff;
const way = data.verdicts_by, tested = way != "none", ROW = options["row"], FONT = options["font"];

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

// Children follow their parents, so sums go up from behind; with what adding loses, as the picture itself has them (Knuth's
// sum of two, 1969).
function addUp(parent, values) {
	const rest = values.map(() => 0);
	for (let i = parent.length; i-- > 1;) {
		const to = parent[i], a = values[to], b = values[i], sum = values[to] = a + b;
		rest[to] += rest[i] + (a - (sum - (sum - a))) + (b - (sum - a));
	}
	return values.map((v, i) => v + rest[i]);
}

const sumOf = list => addUp(list.map(() => 0), list)[0];

// With total as its widths; what has no width is no part of a picture. lit: how many nodes are highlighted, with those below.
const drawnAs = (tree, total) => ({
	...tree, total, count: addUp(tree.parent, tree.held.map((n, i) => total[i] ? n : 0)),
	lit: tree.marked && addUp(tree.parent, total.map((v, i) => v && tree.marked[i] == 1))
});
// Common, grown, appeared, shrunk and disappeared of one stack, and both sides.
const changeBy = (a, b) => abs(b - a) > 1e-9 * max(a, b) ? b - a : 0;
const stripeOf = (a, b, by = changeBy(a, b)) => [a && b && min(a, b), a && max(0, by), a ? 0 : b, b && max(0, -by), b ? 0 : a, a, b];
const stripeIn = (tree, n) => tree.stripes.map(values => values[n]);
// Of what the width of a box is made.
const PIECES = {after: "012", "before": "034", change: "1234"}[widths] || "01234";
const widthOf = values => [...PIECES].reduce((sum, piece) => sum + values[piece], 0);

// The tree of nodes in preorder. sides: of differences, what is before and after at each node itself.
function finish(tree) {
	const {parent, sides} = tree;
	if (!totals)
		return drawnAs(tree, addUp(parent, tree.self.slice()));
	const all = sides.map(([a, b]) => stripeOf(a, b));
	tree.self = all.map(widthOf);
	tree.stripes = all[0].map((v, s) => addUp(parent, all.map(values => values[s])));
	return drawnAs(tree, parent.map((p, i) => widthOf(stripeIn(tree, i))));
}

// held: how many nodes of the profile one stands for; count: with those below it; kind, test, sides, stripes: of differences.
function readTree() {
	const read = n => n ? data["values"][n - 1] : 0, path = [0];
	const tree = {dir: 1, parent: [-1], frame: [-1], self: [0], held: [1], test: [[0]], sides: [[0, 0]], marked: options["marked"]};
	for (let depth = 0; spot < bytes.length;) {
		depth += 1 - varint();
		// The empty stack is a node of depth 0.
		const i = depth && tree.self.length, frame = varint(), a = tree.self[i] = read(varint());
		if (totals) {
			tree.sides[i] = [a, read(varint())];
			tree.test[i] = verdicts[varint() - 1] || [0];
		}
		if (i) {
			tree.parent[i] = path[depth - 1];
			path[depth] = i;
			tree.frame[i] = frame;
			tree.held[i] = frame == frames.length ? varint() : 1;
		}
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
	return finish(tree);
}

const main = readTree();
// What the widths of one side leave out stands below, on the same scale.
const leftOut = {after: 4, "before": 2}[widths];
// The parts of a change as trees of their own; each is a share of one side.
const partOf = (piece, more) => ({...drawnAs(main, main.stripes[piece]), self: main.sides.map(([a, b]) => stripeOf(a, b)[piece]), ...more});
// Side by side, then below; the first of them stands for all.
const panels = isParts ? [2, 1, 4, 3].map(piece => partOf(piece, {word: ["grown", "appeared", "shrunk", "disappeared"][piece - 1], side: piece < 3 ? "after" : "before", whole: totals[+(piece < 3)]})) :
	leftOut && main.stripes[leftOut][0] > 0 ? [main, partOf(leftOut, {place: "below: "})] : [main];
const ACROSS = isParts ? 2 : 1, all = isParts ? panels.reduce((sum, tree) => sum + tree.total[0], 0) : main.total[0] || panels[panels.length - 1].total[0];
// The panel where a node of the picture has a width, if need be that with this word.
const placeOf = (n, word) => [...panels.filter(tree => tree.word == word), ...panels].find(tree => tree.total[n]) || panels[0];
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
	const below = [[]], ids = new Map(), self = [0], parent = [-1], held = [1], sides = [[0, 0]];
	const tree = {parent, frame: [frame], self, held, sides, dir, made: true, number: [], kids: i => below[i].slice()};
	tree.child = (at, frame) => {
		const key = at * (frames.length + 1) + frame;
		let i = ids.get(key);
		if (!i) {
			ids.set(key, i = below.push([]) - 1);
			below[at].push(i);
			[parent[i], tree.frame[i], self[i], held[i], sides[i]] = [at, frame, 0, 1, [0, 0]];
		}
		return i;
	};
	// What is at node i of the picture's own tree; with all that is below it?
	tree.put = (at, i, inclusive) => {
		self[at] += (inclusive ? main.total : main.self)[i];
		if (isDiff)
			sides[at] = sides[at].map((v, s) => v + (inclusive ? main.stripes[5 + s][i] : main.sides[i][s]));
	};
	tree.done = () => {
		below.forEach(kids => kids.sort((a, b) => tree.frame[a] - tree.frame[b]));
		const done = finish(tree), open = [0];
		// Nodes in preorder, of which the frame is the first behind the root.
		for (let n = 0; open.length;) {
			const i = open.pop();
			done.number[i] = ++n;
			open.push(...done.kids(i).reverse());
		}
		if (isDiff)
			done.kind = (done.test = parent.map((p, i) => [stateOf(done.stripes[5][i], done.stripes[6][i])])).flat();
		return done;
	};
	return tree;
}

// The state of a change that nothing was tested of but its size.
function stateOf(a, b) {
	const ratio = max(a, b) / min(a, b), step = (ratio >= 1.2) + (ratio >= 1.5) + (ratio >= 2);
	return a == b ? 0 : tested ? 2 : !a ? 7 : !b ? 12 : ratio < 1.05 ? 0 : (b > a ? 3 : 8) + step;
}

// Callers and callees of a frame, each stack from its outermost place on.
function sandwichOf(frame) {
	const up = grower(frame, -1), down = grower(frame, 1), {parent, size} = main, [above, below] = frames[frame] == data.sandwich && data.marks || [];
	for (let i = 1; i < parent.length; i++) {
		if (main.frame[i] != frame)
			continue;
		const place = {[i]: 0}, end = i + size[i];
		up.put(pathOf(main, parent[i]).reduceRight((at, k) => up.child(at, main.frame[k]), 0), i, true);
		down.put(0, i);
		for (i++; i < end; i++) {
			const to = place[i] = down.child(place[parent[i]], main.frame[i]);
			down.put(to, i);
			if (isRest(main, i))
				down.held[to] = main.held[i];
		}
		i--;
	}
	up.marked = above;
	down.marked = below;
	const callers = up.done();
	callers.self = callers.self.map(() => 0);
	callers.place = "callers: ";
	return {up: callers, down: down.done()};
}

// The boxes of a frame that are in no other one of it, and how many there are in all.
function factsOf(tree, frame) {
	if (!tree.known) {
		const {parent, total} = tree, open = [], path = [0], known = tree.known = [];
		for (let i = 1; i < parent.length; i++) {
			// Of a difference both sides count, whatever its widths are.
			if (isDiff || total[i]) {
				while (path[path.length - 1] != parent[i])
					open[tree.frame[path.pop()]]--;
				path.push(i);
				const f = tree.frame[i], fact = known[f] ||= [];
				fact.many = (fact.many || 0) + 1;
				if (!open[f])
					fact.push(i);
				open[f] = (open[f] || 0) + 1;
			}
		}
	}
	return tree.known[frame] || [];
}
