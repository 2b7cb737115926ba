# Heat maps: each cell against its number, by a reader of its own (test/clients/heat_maps.py); the same bytes under other
# settings; hostile text; what is refused.
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

my $clients = "$FindBin::RealBin/../clients";
my $dir = PostgreSQL::Test::Utils::tempdir;
my ($python) = grep { -x $_ } '/usr/bin/python3', '/usr/local/bin/python3';
$python //= 'python3';

# Random numbers that are the same everywhere: between 0 and 1, by two numbers.
$db->run(q{CREATE FUNCTION chance(int8, int8) RETURNS float8 IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
	'SELECT abs(hashint8($1 * 1000003 + $2) % 1000000) / 1000000.0::float8'});
$db->run(q{CREATE FUNCTION stacks_of(fg flamegraph) RETURNS json LANGUAGE sql AS
	$$ SELECT coalesce(json_agg(json_build_array((SELECT coalesce(json_agg(frame(stack, n) ORDER BY n), '[]') FROM generate_series(0, depth(stack) - 1) AS n), value)), '[]') FROM stacks(fg) $$});

# --- each cell -------------------------------------------------------------------------------------------------------

sub arguments { my %given = @_; return join '', map { ", $_ => '$given{$_}'" } sort keys %given; }

sub facts
{
	my ($name, %given) = @_;
	my $unit = $given{unit} ? "'$given{unit}'" : 'NULL';
	my ($height) = ($given{options} // '') =~ /"cell_height": (\d+)/;
	return "'name', '$name', 'unit', $unit, 'scale', '" . ($given{scale} // 'sequential') . "', 'width', " . ($given{width} // 800) . ", 'cell_height', " . ($height // 'NULL');
}

# name => rows (c, l, v), arguments; the arrays are made of the rows in their order.
my @pairs = (
	[ 'a few', q{SELECT 'run ' || i % 5 AS c, 'line ' || i / 5 AS l, 50 * chance(i, 1) AS v FROM generate_series(0, 39) AS i} ],
	[ 'any order', q{SELECT 'c' || i % 12 AS c, 'l' || i / 12 AS l, 1e7 * chance(i, 1) AS v FROM generate_series(0, 119) AS i ORDER BY md5(i::text)}, unit => 'samples' ],
	[ 'missing', q{SELECT 'c' || i % 20 AS c, 'l' || i / 20 AS l, CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' ELSE chance(i, 2) END::float8 AS v FROM generate_series(0, 399) AS i WHERE i % 9 > 0}, unit => 'milliseconds' ],
	[ 'none at all', q{SELECT 'c' || i % 3 AS c, 'l' || i / 3 AS l, NULL::float8 AS v FROM generate_series(0, 8) AS i} ],
	[ 'diverging', q{SELECT 'commit ' || md5((i % 40)::text) AS c, 'app::module::function_' || i / 40 AS l, (chance(i, 3) - 0.7) * 1e6 AS v FROM generate_series(0, 599) AS i}, scale => 'diverging', unit => 'bytes' ],
	[ 'all below 0', q{SELECT 'c' || i % 4 AS c, 'l' || i / 4 AS l, -3 - chance(i, 3) AS v FROM generate_series(0, 11) AS i}, scale => 'diverging', width => 400 ],
	[ 'nothing but 0', q{SELECT 'c' || i AS c, 'l' AS l, 0::float8 AS v FROM generate_series(0, 5) AS i}, scale => 'diverging' ],
	[ 'one', q{SELECT 'c' AS c, 'l' AS l, 7.25::float8 AS v}, width => 200 ],
	[ 'averaged', q{SELECT i % 1000 || ' s' AS c, i / 1000 || ' ms' AS l, CASE WHEN (i % 1000) % 11 > 0 AND i % 1000 NOT BETWEEN 700 AND 730 THEN floor(100 * chance(i, 5)) END AS v FROM generate_series(0, 4999) AS i} ],
	[ 'averaged, diverging', q{SELECT 'c' || i % 777 AS c, 'l' || i / 777 AS l, chance(i, 5) - 0.5 AS v FROM generate_series(0, 2330) AS i WHERE i % 5 > 0}, scale => 'diverging', width => 500, options => '{"cell_height": 4}' ],
	[ 'many lines', q{SELECT 'c' || i % 3 AS c, 'l' || i / 3 AS l, chance(i, 5) AS v FROM generate_series(0, 899) AS i}, options => '{"cell_height": 5, "theme": "dark"}' ],
	[ 'high cells', q{SELECT 'c' || i % 3 AS c, 'l' || i / 3 AS l, 1e-7 * chance(i, 5) AS v FROM generate_series(0, 11) AS i}, unit => 'milliseconds', options => '{"cell_height": 40}' ],
	[ 'long names', q{SELECT repeat('column ', 20) || i % 9 AS c, repeat('name::', 40) || i / 9 AS l, chance(i, 5) AS v FROM generate_series(0, 80) AS i}, width => 1600 ],
	[ 'large and far', q{SELECT 'c' || i % 9 AS c, 'l' || i / 9 AS l, 1e150 * (1 + chance(i, 5)) AS v FROM generate_series(0, 80) AS i} ]);
my $cases = '';
for my $case (@pairs)
{
	my ($name, $rows, %given) = @$case;
	my $of = "(SELECT array_agg(c ORDER BY n) AS c, array_agg(l ORDER BY n) AS l, array_agg(v ORDER BY n) AS v FROM (SELECT *, row_number() OVER () AS n FROM ($rows) AS r) AS r) AS a";
	$cases .= $db->value('SELECT json_build_object(' . facts($name, %given) . ", 'columns', to_jsonb(a.c), 'lines', to_jsonb(a.l), 'cells', to_jsonb(a.v), 'svg', heat_map_svg(a.c, a.l, a.v" . arguments(%given) . ")) FROM $of") . "\n";
}

# Profiles of 40 functions over 15 runs, one of them null, with recursion, a stack of no frames and equal sums of squares.
$db->run(<<'SQL');
CREATE TABLE run AS SELECT i, CASE WHEN i <> 6 THEN (SELECT flamegraph_agg(stack, value) FROM (
	SELECT CASE k % 4 WHEN 0 THEN stackpath(ARRAY['main', 'lib::f' || k]) WHEN 1 THEN stackpath(ARRAY['main', 'f' || k - 1, 'f' || k, 'f' || k - 1]) WHEN 2 THEN stackpath(ARRAY['main', 'lib::f' || k / 2, 'f' || k])
		ELSE stackpath(ARRAY['f' || k]) END AS stack, floor(50 * chance(i, k) * (45 - k)) AS value FROM generate_series(1, 40) AS k
	UNION ALL VALUES ('equal b'::stackpath, 100::float8 * (i % 2)), ('equal a', 100 * (1 - i % 2)), ('', i)) AS s) END AS fg FROM generate_series(1, 14) AS i;
INSERT INTO run SELECT 15, fg FROM run WHERE i = 14;
SQL
# name => labels, arguments
my @runs = (
	[ 'self', 'NULL' ], [ 'ten functions', q{array_agg('run ' || i ORDER BY i)}, max_rows => 10, unit => 'samples' ], [ 'frame', q{array_agg(CASE WHEN i % 3 > 0 THEN 'same' END ORDER BY i)}, level => 'frame', max_rows => 7, width => 500 ],
	[ 'node', 'NULL', level => 'node', max_rows => 25, options => '{"truncate": "end"}' ], [ 'stack', 'NULL', level => 'stack', max_rows => 1000 ], [ 'a few stacks', 'NULL', level => 'stack', max_rows => 3 ]);
my $runs_of = q{SELECT array_agg(fg ORDER BY i) AS fgs, %s AS labels, json_agg(stacks_of(fg) ORDER BY i) AS stacks FROM %s};
for my $case (@runs, [ 'signed', 'NULL', scale => 'diverging', level => 'self', max_rows => 12, from => '(SELECT i, fg - lag(fg) OVER (ORDER BY i) AS fg FROM run WHERE i <> 6) AS r' ],
	[ 'far apart', 'NULL', max_rows => 2, from => "(VALUES (1, E'a 1e-120\\nb 3e-120\\nc 2e-120'::flamegraph), (2, E'a 1e150\\nb 2e150'), (3, E'b 1e-120\\nc 3e150')) AS r (i, fg)" ],
	[ 'nothing', 'NULL', from => "(VALUES (1, NULL), (2, ''::flamegraph)) AS r (i, fg)" ], [ 'null', 'NULL', from => "(VALUES (1, NULL::flamegraph)) AS r (i, fg)" ])
{
	my ($name, $labels, %given) = @$case;
	my $from = delete $given{from} // 'run';
	my $of = sprintf $runs_of, $labels, $from;
	$cases .= $db->value('SELECT json_build_object(' . facts($name, %given) . ", 'level', '" . ($given{level} // 'self') . "', 'max_rows', " . ($given{max_rows} // 30)
		  . ", 'labels', to_jsonb(a.labels::text[]), 'profiles', (SELECT json_agg(CASE WHEN f IS NOT NULL THEN a.stacks -> (n::int - 1) END ORDER BY n) FROM unnest(a.fgs) WITH ORDINALITY AS u (f, n)), 'svg', heat_map_svg(a.fgs, a.labels"
		  . ($labels eq 'NULL' ? '::text[]' : '') . arguments(%given) . ")) FROM ($of) AS a") . "\n";
}
append_to_file("$dir/cases", $cases);
my $drawn = @pairs + @runs + 4;
like(`'$python' '$clients/heat_maps.py' '$dir/cases' 2>&1`, qr/^$drawn heat maps, \d{4,} cells\n\z/, 'each cell is where its number is');

# The reader itself: a cell that is moved, one of another colour, a number, an order, a footnote that is wrong.
my ($missing) = grep { /"name" : "missing"/ } split /\n/, $cases;
my ($ten) = grep { /"name" : "ten functions"/ } split /\n/, $cases;
for my $harm ([ $missing, qr/<rect x=\\"(?=\d\d\.)/, '<rect x=\"1' ], [ $missing, qr/fill=\\"#\K[0-9a-f](?=[0-9a-f]{5}\\"><title>l7)/, 'z' ], [ $missing, qr/no value/, 'no number' ], [ $missing, qr/not given: \K\d/, '8' ],
	[ $ten, qr/lib::f4\b/, 'lib::f8' ], [ $ten, qr/ left out, with \K\d+/, '99' ], [ $ten, qr/class=\\"at\\"[^>]*>\K/, '1' ])
{
	my ($harmed, $from, $to) = @$harm;
	ok($harmed =~ s/$from/$to/, "there is $from");
	unlink "$dir/harmed";
	append_to_file("$dir/harmed", "$harmed\n");
	unlike(`'$python' '$clients/heat_maps.py' '$dir/harmed' 2>&1`, qr/heat maps, /, "the reader sees $to for $from");
}

# --- hostile text ----------------------------------------------------------------------------------------------------

$db->run(<<'SQL');
CREATE TABLE hostile (name text);
INSERT INTO hostile VALUES ('</title><script>alert(1)</script>'), ('" onload="alert(1)'), (''' onload=''alert(1)'), (']]>'), ('<![CDATA['),
	('&#0;'), ('&amp;'), (E'\u0001'), (E'\u202Egnp.exe'), (E'a\u200Bb'), (E'\uFEFF'), (E'\uFFFE'), (E'\u0085'), (E'\u2028'), (E'\t'), (E'a\nb'), ('--><!--'), (''),
	('</metadata><script>'), ('<svg onload=alert(1)>'), ('url(http://example.com/)'), ('\'), ('"'), (E'\u4E3B\u8981'), (repeat('a::', 400)),
	(repeat('x', 1000)), (repeat(E'\u00E4', 1001)), (repeat('<', 4900)), (repeat('&', 1048576));
SQL
my $json = q{title => name, unit => name, options => jsonb_build_object('subtitle', name, 'notes', name)};
my @calls = ("heat_map_svg(ARRAY['a', name || 'b', 'a'], ARRAY['c', name, name], ARRAY[1, 2, 3]::float8[], $json)",
	"heat_map_svg(ARRAY[(SELECT flamegraph_agg(p, 1) FROM stackpath(ARRAY['m', left(translate(name, E'\\n', '') || '.', 100000)]) AS p), NULL, 'b 2'], ARRAY[name, name, NULL], 'node', $json)");
for my $call (@calls)
{
	my ($form) = $call =~ /\w+\((\w+\[\w+)/;
	is($db->value("SELECT count(*) FROM hostile WHERE $call ~ '<script|<svg o|onload=\"|<!'"), 0, "text stays text: $form");
	is($db->value("SELECT max(length($call)) < 200000 FROM hostile"), 't', "long texts are cut: $form");
	my $allowed = 'svg|title|desc|style|defs|pattern|rect|g|text|line|path';
	is($db->value("SELECT count(*) FROM hostile, regexp_matches($call, '</?([a-zA-Z]+)', 'g') AS m WHERE m[1] !~ '^($allowed)\$'"), 0, "no text makes an element: $form");
	is($db->value("SELECT count(*) FROM hostile WHERE html_report(NULL, jsonb_build_array(jsonb_build_object('svg', $call))) IS NULL"), 0, "pages take it: $form");
}
SKIP:
{
	skip 'xmllint is not installed', 1 if system('command -v xmllint >/dev/null 2>&1') != 0;
	mkdir "$dir/svg";
	my $n = 0;
	append_to_file("$dir/svg/" . $n++ . '.svg', $_->[0]) for map { @{ $db->rows("SELECT $_ FROM hostile") } } @calls;
	is(`xmllint --noout '$dir'/svg/*.svg 2>&1`, '', 'xmllint reads them all');
}

# --- what is not in them ---------------------------------------------------------------------------------------------

unlike($db->value("SELECT heat_map_svg(ARRAY['a'], ARRAY['b'], ARRAY[1])"), qr/<script|<metadata|style="|http(?!:\/\/www\.w3\.org\/2000\/svg")/, 'no script, no data, nothing from elsewhere');
unlike($db->value(q{SELECT heat_map_svg(ARRAY['a'], ARRAY['b'], ARRAY[NULL::float8], options => '{"legend": false}')}), qr/class="[ek]"/, 'no legend');

# --- what is refused, and what is nothing ----------------------------------------------------------------------------

sub refused
{
	my ($call, $state, $message) = @_;
	my $result = $db->query("SELECT $call");
	is($result->{error}{sqlstate}, $state, "refused: $call");
	like($result->{error}{message}, $message, "it says why: $call");
	return;
}

my $cell = "ARRAY['a'], ARRAY['b']";
refused("heat_map_svg($cell, ARRAY[1, 2])", '2202E', qr/columns has 1 elements, but cells has 2/);
refused("heat_map_svg(ARRAY['a', 'b'], ARRAY['b'], ARRAY[1, 2])", '2202E', qr/lines has 1 elements, but cells has 2/);
refused("heat_map_svg(NULL, ARRAY['b'], ARRAY[1])", '2202E', qr/columns has 0/);
refused("heat_map_svg(ARRAY[NULL], ARRAY['b'], ARRAY[1])", '22004', qr/columns/);
refused("heat_map_svg(ARRAY['b'], ARRAY[NULL], ARRAY[1])", '22004', qr/lines/);
refused("heat_map_svg(ARRAY['a', 'b', 'a'], ARRAY['c', 'c', 'c'], ARRAY[1, 2, NULL])", '22023', qr/elements 1 and 3 have the same column and line/);
refused("heat_map_svg($cell, ARRAY['$_'::float8])", '22003', qr/element 1 of cells is infinite/) for 'Infinity', '-Infinity';
refused("heat_map_svg($cell, ARRAY[$_])", '22003', qr/cannot be drawn/) for '1.1e200', '-1e201';
refused("heat_map_svg(ARRAY['a 1e201'::flamegraph])", '22003', qr/cannot be drawn/);
refused("heat_map_svg($cell, ARRAY[1], scale => 'rainbow')", '22023', qr/rainbow/);
refused("heat_map_svg($cell, ARRAY[1], scale => NULL)", '22004', qr/scale/);
refused("heat_map_svg($cell, ARRAY[1], width => $_)", '22023', qr/width/) for 199, 10001;
refused(qq{heat_map_svg($cell, ARRAY[1], options => '{"$_->[0]": $_->[1]}')}, '22023', qr/$_->[0]/)
	for [ 'colour', 1 ], [ 'theme', '"pink"' ], [ 'cell_height', 3 ], [ 'cell_height', 101 ], [ 'truncate', '"middle"' ], [ 'legend', '"x"' ], [ 'x_scale', '"log"' ];
refused("heat_map_svg(array_agg('c'::text), array_agg('l' || i), array_agg(1::float8)) FROM generate_series(1, 10001) AS i", '22023', qr/at most 10000 lines, not 10001/);
refused("heat_map_svg(array_agg('c' || i % 150), array_agg('l' || i % 10000), array_agg(1::float8)) FROM generate_series(1, 30000) AS i", '54000', qr/limit is 1000000/);
refused("heat_map_svg(ARRAY['a 1'::flamegraph], ARRAY['x', 'y'])", '2202E', qr/labels has 2 elements, but profiles has 1/);
refused("heat_map_svg(ARRAY['a 1'::flamegraph], level => 'line')", '22023', qr/line/);
refused("heat_map_svg(ARRAY['a 1'::flamegraph], max_rows => $_)", '22023', qr/max_rows/) for 0, -1, 10001;
like($db->value("SELECT heat_map_svg($_)"), qr/nothing to draw/, "nothing to draw: $_") for 'NULL::text[], NULL, NULL', "'{}'::text[], '{}', '{}'", 'NULL::flamegraph[]', "'{}'::flamegraph[], '{}'", "ARRAY[NULL, '']::flamegraph[]";

done_testing();
