# The extension flamegraph_store as the catalogs show it is the one of the contract (test/data/store_api.txt): names, arguments,
# defaults, results, tables, views. No name but "check" needs quotes, functions look for names in pg_catalog only, procedures commit
# and have no setting, every object and every column has a comment; what is called within another schema's path still works.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\nmax_worker_processes = 16\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);
$db->run(<<'SQL');
CREATE TEMP TABLE member AS
SELECT classid, objid, classid::regclass::text AS catalog, pg_describe_object(classid, objid, 0) AS description
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
  AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph_store')
SQL

my (%contract, $section, $selection, $window);
open my $in, '<', "$FindBin::RealBin/../data/store_api.txt" or die $!;
while (my $line = <$in>)
{
	chomp $line;
	if ($line =~ /^# sel = (.*)/) { $selection = $1; }
	if ($line =~ /^# win = (.*)/) { $window = $1; }
	next if $line =~ /^(#|\s*$)/;
	if ($line =~ /^\[(.*)\]$/) { $section = $1; next; }
	push @{ $contract{$section} }, $line =~ s/\bsel(?=[,)])/$selection/r =~ s/\bwin(?=[,)])/$window/r;
}
close $in;

# The type names of the contract.
sub short
{
	my ($text) = @_;
	$text =~ s/\bdouble precision\b/float8/g;
	$text =~ s/\btimestamp with time zone\b/timestamptz/g;
	$text =~ s/\bNULL::[a-z0-9 ]+(\[\])?(?=,|\)|$)/NULL/g;
	$text =~ s/\bprofiling\.//g;
	$text =~ s/\binteger\b/int/g;
	$text =~ s/\bboolean\b/bool/g;
	$text =~ s/('[^']*')::[a-z0-9]+(\[\])?/$1/g;
	return $text;
}

sub same_lines
{
	my ($got, $expected, $name) = @_;
	my %got = map { $_ => 1 } @$got;
	my %expected = map { $_ => 1 } @$expected;
	my @missing = grep { !$got{$_} } @$expected;
	my @extra = grep { !$expected{$_} } @$got;
	ok(!@missing && !@extra && @$got == @$expected, $name)
	  or diag(join "\n", (map { "missing in the catalogs:  $_" } @missing), (map { "not in store_api.txt:     $_" } @extra));
	return;
}

# --- against the contract --------------------------------------------------------------------------------------------

my %internal = map { $_ => 1 } @{ $contract{internal} };
my (%found, %internal_found);
for my $row (@{ $db->rows(<<'SQL') })
SELECT p.proname, p.prokind, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.proretset
FROM member AS m JOIN pg_proc AS p ON m.catalog = 'pg_proc' AND p.oid = m.objid
ORDER BY p.proname, p.oid
SQL
{
	my ($name, $kind, $arguments, $result, $set) = @$row;
	if ($internal{$name}) { $internal_found{$name} = 1; next; }
	my @arguments = split /, /, short($arguments);
	my @in = grep { !/^OUT / } @arguments;
	my @out = map { s/^OUT //r } grep { /^OUT / } @arguments;
	if ($kind eq 'p') { push @{ $found{procedures} }, "$name(" . join(', ', @in) . ')'; next; }
	$result = short($result);
	if ($result =~ /^TABLE\((.*)\)$/) { @out = split /, /, $1; }
	$result = '(' . join(', ', @out) . ')' if @out;
	$result = "SETOF $result" =~ s/SETOF SETOF/SETOF/r if $set eq 't';
	push @{ $found{ $kind eq 'a' ? 'aggregates' : 'functions' } }, "$name(" . join(', ', @in) . ") $result";
}
same_lines($found{$_}, $contract{$_}, $_) for 'functions', 'procedures', 'aggregates';
same_lines([ keys %internal_found ], $contract{internal}, 'internal functions');
same_lines([ map { $_->[0] } @{ $db->rows("SELECT relname FROM member JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid WHERE relkind IN ('r', 'p')") } ],
	$contract{tables}, 'tables');
same_lines([ map { $_->[0] } @{ $db->rows("SELECT relname FROM member JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid WHERE relkind = 'v'") } ],
	$contract{views}, 'views');
is($db->value("SELECT string_agg(DISTINCT catalog, ' ') FROM member WHERE catalog NOT IN ('pg_class', 'pg_proc', 'pg_type', 'pg_trigger', 'pg_constraint', 'pg_rewrite', 'pg_attrdef')"),
	undef, 'no objects of other kinds');

# The reference has a line for each of them.
my $reference = slurp_file("$FindBin::RealBin/../../docs/reference.md");
for my $name (map { /^(\w+)/ } map { @$_ } @contract{qw(functions procedures aggregates tables views)})
{
	ok($reference =~ /`profiling\.$name(?!\w)/, "reference: $name");
}

# So have the columns of the views, in the order of the catalogs, and the words that a column takes.
for my $view (@{ $contract{views} })
{
	my ($columns) = $reference =~ /^\|[^|\n]*`$view`[^|\n]*\| ([^|\n]*) \|$/m;
	is(join(' ', split /[,;] /, $columns // ''), $db->value("SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'profiling.$view'::regclass AND attnum > 0"),
		"reference: the columns of $view");
}
my ($words) = $reference =~ /^### Words$(.*?)(?=^#|\z)/ms;
for my $row (@{ $db->rows(<<'SQL') })
SELECT DISTINCT conrelid::regclass::text, m[1]
FROM member JOIN pg_constraint ON catalog = 'pg_class' AND conrelid = objid,
  -- the first argument of word_works() is the column
  regexp_matches(regexp_replace(pg_get_constraintdef(pg_constraint.oid), 'word_works\(''[a-z_]+''::text', ''), '''([a-z_]+)''::text', 'g') AS m
WHERE contype = 'c' AND pg_get_constraintdef(pg_constraint.oid) ~ '= ANY \(ARRAY|word_works' ORDER BY 1, 2
SQL
{
	ok($words =~ /`$row->[1](:N)?`/, "reference: the word $row->[1] of $row->[0]");
}

# --- rules -------------------------------------------------------------------------------------------------------------

is_deeply($db->rows(<<'SQL'), [ ['check'] ], 'no name but check needs quotes, and that one needs none behind profiling.');
SELECT DISTINCT n
FROM member LEFT JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid LEFT JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid,
  unnest(ARRAY[proname::text, relname::text] || p.proargnames || ARRAY(SELECT attname::text FROM pg_attribute AS a WHERE a.attrelid = c.oid AND attnum > 0)) AS n
WHERE n <> '' AND quote_ident(n) <> n
SQL
is($db->sqlstate('SELECT count(*) FROM profiling.check()'), 'no error', 'profiling.check()');
is_deeply([ map { $_->[0] } @{ $db->rows(<<'SQL') } ], [], 'every function, table and view has a comment');
SELECT description FROM member LEFT JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid
WHERE catalog IN ('pg_proc', 'pg_class') AND coalesce(relkind, 'r') IN ('r', 'p', 'v') AND coalesce(obj_description(objid, catalog), '') = ''
SQL
is_deeply($db->rows("SELECT member.description FROM member JOIN pg_description AS d ON classoid = classid AND objoid = objid AND d.description ~ '[\\n\\t]'"), [], '... in one line');
is_deeply([ map { $_->[0] } @{ $db->rows(<<'SQL') } ], [], 'every column has one');
SELECT relname || '.' || attname FROM member JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid JOIN pg_attribute AS a ON attrelid = c.oid
WHERE relkind IN ('r', 'p', 'v') AND attnum > 0 AND NOT attisdropped AND relname NOT IN ('profile_data_default', 'incoming_default', 'block_default')
  AND coalesce(col_description(c.oid, attnum), '') = ''
SQL
isnt($db->value("SELECT obj_description(oid, 'pg_extension') FROM pg_extension WHERE extname = 'flamegraph_store'") // '', '', 'so has the extension');
is_deeply($db->rows(<<'SQL'), [], 'a function that is no SQL body looks for names in pg_catalog only');
SELECT description, proconfig FROM member JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid
WHERE prokind = 'f' AND prosqlbody IS NULL AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)
SQL
is_deeply($db->rows("SELECT description FROM member JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid WHERE prokind = 'p' AND proconfig IS NOT NULL"),
	[], 'no procedure has settings');
is_deeply($db->rows(<<'SQL'), [ [ 'store_incoming', 'f', 'f' ], [ 'store_profile', 'f', 'f' ] ], 'two functions run with the rights of the owner, and are nobody else\'s until access is granted');
SELECT p.proname, has_function_privilege('pg_monitor', p.oid, 'EXECUTE'), p.proacl IS NULL
FROM member JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid WHERE prosecdef ORDER BY 1
SQL

# --- what Citus refuses ----------------------------------------------------------------------------------------------

# The store is to run on Citus, where it is not tested every day: what Citus cannot do is looked for in the catalogs.
$db->run(<<'SQL');
CREATE TEMP TABLE spread AS SELECT c.oid, c.relname, d.kind, d.key, c.relkind
FROM profiling.distribution() AS d JOIN pg_class AS c ON c.relnamespace = 'profiling'::regnamespace AND c.relname = d.table_name;
-- relations that are on several servers, and views of them
CREATE TEMP TABLE remote AS WITH RECURSIVE r AS (
	SELECT oid, relname, kind FROM spread WHERE kind <> 'local'
	UNION
	SELECT v.oid, v.relname, r.kind FROM r JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.oid AND d.classid = 'pg_rewrite'::regclass
		JOIN pg_rewrite AS w ON w.oid = d.objid JOIN pg_class AS v ON v.oid = w.ev_class
) SELECT DISTINCT oid, relname, kind FROM r;
CREATE TEMP TABLE routine AS SELECT p.oid, p.proname, p.prosqlbody IS NOT NULL AS is_sql, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) AS body
FROM pg_proc AS p WHERE p.pronamespace = 'profiling'::regnamespace AND p.prokind IN ('f', 'p');
CREATE TEMP TABLE calls AS
SELECT f.oid AS caller, g.oid AS callee FROM routine AS f JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_proc'::regclass
	JOIN routine AS g ON g.oid = d.refobjid WHERE f.is_sql
UNION SELECT f.oid, g.oid FROM routine AS f JOIN routine AS g ON f.body ~ ('\mprofiling\.' || g.proname || '\(') WHERE NOT f.is_sql;
-- functions that read a table, themselves or by what they call
CREATE TEMP TABLE reader AS WITH RECURSIVE r AS (
	SELECT f.oid FROM routine AS f WHERE EXISTS (SELECT FROM remote AS t WHERE f.body ~ ('\m(FROM|JOIN|INTO|UPDATE|USING)\s+\(*profiling\.' || t.relname || '\M'))
	UNION SELECT c.caller FROM r JOIN calls AS c ON c.callee = r.oid
) SELECT DISTINCT f.proname FROM r JOIN routine AS f USING (oid);
CREATE TEMP TABLE statement AS
SELECT f.proname AS name, s FROM routine AS f, regexp_split_to_table(f.body, ';\s*\n|\mLOOP\M|\mTHEN\M\s*\n|\mELSE\M\s*\n') AS s
UNION ALL SELECT c.relname, pg_get_viewdef(c.oid) FROM pg_class AS c WHERE c.relnamespace = 'profiling'::regnamespace AND c.relkind = 'v';
SQL
is_deeply($db->rows(<<'SQL'), [], 'distribution() has every table');
SELECT c.relname FROM member JOIN pg_class AS c ON catalog = 'pg_class' AND c.oid = objid
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.oid NOT IN (SELECT oid FROM spread)
SQL
is_deeply($db->rows(<<'SQL'), [], 'every table on several servers has a primary key, which moving a shard needs, and every unique key has the key of distribution');
SELECT t.relname FROM spread AS t WHERE t.kind <> 'local' AND t.relkind = 'r' AND NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = t.oid AND i.indisprimary)
UNION ALL
SELECT i.indexrelid::regclass::text FROM spread AS t JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attname = t.key
	JOIN pg_index AS i ON i.indrelid IN (SELECT t.oid UNION SELECT h.inhrelid FROM pg_inherits AS h WHERE h.inhparent = t.oid) AND i.indisunique
WHERE a.attnum <> ALL (i.indkey)
SQL
is_deeply($db->rows(<<'SQL'), [ ['watch_shipped_row_delete'], ['watch_shipped_row_insert'] ], 'no trigger but those of watch, which distribute() drops');
SELECT g.tgname FROM pg_trigger AS g JOIN spread AS t ON t.oid = g.tgrelid WHERE NOT g.tgisinternal ORDER BY 1
SQL
is_deeply($db->rows(<<'SQL'), [], 'no row count is taken of an INSERT: it is that of the rows offered');
SELECT f.proname FROM routine AS f WHERE f.body ~* '\mINSERT\s+INTO[^;]*;\s*GET\s+DIAGNOSTICS'
	OR f.body ~* 'EXECUTE[^;]*INSERT\s+INTO[^;]*;\s*GET\s+DIAGNOSTICS'
SQL
is_deeply($db->rows(<<'SQL'), [], 'no subquery has an empty list of results');
SELECT f.proname FROM routine AS f WHERE f.body ~ '\mSELECT\s+FROM\M' OR f.body ~ '\(\s*SELECT\s*\n\s*FROM\M'
SQL
# Citus 13.2 writes the statement down for a shard, and the server dies of it.
is_deeply($db->rows(<<'SQL'), [], 'no column is set to an element or a slice of an array, and nothing else');
SELECT s.name FROM statement AS s WHERE s.s ~ '\mUPDATE\M' AND s.s ~ '(\mSET|,)\s+\w+ = \(?\w+(\.\w+)*\)?\['
SQL
is_deeply($db->rows(<<'SQL'), [], 'no LATERAL subquery with LIMIT refers to a table that is on all servers, and has a copy outside of it');
SELECT DISTINCT c.relname, t.relname FROM pg_class AS c, regexp_matches(pg_get_viewdef(c.oid), '(LATERAL \((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*LIMIT)', 'g') AS m,
	regexp_matches(pg_get_viewdef(c.oid), 'JOIN profiling\.(\w+) (\w+) ON', 'g') AS j, spread AS t
WHERE c.relnamespace = 'profiling'::regnamespace AND c.relkind = 'v' AND t.relname = j[1] AND t.kind = 'reference'
	AND m[1] ~ ('\m' || j[2] || '\.') AND m[1] !~ ('\s' || j[2] || '\M[^.]')
SQL
# A query over a table in shards is sent to other servers, which call nothing that reads a table. In these the function is a part
# of FROM with arguments that are the same for all rows: it is called here, once.
my %once = map { $_ => 1 } (qw(changed_units check correlate frame_search leave_findings move_rollups not_compared_runs prune_month prune_profiles prune_rows selected_profiles window_blocks window_incoming wrong_samples));
is_deeply([ map { "$_->[0] $_->[1]" } grep { !$once{ $_->[0] } } @{ $db->rows(<<'SQL') } ], [], 'nothing that reads a table is called for each row of a table in shards');
SELECT DISTINCT s.name, r.proname FROM statement AS s JOIN reader AS r ON s.s ~ ('\mprofiling\.' || r.proname || '\(')
WHERE EXISTS (SELECT FROM remote AS t WHERE t.kind = 'distributed' AND s.s ~ ('(\m(FROM|JOIN|INTO|UPDATE|USING)|,)\s*\(*profiling\.' || t.relname || '\M')) ORDER BY 1, 2
SQL

# A parallel query can start no subtransaction, in the leader and in the workers.
$db->run(<<'SQL');
CREATE TEMP TABLE safe AS
SELECT p.oid, p.proname, p.prosrc FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
  JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
WHERE d.deptype = 'e' AND e.extname IN ('flamegraph', 'flamegraph_store') AND p.proparallel = 's';
CREATE TEMP TABLE unsafe AS
SELECT p.oid, p.proname FROM member JOIN pg_proc AS p ON catalog = 'pg_proc' AND p.oid = objid WHERE p.proparallel <> 's';
SQL
cmp_ok($db->value('SELECT count(*) FROM safe'), '>', 100, 'there are parallel-safe functions');
is_deeply($db->rows("SELECT proname FROM safe WHERE prosrc ~* '\\mexception\\s+when\\M'"), [], 'none of them catches errors');
is_deeply($db->rows(<<'SQL'), [], 'none calls one that is not parallel safe: by its stored body, or by name');
SELECT s.proname, u.proname FROM safe AS s JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = s.oid AND d.refclassid = 'pg_proc'::regclass JOIN unsafe AS u ON u.oid = d.refobjid
UNION
SELECT s.proname, u.proname FROM safe AS s JOIN unsafe AS u ON s.prosrc ~ ('\mprofiling\.' || u.proname || '\s*\(')
SQL
$db->run("SELECT profiling.import_flamegraph('parallel', 'a 1', started_at => '2026-01-05'); SET " . ($db->value("SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')")) . ' = on');
is($db->value(q{SELECT count(*) FROM profiling.profiles_of('{"since": "2026-01-01", "until": "now"}')}), '1', 'a selection with times in a parallel query');
is($db->sqlstate(q{SELECT count(*) FROM profiling.profiles_of('{"since": "soon"}')}), '22023', 'what is no time');
is($db->sqlstate(q{SELECT count(*) FROM profiling.profiles_of('{"since": "2026-13-45"}')}), '22008', 'what is no time in the end');
$db->run('RESET ' . $db->value("SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')"));
is($db->sqlstate($_), '42704', "refused: $_")
  for q{SELECT profiling.grant_access('nobody there', 'loader')}, q{SELECT profiling.grant_access('none', 'reader')}, q{SELECT profiling.grant_access('current_user', 'reader')}, q{SELECT profiling.grant_access('session_user', 'reader')},
  q{SELECT profiling.grant_access(NULL, 'reader')}, q{SELECT profiling.revoke_access('nobody there')};
is($db->sqlstate($_), '0LP01', "refused: $_") for q{SELECT profiling.grant_access('public', 'loader')}, q{SELECT profiling.revoke_access('public')};
is($db->value("SELECT count(*) FROM pg_class AS c, aclexplode(c.relacl) AS a WHERE c.relnamespace = 'profiling'::regnamespace AND a.grantee = 0"), '0', 'nothing is granted to everybody');

# Everything works with a search path in which neither extension is, and with traps in the way.
$db->run(<<'SQL');
CREATE SCHEMA trap;
CREATE FUNCTION trap.fail(a interval, b interval) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE OPERATOR trap.< (LEFTARG = interval, RIGHTARG = interval, FUNCTION = trap.fail);
CREATE FUNCTION trap.now() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE FUNCTION trap.total(public.flamegraph) RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE TABLE trap.profile ();
CREATE TABLE trap.rollup ();
SET search_path = trap, pg_catalog;
SQL
for my $call ("SELECT profiling.import_profile('b', 'a;b 1', started_at => '2026-01-05')", 'CALL profiling.maintain()', 'SELECT * FROM profiling.check(true)', 'SELECT * FROM profiling.storage',
	"SELECT profiling.merge_rollups(1, '1 day', 0)", "CALL profiling.prune('1 day', 0)", "SELECT profiling.grant_access(current_user, 'admin')")
{
	my $result = $db->query($call);
	is($result->{error} ? "$result->{error}{sqlstate} $result->{error}{message}" : 'no error', 'no error', "among traps: $call");
}
is($db->value("SELECT string_agg(DISTINCT outcome, ' ') FROM profiling.job_log"), 'ok', 'no job failed');

# What is dropped is gone; the schema was not made by the extension's script and stays.
$db->run('RESET search_path; DROP EXTENSION flamegraph_store');
is($db->value("SELECT count(*) FROM pg_class WHERE relnamespace = 'profiling'::regnamespace"), '0', 'DROP EXTENSION leaves no table, no partition');
is($db->value("SELECT count(*) FROM pg_proc WHERE pronamespace = 'profiling'::regnamespace"), '0', 'and no function');
is($db->sqlstate('CREATE EXTENSION flamegraph_store'), 'no error', 'it can be created again');
is($db->sqlstate('ALTER EXTENSION flamegraph_store SET SCHEMA public'), '0A000', 'it stays in its schema');
is($db->sqlstate('DROP EXTENSION flamegraph'), '2BP01', 'it needs flamegraph');

$db->close;
$node->stop;
done_testing();
