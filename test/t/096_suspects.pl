# profiling.suspects() names the commit that made a program slower: of a small repository that flamegraph-commits has read,
# with findings that the nightly comparison has opened. It says what it does not know, and what others have written into a
# repository stays text.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Store;
use Wire;

plan skip_all => 'git is not installed' if system('git --version >/dev/null 2>&1') != 0;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);

# --- a repository ----------------------------------------------------------------------------------------------------------

my $repository = PostgreSQL::Test::Utils::tempdir() . '/repository';
mkdir $repository or die $!;

sub git
{
	my (@arguments) = @_;
	system('git', '-C', $repository, '-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=main', @arguments) == 0 or die "git @arguments";
	return;
}

my $hour = 0;
sub commit
{
	my ($subject, %files) = @_;
	for my $file (keys %files)
	{
		system('mkdir', '-p', "$repository/" . ($file =~ s{[^/]*$}{}r)) == 0 or die;
		open my $out, '>', "$repository/$file" or die "$file: $!";
		print $out $files{$file};
		close $out;
	}
	$hour++;
	local $ENV{GIT_COMMITTER_DATE} = sprintf '2026-01-%02d %02d:00:00 +0000', $hour == 1 ? 20 : 21, $hour;
	git('add', '-A');
	git('commit', '-q', '--allow-empty', '-m', $subject);
	return `git -C "$repository" rev-parse HEAD` =~ s/\n//r;
}

# A C file with these functions, of which some have another body.
sub c_file
{
	my ($functions, %bodies) = @_;
	return join "\n", map { "int\n$_(int a)\n{\n\tint b = a;\n\n\t" . ($bodies{$_} // 'return b;') . "\n}\n" } @$functions;
}

git('init', '-q');
my @lex = qw(lex lex_name lex_number);
my $before = commit('begin', 'src/lex.c' => c_file(\@lex), 'src/parse.c' => c_file([qw(parse statement)]), 'src/emit.c' => c_file([qw(emit)]), 'lib/tool.py' => "def tool():\n    pass\n", 'README.md' => "x\n");
my %commits = (
	docs => commit('Say what lex_number does', 'README.md' => "lex_number\n"),
	caller => commit('Parse statements', 'src/parse.c' => c_file([qw(parse statement)], parse => 'return statement(b);')),
	file => commit('Reword', 'src/lex.c' => c_file(\@lex, lex_name => 'return b + 1;')),
	blamed => commit('Faster numbers', 'src/lex.c' => c_file(\@lex, lex_name => 'return b + 1;', lex_number => "b += 2;\n\tb += 3;\n\treturn b;")),
	empty => commit('Nothing'),
	other => commit('Emit', 'src/emit.c' => c_file([qw(emit)], emit => 'return b - 1;')),
	python => commit('Tool', 'lib/tool.py' => "def tool():\n    return 1\n"));
my %name_of = reverse %commits;
my $last = $commits{python};

sub read_commits
{
	my (@arguments) = @_;
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	return system($^X, "$FindBin::RealBin/../../client/flamegraph-commits", '-d', 'postgres', @arguments, $repository);
}

# --- findings --------------------------------------------------------------------------------------------------------------

# Eleven runs of a benchmark, the last of which is slow in the stacks that are given: its finding of a level.
$db->run(<<'SQL');
CREATE FUNCTION slow(benchmark text, before_commit text, last_commit text, stacks text[], slow text[], level text DEFAULT 'frame', factor float8 DEFAULT 1.5) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	v_id bigint;
BEGIN
	PERFORM profiling.import_flamegraph(slow.benchmark, (SELECT flamegraph_agg(u.s::stackpath, 300 + (n * 7 + u.k * 3) % 11 + CASE WHEN n = 11 AND u.s = ANY (slow.slow) THEN 300 * factor ELSE 0 END)
			FROM unnest(stacks) WITH ORDINALITY AS u (s, k)),
		started_at => timestamptz '2026-01-10 23:00 UTC' + n * interval '1 day', branch => 'main', commit => CASE n WHEN 11 THEN last_commit WHEN 10 THEN before_commit ELSE 'old' || n END)
	FROM generate_series(1, 11) AS n;
	UPDATE profiling.watch SET level = slow.level;
	SELECT b.benchmark_id INTO v_id FROM profiling.benchmark AS b WHERE b.name = slow.benchmark;
	PERFORM profiling.watch_benchmark(v_id);
	RETURN (SELECT r.regression_id FROM profiling.regression AS r WHERE r.benchmark_id = v_id AND r.kind = 'degradation' ORDER BY r.q_value LIMIT 1);
END
$$;
SQL

my @stacks = ('main;parse;lex;lex_number', 'main;parse;lex;lex_name', 'main;parse;statement', 'main;emit');
sub slow
{
	my ($name, $slow, %with) = @_;
	my @arguments = ($name, $with{before} // $before, $with{last} // $last);
	my ($all, $grown) = map { my $stacks = $_; 'ARRAY[' . join(', ', map { Wire::literal($_) } @$stacks) . ']' } $with{stacks} // \@stacks, $slow;
	return $db->value('SELECT slow(' . join(', ', map { Wire::literal($_) } @arguments) . ", $all, $grown, level => '" . ($with{level} // 'frame') . "')");
}

sub suspects
{
	my ($id, $rows) = @_;
	$rows //= 'NULL';
	return [ map { [ $name_of{ $_->[0] } // $_->[0], $_->[1], $_->[2] ] } @{ $db->rows("SELECT commit, score, reasons FROM profiling.suspects($id, $rows) ORDER BY rank") } ];
}

my $found = slow('number', ['main;parse;lex;lex_number']);
ok($found, 'a finding');
my ($notice) = map { $_ // '' } notice_of("SELECT profiling.suspects($found)");
like($notice, qr/the store knows no commits/, 'without commits a notice says so');
is(read_commits('-f'), 0, 'the repository is read');

my $ranked = suspects($found);
is(join(' ', map { $_->[0] } @$ranked), 'blamed caller file docs python other empty', 'the order');
is(scalar(grep { $_->[1] < 0 || $_->[1] > 1 } @$ranked), 0, 'scores from 0 to 1');
is($ranked->[0][2], '[{"file": "src/lex.c", "what": "function", "share": 1.000, "function": "lex_number"}, {"file": "src/lex.c", "what": "file", "share": 1.000, "function": "lex"}]', 'its reasons');
like($ranked->[3][2], qr/"what": "message".*"function": "lex_number"/, 'what a message names, of a commit without code');
is($ranked->[4][2], '[{"what": "nothing on the changed stacks"}]', 'what is elsewhere');
is($ranked->[6][2], '[{"what": "documentation and tests only"}]', 'and what is no code, at the end');
is(scalar(@{ suspects($found, 2) }), 2, 'max_rows');
is(scalar(@{ $db->rows("SELECT * FROM profiling.suspects($found)") }), 7, 'ten by default');

# The change comes through one of two callers: it is the caller's.
my @callers = ('main;parse;lex;lex_number', 'main;statement;lex;lex_number', 'main;emit;lex;lex_number', 'main;emit');
is(suspects(slow('through a caller', ['main;parse;lex;lex_number'], stacks => \@callers))->[0][0], 'caller', 'what grew through one caller only is that caller\'s');
is(suspects(slow('through all', [ @callers[ 0 .. 2 ] ], stacks => \@callers))->[0][0], 'blamed', 'what grew through all of them is its own');

# --- every level, frames with files, commits of few characters -------------------------------------------------------------

is(suspects(slow($_, ['main;parse;lex;lex_number'], level => $_))->[0][0], 'blamed', "level $_") for qw(self stack node);
my %with_files = map { $_ => [ 'main', "tool ($_:3)" ] } 'lib/tool.py', '/srv/lib/tool.py', 'tool.py';
is(suspects(slow("frames of $_", [ join ';', @{ $with_files{$_} } ], stacks => [ join(';', @{ $with_files{$_} }), 'main;x' ]))->[0][0], 'python', "frames of $_") for sort keys %with_files;
is(suspects(slow('short', ['main;parse;lex;lex_number'], before => substr($before, 0, 8), last => substr($last, 0, 7)))->[0][0], 'blamed', 'short numbers of commits');
is(join(' ', map { $_->[0] } @{ suspects(slow('up to it', ['main;parse;lex;lex_number'], last => $commits{file})) }), 'caller file docs', 'only commits up to that of the first run');

# --- what is not known -----------------------------------------------------------------------------------------------------

sub notice_of
{
	my ($sql) = @_;
	local @ENV{qw(PGHOST PGPORT)} = ($node->host, $node->port);
	my ($output, $errors) = ('', '');
	IPC::Run::run([ 'psql', '-XAtq', '-d', 'postgres', '-c', $sql ], '>', \$output, '2>', \$errors);
	return ($errors, $output);
}

my $id = slow('by times', ['main;parse;lex;lex_number'], before => 'x' x 40, last => 'y' x 40);
($notice, my $rows) = notice_of("SELECT commit, reasons FROM profiling.suspects($id)");
like($notice, qr/not known by their parents.*HINT/s, 'commits by times: a notice');
like($rows, qr/^$commits{blamed}\|\[\{"what": "range by times"\}, \{"file"/, 'and a reason; the right one comes first');
$id = slow('the same', ['main;parse;lex;lex_number'], before => 'p' x 40);
$db->run("UPDATE profiling.test_run SET commit = '$last' WHERE commit = repeat('p', 40)");
($notice, $rows) = notice_of("SELECT profiling.suspects($id)");
like($notice, qr/both are of commit/, 'two runs of one commit');
is($rows, '', 'have no suspect');
$id = slow('back', ['main;parse;lex;lex_number'], before => $last, last => $before);
like((notice_of("SELECT profiling.suspects($id)"))[0], qr/has already/, 'nor has an older commit');
like((notice_of("SELECT profiling.suspects($_)"))[0], qr/ERROR:  there is no finding $_/, "finding $_") for qw(999999 -1 NULL);
like((notice_of("SELECT profiling.suspects($found, $_)"))[0], qr/max_rows must be at least 1/, "max_rows $_") for 0, -5;
$db->run("UPDATE profiling.regression SET status = 'resolved', closed_at = now() WHERE regression_id = $found");
is(suspects($found)->[0][0], 'blamed', 'a finding that is resolved has suspects, too');
$db->run('CREATE ROLE nobody_special LOGIN; GRANT USAGE ON SCHEMA profiling TO nobody_special; CREATE ROLE analyst LOGIN');
$db->run("SELECT profiling.grant_access('analyst', 'reader')");
like((notice_of("SET ROLE nobody_special; SELECT profiling.suspects($found)"))[0], qr/suspects\(\) needs access "reader"/, 'not for everybody');
is((notice_of("SET ROLE analyst; SELECT count(*) FROM profiling.suspects($found)"))[1], "7\n", 'a reader may ask');

# --- what a repository can do to its readers -------------------------------------------------------------------------------

$db->run(<<"SQL");
INSERT INTO profiling.commit_change VALUES ('evil', '$last', '2026-01-21 UTC', E'src/\\u001b[31m\\u202elex_number.c', 1, 1, E'lex_number \\u001b[31m'), ('loop', 'loop', '2026-01-22 UTC', 'a.c', 1, 1, '');
INSERT INTO profiling.commit_function VALUES ('evil', E'src/\\u001b[31m\\u202elex_number.c', 'lex_number', 2147483647);
SQL
$ranked = suspects(slow('evil', ['main;parse;lex;lex_number'], last => 'evil'));
is($ranked->[0][0], 'evil', 'a hostile file');
unlike($ranked->[0][2], qr/[\x00-\x1f]|\\u00|\xE2\x80\xAE/, 'is text');
is(join(' ', map { $_->[0] } @{ suspects(slow('loop', ['main;parse;lex;lex_number'], before => $last, last => 'loop')) }), 'loop', 'a chain of parents that never ends does');

# Names are no patterns of LIKE.
$db->run(q{INSERT INTO profiling.commit_function VALUES ('method', 'src/a.cc', 'Reader::read_file', 3)});
for ([ 'read_file', 'Reader::read_file' ], [ 'file' ], [ 'readXfile' ], [ '%' ], [ 'read_file\\' ])
{
	my ($frame, $function) = @$_;
	is_deeply($db->rows("SELECT file FROM profiling.commit_evidence('{method}', ARRAY[E'" . $frame =~ s/\\/\\\\/r . "'], '{1}', '{1}')"), [ $function ? [ 'src/a.cc' ] : () ],
		"the frame $frame" . ($function ? " is $function" : ' is nothing that the commit touched'));
}

# A commit that touched each of a thousand functions that call each other.
$db->run(<<'SQL');
INSERT INTO profiling.commit_change VALUES ('generated', '', '2026-01-21 UTC', 'generated.c', 1, 1, '');
INSERT INTO profiling.commit_function SELECT 'generated', 'generated.c', 'f' || n, 1000 FROM generate_series(0, 999) AS n;
SQL
is($db->value(<<'SQL'), 't', 'a thousand reasons are many, and no error');
SELECT score BETWEEN 0.5 AND 1 FROM (SELECT (string_agg('f' || n, ';' ORDER BY n) || ' 1')::flamegraph AS fg FROM generate_series(0, 999) AS n) AS p,
	profiling.ranked_commits('{generated}', 'parents', 'frame', 'f0', p.fg, p.fg)
SQL

$db->close;
$node->stop;
done_testing();
