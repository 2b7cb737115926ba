# Nights of twenty benchmarks: where several changed, each is believed earlier than Bonferroni would (Benjamini & Bogomolov
# 2014). A family that stands out alone, and a night in which nothing changed, have no finding more. Switched off by the
# watch option families, the night with several changes finds nothing, either.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('families');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$node->start;

sub value { my ($database, $sql) = @_; return Wire::answer($node, $database, $sql); }

# Ten nights of one stack: 980 and 1020 in turns, so the mean is 1000 and the standard deviation 20 * sqrt(10 / 9). Samples are worth
# nothing, so each benchmark has one test, a t-test of 9 degrees of freedom.
value('postgres', 'CREATE DATABASE recorded');
value('recorded', <<'SQL');
CREATE EXTENSION flamegraph_store CASCADE;
CREATE FUNCTION loaded(n int, night int, value float8) RETURNS bigint LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph('b' || n, flamegraph_agg('main;f' || n, value), unit => 'ms', commit => 'c' || night,
		started_at => timestamptz '2026-01-01 UTC' + night * interval '1 day')
$$;
-- the value that lies so many standard deviations of a new run from the mean of the ten before it
CREATE FUNCTION at_t(t float8) RETURNS float8 LANGUAGE sql AS $$ SELECT 1000 + t * 20 * sqrt(10.0 / 9) * sqrt(1.1) $$;
CREATE VIEW night AS SELECT detail FROM profiling.job_log WHERE step = 'watch_run' ORDER BY log_id DESC LIMIT 1;
UPDATE profiling.watch SET level = 'stack', options = '{"poisson_unit": 1e-9}' WHERE watch_id = 0;
DO $$ BEGIN PERFORM loaded(n, night, CASE night % 2 WHEN 0 THEN 980 ELSE 1020 END) FROM generate_series(1, 20) AS n, generate_series(1, 10) AS night; END $$;
CALL profiling.watch_run();
SQL
is(value('recorded', 'SELECT count(*) FROM profiling.regression'), 0, 'nothing has changed so far');

# The next night, compared in a copy: how far each benchmark is from its history. Returns the findings.
sub night
{
	my ($database, $before, @t) = @_;
	value('postgres', "CREATE DATABASE $database TEMPLATE recorded");
	my $script = $before;
	$script .= 'SELECT loaded(' . ($_ + 1) . ", 11, at_t($t[$_]));\n" for 0 .. $#t;
	value($database, "$script CALL profiling.watch_run();");
	is(value($database, q{SELECT count(*) FROM profiling.job_log WHERE outcome <> 'ok'}), 0, "$database: nothing failed");
	is(value($database, 'SELECT count(*) FROM profiling.candidate'), 0, "$database: no family waits by day");
	return value($database, q{SELECT count(*) FROM profiling.open_regression});
}

# Student's t of 9 degrees of freedom, two-sided: 0.002 is 4.297, 0.001 is 4.781, 0.05 is 2.262 (tables). Twenty families
# share 0.01, so Bonferroni asks for 0.0005; at 4.5 p lies between 0.001 and 0.002. Eight of them have 0.01 * 8 / 20 = 0.004.
my @eight = ((4.5) x 8, (0.5) x 12);
is(night('several', '', @eight), 8, 'eight benchmarks changed: all of them are found');
like(value('several', 'SELECT detail FROM night'), qr/^20 families of tests, 8 of 20 families selected, 8 findings more/, '... and the night says by what');
is(value('several', q{SELECT bool_and(q_value BETWEEN 20.0 / 8 * 0.001 AND 20.0 / 8 * 0.002 AND p_value BETWEEN 0.001 AND 0.002) FROM profiling.regression}), 't',
	'... with p adjusted for the families that were selected');
is(value('several', 'SELECT count(*) FROM profiling.regression WHERE notified_at IS NULL'), 0, '... and people are told');

is(night('bonferroni', q{UPDATE profiling.watch SET options = options || '{"families": "bonferroni"}' WHERE watch_id = 0;}, @eight), 0,
	'the same night with the option families = bonferroni: nothing is found');
is(value('bonferroni', q{SELECT detail !~ 'selected' FROM night}), 't', '... and nothing was selected');

is(night('single', '', 4.5, (0.5) x 19), 0, 'one of twenty that stands out as much is not found');
is(night('quiet', '', 2.2, (map { $_ % 2 ? 0.8 : -0.8 } 1 .. 19)), 0, 'a night in which nothing changed is silent');
is(value('quiet', q{SELECT detail FROM night}), '20 families of tests', '... and selects nothing');

# p = 0.0005 needs more than 4.781, and 7 has 0.0001 at most: Bonferroni finds three of these; five more at 4.5 come with them.
is(night('mixed', '', (7) x 3, (4.5) x 5, (0.5) x 12), 8, 'what Bonferroni finds, and what is selected with it');
like(value('mixed', 'SELECT detail FROM night'), qr/8 of 20 families selected, 5 findings more/, '... five of them more');
is(value('mixed', q{SELECT count(*) FROM profiling.regression WHERE q_value > 20.0 / 8 * p_value * 1.0001}), 0, '... all adjusted alike');
is(value('mixed', q{SELECT sum(substring(detail FROM '([0-9]+) opened')::int) FROM profiling.job_log WHERE step = 'watch' AND detail ~ ' [1-9][0-9]* opened'}), 3,
	'... three were opened at once');

# Findings that wait for later runs wait here, too; those who want one direction only get that.
is(night('pending', q{UPDATE profiling.watch SET confirm = 1 WHERE watch_id = 0;}, @eight), 0, 'with confirm nothing is open at once');
is(value('pending', q{SELECT count(*) FROM profiling.pending_regression}), 8, '... and eight are pending');
is(value('pending', q{SELECT pending FROM profiling.night_filters WHERE benchmark_id IS NULL ORDER BY log_id DESC LIMIT 1}), 8, '... which the night counts');
is(night('direction', q{UPDATE profiling.watch SET direction = 'optimization' WHERE watch_id = 0;}, (4.5) x 4, (-4.5) x 4, (0.5) x 12), 4, 'one direction only');

# A benchmark by itself has a night of its own, of which the number of families is given.
value('postgres', 'CREATE DATABASE alone TEMPLATE recorded');
value('alone', 'SELECT loaded(n, 11, at_t(4.5)) FROM generate_series(1, 8) AS n');
is(value('alone', q{SELECT sum((profiling.watch_benchmark(n, 20)).opened) FROM generate_series(1, 8) AS n}), 0, 'each in a night of its own: one of twenty each time');
is(value('alone', 'SELECT count(*) FROM profiling.candidate'), 0, '... and none is kept for another night');

# A night that was cut short before its end: the next one selects with what that one kept. A family that is compared again is kept anew.
value('postgres', 'CREATE DATABASE killed TEMPLATE recorded');
value('killed', <<'SQL');
SELECT loaded(n, 11, at_t(CASE WHEN n <= 8 THEN 4.5 ELSE 0.5 END)) FROM generate_series(1, 20) AS n;
DO $$
DECLARE
	v_night CONSTANT record := profiling.begin_night();
BEGIN
	PERFORM profiling.watch_step(n, v_night.families) FROM generate_series(1, 10) AS n;
END $$;
SQL
is(value('killed', 'SELECT count(*), count(DISTINCT families), max(families) FROM profiling.candidate'), '8|1|20', 'a night cut short keeps its families');
value('killed', 'CALL profiling.watch_run()');
is(value('killed', 'SELECT count(*) FROM profiling.open_regression'), 8, '... and the next one selects them');
value('killed', q{INSERT INTO profiling.candidate VALUES (9, 'cpu', 'ms', '', 0, '{1}', 20, 0.001, 0.01), (10, 'cpu', 'ms', '', 99, '{1}', 20, 0.001, 0.01), (11, 'x', 'ms', '', 0, '{-1}', 20, 0.001, 0.01)});
value('killed', 'CALL profiling.watch_run()');
is(value('killed', q{SELECT count(*) FROM profiling.candidate}), 0, 'runs and rows of watch that are gone are no error');
is(value('killed', q{SELECT count(*) FROM profiling.job_log WHERE outcome <> 'ok'}), 0, '... in no night');

done_testing();
