// Searching: by names or, in differences, by state. Counts come from values, each stack once.

const STATES = {new: k => k == 7, gone: k => k == 12, grown: k => k > 2 && k < 7, shrunk: k => k > 7 && k < 12, significant: k => tested && k > 2};
let wanted = "", matches;

const escaped = text => text.replace(/\W/g, "\\$&");

// Capitals matter when there are some; what is no regular expression is plain text.
function pattern(text) {
	const flags = text == text.toLowerCase() ? "i" : "";
	try {
		return RegExp(text, flags);
	} catch {
		return RegExp(escaped(text), flags);
	}
}

function search(text) {
	const state = isDiff && STATES[(/^is:(.*)/.exec(text) || [])[1]], named = text && frames.map(name => pattern(text).test(name));
	wanted = text;
	matches = (tree, i) => state ? state(tree.kind[i]) : named[tree.frame[i]];
	field.children[1].textContent = text || "/ search";
}

function mark(b) {
	const {g, tree, n, more, far} = b;
	if (!g)
		return;
	const old = g.querySelector(".h"), is = wanted && !more && !far && matches(tree, n);
	if (old && !is)
		old.remove();
	if (is && !old)
		outline(b, true);
}

// What the search finds below the zoomed box, or in each part: states of nodes are 1 within it, 2 below one that was counted.
function report() {
	const {n} = root, names = new Set();
	const texts = (isParts && !n ? panels : [root.tree]).map(tree => {
		const state = [], {word, side = "all", whole = all} = tree;
		let sum = 0, self = 0;
		for (let i = n; wanted && i < tree.parent.length; i++) {
			state[i] = i == n ? 1 : state[tree.parent[i]];
			if (!state[i] || !matches(tree, i) || isParts && !tree.total[i])
				continue;
			names.add(tree.frame[i]);
			self += tree.self[i];
			sum += state[i] == 1 && tree.total[i];
			state[i] = 2;
		}
		const part = `${share(sum, whole)} of ${side}`, amount = exact(plain(sum));
		return word && !n ? `${word} ${amount} (${part})` : `${amount}, ${share(sum, tree.total[n])} of what is shown, ${part}, self ${plain(self)}`;
	});
	const uncounted = ABSENT && `; what is${ABSENT.slice(3)} is not counted`;
	say(1, wanted && `"${shown(wanted)}": ${plural(names["size"], "frame")}, ${texts.join(", ")}${uncounted}`);
}

// The next match in the order of the data, from panel to panel, around the end.
function step(by) {
	const {tree} = root, n = tree.parent.length, trees = tree.made ? [tree] : panels, most = n * trees.length;
	for (let k = 1, at = n * trees.indexOf(current.tree) + current.n; wanted && k <= most; k++) {
		at = (at + by + most) % most;
		const to = trees[floor(at / n)], i = at % n;
		if (!matches(to, i) || !to.total[i])
			continue;
		const b = boxes.find(b => b.n == i && b.tree == to && !b.more && !b.far && b.w >= 3);
		return b ? attend(b) : zoomTo(to, i, true);
	}
}
