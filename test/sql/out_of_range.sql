-- Values fit a double, and so their sums need not: totals, deviations, bounds and exports are error 22003 then, never infinite.

-- a total that overflows, one that overflows on the way, and one that cancels to 0
CREATE TEMP TABLE extreme(name text, fg flamegraph);
INSERT INTO extreme VALUES ('over', E'a;b 1e308\na;c 1e308'), ('on the way', E'a 1e308\nb 1e308\nc -1e308'), ('under', E'a;b -1e308\na;c -1e308'), ('cancels', E'a;b 1e308\na;c -1e308'), ('small', E'a 1e308\nb -1e308\nc 5e-324');
SELECT name, t.outcome(format('SELECT total(%L)', fg)) FROM extreme;

-- JSON, speedscope and pprof
SELECT name, t.outcome(format('SELECT flamegraph_to_speedscope(%L, ''x'', ''samples'') #>> ''{profiles,0,endValue}''', fg)) FROM extreme;
SELECT name, t.outcome(format('SELECT flamegraph_to_json(%L)', fg)) FROM extreme;
SELECT t.try(
	$$SELECT flamegraph_to_speedscope(E'a 1e308\nb 1e308', repeat('x', 10), 'samples')$$,
	$$SELECT flamegraph_to_speedscope(E'a -1e308\nb -1e308', 'x', 'none')$$,
	$$SELECT flamegraph_to_pprof(E'a 4611686018427387904\nb 4611686018427386880', 'x', 'y') IS NOT NULL$$,
	$$SELECT flamegraph_to_pprof(E'a 4611686018427387904\nb 4611686018427387904', 'x', 'y')$$,
	$$SELECT flamegraph_to_pprof(E'a 9223372036854774784\nb -9223372036854774784', 'x', 'y')$$,
	$$SELECT flamegraph_to_pprof('a 1e300', 'x', 'y')$$);

-- shares of such totals
SELECT t.try(
	$$SELECT * FROM nodes(E'a 1e308\nb 1e308')$$,
	$$SELECT * FROM frame_metrics(E'a 1e308\nb 1e308')$$,
	$$SELECT * FROM top(E'a 1e308\nb 1e308')$$,
	$$SELECT * FROM editor_metrics(E'a 1e308\nb 1e308')$$,
	$$SELECT * FROM tree(E'a 1e308\nb 1e308')$$,
	$$SELECT * FROM hot_contexts(E'a 1e308\nb 1e308', 0.1)$$,
	$$SELECT rescale(E'a 1e308\nb 1e308', 1)$$,
	$$SELECT rescale(E'a 1e308\nb -1e308', 1)$$,
	$$SELECT * FROM task_totals(E'a 1e308\nb 1e308', '{"all": {"prefix": ""}}')$$,
	$$SELECT * FROM top(E'a 1e308\nb -1e308\nc 5e-324')$$);

-- deviations and bounds of intervals
SELECT t.try(
	$$SELECT * FROM entries((SELECT stats(v, 'stack') FROM unnest(ARRAY['a 2', E'b;c 1e308\nb;d -1e308', 'a 3']::flamegraph[]) v))$$,
	$$SELECT * FROM compare_profiles(ARRAY[E'a;b 1e308', '', '']::flamegraph[], ARRAY['a 1', 'a 2']::flamegraph[])$$,
	$$SELECT * FROM compare_profiles(ARRAY['a 1e153', 'a -1e153']::flamegraph[], ARRAY['a 1', 'a 2']::flamegraph[], alpha => 1e-300)$$);

-- a change relative to next to nothing is infinite, and the report goes on
SELECT key, mean_before, mean_after, relative, change FROM compare_profiles(ARRAY[E'a 1e-300\nb 4\nc 1e-300', E'a 1e-300\nb 5\nc 1e-300']::flamegraph[], ARRAY[E'a 1e300\nb 8\nc -1e300', E'a 1e300\nb 9\nc -1e300']::flamegraph[]) ORDER BY key;
SELECT frame, baseline_share, current_share, ratio, angle FROM compare_baseline(E'a 1e-300\nb 1\nd 1e-300', E'a 1e300\nb 1\nc 1\nd -1e300') ORDER BY frame;

-- integrals, means and sums of models
SELECT t.try(
	$$SELECT * FROM integral_points('{-1e308,-5e307,0,5e307,1e308,1.7e308}', '{1,2,3,4,5,6}', '{2,3,5,4,6,9}')$$,
	$$SELECT * FROM average_amount('{1e308,1.7e308}', '{1,2}')$$);
