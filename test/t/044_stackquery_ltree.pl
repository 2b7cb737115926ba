# Patterns over stacks. Where a pattern uses nothing that lquery lacks and the frames are labels that ltree allows,
# the answers are contrib/ltree's. For what we add - quoted frames, regular expressions, frames of any characters - a
# naive backtracking matcher, below in Perl, is the judge. No pattern takes exponential time.
#
# FG_SEED=n in the environment draws other random paths and patterns.
use strict;
use warnings;

use Encode qw(encode);
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $seed = $ENV{FG_SEED} // 40;
srand $seed;
note "seed $seed";

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$node->start;

# The text that goes to the server holds no character beyond ASCII, whatever is in it.
sub literal
{
	my ($text) = @_;
	my $bytes = encode('UTF-8', $text);
	$bytes =~ s/([^ -&(-\[\]-~])/sprintf '\\x%02x', ord $1/ge;
	return "E'$bytes'";
}

my $db = Wire->connect($node, 'postgres');
sub value { return $db->text($_[0]); }

# No rows means that all is well; rows are what is wrong, and shown.
sub finds_nothing
{
	my ($name, $sql) = @_;
	my $found = value("$sql LIMIT 10");
	is($found, '', $name);
	diag("the first differences of \"$name\" (seed $seed):\n$found") if $found ne '';
	return;
}

sub pick { return $_[ int rand @_ ]; }
sub shuffled { return map { $_->[1] } sort { $a->[0] <=> $b->[0] } map { [ rand, $_ ] } @_; }

value('CREATE EXTENSION flamegraph; CREATE EXTENSION ltree');

# --- the same as ltree -----------------------------------------------------------------------------------------------

# Labels that are prefixes, other spellings and other word orders of each other.
my @labels = qw(a b A ab aB AB abc a_b b_a ab_c A_b _a a_ a__b _ x1 X1_a 1 a_b_c Ab_abc);

sub quantifier
{
	my ($from, $to) = sort { $a <=> $b } int rand 4, int rand 4;
	return pick("{$from}", "{$from,}", "{$from,$to}", "{,$to}");
}

sub modifiers { return join '', shuffled(grep { rand() < 0.35 } '*', '@', '%'); }

# An item, one that the label satisfies when there is a label.
sub item
{
	my ($label) = @_;
	my $modifiers = modifiers();
	my $text = $label // pick(@labels);
	$text = substr $text, 0, 1 + int rand length $text if $modifiers =~ /\*/ && $modifiers !~ /%/ && rand() < 0.5;
	$text = join '_', shuffled(grep { length } split /_/, $text) if $modifiers =~ /%/ && $text =~ /[^_]_[^_]/;
	$text = rand() < 0.5 ? uc $text : lc $text if $modifiers =~ /@/;
	return $text . $modifiers;
}

sub level
{
	my ($label) = @_;
	return '*' . (rand() < 0.6 ? quantifier() : '') if rand() < 0.3;
	my @items = map { item() } 1 .. pick(0, 0, 0, 1, 2);
	splice @items, int rand(@items + 1), 0, item($label);
	return (rand() < 0.2 ? '!' : '') . join('|', @items) . (rand() < 0.3 ? quantifier() : '');
}

# Half of the patterns follow a path, else few would match; frames are left out, stars come in.
sub pattern
{
	my ($path) = @_;
	return join '.', map { level() } 1 .. 1 + int rand 5 if rand() < 0.5;
	my @levels;
	for my $label (@$path)
	{
		push @levels, '*' . (rand() < 0.5 ? quantifier() : '') if rand() < 0.2;
		push @levels, level($label) if rand() < 0.85;
	}
	return @levels ? join('.', @levels) : '*' . quantifier();
}

my %paths = ('' => []);
while (keys %paths < 300)
{
	my @path = map { pick(@labels[ 0 .. pick(2, 7, $#labels) ]) } 1 .. 1 + int rand pick(3, 8);
	$paths{ join '.', @path } = \@path;
}
my %patterns;
$patterns{ pattern($paths{ pick(sort keys %paths) }) } = 1 while keys %patterns < 500;
# Every quantifier on a star, on an item and on a negated one; every order of the modifiers.
for my $level ('*', 'a', '!a', 'a|b', '!a|b')
{
	$patterns{"$level$_"} = $patterns{"a.$level$_.b*"} = $patterns{"$level$_.$level"} = 1
	  for '', map { my $m = $_; ("{$m}", "{$m,}", "{,$m}", map { "{$m,$_}" } $m .. 3) } 0 .. 3;
}
for my $label ('a', 'A_b', 'b_a', 'x1', '_', 'a__b')
{
	$patterns{"$label$_"} = $patterns{"*.!$label$_.*"} = 1
	  for qw(* @ % *@ @* *% %* @% %@ *@% *%@ @*% @%* %*@ %@* ** @@ %%);
}

value('CREATE TABLE path (l ltree, s stackpath); CREATE TABLE pattern (l lquery, s stackquery);'
	  . 'INSERT INTO path SELECT t::ltree, replace(t, \'.\', \';\')::stackpath FROM unnest(ARRAY['
	  . join(',', map { literal($_) } sort keys %paths) . ']) AS t;'
	  . 'INSERT INTO pattern SELECT t::lquery, replace(t, \'.\', \';\')::stackquery FROM unnest(ARRAY['
	  . join(',', map { literal($_) } sort keys %patterns) . ']) AS t;');

cmp_ok(value('SELECT count(*) FROM pattern'), '>=', 500, 'patterns enough');
is(value('SELECT count(*) FROM path'), 300, 'and paths');
my $share = value('SELECT avg((q.s ~ p.s)::int) FROM pattern q, path p');
ok($share > 0.05 && $share < 0.6, "some pairs match and some do not (share $share)");
cmp_ok(value('SELECT avg(hit::int) FROM (SELECT bool_or(p.s ~ q.s) AS hit FROM pattern q, path p GROUP BY q.s) AS x'),
	'>', 0.6, 'most patterns match something');

my $both = 'FROM pattern q, path p WHERE';
finds_nothing('every pattern gives ltree\'s answer on every path',
	"SELECT 'pattern ' || q.s::text, 'path ' || p.s::text, 'ltree ' || (p.l ~ q.l), 'ours ' || (p.s ~ q.s) "
	  . "$both (p.l ~ q.l) IS DISTINCT FROM (p.s ~ q.s)");
finds_nothing('the other order of arguments', "SELECT q.s, p.s $both (q.s ~ p.s) IS DISTINCT FROM (p.l ~ q.l)");
finds_nothing('the function', "SELECT q.s, p.s $both matches(p.s, q.s) IS DISTINCT FROM (p.l ~ q.l)");
finds_nothing('a pattern that has gone through its text', "SELECT q.s, p.s $both (p.s ~ q.s::text::stackquery) <> (p.l ~ q.l)");
finds_nothing('the text of a pattern reads as the same pattern', 'SELECT q.s FROM pattern q WHERE q.s::text::stackquery <> q.s');
finds_nothing('a profile of one stack', "SELECT q.s, p.s FROM (SELECT s, l, flamegraph_agg(s, 1) AS fg FROM path GROUP BY s, l) p, "
	  . 'pattern q WHERE (p.fg ~ q.s) IS DISTINCT FROM (p.l ~ q.l)');

# Several patterns at once.
value('CREATE TABLE several AS SELECT array_agg(s ORDER BY l::text) AS s, array_agg(l ORDER BY l::text) AS l '
	  . 'FROM (SELECT *, row_number() OVER (ORDER BY md5(l::text)) / 3 AS bundle FROM pattern) AS x GROUP BY bundle');
finds_nothing('~ ANY is lquery\'s ?', 'SELECT q.s, p.s FROM several q, path p WHERE (p.s ~ ANY (q.s)) IS DISTINCT FROM (p.l ? q.l)');
finds_nothing('~ ALL', 'SELECT q.s, p.s FROM several q, path p WHERE (p.s ~ ALL (q.s)) IS DISTINCT FROM '
	  . '(SELECT bool_and(p.l ~ l) FROM unnest(q.l) AS l)');

# Profiles: some stack with a value of its own matches. Mere prefixes of stacks do not count.
value('CREATE TABLE profile AS SELECT g, array_agg(l) AS l, array_agg(s) AS s, flamegraph_agg(s, v) AS fg FROM '
	  . '(SELECT l, s, g, 1 + (row_number() OVER (ORDER BY l)) % 7 - 10 * (g % 2) AS v FROM path, generate_series(1, 60) AS g '
	  . "WHERE hashtext(l::text || g) % 40 = 0) AS x GROUP BY g");
cmp_ok(value('SELECT count(*) FROM profile WHERE nnodes(fg) > nstacks(fg)'), '>=', 30, 'profiles with mere prefixes');
finds_nothing('fg ~ query is "some stack matches"', 'SELECT q.s, p.g FROM profile p, pattern q WHERE (p.fg ~ q.s) IS DISTINCT FROM '
	  . '(EXISTS (SELECT FROM unnest(p.l) AS l WHERE l ~ q.l))');
finds_nothing('... by the rows of stacks()', 'SELECT q.s, p.g FROM profile p, pattern q WHERE (p.fg ~ q.s) IS DISTINCT FROM '
	  . '(EXISTS (SELECT FROM stacks(p.fg) WHERE stack ~ q.s))');
finds_nothing('query ~ fg, matches()', 'SELECT q.s, p.g FROM profile p, pattern q WHERE (p.fg ~ q.s) <> (q.s ~ p.fg) '
	  . 'OR (p.fg ~ q.s) <> matches(p.fg, q.s)');
finds_nothing('fg ~ ANY', 'SELECT q.s, p.g FROM profile p, several q WHERE (p.fg ~ ANY (q.s)) IS DISTINCT FROM '
	  . '(EXISTS (SELECT FROM unnest(p.l) AS l WHERE l ? q.l))');
finds_nothing('filter_stacks and exclude_stacks divide a profile by its matching stacks',
	'SELECT q.s, p.g FROM profile p, pattern q WHERE filter_stacks(p.fg, q.s) + exclude_stacks(p.fg, q.s) <> p.fg OR '
	  . '(SELECT count(*) FROM stacks(filter_stacks(p.fg, q.s)) WHERE NOT stack ~ q.s) > 0 OR '
	  . '(SELECT count(*) FROM stacks(exclude_stacks(p.fg, q.s)) WHERE stack ~ q.s) > 0');
is(value(q{SELECT flamegraph '' ~ stackquery '*'}), 'f', 'an empty profile has no stack');
is(value(q{SELECT (flamegraph_agg(''::stackpath, 1)) ~ stackquery '*'}), 't', 'the empty stack is one');

# What lquery refuses for its grammar is refused here too.
for my $bad ('', '.', 'a.', '.a', 'a..b', '!', 'a|', '|a', 'a||b', '*a', 'a{', 'a{}', 'a{,}', 'a{1', 'a{2,1}', 'a{x}', 'a}',
	'!*', '!!a', 'a{1}{1}', 'a{1}*', '*{1}*', '*@', 'a!', '*{,}', 'a{-1}', '%', '@a', 'a{99999}', 'a|*')
{
	(my $ours = $bad) =~ tr/./;/;
	my (undef, undef, $theirs) = $node->psql('postgres', 'SELECT ' . literal($bad) . '::lquery');
	my ($status, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT " . literal($ours) . '::stackquery');
	if ($theirs =~ /ERROR/)
	{
		like($error, qr/ERROR:  22P02:/, "\"$ours\" is refused, as lquery refuses it");
	}
	else
	{
		note "lquery accepts \"$bad\"; stackquery: " . ($error =~ /ERROR:  (.*)/ ? $1 : 'too');
	}
}

# --- what we add -----------------------------------------------------------------------------------------------------
# A pattern is a list of levels: { any, not, items => [...], min, max }; max undef: no limit. An item: { text, star,
# at, words, regex => [PostgreSQL's, Perl's] }.

my @frames = (
	'a', 'A', 'ab', 'foo_bar', 'Bar_FOO', 'a;b', ';', 'x"y', '"', 'back\\slash', '\\', '\\\\', '\\"', 'sp ace', ' lead', 'trail ',
	' ', '*', 'a*', '!x', '{2}', '~', '%', '@', '|', 'a|b', "\x{e9}t\x{e9}", "\x{c9}T\x{c9}", "\x{3bb}", "\x{1f525}", "tab\there",
	"form\x0cfeed", "\x01", "\x7f", "\x{10ffff}", 'std::vector<int, std::allocator<int> >::push_back(int&&)',
	'java.util.List$1', '[unknown]', "a\tb", '~"x"', '_', '__', 'a_', "\x{e9}_a");

my @regexes = (
	[ '^a',    qr/\Aa/s ],  [ 'b$', qr/b\z/s ], [ '[0-9]', qr/[0-9]/ ], [ 'a|x', qr/a|x/ ], [ '^.$', qr/\A.\z/s ],
	[ "\x{e9}", qr/\x{e9}/ ], [ '\.util\.', qr/\.util\./ ], [ '"', qr/"/ ], [ '\\\\', qr/\\/ ], [ '_', qr/_/ ], [ ';', qr/;/ ],
	[ '^[^a-z]*$', qr/\A[^a-z]*\z/s ], [ '(?:ab|foo).*', qr/(?:ab|foo)/ ], [ 'FOO', qr/FOO/ ], [ '\s', qr/[ \t\n\x0b\x0c\r]/ ]);

sub random_item
{
	my ($frame) = @_;
	if (rand() < 0.2)
	{
		my @fits = defined $frame ? grep { $frame =~ $_->[1] } @regexes : ();
		return { regex => pick(@fits ? @fits : @regexes), at => rand() < 0.3 };
	}
	my $text = $frame // pick(@frames);
	my %item = (star => rand() < 0.3, at => rand() < 0.3, words => rand() < 0.2);
	$text = substr $text, 0, 1 + int rand length $text if $item{star} && rand() < 0.7;
	if ($item{at} && rand() < 0.7) { $text =~ tr/a-zA-Z/A-Za-z/; }
	return { %item, text => $text };
}

sub random_level
{
	my ($frame) = @_;
	my ($min, $max) = sort { $a <=> $b } int rand 4, int rand 4;
	my @bounds = rand() < 0.25 ? ([ $min, $max ], [ $min, undef ], [ $min, $min ], [ 0, $max ])[ int rand 4 ] : ();
	return { any => 1, min => $bounds[0] ? $bounds[0][0] : 0, max => $bounds[0] ? $bounds[0][1] : undef } if rand() < 0.3;
	my @items = map { random_item() } 1 .. pick(0, 0, 1, 2);
	splice @items, int rand(@items + 1), 0, random_item($frame);
	return { not => rand() < 0.2, items => \@items, min => $bounds[0] ? $bounds[0][0] : 1, max => $bounds[0] ? $bounds[0][1] : 1 };
}

my $needs_quotes = qr/[;*\@%|!{}"~]|\A | \z/;

sub quoted
{
	my ($text, $always) = @_;
	if ($always) { $text =~ s/([\\"])/\\$1/g; }
	else { $text =~ s/(\\(?=[\\"]|\z)|")/\\$1/g; }
	return "\"$text\"";
}

# The canonical text, or another text of the same pattern: quotes and escapes that are not needed, other orders.
sub written
{
	my ($levels, $plain) = @_;
	my @texts;
	for my $level (@$levels)
	{
		my ($min, $max) = ($level->{min}, $level->{max} // '');
		my $text;
		if ($level->{any}) { $text = '*'; }
		else
		{
			$text = ($level->{not} ? '!' : '') . join '|', map {
				my @modifiers = (($_->{star} ? '*' : ()), ($_->{at} ? '@' : ()), ($_->{words} ? '%' : ()));
				@modifiers = shuffled(@modifiers, grep { rand() < 0.1 } @modifiers) unless $plain;
				($_->{regex} ? '~' . quoted($_->{regex}[0], !$plain && rand() < 0.5)
				  : $_->{text} =~ $needs_quotes || (!$plain && rand() < 0.3) ? quoted($_->{text}, !$plain && rand() < 0.5)
				  : $_->{text})
				  . join '', @modifiers;
			} @{ $level->{items} };
		}
		my $usual = $level->{any} ? $min == 0 && $max eq '' : $min == 1 && $max eq '1';
		$text .= $max eq $min ? "{$min}" : $min == 0 && $max ne '' ? "{,$max}" : "{$min,$max}" unless $usual;
		push @texts, $text;
	}
	return join ';', @texts;
}

sub fold { my ($text) = @_; $text =~ tr/A-Z/a-z/; return $text; }

sub item_matches
{
	my ($item, $frame) = @_;
	if (my $regex = $item->{regex}) { return $item->{at} ? $frame =~ /(?i:$regex->[0])/ : $frame =~ $regex->[1]; }
	my $wanted = $item->{text};
	($wanted, $frame) = (fold($wanted), fold($frame)) if $item->{at};
	my $same = sub { $item->{star} ? index($_[1], $_[0]) == 0 : $_[0] eq $_[1] };
	return $same->($wanted, $frame) unless $item->{words};
	for my $word (grep { length } split /_/, $wanted)
	{
		return 0 unless grep { $same->($word, $_) } grep { length } split /_/, $frame;
	}
	return 1;
}

sub level_matches
{
	my ($level, $frame) = @_;
	return 1 if $level->{any};
	my $found = grep { item_matches($_, $frame) } @{ $level->{items} };
	return $level->{not} ? !$found : $found;
}

# Do the levels from l on match the frames from f on? Tries every number of repetitions.
sub naive
{
	my ($levels, $l, $frames, $f) = @_;
	return $f == @$frames if $l == @$levels;
	my $level = $levels->[$l];
	for (my $n = 0; !defined $level->{max} || $n <= $level->{max}; $n++)
	{
		return 1 if $n >= $level->{min} && naive($levels, $l + 1, $frames, $f + $n);
		return 0 if $f + $n == @$frames || !level_matches($level, $frames->[ $f + $n ]);
	}
	return 0;
}

# Regular expressions without regard to case: only ASCII letters have two cases, so none that names another letter.
my @stacks = ([], map { [ map { pick(@frames) } 1 .. 1 + int rand 5 ] } 1 .. 149);
push @stacks, map { [$_] } @frames;
my @queries = map {
	my $stack = pick(@stacks);
	rand() < 0.3 ? [ map { random_level() } 1 .. 1 + int rand 4 ]
	  : [ map { rand() < 0.2 ? (random_level($_), random_level()) : random_level($_) } @$stack ? @$stack : pick(@frames) ]
} 1 .. 300;
for my $query (@queries)
{
	for my $item (map { @{ $_->{items} // [] } } @$query)
	{
		$item->{at} = 0 if $item->{regex} && $item->{regex}[0] =~ /[^\x00-\x7f]/;
	}
}

value('CREATE TABLE stack (id int PRIMARY KEY, s stackpath); CREATE TABLE query (id int PRIMARY KEY, q stackquery, plain text, yes int[]);'
	  . 'INSERT INTO stack VALUES '
	  . join(',', map { "($_, stackpath(ARRAY[" . join(',', map { literal($_) } @{ $stacks[$_] }) . ']::text[]))' } 0 .. $#stacks));
my @rows;
my $pairs = 0;
for my $q (0 .. $#queries)
{
	my @yes = grep { naive($queries[$q], 0, $stacks[$_], 0) } 0 .. $#stacks;
	$pairs += @yes;
	push @rows, "($q, " . literal(written($queries[$q], 0)) . ', ' . literal(written($queries[$q], 1)) . ", '{" . join(',', @yes) . "}')";
}
value('INSERT INTO query VALUES ' . join(",\n", @rows));
cmp_ok($pairs, '>', 2000, "patterns with our additions match often enough ($pairs pairs)");

finds_nothing('quotes, regular expressions and frames of any characters: the naive matcher agrees',
	"SELECT 'pattern ' || q.q::text, 'stack ' || s.s::text, 'naive ' || (s.id = ANY (q.yes)), 'ours ' || (s.s ~ q.q) "
	  . 'FROM query q, stack s WHERE (s.s ~ q.q) IS DISTINCT FROM (s.id = ANY (q.yes))');
finds_nothing('... of profiles', 'SELECT q.q, p.g FROM (SELECT id / 7 AS g, array_agg(id) AS ids, flamegraph_agg(s, 1) AS fg '
	  . 'FROM stack GROUP BY id / 7) p, query q WHERE (p.fg ~ q.q) IS DISTINCT FROM (p.ids && q.yes)');
finds_nothing('the text is canonical: quotes only where needed', 'SELECT q.q, q.plain FROM query q WHERE q.q::text <> q.plain');
finds_nothing('and reads back', 'SELECT q.q FROM query q WHERE q.plain::stackquery <> q.q OR stackquery_cmp(q.plain::stackquery, q.q) <> 0');
value("COPY (SELECT id, q FROM query) TO '" . $node->data_dir . "/query.bin' (FORMAT binary); CREATE TABLE copied (id int, q stackquery); "
	  . "COPY copied FROM '" . $node->data_dir . "/query.bin' (FORMAT binary)");
finds_nothing('the binary form reads back', 'SELECT id FROM query JOIN copied USING (id) WHERE query.q <> copied.q');
is(value('SELECT count(*) FROM copied'), scalar @queries, 'all of them');

# Errors of the additions: SQLSTATE and text.
for my $case ([ '"a', '22P02' ], [ '~a', '22P02' ], [ '~"["', '2201B' ], [ '~"(a)\\1"', '22023' ], [ '~"a"*', '22P02' ], [ '~"a"%', '22P02' ],
	[ '""', '22P02' ], [ 'a"b"', '22P02' ], [ '"a"b', '22P02' ], [ ' a', '22P02' ], [ 'a ', '22P02' ], [ 'a ;b', '22P02' ], [ '~', '22P02' ],
	[ '"a\\"', '22P02' ], [ '*{65535};*{65535};*{65535};*{65535};*', '54000' ])
{
	my ($text, $state) = @$case;
	my (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT " . literal($text) . '::stackquery');
	like($error, qr/ERROR:  $state:/, "$text: SQLSTATE $state");
}

# --- no exponential time ---------------------------------------------------------------------------------------------
# A backtracking matcher would need more than 10^15 steps for each of these: years, which the timeout tells from seconds on
# any machine.

value(q{CREATE TABLE deep AS SELECT n, stackpath(array_agg('f' || i % n ORDER BY i)) AS s, flamegraph_agg(stackpath(array_agg('f' || i % n ORDER BY i)), 1) OVER (PARTITION BY n) AS fg
	FROM generate_series(1, 5000) AS i, (VALUES (1), (2), (50)) AS v (n) GROUP BY n});
my %hard = (
	'*;' x 50 . 'x' => 'f',
	'*{1,5};' x 40 . 'x' => 'f',
	'*{,5000};' x 10 . 'x' => 'f',
	'f*{1,5};' x 40 . 'x' => 'f',
	'f*{1,};' x 40 . 'f*{,3}' => 't',
	'!x{,200};' x 30 . 'x' => 'f',
	'!x|y{,500};*{,500};' x 10 . '!x' => 't',
	'f0|f1|f@*{0,3};' x 30 . '*;x' => 'f',
	'*;f*;' x 40 . '*;x' => 'f',
	'*{2};*{2,};' x 40 . 'x' => 'f',
	'~"(f|f0|f)*x";' . '*;' x 30 . 'x' => 'f',
	'*;~"^(f[0-9]*)*$";' x 20 . 'x' => 'f');
for my $query (sort keys %hard)
{
	my $short = length $query > 40 ? substr($query, 0, 40) . '...' : $query;
	is( value("SET statement_timeout = '600s'; SELECT string_agg(DISTINCT (s ~ " . literal($query) . '::stackquery)::text, \',\') FROM deep'),
		$hard{$query} eq 't' ? 'true' : 'false', "$short on 5,000 frames");
	is( value("SET statement_timeout = '600s'; SELECT string_agg(DISTINCT (fg ~ " . literal($query) . '::stackquery)::text, \',\') FROM deep'),
		$hard{$query} eq 't' ? 'true' : 'false', '... of a profile');
}

# A frame of many words against a pattern of many words.
is( value(q{SET statement_timeout = '600s'; SELECT stackpath(ARRAY[repeat('a_', 50000) || 'z']) ~ (repeat('z_', 500) || 'y%')::stackquery}),
	'f', 'many words in a long frame');

$node->stop;
done_testing();
