# Differences: the pieces of each box, the scale of panels, counts, by a reader of its own (test/clients/differences.py);
# what is coloured against the functions that give rows; how often noise is.
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
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');

my $clients = "$FindBin::RealBin/../clients";
my $dir = PostgreSQL::Test::Utils::tempdir;
my ($python) = grep { -x $_ } '/usr/bin/python3', '/usr/local/bin/python3';
$python //= 'python3';

# --- pairs, in all widths ------------------------------------------------------------------------------------------------

$db->run(<<'SQL');
CREATE TABLE pair (name text PRIMARY KEY, a flamegraph, b flamegraph);
INSERT INTO pair VALUES ('plain', E'm;p;r 400\nm;p 90\nm;o 40\ni 69', E'm;p;r 410\nm;p 30\nm;n;x 55\ni 69\n 3'), ('same', E'a;b 3\nc 1', E'a;b 3\nc 1'), ('new', '', E'a;b 3\nc 1'),
	('gone', E'a;b 3\nc 1', ''), ('little left', E'a;b 300\nc 100', 'd 1'), ('fractions', E'a 0.1\na;b 0.2', E'a 0.3\nc 1e-3'),
	('hostile', E'</title><script> 5\n\u202E;]]> 7', E'" onload= 5\n\u202E;&#0\\; 7');
INSERT INTO pair SELECT 'random ' || p, max(fg) FILTER (WHERE s = 0), max(fg) FILTER (WHERE s = 1) FROM (
	SELECT p, s, flamegraph_agg(ARRAY(SELECT 'f' || hashint8(p * 1000000 + i * 100 + d) % 7 FROM generate_series(1, 1 + i % 7) AS d), 1 + abs(hashint8(p * 7919 + i + s)::int8) % 50) AS fg
	FROM generate_series(1, 12) AS p, generate_series(0, 1) AS s, generate_series(1, 40 * p) AS i WHERE (i + s) % 5 <> 0 GROUP BY p, s) AS v GROUP BY p;
CREATE FUNCTION frames_of(path stackpath) RETURNS json LANGUAGE sql AS $$ SELECT coalesce(json_agg(frame(path, n) ORDER BY n), '[]') FROM generate_series(0, depth(path) - 1) AS n $$;
CREATE FUNCTION stacks_of(fg flamegraph) RETURNS json LANGUAGE sql AS $$ SELECT coalesce(json_agg(json_build_array(frames_of(stack), value)), '[]') FROM stacks(fg) $$;
SQL
my $drawing = sub {
	my ($widths, $svg) = @_;
	return map { "$_->[0]\n" } @{ $db->rows(<<"SQL") };
SELECT json_build_object('name', name || ' $widths', 'svg', $svg, 'width', 640, 'widths', '$widths', 'before', stacks_of(a), 'after', stacks_of(b), 'colored', NULL) FROM pair ORDER BY name
SQL
};
my @cases = map { $drawing->($_, "flamegraph_diff_svg(a, b, widths => '$_', width => 640, interactive => false)") } qw(union after before change);
push @cases, $drawing->('parts', 'flamegraph_parts_svg(a, b, width => 640)');

# --- what is coloured: the keys that compare_profiles and the others call significant ---------------------------------------

$db->run(<<'SQL');
CREATE TABLE run AS SELECT side, r, flamegraph_agg(ARRAY['main', 'f' || f, 'g' || g], greatest(0, round(100 + 8 * (hashint8(side * 7907 + r * 104729 + f * 31 + g)::int8 % 1000) / 1000.0
	+ CASE WHEN side = 1 AND f = 3 AND g = 2 THEN 60 ELSE 0 END))::float8) AS fg
FROM generate_series(0, 1) AS side, generate_series(1, 9) AS r, generate_series(1, 6) AS f, generate_series(1, 4) AS g GROUP BY side, r;
CREATE TABLE sides AS SELECT array_agg(fg ORDER BY r) FILTER (WHERE side = 0) AS a, array_agg(fg ORDER BY r) FILTER (WHERE side = 1) AS b FROM run;
CREATE TABLE means AS SELECT (SELECT avg(fg) FROM run WHERE side = 0) AS a, (SELECT avg(fg) FROM run WHERE side = 1) AS b;
SQL
my $colored = sub {
	my ($name, $svg, $keys, $after) = @_;
	push @cases, $db->value(<<"SQL") . "\n";
SELECT json_build_object('name', '$name', 'svg', $svg, 'width', 1200, 'widths', 'union', 'before', stacks_of(m.a), 'after', stacks_of($after),
	'colored', coalesce((SELECT json_agg(frames_of(key)) FROM ($keys) AS k), '[]')) FROM sides, means AS m
SQL
	return;
};
$colored->('groups', 'flamegraph_diff_svg(sides.a, sides.b)', q{SELECT key FROM compare_profiles(sides.a, sides.b, 'node') WHERE significant}, 'm.b');
$colored->('groups, by functions', q{flamegraph_diff_svg(sides.a, sides.b, level => 'frame', correction => 'holm')},
	q{SELECT n.stack AS key FROM compare_profiles(sides.a, sides.b, 'frame', correction => 'holm') AS c, nodes(m.a + m.b) AS n WHERE c.significant AND leaf(n.stack) = c.key::text}, 'm.b');
$colored->('groups, by stacks, maxT', q{flamegraph_diff_svg(sides.a, sides.b, level => 'stack', method => 'maxt')},
	q{SELECT key FROM compare_profiles(sides.a, sides.b, 'stack', 'maxt') WHERE significant}, 'm.b');
$colored->('statistics', q{flamegraph_diff_svg((SELECT stats(fg, 'node') FROM run WHERE side = 0), (SELECT stats(fg, 'node') FROM run WHERE side = 1))},
	q{SELECT key FROM compare_profiles(sides.a, sides.b, 'node') WHERE significant}, 'm.b');
$colored->('history', 'flamegraph_diff_svg(sides.a, sides.b[1])',
	q{SELECT n.stack AS key FROM deviation_scores(sides.a, sides.b[1]) AS d, nodes(m.a + sides.b[1]) AS n WHERE d.q_value <= 0.05 AND leaf(n.stack) = d.key::text}, 'sides.b[1]');

append_to_file("$dir/cases", join '', @cases);
my $pictures = @cases;
my $said = `'$python' '$clients/differences.py' '$dir/cases' 2>&1`;
like($said, qr/^$pictures pictures, \d{3,} boxes\n\z/, 'each box, stripe, count and colour is what the stacks of both sides say');

# The oracle itself notices a change.
my ($plain) = grep { /"name" : "plain union"/ } @cases;
for my $harm ([ '<rect x="10" y', '<rect x="11" y' ], [ 'shrunk 60', 'shrunk 61' ], [ 'boxes drawn of', 'boxes drawn of 1' ])
{
	my ($from, $to) = map { s/(?<!\\)"/\\"/gr } @$harm;
	(my $line = $plain) =~ s/\Q$from\E/$to/ or fail("there is $from");
	unlink "$dir/harmed";
	append_to_file("$dir/harmed", $line);
	unlike(`'$python' '$clients/differences.py' '$dir/harmed' 2>&1`, qr/^1 pictures/, "a change to $harm->[1] is noticed");
}

# --- an injected change, and none ------------------------------------------------------------------------------------------

my $fills = q{regexp_matches(svg, 'data-n="(\d+?)"><title>([^<\n]*?)\n.*?fill="([^"]*?)"', 'g') AS m};
is($db->value("SELECT string_agg(m[2], ' ' ORDER BY m[1]::int) FROM (SELECT flamegraph_diff_svg(a, b, level => 'stack', interactive => false) AS svg FROM sides) AS v, $fills WHERE m[3] NOT IN ('#e0e0e0', '#d9d9d9')"), 'g2',
	'the stack that changed is coloured, its siblings are grey');
is($db->value("SELECT string_agg(m[2] || ' ' || m[3], ', ' ORDER BY m[1]::int) FROM (SELECT flamegraph_diff_svg('b 100'::flamegraph, E'a 1\nb 100', poisson_unit => 1) AS svg) AS v, $fills"), 'all #d9d9d9, a #e0e0e0, b #e0e0e0',
	'0 against 1 sample is grey');
is($db->value("SELECT string_agg((svg ~ '<metadata>' AND svg ~ '<script>')::text, ' ') FROM (VALUES (flamegraph_diff_svg('a 1'::flamegraph, '', widths => 'after')), (flamegraph_diff_svg(''::flamegraph, 'a 1', widths => 'before'))) AS v (svg)"), 'true true',
	'nothing but an elided panel has data and a viewer, too');
is($db->value("SELECT string_agg((svg ~ 'nothing has changed')::text, ' ') FROM (VALUES (flamegraph_diff_svg(E'm;a 500\\nm;b 1000\\nm;c 10'::flamegraph, E'm;a 550\\nm;b 1100\\nm;c 11', widths => 'change', size_factor => 'total')),
	(flamegraph_diff_svg(ARRAY[E'm;a 0.1\nm 1', E'm;a 0.2\nm 1', E'm;a 0.3\nm 1']::flamegraph[], ARRAY[E'm;a 0.3\nm 1', E'm;a 0.2\nm 1', E'm;a 0.1\nm 1']::flamegraph[], widths => 'change'))) AS v (svg)"), 'true true',
	'rounding errors are no change');
my $refused = $db->query("SELECT flamegraph_from_svg(flamegraph_diff_svg('a 1'::flamegraph, 'a 2'))");
is($refused->{error}{sqlstate}, '22023', 'a difference is no profile');
my $drawn = $db->rows(<<"SQL")->[0];
SELECT count(*) FILTER (WHERE m[3] NOT IN ('#e0e0e0', '#d9d9d9')), count(*) FROM (
	SELECT flamegraph_diff_svg(array_agg(fg) FILTER (WHERE r <= 6), array_agg(fg) FILTER (WHERE r > 6), level => 'stack', interactive => false) AS svg FROM (
		SELECT draw, r, flamegraph_agg(ARRAY['f' || f], round(100 + (hashint8(draw * 7907 + r * 104729 + f * 31)::int8 % 1000) / 50.0)::float8) AS fg
		FROM generate_series(1, 200) AS draw, generate_series(1, 12) AS r, generate_series(1, 20) AS f GROUP BY draw, r) AS v GROUP BY draw) AS p, $fills
SQL
cmp_ok($drawn->[0] / $drawn->[1], '<=', 0.05, "of equal groups at most alpha of the keys are coloured ($drawn->[0] of $drawn->[1] over 200 draws)");

done_testing();
