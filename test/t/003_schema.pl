# The extension in a schema of its own that is not in the search path: everything works by qualified names, functions
# of the extension find each other, dump and restore keep the schema; and its creation by the owner of a database
# who is no superuser.
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
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;

my $super = Wire->connect($node, 'postgres');
$super->run('CREATE ROLE owner LOGIN');
$super->run('CREATE ROLE reader LOGIN');
$super->run('CREATE DATABASE app OWNER owner');

# --- by the owner of the database ------------------------------------------------------------------------------------

my $db = Wire->connect($node, 'app', user => 'owner');
is($db->value("SELECT rolsuper FROM pg_roles WHERE rolname = current_user"), 'f', 'no superuser');
$db->run('CREATE SCHEMA "Profile Types"');
is($db->sqlstate('CREATE EXTENSION flamegraph SCHEMA "Profile Types"'), 'no error', 'created by the owner');
is($db->value(q{SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'flamegraph'}), '"Profile Types"', 'in the schema that was asked for');
is( $db->value(<<'SQL'), '0', 'all its objects are in this schema');
SELECT count(*)
FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid,
  pg_identify_object(d.classid, d.objid, d.objsubid) AS o
WHERE e.extname = 'flamegraph' AND d.deptype = 'e' AND o.schema IS NOT NULL AND o.schema <> '"Profile Types"'
SQL
is($db->sqlstate(q{ALTER EXTENSION flamegraph SET SCHEMA public}), '0A000', 'it stays there');

# --- by qualified names ----------------------------------------------------------------------------------------------

# The schema is not in the search path, and its name needs quotes.
my $s = '"Profile Types"';
$db->run('SET search_path = pg_catalog');
isnt($db->sqlstate("SELECT 'a 1'::flamegraph"), 'no error', 'the type is not in the search path');

sub profile { return "${s}.flamegraph " . Wire::literal($_[0]); }
my ($f, $g) = (profile("a;b 1\na;c 2"), profile("a;b 3\nd -1"));
my %operator = (
	"$f OPERATOR($s.+) $g" => "a;b 4\na;c 2\nd -1",
	"$f OPERATOR($s.-) $g" => "a;b -2\na;c 2\nd 1",
	"OPERATOR($s.-) $f" => "a;b -1\na;c -2",
	"$f OPERATOR($s.*) 2" => "a;b 2\na;c 4",
	"2 OPERATOR($s.*) $f" => "a;b 2\na;c 4",
	"$f OPERATOR($s./) 2" => "a;b 0.5\na;c 1",
	"OPERATOR($s.\@-\@) $g" => '4',
	"$f OPERATOR($s.<->) $g" => '5',
	"$f OPERATOR($s.->) 'a;c'" => '2',
	"$f OPERATOR($s.=) $g" => 'f',
	"$f OPERATOR($s.<>) $g" => 't',
	"($f OPERATOR($s.<) $g) <> ($f OPERATOR($s.>) $g)" => 't',
	"($f OPERATOR($s.<=) $g) <> ($f OPERATOR($s.>=) $g)" => 't',
	"$s.stackpath 'a' OPERATOR($s.||) $s.stackpath 'b'" => 'a;b',
	"$s.stackpath 'a' OPERATOR($s.||) 'b;c'::text" => 'a;b;c',
	"'x'::text OPERATOR($s.||) $s.stackpath 'b'" => 'x;b',
	"$s.stackpath 'a' OPERATOR($s.\@>) $s.stackpath 'a;b'" => 't',
	"$s.stackpath 'a' OPERATOR($s.<\@) $s.stackpath 'a;b'" => 'f',
	"$s.stackpath 'a' OPERATOR($s.<) $s.stackpath 'a;b'" => 't',
	"$s.stackpath 'a' OPERATOR($s.=) $s.stackpath 'a'" => 't',
	"$s.total($f)" => '3',
	"$s.norm($g, 'inf')" => '3',
	"$s.similarity($f, $f)" => '1',
	"$s.flamegraph_to_folded($s.positive_part($g))" => 'a;b 3',
	"(ARRAY['a;b', 'c']::$s.stackpath)::text" => 'a\;b;c',
	"($s.stackpath 'a;b')::text[]" => '{a,b}',
	"(SELECT $s.sum(v) FROM (VALUES ($f), ($g)) AS t (v))" => "a;b 4\na;c 2\nd -1",
	"(SELECT $s.avg(v) FROM (VALUES ($f), ($g)) AS t (v))" => "a;b 2\na;c 1\nd -0.5",
	"(SELECT $s.flamegraph_agg(v, 1) FROM (VALUES ('a'), ('a;b')) AS t (v))" => "a 1\na;b 1",
	"(SELECT string_agg(frame || ' ' || potential, ',') FROM $s.subtree_potential($f, 1))" => 'a 3,c 2,b 1',
	"(SELECT string_agg(stack::text, ',') FROM $s.stacks($f))" => 'a;b,a;c',
	"(SELECT count(*) FROM (SELECT DISTINCT v FROM (VALUES ($f), ($g), ($f)) AS t (v)) AS d)" => '2',
	"(SELECT count(*) FROM (SELECT v FROM (VALUES ($f), ($g), ($f)) AS t (v) GROUP BY v) AS d)" => '2');
for my $expression (sort keys %operator)
{
	my $result = $db->query("SELECT $expression");
	is($result->{error} ? "$result->{error}{sqlstate} $result->{error}{message}" : $result->{rows}[0][0],
		$operator{$expression}, $expression =~ s/\n/\\n/gr);
}

# Indexes, sorting and hashing find the operator classes by type.
$db->run(<<"SQL");
CREATE TABLE public.run (id int, path $s.stackpath, fg $s.flamegraph);
INSERT INTO public.run SELECT i, ('a;b' || i)::$s.stackpath, ('a;b' || i || ' 1')::$s.flamegraph FROM generate_series(1, 1000) AS i;
CREATE INDEX run_path ON public.run (path);
CREATE INDEX run_hash ON public.run USING hash (fg);
ANALYZE public.run;
SET enable_seqscan = off;
SQL
like(join("\n", map { $_->[0] } @{ $db->rows("EXPLAIN SELECT id FROM public.run WHERE path OPERATOR($s.=) 'a;b7'") }),
	qr/run_path/, 'a btree index is used');
is($db->value("SELECT id FROM public.run WHERE path OPERATOR($s.=) 'a;b7'"), '7', 'and finds the row');
like(join("\n", map { $_->[0] } @{ $db->rows("EXPLAIN SELECT id FROM public.run WHERE fg OPERATOR($s.=) 'a;b7 1'") }),
	qr/run_hash/, 'a hash index is used');
is($db->value("SELECT id FROM public.run WHERE fg OPERATOR($s.=) 'a;b7 1'"), '7', 'and finds the row');

# --- a role without any rights ---------------------------------------------------------------------------------------

$db->run("GRANT USAGE ON SCHEMA $s TO reader; GRANT SELECT ON public.run TO reader");
my $reader = Wire->connect($node, 'app', user => 'reader');
is($reader->value("SELECT $s.total($s.sum(fg)) FROM public.run"), '1000', 'everybody may use it');
$reader->close;
$db->close;

# --- dump and restore of the schema ----------------------------------------------------------------------------------

$super->run('CREATE DATABASE again OWNER owner');
{
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	my $output = `bash -c 'set -o pipefail; pg_dump app | psql -q -X -v ON_ERROR_STOP=1 again' 2>&1`;
	is($?, 0, 'dump and restore') or diag($output);
}
$db = Wire->connect($node, 'again');
is($db->value("SELECT md5(string_agg(fg::text, ',' ORDER BY id)) FROM public.run"),
	Wire->connect($node, 'app')->value("SELECT md5(string_agg(fg::text, ',' ORDER BY id)) FROM public.run"), 'the same values');
is($db->value(q{SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'flamegraph'}), '"Profile Types"', 'in the same schema');
$db->run('DROP EXTENSION flamegraph CASCADE');
is($db->value(q{SELECT count(*) FROM pg_proc WHERE probin = '$libdir/flamegraph'}), '0', 'DROP EXTENSION leaves nothing');
$db->close;

$super->close;
$node->stop;
done_testing();
