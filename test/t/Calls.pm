# Every function, procedure, aggregate, operator and cast of installed extensions, as their catalogs list them, and SQL
# that calls them: nobody keeps a list of calls that a new function could be missing from.
#
#   my $calls = Calls->new($db, 'flamegraph', 'flamegraph_store');
#   $calls->all                      # list of callables (below), in an order that depends on nothing but their names
#   $calls->refused                  # those that SQL cannot call (arguments of type internal, triggers): [[name, why], ...]
#   $calls->statement($c, @rows)     # "SELECT ...": one row of arguments, of an aggregate one or more
#   $calls->window($c, @rows)        # an aggregate over a moving frame
#   $calls->expression($c, @row)     # the call alone, as an argument of another; of a function that returns no set
#   $calls->ordinary($c)             # the arguments of a call that is meant well
#   $calls->returning($type)         # callables that return one value of a type, for nested calls
#   Calls::values($type)             # extreme and ordinary values of a type, as expressions: [[name, SQL], ...]
#   $calls->words($c, $n)            # what text argument n may be, as the hint of the error tells; of jsonb the options
#   $calls->unknown_types            # those of arguments for which there is nothing but NULL
#   $calls->add_accumulators($schema)  # aggregates for functions that only aggregates may call
#   $calls->literals($type)          # the same as they print, for types of ours: 'a 1'::flamegraph; others as in values()
#
# A callable: { name (with its argument types), proname, kind => f p a o c (function, procedure, aggregate, operator,
# cast), args => [{ name, type, default }], result, out => [[column, type], ...], set, strict, volatile, extension }.
#
# Arguments are chosen by the argument's name where the type alone would only bring errors: a level is 'node', arrays
# that belong together have as many elements. Types and functions of ours are written without a schema, so that has to
# be in the search_path.
package Calls;

use strict;
use warnings;

# --- ordinary arguments ----------------------------------------------------------------------------------------------

my $profile = "E'main;a 3\\nmain;b;c 2\\nmain;b;b 1'::flamegraph";
my $profiles = "ARRAY[" . join(', ', map { "E'main;a $_\\nmain;b;c " . 2 * $_ . "'" } 3, 4, 6, 5, 3, 4) . "]::flamegraph[]";
my $others = "ARRAY[" . join(', ', map { "E'main;a $_\\nmain;b;c " . 3 * $_ . "'" } 4, 3, 4, 7, 6, 8) . "]::flamegraph[]";
my $xs = "'{1,2,3,4,5,6}'::float8[]";
my $ys = "'{2,3,5,4,6,9}'::float8[]";
my $model = "fit($xs, $ys, 'linear')";
my $sample = "(SELECT stats(v, 'stack') FROM unnest($profiles) AS t (v))";
my $series = "(SELECT flameseries_agg(timestamptz '2021-01-31 UTC' + n * interval '1 h', v, 'pod-' || n % 2) FROM unnest($profiles) WITH ORDINALITY AS t (v, n))";
my $points = q['{"kind": "sample", "n": 6, "parameters": {}, "x": [1, 2, 3, 4, 5, 6], "y": [2, 3, 5, 4, 6, 9]}'::perfmodel];

my %of_type = (
	flamegraph => $profile,
	'flamegraph[]' => $profiles,
	flamestats => $sample,
	flameseries => $series,
	perfmodel => $model,
	stackpath => "'main;b'::stackpath",
	'stackpath[]' => "'{main;a,main;b}'::stackpath[]",
	stackquery => "'main;*'::stackquery",
	'double precision' => '0.5::float8',
	'double precision[]' => $xs,
	integer => '3::int4',
	bigint => '1::int8',
	'bigint[]' => "'{1,2}'::int8[]",
	text => "'main'::text",
	'text[]' => "'{main,a}'::text[]",
	name => "'postgres'::name",
	boolean => 'true',
	'boolean[]' => "'{f,t,f,t,f,t}'::bool[]",
	jsonb => "'{}'::jsonb",
	bytea => "'a;b 1'::bytea",
	uuid => "'00000000-0000-0000-0000-000000000001'::uuid",
	date => "'2021-02-01'::date",
	interval => "'30 days'::interval",
	'timestamp with time zone' => "'2021-02-01 UTC'::timestamptz",
	cstring => "'main'::cstring",
	'profiling.watch' => "(SELECT w FROM profiling.watch AS w ORDER BY w.watch_id LIMIT 1)");

# By the name of the argument and its type.
my %of_name = (
	'after flamegraph[]' => $others,
	'after flamegraph' => "E'main;a 4\\nmain;b;c 1\\nmain;d 1'::flamegraph",
	'ys double precision[]' => $ys,
	'target double precision[]' => $ys,
	'baseline_y double precision[]' => $ys,
	'target_y double precision[]' => "'{3,4,5,7,6,9}'::float8[]",
	'metric double precision[]' => $ys,
	'benchmark_of text[]' => "'{p,p,p,q,q,q}'::text[]",
	'locations text[]' => "'{f,f,f,f,f,f}'::text[]",
	'level text' => "'stack'::text",
	'kernel text' => "'gaussian'::text",
	'window_type text' => "'boxcar'::text",
	'frame text' => "'b'::text",
	'start text' => "'main'::text",
	'start integer' => '0::int4',
	'n integer' => '1::int4',
	'len integer' => '1::int4',
	'k integer' => '2::int4',
	'unit text' => "'none'::text",
	'target perfmodel' => "fit($xs, '{3,4,5,7,6,9}', 'linear')",
	'target flamegraph' => "E'main;a 4\\nmain;b;c 1\\nmain;d 1'::flamegraph",
	'min_share double precision' => '0.01::float8',
	'phi double precision' => '0.1::float8',
	'a double precision' => '1::float8',
	'b double precision' => '4::float8',
	'tasks jsonb' => q['{"t": {"prefix": "main"}, "u": {"prefix": "main;b"}}'::jsonb],
	'selected text[]' => "'{t}'::text[]",
	'sample_type text' => "'samples'::text",
	'event text' => "'cpu'::text",
	'benchmark text' => "'b1'::text",
	'suite text' => "''::text",
	'branch text' => "'main'::text",
	'role_name name' => "'calls_role'::name",
	'access text' => "'reader'::text",
	'selection jsonb' => q['{"benchmark": "b1"}'::jsonb],
	'before jsonb' => q['{"benchmark": "b1", "event": "cpu"}'::jsonb],
	'after jsonb' => q['{"benchmark": "b2", "event": "cpu"}'::jsonb],
	'metric text' => "'total'::text",
	'measure text' => "'self'::text",
	'cron text' => "'15 2 * * *'::text",
	'before timestamp with time zone' => "'2021-01-01 UTC'::timestamptz",
	'month date' => "'2031-02-01'::date",
	'step text' => "'watch'::text",
	'outcome text' => "'ok'::text",
	'metric_direction text' => "'lower'::text");

# By the function and the name of its argument; without a name by its number, from 1. Before both comes the argument's
# default, unless that is NULL.
my %of_function = (
	'fit model' => "'linear'::text",
	'distance p' => '2::float8',
	'norm p' => '2::float8',
	'stackpath frames' => "'{main,b}'::text[]",
	'append_frame frame' => "'x y'::text",
	'rename_frames rules' => "'{{^m,M}}'::text[]",
	'rename_frames pattern' => "'^m'::text",
	'frame_groups pattern' => "'^(.)'::text",
	'flamegraph_percentile_final 1' => "ARRAY[' 0.5', $profile]",
	'flamegraph_percentile_combine 2' => "ARRAY[' 0.5', $profile]",
	'percentile fraction' => '0.5::float8',
	'frame_rules name' => "'java'::text",
	'frame_line frame' => "'f (x.c:12)'::text",
	'call_sites frame' => "'main'::text",
	'size_factor method' => "'total'::text",
	'bandwidth_objective method' => "'local_linear'::text",
	'bandwidth_objective bandwidth' => '1::float8',
	'stats level' => "'node'::text",
	'flamegraph_from_folded data' => "'a;b 1'",
	'flamegraph_from_austin data' => "E'P1;T1;main (x.py);f (x.py) 10'::text",
	'read_recording data' => "'a;b 1'::bytea",
	'recording_samples data' => "'P1;T1;a;b 1'::bytea",
	'flamegraph_from_perf data' => "E'x 1 1.0: 1 cpu:\\n\\t1 f (/x)\\n\\n'::text",
	'flamegraph_from_pprof data' => "flamegraph_to_pprof('main;a 1', 'samples', 'count')",
	'flamegraph_from_speedscope data' => "flamegraph_to_speedscope('main;a 1', 'n', 'none')::text",
	'flamegraph_from_speedscope profile' => '0::int4',
	'flamegraph_from_cpuprofile data' => q['{"nodes": [{"id": 1, "callFrame": {"functionName": "f", "scriptId": "1", "url": "", "lineNumber": 1, "columnNumber": 1}}], ]
	  . q["startTime": 0, "endTime": 9, "samples": [1, 1], "timeDeltas": [1, 2]}'::text],
	'flamegraph_from_svg data' => "flamegraph_svg('a;b 1')",
	'flamegraph_svg title' => "'main'::text",
	'sandwich_svg title' => "'main'::text",
	'flamegraph_diff_svg title' => "'main'::text",
	'flamegraph_parts_svg title' => "'main'::text",
	'model_svg title' => "'main'::text",
	'plot_svg title' => "'main'::text",
	'trend_svg title' => "'main'::text",
	'scaling_svg title' => "'main'::text",
	'model_change_svg title' => "'main'::text",
	'correlation_svg title' => "'main'::text",
	'scaling_svg workers' => $xs,
	'scaling_svg times' => $ys,
	'trend_svg starts' => "(SELECT array_agg('2026-11-23 UTC'::timestamptz + i * interval '1 day') FROM unnest($xs) WITH ORDINALITY AS u (x, i))",
	'trend_svg change_at' => "'{2}'::int4[]",
	'trend_svg findings' => q['[{"at": 2, "label": "slow", "kind": "degradation"}]'::jsonb],
	(map { ("trend_svg $_" => $ys) } qw(mean lower upper)),
	(map { ("trend_svg $_" => "(SELECT array_agg('main'::text) FROM unnest($xs))") } qw(labels panel_of)),
	'heat_map_svg title' => "'main'::text",
	(map { ("heat_map_svg $_" => "(SELECT array_agg(x::text) FROM unnest($xs) AS u (x))") } qw(columns lines labels)),
	'html_report title' => "'main'::text",
	'html_report sections' => q['[{"heading": "a"}, {"facts": {"b": 1}}, {"table": [{"c": 2}]}]'::jsonb],
	'plot_svg series' => "(SELECT array_agg('main'::text) FROM unnest($xs))",
	'plot_svg panel_of' => "(SELECT array_agg('main'::text) FROM unnest($xs))",
	'plot_svg lower' => $ys,
	'plot_svg upper' => $ys,
	'flamegraph_diff_svg poisson_unit' => '1::float8',
	'flamegraph_diff_svg window_size' => '3::int4',
	'flamegraph_from_jfr data' => q['{"recording": {"events": []}}'],
	'flamegraph_in 1' => "'a;b 1'::cstring",
	'stackquery_in 1' => "'a|b'::cstring",
	'predict x' => '2::float8',
	'expand_step start' => "'main'::stackpath",
	'change_points min_segment' => '2::int4',
	'drop_frames query' => "'b'::stackquery",
	'frame_metrics within' => "'*;b;*'::stackquery",
	'kernel_regression candidates' => 'NULL::float8[]',
	'parametric_models models' => "'{linear,power}'::text[]",
	'flamestats_accum_level 3' => "'stack'::text",
	'perfmodel_sample_combine 2' => $points,
	'flameseries_in 1' => "($series\::text)::cstring",
	'trend level' => "'total'::text",
	'flamestats_in 1' => "($sample\::text)::cstring",
	'perfmodel_moving_average 1' => $points,
	'perfmodel_regressogram 1' => $points,
	'perfmodel_kernel_regression 1' => $points,
	'perfmodel_parametric_regression 1' => $points,
	'perfmodel_in 1' => "(fit($xs, $ys, 'linear')::text)::cstring",
	'flamegraph_agg stack' => {
		stackpath => "'a;b'::stackpath", text => "'a;b'::text", 'text[]' => "'{a,b}'::text[]" },
	'flamegraph_agg_text 2' => "'a;b'::text",
	'cast text[]' => "'{main,b}'::text[]",
	# with noise no variance is 0, and a variance of 0 is to be seen
	'compare_profiles before_noise' => 'NULL::flamegraph[]',
	'compare_profiles after_noise' => 'NULL::flamegraph[]',
	'compare_stats before_noise' => 'NULL::flamegraph',
	'compare_stats after_noise' => 'NULL::flamegraph',
	(map { ("$_ history_noise" => { 'flamegraph[]' => 'NULL::flamegraph[]', flamegraph => 'NULL::flamegraph' }, "$_ current_noise" => 'NULL::flamegraph') }
		  qw(deviation_scores run_scores run_difference)),
	# the store
	'open_finding level' => "'node'::text",
	'open_finding kind' => "'degradation'::text",
	'tested level' => "'node'::text",
	'origins level' => "'node'::text",
	'origins keys' => "'{main;a}'::stackpath[]",
	'stats_of level' => "'node'::text",
	'team_of level' => "'node'::text",
	'frame_value metric' => "'self'::text",
	'frame_pattern what' => "'main'::text",
	'frame_search what' => "'main'::text",
	'frame_search per' => "'profile'::text",
	'import_profile format' => "'folded'::text",
	'import_observations location' => "'{f,f,f,f,f,f}'::text[]",
	'import_observations x' => $xs,
	'import_observations y' => $ys,
	'depth_query max_depth' => "'3'::jsonb",
	'one_of word' => "'a'::text",
	'one_of allowed' => "'{a,b}'::text[]",
	'one_kind units' => "'{ms,ms}'::text[]",
	'one_kind executables' => "'{x,x}'::text[]",
	'runs_before baseline' => "'window:10'::text",
	'models_before baseline' => "'window:10'::text",
	'correlate method' => "'pearson'::text",
	'compare level' => "'node'::text",
	'compare method' => "'welch'::text",
	'selection_value type' => "'text'::text",
	'selection_value name' => "'benchmark'::text",
	'selection_time name' => "'since'::text",
	'potential_degree measure' => "'potential:3'::text",
	'cron_schema cron' => "'pg_cron'::text");

# --- values at the edges ---------------------------------------------------------------------------------------------

# A profile's values are finite, none of its sums has to be.
my @profiles = (
	ordinary => $profile,
	empty => "''::flamegraph",
	'of one frame' => "'a 1'::flamegraph",
	'of the root' => "(SELECT flamegraph_agg(''::stackpath, 2))",
	negative => "E'a -1\\nb;c -2'::flamegraph",
	'total overflows' => "E'a 1e308\\nb 1e308'::flamegraph",
	'total overflows downwards' => "E'a;b -1e308\\na;c -1e308'::flamegraph",
	'total overflows far below' => "E'm;a;x 1e308\\nm;a;y 1e308\\nm;b 1'::flamegraph",
	'subtree overflows, whole does not' => "E'a 1e308\\na;b 1e308\\nc -1e308'::flamegraph",
	'subtrees overflow and cancel' => "E'a;b 1e308\\na;c 1e308\\nd;b -1e308\\nd;c -1e308'::flamegraph",
	'recursion overflows' => "E'a;a 1e308\\na;a;a 1e308\\na;b;a -1e308'::flamegraph",
	'frame overflows over two stacks' => "E'm;f 1e308\\nn;f 1e308\\nm;g -1e308'::flamegraph",
	'squares overflow' => "E'a;b 1e200\\na;c -3e200'::flamegraph",
	'squares vanish' => "E'a;b 1e-200\\na;c 3e-200'::flamegraph",
	'cancels to 0' => "E'a 1\\nb -1'::flamegraph",
	'subtree cancels to 0' => "E'a;b 1\\na;c -1\\nd 2'::flamegraph",
	subnormal => "'a 5e-324'::flamegraph",
	'subnormal and cancels' => "E'a;b 5e-324\\na;c -5e-324'::flamegraph",
	'shares overflow' => "E'a 1e308\\nb -1e308\\nc 5e-324'::flamegraph",
	'largest and smallest' => "E'm;a 1.7976931348623157e308\\nm;b 5e-324\\nm;c;b 1'::flamegraph");

my @floats = (
	ordinary => '0.5::float8', zero => '0::float8', 'minus zero' => "'-0'::float8", one => '1::float8', minus => '-1.5::float8', large => '1e308::float8',
	'large below 0' => '-1e308::float8', subnormal => '5e-324::float8', nan => "'nan'::float8", infinite => "'inf'::float8", 'infinite below 0' => "'-inf'::float8");

my @series = (
	ordinary => $xs, other => $ys, empty => "'{}'::float8[]", single => "'{1}'::float8[]", equal => "'{2,2,2,2,2,2}'::float8[]",
	overflow => "'{1e308,1e308,-1e308,1e308,1e308,1.7e308}'::float8[]", far => "'{-1e308,-5e307,0,5e307,1e308,1.7e308}'::float8[]",
	subnormal => "'{5e-324,1e-323,1.5e-323,2e-323,2.5e-323,3e-323}'::float8[]", mixed => "'{5e-324,1e-300,1,1e10,1e300,-1e308}'::float8[]",
	zero => "'{0,0,0,-0,0,0}'::float8[]", nan => "'{1,nan,3,4,5,6}'::float8[]", infinite => "'{1,2,inf,4,-inf,6}'::float8[]",
	null => "'{1,NULL,3,4,5,6}'::float8[]", 'all null' => "'{NULL,NULL,NULL,NULL,NULL,NULL}'::float8[]", matrix => "'{{1,2},{3,4}}'::float8[]");

my @kinds = qw(constant linear logarithmic quadratic power exponential regressogram moving_average kernel_regression);

# Of whole samples: each class three times, a class beside ordinary ones, and two that overflow in opposite directions.
sub _samples
{
	my @samples = (empty => [], single => ["$profile"], ordinary => [ $profile, $profile, "E'main;a 4\\nmain;d 1'::flamegraph" ]);
	for (my $i = 2; $i < @profiles; $i += 2)
	{
		push @samples, "thrice $profiles[$i]" => [ ($profiles[ $i + 1 ]) x 3 ];
		push @samples, "among others $profiles[$i]" => [ $profile, $profiles[ $i + 1 ], "'a 2'::flamegraph" ];
	}
	my %of = @profiles;
	push @samples, 'apart' => [ @of{ 'total overflows', 'total overflows downwards', 'largest and smallest' } ];
	push @samples, 'with nulls' => [ $profile, 'NULL', $profile ];
	return @samples;
}

sub _pairs
{
	my @list = @_;
	return map { [ $list[ 2 * $_ ], $list[ 2 * $_ + 1 ] ] } 0 .. @list / 2 - 1;
}

my %values = (
	flamegraph => [ _pairs(@profiles) ],
	'flamegraph[]' => [ map { [ $_->[0], "ARRAY[" . join(', ', @{ $_->[1] }) . "]::flamegraph[]" ] } _pairs(_samples()) ],
	flamestats => [
		map {
			my ($name, $sample) = @$_;
			map { [ "$name, $_", "(SELECT stats(v, '$_') FROM unnest(ARRAY[" . join(', ', @$sample) . "]::flamegraph[]) AS t (v))" ] } qw(stack node frame)
		} grep { $_->[0] ne 'with nulls' } _pairs(_samples()) ],
	# at one time and at several, of one instance, of none and of several; and without profiles
	flameseries => [
		[ none => "(SELECT slice($series, 'infinity'))" ],
		map {
			my ($name, $sample) = @$_;
			[ $name, "(SELECT flameseries_agg(timestamptz '2021-01-31 UTC' + n / 2 * interval '1 h', v, (ARRAY['pod-1', ''])[n]) FROM unnest(ARRAY[" . join(', ', @$sample) . "]::flamegraph[]) WITH ORDINALITY AS t (v, n))" ]
		} grep { $_->[0] ne 'with nulls' } _pairs(_samples()) ],
	'double precision' => [ _pairs(@floats) ],
	'double precision[]' => [ _pairs(@series) ],
	perfmodel => [
		map {
			my $kind = $_;
			[ $kind, "fit($xs, $ys, '$kind')" ],
			  map { [ "$kind $_->[0]", "fit($_->[1], $_->[2], '$kind')" ] }
			  [ 'far y', $xs, "'{-1e308,-5e307,0,5e307,1e308,1.7e308}'::float8[]" ],
			  [ 'far x', "'{-1e308,-5e307,0,5e307,1e308,1.7e308}'::float8[]", $ys ],
			  [ 'large y', $xs, "'{1e308,1.1e308,1.2e308,1e308,1.4e308,1.7e308}'::float8[]" ],
			  [ 'tiny x', "'{5e-324,1e-323,1.5e-323,2e-323,2.5e-323,3e-323}'::float8[]", $ys ],
			  [ 'tiny y', $xs, "'{5e-324,1e-323,1.5e-323,2e-323,2.5e-323,3e-323}'::float8[]" ],
			  [ 'zero y', $xs, "'{0,0,0,0,0,0}'::float8[]" ], [ 'one point', "'{1}'::float8[]", "'{2}'::float8[]" ]
		} @kinds ],
	integer => [ _pairs(ordinary => '3::int4', zero => '0::int4', one => '1::int4', two => '2::int4', minus => '-1::int4', largest => '2147483647::int4', smallest => '(-2147483648)::int4', many => '65535::int4') ],
	bigint => [ _pairs(ordinary => '1::int8', zero => '0::int8', minus => '-1::int8', largest => '9223372036854775807::int8', smallest => '(-9223372036854775808)::int8') ],
	'bigint[]' => [ _pairs(ordinary => "'{1,2}'::int8[]", empty => "'{}'::int8[]", null => "'{NULL}'::int8[]", extreme => "'{9223372036854775807,-9223372036854775808}'::int8[]") ],
	boolean => [ _pairs(true => 'true', false => 'false') ],
	'boolean[]' => [ _pairs(ordinary => "'{f,t,f,t,f,t}'::bool[]", empty => "'{}'::bool[]", null => "'{f,NULL,t,t,f,t}'::bool[]") ],
	text => [
		_pairs(ordinary => "'main'::text", empty => "''::text", frame => "'a'::text", path => "'a;b'::text", backslash => "E'a\\\\'::text", blank => "' '::text",
			bracket => "'(['::text", control => "E'\\x01\\n\\t'::text", wide => "U&'\\+01F525\\0301'::text", long => "repeat('x', 70000)") ],
	'text[]' => [
		_pairs(ordinary => "'{main,a}'::text[]", empty => "'{}'::text[]", null => "'{NULL,a}'::text[]", blank => "'{\"\"}'::text[]", groups => "'{p,p,p,q,q,q}'::text[]",
			models => "'{regressogram,moving_average,kernel_regression,linear,constant}'::text[]", matrix => "'{{a,b},{c,d}}'::text[]") ],
	stackpath => [ _pairs(ordinary => "'main;b'::stackpath", empty => "''::stackpath", single => "'a'::stackpath", deep => "stackpath(array_fill('a'::text, ARRAY[2000]))") ],
	'stackpath[]' => [ _pairs(ordinary => "'{main;a,main;b}'::stackpath[]", empty => "'{}'::stackpath[]", null => "'{NULL,a}'::stackpath[]", root => "ARRAY['']::stackpath[]") ],
	stackquery => [ _pairs(ordinary => "'main;*'::stackquery", any => "'*'::stackquery", frame => "'a'::stackquery", alternatives => "'a|b|c%;*'::stackquery", not => "'!a;*'::stackquery") ],
	jsonb => [
		_pairs(empty => "'{}'::jsonb", null => "'null'::jsonb", array => "'[1, 2]'::jsonb", number => "'1e300'::jsonb", huge => "'1e400'::jsonb", text => q['"x"'::jsonb],
			tasks => q['{"t": {"prefix": "a"}, "u": {"prefix": ""}}'::jsonb], window => q['{"window_size": 3}'::jsonb], 'window, huge' => q['{"window_size": 1e300}'::jsonb],
			bandwidth => q['{"bandwidth": 5e-324}'::jsonb], 'bandwidth, large' => q['{"bandwidth": 1e308}'::jsonb], buckets => q['{"buckets": 3}'::jsonb],
			deep => q[(repeat('[', 3000) || repeat(']', 3000))::jsonb]) ],
	bytea => [ _pairs(ordinary => "'a;b 1'::bytea", empty => "''::bytea", overflow => "E'a 1e308\\nb 1e308'::bytea", huge => "'a 1e999'::bytea", zeros => "decode(repeat('00', 100), 'hex')") ],
	cstring => [ _pairs(ordinary => "'main'::cstring", empty => "''::cstring", value => "'a 1e308'::cstring", 'value too large' => "'a 1e309'::cstring", object => q['{"n": 1}'::cstring]) ],
	name => [ _pairs(ordinary => "'calls_role'::name", empty => "''::name", quoted => q['a"b'::name]) ],
	uuid => [ _pairs(ordinary => $of_type{uuid}) ],
	date => [ _pairs(ordinary => $of_type{date}, far => "'5874897-12-31'::date", early => "'4713-01-01 BC'::date", infinite => "'infinity'::date") ],
	interval => [ _pairs(ordinary => $of_type{interval}, zero => "'0'::interval", minus => "'-5 days'::interval", large => "'178000000 years'::interval", years => "'300 years'::interval") ],
	'timestamp with time zone' => [
		_pairs(ordinary => $of_type{'timestamp with time zone'}, infinite => "'infinity'::timestamptz", 'infinite below 0' => "'-infinity'::timestamptz",
			far => "'294276-12-31 UTC'::timestamptz", early => "'4713-01-01 BC UTC'::timestamptz", future => "'9999-01-01 UTC'::timestamptz") ],
	'profiling.watch' => [ [ ordinary => $of_type{'profiling.watch'} ], [ null => 'NULL::profiling.watch' ], [ last => '(SELECT w FROM profiling.watch AS w ORDER BY w.watch_id DESC LIMIT 1)' ] ]);

# NULL is one of the values, too.
sub values
{
	my ($type) = @_;
	return (@{ $values{$type} // [ [ ordinary => _of_type($type) ] ] }, [ NULL => "NULL::$type" ]);
}

# Of a type that nothing is known of there is NULL only, and arrays of one value.
sub _of_type
{
	my ($type) = @_;
	return $of_type{$type} // ($type =~ /^(.*)\[\]$/ && $of_type{$1} ? "ARRAY[$of_type{$1}]::$type" : "NULL::$type");
}

# The types of arguments for which nothing but NULL is there.
sub unknown_types
{
	my ($self) = @_;
	my %unknown = map { $_ => 1 } grep { _of_type($_) =~ /^NULL::/ } map { map { $_->{type} } @{ $_->{args} } } $self->all;
	return sort keys %unknown;
}

# --- the catalogs ----------------------------------------------------------------------------------------------------

# The type that a type is written as here: names of ours without their schema.
my $type_name = 'regexp_replace(format_type(%s, NULL), \'^.*\.(flamegraph|flamestats|flameseries|perfmodel|stackpath|stackquery)(\[\])?$\', \'\1\2\')';

sub _type { return sprintf $type_name, $_[0]; }

sub new
{
	my ($class, $db, @extensions) = @_;
	my $self = bless { db => $db, all => [], refused => [] }, $class;
	my $in = join ', ', map { "'$_'" } @extensions;
	$self->_read_functions($in);
	$self->_read_operators($in);
	$self->_read_casts($in);
	@{ $self->{all} } = sort { $a->{name} cmp $b->{name} || $a->{kind} cmp $b->{kind} } @{ $self->{all} };
	for my $callable (@{ $self->{all} })
	{
		push @{ $self->{returning}{ $callable->{result} } }, $callable if $callable->{kind} ne 'p' && !$callable->{set} && !@{ $callable->{out} };
	}
	return $self;
}

sub all { return @{ $_[0]{all} }; }
sub refused { return @{ $_[0]{refused} }; }
sub returning { return @{ $_[0]{returning}{ $_[1] } // [] }; }

sub _members
{
	my ($catalog, $in) = @_;
	return "pg_catalog.$catalog AS m JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_catalog.$catalog'::regclass AND d.objid = m.oid AND d.deptype = 'e' "
	  . "JOIN pg_catalog.pg_extension AS e ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid AND e.extname IN ($in)";
}

sub _read_functions
{
	my ($self, $in) = @_;
	my $type = _type('t');
	# One row for each argument, and one for a function without any.
	my $rows = $self->{db}->rows(<<"SQL");
SELECT m.oid, m.oid::regprocedure, m.proname, m.prokind, m.oid::regproc, e.extname, m.proretset, m.proisstrict, m.provolatile = 'v',
	${\ _type('m.prorettype')}, m.provariadic <> 0,
	a.n, m.proargnames[a.n], coalesce(m.proargmodes[a.n], 'i'), ${\ _type('a.t')}, pg_get_function_arg_default(m.oid, a.n::int4)
FROM ${\ _members('pg_proc', $in)}
	LEFT JOIN LATERAL unnest(coalesce(m.proallargtypes, m.proargtypes::oid[])) WITH ORDINALITY AS a (t, n) ON true
ORDER BY m.oid, a.n
SQL
	my ($oid, $callable) = ('');
	my @found;
	for my $row (@$rows)
	{
		my ($id, $signature, $proname, $kind, $called, $extension, $set, $strict, $volatile, $result, $variadic, $n, $name, $mode, $argument, $default) = @$row;
		if ($id ne $oid)
		{
			$oid = $id;
			$callable = {
				name => $signature, proname => $proname, kind => $kind, called => $called, extension => $extension, set => $set eq 't',
				strict => $strict eq 't', volatile => $volatile eq 't', result => $result, variadic => $variadic eq 't', args => [], out => [] };
			push @found, $callable;
		}
		next unless defined $n;
		if ($mode =~ /[ibv]/) { push @{ $callable->{args} }, { name => $name // '', type => $argument, default => $default }; }
		push @{ $callable->{out} }, [ $name // '', $argument ] if $mode =~ /[bot]/;
	}
	for my $c (@found)
	{
		my ($hidden) = grep { /^(?:internal|trigger|event_trigger)$/ } $c->{result}, map { $_->{type} } @{ $c->{args} };
		if ($hidden) { push @{ $self->{refused} }, [ $c->{name}, "type $hidden" ]; }
		else { push @{ $self->{all} }, $c; }
	}
	return;
}

# Transition and combine functions refuse to be called by hand, but anybody can make an aggregate of them. Makes such
# aggregates in a schema, and adds them.
sub add_accumulators
{
	my ($self, $schema) = @_;
	my $n = 0;
	my %accumulates = map { $_->[0] => 1 } @{ $self->{db}->rows('SELECT f::regprocedure FROM pg_aggregate, unnest(ARRAY[aggtransfn, aggcombinefn]) AS f (f)') };
	for my $c (grep { $_->{kind} eq 'f' && $accumulates{ $_->{name} } } $self->all)
	{
		my ($state, @args) = map { { %$_ } } @{ $c->{args} };
		# They stay what they were for the function.
		for my $i (0 .. $#args) { $args[$i]{name} = $i + 2 if $args[$i]{name} eq ''; }
		my $name = "$schema.accumulate_" . ++$n;
		$self->{db}->run("CREATE AGGREGATE $name(" . join(', ', map { $_->{type} } @args) . ") (SFUNC = $c->{called}, STYPE = $state->{type})");
		push @{ $self->{all} }, {
			%$c, name => "aggregate of $c->{name}", kind => 'a', called => $name, args => \@args, strict => '' };
		$c->{accumulator} = 1;
	}
	return;
}

sub _read_operators
{
	my ($self, $in) = @_;
	for my $row (@{ $self->{db}->rows(<<"SQL") })
SELECT m.oid::regoperator, m.oprname, m.oprnamespace::regnamespace, e.extname, nullif(m.oprleft, 0) IS NOT NULL, ${\ _type('m.oprleft')}, ${\ _type('m.oprright')}, ${\ _type('m.oprresult')}
FROM ${\ _members('pg_operator', $in)}
SQL
	{
		my ($signature, $name, $schema, $extension, $binary, $left, $right, $result) = @$row;
		push @{ $self->{all} }, {
			name => "operator $signature", proname => $name, kind => 'o', called => "OPERATOR($schema.$name)", extension => $extension, set => '', strict => 1, volatile => '',
			result => $result, out => [], args => [ map { { name => '', type => $_ } } $binary eq 't' ? $left : (), $right ] };
	}
	return;
}

sub _read_casts
{
	my ($self, $in) = @_;
	for my $row (@{ $self->{db}->rows(<<"SQL") })
SELECT e.extname, ${\ _type('m.castsource')}, ${\ _type('m.casttarget')} FROM ${\ _members('pg_cast', $in)}
SQL
	{
		my ($extension, $source, $target) = @$row;
		push @{ $self->{all} }, {
			name => "cast($source as $target)", proname => 'cast', kind => 'c', extension => $extension, set => '', strict => 1, volatile => '',
			result => $target, out => [], args => [ { name => $source, type => $source } ] };
	}
	return;
}

# --- calls -----------------------------------------------------------------------------------------------------------

sub ordinary
{
	my ($self, $c) = @_;
	my $n = 0;
	return map {
		my ($name, $type) = ($_->{name}, $_->{type});
		$n++;
		my $value = $of_function{ "$c->{proname} " . ($name eq '' ? $n : $name) };
		$value = $value->{$type} if ref $value;
		$value //= $_->{default} if ($_->{default} // 'NULL') !~ /^NULL/;
		$value //= $of_name{"$name $type"} // _of_type($type);
		$value =~ /::|\(/ ? $value : "$value\::$type"
	} @{ $c->{args} };
}

sub expression
{
	my ($self, $c, @row) = @_;
	if ($c->{kind} eq 'o') { return '(' . (@row == 1 ? "$c->{called} $row[0]" : "$row[0] $c->{called} $row[1]") . ')'; }
	if ($c->{kind} eq 'c') { return "CAST($row[0] AS $c->{result})"; }
	$row[-1] = "VARIADIC $row[-1]" if $c->{variadic} && @row;
	return $c->{called} . '(' . join(', ', @row) . ')' if $c->{kind} ne 'a';
	return "(SELECT $c->{called}(" . join(', ', @row) . '))';
}

sub statement
{
	my ($self, $c, @rows) = @_;
	if ($c->{kind} eq 'a')
	{
		my $columns = join ', ', map { "a$_" } 1 .. @{ $c->{args} };
		return "SELECT $c->{called}($columns) FROM (VALUES " . join(', ', map { '(' . join(', ', @$_) . ')' } @rows) . ") AS v ($columns)";
	}
	my $call = $self->expression($c, @{ $rows[0] // [] });
	return "CALL $call" if $c->{kind} eq 'p';
	return "SELECT * FROM $call AS r" if $c->{set} || @{ $c->{out} };
	return "SELECT $call";
}

sub window
{
	my ($self, $c, @rows) = @_;
	my $columns = join ', ', map { "a$_" } 1 .. @{ $c->{args} };
	my $n = 0;
	return "SELECT $c->{called}($columns) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM (VALUES "
	  . join(', ', map { '(' . join(', ', ++$n, @$_) . ')' } @rows) . ") AS v (n, $columns)";
}

# What a call says that was given nonsense for one argument: Available: a, b, c.
# Where nonsense is an ordinary value (the name of a frame) the hint is of something else, or there is none.
sub words
{
	my ($self, $c, $n) = @_;
	my $type = $c->{args}[$n]{type};
	return @{ $c->{args}[$n]{words} } if $c->{args}[$n]{words};
	my @words;
	my %nonsense = (text => "'?'::text", 'text[]' => "'{?}'::text[]", jsonb => q['{"?": 1}'::jsonb]);
	if ($nonsense{$type} && $c->{kind} =~ /[fa]/ && !$c->{volatile})
	{
		my @row = $self->ordinary($c);
		$row[$n] = $nonsense{$type};
		my $error = $self->{db}->query($self->statement($c, \@row))->{error};
		my $hint = $error ? $error->{hint} // '' : '';
		if ($hint =~ /^Available: ([^.;]*)/) { @words = grep { !/^(?:and|or)$/ } $1 =~ s/\([^)]*\)//gr =~ /[\w:-]+/g; }
	}
	$c->{args}[$n]{words} = \@words;
	return @words;
}

# --- values as they print --------------------------------------------------------------------------------------------

my %printed = map { $_ => 1 } map { ($_, "$_\[]") } qw(flamegraph flamestats flameseries perfmodel stackpath stackquery);

# What cannot be made (a model that does not exist on these points) is left out, after its error was seen by $check.
sub literals
{
	my ($self, $type, $check) = @_;
	return @{ $self->{literals}{$type} } if $self->{literals}{$type};
	my @literals;
	my %seen;
	for my $value (Calls::values($type))
	{
		my ($name, $sql) = @$value;
		if ($printed{$type} && $sql !~ /^NULL/)
		{
			my $result = $self->{db}->query("SELECT $sql");
			$check->("$type $name", $sql, $result) if $check;
			next if $result->{error} || !defined $result->{rows}[0][0];
			$sql = _literal($result->{rows}[0][0]) . "::$type";
		}
		push @literals, [ $name, $sql ] unless $seen{$sql}++;
	}
	$self->{literals}{$type} = \@literals;
	return @literals;
}

# On one line, so that a log of statements has one for each.
sub _literal
{
	my ($text) = @_;
	return "'$text'" unless $text =~ /[\\'\n\t]/;
	$text =~ s/([\\'])/\\$1/g;
	$text =~ s/\n/\\n/g;
	$text =~ s/\t/\\t/g;
	return "E'$text'";
}

1;
