# Binary files of Java Flight Recorder: a recording that is kept here against what the JDK's own reader made of it; and,
# where there is a JDK, one that is made now, with every type of event that is read, against what the reader of JSON
# makes of "jfr print --json --stack-depth 2048": profiles, units, noise and samples with their times.
use strict;
use warnings;

use FindBin;
use File::Copy qw(copy);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('jfr');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
sub value { return Wire::answer($node, 'postgres', $_[0]); }
value('CREATE EXTENSION flamegraph; CREATE TABLE file (name text PRIMARY KEY, data bytea)');

my $data = 'test/data/formats';
my $folder = PostgreSQL::Test::Utils::tempdir();
chmod 0755, $folder;

sub load
{
	my ($name, $path) = @_;
	$path eq "$folder/$name" or copy($path, "$folder/$name") or die "$path: $!";
	chmod 0644, "$folder/$name";
	value("INSERT INTO file SELECT '$name', pg_read_binary_file('$folder/$name')");
	return;
}

sub folded { return "flamegraph_from_folded('\\x" . unpack('H*', slurp_file("$data/$_[0]")) . "'::bytea)"; }

# --- a recording that is kept --------------------------------------------------------------------------------------

load('binary', "$data/binary.jfr.gz");
my $full = '{"selection": "jdk.ExecutionSample", "threads": true, "modes": true, "frame_style": "function:line"}';
for my $test (
	[ 'complete', '{"selection": "cpu"}', 'cpu' ],
	[ 'truncated', '{"selection": "cpu"}', 'cpu.truncated' ],
	[ 'complete', $full, 'full' ],
	[ 'complete', '{"selection": "alloc"}', 'alloc' ],
	[ 'complete', '{"selection": "lock"}', 'lock' ],
	[ 'complete', '{"selection": "error"}', 'error' ])
{
	my ($column, $options, $file) = @$test;
	is(value("SELECT $column = fg, total(fg) > 0 FROM file, read_recording(data, options => '$options'), " . folded("binary.$file.folded") . ' AS fg'),
		't|t', "binary.$file.folded");
}
is(value('SELECT complete = ' . folded('binary.cpu.folded') . ', truncated = ' . folded('binary.cpu.truncated.folded') .
	", (flamegraph_from_jfr(data, 'lock')).complete = " . folded('binary.lock.folded') . " FROM file, flamegraph_from_jfr(data, 'cpu')"),
	't|t|t', 'flamegraph_from_jfr of the binary file');
is(value(q{SELECT j = t FROM (SELECT '{"recording": {"events": []}}'::text AS data) AS d, flamegraph_from_jfr(convert_to(data, 'UTF8')) AS j, flamegraph_from_jfr(data) AS t}),
	't', 'and of the bytes of its JSON');
is(value(q{SELECT string_agg(concat_ws(' ', file_format, event, unit, period), ', ' ORDER BY event) FROM file, read_recording(data)}),
	'jfr alloc bytes, jfr cpu samples 1, jfr error samples 1, jfr lock nanoseconds', 'all events, by their content');
system("gzip -dc $data/binary.samples.gz >'$folder/samples'") == 0 or die 'gzip failed';
is(value(qq{CREATE TEMP TABLE expected (event text, thread text, start_at float8, stop_at float8, stack text, value float8);
	\\copy expected FROM '$folder/samples'
	CREATE TEMP TABLE got AS SELECT event, thread, start_at, stop_at, array_to_string(stack::text[], ';'), value FROM file, recording_samples(data);
	SELECT count(*) > 500, (SELECT count(*) FROM got) - count(*) FROM expected;
	(SELECT '-', * FROM (TABLE expected EXCEPT ALL TABLE got) AS a LIMIT 3) UNION ALL (SELECT '+', * FROM (TABLE got EXCEPT ALL TABLE expected) AS a LIMIT 3)}),
	't|0', 'samples with their times');

sub fails
{
	my ($bytes, $pattern, $name) = @_;
	my (undef, $error) = Wire::said($node, 'postgres', "SELECT read_recording($bytes) FROM file WHERE name = 'plain'");
	like($error, qr/ERROR:  22P02:.*$pattern/s, $name);
	return;
}
system("gzip -dc $data/binary.jfr.gz >'$folder/unpacked'") == 0 or die 'gzip failed';
load('plain', "$folder/unpacked");
my $size = -s "$folder/plain";
fails('substr(data, 1, 100000)', "The recording ends at byte 100000, in chunk 1, which has bytes 1 to $size.*cut off", 'a file that was cut off');
fails(q{overlay(data PLACING '\x07' FROM 65)}, 'still being written.*jcmd PID JFR.dump', 'a recording that goes on');
fails(q{overlay(data PLACING '\x0000000000000000' FROM 9)}, 'still being written', 'a chunk without a size');
fails(q{overlay(data PLACING '\x0001' FROM 5)}, 'version 1\.\d+, but only version 2', 'an old version');
is(value(q{SELECT bool_and(p.complete = 2 * b.complete), count(*) FROM file, read_recording(data || data) AS p, read_recording(data) AS b
	WHERE file.name = 'plain' AND p.event = b.event}), 't|4', 'two recordings put together');

# --- a recording that is made now ------------------------------------------------------------------------------------

SKIP:
{
	my $missing = join ', ', grep { system("command -v $_ >/dev/null 2>&1") != 0 } qw(java javac jfr);
	skip "no JDK: $missing not found", 1 if $missing ne '';
	copy("$data/Work.java", "$folder/Work.java") or die $!;
	# small chunks, so that there are several; every type of event that is read; deeper stacks than JFR records
	my $types = join ',', map { "jdk.$_" } 'ThreadPark#threshold=0ns', 'JavaMonitorEnter#threshold=0ns', 'JavaMonitorWait#threshold=0ns',
		'FileRead#threshold=0ns', 'FileWrite#threshold=0ns', 'JavaExceptionThrow#enabled=true', 'JavaErrorThrow#enabled=true',
		'ObjectAllocationInNewTLAB#enabled=true', 'ObjectAllocationOutsideTLAB#enabled=true', 'NativeMethodSample#enabled=true';
	my $command = "cd '$folder' && javac -d . Work.java && java -XX:StartFlightRecording:settings=profile,filename=live.jfr,$types "
		. '-XX:FlightRecorderOptions:stackdepth=24,maxchunksize=1M -Xlog:jfr+startup=off -Xlog:jfr=off -Xmx64m -cp . Work Work.java '
		. '&& jfr print --json --stack-depth 2048 live.jfr >live.json';
	my $status = system("($command) >'$folder/log' 2>&1");
	is($status, 0, 'the JDK records and prints') or diag(slurp_file("$folder/log"));
	skip 'no recording', 1 if $status != 0;
	load($_, "$folder/$_") for 'live.jfr', 'live.json';
	for my $options ('{}', '{"threads": true, "modes": true, "frame_style": "function:line"}', '{"max_depth": 10}',
		map { qq({"selection": "jdk.$_"}) } qw(ExecutionSample ObjectAllocationInNewTLAB ObjectAllocationOutsideTLAB ObjectAllocationSample ThreadPark FileRead))
	{
		my $columns = 'event, r.name, unit, period, complete::text, truncated::text, samples::text, noise::text';
		is(value(qq{WITH b AS (SELECT $columns FROM file, read_recording(data, options => '$options') AS r WHERE file.name = 'live.jfr'),
			j AS (SELECT $columns FROM file, read_recording(data, options => '$options') AS r WHERE file.name = 'live.json')
			SELECT (SELECT count(*) > 0 FROM j), (SELECT count(*) FROM (TABLE b EXCEPT ALL TABLE j) AS d), (SELECT count(*) FROM (TABLE j EXCEPT ALL TABLE b) AS d)}),
			't|0|0', "as jfr print has it: $options");
	}
	for my $options ('{}', '{"selection": "alloc", "threads": true}')
	{
		my $columns = 'event, unit, thread, start_at, stop_at, stack::text, value';
		is(value(qq{WITH b AS MATERIALIZED (SELECT $columns FROM file, recording_samples(data, options => '$options') WHERE file.name = 'live.jfr'),
			j AS MATERIALIZED (SELECT $columns FROM file, recording_samples(data, options => '$options') WHERE file.name = 'live.json')
			SELECT (SELECT count(*) > 0 FROM j), (SELECT count(*) FROM (TABLE b EXCEPT ALL TABLE j) AS d), (SELECT count(*) FROM (TABLE j EXCEPT ALL TABLE b) AS d)}),
			't|0|0', "samples as jfr print has them: $options");
	}
}

$node->stop;
done_testing();
