// Layout: which boxes stand where. Edges are rounded, not widths, so neighbours touch and children stay below parents.

const MARGIN = 10, NEAREST = 5;
// Why a node has no box.
const THIN = 0, DEEPER = 1;
const rounded = x => floor(100 * x + 0.5) / 100;

// The state that is shown.
let fullWidth = +svg.getAttribute("width"), root = {tree: panels[0], n: 0}, current = root, halves, turnedOver, byValue, folded;
// What is drawn of it; lowRows: of those, in the panels below; left: what is not drawn, and what is not in those below.
let boxes, rows = 0, lowRows = 0, left, lowLeft;
const panelWidth = () => (fullWidth - (ACROSS + 1) * MARGIN) / ACROSS;
const edgeOf = tree => MARGIN + (panels.indexOf(tree) % ACROSS) * (panelWidth() + MARGIN);

// The boxes of a subtree, row 0 its root, from left to right; the time goes with what is visible and its children.
function subtree(tree, top, least = options.min_width, most = options.max_rows) {
	const whole = tree.total[top], one = top || tree.made, full = one ? whole : max(...panels.map(tree => tree.total[0]));
	const room = one ? fullWidth - 2 * MARGIN : panelWidth(), edge = one ? MARGIN : edgeOf(tree), found = [], levels = [], px = v => v / full * room;
	left = {...[[0, 0], [0, 0]], least, most};
	if (!whole)
		return found;
	const add = (n, row, from, to, v, more, first) => {
		const x = rounded(px(from));
		found.push({tree, n, row, x: rounded(x + edge), w: rounded(rounded(px(to)) - x), v, more, first});
	};
	const hide = (n, row, from, to, v, many, first, why = THIN) => {
		left[why][0] += many;
		left[why][1] += v;
		if (px(v) >= least)
			add(n, row, from, to, v, why == DEEPER ? -many : many, first);
	};
	const open = (n, row, at, end) => {
		const kids = tree.kids(n), sum = of => kids.reduce((s, k) => s + of[k], 0), v = sum(tree.total);
		if (byValue)
			kids.sort((a, b) => isRest(tree, a) - isRest(tree, b) || tree.total[b] - tree.total[a] || a - b);
		if (row < most)
			levels.push({n, kids, row, spot: 0, at, end, run: 0});
		else if (kids.length)
			hide(n, row, at, min(end, at + v), v, sum(tree.count), kids[0], DEEPER);
	};
	add(top, 0, 0, whole, whole);
	open(top, 1, 0, whole);
	while (levels.length && found.length <= options.max_boxes) {
		const l = levels[levels.length - 1], n = l.kids[l.spot++], from = l.at, v = tree.total[n], ends = n == null;
		if (!ends)
			l.at = min(from + v, l.end);
		if (!ends && (px(v) < least || isRest(tree, n) || folded && tree.keep && !tree.keep[n])) {
			if (!l.run)
				[l.from, l.v, l.first] = [from, 0, n];
			l.run += v ? tree.count[n] : 0;
			l.v += v;
			continue;
		}
		if (l.run)
			hide(l.n, l.row, l.from, from, l.v, l.run, l.first);
		l.run = 0;
		if (ends)
			levels.pop();
		else {
			add(n, l.row, from, l.at, v);
			open(n, l.row + 1, from, l.at);
		}
	}
	if (found.length <= options.max_boxes)
		return found;
	// A chain of boxes that are wide, all of them, loses rows instead.
	return subtree(tree, top, ...most > 1 && 32 * least > room ? [least, most >> 1] : [max(0.01, 2 * least), most]);
}

// The nearest callers of the zoomed box as rows of their own, those beyond in one; the outermost first.
function callers() {
	const {tree, n} = root, path = n ? [0, ...pathOf(tree, n).slice(0, -1)] : [], far = path.length - NEAREST;
	return path.slice(max(0, far - 1)).map((n, row) =>
		({tree, n, row, x: MARGIN, w: fullWidth - 2 * MARGIN, v: tree.total[n], far: !row && far > 0 && far, faded: true}));
}

// Adds what is not drawn of another tree.
function alsoLeft(own) {
	[THIN, DEEPER].forEach(why => left[why] = left[why].map((v, i) => v + own[why][i]));
	[left.least, left.most] = [max(left.least, own.least), min(left.most, own.most)];
}

const below = list => list.reduce((most, b) => max(most, b.row + 1), 0);

// Are all panels to be seen?
const inPanels = () => !root.n && !halves;
const inSight = () => root.n ? [root.tree] : halves ? [halves.down, halves.up] : panels;

function layPanels() {
	const lists = panels.map((tree, i) => {
		const before = left, list = subtree(tree, 0);
		list.forEach(b => [b.level, b.low] = [b.row + 1, i >= ACROSS]);
		if (i && isParts)
			alsoLeft(before);
		else if (i)
			[left, lowLeft] = [before, left];
		return list;
	});
	boxes = lists.flat();
	[rows, lowRows] = [false, true].map(low => below(boxes.filter(b => b.low == low)));
	for (const b of boxes) {
		if (turnedOver)
			b.row = (b.low ? lowRows : rows) - 1 - b.row;
		if (b.low)
			b.row += rows;
	}
}

// All boxes of the state, with the row in which each is drawn from above.
function layout() {
	lowRows = lowLeft = 0;
	if (inPanels())
		return layPanels();
	const {tree, n} = root, above = callers(), level = pathOf(tree, n).length + 1;
	boxes = subtree(tree, n);
	boxes.forEach(b => [b.level, b.row] = [b.row + level, b.row + above.length]);
	above.forEach(b => b.level = max(1, level - above.length + b.row));
	boxes = [...above, ...boxes];
	rows = below(boxes);
	let up = tree.dir < 0;
	if (!n) {
		const own = left, other = subtree(halves.up, 0).slice(1), more = below(other) - 1;
		alsoLeft(own);
		boxes.forEach(b => b.row += more);
		other.forEach(b => [b.level, b.row] = [b.row + 1, more - b.row]);
		boxes = [...other, ...boxes];
		rows += more;
		up = false;
	}
	if (up != turnedOver)
		boxes.forEach(b => b.row = rows - 1 - b.row);
}
