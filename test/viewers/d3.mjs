// In the page: d3-flame-graph draws what flamegraph_to_json returns.
import {select} from 'd3-selection';
import flamegraph, {colorMapper} from 'd3-flame-graph';

window.draw = (root, differential) => {
	const chart = flamegraph().width(1000).cellHeight(18).transitionDuration(0);
	if (differential)
		chart.setColorMapper(colorMapper.differentialColorMapper);
	select(document.body.appendChild(document.createElement('div'))).datum(root).call(chart);
};

// All boxes: name, the sentence of the tooltip, share of the width, colour.
window.boxes = () => [...document.querySelectorAll('g.frame')].map(g => ({
	name: g.getAttribute('name'), title: g.querySelector('title').textContent, share: g.getAttribute('width') / 1000, colour: g.querySelector('rect').getAttribute('fill'),
}));
