# flamegraph-load and files that somebody else has made: directories do not lead out of themselves, names and contents
# reach neither the terminal nor the log as more than text, one bad file is the failure of that file, and whatever is
# exchanged under the loader's hands between finding and reading is noticed.
use strict;
use warnings;

use FindBin;
use File::Path qw(make_path);
use IPC::Run;
use IO::Compress::Gzip qw(gzip);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use POSIX ();
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $old = 1_600_000_000;    # older than all that the tests make

# Runs the loader; the exit status and what it said.
sub load
{
	my (@arguments) = @_;
	my ($out, $err) = ('', '');
	IPC::Run::run([ 'flamegraph-load', '--benchmark', 'b', @arguments ], '<', \undef, '>', \$out, '2>', \$err);
	return ($? & 127 ? "signal $?" : $? >> 8, $out, $err);
}

sub load_is
{
	my ($arguments, $status, $out, $err, $name) = @_;
	my @got = load(@$arguments);
	is($got[0], $status, "$name: exit status") or diag("$got[1]$got[2]");
	like($got[1], $out, "$name: output");
	like($got[2], $err, "$name: errors");
	harmless($name, @got[1, 2]);
	return @got;
}

# Text and line feeds: no control characters (C1 among them), nothing that turns the direction of writing.
sub harmless
{
	my ($name, @texts) = @_;
	for my $text (@texts)
	{
		my $copy = $text;
		ok(utf8::decode($copy), "$name: UTF-8");
		unlike($copy, qr/[^\n\P{Cc}]|[\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]/, "$name: nothing that a terminal obeys");
	}
	return;
}

sub write_file
{
	my ($path, $text) = @_;
	open my $file, '>:raw', $path or die "$path: $!";
	print $file $text;
	close $file or die "$path: $!";
	return $path;
}

sub new_directory
{
	my ($name) = @_;
	make_path("$dir/$name");
	return "$dir/$name";
}

my $summary = qr/^read 1 file \(1 profile, .*failed: \d+$/m;

# --- links and what is no file ---------------------------------------------------------------------------------------

my $secret = write_file("$dir/secret", "root:token-of-the-service::\n");
my $elsewhere = new_directory('elsewhere');
write_file("$elsewhere/far.folded", "far 1\n");
{
	my $d = new_directory('links');
	write_file("$d/a.folded", "a 1\n");
	symlink $secret, "$d/secret.folded" or die $!;
	symlink '/dev/zero', "$d/zero.folded" or die $!;
	symlink $elsewhere, "$d/up" or die $!;
	symlink '.', "$d/loop" or die $!;
	symlink 'nowhere', "$d/dangling" or die $!;
	POSIX::mkfifo("$d/pipe.folded", 0600) or die $!;
	my @got = load_is([ '-n', $d ], 0, qr/^\Q$d\E\/a\.folded: .*\nread 1 file .*; links, not followed: 5; not regular files, left out: 1; failed: 0$/s,
		qr/links\/[a-z.]+ and 4 more: left out: a link in a directory is not followed.*\n.*pipe\.folded: left out: it is not a regular file$/m, 'links in a directory');
	unlike("$got[1]$got[2]", qr/token|root/, 'what they lead to is not shown');
	@got = load_is([ '-n', '-v', $d ], 0, $summary, qr/\Q$d\E\/loop: left out: a link/, 'links, verbose');
	is(() = $got[2] =~ /left out: a link/g, 5, 'each is named');
	load_is([ '-n', '--match', '*.folded', $d ], 0, qr/not matched: 3; links, not followed: 2; not regular files, left out: 1; failed: 0$/, qr/and 1 more/,
		'links that match');
	# given by its own path a link is the choice of who gives it
	symlink "$d/a.folded", "$dir/chosen" or die $!;
	symlink $d, "$dir/chosen_directory" or die $!;
	load_is([ '-n', "$dir/chosen" ], 0, $summary, qr/^$/, 'a link as an argument');
	load_is([ '-n', '--match', 'a.*', "$dir/chosen_directory/" ], 0, qr{^\Q$dir\E/chosen_directory/a\.folded: }, qr/^$/, 'a directory by a link');
	symlink "$dir/circle", "$dir/circle" or die $!;
	load_is([ '-n', "$dir/circle", $d ], 1, $summary, qr/circle: Too many levels of symbolic links/, 'a link to itself');
}

# What is not recognised is not shown.
{
	my $d = new_directory('foreign');
	write_file("$d/env", "PASSWORD=hunter2\n");
	write_file("$d/key", "\x00\x01hunter2");
	write_file("$d/z.folded", "a 1\n");
	system('gzip', '-k', "$d/env") == 0 or die;
	my @got = load_is([ '-n', $d ], 1, $summary, qr/env: its format was not recognised \(Name the format:.*env\.gz: its format was not recognised after unpacking gzip/s, 'foreign files');
	unlike("$got[1]$got[2]", qr/hunter|PASS/, 'are not shown');
}

# The line that is wrong is shown, as text.
{
	my $file = write_file("$dir/wrong.folded", "a 1\nb \e[31m\xE2\x80\xAEtoken x\n" . 'c' x 5000 . " \e[31m x\n");
	my @got = load_is([ '-n', $file ], 1, qr/failed: 1$/, qr/wrong\.folded: folded: line 2, column \d+: .*, in "b \\x1B\[31m\\u202Etoken x"/, 'a wrong line');
	is(() = $got[2] =~ /\n/g, 1, 'is shown in one line');
	write_file($file, "a 1\n" . 'c' x 5000 . " \e[31m x\n");
	@got = load_is([ '-n', $file ], 1, qr/failed: 1$/, qr/, in "\.\.\.c{40,75} \\x1B\[31m x"/, 'a long wrong line');
	@got = load_is([ '-n', '--format', 'perf', $file ], 1, qr/failed: 1$/, qr/wrong\.folded: perf: line 2/, 'a format that was named');
	unlike($got[2], qr/ccc/, 'shows nothing');
}

# --- exchanged between finding and reading -----------------------------------------------------------------------------

# Standard input is the first file: what is written there is read when the directory has been searched. A run without a time
# would look for the oldest file first.
sub load_exchanged
{
	my ($d, $exchange) = @_;
	my ($out, $err) = ('', '');
	pipe my $from, my $to or die $!;
	my $loader = IPC::Run::start([ 'flamegraph-load', '-n', '--benchmark', 'b', '--run', 'now', '-', $d ], '<', $from, '>', \$out, '2>', \$err, IPC::Run::timeout(180));
	close $from;
	# more than a pipe holds
	print $to "a 1\n" x 200_000 or die $!;
	$exchange->();
	close $to;
	eval { $loader->finish; 1 } or $loader->kill_kill;
	harmless($d, $out, $err);
	return $out . $err;
}

{
	my $d = new_directory('exchanged');
	write_file("$d/$_.folded", "$_ 1\n") for qw(link pipe kept gone);
	make_path("$d/sub", "$d/aside");
	write_file("$d/sub/far.folded", "near 1\n");
	my $said = load_exchanged($d, sub {
		unlink map { "$d/$_.folded" } qw(link pipe gone);
		symlink $secret, "$d/link.folded" or die $!;
		POSIX::mkfifo("$d/pipe.folded", 0600) or die $!;
		rename "$d/sub", "$d/aside/sub" or die $!;
		symlink $elsewhere, "$d/sub" or die $!;
	});
	like($said, qr/link\.folded: a link in a directory is not followed/, 'a file has become a link');
	like($said, qr/pipe\.folded: it is not a regular file any more/, 'a file has become a pipe, which is not waited for');
	like($said, qr/sub\/far\.folded: Not a directory/, 'a directory has become a link');
	like($said, qr/gone\.folded: No such file or directory/, 'a file is gone');
	like($said, qr/kept\.folded: folded: cpu 1 samples, 1 nodes\n.*failed: 4$/m, 'the other is read');
	unlike($said, qr/token|far 1/, 'nothing of elsewhere is shown');

	my $root = new_directory('root');
	write_file("$root/far.folded", "near 1\nnear 2\n");
	$said = load_exchanged($root, sub {
		rename $root, "$dir/moved" or die $!;
		symlink $elsewhere, $root or die $!;
	});
	like($said, qr/root\/far\.folded: its directory was replaced by another/, 'the directory that was given has become a link');
}

# A file that grows or shrinks while it is read: a library between the loader and read() changes it.
SKIP:
{
	my $library = "$dir/change.so";
	write_file("$dir/change.c", <<'END');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
ssize_t read(int fd, void *to, size_t size)
{
	ssize_t (*next)(int, void *, size_t) = (ssize_t (*)(int, void *, size_t)) dlsym(RTLD_NEXT, "read");
	char link[64], path[4096];
	ssize_t length, got = next(fd, to, size);
	int out;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof path - 1);
	path[length > 0 ? length : 0] = 0;
	/* as long as somebody reads, one more line */
	if (strstr(path, "grows") && (out = open(path, O_WRONLY | O_APPEND)) >= 0 && write(out, "more 1\n", 7) == 7)
		close(out);
	if (strstr(path, "shrinks") && truncate(path, 4) != 0)
		abort();
	return got;
}
END
	skip 'no compiler, or no preloading', 6 if system("cc -shared -fPIC -o $library $dir/change.c -ldl 2>/dev/null") != 0;
	my $d = new_directory('changing');
	write_file("$d/grows", "a 1\n");
	write_file("$d/shrinks", "a 1\nb 2\n");
	write_file("$d/stays", "a 1\nb 2\n");
	local $ENV{LD_PRELOAD} = $library;
	my $end = IPC::Run::timeout(180);
	my ($out, $err) = ('', '');
	my $loader = IPC::Run::start([ 'flamegraph-load', '-n', '--benchmark', 'b', $d ], '<', \undef, '>', \$out, '2>', \$err, $end);
	eval { $loader->finish; 1 } or $loader->kill_kill;
	like($err, qr/grows: it was changed while it was read$/m, 'a file that grows without end');
	like($err, qr/shrinks: it was changed while it was read$/m, 'a file that shrinks');
	like($out, qr/stays: folded: cpu 3 samples.*failed: 2$/s, 'the other is read');
}

# --- names --------------------------------------------------------------------------------------------------------------

{
	my $d = new_directory('names');
	my @names = ("esc\e]0;PWNED\a\e[31mred", "new\nline: folded: cpu 9 samples", "c1\xC2\x9B31m", "bidi\xE2\x80\xAEdedlof", "isolate\xE2\x81\xA6", "line\xE2\x80\xA8separator",
		"del\x7F", "umlaut \xC3\xBC", '-n', '-', '--dbname=evil');
	write_file("$d/$_", "a 1\n") for @names;
	my @got = load_is([ '-n', $d ], 0, qr/^read 11 files/m, qr/^$/, 'names');
	is(() = $got[1] =~ /\n/g, 12, 'a line for each');
	like($got[1], qr/esc\\x1B\]0;PWNED\\x07\\x1B\[31mred: folded.*\n/, 'escapes are shown');
	like($got[1], qr/new\\x0Aline: folded: cpu 9 samples: folded: cpu 1 samples/, 'a line feed makes no line');
	like($got[1], qr/\/c1\\u009B31m: .*\n.*\/del\\x7F: /, 'C1 and DEL');
	like($got[1], qr/bidi\\u202Ededlof: /, 'bidi');
	like($got[1], qr/umlaut \xC3\xBC: /, 'other letters stay');
	write_file("$d/$_", "a x\n") for @names;
	@got = load_is([ '-n', $d ], 1, qr/^read 0 files .*failed: 11$/, qr/esc\\x1B\]0;PWNED/, 'names of failures');
	is(() = $got[2] =~ /\n/g, 11, 'a line for each failure');
	load_is([ '-n', '-v', $d ], 1, qr/failed: 11$/, qr/new\\x0Aline: folded: cpu 9 samples: FAILED: /, 'names, verbose');

	# names that look like options: by ./ and behind -- they are files
	chdir $d or die $!;
	load_is([ '-n', './-', './-n', './--dbname=evil' ], 1, qr/failed: 3$/, qr/^flamegraph-load: \.\/-: .*not recognised.*: -n: .*not recognised.*: --dbname=evil: /s, 'names with ./');
	load_is([ '-n', '--', '-n', '--dbname=evil' ], 1, qr/failed: 2$/, qr/: -n: .*not recognised.*: --dbname=evil: /s, 'names behind --');
	chdir '/' or die $!;
}

# Bytes that are not UTF-8 cannot be noted as the source.
my $bytes = new_directory('bytes');
write_file("$bytes/bad\xFFname", "a 1\n");
write_file("$bytes/good", "a 1\n");
load_is([ '-n', $bytes ], 1, $summary, qr/bad\\xFFname: byte \d+ of its path is not UTF-8/, 'a name that is not UTF-8');

# Paths that are longer than the store takes, and directories without end.
{
	my $d = new_directory('deep');
	write_file("$d/a", "a 1\n");
	chdir $d or die $!;
	for my $level (1 .. 300)
	{
		mkdir 'd' x 100 or die $!;
		chdir 'd' x 100 or die $!;
	}
	write_file('deep.folded', "a 1\n");
	chdir '/' or die $!;
	my @got = load_is([ '-n', $d ], 1, $summary, qr/^flamegraph-load: \S{1000,1101}: its path is longer than the 1000 bytes that the store notes as the source$/, 'deep directories');
	is(() = $got[2] =~ /\n/g, 1, 'it does not go on below');
	system('rm', '-rf', $d) == 0 or die;
}

# Many files.
{
	my $d = new_directory('many');
	write_file("$d/$_", "a 1\n") for 1 .. 20_000;
	load_is([ '-n', '-j', '4', "$d//" ], 0, qr/^read 20000 files \(20000 profiles/m, qr/^$/, 'many files');
}

# --- events and options ---------------------------------------------------------------------------------------------------

{
	my $event = "cpu\\u001b[31m\\u202e\\n";
	my $file = write_file("$dir/names.speedscope.json", qq({"\$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},)
		. qq("profiles":[{"type":"sampled","name":"$event","unit":"none","startValue":0,"endValue":1,"samples":[[0]],"weights":[1]},)
		. qq({"type":"sampled","name":"x$event","unit":"none","startValue":0,"endValue":1,"samples":[[0]],"weights":[1]}]}\n));
	load('-n', $file);
	my @got = load('-n', $file);
	harmless('names in recordings', @got[1, 2]);
	write_file("$dir/event.perf", "web 12 [001] 1.5: 250 cy\e[31mcles\xE2\x80\xAE:u: \n\t55d0c1a2b3c4 main+0x24 (/bin/web)\n\n");
	@got = load('-n', "$dir/event.perf");
	harmless('an event of perf', @got[1, 2]);
	@got = load('-n', '--select', "no\e[31m", "$dir/event.perf");
	is($got[0], 1, 'an event that is not there');
	harmless('an event that is not there', @got[1, 2]);
}
for my $options ([ "--\e[31m" ], [ "-\e" ], [ '--format', "\e[31m" ], [ '-j', "\xFF" ], [ '--label', "\e" ], [ '--label', "k=\xFF" ], [ '--branch', "main\r" ],
	[ '--branch', "ma\xC3in" ], [ '--suite', "a\nb" ], [ '--commit', "\e[31m" ], [ '--label', 'k=1', '--label', 'j=2', '--label', 'k=3' ], [ '--metric', "1\e" ], [ '--run' ])
{
	my $name = join ' ', @$options;
	$name =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ge;
	my @got = load('-n', "$dir/chosen", @$options);
	is($got[0], 2, "$name is refused");
	like($got[2], qr/^flamegraph-load: .*\nTry "flamegraph-load --help"\.\n$/, "$name in one line");
	harmless($name, @got[1, 2]);
}
load_is([ '-n', '--label', 'k=1', '--label', 'kk=1', '--label', 'v=k', "$dir/chosen" ], 0, $summary, qr/^$/, 'labels that are different');

# All that the program prints goes through one function but for its own words.
{
	my @raw;
	for my $source (glob "$FindBin::RealBin/../../client/*.c")
	{
		# flamegraph-report prints Markdown, and escapes it by a function of its own; 074 reads it with a parser
		next if $source =~ /(?:print|flamegraph-report)\.c$/;
		open my $in, '<', $source or die "$source: $!";
		while (my $line = <$in>)
		{
			push @raw, "$source: $line" if $line =~ /\b(?:printf|vfprintf|perror|puts|fwrite|psignal)\s*\(/ || ($line =~ /\bfprintf\s*\(/ && $line =~ /%[-.*0-9]*s/);
		}
	}
	is(join('', @raw), '', 'no text is printed past say()');
}

# --- gzip -------------------------------------------------------------------------------------------------------------------

{
	my $d = new_directory('gzip');
	my $bomb = "a 1\n" . ("# " . 'x' x 1000 . "\n") x 5000;
	gzip(\$bomb, "$d/bomb.gz") or die;
	write_file("$d/a", "a 1\n");
	cmp_ok(-s "$d/bomb.gz", '<', 50_000, 'a bomb');
	load_is([ '-n', '--max-bytes', '1000000', '-j', '2', $d ], 1, $summary, qr/bomb\.gz: .*more than 1000000 bytes/, 'unpacks to the limit');

	# different frames are kept: memory is bounded from outside, and what does not fit is the failure of its file
	$bomb = join '', map { 'x' x 1000 . "$_ 1\n" } 1 .. 200_000;
	gzip(\$bomb, "$d/bomb.gz") or die;
	my ($out, $err) = ('', '');
	IPC::Run::run([ 'sh', '-c', 'ulimit -v 150000; exec "$@"', 'sh', 'flamegraph-load', '-n', '--benchmark', 'b', $d ], '>', \$out, '2>', \$err);
	is($? >> 8, 1, 'a bomb of frames');
	like($out, $summary, 'holds up no other');
	like($err, qr/bomb\.gz: folded: .*out of memory/, 'when memory ends');
}

# --- with the store -----------------------------------------------------------------------------------------------------------

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGDATABASE} = 'postgres';

load_is([ '-d', "no\e[31m\nloaded 5 files", "$dir/chosen" ], 1, qr/^$/, qr/database "no\\x1B\[31m loaded 5 files" does not exist$/, 'an error of the connection');

if (!$node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'flamegraph_store'"))
{
	$node->stop;
	done_testing();
	exit;
}
$node->safe_psql('postgres', 'CREATE EXTENSION flamegraph_store CASCADE');
my $db = Wire->connect($node, 'postgres');

sub started_at
{
	my ($benchmark) = @_;
	return $db->value("SELECT string_agg(extract(epoch FROM r.started_at)::bigint::text, ' ') FROM profiling.test_run AS r WHERE EXISTS
		(SELECT FROM profiling.profile AS p JOIN profiling.benchmark AS b USING (benchmark_id) WHERE p.test_run_id = r.test_run_id AND b.name = '$benchmark')");
}

# The run is as old as the oldest file that was read: not as a link, nor as a file that cannot be.
{
	my $d = new_directory('times');
	symlink $secret, "$d/link" or die $!;
	utime $old, $old, $secret;
	utime $old + 10, $old + 10, write_file("$d/bad", "what is this");
	utime $old + 20, $old + 20, write_file("$d/empty", '');
	utime $old + 40, $old + 40, write_file("$d/young", "a 1\n");
	utime $old + 30, $old + 30, write_file("$d/oldest", "a 2\n");
	load_is([ '--benchmark', 'times', $d ], 1, qr/^loaded 2 files .*, 0\.0 MB.*links, not followed: 1; failed: 2$/, qr/bad: its format.*empty: the recording is empty/s, 'times');
	is(started_at('times'), $old + 30, 'the time of the oldest that was read');
	load_is([ '--benchmark', 'times', $d ], 1, qr/in the store already: 2 files/, qr/bad:/, 'again');
	is(started_at('times'), $old + 30, 'is the same run');
}

# Times that no calendar has.
SKIP:
{
	my $tmpfs = '/dev/shm';
	my $file = "$tmpfs/flamegraph_load_$$.folded";
	skip 'no file system with such times', 8 unless -d $tmpfs && -w $tmpfs;
	write_file($file, "a 1\n");
	for my $time (-67_768_040_609_740_801, -62_135_596_801)
	{
		utime $time, $time, $file;
		skip 'no file system with such times', 4 unless (stat $file)[9] == $time;
		load_is([ '--benchmark', "time $time", $file, "$dir/chosen" ], 1, qr/^loaded 1 file .*failed: 1$/, qr/^flamegraph-load: \Q$file\E: its time is out of range; --run gives another$/,
			"the time $time");
		load_is([ '-n', $file, "$dir/chosen" ], 1, $summary, qr/^flamegraph-load: \Q$file\E: its time is out of range; --run gives another$/, "the time $time, a dry run");
	}
	for my $time (67_768_036_191_676_800, 9_224_318_016_000)
	{
		utime $time, $time, $file;
		load_is([ '--benchmark', "time $time", $file ], 1, qr/^loaded 0 files .*failed: 1$/, qr/its time is out of range/, "the time $time");
		load_is([ '--benchmark', "time $time", '--run', '2026-01-01 00:00+00', $file ], 0, qr/^loaded 1 file/, qr/^$/, "the time $time, with another for the run");
		load_is([ '-n', $file ], 1, qr/failed: 1$/, qr/its time is out of range/, "the time $time, a dry run");
	}
	unlink $file;
}

load_is([ '--benchmark', 'bytes', $bytes ], 1, qr/^loaded 1 file /, qr/bad\\xFFname: byte \d+ of its path/, 'a name that is not UTF-8 holds up no other');
load_is([ '--run', "\e[31m\nx", '--benchmark', 'x', "$dir/chosen" ], 2, qr/^$/, qr/--run must not hold control characters/, 'a time with an escape');
load_is([ '--label', "k=a\"\\\t\n\e\xC3\xBC\x7F", '--benchmark', 'labels', "$dir/chosen" ], 0, qr/^loaded 1 file/, qr/^$/, 'a label of any characters');
is($db->value("SELECT encode(convert_to(labels->>'k', 'UTF8'), 'hex') FROM profiling.test_run WHERE labels ? 'k'"),
	unpack('H*', "a\"\\\t\n\e\xC3\xBC\x7F"), 'arrives as it is');

# What the server says.
$db->run($_) for <<'SQL', <<'SQL';
CREATE FUNCTION public.tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE WARNING E'warning \x1b[31m\nloaded 7 files';
	IF NEW.source ~ 'chosen' THEN
		RAISE EXCEPTION E'error \x1b]0;PWNED\x07\nloaded 8 files \u202E' USING DETAIL = E'detail \u0085', HINT = 'hint';
	END IF;
	RETURN NEW;
END $$
SQL
CREATE TRIGGER tell BEFORE INSERT ON profiling.profile FOR EACH ROW EXECUTE FUNCTION public.tell()
SQL
{
	my @got = load_is([ '-v', '--benchmark', 'tell', "$dir/chosen", "$bytes/good" ], 1, qr/^loaded 1 file .*failed: 1$/,
		qr/^\S+: WARNING:  warning \\x1B\[31m loaded 7 files\n.*^\Q$dir\E\/chosen: FAILED: ERROR:  error \\x1B\]0;PWNED\\x07 loaded 8 files \\u202E DETAIL:  detail \\u0085 HINT:  hint$/ms,
		'what the server says');
	is(() = $got[2] =~ /\n/g, 4, 'each message in one line');
}

$db->close;
$node->stop;
done_testing();
