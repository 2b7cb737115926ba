# The golden pictures: SQL draws each of them byte by byte, whatever the server is. The unit test test_golden_pictures
# draws the same files without one. What those of two sides show is read by a program that knows the stacks alone
# (test/clients/differences.py).
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $dir = "$FindBin::RealBin/../data/golden/pictures";
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');
$db->run('CREATE FUNCTION frames_of(path stackpath) RETURNS json LANGUAGE sql AS $$ '
	  . q{SELECT coalesce(json_agg(frame(path, n) ORDER BY n), '[]') FROM generate_series(0, depth(path) - 1) AS n $$});
$db->run('CREATE FUNCTION stacks_of(fg flamegraph) RETURNS json LANGUAGE sql AS $$ '
	  . q{SELECT coalesce(json_agg(json_build_array(frames_of(stack), value)), '[]') FROM stacks(fg) $$});

sub text { return slurp_file("$dir/$_[0]") }

# {NAME} in an expression is the profile NAME.folded.
sub filled
{
	my ($expression) = @_;
	return $expression =~ s/\{([a-z][a-z0-9-]*)\}/'$text$' . text("$1.folded") . '$text$::flamegraph'/ger;
}

my @pictures = map { [ split /\t/ ] } split /\n/, text('arguments.tsv');
cmp_ok(scalar @pictures, '>=', 25, 'there are pictures');
my @cases;
for my $picture (@pictures)
{
	my ($name, $call, $shown, $before, $after, $colored) = @$picture;
	my $svg = $db->value('SELECT ' . filled($call));
	$svg =~ s{<script.*?</script>}{}s;
	is($svg, text("$name.svg"), $name);
	next if !$shown;
	my ($widths, $width) = split / /, $shown;
	my $keys = $colored ? filled("coalesce((SELECT json_agg(frames_of(key)) FROM ($colored) AS k), '[]')") : 'NULL';
	push @cases, $db->value("SELECT json_build_object('name', '$name', 'svg', " . Wire::literal($svg) . ", 'width', $width, 'widths', '$widths', 'before', stacks_of("
		  . filled($before) . "), 'after', stacks_of(" . filled($after) . "), 'colored', $keys)") . "\n";
}

my $cases = PostgreSQL::Test::Utils::tempdir . '/cases';
append_to_file($cases, join '', @cases);
my ($python) = grep { -x $_ } '/usr/bin/python3', '/usr/local/bin/python3';
$python //= 'python3';
my $read = @cases;
like(`'$python' '$FindBin::RealBin/../clients/differences.py' '$cases' 2>&1`, qr/^$read pictures, \d{2,} boxes\n\z/, 'differences show what the stacks of both sides say');

done_testing();
