// Each picture that stands before this script and was not started by another copy of it. A large one is seen before the
// viewer takes it over.

const soon = requestAnimationFrame;

[...document.querySelectorAll("svg.fg>metadata")].forEach(({parentNode: svg}, i) => {
	const boxes = svg.querySelectorAll(".f").length, start = () => viewer(svg, i ? i + 1 : "");
	if (!svg.started)
		boxes > 2000 ? soon(() => setTimeout(start)) : start();
	svg.started = true;
});
