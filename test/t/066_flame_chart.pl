# Flame charts: each box against an independent layout (test/clients/charts.py), their sums against flamegraph_agg; the
# same picture for any order of rows and any settings; what is refused; hostile text.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');

my $program = "$FindBin::RealBin/../clients/charts.py";
my ($python) = grep { -x $_ } '/usr/bin/python3', '/usr/local/bin/python3';
$python //= 'python3';

# --- boxes -----------------------------------------------------------------------------------------------------------

my @cases = split /\n/, `'$python' '$program' make 17`;
cmp_ok(scalar @cases, '>=', 8, 'there are charts');
# A recording of Austin, as text and as one of its binary files, in 50 seconds, by sixty-fourths of a second: threads with clocks of their own.
my $dir = PostgreSQL::Test::Utils::tempdir();
append_to_file("$dir/austin", slurp_file("$FindBin::RealBin/../data/formats/full.austin"));
is(system("'$python' '$FindBin::RealBin/../clients/mojo.py' '$dir/austin' >'$dir/mojo'"), 0, 'a binary file is written');
for my $name ('austin', 'mojo')
{
	push @cases, $db->value("SELECT jsonb_build_object('name', '$name', 'options', '{\"min_width\": 0, \"interactive\": false}'::jsonb,
			'rows', jsonb_agg(jsonb_build_array(stack, round(start_at / most * 64) / 64, round(stop_at / most * 64) / 64, thread)))
		FROM (SELECT *, max(stop_at) OVER () / 50 AS most FROM recording_samples(pg_read_binary_file('$dir/$name')) WHERE event = 'wall') AS s");
}
is(substr(slurp_file("$dir/mojo"), 0, 3), 'MOJ', 'which is one');
my @drawn = map { $db->value("SELECT flame_chart_svg(stack, start_at, stop_at, thread) FROM recording_samples(pg_read_binary_file('$dir/$_')) WHERE event = 'wall'") } 'austin', 'mojo';
is($drawn[1], $drawn[0], 'a binary file is the same picture as its text');
my $file = "$dir/cases";
for my $case (@cases)
{
	append_to_file($file, $db->value('WITH c AS (SELECT ' . Wire::literal($case) . q{::jsonb AS c),
		s AS (SELECT (r ->> 0)::stackpath AS stack, (r ->> 1)::float8 AS a, (r ->> 2)::float8 AS b, r ->> 3 AS thread
			FROM c, jsonb_array_elements(c -> 'rows') AS r)
		SELECT (c || jsonb_build_object('svg', (SELECT flame_chart_svg(stack, a, b, thread, c -> 'options') FROM s),
			'nodes', (SELECT jsonb_object_agg(n.node, n.stack::text) FROM nodes((SELECT flamegraph_agg(stack, b - a) FROM s)) AS n)))::text
		FROM c}) . "\n");
}
my $charts = @cases;
like(`'$python' '$program' check '$file' 2>&1`, qr/^$charts charts, \d{4,} boxes\n\z/, 'boxes, lanes, counts and sums');

# --- one picture -----------------------------------------------------------------------------------------------------

$db->run(q{CREATE TABLE s AS SELECT ('main;' || i % 3 || ';f' || i % 7)::stackpath AS stack, i * 0.1::float8 AS a,
	(i + i % 4) * 0.1::float8 AS b, 'thread ' || i % 5 AS thread FROM generate_series(1, 3000) AS i});
my $chart = 'flame_chart_svg(stack, a, b, thread)';
my $svg = $db->value("SELECT $chart FROM s");
like($svg, qr/750 samples have no duration/, 'samples without duration are counted');
# 3 * 0.1 is 0.30000000000000004: what adding up has made is not shown, here nor in what the viewer writes.
my @times = $svg =~ /from ([-+.e\d]+) to ([-+.e\d]+)/g;
cmp_ok(scalar @times, '>', 500, 'tooltips have times');
is_deeply([ grep { abs($_ * 10 - sprintf '%.0f', $_ * 10) > 1e-9 || length > 5 } @times ], [], '... with the digits that they were made of');
like($db->value("SELECT flame_chart_svg('a', 1.7e9 + 0.1, 1.7e9 + 0.3)"), qr/from 1700000000\.1 to 1700000000\.3;/, 'times far from 0');
like($db->value("SELECT flame_chart_svg('a', 1.1000000000000085, 1.3)"), qr/from 1\.1 to 1\.3;/, 'a short one');
like($db->value("SELECT flame_chart_svg('a', 2e-9 / 3, 4e-9)"), qr/from 6\.666666667e-10 to 4e-09;/, 'nanoseconds');
is($db->value("SELECT $chart FROM (SELECT * FROM s ORDER BY $_) AS s"), $svg, "rows by $_") for 'a DESC', 'md5(a::text)', 'stack';
is($db->value("SET TimeZone = 'Asia/Tokyo'; SET extra_float_digits = -5; SET DateStyle = 'German'; SELECT $chart FROM s"), $svg, 'settings have no say');
$db->run('RESET ALL');
is($db->value('SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
	  . "ALTER TABLE s SET (parallel_workers = 2); SELECT $chart FROM s"), $svg, 'rows of parallel workers');
$db->run('RESET ALL');
is($db->value("SELECT count(DISTINCT c) FROM (SELECT $chart OVER () AS c FROM s LIMIT 5) AS w"), 1, 'as a window');
is($db->value('SELECT count(DISTINCT c) FROM (SELECT flame_chart_svg(stack, a, b) OVER (ORDER BY a ROWS UNBOUNDED PRECEDING) AS c FROM (SELECT * FROM s WHERE b > a LIMIT 4) AS s) AS w'),
	4, 'a picture leaves its state as it is');
is($db->value("SELECT flame_chart_svg(stack, a, b, NULL) = flame_chart_svg(stack, a, b) AND flame_chart_svg(stack, a, b, '', '{}') = flame_chart_svg(stack, a, b) FROM s"),
	't', 'no thread is one lane');

# --- nulls and nothing -----------------------------------------------------------------------------------------------

is($db->value('SELECT flame_chart_svg(stack, a, b) IS NULL FROM s WHERE false'), 't', 'no rows, no picture');
is($db->value("SELECT flame_chart_svg(s, a, b) IS NULL FROM (VALUES (NULL::stackpath, 1::float8, 2::float8), ('a', NULL, 2), ('a', 1, NULL)) AS v(s, a, b)"),
	't', 'rows with a null are none');
is($db->value("SELECT flame_chart_svg(s, a, b) = flame_chart_svg(s, a, b) FILTER (WHERE s IS NOT NULL) FROM (VALUES ('x'::stackpath, 1::float8, 2::float8), (NULL, 5, 1)) AS v(s, a, b)"),
	't', 'a row with a null is not looked at');
like($db->value("SELECT flame_chart_svg('a', 1, 1)"), qr/no sample has a duration; 1 sample has no duration/, 'moments alone');
like($db->value("SELECT flame_chart_svg('a', 1, 2, NULL, '{\"from_time\": 5, \"to_time\": 6}')"), qr/no sample is in this time; 1 sample is outside/, 'an empty window');
like($db->value("SELECT flame_chart_svg('', 1, 2)"), qr/busy 100 %/, 'the empty stack has no box, but its time');

# --- what is refused -------------------------------------------------------------------------------------------------

my @refused = (
	[ "'a', 2, 1", '22023', 'stops' ], [ "'a', 'NaN', 1", '22003', 'start_at' ], [ "'a', 0, 'NaN'", '22003', 'stop_at' ],
	[ "'a', '-Infinity', 1", '22003', 'start_at' ], [ "'a', 0, 'Infinity'", '22003', 'stop_at' ], [ "'a', -1.7e308, 1.7e308", '22003', 'duration' ],
	[ "'a', 0, 1e300", '22003', 'drawn' ],
	map { [ "'a', 0, 1, NULL, '{$_->[0]}'", '22023', $_->[1] // ($_->[0] =~ /"(\w+)"/)[0] ] }
	  [ '"width": 199' ], [ '"width": 10001' ], [ '"min_width": -1' ], [ '"min_width": 101' ], [ '"color": "red"' ], [ '"max_gap": -1' ],
	  [ '"max_samples": 0' ], [ '"max_boxes": 0' ], [ '"palette": "x"' ], [ '"theme": "x"' ], [ '"truncate": "x"' ], [ '"from_time": 2, "to_time": 2' ],
	  [ '"merge": 1' ], [ '"title": 1' ], [ '"interactive": "no"' ], [ '"subtitle": "x"' ], [ '"unknown": 1' ]);
for my $case (@refused)
{
	my ($arguments, $state, $what) = @$case;
	my $error = $db->query("SELECT flame_chart_svg($arguments)")->{error} // { sqlstate => "", message => "" };
	is($error->{sqlstate}, $state, "$arguments: $state");
	like($error->{message}, qr/$what/, "$arguments: what");
}
is($db->sqlstate("SELECT flame_chart_svg('a', i, i + 1, NULL, jsonb_build_object('width', 500 + i)) FROM generate_series(1, 2) AS i"), '22023', 'options of rows differ');
is($db->value("SELECT length(flame_chart_svg('a', i, i + 1, NULL, CASE i WHEN 1 THEN '{\"max_gap\": 1}' ELSE '{\"max_gap\": 1.0}' END::jsonb)) > 0 FROM generate_series(1, 2) AS i"),
	't', 'equal options are the same');
# PostgreSQL 14 says what is wrong with the value, later ones that there is no such function
like($db->sqlstate("SELECT flame_chart_accum(NULL, 'a', 1, 2)"), qr/^(42883|0A000)$/, 'SQL cannot call the transition function');

# --- limits ----------------------------------------------------------------------------------------------------------

my $deep = $db->value(q{SELECT flame_chart_svg(repeat('f;', 999)::text || 'g', i, i + 1, NULL, '{"max_boxes": 1000}') FROM generate_series(1, 2) AS i} =~ s/repeat\('f;', 999\)::text \|\| 'g'/(repeat('f;', 999) || 'g')::stackpath/r);
like($deep, qr/600 deeper than 400 rows/, 'deep stacks end in a box');
my $lanes = $db->value("SELECT flame_chart_svg('f', i, i + 1, 'thread ' || i) FROM generate_series(1, 1200) AS i");
like($lanes, qr/200 lanes beyond the first 1,000 are not drawn, together 3.33 min/, 'no more lanes than a thousand');
cmp_ok(scalar(() = $db->value("SELECT flame_chart_svg(('f' || i)::stackpath, i, i + 1, NULL, '{\"max_boxes\": 50, \"min_width\": 0}') FROM generate_series(1, 5000) AS i") =~ /class="f/g),
	'<=', 50, 'no more boxes than are allowed');

# --- hostile text ----------------------------------------------------------------------------------------------------

for my $text ('</title><script>alert(1)</script>', '" onload="alert(1)', ']]>', '&#0;', "\x01", "\xE2\x80\xAE" . 'abc', 'x' x 2000)
{
	my $name = Wire::literal($text);
	my $hostile = $db->value("SELECT flame_chart_svg(ARRAY[$name]::text[]::stackpath, 0, 1, $name, jsonb_build_object('title', $name, 'unit', $name, 'interactive', false))");
	unlike($hostile, qr/<script|onload="|\]\]>|\x01|\xE2\x80\xAE/, 'hostile: ' . substr($text, 0, 20) =~ s/[^ -~]/?/gr);
	my ($out, $err) = run_command([ $python, '-c', 'import sys, xml.dom.minidom; xml.dom.minidom.parseString(sys.argv[1]); print("good")', $hostile ]);
	is($out, 'good', 'is XML') or diag $err;
}

done_testing();
