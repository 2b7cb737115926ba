# Plots that compare: speed-ups with their law, functions with their runs, models
# and where they differ. Each mark against its numbers, by readers of their own in exact
# arithmetic (test/clients); what is refused; hostile text; the same bytes under other settings.
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

sub refused
{
	my ($call, $state, $message) = @_;
	my $result = $db->query("SELECT $call");
	is($result->{error}{sqlstate}, $state, "refused: $call");
	like($result->{error}{message}, $message, "it says why: $call");
	return;
}

# A reader over a file of cases; with one of them harmed it has to fail.
sub read_cases
{
	my ($reader, $cases) = @_;
	unlink "$dir/cases";
	append_to_file("$dir/cases", $cases);
	return `'$python' '$clients/$reader.py' '$dir/cases' 2>&1`;
}

sub sees
{
	my ($reader, $case, @harms) = @_;
	for my $harm (@harms)
	{
		my ($from, $to) = @$harm;
		like($case, qr/\Q$from\E/, "$reader: there is $from");
		unlike(read_cases($reader, ($case =~ s/\Q$from\E/$to/r) . "\n"), qr/\A\d+ $reader/, "the reader sees '$to' for '$from'");
	}
	return;
}

# --- speed-ups -------------------------------------------------------------------------------------------------------

my $log = '{"x_scale": "log", "y_scale": "log"}';
# name => rows (workers and times), other arguments
my @scalings = (
	[ 'several of each', 'SELECT w, 84 * (0.043 + 0.957 / w) * (0.9 + 0.2 * chance(i, w::int)) AS t FROM unnest(ARRAY[1, 2, 4, 8, 16, 24, 32]::float8[]) AS w, generate_series(1, 5) AS i', unit => 'seconds' ],
	[ 'one of each', 'SELECT w, 9 * (0.2 + 0.8 / w) + chance(w::int, 1) / 3 AS t FROM generate_series(1.0, 12.0) AS w', width => 400, height => 250 ],
	[ 'none of 1', 'SELECT w, 1e3 * (0.01 + 0.99 / w) * (0.95 + 0.1 * chance(i, w::int)) AS t FROM unnest(ARRAY[6, 12, 48, 96]::float8[]) AS w, generate_series(1, 3) AS i', unit => 'milliseconds' ],
	[ 'fewer than 1', 'SELECT w, 5 / w + chance(i, 7) AS t FROM unnest(ARRAY[0.25, 0.5, 1, 2, 4]) AS w, generate_series(1, 2) AS i' ],
	[ 'fractions of workers, none of 1', 'SELECT w, 5 / w + 1 AS t FROM unnest(ARRAY[0.25, 0.5, 2, 4]) AS w' ],
	[ 'logarithms', 'SELECT 2.0 ^ w AS w, 7 * (0.001 + 0.999 / 2.0 ^ w) * (1 + chance(w, 3)) AS t FROM generate_series(0, 12) AS w', options => $log ],
	[ 'one logarithm', 'SELECT 2.0 ^ w AS w, 7 * (0.05 + 0.95 / 2.0 ^ w) AS t FROM generate_series(0, 7) AS w', options => '{"x_scale": "log"}' ],
	[ 'the other one', 'SELECT 2.0 ^ w AS w, 7 * (0.05 + 0.95 / 2.0 ^ w) AS t FROM generate_series(0, 7) AS w', options => '{"y_scale": "log"}' ],
	[ 'faster than ideal', 'SELECT w, 10 / w ^ 1.2 AS t FROM unnest(ARRAY[1, 2, 4, 8, 16]::float8[]) AS w' ],
	[ 'far beyond ideal', 'SELECT w, 100 / w ^ 2.5 AS t FROM unnest(ARRAY[1, 2, 4, 8]::float8[]) AS w', width => 1600 ],
	[ 'slower with more', 'SELECT w, 10 + w AS t FROM unnest(ARRAY[1, 2, 4, 8]::float8[]) AS w', options => $log ],
	[ 'slower with more, none of 1', 'SELECT w, 10 * w AS t FROM unnest(ARRAY[4, 8, 16]::float8[]) AS w' ],
	[ 'all serial', 'SELECT w, 3 AS t FROM unnest(ARRAY[1, 2, 4, 8]::float8[]) AS w UNION ALL SELECT 16, 3.0000001' ],
	[ 'two numbers', 'SELECT w, 8 / w + chance(i, 2) AS t FROM unnest(ARRAY[1, 2]::float8[]) AS w, generate_series(1, 4) AS i' ],
	[ 'one time', 'SELECT 4.0 AS w, 1.5 AS t' ],
	[ 'missing', q{SELECT CASE WHEN i % 5 > 0 THEN i % 8 + 1 END::float8 AS w, CASE i % 7 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL ELSE 1 + chance(i, 4) END::float8 AS t FROM generate_series(1, 60) AS i} ],
	[ 'large and small', 'SELECT w, 1e300 * (0.1 + 0.9 / w) * (1 + chance(i, w::int)) AS t FROM unnest(ARRAY[1, 10, 100]::float8[]) AS w, generate_series(1, 2) AS i' ]);
my $cases = '';
for my $scaling (@scalings)
{
	my ($name, $rows, %given) = @$scaling;
	my ($x_log, $y_log) = map { ($given{options} // '') =~ /$_/ ? 'true' : 'false' } qw(x_scale y_scale);
	my $arguments = join '', map { ", $_ => '$given{$_}'" } sort keys %given;
	$cases .= $db->value("SELECT json_build_object('name', '$name', 'workers', to_jsonb(ws), 'times', to_jsonb(ts), 'unit', " . ($given{unit} ? "'$given{unit}'" : 'NULL')
		  . ", 'x_log', $x_log, 'y_log', $y_log, 'svg', scaling_svg(ws, ts$arguments)) FROM (SELECT array_agg(w::float8 ORDER BY n) AS ws, array_agg(t::float8 ORDER BY n) AS ts
			FROM (SELECT *, row_number() OVER (ORDER BY chance(row_number, 99)) AS n FROM (SELECT *, row_number() OVER () FROM ($rows) AS r) AS r) AS r) AS a") . "\n";
}
my $drawn = @scalings;
like(read_cases('scalings', $cases), qr/^$drawn scalings, \d{3} times\n\z/, 'speed-ups, efficiencies and the law are those of the times');
my ($several) = split /\n/, $cases;
sees('scalings', $several, [ 'efficiency 1', 'efficiency 2' ], [ ' times, mean ', ' times, mean 1' ], [ 'Serial share 0.0', 'Serial share 0.1' ], [ 'cx=\"', 'cx=\"1' ], [ 'class=\"range\"', 'class=\"wide\"' ]);
sees('scalings', (grep { /far beyond/ } split /\n/, $cases)[0], [ 'outside of 0 to 1', 'within' ], [ 'leaves the picture', 'ends' ]);

refused("scaling_svg(ARRAY[1, 2], ARRAY[1.0])", '2202E', qr/times has 1 elements, but workers has 2/);
refused("scaling_svg(NULL, ARRAY[1.0])", '2202E', qr/times has 1 elements, but workers has 0/);
refused("scaling_svg(ARRAY[1, 2, $_->[0]], ARRAY[3, 2, 1])", '22023', qr/element 3 of workers is not positive: $_->[1]$/) for [ '0', 0 ], [ '-2', -2 ];
refused("scaling_svg(ARRAY[1, 2, NULL], ARRAY[3, $_, 1])", '22023', qr/element 2 of times is not positive: /) for '0', '-1e-300';
refused("scaling_svg(ARRAY[1, 'Infinity'::float8], ARRAY[3, 1])", '22003', qr/element 2 of workers is infinite/);
refused("scaling_svg(ARRAY[1, 2], ARRAY[3, '-Infinity'::float8])", '22003', qr/element 2 of times is infinite/);
refused("scaling_svg(ARRAY[1, 2], ARRAY[1e-300, 1e300])", '22003', qr/a time of 1e\+300 cannot be compared with 1e-300/);
refused("scaling_svg(ARRAY[1e201, 2], ARRAY[1, 2])", '22003', qr/cannot be drawn/);
refused(qq{scaling_svg(ARRAY[1, 2], ARRAY[1, 2.0], options => '{"colour": 1}')}, '22023', qr/colour/);
refused("scaling_svg(ARRAY[1, 2], ARRAY[1, 2.0], $_ => NULL)", '22004', qr/$_/) for qw(width height options);
like($db->value("SELECT scaling_svg($_)"), qr/nothing to draw/, "no speed-up: $_") for 'NULL, NULL', "'{}', '{}'", 'ARRAY[NULL, 1], ARRAY[-0.0 + 1, NULL]', "ARRAY['NaN'::float8], ARRAY[1]";
like($db->value("SELECT scaling_svg(array_agg(i), array_agg(1 + 1e4 / i), width => 1600) FROM generate_series(1, 6000) AS i"), qr/drawn without their ranges/, 'many numbers of workers');

# --- correlations ----------------------------------------------------------------------------------------------------

$db->run('CREATE FUNCTION frames_of(path stackpath) RETURNS json LANGUAGE sql AS $$ '
	  . q{SELECT coalesce(json_agg(frame(path, n) ORDER BY n), '[]') FROM generate_series(0, depth(path) - 1) AS n $$});
$db->run(q{CREATE TABLE run AS SELECT i, 'benchmark ' || i % 4 AS benchmark,
	format(E'main;parse %s\nmain;parse;tokenize %s\nmain;%s;parse %s\nmain;paint %s', 1 + round(100 * chance(i, 1)), round(9 * chance(i, 2)) + 1, CASE WHEN i % 3 > 0 THEN 'load' ELSE 'parse' END,
		1 + round(30 * chance(i, 3)), 50)::flamegraph AS fg, (i % 4) * 1000 + 100 * chance(i, 1) * (i % 4 - 1.5) + 40 * chance(i, 5) AS ms FROM generate_series(1, 90) AS i
	UNION ALL SELECT i, 'benchmark ' || i % 4, 'main;paint 7', i + 0.5 FROM generate_series(91, 99) AS i
	UNION ALL SELECT 100, 'alone', 'main;parse 3', 5 UNION ALL SELECT 101 + i, 'level', 'main;parse 3', 5 + i FROM generate_series(0, 4) AS i});
# name => which runs, metric, other arguments
my @correlations = (
	[ 'benchmarks', 'true', 'ms', 'self', 'skip' ],
	[ 'one', 'i % 4 = 1', 'ms', 'frame', 'skip', benchmarks => 'NULL' ],
	[ 'zeros', 'true', 'ms', 'self', 'zero', width => 1200 ],
	[ 'contexts', 'i < 60', 'ms', 'node', 'skip', frame => 'main;load' ],
	[ 'ties', 'true', 'round(ms / 20)', 'frame', 'skip', width => 400 ],
	[ 'the same scales', 'i % 4 < 2', 'ms', 'self', 'skip', options => '{"free_y": false}' ],
	[ 'missing', 'true', 'CASE WHEN i % 7 > 1 THEN ms END', 'self', 'skip' ],
	[ 'two', q{benchmark = 'alone' OR i IN (1, 5)}, 'ms', 'self', 'skip' ],
	[ 'no such function', 'true', 'ms', 'self', 'skip', frame => 'nowhere' ]);
$cases = '';
for my $correlation (@correlations)
{
	my ($name, $where, $metric, $level, $missing, %given) = @$correlation;
	my $frame = delete $given{frame} // 'parse';
	my $benchmarks = delete $given{benchmarks} // 'array_agg(benchmark ORDER BY i)';
	my $of = "fgs, ms, '$frame', benchmarks, level => '$level', missing => '$missing'";
	my $more = join '', map { ", $_ => '$given{$_}'" } sort keys %given;
	$cases .= $db->value("SELECT json_build_object('name', '$name', 'frame', '$frame', 'level', '$level', 'missing', '$missing', 'benchmarks', to_jsonb(benchmarks), 'metric', to_jsonb(ms),
		'stacks', (SELECT json_agg((SELECT json_agg(json_build_array(frames_of(stack), value)) FROM stacks(f)) ORDER BY n) FROM unnest(fgs) WITH ORDINALITY AS u (f, n)),
		'points', (SELECT json_agg(to_jsonb(p)) FROM correlation_points($of) AS p),
		'score', (SELECT score FROM frame_correlation(fgs, ms, benchmarks, '$level', missing => '$missing', sign => 'both') WHERE frame = '$frame'), 'svg', correlation_svg($of$more))
		FROM (SELECT array_agg(fg ORDER BY i) AS fgs, array_agg(($metric)::float8 ORDER BY i) AS ms, ${benchmarks}::text[] AS benchmarks FROM run WHERE $where) AS a") . "\n";
}
$drawn = @correlations;
like(read_cases('correlations', $cases), qr/^$drawn correlations, \d{3} runs\n\z/, 'points and coefficients are those of the profiles');
my ($benchmarks) = split /\n/, $cases;
sees('correlations', $benchmarks, [ '>r 0.', '>r 0.0' ], [ ", \xCF\x81 0." => ", \xCF\x81 0.0" ], [ '<title>x ', '<title>x 1' ], [ 'cy=\"', 'cy=\"1' ], [ 'left out', 'gone' ], [ 'in 6 panels. ', 'in 6 panels. 1' ]);
my $fgs = "ARRAY['a;b 1', 'a;b 2', 'a;b 4']::flamegraph[]";
refused("correlation_svg($fgs, ARRAY[1, 2.0], 'b')", '2202E', qr/profiles has 3 elements, metric has 2/);
refused("correlation_svg($fgs, ARRAY[1, 2.0, 3], 'b', ARRAY['x'])", '2202E', qr/benchmark_of has 1/);
refused("correlation_svg($fgs, ARRAY[1, 2.0, 3], 'b', ARRAY['x', NULL, 'y'])", '22004', qr/benchmark/);
refused("correlation_svg(ARRAY['a 1', NULL]::flamegraph[], ARRAY[1, 2.0], 'a')", '22004', qr/null/);
refused("correlation_svg($fgs, ARRAY[1, 2.0, 'Infinity'], 'b')", '22003', qr/measurement 3 is not finite/);
refused("correlation_svg($fgs, ARRAY[1, 2.0, 3], 'b', $_->[0])", $_->[1], qr/$_->[2]/) for [ "level => 'leaf'", '22023', 'level' ], [ "missing => 'x'", '22023', 'missing' ], [ 'width => 1', '22023', 'width' ], [ 'level => NULL', '22004', 'level' ],
	[ 'missing => NULL', '22004', 'missing' ], [ 'width => NULL', '22004', 'width' ], [ 'options => NULL', '22004', 'options' ], [ q{options => '{"colour": 1}'}, '22023', 'colour' ];
refused("correlation_svg(array_agg('a;b 1'::flamegraph), array_agg(i), 'b', array_agg('b' || i)) FROM generate_series(1, 101) AS i", '22023', qr/at most 100 panels/);
like($db->value("SELECT correlation_svg($_)"), qr/nothing to draw/, "no correlation: $_") for 'NULL, NULL, NULL', "'{}', '{}', 'a'", "$fgs, ARRAY[1, 2.0, 3], NULL", "$fgs, ARRAY[NULL, NULL, NULL]::float8[], 'b'", "$fgs, ARRAY[1, 2.0, 3], 'c'";

# --- changes of models -----------------------------------------------------------------------------------------------

$db->run('CREATE TABLE sample AS SELECT array_agg(i + chance(i, 7)) AS xs, array_agg(20 + 3 * i + 9 * chance(i, 8)) AS ys, array_agg(CASE WHEN i < 60 THEN 24 + 2.2 * i WHEN i < 120 THEN 24 + 3.1 * i ELSE 30 + 3.6 * i END) AS zs,
	array_agg(i + 500.0) AS far FROM generate_series(1, 200) AS i');
# name => both models, intervals, thresholds, other arguments
my @changes = (
	[ 'grows and shrinks', "fit(xs, ys, 'linear')", "fit(xs, zs, 'moving_average')", 20, 0.1, 0.25, unit => 'milliseconds' ],
	[ 'other side', "fit(xs, zs, 'kernel_regression')", "fit(xs, ys, 'linear')", 50, 0.02, 0.1, width => 1600, height => 700 ],
	[ 'steps', "fit(xs, ys, 'regressogram')", "fit(xs, zs, 'regressogram')", 7, 0, 0.05, width => 400 ],
	[ 'all of it', "fit(xs, ys, 'linear')", "fit(xs, far, 'linear')", 10, 0.1, 0.25 ],
	[ 'nothing', "fit(xs, ys, 'linear')", "fit(xs, ys, 'linear')", 10, 0.1, 0.25 ],
	[ 'one interval', "fit(xs, ys, 'quadratic')", "fit(xs, zs, 'power')", 1, 0, 0 ],
	[ 'no common interval', "fit(xs, ys, 'linear')", "fit(far, zs, 'linear')", 20, 0.1, 0.25 ]);
$cases = '';
for my $change (@changes)
{
	my ($name, $a, $b, $n, $no_change, $large, %given) = @$change;
	my $more = join '', map { ", $_ => '$given{$_}'" } sort keys %given;
	my $unit = $given{unit} ? "'$given{unit}'" : 'NULL';
	my @curves = map { /regressogram/ ? 'NULL' : "(SELECT json_agg(json_build_array(x, predict($_, x)) ORDER BY i) FROM generate_series(0, 199) AS i, LATERAL (SELECT x_start($_) + (x_end($_) - x_start($_)) * i / 199 AS x) AS p)" } $a, $b;
	$cases .= $db->value("WITH s AS MATERIALIZED (SELECT *, (integral_comparison($a, $b)).x_from AS lo, (integral_comparison($a, $b)).x_to AS hi FROM sample)
		SELECT json_build_object('name', '$name', 'no_change', $no_change, 'change', $large, 'unit', $unit, 'curves', json_build_array(" . join(', ', @curves) . "),
		'all', CASE WHEN lo < hi THEN json_build_array(integral($a, lo, hi), integral($b, lo, hi)) END,
		'r_square', least(r_square($a), r_square($b)),
		'parts', (SELECT coalesce(json_agg(json_build_array(f, t, integral($a, f, t), integral($b, f, t)) ORDER BY i), '[]') FROM generate_series(0, $n - 1) AS i,
			LATERAL (SELECT lo + (hi - lo) * i / $n AS f, CASE WHEN i = $n - 1 THEN hi ELSE lo + (hi - lo) * (i + 1) / $n END AS t) AS p WHERE lo < hi),
		'svg', model_change_svg($a, $b, $n, $no_change, $large$more)) FROM s") . "\n";
}
$drawn = @changes;
like(read_cases('changes', $cases), qr/^$drawn changes, \d{2,3} intervals\n\z/, 'curves, intervals and verdicts are those of the models');
my ($grows) = split /\n/, $cases;
sees('changes', $grows, [ 'ch-maybe-faster)', 'ch-faster)' ], [ 'relative error -', 'relative error ' ], [ 'maybe_degradation: integral', 'degradation: integral' ], [ 'class=\"h\"', 'class=\"q\"' ]);
my $line = q{(SELECT fit(xs, ys, 'linear') FROM sample)};
is($db->value("SELECT model_change_svg($_)"), undef, "no picture: $_") for "NULL, $line", "$line, NULL";
refused("model_change_svg($line, $line, $_->[0])", $_->[1], qr/$_->[2]/) for [ '0', '22023', 'intervals' ], [ '1000001', '22023', 'intervals' ], [ 'NULL', '22004', 'intervals' ], [ '5, -1', '22023', 'no_change' ], [ '5, NULL', '22004', 'no_change' ],
	[ '5, 0.3, 0.2', '22023', 'change' ], [ q{width => 1}, '22023', 'width' ], [ q{options => '{"colour": 1}'}, '22023', 'colour' ];

# --- hostile text ----------------------------------------------------------------------------------------------------

$db->run(<<'SQL');
CREATE TABLE hostile (name text);
INSERT INTO hostile VALUES ('</title><script>alert(1)</script>'), ('" onload="alert(1)'), (''' onload=''alert(1)'), (']]>'), ('<![CDATA['),
	('&#0;'), ('&amp;'), (E'\u0001'), (E'\u202Egnp.exe'), (E'a\u200Bb'), (E'\uFEFF'), (E'\uFFFE'), (E'\u0085'), (E'\u2028'), (E'\t'), ('--><!--'),
	('</metadata><script>'), ('<svg onload=alert(1)>'), ('url(http://example.com/)'), ('\'), ('"'), (E'\u4E3B\u8981'),
	(repeat('x', 1000)), (repeat(E'\u00E4', 1001)), (repeat('<', 4900)), (repeat('&', 1048576));
SQL
my $json = q{options => jsonb_build_object('subtitle', name, 'notes', name)};
my @calls = ("scaling_svg(ARRAY[1, 2, 4], ARRAY[3, 2, 1.5], name, name, $json)", 'scaling_svg(ARRAY[1, 2, 2], ARRAY[3, 2, 1.5], name, name)',
	"correlation_svg(ARRAY[(SELECT flamegraph_agg(stackpath(ARRAY[f]), 1.0) FROM (SELECT left(name, 1000) AS f) AS one), 'a 2', 'b 3'], ARRAY[1, 2.0, 3], left(name, 1000), ARRAY[name, name, 'b'], title => name, x_label => name, y_label => name, $json)",
	"model_change_svg($line, $line, title => name, x_label => name, y_label => name, unit => name, $json)",
	"correlation_svg(ARRAY['a 1', 'a 2']::flamegraph[], ARRAY[1, 2.0], 'a', ARRAY[name, name])");
for my $call (@calls)
{
	is($db->value("SELECT count(*) FROM hostile WHERE $call ~ '<script|<svg o|onload=\"|<!'"), 0, "text stays text: $call");
	is($db->value("SELECT max(length($call)) < 200000 FROM hostile"), 't', 'long texts are cut');
	my $allowed = 'svg|title|desc|style|defs|pattern|rect|g|text|line|path|circle';
	is($db->value("SELECT count(*) FROM hostile, regexp_matches($call, '</?([a-zA-Z]+)', 'g') AS m WHERE m[1] !~ '^($allowed)\$'"), 0, 'no text makes an element');
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

is($db->value(q{SELECT scaling_svg(ARRAY[1, 2, 4], ARRAY[3, 2, 1.5]) = scaling_svg(ARRAY[4, 1, 2], ARRAY[1.5, 3, 2])}), 't', 'the order of the pairs does not matter');
unlike($db->value('SELECT scaling_svg(ARRAY[1, 2], ARRAY[3, 4])'), qr/<script|<metadata|style="|http(?!:\/\/www\.w3\.org\/2000\/svg")/, 'no script, no data, nothing from elsewhere');

done_testing();
