# The golden pictures: SQL draws each of them byte by byte, whatever the server and its settings are. The unit tests
# test_golden_pictures and test_golden_plots draw the same files without one. What those of two sides show is read by a
# program that knows the stacks alone (test/clients/differences.py).
use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
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
$db->run('CREATE EXTENSION flamegraph_jobs CASCADE');
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
cmp_ok(scalar @pictures, '>=', 45, 'there are pictures');
my (@cases, %bytes);
for my $picture (@pictures)
{
	my ($name, $call, $shown, $before, $after, $colored) = @$picture;
	my $svg = $db->value('SELECT ' . filled($call));
	$bytes{$name} = md5_hex($svg);
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

# --- the same bytes for whoever asks ---------------------------------------------------------------------------------

# The function is no constant to the planner, so what it draws is drawn by who executes it.
$db->run(<<'SQL');
CREATE FUNCTION drawn(call text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	v_svg text;
BEGIN
	EXECUTE 'SELECT ' || call INTO v_svg;
	RETURN md5(v_svg);
END
$$;
CREATE TABLE call (name text, call text);
SQL
$db->run('INSERT INTO call VALUES ' . join ', ', map { "('$_->[0]', " . Wire::literal(filled($_->[1])) . ')' } @pictures);

my $missing = $db->rows(<<'SQL');
SELECT DISTINCT proname FROM pg_proc AS p JOIN pg_depend AS d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
WHERE proname ~ '_svg$' AND proname !~ '_from_svg$' AND prolang IN (SELECT oid FROM pg_language WHERE lanname IN ('c', 'internal'))
  AND NOT EXISTS (SELECT FROM call WHERE call ~ ('\m' || proname || '\('))
SQL
is_deeply($missing, [], 'every function that draws has a picture here');

my $settings = q{SET TimeZone = 'Asia/Tokyo'; SET DateStyle = 'German, DMY'; SET IntervalStyle = 'iso_8601'; SET extra_float_digits = -15; SET bytea_output = 'escape'; SET work_mem = 64; SET client_encoding = 'LATIN1';};
my ($locale) = grep { /\A[a-z]{2}_[A-Z]{2}\.(?:utf8|UTF-8)\z/ } split /\n/, `locale -a`;
$db->run($settings . ($locale ? "SET lc_numeric = '$locale'" : ''));
is_deeply({ map { @$_ } @{ $db->rows('SELECT name, drawn(call) FROM call') } }, \%bytes, 'again, under other settings');
$db->run('SET ' . ($db->value('SHOW server_version_num') < 160000 ? 'force_parallel_mode' : 'debug_parallel_query') . ' = on');
like(join("\n", map { @$_ } @{ $db->rows('EXPLAIN (COSTS OFF) SELECT name, drawn(call) FROM call') }), qr/Gather/, 'a parallel worker draws them');
is_deeply({ map { @$_ } @{ $db->rows('SELECT name, drawn(call) FROM call') } }, \%bytes, 'the same by a parallel worker');

done_testing();
