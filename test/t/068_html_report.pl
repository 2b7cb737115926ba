# Pages of reports: what sections are refused, and the page itself in Chromium (test/browser/page.mjs) with hostile names,
# without scripts, sorted, filtered, printed.
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
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');

# --- what is refused, with its place --------------------------------------------------------------------------------

my $svg = q{flamegraph_svg('a;b 1'::flamegraph, interactive => false)};
for my $row (
	[ q{'{}'}, '22023', qr/sections must be an array/ ],
	[ q{'[1]'}, '22023', qr/sections\[0\] must be an object/ ],
	[ q{'[null]'}, '22023', qr/sections\[0\] must be an object/ ],
	[ q{'[{"text": "a"}, {}]'}, '22023', qr/sections\[1\] must be a section/ ],
	[ q{'[{"text": "a", "caption": "b"}]'}, '22023', qr/unrecognized key "caption" in sections\[0\]/ ],
	[ q{'[{"heading": "a", "text": "b"}]'}, '22023', qr/unrecognized key "text"/ ],
	[ q{'[{"heading": "a", "anchor": "b c"}]'}, '22023', qr/sections\[0\]\.anchor must be a name/ ],
	[ q{'[{"heading": "a", "anchor": "x"}, {"text": "b", "anchor": "x"}]'}, '22023', qr/sections\[1\]\.anchor must be a name that no other/ ],
	[ q{'[{"facts": 1}]'}, '22023', qr/sections\[0\]\.facts must be an object/ ],
	[ q{'[{"facts": [["a"]]}]'}, '22023', qr/sections\[0\]\.facts\[0\] must be an array of a name and a value/ ],
	[ q{'[{"table": {}}]'}, '22023', qr/sections\[0\]\.table must be an array/ ],
	[ q{'[{"table": [1]}]'}, '22023', qr/sections\[0\]\.table\[0\] must be an object/ ],
	[ q{'[{"table": [{"a": 1}, 2], "columns": [{"name": "a"}]}]'}, '22023', qr/sections\[0\]\.table\[1\] must be an object/ ],
	[ q{'[{"table": [], "columns": [{}]}]'}, '22023', qr/sections\[0\]\.columns\[0\]\.name must be a string/ ],
	[ q{'[{"table": [], "columns": [{"name": "a", "kind": "x"}]}]'}, '22023', qr/kind/ ],
	[ q{'[{"table": [], "columns": [{"name": "a", "type": "x"}]}]'}, '22023', qr/unrecognized key "type" in sections\[0\]\.columns\[0\]/ ],
	[ q{'[{"table": [], "columns": [{"name": "a", "kind": "text", "signed": true}]}]'}, '22023', qr/sections\[0\]\.columns\[0\]\.signed must be of a column of kind number, share or bar/ ],
	[ q{'[{"table": [], "columns": [{"name": "a", "kind": "share", "signed": 1}]}]'}, '22023', qr/signed must be true or false/ ],
	[ q{'[{"table": [{"a": "1"}], "columns": [{"name": "a", "kind": "number"}]}]'}, '22023', qr/sections\[0\]\.table\[0\]\.a must be a number/ ],
	[ q{'[{"table": [{"a": 1e400}], "columns": [{"name": "a", "kind": "bar"}]}]'}, '22003', qr/sections\[0\]\.table\[0\]\.a is out of range/ ],
	[ q{'[{"table": [{"a": [1, "x"]}], "columns": [{"name": "a", "kind": "spark"}]}]'}, '22023', qr/table\[0\]\.a\[1\] must be a number/ ],
	[ q{'[{"table": [{"a": {"angle": 1, "red": 256}}], "columns": [{"name": "a", "kind": "arrow"}]}]'}, '22023', qr/a\.red must be between 0 and 255/ ],
	[ q{'[{"table": [{"a": 1, "l": "x y"}], "columns": [{"name": "a", "link": "l"}]}]'}, '22023', qr/table\[0\]\.l must be the anchor/ ],
	[ q{jsonb_build_array(jsonb_build_object('table', '[]'::jsonb, 'columns', (SELECT jsonb_agg(jsonb_build_object('name', n)) FROM generate_series(1, 101) AS n)))}, '22023', qr/at most 100 columns/ ],
	[ q{'[{"svg": "<svg></svg>"}]'}, '22023', qr/not a picture of this extension: byte 5/ ],
	[ q{'[{"svg": 1}]'}, '22023', qr/sections\[0\]\.svg must be a string/ ],
	[ qq{jsonb_build_array(jsonb_build_object('svg', replace($svg, '<rect', '<rect onclick="x"')))}, '22023', qr/an attribute that our pictures do not have/ ],
	[ qq{jsonb_build_array(jsonb_build_object('svg', replace($svg, '</svg>', '<a/></svg>')))}, '22023', qr/an element that our pictures do not have/ ],
	[ q{('[' || repeat('{"details": "x", "sections": [', 9) || repeat(']}', 9) || ']')::jsonb}, '22023', qr/in at most 8 others/ ],
	[ q{'[{"details": "x", "open": 1}]'}, '22023', qr/open must be true or false/ ],
	[ q{'[{"details": "x", "sections": 1}]'}, '22023', qr/sections\[0\]\.sections must be an array/ ])
{
	my ($sections, $sqlstate, $message) = @$row;
	my $error = $db->query("SELECT html_report('t', $sections)")->{error};
	is($error->{sqlstate}, $sqlstate, "$sqlstate for " . substr $sections, 0, 80);
	like($error->{message}, $message, '... and it says where');
}
for my $row ([ q{'{"x": 1}'}, '22023' ], [ q{'{"theme": "x"}'}, '22023' ], [ q{'{"contents": 1}'}, '22023' ], [ 'NULL', '22004' ])
{
	is($db->query("SELECT html_report('t', '[]', $row->[0])")->{error}{sqlstate}, $row->[1], "options $row->[0]");
}
is($db->value("SELECT html_report('t', NULL)"), undef, 'no sections, no page');
like($db->value("SELECT html_report(NULL, '[]')"), qr{<title>Report</title>.*<main id="main">\n</main>}s, 'a page without anything has a title');

my $signed = $db->value(q{SELECT html_report('t', jsonb_build_array(jsonb_build_object('table', '[{"n": 2.5, "s": 0.07, "b": 1200}, {"n": 0, "s": 0, "b": 0}, {"n": -2.5, "s": -0.07, "b": -1200}]'::jsonb, 'columns',
	(SELECT jsonb_agg(jsonb_build_object('name', n, 'kind', k, 'signed', s)) FROM (VALUES ('n', 'number', true), ('s', 'share', true), ('b', 'bar', true), ('n', 'number', false)) AS v (n, k, s)))))});
is(join('|', $signed =~ m{<td class="n"[^>]*>([^< ]*)}g), '+2.5|+7|+1,200|2.5|0|0|0|0|-2.5|-7|-1,200|-2.5', 'what is above 0 has a sign where the column is signed');

# --- one page of everything ------------------------------------------------------------------------------------------

my @hostile = ('</title><script>alert(1)</script>', '" onload="alert(1)', q{' onload='alert(1)}, ']]>', '<img src=x onerror=alert(1)>', "\xe2\x80\xaegnp.exe", "\x01", '&#0;', '</style>', '-->', 'javascript:alert(1)', '{{7*7}}', '\\');
my $text = Wire::literal(join ' ', @hostile);
my $columns = q{'[{"name": "name", "label": "Benchmark", "link": "to"}, {"name": "v", "label": "Time", "kind": "number", "unit": "milliseconds"}, {"name": "share", "kind": "share"},
	{"name": "change", "kind": "bar"}, {"name": "line", "kind": "spark"}, {"name": "arrow", "kind": "arrow"}, {"name": "status", "kind": "status"}, {"name": "stack", "kind": "stack"}]'::jsonb};
my $rows = qq{(SELECT jsonb_agg(jsonb_build_object('name', 'bench ' || i, 'v', CASE WHEN i = 7 THEN '"NaN"' WHEN i % 7 > 0 THEN to_jsonb(i * 37 % 100) END, 'share', i / 30.0, 'change', i - 12, 'line', ARRAY[i, NULL, 3, i * 5 % 7],
	'arrow', jsonb_build_object('angle', i * 7 - 90, 'red', 200, 'green', 10, 'blue', 10), 'status', (ARRAY['degradation', 'optimization', 'maybe'])[i % 3 + 1], 'stack', 'main;work;f' || i, 'to', 'part'))
	FROM generate_series(1, 25) AS i)};
my $harmful = qq{jsonb_build_array(jsonb_build_object('heading', $text), jsonb_build_object('text', $text), jsonb_build_object('facts', jsonb_build_object($text, $text)),
	jsonb_build_object('table', jsonb_build_array(jsonb_build_object('a', $text, 'b', $text, 'c', $text)), 'caption', $text, 'columns',
		jsonb_build_array(jsonb_build_object('name', 'a', 'label', $text), jsonb_build_object('name', 'b', 'kind', 'stack'), jsonb_build_object('name', 'c', 'kind', 'status'))),
	jsonb_build_object('table', '[{"a": 1}]'::jsonb, 'columns', jsonb_build_array(jsonb_build_object('name', 'a', 'kind', 'number', 'unit', $text))),
	jsonb_build_object('table', jsonb_build_array(jsonb_build_object($text, $text))),
	jsonb_build_object('svg', flamegraph_svg(flamegraph_agg(ARRAY['main', $text], 1), $text), 'caption', $text), jsonb_build_object('details', $text, 'sections', jsonb_build_array(jsonb_build_object('heading', $text))))};
my $pictures = q{flamegraph_svg(E'main;parse;read 400\nmain;render 200'::flamegraph, 'One')};
my %page = (
	'report.html' => qq{html_report('A night', jsonb_build_array(jsonb_build_object('text', E'Two lines,\nof which this is one.'), jsonb_build_object('heading', 'Benchmarks'),
		jsonb_build_object('facts', '[["Suite", "shop"], ["Runs", 12], ["Nothing", null]]'::jsonb),
		jsonb_build_object('table', $rows, 'columns', $columns, 'caption', 'Changes'), jsonb_build_object('heading', 'Profiles'), jsonb_build_object('svg', $pictures, 'caption', 'Newest'),
		jsonb_build_object('svg', $pictures), jsonb_build_object('heading', 'More'), jsonb_build_object('details', 'Part', 'anchor', 'part', 'sections',
			jsonb_build_array(jsonb_build_object('heading', 'Inside'), jsonb_build_object('text', 'needle'), jsonb_build_object('table', '[]'::jsonb), jsonb_build_object('svg', NULL)))),
		'{"subtitle": "shop", "notes": "By SQL."}')},
	'hostile.html' => "html_report($text, $harmful, jsonb_build_object('subtitle', $text, 'notes', $text))");
append_to_file("$dir/$_", $db->value("SELECT $page{$_}")) for sort keys %page;
$db->run("SET TimeZone = 'Asia/Tokyo'; SET DateStyle = 'German'; SET extra_float_digits = 0; SET bytea_output = 'escape'");
ok($db->value("SELECT $page{$_}") eq slurp_file("$dir/$_"), "the same bytes under other settings: $_") for sort keys %page;
my $report = slurp_file("$dir/report.html");
is(scalar(() = $report =~ /<script>/g), 2, 'one copy of each script');
is(scalar(() = $report =~ /<style>/g), 2, 'and of each style');
unlike($report =~ s{<metadata>.*?</metadata>}{}gsr, qr{https?://(?!www\.w3\.org/2000/svg)}, 'no address but that of SVG');

# Cut off within 100 ms of work, and no memory of a row stays.
$db->run("SET statement_timeout = '100ms'");
is($db->query(q{SELECT length(html_report('t', jsonb_build_array(jsonb_build_object('table', (SELECT jsonb_agg(jsonb_build_object('a', repeat('x', 100), 'b', i)) FROM generate_series(1, 300000) AS i)))))})->{error}{sqlstate}, '57014', 'cancelled');
$db->run('RESET statement_timeout');

# What comes before needs no browser.
subtest 'in Chromium' => sub {
	Browser::install('browser', $dir, 120);
	Browser::run('page.mjs', $dir);
};

done_testing();
