# Plots: each mark against its numbers, by a reader of its own (test/clients/plots.py); the same bytes under other
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

# --- each mark -------------------------------------------------------------------------------------------------------

# Names that agree in their beginnings, as those of a benchmark's parameters do: what they differ in is seen.
is_deeply([ $db->value(q{SELECT plot_svg('{1,1,1}', '{1,2,3}', panel_of => ARRAY['com.example.shop.CheckoutBenchmark/10', 'com.example.shop.CheckoutBenchmark/11', 'short'], width => 500, options => '{"columns": 3}')}) =~ />([^<]*(?:Benchmark\/\d+|short))</g ],
	[ "\xE2\x80\xA6utBenchmark/10", "\xE2\x80\xA6utBenchmark/11", 'short' ], 'names of panels lose their beginnings');

# name => rows (x, y and perhaps lower, upper, series, panel), arguments; the arrays are made of the rows in their order.
my @plots = (
	[ 'points', 'SELECT 100 * chance(i, 1) AS x, 50 * chance(i, 2) - 10 AS y FROM generate_series(1, 200) AS i' ],
	[ 'ranges', "SELECT i::float8 AS x, 9 * chance(i, 3) AS y, CASE WHEN i % 7 > 0 THEN 9 * chance(i, 3) - 1 END AS lower, 9 * chance(i, 3) + 2 AS upper FROM generate_series(1, 40) AS i", unit => 'milliseconds' ],
	[ 'series', q{SELECT i % 40 + chance(i, 1) AS x, 3e6 * chance(i, 2) AS y, 'series ' || i % 8 AS series FROM generate_series(1, 300) AS i}, unit => 'bytes' ],
	[ 'panels', q{SELECT 5 * chance(i, 1) AS x, chance(i, 2) * (1 + i % 5) AS y, 'series ' || i % 3 AS series, 'panel ' || i % 5 AS panel FROM generate_series(1, 200) AS i}, width => 700, unit => 'fraction' ],
	[ 'free panels', q{SELECT 5 * chance(i, 1) AS x, chance(i, 2) * 10.0 ^ (i % 4) AS y, 'panel ' || i % 4 AS panel FROM generate_series(1, 200) AS i}, options => '{"free_y": true, "columns": 2}' ],
	[ 'missing', q{SELECT CASE WHEN i % 5 > 0 THEN i END::float8 AS x, CASE i % 7 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL ELSE chance(i, 4) END::float8 AS y FROM generate_series(1, 60) AS i} ],
	[ 'logarithms', q{SELECT 10 ^ (6 * chance(i, 1) - 2) AS x, 10 ^ (12 * chance(i, 2) - 3) * CASE WHEN i % 9 = 0 THEN -1 ELSE 1 END AS y FROM generate_series(1, 100) AS i}, options => '{"x_scale": "log", "y_scale": "log"}' ],
	[ 'one point', 'SELECT 5::float8 AS x, -7::float8 AS y' ],
	[ 'line', q{SELECT (i * 37 % 101)::float8 AS x, chance(i, 1) * 1e-5 AS y, CASE WHEN i % 10 > 0 THEN chance(i, 1) * 1e-5 - 1e-6 END AS lower, chance(i, 1) * 1e-5 + 1e-6 AS upper, 'line ' || i % 2 AS series FROM generate_series(1, 90) AS i} ],
	[ 'steps', q{SELECT (i * 7 % 31)::float8 AS x, 1e9 * chance(i, 1) AS y, 1e9 * chance(i, 1) - 1e8 AS lower, 1e9 * chance(i, 1) + 1e8 AS upper FROM generate_series(1, 31) AS i}, mark => 'steps', width => 300, height => 150 ],
	[ 'bars', q{SELECT (i % 6)::float8 AS x, 20 * chance(i, 5) - 6 AS y, 'bar ' || i % 3 AS series FROM generate_series(1, 18) AS i}, mark => 'bars', unit => 'samples' ],
	[ 'bars with ranges', q{SELECT (i % 6)::float8 AS x, 20 * chance(i, 5) - 6 AS y, CASE WHEN i % 5 > 0 THEN 20 * chance(i, 5) - 8 END AS lower, 20 * chance(i, 5) - 3 AS upper, 'bar ' || i % 3 AS series FROM generate_series(1, 18) AS i}, mark => 'bars' ],
	[ 'bars on a logarithmic scale', q{SELECT 2.0::float8 ^ i AS x, 10 ^ (4 * chance(i, 5)) AS y FROM generate_series(1, 9) AS i}, mark => 'bars', options => '{"x_scale": "log", "y_scale": "log"}' ],
	[ 'narrow', q{SELECT 1e6 * i AS x, 1e5 * i AS y FROM generate_series(1, 12) AS i}, width => 200, height => 100 ],
	[ 'far away', q{SELECT 1e9 + i AS x, -1e9 - i AS y FROM generate_series(1, 12) AS i} ],
	[ 'cells', q{SELECT chance(i, 1) * chance(i, 3) AS x, chance(i, 2) * chance(i, 4) AS y FROM generate_series(1, 20000) AS i} ],
	[ 'cells of series', q{SELECT chance(i, 1) AS x, chance(i, 2) ^ 5 AS y, 'series ' || i % 2 AS series, 'panel ' || i % 3 AS panel FROM generate_series(1, 9000) AS i} ],
	[ 'long line', q{SELECT i::float8 AS x, chance(i, 1) + sin(i / 1000.0) AS y FROM generate_series(1, 20000) AS i} ]);

my $cases = '';
for my $plot (@plots)
{
	my ($name, $rows, %given) = @$plot;
	$given{mark} //= $name =~ /line/ ? 'line' : 'points';
	my $options = $given{options} // '';
	my %flag = (x_log => !!($options =~ /x_scale/), y_log => !!($options =~ /y_scale/), free_y => !!($options =~ /free_y/));
	my %array = map { $_->[0] => $rows =~ /\bAS $_->[1]\b/ ? "array_agg($_->[1] ORDER BY n)" : 'NULL' } [ 'xs', 'x' ], [ 'ys', 'y' ], [ 'lower', 'lower' ], [ 'upper', 'upper' ], [ 'series', 'series' ], [ 'panels', 'panel' ];
	my $arguments = join ', ', map { ($_ eq 'panels' ? 'panel_of' : $_) . " => a.$_" } grep { $array{$_} ne 'NULL' } sort keys %array;
	$arguments .= join '', map { ", $_ => '$given{$_}'" } sort keys %given;
	my $json = join ', ', (map { "'$_', " . ($array{$_} eq 'NULL' ? 'NULL' : "to_jsonb(a.$_)") } sort keys %array), map { "'$_', " . ($flag{$_} ? 'true' : 'false') } sort keys %flag;
	my $columns = join ', ', map { "$array{$_} AS $_" } sort keys %array;
	$cases .= $db->value("SELECT json_build_object('name', '$name', 'mark', '$given{mark}', 'unit', " . ($given{unit} ? "'$given{unit}'" : 'NULL')
		  . ", $json, 'svg', plot_svg($arguments)) FROM (SELECT $columns FROM (SELECT *, row_number() OVER () AS n FROM ($rows) AS r) AS r) AS a") . "\n";
}

# Models: each curve at 200 places of its interval, as predict() has it.
$db->run('CREATE TABLE sample AS SELECT array_agg(i + chance(i, 7)) AS xs, array_agg(3 + 2 * i ^ 1.3 + 9 * chance(i, 8)) AS ys FROM generate_series(1, 60) AS i');
my @kinds = qw(linear quadratic power exponential logarithmic constant);
my @models = ([ \@kinds, '{}' ], [ [ 'moving_average', 'kernel_regression' ], '{}' ], [ \@kinds, '{"x_scale": "log", "y_scale": "log"}' ]);
for my $model (@models)
{
	my ($words, $options) = @$model;
	my $log = $options =~ /log/ ? 'true' : 'false';
	my $x = $log eq 'true' ? 'exp(ln(x_start(m)) + (ln(x_end(m)) - ln(x_start(m))) * i / 199)' : 'x_start(m) + (x_end(m) - x_start(m)) * i / 199';
	$x =~ s/x_(start|end)\(m\)/(m::jsonb ->> 'x_$1')::float8/g;
	my $bands = $words == \@kinds ? @kinds : 0;
	# a straight line may fall below 0, where a logarithmic scale has no place
	my @words = grep { $log eq 'false' || !/linear|quadratic|logarithmic/ } @$words;
	$bands = @words if $bands;
	my $list = join ', ', map { "fit(xs, ys, '$_')" } @words;
	$cases .= $db->value("SELECT json_build_object('name', 'models @words $log', 'unit', NULL, 'x_log', $log, 'y_log', $log, 'bands', $bands, 'svg', model_svg(xs, ys, ARRAY[$list], options => '$options'),
		'curves', (SELECT json_agg(curve ORDER BY n) FROM (SELECT n, json_agg(json_build_array(x, predict(m, x)) ORDER BY i) AS curve FROM unnest(ARRAY[$list]) WITH ORDINALITY AS u (m, n),
			generate_series(0, 199) AS i, LATERAL (SELECT $x AS x) AS p GROUP BY n) AS c)) FROM sample") . "\n";
}
append_to_file("$dir/cases", $cases);
my $drawn = @plots + @models;
like(`'$python' '$clients/plots.py' '$dir/cases' 2>&1`, qr/^$drawn plots, \d{5,} marks\n\z/, 'each mark is where its numbers are');

# The reader itself: a mark that is moved, one that is missing, a label that says another number.
my ($points) = grep { /"name" : "points"/ } split /\n/, $cases;
for my $harm ([ 'cx=\"', 'cx=\"1' ], [ '<circle', '<circlet' ], [ '>20</text>', '>21</text>' ], [ '<title>x ', '<title>x 1' ])
{
	my ($from, $to) = map { s/"/\\"/gr =~ s/\\\\"/\\"/gr } @$harm;
	my $harmed = $points;
	like($harmed, qr/\Q$from\E/, "there is $from");
	$harmed =~ s/\Q$from\E/$to/;
	unlink "$dir/harmed";
	append_to_file("$dir/harmed", "$harmed\n");
	unlike(`'$python' '$clients/plots.py' '$dir/harmed' 2>&1`, qr/plots, /, "the reader sees $to");
}

sub refused
{
	my ($call, $state, $message) = @_;
	my $result = $db->query("SELECT $call");
	is($result->{error}{sqlstate}, $state, "refused: $call");
	like($result->{error}{message}, $message, "it says why: $call");
	return;
}

# --- trends ----------------------------------------------------------------------------------------------------------

$db->run(q{CREATE TABLE run AS SELECT i, '2026-08-01 UTC'::timestamptz + i * interval '7 hours' + chance(i, 21) * interval '2 hours' AS at,
	100 + 3 * chance(i, 22) + CASE WHEN i > 40 THEN 14 ELSE 0 END + CASE WHEN i % 19 = 0 THEN 9 ELSE 0 END AS y, 'c' || substr(md5(i::text), 1, 6) AS label, 'benchmark ' || i % 3 AS panel
	FROM generate_series(1, 60) AS i});
my $findings = q{'[{"at": 41, "label": "parse() got slower", "kind": "degradation"}, {"at": 19, "kind": "outlier"}, {"at": 41, "label": "the same run"}, {"at": 3}]'};
# name => what the arrays are made of, other arguments
my @trends = (
	[ 'times', { starts => 'at' }, change_at => "'{41}'", findings => $findings ],
	[ 'any order', { starts => 'at', order => 'md5(i::text)' } ],
	[ 'positions', {}, change_at => "'{41,20,41,1}'", window_size => 5, k => 1.5 ],
	[ 'labels', { starts => 'at', labels => 'label', where => 'i BETWEEN 30 AND 50' }, change_at => "'{12}'" ],
	[ 'panels', { starts => 'at', panels => 'panel' }, change_at => "'{41,42}'", findings => $findings, width => 900, height => 300 ],
	[ 'given', { starts => 'at', mean => 'y - 1', lower => 'CASE WHEN i % 9 > 2 THEN y - 2 END', upper => 'CASE WHEN i % 9 > 0 THEN y - 2 * chance(i, 23) + 1 END' } ],
	[ 'band alone', { lower => 'y - 2', upper => 'y - 2 * chance(i, 23) + 1' } ],
	[ 'mean alone', { starts => 'at', mean => 'CASE WHEN i % 7 > 2 THEN y * 1.1 END' } ],
	[ 'missing', { starts => 'CASE WHEN i % 11 > 0 THEN at END', ys => q{CASE i % 8 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::float8 ELSE y END} } ],
	[ 'equal', { starts => 'at', ys => 'CASE WHEN i = 30 THEN 8 ELSE 7 END::float8' }, change_at => "'{2,3}'" ],
	[ 'one', { starts => 'at', where => 'i = 7' }, change_at => "'{1}'" ],
	[ 'large and small', { ys => '(1e100 + i * 1e98)::float8' } ],
	[ 'tiny', { ys => '(i * 5e-190 + i % 3 * 1.3e-190)::float8' } ]);
unlink "$dir/trends";
for my $trend (@trends)
{
	my ($name, $of, %given) = @$trend;
	my $order = $of->{order} // 'i';
	my $where = $of->{where} // 'true';
	my %array = map { $_ => $of->{$_} ? "array_agg($of->{$_} ORDER BY $order)" : 'NULL' } qw(starts mean lower upper labels panels);
	$array{ys} = 'array_agg(' . ($of->{ys} // 'y') . " ORDER BY $order)";
	my $arguments = join ', ', (map { ($_ eq 'panels' ? 'panel_of' : $_) . " => a.$_" } sort grep { $array{$_} ne 'NULL' || $_ eq 'starts' } keys %array), map { "$_ => $given{$_}" } sort keys %given;
	$arguments =~ s/starts => a.starts/starts => NULL/ if $array{starts} eq 'NULL';
	my $json = join ', ', map { "'$_', " . ($_ eq 'starts' && $of->{starts} ? '(SELECT json_agg(extract(epoch FROM s) ORDER BY n) FROM unnest(a.starts) WITH ORDINALITY AS u (s, n))' : $array{$_} eq 'NULL' ? 'NULL' : "to_jsonb(a.$_)") } sort keys %array;
	my $columns = join ', ', map { "$array{$_} AS $_" } sort keys %array;
	append_to_file("$dir/trends", $db->value("SELECT json_build_object('name', '$name', 'window', " . ($given{window_size} // 10) . ", 'k', " . ($given{k} // 2) . ", 'change_at', " . ($given{change_at} // 'NULL')
		  . '::int[], \'findings\', ' . ($given{findings} // q{'[]'}) . "::jsonb, $json, 'svg', trend_svg($arguments)) FROM (SELECT $columns FROM run WHERE $where) AS a") . "\n");
}
$drawn = @trends;
like(`'$python' '$clients/trends.py' '$dir/trends' 2>&1`, qr/^$drawn trends, \d{3} runs, \d{2,3} outside\n\z/, 'each run, band, change and finding is where its numbers are');

# That reader, too, sees what is wrong.
my ($times) = split /\n/, slurp_file("$dir/trends");
for my $harm ([ 'mean 1', 'mean 2' ], [ ', score +', ', score -' ], [ 'class=\"r\"', 'class=\"q\"' ], [ ': outside</title>', '</title>' ], [ ' before, 1', ' before, 2' ])
{
	my ($from, $to) = @$harm;
	my $harmed = $times;
	like($harmed, qr/\Q$from\E/, "there is $from");
	$harmed =~ s/\Q$from\E/$to/;
	unlink "$dir/harmed";
	append_to_file("$dir/harmed", "$harmed\n");
	unlike(`'$python' '$clients/trends.py' '$dir/harmed' 2>&1`, qr/trends, /, "the reader sees '$to' for '$from'");
}

# The band of the functions of SQL that compute one is theirs: mean, deviation, and what is outside.
my $window = 'OVER (ORDER BY i ROWS BETWEEN 10 PRECEDING AND 1 PRECEDING)';
is($db->value("SELECT count(*) FROM (SELECT y, avg(y) $window AS m, stddev_samp(y) $window AS s FROM run) AS w WHERE abs(y - m) > 2 * s"),
	$db->value(q{SELECT (regexp_match(trend_svg(array_agg(at), array_agg(y)), ', (\d+) outside<'))[1] FROM run}), 'outside are those that a window of SQL finds');
like($db->value(q{SELECT trend_svg(array_agg(at), array_agg(y), change_at => (SELECT array_agg(change_at) FROM change_points((SELECT array_agg(y ORDER BY i) FROM run)))) FROM run}),
	qr/last change \+1\d % at 2026-08-1\d/, 'the verdict: since when');
for my $end ("'4713-01-01 BC UTC'", "'294276-12-31 UTC'", "'-infinity'", "'infinity'")
{
	my $call = "trend_svg(ARRAY['2026-11-23 UTC'::timestamptz, $end], ARRAY[1, 2.5])";
	if ($end =~ /inf/) { refused($call, '22008', qr/element 2 of starts is infinite/); next; }
	like($db->value("SELECT $call"), $end =~ /BC/ ? qr/4713-01-01 BC 00:00:00 UTC, y 1|4713-01-01 BC 00:00:00 UTC, y 2.5/ : qr/294276-12-31 00:00:00 UTC, y 2.5/, "a time at the end: $end");
}
is($db->value("SELECT trend_svg(NULL, ys, lower => l, upper => u) = trend_svg(NULL, ys, lower => u, upper => l) FROM (VALUES ('{1,2,9}'::float8[], '{0,0,0}'::float8[], '{5,5,5}'::float8[])) AS v (ys, l, u)"), 't', 'the ends of a band in any order');
like($db->value('SELECT trend_svg(NULL, ARRAY[1, 2.0])'), qr{>run</text>.*>run</text>}s, 'runs by their number are said to be that');
like($db->value("SELECT trend_svg(NULL, ARRAY[1, NULL, 7, 3], panel_of => '{a,a,b,a}', change_at => '{2}')"), qr/class="r"[^>]*><title>[^<]*1 before, 3 /, 'a change at a run that is dropped is at the next one of its panel');
refused("trend_svg(ARRAY['2026-11-23'::timestamptz], ARRAY[1, 2.0])", '2202E', qr/starts has 1 elements, but ys has 2/);
refused("trend_svg(NULL, ARRAY[1, 2.0], $_)", '2202E', qr/but ys has 2/) for 'mean => ARRAY[1]', 'lower => ARRAY[1], upper => ARRAY[1]', "labels => ARRAY['a']", "panel_of => ARRAY['a']";
refused('trend_svg(NULL, ARRAY[1, 2.0], lower => ARRAY[1, 2])', '22023', qr/together/);
refused("trend_svg(NULL, ARRAY[1, 2.0], change_at => ARRAY[$_])", '22023', qr/from 1 to 2, not $_/) for 0, 3, -1;
refused('trend_svg(NULL, ARRAY[1, 2.0], change_at => ARRAY[NULL::int])', '22004', qr/change_at/);
refused("trend_svg(NULL, ARRAY[1, 2.0], window_size => $_)", '22023', qr/between 2 and 1000/) for 1, 0, 1001;
refused("trend_svg(NULL, ARRAY[1, 2.0], k => $_)", '22023', qr/k must be positive/) for 0, -1, "'NaN'", "'Infinity'";
refused("trend_svg(NULL, ARRAY[1, 2.0], findings => '$_->[0]')", '22023', $_->[1]) for [ '{"at": 1}', qr/findings/ ], [ '[1]', qr/findings\[0\]/ ], [ '[{"at": 3}]', qr/findings\[0\]\.at must be a position in ys, from 1 to 2/ ],
	[ '[{"at": 1}, {"at": 1.5}]', qr/findings\[1\]\.at/ ], [ '[{"label": "x"}]', qr/findings\[0\]/ ], [ '[{"at": 1, "color": "red"}]', qr/color/ ], [ '[{"at": 1, "label": 5}]', qr/findings\[0\]\.label/ ], [ '[{"at": "x"}]', qr/findings\[0\]\.at/ ];
refused(q{trend_svg(NULL, ARRAY[1, 2.0], options => '{"x_scale": "log"}')}, '22023', qr/x_scale/);
refused('trend_svg(NULL, ARRAY[1, 1e201])', '22003', qr/cannot be drawn/);
like($db->value("SELECT trend_svg($_)"), qr/nothing to draw/, "no trend: $_") for 'NULL, NULL', "'{}', '{}'", 'NULL, ARRAY[NULL::float8]', "ARRAY[NULL::timestamptz], ARRAY[1]";
like($db->value(q{SELECT trend_svg(NULL, ARRAY[1, NULL, 3], findings => '[{"at": 2, "label": "lost"}]')}), qr/1 lost \(its run is not drawn\)/, 'a finding about a run that is dropped');
like($db->value(q{SELECT trend_svg(NULL, array_agg(i::float8), findings => jsonb_agg(jsonb_build_object('at', i, 'kind', 'k'))) FROM generate_series(1, 60) AS i}), qr/50 k, run 50<.*10 more findings/s, 'many findings');

# --- hostile text ----------------------------------------------------------------------------------------------------

$db->run(<<'SQL');
CREATE TABLE hostile (name text);
INSERT INTO hostile VALUES ('</title><script>alert(1)</script>'), ('" onload="alert(1)'), (''' onload=''alert(1)'), (']]>'), ('<![CDATA['),
	('&#0;'), ('&amp;'), (E'\u0001'), (E'\u202Egnp.exe'), (E'a\u200Bb'), (E'\uFEFF'), (E'\uFFFE'), (E'\u0085'), (E'\u2028'), (E'\t'), ('--><!--'),
	('</metadata><script>'), ('<svg onload=alert(1)>'), ('url(http://example.com/)'), ('\'), ('"'), (E'\u4E3B\u8981'),
	(repeat('x', 1000)), (repeat(E'\u00E4', 1001)), (repeat('<', 4900)), (repeat('&', 1048576));
SQL
my $json = q{options => jsonb_build_object('subtitle', name, 'notes', name)};
my $trend = "trend_svg(ARRAY['2026-11-23 UTC'::timestamptz, '2026-11-24 UTC'], ARRAY[3, 4], change_at => '{2}', labels => ARRAY[name, 'x'], findings => jsonb_build_array(jsonb_build_object('at', 1, 'label', name, 'kind', name)), panel_of => ARRAY[name, name], title => name, y_label => name, unit => name, $json)";
my $named = q{options => jsonb_build_object('subtitle', name, 'notes', name, 'labels', jsonb_build_array(name, 'other'))};
my @calls = map { "plot_svg(ARRAY[1, 2], ARRAY[3, 4], ARRAY[name, 'other'], panel_of => ARRAY['p', name], mark => '$_', title => name, x_label => name, y_label => name, unit => name, $named)" } qw(points line steps bars);
push @calls, $trend;
for my $call (@calls)
{
	my $mark = $call =~ /mark => '(\w+)'/ ? $1 : $call =~ s/\(.*//sr;
	is($db->value("SELECT count(*) FROM hostile WHERE $call ~ '<script|<svg o|onload=\"|<!'"), 0, "text stays text: $mark");
	is($db->value("SELECT max(length($call)) < 200000 FROM hostile"), 't', "long texts are cut: $mark");
	my $allowed = 'svg|title|desc|style|defs|pattern|rect|g|text|line|path|circle';
	is($db->value("SELECT count(*) FROM hostile, regexp_matches($call, '</?([a-zA-Z]+)', 'g') AS m WHERE m[1] !~ '^($allowed)\$'"), 0, "no text makes an element: $mark");
}
SKIP:
{
	skip 'xmllint is not installed', 1 if system('command -v xmllint >/dev/null 2>&1') != 0;
	mkdir "$dir/svg";
	my $n = 0;
	append_to_file("$dir/svg/" . $n++ . '.svg', $_->[0]) for map { @{ $db->rows("SELECT $_ FROM hostile") } } @calls;
	is(`xmllint --noout '$dir'/svg/*.svg 2>&1`, '', 'xmllint reads them all');
}

# --- what is refused, and what is nothing ----------------------------------------------------------------------------

refused('plot_svg(ARRAY[1, 2], ARRAY[1.0])', '2202E', qr/ys has 1 elements, but xs has 2/);
refused("plot_svg(ARRAY[1], ARRAY[1], ARRAY['a', 'b'])", '2202E', qr/series/);
refused("plot_svg(ARRAY[1], ARRAY[1], ARRAY[NULL])", '22004', qr/series/);
refused('plot_svg(ARRAY[1], ARRAY[1], lower => ARRAY[1])', '22023', qr/together/);
refused("plot_svg(ARRAY[1], ARRAY['Infinity'::float8])", '22003', qr/element 1 of ys is infinite/);
refused('plot_svg(ARRAY[1], ARRAY[1e201])', '22003', qr/cannot be drawn/);
refused("plot_svg(ARRAY[1], ARRAY[1], mark => 'pie')", '22023', qr/pie/);
refused('plot_svg(ARRAY[1], ARRAY[1], mark => NULL)', '22004', qr/mark/);
refused('plot_svg(ARRAY[1], ARRAY[1], width => 199)', '22023', qr/width/);
refused('plot_svg(ARRAY[1], ARRAY[1], height => 99)', '22023', qr/height/);
refused(qq{plot_svg(ARRAY[1], ARRAY[1], options => '{"$_->[0]": $_->[1]}')}, '22023', qr/$_->[0]/)
	for [ 'colour', 1 ], [ 'x_scale', '"sqrt"' ], [ 'theme', '"pink"' ], [ 'columns', 0 ], [ 'y_zero', '"x"' ];
refused(qq{plot_svg(ARRAY[1, $_->[0]], ARRAY[1, 2], options => '{"labels": $_->[1]}')}, '22023', $_->[2])
	for [ 2.5, '["a", "b", "c"]', qr/element 2 of xs is 2.5, but there are 3 labels/ ], [ 4, '["a", "b", "c"]', qr/is 4/ ], [ 0, '["a"]', qr/is 0/ ], [ 2, '[]', qr/is 1, but there are 0/ ], [ 2, '["a", 1]', qr/array of words/ ], [ 2, '"a"', qr/array/ ],
	[ 2, '["a", "b"], "x_scale": "log"', qr/cannot be given with a logarithmic/ ];
refused("plot_svg(ARRAY[1], ARRAY[1], options => jsonb_build_object('labels', array_fill('x'::text, ARRAY[5001])))", '22023', qr/at most 5000 labels, not 5001/);
is(join('|', $db->value(q{SELECT plot_svg(NULL, ARRAY[3, 5, 2], mark => 'bars', options => '{"labels": ["old", "<new>", "main"]}')}) =~ m{class="ax"[^>]*>([^<]*)<}g), 'old|&lt;new&gt;|main', 'names in the place of numbers');
refused(q{plot_svg(ARRAY[1], ARRAY[1], options => '{"y_zero": true, "y_scale": "log"}')}, '22023', qr/no 0/);
refused("plot_svg(array_agg(i), array_agg(i), array_agg('s' || i)) FROM generate_series(1, 9) AS i", '22023', qr/at most 8 series/);
refused("plot_svg(array_agg(i), array_agg(i), panel_of => array_agg('s' || i)) FROM generate_series(1, 101) AS i", '22023', qr/at most 100 panels/);
refused("plot_svg(array_agg(i), array_agg(i), mark => 'bars') FROM generate_series(1, 5001) AS i", '22023', qr/at most 5000 bars/);

refused("model_svg(ARRAY[1, 2, 3], ARRAY[1, 2, 3], confidence => $_)", '22023', qr/confidence/) for 0, 1, "'NaN'";
refused("model_svg(ARRAY[1, 2, 3], ARRAY[1, 2, 3], ARRAY[NULL]::perfmodel[])", '22004', qr/null/);
refused("model_svg(xs, ys, array_fill(fit(xs, ys, 'linear'), ARRAY[8])) FROM sample", '22023', qr/at most 7 models/);
my $best = $db->value('SELECT kind FROM sample, parametric_models(xs, ys) WHERE best');
like($db->value('SELECT model_svg(xs, ys) FROM sample'), qr/$best: [^<]*, R[^<]*, band of the mean: 95 %.*regressogram, R/s, 'the best formula and a regressogram');
like($db->value('SELECT model_svg(NULL, NULL)'), qr/no points/, 'models of nothing');
like($db->value(q{SELECT model_svg(ARRAY[0, 1, 10, 100, -1], ARRAY[1, 2, 0, 4, 5], ARRAY[fit(ARRAY[1, 10, 100], ARRAY[2, 3, 4], 'linear')], options => '{"x_scale": "log", "y_scale": "log"}')}),
	qr/5 points; 3 not drawn: not positive, on a logarithmic scale/, 'what a logarithmic scale does not have, 0 included');
# 16 values 0 to 15 in one bucket: their mean and its interval are Student's, 15 degrees of freedom, by tables of the quantiles.
for my $case ([ 0.5, 0.69120 ], [ 0.95, 2.13145 ], [ 0.99, 2.94671 ])
{
	my $svg = $db->value("SELECT model_svg(array_agg(i::float8), array_agg((i * 7 % 16)::float8), ARRAY[fit(array_agg(i::float8), array_agg((i * 7 % 16)::float8), 'regressogram', '{\"buckets\": 1}')], confidence => $case->[0])
		FROM generate_series(1, 16) AS i");
	my %y = map { $_->[1] => $_->[0] } map { [ /cy="([\d.]+)" r="3.5"><title>x \d+, y (\d+)</ ] } grep { /<title>x / } split /\n/, $svg;
	my ($top, $bottom) = $svg =~ /class="band"[^>]* d="M[\d.]+ ([\d.]+)H[\d.]+L[\d.]+ ([\d.]+)L?/;
	my $half = $case->[1] * sqrt((16 ** 2 - 1) / 12 * 16 / 15 / 16);
	my @got = map { ($y{0} - $_) * 15 / ($y{0} - $y{15}) } $top, $bottom;
	ok(abs($got[0] - 7.5 - $half) < 1e-3 && abs($got[1] - 7.5 + $half) < 1e-3, "a band of $case->[0]") or diag("@got, not 7.5 +- $half");
}
is($db->value("SELECT count(*) FROM hostile WHERE model_svg(ARRAY[1, 2, 3], ARRAY[1, 2, 3], title => name, x_label => name, y_label => name, unit => name, $json) ~ '<script|<svg o|onload=\"|<!'"), 0, 'text stays text: models');

for my $nothing ('NULL, NULL', "'{}', '{}'", 'ARRAY[1, NULL], ARRAY[NULL, 1]', "NULL, ARRAY['NaN'::float8]")
{
	like($db->value("SELECT plot_svg($nothing)"), qr/nothing to draw/, "nothing to draw: $nothing");
}
is($db->value('SELECT plot_svg(NULL, ARRAY[3, 1, 2]) = plot_svg(ARRAY[1, 2, 3], ARRAY[3, 1, 2])'), 't', 'null for xs: positions');
unlike($db->value('SELECT plot_svg(ARRAY[1, 2], ARRAY[3, 4])'), qr/<script|<metadata|style="|http(?!:\/\/www\.w3\.org\/2000\/svg")/, 'no script, no data, nothing from elsewhere');

done_testing();
