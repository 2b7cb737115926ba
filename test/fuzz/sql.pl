# The SQL fuzzer: statements at random over everything that both extensions define (SqlGenerator.pm, Calls.pm), by the
# owner of the store and by a role that may read and load, with a statement_timeout.
#
#   tools/fuzz-sql.sh [--seconds N] [--seed N] [--sessions N] [--timeout MILLISECONDS] [--statements N] [--huge SHARE]
#       [--log DIRECTORY]
#
# What it finds: a crash, an internal error (SQLSTATE XX..., a variable of PL/pgSQL without a row), memory exhausted by a
# statement without huge arguments, a result that does not read back as it was. A timeout is no find, a statement that goes on long after it is listed as
# late in the log. Each session writes its statements to a log before it sends them, so a crash has its statement;
# --seed with --sessions as before gives the same statements again.
use strict;
use warnings;

use FindBin;
use Getopt::Long;
use IO::Handle;
use Time::HiRes qw(sleep time);

use lib $FindBin::RealBin, "$FindBin::RealBin/../t";
use Calls;
use SqlGenerator;
use Jobs;
use Store;
use Wire;

my %option = (seconds => $ENV{FUZZ_SECONDS} // 60, sessions => 2, timeout => 1000, huge => 0.01, log => 'tmp/fuzz-sql', statements => 0);
GetOptions(\%option, 'seconds=i', 'seed=i', 'sessions=i', 'timeout=i', 'statements=i', 'huge=f', 'log=s') or exit 2;
my $seed = $option{seed} // int(time) % 1000000;
my $late = $option{timeout} / 1e3 + 3;

# What Wire connects to.
package Server
{
	sub new { return bless {}, shift; }
	sub host { return $ENV{PGHOST}; }
	sub port { return $ENV{PGPORT}; }
}
my $server = Server->new;

sub connect_as
{
	my ($user, $database) = @_;
	return Wire->connect($server, $database // 'fuzz', user => $user);
}

sub fail_to_start
{
	print "  FAILED  the SQL fuzzer does not start: $_[0]\n0 passed, 1 failed\n";
	exit 1;
}

# --- the database ----------------------------------------------------------------------------------------------------

sub set_up
{
	my $super = connect_as('postgres', 'postgres');
	$super->run('SET client_min_messages = warning');
	$super->run('DROP DATABASE IF EXISTS fuzz WITH (FORCE)');
	for my $role (qw(fuzz_owner fuzz_user calls_role))
	{
		$super->run("CREATE ROLE $role LOGIN") if !$super->value("SELECT count(*) FROM pg_roles WHERE rolname = '$role'");
	}
	$super->run('CREATE DATABASE fuzz OWNER fuzz_owner');
	# What takes more memory than this is refused to the statement; the machine shall not pay for it.
	my ($pid) = split /\n/, $super->value("SELECT pg_read_file('postmaster.pid')");
	system "prlimit --pid $pid --as=4294967296 2>/dev/null";
	$super->run('ALTER DATABASE fuzz SET search_path = flame, pg_catalog');
	$super->run('ALTER DATABASE fuzz SET client_min_messages = warning');
	# The sessions' own logs have the statements; the server's has what crashed.
	$super->run('ALTER DATABASE fuzz SET log_min_messages = fatal');
	$super->close;

	my $db = connect_as('fuzz_owner');
	$db->run('CREATE SCHEMA flame; CREATE EXTENSION flamegraph SCHEMA flame; CREATE EXTENSION flamegraph_store; CREATE EXTENSION flamegraph_jobs');
	Store::fill($db);
	Jobs::fill($db);
	$db->run(q{SELECT profiling.grant_access('fuzz_user', access) FROM unnest('{reader,loader}'::text[]) AS access});
	$db->run(q{SELECT jobs.grant_access('fuzz_user', access) FROM unnest('{reader,loader}'::text[]) AS access});
	$db->run('CREATE SCHEMA calls; CREATE SCHEMA fuzz; GRANT USAGE ON SCHEMA flame, calls, fuzz TO fuzz_user');
	my $calls = Calls->new($db, 'flamegraph', 'flamegraph_store', 'flamegraph_jobs');
	$calls->add_accumulators('calls');
	$db->run(<<'SQL');
CREATE TABLE fuzz.value (id int, fg flamegraph, path stackpath, query stackquery);
INSERT INTO fuzz.value SELECT i, format(E'main;a%s %s\nmain;b;c%s 2\nx 1e300', i % 7, i, i % 3)::flamegraph, ('main;a' || i % 7 || ';b' || i)::stackpath, ('main;*;b' || i % 50)::stackquery
FROM generate_series(1, 100) AS i;
INSERT INTO fuzz.value SELECT 0, flamegraph_agg(ARRAY['f' || i % 50, 'g' || i], i), 'main', '*' FROM generate_series(1, 1000) AS i;
INSERT INTO fuzz.value VALUES (NULL);
CREATE INDEX ON fuzz.value USING gin (fg);
CREATE INDEX ON fuzz.value USING gin (path);
CREATE INDEX ON fuzz.value (path);
CREATE INDEX ON fuzz.value USING hash (fg);
CREATE INDEX ON fuzz.value (query);
ANALYZE fuzz.value;
SQL
	my %huge = huge($db);
	$db->run('GRANT SELECT ON ALL TABLES IN SCHEMA fuzz TO fuzz_user');
	my @samples = map { read_sample($_) } sort glob "$FindBin::RealBin/corpus/recording_*/*";
	my $gen = SqlGenerator->new($calls, tables => 'fuzz', copies => 'pg_temp.copy', huge => \%huge, huge_share => $option{huge},
		samples => [ 'a;b 1', "a 1e308\nb 1e308\n", @samples ]);
	my %oid = map { @$_ } @{ $db->rows("SELECT t, t::regtype::oid FROM unnest('{flamegraph,flamestats,flameseries,perfmodel,stackpath,stackquery,bytea}'::text[]) AS t") };
	$db->close;
	return ($gen, \%oid);
}

sub read_sample
{
	my ($path) = @_;
	return if -s $path > 4096;
	open my $in, '<:raw', $path or die "$path: $!";
	local $/;
	return scalar <$in>;
}

# One table for each type: what takes memory and time.
sub huge
{
	my ($db) = @_;
	my %sql = (
		flamegraph => {
			wide => "SELECT flamegraph_agg(ARRAY['main', 'function ' || i], 1 + i % 7) FROM generate_series(1, 300000) AS i",
			tree => "SELECT flamegraph_agg(ARRAY['a' || i % 10, 'b' || i % 100, 'c' || i % 1000, 'd' || i], i) FROM generate_series(1, 100000) AS i",
			deep => "SELECT flamegraph_agg(array_fill('f'::text, ARRAY[60000]), 1)",
			'long frame' => "SELECT flamegraph_agg(ARRAY['a', repeat('x', 1000000)], 1)",
			recursive => "SELECT flamegraph_agg(array_fill('f' || n % 3, ARRAY[n]), 1e305) FROM generate_series(1, 2000, 10) AS n" },
		stackpath => { deep => "SELECT stackpath(array_fill('f'::text, ARRAY[60000]))", long => "SELECT stackpath(ARRAY[repeat('x', 1000000)])" },
		stackquery => {
			alternatives => "SELECT string_agg('q_' || g || '%', '|')::stackquery FROM generate_series(1, 30000) AS g",
			levels => "SELECT string_agg(any_of, ';')::stackquery FROM (SELECT CASE g % 3 WHEN 0 THEN '*' ELSE 'f*' END FROM generate_series(1, 3000) AS g) AS v (any_of)" },
		'double precision[]' => { long => "SELECT array_agg(sin(i) * 100 + i % 97) FROM generate_series(1, 1000000) AS i", equal => "SELECT array_fill(1e308::float8, ARRAY[100000])" },
		'text[]' => { long => "SELECT array_agg('function ' || i) FROM generate_series(1, 100000) AS i" },
		'boolean[]' => { long => "SELECT array_agg(i % 2 = 0) FROM generate_series(1, 1000000) AS i" },
		'flamegraph[]' => { long => "SELECT array_agg(flamegraph_in(textin_of::cstring)) FROM (SELECT 'a;b' || i % 9 || ' ' || i FROM generate_series(1, 2000) AS i) AS v (textin_of)" },
		'stackpath[]' => { long => "SELECT array_agg(('a;b' || i)::stackpath) FROM generate_series(1, 30000) AS i" },
		text => { long => "SELECT repeat(E'a;b 1\\n', 200000)", nested => "SELECT repeat('[', 1000000)" },
		jsonb => { tasks => q{SELECT jsonb_object_agg('t' || g, '{"prefix": ""}'::jsonb) FROM generate_series(1, 3000) AS g} },
		bytea => { long => "SELECT convert_to(repeat(E'a;b;c 1\\n', 200000), 'UTF8')", zeros => "SELECT decode(repeat('00', 1000000), 'hex')" });
	my %huge;
	for my $type (sort keys %sql)
	{
		my $table = $type =~ s/\W+/_/gr;
		$db->run("CREATE TABLE fuzz.huge_$table (n text, v $type)");
		$db->run("INSERT INTO fuzz.huge_$table SELECT '$_', ($sql{$type}{$_})") for sort keys %{ $sql{$type} };
		$huge{$type} = [ $table, [ sort keys %{ $sql{$type} } ] ];
	}
	return %huge;
}

# --- one session -----------------------------------------------------------------------------------------------------

my ($log, $log_name, %count, %finds, %called, %succeeded);

sub note_line { syswrite $log, $_[0]; return; }

# The last statements are what matters.
sub turn_log
{
	return if -s $log < 64 * 1024 * 1024;
	close $log;
	rename $log_name, "$log_name.1";
	open $log, '>', $log_name or die "$log_name: $!";
	return;
}

sub find
{
	my ($what, $sql) = @_;
	# The same error of the same function is one find.
	my $kind = $what =~ s/\d+/0/gr;
	note_line("  FIND $what\n");
	$finds{$kind}{count}++;
	$finds{$kind}{example} //= "$what: " . substr($sql, 0, 1500);
	return;
}

sub session_open
{
	my ($role) = @_;
	for (1 .. 600)
	{
		my $db = eval { connect_as($role) };
		# The server may just be about to notice that a session crashed.
		if ($db && eval { $db->query('SELECT pg_sleep(0.3)') })
		{
			$db->run("SET statement_timeout = $option{timeout}");
			$db->run("CREATE TEMP TABLE copy_$_ (v $_) ON COMMIT DELETE ROWS") for qw(flamegraph flamestats flameseries perfmodel stackpath stackquery);
			return $db;
		}
		sleep 0.1;
	}
	die "the server does not come back\n";
}

sub copy_data
{
	my ($bytes) = @_;
	return "PGCOPY\n\377\r\n\0" . pack('N N n N/a* n', 0, 0, 1, $bytes, 65535);
}

# Sends one statement; undef when the server is gone.
sub execute
{
	my ($db, $s, $sql, $bytes, $oid) = @_;
	return eval {
		  $s->{kind} eq 'copy' ? $db->copy($sql, $bytes)
		: $s->{kind} eq 'binary' ? $db->query_binary($sql, [ $oid->{ $s->{type} }, $bytes ])
		: $db->query($sql)
	};
}

sub judge
{
	my ($db, $result, $s, $sql) = @_;
	if (!$result)
	{
		# Another session's crash ends this one with a message, or before it has read the statement.
		my $sqlstate = $db->{fatal} ? $db->{fatal}{sqlstate} : '';
		if ($sqlstate =~ /^57P/ || $@ =~ /Broken pipe|reset by peer/) { $count{'ended by another session'}++; }
		else { find("the server crashed in $s->{callable}{name}", $sql); }
		return;
	}
	for my $notice (@{ $result->{notices} })
	{
		find("warning: $notice->{message}", $sql) if $notice->{message} =~ /leak|corrupt|alloc set|detected write past/;
	}
	my $error = $result->{error} or return 1;
	my ($sqlstate, $message) = @$error{qw(sqlstate message)};
	$count{$sqlstate}++;
	# REVOKE ... ON ALL TABLES IN SCHEMA beside a session that drops one of them: PostgreSQL looks it up too late.
	return 1 if $message =~ /^cache lookup failed for relation/ && $s->{callable}{name} =~ /^profiling\.(?:grant|revoke)_access\b/;
	if ($sqlstate =~ /^XX/ || $message =~ /invalid memory alloc request size/ || $error->{severity} eq 'PANIC') { find("error $sqlstate $message", $sql); }
	elsif ($message =~ /^record ".*" is not assigned yet$/) { find("no row was found and nobody said so: $message", $sql); }
	elsif ($sqlstate eq '53200' && !$s->{huge}) { find("error $sqlstate $message in $s->{callable}{name}", $sql); }
	return 1;
}

sub read_back
{
	my ($db, $gen, $s, $bytes, $oid) = @_;
	my $result;
	my $sql;
	if ($s->{kind} eq 'binary' && $s->{type} ne 'bytea')
	{
		$sql = "SELECT (\$1::text)::$s->{type} = \$1";
		$result = eval { $db->query_binary($sql, [ $oid->{ $s->{type} }, $bytes ]) };
		$sql .= ' with ' . unpack 'H*', $bytes;
	}
	elsif ($sql = $gen->read_back_sql($s)) { $result = eval { $db->query($sql) }; }
	else { return 1; }
	note_line("  $sql\n");
	return judge($db, $result, $s, $sql) if !$result;
	if (my $error = $result->{error})
	{
		judge($db, $result, $s, $sql);
		# Time, memory and 1 GB are limits of the text form only.
		return 1 if $error->{sqlstate} =~ /^(?:57014|53200|54000|XX...)$/;
		# To read a result back is to compute it again, and the other session may have changed the tables meanwhile.
		my $again = eval { $db->query($s->{sql}) } // return 1;
		find("a result does not read back: $error->{sqlstate} $error->{message} ($s->{callable}{name})", $sql) if !$again->{error};
	}
	elsif (($result->{rows}[0][0] // 't') ne 't') { find("a result reads back as another value ($s->{callable}{name})", $sql); }
	$count{'read back'}++;
	return 1;
}

sub session
{
	my ($number, $role, $gen, $oid, $end) = @_;
	srand $seed + $number;
	$log_name = "$option{log}/session-$number.log";
	open $log, '>', $log_name or die "$log_name: $!";
	my $db = session_open($role);
	my $n = 0;
	while (time < $end && !($option{statements} && $n >= $option{statements}))
	{
		my $s = $gen->statement;
		my $c = $s->{callable};
		my $bytes = $s->{type} ? $gen->bytes($s->{type}) : undef;
		if (defined $bytes && SqlGenerator::chance(0.8)) { $bytes = SqlGenerator::mutated($bytes); }
		if ($s->{kind} eq 'copy') { $bytes = copy_data($bytes); }
		my $sql = $s->{sql};
		# What changes the store is mostly undone, and some statements run in a parallel worker.
		my ($undo, $parallel) = (SqlGenerator::chance(0.8), SqlGenerator::chance(0.02));
		if ($s->{kind} eq 'query' && $c->{kind} ne 'p')
		{
			if ($c->{volatile} && $undo) { $sql .= '; ROLLBACK'; }
			elsif ($parallel) { $sql = "SELECT set_config(name, 'on', true) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query'); $sql"; }
		}
		$n++;
		note_line("$n $sql" . (defined $bytes ? ' with ' . unpack('H*', $bytes) : '') . "\n");
		$called{ $c->{name} }++;
		my $begin = time;
		my $result = execute($db, $s, $sql, $bytes, $oid);
		my $seconds = time - $begin;
		note_line(sprintf "  %s %.0f ms\n", !$result ? 'gone' : $result->{error} ? $result->{error}{sqlstate} : 'ok', 1e3 * $seconds);
		my $alive = judge($db, $result, $s, $sql);
		if ($seconds > $late)
		{
			$count{late}++;
			note_line(sprintf "  LATE: %.1f s (%s)\n", $seconds, $c->{name});
		}
		if ($alive && !$result->{error})
		{
			$count{ok}++;
			$succeeded{ $c->{name} }++ if $s->{kind} ne 'copy';
			$alive = read_back($db, $gen, $s, $bytes, $oid) if $s->{read_back};
		}
		$db = session_open($role) if !$alive;
		turn_log() if $n % 1000 == 0;
	}
	$count{statements} = $n;
	report_to("$option{log}/session-$number.result");
	return;
}

# Tab-separated lines; the parent adds up.
sub report_to
{
	my ($path) = @_;
	open my $out, '>', $path or die "$path: $!";
	print $out "count\t$_\t$count{$_}\n" for sort keys %count;
	print $out "called\t$_\t$called{$_}\n" for sort keys %called;
	print $out "succeeded\t$_\t$succeeded{$_}\n" for sort keys %succeeded;
	print $out "find\t" . ($finds{$_}{example} =~ s/[\t\n]/ /gr) . "\t$finds{$_}{count}\n" for sort keys %finds;
	close $out;
	return;
}

# --- all of them -----------------------------------------------------------------------------------------------------

$SIG{PIPE} = 'IGNORE';
mkdir $option{log};
unlink glob "$option{log}/session-*";
STDOUT->autoflush(1);
my ($gen, $oid) = eval { set_up() };
fail_to_start($@) if !$gen;
printf "  seed %d: %d sessions, %d s, statement_timeout %d ms, %d functions, aggregates, operators and casts\n", $seed, $option{sessions}, $option{seconds}, $option{timeout},
  scalar @{ $gen->{all} };

my $begin = time;
my %session;
for my $number (1 .. $option{sessions})
{
	my $role = $number % 2 ? 'fuzz_user' : 'fuzz_owner';
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		eval { session($number, $role, $gen, $oid, $begin + $option{seconds}); 1 } or do { print STDERR "session $number: $@"; exit 1; };
		exit 0;
	}
	$session{$pid} = "session $number ($role)";
}

my ($passed, $failed) = (0, 0);
while ((my $pid = wait) > 0)
{
	if ($? == 0) { $passed++; print "  ok      $session{$pid} came to its end\n"; }
	else { $failed++; print "  FAILED  $session{$pid} did not come to its end\n"; }
}

my (%total);
for my $path (glob "$option{log}/session-*.result")
{
	open my $in, '<', $path or die "$path: $!";
	while (<$in>)
	{
		chomp;
		my ($what, $name, $n) = split /\t/;
		$total{$what}{$name} += $n;
	}
}
my %number = %{ $total{count} // {} };
my $statements = $number{statements} || 1;
printf "  %d statements, %.0f a second; %.0f %% gave a result, %d of them were read back; %d ran out of time, %d of them late\n", $statements, $statements / (time - $begin),
  100 * ($number{ok} // 0) / $statements, $number{'read back'} // 0, $number{57014} // 0, $number{late} // 0;
my %class;
for my $state (grep { /^[0-9A-Z]{5}$/ } keys %number) { $class{ substr $state, 0, 2 } += $number{$state}; }
print '  errors by class: ', join(', ', map { "$_ $class{$_}" } sort keys %class), "\n";
my @never = grep { !$total{succeeded}{$_} } map { $_->{name} } @{ $gen->{all} };
printf "  %d of %d were called, %d gave a result\n", scalar keys %{ $total{called} }, scalar @{ $gen->{all} }, scalar keys %{ $total{succeeded} };
open my $coverage, '>', "$option{log}/never-succeeded" or die $!;
print $coverage "$_\n" for @never;
close $coverage;
if ($number{'ended by another session'} && !grep { /^the server crashed/ } keys %{ $total{find} // {} })
{
	$failed++;
	print "  FAILED  the server crashed, nobody knows by what: tmp/fuzz_sql/log may\n";
}
for my $find (sort keys %{ $total{find} // {} })
{
	$failed++;
	print "  FAILED  $find ($total{find}{$find} times; seed $seed, logs in $option{log})\n";
}
print "$passed passed, $failed failed\n";
exit($failed ? 1 : 0);
