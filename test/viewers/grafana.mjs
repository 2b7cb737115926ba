// In the page: Grafana's flame graph, the same component as in its panel, draws the rows of nested_set.
import {createElement} from 'react';
import {createRoot} from 'react-dom/client';
import {FieldType, createTheme, toDataFrame} from '@grafana/data';
import {FlameGraph, checkFields} from '@grafana/flamegraph/dist/esm/index.js';
import {FlameGraphDataContainer} from '@grafana/flamegraph/dist/esm/FlameGraph/dataTransform.js';

// Columns become fields as its data source for PostgreSQL makes them.
const frame = rows => toDataFrame({fields: Object.keys(rows[0]).map(name => ({
	name, type: typeof rows[0][name] == 'number' ? FieldType.number : FieldType.string, values: rows.map(row => row[name]),
}))});

// What is wrong with the fields, in the words of the package; empty where nothing is.
window.wrongFields = rows => {
	const wrong = checkFields(frame(rows));
	return wrong ? [...wrong.missingFields, ...wrong.wrongTypeFields.map(field => field.name)] : [];
};

// Its boxes by level: label, both values together, that of the right side, beginning, index of the parent in the level above.
window.levels = rows => {
	const container = new FlameGraphDataContainer(frame(rows), {collapsing: false});
	const levels = container.getLevels();
	return levels.map((items, level) => items.map(item => ({
		label: container.getLabel(item.itemIndexes[0]), value: item.value, right: item.valueRight ?? null, start: item.start,
		parent: level ? levels[level - 1].indexOf(item.parents[0]) : -1,
	})));
};

window.draw = rows => createRoot(document.body.appendChild(document.createElement('div')))
	.render(createElement(FlameGraph, {data: frame(rows), getTheme: () => createTheme({colors: {mode: 'light'}}), disableCollapsing: true, showFlameGraphOnly: true}));
