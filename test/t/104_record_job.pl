# tools/record-job: the commands of a job become phases, what it waits for becomes blocked intervals, and what it writes loads
# into schema jobs and is valid there. Nothing here depends on how long anything takes: a recipe waits until the test lets it
# go, or until its sibling has begun.
use strict;
use warnings;

use FindBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $record = "$FindBin::RealBin/../../tools/record-job";
my $dir = PostgreSQL::Test::Utils::tempdir();
my $jobs = 0;

plan skip_all => 'record-job needs Linux' if $^O ne 'linux';

# The exit status, standard output and standard error of a recording, and its folder.
sub record
{
	my ($options, @command) = @_;
	my $folder = "$dir/recording " . ++$jobs;
	my ($out, $err) = ('', '');
	IPC::Run::run([ $record, '-o', $folder, @$options, '--', @command ], '<', \undef, '>', \$out, '2>', \$err);
	return ($? >> 8, $out, $err, $folder);
}

# The rows of a table of a recording: references to hashes. None of these files has a quoted field with a comma that matters.
sub rows
{
	my ($folder, $table) = @_;
	my @lines = split /\n/, slurp_file("$folder/$table.csv");
	my @columns = split /,/, shift @lines;
	return map { my %row; @row{@columns} = split /,/, $_, scalar @columns; \%row } @lines;
}

sub makefile
{
	my ($text) = @_;
	my $folder = "$dir/make " . ++$jobs;
	mkdir $folder or die $!;
	append_to_file("$folder/Makefile", $text);
	return $folder;
}

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION flamegraph_jobs CASCADE');

sub load
{
	my ($folder) = @_;
	my ($out, $err) = ('', '');
	my @psql = ('psql', '-X', '-q', '-d', $node->connstr('postgres'), '-f', 'load.sql');
	IPC::Run::run(\@psql, '>', \$out, '2>', \$err, init => sub { chdir $folder or die $! });
	is($err, '', 'it loads');
	return $out =~ /^job (\d+)$/m ? $1 : 0;
}

# Each job: what validation finds, but for moments that two clocks of the kernel order differently (a command's and a sample's).
sub is_valid
{
	my ($job) = @_;
	is($node->safe_psql('postgres', "SELECT * FROM jobs.validate_job($job) WHERE severity = 'error' OR code = 'unmeasured_life'"), '',
		'it is valid, and measured from its beginning to its end');
	return;
}

# --- the shells of makefiles: what a make does is what it does without a recording -----------------------------------

sub programs { return join ' ', sort map { $_->{phase_type} =~ s/^job\/command\///r } grep { $_->{phase_type} =~ /command\/./ } rows($_[0], 'phase'); }

for my $case (
	[ 'bash with its flags', "SHELL := /bin/bash\n.SHELLFLAGS := -eu -o pipefail -c\nall: first second\nfirst: ; \@[[ 1 == 1 ]] && cat Makefile | wc -l\n"
		  . "second: ; \@false | true; echo not reached\n", 'cat false', qr/^$/ ],
	[ 'one by its name', "SHELL = bash\nall: ; \@[[ -n \$\$BASH ]] && printf '%s\\n' '\$(firstword \$(MAKEFILE_LIST))' \$(words \$(MAKEFILE_LIST))\n", 'printf', qr/^$/ ],
	[ 'one that is no shell', "SHELL = $^X\n.SHELLFLAGS = -e\n.ONESHELL:\nall:\n\t\@my \@a = (1, 2);\n\tprint qq(\@a\\n);\n", 'perl', qr/^$/ ],
	[ 'one that is not known', "SHELL = ./own\nall: ; \@echo seen\n%: ; \@echo match \$\@\n", '', qr{^record-job: \./own is not known as a shell: .* are no phases$}m ],
	[ 'what is up to date', "MAKEFLAGS += -q\nall: Makefile\n", '', qr/^$/ ],
	[ 'the usual one', "all: ; \@echo '\$\$0' \$\$0; exit 3\n", 'exit', qr/^$/ ])
{
	my ($name, $text, $programs, $said) = @$case;
	my $make = makefile($text);
	append_to_file("$make/own", qq(#!/bin/sh\necho own; exec /bin/sh "\$\@"\n));
	chmod 0755, "$make/own";
	my ($plain, $recorded) = ('', '');
	IPC::Run::run([ 'make', '-s', '-C', $make ], '<', \undef, '>', \$plain, '2>', \my $ignored);
	my $expected = $? >> 8;
	my ($status, $out, $err, $folder) = record([], 'make', '-s', '-C', $make);
	is("$status $out", "$expected $plain", "$name: as without a recording");
	is(programs($folder), $programs, "$name: its commands are phases");
	like(join('', $err =~ /^record-job: .*not known as a shell.*\n/mg), $said, "$name: what was not seen is said");
}

# --- a make that calls a make: two recipes at a time, the third one waits for a token until one of them has ended ---

{
	my $make = makefile(<<'MAKE');
all:
	@$(MAKE) --no-print-directory -C inner; echo done '$(SHELL)' >/dev/null
MAKE
	mkdir "$make/inner" or die $!;
	# While a and b run make wants to start c. A second is fifty looks, or a few on a machine that has no time.
	append_to_file("$make/inner/Makefile", <<'MAKE' =~ s/LONG/'x' x 5000/er);
all: a.o b.o c.o
a.o b.o:
	@cd . && X=1 sleep 1; echo made $@
c.o:
	@printf 'x y\n' >/dev/null && echo made $@ # LONG -o far/$@
MAKE
	my ($status, $out, $err, $folder) = record([ '-i', '0.02' ], 'make', '-j2', '-C', $make);
	is($status, 0, 'make: exit status');
	is(scalar(() = $out =~ /^made [abc]\.o$/mg), 3, 'make: its output is its own') or diag("$out$err");
	like($err, qr/^record-job: \d+ phases, \d+ samples in .*load\.sql$/m, 'make: says what it wrote');

	my @phases = rows($folder, 'phase');
	my %types = map { $_->{phase_type} => 1 + 0 } @phases;
	is_deeply([ sort keys %types ], [ sort map { "job$_" } '', map { "/command$_" } '', map { "/make$_" } '', '/waiting', map { "/slot$_" } '', map { "/command$_" } '', '/printf', '/sleep' ],
		'make: types of phases');
	is(scalar(grep { $_->{phase_type} eq 'job/command/make/slot/command/sleep' } @phases), 2, 'make: a phase for each recipe');
	is(scalar(grep { $_->{phase_type} eq 'job/command/make/slot' } @phases), 2, 'make: a slot for each of two that ran at a time');
	is(scalar(grep { my $p = $_; grep { $_ != $p && $_->{parent_id} eq $p->{parent_id} && $_->{start_time} ge $p->{start_time}
			&& $_->{start_time} lt $p->{end_time} } @phases } grep { $_->{phase_type} =~ m{/slot/command$} } @phases), 0,
		'make: commands of one slot follow each other');
	is(join(' ', map { $_->{instance} } grep { $_->{phase_type} eq 'job/command/make/slot/command/printf' } @phases), 'far/c.o',
		'make: the file that a command writes tells it from others, far behind in its line, too');
	is($phases[0]{parent_id}, '', 'make: the first phase is the root');
	my %phase = map { $_->{phase_id} => $_ } @phases;
	is(scalar(grep { $_->{parent_id} ne '' && $phase{ $_->{parent_id} }{phase_type} . '/' ne $_->{phase_type} =~ s{[^/]*$}{}r } @phases),
		0, "make: the type of a phase's parent is the parent of its type");
	is(scalar(grep { $_->{end_time} lt $_->{start_time} } @phases), 0, 'make: no phase ends before it starts');
	is(scalar(grep { $_->{parent_id} ne '' && ($_->{start_time} lt $phase{ $_->{parent_id} }{start_time}
			|| $_->{end_time} gt $phase{ $_->{parent_id} }{end_time}) } @phases), 0, 'make: phases lie within their parents');

	my %jobserver = map { $_->{resource_id} => 1 } grep { $_->{resource_type} eq 'jobserver' } rows($folder, 'resource');
	my @blocked = rows($folder, 'blocking_interval');
	SKIP:
	{
		skip 'the kernel does not tell what a process waits for', 3 if $err =~ /the kernel does not tell/;
		is(scalar(keys %jobserver), 1, 'make: the inner make waited for a token, the outer one did not');
		ok(@blocked > 0, 'make: there are intervals in which it did');
		is(scalar(grep { !$jobserver{ $_->{resource_id} } } @blocked), 0, 'make: nothing else blocks');
	}
	my %capacity = map { $_->{resource_id} => $_->{capacity} } rows($folder, 'resource');
	my @usage = rows($folder, 'usage_measurement');
	is(scalar(grep { $_->{usage} > $capacity{ $_->{resource_id} } || $_->{usage} < 0 } @usage), 0, 'make: no usage exceeds a capacity');
	is_valid(load($folder));
}

# --- other commands: -w, exit status, output, input, failures ---

{
	my ($status, $out, $err, $folder) =
		record([ '-w', 'sleep,cat', '-n', 'my "job"', '-m', 'other' ], 'sh', '-c', 'echo "a	b" | cat; sleep 0.1; sleep 0.1 & wait; exit 7');
	is($status, 7, 'sh: exit status is the command\'s');
	is($out, "a\tb\n", 'sh: so is its output');
	is(join(' ', sort map { $_->{phase_type} } rows($folder, 'phase')), 'job job/command job/command job/command job/command/cat job/command/sleep job/command/sleep', 'sh: phases of the programs named');
	my $job = load($folder);
	is_valid($job);
	is($node->safe_psql('postgres', "SELECT name || ' ' || model || ' ' || (labels ->> 'exit_status') FROM jobs.job WHERE job_id = $job"),
		'my "job" other 7', 'sh: name, model, exit status');
	is(load($folder), $job + 1, 'the same recording once more');
}
{
	my ($status) = record([], 'sh', '-c', 'kill -9 $$');
	is($status, 128 + 9, 'a command that is killed: exit status as the shell has it');
}
{
	my ($status, $out, $err, $folder) = record([ '-w', 'sleep' ], 'sh', '-c', 'sleep 5 >/dev/null 2>&1 & while ! grep -q begin "${PATH%%/bin:*}/commands.log"; do :; done; kill $!');
	is($status, 0, 'a wrapper that is killed');
	like($err, qr/^record-job: 1 commands had not written down their end/m, 'a wrapper that is killed: said');
}
for my $wrong (
	[ [ '-w', 'no_such_program' ], 'true', qr/no such program in PATH/ ],
	[ [], 'no_such_program', qr/no_such_program: no such program/ ],
	[ [ '-i', '0' ], 'true', qr/--interval must be/ ])
{
	my ($status, $out, $err, $folder) = record($wrong->[0], $wrong->[1]);
	is($status, 2, "wrong: @{$wrong->[0]} $wrong->[1]: exit status");
	like($err, $wrong->[2], 'wrong: what it says');
	ok(!-e $folder, 'wrong: no folder is left');
}
{
	my ($status, $out, $err, $folder) = record([], 'true');
	IPC::Run::run([ $record, '-o', $folder, '--', 'true' ], '2>', \$err);
	is($? >> 8, 1, 'a folder that is there: exit status');
	like($err, qr/File exists/, 'a folder that is there: said');
}

$node->stop;
done_testing();
