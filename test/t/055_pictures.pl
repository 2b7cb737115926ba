# Flame graphs: each box against what node_facts() says, by a reader of its own (test/clients/boxes.py); the same bytes
# under other settings; hostile text everywhere; values back from their pictures.
use strict;
use warnings;

use Digest::SHA qw(sha256_base64);
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\nmax_parallel_workers = 8\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');

my $clients = "$FindBin::RealBin/../clients";
my $dir = PostgreSQL::Test::Utils::tempdir;
my ($python) = grep { -x $_ } '/usr/bin/python3', '/usr/local/bin/python3';
$python //= 'python3';

# --- profiles: recorded ones, random ones, hostile names ---------------------------------------------------------------

$db->run('CREATE TABLE profile (name text PRIMARY KEY, fg flamegraph)');
for my $file (qw(go-cpu.folded postgres.cpu-clock.folded work.cpu.folded work.full.folded))
{
	my $hex = unpack 'H*', slurp_file("$FindBin::RealBin/../data/formats/$file");
	$db->run("INSERT INTO profile VALUES ('$file', flamegraph_from_folded('\\x$hex'::bytea))");
}
$db->run(<<'SQL');
INSERT INTO profile VALUES ('empty', ''), ('empty stack', ' 7'), ('one', 'a 1'), ('fractions', E' 0.25\na;b 0.1\na;c 0.2\nd 1e-7');
INSERT INTO profile
	SELECT 'random ' || p, flamegraph_agg(ARRAY(SELECT 'f' || hashint8(p * 1000000 + i * 100 + d) % 7 FROM generate_series(1, 1 + i % 9) AS d),
		1 + abs(hashint8(p * 7919 + i)::int8) % (10 ^ (p % 5))::int8)
	FROM generate_series(1, 12) AS p, generate_series(1, 60 * p) AS i GROUP BY p;
-- names that break pictures, as frames and as whole stacks
CREATE TABLE hostile (name text);
INSERT INTO hostile VALUES ('</title><script>alert(1)</script>'), ('" onload="alert(1)'), (''' onload=''alert(1)'), (']]>'), ('<![CDATA['),
	('&#0;'), ('&amp;'), (E'\u0001'), (E'\u202Egnp.exe'), (E'a\u200Bb'), (E'\uFEFF'), (E'\uFFFE'), (E'\u0085'), (E'\u2028'), (E'\t'), ('--><!--'),
	('</metadata><script>'), ('javascript:alert(1)'), ('<svg onload=alert(1)>'), ('url(http://example.com/)'), ('{{7*7}}'), ('\'), ('"'), (E'\u4E3B\u8981'),
	(repeat('x', 1000)), (repeat(E'\u00E4', 1001)), (repeat('<', 4900));
INSERT INTO profile SELECT 'hostile', flamegraph_agg(ARRAY['main', name, name || '::' || name], 10) FROM hostile;
SQL

# --- each box ------------------------------------------------------------------------------------------------------------

my @drawings = (
	[ '', { width => 1200, min_width => 0.5 } ],
	[ q{, width => 400, min_width => 3, sort => 'value'}, { width => 400, min_width => 3, by_value => 1 } ],
	[ q{, width => 333, min_width => 0, orientation => 'flame', interactive => false}, { width => 333, min_width => 0, flame => 1, interactive => 0 } ],
	[ q{, width => 10000, min_width => 0.01, color => 'module', options => '{"max_rows": 4}'}, { width => 10000, min_width => 0.01, max_rows => 4, color => 'module' } ],
	[ q{, width => 640, min_width => 20, color => 'self', options => '{"max_rows": 1, "theme": "dark"}'}, { width => 640, min_width => 20, max_rows => 1, color => 'self' } ]);

my $cases = '';
for my $drawing (@drawings)
{
	my ($arguments, $options) = @$drawing;
	my %options = (flame => 0, by_value => 0, interactive => 1, max_rows => 400, color => 'frame', %$options);
	my $json = join ', ', map { "'$_', " . (/flame|by_value|interactive/ ? ($options{$_} ? 'true' : 'false') : /color/ ? "'$options{$_}'" : $options{$_}) } sort keys %options;
	$cases .= "$_->[0]\n" for @{ $db->rows(<<"SQL") };
SELECT json_build_object('name', name, 'svg', flamegraph_svg(fg$arguments), $json, 'empty', fg -> '',
	'nodes', coalesce((SELECT json_agg(json_build_array(node, parent, frame, depth, self, total) ORDER BY node) FROM node_facts(fg)), '[]'))
FROM profile ORDER BY name
SQL
}
append_to_file("$dir/cases", $cases);
my $pictures = @drawings * $db->value('SELECT count(*) FROM profile');
my $said = `'$python' '$clients/boxes.py' '$dir/cases' 2>&1`;
like($said, qr/^$pictures pictures, \d{4,} boxes\n\z/, 'each box is where node_facts() says');

# The oracle itself: a box that is moved, one that is missing, markup that is not ours.
for my $harm ([ '<rect x="10" y', '<rect x="11" y' ], [ '<g class=\"f\" data-n=\"1\">', '<g class=\"f\" data-n=\"2\">' ], [ '<title>', '<script/><title>' ])
{
	my ($line) = grep { /"name" : "random 5"/ } split /\n/, $cases;
	my ($from, $to) = map { s/(?<!\\)"/\\"/gr } @$harm;
	ok($line =~ s/\Q$from\E/$to/, "there is $harm->[0]");
	unlink "$dir/harmed";
	append_to_file("$dir/harmed", "$line\n");
	unlike(`'$python' '$clients/boxes.py' '$dir/harmed' 2>&1`, qr/^1 pictures/, "a change to $harm->[1] is noticed");
}

# --- hostile text in every argument ----------------------------------------------------------------------------------------

my $texts = q{title => name, unit => name, options => jsonb_build_object('subtitle', name, 'notes', name, 'search', name, 'zoom', name)};
# As arguments, as frames, and as the frame that a sandwich is of, which is there or not.
my $frame = q{(SELECT flamegraph_agg(ARRAY['a', n, 'b'], 1) FROM (SELECT name) AS v (n))};
my $group = "(SELECT ARRAY[fg, fg * 2] FROM (SELECT $frame) AS g (fg))";
my @of_hostile = ("flamegraph_svg('a;b 1', $texts)", "sandwich_svg('a;b 1', name, $texts)", "sandwich_svg($frame, name, $texts)", "flamegraph_diff_svg(flamegraph 'a;b 1', $frame, $texts)",
	"flamegraph_diff_svg($group, $group, $texts)", "flamegraph_parts_svg(flamegraph 'a;b 1', $frame, $texts)");
SKIP:
{
	skip 'xmllint is not installed', 1 if system('xmllint --version >/dev/null 2>&1') != 0;
	mkdir "$dir/svg";
	my $n = 0;
	my @rows = map { @{ $db->rows($_) } } 'SELECT flamegraph_svg(fg) FROM profile', map { "SELECT $_ FROM hostile" } @of_hostile;
	append_to_file("$dir/svg/" . $n++ . '.svg', $_->[0]) for @rows;
	is(`xmllint --noout '$dir'/svg/*.svg 2>&1`, '', 'xmllint reads them all');
}
# The script is the same in all pictures, so it is left out of what is looked at.
for my $call (@of_hostile)
{
	my $svg = "replace($call, substring(flamegraph_svg('a 1') from '<script>.*</script>'), '')";
	my ($what) = $call =~ /^(\w+\(.*?,)/;
	is($db->value("SELECT count(*) FROM hostile WHERE $svg ~ '<script|<svg o|onload=\"|<!'"), 0, "text stays text: $what");
	# colours go by name; a label that does not fit is left out, and long titles take more lines
	is($db->value("SELECT count(DISTINCT elements) FROM hostile, LATERAL (SELECT string_agg(m[1], ' ') AS elements FROM regexp_matches($svg, '<(/?[a-z]+)', 'g') AS m WHERE m[1] !~ 'text') AS e WHERE length(name) < 12"), 1,
		"no text makes an element: $what");
	is($db->value("SELECT count(*) FROM hostile WHERE length(name) > 1000 AND length(@{[ $call =~ s/\)$/, interactive => false)/r ]}) > 120000"), 0, "long texts are cut: $what");
}

# --- the script ------------------------------------------------------------------------------------------------------------

my ($script) = $db->value("SELECT flamegraph_svg('a 1')") =~ /<script><!\[CDATA\[(.*)\]\]><\/script>/s;
is($db->value('SELECT svg_script_hash()'), 'sha256-' . sha256_base64($script) . '=', 'svg_script_hash() is the hash of what stands in pictures');
cmp_ok(length $script, '<=', 20480, 'the script has at most 20 kB');
unlike($script, qr/\beval\b|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\]\]>|<\/|[^\x0A -~]/, 'the script makes no markup and no code of text');

# --- the same bytes --------------------------------------------------------------------------------------------------------

my $all = q{SELECT md5(string_agg(flamegraph_svg(fg, title => name, color => c), '' ORDER BY name, c)) FROM profile, unnest('{frame,module,kind,self,depth,none}'::text[]) AS c};
my $bytes = $db->value($all);
for my $setting (q{TimeZone = 'Asia/Tokyo'}, q{DateStyle = 'German'}, 'extra_float_digits = -15', q{IntervalStyle = 'iso_8601'}, q{bytea_output = 'escape'}, 'work_mem = 64')
{
	$db->run("SET $setting");
	is($db->value($all), $bytes, "the same bytes with $setting");
	$db->run('RESET ' . $setting =~ s/ =.*//r);
}
for my $locale (grep { /\A[a-z]{2}_[A-Z]{2}\.(?:utf8|UTF-8)\z/ } split /\n/, `locale -a`)
{
	$db->run("SET lc_numeric = '$locale'");
	is($db->value($all), $bytes, "the same bytes with lc_numeric = '$locale'");
	$db->run('RESET lc_numeric');
}
$db->run("SET client_encoding = 'LATIN1'");
is($db->value($all), $bytes, 'the same bytes with another client_encoding');
$db->run('RESET client_encoding');
$db->run('SET ' . ($db->value('SHOW server_version_num') < 160000 ? 'force_parallel_mode' : 'debug_parallel_query') . ' = on');
is($db->value($all), $bytes, 'the same bytes by parallel workers');
is($db->value("SELECT count(DISTINCT flamegraph_svg(fg)) FROM profile WHERE name = 'one' OR fg = 'a 1'"), 1, 'equal values, equal pictures');
is($db->value(q{SELECT count(*) FROM profile WHERE name <> 'empty' AND regexp_replace(flamegraph_svg(fg * 2), 'fg[0-9a-f]{8}|>[^<]*<', '', 'g') <> regexp_replace(flamegraph_svg(fg), 'fg[0-9a-f]{8}|>[^<]*<', '', 'g')}), 0,
	'twice the values, the same boxes');

# --- back again ------------------------------------------------------------------------------------------------------------

is($db->value('SELECT count(*) FROM profile WHERE flamegraph_send(flamegraph_from_svg(flamegraph_svg(fg, title => name, min_width => 50))) <> flamegraph_send(fg)'), 0,
	'a picture holds its profile');
# What a picture says of its limits, and errors of what is too deep.
is($db->value(<<"SQL"), $_->[1], "a footnote says what max_boxes left out: $_->[0]")
SELECT (regexp_match(flamegraph_svg(E'm;a;x 100\\nm;b;x 50\\nm;c;hot 9', options => '$_->[0]'), '; ([a-z ]* left out to draw at most \\d*)'))[1]
SQL
  for [ '{"max_boxes": 1}', 'deeper rows are left out to draw at most 1' ], [ '{"max_boxes": 1, "max_rows": 1}', 'boxes of several are left out to draw at most 1' ];
is($db->value(q{SELECT (regexp_match(sandwich_svg(E'm;a;x 100\nm;b;y 1', 'y', options => '{"max_nodes": 1}'), '"frames":(\[.*?\])'))[1]}), '["m","y"]',
	'data have the names of their nodes, and that of the sandwich');
for my $call ('fg', 'fg, fg')
{
	my $deep = $db->query("SELECT flamegraph_to_json($call) FROM (SELECT flamegraph_agg(array_fill('f'::text, ARRAY[65535]), 1) AS fg) AS v");
	is("$deep->{error}{sqlstate} " . ($deep->{error}{hint} =~ /(cut_depth)\(\)/)[0], '54001 cut_depth', "what helps with a profile that is too deep: flamegraph_to_json($call)");
}

my $result = $db->query("SELECT flamegraph_from_svg(flamegraph_svg('a;b 1', options => '{\"max_nodes\": 1}'))");
is($result->{error}{sqlstate}, '22023', 'not all nodes: refused');
$result = $db->query(q{SELECT flamegraph_from_svg(flamegraph_svg('a;b 1', interactive => false))});
is($result->{error}{sqlstate}, '22P02', 'no data: refused');
$result = $db->query(q{SELECT flamegraph_from_svg(flamegraph_svg(flamegraph_agg(ARRAY[repeat('x', 10001)], 1)))});
is($result->{error}{sqlstate}, '22023', 'a name that was cut: refused');

done_testing();
