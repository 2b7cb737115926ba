# The extension flamegraph_jobs as the catalogs show it is the one of the contract (test/data/jobs_api.txt): names, arguments,
# defaults, results, tables, views, columns. No name needs quotes, every object and column has a comment, what is no SQL body looks for
# names in pg_catalog only, nothing runs with other rights than the caller's; who may create an extension where others were before;
# and it goes without a trace.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Jobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
my $super = Wire->connect($node, 'postgres');
$super->run($_) for 'CREATE ROLE keeper LOGIN', 'CREATE ROLE mallory LOGIN', 'CREATE DATABASE jobs OWNER keeper', 'CREATE DATABASE others OWNER keeper';
my $db = Wire->connect($node, 'jobs', user => 'keeper');
Jobs::create($db);
$db->run(<<'SQL');
CREATE TEMP TABLE member AS
SELECT classid, objid, classid::regclass::text AS catalog, pg_describe_object(classid, objid, 0) AS description
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph_jobs')
  AND NOT (classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_type AS t WHERE t.oid = objid AND t.typcategory = 'A'));
SQL

# --- against the contract --------------------------------------------------------------------------------------------

my (%contract, $section, $common);
open my $in, '<', "$FindBin::RealBin/../data/jobs_api.txt" or die $!;
while (my $line = <$in>)
{
	chomp $line;
	if ($line =~ /^# common = (.*)/) { $common = $1; }
	next if $line =~ /^(#|\s*$)/;
	if ($line =~ /^\[(.*)\]$/) { $section = $1; next; }
	push @{ $contract{$section} }, $line =~ s/\bcommon(?=[,)])/$common/r;
}
close $in;

sub short
{
	my ($text) = @_;
	$text =~ s/\bdouble precision\b/float8/g;
	$text =~ s/\btimestamp with time zone\b/timestamptz/g;
	$text =~ s/\bNULL::[a-z0-9 ]+(\[\])?(?=,|\)|$)/NULL/g;
	$text =~ s/\bjobs\.//g;
	$text =~ s/\binteger\b/int/g;
	$text =~ s/\bboolean\b/bool/g;
	$text =~ s/('[^']*')::[a-z0-9]+(\[\])?/$1/g;
	return $text;
}

sub same_lines
{
	my ($got, $expected, $name) = @_;
	my %got = map { $_ => 1 } @$got;
	my %expected = map { $_ => 1 } @{ $expected // [] };
	my @missing = grep { !$got{$_} } @{ $expected // [] };
	my @extra = grep { !$expected{$_} } @$got;
	ok(!@missing && !@extra && @$got == keys %expected, $name) or diag(join "\n", (map { "missing in the catalogs: $_" } @missing), (map { "not in jobs_api.txt:      $_" } @extra));
	return;
}

my %internal = map { $_ => 1 } @{ $contract{internal} };
my (%found, %internal_found);
for my $row (@{ $db->rows(<<'SQL') })
SELECT p.proname, p.prokind, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.proretset
FROM member AS m JOIN pg_proc AS p ON m.catalog = 'pg_proc' AND p.oid = m.objid ORDER BY p.proname, p.oid
SQL
{
	my ($name, $kind, $arguments, $result, $set) = @$row;
	if ($internal{$name}) { $internal_found{$name} = 1; next; }
	my @arguments = split /, /, short($arguments);
	my @in = grep { !/^OUT / } @arguments;
	my @out = map { s/^OUT //r } grep { /^OUT / } @arguments;
	$result = short($result);
	$result = '(' . join(', ', @out) . ')' if @out;
	$result = "SETOF $result" =~ s/SETOF SETOF/SETOF/r if $set eq 't';
	push @{ $found{ $kind eq 'a' ? 'aggregates' : 'functions' } }, "$name(" . join(', ', @in) . ") $result";
}
same_lines($found{$_}, $contract{$_}, $_) for 'functions', 'aggregates';
same_lines([ keys %internal_found ], $contract{internal}, 'internal functions');
for my $kind ([ tables => 'r' ], [ views => 'v' ])
{
	same_lines([ map { short("$_->[0]($_->[1])") } @{ $db->rows(<<"SQL") } ], $contract{ $kind->[0] }, $kind->[0]);
SELECT c.relname, (SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0)
FROM member JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid WHERE relkind = '$kind->[1]'
SQL
}
is($db->value("SELECT string_agg(DISTINCT catalog, ' ') FROM member WHERE catalog NOT IN ('pg_class', 'pg_proc', 'pg_type', 'pg_trigger', 'pg_constraint', 'pg_rewrite', 'pg_attrdef')"), undef, 'no objects of other kinds');

# The reference has a line for each of them, and the page of jobs every code.
my $reference = slurp_file("$FindBin::RealBin/../../docs/reference.md");
for my $name (map { /^(\w+)/ } map { @{ $_ // [] } } @contract{qw(functions aggregates tables views)})
{
	ok($reference =~ /`jobs\.$name(?!\w)/, "reference: $name");
}
my $page = slurp_file("$FindBin::RealBin/../../docs/jobs.md");
my ($codes) = slurp_file("$FindBin::RealBin/../../src/core/checking/problem.c") =~ /words\[.*?\{(.*?)\};/s;
is_deeply([ grep { $page !~ /^\|[^|]*`$_`/m } $codes =~ /"(\w+)"/g ], [], 'every code of a problem is explained');

# --- rules -----------------------------------------------------------------------------------------------------------

# "extract" is a word of SQL that a column may have all the same.
is_deeply($db->rows(<<'SQL'), [], 'no name needs quotes');
SELECT DISTINCT n
FROM member LEFT JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid LEFT JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid,
  unnest(ARRAY[proname::text, relname::text] || p.proargnames || ARRAY(SELECT attname::text FROM pg_attribute AS a WHERE a.attrelid = c.oid AND attnum > 0)) AS n
WHERE n NOT IN ('', 'extract') AND quote_ident(n) <> n
SQL
is_deeply([ map { $_->[0] } @{ $db->rows(<<'SQL') } ], [], 'every function, type, table and view has a comment');
SELECT description FROM member LEFT JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid LEFT JOIN pg_type AS t ON catalog = 'pg_type' AND t.oid = objid
WHERE (catalog = 'pg_proc' OR relkind IN ('r', 'v', 'c') AND relkind <> 'c' OR t.typtype = 'e') AND coalesce(obj_description(objid, catalog), '') = ''
SQL
is_deeply([ map { $_->[0] } @{ $db->rows(<<'SQL') } ], [], 'every column has one');
SELECT relname || '.' || attname FROM member JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid JOIN pg_attribute AS a ON attrelid = c.oid
WHERE relkind IN ('r', 'v') AND attnum > 0 AND NOT attisdropped AND coalesce(col_description(c.oid, attnum), '') = ''
SQL
isnt($db->value("SELECT obj_description(oid, 'pg_extension') FROM pg_extension WHERE extname = 'flamegraph_jobs'") // '', '', 'so has the extension');
is_deeply($db->rows(<<'SQL'), [], 'a function in SQL or PL/pgSQL without a bound body looks for names in pg_catalog only');
SELECT description, proconfig FROM member JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid JOIN pg_language AS l ON l.oid = prolang
WHERE prokind = 'f' AND lanname IN ('sql', 'plpgsql') AND prosqlbody IS NULL AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)
SQL
is_deeply($db->rows('SELECT description FROM member JOIN pg_proc AS p ON catalog = $$pg_proc$$ AND p.oid = objid WHERE prosecdef'), [], 'none runs with the rights of its owner');
is_deeply($db->rows(<<'SQL'), [], 'and none is immutable that reads tables');
SELECT description FROM member JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid WHERE provolatile = 'i' AND 'job_id' = ANY (proargnames)
SQL
is_deeply($db->rows("SELECT relname FROM member JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid WHERE relkind IN ('r', 'S') AND c.oid <> ALL ((SELECT extconfig FROM pg_extension WHERE extname = 'flamegraph_jobs')::oid[])"),
	[], 'a dump keeps every table and sequence');
is($db->value("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = 'jobs'::regnamespace"), '0', 'no foreign keys');

# --- creating and dropping -------------------------------------------------------------------------------------------

$db->run('DROP EXTENSION flamegraph_jobs');
is($db->value("SELECT count(*) FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass AND refobjid = 'jobs'::regnamespace"), '0', 'DROP EXTENSION leaves nothing in the schema');
is($db->sqlstate('CREATE EXTENSION flamegraph_jobs'), 'no error', 'it can be created again');
is($db->sqlstate('ALTER EXTENSION flamegraph_jobs SET SCHEMA public'), '0A000', 'it stays in its schema');
is($db->sqlstate('DROP EXTENSION flamegraph'), '2BP01', 'it needs flamegraph');
is($db->sqlstate('CREATE EXTENSION flamegraph_store'), 'no error', 'the store can be beside it');
$db->close;

sub refused
{
	my ($connection, $state, $message, $name) = @_;
	my $error = $connection->query('CREATE EXTENSION flamegraph_jobs')->{error} // {};
	is($error->{sqlstate} // 'no error', $state, $name);
	like($error->{message} // '', $message, "$name: what is wrong");
	return;
}

my $boss = Wire->connect($node, 'others');
my $keeper = Wire->connect($node, 'others', user => 'keeper');
my $mallory = Wire->connect($node, 'others', user => 'mallory');
$boss->run('GRANT CREATE ON DATABASE others TO mallory');
$keeper->run('CREATE EXTENSION flamegraph');
$mallory->run('CREATE SCHEMA jobs');
refused($keeper, '42501', qr/schema "jobs" belongs to role "mallory"/, 'a schema of somebody else');
$boss->run('ALTER SCHEMA jobs OWNER TO keeper; GRANT CREATE ON SCHEMA jobs TO mallory');
refused($keeper, '42501', qr/role "mallory" may create objects in schema "jobs"/, 'a schema that somebody else may write to');
$mallory->run('CREATE FUNCTION jobs.octet_length(text) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$');
$boss->run('REVOKE CREATE ON SCHEMA jobs FROM mallory');
refused($keeper, '55000', qr/schema "jobs" is not empty/, 'one with a function');
$boss->run('DROP FUNCTION jobs.octet_length(text); GRANT CREATE ON SCHEMA public TO PUBLIC');
refused($keeper, '42501', qr/everybody may create objects in schema "public"/, 'where flamegraph is, everybody may create');
$boss->run('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
is($keeper->sqlstate('CREATE EXTENSION flamegraph_jobs'), 'no error', 'an empty schema of one\'s own');
is($mallory->sqlstate('SELECT * FROM jobs.job'), '42501', 'others may not use it');
$_->close for $boss, $keeper, $mallory, $super;
$node->stop;
done_testing();
