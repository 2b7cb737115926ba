-- Questions to the store: selections and what is asked of them. Small profiles; every number can be worked out by hand.
BEGIN;
TRUNCATE profiling.benchmark, profiling.test_run, profiling.profile, profiling.profile_data, profiling.rollup, profiling.regression,
	profiling.observation, profiling.fitted_model, profiling.job_log, profiling.owner, profiling.frame_rule, profiling.frame_commit RESTART IDENTITY;
CREATE FUNCTION t.put(benchmark text, fg flamegraph, day int, commit text, branch text DEFAULT 'main', event text DEFAULT 'cpu', unit text DEFAULT 'samples',
		repetition int DEFAULT 0, metric float8 DEFAULT NULL, suite text DEFAULT 's', truncated flamegraph DEFAULT NULL, instance text DEFAULT '',
		labels jsonb DEFAULT '{}', version text DEFAULT '') RETURNS bigint LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(benchmark, fg, truncated => put.truncated, suite => put.suite, started_at => timestamptz '2026-01-01 UTC' + day * interval '1 day',
		branch => put.branch, commit => put.commit, event => put.event, unit => put.unit, repetition => put.repetition, metric => put.metric,
		metric_unit => CASE WHEN put.metric IS NULL THEN '' ELSE 's' END, instance => put.instance, labels => put.labels, version => put.version)
$$;
SELECT t.put('shop', E'main;parse;read 30\nmain;render 70', 1, '1111111aaa', metric => 10),
	t.put('shop', E'main;parse;read 50\nmain;render 70', 1, '1111111aaa', metric => 12, repetition => 1, instance => 'i2'),
	t.put('shop', E'main;parse;read 90\nmain;render 60', 2, '2222222bbb', metric => 15, labels => '{"host": "a", "os": "x"}'),
	t.put('shop', E'main;parse;read 100', 3, '3333333ccc', branch => 'dev', version => '2'),
	t.put('shop', E'main;parse;read 4096', 2, '2222222bbb', event => 'alloc', unit => 'bytes', labels => '{"host": "a", "os": "x"}'),
	t.put('cart', E'main;read 10\nmain;pay 30', 2, '2222222bbb', truncated => E'main;pay;card 5\nlost 3', labels => '{"host": "a", "os": "x"}'),
	t.put('heap', E'main;parse;read 8', 2, '2222222bbb', unit => 'objects', suite => 'other');

-- Which profiles a selection has
CREATE FUNCTION t.numbers(VARIADIC selections text[]) RETURNS TABLE (selection text, profiles text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH selection IN ARRAY selections LOOP
		EXECUTE format('SELECT string_agg(profile_id::text, '' '' ORDER BY profile_id) FROM profiling.profiles(%s)', selection) INTO profiles;
		RETURN NEXT;
	END LOOP;
END
$$;
SELECT * FROM t.numbers('', $$'shop'$$, $$'%a%'$$, $$suite => 'other'$$, $$branch => 'dev'$$, $$commits => '{2222222bbb}'$$, $$commits => '{2222222}'$$, $$commits => '{222222}'$$,
	$$commits => '{1111111,3333333ccc}'$$, $$commits => '{}'$$, $$version => '2'$$, $$version => ''$$, $$event => 'alloc'$$, $$event => NULL$$, $$instances => '{i2,i3}'$$,
	$$labels => '{"host": "a"}'$$, $$labels => '{"host": "b"}'$$, $$since => '2026-01-03 UTC'$$, $$until => '2026-01-03 UTC'$$,
	$$since => '2026-01-03 UTC', until => '2026-01-04 UTC'$$, $$runs => 1$$, $$'shop', runs => 2$$, $$'shop', branch => 'main', runs => 1$$, $$runs => 0$$, $$NULL, NULL$$);
-- The same as an object
SELECT s AS selection, (SELECT string_agg(profile_id::text, ' ' ORDER BY profile_id) FROM profiling.profiles_of(s)) AS profiles
FROM unnest(ARRAY['{}', '{"benchmark": "shop"}', '{"commits": ["2222222", "1111111aaa"], "suite": "s"}', '{"event": null}', '{"benchmark": "shop", "branch": "main", "runs": 1}',
	'{"labels": {"os": "x"}, "event": "alloc"}', '{"since": "2026-01-03 UTC", "until": "2026-01-04 UTC"}', '{"commits": []}', '{"instances": ["i2"], "version": ""}']::jsonb[]) AS s;
SELECT * FROM t.try($$SELECT count(*) FROM profiling.profiles_of('{"banch": "main"}')$$, $$SELECT count(*) FROM profiling.profiles_of('[]')$$, $$SELECT count(*) FROM profiling.profiles_of(NULL)$$,
	$$SELECT count(*) FROM profiling.profiles_of('{"benchmark": 1}')$$, $$SELECT count(*) FROM profiling.profiles_of('{"commits": "a"}')$$,
	$$SELECT count(*) FROM profiling.profiles_of('{"commits": [1]}')$$, $$SELECT count(*) FROM profiling.profiles_of('{"labels": []}')$$,
	$$SELECT count(*) FROM profiling.profiles_of('{"runs": 1.5}')$$, $$SELECT count(*) FROM profiling.profiles_of('{"since": "noon"}')$$,
	$$SELECT count(*) FROM profiling.profiles_of('{"until": 5}')$$, $$SELECT count(*) FROM profiling.compare('{"x": 1}', '{}')$$);

-- Sums and means: of one executable, unless asked; never of different units
SELECT profiling.merged('shop', commits => '{1111111}') AS merged, profiling.average('shop', commits => '{1111111}') AS average;
SELECT profiling.merged('shop', mix => true) AS merged, profiling.average('shop', branch => 'main', mix => true) AS average;
SELECT profiling.merged('nothing') AS merged, profiling.average('nothing') AS average, profiling.complete('nothing') AS complete;
SELECT * FROM t.try($$SELECT profiling.merged('shop')$$, $$SELECT profiling.average('shop', branch => 'main')$$, $$SELECT profiling.complete('shop')$$,
	$$SELECT profiling.merged(commits => '{2222222}')$$, $$SELECT profiling.merged(commits => '{2222222}', mix => true)$$,
	$$SELECT profiling.merged('shop', event => NULL, mix => true)$$);
-- What was cut off goes where one context fits; "lost" fits nowhere.
SELECT profiling.merged('cart') AS merged, profiling.complete('cart') AS complete;

-- Bottlenecks: total 30+70 + 50+70 + 90+60 + 100 = 470 of shop, 40 of cart
SELECT * FROM profiling.bottlenecks(suite => 's', measure => 'self');
SELECT * FROM profiling.bottlenecks(suite => 's', measure => 'total', max_rows => 2);
SELECT * FROM profiling.bottlenecks('shop', measure => 'potential:1');
SELECT * FROM profiling.bottlenecks('shop');
-- 3 profiles are too few for a correlation, unless somebody asks for it
SELECT frame, round(value::numeric, 4) AS value, round(share::numeric, 4) AS share, benchmarks FROM profiling.bottlenecks('shop', branch => 'main', measure => 'correlation');
SELECT frame, score, benchmarks, n FROM profiling.correlate('shop');
-- read 30, 50, 90 against 10, 12, 15 s; render falls
SELECT frame, round(score::numeric, 4) AS score, benchmarks, n FROM profiling.correlate('shop', min_profiles => 3);
SELECT frame, round(score::numeric, 4) AS score, benchmarks, n FROM profiling.correlate('shop', method => 'spearman', min_profiles => 2);
SELECT * FROM profiling.correlate('shop', min_profiles => 4);
-- of a throughput, more is better
UPDATE profiling.benchmark SET metric_direction = 'higher' WHERE name = 'shop';
SELECT frame, round(score::numeric, 4) AS score, benchmarks, n FROM profiling.correlate('shop', min_profiles => 3);
UPDATE profiling.benchmark SET metric_direction = 'lower' WHERE name = 'shop';
SELECT * FROM t.try($$SELECT profiling.bottlenecks()$$, $$SELECT profiling.bottlenecks('shop', measure => 'potential')$$, $$SELECT profiling.bottlenecks('shop', measure => 'heat')$$,
	$$SELECT profiling.correlate('shop', method => 'kendall')$$);

-- Two selections compared
SELECT key, mean_before, mean_after, delta, round(relative::numeric, 3) AS relative, change FROM profiling.compare('{"benchmark": "shop", "commits": ["1111111"]}', '{"benchmark": "shop", "commits": ["2222222"]}');
SELECT c = p AS the_same FROM profiling.compare('{"benchmark": "shop", "commits": ["1111111"]}', '{"benchmark": "shop", "commits": ["2222222"]}', 'frame', alpha => 0.5) AS c
	JOIN compare_profiles(ARRAY[E'main;parse;read 30\nmain;render 70', E'main;parse;read 50\nmain;render 70']::flamegraph[], ARRAY[E'main;parse;read 90\nmain;render 60']::flamegraph[], 'frame', alpha => 0.5) AS p
	ON p.key = c.key;
SELECT * FROM t.try($$SELECT count(*) FROM profiling.compare('{"suite": "s"}', '{"suite": "other"}')$$, $$SELECT count(*) FROM profiling.compare('{"benchmark": "shop"}', '{"benchmark": "shop", "event": "alloc"}')$$,
	$$SELECT count(*) FROM profiling.compare('{"benchmark": "nothing"}', '{"benchmark": "shop"}')$$, $$SELECT count(*) FROM profiling.compare('{"benchmark": "shop"}', '{"benchmark": "shop"}', 'line')$$);

-- Where a function occurs: a frame, a prefix, a pattern
SELECT * FROM profiling.frame_search('read');
SELECT * FROM profiling.frame_search('read', suite => 's', per => 'run');
SELECT * FROM profiling.frame_search('read', suite => 's', per => 'benchmark');
SELECT benchmark, commit, samples, total, share FROM profiling.frame_search('re*', min_share => 0.9, event => NULL);
SELECT benchmark, commit, samples FROM profiling.frame_search('*;parse;read', benchmark => 'shop', branch => 'main');
-- render is in two runs of three; the third counts in the total of the benchmark, too
SELECT * FROM profiling.frame_search('render', per => 'benchmark');
SELECT count(*) FROM profiling.frame_search('rea');
-- frames with characters that patterns use
SELECT t.put('odd', E'main;"a|b*" 1\nmain;a|c 2\nmain;{x}! 3', 4, '') > 0 AS loaded;
SELECT what, samples FROM unnest(ARRAY['"a|b*"', 'a|c', '"a*', '{x}!', 'a|*', '*']) AS what LEFT JOIN LATERAL profiling.frame_search(what, benchmark => 'odd') ON true;
SELECT * FROM t.try($$SELECT count(*) FROM profiling.frame_search('read', per => 'day')$$, $$SELECT count(*) FROM profiling.frame_search(';;')$$);
-- by the index
SET LOCAL enable_seqscan = off;
SET LOCAL enable_nestloop = off;
CREATE FUNCTION t.index_scans(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
		IF line ~ 'Bitmap Index Scan.*flamegraph_idx' THEN
			RETURN NEXT trim(leading ' ->' FROM regexp_replace(line, 'profile_data_[0-9a-z]+_', 'profile_data_…_'));
		END IF;
	END LOOP;
END
$$;
SELECT DISTINCT * FROM t.index_scans($$SELECT * FROM profiling.frame_search('read')$$);
SELECT DISTINCT * FROM t.index_scans($$SELECT * FROM profiling.frame_search('re*', 0.5, 'run', benchmark => 'shop')$$);
SELECT DISTINCT * FROM t.index_scans($$SELECT * FROM profiling.frame_search('*;parse;read', since => '2026-01-02')$$);
RESET enable_seqscan;
RESET enable_nestloop;

-- One function over time: a band of 2 deviations around the mean of the runs before. The deviation of 400, 600 and 400
-- is 115.47; a count of samples worth 0.5 each would have one of 15.3.
SELECT count(t.put('trend', format(E'main;f %s\nmain;g;f 0.5\nmain;g 100', v)::flamegraph, n::int, 'c' || n, unit => 'ms')) AS loaded
FROM unnest(ARRAY[400, 600, 400, 731]) WITH ORDINALITY AS v (v, n);
SELECT benchmark_id AS trend FROM profiling.benchmark WHERE name = 'trend' \gset
SELECT started_at AT TIME ZONE 'UTC' AS started_at, commit, value, round(mean::numeric, 2) AS mean, round(stddev::numeric, 2) AS stddev, round(lower::numeric, 2) AS lower, round(upper::numeric, 2) AS upper,
	round(score::numeric, 3) AS score, outside FROM profiling.frame_trend(:trend, 'f', measure => 'self');
-- a score of k lies on the band
SELECT count(*) FROM profiling.frame_trend(:trend, 'f', k => 1) AS a JOIN LATERAL profiling.frame_trend(:trend, 'f', k => a.score) AS b ON b.commit = a.commit
WHERE a.score > 0 AND abs(b.upper - a.value) < 1e-9;
-- the deviation is that of deviation_scores()
SELECT round(d.score::numeric, 6) = round(f.score::numeric, 6) AS the_same FROM profiling.frame_trend(:trend, 'f') AS f,
	LATERAL (SELECT * FROM deviation_scores((SELECT array_agg(flamegraph ORDER BY started_at) FROM profiling.rollup WHERE benchmark_id = :trend AND started_at < f.started_at),
		(SELECT flamegraph FROM profiling.rollup WHERE test_run_id = f.test_run_id AND benchmark_id = :trend), poisson_unit => 0.5) AS s WHERE s.key = 'f') AS d WHERE f.score IS NOT NULL;
SELECT commit, value FROM profiling.frame_trend(:trend, 'g', 'potential:1', window_size => 2);
SELECT count(*), sum(value) FROM profiling.frame_trend(:trend, 'nowhere');
-- branches are not mixed: that of the newest run, unless said
SELECT branch, (SELECT string_agg(f.commit, ' ') FROM profiling.frame_trend((SELECT benchmark_id FROM profiling.benchmark WHERE name = 'shop'), 'read', branch => branch) AS f)
FROM unnest(ARRAY[NULL, 'main', 'dev']) AS branch;
SELECT t.put('trend', 'main;f 1', 5, 'c5', unit => 'us') > 0 AS loaded;
SELECT * FROM t.try(format('SELECT count(*) FROM profiling.frame_trend(%s, %L)', :trend, 'f'), format('SELECT count(*) FROM profiling.frame_trend(%s, %L, window_size => 1)', :trend, 'f'),
	format('SELECT count(*) FROM profiling.frame_trend(%s, %L, %L, event => %L)', :trend, 'f', 'heat', 'cpu'));

-- The report
SELECT count(t.put('report', format(E'main;parse;read %s\nmain;draw|x 50', v)::flamegraph, n::int, 'c' || n, branch => 'dev')) AS loaded
FROM unnest(ARRAY[10, 12, 11, 40]) WITH ORDINALITY AS v (v, n);
SELECT benchmark_id AS report FROM profiling.benchmark WHERE name = 'report' \gset
SELECT rank, section, trace, step, frame, expected, actual, diff, candidate_diff, round(score::numeric, 4) AS score, status FROM profiling.report(:report, options => '{"candidates": 1}');
\pset format unaligned
SELECT profiling.report_text(:report, options => '{"candidates": 1, "window_size": 3}');
SELECT profiling.report_text(:report, (SELECT min(test_run_id) FROM profiling.rollup WHERE benchmark_id = :report)) ~ 'Nothing to report' AS nothing_to_compare_with;
-- Another session may delete a run between two steps: a step that does not find it says nothing.
SELECT profiling.report_head(:report, -1, 'main', 'cpu', 'samples', 3, 3, NULL) IS NULL AS no_head, b.* FROM profiling.commits_between(-1, -2) AS b;
-- Who posts a report may have rights where it is rendered: names are text there, whatever they hold.
SELECT v AS name, profiling.markdown_cell(v) AS in_a_report FROM unnest(ARRAY['parse', 'shop.js:run (anonymous):85', 'std::vector<int>::push_back(int&&)', 'a_b*c', 'Foo$Bar', 'crc32!', 'Class#method', '4.2', '-4.2',
	E'a\n\n# b', E'a\r\n\tb\x01c\x1b[31m', '   code', '# h', '## h', '- i', '+ i', '* i', '1. i', '12) i', '===', '---', '> q', '~~~', '```', '`c`', '*e*', '_e_', '~~s~~', '$x$',
	'![a](http://e.example)', '[a](b)', '<b onclick="x">', '&#64;x', '&lt;', 'a|b', 'a\|b', 'a\', '@one', 'by @org/team', '@@one', 'one@host.example', 'https://e.example', 'HTTP://e.example', 'see www.e.example',
	'WWW.e.example', '#12', 'org/repo#12', 'org/repo@0123abc', '!12', 'GH-12', '', NULL]) AS v;
SELECT profiling.markdown_cell(U&'a\2028b\0085c\202Ed') AS separators_and_directions;
SELECT count(t.put(E'x\n\n# INJECTED\n\n1. @org/team ![a](http://e) www.e.example\n<b>', flamegraph_agg(f, v + 10 * n), n, E'c\n\n+ item\n\n    code\nSetext\n===', branch => E'@b\n- x', version => '#1',
	suite => E'a\n## b', labels => jsonb_build_object('n', n), event => E'cpu\n# e', unit => E'https://u\n')) OVER () AS loaded
FROM (SELECT n, f, CASE WHEN f[2] = 'rest' THEN 100 WHEN n = 4 THEN 200 ELSE 10 + n % 2 END AS v
	FROM generate_series(1, 4) AS n, (VALUES (ARRAY['main', 'work @one $x$ https://e.example <img src=x> | \`code\` #12']), (ARRAY['main', 'rest'])) AS s (f)) AS p GROUP BY n;
SELECT profiling.report_text(benchmark_id, options => jsonb_build_object('event', E'cpu\n# e', 'candidates', 2)) AS page FROM profiling.benchmark WHERE name LIKE '%INJECTED%' \gset
SELECT count(*) AS lines, count(*) FILTER (WHERE l !~ '^(|The code paths .*|Child traces .*|# Result|## (Parameters|Overview|Candidate [0-9])|### (Child|Parent) trace [0-9]|- \*\*[A-Z][A-Za-z ]*:\*\* .*|\|.*\|)$') AS of_names,
	count(*) FILTER (WHERE l ~ '@[[:alnum:]_]|://|www\.|[#!][0-9]|GH-[0-9]|<|!\[|[[:cntrl:]]') AS live
FROM string_to_table(replace(:'page', '&#8203;', ' '), E'\n') AS l;
SELECT l FROM string_to_table(:'page', E'\n') AS l WHERE l ~ 'Benchmark|Commit|Branch|Version|Event|work';
\pset format aligned
-- what was committed lately comes first
INSERT INTO profiling.frame_commit VALUES ('read', 'r.c', 'abc', '2026-01-04 UTC'), ('main', 'm.c', 'abc', '2020-01-01 UTC'), ('parse', 'p.c', 'abc', '2030-01-01 UTC');
SELECT others -> 'ages' AS ages FROM profiling.report_inputs(:report, NULL, '{"selection": "informed"}');
SELECT count(*) > 0 AS informed FROM profiling.report(:report, options => '{"selection": "informed"}');
SELECT * FROM t.try($$SELECT profiling.report(0)$$, format('SELECT profiling.report(%s, options => %L)', :report, '{"colour": 1}'), format('SELECT profiling.report_text(%s, options => %L)', :report, '{"window_size": 0}'));
-- Twelve runs: f goes with the metric, but for a disturbance; rare is in three of them, with a coefficient of 1, and does not count.
SELECT count(profiling.import_flamegraph('many', format(E'main;f %s\nmain;g 50%s', 10 * n + n % 2, CASE WHEN n % 4 = 0 THEN E'\nmain;rare ' || n ELSE '' END)::flamegraph,
	started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day', metric => n, metric_unit => 's')) AS loaded FROM generate_series(1, 12) AS n;
SELECT frame, round(score::numeric, 4) AS score, n FROM profiling.correlate('many', version => '');
SELECT frame, round(score::numeric, 4) AS score, n FROM profiling.correlate('many', min_profiles => 3);
SELECT round(corr(10 * n + n % 2, n)::numeric, 4) AS f FROM generate_series(1, 12) AS n;
SELECT frame, round(value::numeric, 4) AS value, round(share::numeric, 4) AS share, benchmarks FROM profiling.bottlenecks('many', measure => 'correlation');
-- Three runs of samples of 10 us before and after: their noise is the floor, and variances are moderated, unless asked otherwise.
CREATE TEMP TABLE timed AS
SELECT n, format(E'main;f %s\nmain;g %s\nmain;h %s', 1000 + 10 * (n % 2), 500 + 10 * (n % 3), CASE WHEN n > 3 THEN 500 ELSE 200 END)::flamegraph AS fg FROM generate_series(1, 6) AS n;
SELECT count(profiling.import_flamegraph('timed', fg, started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day',
	commit => CASE WHEN n <= 3 THEN '1111111' ELSE '2222222' END, event => 'cpu', unit => 'us', period => 10)) AS loaded FROM timed;
SELECT v, count(*), bool_and(c = p) AS the_same, bool_or(c.significant) AS found
FROM unnest(ARRAY[NULL, 'own']) AS v, LATERAL (SELECT array_agg(fg ORDER BY n) FILTER (WHERE n <= 3), array_agg(fg ORDER BY n) FILTER (WHERE n > 3),
		array_agg(recording_noise(fg, 10) ORDER BY n) FILTER (WHERE n <= 3), array_agg(recording_noise(fg, 10) ORDER BY n) FILTER (WHERE n > 3) FROM timed) AS g (b, a, bn, an),
	profiling.compare('{"benchmark": "timed", "commits": ["1111111"]}', '{"benchmark": "timed", "commits": ["2222222"]}', variance => v) AS c
	JOIN LATERAL compare_profiles(b, a, 'node', variance => coalesce(v, 'moderated'), before_noise => bn, after_noise => an) AS p ON p.key = c.key GROUP BY v ORDER BY v;
-- Samples of 10 and 20, of 5 each: 2 + 8 and 1 of them, squares 500 + 8 * 25 and 25; a mean of two has a fourth of that; nobody knows of a third
SELECT profiling.import_flamegraph('weighed', 'main;f 30', unit => 'us', started_at => '2026-01-01 UTC', samples => 'main;f 2', noise => 'main;f 500') IS NOT NULL AS weights,
	profiling.import_flamegraph('weighed', E'main;f 40\nmain;g 5', unit => 'us', started_at => '2026-01-01 UTC', period => 5, repetition => 1) IS NOT NULL AS equal;
SELECT profiling.merged_samples('weighed') AS merged_samples, profiling.merged_noise('weighed') AS merged_noise,
	profiling.average_samples('weighed') AS average_samples, profiling.average_noise('weighed') AS average_noise;
SELECT profiling.import_flamegraph('weighed', 'main;f 3', unit => 'us', started_at => '2026-01-01 UTC', repetition => 2) IS NOT NULL AS unknown;
SELECT profiling.merged_samples('weighed') AS merged_samples, profiling.merged_noise('weighed') AS merged_noise,
	profiling.average_samples('weighed') AS average_samples, profiling.average_noise('weighed') AS average_noise, profiling.merged_noise('nothing') AS nothing;
SELECT profiling.merged_samples('shop', commits => '{1111111}') AS merged_samples, profiling.average_noise('shop', commits => '{1111111}') AS average_noise;
SELECT * FROM t.try($$SELECT profiling.merged_samples('shop')$$, $$SELECT profiling.average_noise(commits => '{2222222}', mix => true)$$);
-- Of values below 0 nobody knows samples, whatever their period: they are compared by their own variance, and nothing is an error.
CREATE TEMP TABLE below_zero AS SELECT n, format(E'main;f %s\nmain;g %s\nmain;h 50', 100 + n, CASE n % 3 WHEN 0 THEN -20 ELSE 30 + n END)::flamegraph AS fg FROM generate_series(1, 6) AS n;
SELECT count(profiling.import_flamegraph('signed', fg, unit => 'us', period => 10, started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day',
	commit => CASE WHEN n <= 3 THEN '1111111' ELSE '2222222' END)) AS loaded FROM below_zero;
SELECT level, count(*), bool_and((c.delta, c.t, c.df, c.p_value, c.stddev) IS NOT DISTINCT FROM (p.delta, p.t, p.df, p.p_value, p.stddev)) AS the_same
FROM unnest('{stack,node,frame}'::text[]) AS level, profiling.compare('{"benchmark": "signed", "commits": ["1111111"]}', '{"benchmark": "signed", "commits": ["2222222"]}', level => level) AS c
	JOIN LATERAL compare_profiles((SELECT array_agg(fg ORDER BY n) FROM below_zero WHERE n <= 3), (SELECT array_agg(fg ORDER BY n) FROM below_zero WHERE n > 3), level) AS p ON p.key = c.key GROUP BY level ORDER BY level;
SELECT profiling.merged('signed', mix => true) AS merged, profiling.merged_samples('signed', mix => true) IS NULL AS no_samples, profiling.average_noise('signed', mix => true) IS NULL AS no_noise;
-- Two runs against three by numbers of samples: 40 / sqrt(100 / 3 + 140 / 2), of means of r recordings each by sqrt(r) more; a pause of 5000 is told, and no sample.
SELECT r, g.expected, g.actual, round(g.score::numeric, 9) AS t, round((40 * sqrt(r / (100 / 3.0 + 140 / 2.0)))::numeric, 9) AS by_hand, round(((g.lower + g.upper) / 2)::numeric, 6) AS middle, g.samples_before, g.samples_after, g.samples
FROM unnest('{1,2}'::int[]) AS r, profiling.tested_groups(ROW('{f 1000,f 1000,f 1000}'::flamegraph[], '{}', NULL, 0, NULL, '{f 100,f 100,f 100}'::flamegraph[], ARRAY[r, r, r], true, NULL)::profiling.means,
	ROW('{f 1400,f 6400}'::flamegraph[], '{}', NULL, 0, NULL, '{f 140,f 140}'::flamegraph[], ARRAY[r, r], true, NULL)::profiling.means, 'frame', 'own', 0, 0.05) AS g;
-- The same where all samples weigh 10; where nobody knows, as before.
SELECT known, g.actual, round(g.score::numeric, 9) AS t, g.samples_after, g.samples
FROM unnest('{t,f}'::bool[]) AS known, profiling.tested_groups(ROW('{f 1000,f 1000,f 1000}'::flamegraph[], '{}', NULL, 10, NULL, NULL, '{1,1,1}', known, NULL)::profiling.means,
	ROW('{f 1400,f 1400}'::flamegraph[], '{}', NULL, 10, NULL, NULL, '{1,1}', known, NULL)::profiling.means, 'frame', 'own', 10, 0.05) AS g;
ROLLBACK;
