// What people do: keys, the mouse, links; and the beginning of it all.

// Draws the state anew.
function refresh() {
	draw();
	report();
	tell(current);
	link();
}

function zoom(tree, n, focused) {
	current = root = {tree, n};
	refresh();
	if (focused)
		focus(current);
}

function focus(b) {
	if (current.g)
		current.g.setAttribute("tabindex", -1);
	current = b;
	if (!b.g)
		layer.append(makeBox(b));
	b.g.setAttribute("tabindex", 0);
	b.g.focus();
}

// What is hidden is looked for below its parent, then by its first part.
const enter = b => zoom(b.tree, b.more && b.n == root.n ? b.first : b.n);

function setSandwich(frame) {
	sandwich = frame >= 0 && !isDiff ? sandwichOf(frame) : null;
	zoom(sandwich ? sandwich.down : main, 0);
}

const COMMANDS = {
	Enter: enter,
	" ": enter,
	Backspace: () => root.n ? zoom(root.tree, root.tree.parent[root.n]) : setSandwich(),
	0: () => setSandwich(),
	Escape: () => wanted ? find("") : setSandwich(),
	"/": () => field.focus(),
	n: () => step(1),
	N: () => step(-1),
	c: b => copy(nameIn(b)),
	C: b => copy(`'${pathText(stackOf(b)).replace(/'/g, "''")}'`),
	i() {
		flip = !flip;
		refresh();
	},
	s() {
		byValue = !byValue;
		refresh();
	},
	w: b => setSandwich(sandwich || b.more || b.far ? -1 : b.tree.frame[b.n]),
	d() {
		folded = isDiff && !folded;
		refresh();
	},
	ArrowLeft: b => near(b, 0, -1),
	ArrowRight: b => near(b, 0, 1),
	ArrowUp: b => near(b, -1),
	ArrowDown: b => near(b, 1),
	Home: b => near(b, 0, -Infinity),
	End: b => near(b, 0, Infinity)
};

function find(text) {
	search(text);
	boxes.forEach(mark);
	report();
	link();
}

// Frames of a box, root first; in the callers of a sandwich they stand the other way round.
function stackOf({tree, n}) {
	const names = [...tree.made ? [0] : [], ...pathOf(tree, n)].map(i => nameOf(tree, i));
	return tree.dir < 0 ? names.reverse() : names;
}

// The box beside another one in its row, or the one that touches it most in the next row.
function near(b, by, side) {
	const touch = o => Math.min(o.x + o.w, b.x + b.w) - Math.max(o.x, b.x);
	const line = boxes.filter(o => o.row == b.row + by).sort((l, r) => by ? touch(r) - touch(l) : l.x - r.x);
	const to = line[by ? 0 : Math.max(0, Math.min(line.length - 1, line.indexOf(b) + side))];
	if (to && touch(to) > -Infinity)
		focus(to);
}

// Keys in the search field are its text. Returns false for those that are not.
function type(key) {
	if (key == "Enter" || key == "Escape") {
		focus(current);
		return key == "Enter" ? step(1) : find("");
	}
	if (key == "Backspace")
		return find(wanted.slice(0, -1));
	return key.length == 1 && find(wanted + key);
}

function press(key) {
	const act = COMMANDS[key];
	return act ? act(current) : false;
}

function onKey(e) {
	const {key} = e, at = e.target.closest(".x"), control = e.ctrlKey || e.metaKey;
	const act = control ? key == "f" && whole ? () => field.focus() : null : at == field ? () => type(key) : () => press(at && (key == "Enter" || key == " ") ? at.key : key);
	if (act && !e.altKey && act() !== false)
		e.preventDefault();
}

const whole = svg == document.documentElement;

function listen() {
	const on = (name, act, to = svg) => to.addEventListener(name, act), boxAt = e => (e.target.closest(".f") || {}).box;
	on("click", e => {
		const b = boxAt(e), at = e.target.closest(".x");
		if (b)
			enter(b);
		else if (at)
			press(at.key);
	});
	on("contextmenu", e => {
		if (boxAt(e)) {
			focus(boxAt(e));
			e.preventDefault();
		}
	});
	on("pointerover", e => {
		const b = boxAt(e);
		if (!b)
			return;
		(b.g.querySelector("title") || element("title", {}, b.g)).textContent = `${shown(nameIn(b))}\n${factsIn(b)}`;
		tell(b);
	});
	on("pointerleave", () => tell(current));
	on("focusin", e => boxAt(e) && tell(current = boxAt(e)));
	on("keydown", onKey, whole ? window : svg);
	on("paste", e => document.activeElement == field && find(wanted + e.clipboardData.getData("text")), window);
	on("scroll", stick, window);
	on("resize", () => measure() ? refresh() : stick(), window);
	on("hashchange", restore, window);
}

const linked = () => new URLSearchParams(location.hash.slice(1));

// Paths, not numbers: a link holds for the picture of another night. Further pictures of a page have a number.
function link() {
	const links = linked(), {tree, n} = root, state = {
		zoom: n && tree == main ? pathText(stackOf(root)) : "", search: wanted, sandwich: sandwich ? nameOf(sandwich.up, 0) : "",
		flip: flip == view.flame ? "" : 1, sort: byValue == view.value ? "" : byValue ? "value" : "name"
	};
	for (const key in state) {
		links.delete(key + nr);
		if (state[key])
			links.set(key + nr, state[key]);
	}
	try {
		history.replaceState(null, "", `#${links}`);
	} catch {
		// A document without an address has no links.
	}
}

// The state that a link asks for, or the document. Of a path that is gone the longest beginning is shown.
function restore() {
	const links = linked(), any = ["zoom", "search", "flip", "sort", "sandwich"].some(key => links.has(key + nr));
	const [zoom, text, turned, sort, name] = ["zoom", "search", "flip", "sort", "sandwich"].map(key => (any ? links.get(key + nr) : data[key]) || "");
	const frame = frames.indexOf(name);
	let n = 0, message;
	flip = view.flame != !!turned;
	byValue = sort ? sort == "value" : !!view.value;
	sandwich = frame < 0 || isDiff ? null : sandwichOf(frame);
	for (const name of pathNames(zoom)) {
		const kid = main.kids(n).find(k => frames[main.frame[k]] == name);
		if (!kid) {
			message = `${shown(name)} of ${shown(zoom)} is gone`;
			break;
		}
		n = kid;
	}
	current = root = sandwich ? {tree: sandwich.down, n: 0} : {tree: main, n};
	search(text);
	refresh();
	if (message)
		say(1, message);
}

// The width that there is: is it another one?
function measure() {
	const before = width;
	// What stands below the boxes keeps their scale.
	if (below[0])
		return false;
	svg.setAttribute("width", "100%");
	width = Math.max(200, Math.round(svg.getBoundingClientRect().width)) || before;
	svg.setAttribute("width", width);
	return width != before;
}

attributes(svg, {role: "group"});
attributes(layer, {role: "tree", "aria-label": TITLE});
measure();
restore();
listen();
