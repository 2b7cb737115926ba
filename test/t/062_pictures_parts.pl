# The viewer of the four parts of a change, of keys that are not boxes, and of pictures of nothing, in Chromium (test/browser/parts.mjs). What it is
# expected to find is asked from SQL here.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Unicode::UCD ();

use lib $FindBin::RealBin;
use Browser;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');

my ($before, $after) = (q{flamegraph E'main;parse;read 400\nmain;parse;tokenize 210\nmain;parse 90\nmain;render;measure 120\nmain;render;paint 75\nmain;old;gone 60\nmain 30\nidle 69'},
	q{flamegraph E'main;parse;read 700\nmain;parse;tokenize 215\nmain;parse 20\nmain;render;measure 60\nmain;render;paint 75\nmain;new;work 80\nmain 30\nidle 69'});
my $names = 'ARRAY[' . join(', ', map { Wire::literal($_) } '</title><script>alert(1)</script>', '" onload="alert(1)', ']]>', '&#0;', "\x01", "\xe2\x80\xaegnp.exe", '</metadata><script>alert(1)</script>') . ']::text[]';
my $text = Wire::literal('</title><script>alert(1)</script> ]]>');
# Twelve frames that are longer than a line of the status, with characters that are not shown as they are.
my $long = "(SELECT array_agg('namespace_' || i || '::Class::method(int, std::string const&) ' || chr(8238) || 'x') FROM generate_series(1, 12) AS i)";
# Leaves that are too thin to be drawn.
my $many = "(SELECT flamegraph_agg(ARRAY['main', 'thin', 'f' || i], 0.3) FROM generate_series(1, 40) AS i)";
# Both sides of every border between characters of one column and of two, and some that are written out, in boxes of 23 columns.
my @wide = map { /\p{East_Asian_Width=W}|\p{East_Asian_Width=F}/ ? 1 : 0 } map { chr } 0 .. 0xD7FF, (0xFFFD) x 0x800, 0xE000 .. 0x3FFFD;
my @characters = grep { ($_ < 0xD800 || $_ >= 0xE000) && $_ % 0x10000 < 0xFFFE } 1, 0x85, 0x200B, 0x202E, map { ($_ - 1, $_) } grep { $wide[$_] != $wide[ $_ - 1 ] } 1 .. $#wide;
my $labels = 'flamegraph_agg(ARRAY(SELECT prefix || repeat(chr(c), times) FROM unnest(ARRAY[' . join(', ', @characters) . "]) AS c, (VALUES ('', 12), ('abc::', 10), ('a.c::', 2)) AS v (prefix, times) ORDER BY c, times), 1), width => 200";
# Names that are long, in many ways; one is longer than what the data have of a name.
my @long = ('a::' x 1500 . 'last', 'x' x 4000 . '::' . 'y' x 5000, 'std::map<' . 'k::' x 2000 . '>::find', '<' x 6000 . '::z', '(a.b)::' x 900 . 'c' x 30, "\xc3\xa4/" x 3000 . 'e', "\xf0\x9f\x94\xa5" x 700, "\xf0\x9f\x94\xa5" x 1001,
	"m::\xf0\x9f\x94\xa5" . "\xf0\x9f\x94\xa5" x 5001, "\xf0\x90\x80\x80::" x 2500 . 'f', 'b::' x 1365 . 'g', 'b::' x 1366 . 'gh', "operator<" . '::x' x 2000);
my $lengths = sub { my ($cut, @names) = @_; 'flamegraph_svg(flamegraph_agg(ARRAY[' . join(', ', map { Wire::literal($_) } @names) . qq{], 1), options => '{"truncate": "$cut"}')} };
my %drawn = (
	(map { ("names-$_" => $lengths->($_, @long), "cut-$_" => $lengths->($_, "\xc3\xa4::" x 4000 . 'end', 'x')) } 'qualifier', 'end', 'start'),
	parts => "flamegraph_parts_svg($before, $after)",
	marked => qq{flamegraph_parts_svg($before, $after, color => 'module', options => '{"highlight": "*;parse;*", "palette": "safe"}')},
	groups => "flamegraph_parts_svg(ARRAY[$before, $before * 1.01, $before * 0.99], ARRAY[$after, $after * 1.01, $after * 0.99])",
	thin => "flamegraph_parts_svg($before, (SELECT flamegraph_agg(ARRAY['main', 'new', 'f' || i], 1) FROM generate_series(1, 900) AS i) + $after, options => '{\"max_rows\": 3}')",
	hostile => "(SELECT flamegraph_parts_svg(flamegraph_agg(ARRAY['main', name], 10), flamegraph_agg(ARRAY['main', name, name], 20), $text, $text, options => jsonb_build_object('subtitle', $text, 'search', $text)) FROM unnest($names) AS name)",
	(map { ("level-$_" => "flamegraph_diff_svg($before, $after + E'idle;read 100', level => '$_', poisson_unit => 1)") } 'frame', 'stack', 'self'),
	history => "flamegraph_diff_svg(ARRAY[$before, $before * 1.01, $before * 0.98, $before * 1.005], $after)",
	textures => "flamegraph_diff_svg($before, $after, options => '{\"palette\": \"grey\"}')",
	(map { ("sandwich-$_" => "sandwich_svg($before + E'main;render;read 50\\nidle;read;more 7', 'read', color => '$_')") } 'self', 'depth', 'frame'),
	runs => "flamegraph_diff_svg(ARRAY[$before, $before * 1.0123, $before * 0.9876 + 'main;new;work 0.1'] || flamegraph '', ARRAY[$after, $after * 1.0456, $after * 0.9789], 'runs', 'milliseconds')",
	'runs-few' => "flamegraph_diff_svg(ARRAY[$before], ARRAY[$after, $after * 1.0456, $after * 0.9789])",
	(map { ("widths-$_" => "flamegraph_diff_svg(($before) * 0.1, ($after) * 0.1, widths => '$_', unit => 'bytes')") } 'after', 'before', 'change'),
	(map { ("values-$_->[0]" => "flamegraph_svg(($before + $many) * $_->[1], unit => '$_->[2]')") } [ 'tenths', 0.1, 'samples' ], [ 'tiny', 1.1e-10, 'seconds' ], [ 'huge', 3e15, 'nanoseconds' ], [ 'large', 1e6, 'calls' ], [ 'bytes', 123456, 'bytes' ],
		[ 'plain', 17.25, '' ], [ 'share', 0.0001, 'fraction' ]),
	(map { ("labels-$_->[0]" => "flamegraph_svg($labels, options => '{\"max_rows\": 2000, $_->[1]}')") } [ 'qualifier', '"truncate": "qualifier"' ], [ 'end', '"truncate": "end", "frame_height": 16' ], [ 'start', '"truncate": "start", "font_size": 11' ]),
	'sandwich-tenths' => "sandwich_svg(($before + E'main;render;read 50\\nidle;read;more 7') * 0.1, 'read')",
	percent => "flamegraph_diff_svg($before, $after, width => 400, options => jsonb_build_object('subtitle', repeat('one 12 % of two 3 % ', 12), 'notes', repeat('a 1 % ', 60)))",
	untested => "flamegraph_diff_svg($before, $after)",
	long => "flamegraph_svg(flamegraph_agg(${long}::text[], 1))",
	empty => "flamegraph_svg('')",
	unchanged => "flamegraph_parts_svg($before, $before)",
	'no-difference' => "flamegraph_diff_svg($before, $before, widths => 'change')");
my %svg = map { $_ => $db->value("SELECT $drawn{$_}") } keys %drawn;
append_to_file("$dir/$_.svg", $svg{$_}) for sort keys %svg;

# --- widths of characters -----------------------------------------------------------

# Twelve of one have 12 or 24 columns, of which 23 fit: those of symbols and all around borders, as Perl's Unicode has them.
SKIP:
{
	my $version = Unicode::UCD::UnicodeVersion();
	skip 'Perl has an older Unicode', 1 if $version < 14;
	my @all = grep { chr($_) =~ /\p{In=14.0}/ && chr($_) !~ /[\p{Cn}\p{Co}\x{FEFF}\x{FE00}-\x{FE0F}]/ && ($version < 16 || chr($_) !~ /[\x{2630}-\x{2637}\x{268A}-\x{268F}\x{4DC0}-\x{4DFF}]/) }
		0x1100 .. 0x11FF, 0x2300 .. 0x2BFF, 0x2E80 .. 0x33FF, 0x4DA0 .. 0x4E10, 0xA480 .. 0xA4FF, 0xA950 .. 0xA980, 0xD790 .. 0xD7FF, 0xF900 .. 0xF910, 0xFAF0 .. 0xFB10, 0xFE00 .. 0xFFEF, 0x16F00 .. 0x17010, 0x1AF00 .. 0x1B2FF, 0x1F000 .. 0x1FAFF, 0x20000 .. 0x20010;
	my $chain = $db->value('SELECT flamegraph_svg(flamegraph_agg(ARRAY(SELECT repeat(chr(c), 12) FROM unnest(ARRAY[' . join(', ', @all) . q{]) WITH ORDINALITY AS v (c, n) ORDER BY n), 1), width => 200, interactive => false, options => '{"max_rows": 65536}')});
	my @shortened = map { /\xe2\x80\xa6<\/text>/ ? 1 : 0 } $chain =~ m{<g class="f" data-n="[1-9]\d*">(.*?)</g>}sg;
	is_deeply([ map { sprintf 'U+%X', $_ } @all[ grep { $shortened[$_] } 0 .. $#all ] ], [ map { sprintf 'U+%X', $_ } grep { chr($_) =~ /\p{East_Asian_Width=W}|\p{East_Asian_Width=F}/ } @all ],
		'characters that are wide in Unicode, and no others, have two columns: ' . @shortened);
}

# --- the data -----------------------------------------------------------------------

is($db->sqlstate("SELECT flamegraph_from_svg($drawn{parts})"), '22023', 'is not read as a profile');
my ($json) = $svg{parts} =~ m{<metadata>(.*?)</metadata>}s;
my $facts = 'SELECT %s FROM (SELECT ' . Wire::literal($json // '{}') . '::jsonb AS d) AS s';
is($db->value(sprintf $facts, "d ->> 'kind'"), 'parts', 'data of parts');
is($db->value(sprintf $facts, "d -> 'totals' = jsonb_build_array(total($before), total($after)) AND (d ->> 'total')::float8 = norm($after - $before, 1)"), 't', 'with both totals and the whole change');
is($svg{parts} =~ /<script>/ ? $db->value('SELECT flamegraph_parts_svg(flamegraph \'a 1\', flamegraph \'a 2\', interactive => false)') =~ /<script|<metadata/ : 'none', '', 'only where it is interactive');
is($db->value("SELECT flamegraph_parts_svg(ARRAY[]::flamegraph[], ARRAY[$after])") =~ /<script|<metadata/, '', 'and where there is something to compare');

# Sums in another order, or divided by a factor, differ in their last digits.
like($db->value("SELECT flamegraph_diff_svg(E'm;a 500\\nm;b 1000\\nm;c 10'::flamegraph, E'm;a 550\\nm;b 1100\\nm;c 11', widths => 'change', size_factor => 'total')"), qr/nothing has changed/, 'a factor changes nothing');
like($db->value("SELECT flamegraph_diff_svg(ARRAY['a;b 0.1', 'a;b 0.2', 'a;b 0.3']::flamegraph[], ARRAY['a;b 0.3', 'a;b 0.2', 'a;b 0.1']::flamegraph[], widths => 'change')"), qr/nothing has changed/, 'nor does an order');

# --- in the browser -----------------------------------------------------------------

Browser::install('browser', $dir, 120);

# Each stack's part of the change, from both values alone.
$db->run("CREATE TABLE part AS SELECT path, part, side, value, sum FROM
	(SELECT coalesce(a.stack, b.stack)::text[] AS path, coalesce(b.value, 0) AS b, coalesce(a.value, 0) AS a FROM stacks($before) AS b FULL JOIN stacks($after) AS a USING (stack)) AS s,
	LATERAL (VALUES (1, 'appeared', 'after', CASE WHEN b = 0 THEN a ELSE 0 END, total($after)), (2, 'grown', 'after', CASE WHEN b > 0 AND a > b THEN a - b ELSE 0 END, total($after)),
		(3, 'disappeared', 'before', CASE WHEN a = 0 THEN b ELSE 0 END, total($before)), (4, 'shrunk', 'before', CASE WHEN a > 0 AND b > a THEN b - a ELSE 0 END, total($before))) AS p (n, part, side, value, sum)
	ORDER BY n");
my $nodes = "SELECT jsonb_agg(jsonb_build_array(part, coalesce(path[d], 'all'), v::text, side)) FROM (SELECT part, side, path[1:d] AS path, d, sum(value) AS v FROM part, generate_series(0, cardinality(path)) AS d WHERE value > 0 GROUP BY 1, 2, 3, 4) AS n";
# What a search says: of each part, whichever frames of it match.
my $said = sub {
	my ($text, $frames, @match) = @_;
	my $match = 'path && ' . Wire::literal('{' . join(',', @match) . '}') . '::text[]';
	return "'$text', '\"$text\": $frames, ' || (SELECT string_agg(part || ' ' || v || ' samples (' || format_value(v / sum, 'fraction') || ' of ' || side || ')', ', ' ORDER BY part = 'shrunk', part = 'disappeared', part = 'grown')
		FROM (SELECT part, side, sum, sum(CASE WHEN $match THEN value ELSE 0 END) AS v FROM part GROUP BY 1, 2, 3) AS s)";
};
my %height = map { $svg{$_} =~ /<svg[^>]* height="(\d+)"/; ($_ => $1) } grep { /^(parts|marked|groups|thin|history|textures|untested|(level|sandwich|runs|widths|values|labels|names|cut).*)$/ } keys %svg;
my $heights = join ', ', map { "'$_', $height{$_}" } sort keys %height;
append_to_file("$dir/expected.json", $db->value("SELECT jsonb_build_object('nodes', ($nodes), 'heights', jsonb_build_object($heights),
	'searches', jsonb_build_object(" . join(', ', $said->('gone', '1 frame', 'gone'), $said->('^re', '2 frames', 'read', 'render'), $said->('parse', '1 frame', 'parse')) . "),
	'matches', (SELECT jsonb_agg(DISTINCT part) FROM part WHERE value > 0 AND 'parse' = ANY (path)),
	'of_parse', (SELECT split_part(format_value(sum(value) FILTER (WHERE 'read' = ANY (path)) / sum(value), 'fraction'), ' ', 1) FROM part WHERE part = 'grown' AND 'parse' = ANY (path)),
	'within', (SELECT '\"parse\": 1 frame, ' || sum(value) || ' samples, 100 % of what is shown, ' || format_value(sum(value) / max(sum), 'fraction') || ' of after' FROM part WHERE part = 'grown' AND 'parse' = ANY (path)),
	'long', quote_literal(stackpath(${long}::text[])::text),
	'hovered', (SELECT 'gone: ' || value || ' samples disappeared, ' || format_value(value / sum, 'fraction') || ' of before, self ' || value || ' (' || format_value(value / sum, 'fraction') || ')' FROM part WHERE part = 'disappeared' AND value > 0))"));

Browser::run('parts.mjs', $dir);

done_testing();
