# What scripts need that look at something in Chromium: node, a browser, and packages of npm, which are installed once for
# all scripts. Where one of them is missing the script is skipped, and says so.
package Browser;

use strict;
use warnings;

use Fcntl qw(:flock);
use File::Basename qw(dirname);
use FindBin;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

# The packages of test/NAME with all of its scripts and the driver of the browser, in DIR/node.
sub install
{
	my ($name, $dir, $seconds) = @_;
	my $test = "$FindBin::RealBin/..";
	plan skip_all => 'node or npm is not installed' if system('node --version >/dev/null 2>&1 && npm --version >/dev/null 2>&1') != 0;
	plan skip_all => 'chromium is not installed'
		if !grep { -x } '/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', $ENV{CHROMIUM} // '';
	mkdir "$dir/node" or die $!;
	my %files = map { $_ => 1 } "$test/browser/browser.mjs", glob "'$test/$name'/*.mjs '$test/$name'/package*.json '$test/$name'/.npmrc";
	system('cp', sort(keys %files), "$dir/node/") == 0 or die 'cp';
	my $packages = packages($name, $dir, $seconds);
	plan skip_all => 'the packages could not be installed: npm has no registry' unless $packages;
	symlink $packages, "$dir/node/node_modules" or die $!;
	return;
}

# The folder of the packages that test/NAME needs; undef where they are not to be had. The first script that asks installs
# them for all.
sub packages
{
	my ($name, $dir, $seconds) = @_;
	my $place = ($ENV{TESTDATADIR} // $dir) . "/npm-$name";
	mkdir $_ for dirname($place), $place;
	open my $lock, '>', "$place/lock" or die "$place/lock: $!";
	flock $lock, LOCK_EX or die $!;
	return "$place/node_modules" if -e "$place/installed";
	system("cp '$dir'/node/package*.json '$place/' && if [ -f '$dir/node/.npmrc' ]; then cp '$dir/node/.npmrc' '$place/'; fi") == 0 or die 'cp';
	return if system("cd '$place' && timeout $seconds npm ci --silent --ignore-scripts --cache '$place/cache' --fetch-retries 0 >'$dir/npm.log' 2>&1") != 0;
	append_to_file("$place/installed", '');
	return "$place/node_modules";
}

# Runs a script that install() has put into DIR/node; what it prints of its checks becomes checks of this script. The time
# is for a machine that hangs, not for one that is busy.
sub run
{
	my ($script, $dir) = @_;
	my ($out, $err, $planned) = ('', '');
	local $ENV{HOME} = $dir;
	IPC::Run::run([ 'timeout', '1800', 'node', "$dir/node/$script", $dir ], '<', \undef, '>', \$out, '2>', \$err) or diag($err);
	for my $line (split /\n/, $out)
	{
		if ($line =~ /^(not )?ok \d+ - (.*)$/) { ok(!$1, $2); }
		elsif ($line =~ /^1\.\.(\d+)$/) { $planned = $1; }
		else { diag($line); }
	}
	ok($planned, 'the browser came to the end') or diag($err);
	return;
}

1;
