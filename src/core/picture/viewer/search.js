// Searching: by names or, in differences, by state. Counts come from values, each stack once.

const STATES = {new: k => k == 7, gone: k => k == 12, grown: k => k > 2 && k < 7, shrunk: k => k > 7 && k < 12, significant: k => tested && k > 2};
let wanted = "", matches;

const escaped = text => text.replace(/\W/g, "\\$&");

// Capitals matter when there are some; what is no regular expression is plain text.
function pattern(text, flags = text == text.toLowerCase() ? "i" : "") {
	try {
		return RegExp(text, flags);
	} catch {
		return RegExp(escaped(text), flags);
	}
}

function seek(text) {
	const state = isDiff && STATES[text.match(/^is:(.*)/)?.[1]], named = text && frames.map(name => pattern(text).test(name));
	wanted = text;
	matches = (tree, i) => state ? state(tree.kind[i]) : named[tree.frame[i]];
	field.children[1].textContent = text || "/ search";
}

function mark(b) {
	const {g, tree, n, more, far} = b;
	if (!g)
		return;
	one(".h", g)?.remove();
	if (wanted && !more && !far && matches(tree, n))
		outline(b, true);
}

// What the search finds below the zoomed box, or in each part: states of nodes are 1 within it, 2 below one that was counted.
function report(message = "") {
	const {n} = root, names = new Set();
	const texts = inSight().map(tree => {
		const state = [], {word, side = "all", whole = all, place = ""} = tree, sums = [0], selves = [0];
		for (let i = n; wanted && i < tree.parent.length; i++) {
			state[i] = i == n ? 1 : state[tree.parent[i]];
			// The frame of a sandwich is counted below, not among its callers.
			if (state[i] && matches(tree, i) && tree.total[i] && (i || tree.dir > 0)) {
				names.add(tree.frame[i]);
				selves.push(tree.self[i]);
				sums.push(state[i] == 1 && tree.total[i]);
				state[i] = 2;
			}
		}
		const sum = sumOf(sums), part = `${share(sum, whole)} of ${side}`;
		return word && !n ? `${word} ${exact(sum)} (${part})` : `${place}${exact(sum)}, ${share(sum, tree.total[n])} of what is shown, ${part}, self ${digits(sumOf(selves))}`;
	});
	say(1, (wanted && `"${shown(wanted)}": ${plural(names["size"], "frame")}, ${texts.join(", ")}${ABSENT && `; what is${ABSENT.slice(3)} is not counted`}${message && "; "}`) + message);
}

// The next match in the order of the data, from panel to panel, around the end.
function step(by) {
	const trees = halves ? [halves.up, halves.down] : panels, place = b => trees.indexOf(b.tree) * 1e9 + b.n;
	const spots = trees.flatMap(tree => tree.total.flatMap((v, n) => v && (n || tree.dir > 0) && wanted && matches(tree, n) ? {tree, n} : []));
	if (by < 0)
		spots.reverse();
	const to = spots.find(spot => by * (place(spot) - place(current)) > 0) || spots[0];
	const b = to && boxes.find(b => b.n == to.n && b.tree == to.tree && !b.more && !b.far && b.w >= 3);
	return b ? attend(b) : to && zoomTo(to.tree, to.n, true);
}
