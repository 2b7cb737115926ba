# Jobs from the logs of others: Spark's event logs against what an independent reader makes of them (the one in
# test/data/jobs, and drawn ones that are damaged), usage from what monitors write; NOTICEs, errors, rights.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('jobs_import');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'Europe/Amsterdam'");
$node->start;
sub value { return Wire::answer($node, 'postgres', $_[0]); }
value('CREATE EXTENSION flamegraph; CREATE EXTENSION flamegraph_jobs');

my $data = 'test/data/jobs';
my ($python) = grep { -x $_ } '/usr/bin/python3', '/usr/local/bin/python3';
$python //= 'python3';

# A file as the bytea or the text that it holds.
sub bytea { return "'\\x" . unpack('H*', $_[0]) . "'::bytea"; }
sub text { return 'convert_from(' . bytea($_[0]) . ", 'UTF8')"; }

# What a statement gives, and everything that it says.
sub said
{
	my ($statement) = @_;
	return Wire::said($node, 'postgres', $statement);
}

sub fails
{
	my ($statement, $pattern, $name) = @_;
	my ($out, $err) = said($statement);
	return like($err, $pattern, $name);
}

# --- Spark ----------------------------------------------------------------------------------------------------------

# The rows of a job in the shape of test/clients/spark_log.py.
my $rows = <<'SQL';
WITH RECURSIVE below AS (
	SELECT p.*, instance AS path FROM jobs.phase p WHERE job_id = JOB AND parent_id IS NULL
	UNION ALL
	SELECT p.*, b.path || '/' || CASE WHEN p.instance = '' THEN regexp_replace(p.phase_type, '\[.*', '') ELSE p.instance END
	FROM below b JOIN jobs.phase p ON p.job_id = JOB AND p.parent_id = b.phase_id
), r AS (SELECT * FROM jobs.resource WHERE job_id = JOB), epoch (f) AS (VALUES (timestamptz '2000-01-01 UTC'))
SELECT json_build_object(
	'phases', (SELECT json_agg(json_build_array(path, phase_type, (extract(epoch FROM start_time - f) * 1000000)::int8,
		(extract(epoch FROM end_time - f) * 1000000)::int8)) FROM below, epoch),
	'access', (SELECT coalesce(json_agg(json_build_array(path, r.instance)), '[]') FROM jobs.phase_resource a JOIN below USING (phase_id)
		JOIN r USING (resource_id) WHERE a.job_id = JOB),
	'blocked', (SELECT coalesce(json_agg(json_build_array(r.instance, r.resource_type, (extract(epoch FROM start_time - f) * 1000000)::int8,
		(extract(epoch FROM end_time - f) * 1000000)::int8)), '[]')
		FROM jobs.blocking_interval b JOIN r USING (resource_id), epoch WHERE b.job_id = JOB),
	'usage', (SELECT coalesce(json_agg(json_build_array(r.instance, (extract(epoch FROM start_time - f) * 1000000)::int8,
		(extract(epoch FROM end_time - f) * 1000000)::int8, usage)), '[]')
		FROM jobs.usage_measurement u JOIN r USING (resource_id), epoch WHERE u.job_id = JOB),
	'cores', (SELECT coalesce(json_agg(json_build_array(r.instance, coalesce(c.capacity, 0))), '[]')
		FROM r LEFT JOIN r AS c ON c.parent_id = r.resource_id AND c.resource_type = 'cores' WHERE r.resource_type = 'executor'))
SQL

sub sorted { return [ sort map { JSON::PP->new->encode($_) } @{ $_[0] } ]; }

# Periods of the same executors and times, with usages that differ by less than 1e-9.
sub same_usage
{
	my ($got, $expected) = @_;
	my %usage = map { join(' ', @$_[ 0 .. 2 ]) => $_->[3] } @$expected;
	return 0 if @$got != @$expected;
	return !grep { my $other = delete $usage{ join(' ', @$_[ 0 .. 2 ]) }; !defined $other || abs($other - $_->[3]) > 1e-9 } @$got;
}

# A word of the NOTICE for each of the reader's counts.
my %words = (unreadable => 'Lines that could not be read', unknown => 'Events of others than Spark left out',
	incomplete => 'Events without an id or a time left out', running_jobs => 'Jobs that have not ended and end with the log',
	running_stages => 'Stages that have not ended and end with their jobs', running_tasks => 'Tasks that have not ended left out',
	lost_stages => 'Stages of no known job left out', lost_tasks => 'Tasks of no known stage left out',
	doubled_tasks => 'Tasks with index and attempt of another one left out',
	contradictory => 'Tasks whose parts were cut to the time they took', unsized => 'Executors whose number of cores is not known');

sub same_job
{
	my ($job, $notice, $file, $name) = @_;
	my $expected = decode_json(`'$python' test/clients/spark_log.py '$file'`);
	my $got = decode_json(value($rows =~ s/JOB/$job/gr));
	subtest $name => sub {
		is_deeply(sorted($got->{$_}), sorted($expected->{$_}), $_) for ('phases', 'access', 'blocked', 'cores');
		ok(same_usage($got->{usage}, $expected->{usage}), 'usage');
		my %counts = map { $notice =~ /\Q$words{$_}\E: (\d+)/ ? ($_ => $1) : () } keys %words;
		is_deeply(\%counts, { map { $_ => $expected->{counts}{$_} } keys %{ $expected->{counts} } }, 'counts in the NOTICE');
	};
	return;
}

my $log = slurp_file("$data/spark-events.json");
my ($job, $notice) = said("SELECT jobs.import_spark('words', " . text($log) . ')');
is($job, value('SELECT max(job_id) FROM jobs.job'), 'the number of the job');
same_job($job, $notice, "$data/spark-events.json", 'the log');
is(value("SELECT concat_ws('|', model, name, started_at AT TIME ZONE 'UTC', labels) FROM jobs.job"),
	'spark|words|2023-11-14 22:13:20|{"application": "app-1", "spark_version": "3.5.1", "application_name": "wörds"}', 'the row of the job');

my $folder = PostgreSQL::Test::Utils::tempdir;
append_to_file("$folder/log", $log);
system('gzip', "$folder/log") == 0 or die 'gzip failed';
my ($packed) = said('SELECT jobs.import_spark(NULL, ' . bytea(slurp_file("$folder/log.gz")) . ')');
same_job($packed, $notice, "$data/spark-events.json", 'the log packed');
is(value("SELECT name FROM jobs.job WHERE job_id = $packed"), 'wörds', 'without a name it has that of the application');

for my $seed (1 .. 12)
{
	my $drawn = `'$python' test/clients/spark_log.py --draw $seed`;
	append_to_file("$folder/$seed", $drawn);
	my ($number, $err) = said("SELECT jobs.import_spark('drawn $seed', " . text($drawn) . ')');
	same_job($number, $err, "$folder/$seed", "drawn log $seed");
}
SKIP:
{
	skip 'no validate_job yet', 1 if value("SELECT to_regproc('jobs.validate_job') IS NULL") eq 't';
	is(value("SELECT string_agg(DISTINCT job_id || code, ' ') FROM jobs.job, jobs.validate_job(job_id) WHERE severity = 'error'"), '', 'no job has an error');
}

# --- the model ------------------------------------------------------------------------------------------------------

is(value("SELECT string_agg(phase_type || '<' || coalesce(parent_type, '') || ' ' || repeat, ', ' ORDER BY phase_type) FROM jobs.phase_type
	WHERE phase_type !~ '\\[[1-9]'"), 'application< once, compute[0]<task[0] once, deserialize[0]<task[0] once, fetch wait[0]<task[0] once, '
	  . 'gc[0]<task[0] once, getting result[0]<task[0] once, job<application sequential, result serialize[0]<task[0] once, '
	  . 'scheduler delay[0]<task[0] once, shuffle write[0]<task[0] once, stage[0]<job concurrent, task[0]<stage[0] concurrent', 'types of phases');
is(value("SELECT string_agg(before || '>' || after, ' ' ORDER BY before) FROM jobs.phase_type_precedence WHERE before ~ 'stage.[01]' OR before ~ '0' AND before < 'd'"),
	'compute[0]>gc[0] stage[0]>stage[1] stage[1]>stage[2]', 'what waits for what');
is(value("SELECT string_agg(phase_type || ' ' || resource_type || ' ' || rule || coalesce(' ' || cap, ''), ', ' ORDER BY phase_type, resource_type)
	FROM jobs.attribution_rule WHERE phase_type !~ '\\[[1-9]'"),
	'application cores none, application fetch none, application gc none, compute[0] cores greedy 1, deserialize[0] cores greedy 1, '
	  . 'fetch wait[0] fetch full, gc[0] gc full, shuffle write[0] cores sink', 'rules');
value("UPDATE jobs.attribution_rule SET rule = 'sink', cap = NULL WHERE phase_type = 'compute[0]'; DELETE FROM jobs.attribution_rule WHERE phase_type = 'gc[0]'");
my $before = value('SELECT md5(string_agg(r::text, $$ $$ ORDER BY r::text)) FROM jobs.attribution_rule AS r');
value("SELECT jobs.import_spark('again', " . text($log) . '); SELECT jobs.add_spark_model(2)');
is(value('SELECT md5(string_agg(r::text, $$ $$ ORDER BY r::text)) FROM jobs.attribution_rule AS r'), $before, 'rules that were changed stay as they are');
fails('SELECT jobs.add_spark_model(101)', qr/22023.*from 0 to 100/, 'depths have a limit');

# --- what is no log -------------------------------------------------------------------------------------------------

my $jobs = value('SELECT count(*) FROM jobs.job');
fails("SELECT jobs.import_spark('x', '$_->[0]')", $_->[1], $_->[2]) for (
	[ 'hello', qr/22P02: could not read the Spark event log.*no event of Spark in the 1 lines.*HINT:  Spark writes/s, 'text of something else' ],
	[ '', qr/22P02/, 'nothing' ],
	[ '{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}', qr/22P02.*No event of the log says when/s, 'a log without a time' ],
	[ "{\"Event\":\"SparkListenerApplicationStart\",\"App ID\":\"a\",\"Timestamp\":1}\n{\"Event\":\"SparkListenerApplicationStart\",\"App ID\":\"b\",\"Timestamp\":1}",
		qr/22P02.*Line 2.*several applications.*HINT/s, 'logs of two applications' ]);
fails("SELECT jobs.import_spark('x', '\\x28b52ffd00'::bytea)", qr/22P02.*packed with zstd.*HINT:  Unpack/s, 'another packing');
append_to_file("$folder/zeros", "\0" x 90e6);
system('gzip', "$folder/zeros") == 0 or die 'gzip failed';
fails("SELECT jobs.import_spark('x', " . bytea(slurp_file("$folder/zeros.gz")) . ')', qr/54000.*unpack to more than \d+ bytes.*HINT:  No event log packs that well/s, 'what packs too well');
fails("SELECT jobs.import_spark('x', NULL::text)", qr/22004.*"events" must not be null/, 'NULL');
is(value('SELECT count(*) FROM jobs.job'), $jobs, 'no job came of them');

# A model of that name that is somebody else's; all in a transaction that ends with the error.
my $without = q{BEGIN; DELETE FROM jobs.phase_type WHERE model = 'spark'; DELETE FROM jobs.resource_type WHERE model = 'spark'; };
fails("$without SELECT jobs.import_spark('x', " . text($log) . ')', qr/55000: the model "spark" that is there is not that of import_spark\(\).*DETAIL:  It does not have: phase type application, without a parent, phase type job, below application, container resource type executor, consumable resource type cores, blocking resource type gc, blocking resource type fetch\..*HINT:  Give import_spark\(\) the name of another one/s, 'another model of that name');
fails("BEGIN; UPDATE jobs.resource_type SET class = 'blocking' WHERE model = 'spark' AND resource_type = 'cores'; SELECT jobs.import_spark('x', " . text($log) . ')', qr/55000.*It does not have: consumable resource type cores\./s, 'or one like it');
is(value('SELECT count(*) FROM jobs.job'), $jobs, 'nothing of it was loaded');
# Then another name makes another model, with the same rows in it.
is(value(qq{BEGIN; UPDATE jobs.resource_type SET class = 'blocking' WHERE model = 'spark' AND resource_type = 'cores';
	CREATE TEMP TABLE mine AS SELECT jobs.import_spark(NULL, } . text($log) . q{, model => 'it''s "mine"') AS id;
	SELECT count(*) FROM mine, jobs.validate_job(id) WHERE severity = 'error';
	SELECT string_agg(t.name || ' ' || (t.mine = t.spark AND t.mine > 0), ', ' ORDER BY t.name) FROM (SELECT 'phase_type' AS name,
		count(*) FILTER (WHERE model = 'spark') AS spark, count(*) FILTER (WHERE model = 'it''s "mine"') AS mine FROM jobs.phase_type WHERE phase_type !~ '\\[[1-9]'
		UNION ALL SELECT 'resource_type', count(*) FILTER (WHERE model = 'spark'), count(*) FILTER (WHERE model = 'it''s "mine"') FROM jobs.resource_type) AS t; ROLLBACK}),
	"0\nphase_type true, resource_type true", 'another model beside it');
fails("SELECT jobs.import_spark('x', " . text($log) . ", model => $_->[0])", $_->[1], "no model $_->[0]") for [ "''", qr/22023.*must have a name/s ], [ 'NULL', qr/22004.*"model" must not be null/ ];

# --- usage ----------------------------------------------------------------------------------------------------------

value(q{INSERT INTO jobs.platform_model VALUES ('m'); INSERT INTO jobs.phase_type (model, phase_type) VALUES ('m', 'job');
	INSERT INTO jobs.resource_type (model, resource_type, class, unit) VALUES ('m', 'cpu', 'consumable', 'cores'), ('m', 'net', 'consumable', 'kB/s'), ('m', 'box', NULL, NULL);
	INSERT INTO jobs.job (model, name) VALUES ('m', 'usage')});
my $usage = value(q{SELECT max(job_id) FROM jobs.job});
value("INSERT INTO jobs.phase (job_id, phase_id, phase_type, start_time, end_time) VALUES ($usage, 1, 'job', '2026-11-23 09:43:27 UTC', '2026-11-23 09:43:40 UTC');
	INSERT INTO jobs.resource (job_id, resource_id, resource_type, instance, capacity) VALUES ($usage, 1, 'box', 'a', NULL), ($usage, 2, 'cpu', 'a', 2), ($usage, 3, 'net', 'eth0', 1000), ($usage, 4, 'net', 'lo', 1000)");

# Imports into a resource; the rows that came of it, times in seconds after the start of the job.
sub imported
{
	my ($resource, $text, $more) = @_;
	my $count = value("SELECT jobs.import_usage($usage, '$resource', " . text($text) . ($more // '') . ')');
	my $got = value("WITH gone AS (DELETE FROM jobs.usage_measurement WHERE job_id = $usage RETURNING *)
		SELECT count(*) || ': ' || string_agg(resource_id || ' ' || round(extract(epoch FROM start_time - timestamptz '2026-11-23 09:43:27 UTC'), 3)
		|| '-' || round(extract(epoch FROM end_time - timestamptz '2026-11-23 09:43:27 UTC'), 3) || ' ' || round(usage::numeric, 6), ', ' ORDER BY start_time) FROM gone");
	return ($got =~ /^$count:/) ? $got : "$count rows counted, $got";
}

# The output of sadf, by a reader that knows nothing but its columns.
sub sadf_rows
{
	my ($number, $name, $one, $make) = @_;
	my (@names, @rows);
	for (split /\n/, slurp_file("$data/sadf.csv"))
	{
		my @fields = split /;/;
		if (/^#/) { @names = @fields; next; }
		my %row = map { $names[$_] => $fields[$_] } 3 .. $#fields;
		next unless exists $row{$name} && $fields[1] > 0 && (!defined $one || $fields[3] eq $one);
		my $end = $fields[2] =~ /09:43:(\d+) UTC/ ? $1 - 27 : die;
		push @rows, sprintf '%d %.3f-%.3f %.6f', $number, $end - $fields[1], $end, $make->($row{$name});
	}
	return @rows . ': ' . join(', ', @rows);
}
my $sadf = slurp_file("$data/sadf.csv");
is(imported('cpu', $sadf, ', scale => 0.02'), sadf_rows(2, '%idle', '-1', sub { (100 - $_[0]) * 0.02 }), 'sadf: what all processors do');
is(imported('2', $sadf, ", series => '1', column_name => '%user'"), sadf_rows(2, '%user', '1', sub { $_[0] }), 'a column of one of them');
is(imported('net:eth0', $sadf, ", 'rxkB/s', 'eth0'"), sadf_rows(3, 'rxkB/s', 'eth0', sub { $_[0] }), 'another section');
is(imported('cpu', $sadf, ", '%memused'"), sadf_rows(2, '%memused', undef, sub { $_[0] }), 'a section without series');
# The same recording as JSON and as lines, by sadf itself; sadf-same.csv is read with the columns that it has.
my ($lines, $json) = (slurp_file("$data/sadf-same.csv"), slurp_file("$data/sadf.json"));
for my $case ([ 'cpu', '', '' ], [ 'cpu', ", 'idle', '1'", ", '%idle', '1'" ], [ 'cpu', ", 'cpu-load.user', 'all', 0.02", ", '%user', NULL, 0.02" ],
	[ 'cpu', ", 'memused-percent'", ", '%memused'" ], [ 'cpu', ", 'tps'", ", 'tps'" ], [ 'cpu', ", 'io-writes.bwrtn'", ", 'bwrtn/s'" ],
	[ 'net:eth0', ", 'net-dev.rxpck', 'lo'", ", 'rxpck/s', 'lo'" ])
{
	my $rows = imported($case->[0], $json, $case->[1]);
	like($rows, qr/^5: /, "sadf -j$case->[1]: a row for each moment");
	is($rows, imported($case->[0], $lines, $case->[2]), "  those of sadf -d$case->[2]");
}
is(imported('a', "time,value\n1795427008,0.5\n1795427009.5,1\n"), '2: 2 1.000-1.000 0.500000, 2 1.000-2.500 1.000000', 'points in time; the instance names the resource');
is(imported('cpu', "2026-11-23 10:43:28,1\n2026-11-23T09:43:29Z,2\n2026-11-23 11:43:30+02,\n2026-11-23 10:43:31,3\n"),
	'3: 2 1.000-1.000 1.000000, 2 1.000-2.000 2.000000, 2 3.000-4.000 3.000000', 'times without a zone are the session\'s');
is(imported('lo', '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"device":"lo"},"values":[[1795427008,"7"],[1795427010,"8.5"]]}]}}'),
	'2: 4 1.000-1.000 7.000000, 4 1.000-3.000 8.500000', 'Prometheus');
my $mixed = "timestamp,instance,value\n1795427008,a,1\n1795427009,b,50\n1795427010,a,1\n";
is(imported('cpu', $mixed, ", column_name => 'value', series => 'a'"), '2: 2 1.000-1.000 1.000000, 2 1.000-3.000 1.000000', 'one series of a table');
is(imported('cpu', $mixed, ", column_name => 'value', series => 'instance=b'"), '1: 2 2.000-2.000 50.000000', 'the other one, with the name of the column');
value("SELECT jobs.import_usage($usage, 'cpu', E'1795427008,0.5\\n1795427011,1.5')");
is(value("SELECT string_agg(code, ' ') FROM jobs.validate_job($usage) WHERE severity = 'error'"), '', 'the job can be analysed');

my $stored = value('SELECT count(*) FROM jobs.usage_measurement');
fails("SELECT jobs.import_usage($usage, $_->[0])", $_->[1], $_->[2]) for (
	[ "'net', '1,1'", qr/22023: job $usage has 2 consumable resources "net".*HINT:  Name one of them.*3 \(net:eth0\), 4 \(net:lo\)/s, 'a name of two resources' ],
	[ "'box', '1,1'", qr/22023: job $usage has no consumable resource "box".*HINT/s, 'a container' ],
	[ "'cpu', E'time,value\\n1795427008,1\\n1795427009,x'", qr/22P02: could not read the usage.*Line 3, column 12: this is not a number/s, 'line and column of what is no number' ],
	[ "'cpu', E'1795427008,1\\n1795427009,-1'", qr/22003.*Line 2, column 12: the usage is negative.*HINT/s, 'below 0' ],
	[ "'cpu', E'time,a,b\\n1795427008,1,2'", qr/22023.*not clear which column has the values: a, b.*HINT:  Name/s, 'columns to choose from' ],
	[ "'cpu', E'time,value\\n1795427008,1', series => 'nosuch'", qr/22023.*Line 1: there is no column of series.*HINT:  Leave the argument series out/s, 'a series where there is none' ],
	[ "'cpu', '$mixed', column_name => 'value', series => 'c'", qr/22023.*Nothing is of this series; there are a, b\W.*HINT/s, 'a series that is not there' ],
	[ "'cpu', '$mixed', column_name => 'value'", qr/22023.*Line 3, column 12: there is more than one series.*HINT:  Name one of them/s, 'no series of two' ],
	[ "'cpu', '{\"status\":\"success\"}', column_name => 'nosuch'", qr/22023.*has no columns.*HINT:  Leave column_name out/s, 'a column of Prometheus' ],
	[ "'cpu', E'2026-02-30 02:00:01,100\\n2026-03-01 02:00:02,2\\n'", qr/22P02.*Line 1, column 1: this is not a time.*HINT:  Times are/s, 'a first row that cannot be read' ],
	[ "'cpu', E'hello'", qr/22023/, 'text of something else' ],
	[ "'cpu', NULL", qr/22004.*"csv" must not be null/, 'NULL' ],
	[ "'cpu', '1,1', scale => 0", qr/22023.*scale must be positive/, 'a scale of 0' ]);
fails("SELECT jobs.import_usage(0, 'cpu', '1,1')", qr/22023: there is no job 0/, 'no such job');
is(value('SELECT count(*) FROM jobs.usage_measurement'), $stored, 'nothing came of them');

# --- rights ---------------------------------------------------------------------------------------------------------

value("CREATE ROLE loader; CREATE ROLE reader; SELECT jobs.grant_access('loader', 'loader'), jobs.grant_access('reader', 'reader')");
fails("SET ROLE reader; SELECT jobs.import_spark('x', " . text($log) . ')', qr/42501/, 'a reader may not import');
like((said("SET ROLE loader; SELECT jobs.import_spark('x', " . text($log) . ')'))[0], qr/^\d+$/, 'a loader may');
is(value("SELECT count(*) FROM jobs.job WHERE name = 'x'"), '1', 'that is all that came of it');

done_testing();
