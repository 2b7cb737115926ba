# flamegraph-report: what it refuses, the page that it writes, the summary in Markdown, and the status that it ends with. Names of
# benchmarks, events and functions are hostile. Where the extension has no pages yet, functions in their place show what they get.
use strict;
use warnings;

use FindBin;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Store;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();
delete @ENV{qw(PGHOST PGPORT PGDATABASE PGUSER)};

sub report
{
	my (@arguments) = @_;
	my ($out, $err) = ('', '');
	IPC::Run::run([ 'flamegraph-report', @arguments ], '<', \undef, '>', \$out, '2>', \$err);
	return ($? >> 8, $out, $err);
}

sub report_is
{
	my ($arguments, $status, $out, $err, $name) = @_;
	my @got = report(@$arguments);
	is($got[0], $status, "$name: exit status") or diag("$got[1]$got[2]");
	like($got[1], $out, "$name: output");
	like($got[2], $err, "$name: errors");
	return;
}

# --- the command line -------------------------------------------------------------------------------------------------

report_is([], 2, qr/^$/, qr/^flamegraph-report: give either --benchmark NAME or --night$/, 'nothing');
report_is([ '--benchmark', 'b', '--night', '--markdown' ], 2, qr/^$/, qr/give either/, 'both');
report_is([ '--night', '--run', '1', '--markdown' ], 2, qr/^$/, qr/--run goes with --benchmark/, 'a run of a night');
report_is([ '--benchmark', 'b', '--since', 'now', '--markdown' ], 2, qr/^$/, qr/--since goes with --night/, 'a time of a benchmark');
report_is([ '--night' ], 2, qr/^$/, qr/there is nothing to do/, 'nothing to do');
report_is([ '--night', '--markdown', "a\e[31mb" ], 2, qr/^$/, qr/"a\\x1B\[31mb" is no option/, 'more arguments');
report_is([ '--nigth' ], 2, qr/^$/, qr/unrecognized option/, 'misspelled');
report_is([ '--help' ], 0, qr/Exit status: 0 nothing was found/, qr/^$/, 'help');
report_is([ '-V' ], 0, qr/^flamegraph-report \d+\.\d+/, qr/^$/, 'version');
report_is([ '-h', "$dir/nowhere", '--night', '--markdown' ], 2, qr/^$/, qr/^flamegraph-report: .*nowhere.*\n$/, 'no server');

# --- the store --------------------------------------------------------------------------------------------------------

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'Asia/Tokyo'\n");
$node->start;
@ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');
my $db = Wire->connect($node, 'postgres');

report_is([ '--night', '--markdown' ], 2, qr/^$/, qr/^flamegraph-report: relation "profiling.test_run" does not exist; The database needs the extension flamegraph_store/, 'no store');
Store::create($db);
report_is([ '--night', '--markdown' ], 2, qr/^$/, qr/there are no runs in the store/, 'an empty store');

# Names with everything that means something to Markdown, HTML, a table, a terminal or who is called by it.
my @hostile = ("a|b\\|c", "`x` ``y", '<script>alert(1)</script>', "tab <b>\\", '@everyone #1', '[a](javascript:b)', '![i](http://x.y/z)',
	'**bold** _it_ ~~no~~', 'www.example.com https://example.com', "\x{202E}evil", '$x^2$ :smile:', 'é' x 150, 'plain::name<int>', '&lt;b&gt; \\', ' ', '---', '| a | b |');
sub literal { return "'" . ($_[0] =~ s/'/''/gr) . "'" }
utf8::encode(my $name = "bench|\`<b>@\x{202E}");
$db->run(<<"SQL");
SELECT profiling.import_flamegraph(benchmark => b, suite => s, fg => 'main;f 10'::flamegraph, started_at => t, branch => 'main', commit => c)
FROM (VALUES (E'${\ ($name =~ s/\\/\\\\/gr) }', 's|x', timestamptz '2026-01-09 10:00 UTC', '0123456789abcdef'), ('quiet', '', '2026-01-09 23:30 UTC', 'ffff0000ffff0000'),
	('loud', '', '2026-01-10 00:30 UTC', 'aaaa0000aaaa0000'), ('loud', '', '2026-01-10 01:30 UTC', 'bbbb0000bbbb0000')) AS v (b, s, t, c);
SQL
my ($first, $quiet, $loud, $loud2) = map { $_->[0] } @{ $db->rows('SELECT test_run_id FROM profiling.test_run ORDER BY started_at') };
my ($bench, $quiets, $louds) = map { $db->value("SELECT profiling.benchmark_called($_)") } literal($name), "'quiet'", "'loud'";
sub finding
{
	my ($benchmark, $run, $subject, %other) = @_;
	my %row = (kind => 'degradation', status => 'open', relative => 0.5, cause => '', level => 'frame', event => 'cpu', team => '', %other);
	utf8::encode($subject) if utf8::is_utf8($subject);
	$db->run("INSERT INTO profiling.regression (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id, method, level, subject, subject_id, expected, actual, diff,
		relative, kind, status, closed_at, cause, team) VALUES ($benchmark, " . literal($row{event}) . ", 'samples', 'main', $run, $run, 'deviation', '$row{level}', frames_path(ARRAY["
		. literal($subject) . "]), gen_random_uuid(), 200, 300.123456, 100, $row{relative}, '$row{kind}', '$row{status}', CASE '$row{status}' WHEN 'resolved' THEN now() END, '$row{cause}', "
		. literal($row{team}) . ')');
	return;
}
$db->run(q{CREATE FUNCTION frames_path(text[]) RETURNS stackpath LANGUAGE sql AS $$ SELECT stackpath($1) $$});
for my $i (0 .. $#hostile)
{
	finding($bench, $first, $hostile[$i], relative => 10 - $i / 10, event => $i == 3 ? "e\n| a | b |" : "e|$i", team => $i == 3 ? '@team' : '');
}

# --- Markdown, by a program that knows nothing of ours -------------------------------------------------------------------

my (undef, $markdown) = report('--benchmark', $name, '--markdown');
is(scalar(() = $markdown =~ /\n/g), 6 + @hostile, 'a line for each finding');
unlike($markdown, qr/[\x00-\x09\x0B-\x1F]|\xE2\x80\xAE/, 'no control character gets out');
SKIP:
{
	skip 'cmark-gfm is not installed', 5 + @hostile if system('cmark-gfm --version >/dev/null 2>&1') != 0;
	my $html = '';
	IPC::Run::run([ qw(cmark-gfm --unsafe -e table -e autolink -e strikethrough) ], '<', \$markdown, '>', \$html);
	my @rows = $html =~ m{<tr>\n(.*?)</tr>}gs;
	is(@rows, 1 + @hostile, 'a row of the table for each');
	is(join(' ', map { my $n = () = $rows[$_] =~ /<td/g; $n } 1 .. $#rows), join(' ', (8) x @hostile), 'of eight cells');
	my %elements = map { $_ => 1 } $html =~ /<(\/?[a-z0-9]+)/g;
	is_deeply([ grep { !/^\/?(h3|p|strong|table|thead|tbody|tr|th|td|code)$/ } sort keys %elements ], [], 'no other element came of the names');
	like($html, qr{<h3>Performance: <code>s\|x/bench\|`&lt;b&gt;\@\\u202E</code></h3>}, 'the title');
	my @names = map { (m{<td[^>]*>(.*?)</td>}gs)[1] } @rows[ 1 .. $#rows ];
	for my $i (0 .. $#hostile)
	{
		# frames are shown with what is obeyed written out, long ones cut
		my $expected = $hostile[$i] =~ s/\n/\\x0A/gr =~ s/\x{202E}/\\u202E/gr;
		$expected = $db->value('SELECT frames_path(ARRAY[' . literal(do { my $s = $hostile[$i]; utf8::encode($s) if utf8::is_utf8($s); $s }) . '])::text')
			=~ s/\n/\\x0A/gr =~ s/\xE2\x80\xAE/\\u202E/gr;
		$expected = substr($expected, 0, 200) if length $expected > 200;
		my %entity = (lt => '<', gt => '>', amp => '&', quot => '"');
		my $shown = ($names[$i] // '') =~ s{^<code>(.*)</code>.*$}{$1}sr =~ s/&(lt|gt|amp|quot);/$entity{$1}/gr;
		is($shown =~ s/^ $//r, $expected =~ s/^ $//r, "as it is: $i");
	}
	like($html, qr{<td><code>e\\x0A\| a \| b \|, main, frame, deviation, \@team</code></td>}, 'what it is about: event, branch, level, method, team');
}

# --- what is told, and the status -------------------------------------------------------------------------------------------

finding($louds, $loud, 'slow', relative => 0.25);
finding($louds, $loud2, 'fast', kind => 'optimization', relative => -0.5);
finding($louds, $loud2, 'moved', cause => 'shift', relative => 0.75);
finding($louds, $loud2, 'old', status => 'resolved', relative => 2);
finding($louds, $loud2, 'known', status => 'acknowledged', kind => 'environment', cause => 'environment', relative => 0.1);
sub subjects { my ($status, $out, $err) = report(@_); return $status . ' ' . join(' ', ($out =~ /^\| `[a-z]+` \| `(\w+)`/mg)) . $err }
is(subjects('--benchmark', 'loud', '--markdown'), '0 slow moved known fast', 'all that is open, degradations first; nothing to fail on was named');
is(subjects('--benchmark', $louds, '--markdown'), '0 slow moved known fast', 'by number');
is(subjects('--benchmark', 'loud', '--run', $loud2, '--markdown', '--fail-on', 'degradation'), '0 moved known fast', 'of one run: what was first seen in it; what moved is no reason');
is(subjects('--benchmark', 'loud', '--run', 'aaaa000', '--markdown', '--fail-on', 'degradation'), '1 slow', 'of a commit');
is(subjects('--benchmark', 'loud', '--run', $loud2, '--fail-on', 'optimization'), '1 ', 'another kind');
is(subjects('--benchmark', 'loud', '--run', $loud2, '--fail-on', 'degradation,environment'), '1 ', 'two kinds');
is(subjects('--night', '--markdown', '--fail-on', 'degradation'), '1 slow moved known fast', 'the newest night, in UTC');
is(subjects('--night', '--since', '2026-01-10 01:00 UTC', '--markdown', '--fail-on', 'degradation'), '0 moved known fast', 'since a time');
is((report('--benchmark', 'quiet', '--markdown', '--fail-on', 'degradation'))[1], "### Performance: `quiet`\n\nNothing was found.\n", 'nothing');
is((report('--benchmark', 'loud', '--run', 'aaaa000', '--markdown'))[1], <<'MD', 'one finding, whole');
### Performance: `loud, run aaaa000`

**1 finding**

| Kind | Where | Change | Expected | Actual | Unit | What | First seen |
|---|---|--:|--:|--:|---|---|---|
| `degradation` | `slow` | `+25 %` | 200 | 300.1 | `samples` | `cpu, main, frame, deviation` | `aaaa0000aaaa` |
MD
finding($quiets, $quiet, "f$_", relative => 1) for 1 .. 25;
like((report('--benchmark', 'quiet', '--markdown'))[1], qr/^\*\*25 findings\*\*$(.*\n){4}(\|.*\n){20}\nand 5 more\n$/m, 'at most 20 rows, and how many more');

report_is([ '--benchmark', 'nobody', '--markdown' ], 2, qr/^$/, qr/nobody/, 'no such benchmark');
report_is([ '--benchmark', 'loud', '--run', $quiet, '--markdown' ], 2, qr/^$/, qr/the benchmark has no run "$quiet"/, 'a run of another one');
report_is([ '--night', '--since', 'yesteryear', '--markdown' ], 2, qr/^$/, qr/invalid input syntax for type timestamp with time zone: "yesteryear"/, 'no time');
report_is([ '--night', '--fail-on', $_ ], 2, qr/^$/, qr/no such kind: "\Q$_\E"; there are degradation/, "no kind: $_") for 'regression', '', 'degradation,', 'x,degradation', 'degradationoptimization';
$db->run('CREATE ROLE nobody LOGIN');
report_is([ '-U', 'nobody', '--night', '--markdown' ], 2, qr/^$/, qr/permission denied .*; The owner of the store grants access "reader"/, 'no access');
$db->run("SELECT profiling.grant_access('nobody', 'reader')");
is((report('-U', 'nobody', '-d', 'dbname=postgres', '--night', '--markdown'))[0], 0, 'a reader may; a connection string');

# --- the page ----------------------------------------------------------------------------------------------------------------

my $own = $db->value("SELECT to_regprocedure('profiling.report_html(bigint,bigint,jsonb)') IS NOT NULL") eq 't';
if (!$own)
{
	report_is([ '--night', '-o', "$dir/p.html" ], 2, qr/^$/, qr/night_html.* does not exist; The database needs/, 'no function for the page');
	ok(!-e "$dir/p.html", 'and no file');
	$db->run(<<'SQL');
CREATE FUNCTION profiling.report_html(benchmark_id bigint, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE sql AS $$ SELECT format('<!DOCTYPE html><p>benchmark %s, run %s%s</html>', $1, $2, repeat(E'\n', 100000)) $$;
CREATE FUNCTION profiling.night_html(since timestamptz DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE sql AS $$ SELECT format('<!DOCTYPE html><p>since %s</html>', $1) $$;
SQL
}
my $file = "$dir/page.html";
sub page_is { my ($name, @arguments) = @_; my @got = report(@arguments, '-o', $file); is("@got", '0  ', "$name: quiet"); my $page = slurp_file($file);
	like($page, qr{^<!DOCTYPE html>.*</html>\s*$}is, "$name: a whole page"); return $page; }
for my $case ([ "a benchmark", '--benchmark', 'loud' ], [ 'a run', '--benchmark', 'loud', '--run', $loud ], [ 'a night', '--night' ])
{
	my ($name, @arguments) = @$case;
	my $page = page_is($name, @arguments);
	my $sql = $arguments[0] eq '--night' ? "night_html('2026-01-10 00:00 UTC')" : "report_html($louds, " . ($arguments[3] // 'NULL') . ')';
	is($page, $db->value("SELECT profiling.$sql"), "$name: what the server makes");
}
is(sprintf('%o', (stat $file)[2] & 07777 & ~umask), sprintf('%o', 0666 & ~umask), 'others may read it, as the umask says');
is_deeply([ grep { !/page\.html$/ } glob "$dir/page.html*" ], [], 'nothing is left beside it');
is((report('--benchmark', 'loud', '-o', $file, '--fail-on', 'degradation'))[0], 1, 'a page, and a status');

my $before = slurp_file($file);
mkdir "$dir/folder" or die;
symlink $file, "$dir/link" or die;
report_is([ '--night', '-o', "$dir/folder" ], 2, qr/^$/, qr/folder: this is a directory$/, 'a directory');
report_is([ '--night', '-o', '/dev/null' ], 2, qr/^$/, qr{/dev/null: this is no regular file$}, 'a device');
report_is([ '--night', '-o', "$dir/none/p.html" ], 2, qr/^$/, qr{none/p.html: no file can be made there: No such file}, 'no directory');
report_is([ '--night', '-o', '' ], 2, qr/^$/, qr/no file can be made there/, 'no name') if 0;
report_is([ '--benchmark', 'nobody', '-o', $file ], 2, qr/^$/, qr/nobody/, 'an error');
is(slurp_file($file), $before, 'leaves the page that was there');
is((report('--night', '-o', "$dir/link"))[0], 0, 'a link');
ok(-l "$dir/link" && slurp_file($file) eq slurp_file("$dir/link") && slurp_file($file) ne $before, 'is followed');
SKIP:
{
	skip 'no device that is always full', 4 if !-e '/dev/full';
	my $err = '';
	IPC::Run::run([ qw(flamegraph-report --benchmark loud --markdown) ], '>', '/dev/full', '2>', \$err);
	is($? >> 8, 2, 'a summary that cannot be written');
	like($err, qr/the summary cannot be written: No space left/, '  is an error');
	IPC::Run::run([ 'sh', '-c', 'ulimit -f 1; trap "" XFSZ; exec flamegraph-report --benchmark loud -o "$0"', "$dir/small.html" ], '2>', \$err);
	is($? >> 8, 2, 'a page that does not fit');
	is_deeply([ glob "$dir/small*" ], [], '  leaves no file');
}

# --- the jobs of the documentation ---------------------------------------------------------------------------------------------

SKIP:
{
	my $docs = "$FindBin::RealBin/../../docs/reports.md";
	skip 'not in a tree with docs, or without python3-yaml', 12 if !-f $docs || system(q{python3 -c 'import yaml' 2>/dev/null}) != 0;
	my @jobs = slurp_file($docs) =~ /^```yaml\n(.*?)^```$/msg;
	is(@jobs, 2, 'two jobs: GitHub and GitLab');
	for my $job (@jobs)
	{
		my $commands = '';
		IPC::Run::run([ 'python3', '-c', <<'PY' ], '<', \$job, '>', \$commands, '2>&1');
import sys, yaml
job = yaml.safe_load(sys.stdin)
def scripts(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("run", "script"):
                yield from [value] if isinstance(value, str) else value
            else:
                yield from scripts(value)
    elif isinstance(node, list):
        for value in node:
            yield from scripts(value)
print("\n".join(scripts(job)))
PY
		my $file = "$dir/job.sh";
		open my $out, '>', $file or die $!;
		print $out $commands;
		close $out;
		ok(system('bash', '-n', $file) == 0 && $commands =~ /flamegraph-load .*flamegraph-report /s, 'its commands are a script that uses both programs') or diag($commands);
		# The report as runners call it: GitHub's by bash -e, GitLab's by a bash whose pipes fail, or by a shell that is no bash.
		my ($last) = $commands =~ /(flamegraph-report .*)\z/s;
		my $of_github = $last =~ /GITHUB/;
		for my $shell ($of_github ? [ 'bash', '-e', '-c' ] : ([ 'bash', '-eo', 'pipefail', '-c' ], [ 'sh', '-e', '-c' ]))
		{
			my @status;
			for my $case ([ 'loud', 'aaaa000' ], [ 'loud', 'bbbb000' ], [ 'absent', 'ffff000' ])
			{
				local @ENV{qw(SHA CI_COMMIT_SHA GITHUB_STEP_SUMMARY)} = ($case->[1], $case->[1], "$dir/step");
				my ($out, $err);
				IPC::Run::run([ @$shell, "cd '$dir'; " . ($last =~ s/--benchmark sort/--benchmark $case->[0]/r) ], '<', \undef, '>', \$out, '2>', \$err);
				push @status, $? >> 8;
				ok(-s "$dir/report.html", 'it writes a page') if $case->[1] eq 'aaaa000';
				like($of_github ? slurp_file("$dir/step") : $out, qr/^### Performance: `loud, run aaaa000`/, '  and a summary') if $case->[1] eq 'aaaa000';
			}
			is("@status", '1 0 2', "its report by @$shell: findings, none, an error");
		}
	}
}

$db->close;
$node->stop;
done_testing();
