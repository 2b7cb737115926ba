# The views for dashboards: what the analyses say, with the names of phases and with times from the begin of the job on.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Jobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\ntimezone = 'UTC'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Jobs::create($db);
Jobs::fill($db);

# By view: the function, and the columns that both have; times of the function become offsets by its own arithmetic.
my %views = (
	timeline => [ 'bottleneck_timeline', 'resource_types', 1 ],
	bottleneck => [ 'bottlenecks', 'resource_type, cause', 1 ],
	breakdown => [ 'bottleneck_durations', 'resource_type, duration, bottleneck_time, fraction', 0 ],
	usage => [ 'attribute_usage', 'resource_id, usage, available_capacity', 1 ],
	issue => [ 'performance_issues', 'issue, source, estimated_impact, relative_impact, rank', 0 ]);
for my $name (sort keys %views)
{
	my ($function, $columns, $times) = @{ $views{$name} };
	my $begin = "timestamptz '2026-01-01 UTC'";
	my $got = $db->rows("SELECT phase_id, $columns" . ($times ? ", $begin + start_offset * interval '1 s', $begin + end_offset * interval '1 s'" : '') . " FROM jobs.phase_$name WHERE job_id = 2 ORDER BY phase_$name");
	my $expected = $db->rows("SELECT phase_id, $columns" . ($times ? ', start_time, end_time' : '') . " FROM jobs.$function(2)");
	my $sorted = sub { return [ sort map { join '|', map { $_ // 'null' } @$_ } @{ $_[0] } ] };
	cmp_ok(scalar @$got, '>', 1, "phase_$name has rows");
	is_deeply($sorted->($got), $sorted->($expected), "phase_$name is $function()");
	is_deeply($db->rows("SELECT DISTINCT v.phase_id FROM jobs.phase_$name AS v LEFT JOIN jobs.phase AS p USING (job_id, phase_id)
		WHERE ROW(p.phase_type, p.instance) IS DISTINCT FROM ROW(v.phase_type, v.instance) OR p.parent_id IS DISTINCT FROM v.parent_id"), [], "phase_$name names phases");
	is($db->value("SELECT string_agg(DISTINCT job_id::text, ' ') FROM jobs.phase_$name"), '1 2', "phase_$name is about all jobs");
}
# As Jobs::fill() has made them.
is_deeply($db->rows('SELECT phase_id, parent_id, instance, start_offset, end_offset, duration FROM jobs.phase_overview WHERE job_id = 1 AND phase_id IN (1, 5, 7) ORDER BY phase_id'),
	[ [ 1, undef, '', 0, 100, 100 ], [ 5, 3, 'a', 20, 50, 30 ], [ 7, 4, 'a\\', 60, 100, 40 ] ], 'phase_overview');
is_deeply($db->rows('SELECT DISTINCT resource_type, resource_instance FROM jobs.phase_usage WHERE job_id = 1 AND resource_id = 2'), [ [ 'cpu', '' ] ], 'names of resources');

# One job is analysed where one is asked for.
$db->run('UPDATE jobs.resource SET capacity = NULL WHERE job_id = 2 AND resource_id = 2');
cmp_ok($db->value('SELECT count(*) FROM jobs.phase_issue WHERE job_id = 1'), '>', 0, 'errors of other jobs do not matter');
my $error = $db->query('SELECT count(*) FROM jobs.phase_issue')->{error};
is($error->{sqlstate}, '23514', 'unless all are asked for');
like($error->{hint}, qr/SELECT \* FROM jobs\.validate_job\(2\)/, 'then the hint says which it is');
is_deeply($db->rows("SELECT DISTINCT j.job_id, v.code FROM jobs.job AS j, jobs.validate_job(j.job_id) AS v WHERE v.severity = 'error'"), [ [ 2, 'bad_capacity' ] ],
	'all that cannot be analysed, by the query of docs/jobs.md');

# Who may.
$db->run("CREATE ROLE reads LOGIN; CREATE ROLE other LOGIN; SELECT jobs.grant_access('reads', 'reader')");
my %as = map { $_ => Wire->connect($node, 'postgres', user => $_) } qw(reads other);
for my $name ('overview', sort keys %views)
{
	cmp_ok($as{reads}->value("SELECT count(*) FROM jobs.phase_$name WHERE job_id = 1"), '>', 0, "readers may: $name");
	is($as{other}->sqlstate("SELECT count(*) FROM jobs.phase_$name WHERE job_id = 1"), '42501', "others may not: $name");
}

$_->close for $db, values %as;
$node->stop;
done_testing();
