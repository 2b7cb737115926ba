# Pages of the store in Chromium (test/browser/store.mjs): policies, keys, widths, dark, paper, hostile names. What they hold is
# checked by 069_store_pages.pl; what the page expects of them is asked from SQL here.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Browser;
use Store;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();

Browser::install('browser', $dir, 120);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);

# More benchmarks than a table has without a filter; names that have to be broken into lines; a change in each fifth.
$db->run(q{INSERT INTO profiling.owner (pattern, team) VALUES ('*;~"parse";*', 'language front end')});
for my $nights ([ 1, 12 ], [ 13, 13 ], [ 14, 14 ])
{
	$db->run(<<"SQL");
SELECT profiling.import_flamegraph(benchmark => CASE b WHEN 1 THEN 'orders' ELSE 'com.example.shop.checkout.CheckoutServiceBenchmark.measureThroughputOfConcurrentCheckouts/' || b END,
	fg => (SELECT flamegraph_agg(stack::stackpath, v + (n * 7 + b * 3 + length(stack)) % 3 + CASE WHEN n >= 13 AND b % 5 = 1 AND stack LIKE '%parse%' THEN v ELSE 0 END) FROM (VALUES
		('main;server::Http::Listener::run;http_parse_request(request const&, bool)', 120), ('main;server::Http::Listener::run;http_parse_request(request const&, bool);tokenize', 60),
		('main;server::Http::Listener::run;storage::btree::Cursor::seek<std::pair<std::string, unsigned long>>;read', 80), ('main;server::Http::Listener::run;render', 50), ('main;gc;mark', 30)) AS s (stack, v)),
	suite => 'shop', parameters => jsonb_build_object('size', b, 'threads', 8), started_at => timestamptz '2026-01-01 02:00 UTC' + n * interval '1 day', branch => 'main', commit => md5(n::text) || 'deadbeef',
	event => 'cpu', unit => 'samples', metric => 1.0 + 0.01 * ((n * 3 + b) % 4) + CASE WHEN n >= 13 AND b % 5 = 1 THEN 0.3 ELSE 0 END, metric_unit => 's')
FROM generate_series($nights->[0], $nights->[1]) AS n, generate_series(1, 26) AS b
SQL
	$db->run('CALL profiling.watch_run()');
}
cmp_ok($db->value('SELECT count(*) FROM profiling.open_regression'), '>', 3, 'there is something to report');

my %call = (night => 'night_html()', report => q{report_html('orders')}, benchmark => q{benchmark_html('orders')});
append_to_file("$dir/$_.html", $db->value("SELECT profiling.$call{$_}")) for sort keys %call;
my $flame = q{flamegraph_svg(E'main;parse;read 400\nmain;render 200'::flamegraph)};
append_to_file("$dir/parted.html", $db->value(qq{SELECT html_report('Parts', jsonb_build_array(jsonb_build_object('svg', $flame), jsonb_build_object('details', 'Flames', 'sections', jsonb_build_array(jsonb_build_object('svg', $flame))),
	jsonb_build_object('details', 'A chart', 'sections', jsonb_build_array(jsonb_build_object('svg', (SELECT flame_chart_svg('a;b', i, i + 1) FROM generate_series(1, 3) AS i))))))}));

# Words of each page that paper has to have, in the order of letters in lines; those of report() come from its parts, which are closed.
my $printed = q{jsonb_build_object(
	'night.html', (SELECT jsonb_agg(DISTINCT coalesce(nullif(team, ''), 'nobody')) FROM profiling.open_regression) || '["Night of 2026-01-15", "orders"]',
	'report.html', (SELECT jsonb_agg(DISTINCT 'Candidate ' || rank || ': ' || frame) FROM profiling.report('orders') WHERE section = 'candidate') || '["How this was computed", "Sandwich of"]',
	'benchmark.html', (SELECT jsonb_agg(DISTINCT frame(stack, -1)) FROM nodes((SELECT flamegraph FROM profiling.rollup WHERE benchmark_id = (SELECT benchmark_id FROM profiling.benchmark WHERE name = 'orders') AND repetitions = 1 ORDER BY test_run_id DESC LIMIT 1)) WHERE depth(stack) = 1))};
append_to_file("$dir/expected.json", $db->value("SELECT json_build_object('benchmarks', count(*), 'some', json_build_object('text', 'Checkouts/2', 'count', count(*) FILTER (WHERE name LIKE '%Checkouts/2%')), 'printed', $printed) FROM profiling.benchmark"));

my $bad = q{</title></script><script>alert(1)</script><img src=x onerror=alert(1)>"' onload=alert(1) ]]> &#0; javascript:alert(1) } . "\xE2\x80\xAE" . 'w' x 120;
my $quoted = "\$bad\$$bad\$bad\$";
$db->run(<<"SQL");
UPDATE profiling.benchmark SET name = $quoted || benchmark_id, suite = $quoted, parameters = jsonb_build_object($quoted, $quoted);
UPDATE profiling.test_run SET commit = $quoted, version = $quoted, labels = jsonb_build_object($quoted, $quoted);
UPDATE profiling.regression SET team = $quoted, note = $quoted, subject = stackpath(ARRAY[$quoted]) WHERE level <> 'metric';
UPDATE profiling.rollup SET metric_unit = $quoted WHERE benchmark_id = 1;
UPDATE profiling.rollup AS r SET flamegraph = rename_frames(r.flamegraph, 'parse', $quoted) WHERE benchmark_id = 1 AND repetitions = 1;
SQL
my %harmful = (night => 'night_html()', report => 'report_html(1)', benchmark => 'benchmark_html(1)');
append_to_file("$dir/hostile-$_.html", $db->value("SELECT profiling.$harmful{$_}")) for sort keys %harmful;

Browser::run('store.mjs', $dir);

done_testing();
