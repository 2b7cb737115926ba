# Nights in which nothing changes, as they are recorded (test/data/noise): three kinds of programs, at rest and on a busy
# machine. What a pause of the machine does to one sample is no finding, a change is one the same night, and stays one row.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Store;
use Wire;

my $nights = 40;
my $dir = PostgreSQL::Test::Utils::tempdir();
my @programs = map { my $load = $_; map { "$load/$_" } qw(c javascript python) } qw(idle500 busy500);

my $node = PostgreSQL::Test::Cluster->new('noise');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$node->start;

for my $program (@programs)
{
	my ($load) = split m{/}, $program;
	mkdir "$dir/$load";
	is(system('tar', '-C', "$dir/$load", '-xf', "test/data/noise/$program.tar"), 0, "$program is unpacked");
}

sub value { my ($database, $sql) = @_; return Wire::answer($node, $database, $sql); }

sub create
{
	my ($database) = @_;
	value('postgres', "CREATE DATABASE $database");
	value($database, 'SET client_min_messages = warning; CREATE EXTENSION flamegraph_store CASCADE');
	return;
}

# The file of a repetition, and how it gets into the store: as it is, or its values alone.
sub file { my ($program, $night, $repetition) = @_; return sprintf '%s/%s/%02d-%d.gz', $dir, $program, $night, $repetition; }

sub as_recorded
{
	my ($program, $night, $repetition) = @_;
	return sprintf "SELECT profiling.import_profile('%s', pg_read_binary_file('%s'), started_at => timestamptz '2026-10-01 UTC' + %d * interval '1 day',"
		. " commit => 'c%d', repetition => %d);\n", $program, file($program, $night, $repetition), $night, $night, $repetition;
}

sub values_alone
{
	my ($program, $night, $repetition) = @_;
	return sprintf "SELECT profiling.import_flamegraph('%s', r.complete, started_at => timestamptz '2026-10-01 UTC' + %d * interval '1 day',"
		. " commit => 'c%d', unit => r.unit, repetition => %d) FROM read_recording(pg_read_binary_file('%s')) AS r;\n",
		$program, $night, $night, $repetition, file($program, $night, $repetition);
}

sub night
{
	my ($import, $night, @of) = @_;
	my $sql = '';
	for my $program (@of) { $sql .= $import->($program, $night, $_) for 1 .. 3; }
	return $sql . "CALL profiling.watch_run();\n";
}

my $nights_with_findings = 'SELECT count(DISTINCT (benchmark_id, first_test_run_id)) FROM profiling.regression';

#
# Nothing changes.
#
create('quiet');
value('quiet', join '', map { night(\&as_recorded, $_, @programs) } 1 .. $nights);
is(value('quiet', q{SELECT count(*) FROM profiling.job_log WHERE outcome <> 'ok'}), 0, 'nothing failed');
is(value('quiet', 'SELECT count(*) FROM profiling.rollup WHERE checked_at IS NOT NULL'), @programs * $nights, 'all nights were looked at');
my $tested = @programs * ($nights - 3);
my $false = value('quiet', $nights_with_findings);
note("$false of $tested benchmark-nights with a finding: ", value('quiet', q{SELECT string_agg(concat_ws(' ', name, first_commit, level, subject), ', ') FROM profiling.regression_history}));
cmp_ok($false, '<=', 0.02 * $tested, 'of nights without a change at most 2 in 100 have a finding');

# These recordings can fail this test: their values alone do.
create('bare');
value('bare', join '', map { night(\&values_alone, $_, 'busy500/python') } 1 .. $nights);
cmp_ok(value('bare', $nights_with_findings), '>', 0.02 * ($nights - 3), '... which takes the samples: their values alone have more');

#
# A function has more samples, by 6 % of all, from one night on.
#
my $changed_from = $nights + 1;
my $slow_function = 'tokenize.py:_tokenize:433';

# Of a text of Austin: as many more lines as that, of a stack that ends in the function, of ordinary weight.
sub slow_down
{
	my ($from, $to) = @_;
	my @lines = split /\n/, `gzip -dc '$from'`;
	my ($stack) = map { /^(.*\Q$slow_function\E) \d+$/ ? $1 : () } @lines;
	return if !defined $stack;
	open my $out, '|-', "gzip -1n > '$to'" or die $!;
	print $out "$_\n" for @lines, map { "$stack 1000" } 1 .. 0.06 * @lines;
	close $out or die $!;
	return 1;
}

sub as_slowed
{
	my ($program, $night, $repetition) = @_;
	# All recordings have been a night; another one of the same program is as good.
	my $from = file($program, $night - $nights, $repetition);
	my $to = "$dir/slow-$night-$repetition.gz";
	slow_down($from, $to) or die "the function is not in $from";
	my $file = file(@_);
	my $sql = as_recorded(@_);
	$sql =~ s{\Q$file\E}{$to} or die;
	return $sql;
}

my $finding = qq{SELECT level, subject, kind, status, first_commit, last_commit FROM profiling.regression_history
	WHERE name = 'idle500/python' AND first_commit = 'c$changed_from'};
value('quiet', night(\&as_slowed, $changed_from, 'idle500/python'));
is(value('quiet', $finding), "frame|$slow_function|degradation|open|c$changed_from|c$changed_from", 'a change is found the same night, in its function');
value('quiet', night(\&as_slowed, $_, 'idle500/python')) for $changed_from + 1 .. $changed_from + 3;
is(value('quiet', $finding), join('|', 'frame', $slow_function, 'degradation', 'open', "c$changed_from", 'c' . ($changed_from + 3)), '... and stays one row');

#
# Functions that call each other, and callers: of those that differ together the one is named that has more samples itself.
#
my $another_night = $changed_from + 10;
value('quiet', <<'SQL');
-- A night's recordings again, with more samples of a function, of ordinary weight, in proportion to its stacks.
CREATE FUNCTION slower_again(program text, file text, night int, repetition int, frame text) RETURNS bigint LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(program, v.complete + m.fg * v.weight, started_at => timestamptz '2026-10-01 UTC' + night * interval '1 day',
		unit => v.unit, repetition => repetition, event => v.event, samples => v.samples + m.fg, noise => v.noise + m.fg * v.weight ^ 2)
	FROM (SELECT r.*, (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY value_at(r.complete, s.stack) / s.value) FROM stacks(r.samples) AS s) AS weight
			FROM read_recording(pg_read_binary_file(file)) AS r) AS v,
		LATERAL (SELECT round(total(v.samples) * 0.06) AS n, array_agg(s.stack ORDER BY s.value DESC, s.stack) AS stacks
			FROM stacks(v.samples) AS s WHERE leaf(s.stack) = frame) AS f,
		LATERAL (SELECT flamegraph_agg(f.stacks[1 + i % cardinality(f.stacks)], 1) AS fg FROM generate_series(1, f.n::int) AS i) AS m
$$;
SQL

# What would be found in a run that is like the first night but for this function.
sub found_if_slower
{
	my ($program, $frame) = @_;
	my $imports = join '', map { my $r = $_; sprintf "SELECT slower_again('%s', '%s', %d, %d, '%s');\n", $program, file($program, 1, $r), $another_night, $r, $frame } 1 .. 3;
	my $found = value('quiet', "BEGIN;\n$imports; SELECT 'found ' || string_agg(subject::text, ', ' ORDER BY subject) FROM profiling.detect('$program');\nROLLBACK;");
	return $found =~ /^found (.*)$/m ? $1 : '';
}

for my $function (qw(parseSum parseProduct parseBinary parsePrimary))
{
	is(found_if_slower('busy500/javascript', "program.js:$function"), "program.js:$function", "$function, which is in a circle with three others");
}
for my $function ('random.py:_randbelow_with_getrandbits:235', 'fractions.py:_add:452')
{
	is(found_if_slower('busy500/python', $function), $function, "$function, and not its callers, whose values differ from night to night");
}

is(value('quiet', q{SELECT profiling.value_of_sample(0, 'cpu', 'microseconds', 0, E'a 5\nb -10', E'a 25\nb 50')}), 5,
	'a sample is worth what it weighs, also when a clock that was set back made the total negative');

#
# Two nights against the ten before them, by numbers of samples with their noise as a floor; each second night, to save time.
#
sub welch
{
	my ($condition) = @_;
	return qq{SELECT b.name, r.test_run_id, f.subject FROM (SELECT jsonb_populate_record(o, '{"method": "welch"}') AS watch FROM profiling.watch AS o WHERE watch_id = 0) AS w,
		profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id),
		LATERAL profiling.found(w.watch, r.benchmark_id, r.event, r.unit, r.branch, ARRAY[r.test_run_id]) AS f
		WHERE extract(day FROM r.started_at AT TIME ZONE 'UTC')::int % 2 = 0 AND $condition};
}
my $quiet_nights = q{r.started_at BETWEEN '2026-10-13 UTC' AND '2026-11-10 UTC'};
my $welch_false = value('quiet', 'SELECT count(DISTINCT (name, test_run_id)) FROM (' . welch($quiet_nights) . ') AS f');
my $welch_tested = value('quiet', "SELECT count(*) / 2 FROM profiling.rollup AS r WHERE $quiet_nights");
note("welch: $welch_false of $welch_tested benchmark-nights with a finding");
cmp_ok($welch_tested, '>', 80, 'welch: enough nights');
cmp_ok($welch_false, '<=', 0.02 * $welch_tested, '... of which at most 2 in 100 have a finding');
cmp_ok(value('bare', 'SELECT count(DISTINCT test_run_id) FROM (' . welch($quiet_nights) . ') AS f'), '>', 0.02 * $welch_tested / @programs, '... their values alone have more');
my $two_nights = sprintf q{b.name = 'idle500/python' AND r.started_at = timestamptz '2026-10-01 UTC' + %d * interval '1 day'}, $changed_from + 1;
like(value('quiet', "SELECT string_agg(subject::text, ' ') FROM (" . welch($two_nights) . ') AS f'), qr/\Q$slow_function\E/, '... and a change of 6 % is found by two nights');

$node->stop;
done_testing();
