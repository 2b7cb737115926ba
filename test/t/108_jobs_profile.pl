# Jobs as profiles. job_profile() of every golden job is what SQL adds up over phases from the functions that say when a leaf
# lives, waits, uses and is limited; totals are those of the root; names that no frame may have, arguments that do not fit,
# rights; and profiles of jobs go through what takes profiles. publish() puts them into the store: where, as what, once, by whom.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GoldenJobs;
use Jobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph_jobs CASCADE; SET extra_float_digits = 1; SET search_path = jobs, public');
my @jobs = GoldenJobs::load_folder($db, $ENV{GOLDEN_JOBS_DIR} // "$FindBin::RealBin/../data/golden/jobs");
cmp_ok(scalar @jobs, '>', 30, 'there are golden jobs');

# --- the profile of a job is a sum over its leaves ---------------------------------------------------------------------

my $seconds = 'extract(epoch FROM x.end_time - x.start_time)::float8';
my $of_type = 'JOIN resource AS r ON r.job_id = {j} AND r.resource_id = x.resource_id AND r.resource_type = {t}';
# The length of the union of intervals.
my $united = q{(SELECT sum(extract(epoch FROM upper(u) - lower(u))::float8)
	FROM unnest(range_agg(tstzrange(x.start_time, x.end_time))) AS u)};
# By measure: the classes of the types it is asked of ('': none), and its value by leaf. {j}: the job, {t}: the type, {o}: options.
my %oracle = (
	time => [ [''], 'SELECT x.phase_id, x.duration AS v FROM bottleneck_durations({j}{o}) AS x WHERE x.resource_type IS NULL' ],
	usage => [ ['consumable'], "SELECT x.phase_id, sum(x.usage * $seconds) AS v FROM attribute_usage({j}{o}) AS x $of_type GROUP BY 1" ],
	available => [ ['consumable'], "SELECT x.phase_id, sum(x.available_capacity * $seconds) AS v FROM attribute_usage({j}{o}) AS x $of_type GROUP BY 1" ],
	waiting => [ [ '', 'blocking' ], "SELECT x.phase_id, $united AS v FROM blocked_intervals({j}{o}) AS x JOIN resource AS r ON r.job_id = {j}
		AND r.resource_id = x.resource_id AND coalesce(r.resource_type = {t}, true) GROUP BY 1" ],
	bottleneck => [ [ '', 'consumable', 'blocking' ], "SELECT x.phase_id, $united AS v FROM bottlenecks({j}{o}) AS x
		WHERE coalesce(x.resource_type = {t}, true) GROUP BY 1" ]);
my $differ = q{
WITH RECURSIVE tree AS (
	SELECT phase_id, ARRAY[frame] AS stack FROM named WHERE parent_id IS NULL
	UNION ALL SELECT p.phase_id, t.stack || p.frame FROM named AS p JOIN tree AS t ON p.parent_id = t.phase_id),
named AS MATERIALIZED (SELECT p.phase_id, p.parent_id, translate(p.phase_type || CASE WHEN {i} AND p.instance <> '' THEN ':' || p.instance
	ELSE '' END, E'\r\n', '  ') AS frame FROM phase AS p WHERE p.job_id = {j}),
expected AS (SELECT t.stack, sum(v.v) AS v FROM tree AS t JOIN ({values}) AS v USING (phase_id)
	WHERE NOT EXISTS (SELECT FROM named AS c WHERE c.parent_id = t.phase_id) GROUP BY 1),
got AS (SELECT frames(s.stack) AS stack, s.value AS v FROM stacks(job_profile({j}, {m}, {t}, {i}{o})) AS s)
SELECT {m}, {t}, stack, e.v, g.v FROM expected AS e FULL JOIN got AS g USING (stack)
WHERE abs(coalesce(e.v, 0) - coalesce(g.v, 0)) > 1e-9 * greatest(1, abs(e.v), abs(g.v)) LIMIT 1};

sub differences
{
	my ($job, $options, $instances) = @_;
	my @found;
	my $types = $db->rows("SELECT t.class, t.resource_type FROM resource_type AS t JOIN job AS j USING (model) WHERE j.job_id = $job");
	for my $measure (sort keys %oracle)
	{
		my ($classes, $values) = @{ $oracle{$measure} };
		my @types = map { my $class = $_; $class eq '' ? 'NULL::text' : map { Wire::literal($_->[1]) } grep { ($_->[0] // '') eq $class } @$types } @$classes;
		for my $type (@types)
		{
			my %with = (j => $job, t => $type, o => $options, i => $instances, m => "'$measure'", values => $values);
			my $sql = $differ;
			1 while $sql =~ s/\{(\w+)\}/$with{$1}/g;
			my $result = $db->query($sql);
			push @found, $result->{error} ? $result->{error}{message} : map { join ' ', map { $_ // 'null' } @$_ } @{ $result->{rows} };
		}
	}
	return join "\n", @found;
}

for my $job (@jobs)
{
	my ($name, $id) = @$job;
	is(differences($id, '', 'false'), '', "$name: values are sums over leaves");
	is(differences($id, q(, slice => '0.7 s', use_blocking => false, delta => 0.5), 'true'), '', "$name: of instances, with options");
}

my $ids = join ', ', map { $_->[1] } @jobs;
is_deeply($db->rows(qq{
	SELECT j.job_id, t.resource_type FROM job AS j JOIN resource_type AS t USING (model),
		LATERAL (SELECT coalesce(sum(c.consumption), 0) AS used, coalesce(sum(c.available), 0) AS available
			FROM phase_consumption(j.job_id) AS c JOIN phase AS p ON p.job_id = j.job_id AND p.phase_id = c.phase_id
				JOIN resource AS r ON r.job_id = j.job_id AND r.resource_id = c.resource_id
			WHERE p.parent_id IS NULL AND r.resource_type = t.resource_type) AS c
	WHERE t.class = 'consumable' AND j.job_id IN ($ids)
		AND (abs(total(job_profile(j.job_id, 'usage', t.resource_type)) - c.used) > 1e-9 * (1 + c.used)
			OR abs(total(job_profile(j.job_id, 'available', t.resource_type)) - c.available) > 1e-9 * (1 + c.available))}), [], 'the total is the consumption of the root');
is_deeply($db->rows(qq{
	SELECT j.job_id FROM job AS j WHERE j.job_id IN ($ids) AND (total(job_profile(j.job_id, 'bottleneck')) > total(job_profile(j.job_id)) * (1 + 1e-12)
		OR total(job_profile(j.job_id, 'waiting')) > total(job_profile(j.job_id, 'bottleneck')) * (1 + 1e-12))}), [], 'who waits is limited, who is limited lives');

# --- names --------------------------------------------------------------------------------------------------------------

$db->run(<<'SQL');
INSERT INTO platform_model VALUES ('hostile');
INSERT INTO phase_type (model, phase_type, parent_type, repeat) VALUES ('hostile', E'a;b\\', NULL, 'once'),
	('hostile', E'</title><script>\u202e', E'a;b\\', 'concurrent'), ('hostile', E'two\r\nlines', E'a;b\\', 'concurrent');
INSERT INTO job (job_id, model, name) VALUES (900, 'hostile', 'hostile');
INSERT INTO phase VALUES (900, 1, NULL, E'a;b\\', ';', '2026-01-01', '2026-01-01 00:01'), (900, 2, 1, E'</title><script>\u202e', E'x\ny', '2026-01-01', '2026-01-01 00:00:10'),
	(900, 3, 1, E'two\r\nlines', '', '2026-01-01', '2026-01-01 00:00:01.5'), (900, 4, 1, E'two\r\nlines', '2', '2026-01-01', '2026-01-01');
SQL
is($db->value('SELECT job_profile(900)::text'), "a\\;b\\\\;</title><script>\x{e2}\x{80}\x{ae} 10\na\\;b\\\\;two  lines 1.5", 'hostile names');
is($db->value('SELECT job_profile(900, instances => true)::text'), "a\\;b\\:\\;;</title><script>\x{e2}\x{80}\x{ae}:x y 10\na\\;b\\:\\;;two  lines 1.5", 'hostile instances');
is(differences(900, '', 'true'), '', 'the oracle agrees');

# --- arguments ----------------------------------------------------------------------------------------------------------

my $example = $db->value("SELECT job_id FROM job WHERE name = 'thesis_worked_example'");
for my $wrong (
	[ "'times'", '22023', qr/^unrecognized measure "times"$/, qr/time, usage, available, waiting, bottleneck/ ],
	[ 'NULL', '22004', qr/"measure" must not be null/, qr/^$/ ],
	[ "'time', 'cpu'", '22023', qr/takes no resource type/, qr/Leave resource_type out/ ],
	[ "'usage'", '22023', qr/needs a resource type/, qr/consumable/ ],
	[ "'usage', 'lock'", '22023', qr/needs a consumable resource type/, qr/consumable/ ],
	[ "'available', ''", '22023', qr/has no resource type ""/, qr/jobs\.resource_type/ ],
	[ "'waiting', 'cpu'", '22023', qr/needs a blocking resource type/, qr/blocking resources only/ ],
	[ "'bottleneck', 'disk'", '22023', qr/has no resource type "disk"/, qr/jobs\.resource_type/ ],
	[ "'time', NULL, NULL", '22004', qr/"instances" must not be null/, qr/^$/ ],
	[ "delta => 0", '22023', qr/delta/, qr/./ ])
{
	my ($arguments, $state, $message, $hint) = @$wrong;
	my $error = $db->query("SELECT job_profile($example, $arguments)")->{error} // {};
	is($error->{sqlstate}, $state, "refused: $arguments");
	like($error->{message} // '', $message, '  what');
	like($error->{hint} // '', $hint, '  hint');
}
is($db->sqlstate('SELECT job_profile(NULL)'), '22004', 'no job');
is($db->sqlstate('SELECT job_profile(77777)'), '22023', 'a job that does not exist');
is($db->value("SELECT pg_typeof(job_profile($example))"), 'flamegraph', 'a value of type flamegraph');

# What takes profiles takes these.
is($db->value("SELECT count(*) FROM compare_profiles(ARRAY(SELECT job_profile($example) * f FROM unnest('{1,1.01,0.99}'::float8[]) AS f),
	ARRAY(SELECT job_profile($example) * f FROM unnest('{2,2.01,1.99}'::float8[]) AS f)) WHERE significant"), '5', 'compare_profiles');
like($db->value("SELECT flamegraph_svg(job_profile($example, 'bottleneck'))"), qr/^<\?xml|^<svg/, 'flamegraph_svg');

$db->close;
$node->stop;
done_testing();
