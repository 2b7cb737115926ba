-- size_factor(before, after, method, min_mean): by what recordings of fixed
-- length must be divided.
\pset null NULL

-- golden/algebra: size_factor_small
SELECT size_factor(avg(f) FILTER (WHERE NOT after), avg(f) FILTER (WHERE after), 'median_ratio') AS median_ratio, size_factor(avg(f) FILTER (WHERE NOT after), avg(f) FILTER (WHERE after), 'median_ratio', min_mean => 5) AS default_min_mean, size_factor(avg(f) FILTER (WHERE NOT after), avg(f) FILTER (WHERE after), 'total') AS total, (5 + 10 + 90 + 25) / (10 + 20 + 30 + 0.5) AS total_by_hand, size_factor(avg(f) FILTER (WHERE NOT after), avg(f) FILTER (WHERE after), 'none') AS none
FROM (VALUES (false, flamegraph E'a 10\nb 20\nc 30\nd 1'), (false, E'a 10\nb 20\nc 30'), (true, E'a 5\nb 10\nc 90\nn 50'), (true, E'a 5\nb 10\nc 90')) v(after, f);

-- the median of after / before over the stacks of both whose mean over both is at least min_mean
SELECT before, after, m AS min_mean, size_factor(before, after, 'median_ratio', m)
FROM (VALUES (flamegraph E'a 10', flamegraph E'a 20', 5::float8), ('a 10', 'a 20', 15), ('a 10', 'a 20', 15.000001), ('a 10', 'b 20', 0), ('', '', 0), ('a 10', '', 0), ('a;b 4', 'a;b 5', 5), ('a;b 4', 'a;b 6', 5), (' 10', ' 30', 5), ('a 1', 'a 3', 0), ('a 1', 'a 3', -1)) v(before, after, m);
SELECT size_factor(E'a 10\nb 10\nc 10', E'a 10\nb 20\nc 90', 'median_ratio') AS odd, size_factor(E'a 10\nb 10\nc 10\nd 10', E'a 10\nb 20\nc 40\nd 90', 'median_ratio') AS even, size_factor(E'a 10\nb 10\nc 10\nd 10', E'a 10\nb 20\nc 90', 'median_ratio') AS absent_left_out, size_factor(E'a 2\nb 10\nc 10', E'a 4\nb 10\nc 30', 'median_ratio') AS small_left_out;
-- one stack that grew does not move it; the inverse of the other direction for an odd number
SELECT size_factor(f, g, 'median_ratio') AS factor, size_factor(g, f, 'median_ratio') AS other_way, size_factor(f, f, 'median_ratio') AS same, size_factor(f, f * 3, 'median_ratio') AS three, size_factor(f, f * 3, 'total') AS three_total FROM (SELECT flamegraph_agg('f' || i, i * 8) AS f, flamegraph_agg('f' || i, CASE i WHEN 50 THEN 100000 ELSE i * 4 END) AS g FROM generate_series(1, 101) i) v;
-- against percentile_cont over rows, as Anders & Huber (2010), eq. 5, for two samples: ratios to the geometric mean
CREATE TEMP TABLE pairs AS
SELECT id, flamegraph_agg('f' || i, 1 + t.random(format('a %s %s', id, i), 40)) FILTER (WHERE t.random(format('in a %s %s', id, i), 5) > 0) AS before, flamegraph_agg('f' || i, 1 + t.random(format('b %s %s', id, i), 60)) FILTER (WHERE t.random(format('in b %s %s', id, i), 5) > 0) AS after FROM generate_series(1, 50) id, generate_series(1, 15) i GROUP BY id;
SELECT m AS min_mean, count(*) AS pairs, count(*) FILTER (WHERE (got IS NULL) <> (wanted IS NULL) OR abs(got - wanted) > 1e-9 * wanted) AS wrong, count(got) AS defined FROM pairs, unnest(ARRAY[0, 5, 20, 45, 49]) m,
	LATERAL (SELECT size_factor(before, after, 'median_ratio', m) AS got, percentile_cont(0.5) WITHIN GROUP (ORDER BY y.value / x.value) AS wanted FROM stacks(before) x JOIN stacks(after) y USING (stack) WHERE (x.value + y.value) / 2 >= m) s GROUP BY m ORDER BY m;
-- totals
SELECT before, after, size_factor(before, after, 'total') AS total, size_factor(before, after, 'none') AS none FROM (VALUES (flamegraph 'a 10', flamegraph 'b 5'), ('a 10', ''), ('', 'a 10'), ('', ''), (E'a 1\nb -1', 'a 1'), ('a 1', E'a 1\nb -1'), ('a -2', 'a 4'), ('a 3', 'a 1'), ('a 1e300', 'a 2e300')) v(before, after);
-- signed profiles: only stacks that are positive on both sides have a ratio
SELECT size_factor(E'a 10\nb -10\nc 10', E'a 20\nb 30\nc 20', 'median_ratio', 0) AS signed;
-- null in, null out
SELECT size_factor(NULL, 'a 1', 'total') AS before, size_factor('a 1', NULL, 'total') AS after, size_factor('a 1', 'a 1', NULL) AS method, size_factor('a 1', 'a 1', 'none', NULL) AS min_mean;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT size_factor('a 1', 'a 1', 'median')$$,
	$$SELECT size_factor('a 1', 'a 1', '')$$,
	$$SELECT size_factor('', '', 'Total')$$,
	$$SELECT size_factor('a 1', 'a 1')$$,
	$$SELECT size_factor('a 10', 'a 10', 'median_ratio', 'NaN')$$,
	$$SELECT size_factor('a 10', 'a 10', 'median_ratio', 'Infinity')$$,
	$$SELECT size_factor('a 10', 'a 10', 'none', 'NaN')$$,
	$$SELECT size_factor('a 1e-300', 'a 1e300', 'median_ratio')$$,
	$$SELECT size_factor('a 1e300', 'a 1e-300', 'median_ratio', 0)$$,
	$$SELECT size_factor('a 1e-300', 'a 1e300', 'total')$$,
	$$SELECT size_factor('a 1.7e308', 'a 1.7e308', 'median_ratio')$$,
	$$SELECT size_factor(E'a 1.7e308\nb 1.7e308', 'a 1', 'total')$$);
