# The viewer of flame charts in Chromium, which playwright-core of npm drives without a network (test/browser/chart.mjs).
# What it is expected to find is asked from SQL here.
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

# Eighths of seconds, so that times and sums are exact.
$db->run(q{CREATE TABLE sample AS
	SELECT ('main;' || CASE WHEN i < 16 THEN 'load;' || CASE WHEN i % 8 < 5 THEN 'read' ELSE 'parse' END
		WHEN i < 44 THEN 'work;step_' || i / 10 ELSE 'report;write' END)::stackpath AS stack, i / 8.0::float8 AS a, (i + 1) / 8.0::float8 AS b, 'main' AS thread
	FROM generate_series(0, 63) AS i
	UNION ALL SELECT (CASE WHEN i % 3 = 0 THEN 'pool;wait' ELSE 'pool;task;compress' END)::stackpath, 2 + i / 4.0, 2.25 + i / 4.0, 'worker <1>' FROM generate_series(0, 17) AS i});
my $chart = 'flame_chart_svg(stack, a, b, thread';
sub picture { my ($name, $sql) = @_; append_to_file("$dir/$name", $db->value("SELECT $sql")); return; }
picture('chart.svg', qq{$chart, '{"title": "A run"}') FROM sample});
picture('many.svg', q{flame_chart_svg(CASE WHEN i = 70001 THEN 'main;a;needle' ELSE 'main;' || chr(97 + i % 7) || ';f' || i % 500 END::stackpath, i / 1000.0, (i + 1) / 1000.0) FROM generate_series(0, 99999) AS i});
# 1,500 samples that overlap, of two threads: more lanes than are drawn; some of them end, and leave their lanes to others.
my $overlapping = q{FROM (SELECT i, i / 8.0::float8 AS a, i / 8.0::float8 + CASE WHEN i % 3 = 0 THEN 4 ELSE 1000 + i END AS b FROM generate_series(0, 1499) AS i) AS o};
picture('lanes.svg', qq{flame_chart_svg(('main;f' || i % 5)::stackpath, a, b, 'thread ' || i % 2) $overlapping});
picture('first.svg', qq{$chart, '{"max_samples": 10}') FROM sample});
picture('instants.svg', q{flame_chart_svg('a;b', i, i + 1 - i % 2) FROM generate_series(0, 6) AS i});
# Boxes that grow, so that names end at each column of what is written for a character that cannot be seen.
picture('cut.svg', q{flame_chart_svg(stackpath(ARRAY['f' || repeat(chr(1), 9) || i]), sum, sum + i) FROM (SELECT i, sum(i) OVER (ORDER BY i) - i AS sum FROM generate_series(1, 30) AS i) AS s});
my $name = Wire::literal(q{</title><script>alert(1)</script>" onload="alert(1)'; ]]> &#0; } . "\xE2\x80\xAE" . 'x');
picture('hostile.svg', qq{flame_chart_svg(ARRAY['main', $name]::text[]::stackpath, i, i + 1, $name || i % 2, jsonb_build_object('title', $name, 'unit', $name)) FROM generate_series(1, 9) AS i});
picture('report.html', qq{html_report('Both', jsonb_build_array(jsonb_build_object('svg', (SELECT $chart) FROM sample)), jsonb_build_object('svg', flamegraph_svg('a;b 1'))))});

my $sum = '(SELECT flamegraph_agg(stack, b - a) FROM sample)';
my $hash = $db->value("SELECT svg_script_hash('flame_chart')");
my ($script) = slurp_file("$dir/chart.svg") =~ /<script><!\[CDATA\[(.*?)\]\]>/s;
is($hash, 'sha256-' . sha256_base64($script) . '=', 'the hash is that of the script in the picture');
cmp_ok(length $script, '<=', 20_000, 'which is small');
unlike($script, qr/\beval\b|innerHTML|insertAdjacent|document\.write|new Function/, 'and makes no code or markup of text');
append_to_file("$dir/expected.json", $db->value("SELECT json_build_object('hash', " . Wire::literal($hash) . qq{, 'to', (SELECT max(b) FROM sample), 'total', total($sum),
	'samples', (SELECT json_agg(json_build_array(a, b)) FROM sample), 'work', (SELECT json_build_array(min(a), max(b)) FROM sample WHERE stack <@ 'main;work'),
	'heaviest', (SELECT string_agg(frame || ' (' || round(100 * self / total($sum)) || ' %)', ', ' ORDER BY n) FROM (SELECT *, row_number() OVER (ORDER BY self DESC, frame) AS n FROM node_facts($sum)) AS f WHERE n <= 3),
	'nodes', (SELECT json_agg(json_build_object('frame', frame(stack, -1), 'depth', depth(stack), 'total', total)) FROM nodes($sum) WHERE depth(stack) > 0),
	'steps', (SELECT json_build_object('frames', count(DISTINCT frame(stack, -1)), 'total', sum(b - a), 'share', round(100 * sum(b - a) / total($sum)) || ' %') FROM sample WHERE stack::text LIKE '%step%'),
	'first', (SELECT json_build_object('count', count(*), 'heaviest', max(share), 'drawn', count(DISTINCT stack)) FROM (SELECT stack, sum(b - a) OVER (PARTITION BY stack) / sum(b - a) OVER () AS share FROM (SELECT * FROM sample ORDER BY a, b LIMIT 10) AS s) AS s),
	'needle', json_build_array(69.995, 70.007), 'way', json_build_array('work', 'report', 'work', 'report', 'load', 'main'))}));

Browser::run('chart.mjs', $dir);

done_testing();
