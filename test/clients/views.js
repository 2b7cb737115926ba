// views.js CONNECTION VIEWS: what pg of npm gets from the views, in the lines of views.py. Text only: pg reads every field
// as UTF-8 before its parsers see it, which binary values do not survive.
const { Client, types } = require('pg');
const [connection, views] = process.argv.slice(2);

function kind(value) {
	if (value === null) return 'null';
	if (value instanceof Date) return 'time';
	if (typeof value === 'bigint') return 'number';
	return { string: 'text', boolean: 'bool' }[typeof value] ?? typeof value;
}

(async () => {
	const client = new Client({ connectionString: connection });
	await client.connect();
	types.setTypeParser(20, (text) => BigInt(text)); // numbers beyond 2^53 are text otherwise
	for (const view of views.split(',')) {
		const result = await client.query(`SELECT * FROM profiling.${view}`);
		for (const { name } of result.fields) {
			const kinds = new Set(result.rows.map((row) => kind(row[name])));
			kinds.delete('null');
			console.log(view, name, [...kinds].sort().join('|') || 'null');
		}
	}
	for (const row of (await client.query('SELECT metric, total FROM profiling.benchmark_trend ORDER BY started_at')).rows) {
		console.log('trend', row.metric.toFixed(3), row.total.toFixed(3));
	}
	const value = (await client.query('SELECT flamegraph AS folded, flamegraph_send(flamegraph) AS bytes FROM profiling.latest_profile')).rows[0];
	console.log('text', JSON.stringify(value.folded));
	console.log('binary', value.bytes.toString('hex'));
	await client.end();
})().catch((error) => {
	console.error(error);
	process.exit(1);
});
