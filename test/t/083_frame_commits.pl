# client/frame-commits reads a repository and fills profiling.frame_commit: the patterns match the frames that tools print
# for these files and no others, a second run takes newer commits only, and what goes wrong is said.
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

my $script = "$FindBin::RealBin/../../client/frame-commits";
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
	my $status = system('sh', '-c', 'exec "$@" >' . $output . ' 2>&1', 'sh', $^X, $script, @arguments);
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
like($output, qr/^7 rows read/, 'and says how much it has read');
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

# --since, --path, --dry-run
$before = Store::contents($db)->{'profiling.frame_commit'};
($status, $output) = script('-n', '--path', 'app', $repository);
is("$status $output", qq(0 ~"(^|[/ (])app/lib/parser\\\\\\\\.py([:) ]|\$)"\tapp/lib/parser.py\t$second\t2026-01-02 12:00:00+00\n), 'a dry run of some files');
($status, $output) = script('-n', '--since', '2026-01-02T00:00:00Z', $repository);
is(scalar(split /\n/, $output), 1, 'since a date');
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

$db->close;
$node->stop;
done_testing();
