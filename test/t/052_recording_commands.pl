# The commands of docs/formats.md record, and what they record has whole stacks: each whose tool this machine has is run as
# it stands there, on a program that calls itself a hundred times before it works.
use strict;
use warnings;

use FindBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('commands');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
sub value { return Wire::answer($node, 'postgres', $_[0]); }
value('CREATE EXTENSION flamegraph');

my $manual = slurp_file('docs/formats.md');
my $page = slurp_file('client/flamegraph-load.1');
my $folder = PostgreSQL::Test::Utils::tempdir();
chmod 0755, $folder;

# --- the program, in each language -----------------------------------------------------------------------------------

my %source = (
	'app.c' => <<'END',
#include <stdlib.h>
#include <time.h>
static volatile double sink;
static void *volatile kept;
__attribute__((noinline)) static void work(void)
{
	clock_t		end = clock() + CLOCKS_PER_SEC / 2;

	for (int i = 0; i < 64; i++)
		kept = malloc(1 << 20);
	while (clock() < end)
		for (int i = 0; i < 1000; i++)
			sink += i;
}
__attribute__((noinline)) static void deep(int levels)
{
	if (levels > 0)
		deep(levels - 1);
	else
		work();
	sink += 1;
}
int main(void)
{
	deep(100);
	return 0;
}
END
	'app.js' => <<'END',
const kept = globalThis.kept = [];
function work() {
	let sum = 0;
	for (let i = 0; i < 200000; i++) kept.push({a: i, b: [i, i + 1], c: 'x' + i});
	for (const end = Date.now() + 500; Date.now() < end;) for (let i = 0; i < 10000; i++) sum += i;
	return sum;
}
function deep(levels) { return levels > 0 ? deep(levels - 1) + 1 : work(); }
deep(100);
END
	'App.java' => <<'END',
public class App {
	static double work() {
		double sum = 0;
		for (long end = System.nanoTime() + 1_000_000_000L; System.nanoTime() < end;)
			for (int i = 0; i < 1000; i++) sum += i;
		return sum;
	}
	static double deep(int levels) { return levels > 0 ? deep(levels - 1) + 1 : work(); }
	public static void main(String[] arguments) { System.out.println(deep(100)); }
}
END
	'app.cpp' => "#include <vector>\ntemplate<int N> struct T { static int f() { return T<N - 1>::f() + 1; } };\ntemplate<> struct T<0> { static int f() { return 0; } };\nint main() { return std::vector<int>(T<50>::f()).size(); }\n",
	'app.rb' => <<'END');
require 'stackprof'
def work
  stop = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 0.5
  sum = 0
  sum += 1 while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < stop
  sum
end
def deep(levels) = levels > 0 ? deep(levels - 1) + 1 : work
RECORD
END
for my $name (keys %source)
{
	# the call that records is that of the manual
	my ($call) = $manual =~ /recorded by `(StackProf\.run[^`]*)`/;
	append_to_file("$folder/$name", $source{$name} =~ s/RECORD/$call =~ s{…}{deep(100)}r/er);
}

# In the folder; the output of what failed is shown.
sub runs
{
	my ($command) = @_;
	my $said = '';
	IPC::Run::run([ 'sh', '-c', "cd '$folder' && { $command; }" ], '<', \undef, '>', \$said, '2>', \$said);
	note($said =~ s/[^\n -~]/?/gr) if $?;
	return $? == 0;
}

sub has { return runs("command -v $_[0] >/dev/null"); }

# --- what a recording has -----------------------------------------------------------------------------------------------

# The deepest stack of a recording that ends in "work", and how many frames of it are "deep".
sub levels
{
	my ($path, $format, $work, $deep) = @_;
	return value(qq{SELECT max((SELECT count(*) FROM unnest(stack::text[]) AS f WHERE f ~ '$deep'))
		FROM read_recording(pg_read_binary_file('$path'), '$format') AS r, stacks(r.complete)
		WHERE stack::text[] && ARRAY(SELECT f FROM unnest(frames(r.complete)) AS f WHERE f ~ '$work')}) // 0;
}

# The commands of a row of the manual.
sub commands
{
	my ($format) = @_;
	my ($row) = $manual =~ /^\| `$format` \|(.*)$/m;
	return $row =~ /`([^`]+)`/g;
}

sub check
{
	my ($format, $pattern, $needs, $output, %options) = @_;
	my ($command) = grep { /$pattern/ } commands($format);
	ok(defined $command, "$format: the manual has a command with $pattern") or return;
	like($page, qr/^\Q$command\E$/m, "$format: so has the page of flamegraph-load") if $options{page};
  SKIP:
	{
		skip("$format: $needs is not on this machine", 1) unless has($needs);
		skip("$format: $options{prepare} failed", 1) if $options{prepare} && !runs($options{prepare});
		my $recorded = runs($command);
		skip("$format: $needs cannot record here", 1) if !$recorded && $options{may_fail};
		my ($path) = grep { -s } glob "$folder/$output";
		ok($recorded && $path, "$format: $command") or return;
		if (defined $options{levels})
		{
			cmp_ok(levels($path, $format, $options{work} // 'work', $options{deep} // 'deep'), '>=', $options{levels}, "$format: no stack is cut");
		}
		cmp_ok(value("SELECT count(*) FROM read_recording(pg_read_binary_file('$path'), '$format') WHERE total(complete) > 0"), '>', 0, "$format: it is read");
	}
	return;
}

my $compile = 'cc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o app app.c';
check('perf', 'perf record', 'perf', 'out.perf', prepare => $compile, levels => 101, may_fail => 1, page => 1);
check('cpuprofile', 'node', 'node', '*.cpuprofile', levels => 101, page => 1);
check('heapprofile', 'node', 'node', '*.heapprofile', levels => 101, page => 1);
check('jfr', 'java', 'javac', 'app.jfr', prepare => 'javac App.java && printf "Main-Class: App\n" >manifest && jar cfm app.jar manifest App.class', levels => 101, page => 1);
check('chrome', 'clang', 'clang++', 'app.json', page => 1);
check('stackprof', 'stackprof', 'stackprof', 'app.json', prepare => 'rm -f app.json && ruby app.rb', levels => 101, page => 1);
check('gperftools', 'libprofiler', 'google-pprof', 'cpu.prof', prepare => "$compile && ldconfig -p | grep -q 'libprofiler[.]so '");
check('gperftools', 'libtcmalloc', 'google-pprof', 'heap.*.heap', prepare => "$compile && ldconfig -p | grep -q 'libtcmalloc[.]so '");
check('gperftools', 'libjemalloc', 'cc', 'jeprof.*.heap', prepare => "$compile && ldconfig -p | grep -q 'libjemalloc[.]so '");
check('callgrind', 'valgrind', 'valgrind', 'out.callgrind', prepare => $compile, page => 1);

$node->stop;
done_testing();
