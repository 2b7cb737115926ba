# The golden pictures: SQL draws each of them byte by byte, whatever the server is. The unit test test_golden_pictures
# draws the same files without one.
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

sub text { return slurp_file("$dir/$_[0]") }

my @pictures = map { [ split /\t/ ] } split /\n/, text('arguments.tsv');
cmp_ok(scalar @pictures, '>=', 12, 'there are pictures');
for my $picture (@pictures)
{
	my ($name, $profile, $arguments) = @$picture;
	my $folded = text("$profile.folded");
	my $svg = $db->value("SELECT flamegraph_svg(\$text\$$folded\$text\$::flamegraph, $arguments)");
	$svg =~ s{<script.*?</script>}{}s;
	is($svg, text("$name.svg"), $name);
}

done_testing();
