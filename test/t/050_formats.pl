# Recordings in SQL: the importers on files of the real tools, against what an independent reader makes of them; the
# exporters, read back by our importers and by that reader; errors with their SQLSTATE; NULL.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('formats');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
sub value { return Wire::answer($node, 'postgres', $_[0]); }
value('CREATE EXTENSION flamegraph');

my $data = 'test/data/formats';
# Not that of a version manager in a home folder that this user may not enter.
my ($python) = grep { -x $_ } '/usr/bin/python3', '/usr/local/bin/python3';
$python //= 'python3';

sub bytea
{
	my ($bytes) = @_;
	return "'\\x" . unpack('H*', $bytes) . "'::bytea";
}

sub unpacked
{
	my ($file) = @_;
	my $bytes = `gzip -dc $data/$file`;
	die "$file: gzip failed" if $?;
	return 'convert_from(' . bytea($bytes) . ", 'UTF8')";
}

sub folded { return 'flamegraph_from_folded(' . bytea(slurp_file("$data/$_[0]")) . ')'; }

# --- what each format of the table has -------------------------------------------------------------------------------

# Formats whose fuzzer takes any bytes: their own words are few.
my %without_words = map { $_ => 1 } 'folded', 'packed', 'pprof';
my $manual = slurp_file('docs/formats.md');
my $page = slurp_file('client/flamegraph-load.1');
my ($page_formats) = $page =~ /^\.BI \\-\\-format [^\n]*\n(.*)$/m;
is(join(' ', sort split /\n/, value('SELECT format FROM recording_formats()')), join(' ', sort grep { !/^(?:or|only|if|it|is|named|Default|by|content)$/ } $page_formats =~ /(\w+)/g),
	'the page of flamegraph-load lists the formats');
for my $format (split /\n/, value('SELECT format FROM recording_formats()'))
{
	like($manual, qr/^\| `$format` \|[^\n]*\n(?:\|[^\n]*\n)*\n/m, "$format: a row in the manual");
	like($manual =~ s/.*^## What the frames look like\n//msr =~ s/^## .*//msr, qr/^\| [^|]*`$format`[^|]* \|/m, "$format: what its frames look like");
	ok(-e "test/fuzz/fuzz_recording_$format.c" && (-e "test/fuzz/fuzz_recording_$format.dict" || $without_words{$format}), "$format: a fuzzer");
}
is(value("SELECT bool_and((format <> 'callgrind') = recognised) FROM recording_formats()"), 't', 'one has to be named');

# --- files of the real tools ---------------------------------------------------------------------------------------

my $pprof = 'flamegraph_from_pprof(' . bytea(slurp_file("$data/go-cpu.pb.gz"));
my $jfr = unpacked('work.jfr.json.gz');
my $jfr_at = 'flamegraph_from_jfr((SELECT data FROM jfr)';
value("CREATE TABLE jfr AS SELECT $jfr AS data");
for my $test (
	[ "$pprof)", 'go-cpu.folded' ],
	[ "$pprof, 'samples', 'function:line')", 'go-cpu.samples.lines.folded' ],
	[ 'flamegraph_from_cpuprofile(' . unpacked('app.cpuprofile.gz') . ')', 'app.cpuprofile.folded' ],
	[ '(SELECT complete FROM read_recording(' . bytea(slurp_file("$data/app.heapprofile.gz")) . '))', 'app.heapprofile.folded' ],
	[ "($jfr_at, 'cpu')).complete", 'work.cpu.folded' ],
	[ "($jfr_at, 'cpu')).truncated", 'work.cpu.truncated.folded' ],
	[ q{(SELECT complete FROM jfr, read_recording(convert_to(data, 'UTF8'), 'jfr', '{"selection": "cpu", "modes": true, "threads": true, "frame_style": "function:line"}'))}, 'work.full.folded' ],
	[ "($jfr_at, 'jdk.ObjectAllocationSample')).complete", 'work.alloc.folded' ],
	[ "($jfr_at, 'lock')).complete", 'work.lock.folded' ])
{
	my ($value, $file) = @$test;
	is(value("SELECT $value = " . folded($file)), 't', "$file");
}
is(value("SELECT string_agg(event || ' ' || unit, ', ' ORDER BY event) FROM read_recording(" . bytea(slurp_file("$data/work.jfr.json.gz")) . ')'),
	'alloc bytes, cpu samples, error samples, io nanoseconds, lock nanoseconds', 'all events of a recording at once');

# --- samples and noise ----------------------------------------------------------------------------------------------

# An independent reader counts samples and squares weights; it sums squares as whole numbers, the importer as floats.
sub weighs
{
	my ($file, $selection, $command) = @_;
	my $gzip = $file =~ /\.(?:gz)$/ ? 'gzip -dc' : 'cat';
	for my $measure ('samples', 'noise')
	{
		my $folded = `$gzip '$file' | '$python' $data/${\ ($command =~ s/MEASURE/$measure/r)}`;
		die "$file: $command failed" if $?;
		my $expected = 'flamegraph_from_folded(' . bytea($folded) . ')';
		is(value("SELECT norm($measure - f) <= 1e-12 * norm(f) AND norm(f) > 0
			FROM read_recording(" . bytea(slurp_file($file)) . qq{, options => '{"selection": "$selection"}'), $expected AS f}),
			't', "$measure of $selection in $file");
	}
}
for my $mode ('cpu', 'object')
{
	is(value("SELECT complete = " . folded("work.$mode.stackprof.folded") . " FROM read_recording(" . bytea(slurp_file("$data/work.$mode.stackprof.gz")) . ')'),
		't', "stackprof, $mode");
}
# Of one session, as stacks and as OTLP: version 4.3 writes the schema of 1.8 of the protocol, the one behind 4.5 that of 1.10.
for my $version ('43', '45')
{
	is(value("SELECT complete = " . folded("work.async$version.folded") . " FROM read_recording(" . bytea(slurp_file("$data/work.async$version.otlp.gz")) . ", options => '{\"threads\": true}')"),
		't', "OTLP of async-profiler, $version");
}
for my $test ([ 'cpu.gperftools', 'cpu' ], [ 'raw.gperftools', 'samples' ], [ 'heap.gperftools', 'alloc_space' ], [ 'heap.jemalloc', 'inuse_space' ])
{
	my ($name, $selection) = @$test;
	is(value("SELECT norm(complete - f) <= 1e-12 * norm(f) AND norm(f) > 0
		FROM read_recording(" . bytea(slurp_file("$data/work.$name.gz")) . qq{, options => '{"selection": "$selection"}'), } . folded("work.$name.folded") . ' AS f'),
		't', $name);
}
weighs("$data/app.cpuprofile.gz", 'cpu', 'fold.py cpuprofile - --measure MEASURE');
weighs("$data/app.trace.gz", 'cpu', 'fold.py trace - --measure MEASURE');
weighs("$data/app.heapprofile.gz", 'inuse_space', 'fold.py heapprofile - --measure MEASURE');
weighs("$data/work.jfr.json.gz", 'lock', 'fold.py jfr - --types JavaMonitorEnter,JavaMonitorWait,ThreadPark --measure MEASURE');
weighs("$data/work.jfr.json.gz", 'io', 'fold.py jfr - --types FileRead,FileWrite,SocketRead,SocketWrite --measure MEASURE');
weighs("$data/work.jfr.json.gz", 'alloc', 'fold.py jfr - --types ObjectAllocationSample --measure MEASURE');
weighs("$data/wall.austin1", 'time', 'fold_austin1.py 1 0 MEASURE');
weighs("$data/full.austin1", 'time', 'fold_austin1.py 3 0 MEASURE');
my $noise = PostgreSQL::Test::Utils::tempdir();
for my $kind ([ 'javascript', 'cpu', 'fold.py cpuprofile - --measure MEASURE' ], [ 'python', 'time', 'fold_austin1.py 1 0 MEASURE' ])
{
	system('tar', 'xf', "test/data/noise/busy500/$kind->[0].tar", '-C', $noise, "$kind->[0]/07-2.gz") == 0 or die;
	weighs("$noise/$kind->[0]/07-2.gz", @$kind[ 1, 2 ]);
}
# A period says as much as both; equal weights c are noise c * value.
is(value(q~SELECT period, samples IS NULL, noise IS NULL, recording_noise(complete, period) = 9 * complete / 3
	FROM read_recording(E'P1;T1;a 3\nP1;T1;b 3\nP1;T1;a 3')~), '3|t|t|t', 'equal weights: a period');

# --- what we write ---------------------------------------------------------------------------------------------------

value(q{CREATE TABLE p (name text, whole bool, fg flamegraph);
	INSERT INTO p VALUES ('empty', true, ''), ('root', true, ' 7'), ('some', true, E' 2\na 1\na;b 9007199254740992\nc -5'),
	('names', true, U&'"x" y \00E9;C:\\\\z;<script> 4'),
	('fractions', false, E'a 0.1\na;b 1e-300\na;b;c 1.7976931348623157e308\nd -0.3');
	INSERT INTO p SELECT 'random', true, flamegraph_agg(ARRAY['main', 'm' || i % 7, 'f' || (i * i) % 97, 'g' || i % 31], i % 13 - 4)
	FROM generate_series(1, 5000) AS i;
	INSERT INTO p SELECT 'recorded', true, } . folded('go-cpu.folded'));
is(value(q{SELECT string_agg(name, ' ') FROM p WHERE whole AND flamegraph_from_pprof(flamegraph_to_pprof(fg, 'cpu', 'ticks')) <> fg}),
	'', 'pprof reads back exactly');
is(value(q{SELECT string_agg(name, ' ') FROM p WHERE flamegraph_from_speedscope(flamegraph_to_speedscope(positive_part(fg), 'x', 'bytes')::text) <> positive_part(fg)}),
	'', 'speedscope reads back exactly');
# The Firefox Profiler weighs samples by number, by milliseconds or by bytes.
for my $unit ([ 'none', 1 ], [ 'bytes', 1 ], [ 'milliseconds', 1 ], [ 'nanoseconds', 1e6 ], [ 'seconds', 0.001 ])
{
	# the smallest and largest numbers have no room for another unit
	is(value(qq{SELECT string_agg(q.name, ' ') FROM (SELECT * FROM p WHERE $unit->[1] = 1 OR name <> 'fractions') AS q,
		read_recording(convert_to(flamegraph_to_firefox(positive_part(q.fg), 'x', '$unit->[0]')::text, 'UTF8')) AS r
		WHERE r.file_format <> 'firefox' OR r.complete <> positive_part(q.fg) / $unit->[1]}), '', "firefox reads back exactly, $unit->[0]");
}
is(value(q{SELECT file_format || event || r.name || unit FROM p, read_recording(flamegraph_to_pprof(fg, 'cpu', 'ticks')) AS r WHERE p.name = 'some'}),
	'pprofcpucputicks', 'sample type and unit are in the file');
is(value(q{SELECT j->'profiles'->0->>'unit', j->'profiles'->0->'endValue', j->>'name', j->'profiles'->0->'samples'
	FROM flamegraph_to_speedscope(E'a 1\na;b 2.5', 'one "x"', 'samples') AS j}),
	'none|3.5|one "x"|[[0], [0, 1]]', 'speedscope: unit none, frames by position');

# The tables of the processed format as its documentation has them: a tree of rows that name the row above by its distance.
is(value(q{SELECT j->'meta'->>'preprocessedProfileVersion', j->'shared'->'stringArray', j->'shared'->'stackTable', j->'threads'->0->'samples', j->'threads'->0->>'name'
	FROM flamegraph_to_firefox(E' 4\na 1\na;b 2.5\na;c;a 3\nb 5', 'one "x"', 'seconds') AS j}),
	'66|["a", "b", "c"]|{"frame": [0, 1, 2, 0, 1], "length": 5, "prefixOffset": [0, 1, 2, 1, 0]}|'
	  . '{"stack": [null, 0, 1, 3, 4], "length": 5, "weight": [4000, 1000, 2500, 3000, 5000], "timeDeltas": [0, 4000, 1000, 2500, 3000], "weightType": "tracing-ms"}|one "x"',
	'firefox: frames and samples by their rows, seconds in milliseconds');
is(value(q{SELECT count(*), min(jsonb_array_length(v)), max(jsonb_array_length(v)) FROM flamegraph_to_firefox(E'a 1\nb;c 2', 'x', 'none') AS j,
	unnest(ARRAY['frameTable', 'funcTable']) AS t (name), jsonb_each(j->'shared'->t.name) AS c (k, v) WHERE jsonb_typeof(v) = 'array'}),
	'18|3|3', 'firefox: all columns of a table are as long as it is');

for my $name ('random', 'recorded', 'some')
{
	for my $format ([ 'pprof', 'fg', "encode(flamegraph_to_pprof(fg, 'cpu', 'ticks'), 'hex')" ],
		[ 'speedscope', 'positive_part(fg)', "encode(convert_to(flamegraph_to_speedscope(positive_part(fg), 'x', 'none')::text, 'UTF8'), 'hex')" ])
	{
		# the empty stack is an empty text in both
		my $expected = value("SELECT stack::text || ' ' || to_char(value, 'FM999999999999999999') FROM p, stacks($format->[1]) WHERE name = '$name'");
		my $file = PostgreSQL::Test::Utils::tempdir() . "/$name.$format->[0]";
		open my $out, '>:raw', $file or die $!;
		print $out pack('H*', value("SELECT $format->[2] FROM p WHERE name = '$name'"));
		close $out;
		my $got = `'$python' $data/fold.py $format->[0] '$file'`;
		chomp $got;
		is(join("\n", sort split /\n/, $got), join("\n", sort split /\n/, $expected), "$name: an independent reader of $format->[0] agrees");
	}
}

# --- errors and NULL ---------------------------------------------------------------------------------------------------

sub fails
{
	my ($sql, $state, $detail) = @_;
	my (undef, $error) = Wire::said($node, 'postgres', $sql);
	like($error, qr/ERROR:  $state:.*\Q$detail\E/s, $sql);
}
fails(q{SELECT flamegraph_from_pprof('\x0a')}, '22P02', 'Byte 1 of the unpacked profile');
fails("$pprof, 'nothing')" =~ s/^/SELECT /r, '22023', 'no event "nothing"; it has samples, cpu');
fails("$pprof, NULL, 'lines')" =~ s/^/SELECT /r, '22023', 'function, function:line, address');
fails("$pprof, NULL, NULL)" =~ s/^/SELECT /r, '22004', 'frame_style');
fails(q{SELECT flamegraph_from_speedscope('{"shared":{"frames":[{"name":"a"}]},"profiles":[{"samples":[[1]],"weights":[1]}]}')},
	'22P02', 'Line 1, column 62: there is no frame 1');
fails(q{SELECT flamegraph_from_speedscope('{}', -1)}, '22023', 'must not be negative');
fails(q~SELECT flamegraph_from_cpuprofile('{"nodes": [}')~, '22P02', 'Line 1, column 12: not JSON');
fails(q~SELECT flamegraph_from_cpuprofile('{"nodes": [')~, '22P02', 'ends too early');
fails(q{SELECT flamegraph_from_jfr('[]')}, '22P02', 'an array is not a JFR recording');
fails(q{SELECT flamegraph_from_jfr((SELECT data FROM jfr), 'wall')}, '22023', 'no event "wall"; it has ');
fails(q{SELECT flamegraph_to_pprof('a 0.5', 'cpu', 'seconds')}, '22003', 'pprof counts in whole numbers');
fails(q{SELECT flamegraph_to_speedscope(E'a 1\nb -1', 'x', 'none')}, '22023', 'positive_part');
fails(q{SELECT flamegraph_to_speedscope('a 1', 'x', 'hours')}, '22023', 'none, nanoseconds');
fails(q{SELECT flamegraph_to_firefox(E'a 1\nb -1', 'x', 'none')}, '22023', 'positive_part');
fails(q{SELECT flamegraph_to_firefox('a 1', 'x', 'hours')}, '22023', 'none, nanoseconds');
fails(q{SELECT flamegraph_to_firefox('a 1e308', 'x', 'seconds')}, '22003', 'out of range');
is(value(q{SELECT flamegraph_from_pprof(NULL) IS NULL, flamegraph_from_speedscope(NULL) IS NULL, flamegraph_from_cpuprofile(NULL) IS NULL,
	(flamegraph_from_jfr(NULL)).complete IS NULL, flamegraph_to_pprof(NULL, 'a', 'b') IS NULL, flamegraph_to_speedscope(NULL, 'a', 'none') IS NULL}),
	't|t|t|t|t|t', 'NULL gives NULL');
is(value(q{SELECT flamegraph_from_speedscope(flamegraph_to_speedscope('a;b 1', 'x', 'none')::text, NULL)}), 'a;b 1', 'profile NULL: all of them');

$node->stop;
done_testing();
