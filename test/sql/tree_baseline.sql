-- compare_baseline and editor_metrics: what an editor draws beside a function (Lumnitz 2021, section 3.4).
\pset null NULL

-- table 3.2: the baseline's share is always 0.1. Angles are cut towards zero, the colour is that of the cut angle.
SELECT v.share, c.current_share, c.angle, shown_angle, red, green, blue FROM unnest(ARRAY[50, 67, 83, 100, 133, 167, 200]) WITH ORDINALITY v(share, i), LATERAL (SELECT flamegraph_agg(s, n) AS current FROM (VALUES ('f', share), ('rest', 1000 - share)) w(s, n)) x, compare_baseline(E'f 100\nrest 900', current) c WHERE frame = 'f' ORDER BY i;
-- baseline_special: (0.3, 0) is gone, (0, 0.3) new, (1, 0.25), (0.1, 0.9) and (0.5, 0.5); shares that are limited to half and twice
SELECT frame, baseline_share, current_share, ratio, angle, shown_angle, red, green, blue FROM compare_baseline(E'all;quarter;half;gone 30\nall;quarter;half 20\nall;quarter 50', E'all;half;new 30\nall;half 20\nall;quarter 25\nall 25');
SELECT * FROM compare_baseline(E'f 1\ng 9', E'f 9\ng 1');
-- worked: ratio 1.25 is a quarter of the way to twice: -22.5, shown as -22, colour 22 * 255 / 90 = 62; ratio 0.8: 1 / 0.8 - 1 = 0.25
SELECT * FROM compare_baseline(E'f 40\ng 50\nh 10', E'f 50\ng 40\nh 10');
-- recursion counts once; the largest current share first, then bytewise
SELECT frame, baseline_share, current_share FROM compare_baseline(E'a;a;b 1\nb 1', E'a;a;b 1\na b;B;é;b 1\nnone 2');
-- against nothing there is no share, no ratio and no arrow; values that cancel give a total of 0
SELECT * FROM compare_baseline('', 'a;b 1');
SELECT * FROM compare_baseline('a;b 1', '');
SELECT * FROM compare_baseline(E'a 1\nb -1', 'a 1');
SELECT count(*) FROM compare_baseline('', '');
-- the empty stack is part of the whole
SELECT * FROM compare_baseline(E'a 1\n 3', E'a 2\n 2');
SELECT * FROM compare_baseline(' 5', 'a 2');
-- frames whose values cancel have the share 0: as if they were not there
SELECT frame, baseline_share, current_share, ratio + 0 AS ratio, angle FROM compare_baseline(E'a;x 1\na;y -1\nb 4', E'a;x 1\na;y 1\nb;x 1\nb;y -1\nc 2');
-- negative shares: a ratio below one half is an improvement
SELECT frame, baseline_share, current_share, ratio, angle FROM compare_baseline(E'a 6\nb -2', E'a -2\nb 6');
SELECT * FROM compare_baseline(E'a\\;b;\\\\ 1\n x;"q" 1', E'#y;"q" 1\nö;\\\\ 3');
SELECT count(*) AS no_row FROM (SELECT * FROM compare_baseline(NULL, 'a 1') UNION ALL SELECT * FROM compare_baseline('a 1', NULL)) x;
SELECT (compare_baseline(flamegraph 'a 1', 'a 1')).angle, (SELECT shown_angle FROM compare_baseline(baseline => 'a 1', current => 'a 2'));

-- editor_metrics: samples of of_samples is total_share; threads: first frames above it
SELECT frame, total_share, self_fraction, samples, of_samples, callers, callees, threads FROM editor_metrics(E'T1;main;parse;read 40\nT1;main;parse 35\nT2;main;print 15\nT2;parse 10');
-- with a baseline: all frames of both, and the arrow
SELECT frame, total_share, samples, of_samples, callers, threads, angle, red, green, blue FROM editor_metrics(E'T1;a 6\nT1;b 2\nT2;b 2', baseline => E'T1;a 3\nT1;c 7');
-- those asked for, also such as do not occur; each once
SELECT frame, total_share, self_fraction, samples, of_samples, callers, callees, threads, angle FROM editor_metrics(E'T1;a 6\nT1;b 4', ARRAY['b', 'none', 'T1', 'gone', 'b'], baseline => E'T1;gone 1');
SELECT frame FROM editor_metrics(E'T1;a 6\nT1;b 4', '{{b,c},{a,b}}');
-- frames that start so; an empty prefix is all of them
SELECT p AS prefix, (SELECT string_agg(frame, ' ') FROM editor_metrics(E'app.f;app.g;lib.h;App.f;a 1\nöa;öb 2', NULL, p)) AS frames, (SELECT string_agg(frame, ' ') FROM editor_metrics(E'app.f;app.g;lib.h 1', '{app.g,app.x,lib.y}', p)) AS asked FROM unnest(ARRAY[NULL, '', 'app.', 'a', 'A', 'ö', 'x', 'app.f;', 'app.f', '%', 'app.ff']) p;
SELECT f AS frames, count(e.frame) AS rows FROM (VALUES ('{}'::text[]), (NULL), ('{b}'), ('{x,y}'), ('{""}')) v(f) LEFT JOIN editor_metrics('a;b 1', f) e ON true GROUP BY f ORDER BY f::text COLLATE "C";
-- nothing, the empty stack, a total of 0
SELECT v.f, e.* FROM (VALUES (1, flamegraph ''), (2, ' 5'), (3, E'T;a 1\nT;b -1'), (4, NULL)) v(i, f), editor_metrics(f, '{a,x}') e ORDER BY i, frame COLLATE "C";
SELECT v.f, (SELECT count(*) FROM editor_metrics(f)) AS rows, (SELECT count(*) FROM editor_metrics('a 1', baseline => f)) AS rows_2 FROM (VALUES (flamegraph ''), (' 5'), ('b;c 1'), (NULL)) v(f);
SELECT frame, total_share, angle, blue FROM editor_metrics('a 1', baseline => '') UNION ALL SELECT frame, total_share, angle, blue FROM editor_metrics('', baseline => 'a 1') UNION ALL SELECT frame, total_share, angle, blue FROM editor_metrics('a 1', baseline => NULL);
SELECT frame, samples, threads FROM editor_metrics(E'a\\;b;\\\\ 1\n x;"q";#y 2', prefix => '"') UNION ALL SELECT frame, samples, threads FROM editor_metrics(E'a\\;b;\\\\ 1\n x;"q";#y 2', '{"a;b",\\," x"}');
SELECT (editor_metrics(flamegraph 'a 1')).frame, (editor_metrics(flamegraph 'a 1', NULL, NULL, NULL)).samples;

--
-- Against the definitions, on random profiles; every second one is signed.
--
CREATE FUNCTION pg_temp.generated(what text, id int) RETURNS flamegraph LANGUAGE sql AS $$
	SELECT coalesce((SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['a', 'b', 'c;d', 'é', 'ab'])[1 + t.random(format('%s f %s %s %s', what, id, i, d), 2 + id % 4)] FROM generate_series(1, t.random(format('%s d %s %s', what, id, i), 7)) d), t.random(format('%s v %s %s', what, id, i), 21) - 10 * (id % 2) + 1 - id % 2) FROM generate_series(1, id % 9) i), '')
$$;
CREATE TEMP TABLE random AS SELECT id, pg_temp.generated('b', id) AS b, pg_temp.generated('c', id) AS c FROM generate_series(1, 200) id;
-- listing 3.6, with >= 1 where it is printed >= 0
CREATE FUNCTION pg_temp.listing(baseline float8, current float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	change float8;
BEGIN
	IF baseline = 0 THEN
		IF current = 0 THEN
			RETURN 0;
		END IF;
		RETURN -45;
	ELSIF current = 0 THEN
		RETURN 45;
	END IF;
	change := greatest(0.5, least(2, current / baseline));
	IF change >= 1 THEN
		change := -1 * (change - 1);
	ELSE
		change := 1 / change - 1;
	END IF;
	RETURN 90 * change;
END
$$;
CREATE TEMP TABLE expected AS
SELECT *, trunc(angle)::int AS shown, floor(abs(trunc(angle)) / 90 * 255 + 0.5)::int AS colour FROM (
	SELECT *, CASE WHEN baseline IS NOT NULL AND current IS NOT NULL THEN pg_temp.listing(baseline, current) END AS angle FROM (
		SELECT id, frame, frame_total(b, frame) / nullif(total(b), 0) AS baseline, frame_total(c, frame) / nullif(total(c), 0) AS current FROM random, LATERAL (SELECT unnest(frames(b)) UNION SELECT unnest(frames(c))) f(frame)) x) y;
SELECT (SELECT count(*) FROM expected) AS expected, count(*) AS found, count(*) FILTER (WHERE e.frame IS NULL OR o.frame IS NULL OR (o.baseline_share, o.current_share, o.ratio) IS DISTINCT FROM (e.baseline, e.current, e.current / nullif(e.baseline, 0))) AS wrong_shares, count(*) FILTER (WHERE o.angle IS DISTINCT FROM e.angle) AS wrong_angles,
	count(*) FILTER (WHERE (o.shown_angle, o.red, o.green, o.blue) IS DISTINCT FROM (e.shown, CASE WHEN e.shown < 0 THEN e.colour WHEN e.shown >= 0 THEN 0 END, CASE WHEN e.shown >= 0 THEN e.colour WHEN e.shown < 0 THEN 0 END, 255 - e.colour)) AS wrong_colours, count(DISTINCT o.shown_angle) AS angles, count(*) FILTER (WHERE o.angle IS NULL) AS no_arrow
FROM expected e FULL JOIN (SELECT id, o.* FROM random, compare_baseline(b, c) o) o USING (id, frame);
SELECT count(*) AS found, count(*) FILTER (WHERE share > before OR share = before AND frame <= before_frame) AS out_of_order FROM (SELECT *, lag(share) OVER w AS before, lag(frame) OVER w AS before_frame FROM (SELECT id, ordinality, frame_total(c, frame) AS share, frame COLLATE "C" AS frame FROM random, compare_baseline(b, c) WITH ORDINALITY) y WINDOW w AS (PARTITION BY id ORDER BY ordinality)) x;
-- shares are the same whatever the size of the profile; equal profiles have no change
SELECT count(*) AS compared, count(*) FILTER (WHERE ratio <> 1 OR angle <> 0 OR (red, green, blue) <> (0, 0, 255)) AS wrong FROM random, compare_baseline(b, 4 * b) WHERE baseline_share <> 0;

-- editor_metrics: frame_metrics, thread_metrics and compare_baseline in one row
CREATE TEMP TABLE editor AS SELECT id, n, e.* FROM random, (VALUES (1, '{a,é,x,"c;d"}'::text[], NULL), (2, NULL, 'a'), (3, NULL, NULL), (4, '{a,ab,b,none}', 'a')) v(n, wanted, prefix), editor_metrics(c, wanted, prefix, b) WITH ORDINALITY e;
SELECT n, count(x.frame) AS expected, count(e.frame) AS found, count(*) FILTER (WHERE e.frame IS NULL OR x.frame IS NULL OR (e.samples, e.of_samples, e.callers, e.callees) IS DISTINCT FROM (coalesce(m.total, 0), total(c), coalesce(m.callers, 0), coalesce(m.callees, 0)) OR e.total_share IS DISTINCT FROM coalesce(m.total, 0) / nullif(total(c), 0) OR e.self_fraction IS DISTINCT FROM m.self_fraction) AS wrong,
	count(*) FILTER (WHERE e.threads IS DISTINCT FROM (SELECT count(thread) FROM thread_metrics(c) t WHERE t.frame = e.frame)) AS wrong_threads,
	count(*) FILTER (WHERE (e.angle, e.red, e.green, e.blue) IS DISTINCT FROM (o.angle, o.red, o.green, o.blue) AND (o.frame IS NOT NULL OR (e.angle, e.red, e.green, e.blue) IS DISTINCT FROM (CASE WHEN total(b) <> 0 AND total(c) <> 0 THEN 0 END::float8, CASE WHEN total(b) <> 0 AND total(c) <> 0 THEN 0 END, CASE WHEN total(b) <> 0 AND total(c) <> 0 THEN 0 END, CASE WHEN total(b) <> 0 AND total(c) <> 0 THEN 255 END))) AS wrong_arrows
FROM (SELECT id, n, frame FROM random, (VALUES (1, '{a,é,x,"c;d"}'::text[], ''), (2, NULL, 'a'), (3, NULL, ''), (4, '{a,ab,b,none}', 'a')) v(n, wanted, prefix), LATERAL (SELECT DISTINCT unnest(coalesce(wanted, frames(b) || frames(c))) AS frame) f WHERE starts_with(frame, prefix)) x
	FULL JOIN editor e USING (id, n, frame) JOIN random USING (id) LEFT JOIN LATERAL (SELECT * FROM frame_metrics(c) m WHERE m.frame = e.frame) m ON true LEFT JOIN LATERAL (SELECT * FROM compare_baseline(b, c) o WHERE o.frame = e.frame) o ON true GROUP BY n ORDER BY n;
SELECT count(*) AS found, count(*) FILTER (WHERE samples > before OR samples = before AND frame COLLATE "C" <= before_frame COLLATE "C") AS out_of_order FROM (SELECT *, lag(samples) OVER w AS before, lag(frame) OVER w AS before_frame FROM editor WINDOW w AS (PARTITION BY id, n ORDER BY ordinality)) x;
-- without a baseline there is no arrow, and the rest is the same
SELECT count(*) AS compared, count(*) FILTER (WHERE num_nulls(e.angle, e.red, e.green, e.blue) <> 4) AS arrows, count(*) FILTER (WHERE (e.total_share, e.samples, e.threads) IS DISTINCT FROM (x.total_share, x.samples, x.threads)) AS wrong FROM random JOIN LATERAL editor_metrics(c) e ON true JOIN editor x USING (id, frame) WHERE n = 3;

-- deep
CREATE TEMP TABLE deep AS SELECT * FROM (VALUES ('one', (repeat('a;', 59999) || 'a 1')::flamegraph), ('two', (repeat('a;b;', 29999) || 'a;b 1')::flamegraph)) v(kind, f);
SELECT kind, c.* FROM deep, compare_baseline(f, E'a;x;a 1\ny 2') c ORDER BY kind COLLATE "C", frame COLLATE "C";
SELECT kind, e.* FROM deep, editor_metrics(f, baseline => f) e ORDER BY kind COLLATE "C", frame COLLATE "C";
SELECT count(*), sum(samples), sum(threads) AS threads, sum(angle) FROM (SELECT (string_agg('f' || i, ';') || ' 1')::flamegraph AS f FROM generate_series(1, 60000) i) v, editor_metrics(f, baseline => f);

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT * FROM editor_metrics('a 1', ARRAY['a', NULL])$$,
	$$SELECT * FROM editor_metrics('', '{NULL}')$$,
	$$SELECT * FROM editor_metrics('a 1', 'a')$$,
	$$SELECT * FROM compare_baseline('a 1')$$,
	$$SELECT * FROM compare_baseline(E'a;b 1.7e308\na;c 1.7e308', 'a 1')$$,
	$$SELECT * FROM compare_baseline('a 1', E'a;b 1.7e308\na;c 1.7e308')$$,
	$$SELECT * FROM compare_baseline('a 1', E'a;b 1.7e308\nc -1.7e308\nd;b 1.7e308')$$,
	$$SELECT * FROM compare_baseline(E'a 1e300\nb -1e300\nc 1e-10', 'a 1')$$,
	$$SELECT * FROM compare_baseline(E'a 1e-300\nb 1', E'a 1e300\nb -1e300\nc 1')$$,
	$$SELECT * FROM editor_metrics(E'a;b 1.7e308\na;c 1.7e308')$$,
	$$SELECT * FROM editor_metrics('a 1', baseline => E'a;b 1.7e308\na;c 1.7e308')$$);
