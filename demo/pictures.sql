-- Pictures of the demo's profiles, in tmp/demo. Run by demo/run.sh from the top of the tree, after store.sql.
\pset format unaligned
\pset tuples_only on
SELECT flamegraph_svg(avg(profile), 'Before the index', 'samples a run')
FROM profile WHERE version = 'noindex' \g tmp/demo/before.svg
SELECT flamegraph_svg(avg(profile), 'With the index', 'samples a run')
FROM profile WHERE version = 'index' \g tmp/demo/after.svg
SELECT flamegraph_diff_svg(array_agg(profile) FILTER (WHERE version = 'noindex'),
	array_agg(profile) FILTER (WHERE version = 'index'), 'What the index changed', 'samples a run')
FROM profile \g tmp/demo/difference.svg
