# Pictures without a script in Chromium (test/browser/plots.mjs): the same without scripts and as images, labels that do not overlap
# at any width, dark, paper, accessible, hostile texts. What is drawn is checked by 063_plots.pl and 066_flame_chart.pl.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Browser;
use Jobs;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();

Browser::install('browser', $dir, 120);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Jobs::create($db);
Jobs::fill($db);
$db->run('UPDATE jobs.usage_measurement SET usage = least(4, 1.4 * usage) WHERE resource_id = 2');

$db->run(q{CREATE FUNCTION chance(int8, int8) RETURNS float8 IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
	'SELECT abs(hashint8($1 * 1000003 + $2) % 1000000) / 1000000.0::float8'});
$db->run(q{CREATE TABLE sample AS SELECT array_agg(i + chance(i, 7)) AS xs, array_agg(3 + 2 * i ^ 1.3 + 9 * chance(i, 8)) AS ys, array_agg('series ' || i % 4) AS series, array_agg('a panel with the number ' || i % 5) AS panels,
	array_agg(timestamptz '2026-08-01 UTC' + i * interval '7 hours') AS starts, array_agg(100 + 3 * chance(i, 22) + CASE WHEN i > 40 THEN 14 ELSE 0 END + CASE WHEN i % 19 = 0 THEN 9 ELSE 0 END) AS runs,
	array_agg('c' || substr(md5(i::text), 1, 8)) AS labels FROM generate_series(1, 60) AS i});

# name => [ call with TITLE, TEXT and WIDTH, rows ]. TEXT stands for each argument that is text; what is drawn has other texts there.
my $findings = q{jsonb_build_array(jsonb_build_object('at', 41, 'label', TEXT, 'kind', 'degradation'), jsonb_build_object('at', 19, 'kind', TEXT), jsonb_build_object('at', 42, 'label', 'another one'))};
my $around = q{title => TITLE, y_label => TEXT, unit => UNIT, width => WIDTH};
my $notes = q{'subtitle', TEXT, 'notes', TEXT};
my %picture = (
	points => [ qq{plot_svg(xs, ys, series, title => TITLE, x_label => TEXT, y_label => TEXT, unit => UNIT, width => WIDTH, options => jsonb_build_object($notes))}, 'sample' ],
	panels => [ qq{plot_svg(xs, ys, series, panel_of => panels, mark => 'line', x_label => TEXT, $around)}, 'sample' ],
	steps => [ qq{plot_svg(xs, ys, mark => 'steps', x_label => TEXT, $around, options => jsonb_build_object('x_scale', 'log', 'y_scale', 'log', $notes))}, 'sample' ],
	bars => [ qq{plot_svg(ARRAY[1, 2, 3, 4, 1, 2, 3, 4], ARRAY[5, -3, 8, 1e6, 2, 2, -9e5, 4], ARRAY['a', 'a', 'a', 'a', TEXT, TEXT, TEXT, TEXT], mark => 'bars', x_label => TEXT, $around)} ],
	cells => [ qq{plot_svg(array_agg(chance(i, 1) * 1e-7), array_agg(chance(i, 2) * 1e12), x_label => TEXT, $around)}, 'generate_series(1, 9000) AS i' ],
	models => [ qq{model_svg(xs, ys, x_label => TEXT, $around, options => jsonb_build_object($notes))}, 'sample' ],
	trend => [ qq{trend_svg(starts, runs, change_at => '{41}', findings => $findings, $around, options => jsonb_build_object($notes))}, 'sample' ],
	commits => [ qq{trend_svg(starts, runs, labels => labels, change_at => '{20,41}', findings => $findings, $around)}, 'sample' ],
	nights => [ qq{trend_svg(starts, runs, panel_of => panels, $around)}, 'sample' ],
	scaling => [ qq{scaling_svg('{1,1,2,4,8,8,16}', '{100,104,55,30,18,19,12}', title => TITLE, unit => UNIT, width => WIDTH, options => jsonb_build_object($notes))} ],
	correlation => [ q{correlation_svg(array_agg(('main;parse ' || i * 10)::flamegraph), array_agg(i + 3 * chance(i, 5)), 'parse', array_agg(CASE WHEN i % 2 = 0 THEN TEXT ELSE 'other' END), title => TITLE, x_label => TEXT, y_label => TEXT, width => WIDTH)}, 'generate_series(1, 12) AS i' ],
	change => [ qq{model_change_svg(fit(xs, ys, 'linear'), fit(xs, runs, 'moving_average'), x_label => TEXT, $around, options => jsonb_build_object($notes))}, 'sample' ],
	heat => [ qq{heat_map_svg(array_agg('night ' || i % 30), array_agg(CASE WHEN i % 7 = 0 THEN TEXT ELSE 'function ' || i % 7 END), array_agg(CASE WHEN i % 11 > 0 THEN 100 * chance(i, 3) END), title => TITLE, unit => UNIT, width => WIDTH, options => jsonb_build_object($notes))}, 'generate_series(1, 210) AS i' ],
	functions => [ q{heat_map_svg(array_agg(('main;parse ' || i || E'\nmain;write ' || 100 - i)::flamegraph), array_agg(CASE WHEN i % 5 = 0 THEN TEXT ELSE 'commit ' || i END), title => TITLE, unit => UNIT, scale => 'diverging', width => WIDTH)}, 'generate_series(1, 60) AS i' ],
	job => [ qq{jobs.bottleneck_report_svg(1, title => TITLE, width => WIDTH, options => jsonb_build_object($notes))} ],
	usage => [ qq{jobs.usage_svg(1, 2, title => TITLE, width => WIDTH, options => jsonb_build_object($notes))} ],
	chart => [ q{flame_chart_svg(ARRAY['main', TEXT, 'f' || i % 3]::text[]::stackpath, i / 8.0, (i + 1) / 8.0, CASE WHEN i % 20 > 14 THEN TEXT ELSE 'main' END, jsonb_build_object('title', TITLE, 'unit', UNIT, 'width', WIDTH, 'interactive', false))}, 'generate_series(1, 60) AS i' ]);
my @widths = (400, 800, 1600);

my $bad = Wire::literal(join ' ', '</title><script>alert(1)</script>', '" onload="alert(1)', q{' onload='alert(1)}, ']]>', '<img src=x onerror=alert(1)>', "\xe2\x80\xaegnp.exe", "\xe2\x80\x8b", "\x01", '&#0;', '</style>', '-->', '</svg><h1>', 'url(http://example.com/)', '\\');
for my $name (sort keys %picture)
{
	my ($call, $from) = @{ $picture{$name} };
	my $draw = sub {
		my ($file, %of) = @_;
		append_to_file("$dir/$file.svg", $db->value('SELECT ' . $call =~ s/\b(TITLE|TEXT|UNIT|WIDTH)\b/$of{$1}/gr . ($from ? " FROM $from" : '')));
	};
	my $unit = $name eq 'chart' ? "'seconds'" : "'milliseconds'";
	$draw->("$name-$_", TITLE => "'Title of $name'", TEXT => "'some words'", UNIT => $unit, WIDTH => $_) for @widths;
	$draw->("hostile-$name", TITLE => $bad, TEXT => $bad, UNIT => $bad, WIDTH => 800);
}
append_to_file("$dir/expected.json", sprintf '{"pictures": [%s], "widths": [%s]}', join(', ', map { qq("$_") } sort keys %picture), join ', ', @widths);

Browser::run('plots.mjs', $dir);

done_testing();
