# flamegraph-commits reads a repository and fills profiling.frame_commit: the patterns match the frames that tools print
# for these files and no others, a second run takes newer commits only, and what goes wrong is said. commit_change and
# commit_function have what each commit changed, whatever it is: a merge, a rename, nothing, the root. A repository whose
# contents are hostile changes nothing but its own rows, and its configuration runs nothing.
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

my $script = "$FindBin::RealBin/../../client/flamegraph-commits";
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);

my $repository = PostgreSQL::Test::Utils::tempdir() . '/a repository';
mkdir $repository or die $!;
sub git
{
	my (@arguments) = @_;
	system('git', '-C', $repository, '-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=main', @arguments) == 0 or die "git @arguments";
	return;
}

my $day = 0;
sub commit
{
	my (%files) = @_;
	for my $file (keys %files)
	{
		system('mkdir', '-p', "$repository/" . ($file =~ s{[^/]*$}{}r)) == 0 or die;
		open my $out, '>', "$repository/$file" or die "$file: $!";
		print $out $files{$file};
		close $out;
	}
	$day++;
	local $ENV{GIT_COMMITTER_DATE} = "2026-01-0$day 12:00:00 +0000";
	git('add', '-A');
	git('commit', '-q', '-m', "day $day");
	return `git -C "$repository" rev-parse HEAD` =~ s/\n//r;
}

sub script
{
	my (@arguments) = @_;
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	local $ENV{PGDATABASE} = 'postgres';
	my $output = PostgreSQL::Test::Utils::tempdir() . '/output';
	my $status = system('sh', '-c', 'ulimit -v 2000000; exec timeout -k 1 120 "$@" >' . $output . ' 2>&1', 'sh', $^X, $script, @arguments);
	return ($status >> 8, slurp_file($output));
}

git('init', '-q');
my $c = "static int\nparse(int a)\n{\n\tint b = a;\n\tint c = b;\n\tint d = c;\n\tint e = d;\n\treturn a;\n}\n";
my $first = commit(
	'core/src/main/java/org/acme/Parser.java' => "// x\npackage org.acme;\nclass Parser {}\n",
	'core/src/main/java/org/acme/Par.java' => "package org.acme;\nclass Par {}\n",
	'app/lib/parser.py' => "a\n", 'src/a+b (c).js' => "a\n", 'src/parse.c' => $c, "src/with \"quotes\"\\.py" => "a\n", 'gone.py' => "a\n", "tab\there.py" => "a\n");
git('rm', '-q', 'gone.py');
my $second = commit('app/lib/parser.py' => "b\n");
my $third = commit('src/parse.c' => $c =~ s/return a/return e/r);

my ($status, $output) = script($repository);
is($status, 0, 'it runs') or diag($output);
like($output, qr/^7 patterns and 3 new commits read/, 'and says how much it has read');
is_deeply($db->rows('SELECT file, commit, committed_at FROM profiling.frame_commit ORDER BY file COLLATE "C"'), [
		[ 'app/lib/parser.py', $second, '2026-01-02 12:00:00+00' ],
		[ 'core/src/main/java/org/acme/Par.java', $first, '2026-01-01 12:00:00+00' ],
		[ 'core/src/main/java/org/acme/Parser.java', $first, '2026-01-01 12:00:00+00' ],
		[ 'src/a+b (c).js', $first, '2026-01-01 12:00:00+00' ],
		[ 'src/parse.c', $third, '2026-01-03 12:00:00+00' ],
		[ "src/with \"quotes\"\\.py", $first, '2026-01-01 12:00:00+00' ],
		[ "tab\there.py", $first, '2026-01-01 12:00:00+00' ] ], 'the last commit of each file that is there');

# Frames as tools print them.
my %frames = (
	'org.acme.Parser.read' => 'core/src/main/java/org/acme/Parser.java',
	'org.acme.Parser.read:12' => 'core/src/main/java/org/acme/Parser.java',
	'org.acme.Parser$Inner.<init>' => 'core/src/main/java/org/acme/Parser.java',
	'org.acme.ParserTest.read' => undef,
	'org.acme.Par.x' => 'core/src/main/java/org/acme/Par.java',
	'com.org.acme.Par.x' => undef,
	'read (app/lib/parser.py:12)' => 'app/lib/parser.py',
	'/srv/app/lib/parser.py:read:12' => 'app/lib/parser.py',
	'app/lib/parser.py' => 'app/lib/parser.py',
	'read (myapp/lib/parser.py:12)' => undef,
	'read (app/lib/parser_py:12)' => undef,
	'f (src/a+b (c).js:1:2)' => 'src/a+b (c).js',
	'f (src/aab (c).js:1:2)' => undef,
	'parse src/parse.c:3' => 'src/parse.c',
	"f (src/with \"quotes\"\\.py:1)" => "src/with \"quotes\"\\.py",
	'parse' => undef);
for my $frame (sort keys %frames)
{
	is($db->value("SELECT string_agg(file, ', ') FROM profiling.frame_commit WHERE stackpath(ARRAY[" . Wire::literal($frame) . ']) ~ pattern'), $frames{$frame}, "frame $frame");
}

# Again: nothing is new; then only what has changed; an older clone takes nothing back.
my $before = Store::contents($db)->{'profiling.frame_commit'};
is((script($repository))[0], 0, 'again');
is(Store::contents($db)->{'profiling.frame_commit'}, $before, 'the same rows');
my $fourth = commit('app/lib/parser.py' => "c\n");
is((script('--functions', '-d', 'postgres', $repository))[0], 0, 'with functions, after another commit');
is($db->value("SELECT commit FROM profiling.frame_commit WHERE file = 'app/lib/parser.py'"), $fourth, 'the new commit');
is($db->value("SELECT commit || ' ' || file FROM profiling.frame_commit WHERE pattern = 'parse'"), "$third src/parse.c", 'the function that a commit changed');
git('reset', '-q', '--hard', $second);
is((script($repository))[0], 0, 'from an older state');
is($db->value("SELECT commit FROM profiling.frame_commit WHERE file = 'app/lib/parser.py'"), $fourth, 'takes nothing back');

is_deeply($db->rows('SELECT commit, parent, file, added, deleted, subject FROM profiling.commit_change ORDER BY committed_at, file COLLATE "C"'), [
		(map { [ $first, '', $_, /parse\.c$/ ? 9 : /Parser\.java/ ? 3 : /Par\.java/ ? 2 : 1, 0, 'day 1' ] } sort 'core/src/main/java/org/acme/Parser.java', 'core/src/main/java/org/acme/Par.java',
			'app/lib/parser.py', 'src/a+b (c).js', 'src/parse.c', "src/with \"quotes\"\\.py", 'gone.py', "tab\there.py"),
		[ $second, $first, 'app/lib/parser.py', 1, 1, 'day 2' ], [ $second, $first, 'gone.py', 0, 1, 'day 2' ],
		[ $third, $second, 'src/parse.c', 1, 1, 'day 3' ], [ $fourth, $third, 'app/lib/parser.py', 1, 1, 'day 4' ] ], 'what each commit changed');
is_deeply($db->rows("SELECT commit, file, function, lines FROM profiling.commit_function ORDER BY commit = '$first' DESC, commit = '$second' DESC, commit = '$third' DESC"),
	[ [ $first, 'src/parse.c', 'parse', 6 ], [ $second, '', '', 0 ], [ $third, 'src/parse.c', 'parse', 2 ], [ $fourth, '', '', 0 ] ], 'and the functions');

# --since, --path, --dry-run
$before = Store::contents($db)->{'profiling.frame_commit'};
($status, $output) = script('-n', '--path', 'app', $repository);
is(join(' ', $status, grep { /^frame_commit/ } split /^/, $output), qq(0 frame_commit\t~"(^|[/ (])app/lib/parser\\\\\\\\.py([:) ]|\$)"\tapp/lib/parser.py\t$second\t2026-01-02 12:00:00+00\n), 'a dry run of some files');
($status, $output) = script('-n', '--since', '2026-01-02T00:00:00Z', $repository);
is(scalar(grep { /^frame_commit/ } split /\n/, $output), 1, 'since a date');
is(scalar(grep { /^commit_change/ } split /\n/, $output), 2, 'and what the commit changed');
is(Store::contents($db)->{'profiling.frame_commit'}, $before, 'writes nothing');

# What goes wrong
($status, $output) = script('/nowhere');
isnt($status, 0, 'no repository');
($status, $output) = script('-d', 'nowhere', $repository);
isnt($status, 0, 'no database');
like($output, qr/nothing was written/, 'is said');
is((script('--nonsense'))[0], 2, 'an unknown option');
($status, $output) = script('--help');
is($status, 0, '--help');
like($output, qr/^Usage: /, 'helps');

# --- commits of every shape --------------------------------------------------------------------------------------------

sub changes_of
{
	my ($commit) = @_;
	return $db->value(qq{SELECT string_agg(format('%s %s-%s', file, coalesce(added::text, '?'), coalesce(deleted::text, '?')), ', ' ORDER BY file COLLATE "C") FROM profiling.commit_change WHERE commit = '$commit'});
}

sub at_head { return `git -C "$repository" rev-parse HEAD` =~ s/\n//r; }

$repository = PostgreSQL::Test::Utils::tempdir() . '/shapes';
mkdir $repository or die $!;
git('init', '-q');
my $lines = join '', map { "line $_\n" } 1 .. 20;
my $root = commit('old.txt' => $lines, 'picture' => "\0\1", 'main.py' => "def first(a):\n    return a\n\n\ndef second(b):\n    return b\n");
git('mv', 'old.txt', 'new.txt');
my $renamed = commit('new.txt' => $lines . "more\n", 'picture' => "\0\2");
git('commit', '-q', '--allow-empty', '--allow-empty-message', '-m', '');
my $empty = at_head();
git('checkout', '-q', '-b', 'topic');
my $topic = commit('main.py' => "def first(a):\n    return a\n\n\ndef second(b):\n    b += 1\n    return b\n");
git('checkout', '-q', 'main');
git('merge', '-q', '--no-ff', '-m', "merge \e[31m \xE2\x80\xAE " . 'x' x 600, 'topic');
my $merge = at_head();
($status, $output) = script('-f', $repository);
is($status, 0, 'commits of every shape') or diag($output);
like($output, qr/^flamegraph-commits: 1 subjects cut\n/m, 'a subject that was cut is told');
like($output, qr/^flamegraph-commits: 1 subjects that hold what is no text/m, 'and what was no text');
is(changes_of($root), 'main.py 6-0, old.txt 20-0, picture ?-?', 'the root');
is(changes_of($renamed), 'new.txt 1-0, old.txt 0-0, picture ?-?', 'a rename');
is(changes_of($empty), ' 0-0', 'no change');
is(changes_of($merge), 'main.py 1-0', 'a merge has what it brought');
is(changes_of($topic), 'main.py 1-0', 'and so has the commit that it brought');
is($db->value("SELECT string_agg(DISTINCT parent, ' ') FROM profiling.commit_change WHERE commit IN ('$merge', '$topic')"), $empty, 'their first parent');
like($db->value("SELECT subject FROM profiling.commit_change WHERE commit = '$merge'"), qr/^merge \\x1B\[31m \\u202E x{480,490}$/, 'a subject as text');
is($db->value("SELECT string_agg(function || lines, ' ') FROM profiling.commit_function WHERE commit = '$topic'"), 'second1', 'a function of Python');
is($db->value("SELECT commit FROM profiling.frame_commit WHERE pattern = 'second'"), $topic, 'is that of the commit, not of the merge');

# A clone without the beginning.
my $shallow = PostgreSQL::Test::Utils::tempdir() . '/shallow';
system('git', 'clone', '-q', '--depth', '2', "file://$repository", $shallow) == 0 or die;
$db->run('DELETE FROM profiling.commit_change');
($status, $output) = script($shallow);
is($status, 0, 'a shallow clone');
like($output, qr/[12] commits left out, with which this shallow clone begins/, 'says what it lacks');
is($db->value('SELECT count(*) FROM profiling.commit_change WHERE added > 1'), 0, 'and its border is no commit that changed all');
is((script($repository))[0], 0, 'the whole one after it');
is(changes_of($root), 'main.py 6-0, old.txt 20-0, picture ?-?', 'has them');

# --path, then more of it
$db->run('DELETE FROM profiling.commit_change');
is((script('-p', '*.py', $repository))[0], 0, 'some files');
is(changes_of($renamed), ' 0-0', 'a commit that touched none of them');
like((script($repository))[1], qr/ 0 new commits/, 'it is known');
is((script('--again', $repository))[0], 0, 'again');
is(changes_of($renamed), ' 0-0, new.txt 1-0, old.txt 0-0, picture ?-?', 'adds the others');

# --- a hostile repository ------------------------------------------------------------------------------------------------

$repository = PostgreSQL::Test::Utils::tempdir() . '/hostile';
mkdir $repository or die $!;
my $marker = PostgreSQL::Test::Utils::tempdir() . '/marker';
my $program = PostgreSQL::Test::Utils::tempdir() . '/program';
append_to_file($program, "#!/bin/sh\ntouch $marker\ncat \"\$1\" 2>/dev/null\nexit 0\n");
chmod 0755, $program or die $!;
git('init', '-q');

# What git says to a command that reads this.
sub git_reads
{
	my ($input, @arguments) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/input';
	unlink $file;
	append_to_file($file, $input);
	my $result = `git -C "$repository" -c user.name=t -c user.email=t\@example.com @arguments <$file`;
	$? == 0 or die "git @arguments";
	chomp $result;
	return $result;
}

my $false_commit = 'f' x 40;
my @letters = ('a' .. 'z', 0 .. 9);
srand 1;
my $long = join '/', map { join '', map { $letters[rand @letters] } 1 .. 100 } 1 .. 30;
my %blobs = (
	'ok.c' => "int\nok(int a)\n{\n\tint b;\n\tint c;\n\tint d;\n\treturn 1;\n}\n",
	'Good.java' => "/* x */\n  package org.good;\n",
	'sub/Piped.java' => "package org.piped;\n",
	'Line.java' => 'x' x 5_000_000 . "\npackage org.line;\n",
	'Blank.java' => "\n" x 60_000 . ' ' x 1000 . "package org.blank;\n",
	"bad\xFF.c" => "int f;\n", "two\nlines.c" => "int f;\n", "\nok.c" => "int f;\n", "tab\there.c" => "int f;\n", "esc\e[31m\xE2\x80\xAE.c" => "int f;\n", "quote\".c" => "int f;\n", '-n' => "x\n",
	"commit $false_commit 4102444800" => "x\n", ":100644 100644 $false_commit $false_commit M" => "x\n", "$long.c" => "x\n",
	'fake.c' => "int\nfake(void)\n{\n1;\n2;\n3;\n}\nint\nlater(void)\n{\n5;\n6;\n7;\n}\n", '.gitattributes' => "*.c diff=evil\n");
my $index = '';
for my $name (sort keys %blobs)
{
	my $number = git_reads($blobs{$name}, qw(hash-object -w --stdin));
	$index .= "100644 $number 0\t$name\0";
}
my $target = git_reads('/dev/zero', qw(hash-object -w --stdin));
$index .= "120000 $target 0\t$_\0" for 'Evil.java', 'evil.c';
git_reads($index, qw(update-index -z --index-info));
git_reads('', 'update-index', '--add', '--cacheinfo', "160000,$second,module.c");
my $tree = git_reads('', 'write-tree');
my $root_commit = git_reads("tree $tree\nauthor t <t\@example.com> 1767225600 +0000\ncommitter t <t\@example.com> 1767225600 +0000\n"
	  . "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\ncommit $false_commit 4102444800 \xFF\n", qw(hash-object -t commit -w --stdin));
# a later commit, of the future, whose changes look like the heads of patches
my $fake = $blobs{'fake.c'} =~ s/3;/++ b\/ok.c\n@@ -1 +1 @@ int stolen(int a)\n4;/r =~ s/7;/8;/r;
my $changed = git_reads($fake, qw(hash-object -w --stdin));
git_reads("100644 $changed 0\tfake.c\0", qw(update-index -z --index-info));
$tree = git_reads('', 'write-tree');
my $future = do { local $ENV{GIT_COMMITTER_DATE} = '@4102444800 +0000'; git_reads('', 'commit-tree', $tree, '-p', $root_commit, '-m', 'x') };
git('update-ref', 'HEAD', $future);
# the working tree has a pipe and links in the place of files and of a directory
system('mkfifo', "$repository/Good.java") == 0 or die;
symlink '/dev/zero', "$repository/Evil.java" or die $!;
symlink '/etc', "$repository/sub" or die $!;

append_to_file("$repository/.gitattributes", $blobs{'.gitattributes'});

# What its configuration would run or wait for.
my $pipe = PostgreSQL::Test::Utils::tempdir() . '/pipe';
system('mkfifo', $pipe) == 0 or die;
my %config = ('core.fsmonitor' => $program, 'core.pager' => $program, 'pager.log' => $program, 'diff.external' => $program, 'diff.evil.command' => $program, 'diff.evil.textconv' => $program,
	'log.showSignature' => 'true', 'gpg.program' => $program, 'core.hooksPath' => PostgreSQL::Test::Utils::tempdir(), 'mailmap.file' => $pipe, 'diff.orderFile' => $pipe,
	'diff.noprefix' => 'true', 'color.ui' => 'always', 'log.showRoot' => 'false', 'log.diffMerges' => 'combined', 'core.sshCommand' => $program);
git('config', $_, $config{$_}) for sort keys %config;

$db->run('DELETE FROM profiling.frame_commit');
$db->run('DELETE FROM profiling.commit_change');
$db->run('DELETE FROM profiling.commit_function');
{
	# as in a hook of another repository
	local @ENV{qw(GIT_DIR GIT_INDEX_FILE GIT_EXTERNAL_DIFF)} = ('/nowhere', '/nowhere/index', $program);
	($status, $output) = script('--functions', $repository);
}
is($status, 0, 'a hostile repository') or diag($output);
like($output, qr/^flamegraph-commits: 4 files without a pattern, .*: \\x0Aok\.c, \.\.\.$/m, 'names that make no pattern are told');
ok(!-e $marker, 'its configuration ran nothing');
is_deeply($db->rows(q{SELECT file, pattern::text, commit FROM profiling.frame_commit WHERE file <> 'x' ORDER BY file COLLATE "C", pattern::text COLLATE "C"}),
	[ sort { $a->[0] cmp $b->[0] || $a->[1] cmp $b->[1] } (
		(map { [ $_, file_pattern($_), $root_commit ] } '-n', '.gitattributes', ":100644 100644 $false_commit $false_commit M", "commit $false_commit 4102444800", "esc\e[31m\xE2\x80\xAE.c", 'ok.c',
			'quote".c', "tab\there.c"),
		[ 'fake.c', file_pattern('fake.c'), $future ], [ 'fake.c', 'fake', $future ], [ 'fake.c', 'later', $future ], [ 'ok.c', 'ok', $root_commit ],
		(map { [ "$_->[0].java", class_pattern($_->[1]), $root_commit ] } [ 'Good', 'org.good.Good' ], [ 'sub/Piped', 'org.piped.Piped' ], [ 'Line', 'Line' ], [ 'Blank', 'org.blank.Blank' ])) ],
	'each file has its own commit; links and submodules have none; packages come from git, not from the working tree');
is($db->value("SELECT count(*) FROM profiling.frame_commit WHERE committed_at > now()"), 0, 'the future is not believed');
($status, $output) = script('-n', $repository);
is($status, 0, 'and printed');
unlike($output, qr/[^\t\n -~]/, 'without what a terminal obeys');
check_hostile_changes();
like($output, qr/\tesc\\x1B\[31m\\u202E\.c\t$root_commit\t/, 'but shown');

# What the hostile commits changed, name by name: nothing is lost in silence.
sub check_hostile_changes
{
	my $rows = $db->rows(q{SELECT file, added, parent, subject FROM profiling.commit_change WHERE commit = '} . $root_commit . q{' ORDER BY file COLLATE "C"});
	my %added = map { $_->[0] => $_->[1] } @$rows;
	is_deeply([ grep { !exists $added{$_} } map { s/\xFF/\\xFF/r } grep { length($_) <= 1000 } keys %blobs ], [], 'each file is there');
	is($added{"two\nlines.c"}, 1, 'a name of two lines');
	is($added{"commit $false_commit 4102444800"}, 1, 'a name like the head of a commit');
	is($added{'evil.c'}, 1, 'a link is a file of one line');
	is_deeply([ grep { length $_ > 1000 } keys %added ], [], 'but for one whose name is too long');
	is($rows->[0][2], '', 'the root has no parent');
	is($rows->[0][3], "commit $false_commit 4102444800 \\xFF", 'a subject like the head of a commit');
	is($db->value("SELECT count(*) FROM profiling.commit_change WHERE commit = '$false_commit'"), 0, 'is none');
	is($db->value("SELECT string_agg(file || added || deleted, ' ') FROM profiling.commit_change WHERE commit = '$future' AND committed_at <= now()"), 'fake.c42', 'a commit of the future is one of now');
	is($db->value("SELECT string_agg(function, ' ' ORDER BY function) FROM profiling.commit_function WHERE commit = '$future'"), 'fake later', 'with the functions that it changed');
	return;
}

# How the store prints them.
sub file_pattern
{
	my ($file) = @_;
	return $db->value('SELECT ' . Wire::literal('~"(^|[/ (])' . ($file =~ s/([][\\.^\$*+?(){}|])/\\$1/gr =~ s/(["\\])/\\$1/gr) . '([:) ]|$)"') . '::stackquery::text');
}

sub class_pattern
{
	my ($class) = @_;
	return $db->value('SELECT ' . Wire::literal(qq("$class."*|"$class\$"*)) . '::stackquery::text');
}

# An object that is not there is not asked for: the remote would name the program.
git('config', 'remote.evil.url', "ext::$program %S");
git('config', 'remote.evil.promisor', 'true');
git('config', 'remote.evil.partialclonefilter', 'blob:none');
git('config', 'extensions.partialClone', 'evil');
git('config', 'protocol.ext.allow', 'always');
my $there = "$repository/.git/objects/" . ($target =~ s{^..}{$&/}r);
unlink $there or die $!;
($status, $output) = script('-n', '--functions', $repository);
isnt($status, 0, 'an object that is not there');
ok(!-e $marker, 'runs nothing');

$db->close;
$node->stop;
done_testing();
