# What a change of a job would gain (simulate), against an oracle in Python that replays drawn jobs by definition: without a
# change every job has the times that were recorded; no change gains more than the phases of one path lose, nor than
# the estimates of the issues where nothing of theirs is a mean. And jobs that are kept between calls: what a call
# reads is what is there.
use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GoldenJobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph_jobs CASCADE; SET extra_float_digits = 1; SET jit = off; SET search_path = jobs, public');

# --- nothing changes ---------------------------------------------------------------------------------------------------------

my @golden = GoldenJobs::load_folder($db, $ENV{GOLDEN_JOBS_DIR} // "$FindBin::RealBin/../data/golden/jobs");
cmp_ok(scalar @golden, '>', 20, 'there are golden jobs');
for my $job (@golden)
{
	is( $db->value("SELECT count(*) FROM phase AS p FULL JOIN simulate($job->[1], '{}') AS s USING (phase_id)
			WHERE p.job_id = $job->[1] AND (p.start_time, p.end_time) IS DISTINCT FROM (s.start_time, s.end_time)"),
		'0', "$job->[0]: without a change the times are those recorded");
}

# --- drawn jobs --------------------------------------------------------------------------------------------------------------

my $seed = $ENV{JOBS_SEED} // 1;
my $count = $ENV{JOBS_COUNT} // 20;
my $drawn = tempdir(CLEANUP => 1);
system('python3', "$FindBin::RealBin/what_if_oracle.py", $drawn, $seed, $count) == 0 or die 'the oracle failed';
GoldenJobs::check_folder($db, $drawn);

# Seconds that the makespan shrinks, and the estimate of the issue of the root.
sub gain_and_impact
{
	my ($name, $change) = @_;
	my $issue = exists $change->{remove} ? 'bottleneck' : 'imbalance';
	my $json = Wire::literal(encode_json($change));
	return split /\|/, $db->value("SELECT extract(epoch FROM p.end_time - s.end_time)::float8 || '|' ||
		coalesce((SELECT estimated_impact FROM performance_issues(j.job_id, '1 s')
			WHERE phase_id = 10 AND issue = '$issue' AND source = " . Wire::literal((values %$change)[0]) . "), 0)
		FROM job AS j, simulate(j.job_id, '{}', '1 s') AS p, simulate(j.job_id, $json, '1 s') AS s
		WHERE j.name = '$name' AND p.phase_id = 10 AND s.phase_id = 10");
}

my %seen = (path => 0, means => 0, gained => 0);
for my $file (map { decode_json(slurp_file($_)) } sort glob("$drawn/*.json"))
{
	my @bad;
	for my $change (sort keys %{ $file->{bounds} })
	{
		my ($path, $means) = @{ $file->{bounds}{$change} };
		my ($gain, $impact) = gain_and_impact($file->{name}, decode_json($change));
		push @bad, "$change gains $gain, the path loses $path" if $gain > $path + 1e-4;
		push @bad, "$change gains $gain, estimated $impact" if $means && $gain > $impact + 1e-4;
		$seen{path}++;
		$seen{means}++ if $means;
		$seen{gained}++ if $means && $gain > 0;
	}
	is("@bad", '', "$file->{name}: no change gains more than its bound");
}
cmp_ok($seen{path}, '>', 80, "$seen{path} changes");
cmp_ok($seen{gained}, '>', 10, "of $seen{means} that the estimates bound $seen{gained} gain something");

# --- where the estimate is no bound --------------------------------------------------------------------------------------------

# Two threads, one of which waits for a lock in 8 of its 10 seconds: the mean over both is 4.
$db->run(<<'SQL');
INSERT INTO platform_model VALUES ('threads');
INSERT INTO phase_type (model, phase_type, parent_type, repeat) VALUES ('threads', 'run', NULL, 'once'), ('threads', 'thread', 'run', 'concurrent');
INSERT INTO resource_type (model, resource_type, class) VALUES ('threads', 'lock', 'blocking'), ('threads', 'machine', NULL);
INSERT INTO job (job_id, model, name) VALUES (9000, 'threads', 'two threads');
CREATE FUNCTION at(s float8) RETURNS timestamptz LANGUAGE sql IMMUTABLE RETURN '2000-01-01 00:00:00+00'::timestamptz + s * interval '1 s';
INSERT INTO phase (job_id, phase_id, parent_id, phase_type, instance, start_time, end_time)
VALUES (9000, 1, NULL, 'run', '', at(0), at(10)), (9000, 2, 1, 'thread', 'a', at(0), at(10)), (9000, 3, 1, 'thread', 'b', at(0), at(2));
INSERT INTO resource (job_id, resource_id, parent_id, resource_type, instance, capacity) VALUES (9000, 1, NULL, 'lock', '', NULL);
INSERT INTO phase_resource VALUES (9000, 1, 1);
INSERT INTO blocking_interval VALUES (9000, 1, at(2), at(10));
SQL
is( $db->value("SELECT s.end_time - at(0) || ' ' || i.estimated_impact FROM simulate(9000, '{\"remove\": \"lock\"}') AS s,
		bottleneck_issues(9000) AS i WHERE s.phase_id = 1 AND i.phase_id = 1"),
	'00:00:02 4', 'of concurrent phases the estimate has the mean, the replay the one that lasts longest');
is($db->value("SELECT end_time - at(0) FROM simulate(9000, '{\"balance\": \"thread\"}') WHERE phase_id = 1"),
	'00:00:06', 'the mean instead of the maximum');
is($db->value("SELECT end_time - at(0) FROM simulate(9000, '{\"scale\": [\"run\", 2.5]}') WHERE phase_id = 1"),
	'00:00:25', 'leaves below a type are scaled');

# --- what is refused -----------------------------------------------------------------------------------------------------------

for my $bad (
	[ '[]', '22023', 'an array' ],
	[ '{"stop": "lock"}', '22023', 'an unknown key' ],
	[ '{"remove": null}', '22023', 'nothing to remove' ],
	[ '{"remove": 1}', '22023', 'a number as a name' ],
	[ '{"remove": "disk"}', '22023', 'an unknown resource type' ],
	[ '{"remove": "machine"}', '22023', 'a container' ],
	[ '{"balance": "disk"}', '22023', 'an unknown phase type' ],
	[ '{"balance": "run"}', '22023', 'a type of which one runs at a time' ],
	[ '{"scale": "thread"}', '22023', 'no factor' ],
	[ '{"scale": ["thread"]}', '22023', 'no factor in an array' ],
	[ '{"scale": {"thread": 1, "run": 2}}', '22023', 'an object' ],
	[ '{"scale": ["thread", "2"]}', '22023', 'a factor in quotes' ],
	[ '{"scale": ["thread", -1]}', '22023', 'a negative factor' ],
	[ '{"scale": ["thread", 1e400]}', '22023', 'an infinite factor' ],
	[ '{"scale": ["thread", 1e300]}', '22003', 'times out of range' ],
	[ '{"balance": "thread", "remove": "lock"}', '22023', 'two changes' ])
{
	my ($change, $state, $what) = @$bad;
	my $error = $db->query("SELECT count(*) FROM simulate(9000, '$change')")->{error};
	is($error && $error->{sqlstate}, $state, "$what: $state");
	isnt($error->{hint} // '', '', "$what: with a hint") if $state eq '22023';
}
my $null = $db->query('SELECT count(*) FROM simulate(9000, NULL)')->{error};
is($null && $null->{sqlstate}, '22004', 'no change at all');

# --- many changes --------------------------------------------------------------------------------------------------------------

# Of each golden job what is proposed, asked for again, and the job as it was.
my $golden = join ', ', map { $_->[1] } @golden;
my $seconds = 'extract(epoch FROM s.end_time - s.start_time)::float8';
is( $db->value("SELECT string_agg(DISTINCT j.name, ', ') FROM job AS j JOIN phase AS p ON p.job_id = j.job_id AND p.parent_id IS NULL,
		replays(j.job_id) AS r, simulate(j.job_id, r.change) AS s
	WHERE j.job_id IN ($golden) AND s.phase_id = p.phase_id AND r.makespan <> $seconds"),
	undef, 'a replay takes as long as simulate() says');
cmp_ok($db->value("SELECT count(*) FROM job AS j, replays(j.job_id) AS r WHERE j.job_id IN ($golden) AND r.gain > 0"), '>', 20, '... of changes that gain something');
is( $db->value("SELECT string_agg(DISTINCT j.name, ', ') FROM job AS j JOIN phase AS p ON p.job_id = j.job_id AND p.parent_id IS NULL, replays(j.job_id) AS r
	WHERE j.job_id IN ($golden) AND (r.n = 0 AND (r.change, r.makespan, r.gain) IS DISTINCT FROM ('{}'::jsonb, extract(epoch FROM p.end_time - p.start_time)::float8, 0::float8)
		OR r.n > 0 AND r.gain <> extract(epoch FROM p.end_time - p.start_time)::float8 - r.makespan)"),
	undef, 'the first row is the job as it was, and gains are above it');
is( $db->value("SELECT string_agg(concat_ws(' ', n, change, makespan, gain, relative_gain, estimated_impact), '; ' ORDER BY n)
	FROM replays(9000, '[{\"remove\": \"lock\"}, {\"balance\": \"thread\"}, {}, {\"scale\": [\"run\", 2.5]}]')"),
	'0 {} 10 0 0; 1 {"remove": "lock"} 2 8 0.8 4; 2 {"balance": "thread"} 6 4 0.4 4; 3 {} 10 0 0; 4 {"scale": ["run", 2.5]} 25 -15 -1.5',
	'gains, shares, and the estimates of what mends an issue');
is($db->value("SELECT string_agg(change::text, ' ' ORDER BY n) FROM replays(9000)"),
	'{} {"remove": "lock"} {"balance": "thread"} {"scale": ["thread", 0.5], "remove": "lock"}', 'what is proposed');
is($db->value("SELECT string_agg(n || ' ' || change, ' ') FROM replays(9000, '[]')"), '0 {}', 'no change: the job as it was');
for my $bad ([ '{}', 'an object' ], [ '1', 'a number' ], [ 'null', 'null' ], [ '[1]', 'no object' ], [ '[{}, {"stop": "lock"}]', 'an unknown key' ], [ '[{"remove": "disk"}]', 'an unknown type' ])
{
	my $error = $db->query("SELECT count(*) FROM replays(9000, '$bad->[0]')")->{error};
	is($error && $error->{sqlstate}, '22023', "$bad->[1]: 22023");
	isnt($error->{hint} // '', '', "$bad->[1]: with a hint");
	my $place = $bad->[0] =~ /^\[/ ? 1 + ($bad->[0] =~ tr/,//) : undef;
	like($error->{context} // '', qr/^change $place of the array/, "$bad->[1]: which change it is") if $place;
}
is($db->query('SELECT count(*) FROM replays(1000000)')->{error}{detail}, 'unknown_job', 'no such job');
is($db->query('SELECT count(*) FROM replays(NULL)')->{error}{sqlstate}, '22004', 'no job');

# --- a chain -------------------------------------------------------------------------------------------------------------------

# 20,000 phases deep, each with a lag and a tail of a millisecond.
$db->run(<<'SQL');
INSERT INTO platform_model VALUES ('deep');
INSERT INTO phase_type (model, phase_type, parent_type, repeat)
SELECT 'deep', 't' || i, CASE WHEN i > 0 THEN 't' || i - 1 END, 'once' FROM generate_series(0, 19999) AS i;
INSERT INTO job (job_id, model, name) VALUES (9001, 'deep', 'deep');
INSERT INTO phase (job_id, phase_id, parent_id, phase_type, instance, start_time, end_time)
SELECT 9001, i, NULLIF(i - 1, -1), 't' || i, '', at(i / 1000.0), at((41000 - i) / 1000.0) FROM generate_series(0, 19999) AS i;
SQL
is($db->value("SELECT end_time - at(0) FROM simulate(9001, '{\"scale\": [\"t0\", 0]}') WHERE phase_id = 0"),
	'00:00:39.998', 'a deep chain without its leaf');

# --- rules from measurements -----------------------------------------------------------------------------------------------------

# A job whose usage was made by rules: a takes 2 each, b 0.7 each, c nothing, and a background of 0.3 is always there.
$db->run(<<'SQL');
INSERT INTO platform_model VALUES ('known'), ('blank');
INSERT INTO phase_type (model, phase_type, parent_type, repeat) SELECT m, t, CASE t WHEN 'r' THEN NULL ELSE 'r' END, CASE t WHEN 'r' THEN 'once' ELSE 'concurrent' END::phase_repeat
FROM unnest('{known,blank}'::text[]) AS m, unnest('{r,a,b,c}'::text[]) AS t;
INSERT INTO resource_type (model, resource_type, class) SELECT m, 'cpu', 'consumable' FROM unnest('{known,blank}'::text[]) AS m;
INSERT INTO attribution_rule (model, phase_type, resource_type, rule, cap) VALUES ('known', 'a', 'cpu', 'greedy', 2), ('known', 'b', 'cpu', 'greedy', 0.7), ('known', 'c', 'cpu', 'none', NULL);
INSERT INTO job (job_id, model, name) VALUES (9100, 'known', 'known'), (9101, 'blank', 'blank');
INSERT INTO phase (job_id, phase_id, parent_id, phase_type, instance, start_time, end_time)
SELECT job, 0, NULL, 'r', '', at(0), at(400) FROM unnest('{9100,9101}'::int[]) AS job UNION ALL
SELECT job, i, 0, (ARRAY['a', 'b', 'c'])[1 + i % 3], i::text, at(i * 7919 % 389), at(i * 7919 % 389 + 1 + i % 11)
FROM unnest('{9100,9101}'::int[]) AS job, generate_series(1, 150) AS i;
INSERT INTO resource (job_id, resource_id, resource_type, capacity) SELECT job, 1, 'cpu', 24 FROM unnest('{9100,9101}'::int[]) AS job;
INSERT INTO usage_measurement (job_id, resource_id, start_time, end_time, usage)
SELECT job, 1, at(t), at(t + 1), 0.3 + 2 * count(*) FILTER (WHERE phase_type = 'a') + 0.7 * count(*) FILTER (WHERE phase_type = 'b')
FROM unnest('{9100,9101}'::int[]) AS job, generate_series(0, 399) AS t LEFT JOIN phase AS p ON p.job_id = 9100 AND p.start_time <= at(t) AND at(t) < p.end_time
GROUP BY job, t;
SQL
my $error = "SELECT relative_error FROM sampling_error(%d, '{8}') WHERE sampling = 'phase_aware'";
my ($known, $blank) = map { $db->value(sprintf $error, $_) } 9100, 9101;
my $suggest = "SELECT * FROM suggest_rules(9101) ORDER BY phase_type";
my @rules = @{ $db->query($suggest)->{rows} };
cmp_ok(scalar @rules, '>', 0, 'there are better rules');
is($rules[0][4], $blank, 'the error at hand is that of sampling_error');
cmp_ok($rules[0][5], '<=', $known + 1e-9, "the error of the suggestions, $rules[0][5], is no worse than that of the rules that made the job, $known (without: $blank)");
is_deeply($db->query($suggest)->{rows}, \@rules, 'the same again');
$db->run("INSERT INTO attribution_rule (model, phase_type, resource_type, rule, cap)
	SELECT 'blank', phase_type, resource_type, rule::attribution_rule_kind, cap FROM suggest_rules(9101)");
is($db->value(sprintf $error, 9101), $rules[0][5], 'with them the error is what was promised');
is($db->value('SELECT count(*) FROM suggest_rules(9101)'), '0', 'and nothing is left to suggest');
# A rule that a type has from the one above it is its rule at hand.
$db->run("BEGIN; DELETE FROM attribution_rule WHERE model = 'known' AND phase_type = 'c'; INSERT INTO attribution_rule (model, phase_type, resource_type, rule) VALUES ('known', 'r', 'cpu', 'none');
	UPDATE attribution_rule SET cap = 0.1 WHERE model = 'known' AND phase_type = 'b'");
is($db->value('SELECT min(error_now) FROM suggest_rules(9100)'), $db->value(sprintf $error, 9100), 'rules that are inherited count');
is($db->value("SELECT count(*) FROM suggest_rules(9100) WHERE phase_type = 'c' AND rule = 'none'"), '0', 'and are not suggested again');
$db->run('ROLLBACK');
for my $bad ('factor => 0', 'factor => NULL', 'evaluations => 0', "of_type => 'disk'", "delta => 2")
{
	like($db->query("SELECT * FROM suggest_rules(9101, $bad)")->{error}{sqlstate}, qr/^2200?[43]|^22023/, "refused: $bad");
}

# --- a job that is kept from one call to the next ------------------------------------------------------------------------------

my $leaves = '(SELECT count(*) FROM active_phases(9000))';
my $both = "SELECT $leaves || ' ' || (SELECT count(*) FROM simulate(9000, '{}'))";
is($db->value($both), '2 3', 'two functions in one statement');
$db->run('BEGIN');
is($db->value($both), '2 3', 'in a transaction');
$db->run("INSERT INTO phase (job_id, phase_id, parent_id, phase_type, instance, start_time, end_time) VALUES (9000, 4, 1, 'thread', 'c', at(0), at(1))");
is($db->value($both), '3 4', 'a phase that was added since');
$db->run('SAVEPOINT s; DELETE FROM phase WHERE job_id = 9000 AND phase_id = 4');
is($db->value($both), '2 3', 'one that was deleted');
$db->run('ROLLBACK TO s');
is($db->value($both), '3 4', 'and is there again');
is($db->value("WITH gone AS (DELETE FROM phase WHERE job_id = 9000 AND phase_id = 4 RETURNING 1) $both"),
	'3 4', 'a statement does not see what it does itself');
is($db->value($both), '2 3', 'the next one does');
$db->run('ROLLBACK');
my $other = Wire->connect($node, 'postgres');
$db->run('BEGIN');
is($db->value($both), '2 3', 'before another session commits');
$other->run("INSERT INTO jobs.phase (job_id, phase_id, parent_id, phase_type, instance, start_time, end_time) VALUES (9000, 4, 1, 'thread', 'c', jobs.at(0), jobs.at(1))");
is($db->value($both), '3 4', 'and after');
$db->run('COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ');
is($db->value($both), '3 4', 'the same in one snapshot');
$other->run('DELETE FROM jobs.phase WHERE job_id = 9000 AND phase_id = 4');
is($db->value($both), '3 4', 'which stays');
$db->run('COMMIT');
is($db->value("SELECT string_agg(n::text, ' ' ORDER BY job) FROM (VALUES (9000), (9001), (9000)) AS j (job), LATERAL (SELECT count(*) AS n FROM simulate(job, '{}')) AS s"),
	'3 3 20000', 'two jobs in turns');

# Who may not read, and who sees only some rows.
$db->run('CREATE ROLE reader; GRANT USAGE ON SCHEMA jobs TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA jobs TO reader');
$db->run('BEGIN');
is($db->value($both), '2 3', 'the owner has read the job');
$db->run('SET LOCAL ROLE reader');
is($db->value($both), '2 3', 'a reader does');
$db->run('RESET ROLE; REVOKE SELECT ON phase FROM reader; SET LOCAL ROLE reader');
is($db->query($both)->{error}{sqlstate}, '42501', 'and does no longer without the right');
$db->run('ROLLBACK');
$db->run("ALTER TABLE blocking_interval ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON blocking_interval USING (current_setting('my.job', true) = job_id::text)");
my $waits = "SELECT count(*) FROM blocked_intervals(9000)";
$db->run('BEGIN; SET LOCAL ROLE reader');
is($db->value($waits), '0', 'a policy hides rows');
$db->run("SELECT set_config('my.job', '9000', true)");
is($db->value($waits), '1', 'and shows them when its setting changes');
$db->run('ROLLBACK');

done_testing();
