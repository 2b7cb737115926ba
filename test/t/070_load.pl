# flamegraph-load: what it says about commands and files without any server, and with the store: what arrives is what
# the server would have read, a second load changes nothing, files that cannot be read do not hold up the others, a
# killed loader leaves whole files and the next one completes them, conflicts and a restarted server are retried.
use strict;
use warnings;

use FindBin;
use File::Copy qw(copy);
use File::Path qw(make_path);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use lib $FindBin::RealBin;
use Relay;
use Wire;

my $recordings = "$FindBin::RealBin/../data/formats";
my $dir = PostgreSQL::Test::Utils::tempdir();

# Runs the loader; the exit status and what it said.
sub load
{
	my (@arguments) = @_;
	my ($out, $err) = ('', '');
	IPC::Run::run([ 'flamegraph-load', @arguments ], '<', \undef, '>', \$out, '2>', \$err);
	return ($? >> 8, $out, $err);
}

sub load_is
{
	my ($arguments, $status, $out, $err, $name) = @_;
	my @got = load(@$arguments);
	is($got[0], $status, "$name: exit status") or diag("$got[1]$got[2]");
	like($got[1], qr/$out/, "$name: output");
	like($got[2], $err, "$name: errors");
	return;
}

sub write_file
{
	my ($path, $text) = @_;
	open my $file, '>:raw', $path or die "$path: $!";
	print $file $text;
	close $file;
	return;
}

# --- without a server ------------------------------------------------------------------------------------------------

{
	local $ENV{PGHOST} = "$dir/no_server";
	load_is([ '--help' ], 0, qr/--benchmark NAME/, qr/^$/, 'help');
	load_is([ '-V' ], 0, qr/^flamegraph-load \d/, qr/^$/, 'version');
	load_is([ 'x' ], 2, qr/^$/, qr/--benchmark is missing/, 'no benchmark');
	load_is([ '--benchmark', 'b' ], 2, qr/^$/, qr/no file is given/, 'no file');
	load_is([ '--benchmark', 'b', '--label', 'x', 'f' ], 2, qr/^$/, qr/must be KEY=VALUE/, 'a label without a value');
	load_is([ '--benchmark', 'b', '-j', '0', 'f' ], 2, qr/^$/, qr/whole number from 1/, 'no jobs');
	load_is([ '--benchmark', 'b', '--format', 'pickle', 'f' ], 2, qr/^$/, qr/none of its words/, 'an unknown format');
	load_is([ '--benchmark', 'b', '--nonsense', 'f' ], 2, qr/^$/, qr/cannot be understood/, 'an unknown option');
	load_is([ '--benchmark', 'b', '-', '-' ], 1, qr/^$/, qr/no_server/, 'no server');
	load_is([ '--benchmark', 'b', '-n', '-', '-' ], 2, qr/^$/, qr/once only/, 'standard input twice');
	load_is([ '--benchmark', 'b', "--$_", '', 'f' ], 2, qr/^$/, qr/--$_ must not be empty; leave it out/, "an empty $_")
	  for qw(benchmark suite branch commit version instance event unit);
	load_is([ '--benchmark', 'b', '--branch', 'x' x 501, 'f' ], 2, qr/^$/, qr/--branch must not be longer than 500 bytes/, 'a long name');
	load_is([ '--benchmark', 'b', '--metric', '9.1s', 'f' ], 2, qr/^$/, qr/--metric must be a number, not "9.1s"/, 'a metric with its unit');
	load_is([ '--benchmark', 'b', '--metric', '10,5', 'f' ], 2, qr/^$/, qr/several numbers only with --repetition auto; in a number write a point/,
		'a metric with a comma');
	# a dry run knows what numbers the server would refuse
	for my $case ([ '--period', '0' ], [ '--period', '-5' ], [ '--period', 'nan' ], [ '--period', 'inf' ], [ '--metric', 'nan' ], [ '--metric', '-inf' ])
	{
		my $above = $case->[0] eq '--period' ? ' above 0' : '';
		load_is([ '-n', @$case, 'f' ], 2, qr/^$/, qr/$case->[0]: "\Q$case->[1]\E" is not a finite number$above\n/, "@$case");
	}
	load_is([ '-n', '--metric', $_, 'f' ], 2, qr/^$/, qr/--metric: "\Q$_\E" is out of range for type double precision/, "the metric $_") for '1e-999', '-1e999';
	load_is([ '--benchmark', 'b', '--metric', '1,,2', '--repetition', 'auto', 'f' ], 2, qr/^$/, qr/--metric must be a number, not ""/,
		'a metric that is missing');

	make_path("$dir/dry/deeper");
	write_file("$dir/dry/a.folded", "a;b 1\na;b;c 2\n");
	write_file("$dir/dry/.hidden", "x");
	copy("$recordings/postgres.perf.gz", "$dir/dry/deeper/p.gz") or die $!;
	load_is([ '-n', '--benchmark', 'b', "$dir/dry" ], 0,
		qr{^\Q$dir\E/dry/a\.folded: folded: cpu 3 samples, 3 nodes\n\Q$dir\E/dry/deeper/p\.gz: perf, gzip: page-faults .*; }
		  . qr{cpu \(cpu-clock/freq=199/\) 70351750 nanoseconds.*\nread 2 files \(3 profiles, .*hidden, left out: 1; failed: 0$}, qr/^$/, 'dry run');
	load_is([ '-n', '--benchmark', 'b', '--match', '*.folded', '--max-depth', '3', "$dir/dry" ], 0,
		qr/cpu 1 samples, 2 nodes, some truncated\nread 1 file .*not matched: 1/, qr/^$/, 'patterns and depth');
	write_file("$dir/dry/bad.folded", "a;b 1\nc;d x\n");
	write_file("$dir/dry/what", "\x00\x01\x02");
	load_is([ '-n', '--benchmark', 'b', "$dir/dry", "$dir/nowhere" ], 1, qr/read 2 files .*failed: 3/,
		qr{bad.folded: folded: line 2, column 5: "x" is not a value, in "c;d x" \(A line is .*what: its format was not recognised.*nowhere: No such file}s,
		'files that cannot be read');

	# The line is shown unless the caller has named the format: then the file may be none of that format.
	write_file("$dir/bad.perf", "web 12 [001] 1.5: 250 cycles:u: \n\t55d0c1a2b3c4 main+0x24 (/bin/web)\n  see main.c\n");
	load_is([ '-n', "$dir/bad.perf" ], 1, qr/failed: 1$/, qr{bad\.perf: perf: line 3, column 1: this is not a frame of a sample, in "  see main\.c" \(},
		'a line that is wrong');
	load_is([ '-n', '--format', 'perf', "$dir/bad.perf" ], 1, qr/failed: 1$/, qr{line 3, column 1: this is not a frame of a sample \(}, 'in a format that was named');

	# What reads without an error and is probably not what was meant.
	for my $depth (5, 6)
	{
		my $frames = join ',', map { qq({"method": {"type": {"name": "T"}, "name": "f$_"}}) } 1 .. $depth;
		my $event = qq({"type": "jdk.ExecutionSample", "values": {"stackTrace": {"truncated": false, "frames": [$frames]}}});
		write_file("$dir/$depth.json", '{"recording": {"events": [' . join(',', ($event) x 20) . ']}}');
	}
	load_is([ '-n', "$dir/5.json", "$dir/6.json" ], 0, qr/^read 2 files/m,
		qr{^flamegraph-load: \S+/5\.json: WARNING:  no stack has more than five frames HINT:  jfr print .* --stack-depth 2048\.\n$}, 'five frames');
	load_is([ '-n', '-q', "$dir/5.json" ], 0, qr/^$/, qr/^$/, 'five frames, quiet');

	# Each kind of it is told.
	write_file("$dir/open.json", '[{"name": "f", "ph": "B", "ts": 0, "pid": 1, "tid": 1}, {"name": "g", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}');
	write_file("$dir/large.folded", "main;f 1\nf 9007199254740993\ng 9007199254740993\n");
	load_is([ '-n', "$dir/open.json", "$dir/large.folded" ], 0, qr/^read 2 files/m,
		qr{\A(?=.*open\.json: WARNING:  the list of events has no end)(?=.*open\.json: WARNING:  some events of the trace have no begin)(?=.*large\.folded: WARNING:  some values have more digits than a double holds, and were rounded DETAIL:  There are 2, the first in line 2\. HINT:  Whole numbers are exact)(?:\S+ [^\n]+\n){3}\z}s,
		'three kinds of warning');

	# Files of the future.
	write_file("$dir/future.folded", "a 1\n");
	utime time + 2 * 86400, time + 2 * 86400, "$dir/future.folded";
	load_is([ '-n', "$dir/future.folded" ], 1, qr/failed: 1$/, qr/future\.folded: started_at, the time of the oldest file, lies in the future/, 'a run of the future');
	load_is([ '-n', "$dir/future.folded", "$dir/dry/a.folded" ], 0, qr/^read 2 files/m, qr/^$/, 'is as old as its oldest file');
	load_is([ '-n', '--run', 'now', "$dir/future.folded" ], 0, qr/^read 1 file/m, qr/^$/, 'or of another time');
	load_is([ '-n', '--service', 's', "$dir/future.folded", "$dir/dry/a.folded" ], 1, qr/^read 1 file.*failed: 1$/m,
		qr/future\.folded: recorded_at, the time of the file, lies in the future/, 'a file of a service of the future');
	load_is([ '-n', '--service', 's', '--recorded-at', 'now', "$dir/future.folded" ], 0, qr/^read 1 file/m, qr/^$/, 'with another time');

	# A dry run needs neither a benchmark nor a server; --quiet leaves nothing but errors.
	load_is([ '-n', "$dir/dry/a.folded" ], 0, qr/a\.folded: folded: cpu 3 samples, 3 nodes\nread 1 file/, qr/^$/, 'a dry run of a file');
	load_is([ '-n', '-q', "$dir/dry/a.folded" ], 0, qr/^$/, qr/^$/, 'quiet');
	load_is([ '-n', '-q', "$dir/dry" ], 1, qr/^$/, qr/^flamegraph-load: \S+bad\.folded: .*\nflamegraph-load: \S+what: .*\n$/, 'quiet, with failures');
	load_is([ '-n', '-v', '-q', "$dir/dry/a.folded" ], 0, qr/^$/, qr/^$/, 'quiet after verbose');

	# A directory without a file to load: the profiler has failed.
	make_path("$dir/empty/below/deeper");
	load_is([ '-n', "$dir/empty" ], 1, qr/^read 0 files .*; failed: 1$/, qr{^flamegraph-load: \Q$dir\E/empty: there is no file to load in this directory\n$},
		'a directory without files');
	load_is([ '-n', "$dir/empty/", "$dir/dry/a.folded" ], 1, qr/^read 1 file .*; failed: 1$/m, qr/empty: there is no file/, 'and the others are read');
	load_is([ '-n', '--match', '*.perf', "$dir/dry" ], 1, qr/not matched: 4; .*failed: 1$/, qr/dry: no file in this directory matches --match$/, 'no file matches');
	load_is([ '-n', '--repetition', 'auto', '--metric', '1,2,3', "$dir/dry/a.folded", "$dir/dry/a.folded" ], 2, qr/^$/,
		qr/--metric has 3 numbers for 2 files/, 'more numbers than files');
}

# --- where it is found ------------------------------------------------------------------------------------------------

SKIP:
{
	chomp(my $mandir = `pg_config --mandir`);
	ok(-f "$mandir/man1/flamegraph-load.1", 'the manual page is beside those of the server');
	skip 'not in a tree with a Makefile', 9 if !-f 'Makefile';
	for my $case ([ '/usr/lib/postgresql/15/bin', '/usr/local', 'Debian' ], [ '/usr/pgsql-17/bin', '/usr/local', 'RPMs of postgresql.org' ],
		[ '/usr/lib/postgresql/15/bin', undef, 'a package', 'DESTDIR=/nowhere' ], [ '/usr/lib/postgresql/15/bin', undef, 'no links', 'LINK_PREFIX=' ],
		[ '/usr/lib/postgresql/15/bin', '/opt/x', 'links elsewhere', 'LINK_PREFIX=/opt/x' ], [ '/srv/pg/bin', undef, 'a prefix' ])
	{
		my ($bindir, $prefix, $name, @variables) = @$case;
		my $said = '';
		IPC::Run::run([ 'make', '-n', 'install-client', "bindir=$bindir", 'mandir=/m', @variables ], '>', \$said, '2>', \my $err);
		my @links = $said =~ /ln -sf "(\S+)" "(\S+)"/g;
		my @programs = $said =~ /for p in ([^;]*);/ ? split(' ', $1) : ();
		@links = map { my $p = $_; map { s/\$p/$p/r } @links } @programs;
		is("@links", $prefix ? join(' ', map { "$bindir/$_ $prefix/bin/$_ /m/man1/$_.1 $prefix/share/man/man1/$_.1" } qw(flamegraph-load flamegraph-report flamegraph-lsp flamegraph-commits)) : '',
			"links: $name") or diag($err);
	}
	my $variables = "DESTDIR=$dir/inst LINK_PREFIX=/l bindir=/b mandir=/m CLIENT=client/flamegraph-load";
	system("make -s -o client/flamegraph-load -o client/flamegraph-report -o client/flamegraph-lsp -o installdirs install-client $variables >$dir/install 2>&1");
	is(readlink "$dir/inst/l/bin/flamegraph-load", '/b/flamegraph-load', 'a link is made') or diag(slurp_file("$dir/install"));
	ok(-x "$dir/inst/b/flamegraph-load" && -f "$dir/inst/m/man1/flamegraph-load.1", 'to the program, which has a manual');
	system("make -s uninstall-client $variables >$dir/install 2>&1");
	is(join(' ', grep { -l || -f } glob "$dir/inst/{l/bin,l/share/man/man1,b,m/man1}/*"), '', 'nothing stays') or diag(slurp_file("$dir/install"));
}

# --- with the store ---------------------------------------------------------------------------------------------------

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;

load_is([ '-d', 'postgres', '--benchmark', 'b', "$dir/dry" ], 1, qr/^$/, qr/there is no store in database "postgres"/, 'no store');

if (!$node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'flamegraph_store'"))
{
	$node->stop;
	done_testing();
	exit;
}
$node->safe_psql('postgres', 'CREATE EXTENSION flamegraph_store CASCADE');
my $db = Wire->connect($node, 'postgres');

sub value { return $db->value($_[0]); }

# The files of a directory as the server reads them, against what is in the store.
my $run = '2026-03-01 02:00:00+00';
my @common = ('-d', 'postgres', '--suite', 'nightly', '--branch', 'main', '--commit', 'abc', '--version', '1.0', '--run', $run);
unlink "$dir/dry/bad.folded", "$dir/dry/what";
copy("$recordings/full.austin", "$dir/dry/full") or die $!;
load_is([ @common, '--benchmark', 'b', '--label', 'cpu=epyc "7"', '--parameter', 'n=5', '--repetition', 'auto', '--instance', 'm1',
		'--metric', '12.5', '--metric-unit', 's', '-j', '2', "$dir/dry/" ], 0,
	qr/^loaded 3 files \(6 profiles, .*; failed: 0$/, qr/^$/, 'a directory');
is(value(q{SELECT string_agg(concat_ws(' ', p.event, p.unit, coalesce(p.period, 0), p.repetition, p.total, p.instance, p.metric, p.metric_unit), E'\n'
	ORDER BY p.source, p.event) FROM profiling.profile AS p}), <<'END' =~ s/\n$//r, 'what arrived');
cpu samples 0 0 3 m1 12.5 s
cpu nanoseconds 5025125 1 70351750 m1 12.5 s
page-faults events 40 1 5680 m1 12.5 s
cpu microseconds 100 2 390 m1 12.5 s
memory bytes 0 2 3584 m1 12.5 s
wall microseconds 100 2 690 m1 12.5 s
END
is(value(q{SELECT count(*) FROM profiling.profile_full AS f,
	LATERAL read_recording(pg_read_binary_file(f.source)) AS r WHERE r.event = f.event AND r.complete = f.flamegraph}), 6,
	'the server reads the same');
is(value(q{SELECT concat_ws('|', r.started_at AT TIME ZONE 'UTC', r.branch, r.commit, r.version, r.labels, b.suite, b.name, b.parameters)
	FROM profiling.test_run AS r, profiling.benchmark AS b}),
	q(2026-03-01 02:00:00|main|abc|1.0|{"cpu": "epyc \"7\""}|nightly|b|{"n": "5"}), 'one run of one benchmark');

# Recordings whose samples weigh differently: how many there are, and the sum of their squared weights.
copy("$recordings/$_", "$dir/$_") or die $! for qw(app.cpuprofile.gz wall.austin work.jfr.json.gz postgres.perf.gz);
load_is([ @common, '--benchmark', 'weights', map { "$dir/$_" } qw(app.cpuprofile.gz wall.austin work.jfr.json.gz postgres.perf.gz) ], 0,
	qr/^loaded 4 files .*failed: 0$/, qr/^$/, 'weighted samples');
my $weighted = q{SELECT count(*) AS all, count(f.samples) AS weighted, count(*) FILTER (WHERE f.samples IS NOT DISTINCT FROM r.samples
	AND f.noise IS NOT DISTINCT FROM r.noise AND f.period IS NOT DISTINCT FROM r.period) AS same FROM profiling.profile_full AS f,
	LATERAL read_recording(pg_read_binary_file(f.source), options => '{"stored_names": true}') AS r
	WHERE f.benchmark = 'weights' AND r.event = f.event AND r.unit = f.unit};
my ($all, $with, $same) = @{ $db->row($weighted) };
is($same, $all, 'the server reads the same samples and noise');
cmp_ok($with, '>', 3, "in $with profiles");
cmp_ok($with, '<', $all, 'not in all: a period says as much');
is(value(q{SELECT count(*) FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'weights' AND r.samples IS NOT NULL}),
	$with, 'and sums of them');
$db->run(q{SELECT profiling.delete_benchmark('weights')});

# The same command again, and again with one more file.
my @again = (@common, '--benchmark', 'b', '--label', 'cpu=epyc "7"', '--parameter', 'n=5', '--repetition', 'auto', '--instance', 'm1',
	'--metric', '12.5', '--metric-unit', 's');
load_is([ @again, "$dir/dry" ], 0, qr/^loaded 0 files .*in the store already: 3 files \(6 profiles\);.* failed: 0$/, qr/^$/, 'a second time');
is(value('SELECT count(*) FROM profiling.profile'), 6, 'nothing new');
write_file("$dir/dry/z1", "a;b 1\n");
write_file("$dir/dry/z2", "a;b 1\nc\n");
write_file("$dir/dry/z3", "a;b 1\n");
load_is([ @again, '-v', "$dir/dry" ], 1, qr/^loaded 2 files .*in the store already: 3 files .*failed: 1$/,
	qr{z1: loaded\n.*z2: FAILED: folded: line 2, column 2: the value is missing.*z3: loaded\n}s, 'new files, one of them bad');
is(value('SELECT count(*) FROM profiling.profile'), 8, 'the others were loaded');

# From another directory, as in the next workspace of a CI: nothing is new, and the first path is named.
make_path("$dir/moved");
copy("$dir/dry/$_", "$dir/moved/$_") or die $! for 'a.folded', 'full';
load_is([ (grep { $_ ne 'auto' && $_ ne '--repetition' } @again), '-v', '--repetition', '0', "$dir/moved/a.folded", "$dir/dry/a.folded" ], 0,
	qr/^loaded 0 files .*in the store already: 2 files \(2 profiles\), of these from another path: 1; failed: 0$/,
	qr{moved/a\.folded: in the store already: It is profile \d+, which came from "\Q$dir\E/dry/a\.folded"\.\n.*dry/a\.folded: in the store already\n}s, 'another path');
load_is([ (grep { $_ ne 'auto' && $_ ne '--repetition' } @again), '--repetition', '2', "$dir/moved/full" ], 0,
	qr/^loaded 0 files .*: 1 file \(3 profiles\), of these from another path: 1; failed: 0$/, qr/^$/, 'several events from another path');
is(value('SELECT count(*) FROM profiling.profile'), 8, 'nothing new');

# Standard input, an event by name, truncated stacks, an event that the caller names, the time of the oldest file.
{
	my $out = '';
	IPC::Run::run([ 'gzip', '-dc', "$recordings/postgres.perf.gz" ], '|',
		[ 'flamegraph-load', @common, '--benchmark', 'stdin', '--select', 'cpu-clock/freq=199/', '--max-depth', '20', '-' ], '>', \$out);
	is($?, 0, 'standard input');
}
is(value(q{SELECT event || source || (total(flamegraph) + total(truncated)) || (total(truncated) > 0) FROM profiling.profile_full
	JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'stdin'}), 'cpu70351750true', 'one event, truncated stacks apart');
utime 1_700_000_000, 1_700_000_000, "$dir/dry/z1";
load_is([ '-d', 'postgres', '--benchmark', 'oldest', '--event', 'lock', '--unit', 'seconds', '--period', '0.5', "$dir/dry/z1", "$dir/dry/z3" ], 0,
	qr/^loaded 1 file .*; in the store already: 1 file \(1 profile\), of these from another path: 1; failed: 0$/, qr/^$/, 'without a time, of two equal files');
is(value(q{SELECT string_agg(DISTINCT concat_ws(' ', p.event, p.unit, p.period, extract(epoch FROM r.started_at)::bigint), ',')
	FROM profiling.profile AS p JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.test_run AS r USING (test_run_id)
	WHERE b.name = 'oldest'}), 'lock seconds 0.5 1700000000', 'the run is as old as the oldest file');

# What the server cannot read is told with the name of the option, before a file is looked at.
for my $case ([ '--run', 'yesterdayish', qr/invalid input syntax for type timestamp with time zone: "yesterdayish"/ ],
	[ '--recorded-at', '2026-13-01', qr/date\/time field value out of range: "2026-13-01"/ ], [ '--duration', 'long', qr/invalid input syntax for type interval: "long"/ ],
	[ '--run', '2999-01-01 UTC', qr/the time "2999-01-01 UTC" lies in the future/ ], [ '--period', '1e999', qr/"1e999" is out of range/ ],
	[ '--period', '0', qr/"0" is not a finite number above 0/ ], [ '--metric', 'nan', qr/"nan" is not a finite number/ ],
	[ '--metric', '-inf', qr/"-inf" is not a finite number/ ],
	[ '--metric', '1e999', qr/"1e999" is out of range/ ])
{
	my ($option, $value, $message) = @$case;
	load_is([ @common[0, 1], '--benchmark', 'wrong', $option, $value, "$dir/nowhere" ], 2, qr/^$/,
		qr/^flamegraph-load: $option: $message.*\nTry "flamegraph-load --help"\.\n$/, "$option $value");
}
is(value("SELECT count(*) FROM profiling.benchmark WHERE name = 'wrong'"), 0, 'and nothing is made for it');

# A number for each repetition, or one for all.
load_is([ @common, '--benchmark', 'metrics', '--repetition', 'auto', '--metric', '1.5,2.25', '-q', "$dir/dry/z1", "$dir/dry/a.folded" ], 0, qr/^$/, qr/^$/,
	'a number for each file, quiet');
load_is([ @common, '--benchmark', 'metric', '--repetition', 'auto', '--metric', '7', "$dir/dry/z1", "$dir/dry/a.folded" ], 0, qr/^loaded 2/, qr/^$/,
	'one number for all files');
is(value(q{SELECT string_agg(concat_ws(' ', b.name, p.repetition, p.metric), ', ' ORDER BY b.name, p.repetition) FROM profiling.profile AS p
	JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name LIKE 'metric%'}), 'metric 0 7, metric 1 7, metrics 0 1.5, metrics 1 2.25', 'are stored');
load_is([ @common, '--benchmark', 'b', "$dir/empty" ], 1, qr/^loaded 0 files .*failed: 1$/, qr/empty: there is no file to load/, 'a directory without files, with a server');

# What the server tells of a file is shown once, and what it tells of several in the same words once for all.
$db->run($_) for <<'SQL', <<'SQL';
CREATE FUNCTION public.tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE WARNING 'look at the clock' USING HINT = 'It is late.';
	RAISE NOTICE 'this is %', substring(NEW.source FROM '[^/]+$');
	RETURN NEW;
END $$
SQL
CREATE TRIGGER tell BEFORE INSERT ON profiling.profile FOR EACH ROW EXECUTE FUNCTION public.tell()
SQL
load_is([ @common, '--benchmark', 'told', "$dir/dry/a.folded", "$dir/dry/full", "$dir/dry/z1" ], 0, qr/^loaded 3 files \(5 profiles/,
	qr{^\S+ \S+/a\.folded and 2 more: WARNING:  look at the clock HINT:  It is late\.\n\S+ \S+/a\.folded: NOTICE:  this is a\.folded\n\S+ \S+/full: NOTICE:  this is full\n\S+ \S+/z1: NOTICE:  this is z1\n$},
	'what the server tells');
load_is([ @common, '--benchmark', 'told -q', '-q', "$dir/dry/z1" ], 0, qr/^$/, qr/^$/, 'is not shown when it shall be quiet');
load_is([ @common, '--benchmark', 'told -v', '-v', "$dir/dry/full" ], 0, qr/^loaded 1/,
	qr{^\S+/full: WARNING:  look at the clock .*\n\S+/full: NOTICE:  this is full\n\S+/full: loaded, 3 profiles\n$}, 'is shown before what became of the file');
$db->run('DROP TRIGGER tell ON profiling.profile');

# --- one file, loaded both ways ------------------------------------------------------------------------------------------
# What is a duplicate for the one has to be one for the other: the same events and units.

sub varint
{
	my ($n) = @_;
	my $bytes = '';
	for (; $n >= 128; $n >>= 7) { $bytes .= chr(128 | $n & 127); }
	return $bytes . chr $n;
}
sub number { my ($field, $n) = @_; return varint($field << 3) . varint($n); }
sub message { my ($field, $text) = @_; return varint($field << 3 | 2) . varint(length $text) . $text; }

# A pprof of samples "main" with these types: [ name, unit ], ...
sub pprof
{
	my (@types) = @_;
	my (@texts, %at) = ('');
	my $text = sub { my ($t) = @_; return 0 if $t eq ''; $at{$t} //= push(@texts, $t) - 1; return $at{$t}; };
	my $main = $text->('main');
	my $file = join '', map { message(1, number(1, $text->($_->[0])) . number(2, $text->($_->[1]))) } @types;
	$file .= message(2, number(1, 1) . join '', map { number(2, 10 + $_) } 0 .. $#types);
	$file .= message(4, number(1, 1) . message(4, number(1, 1))) . message(5, number(1, 1) . number(2, $main));
	return $file . join '', map { message(6, $_) } @texts;
}

# What was replaced in names, and what a profile cannot hold, is told: here two labels of a sample.
write_file("$dir/cleaned.folded", "main;;a 1\nmain;b\x01;c 2\n");
write_file("$dir/labelled.pprof", pprof([ 'cpu', 'samples' ]) . message(2, number(1, 1) . number(2, 5) . message(3, number(1, 1)) x 2));
load_is([ '-n', "$dir/cleaned.folded", "$dir/labelled.pprof" ], 0, qr/^read 2 files/m,
	qr{\A\S+ \S+/cleaned\.folded: NOTICE:  the recording was cleaned DETAIL:  Empty frames replaced by \[unknown\]: 1\. Control characters replaced by a space: 1\.\n\S+ \S+/labelled\.pprof: NOTICE:  the recording was cleaned DETAIL:  Labels of samples left out: 2\.\n\z},
	'what was cleaned');
load_is([ '-n', '-q', "$dir/cleaned.folded" ], 0, qr/^$/, qr/^$/, 'what was cleaned, quiet');
unlink "$dir/cleaned.folded", "$dir/labelled.pprof";

# An event's name does not depend on what else is in the file.
my $night = "a 1 1.0: 250 cycles:u: \n\t4011 main+0x1 (/a)\n\n";
my $stray = "${night}a 1 1.1: 1 cycles: \n\tffffffff81000000 entry+0x1 ([kernel.kallsyms])\n\n";
my $others = $stray =~ s/cycles:(?= \n\tf)/page-faults:/r;

for my $case (
	[ 'an event that the caller names, which is the default', pprof([ 'wall', 'samples' ]), 'cpu', 'cpu samples 10' ],
	[ 'an event that nobody names', pprof([ 'wall', 'samples' ]), undef, 'wall samples 10' ],
	[ 'a type without a name beside cpu', pprof([ '', 'samples' ], [ 'cpu', 'samples' ]), undef, 'cpu samples 21', qr/added up DETAIL:  cpu in samples: \(no name\), cpu\./ ],
	[ 'a type without a name beside what the caller names', pprof([ '', 'samples' ], [ 'wall', 'samples' ]), 'wall', 'wall samples 21', qr/added up DETAIL:  wall in samples: \(no name\), wall\./ ],
	[ 'types of one event and unit', pprof([ 'delay', 'ns' ], [ 'lock', 'ns' ], [ 'cpu', 'ns' ]), undef, 'cpu ns 12, lock ns 21', qr/added up DETAIL:  lock in ns: delay, lock\./ ],
	[ 'one event beside a stray sample of it', $stray, undef, 'cpu events 251', qr/added up DETAIL:  cpu in events: cycles:u, cycles\./ ],
	[ 'one event alone', $night, undef, 'cpu events 250' ],
	[ 'an event that the caller names beside a stray sample of it', $stray, 'wall', 'wall events 251', qr/added up DETAIL:  wall in events: cycles:u, cycles\./ ],
	[ 'several events, none of which the caller names', $others, 'wall', 'cpu events 250, page-faults events 1', qr/several events, and none of them is "wall"/ ],
	[ 'types without a unit', pprof([ 'cpu', '' ], [ 'cpu', 'bytes' ], [ 'b', '' ]), undef, 'b samples 12, cpu bytes 11, cpu samples 10' ])
{
	my ($name, $bytes, $event, $expected, $notice) = @$case;
	my @event = $event ? ('--event', $event) : ();
	my $path = "$dir/both";
	write_file($path, $bytes);
	load_is([ @common, '--benchmark', "both: $name", @event, $path ], 0, qr/^loaded 1 file/, $notice // qr/^$/, "$name: the client");
	my ($status, $said) = load('-n', @event, $path);
	is(join(', ', sort map { s/ \([^()]*(?:\([^()]*\)[^()]*)?\) (\S+) (\w+),.*/ $2 $1/r } split /; /, $said =~ s/^.*?: \w+: (.*?)\n.*/$1/sr), $expected, "$name: a dry run");
	my $stored = sub {
		return value("SELECT string_agg(concat_ws(' ', p.event, p.unit, p.total), ', ' ORDER BY p.event COLLATE \"C\", p.unit COLLATE \"C\", p.total)
			FROM profiling.profile AS p JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = " . Wire::literal("both: $name"));
	};
	is($stored->(), $expected, "$name: what it stored");
	my $result = $db->query(sprintf q{SELECT profiling.import_profile(%s, '\x%s', suite => 'nightly', branch => 'main', commit => 'abc', version => '1.0',
		started_at => %s, source => %s%s)}, Wire::literal("both: $name"), unpack('H*', $bytes), Wire::literal($run), Wire::literal($path),
		$event ? ', event => ' . Wire::literal($event) : '');
	ok(!$result->{error}, "$name: the server") or diag($result->{error}{message});
	is(scalar(grep { $_->{sqlstate} eq '23505' } @{ $result->{notices} }), scalar(split /, /, $expected), "$name: all of it is there already");
	is(scalar(grep { $_->{sqlstate} eq '00000' } @{ $result->{notices} }), $notice ? 1 : 0, "$name: what it says");
	is($stored->(), $expected, "$name: and nothing new");
}
write_file("$dir/both", pprof([ 'cpu', 'ns' ], [ 'alloc', 'bytes' ]));
load_is([ @common, '--benchmark', 'units', '--unit', 'ns', "$dir/both" ], 1, qr/failed: 1$/, qr/have different units; leave --unit out/,
	'one unit for profiles of several');
is($db->sqlstate(sprintf q{SELECT profiling.import_profile('units', '\x%s', unit => 'ns')}, unpack('H*', pprof([ 'cpu', 'ns' ], [ 'alloc', 'bytes' ]))), '22023',
	'the server refuses it, too');

# What the store refuses a dry run refuses, in the same words; and nothing else.
sub perf_event { my ($event) = @_; return "a 1 1.0: 250 $event: \n\t4011 main+0x1 (/a)\n\n"; }
my $period = sub { my ($n) = @_; return message(11, number(1, 2) . number(2, 3)) . number(12, $n); };
my @refused = (
	[ 'an event of 250 bytes', perf_event('x' x 250), qr/^$/ ],
	[ 'an event of 251 bytes', perf_event('x' x 251), qr/the event "x{40}\.\.\." has 251 bytes, and the store takes 250; give --select or --event/ ],
	[ 'an event of 252 bytes, with a name for it', perf_event('x' x 252), qr/^$/, '--event', 'short' ],
	[ 'an event of 250 bytes in 125 characters', perf_event("\xC3\xA9" x 125), qr/^$/ ],
	[ 'an event of 252 bytes in 126 characters', perf_event("\xC3\xA9" x 126), qr/the event "(?:\xC3\xA9){20}\.\.\." has 252 bytes/ ],
	[ 'a unit of 250 bytes', pprof([ 'cpu', 'u' x 250 ]), qr/^$/ ],
	[ 'a unit of 251 bytes', pprof([ 'cpu', 'u' x 251 ]), qr/the unit "u{40}\.\.\." has 251 bytes, and the store takes 250; give --unit/ ],
	[ 'a unit of 251 bytes, with a name for it', pprof([ 'cpu', 'u' x 251 ]), qr/^$/, '--unit', 'short' ],
	[ 'neither type nor unit', pprof([ '', '' ]), qr/^$/ ],
	[ 'a period', pprof([ 'cpu', 'ns' ]) . $period->(5), qr/^$/ ],
	[ 'a period below 0', pprof([ 'cpu', 'ns' ]) . $period->(18446744073709551611), qr/the period of cpu is -5, and not a finite number above 0; give --period/ ],
	[ 'a period below 0, with another', pprof([ 'cpu', 'ns' ]) . $period->(18446744073709551611), qr/^$/, '--period', '1' ],
	[ 'a total that is no number', "a 1e308\nb 1e308\n", qr/the total of all samples is out of range/ ],
	[ 'values of two signs', "a -1e308\nb 1e308\n", qr/the values of all stacks, without their signs, add up to more than fits/ ],
	[ 'values of two signs that fit', "a;c -8e307\nb 8e307\n", qr/^$/ ],
	[ 'stacks that were cut off', "a;b 1e308\nc 1e308\n", qr/the values of all stacks, without their signs, add up to more than fits/, '--max-depth', '2' ],
	[ 'several units', pprof([ 'cpu', 'ns' ], [ 'alloc', 'bytes' ]), qr/have different units; leave --unit out/, '--unit', 'ns' ],
	[ 'an empty profile', "a 0\n", qr/^$/ ],
	[ 'no profile', '{"recording": {"events": []}}', qr/holds no profile/ ]);
for my $case (@refused)
{
	my ($name, $bytes, $message, @options) = @$case;
	my $path = "$dir/refused";
	write_file($path, $bytes);
	my $status = $message eq qr/^$/ ? 0 : 1;
	load_is([ '-n', @options, $path ], $status, qr/failed: $status$/, $message, "$name: a dry run");
	load_is([ '-d', 'postgres', '--run', $run, '--benchmark', "refused: $name", '--retries', '0', @options, $path ], $status, qr/failed: $status$/, $message, "$name: a load");
}

# The same of services, whose profiles are added up; a run and a profile of the future.
for my $case (
	[ 'a value that can be added', "a 1e60\n", qr/^$/ ],
	[ 'a value that cannot', "a 1.1e60\n", qr/the values of a profile of a service are too large/ ],
	[ 'values of two signs that cannot', "a 6e59\nb -6e59\n", qr/the values of a profile of a service are too large/ ],
	[ 'with what was cut off', "a 6e59\nb;c 6e59\n", qr/the values of a profile of a service are too large/, '--max-depth', '2' ],
	[ 'noise that cannot', "a 1 1.0: 2535301200456458802993406410752 x: \n\t4011 main+0x1 (/a)\n\n" . "a 1 1.0: 1 x: \n\t4011 main+0x1 (/a)\n\n", qr/the values of a profile of a service are too large/ ])
{
	my ($name, $bytes, $message, @options) = @$case;
	my $status = $message eq qr/^$/ ? 0 : 1;
	write_file("$dir/refused", $bytes);
	load_is([ '-n', '--service', $name, '-q', @options, "$dir/refused" ], $status, qr/^$/, $message, "$name: a dry run");
	load_is([ '-d', 'postgres', '--service', $name, '-q', '--retries', '0', @options, "$dir/refused" ], $status, qr/^$/, $message, "$name: a load");
}
utime time + 2 * 86400, time + 2 * 86400, "$dir/future.folded";
load_is([ '-d', 'postgres', '--benchmark', 'future', '--retries', '0', "$dir/future.folded" ], 1, qr/failed: 1$/, qr/started_at lies in the future/, 'a run of the future, loaded');
load_is([ '-d', 'postgres', '--service', 'future', '--retries', '0', "$dir/future.folded" ], 1, qr/failed: 1$/, qr/recorded_at lies in the future/, 'a file of a service, loaded');
unlink "$dir/future.folded";

# --- a store of an earlier release, which does not know of samples ------------------------------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE earlier');
$node->safe_psql('earlier', "CREATE EXTENSION flamegraph VERSION '0.1.0'; CREATE EXTENSION flamegraph_store VERSION '0.1.0'");
load_is([ '-d', 'earlier', '--benchmark', 'b', '--run', $run, "$dir/app.cpuprofile.gz" ], 0, qr/^loaded 1 file .*failed: 0$/, qr/^$/, 'an earlier store');
$node->safe_psql('earlier', 'ALTER EXTENSION flamegraph UPDATE; ALTER EXTENSION flamegraph_store UPDATE');
load_is([ '-d', 'earlier', '--benchmark', 'b', '--run', $run, '--repetition', '1', "$dir/app.cpuprofile.gz" ], 0, qr/^loaded 1 file .*failed: 0$/, qr/^$/, 'updated');
is($node->safe_psql('earlier', 'SELECT repetition, samples IS NOT NULL FROM profiling.profile_full ORDER BY 1'), "0|f\n1|t", 'it gets samples');
is($node->safe_psql('earlier', 'SELECT count(*) FROM profiling.check(true)'), 0, 'and nothing is wrong');

# --- conflicts ---------------------------------------------------------------------------------------------------------

$db->run($_) for 'CREATE SEQUENCE public.attempt', <<'SQL', <<'SQL';
CREATE FUNCTION public.conflict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	CASE nextval('public.attempt')
		WHEN 1 THEN RAISE EXCEPTION 'a deadlock' USING ERRCODE = '40P01';
		WHEN 2, 4 THEN RAISE EXCEPTION 'a serialization failure' USING ERRCODE = '40001';
		WHEN 3 THEN PERFORM pg_terminate_backend(pg_backend_pid());
		ELSE NULL;
	END CASE;
	RETURN NEW;
END $$
SQL
CREATE TRIGGER conflict BEFORE INSERT ON profiling.profile FOR EACH ROW EXECUTE FUNCTION public.conflict()
SQL
load_is([ @common, '--benchmark', 'conflict', "$dir/dry/full" ], 0, qr/^loaded 1 file \(3 profiles.*retries: 4; failed: 0$/, qr/^$/,
	'conflicts and a lost connection');
$db->run("SELECT setval('public.attempt', 3)");
load_is([ @common, '--benchmark', 'no retry', '--retries', '0', "$dir/dry/full" ], 1, qr/^loaded 0 files.*failed: 1$/,
	qr/full: ERROR:  a serialization failure/, 'without retries');
is(value("SELECT count(*) FROM profiling.profile JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'no retry'"), 0,
	'and nothing of it is there');
$db->run('DROP TRIGGER conflict ON profiling.profile');

# What a server says as it dies may be there to be read when the next command is sent. libpq then calls the connection a good one.
{
	my $relay = Relay->start($node, 'BEGIN');
	{
		local $ENV{PGHOST} = $relay->host;
		load_is([ @common, '--benchmark', 'last words', "$dir/dry/full" ], 0, qr/^loaded 1 file \(3 profiles.*retries: 1; failed: 0$/, qr/^$/,
			'a server that died');
	}
	$relay->stop;
}

{
	write_file("$dir/alone.folded", "main;a 3\nmain;b 4\n");
	my $relay = Relay->start($node, 'reply');
	{
		local $ENV{PGHOST} = $relay->host;
		load_is([ @common, '--benchmark', 'no reply', "$dir/alone.folded" ], 0, qr/^loaded 1 file \(1 profile, 0.0 MB\).*; retries: 1; failed: 0$/, qr/^$/,
			'a server that has committed, and nobody was told');
	}
	$relay->stop;
	is(value(q{SELECT count(*) FROM profiling.profile JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'no reply'}), 1, 'it is there once');
}

# --- stopped in the middle ---------------------------------------------------------------------------------------------

my $files = 200;
make_path("$dir/many");
for my $i (1 .. $files)
{
	my $text = "# austin: 3.5.0\n# mode: full\n";
	# Every metric differs from file to file: equal profiles of one run and repetition are one.
	$text .= "P1;T1;f$_:main:1;g$_:work:$_ $i,0," . ($_ + 1000 * $i) . "\n" for 1 .. 20;
	write_file(sprintf('%s/many/%03d', $dir, $i), $text);
}

sub loaded
{
	my ($benchmark) = @_;
	return value("SELECT count(*) FROM profiling.profile JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = '$benchmark'") // 0;
}

sub start_load
{
	my ($benchmark) = @_;
	my $said = '';
	my $loader = IPC::Run::start([ 'flamegraph-load', @common, '--benchmark', $benchmark, '-j', '2', "$dir/many" ], '>', \$said, '2>&1');
	my $end = time + 600;
	while (loaded($benchmark) < 30 && time < $end) { sleep 0.02; }
	return ($loader, \$said);
}

{
	my ($loader) = start_load('killed');
	$loader->kill_kill(grace => 0);
	my $there = loaded('killed');
	cmp_ok($there, '<', 3 * $files, "killed in the middle, after $there profiles");
	# what the server was still at when the loader was killed
	sleep 0.02 while value(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()}) > 0;
	is(value(q{SELECT count(*) FROM (SELECT source FROM profiling.profile JOIN profiling.benchmark AS b USING (benchmark_id)
		WHERE b.name = 'killed' GROUP BY source HAVING count(*) <> 3) AS s}), 0, 'only whole files are there');
	load_is([ @common, '--benchmark', 'killed', '-j', '2', "$dir/many" ], 0, qr/in the store already: \d+ files/, qr/^$/, 'the next load');
	is(loaded('killed'), 3 * $files, 'completes it');
}

{
	my ($loader, $said) = start_load('restart');
	$db->close;
	$node->restart;
	ok($loader->finish, 'the server restarted: nothing failed') or diag($$said);
	like($$said, qr/retries: \d+; failed: 0/, 'after retries');
	$db = Wire->connect($node, 'postgres');
	is(loaded('restart'), 3 * $files, 'all is there');
}

# Two loaders of the same files at once.
{
	my @loaders = map { IPC::Run::start([ 'flamegraph-load', @common, '--benchmark', 'two', '-q', "$dir/many" ], '>', \my $said, '2>&1') } 1 .. 2;
	ok($_->finish, 'two loaders of the same files') for @loaders;
	is(loaded('two'), 3 * $files, 'each file is there once');
}
is(value("SELECT count(*) FROM profiling.profile_full AS f WHERE f.total IS DISTINCT FROM total(f.flamegraph)"), 0, 'the totals are right');

$db->close;
$node->stop;
done_testing();
