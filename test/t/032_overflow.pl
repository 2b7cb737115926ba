# Every function, operator, aggregate and cast with values at the edges: profiles whose total overflows, or only a
# subtree of them, or that cancel to 0; subnormal numbers, infinities, NaN; empty profiles, samples and series; the
# largest and smallest integers. Each call gives a result or a documented error. What it gives holds no infinity and no
# NaN where none is documented, and no number that is none of float8's.
#
# The calls come from the catalogs: a function that is added later is tested without being named here, and one that is
# never called with success fails the test.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Calls;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# A crash is a finding with a name, and the test goes on.
$node->append_conf('postgresql.conf', <<'CONF');
fsync = off
jit = off
restart_after_crash = on
log_min_error_statement = panic
CONF
$node->start;

my $db;

sub connect_again
{
	for (1 .. 300)
	{
		$db = eval { Wire->connect($node, 'postgres') };
		# The server may not have noticed yet that a session of it is dead, and then ends this one, too.
		last if $db && eval { $db->query('SELECT pg_sleep(0.5)') };
		select undef, undef, undef, 0.1;
	}
	$db or BAIL_OUT('the server does not come back');
	$db->run("SET client_min_messages = error; SET statement_timeout = '60 s'");
	return;
}

connect_again();
$db->run('CREATE EXTENSION flamegraph; CREATE SCHEMA calls');
my $calls = Calls->new($db, 'flamegraph');
$calls->add_accumulators('calls');

is_deeply([ $calls->unknown_types ], [], 'there are values of every type of argument');

# What SQL cannot call at all.
is_deeply([ sort map { $_->[0] =~ s/\(.*//r } $calls->refused ], [ sort qw(
	  flamegraph_recv flameseries_recv flamestats_recv perfmodel_recv stackpath_recv stackquery_recv stackpath_contains_support stackpath_contained_support
	  flame_chart_accum flame_chart_accum flame_chart_accum flame_chart_final gin_extract_stackpath gin_extract_flamegraph gin_frame_compare_prefix gin_stackpath_extract_query gin_stackpath_consistent
	  gin_stackpath_triconsistent gin_flamegraph_extract_query gin_flamegraph_consistent gin_flamegraph_triconsistent
	  gin_extract_flameseries gin_flameseries_extract_query gin_flameseries_consistent gin_flameseries_triconsistent) ],
	'only support functions have arguments of type internal');

# --- what is allowed -------------------------------------------------------------------------------------------------

# A value is out of range or no value of the type (22), a limit is exceeded (54), the call makes no sense (0A). Not:
# internal errors (XX), a statement that takes longer than the timeout (57014).
my $allowed_error = qr/^(?:22[0-9A-Z]{3}|54000|54001|0A000)$/;

# An infinity or NaN that is meant, by function and column.
my %not_finite = (
	# A ratio to a baseline that is 0, or next to it.
	(map { $_ => 'relative to the baseline' } map { "$_.relative_error" } qw(
		  integral_comparison integral_intervals integral_points local_statistics local_statistics_intervals local_statistics_points model_difference)),
	(map { $_ => 'relative to the baseline' } map { "local_statistics_intervals.$_" } qw(avg med max min sum q1 q3)),
	'average_amount.ratio' => 'relative to the baseline',
	'bandwidth_objective.cv_ls' => 'a point has no estimate',
	'bandwidth_objective.aicc' => 'a point has no estimate, or all are met exactly',
	'format_value.result' => 'written as it is',
	# Deviations from what has none.
	'compare_profiles.t' => 'both groups are constant and differ',
	'compare_stats.t' => 'both groups are constant and differ',
	(map { $_ => 'over a deviation of 0' } qw(
		  deviation_scores.score deviation_scores.raw_score run_scores.raw_score expand_context.raw_score expand_step.raw_score regression_report.raw_score
		  exclusive_time_outliers.modified_z exclusive_time_outliers.stddev_multiple)));

# --- calls and their results -----------------------------------------------------------------------------------------

my (%succeeded, %documented);
my (@problems, %told);
my ($n_calls, $n_results) = (0, 0);

sub problem
{
	my ($c, $what, $sql) = @_;
	# One line for each kind; the first call of a kind is as good as the others.
	return if $told{"$c->{name} $what"}++;
	push @{ $c->{problems} }, "$what: $sql";
	return;
}

# Why a text that holds numbers cannot be right, or undef. The arguments may hold any number, and come back as they are;
# #5e6678 is a colour.
sub bad_number
{
	my ($text, $sql) = @_;
	while ($text =~ /(?<![\w.#])(-?[0-9]+(?:\.[0-9]*)?)(?:e([-+]?[0-9]+))?(?![\w.])/gi)
	{
		my ($number, $mantissa) = ($&, $1);
		next if index($sql, $number) >= 0 || $sql =~ /1e400/;
		return "out of range: " . substr($number, 0, 40) if abs(0 + $number) == 9**9**9;
		# float8 needs 17 digits; a jsonb shows the zeros that follow, too.
		(my $digits = $mantissa) =~ s/[-.]//g;
		$digits =~ s/^0+|0+$//g;
		return "more digits than a number has: " . substr($number, 0, 60) if length $digits > 17;
	}
	return;
}

sub check_value
{
	my ($c, $column, $type, $value, $sql) = @_;
	return if $type eq 'bytea' || $type =~ /^(?:integer|bigint|boolean)/;
	# The viewer's script is the same in every picture, and JavaScript has a word for infinity.
	$value =~ s{<script>.*?</script>}{}s;
	if ($value =~ /(?<![\w.])-?(?:inf|infinity|nan)(?![\w.])/i)
	{
		my $where = "$c->{proname}.$column";
		my $word = $&;
		if ($not_finite{$where}) { $documented{$where} = 1; }
		else { problem($c, "$word in column $column", $sql); }
	}
	my $bad = bad_number($value, $sql);
	problem($c, "column $column is $bad", $sql) if defined $bad;
	return;
}

sub call
{
	my ($c, $sql, $is_something) = @_;
	$n_calls++;
	my $result = eval { $db->query($sql) };
	if (!$result)
	{
		problem($c, "CRASH ($@)" =~ s/\n//gr, $sql);
		connect_again();
		return;
	}
	if (my $error = $result->{error})
	{
		problem($c, "error $error->{sqlstate} $error->{message}", $sql) if $error->{sqlstate} !~ $allowed_error;
		return;
	}
	$succeeded{ $c->{name} } = 1 if $is_something;
	$n_results++;
	my @columns = @{ $c->{out} } ? @{ $c->{out} } : ([ 'result', $c->{result} ]);
	for my $row (@{ $result->{rows} })
	{
		for my $i (0 .. $#$row)
		{
			check_value($c, @{ $columns[$i] // [ 'result', 'text' ] }, $row->[$i], $sql) if defined $row->[$i];
		}
	}
	return;
}

# All rows of arguments in which one argument is replaced, and those in which every argument of a type is.
sub variations
{
	my ($c) = @_;
	my @ordinary = $calls->ordinary($c);
	my @rows = ([@ordinary]);
	my %same;
	for my $n (0 .. $#ordinary)
	{
		my $type = $c->{args}[$n]{type};
		push @{ $same{$type} }, $n;
		for my $value ($calls->literals($type, \&check_literal))
		{
			# As many as were asked for, which takes as long as it takes.
			next if $c->{args}[$n]{name} eq 'permutations' && $value->[0] eq 'largest';
			my @row = @ordinary;
			$row[$n] = $value->[1];
			push @rows, \@row;
		}
		for my $word ($calls->words($c, $n))
		{
			last if $type ne 'text';
			my @row = @ordinary;
			$row[$n] = "'$word'::text";
			push @rows, \@row;
		}
	}
	for my $type (sort grep { @{ $same{$_} } > 1 } keys %same)
	{
		for my $value (map { $_->[1] } $calls->literals($type))
		{
			my @row = @ordinary;
			$row[$_] = $value for @{ $same{$type} };
			push @rows, \@row;
		}
	}
	return @rows;
}

# The values themselves come from aggregates and fits.
sub check_literal
{
	my ($name, $sql, $result) = @_;
	my $error = $result->{error} or return;
	like($error->{sqlstate}, $allowed_error, "$name can be made, or is refused") or diag("$error->{message}: $sql");
	return;
}

for my $c ($calls->all)
{
	my @ordinary = $calls->ordinary($c);
	for my $row (variations($c))
	{
		# A strict function answers NULL to a NULL, which says nothing of it.
		my $is_something = (grep { /^NULL::/ } @$row) <= (grep { /^NULL::/ } @ordinary);
		if ($c->{kind} ne 'a') { call($c, $calls->statement($c, $row), $is_something); next; }
		call($c, $calls->statement($c, $_ == 1 ? $row : ($row, $row, \@ordinary)), $is_something) for 1, 2;
		call($c, $calls->window($c, $row, \@ordinary, $row), $is_something);
	}
	ok(!$c->{problems}, "$c->{name}: results and documented errors only") or diag(join "\n", @{ $c->{problems} });
}
# Aggregates' functions may refuse to be called by hand.
for my $c ($calls->all)
{
	ok($succeeded{ $c->{name} } || $c->{accumulator} && $succeeded{"aggregate of $c->{name}"}, "$c->{name} has given a result");
}
is_deeply([ grep { !$documented{$_} } sort keys %not_finite ], [], 'every infinity that is allowed was seen');
note("$n_calls calls, $n_results results");

$db->close;
$node->stop;
done_testing();
