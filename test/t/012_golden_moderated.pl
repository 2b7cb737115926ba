# Moderated variances against R: every case of test/data/golden/moderated (or $GOLDEN_MODERATED_DIR) is what limma 3.54
# makes of two groups of profiles (squeezeVar with a trend over the mean), and of the last run against the first group.
# Numbers agree to 1e-9, relatively.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $dir = $ENV{GOLDEN_MODERATED_DIR} // "$FindBin::RealBin/../data/golden/moderated";
my $tolerance = 1e-9;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph; SET extra_float_digits = 1');

sub profiles { return 'ARRAY[' . join(', ', map { Wire::literal($_) } @{ $_[0] }) . ']::flamegraph[]'; }

sub slurp
{
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$file: $!";
	local $/;
	return scalar <$in>;
}

# What is wrong with a row's numbers, the first of them.
sub mismatch
{
	my ($row, $expected, @columns) = @_;
	for my $place (0 .. $#columns)
	{
		my $value = $expected->{ $columns[$place] };
		my $got = $row->[$place];
		next if $got ne 'NaN' && abs($got - $value) <= $tolerance * abs $value;
		return "$columns[$place] is $got, not $value";
	}
	return;
}

# Rows whose first column is the key against a list of what is expected of each.
sub rows_agree
{
	my ($name, $query, $expected, @columns) = @_;
	my %row = map { my ($key, @rest) = @$_; ($key => \@rest) } @{ $db->rows($query) };
	my @wrong;
	for my $wanted (@$expected)
	{
		my $row = delete $row{ $wanted->{key} };
		my $reason = $row ? mismatch($row, $wanted, @columns) : 'no row';
		push @wrong, "$wanted->{key}: $reason" if defined $reason;
	}
	push @wrong, "$_: not expected" for sort keys %row;
	ok(!@wrong, $name) or diag(join "\n", splice @wrong, 0, 5);
}

my @test = qw(var_post df t p_value);
my $columns = 'key::text, stddev ^ 2, df, t, p_value, q_value';
my $has_history = $db->value(q{SELECT count(*) FROM pg_proc WHERE proname = 'deviation_scores' AND 'variance' = ANY (proargnames)});
my @cases = sort glob "$dir/*.json";
ok(@cases > 0, "there are cases in $dir");

for my $file (@cases)
{
	my $case = decode_json(slurp($file));
	my ($before, $after) = map { profiles($case->{$_}) } qw(before after);
	my $compared = [ grep { $_->{mean_before} || $_->{mean_after} } @{ $case->{comparison} } ];
	rows_agree("$case->{name}: two groups", "SELECT $columns FROM compare_profiles($before, $after, variance => 'moderated')",
		$compared, @test, 'q_value');
	rows_agree("$case->{name}: from statistics",
		"SELECT $columns FROM compare_stats((SELECT stats(p) FROM unnest($before) AS p), "
		  . "(SELECT stats(p) FROM unnest($after) AS p), variance => 'moderated')",
		$compared, @test, 'q_value');
	my $last = profiles([ $case->{after}[-1] ]);
	next unless $has_history;
	rows_agree("$case->{name}: the last run against a history",
		"SELECT key::text, expected, actual, stddev ^ 2, df, score / sqrt(1 + 1.0::float8 / n), p_value "
		  . "FROM deviation_scores($before, ($last)[1], window_size => $case->{n1}, poisson_unit => 0, variance => 'moderated') "
		  . 'WHERE expected > 0',
		$case->{last_against_history}, qw(expected actual), @test);
}

done_testing();
