// Each picture that stands before this script and was not started by another copy of it.

document.querySelectorAll("svg.fg>metadata").forEach(({parentNode: svg}, i) => {
	if (!svg.started && svg.querySelector(".f"))
		viewer(svg, i ? i + 1 : "");
	svg.started = true;
});
