# The extension as the catalogs show it is the one of the SQL contract (test/data/api.txt): names, arguments,
# defaults, results. No name needs quotes, every object has a comment, every function is immutable, parallel safe
# and strict where it shall be, the operator classes are complete; and every function can be called with its
# defaults only, on an empty, a small and a NULL value. The C of each is found by grep.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');

# The extension's objects: what \dx+ lists, without the array types, which are members from 17 on.
$db->run(<<'SQL');
CREATE TEMP TABLE member AS
SELECT classid, objid, classid::regclass::text AS catalog, pg_describe_object(classid, objid, 0) AS description
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
  AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph')
  AND NOT (classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_type AS t WHERE t.oid = objid AND t.typcategory = 'A'));
SQL

# --- against the contract --------------------------------------------------------------------------------------------

my (%contract, $section);
open my $in, '<', "$FindBin::RealBin/../data/api.txt" or die $!;
while (my $line = <$in>)
{
	chomp $line;
	next if $line =~ /^(#|\s*$)/;
	if ($line =~ /^\[(.*)\]$/) { $section = $1; next; }
	push @{ $contract{$section} }, $line;
}
close $in;

# The type names of the contract.
sub short
{
	my ($text) = @_;
	$text =~ s/\bdouble precision\b/float8/g;
	$text =~ s/\btimestamp with time zone\b/timestamptz/g;
	$text =~ s/\bNULL::\w+(\[\])?/NULL/g;
	$text =~ s/\binteger\b/int/g;
	$text =~ s/\bboolean\b/bool/g;
	$text =~ s/('[^']*')::\w+(\[\])?/$1/g;
	$text =~ s/DEFAULT \((\S+)\)/DEFAULT $1/g;
	return $text;
}

# Shows what is missing on either side rather than two lists of a hundred lines.
sub same_lines
{
	my ($got, $expected, $name) = @_;
	my %got = map { $_ => 1 } @$got;
	my %expected = map { $_ => 1 } @$expected;
	my @missing = grep { !$got{$_} } @$expected;
	my @extra = grep { !$expected{$_} } @$got;
	ok(!@missing && !@extra && @$got == @$expected, $name)
	  or diag(join "\n", (map { "missing in the catalogs: $_" } @missing), (map { "not in api.txt:           $_" } @extra));
	return;
}

my %internal = map { /^(\w+)(: not strict)?$/ or die $_; $1 => defined $2 ? 'not strict' : 'strict' } @{ $contract{internal} };

my %not_strict = map { $_ => 1 } @{ $contract{'not strict'} };

my (@functions, @aggregates, %strict_found);
for my $row (@{ $db->rows(<<'SQL') })
SELECT p.proname, p.prokind, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.proretset, p.proisstrict
FROM member AS m JOIN pg_proc AS p ON m.catalog = 'pg_proc' AND p.oid = m.objid
ORDER BY p.proname, p.oid
SQL
{
	my ($name, $kind, $arguments, $result, $set, $strict) = @$row;
	if ($internal{$name})
	{
		$strict_found{$name} = $strict eq 't' ? 'strict' : 'not strict';
		next;
	}
	my @arguments = split /, /, short($arguments);
	my @in = grep { !/^OUT / } @arguments;
	my @out = map { s/^OUT //r } grep { /^OUT / } @arguments;
	$result = short($result);
	$result = '(' . join(', ', @out) . ')' if @out;
	$result = "SETOF $result" =~ s/SETOF SETOF/SETOF/r if $set eq 't';
	my $line = "$name(" . join(', ', @in) . ") $result";
	if ($kind eq 'a') { push @aggregates, $line; }
	else
	{
		push @functions, $line;
		is($strict, $not_strict{$line} ? 'f' : 't', "$line is strict, or is not");
	}
}
same_lines(\@functions, $contract{functions}, 'functions');
same_lines(\@aggregates, $contract{aggregates}, 'aggregates');
is_deeply(\%strict_found, \%internal, 'support functions, strict or not');

same_lines([ map { $_->[0] } @{ $db->rows("SELECT typname FROM member JOIN pg_type AS t ON catalog = 'pg_type' AND t.oid = objid") } ],
	$contract{types}, 'types');
same_lines([ map { short(join ' ', grep { defined } @$_) } @{ $db->rows(<<'SQL') } ], $contract{operators}, 'operators');
SELECT format_type(nullif(oprleft, 0), NULL), oprname, format_type(oprright, NULL), ':', format_type(oprresult, NULL)
FROM member JOIN pg_operator AS o ON catalog = 'pg_operator' AND o.oid = objid
SQL
same_lines([ map { $_->[0] } @{ $db->rows(<<'SQL') } ], $contract{casts}, 'casts');
SELECT format('%s AS %s, %s', castsource::regtype, casttarget::regtype,
  CASE castcontext WHEN 'e' THEN 'explicit' WHEN 'a' THEN 'on assignment' ELSE 'implicit' END)
FROM member JOIN pg_cast AS c ON catalog = 'pg_cast' AND c.oid = objid
SQL
same_lines([ map { $_->[0] } @{ $db->rows(<<'SQL') } ], $contract{'operator classes'}, 'operator classes');
SELECT format('%s for %s using %s%s', opcname, opcintype::regtype, amname, CASE WHEN opcdefault THEN ', default' ELSE '' END)
FROM member JOIN pg_opclass AS c ON catalog = 'pg_opclass' AND c.oid = objid JOIN pg_am AS a ON a.oid = opcmethod
SQL
is($db->value(q{SELECT string_agg(DISTINCT catalog, ' ' ORDER BY catalog) FROM member}),
	'pg_cast pg_opclass pg_operator pg_opfamily pg_proc pg_type', 'no objects of other kinds');

# --- names that need no quotes ---------------------------------------------------------------------------------------

is_deeply($db->rows(<<'SQL'), [], 'quote_ident(n) = n for all names');
SELECT description, n
FROM member LEFT JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid
  LEFT JOIN pg_type AS t ON catalog = 'pg_type' AND t.oid = objid
  LEFT JOIN pg_operator AS o ON catalog = 'pg_operator' AND o.oid = objid
  LEFT JOIN pg_opclass AS c ON catalog = 'pg_opclass' AND c.oid = objid
  LEFT JOIN pg_opfamily AS f ON catalog = 'pg_opfamily' AND f.oid = objid,
  unnest(ARRAY[proname::text, typname::text, opcname::text, opfname::text, (SELECT i.proname::text FROM pg_proc AS i WHERE i.oid = oprcode)] || p.proargnames) AS n
WHERE n <> '' AND n <> '-' AND quote_ident(n) <> n
SQL
# The same by use: as the name of a column, of a function, and behind a dot.
my %name = map { $_->[0] => 1 } @{ $db->rows(<<'SQL') };
SELECT DISTINCT unnest(p.proname || coalesce(p.proargnames, '{}')) FROM member JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid
SQL
delete $name{''};
cmp_ok(scalar keys %name, '>', 60, 'there are names');
is_deeply([ grep { $db->sqlstate("CREATE TEMP TABLE t ($_ int); SELECT t.$_, $_ FROM t WHERE $_ = 1; CREATE FUNCTION pg_temp.$_($_ int) "
		  . "RETURNS int LANGUAGE sql AS 'SELECT $_'; SELECT pg_temp.$_($_ => 1); DROP FUNCTION pg_temp.$_; DROP TABLE t") ne 'no error' } sort keys %name ],
	[], 'every name can be written without quotes');

# --- comments, volatility, parallel safety ---------------------------------------------------------------------------

is_deeply([ map { $_->[0] } @{ $db->rows("SELECT description FROM member WHERE coalesce(obj_description(objid, catalog), '') = ''") } ],
	[], 'every object has a comment');
isnt($db->value("SELECT obj_description(oid, 'pg_extension') FROM pg_extension WHERE extname = 'flamegraph'") // '', '', 'so has the extension');
is_deeply($db->rows(<<'SQL'), [], 'every function is immutable and parallel safe');
SELECT description, provolatile, proparallel FROM member JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid
WHERE provolatile <> 'i' OR proparallel <> 's'
SQL
is_deeply($db->rows(<<'SQL'), [], 'every aggregate can be split, but pictures of rows, whose state is as large as these');
SELECT description, aggcombinefn, aggtranstype::regtype FROM member JOIN pg_aggregate AS a ON catalog = 'pg_proc' AND a.aggfnoid = objid
WHERE aggfinalfn <> 'flame_chart_final'::regproc AND (aggcombinefn = 0 OR aggtranstype = 'internal'::regtype OR aggserialfn <> 0 OR aggdeserialfn <> 0 OR aggsortop <> 0 OR aggmtransfn <> 0)
SQL
# A plan goes parallel over a few hundred toasted rows only when these are expensive.
is_deeply($db->rows(<<'SQL'), [], 'what works on whole profiles has its cost');
SELECT description, p.procost FROM member JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid
WHERE proname IN ('flamegraph_sum_accum', 'flamestats_accum', 'flamestats_combine', 'similarity', 'distance', 'flamegraph_add') AND procost < 10000
SQL
is_deeply($db->rows(<<'SQL'), [], 'functions that return rows say how many');
SELECT description, p.prorows FROM member JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid
WHERE proretset AND prorows <= 0 OR proretset AND prorows = 1000 AND proname NOT LIKE '%potential'
  AND proname NOT IN ('frame_metrics', 'thread_metrics', 'subsuming_frames', 'compare_baseline', 'editor_metrics', 'moving_average',
    'kernel_regression', 'exclusive_time_outliers', 'detect_changes')
SQL

is_deeply($db->rows("SELECT description FROM member WHERE CASE WHEN catalog = 'pg_opclass' THEN NOT amvalidate(objid) END"), [], 'amvalidate()');
is($db->value("SELECT count(*) FROM member WHERE catalog = 'pg_opclass'"), scalar @{ $contract{'operator classes'} }, 'for all of them');
is_deeply($db->rows(<<'SQL'), [], 'commutators and negators agree');
SELECT o.oid::regoperator FROM member JOIN pg_operator AS o ON catalog = 'pg_operator' AND o.oid = objid
  LEFT JOIN pg_operator AS c ON c.oid = o.oprcom LEFT JOIN pg_operator AS n ON n.oid = o.oprnegate
WHERE c.oprcom <> o.oid OR n.oprnegate <> o.oid OR (o.oprname = '=' AND (c.oid IS NULL OR n.oid IS NULL))
SQL

# --- calls -----------------------------------------------------------------------------------------------------------
# With defaults only, on an empty, a small and a NULL value.

$db->run('CREATE AGGREGATE pg_temp.sample_of(flamegraph) (SFUNC = flamestats_accum, STYPE = flamestats)');
my %sample = (
	flamegraph => [ "flamegraph ''", "flamegraph 'a;b 1'", 'NULL::flamegraph' ],
	flamestats => [ map { "(SELECT pg_temp.sample_of(v) FROM (VALUES (flamegraph '$_')) AS t (v))" } '', 'a;b 1' ],
	'flamegraph[]' => [ "'{}'::flamegraph[]", "'{a;b 1}'::flamegraph[]", 'NULL::flamegraph[]' ],
	stackpath => [ "stackpath ''", "stackpath 'a;b'", 'NULL::stackpath' ],
	text => [ "''::text", "'a 1'::text", 'NULL::text' ],
	bytea => [ "''::bytea", "'a;b 1'::bytea", 'NULL::bytea' ],
	stackquery => [ "stackquery '*'", "stackquery 'a|b'", 'NULL::stackquery' ],
	'stackpath[]' => [ "'{}'::stackpath[]", "'{a;b,c}'::stackpath[]", 'NULL::stackpath[]' ],
	'text[]' => [ "'{}'::text[]", "ARRAY['a', 'b', 'a']", 'NULL::text[]' ],
	jsonb => [ "'{}'::jsonb", q['{"t": {"prefix": "a"}}'::jsonb], 'NULL::jsonb' ],
	perfmodel => [ map { "fit('{1,2}', '{$_}', 'regressogram')" } '1,1', '1,2' ],
	'float8[]' => [ "'{}'::float8[]", "'{1,2,4}'::float8[]", 'NULL::float8[]' ],
	'timestamptz[]' => [ "'{}'::timestamptz[]", "'{2026-11-21 UTC,2026-11-22 UTC,2026-11-23 UTC}'::timestamptz[]", 'NULL::timestamptz[]' ],
	'bool[]' => [ "'{}'::bool[]", "'{false,true,true}'::bool[]", 'NULL::bool[]' ],
	flameseries => [ "(SELECT slice(flameseries_agg('2026-01-01', 'a 1'), 'infinity'))", "(SELECT flameseries_agg('2026-01-01', 'a;b 1'))", 'NULL::flameseries' ],
	timestamptz => [ "'1970-01-01'::timestamptz", "'2026-01-01'::timestamptz", 'NULL::timestamptz' ],
	interval => [ "'1 s'::interval", "'1 day'::interval", 'NULL::interval' ],
	int => [ '0', '1', 'NULL::int' ],
	float8 => [ '0::float8', '1::float8', 'NULL::float8' ]);
push @{ $sample{flamestats} }, 'NULL::flamestats';
push @{ $sample{perfmodel} }, 'NULL::perfmodel';

# Arguments that are words.
my %word = (
	'fit model' => 'linear', 'kernel_value kernel' => 'gaussian', 'window_weights window_type' => 'boxcar',
	'stats level' => 'node', 'frame_groups pattern' => '(.)', 'flamegraph_to_speedscope unit' => 'none', 'flamegraph_to_firefox unit' => 'none',
	'bandwidth_objective kernel' => 'gaussian', 'bandwidth_objective method' => 'local_linear',
	'flamegraph_from_perf data' => "a 1 1.0: cpu:\n");

# Where an empty value, or a small one, is none that the function is defined for.
my @exception = (
	{ 'append_frame(path stackpath, frame text) stackpath' => '22P02',
	  'subpath(path stackpath, start int) stackpath' => '22023',
	  'subpath(path stackpath, start int, len int) stackpath' => '22023',
	  'frame_rules(name text) text[]' => '22023',
	  "size_factor(before flamegraph, after flamegraph, method text, min_mean float8 DEFAULT 5) float8" => '22023' },
	{ 'frame_rules(name text) text[]' => '22023',
	  'rename_frames(fg flamegraph, rules text[]) flamegraph' => '22023',
	  "size_factor(before flamegraph, after flamegraph, method text, min_mean float8 DEFAULT 5) float8" => '22023' },
	{});
my $model_difference = 'model_difference(baseline perfmodel, target perfmodel, samples int DEFAULT 1000, no_change float8 DEFAULT 0.10, '
  . 'change float8 DEFAULT 0.25) (result text, relative_error float8, sum_abs_error float8, polynomial text, fast_check text)';
my $bandwidth_objective = 'bandwidth_objective(xs float8[], ys float8[], bandwidth float8, kernel text, method text, degree int) '
  . '(cv_ls float8, aicc float8)';
@{ $exception[0] }{ $model_difference, $bandwidth_objective, 'window_weights(window_type text, window_size int) float8[]' } = ('22023') x 3;
# Only formulas have a difference of their kind; the options of the sample are those of task_view.
$exception[1]{$_} = '22023' for $model_difference, map { "${_}_agg(x float8, y float8, options jsonb) perfmodel" }
  qw(moving_average regressogram kernel_regression parametric_regression);
$exception[1]{'flame_chart_svg(stack stackpath, start_at float8, stop_at float8, thread text, options jsonb) text'} = '22023';
# Two groups can be compared when there are any.
for my $line (grep { /^compare_(profiles|stats)\(/ } @functions)
{
	$exception[2]{$line} = '22023';
	$exception[0]{$line} = '22023' if $line =~ /^compare_profiles/;
}
# A sample stands for something.
$exception[0]{$_} = '22023' for grep { /^recording_noise/ } @functions;
# Sections are an array.
$exception[$_]{"html_report(title text, sections jsonb, options jsonb DEFAULT '{}') text"} = '22023' for 0, 1;
# A text is no picture.
$exception[$_]{'flamegraph_from_svg(data text) flamegraph'} = '22P02' for 0, 1;
# A recording is of some format.
$exception[0]{$_} = '22P02' for grep { /^(?:read_recording|recording_samples)/ } @functions;
$exception[1]{$_} = '22023' for grep { /^recording_samples/ } @functions;
$exception[1]{$_} = '22P02' for grep { /^flamegraph_from_austin/ } @functions;
for my $line (grep { /^flamegraph_from_(?:pprof|speedscope|cpuprofile|jfr)/ } @functions)
{
	$exception[$_]{$line} = '22P02' for 0, 1;
}
# A history needs two runs, a context a function to start from; arrays that belong together have one length.
for my $line (grep { /^(?:deviation_scores|run_scores|run_difference|regression_report|expand_\w+)\(history/ } @functions)
{
	$exception[0]{$line} = '22023' unless $line =~ /^expand_step/;
	$exception[1]{$line} = '22023';
}
$exception[1]{$_} = '2202E' for grep { /^\w+\(profiles flamegraph\[\], metric/ } @functions;
# A heat map has one number for a column and a line, and the small texts come twice.
$exception[1]{$_} = '22023' for grep { /^heat_map_svg\(columns/ } @functions;
# What compares arrays knows nothing of none.
my %answers_null = map { $_ => 1 } qw(integral_points svg_script_hash local_statistics_points average_amount best_model_order detection_summary
  hotelling_test sample_check energy_test plot_svg model_svg trend_svg scaling_svg correlation_svg
  heat_map_svg);
# Of two groups that are none there is a picture, which says so.
my @of_nothing = grep { /^flamegraph_(?:diff|parts)_svg\(before (flamegraph\[\]|flamestats), after \1,/ } @functions;
is(scalar @of_nothing, 3, 'pictures of groups');
$answers_null{$_} = 1 for @of_nothing;
# One profile has no variance, and the small text is no line and no function.
my %null_of_one = map { $_ => 1 } qw(variance stddev frame_line frame_sum coefficients parametric_regression_agg reduced_difference);

for my $line (@functions, @aggregates)
{
	my ($name, $arguments) = $line =~ /^(\w+)\((.*?)\) (?:SETOF )?[\w(]/ or die $line;
	my @required = grep { !/ DEFAULT / } split /, /, $arguments;
	my @types = map { s/^\w+ (?=\S)//r } @required;
	for my $i (0 .. 2)
	{
		my $what = "$name(" . join(', ', @types) . ') of ' . ('an empty value', 'a small value', 'NULL')[$i];
		my @values = map { $sample{$_}[$i] // die "no sample of type $_ for $line" } @types;
		for my $argument (grep { $i < 2 && $required[$_] =~ /^(\w+) text$/ && $word{"$name $1"} } 0 .. $#required)
		{
			$values[$argument] = Wire::literal($word{ "$name " . $required[$argument] =~ s/ text//r });
		}
		next if $i == 2 && !@types;
		my $call = $line =~ / SETOF / ? "SELECT * FROM $name(" : "SELECT $name(";
		my $result = $db->query($call . join(', ', @values) . ')');
		my $state = $result->{error} ? "$result->{error}{sqlstate} $result->{error}{message}" : 'no error';
		my $allowed = $exception[$i]{$line};
		like($state, $allowed ? qr/^$allowed/ : qr/^no error$/, $what);
		if ($i == 2 && !$answers_null{$name} && !$answers_null{$line})
		{
			ok(!grep({ defined } map { @$_ } @{ $result->{rows} }), "$what is NULL");
			is(scalar @{ $result->{rows} }, 0, "$what has no rows") if $line =~ / SETOF /;
		}
		elsif ($i == 1 && $line !~ / SETOF / && !$allowed && !$null_of_one{$name})
		{
			ok(defined $result->{rows}[0][0], "$what is something");
		}
	}
}

# Each argument alone being NULL gives NULL, too: strict in all of them.
for my $line (@functions)
{
	my ($name, $arguments) = $line =~ /^(\w+)\((.*?)\) (?:SETOF )?[\w(]/ or die $line;
	my @types = map { s/^\w+ (?=\S)//r } split /, /, $arguments;
	s/ DEFAULT .*// for @types;
	next if @types < 2 || $not_strict{$line};
	for my $null (0 .. $#types)
	{
		my @values = map { $_ == $null ? "NULL::$types[$_]" : $types[$_] eq 'bool' ? 'true' : $sample{ $types[$_] }[1] } 0 .. $#types;
		my $result = $db->query("SELECT * FROM $name(" . join(', ', @values) . ') AS r');
		ok(!$result->{error} && !grep({ defined } map { @$_ } @{ $result->{rows} }), "$line with NULL for argument $null")
		  or diag($result->{error}{message});
	}
}

# Pictures are not strict: they have defaults that are NULL. Any other argument that is NULL alone is refused; without a
# profile there is no picture, and one of a group that is NULL is one of an empty group.
# correlation_svg() takes arrays that belong together (076_plots_compare.pl).
for my $line (grep { /^\w+_svg\(\w+ flame/ && !/^correlation_svg/ } @functions)
{
	my ($name, $arguments) = $line =~ /^(\w+)\((.*?)\) text$/ or die $line;
	my @arguments = map { [/^(\w+) (\S+)(?: DEFAULT (.*))?$/] } split /, /, $arguments;
	my @values = map { $_->[1] =~ /\[\]/ ? "'{a;b 1,a;b 2}'::$_->[1]" : $sample{ $_->[1] }[1] } grep { !defined $_->[2] } @arguments;
	for my $null (0 .. $#arguments)
	{
		my ($argument, $type, $default) = @{ $arguments[$null] };
		my @call = map { $_ == $null ? "NULL::$type" : $values[$_] } 0 .. $#values;
		push @call, "$argument => NULL::$type" if $null > $#values;
		my $result = $db->query("SELECT $name(" . join(', ', @call) . ')');
		my $svg = $result->{error} ? $result->{error}{sqlstate} : $result->{rows}[0][0] // 'NULL';
		my $expected = $type eq 'flamegraph' ? qr/^NULL$/ : $type =~ /^flame/ ? qr/nothing to (?:compare|draw)/ : ($default // '') eq 'NULL' ? qr/^<svg/ : qr/^22004$/;
		like($svg, $expected, "$name(" . join(', ', map { $_->[1] } @arguments[ 0 .. $#values ]) . ") with NULL for $argument");
	}
}

# --- in the source ---------------------------------------------------------------------------------------------------

# Whoever greps for the C symbol of a function finds the one place where it is defined: no macro pastes names together.
my $sources = "$FindBin::RealBin/../../src";
my %definitions;
for my $file (glob "$sources/*/*.c $sources/*/*/*.c")
{
	for my $symbol (slurp_file($file) =~ /^(\w+)\(PG_FUNCTION_ARGS\)\n\{/mg) { push @{ $definitions{$symbol} }, $file; }
}
cmp_ok(scalar keys %definitions, '>', 200, 'the sources are there');
for my $symbol (map { $_->[0] } @{ $db->rows(<<'SQL') })
SELECT DISTINCT p.prosrc
FROM member AS m JOIN pg_proc AS p ON m.catalog = 'pg_proc' AND p.oid = m.objid JOIN pg_language AS l ON l.oid = p.prolang
WHERE l.lanname = 'c' ORDER BY 1
SQL
{
	is(scalar @{ $definitions{$symbol} // [] }, 1, "$symbol is defined in one place that grep finds");
}

$db->close;
$node->stop;
done_testing();
