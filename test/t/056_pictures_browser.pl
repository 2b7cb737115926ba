# The viewer of interactive pictures in Chromium, which playwright-core of npm drives without a network
# (test/browser/viewer.mjs). What it is expected to find is asked from SQL here.
use strict;
use warnings;

use Digest::SHA qw(sha256_base64);
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Browser;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();

Browser::install('browser', $dir, 120);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');

sub picture { my ($name, $sql) = @_; append_to_file("$dir/$name.svg", $db->value("SELECT flamegraph_svg($sql)")); return; }

my $small = q{E'main;parse;read 400\nmain;parse;tokenize;"next char" 210\nmain;parse 90\nmain;render;layout::Table::measure 120\nmain;render;layout::Table::paint 75\n}
	. q{main;render;flush 3\nmain;render;close 2\nmain;render;log 1\nmain 30\nidle 69'::flamegraph};
picture('small', $small);
picture('started', qq{$small, options => '{"zoom": "main;render", "search": "paint"}'});
my $hex = unpack 'H*', slurp_file("$FindBin::RealBin/../data/formats/go-cpu.folded");
$db->run("CREATE TABLE recorded AS SELECT flamegraph_from_folded('\\x$hex'::bytea) AS fg");
picture('recorded', '(SELECT fg FROM recorded)');
picture('deep', "flamegraph_agg(ARRAY(SELECT 'f' || d FROM generate_series(1, 5000) AS d), 1)");
picture('chain', q{flamegraph_agg(ARRAY(SELECT 'f' || d FROM generate_series(1, 60000) AS d), 1), options => '{"max_boxes": 300, "max_rows": 65536}'});
picture('sums', q{E'a;b 0.1\na;c 0.2\nx 0.30000000000000004'});
picture('cut', q{E'm;a;x 100\nm;b;x 50\nm;c;hot 9\nm;d;hot 8\nm;e;hot 7'::flamegraph, options => '{"max_nodes": 6}'});
picture('wide', "(SELECT flamegraph_agg(ARRAY['few', 'group', 'f' || i, 'below'], 1) FROM generate_series(1, 400) AS i) + 'many;work 300000'");

# A difference; what is new, gone and so on, from the totals of both sides alone.
my ($before, $after) = (q{flamegraph E'main;parse;read 400\nmain;parse;tokenize 210\nmain;parse 90\nmain;render;measure 120\nmain;render;paint 75\nmain;render;flush 3\nmain;old;gone 60\nmain 30\nidle 69'},
	q{flamegraph E'main;parse;read 700\nmain;parse;tokenize 215\nmain;parse 20\nmain;render;measure 60\nmain;render;paint 75\nmain;new;work 80\nmain 30\nidle 69'});
append_to_file("$dir/difference.svg", $db->value("SELECT flamegraph_diff_svg($before, $after)"));
append_to_file("$dir/after.svg", $db->value("SELECT flamegraph_diff_svg($before, $after, widths => 'after')"));
my $groups = "ARRAY[$before, $before * 1.01, $before * 0.99], ARRAY[$after, $after * 1.01, $after * 0.99]";
append_to_file("$dir/groups.svg", $db->value("SELECT flamegraph_diff_svg($groups)"));
my $difference = $db->value("SELECT jsonb_object_agg(state, frames) FROM (SELECT state, jsonb_agg(frame ORDER BY frame) AS frames FROM
	(SELECT frame, CASE WHEN b IS NULL THEN 'new' WHEN a IS NULL THEN 'gone' WHEN a >= 1.05 * b THEN 'grown' WHEN b >= 1.05 * a THEN 'shrunk' END AS state
	FROM (SELECT frame, total AS b FROM node_facts($before)) AS b FULL JOIN (SELECT frame, total AS a FROM node_facts($after)) AS a USING (frame)) AS s WHERE state IS NOT NULL GROUP BY state) AS s");
# More of what both sides draw: outlines of what is highlighted, on boxes light and dark, the frame of a sandwich.
my %drawn = (
	highlighted => "flamegraph_svg($small, color => 'self', options => '{\"highlight\": \"*;parse;*\"}')",
	compared => "flamegraph_diff_svg($before, $after, poisson_unit => 1, options => '{\"highlight\": \"*;new|parse;*\"}')",
	sandwich => q{(SELECT sandwich_svg(fg, 'runtime.mallocgc', options => '{"highlight": "runtime.mallocgc;*"}') FROM recorded)});
append_to_file("$dir/$_.svg", $db->value("SELECT $drawn{$_}")) for sort keys %drawn;
my %height = map { slurp_file("$dir/$_.svg") =~ /<svg[^>]* height="(\d+)"/; ($_ => $1) } 'difference', 'after', keys %drawn;
my $heights = join ', ', map { "'$_', $height{$_}" } sort keys %height;
my $gone = "SELECT stack::text[] AS path, value FROM stacks($before) WHERE stack NOT IN (SELECT stack FROM stacks($after))";
my $elided = $db->value("SELECT jsonb_build_object('vanished', (SELECT sum(value) FROM ($gone) AS g), 'after', total($after), 'names', (SELECT jsonb_agg(frame ORDER BY frame) FROM (SELECT 'all' UNION SELECT unnest(path) FROM ($gone) AS g) AS f (frame)))");
my @side = map { "SELECT s.stack::text[] AS path, s.value FROM stacks(%s($_, 'render')) AS s WHERE cardinality(s.stack::text[]) > 1" } $before, $after;
my $sides = $db->value('SELECT jsonb_build_array(' . join(', ', map { my ($function, $next) = @$_;
	my ($b, $a) = map { "SELECT path[$next] AS frame, sum(value) AS sum FROM (" . sprintf($_, $function) . ') AS s GROUP BY 1' } @side;
	qq{(SELECT jsonb_agg(jsonb_build_array(frame, coalesce(b.sum, 0)::text, coalesce(a.sum, 0)::text) ORDER BY frame COLLATE "C") FROM ($b) AS b FULL JOIN ($a) AS a USING (frame))} }
	[ 'callers_of', 'cardinality(path) - 1' ], [ 'focus', '2' ]) . ')');

# What a box of a difference says of its function: how many boxes it has on either side, what they are together, each stack
# once; and of the box that is zoomed to. From the stacks of both sides alone.
my ($first, $second) = (q{flamegraph E'main;parse;read 400\nmain;parse;parse;read 50\nmain;parse;parse 30\nmain;render;parse 20\nmain;render;read;old 7\nidle 93'},
	q{flamegraph E'main;parse;read 300\nmain;parse;parse;read 90\nmain;render;parse;new 75\nmain;render;read 1\nidle 30'});
append_to_file("$dir/places-$_.svg", $db->value("SELECT flamegraph_diff_svg($first, $second, widths => '$_')")) for 'union', 'after', 'before', 'change';
$db->run(<<"SQL");
CREATE TABLE place AS SELECT side, stack::text[] AS path, value FROM (SELECT 0 AS side, * FROM stacks($first) UNION ALL SELECT 1, * FROM stacks($second)) AS s;
CREATE FUNCTION of_side(s int, below text[], f text DEFAULT NULL) RETURNS float8 LANGUAGE sql AS \$\$
	SELECT coalesce(sum(value), 0) FROM place WHERE side = s AND path[1:cardinality(below)] = below AND (f IS NULL OR f = ANY (path)) \$\$;
CREATE FUNCTION share_of(part float8, whole float8) RETURNS text LANGUAGE sql AS \$\$ SELECT CASE WHEN whole = 0 THEN '-' ELSE format_value(part / whole, 'fraction') END \$\$;
CREATE FUNCTION both_sides(b float8, a float8, zoomed text[] DEFAULT NULL) RETURNS text LANGUAGE sql AS \$\$
	SELECT format('before %s samples (%s%s), after %s samples (%s%s): %s%s', b, share_of(b, of_side(0, '{}')), ', ' || share_of(b, of_side(0, zoomed)) || ' of ' || zoomed[cardinality(zoomed)],
		a, share_of(a, of_side(1, '{}')), ', ' || share_of(a, of_side(1, zoomed)) || ' of ' || zoomed[cardinality(zoomed)], CASE WHEN a >= b THEN '+' ELSE '' END || (a - b),
		CASE WHEN a = b THEN '' WHEN b = 0 THEN ', new' WHEN a = 0 THEN ', gone' ELSE ', ' || CASE WHEN a > b THEN '+' ELSE '' END || format_value((a - b) / b, 'fraction') END) \$\$;
SQL
my $places = $db->value(q{SELECT jsonb_build_object('together', jsonb_object_agg(frame, many || ' boxes, together ' || both_sides(of_side(0, '{}', frame), of_side(1, '{}', frame))),
	'zoomed', (SELECT jsonb_object_agg(array_to_string(path, ';'), both_sides(of_side(0, path), of_side(1, path), '{main,render}')) FROM (SELECT DISTINCT path[1:d] AS path FROM place, generate_series(2, cardinality(path)) AS d) AS n
		WHERE path[1:2] = '{main,render}'))
	FROM (SELECT path[cardinality(path)] AS frame, count(*) AS many FROM (SELECT DISTINCT path[1:d] AS path FROM place, generate_series(1, cardinality(path)) AS d) AS n GROUP BY 1) AS f WHERE many > 1});

# Names that break pictures, in every argument that is text; one of them is copied.
my @hostile = ('</title><script>alert(1)</script>', '" onload="alert(1)', q{' onload='alert(1)}, ']]>', '<![CDATA[', '&#0;', "\x01", "\xe2\x80\xaegnp.exe", '</metadata><script>alert(1)</script>',
	'javascript:alert(1)', '<img src=x onerror=alert(1)>', '</svg><script>alert(1)</script>', '{{7*7}}', '${alert(1)}', '\\', q{it's;a\\;"name"}, '<' x 4900);
my $names = 'ARRAY[' . join(', ', map { Wire::literal($_) } @hostile) . ']::text[]';
my $text = Wire::literal(join ' ', @hostile[ 0 .. 15 ]);
picture('hostile', "(SELECT flamegraph_agg(ARRAY['main', name, name || '::' || name], 10) FROM unnest($names) AS name), $text, $text, options => jsonb_build_object('subtitle', $text, 'notes', $text, 'search', 'x')");
my ($wanted) = @{ $db->rows("SELECT node, frame, '''' || replace(stackpath(ARRAY['main', frame])::text, '''', '''''') || '''' FROM (SELECT flamegraph_agg(ARRAY['main', name, name || '::' || name], 10) AS fg FROM unnest($names) AS name) AS p,
	node_facts(fg) WHERE frame = " . Wire::literal($hostile[15])) };

# Totals without recursion, callers and callees: what the viewer counts from the data in the picture.
my $frames = $db->value(q{SELECT jsonb_agg(jsonb_build_array(f, frame_total(fg, f)::text, format_value(frame_total(fg, f) / total(fg), 'fraction'), frame_self(fg, f)::text))
	FROM recorded, unnest('{runtime.mallocgc,main.parse,main.fib,runtime.main}'::text[]) AS f});
my $frame = 'runtime.mallocgc';
my $sandwich = $db->value("SELECT jsonb_build_object('frame', '$frame', 'callers', (SELECT jsonb_agg(jsonb_build_array(caller, sum::text) ORDER BY caller COLLATE \"C\") FROM
	(SELECT path[n - 1] AS caller, sum(value) FROM (SELECT s.stack::text[] AS path, s.value, cardinality(s.stack::text[]) AS n FROM recorded, stacks(callers_of(fg, '$frame')) AS s) AS s WHERE n > 1 GROUP BY 1) AS c),
	'callees', (SELECT jsonb_agg(jsonb_build_array(callee, sum::text) ORDER BY callee COLLATE \"C\") FROM
	(SELECT path[2] AS callee, sum(value) FROM (SELECT s.stack::text[] AS path, s.value FROM recorded, stacks(focus(fg, '$frame')) AS s) AS s WHERE cardinality(path) > 1 GROUP BY 1) AS c))");
my $svg = slurp_file("$dir/small.svg");
my ($height) = $svg =~ /<svg[^>]* height="(\d+)"/;
my ($style) = $svg =~ m{<style>(.*?)</style>}s;
my $json = $db->value("SELECT jsonb_build_object('frames', " . Wire::literal($frames) . '::jsonb, \'sandwich\', ' . Wire::literal($sandwich) . "::jsonb, 'node', $wanted->[0], 'name', " . Wire::literal($wanted->[1])
	. ", 'literal', " . Wire::literal($wanted->[2]) . ", 'hash', svg_script_hash(), 'style', " . Wire::literal('sha256-' . sha256_base64($style) . '=') . ", 'height', $height, 'heights', jsonb_build_object($heights), 'elided', " . Wire::literal($elided) . "::jsonb, 'places', " . Wire::literal($places) . "::jsonb, 'sides', " . Wire::literal($sides) . "::jsonb, 'difference', " . Wire::literal($difference)
	. "::jsonb, 'significant', (SELECT jsonb_agg(frame ORDER BY frame) FROM (SELECT 'all' UNION SELECT unnest(key::text[]) FROM compare_profiles($groups, level => 'node', min_mean => 0) WHERE significant) AS s (frame)))");
append_to_file("$dir/expected.json", $json);
is($db->value("SELECT flamegraph_agg(ARRAY['main', " . Wire::literal($hostile[15]) . "], 10) ->> $wanted->[2]"), 10, 'what is copied selects the stack');

Browser::run('viewer.mjs', $dir);

done_testing();
