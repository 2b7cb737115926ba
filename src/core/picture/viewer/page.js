// What a page does beyond showing itself: tables are sorted and filtered, parts open where a link leads and for print.

const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const FILTERED_FROM = 20;

// What a cell is sorted by: its number, else its text; null is nothing, as is what is not a number.
function valueOf(row, column) {
	const cell = row.cells[column], text = cell.textContent.trim(), number = +cell.dataset.v;
	return cell.dataset.v ? isNaN(number) ? null : number : text === "" || cell.classList.contains("none") ? null : text.toLowerCase();
}

// Nothing comes last, whichever way the table is sorted; rows that are equal stay as they are.
function compare(a, b, way) {
	if (a === null || b === null)
		return (a === null) - (b === null);
	if (typeof a != typeof b)
		return typeof a == "number" ? -1 : 1;
	return way * (a < b ? -1 : a > b ? 1 : 0);
}

function sort(table, heads, head) {
	const column = head.cellIndex, body = table.tBodies[0], rows = [...body.rows].map(row => [valueOf(row, column), row]);
	const first = rows.some(([v]) => typeof v == "number") ? "descending" : "ascending";
	const now = head.getAttribute("aria-sort"), next = !now ? first : now == "ascending" ? "descending" : "ascending";
	heads.forEach(e => e.removeAttribute("aria-sort"));
	head.setAttribute("aria-sort", next);
	rows.sort((a, b) => compare(a[0], b[0], next == "ascending" ? 1 : -1));
	body.append(...rows.map(([, row]) => row));
}

function makeSortable(table) {
	const heads = all("thead th", table);
	heads.forEach(head => {
		const button = document.createElement("button");
		button.type = "button";
		button.append(...head.childNodes);
		button.addEventListener("click", () => sort(table, heads, head));
		head.append(button);
	});
}

function makeFilter(table, number) {
	const rows = [...table.tBodies[0].rows], box = document.createElement("div"), label = document.createElement("label");
	const input = document.createElement("input"), count = document.createElement("span");
	box.className = "filter";
	input.type = "search";
	input.id = `filter${number}`;
	label.htmlFor = input.id;
	label.textContent = "Filter";
	count.setAttribute("role", "status");
	box.append(label, input, count);
	table.parentNode.before(box);
	input.addEventListener("input", () => {
		const wanted = input.value.toLowerCase();
		let shown = 0;
		rows.forEach(row => {
			row.hidden = !row.textContent.toLowerCase().includes(wanted);
			shown += !row.hidden;
		});
		count.textContent = wanted ? `${shown} of ${rows.length} rows` : "";
	});
}

// Opens what a link leads into: the part behind the place, and those around it.
function reveal() {
	const target = document.getElementById(location.hash.slice(1));
	for (let e = target && (target.nextElementSibling || target); e; e = e.parentElement)
		if (e.tagName == "DETAILS")
			e.open = true;
	if (target)
		target.scrollIntoView();
}

all("main table").forEach((table, i) => {
	makeSortable(table);
	if (table.tBodies[0].rows.length > FILTERED_FROM)
		makeFilter(table, i);
});

// What is wider than its room scrolls, and what scrolls has to be reached by keys.
function reachWide() {
	all("figure").forEach(figure => {
		if (figure.scrollWidth > figure.clientWidth)
			figure.tabIndex = 0;
		else
			figure.removeAttribute("tabindex");
	});
}

// Viewers lay their pictures out for so many pixels: a wide one would be shrunk to a sheet until nobody can read it.
function layOut(width) {
	document.body.style.maxWidth = width;
	dispatchEvent(new Event("resize"));
	document.body.style.maxWidth = "";
}

let opened = [];
addEventListener("beforeprint", () => {
	opened = all("details:not([open])");
	opened.forEach(e => {
		e.open = true;
	});
	layOut("720px");
});
addEventListener("afterprint", () => {
	opened.forEach(e => {
		e.open = false;
	});
	layOut("");
});
addEventListener("hashchange", reveal);
addEventListener("resize", reachWide);
addEventListener("toggle", reachWide, true);
reveal();
reachWide();
