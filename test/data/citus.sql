-- What 116_citus.pl asks a store on one server and one on Citus, which have to answer the same: a paragraph a question.

INSERT INTO profiling.owner (pattern, team, priority) VALUES ('*;parse;*', 'language', 1), ('main;*', 'everybody', 0)

INSERT INTO profiling.frame_rule (ordinal, benchmark, pattern, replacement) VALUES (1, 'rule%', '_[0-9]+$', '')

INSERT INTO profiling.domain (pattern, name) VALUES ('main;parse;*', 'parsing')

INSERT INTO profiling.watch (benchmark, method, level, options) VALUES ('welch%', 'welch', 'node', '{"recent": 3}')

INSERT INTO profiling.watch (benchmark, method, level) VALUES ('%', 'integral', 'location')

-- 8 benchmarks on two branches with 14 runs, of which the last ones are slow, in one, three or seven repetitions
SELECT count(profiling.import_flamegraph(
	(ARRAY['quiet', 'slower', 'welch', 'metric', 'many', 'ruled', 'other', 'mended'])[b],
	format(E'main;parse;read_%s %s\nmain;parse;lex %s\nmain;render %s\nmain %s', CASE b WHEN 6 THEN r ELSE 1 END,
		(400 + (n * 37 + b * 11 + r * 5) % 23) * CASE WHEN b IN (2, 3, 5) AND n >= 12 OR b = 8 AND n = 12 THEN 2 ELSE 1 END,
		300 + (n * 17 + b) % 19, 600 + (n * 29 + r) % 27, 20 + n % 3)::flamegraph,
	suite => CASE WHEN b > 6 THEN 'two' ELSE '' END, parameters => jsonb_build_object('n', b % 2),
	started_at => timestamptz '2026-01-01 10:00 UTC' + n * interval '1 day', branch => CASE WHEN b = 7 AND n % 2 = 0 THEN 'dev' ELSE 'main' END,
	commit => md5(n::text), version => CASE WHEN n > 7 THEN '2' ELSE '1' END, labels => jsonb_build_object('host', 'h' || b % 2),
	repetition => r, metric => CASE WHEN b IN (1, 4) THEN 10 + n % 3 + CASE WHEN b = 4 AND n > 12 THEN 9 ELSE 0 END END,
	metric_unit => CASE WHEN b IN (1, 4) THEN 's' ELSE '' END, period => CASE WHEN b = 2 THEN 1 END))
FROM generate_series(1, 14) AS n, generate_series(1, 8) AS b, LATERAL generate_series(1, CASE b WHEN 5 THEN 7 WHEN 4 THEN 3 ELSE 1 END) AS r
WHERE n <= 12

-- another event, with samples that weigh differently
SELECT count(profiling.import_flamegraph('weighed', format(E'main;f %s\nmain;g %s', 100 + n, 7 * r + 1)::flamegraph, event => 'alloc', unit => 'bytes',
	started_at => timestamptz '2026-01-01 10:00 UTC' + n * interval '1 day', branch => 'main', commit => md5(n::text), repetition => r,
	truncated => CASE WHEN n = 3 THEN 'cut;f 3'::flamegraph END,
	samples => format(E'main;f %s\nmain;g 1', 3 + n)::flamegraph, noise => format(E'main;f %s\nmain;g %s', (100 + n) * (100 + n) / 2.0, (7 * r + 1) ^ 2)::flamegraph))
FROM generate_series(1, 11) AS n, generate_series(1, 6) AS r

SELECT profiling.import_observations('models', ARRAY['f', 'f', 'f', 'f', 'g'], ARRAY[1, 2, 3, 4, 1], ARRAY[1.1, 2, 3.05, 4, 9], started_at => '2026-01-01 UTC', branch => 'main', unit => 'ms')

SELECT profiling.import_observations('models', ARRAY['f', 'f', 'f', 'f'], ARRAY[1, 2, 3, 4], ARRAY[2.1, 8, 18.2, 32], started_at => '2026-01-02 UTC', branch => 'main', unit => 'ms')

-- loaded before: none is new, and a NOTICE
SELECT profiling.import_observations('models', ARRAY['f', 'f', 'f', 'f'], ARRAY[1, 2, 3, 4], ARRAY[2.1, 8, 18.2, 32], started_at => '2026-01-02 UTC', branch => 'main', unit => 'ms')

SELECT profiling.import_flamegraph('quiet', 'a;b 1', started_at => '2026-02-01 UTC', branch => 'main', parameters => '{"n": 1}', event => 'twice')

SELECT profiling.import_flamegraph('quiet', 'a;b 1', started_at => '2026-02-01 UTC', branch => 'main', parameters => '{"n": 1}', event => 'twice')

INSERT INTO profiling.commit_change (commit, parent, committed_at, file, added, deleted, subject)
SELECT md5(n::text), md5((n - 1)::text), timestamptz '2026-01-01 9:00 UTC' + n * interval '1 day', 'src/' || CASE n WHEN 12 THEN 'read_1' ELSE 'x' END || '.c', n, 1, 'change ' || n FROM generate_series(1, 14) AS n

INSERT INTO profiling.commit_function (commit, file, function, lines) VALUES (md5('12'), 'src/read_1.c', 'read_1', 5)

SELECT * FROM profiling.detect('slower', (SELECT max(test_run_id) FROM profiling.test_run WHERE commit = md5('12')))

CALL profiling.watch_run()

SELECT name, event, branch, method, level, subject, kind, status, team, first_commit, last_commit, expected, actual, diff, relative, p_value, q_value, cause, seen FROM profiling.regression_history

-- two more nights: what is there still, and what is gone
SELECT count(profiling.import_flamegraph((ARRAY['quiet', 'slower', 'welch', 'metric', 'many', 'ruled', 'other', 'mended'])[b],
	format(E'main;parse;read_%s %s\nmain;parse;lex %s\nmain;render %s\nmain %s', CASE b WHEN 6 THEN r ELSE 1 END,
		(400 + (n * 37 + b * 11 + r * 5) % 23) * CASE WHEN b IN (2, 3, 5) AND n >= 12 THEN 2 ELSE 1 END,
		300 + (n * 17 + b) % 19, 600 + (n * 29 + r) % 27, 20 + n % 3)::flamegraph,
	suite => CASE WHEN b > 6 THEN 'two' ELSE '' END, parameters => jsonb_build_object('n', b % 2),
	started_at => timestamptz '2026-01-01 10:00 UTC' + n * interval '1 day', branch => CASE WHEN b = 7 AND n % 2 = 0 THEN 'dev' ELSE 'main' END,
	commit => md5(n::text), version => '2', labels => jsonb_build_object('host', 'h' || b % 2), repetition => r,
	metric => CASE WHEN b IN (1, 4) THEN 10 + n % 3 + CASE WHEN b = 4 AND n > 12 THEN 9 ELSE 0 END END,
	metric_unit => CASE WHEN b IN (1, 4) THEN 's' ELSE '' END, period => CASE WHEN b = 2 THEN 1 END))
FROM generate_series(13, 14) AS n, generate_series(1, 8) AS b, LATERAL generate_series(1, CASE b WHEN 5 THEN 7 WHEN 4 THEN 3 ELSE 1 END) AS r

SELECT * FROM profiling.verdict(md5('14'))

CALL profiling.watch_run()

SELECT name, event, branch, method, level, subject, kind, status, team, first_commit, last_commit, expected, actual, diff, relative, p_value, q_value, cause, seen, group_id FROM profiling.regression_history

SELECT step, outcome, benchmark_id, regexp_replace(detail, '[0-9.]+ s', '') FROM profiling.job_log

SELECT * FROM profiling.profile_full

SELECT benchmark_id, month, profiles, nodes FROM profiling.storage

SELECT * FROM profiling.benchmark_overview

SELECT * FROM profiling.benchmark_overview WHERE benchmark_id = 2

SELECT * FROM profiling.benchmark_trend

SELECT * FROM profiling.latest_profile

SELECT * FROM profiling.hot_frame

SELECT name, subject, status, relative FROM profiling.open_regression

SELECT name, subject, status, relative FROM profiling.pending_regression

SELECT team, open, worst FROM profiling.team_regression

SELECT * FROM profiling.model_change

SELECT * FROM profiling.night_health

SELECT kind, subjects, findings, benchmarks, names, events, branches, relative, previous_commit, first_commit, team FROM profiling.open_group

SELECT * FROM profiling.cost_shift

SELECT * FROM profiling.verdict(md5('12'))

SELECT * FROM profiling.verdict(md5('13'), confirm => 1)

SELECT * FROM profiling.verdict(md5('1'))

SELECT profile_id, benchmark, commit, total FROM profiling.profiles(benchmark => 'm%', runs => 2)

SELECT profile_id, flamegraph FROM profiling.profiles_of('{"benchmark": "slower", "since": "2026-01-10"}')

SELECT count(*) FROM profiling.profiles(benchmark => 'nowhere')

SELECT profiling.merged(benchmark => 'many', runs => 1)

SELECT profiling.merged(mix => true)

SELECT profiling.merged()

SELECT profiling.merged(benchmark => 'many', commits => ARRAY[md5('14')], labels => '{"host": "h1"}')

SELECT profiling.average(benchmark => 'many', runs => 3, mix => true)

SELECT profiling.merged_samples(benchmark => 'weighed', event => 'alloc', mix => true), profiling.merged_noise(benchmark => 'weighed', event => 'alloc', mix => true)

SELECT profiling.average_samples(benchmark => 'weighed', event => 'alloc', mix => true), profiling.average_noise(benchmark => 'weighed', event => 'alloc', mix => true)

SELECT profiling.complete(benchmark => 'weighed', event => 'alloc', runs => 1)

SELECT * FROM profiling.bottlenecks()

SELECT * FROM profiling.bottlenecks(measure => 'share', event => NULL)

SELECT * FROM profiling.bottlenecks(measure => 'correlation', benchmark => 'metric')

SELECT * FROM profiling.in_runs(benchmark => 'slower')

SELECT * FROM profiling.correlate(benchmark => 'metric')

SELECT * FROM profiling.compare('{"benchmark": "slower", "until": "2026-01-12"}', '{"benchmark": "slower", "since": "2026-01-13"}')

SELECT * FROM profiling.compare('{"benchmark": "weighed", "event": "alloc", "until": "2026-01-06"}', '{"benchmark": "weighed", "event": "alloc", "since": "2026-01-06"}', 'frame')

SELECT * FROM profiling.frame_search('read_1')

SELECT * FROM profiling.frame_search('read*', 0.3, 'run', benchmark => 'm%')

SELECT * FROM profiling.frame_search('main;parse;*', per => 'benchmark', sort => 'time')

SELECT * FROM profiling.frame_trend('slower', 'read_1')

SELECT * FROM profiling.frame_trend('many', 'lex', 'self_share')

SELECT * FROM profiling.frame_trend('many', 'rede_1', event => 'cpu', branch => 'main')

SELECT * FROM profiling.detect('slower')

SELECT * FROM profiling.detect('models')

SELECT r.* FROM profiling.regression AS f, LATERAL (SELECT f.regression_id) AS o, profiling.suspects(1) AS r WHERE f.regression_id = 1

SELECT * FROM profiling.report('slower')

SELECT profiling.report_text('slower')

SELECT profiling.report_html('slower')

SELECT profiling.benchmark_html('many')

SELECT profiling.benchmark_html('metric')

SELECT profiling.night_html('2026-01-01 UTC')

SELECT profiling.trend_svg('slower', 'read_1')

SELECT profiling.trend_svg('metric')

SELECT * FROM profiling.watch_benchmark('quiet')

SELECT * FROM profiling.runs_to_keep(3)

SELECT * FROM profiling.check()

SELECT * FROM profiling.check(true)

SELECT profiling.add_partition('2026-01-01')

CALL profiling.maintain()

SELECT count(*), sum(flamegraph) FROM profiling.profile_data

SELECT profiling.fold_rollups(benchmark_id) FROM unnest(ARRAY(SELECT benchmark_id FROM profiling.benchmark ORDER BY 1)) AS b (benchmark_id)

SELECT benchmark_id, event, unit, branch, test_run_id, span, run_ids, flamegraph, stats_frame IS NULL, repetitions, total, metric_count, metric_sum, pending, samples, noise, period, compared_with, not_compared FROM profiling.rollup

SELECT profiling.merge_rollups(benchmark_id, '0 days', 3) FROM unnest(ARRAY(SELECT benchmark_id FROM profiling.benchmark ORDER BY 1)) AS b (benchmark_id)

SELECT benchmark_id, event, unit, branch, test_run_id, span, run_ids, flamegraph, repetitions, total, metric_count, metric_sum, samples, noise, period FROM profiling.rollup

SELECT * FROM profiling.rename_benchmark('other', 'another', suite => 'two')

SELECT * FROM profiling.delete_run((SELECT max(test_run_id) FROM profiling.test_run WHERE commit = md5('14')), whole_months => true)

SELECT * FROM profiling.delete_branch('dev')

SELECT * FROM profiling.delete_benchmark('mended', 'two')

SELECT * FROM profiling.check(true)

CALL profiling.prune('1 day', 2)

SELECT count(*), sum(flamegraph) FROM profiling.profile_data

SELECT * FROM profiling.check(true)

SELECT benchmark_id, profile_id, test_run_id, event, unit, recorded_at, total, nodes, content_id FROM profiling.profile

SELECT benchmark_id, location, kind, unit, test_run_id, r_square FROM profiling.fitted_model

SELECT benchmark_id, test_run_id, location, x, y, unit, ordinal FROM profiling.observation

-- services in production: three that are sampled alike, with labels, and one whose samples weigh differently
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('%', NULL, NULL, NULL, NULL)

SELECT profiling.ingest_batch(array_agg('shop ' || s), array_agg(format(E'main;read %s\nmain;parse;lex %s\nmain %s', 10 + n % 7, 1 + (n * 3 + s) % 5, p)::flamegraph),
	array_agg(timestamptz '2026-01-10 10:00 UTC' + n * interval '97 s' + s * interval '1 s'), instances => array_agg('pod ' || p),
	labels => array_agg(jsonb_build_object('version', CASE WHEN n > 60 THEN '2' ELSE '1' END)))
FROM generate_series(1, 120) AS n, generate_series(1, 3) AS s, generate_series(1, 3) AS p

SELECT profiling.ingest_batch(array_agg('weighed'::text), array_agg(format(E'main;f %s\nmain;g 7', n)::flamegraph), array_agg(timestamptz '2026-01-10 10:00 UTC' + n * interval '5 min'),
	events => array_agg('alloc'::text), units => array_agg('bytes'::text), noises => array_agg(format(E'main;f %s\nmain;g 49', n * n)::flamegraph))
FROM generate_series(1, 30) AS n

-- sent again: none is new, and a NOTICE
SELECT profiling.ingest_batch(array_agg('weighed'::text), array_agg(format(E'main;f %s\nmain;g 7', n)::flamegraph), array_agg(timestamptz '2026-01-10 10:00 UTC' + n * interval '5 min'),
	events => array_agg('alloc'::text), units => array_agg('bytes'::text)) FROM generate_series(1, 30) AS n

SELECT profiling.ingest('shop 1', convert_to(E'main;gc 5\nmain;read 3\n', 'UTF8'), recorded_at => '2026-01-10 12:00:00.5 UTC', instance => 'pod 1', labels => '{"version": "2"}')

SELECT name, event, unit, period, labels, resolution, profiles, until FROM profiling.service_storage JOIN profiling.stream USING (service_id, event, unit)

CALL profiling.compact()

-- late ones
SELECT profiling.ingest('shop 2', fg => 'main;late 3', recorded_at => '2026-01-10 11:00:00.25 UTC', instance => 'pod 9', labels => '{"version": "1"}')

SELECT profiling.ingest('shop 2', fg => 'main;late 4', recorded_at => '2026-01-10 11:00:00.25 UTC', instance => 'pod 9', labels => '{"version": "1"}')

SELECT profiling.window_profile('shop%')

SELECT profiling.window_profile('shop 2', '2026-01-10 10:30 UTC', '2026-01-10 11:47 UTC', version => '1')

SELECT profiling.window_profile('nothing')

SELECT profiling.window_profile('%', event => NULL)

SELECT profiling.window_noise('weighed', '2026-01-10 11:00 UTC', event => 'alloc')

SELECT * FROM profiling.window_top('shop%', max_rows => 5)

SELECT * FROM profiling.window_trend('read', '10 minutes', 'shop%', '2026-01-10 10:00 UTC', '2026-01-10 13:00 UTC')

SELECT * FROM profiling.window_search('late')

SELECT * FROM profiling.window_search('main;pa*', since => '2026-01-10 11:00 UTC')

SELECT * FROM profiling.window_compare('{"service": "shop 1", "version": "1"}', '{"service": "shop 1", "version": "2"}')

SELECT service, event, unit, resolution, since, until, blocks, profiles FROM profiling.service_storage

SELECT * FROM profiling.window_instances('shop%', '2026-01-10 11:00 UTC')

SELECT profiling.window_profile('shop%', '2026-01-10 11:00 UTC', instances => '{pod 1,pod 9}')

CALL profiling.compact()

SELECT profiling.window_profile('shop%')

SELECT profiling.window_profile('shop 2', '2026-01-10 10:30 UTC', '2026-01-10 11:47 UTC', version => '1')

SELECT profiling.window_profile('nothing')

SELECT profiling.window_profile('%', event => NULL)

SELECT profiling.window_noise('weighed', '2026-01-10 11:00 UTC', event => 'alloc')

SELECT * FROM profiling.window_top('shop%', max_rows => 5)

SELECT * FROM profiling.window_trend('read', '10 minutes', 'shop%', '2026-01-10 10:00 UTC', '2026-01-10 13:00 UTC')

SELECT * FROM profiling.window_search('late')

SELECT * FROM profiling.window_search('main;pa*', since => '2026-01-10 11:00 UTC')

SELECT * FROM profiling.window_compare('{"service": "shop 1", "version": "1"}', '{"service": "shop 1", "version": "2"}')

SELECT service, event, unit, resolution, since, until, blocks, profiles FROM profiling.service_storage

SELECT * FROM profiling.window_instances('shop%', '2026-01-10 11:00 UTC')

SELECT profiling.window_profile('shop%', '2026-01-10 11:00 UTC', instances => '{pod 1,pod 9}')

-- sums of minutes, of hours, of days, and nothing
UPDATE profiling.retention SET raw = '1 hour'

CALL profiling.compact()

SELECT profiling.window_profile('shop%')

SELECT profiling.window_profile('shop 2', '2026-01-10 10:30 UTC', '2026-01-10 11:47 UTC', version => '1')

SELECT profiling.window_profile('nothing')

SELECT profiling.window_profile('%', event => NULL)

SELECT profiling.window_noise('weighed', '2026-01-10 11:00 UTC', event => 'alloc')

SELECT * FROM profiling.window_top('shop%', max_rows => 5)

SELECT * FROM profiling.window_trend('read', '10 minutes', 'shop%', '2026-01-10 10:00 UTC', '2026-01-10 13:00 UTC')

SELECT * FROM profiling.window_search('late')

SELECT * FROM profiling.window_search('main;pa*', since => '2026-01-10 11:00 UTC')

SELECT * FROM profiling.window_compare('{"service": "shop 1", "version": "1"}', '{"service": "shop 1", "version": "2"}')

SELECT service, event, unit, resolution, since, until, blocks, profiles FROM profiling.service_storage

SELECT * FROM profiling.window_instances('shop%', '2026-01-10 11:00 UTC')

SELECT profiling.window_profile('shop%', '2026-01-10 11:00 UTC', instances => '{pod 1,pod 9}')

UPDATE profiling.retention SET minutes = '1 hour'

CALL profiling.compact()

SELECT profiling.window_profile('shop%')

SELECT profiling.window_profile('shop 2', '2026-01-10 10:30 UTC', '2026-01-10 11:47 UTC', version => '1')

SELECT profiling.window_profile('nothing')

SELECT profiling.window_profile('%', event => NULL)

SELECT profiling.window_noise('weighed', '2026-01-10 11:00 UTC', event => 'alloc')

SELECT * FROM profiling.window_top('shop%', max_rows => 5)

SELECT * FROM profiling.window_trend('read', '10 minutes', 'shop%', '2026-01-10 10:00 UTC', '2026-01-10 13:00 UTC')

SELECT * FROM profiling.window_search('late')

SELECT * FROM profiling.window_search('main;pa*', since => '2026-01-10 11:00 UTC')

SELECT * FROM profiling.window_compare('{"service": "shop 1", "version": "1"}', '{"service": "shop 1", "version": "2"}')

SELECT service, event, unit, resolution, since, until, blocks, profiles FROM profiling.service_storage

UPDATE profiling.retention SET hours = '1 hour'

CALL profiling.compact()

SELECT profiling.window_profile('shop%')

SELECT profiling.window_profile('shop 2', '2026-01-10 10:30 UTC', '2026-01-10 11:47 UTC', version => '1')

SELECT profiling.window_profile('nothing')

SELECT profiling.window_profile('%', event => NULL)

SELECT profiling.window_noise('weighed', '2026-01-10 11:00 UTC', event => 'alloc')

SELECT * FROM profiling.window_top('shop%', max_rows => 5)

SELECT * FROM profiling.window_trend('read', '10 minutes', 'shop%', '2026-01-10 10:00 UTC', '2026-01-10 13:00 UTC')

SELECT * FROM profiling.window_search('late')

SELECT * FROM profiling.window_search('main;pa*', since => '2026-01-10 11:00 UTC')

SELECT * FROM profiling.window_compare('{"service": "shop 1", "version": "1"}', '{"service": "shop 1", "version": "2"}')

SELECT service, event, unit, resolution, since, until, blocks, profiles FROM profiling.service_storage

UPDATE profiling.retention SET days = '1 hour'

CALL profiling.compact()

SELECT (SELECT count(*) FROM profiling.incoming), (SELECT count(*) FROM profiling.block)

SELECT step, outcome, detail FROM profiling.job_log WHERE step = 'compact'

-- services are watched: the last hour of one reads twice as much as that of seven days before did
UPDATE profiling.retention SET raw = NULL, minutes = NULL, hours = NULL, days = NULL

SELECT profiling.ingest_batch(array_agg('watched'::text), array_agg(format(E'main;read %s\nmain;parse %s\nmain;render %s\nmain;send %s\nmain;log %s',
	CASE WHEN d = 0 THEN 400 ELSE 200 END + (d * 7 + p * 3 + m) % 5, 300 + (d + p + m) % 7, 500 + (d * 3 + p) % 11, 200 + (d + p * 5) % 9, 100 + (d * 5 + m) % 3)::flamegraph),
	array_agg(date_trunc('hour', now()) - interval '59 minutes' - d * interval '1 day' + m * interval '5 minutes'), instances => array_agg('pod ' || p))
FROM generate_series(0, 7) AS d, generate_series(0, 9) AS m, generate_series(1, 4) AS p

SELECT subject, kind, expected, actual, diff, relative, p_value FROM profiling.detect_service('watched')

CALL profiling.compact('0')

SELECT subject, kind, expected, actual, diff, relative, p_value FROM profiling.detect_service('watched')

CALL profiling.watch_services('0')

SELECT name, event, branch, method, level, subject, kind, status, baseline, expected, actual, diff, relative, p_value, q_value, seen FROM profiling.regression_history WHERE method = 'service'

SELECT service, event, unit, instances, profiles, compared_with, not_compared, deploy FROM profiling.watched_service

SELECT outcome, detail FROM profiling.job_log WHERE step = 'watch_services'
