// Each flame chart that stands before this script and was not started by another copy of it. A large one is seen before
// the viewer takes it over.

[...document.querySelectorAll("svg.fg>g>metadata")].forEach((e, i) => {
	const svg = e.closest("svg"), start = () => viewer(svg, i ? i + 1 : "");
	if (!svg.started)
		e.textContent.length > 200000 ? requestAnimationFrame(() => setTimeout(start)) : start();
	svg.started = true;
});
