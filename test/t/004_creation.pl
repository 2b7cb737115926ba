# Creating the extensions where others were before: schemas that they own or may write to, functions and operators that match better
# than PostgreSQL's own. What could run their code is refused with a hint that helps; what cannot is created, and runs none.
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
$super->run($_) for 'CREATE ROLE mallory LOGIN', 'CREATE ROLE dbo LOGIN', 'CREATE ROLE team LOGIN', 'CREATE ROLE boss LOGIN SUPERUSER';

# A fresh database of this owner, and a connection as each of these roles. Public is as PostgreSQL 15 makes it.
my $databases = 0;
sub database
{
	my ($owner, @roles) = @_;
	my $name = 'd' . ++$databases;
	$super->run("CREATE DATABASE $name OWNER $owner");
	my $boss = Wire->connect($node, $name, user => 'boss');
	$boss->run("REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT CREATE ON DATABASE $name TO mallory, team");
	$boss->run('ALTER SCHEMA public OWNER TO pg_database_owner');
	$boss->close;
	return map { Wire->connect($node, $name, user => $_) } @roles;
}

sub refused
{
	my ($db, $sql, $state, $message, $hint, $name) = @_;
	my $error = $db->query($sql)->{error} // {};
	is($error->{sqlstate} // 'no error', $state, $name);
	like($error->{message} // '', $message, "$name: what is wrong");
	like($error->{hint} // '', $hint, "$name: what helps");
	return;
}

sub created
{
	my ($db, $sql, $name) = @_;
	my $error = $db->query($sql)->{error};
	ok(!$error, $name) or diag("$error->{message} $error->{detail}");
	return;
}

# A function that tells who runs it, if anybody does.
sub trap
{
	my ($signature, $result) = @_;
	return "CREATE FUNCTION $signature RETURNS $result LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'trapped: %', current_user; END \$\$";
}

# --- schema profiling ------------------------------------------------------------------------------------------------

my ($boss, $mallory) = database('boss', 'boss', 'mallory');
$boss->run('CREATE EXTENSION flamegraph');
$mallory->run('CREATE SCHEMA profiling');
refused($boss, 'CREATE EXTENSION flamegraph_store', '42501', qr/schema "profiling" belongs to role "mallory"/, qr/drop the schema/, 'a schema of somebody else');
$mallory->run(trap('profiling.format(text, text, text, text)', 'text'));
refused($boss, 'CREATE EXTENSION flamegraph_store', '42501', qr/belongs to role "mallory"/, qr/Connect as role mallory/, 'with functions in it');
$boss->run('ALTER SCHEMA profiling OWNER TO boss');
refused($boss, 'CREATE EXTENSION flamegraph_store', '55000', qr/schema "profiling" is not empty/, qr/Drop/, 'an own schema with functions of somebody else');
$boss->run('DROP FUNCTION profiling.format(text, text, text, text)');
$boss->run('CREATE FUNCTION public.eq(float8, int4) RETURNS bool LANGUAGE sql AS $$ SELECT true $$');
for my $object ([ 'TABLE profiling.x', '()' ], [ 'VIEW profiling.x', 'AS SELECT 1' ], [ 'TYPE profiling.x', 'AS ENUM ()' ], [ 'SEQUENCE profiling.x', '' ], [ 'COLLATION profiling.x', 'FROM "C"' ],
	[ 'OPERATOR profiling.=', '(LEFTARG = float8, RIGHTARG = int4, FUNCTION = public.eq)', '(float8, int4)' ])
{
	my ($name, $definition, $signature) = @$object;
	$boss->run("CREATE $name $definition");
	refused($boss, 'CREATE EXTENSION flamegraph_store', '55000', qr/not empty/, qr/Drop/, "holding a thing: $name");
	$boss->run("DROP $name " . ($signature // ''));
}
for my $grantee ('PUBLIC', 'mallory')
{
	$boss->run("GRANT CREATE ON SCHEMA profiling TO $grantee");
	refused($boss, 'CREATE EXTENSION flamegraph_store', '42501', qr/may create objects in schema "profiling"/, qr/^REVOKE CREATE ON SCHEMA profiling FROM $grantee\.$/, "a schema in which $grantee may create");
	$boss->run("REVOKE CREATE ON SCHEMA profiling FROM $grantee");
}
$boss->run('GRANT CREATE ON SCHEMA profiling TO postgres; GRANT USAGE ON SCHEMA profiling TO PUBLIC');
created($boss, 'CREATE EXTENSION flamegraph_store', 'an empty schema, in which only superusers may create');
is($boss->value("SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'"), 'f', 'nobody has climbed');
$_->close for $boss, $mallory;

# --- the schema of flamegraph ----------------------------------------------------------------------------------------

($boss, $mallory) = database('boss', 'boss', 'mallory');
$boss->run('GRANT CREATE ON SCHEMA public TO PUBLIC');
created($boss, 'CREATE EXTENSION flamegraph', 'flamegraph where everybody may create, as PostgreSQL 14 has it');
refused($boss, 'CREATE EXTENSION flamegraph_store', '42501', qr/everybody may create objects in schema "public"/, qr/REVOKE CREATE ON SCHEMA public FROM PUBLIC, or .*CREATE SCHEMA flamegraph/, 'but not the store');
$boss->run('REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT CREATE ON SCHEMA public TO mallory');
refused($boss, 'CREATE EXTENSION flamegraph_store', '42501', qr/role "mallory" may create objects in schema "public"/, qr/FROM mallory/, 'nor where one role may');
$boss->run('DROP EXTENSION flamegraph; GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph');
created($boss, 'CREATE EXTENSION flamegraph_store', 'in a schema of its own it does not matter who may create elsewhere');
$boss->run('DROP EXTENSION flamegraph_store, flamegraph; REVOKE CREATE ON SCHEMA public FROM PUBLIC, mallory');
created($boss, 'CREATE EXTENSION flamegraph_store CASCADE', 'CASCADE, as a database is since PostgreSQL 15');
$boss->run('DROP EXTENSION flamegraph_store, flamegraph');
created($boss, 'CREATE EXTENSION flamegraph_store SCHEMA profiling CASCADE', 'CASCADE puts both into schema profiling');
$_->close for $boss, $mallory;

# The owner of a database may install both; that a role without other duties has the store is fine, too.
my ($dbo, $team);
($boss, $dbo, $team) = database('dbo', 'boss', 'dbo', 'team');
created($dbo, 'CREATE EXTENSION flamegraph_store CASCADE', 'by the owner of the database');
$dbo->run('DROP EXTENSION flamegraph_store; DROP SCHEMA profiling');
created($team, 'CREATE EXTENSION flamegraph_store', 'by another role, beside a flamegraph of the owner of the database');
$team->run('DROP EXTENSION flamegraph_store; DROP SCHEMA profiling');
$dbo->run('DROP EXTENSION flamegraph');
$boss->run('CREATE EXTENSION flamegraph');
refused($boss, 'CREATE EXTENSION flamegraph_store', '42501', qr/role "dbo" may create objects in schema "public"/, qr/Connect as role dbo.*CREATE SCHEMA flamegraph/, 'a superuser, beside what the owner of the database may plant');
$boss->run('DROP EXTENSION flamegraph');

# What the owner of the database has planted in the way of the store is not run by the superuser who creates it.
$dbo->run('CREATE EXTENSION flamegraph');
$dbo->run($_) for trap('public.format(text, text, text, text)', 'text'), trap('public.format(text, bigint)', 'text'), trap('public.eq(float8, int4)', 'bool'),
  'CREATE OPERATOR public.= (LEFTARG = float8, RIGHTARG = int4, FUNCTION = public.eq)', trap('public.divided(float8, int4)', 'float8'),
  'CREATE OPERATOR public./ (LEFTARG = float8, RIGHTARG = int4, FUNCTION = public.divided)', trap('public.pg_extension_config_dump(text, text)', 'void');
created($boss, 'CREATE EXTENSION flamegraph_store', 'functions of the owner of the database match better');
is($boss->sqlstate($_), 'no error', "and are not run: $_")
  for "SELECT profiling.import_profile('b', 'main;a 1', started_at => '2026-01-01')", "SELECT profiling.import_profile('b', 'main;a 1', started_at => '2026-01-01')",
  'SELECT * FROM profiling.benchmark_trend', 'CALL profiling.maintain()';
$boss->run('DROP EXTENSION flamegraph_store; DROP SCHEMA profiling');
# The closing check finds what is bound to a function of somebody else: here one that stands in for a function of flamegraph that
# the superuser has dropped, outside of the extension and added to it.
$boss->run('ALTER EXTENSION flamegraph DROP FUNCTION public.total(flamegraph); DROP FUNCTION public.total(flamegraph)');
$dbo->run(trap('public.total(flamegraph)', 'float8'));
for my $member ('', 'ALTER EXTENSION flamegraph ADD FUNCTION public.total(flamegraph)')
{
	$dbo->run($member) if $member;
	refused($boss, 'CREATE EXTENSION flamegraph_store', '55000', qr/would depend on what is part neither of it nor of flamegraph/, qr/Drop these/, $member || 'a foreign function in the place of one of flamegraph');
}
$_->close for $boss, $dbo, $team;

# --- flamegraph --------------------------------------------------------------------------------------------------------

($boss, $dbo, $team, $mallory) = database('boss', 'boss', 'dbo', 'team', 'mallory');
$mallory->run('CREATE SCHEMA mine');
refused($boss, 'CREATE EXTENSION flamegraph SCHEMA mine', '42501', qr/schema "mine" belongs to role "mallory"/, qr/CREATE SCHEMA flamegraph/, 'a schema of somebody else');
created($mallory, 'CREATE EXTENSION flamegraph SCHEMA mine', 'of the role itself');
$mallory->run('DROP EXTENSION flamegraph');

$boss->run('GRANT CREATE ON SCHEMA public TO PUBLIC');
$mallory->run('CREATE FUNCTION public.application(text) RETURNS text LANGUAGE sql AS $$ SELECT $1 $$; CREATE TYPE public.colour AS ENUM (); CREATE TABLE public.total ()');
created($boss, 'CREATE EXTENSION flamegraph', 'beside functions of an application');
$boss->run('DROP EXTENSION flamegraph');
$mallory->run(trap('public.eq(float8, int4)', 'bool'));
$mallory->run('CREATE OPERATOR public.= (LEFTARG = float8, RIGHTARG = int4, FUNCTION = public.eq)');
refused($boss, 'CREATE EXTENSION flamegraph', '55000', qr/schema "public" holds functions or operators of others that are named like those of PostgreSQL/, qr/CREATE SCHEMA flamegraph/, 'an operator in the way');
refused($team, 'CREATE EXTENSION flamegraph', '55000', qr/holds functions or operators/, qr/CREATE SCHEMA flamegraph/, 'also of a role that is no superuser');
created($boss, 'CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph', 'what the hint says');
created($boss, 'CREATE EXTENSION flamegraph_store', 'and the store with it');
$boss->run('DROP EXTENSION flamegraph_store, flamegraph');
# The same by the role that creates the extension, whose script runs as a superuser: nothing binds to it.
created($mallory, 'CREATE EXTENSION flamegraph SCHEMA public', 'an operator of the role itself');
is($boss->value("SET search_path = pg_catalog; SELECT count(share) FROM public.decompose('a 1', 'a 2')"), '4', 'is not what decompose() uses');
$boss->run('RESET search_path');
$mallory->run('DROP EXTENSION flamegraph; DROP OPERATOR public.= (float8, int4)');

$mallory->run(trap('public.total(text)', 'float8'));
refused($boss, 'CREATE EXTENSION flamegraph', '55000', qr/named like those of the extension/, qr/CREATE SCHEMA flamegraph/, 'a function named like one of the extension');
$mallory->run('DROP FUNCTION public.total(text)');
$mallory->run(trap('public.at(text)', 'float8'));
$mallory->run('CREATE OPERATOR public.<%> (RIGHTARG = text, FUNCTION = public.at)');
created($boss, 'CREATE EXTENSION flamegraph', 'operators with other names are no matter');
$_->close for $boss, $dbo, $team, $mallory;

is($super->value("SELECT string_agg(rolname, ' ') FROM pg_roles WHERE rolsuper AND rolname IN ('mallory', 'dbo', 'team')"), undef, 'nobody has climbed');
$super->close;
$node->stop;
done_testing();
