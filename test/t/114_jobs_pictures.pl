# Pictures of jobs: what bottleneck_report_svg() and usage_svg() draw is what the analyses return, to the pixel; many pieces
# of time; names that mean harm; who may, and what is refused.
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
my $dir = PostgreSQL::Test::Utils::tempdir();

# The lanes of a picture, each { group, rects => [ [ series, x, y, width, height, title ] ], life }; parsed by Python.
sub lanes_of
{
	my ($svg) = @_;
	open my $out, '>:encoding(UTF-8)', "$dir/picture.svg" or die;
	print $out $svg;
	close $out;
	my $rows = `/usr/bin/python3 $FindBin::RealBin/jobs_lanes.py $dir/picture.svg`;
	utf8::decode($rows);
	is($?, 0, 'the picture is XML of the form that is expected');
	return [ map { [ split /\t/, $_, -1 ] } split /\n/, $rows ];
}

# --- the numbers of a picture ------------------------------------------------------------------------------------------

my $svg = $db->value('SELECT jobs.bottleneck_report_svg(2)');
my @rows = @{ lanes_of($svg) };
my %expected = map { join("\t", @$_) => 1 } @{ $db->rows(<<'SQL') };
WITH t AS (SELECT p.phase_id, p.parent_id, p.phase_type, p.instance, b.resource_type, extract(epoch FROM b.start_time - timestamptz '2026-01-01 UTC')::float8 AS s,
	extract(epoch FROM b.end_time - timestamptz '2026-01-01 UTC')::float8 AS e FROM jobs.bottlenecks(2) AS b JOIN jobs.phase AS p ON p.job_id = 2 AND p.phase_id = b.phase_id)
SELECT 'By resource', resource_type, resource_type, s::text, e::text FROM t WHERE phase_id = 1
SQL
my %got = map { join("\t", @$_[ 0, 1, 2, 3, 4 ]) => 1 } grep { $_->[0] eq 'By resource' && $_->[2] ne '' } @rows;
cmp_ok(scalar(keys %got), '>', 0, 'something is a bottleneck');
is_deeply(\%got, \%expected, 'stretches by resource are those of bottlenecks()');
# Of itself and its parts: seconds weighted with their share of the height.
for my $phase (@{ $db->rows(q{SELECT phase_id, concat_ws(' ', phase_type, nullif(instance, '')), CASE phase_id WHEN 1 THEN 'Phase' ELSE 'Its parts' END FROM jobs.phase WHERE job_id = 2 AND (phase_id = 1 OR parent_id = 1)}) })
{
	my ($id, $name, $group) = @$phase;
	my %weights;
	$weights{ $_->[2] } += ($_->[4] - $_->[3]) * $_->[8] / 16 for grep { $_->[0] eq $group && $_->[1] eq $name && $_->[2] ne '' } @rows;
	my $analysis = $db->rows(qq{SELECT r.t, sum(extract(epoch FROM x.end_time - x.start_time) / cardinality(x.resource_types))::float8 FROM jobs.bottleneck_timeline(2) AS x, unnest(x.resource_types) AS r (t) WHERE x.phase_id = $id GROUP BY 1});
	is_deeply([ sort keys %weights ], [ sort map { $_->[0] } @$analysis ], "types of $name");
	cmp_ok(abs($weights{ $_->[0] } - $_->[1]), '<', 0.02 * $_->[1] + 1e-9, "$_->[0] in $name") for @$analysis;
}
my ($life) = grep { $_->[2] eq '' && $_->[1] eq 'Step 1' } @rows;
my ($whole) = grep { $_->[2] eq '' && $_->[0] eq 'Phase' } @rows;
cmp_ok(abs(($life->[5] - $whole->[5]) / $whole->[7] - 0.6), '<', 1e-3, 'a part begins where it began');
cmp_ok(abs($life->[7] / $whole->[7] - 0.4), '<', 1e-3, '... and is as long as it was');

$svg = $db->value('SELECT jobs.usage_svg(1, 2)');
@rows = grep { $_->[9] eq '0' && $_->[2] ne '' } @{ lanes_of($svg) };
my %sum;
my @scale;
for my $row (@rows)
{
	$sum{ $row->[2] } += ($row->[4] - $row->[3]) * $row->[10];
	push @scale, $row->[8] / $row->[10] if $row->[10] > 0;
}
my %consumption = map { @$_ } @{ $db->rows(q{SELECT p.phase_type, sum(consumption)::float8 FROM jobs.phase_consumption(1) AS c JOIN jobs.phase AS p USING (phase_id)
	WHERE p.job_id = 1 AND resource_id = 2 AND NOT EXISTS (SELECT FROM jobs.phase AS q WHERE q.job_id = 1 AND q.parent_id = p.phase_id) GROUP BY 1 HAVING sum(consumption) > 0}) };
$consumption{'of no phase'} = $db->value('SELECT sum(usage * extract(epoch FROM end_time - start_time))::float8 FROM jobs.unattributed_usage(1) WHERE resource_id = 2');
delete $consumption{'of no phase'} unless $consumption{'of no phase'};
s/\t/ / for my @keys = sort keys %consumption;
is_deeply([ sort keys %sum ], \@keys, 'types of phases that use it');
for my $type (sort keys %consumption)
{
	(my $shown = $type) =~ s/\t/ /;
	cmp_ok(abs($sum{$shown} - $consumption{$type}), '<', 1e-9 * (1 + $consumption{$type}), "consumption of $shown");
}
@scale = sort { $a <=> $b } @scale;
cmp_ok($scale[-1] / $scale[0], '<', 1.01, 'heights are in proportion to values');

# --- more pieces of time than pixels: means, and nothing is lost -------------------------------------------------------

my $many = $db->value(<<'SQL');
SELECT jobs.lanes_svg('{l}', '{g}', '{0}', '{10000}', '{200}', '{a,b,c}', '{part,part,line}', array_agg(0), array_agg((i % 3)::int), array_agg(i::float8), array_agg(i + 1::float8), array_agg((1 + i % 7)::float8))
FROM generate_series(0, 9999) AS i
SQL
like($many, qr/more pieces of time than can be seen/, 'the footnote says that means are drawn');
cmp_ok(length $many, '<', 200_000, '... of which there are few');
my %area = map { $_->[2] => $_->[10] } grep { $_->[6] eq 'area' } @{ lanes_of($many) };
my %total = map { @$_ } @{ $db->rows(q{SELECT CASE i % 3 WHEN 0 THEN 'a' ELSE 'b' END, sum(1 + i % 7)::float8 FROM generate_series(0, 9999) AS i WHERE i % 3 < 2 GROUP BY 1}) };
cmp_ok(abs($area{a} / $area{b} / ($total{a} / $total{b}) - 1), '<', 1e-3, 'areas are in proportion to the sums');
unlike($db->value('SELECT jobs.bottleneck_report_svg(2)'), qr/more pieces of time/, 'few pieces are drawn as they are');

# --- same bytes, hostile names -----------------------------------------------------------------------------------------

# What the numbers beside a chart are in stands above them: steps of 1, 2 or 5 of that unit are drawn, not of the resource's.
$db->run('BEGIN');
$db->run("UPDATE jobs.resource_type SET unit = 'bytes' WHERE resource_type = 'cpu'; UPDATE jobs.resource SET capacity = 3 * 1048576 WHERE job_id = 1 AND resource_id = 2; UPDATE jobs.usage_measurement SET usage = 3 * 1048576 WHERE job_id = 1 AND resource_id = 2");
$svg = $db->value('SELECT jobs.usage_svg(1, 2)');
like($svg, qr{>MiB</text>.*>0.0</text>.*>3.0</text>}s, 'numbers are in the unit that stands above them');
unlike($svg, qr/in bytes/, 'and in no other');
$db->run('ROLLBACK');
is($db->value("SET timezone = 'Asia/Tokyo'; SET extra_float_digits = -10; SET DateStyle = 'German'; SELECT md5(jobs.bottleneck_report_svg(2) || jobs.usage_svg(1, 2))"),
	$db->value("RESET timezone; RESET extra_float_digits; RESET DateStyle; SELECT md5(jobs.bottleneck_report_svg(2) || jobs.usage_svg(1, 2))"), 'settings do not matter');
my $bad = q{</text><script>alert(1)</script>"' onload=alert(1) ]]>};
$db->run(sprintf q{UPDATE jobs.phase SET instance = %1$s WHERE job_id = 2 AND phase_id IN (1, 3); UPDATE jobs.resource SET instance = %1$s WHERE job_id = 2 AND resource_id = 2}, "\$bad\$$bad\$bad\$");
for my $picture ('jobs.bottleneck_report_svg(2)', "jobs.bottleneck_report_svg(2, title => \$bad\$$bad\$bad\$)", 'jobs.usage_svg(2, 2)', "jobs.usage_svg(2, 2, options => jsonb_build_object('notes', \$bad\$$bad\$bad\$))")
{
	my $text = $db->value("SELECT $picture");
	unlike($text, qr/<script|"' onload/, "nothing of a name becomes markup: " . substr $picture, 0, 40);
	lanes_of($text);
	is($db->query("SELECT html_report('t', jsonb_build_array(jsonb_build_object('svg', $picture)))")->{error}, undef, '... and a page takes it');
}

# --- what is refused ------------------------------------------------------------------------------------------------------

for my $row (
	[ 'bottleneck_report_svg(2, 999)', '22023' ], [ 'bottleneck_report_svg(99)', '22023' ], [ 'usage_svg(1, 99)', '22023' ], [ 'usage_svg(1, 3)', '22023' ],
	[ 'usage_svg(1, 2, width => 1)', '22023' ], [ q{usage_svg(1, 2, options => '{"colour": 1}')}, '22023' ], [ q{bottleneck_report_svg(1, predicate => 'x')}, '22023' ],
	[ q{lanes_svg('{a}', '{}', '{0}', '{1}', '{0}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')}, '2202E' ],
	[ q{lanes_svg('{a}', '{b}', '{0}', '{1}', '{0}', '{c}', '{part}', '{1}', '{0}', '{0}', '{1}', '{1}')}, '22023' ],
	[ q{lanes_svg('{a}', '{b}', '{0}', '{1}', '{0}', '{c}', '{part}', '{0}', '{-1}', '{0}', '{1}', '{1}')}, '22023' ],
	[ q{lanes_svg('{a}', '{b}', '{0}', '{1}', '{0}', '{c}', '{part}', '{0}', '{0}', '{1}', '{0}', '{1}')}, '22023' ],
	[ q{lanes_svg('{a}', '{b}', '{0}', '{1}', '{0}', '{c}', '{part}', '{0}', '{0}', '{0}', '{1}', '{-1}')}, '22023' ],
	[ q{lanes_svg('{a}', '{b}', '{0}', '{1}', '{0}', '{c}', '{part}', '{0}', '{0}', '{0}', '{NULL}', '{1}')}, '22004' ],
	[ q{lanes_svg('{a}', '{b}', '{0}', '{1}', '{0}', '{c}', '{bar}', '{}', '{}', '{}', '{}', '{}')}, '22023' ],
	[ q{lanes_svg('{a}', '{b}', '{0}', '{1}', '{3000}', '{c}', '{part}', '{}', '{}', '{}', '{}', '{}')}, '22023' ],
	[ q{lanes_svg('{a}', '{b}', '{0}', '{1}', '{0}', (SELECT array_agg('s' || i) FROM generate_series(1, 17) AS i), array_fill('part'::text, ARRAY[17]), '{}', '{}', '{}', '{}', '{}')}, '22023' ],
	[ q{lanes_svg((SELECT array_agg('l' || i) FROM generate_series(1, 501) AS i), array_fill(''::text, ARRAY[501]), array_fill(0::float8, ARRAY[501]), array_fill(1::float8, ARRAY[501]), array_fill(0::float8, ARRAY[501]), '{}', '{}', '{}', '{}', '{}', '{}', '{}')}, '22023' ],
	[ q{lanes_svg(NULL, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')}, '22004' ])
{
	is($db->sqlstate("SELECT jobs.$row->[0]"), $row->[1], "$row->[1]: " . substr $row->[0], 0, 90);
}
like($db->value(q{SELECT jobs.lanes_svg('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')}), qr/<svg/, 'nothing at all is a picture, too');

$db->run("CREATE ROLE reads LOGIN; CREATE ROLE other LOGIN; SELECT jobs.grant_access('reads', 'reader')");
my %as = map { $_ => Wire->connect($node, 'postgres', user => $_) } qw(reads other);
for my $picture ('bottleneck_report_svg(1)', 'usage_svg(1, 2)')
{
	like($as{reads}->value("SELECT jobs.$picture"), qr/<svg/, "readers may: $picture");
	is($as{other}->sqlstate("SELECT jobs.$picture"), '42501', "others may not: $picture");
}

$_->close for $db, values %as;
$node->stop;
done_testing();
