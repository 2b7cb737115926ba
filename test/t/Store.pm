# What the tests of the extension flamegraph_store share.
#
#   Store::create($db)                  # both extensions
#   Store::fill($db, %options)          # profiles of several months, benchmarks, branches, repetitions; findings, models ...
#   Store::fill_samples($db)            # the part of it that an earlier release has not: samples, noise and periods
#   Store::contents($db)                # all rows of all tables: { table => "count md5" }
#   $Store::uniform                     # SQL: a function uniform(key text, number int) that draws numbers
package Store;

use strict;
use warnings;

# Between 0 and 1, the same for the same arguments on every version, in whatever order rows are read. The numbers of
# random() changed with PostgreSQL 15.
our $uniform = <<'SQL';
CREATE FUNCTION uniform(key text, number int DEFAULT 0) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT ((hashtextextended(key, number) & 4503599627370495)::float8 + 0.5) / 4503599627370496
$$;
SQL

sub create
{
	my ($db) = @_;
	$db->run('CREATE EXTENSION IF NOT EXISTS flamegraph');
	$db->run('CREATE EXTENSION flamegraph_store');
	return;
}

sub fill
{
	my ($db) = @_;
	$db->run(<<'SQL');
INSERT INTO profiling.frame_rule (ordinal, benchmark, pattern, replacement) VALUES (1, 'b1', '_[0-9]+$', ''), (2, '%', 'µ', 'u');
INSERT INTO profiling.owner (pattern, team, priority) VALUES ('main.*;*', 'core', 1), ('*;"gc;x"|µ*;*', 'vm', 0);
INSERT INTO profiling.watch (benchmark, method, level, baseline, options) VALUES ('b1', 'welch', 'node', 'commit:abc', '{"recent": 3}');
UPDATE profiling.watch SET alpha = 0.005 WHERE watch_id = 0;
INSERT INTO profiling.frame_commit (pattern, file, commit, committed_at) VALUES ('~"^a\\.b"', 'src/a b.c', 'abc', '2021-01-01 UTC');
SELECT profiling.import_flamegraph(benchmark => 'b' || b, suite => CASE WHEN b = 3 THEN 's "x"' ELSE '' END, parameters => jsonb_build_object('n', b / 2),
	fg => format(E'main;f_%s %s\nmain;µ\\;x;%s %s\nmain;gc 0.%s', m, m + r, repeat('deep;', m * b) || 'x', 3, r)::flamegraph,
	truncated => CASE WHEN m = 2 THEN 'cut;off 3'::flamegraph END,
	started_at => timestamptz '2021-01-15 10:00 UTC' + make_interval(months => m), branch => CASE WHEN b = 2 THEN 'dev' ELSE 'main' END,
	commit => md5(m::text), labels => '{"host": "é"}', event => e, unit => CASE e WHEN 'cpu' THEN 'samples' ELSE 'bytes' END, period => 1e7, duration => '1 minute 0.5 s',
	repetition => r, metric => m * 0.1, metric_unit => 's', source => E'file\t' || r)
FROM generate_series(1, 3) AS b, generate_series(0, 5) AS m, generate_series(0, 1) AS r, (VALUES ('cpu'), ('alloc')) AS e (e);
-- a large one, out of line
SELECT profiling.import_flamegraph('large', flamegraph_agg('main;a' || i / 4096 || ';b' || i / 256 || ';c' || i / 16 || ';d' || i, sqrt(i)), started_at => '2021-02-01 UTC')
FROM generate_series(1, 30000) AS i;
SELECT profiling.import_observations('b1', ARRAY['f', 'g', E'h\\'], ARRAY[1, 2, 1e-300], ARRAY[0.1, 1e300, -1], started_at => '2021-01-15 10:00 UTC', unit => 'ms');
INSERT INTO profiling.fitted_model SELECT 1, 1, 'f', 'linear', 'ms', m, r_square(m) FROM fit('{1,2,3}', '{1,2.1,2.9}', 'linear') AS m;
INSERT INTO profiling.benchmark_alias (name, parameters, parameters_id, new_name, new_parameters)
VALUES ('lagre', NULL, md5('null')::uuid, 'large', NULL), (E'é\\', '{"é": 1}', md5('{"é": 1}')::uuid, 'large', '{}');
INSERT INTO profiling.regression (benchmark_id, event, unit, first_test_run_id, last_test_run_id, method, level, subject, subject_id, expected, actual, p_value, kind, status, closed_at)
VALUES (1, 'cpu', 'samples', 1, 2, 'deviation', 'frame', E'a\\;b', md5('a;b')::uuid, 1, 2, 1e-300, 'degradation', 'open', NULL),
	(1, 'cpu', 'samples', 1, 2, 'deviation', 'frame', 'c', md5('c')::uuid, 'Infinity', 2, NULL, 'optimization', 'resolved', '2021-03-01 UTC');
SQL
	# An earlier release has not all tables.
	$db->run(<<'SQL') if $db->value("SELECT to_regclass('profiling.domain') IS NOT NULL") eq 't';
INSERT INTO profiling.domain (pattern, name) VALUES ('*;"a;b";*', 'µ');
INSERT INTO profiling.regression_group (log_id, first_test_run_id) VALUES (1, 1), (1, 2);
INSERT INTO profiling.candidate VALUES (1, 'cpu', 'samples', E'\\', 0, '{1,2}', 20, 1e-300, 0.01, '2021-01-01 UTC');
INSERT INTO profiling.commit_change (commit, parent, committed_at, file, added, deleted, subject)
VALUES ('abc', '', '2021-01-01 UTC', 'src/a b.c', 3, NULL, E'tab\t"quoted"'), ('abd', 'abc', '2021-01-02 UTC', '', NULL, NULL, '');
INSERT INTO profiling.commit_function (commit, file, function) VALUES ('abc', 'src/a b.c', E'f\\');
INSERT INTO profiling.regression (benchmark_id, event, unit, first_test_run_id, last_test_run_id, method, level, subject, subject_id, expected, actual, kind, status, samples, cause, counterpart,
	group_id, seen, notified_at, last_repetitions)
SELECT 1, 'cpu', 'samples', 1, 2, 'deviation', 'frame', s::stackpath, md5(s)::uuid, 1, 2, k, t, 3.5, c, ARRAY[E'µ\\;x', 'd']::stackpath[], 1, 2, n, 3
FROM (VALUES ('d', 'degradation', 'pending', '', NULL), ('e', 'degradation', 'open', 'shift', NULL), ('f', 'environment', 'acknowledged', 'environment', timestamptz '2021-03-02 UTC')) AS v (s, k, t, c, n);
INSERT INTO profiling.watch (benchmark, method, confirm, baseline, options) VALUES ('b2', 'drift', 2, 'season:7 days*4', '{"ago": "30 days", "groups": "false"}');
INSERT INTO profiling.job_log (step, outcome, detail, kept_back) VALUES ('watch_run', 'ok', '', '{"pending": 3, "groups": 2}');
SQL
	fill_samples($db) if $db->value("SELECT to_regclass('profiling.domain') IS NOT NULL") eq 't';
	fill_services($db) if $db->value("SELECT to_regclass('profiling.service') IS NOT NULL") eq 't';
	$db->run("SELECT profiling.add_partition(d) FROM (VALUES (date '2021-02-01'), ('2021-03-01'), ('2021-04-01')) AS v (d)");
	$db->run('CALL profiling.maintain()');
	return;
}

# Services in production: blocks of every resolution, in partitions and in the default one, and what has just come. Times are from
# now on, so this is in no expected output.
sub fill_services
{
	my ($db) = @_;
	$db->run(<<'SQL');
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('s%', NULL, NULL, NULL, NULL);
INSERT INTO profiling.service_watch (service, event, baseline, confirm, deploys) VALUES ('s%', 'cpu', 'season:7 days*4', 0, false), (E'é\\\\', '%', 'season:1 hour*3', 2, true);
INSERT INTO profiling.service_hour VALUES (1, 'cpu', 'samples', '2021-01-01 UTC', '2021-01-02 UTC', 3, 4, 5, NULL, E'é\t'), (1, 'cpu', E'\\', '2021-01-01 UTC', '2021-01-02 UTC', 0, 0, NULL, 'no', NULL);
INSERT INTO profiling.service_candidate VALUES (1, 'cpu', E'\\', '2021-01-01 UTC', 'version', 'é', '', '2021-01-01 00:10 UTC', 3, 1e-300, 0.01, '2021-01-02 UTC');
UPDATE profiling.regression SET baseline = 'version:é' WHERE subject = 'c';
SELECT profiling.ingest(s, fg => format(E'main;µ %s\nmain;%s 1', n + 1, s)::flamegraph, recorded_at => date_trunc('hour', now()) - n * interval '7 hours', instance => 'pod\' || n,
	labels => '{"version": "é"}', noise => CASE WHEN s <> 's-old' THEN format(E'main;µ %s\nmain;%s 1', n + 1, s)::flamegraph END)
FROM generate_series(1, 12) AS n, (VALUES ('s'), ('s-old'), ('s-hours'), ('s-minutes')) AS v (s);
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('s-old', '1 day', '1 day', '1 day', NULL), ('s-hours', '1 day', '1 day', NULL, NULL), ('s-minutes', '1 day', NULL, NULL, NULL);
SELECT profiling.add_production_partition('block', now() - interval '40 days'), profiling.add_production_partition('incoming', now());
SQL
	$db->run('CALL profiling.compact()');
	$db->run(q{SELECT profiling.ingest('s', fg => 'main;new 3', recorded_at => now(), instance => 'p', duration => '1 min'), profiling.ingest('s', fg => '', recorded_at => '2020-01-01', noise => '')});
	return;
}

# Profiles whose samples weigh differently, have one period, or are unknown, in runs of one kind and in mixed ones: their
# sums know the samples, the period, or nothing. The older runs become months.
sub fill_samples
{
	my ($db) = @_;
	$db->run(<<'SQL');
SELECT profiling.import_flamegraph('weighed', format(E'main;f;µ %s\nmain;g %s', 100 + n, 7 * r + 1)::flamegraph, unit => 'us', started_at => timestamptz '2021-01-03 UTC' + n * interval '10 days',
	branch => 'main', commit => 'c' || n, repetition => r,
	-- of six runs two have vectors, two one period, one both, and one nothing
	period => CASE WHEN n % 6 IN (2, 3) OR n % 6 = 4 AND r = 1 THEN 0.5 END,
	samples => CASE WHEN n % 6 < 2 OR n % 6 = 4 AND r <> 1 THEN format(E'main;f;µ %s\nmain;g 1', 3 + n) END::flamegraph,
	noise => CASE WHEN n % 6 < 2 OR n % 6 = 4 AND r <> 1 THEN format(E'main;f;µ %s\nmain;g %s', (100 + n) * (100 + n) / 2.0, (7 * r + 1) ^ 2) END::flamegraph)
FROM generate_series(0, 17) AS n, generate_series(0, 2) AS r;
-- more than what a rollup takes at once, so that some of it waits
SELECT profiling.import_flamegraph('weighed', 'main;f 12', unit => 'us', started_at => '2021-07-20 UTC', branch => 'main', repetition => r, samples => 'main;f 2', noise => 'main;f 80')
FROM generate_series(0, 110) AS r;
SELECT profiling.merge_rollups(benchmark_id, '0 days', 3) FROM profiling.benchmark WHERE name = 'weighed';
SQL
	return;
}

# How many rollups have vectors of samples, one period, or neither; of runs, and of months.
sub weights
{
	my ($db) = @_;
	return $db->rows(<<'SQL');
SELECT r.span, count(*) FILTER (WHERE r.samples IS NOT NULL) > 0, count(*) FILTER (WHERE r.period IS NOT NULL) > 0, count(*) FILTER (WHERE r.samples IS NULL AND r.period IS NULL) > 0
FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'weighed' GROUP BY 1 ORDER BY 1
SQL
}

# The columns of each table, so that its rows can be compared when it has more of them.
sub columns
{
	my ($db) = @_;
	return { map { $_->[0] => $_->[1] } @{ $db->rows(<<'SQL') } };
SELECT c.oid::regclass::text, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'profiling'::regnamespace AND c.relkind IN ('r', 'p') GROUP BY 1
SQL
}

sub contents
{
	my ($db, $columns) = @_;
	my %contents;
	$db->run("SET timezone = 'UTC'");
	for my $row (@{ $db->rows(<<'SQL') })
SELECT c.oid::regclass::text FROM pg_class AS c WHERE c.relnamespace = 'profiling'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1
SQL
	{
		my ($table) = @$row;
		$contents{$table} = $db->value("SELECT count(*) || ' ' || md5(coalesce(string_agg(md5(t::text), '' ORDER BY md5(t::text)), '')) FROM "
			. ($columns && $columns->{$table} ? "(SELECT $columns->{$table} FROM $table)" : $table) . ' AS t');
	}
	for my $row (@{ $db->rows(<<'SQL') })
SELECT c.oid::regclass::text FROM pg_class AS c WHERE c.relnamespace = 'profiling'::regnamespace AND c.relkind = 'S' ORDER BY 1
SQL
	{
		$contents{ $row->[0] } = join ' ', @{ $db->row("SELECT last_value, is_called FROM $row->[0]") };
	}
	return \%contents;
}

1;
