# What the tests of the extension flamegraph_store share.
#
#   Store::create($db)                  # both extensions
#   Store::fill($db, %options)          # profiles of several months, benchmarks, branches, repetitions; findings, models ...
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
INSERT INTO profiling.commit_change (commit, parent, committed_at, file, added, deleted, subject)
VALUES ('abc', '', '2021-01-01 UTC', 'src/a b.c', 3, NULL, E'tab\t"quoted"'), ('abd', 'abc', '2021-01-02 UTC', '', NULL, NULL, '');
INSERT INTO profiling.commit_function (commit, file, function) VALUES ('abc', 'src/a b.c', E'f\\');
SQL
	$db->run("SELECT profiling.add_partition(d) FROM (VALUES (date '2021-02-01'), ('2021-03-01'), ('2021-04-01')) AS v (d)");
	$db->run('CALL profiling.maintain()');
	return;
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
