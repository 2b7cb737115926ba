# The golden vectors of performance models: what SQL computes is what an independent reference computed. Every case of
# test/data/golden/models/*.json (or $GOLDEN_MODELS_DIR) is run; each has its own tolerances.
use strict;
use warnings;

use Encode qw(encode);
use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $dir = $ENV{GOLDEN_MODELS_DIR} // "$FindBin::RealBin/../data/golden/models";
my $only = $ENV{GOLDEN_CASE};

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph; SET extra_float_digits = 1');

# --- SQL from arguments ------------------------------------------------------------------------------------------------

sub number_text { my ($v) = @_; return !defined $v ? 'NULL' : $v =~ /Infinity|NaN/ ? "'$v'" : sprintf '%.17g', $v; }
sub float8 { return number_text($_[0]) . '::float8'; }
sub word { return defined $_[0] ? Wire::literal($_[0]) : 'NULL'; }

sub floats
{
	my ($values) = @_;
	return 'NULL::float8[]' unless defined $values;
	return q('{) . join(',', map { defined $_ ? number_text($_) =~ s/'//gr : 'NULL' } @$values) . q(}'::float8[]);
}

# A JSON object of the options that are given.
sub options
{
	my (%values) = @_;
	delete $values{$_} for grep { !defined $values{$_} } keys %values;
	return Wire::literal(JSON::PP->new->canonical->allow_nonref->encode(\%values)) . '::jsonb';
}

# A case's number, as JSON has to write it.
sub plain { my ($v) = @_; return defined $v ? $v + 0 : undef; }

# The words of the reference in ours.
sub result_word { my ($w) = @_; return $w unless defined $w; $w =~ s/(?<=[a-z])(?=[A-Z])/_/g; return lc $w; }

# A model that a case describes, as a literal.
sub model
{
	my ($m) = @_;
	my $r_square = $m->{r_square} // 1;
	my $number = sub { !defined $_[0] ? 'null' : $_[0] =~ /Inf|NaN/ ? '"' . $_[0] . '"' : sprintf '%.17g', $_[0] };
	my $list = sub { '[' . join(', ', map { $number->($_) } @{ $_[0] }) . ']' };
	my ($kind, $body);
	if ($m->{kind} eq 'points')
	{
		my @order = sort { $m->{x}[$a] <=> $m->{x}[$b] } 0 .. $#{ $m->{x} };
		my $x = [ @{ $m->{x} }[@order] ];
		my $y = [ @{ $m->{y} }[@order] ];
		$kind = 'moving_average';
		$body = sprintf '"n": %d, "x_start": %s, "x_end": %s, "x": %s, "y": %s, "fitted": %s', scalar @$x,
		  $number->($x->[0]), $number->($x->[-1]), $list->($x), $list->($y), $list->($y);
	}
	elsif ($m->{kind} eq 'step')
	{
		my $edges = $m->{edges};
		my $values = $m->{bucket_stats};
		my $n = @$values;
		$edges //= [ map { $_ == $n ? $m->{x_end} : $m->{x_start} + $_ * (($m->{x_end} - $m->{x_start}) / $n) } 0 .. $n ];
		$kind = 'regressogram';
		$body = sprintf '"n": %d, "x_start": %s, "x_end": %s, "edges": %s, "points": %s, "values": %s',
		  scalar(grep { defined } @$values), $number->($edges->[0]), $number->($edges->[-1]), $list->($edges),
		  $list->([ map { defined $_ ? 1 : 0 } @$values ]), $list->($values);
	}
	else
	{
		$kind = $m->{kind};
		$body = sprintf '"n": 10, "x_start": %s, "x_end": %s, "coefficients": %s', $number->($m->{x_start}), $number->($m->{x_end}),
		  $list->($m->{coeffs});
	}
	return Wire::literal(sprintf '{"kind": "%s", "r_square": %s, "parameters": {}, %s}', $kind, $number->($r_square), $body) . '::perfmodel';
}

# --- comparing -----------------------------------------------------------------------------------------------------------

my ($case, @failures, $compared);

sub check
{
	my ($what, $ok, $got, $expected) = @_;
	$compared++;
	push @failures, sprintf('%s: got %s, expected %s', $what, $got // 'NULL', $expected // 'NULL') unless $ok;
	return $ok;
}

sub number
{
	my ($what, $got, $expected) = @_;
	return check($what, !defined $got && !defined $expected, $got, $expected) if !defined $got || !defined $expected;
	return check($what, $got eq $expected, $got, $expected) if "$expected$got" =~ /Inf|NaN/;
	return check($what, abs($got - $expected) <= $case->{abs} + $case->{rel} * abs $expected, $got, $expected);
}

sub text { my ($what, $got, $expected) = @_; return check($what, ($got // 'NULL') eq ($expected // 'NULL'), $got, $expected); }

sub numbers
{
	my ($what, $got, $expected) = @_;
	check("$what: how many", @$got == @$expected, scalar @$got, scalar @$expected) or return;
	number("$what $_", $got->[$_], $expected->[$_]) for 0 .. $#$expected;
	return;
}

# The rows of a statement; where the case wants an error, that one comes.
sub rows
{
	my ($sql) = @_;
	my $result = $db->query($sql);
	if (ref $case->{expected} eq 'HASH' && $case->{expected}{error})
	{
		check('SQLSTATE', ($result->{error}{sqlstate} // 'none') =~ /^(22023|22003|2202E)$/, $result->{error}{sqlstate}, 'an error of class 22');
		return;
	}
	check('no error', !$result->{error}, $result->{error} && "$result->{error}{sqlstate} $result->{error}{message} $sql", 'no error') or return;
	return $result->{rows};
}

# float8[] as text.
sub elements { my ($text) = @_; return [ map { $_ eq 'NULL' ? undef : $_ } split /,/, $text =~ s/[{}]//gr ]; }

# --- functions -------------------------------------------------------------------------------------------------------------

# The same model from arrays, as a value, and by the aggregate, which must be equal.
sub same_model
{
	my ($name, $x, $y, $options) = @_;
	my $agg = "${name}_agg";
	my $row = rows("SELECT fit($x, $y, '$name', $options) IS NOT DISTINCT FROM (SELECT $agg(v.x, v.y, $options) "
		  . "FROM (SELECT * FROM unnest($x, $y) AS u (x, y) ORDER BY md5(u::text)) AS v), "
		  . "(fit($x, $y, '$name', $options)::text::perfmodel = fit($x, $y, '$name', $options)) IS NOT FALSE") or return;
	text('aggregate and text form', "$row->[0][0]$row->[0][1]", 'tt');
	return;
}

sub moving_average_options
{
	my ($a) = @_;
	my %options = (center => defined $a->{center} ? ($a->{center} ? JSON::PP::true : JSON::PP::false) : undef,
		min_periods => plain($a->{min_periods}), window_type => $a->{window_type}, beta => plain($a->{beta}),
		adjust => defined $a->{adjust} ? ($a->{adjust} ? JSON::PP::true : JSON::PP::false) : undef);
	delete @options{qw(center window_type beta)} if $a->{method} eq 'ema';
	delete @options{qw(window_type beta)} if $a->{method} eq 'smm';
	delete $options{adjust} if $a->{method} ne 'ema';
	$options{ $a->{decay} } = plain($a->{decay_value}) if $a->{decay};
	return %options;
}

sub kernel_arguments
{
	my ($a) = @_;
	my ($bandwidth, $rule) = ('NULL', "'scott'");
	if (defined $a->{bandwidth})
	{
		if ($a->{bandwidth} =~ /^[a-z]/) { $rule = word($a->{bandwidth}); }
		else { $bandwidth = float8($a->{bandwidth}); }
	}
	return (bandwidth => $bandwidth, rule => $rule, kernel => word($a->{kernel} // 'epanechnikov'),
		method => word($a->{method} // 'nadaraya_watson'), degree => $a->{order} // 3);
}

my %functions = (
	kernel_value => sub {
		my ($a, $e) = @_;
		my $rows = rows('SELECT array_agg(kernel_value(' . word($a->{kernel}) . ', z) ORDER BY i) FROM unnest(' . floats($a->{z})
			  . ') WITH ORDINALITY AS u (z, i)') or return;
		numbers('value', elements($rows->[0][0]), $e->{values});
	},
	window_weights => sub {
		my ($a, $e) = @_;
		my $rows = rows('SELECT window_weights(' . word($a->{window_type}) . ", $a->{window_width})") or return;
		numbers('weight', elements($rows->[0][0]), $e->{weights});
	},
	bandwidth_objective => sub {
		my ($a, $e) = @_;
		my $rows = rows('SELECT cv_ls, aicc FROM bandwidth_objective(' . join(', ', floats($a->{x}), floats($a->{y}), float8($a->{bandwidth}),
				word($a->{kernel}), word($a->{method}), $a->{order} // 1) . ')') or return;
		number('cv_ls', $rows->[0][0], $e->{cv_ls});
		number('aicc', $rows->[0][1], $e->{aicc});
	},
	regressogram => sub {
		my ($a, $e) = @_;
		my ($x, $y) = (floats($a->{x}), floats($a->{y}));
		my $rule = word($a->{bucket_method} // 'doane');
		my $statistic = word($a->{statistic} // 'mean');
		my $rows = rows("SELECT bucket, x_from, x_to, points, fitted FROM regressogram($x, $y, "
			  . ($a->{bucket_number} // 'NULL') . ", $rule, $statistic)") or return;
		if (!defined $e) { text('rows', scalar @$rows, 0); return; }
		number('buckets', scalar @$rows, $e->{buckets});
		numbers('value', [ map { $_->[4] } @$rows ], $e->{bucket_stats});
		numbers('count', [ map { $_->[3] } @$rows ], $e->{counts});
		number('x_start', $rows->[0][1], $e->{x_start});
		number('x_end', $rows->[-1][2], $e->{x_end});
		my $options = options(buckets => plain($a->{bucket_number}), rule => $a->{bucket_method}, statistic => $a->{statistic});
		my $model = rows("SELECT r_square(m), x_start(m), x_end(m), m::jsonb ->> 'y_start', m::jsonb -> 'values' = "
			  . "(SELECT jsonb_agg(fitted ORDER BY bucket) FROM regressogram($x, $y, "
			  . ($a->{bucket_number} // 'NULL') . ", $rule, $statistic)) FROM fit($x, $y, 'regressogram', $options) AS m") or return;
		number('r_square', $model->[0][0], $e->{r_square});
		number('x_start of the model', $model->[0][1], $e->{x_start});
		number('y_start', $model->[0][3], $e->{y_start});
		text('rows and model', $model->[0][4], 't');
		same_model('regressogram', $x, $y, $options);
	},
	moving_average => sub {
		my ($a, $e) = @_;
		my ($x, $y) = (floats($a->{x}), floats($a->{y}));
		my %options = moving_average_options($a);
		my $size = $a->{window_width} // 'NULL';
		my $rows = rows("SELECT x, y, fitted FROM moving_average($x, $y, $size, " . word($a->{method}) . ', ' . options(%options) . ')')
		  or return;
		if (!defined $e) { text('rows', scalar @$rows, 0); return; }
		numbers('x', [ map { $_->[0] } @$rows ], $e->{x});
		numbers('fitted', [ map { $_->[2] } @$rows ], $e->{values});
		my $options = options(%options, method => $a->{method}, window_size => plain($a->{window_width}));
		my $model = rows("SELECT r_square(m), x_start(m), x_end(m), m::jsonb -> 'parameters' ->> 'window_size' "
			  . "FROM fit($x, $y, 'moving_average', $options) AS m") or return;
		number('r_square', $model->[0][0], $e->{r_square});
		number('x_start', $model->[0][1], $e->{x_start});
		number('x_end', $model->[0][2], $e->{x_end});
		number('window', $model->[0][3], $e->{window_width}) if $a->{method} ne 'ema';
		same_model('moving_average', $x, $y, $options);
	},
	kernel_regression => sub {
		my ($a, $e) = @_;
		my ($x, $y) = (floats($a->{x}), floats($a->{y}));
		my %arguments = kernel_arguments($a);
		my $arguments = join ', ', map { "$_ => $arguments{$_}" } sort keys %arguments;
		$arguments .= ', at_x => ' . floats($a->{at}) if $a->{at};
		$arguments .= ', candidates => ' . floats($a->{candidates}) if $a->{candidates};
		my $rows = rows("SELECT x, y, fitted FROM kernel_regression($x, $y, $arguments)") or return;
		if (!defined $e) { text('rows', scalar @$rows, 0); return; }
		numbers('fitted', [ map { $_->[2] } @$rows ], $e->{values});
		my $by_rule = defined $a->{bandwidth} && $a->{bandwidth} =~ /^[a-z]/;
		my $options = options(kernel => $a->{kernel}, method => $a->{method}, degree => plain($a->{order}),
			bandwidth => $by_rule ? undef : plain($a->{bandwidth}), rule => $by_rule ? $a->{bandwidth} : undef,
			at_x => $a->{at} && [ map { $_ + 0 } @{ $a->{at} } ], candidates => $a->{candidates} && [ map { $_ + 0 } @{ $a->{candidates} } ]);
		my $model = rows("SELECT r_square(m), x_start(m), x_end(m), m::jsonb -> 'parameters' ->> 'bandwidth', "
			  . "m::jsonb -> 'parameters' ->> 'score' FROM fit($x, $y, 'kernel_regression', $options) AS m") or return;
		number('r_square', $model->[0][0], $e->{r_square});
		number('x_start', $model->[0][1], $e->{x_start});
		number('x_end', $model->[0][2], $e->{x_end});
		number('bandwidth', $model->[0][3], $e->{bandwidth});
		number('score', $model->[0][4], $e->{score});
		same_model('kernel_regression', $x, $y, $options);
	},
	regression_analysis => sub {
		my ($a, $e) = @_;
		my ($x, $y) = (floats($a->{x}), floats($a->{y}));
		my $models = $a->{models} ? 'ARRAY[' . join(', ', map { word($_) } @{ $a->{models} }) . ']' : 'NULL';
		my $rows = rows("SELECT kind, coefficients, r_square, r_square_y, n_used, x_start, x_end, best, kind(model) = kind "
			  . "AND coefficients(model) = coefficients AND model::text::perfmodel = model FROM parametric_models($x, $y, $models, "
			  . word($a->{method} // 'full') . ', ' . ($a->{steps} // 3) . ')') or return;
		if (!defined $e) { text('rows', scalar @$rows, 0); return; }
		my $expected = ref $e eq 'ARRAY' ? $e : $e->{models} // $e->{parts};
		check('models', @$rows == @$expected, scalar @$rows, scalar @$expected) or return;
		for my $i (0 .. $#$expected)
		{
			my ($want, $got) = ($expected->[$i], $rows->[$i]);
			text("model $i", $got->[0], $want->{model});
			numbers("model $i: coefficient", elements($got->[1]), $want->{coeffs});
			my @facts = qw(r_square r_square_y n_used x_start x_end);
			number("model $i: $facts[$_]", $got->[ 2 + $_ ], $want->{ $facts[$_] }) for 0 .. $#facts;
			text("model $i: as a value", $got->[8], 't');
		}
		return if ref $e eq 'ARRAY' || !exists $e->{best};
		my ($best) = map { $_->[0] } grep { $_->[7] eq 't' } @$rows;
		text('best', $best, ref $e->{best} ? $e->{best}{model} : $e->{best});
		same_model('parametric_regression', $x, $y, options(models => $a->{models}));
	},
	classify => sub {
		my ($a, $e) = @_;
		for my $i (0 .. $#{ $a->{values} })
		{
			my $r = $a->{values}[$i];
			# A relative error by two curves: 1 and 1 + r, or for an infinite one 0 and its sign.
			my ($b, $t) = $r =~ /Inf/ ? (0, $r =~ /^-/ ? -1 : 1) : (1, 1 + $r);
			my $rows = rows('SELECT result FROM integral_points(ARRAY[0, 1], ' . floats([ $b, $b ]) . ', ' . floats([ $t, $t ]) . ')') or return;
			text("class of $r", $rows->[0][0], result_word($e->{results}[$i]));
		}
	},
	integral_points => sub {
		my ($a, $e) = @_;
		my $rows = rows('SELECT result, relative_error, baseline_integral, target_integral FROM integral_points('
			  . join(', ', floats($a->{x}), floats($a->{baseline}), floats($a->{target}), word($a->{rule} // 'trapezoid')) . ')') or return;
		text('result', $rows->[0][0], result_word($e->{result}));
		number('relative error', $rows->[0][1], $e->{rel_error});
		number('baseline', $rows->[0][2], $e->{baseline_integral});
		number('target', $rows->[0][3], $e->{target_integral});
	},
	integral_comparison => sub { my ($a, $e) = @_; compare_integrals(model($a->{baseline}), model($a->{target}), $a, $e); },
	local_statistics => sub { my ($a, $e) = @_; compare_locally(model($a->{baseline}), model($a->{target}), $a, $e); },
	local_statistics_points => sub {
		my ($a, $e) = @_;
		my $rows = rows('SELECT result, relative_error FROM local_statistics_points(' . join(', ', floats($a->{x}), floats($a->{baseline}),
				floats($a->{target})) . (defined $a->{density} ? ", density => $a->{density}" : '')
			  . (defined $a->{min_points} ? ", min_points => $a->{min_points}" : '') . ')') or return;
		text('result', $rows->[0][0], result_word($e->{result}));
		number('relative error', $rows->[0][1], $e->{rel_error});
	},
	merge_intervals => sub {
		my ($a, $e) = @_;
		# Two regressograms whose values give each part its class.
		# An unknown part separates as one without change does.
		my %target = (NoChange => 1, Unknown => 1, MaybeDegradation => 1.2, Degradation => 2, MaybeOptimization => 0.8, Optimization => 0.5);
		my @parts = @{ $a->{parts} };
		my @edges = ($parts[0]{x_from}, map { $_->{x_to} } @parts);
		my ($baseline, $target) =
		  map { model({ kind => 'step', edges => \@edges, bucket_stats => $_ }) } [ (1) x @parts ], [ map { $target{ $_->{result} } } @parts ];
		my $rows = rows("SELECT x_from, x_to, result FROM integral_intervals($baseline, $target, " . scalar(@parts) . ', true)') or return;
		check('parts', @$rows == @$e, scalar @$rows, scalar @$e) or return;
		for my $i (0 .. $#$e)
		{
			number("part $i from", $rows->[$i][0], $e->[$i]{x_from});
			number("part $i to", $rows->[$i][1], $e->[$i]{x_to});
			text("part $i", $rows->[$i][2], result_word($e->[$i]{result}));
		}
	},
	average_amount => sub {
		my ($a, $e) = @_;
		my $rows = rows('SELECT result, ratio, baseline_mean, target_mean FROM average_amount(' . floats($a->{baseline}) . ', ' . floats($a->{target}) . ')')
		  or return;
		text('result', $rows->[0][0], result_word($e->{result}));
		number('ratio', $rows->[0][1], $e->{ratio});
		number('baseline', $rows->[0][2], $e->{baseline});
		number('target', $rows->[0][3], $e->{target});
	},
	model_difference => sub {
		my ($a, $e) = @_;
		my $rows = rows('SELECT result, 100 * relative_error, sum_abs_error, polynomial, fast_check FROM model_difference('
			  . join(', ', model($a->{baseline}), model($a->{target}), $a->{samples} // 1000) . ')') or return;
		text('result', $rows->[0][0], result_word($e->{result}));
		number('relative error', $rows->[0][1], $e->{rel_error_pct});
		number('sum of errors', $rows->[0][2], $e->{sum_abs_error});
		text('polynomial', $rows->[0][3], $e->{polynomial});
		text('fast check', $rows->[0][4], $e->{fast_check});
	},
	exclusive_time_outliers => sub {
		my ($a, $e) = @_;
		my @sides = map {
			my $side = $_;
			my @rows = grep { defined $_->[$side] } @{ $a->{rows} };
			"(SELECT coalesce(flamegraph_agg(v.f::stackpath, v.t), '') FROM (VALUES "
			  . join(', ', map { '(' . word($_->[0]) . ', ' . float8($_->[$side]) . ')' } @rows) . ') AS v (f, t))'
		} 1, 2;
		my $rows = rows("SELECT frame, delta, 100 * share, modified_z, iqr_multiple, stddev_multiple, result FROM exclusive_time_outliers("
			  . join(', ', @sides, defined $a->{cutoff} ? $a->{cutoff} / 100 : 0) . ')') or return;
		my %got = map { $_->[0] => $_ } @$rows;
		check('functions', @$rows == @{ $e->{rows} }, scalar @$rows, scalar @{ $e->{rows} });
		for my $want (@{ $e->{rows} })
		{
			my $got = $got{ $want->{uid} } // [];
			my @names = qw(delta delta_pct modified_z iqr_multiple stddev_multiple);
			number("$want->{uid}: $names[$_]", $got->[ 1 + $_ ], $want->{ $names[$_] }) for 0 .. $#names;
			text("$want->{uid}: result", $got->[6], result_word($want->{result}));
		}
	},
	data_comparison => sub {
		my ($a, $e) = @_;
		my %name = (kernel => 'kernel_regression', regressogram => 'regressogram', moving_average => 'moving_average',
			kernel_regression => 'kernel_regression');
		my $name = $name{ $a->{model} } // die "model $a->{model}";
		my %m = %{ $a->{model_args} // {} };
		my $options;
		if ($name eq 'kernel_regression')
		{
			my $by_rule = defined $m{bandwidth} && $m{bandwidth} =~ /^[a-z]/;
			$options = options(kernel => $m{kernel}, method => $m{method}, degree => plain($m{order}),
				bandwidth => $by_rule ? undef : plain($m{bandwidth}), rule => $by_rule ? $m{bandwidth} : undef);
		}
		elsif ($name eq 'regressogram')
		{
			$options = options(buckets => plain($m{bucket_number}), rule => $m{bucket_method}, statistic => $m{statistic});
		}
		else { $options = options(moving_average_options(\%m), method => $m{method}, window_size => plain($m{window_width})); }
		my ($baseline, $target) = map { 'fit(' . floats($_->{x}) . ', ' . floats($_->{y}) . ", '$name', $options)" } @{$a}{qw(baseline target)};
		$a->{intervals} = $a->{sub_intervals};
		compare_integrals($baseline, $target, $a, $e->{integral_comparison}) if $e->{integral_comparison};
		compare_locally($baseline, $target, $a, $e->{local_statistics}) if $e->{local_statistics};
	},
	best_model_order => sub {
		my ($a, $e) = @_;
		my $rows = rows('SELECT result, rate, confidence, baseline_kind, target_kind FROM best_model_order('
			  . join(', ', map { floats($_) } map { data_of_model($_->{model}, $_->{r_square}) } @{$a}{qw(baseline target)}) . ')') or return;
		text('result', $rows->[0][0], result_word($e->{result}));
		number('rate', $rows->[0][1], $e->{rate});
		number('confidence', $rows->[0][2], $e->{confidence});
		text('baseline', $rows->[0][3], $a->{baseline}{model});
		text('target', $rows->[0][4], $a->{target}{model});
	},
);

# Data whose best parametric model is this one, with this R^2: a signal and a disturbance at a right angle to it. Formulas
# with logarithms do not exist on negative numbers, so that only those remain whose R^2 is known.
sub data_of_model
{
	my ($name, $r_square) = @_;
	$r_square += 1e-12;    # what is exactly on a threshold must not fall below it by rounding
	my $logs = $name eq 'power' || $name eq 'exponential';
	my @x = map { $name eq 'power' || $name eq 'logarithmic' ? 2**$_ : $name eq 'exponential' ? $_ : $_ - 21 } 1 .. 20;
	my @u = map { $name eq 'power' || $name eq 'logarithmic' ? log $_ : $_ } @x;
	my @signal = map { $name eq 'quadratic' ? ($_ + 10.5)**2 : $name eq 'power' ? -2 * $_ : $_ } @u;
	my $explained = $name eq 'constant' ? 1 - $r_square : $r_square;
	my @basis = ([ (1) x 20 ], [@u], [ map { $_**2 } @u ]);
	my @e = map { (-1)**$_ } 1 .. 20;
	for my $i (0 .. $#basis)
	{
		for my $other (@basis[ 0 .. $i - 1 ]) { subtract_projection($basis[$i], $other); }
		subtract_projection(\@e, $basis[$i]);
	}
	my @centred = @signal;
	subtract_projection(\@centred, $basis[0]);
	my $scale = sqrt(dot(\@centred, \@centred) * (1 - $explained) / $explained / dot(\@e, \@e));
	my @v = map { $signal[$_] + $scale * $e[$_] } 0 .. 19;
	return (\@x, [ map { $logs ? exp $_ : $_ - 1000 } @v ]);
}

sub dot { my ($a, $b) = @_; my $sum = 0; $sum += $a->[$_] * $b->[$_] for 0 .. $#$a; return $sum; }

sub subtract_projection
{
	my ($v, $onto) = @_;
	for (1, 2)
	{
		my $part = dot($v, $onto) / dot($onto, $onto);
		$v->[$_] -= $part * $onto->[$_] for 0 .. $#$v;
	}
	return;
}

sub compare_integrals
{
	my ($baseline, $target, $a, $e) = @_;
	my $rows = rows("SELECT result, relative_error, x_from, x_to, baseline_integral, target_integral FROM integral_comparison($baseline, $target)") or return;
	text('result', $rows->[0][0], result_word($e->{result}));
	my @names = qw(rel_error x_from x_to baseline_integral target_integral);
	for my $i (0 .. $#names) { number($names[$i], $rows->[0][ 1 + $i ], $e->{ $names[$i] }) if exists $e->{ $names[$i] }; }
	return unless $e->{intervals};
	my $parts = rows("SELECT x_from, x_to, relative_error, result FROM integral_intervals($baseline, $target, "
		  . ($a->{sub_intervals} // $a->{intervals} // 20) . ')') or return;
	check_parts($parts, $e->{intervals}, 2, undef, 3);
	return;
}

sub compare_locally
{
	my ($baseline, $target, $a, $e) = @_;
	my $arguments = join ', ', $baseline, $target, map { "$_ => $a->{$_}" } grep { defined $a->{$_} } qw(samples density min_points);
	my $rows = rows("SELECT result, relative_error FROM local_statistics($arguments)") or return;
	text('result', $rows->[0][0], result_word($e->{result}));
	number('relative error', $rows->[0][1], $e->{rel_error});
	return unless $e->{intervals};
	my $parts = rows("SELECT x_from, x_to, relative_error, result, score FROM local_statistics_intervals($arguments)") or return;
	check_parts($parts, $e->{intervals}, 2, 4, 3);
	return;
}

sub check_parts
{
	my ($parts, $expected, $error, $score, $result) = @_;
	check('parts', @$parts == @$expected, scalar @$parts, scalar @$expected) or return;
	for my $i (0 .. $#$expected)
	{
		number("part $i from", $parts->[$i][0], $expected->[$i]{x_from});
		number("part $i to", $parts->[$i][1], $expected->[$i]{x_to});
		number("part $i error", $parts->[$i][$error], $expected->[$i]{rel_error});
		number("part $i score", $parts->[$i][$score], $expected->[$i]{score}) if defined $score;
		text("part $i", $parts->[$i][$result], result_word($expected->[$i]{result}));
	}
	return;
}

# --- running -----------------------------------------------------------------------------------------------------------------

my $run = 0;
for my $file (sort glob "'$dir'/*.json")
{
	open my $in, '<:raw', $file or die "$file: $!";
	local $/;
	my $feature = decode_json(<$in>);
	for (@{ $feature->{cases} })
	{
		$case = $_;
		next if defined $only && "$feature->{feature} $case->{function} $case->{name}" !~ /$only/;
		@failures = ();
		$compared = 0;
		my $function = $functions{ $case->{function} };
		if (!$function) { fail("no runner for $case->{function}"); next; }
		eval { $function->($case->{args}, $case->{expected}); 1 } or push @failures, "died: $@";
		ok($compared && !@failures, "$case->{function}: $case->{name} ($compared checks)")
		  or diag(join "\n", @failures[ 0 .. ($#failures < 5 ? $#failures : 5) ]);
		$run++;
	}
}
cmp_ok($run, '>', 0, "cases were found in $dir");
$db->close;
$node->stop;
done_testing();
