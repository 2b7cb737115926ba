# recording_samples: the samples of recordings with their times, against an independent reader; what they add up to,
# against read_recording; options; files without times.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('samples');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\nmax_parallel_workers_per_gather = 0");
$node->start;
sub value { return Wire::answer($node, 'postgres', $_[0]); }

sub failure
{
	my ($out, $err) = Wire::said($node, 'postgres', $_[0]);
	return $err =~ s/\n/ /gr;
}
value('CREATE EXTENSION flamegraph; CREATE TABLE file (name text, data bytea)');

my $data = 'test/data/formats';
my ($python) = grep { -x $_ } '/usr/bin/python3', '/usr/local/bin/python3';
$python //= 'python3';
my $folder = PostgreSQL::Test::Utils::tempdir();

sub load
{
	my ($name, $bytes) = @_;
	value("INSERT INTO file VALUES ('$name', '\\x" . unpack('H*', $bytes) . "')");
}

sub add_file
{
	my ($name, $text) = @_;
	open my $out, '>:raw', "$folder/$name" or die $!;
	print $out $text;
	close $out;
	load($name, $text);
	return "$folder/$name";
}

# --- samples and times ------------------------------------------------------------------------------------------------

# Threads whose names hold blanks and quotes, profiles in several shapes, the frames at the end of the file.
my $speedscope = add_file('shapes.speedscope', q~{"profiles": [
	{"type": "sampled", "weights": [3, 5, 0, 2], "samples": [[0, 1], [0], [], [0, 1, 2]], "startValue": 10, "unit": "milliseconds", "name": "a \"b\"", "endValue": 20},
	{"unit": "milliseconds", "type": "evented", "events": [{"type": "O", "frame": 0, "at": 4}, {"type": "O", "frame": 2, "at": 6},
		{"type": "C", "frame": 2, "at": 6}, {"type": "O", "frame": 2, "at": 7}, {"type": "C", "frame": 2, "at": 9}, {"type": "C", "frame": 0, "at": 15}],
		"startValue": 0, "endValue": 15, "name": "main"}],
	"shared": {"frames": [{"name": "main"}, {"name": "parse"}, {"name": "read \\\\ x"}]}}~);
# A thread that two others cut in pieces, times that go back, and one sample alone.
my $threads = add_file('threads.perf', join '', map { "$_->[0] $_->[1] [000] $_->[2]: $_->[3]: \n\t 4a f+0x1 (o)\n\t 4b g+0x2 (o)\n\n" }
	[ 'a b', '7/8', '1000000.000000001', 'cycles:u' ], [ 'a b', '7/9', '1000000.1', 'cycles:u' ], [ 'a b', '7/8', '1000000.010000001', 'cycles:u' ],
	[ 'a b', '7/8', '1000000.9', 'cycles:u' ], [ 'a b', '7/8', '1000000.5', 'cycles:u' ], [ 'c', '9', '1000000.2', 'page-faults' ]);
# Shared tables, weights, times as deltas, CPU time and allocations; and Gecko's own form with a second process.
my $firefox = add_file('shared.firefox', q~{"meta": {"interval": 1, "preprocessedProfileVersion": 70, "sampleUnits": {"threadCPUDelta": "ns"}}, "shared": {
	"stackTable": {"frame": [0, 1, 2], "prefixOffset": [0, 1, 1]}, "frameTable": {"func": [0, 1, 0], "line": [3, null, 9], "address": [-1, 16, -1]},
	"funcTable": {"name": [0, 1], "resource": [-1, 0]}, "resourceTable": {"name": [2], "type": [1]}, "stringArray": ["main", "0x10", "libx.so"]},
	"threads": [{"name": "Web Content", "pid": "1", "tid": "2.1", "samples": {"stack": [1, 0, 2, 2], "timeDeltas": [4, 1.5, 1, 7], "weight": [1, 2, 1, 3], "weightType": "samples", "threadCPUDelta": [9, 8, 0, 7]}},
	{"name": "b", "pid": "1", "tid": 3, "samples": {"stack": [1, 0], "time": [2, 9.5], "weight": null, "weightType": "samples"}, "nativeAllocations": {"stack": [1, 0], "time": [1, 2], "weight": [8, -16], "weightType": "bytes"}}]}~);
my $gecko = add_file('gecko.firefox', q~{"libs": [{"name": "/usr/lib/b", "start": 4096, "end": 8192}], "meta": {"startTime": 1000, "interval": 2}, "threads": [{"name": "GeckoMain", "pid": 5, "tid": 5,
	"samples": {"schema": {"stack": 0, "time": 1}, "data": [[1, 2], [2, 3], [2, 5]]}, "stackTable": {"data": [[null, 0], [0, 1], [1, 2]], "schema": {"prefix": 0, "frame": 1}},
	"frameTable": {"schema": {"location": 0, "line": 1}, "data": [[0], [1, 7], [2]]}, "stringTable": ["0x1234", "f (a.js:1:2)[3]", "A::f(int) (in XUL) + 12"]}],
	"processes": [{"meta": {"startTime": 1100}, "threads": [{"name": "Tab", "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 2]]}, "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0]]},
	"frameTable": {"schema": {"location": 0}, "data": [[0]]}, "stringTable": ["a.js:1"]}]}]}~);
# The XML of Instruments: two threads, ids that come again in the next table, events, a sample without a stack.
my $instruments = add_file('export.instruments', q~<?xml version="1.0"?><trace-query-result><node xpath='//a'><schema name="time-profile"><col><mnemonic>stack</mnemonic><engineering-type>backtrace</engineering-type></col></schema>
	<row><sample-time id="1">57246708</sample-time><thread id="2" fmt="Main Thread 0x1 (app, pid: 4)"><tid id="3">1</tid></thread><weight id="9">1000000</weight>
	<backtrace id="10"><frame id="11" name="0x1900" addr="0x1900"><binary id="12" name="dyld" load-addr="0x1000"/></frame><frame id="13" name="start"/></backtrace></row>
	<row><sample-time id="14">58246708</sample-time><thread ref="2"/><weight ref="9"/><tagged-backtrace id="15"><backtrace ref="10"/></tagged-backtrace></row>
	<row><sample-time ref="14"/><thread id="16" fmt="b &amp; c"/><weight id="17">2500000</weight><backtrace id="18"><frame ref="13"/></backtrace></row>
	<row><sample-time id="19">99000000</sample-time><thread ref="2"/><weight ref="9"/><sentinel/></row></node>
	<node xpath='//b'><schema name="counters-profile"/><row><sample-time id="1">57246709</sample-time><thread id="2" fmt="b &amp; c"/><pmc-event id="3">77</pmc-event><backtrace id="9"><frame id="10" name="g(int)"/></backtrace></row>
	<row><sample-time id="4">57246809</sample-time><thread ref="2"/><pmc-event ref="3"/><backtrace ref="9"/></row></node></trace-query-result>~);
my @files = (
	[ 'instruments', $instruments ],
	[ 'firefox', $firefox ], [ 'firefox', $gecko ],
	[ 'perf', "$data/flat.perf" ], [ 'perf', "$data/postgres.perf.gz" ], [ 'perf', "$data/tracepoints.perf" ], [ 'perf', $threads ],
	[ 'austin', "$data/wall.austin" ], [ 'austin', "$data/full.austin" ], [ 'austin', "$data/full.austin1" ],
	[ 'austin', "$data/wall.austin1" ], [ 'austin', "$data/alternative.austin1" ], [ 'speedscope', $speedscope ],
	[ 'cpuprofile', "$data/app.cpuprofile.gz" ], [ 'jfr', "$data/work.jfr.json.gz" ], [ 'stackprof', "$data/work.cpu.stackprof.gz" ],
	[ 'stackprof', "$data/work.object.stackprof.gz" ]);
my $noise = PostgreSQL::Test::Utils::tempdir();
for my $kind ([ 'javascript', 'cpuprofile' ], [ 'python', 'austin' ], [ 'c', 'perf' ])
{
	system('tar', 'xf', "test/data/noise/busy500/$kind->[0].tar", '-C', $noise, "$kind->[0]/07-2.gz") == 0 or die;
	push @files, [ $kind->[1], "$noise/$kind->[0]/07-2.gz", $kind->[0] ];
}
for my $test (@files)
{
	my ($format, $path, $name) = @$test;
	$name //= $path =~ s{.*/}{}r;
	load($name, slurp_file($path)) unless value("SELECT count(*) FROM file WHERE name = '$name'");
	for my $interval ('', 0.25)
	{
		next if $interval && $format !~ /perf|jfr/;
		my $rows = "$folder/rows";
		my $arguments = $interval ? " --interval $interval" : '';
		system("PYTHONDONTWRITEBYTECODE=1 '$python' $data/samples.py $format '$path'$arguments >'$rows'") == 0 or die "$path: samples.py failed";
		my $options = $interval ? qq({"interval": $interval}) : '{}';
		is(value(qq{CREATE TEMP TABLE expected (event text, thread text, start_at float8, stop_at float8, stack text, value float8);
			\\copy expected FROM '$rows'
			CREATE TEMP TABLE got AS SELECT event, thread, start_at, stop_at, array_to_string(stack::text[], ';') AS stack, value FROM file, recording_samples(data, options => '$options') WHERE name = '$name';
			SELECT count(*) > 0, (SELECT count(*) FROM got) - count(*) FROM expected;
			(SELECT '-', * FROM (TABLE expected EXCEPT ALL TABLE got) a LIMIT 3) UNION ALL (SELECT '+', * FROM (TABLE got EXCEPT ALL TABLE expected) a LIMIT 3)}),
			't|0', "samples of $name as an independent reader has them" . ($interval && ', with an interval'));
	}
}
is(value(q{SELECT string_agg(name, ' ') FROM file WHERE
	EXISTS (SELECT FROM (SELECT start_at, lag(start_at) OVER () AS before FROM recording_samples(data)) AS s WHERE start_at < before)}),
	'', 'in order of time');
is(value(q{SELECT string_agg(name, ' ') FROM file WHERE (SELECT min(start_at) FROM recording_samples(data)) <> 0}), '', 'the first starts at 0');

load('app.trace.gz', slurp_file("$data/app.trace.gz"));
# OTLP, written by hand after its .proto: two times of a thread, the later one first, 30 ns apart, another sample without a thread, and a period of 50 ns.
load('times.otlp', pack 'H*', '0a3c0a00123812360a040801100212180801120201022a101e002a36fe9c971700002a36fe9c9717120c08022a0864002a36fe9c97172a0408031004303212a8010a000a08088020108040'
	. '20071200120810101a04080110051205080110842012081a0208021a0208011a001a0208051a0210062a002a0773616d706c65732a05636f756e742a036370752a0b6e616e6f7365636f6e'
	. '64732a046d61696e2a04776f726b2a092f6c69622f782e736f2a0b7468726561642e6e616d652a097468726561642e696432003209080812050a0377656232060809120218073a003a040a'
	. '0202013a030a0103');
is(value(q{SELECT string_agg(format('%s|%s|%s|%s|%s|%s', event, thread, round(start_at * 1e9), round(stop_at * 1e9), stack, value), E'\n') FROM file, recording_samples(data) WHERE name = 'times.otlp'}),
	"samples|web-7|0|30|main;x.so+0x4|1\nsamples|web-7|30|80|main;x.so+0x4|1\nsamples||100|150|main;work|1", 'times of OTLP');

# --- sums ----------------------------------------------------------------------------------------------------------------

# Each event's samples add up to what read_recording makes of it, truncated stacks with the others.
sub sums_differ
{
	my ($options) = @_;
	return value(qq{SELECT string_agg(format('%s %s', name, event), ', ') FROM file,
		LATERAL (SELECT event, unit, complete + truncated AS fg FROM read_recording(data, options => '$options'::jsonb || '{"stored_names": true}')) AS r
		FULL JOIN LATERAL (SELECT event, unit, flamegraph_agg(stack, value) AS fg FROM recording_samples(data, options => '$options') GROUP BY event, unit) AS s
		USING (event, unit) WHERE r.fg IS DISTINCT FROM s.fg});
}
is(sums_differ($_), '', "samples add up to profiles: $_")
	for '{}', '{"threads": true}', '{"max_depth": 3}', '{"max_depth": 2, "threads": true, "modes": true}', '{"profile": 0}', '{"event": "mine"}';
for my $style ([ 'perf', 'address' ], [ 'austin', 'function:line' ], [ 'jfr.json.gz', 'function:line' ], [ 'speedscope', 'function:line' ])
{
	is(value(qq{SELECT bool_and(r.fg = s.fg), count(*) > 0 FROM file,
		LATERAL (SELECT event, unit, complete + truncated AS fg FROM read_recording(data, options => '{"frame_style": "$style->[1]", "stored_names": true}')) AS r,
		LATERAL (SELECT flamegraph_agg(stack, value) AS fg FROM recording_samples(data, options => '{"frame_style": "$style->[1]"}') AS a
			WHERE (a.event, a.unit) = (r.event, r.unit)) AS s WHERE name LIKE '%$style->[0]'}), 't|t', "frames as $style->[1] in $style->[0]");
}
is(value(q{SELECT bool_and(complete + truncated = (SELECT flamegraph_agg(stack, value) FROM recording_samples(data, 'jfr', '{"selection": "io"}'))), count(*)
	FROM file, read_recording(data, 'jfr', '{"selection": "io"}') AS r WHERE file.name = 'work.jfr.json.gz'}), 't|1', 'a selection');
is(value(q{SELECT count(*), sum(value) FROM file, recording_samples(data, options => '{"selection": "samples"}') WHERE name = 'app.cpuprofile.gz'}),
	'115|115', 'selection samples of a .cpuprofile: each counts 1 and has its time');

# --- work_mem, blocks, errors ------------------------------------------------------------------------------------------------

value(q~CREATE TABLE large AS SELECT convert_to(string_agg(format(E'w %s %s.%s: cycles: \n\t 4a f%s+0x1 (o)\n\t 4b main+0x2 (o)\n\n',
	i % 7, 100 + i / 1000, to_char(i % 1000, 'FM000'), i % 1000), '' ORDER BY i), 'UTF8') AS data FROM generate_series(0, 59999) AS i~);
my $checked = q{SELECT count(*), bool_and(start_at = (n - 1) / 1000.0::float8 AND stop_at = least(n + 6, 60000 + (n - 1) % 7 + 6 - 59999 % 7) / 1000.0::float8
	OR n > 59993) FROM (SELECT row_number() OVER () AS n, s.* FROM large, recording_samples(data) AS s) AS s};
is(value("SET work_mem = '64kB'; $checked"), '60000|t', 'samples that do not fit work_mem');
is(value("SET work_mem = '1GB'; $checked"), '60000|t', '... and that do');
is(value(q{SELECT bool_and(complete = (SELECT flamegraph_agg(stack, value) FROM recording_samples(data))) FROM large, read_recording(data)}), 't', '... add up');

my %error = (
	q{'a;b 1'} => '22023.*format folded has no times.*Formats with times are '
	  . value("SELECT string_agg(format, ', ') FROM recording_formats() WHERE times") . ', and no others',
	q{flamegraph_to_pprof('a 1', 'cpu', 'ns')} => '22023.*format pprof has no times',
	q{flamegraph_send('a 1'), 'packed'} => '22023.*format packed has no times',
	q{E'a 1 cycles: \n\tab f+0x1 (o)\n\n', 'perf'} => '22023.*line 1: the recording has no times.*perf script -F \+time',
	q{E'a 1 99999999999.5: cycles: \n\tab f+0x1 (o)\n\n'} => '22003.*a time is too large',
	q{E'# austin: 3.4.1\n# mode: memory\nP1;T1;a 5'} => '22023.*does not say how long its samples last.*option "interval"',
	q{convert_to(flamegraph_to_speedscope('a 1', 'x', 'bytes')::text, 'UTF8')} => '22023.*the unit of the profiles, bytes, is no time',
	q{convert_to('{"shared": {"frames": [{"name": "a"}]}, "profiles": [{"unit": "seconds", "samples": [[0]], "weights": [-1]}]}', 'UTF8')} => '22P02.*a weight of profile 0 is negative',
	q{'{"nodes": [{"id": 1, "callFrame": {"functionName": "f"}, "hitCount": 3}]}'} => '22023.*the V8 CPU profile has no times',
	q{'{"recording": {"events": [{"type": "jdk.ExecutionSample", "values": {}}]}}'} => '22P02.*an event jdk.ExecutionSample has no start time',
	q{'{"recording": {"events": [{"type": "jdk.ExecutionSample", "values": {"startTime": "noon"}}]}}'} => '22P02.*the start time of an event jdk.ExecutionSample is not one',
	q{E'P1;T1;a 5', options => '{"interval": 0}'} => '22023.*option "interval" must be seconds',
	q{E'P1;T1;a 5', options => '{"depth": 0}'} => '22023.*"depth"',
	q{E'P1;T1;a 5', options => '{"selection": "cpu"}'} => '22023.*the recording has no event "cpu"',
	q{'\x50313b54313b61ff2035'} => '22021.*a frame is not valid UTF-8');
like(failure("SELECT * FROM recording_samples($_)"), qr/ERROR:  $error{$_}/i, "error: $_") for sort keys %error;
is(value(q{SELECT count(*) FROM recording_samples(NULL)}), '0', 'NULL');
is(value(q~SELECT start_at, stop_at, thread, stack, value FROM recording_samples(E'# austin: 3.4.1\n# mode: memory\n# interval: 100\nP1;T1;a 5\nP1;T1;b 7')~),
	"0|0.0001|P1:T1|a|5\n0.0001|0.0002|P1:T1|b|7", 'memory: the interval of the header');
is(value(q~SELECT stop_at, unit FROM recording_samples(E'T1;a (m:1) 5\nT1;b (m:2) 7', 'austin', '{"selection": "memory", "interval": 2}')~),
	"2|kilobytes\n4|kilobytes", '... or the one that is given');
is(value(q~SELECT start_at, stop_at, value FROM recording_samples(E'P1;T1;a 5\nP1;T1;a -3\nP1;T1;b 2')~), "0|5e-06|5\n5e-06|5e-06|-3\n5e-06|7e-06|2",
	'a clock that was set back stands still');
is(value(q{SELECT start_at, stop_at, thread FROM recording_samples('{"recording": {"events": [
	{"type": "jdk.ExecutionSample", "values": {"startTime": "2024-02-29T23:59:59.5+01:00"}},
	{"type": "jdk.FileRead", "values": {"startTime": "2024-02-29T23:00:01Z", "duration": "PT2S", "eventThread": {"osName": "t"}}}]}}')}),
	"0|0|\n1.5|3.5|t", 'instants of zones; a sample alone without a period takes no time');
done_testing();
