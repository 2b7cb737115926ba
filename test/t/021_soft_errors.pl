# Input functions report softly where the server can ask for it (from 16 on): for every kind of error that a text can
# have, and for texts with a byte changed, pg_input_error_info says what the cast throws, and pg_input_is_valid is true
# for exactly what the cast reads. COPY with ON_ERROR ignore (17) loads the rows that are good. Before 16 everything is
# thrown, which the tests of each type show.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
my $db = Wire->connect($node, 'postgres');
my $version = int($db->value('SHOW server_version_num') / 10000);
if ($version < 16)
{
	$db->close;
	$node->stop;
	plan skip_all => "soft errors came with PostgreSQL 16; this is $version";
}
$db->run('CREATE EXTENSION flamegraph');

my $packed = $db->value(q{SELECT 'flamegraph:1:' || replace(encode(flamegraph_send(E'a;b 1\nc 2'), 'base64'), E'\n', '')});
my $stats = $db->value(q{SELECT stats(f) FROM (VALUES (flamegraph E'a;b 1\nc 2'), ('c 3')) AS v (f)});
my ($data) = $stats =~ /"data": "([^"]*)"/;
my $series = $db->value(q{SELECT flameseries_agg(timestamptz '2026-01-01 UTC' + n * interval '1 s', f, 'pod') FROM (VALUES (1, flamegraph E'a;b 1\nc 2'), (2, 'c 3')) AS v (n, f)});
my %model = map { $_ => $db->value("SELECT fit('{1,2,3}', '{1,2.1,2.9}', '$_')") } 'linear', 'quadratic', 'regressogram', 'moving_average';

# The model with other members.
sub changed
{
	my ($model, $changes) = @_;
	return $db->value(sprintf 'SELECT (%s::jsonb || %s::jsonb)::text', map { Wire::literal($_) } $model, $changes);
}
sub without { return $db->value(sprintf 'SELECT (%s::jsonb - %s)::text', map { Wire::literal($_) } @_); }

my %good = (
	stackpath => [ '', 'a', 'a;b;c', 'a\;b', 'é;日本', "a\x01" ],
	stackquery => [ '*', 'a;*;b{1,2}', '"a b"|c@%', '~"^a(b|c)+$"', '!a' ],
	flamegraph => [ '', ' 5', 'a 1', "a;b 1\nc -2.5e3", $packed, "$packed\n" ],
	flamestats => [ $stats ],
	flameseries => [ $series, "$series \n" ],
	perfmodel => [ values %model ]);
my $deep = 'a' . ';a' x 70000;
my $wide = 'x' x (1 << 20) . 'x';
my %bad = (
	stackpath => [ ';', 'a;', $deep, $wide ],
	stackquery => [ '', 'a;', '"a', 'a b"', '{', 'a{2,1}', 'a{99999999}', '~"("', '~"(a)\\\\1"', '~"[[:nonsense:]]"',
		'~"(((a{255}){255}){255}){255}"', 'a|~"*"', 'b;~"a{3,2}"', $wide, ';' x 300000 ],
	flamegraph => [ 'a', 'a x', 'a 1e999', "a 1\nb", "$deep 1", "$wide 1", 'flamegraph:2:AAAA', 'flamegraph:1:AAAA', 'flamegraph:1:!',
		'flamegraph:1:', substr($packed, 0, -8), "a 1e308\na 1e308" ],
	flamestats => [ '', '{}', 'x', '[]', '{"n": 2, "level": "stack"}', qq({"n": 2, "level": "stack", "data": "!"}), qq({"n": 2, "level": "stack", "data": "AAAA"}),
		qq({"n": 3, "level": "stack", "data": "$data"}), qq({"n": 2, "level": "frame", "data": "$data"}), qq({"n": 2, "n": 2, "level": "stack", "data": "$data"}),
		qq({"n": 02, "level": "stack", "data": "$data"}), qq({"n": 2, "level": "stack", "data": "$data"} x) ],
	flameseries => [ '', 'a 1', $packed, 'flameseries:2:AAAA', 'flameseries:1:AAAA', 'flameseries:1:!', 'flameseries:1:', substr($series, 0, -8), $series . 'AAAA' ],
	perfmodel => [ '', 'x', '{', '[]', '3', 'null', '{}', '{"a": 1e999999}', '{"a": "\u0000"}', '{"a": "\ud800"}', '{"kind": 3}', '{"kind": "cubic"}',
		(map { without($model{linear}, $_) } 'n', 'parameters', 'coefficients'),
		(map { changed($model{linear}, $_) } '{"n": -1}', '{"n": "x"}', '{"n": 1e300}', '{"x_start": true}', '{"x_start": 1e400}', '{"parameters": []}', '{"unknown": 1}',
			'{"coefficients": 1}', '{"coefficients": [1]}', '{"coefficients": [1, "x"]}', '{"coefficients": [1, 1e400]}', '{"x_start": 9}'),
		(map { changed($model{regressogram}, $_) } '{"edges": [0]}', '{"edges": [3, 2, 1]}', '{"points": [-1, 4]}'),
		changed($model{moving_average}, '{"x": [3, 2, 1]}'),
		changed($model{linear}, '{"parameters": {"a": "' . 'x' x (1 << 20) . '"}}') ]);

# What the cast throws and what is reported softly, as comparable texts.
sub thrown
{
	my ($type, $text) = @_;
	my $error = $db->query('SELECT ' . Wire::literal($text) . "::$type")->{error} or return 'no error';
	return join ' | ', map { $_ // '' } @$error{qw(sqlstate message detail hint)};
}
sub reported
{
	my ($type, $text) = @_;
	my $result = $db->query('SELECT sql_error_code, message, detail, hint FROM pg_input_error_info(' . Wire::literal($text) . ", '$type')");
	return "thrown: $result->{error}{sqlstate} $result->{error}{message}" if $result->{error};
	my ($row) = @{ $result->{rows} };
	return defined $row->[0] ? join(' | ', map { $_ // '' } @$row) : 'no error';
}
sub valid
{
	my ($type, $text) = @_;
	my $result = $db->query('SELECT pg_input_is_valid(' . Wire::literal($text) . ", '$type')");
	return $result->{error} ? "thrown: $result->{error}{sqlstate}" : $result->{rows}[0][0];
}
sub shown { my ($text) = @_; return length $text > 60 ? substr($text, 0, 60) . '...' : $text; }

for my $type (sort keys %good)
{
	is(valid($type, $_), 't', "$type: " . shown($_) =~ s/\n/\\n/gr) for @{ $good{$type} };
	for my $text (@{ $bad{$type} })
	{
		my $name = "$type: not " . shown($text) =~ s/\n/\\n/gr =~ s/\x01/\\x01/gr;
		my $expected = thrown($type, $text);
		isnt($expected, 'no error', $name);
		is(reported($type, $text), $expected, "$name, softly");
		is(valid($type, $text), 'f', "$name: is not valid");
	}
}

# Each good text with one byte changed, left out or doubled: reported softly as it is thrown.
for my $type (sort keys %good)
{
	my ($refused, @wrong) = (0);
	for my $text (@{ $good{$type} })
	{
		for my $i (0 .. length($text) - 1)
		{
			next if ord(substr $text, $i, 1) > 127 || (length $text > 100 && $i % 5 > 0);
			for my $other ('', ';', '"', '\\', '9', '(', substr($text, $i, 1) x 2)
			{
				my $changed = $text;
				substr($changed, $i, 1) = $other;
				my ($hard, $soft) = (thrown($type, $changed), reported($type, $changed));
				$refused++ if $hard ne 'no error';
				push @wrong, shown($changed) . ": $hard / $soft" if $hard ne $soft;
			}
		}
	}
	is(join("\n", @wrong), '', "$type: changed texts are reported as they are thrown");
	note "$type: $refused changed texts refused";
}

# Within arrays, domains and rows, too.
$db->run('CREATE DOMAIN profile AS flamegraph; CREATE TYPE pair AS (path stackpath, model perfmodel)');
is(valid('stackquery[]', '{a,"~\"(\""}'), 'f', 'an array with a bad pattern');
is(valid('profile', 'a x'), 'f', 'a domain');
is(valid('pair', '(a;b,x)'), 'f', 'a row');
is(valid('pair', '("a;b",)'), 't', 'a row that is good');

SKIP:
{
	skip 'COPY ... (ON_ERROR ignore) came with PostgreSQL 17', 6 if $version < 17;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/rows';
	for my $type (sort keys %good)
	{
		my $escape = sub { my ($text) = @_; $text =~ s/\\/\\\\/g; $text =~ s/\n/\\n/g; return $text; };
		open my $out, '>', $file or die $!;
		binmode $out;
		print {$out} map { $escape->($_) . "\n" } map { ($_, @{ $bad{$type} }) } @{ $good{$type} };
		close $out;
		chmod 0644, $file;
		$db->run("CREATE TABLE rows_$type (value $type)");
		my $result = $db->query("COPY rows_$type FROM '$file' (ON_ERROR ignore)");
		is($result->{error}{message} // $db->value("SELECT count(*) FROM rows_$type"), scalar @{ $good{$type} }, "COPY of $type with bad rows: the good ones are there");
	}
	is($db->sqlstate("COPY rows_perfmodel FROM '$file'"), '22P02', 'without the option it stops');
}

$db->close;
$node->stop;
done_testing();
