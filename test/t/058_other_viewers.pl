# Viewers by others in Chromium, fed with our rows and exports: d3-flame-graph, speedscope and the component that is
# Grafana's flame graph panel (test/viewers/viewers.mjs). What they are expected to show is the algebra in SQL: the sums
# over all stacks that begin with the same frames.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Browser;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();

Browser::install('viewers', $dir, 240);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');

# Recursion, costs that belong to no frame, names with markup; new, gone, more, less and the same.
$db->run(<<'SQL');
CREATE TABLE p AS SELECT
	E'main;parse;read 400\nmain;parse;tokenize;next char 210\nmain;parse 90\nmain;fib;fib;fib 40\nmain;fib;fib 8\nmain;fib;<b>&amp\\;</b> 6\nmain;render;paint 120\nmain;render;gone 75\nidle 51'::flamegraph
		+ flamegraph_agg('{}'::text[], 13) AS fg,
	E'main;parse;read 300\nmain;parse;tokenize;next char 910\nmain;parse 95\nmain;fib;fib;fib 40\nmain;fib;fib 8\nmain;fib;<b>&amp\\;</b> 6\nmain;render;paint 20\nmain;render;it''s new 77\nidle 51\nadded 30'::flamegraph AS after;
CREATE FUNCTION sums(fg flamegraph) RETURNS TABLE (path text[], frame text, level int, value float8, self float8) LANGUAGE sql AS $$
	SELECT path[:d], coalesce(path[d], 'root'), d, sum(s.value), coalesce(sum(s.value) FILTER (WHERE d = cardinality(path)), 0)
	FROM (SELECT stack::text[] AS path, value FROM stacks(fg)) AS s, generate_series(0, cardinality(path)) AS d GROUP BY 1, 2, 3 $$;
SQL
append_to_file("$dir/expected.json", $db->value(<<'SQL'));
SELECT jsonb_build_object('total', total(fg), 'json', flamegraph_to_json(fg), 'speedscope', flamegraph_to_speedscope(fg, 'recorded "tonight"', 'none'),
	'nodes', (SELECT jsonb_agg(to_jsonb(s)) FROM sums(fg) AS s),
	'frames', (SELECT jsonb_agg(jsonb_build_object('frame', frame, 'total', frame_total(fg, frame), 'self', frame_self(fg, frame)))
		FROM (SELECT DISTINCT frame FROM sums(fg) WHERE level > 0) AS f),
	'rows', (SELECT jsonb_agg(to_jsonb(r) ORDER BY n) FROM nested_set(fg) WITH ORDINALITY AS r(level, value, self, label, n)),
	'pruned', (SELECT jsonb_agg(to_jsonb(r) ORDER BY n) FROM nested_set(fg, min_share => 0.1) WITH ORDINALITY AS r(level, value, self, label, n)),
	'two', jsonb_build_object('json', flamegraph_to_json(fg, after),
		'rows', (SELECT jsonb_agg(to_jsonb(r) ORDER BY n) FROM nested_set(fg, after) WITH ORDINALITY AS r(level, value, self, label, "valueRight", "selfRight", n)),
		'nodes', (SELECT jsonb_agg(jsonb_build_object('frame', frame, 'level', level, 'before', coalesce(b.value, 0), 'after', coalesce(a.value, 0),
				'change', CASE WHEN b.value IS NULL THEN 'new' WHEN a.value IS NULL OR a.value < b.value THEN 'less' WHEN a.value > b.value THEN 'more' ELSE 'same' END))
			FROM sums(fg) AS b FULL JOIN sums(after) AS a USING (path, frame, level))))
FROM p
SQL

Browser::run('viewers.mjs', $dir);

# What speedscope writes again is another kind of file: one event for each call and return. Time in which no frame is open
# is no cost there.
my $hex = -e "$dir/speedscope.json" ? unpack('H*', slurp_file("$dir/speedscope.json")) : '';
my $again = $db->query("SELECT flamegraph_from_speedscope(convert_from('\\x$hex', 'UTF8')) = fg - (SELECT flamegraph_agg('{}'::text[], 13)) FROM p");
is($again->{rows}[0][0], 't', 'the profile survives speedscope') or diag(explain($again->{error}));

done_testing();
