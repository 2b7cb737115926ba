// Text: names, shortened and shown safely; shares as the picture itself writes them; paths.

const {"abs": abs, "ceil": ceil, "floor": floor, "max": max, "min": min, "round": round} = Math;
const HIDDEN = /[\0-\x08\n-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/g;
// As in label.c; what is shown as a picture by itself has a property, and so have letters of flags, which are narrow.
const WIDE = /(?![\u{1f1e6}-\u{1f1ff}])[\p{EPres}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{1f6d5}-\u{1f6df}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const PARTS = /::(?!h[0-9a-f]{16}$)|[\/\\]|\.(?!\d|(c|cc|cold|constprop|cpp|dll|dylib|exe|go|h|hpp|isra|java|js|ko|llvm|lto_priv|mjs|part|php|py|rb|rs|so|ts)\b)/y;
const DOTS = "\u2026";

const columns = text => /[^ -~]/.test(text) ? [...clean(text)].reduce((n, c) => n + 1 + WIDE.test(c), 0) : text.length;
const grouped = n => n.toLocaleString("en");
const plural = (n, word) => `${grouped(n)} ${word}${n == 1 ? "" : "s"}`;

// The shortest digits that are the number, as the picture itself writes them.
const digits = v => abs(v) < (v && 1e-4) || abs(v) >= (v % 1 ? 1e15 : 1e18) ? v.toExponential().replace(/e.(?=.$)/, "$&0") : `${v % 1 ? v : BigInt(v)}`;
// Decimal halves go up, there as well.
const up = n => n < 1e12 ? n * (1 + 1e-15) : n;
const few = (n, most = 3) => +up(n).toPrecision(most);
const written = n => n < 99.95 || n >= 1e15 ? few(n) : round(up(n));

// What deceives or cannot be seen is written out.
const clean = text => text.replace(HIDDEN, c => `\\u{${c.charCodeAt(0).toString(16).toUpperCase()}}`);

// The first characters of a long text. What the data cut says itself, behind 10,000, how many it had.
function shown(text) {
	const list = text.length > 1000 ? [...text] : [];
	return clean(list.length > 1000 ? list.slice(0, 1000).join("") + (list.slice(10000).join("") || `${DOTS} (${list.length} characters)`) : text);
}

function beginning(text, room) {
	let at = 0;
	for (const c of text) {
		room -= columns(c);
		if (room < 0)
			break;
		at += c.length;
	}
	return text.slice(0, at);
}

const turned = text => [...text].reverse().join("");

// Places behind the qualifiers of a name: parts that end outside of brackets.
function parts(name) {
	const places = [];
	for (let i = 0, depth = 0; i < name.length; i++) {
		const c = name[i];
		if (c == "<" ? !/operator<?$/.test(name.slice(max(0, i - 9), i)) : "([".includes(c))
			depth++;
		else if (depth && (c == ">" ? name[i - 1] != "-" : ")]".includes(c)))
			depth--;
		PARTS.lastIndex = i;
		if (!depth && PARTS.test(name)) {
			i = PARTS.lastIndex - 1;
			if (i + 1 < name.length)
				places.push(i + 1);
		}
	}
	return places;
}

// how: 0 qualifiers go first, 1 the end, 2 the beginning.
function fit(name, room, how) {
	if (columns(name) <= room)
		return name;
	const end = turned(beginning(turned(name), room - 1));
	if (how == 2)
		return DOTS + end;
	const places = how ? [] : parts(name), place = places.find(at => name.length - at <= end.length);
	return place ? DOTS + name.slice(place) : beginning(name.slice(places.pop() || 0), room - 1) + DOTS;
}

// Lines of a text in so many columns, broken at blanks, but not before a percent sign.
function wrapped(text, room) {
	const lines = [];
	while (columns(text) > room) {
		const most = beginning(text, room);
		let blank = most.length;
		while (blank > 0 && (text[blank] != " " || text[blank + 1] == "%"))
			blank--;
		lines.push(blank > 0 ? text.slice(0, blank) : most);
		text = text.slice(blank > 0 ? blank + 1 : most.length);
	}
	return [...lines, text];
}

function share(part, whole) {
	const p = up(abs(100 * (part / whole)));
	if (!(p < 1e15))
		return "-";
	const text = p && p < 0.005 ? "<0.01" : p < 9.95 ? +p.toFixed(p < 0.095 ? 2 : 1) : round(p);
	return `${part < 0 ? "-" : ""}${text} %`;
}

// A stack as a stackpath prints it, and back.
const pathText = names => names.map(name => name.replace(/\\(?=[\\;])|;|\\$/g, "\\$&")).join(";").replace(/\\\\$/, "\\");
const pathNames = text => (text.match(/(\\[\\;]|[^;])+/g) || []).map(name => name.replace(/\\([\\;])/g, "$1"));
