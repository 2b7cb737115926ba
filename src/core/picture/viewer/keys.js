// What people do: keys, the mouse, links; and the beginning of it all.

// Draws the state anew.
function refresh(message) {
	closeMenu();
	draw();
	report(message);
	tell(current);
	link();
}

function zoomTo(tree, n, focused) {
	current = root = {tree: n || tree.made ? tree : panels[0], n};
	refresh();
	if (focused)
		attend(current);
}

function attend(b) {
	if (current.g)
		attributes(current.g, {tabindex: -1});
	current = b;
	if (!b.g)
		layer.append(makeBox(b));
	attributes(b.g, {tabindex: 0});
	b.g.focus();
}

// What is hidden is looked for below its parent, then by its first part.
const enter = b => zoomTo(b.tree, b.more && b.n == root.n ? b.first : b.n);

function setSandwich(frame) {
	halves = !isParts && frame >= 0 && sandwichOf(frame);
	zoomTo(halves ? halves.down : panels[0], 0);
}

const COMMANDS = {
	Enter: enter,
	" ": enter,
	Backspace: () => root.n ? zoomTo(root.tree, root.tree.parent[root.n]) : setSandwich(),
	0: () => setSandwich(),
	Escape: () => wanted ? lookFor("") : setSandwich(),
	"/": () => field.focus(),
	"n": () => step(1),
	"N": () => step(-1),
	"f": b => !b.more && !b.far && lookFor(`^${escaped(nameIn(b))}$`),
	"m": openMenu,
	ContextMenu: openMenu,
	"c": b => copy(nameIn(b)),
	"C": b => copy(`'${pathText(stackOf(b)).replace(/'/g, "''")}'`),
	"i"() {
		turnedOver = !turnedOver;
		refresh();
	},
	"s"() {
		byValue = !byValue;
		refresh();
	},
	"w": b => setSandwich(halves || b.more || b.far ? -1 : b.tree.frame[b.n]),
	"d"() {
		folded = isDiff && tested && !folded;
		refresh();
	},
	ArrowLeft: b => near(b, 0, -1),
	ArrowRight: b => near(b, 0, 1),
	ArrowUp: b => near(b, -1),
	ArrowDown: b => near(b, 1),
	Home: b => near(b, 0, -Infinity),
	End: b => near(b, 0, Infinity)
};

function lookFor(text) {
	seek(text);
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
	const touch = o => min(o.x + o.w, b.x + b.w) - max(o.x, b.x);
	const line = boxes.filter(o => o.row == b.row + by).sort((l, r) => by ? touch(r) - touch(l) : l.x - r.x);
	const to = line[by ? 0 : max(0, min(line.length - 1, line.indexOf(b) + side))];
	if (to)
		attend(to);
}

// Keys in the search field are its text. Returns false for those that are not.
function type(key) {
	if (key == "Enter" || key == "Escape") {
		attend(current);
		return key == "Enter" ? step(1) : lookFor("");
	}
	return key == "Backspace" ? lookFor(wanted.slice(0, -1)) : key.length == 1 && lookFor(wanted + key);
}

const press = key => key in COMMANDS && COMMANDS[key](current);

// What a button does, or an item of the menu for its box.
function use(at) {
	if (menu?.contains(at))
		attend(current);
	closeMenu();
	press(at.key);
}

// Keys while the menu is open, around its ends.
function choose(at, key) {
	const items = list(".x", menu), by = {ArrowDown: 1, ArrowUp: -1}[key];
	if (by)
		return items[(items.indexOf(at) + by + items.length) % items.length].focus();
	if (key == "Escape" || key == "Tab") {
		closeMenu();
		attend(current);
	}
}

const holder = (e, selector) => e.target.closest(selector);

function onKey(e) {
	const key = e["key"], at = holder(e, ".x"), control = e.ctrlKey || e.metaKey;
	const act = control ? key == "f" && whole ? () => field.focus() : null : at == field ? () => type(key) :
		at && (key == "Enter" || key == " ") ? () => use(at) : () => menu ? choose(at, key) : press(key);
	if (act && !e.altKey && act() !== false)
		e.preventDefault();
}

const whole = svg == page.documentElement;

function listen() {
	const on = (name, act, to = svg) => to.addEventListener(name, act), boxAt = e => holder(e, ".f")?.box;
	on("click", e => {
		const b = boxAt(e), at = holder(e, ".x");
		b ? enter(b) : at ? use(at) : closeMenu();
	});
	on("contextmenu", e => {
		const b = boxAt(e), {x, y} = around();
		if (!b)
			return;
		e.preventDefault();
		openMenu(b, e.clientX - x, e.clientY - y);
	});
	on("pointerover", e => {
		const b = boxAt(e);
		holder(e, "[role=menuitem]")?.focus();
		if (!b)
			return;
		(one("title", b.g) || element("title", {}, b.g)).textContent = `${shown(nameIn(b))}\n${factsIn(b)}`;
		tell(b);
	});
	on("pointerleave", () => tell(current));
	on("focusin", e => boxAt(e) && tell(current = boxAt(e)));
	on("keydown", onKey, whole ? browser : svg);
	on("paste", e => page.activeElement == field && lookFor(wanted + e.clipboardData.getData("text")), browser);
	on("scroll", stick, browser);
	on("resize", () => measure() ? refresh() : stick(), browser);
	on("hashchange", restore, browser);
}

const LINKED = ["zoom", "search", "flip", "sort", "sandwich", "part"];
const linked = () => new URLSearchParams(location.hash.slice(1));

// Paths, not numbers: a link holds for the picture of another night. Further pictures of a page have a number.
function link() {
	const links = linked(), {tree, n} = root, zoomed = n && !tree.made;
	const state = [zoomed && pathText(stackOf(root)), wanted, turnedOver != options.flame && 1, byValue != options.value && (byValue ? "value" : "name"), halves && nameOf(halves.up, 0), zoomed && tree.word];
	LINKED.forEach((key, i) => {
		links.delete(key + nr);
		if (state[i])
			links.set(key + nr, state[i]);
	});
	try {
		// A word alone is a place of the page.
		history.replaceState(null, "", `#${links}`.replace(/=(?=&|$)/g, ""));
	} catch {
		// A document without an address has no links.
	}
}

// The state that a link asks for, or the document. Of a path that is gone the longest beginning is shown.
function restore() {
	const links = linked(), any = LINKED.some(key => links.has(key + nr));
	const [zoom, text, turned, sort, name, part] = LINKED.map(key => (any ? links.get(key + nr) : data[key]) || "");
	const frame = frames.indexOf(name);
	let n = 0, message;
	turnedOver = options.flame != !!turned;
	byValue = sort ? sort == "value" : !!options.value;
	halves = !isParts && frame >= 0 && sandwichOf(frame);
	for (const name of pathNames(zoom)) {
		const kid = main.kids(n).find(k => nameOf(main, k) == name);
		if (!kid) {
			message = `${shown(name)} of ${shown(zoom)} is gone`;
			break;
		}
		n = kid;
	}
	current = root = halves ? {tree: halves.down, n: 0} : {tree: placeOf(n, part), n};
	seek(text);
	refresh(message);
}

// The width that there is: is it another one?
function measure() {
	const before = fullWidth;
	attributes(svg, {width: "100%"});
	fullWidth = max(200, round(around().width));
	attributes(svg, {width: fullWidth});
	return fullWidth != before;
}

measure();
if (all) {
	attributes(svg, {role: "group"});
	attributes(layer, {role: "tree", "aria-label": TITLE});
	// The viewer draws the boxes of all panels in one layer.
	list(".e").forEach(e => e.remove());
	restore();
	listen();
} else {
	bar.remove();
	place();
	addEventListener("resize", () => measure() && place());
}
