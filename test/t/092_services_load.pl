# flamegraph-load --service: files become profiles of a service, of the time when each was changed; again they are known; options that
# belong to runs are refused. --watch: what agents write into a directory is loaded when it is whole, through a restart of the server,
# until the program is told to end. The agent that the manual shows asks an endpoint of pprof.
use strict;
use warnings;

use FindBin;
use File::Path qw(make_path);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use lib $FindBin::RealBin;
use Relay;
use Store;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGDATABASE} = 'postgres';
my $db = Wire->connect($node, 'postgres');

sub load
{
	my (@arguments) = @_;
	my ($out, $err) = ('', '');
	IPC::Run::run([ 'flamegraph-load', @arguments ], '<', \undef, '>', \$out, '2>', \$err);
	return ($? >> 8, $out, $err);
}

# A file of this text, changed so many seconds ago.
sub write_file
{
	my ($path, $text, $age) = @_;
	open my $file, '>:raw', $path or die "$path: $!";
	print $file $text;
	close $file;
	utime time - $age, int(time) - $age, $path if defined $age;
	return;
}

# --- files ----------------------------------------------------------------------------------------------------------------------

make_path("$dir/once");
write_file("$dir/once/a.folded", "main;a 3\nmain;b 4\n", 600);
write_file("$dir/once/b.folded", "main;a 5\n", 300);
my @got = load('--service', 'shop', "$dir/once");
is($got[0], 1, 'without a store there is no service');
like($got[2], qr/there is no store that takes profiles of services in database "postgres"; create it by CREATE EXTENSION/, '... which is said');
Store::create($db);
my @shop = ('--service', 'shop', '--instance', 'pod-1', '--version', 'v1', '--commit', '0123abc', '--label', 'zone=eu', '--duration', '1 min');
@got = load(@shop, "$dir/once");
is_deeply(\@got, [ 0, $got[1], '' ], 'files are loaded');
like($got[1], qr/^loaded 2 files \(2 profiles/, '... both');
is_deeply($db->rows(q{SELECT s.name, t.event, t.unit, t.labels::text, i.instance, i.duration, i.flamegraph::text, abs(extract(epoch FROM now() - i.recorded_at) - CASE WHEN i.flamegraph ? 'b' THEN 600 ELSE 300 END) < 60
	FROM profiling.incoming AS i JOIN profiling.stream AS t USING (service_id, stream_id) JOIN profiling.service AS s USING (service_id) ORDER BY i.recorded_at}),
	[ map { [ 'shop', 'cpu', 'samples', '{"zone": "eu", "commit": "0123abc", "version": "v1"}', 'pod-1', '00:01:00', $_, 't' ] } "main;a 3\nmain;b 4", 'main;a 5' ],
	'... with their times and words');
@got = load(@shop, "$dir/once");
like("@got", qr/^0 loaded 0 files .*in the store already: 2 files/, 'again they are known');
@got = load(@shop, '--recorded-at', 'yesterday', '--event', 'wall', "$dir/once/a.folded");
is($got[0], 0, 'with a time and an event of the caller');
is($db->value(q{SELECT total(profiling.window_profile('shop', 'yesterday', 'yesterday'::timestamptz + interval '1 s', event => 'wall'))}), 7, '... they are those');
write_file("$dir/old.folded", "main;a 1\n", 40 * 86400);
@got = load(@shop, "$dir/old.folded", "$dir/once/a.folded");
is($got[0], 1, 'one that is too old is a failure');
like($got[2], qr/old\.folded: .*a profile of service "shop" comes too late/, '... that is told');
like($got[1], qr/failed: 1/, '... of this file');

# What is truncated, and what weighs differently, arrives as it does in the server.
my $recordings = "$FindBin::RealBin/../data/formats";
my ($pprof) = glob "$recordings/*.pprof* $recordings/*.pb.gz";
my ($weighed) = glob "$recordings/app.heapprofile.gz";
for my $file (grep { defined } $pprof, $weighed)
{
	my ($name) = $file =~ m{([^/]+)$};
	is((load('--service', "file $name", '--recorded-at', 'now', $file))[0], 0, "$name is loaded");
	is($db->value("SELECT profiling.ingest('server', data => pg_read_binary_file(" . Wire::literal($file) . ")) > 0"), 't', '... as the server does');
	is($db->value("SELECT bool_and(a.profile = b.profile AND a.noise IS NOT DISTINCT FROM b.noise AND a.period = b.period) AND count(*) > 0 FROM (SELECT t.event, t.unit, t.period, i.flamegraph AS profile, i.noise FROM profiling.incoming AS i JOIN profiling.stream AS t USING (service_id, stream_id) JOIN profiling.service AS s USING (service_id) WHERE s.name = 'server') AS a "
		  . "FULL JOIN (SELECT t.event, t.unit, t.period, i.flamegraph AS profile, i.noise FROM profiling.incoming AS i JOIN profiling.stream AS t USING (service_id, stream_id) JOIN profiling.service AS s USING (service_id) WHERE s.name = 'file $name') AS b USING (event, unit)"), 't', '... with the same values');
	$db->run(q{DELETE FROM profiling.incoming AS i USING profiling.service AS s WHERE s.service_id = i.service_id AND s.name = 'server'});
}

# --- words that do not go together -------------------------------------------------------------------------------------------------

for my $words ([ qr/--benchmark is of benchmarks, and cannot be given with --service/, '--benchmark', 'b' ], [ qr/--branch is of benchmarks/, '--branch', 'main' ],
	[ qr/--repetition is of benchmarks/, '--repetition', 'auto' ], [ qr/--metric is of benchmarks/, '--metric', '1' ], [ qr/--label names "version" twice/, '--version', 'v', '--label', 'version=w' ],
	[ qr/--service must not be empty/, '--service', '' ], [ qr/--watch is for directories/, '--watch', '-' ])
{
	my ($error, @words) = @$words;
	@got = load('--service', 's', @words, 'x');
	is($got[0], 2, "@words: a wrong command");
	like($got[2], $error, '... and why');
}
@got = load('--watch', '--benchmark', 'b', 'x');
is($got[0], 2, '--watch of a benchmark: a wrong command');
like($got[2], qr/--watch needs --service/, '... and why');

# --- a directory that is watched ---------------------------------------------------------------------------------------------------

make_path("$dir/spool");
my ($out, $err) = ('', '');
my $watch = IPC::Run::start([ 'flamegraph-load', '--service', 'spool', '--watch', '--retries', '0', "$dir/spool" ], '<', \undef, '>', \$out, '2>', \$err);
sub loaded
{
	my ($total, $what) = @_;
	my $until = time + 120;
	my $query = q{SELECT coalesce(sum(total(flamegraph)), 0) FROM profiling.incoming JOIN profiling.service USING (service_id) WHERE name = 'spool'};
	sleep 0.2 while time < $until && $db->value($query) ne $total;
	is($db->value($query), $total, $what) or diag($out, $err);
	return;
}
# An empty directory is no failure. What is there is loaded, in folders, too, and what begins with a dot is not.
write_file("$dir/spool/1.folded", "main 1\n");
write_file("$dir/spool/.2.folded", "main 2\n");
make_path("$dir/spool/pod");
write_file("$dir/spool/pod/3.folded", "main 4\n");
loaded(5, 'what comes is loaded');
rename "$dir/spool/.2.folded", "$dir/spool/2.folded";
loaded(7, '... when it has its name');
# what cannot be read is told once
write_file("$dir/spool/bad.folded", "\x01\x02nothing\n");
write_file("$dir/spool/4.folded", "main 8\n");
loaded(15, 'a file that cannot be read does not hold up others');
my $seen = time + 3;
do { sleep 0.3; $watch->pump_nb } while time < $seen;
is(() = $err =~ /bad\.folded/g, 1, '... and is told once');
# the server goes away and comes back
$db->close;
$node->stop('fast');
write_file("$dir/spool/5.folded", "main 16\n");
my $until = time + 60;
do { sleep 0.3; $watch->pump_nb } while time < $until && $err !~ /5\.folded/;
like($err, qr/5\.folded/, 'without a server that is told');
$node->start;
$db = Wire->connect($node, 'postgres');
loaded(31, '... and when it is back, the file is loaded');
# a file that changes is another profile
write_file("$dir/spool/1.folded", "main 32\nmain;x 1\n");
loaded(64, 'one that has changed is loaded again');
$watch->signal('TERM');
$watch->finish;
is($watch->result(0), 0, 'told to end, it has ended well');
# started again, it brings nothing that is there
($out, $err) = ('', '');
$watch = IPC::Run::start([ 'flamegraph-load', '--service', 'spool', '--watch', "$dir/spool" ], '<', \undef, '>', \$out, '2>', \$err);
$until = time + 60;
do { sleep 0.3; $watch->pump_nb } while time < $until && $out !~ /already/;
like($out, qr/in the store already: 5 files/, 'started again, it finds all of it there');
loaded(64, '... and nothing is there twice');
$watch->signal('INT');
$watch->finish;
is($watch->result(0), 0, '... and ends');

# --- a server that is away when the program starts -------------------------------------------------------------------------------

# Its profile is not lost, as far as --retries goes; a server that answers and refuses is not waited for.
write_file("$dir/early.folded", "main 1\n");
$db->close;
$node->stop('fast');
@got = load('--service', 'early', '--retries', '0', "$dir/early.folded");
is($got[0], 1, 'without retries a server that is away is a failure');
($out, $err) = ('', '');
my ($watch_out, $watch_err) = ('', '');
make_path("$dir/early");
write_file("$dir/early/watched.folded", "main 2\n");
my $early = IPC::Run::start([ 'flamegraph-load', '--service', 'early', '--retries', '50', "$dir/early.folded" ], '<', \undef, '>', \$out, '2>', \$err);
$watch = IPC::Run::start([ 'flamegraph-load', '--service', 'early', '--watch', '--retries', '0', "$dir/early" ], '<', \undef, '>', \$watch_out, '2>', \$watch_err);
$until = time + 60;
do { sleep 0.3; $watch->pump_nb } while time < $until && $watch_err !~ /server/;
like($watch_err, qr/^flamegraph-load: connection to server .*\n\z/, 'who watches tells of it, once');
$node->start;
$early->finish;
is($early->result(0), 0, 'with them the server is waited for') or diag($err);
like($out, qr/^loaded 1 file/, '... and the file loaded');
$until = time + 60;
do { sleep 0.3; $watch->pump_nb } while time < $until && $watch_out !~ /loaded 1 file/;
like($watch_out, qr/^loaded 1 file/, '... as what is in the directory');
$watch->signal('TERM');
$watch->finish;
is($watch->result(0), 0, '... until the end');
# One that was away when it was asked for a connection, and is there when somebody looks whether it is.
{
	my $relay = Relay->start($node, 'connection');
	{
		local $ENV{PGHOST} = $relay->host;
		@got = load('--service', 'back', "$dir/early.folded");
	}
	$relay->stop;
}
is($got[0], 0, 'a server that has just come back') or diag($got[2]);
like($got[1], qr/^loaded 1 file/, '... gets the file');
my $begun = time;
@got = load('-d', 'nowhere', '--service', 'early', '--retries', '50', "$dir/early.folded");
is($got[0], 1, 'a database that is not there is a failure');
cmp_ok(time - $begun, '<', 30, '... at once');
$node->stop('fast');
$watch = IPC::Run::start([ 'flamegraph-load', '--service', 'early', '--watch', "$dir/early" ], '<', \undef, '>', \$watch_out, '2>', \$watch_err);
$watch_err = '';
$until = time + 60;
do { sleep 0.3; $watch->pump_nb } while time < $until && $watch_err !~ /server/;
$watch->signal('TERM');
$watch->finish;
is($watch->result(0), 0, 'told to end while it waits for the server, it ends well');
$node->start;
$db = Wire->connect($node, 'postgres');

# --- what the manual has profilers do ------------------------------------------------------------------------------------------------

# They write into the directory that is watched, where what begins with a dot is left alone until it has its name.
my ($commands) = slurp_file("$FindBin::RealBin/../../docs/production.md") =~ /^\| profiler \| a profile a minute \|\n(.*?)\n\n/ms;
my @written = $commands =~ m{(?:-o|-f|>)\s?([\w.]*\.\w+)}g;
cmp_ok(scalar @written, '>', 3, 'commands of the manual write files');
is_deeply([ grep { !/^\./ } @written ], [], '... that are nobody\'s while they are written');

# --- the agent of the manual ---------------------------------------------------------------------------------------------------------

SKIP:
{
	skip 'curl or python3 is not installed', 4 if system('command -v curl >/dev/null && command -v python3 >/dev/null');
	my ($script) = slurp_file("$FindBin::RealBin/../../docs/production.md") =~ /^```sh\n(.*?)^```$/ms;
	write_file("$dir/agent", $script);
	make_path("$dir/www/debug/pprof");
	write_file("$dir/www/debug/pprof/profile", slurp_file($pprof));
	# a server of files, for which the question behind the path is nothing; it says where it listens
	my ($listening, $complaints) = ('', '');
	my $server = IPC::Run::start([ 'python3', '-u', '-c', 'import functools, http.server as h; s = h.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(h.SimpleHTTPRequestHandler, directory="' . "$dir/www" . '")); print(s.server_port); s.serve_forever()' ],
		'<', \undef, '>', \$listening, '2>', \$complaints);
	$until = time + 60;
	do { sleep 0.2; $server->pump_nb } while time < $until && $listening !~ /\d+\n/;
	my ($port) = $listening =~ /(\d+)/;
	local %ENV = (%ENV, ROUNDS => 2, EVERY => 1, SECONDS_OF => 1, TMPDIR => $dir);
	my ($said, $errors) = ('', '');
	IPC::Run::run([ 'sh', "$dir/agent", 'asked', "127.0.0.1:$port", '127.0.0.1:1' ], '<', \undef, '>', \$said, '2>', \$errors);
	is($?, 0, 'the agent asks two endpoints twice');
	like($errors, qr/curl: .*127\.0\.0\.1 port 1/, '... of which one is not there');
	is($db->value(q{SELECT count(DISTINCT i.recorded_at) || ' ' || min(i.instance) || ' ' || min(i.duration) FROM profiling.incoming AS i JOIN profiling.service AS s USING (service_id) WHERE s.name = 'asked'}), "2 127.0.0.1:$port 00:00:01", '... and the profiles of the other one are there');
	is_deeply([ glob "$dir/tmp.*" ], [], '... and no file is left');
	$server->kill_kill;
}

$db->close;
$node->stop;
done_testing();
