# What is dumped comes back bit for bit: values of every kind and size through pg_dump in plain and in custom form,
# restored serially and by two jobs, and through COPY in text and binary; models that were damaged on the way are
# refused; last the largest value that can be built, whose text has to fit into a row of COPY.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# The largest value may be moved as text of 1 GB: no more is kept of it than needed.
$node->append_conf('postgresql.conf', <<'CONF');
fsync = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 8GB
shared_buffers = 256MB
log_statement = none
log_min_error_statement = panic
CONF
$node->start;

my $dir = PostgreSQL::Test::Utils::tempdir();

# Runs a shell command with the server's programs; shows what it said when it fails.
sub shell
{
	my ($what, $command) = @_;
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	my $output = `bash -c 'set -o pipefail; $command' 2>&1`;
	return is($?, 0, $what) || diag($output) && 0;
}

sub new_database
{
	my ($name) = @_;
	my $db = Wire->connect($node, 'postgres');
	$db->run("DROP DATABASE IF EXISTS $name");
	$db->run("CREATE DATABASE $name TEMPLATE template0");
	$db->close;
	return;
}

# The rows of all tables with a checksum of the canonical bytes of each value.
sub contents
{
	my ($database) = @_;
	my $db = Wire->connect($node, $database);
	my $rows = $db->rows(<<'SQL');
SELECT 'profile', id, what, md5(flamegraph_send(fg)), nstacks(fg) || ' ' || total(fg) FROM profile
UNION ALL SELECT 'stack', id, what, md5(stackpath_send(path)), depth(path)::text FROM stack
UNION ALL SELECT 'sample', id, what, md5(flamestats_send(s)), profile_count(s)::text FROM sample
UNION ALL SELECT 'series', id, what, md5(flameseries_send(fs)), profile_count(fs) || ' ' || total(sum(fs, NULL)) FROM series
UNION ALL SELECT 'model', id, what, md5(perfmodel_send(m)), kind(m) || ' ' || (m::jsonb ->> 'n') FROM model
ORDER BY 1, 2
SQL
	$db->close;
	return join "\n", map { join ' | ', map { $_ // 'NULL' } @$_ } @$rows;
}

# --- values of every kind --------------------------------------------------------------------------------------------

new_database('source');
my $db = Wire->connect($node, 'source');
$db->run('CREATE EXTENSION flamegraph');
$db->run(<<'SQL');
CREATE TABLE profile (id serial PRIMARY KEY, what text, fg flamegraph);
INSERT INTO profile (what, fg) SELECT what, data::flamegraph FROM (VALUES
  ('null', NULL),
  ('empty', ''),
  ('only the root', ' 5'),
  ('small', E'a;b 1\na;c 2\n'),
  ('text of 64 KiB', repeat('x', 65534) || ' 1'),
  ('text of 64 KiB and a byte', repeat('x', 65535) || ' 1'),
  ('negative and fractional', E'a -1\na;b 0.1\nb 0.30000000000000004\nc -2.5e-7'),
  ('far apart', E'a 1.7976931348623157e308\nb 5e-324\nc -1e300\nd 9007199254740993\ne 0.1'),
  ('escapes', E'a\\;b;c\\\\;C:\\dir 1\n\\# x 2\n#y 3\n\\\\# 4'),
  ('blanks and the like', E'  a ; b\t 1\nü;日本;🔥 2\n''";{},$x$;\\N;\\. 3\nflamegraph:1: 4\nflamegraph:1:;x 5')) AS v (what, data);
INSERT INTO profile (what, fg)
  SELECT 'control characters', flamegraph_agg(ARRAY['a', E'x\x01\x1F\x7F\ty'], 1) UNION ALL
  SELECT '68k nodes', flamegraph_agg('main;a' || i / 4096 || ';b' || i / 256 || ';c' || i / 16 || ';d' || i, i % 97 + 1)
    FROM generate_series(1, 65536) AS i UNION ALL
  SELECT '68k nodes, fractions', flamegraph_agg('main;a' || i / 4096 || ';b' || i / 256 || ';c' || i / 16 || ';d' || i, sqrt(i))
    FROM generate_series(1, 65536) AS i UNION ALL
  SELECT 'chain of 65,535 frames', flamegraph_agg(array_fill('f'::text, ARRAY[65535]), 3) UNION ALL
  SELECT 'frame of 1 MiB', flamegraph_agg(ARRAY['main', repeat('ab', 524288)], 3) UNION ALL
  SELECT 'frame of 1 MiB that does not compress', flamegraph_agg(ARRAY[frame], 3)
    FROM (SELECT string_agg(md5(i::text), '') AS frame FROM generate_series(1, 32768) AS i) AS f;

CREATE TABLE stack (id serial PRIMARY KEY, what text, path stackpath);
INSERT INTO stack (what, path) VALUES
  ('null', NULL), ('empty', stackpath ''), ('one', 'a'), ('three', 'a;b;c'), ('escapes', E'a\\;b;\\\\;C:\\dir\\;;\\#;\\N;\\.'),
  ('blanks', E' a ;  ;\t'), ('unicode', 'ü;日本;🔥'),
  ('as they stand', stackpath(ARRAY['a;b', E'\\', E'\\;', '#', E'\x01\x7F', '{},"', '\N', '\.', ' '])),
  ('deep', stackpath(array_fill('frame'::text, ARRAY[65535]))), ('long', stackpath(ARRAY[repeat('x', 1048576)]));
CREATE INDEX ON stack USING hash (path);

-- the state of avg(), as it travels between servers
CREATE AGGREGATE sample_of(flamegraph) (SFUNC = flamestats_accum, STYPE = flamestats);
CREATE TABLE sample (id serial PRIMARY KEY, what text, s flamestats);
INSERT INTO sample (what, s) VALUES ('null', NULL);
INSERT INTO sample (what, s) SELECT 'of an empty profile', sample_of(v) FROM (VALUES (flamegraph '')) AS t (v);
INSERT INTO sample (what, s)
  SELECT what, (SELECT sample_of(v) FROM (SELECT p.fg AS v UNION ALL SELECT p.fg * 0.1) AS t) FROM profile AS p WHERE what <> 'far apart';
INSERT INTO sample (what, s)
  SELECT what || ', ' || level, (SELECT stats(v, level) FROM (SELECT p.fg AS v UNION ALL SELECT p.fg * 0.1) AS t)
  FROM profile AS p, unnest(ARRAY['node', 'frame', 'self']) AS level WHERE what IN ('68k nodes', 'fractions');

-- series of profiles: of none, of one, of whole numbers in several blocks, of doubles
CREATE TABLE series (id serial PRIMARY KEY, what text, fs flameseries);
INSERT INTO series (what, fs) SELECT 'null', NULL UNION ALL
  SELECT 'of none', slice(flameseries_agg('2026-01-01', 'a 1'), 'infinity') UNION ALL
  SELECT 'at the ends of time', flameseries_agg(at, 'a 1', E'\\N;''{}') FROM (VALUES (timestamptz '4714-11-24 00:00:00+00 BC'), ('294276-12-31 23:59:59.999999+00')) AS v (at);
INSERT INTO series (what, fs) SELECT what, flameseries_agg('2026-01-01', fg, what) FROM profile WHERE fg IS NOT NULL AND what !~ 'MiB|far' GROUP BY what;
INSERT INTO series (what, fs)
  SELECT 'of 1,000', flameseries_agg(timestamptz '2026-01-01 UTC' + p * interval '61.5 s', fg, 'pod-' || p % 20)
  FROM (SELECT p, flamegraph_agg(ARRAY['main', 'f' || p * i % 89, 'g' || i % 7], i * p % 1009) AS fg FROM generate_series(1, 1000) AS p, generate_series(1, 30) AS i GROUP BY p) AS v;

-- performance models of all kinds, and points that wait for one
CREATE AGGREGATE points_of(float8, float8, jsonb) (SFUNC = perfmodel_sample_accum, STYPE = perfmodel);
CREATE TABLE model (id serial PRIMARY KEY, what text, m perfmodel);
INSERT INTO model (what, m) VALUES ('null', NULL),
  ('far apart', '{"kind": "quadratic", "n": 9007199254740992, "x_start": -1.7976931348623157e308, "x_end": 5e-324, "r_square": -1e-300, "parameters": {}, "coefficients": [1e300, 0.1, 9007199254740993]}'),
  ('parameters', '{"kind": "constant", "n": 0, "x_start": 0, "x_end": 0, "parameters": {"''a\\b\"": ["ü日本🔥", {"\\.": null}, 1e-7, 1.50, "{},$x$;\\n"]}, "coefficients": [-2.5e-7]}'),
  ('no points', '{"kind": "moving_average", "n": 0, "x_start": 0, "x_end": 0, "parameters": {}, "x": [], "y": [], "fitted": []}');
INSERT INTO model (what, m) SELECT kind, model FROM parametric_models(ARRAY[0.1, 0.7, 1.3, 2.9, 3.1], ARRAY[0.3, 1.1, 0.9, 4.7, 3.3]);
INSERT INTO model (what, m)
  SELECT name || ' ' || options || ' ' || n, CASE name WHEN 'sample' THEN points_of(x, y, options) ELSE fit(array_agg(x), array_agg(y), name, options) END
  FROM (SELECT n, sqrt(i) * 3 AS x, 10 * sin(i) AS y FROM (VALUES (1), (30), (20000)) AS v (n), generate_series(1, n) AS i) AS p,
    (VALUES ('regressogram', '{"buckets": 40}'::jsonb), ('moving_average', '{"window_size": 7}'), ('moving_average', '{"method": "ema", "halflife": 0.3}'),
      ('kernel_regression', '{"rule": "silverman", "kernel": "tricube"}'), ('kernel_regression', '{"at_x": [1, 99, 2.5]}'), ('sample', '{"window_size": 3}')) AS r (name, options)
  GROUP BY n, name, options ORDER BY n, name, options;
SQL

# The text form is folded up to 64 KiB and packed beyond; the table holds both.
is( $db->value("SELECT string_agg(what, ', ' ORDER BY id) FROM profile WHERE fg::text LIKE 'flamegraph:1:%' AND fg::text NOT LIKE '% %'"),
	'text of 64 KiB and a byte, 68k nodes, 68k nodes, fractions, chain of 65,535 frames, frame of 1 MiB, '
	  . 'frame of 1 MiB that does not compress', 'packed beyond 64 KiB of folded text');
is( $db->value('SELECT max(octet_length(fg::text)) FROM profile WHERE fg::text NOT LIKE \'flamegraph:1:%\' OR fg::text LIKE \'% %\''),
	65536, 'folded up to 64 KiB');
is($db->value("SELECT nnodes(fg) > 60000 FROM profile WHERE what = '68k nodes'"), 't', 'a value of more than 60k nodes');
is($db->value("SELECT depth(fg) FROM profile WHERE what LIKE 'chain%'"), 65535, 'a value of the largest depth');

my $before = contents('source');
my @lines = split /\n/, $before;
cmp_ok(scalar @lines, '>=', 63, 'there is something to dump');
cmp_ok($db->value("SELECT count(DISTINCT kind(m)) FROM model"), '==', 10, 'models of all kinds');
cmp_ok($db->value("SELECT max(octet_length(m::text)) FROM model"), '>', 1000000, 'a model whose text is long');
$db->close;

# --- pg_dump ---------------------------------------------------------------------------------------------------------

new_database('plain');
shell('pg_dump | psql', "pg_dump source | psql -q -X -v ON_ERROR_STOP=1 plain");
is(contents('plain'), $before, 'plain dump: every value is the same');

# The custom form with statements instead of COPY, too: values are then literals in SQL.
new_database('inserts');
shell('pg_dump --inserts | psql', "pg_dump --inserts source | psql -q -X -v ON_ERROR_STOP=1 inserts");
is(contents('inserts'), $before, 'dump as INSERT statements: every value is the same');

new_database('custom');
shell('pg_dump -Fc, pg_restore', "pg_dump -Fc -f $dir/source.dump source && pg_restore -e -d custom $dir/source.dump");
is(contents('custom'), $before, 'custom dump: every value is the same');

new_database('jobs');
shell('pg_restore -j 2', "pg_restore -e -j 2 -d jobs $dir/source.dump");
is(contents('jobs'), $before, 'restored by two jobs: every value is the same');
unlink "$dir/source.dump";

# --- COPY ------------------------------------------------------------------------------------------------------------

$db = Wire->connect($node, 'source');
for my $format ('text', 'csv', 'binary')
{
	for my $table ('profile', 'stack', 'sample', 'series', 'model')
	{
		$db->run("BEGIN; CREATE TEMP TABLE again (LIKE $table); COPY $table TO '$dir/rows' (FORMAT $format); "
			  . "COPY again FROM '$dir/rows' (FORMAT $format)");
		my $column = { profile => 'fg', stack => 'path', sample => 's', series => 'fs', model => 'm' }->{$table};
		my $type = { profile => 'flamegraph', stack => 'stackpath', sample => 'flamestats', series => 'flameseries', model => 'perfmodel' }->{$table};
		is( $db->value("SELECT count(*) FROM $table AS a JOIN again AS b USING (id) WHERE "
				  . "${type}_send(a.$column) IS NOT DISTINCT FROM ${type}_send(b.$column) AND a.$column IS NOT DISTINCT FROM b.$column"),
			$db->value("SELECT count(*) FROM $table"), "COPY of $table in format $format");
		$db->run('ROLLBACK');
	}
}
unlink "$dir/rows";

# --- damaged models --------------------------------------------------------------------------------------------------
# Every byte of a model in turn is changed. What recv accepts is another model, with these very bytes, whose text reads
# back; all else is refused.

$db->run('CREATE TEMP TABLE received (m perfmodel)');

# COPY FROM BINARY of one value, and whether it is the same in every form.
sub receive
{
	my ($bytes) = @_;
	open my $file, '>:raw', "$dir/value" or die $!;
	print $file "PGCOPY\n\xFF\r\n\0", pack('NN nN', 0, 0, 1, length $bytes), $bytes, pack('n', 0xFFFF);
	close $file;
	return $db->query("COPY received FROM '$dir/value' (FORMAT binary); SELECT encode(perfmodel_send(m), 'hex') = '"
		  . unpack('H*', $bytes) . "' AND m::text::perfmodel = m AND m::jsonb::text::perfmodel = m FROM received; DELETE FROM received");
}

for my $what ('parameters', 'linear', 'regressogram {"buckets": 40} 1', 'moving_average {"window_size": 7} 30', 'kernel_regression {"at_x": [1, 99, 2.5]} 30', 'sample {"window_size": 3} 1')
{
	my ($model, $size) = @{ $db->row('SELECT encode(perfmodel_send(m), \'hex\'), octet_length(m::jsonb ->> \'parameters\') FROM model WHERE what = ' . Wire::literal($what)) };
	$model = pack 'H*', $model;
	my ($tried, $accepted, %refused, @wrong) = (0, 0);
	my $try = sub {
		my ($name, $bytes) = @_;
		$tried++;
		my $result = receive($bytes);
		if (my $error = $result->{error}) { $refused{ $error->{sqlstate} }++; return; }
		$accepted++;
		push @wrong, $name if $result->{rows}[0][0] ne 't';
	};
	$try->('unchanged', $model);
	is($accepted, 1, "$what: accepted as it is");
	# Long columns are not tried byte by byte, and each byte is three others: one bit, the highest bit, zero.
	my @others = (sub { $_[0] ^ 1 }, sub { $_[0] ^ 128 }, sub { 0 }, $ENV{FLAMEGRAPH_TEST_LONG} ? (sub { 255 }, sub { 32 }) : ());
	for my $at (grep { $_ < 200 || $_ % 29 == 0 || $_ >= length($model) - 16 } 0 .. length($model) - 1)
	{
		my $byte = ord substr $model, $at, 1;
		for my $other (map { $_->($byte) } @others)
		{
			my $damaged = $model;
			substr($damaged, $at, 1) = chr $other;
			$try->("byte $at is $other", $damaged) if $other != $byte;
		}
	}
	$try->("$_ bytes", substr $model, 0, $_) for grep { $_ < 200 || $_ % 101 == 0 } 0 .. length($model) - 1;
	$try->("$_ bytes too many", $model . "\0" x $_) for 1, 8, 16, 24;
	is(join(', ', @wrong), '', "$what: what is accepted is what was sent") or diag(join ' ', @wrong[0 .. 9]);
	my $in_parameters = delete $refused{'22021'} // 0;
	cmp_ok($in_parameters, '<=', 5 * $size, "$what: only parameters can be no UTF-8");
	is(join(', ', keys %refused), '22P03', "$what: everything else is refused as a wrong binary value");
	cmp_ok($tried - $accepted, '>', 48 * @others, "$what: most changes are found");
	note "$what: $tried tried, $accepted accepted, $in_parameters no UTF-8";
}
is($db->value("SELECT predict(fit(NULL, '{1,2,3}', 'linear'), 4)"), '4', 'the session goes on');
unlink "$dir/value";

# --- the largest value -----------------------------------------------------------------------------------------------
# 749 frames of 1 MiB stay just below the limit of 750 MiB for the encoded form. As text, which is the packed bytes in base64, it
# takes 1 GB, and what COPY may have in a row is a byte less than 1 GiB. With FLAMEGRAPH_TEST_LONG: making it, writing and reading
# it once took as long as a third of all the rest, and the limit itself is tested in the core.

SKIP:
{
	skip 'without FLAMEGRAPH_TEST_LONG', 6 unless $ENV{FLAMEGRAPH_TEST_LONG};
	$db->close;
	new_database('large');
	$db = Wire->connect($node, 'large');
	$db->run('CREATE EXTENSION flamegraph');
	my $frames = q{(SELECT lpad(i::text, 8, '0') || repeat('x', 1048568) AS frame, i FROM generate_series(%d, %d) AS i) AS f};
	my $largest = 'SELECT flamegraph_agg(ARRAY[frame], i) FROM ' . sprintf $frames, 1, 749;
	# A variable of PL/pgSQL keeps it; in a table it would be written, and read again for each question.
	$db->run(<<"SQL");
CREATE FUNCTION largest(OUT frames int, OUT length int, OUT same bool, OUT beyond text) LANGUAGE plpgsql AS \$\$
DECLARE
	largest flamegraph := ($largest);
BEGIN
	frames := nframes(largest);
	SELECT octet_length(t), t::flamegraph = largest INTO length, same FROM (SELECT largest::text AS t OFFSET 0) AS v;
	-- a flat value is what has the limit; from 16 on a sum may be passed on without becoming one
	PERFORM pg_column_size(largest + (SELECT flamegraph_agg(ARRAY[frame], i) FROM @{[ sprintf $frames, 750, 750 ]}));
	beyond := 'nothing';
EXCEPTION WHEN OTHERS THEN
	beyond := SQLSTATE;
END
\$\$
SQL
	my $facts = $db->row('SELECT * FROM largest()');
	is($facts->[0], 749, 'a value of 749 frames of 1 MiB');
	ok($facts->[1] > 1_000_000_000 && $facts->[1] < (1 << 30) - 2, 'its text fits into a row of COPY') or diag($facts->[1]);
	is($facts->[2], 't', 'and is read as the same value');
	is($facts->[3], '54000', 'one more frame is too much');
	new_database('large_again');
	# In the transaction that makes the table, here and when it is restored: then a value is not written to the log, too.
	$db->run("CREATE TABLE profile (fg flamegraph); ALTER TABLE profile ALTER fg SET STORAGE EXTERNAL; INSERT INTO profile $largest; DROP FUNCTION largest()");
	my $checksum = $db->value('SELECT md5(flamegraph_send(fg)) FROM profile');
	# A pipe: neither the text nor an archive of it has to lie on the disk.
	shell('the largest value: pg_dump | psql', 'pg_dump large | psql -q -X -1 -v ON_ERROR_STOP=1 large_again');
	my $again = Wire->connect($node, 'large_again');
	is($again->query('SELECT md5(flamegraph_send(fg)) FROM profile')->{rows}[0][0] // 'not restored', $checksum, 'the largest value is the same after dump and restore');
	$again->close;
	$db->close;
	$db = Wire->connect($node, 'postgres');
	$db->run("DROP DATABASE IF EXISTS $_") for 'large', 'large_again';
}
$db->close;

$node->stop;
done_testing();
