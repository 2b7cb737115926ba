# Text of perf script with every choice of fields, from samples that are known: what is read is right, and what is not
# clear is refused. Then recordings of the perf that this machine has, printed with many choices of fields.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('perf');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\nmax_parallel_workers_per_gather = 0");
$node->start;
sub value { return Wire::answer($node, 'postgres', $_[0]); }

my ($python) = grep { -x $_ } '/usr/bin/python3', '/usr/local/bin/python3';
$python //= 'python3';
my $folder = PostgreSQL::Test::Utils::tempdir();
chmod 0755, $folder;
value('CREATE EXTENSION flamegraph');

# The profiles of a text as the truth has them, or the error.
value(<<'SQL');
CREATE FUNCTION profiles_of(recording text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT jsonb_agg(jsonb_build_array(name, complete::text) ORDER BY name)
			FROM read_recording(convert_to(recording, 'UTF8'), 'perf'));
EXCEPTION WHEN OTHERS THEN
	RETURN to_jsonb(SQLERRM || ' ' || SQLSTATE);
END $$;
CREATE FUNCTION canonical(truth jsonb) RETURNS jsonb RETURN
	(SELECT jsonb_agg(jsonb_build_array(profile->>0, flamegraph_from_folded(profile->>1)::text) ORDER BY profile->>0)
	 FROM jsonb_array_elements(truth) AS profile);
CREATE TABLE choice (fact jsonb);
SQL


# Reads each line of JSON of a file; what is right, what had to be read, and how the rest is refused.
sub check_choices
{
	my ($what, $file) = @_;
	my $read = "jsonb_typeof(got) = 'array'";
	value('DROP TABLE IF EXISTS result; TRUNCATE choice');
	value("COPY choice FROM '$file' (FORMAT csv, QUOTE e'\\x01', DELIMITER e'\\x02')");
	value(<<'SQL');
CREATE TABLE result AS
SELECT fact->>'fields' AS fields, (fact->>'must')::boolean AS must, profiles_of(fact->>'text') AS got, canonical(fact->'truth') AS truth,
	fact->>'text' AS recording
FROM choice;
SQL
	is(value("SELECT fields || e'\\n' || left(recording, 2000) || (got::text) FROM result WHERE $read AND got <> truth LIMIT 1"), '',
		"$what: what is read is right");
	is(value("SELECT fields || e'\\n' || left(recording, 2000) || (got::text) FROM result WHERE must AND NOT $read LIMIT 1"), '',
		"$what: what says enough is read");
	is(value("SELECT got FROM result WHERE NOT $read AND got #>> '{}' NOT LIKE 'could not read the recording in format \"perf\"% 22P02' LIMIT 1"), '',
		"$what: everything else is an error of the recording");
	note("$what: " . value("SELECT format('%s read, %s refused', count(*) FILTER (WHERE $read), count(*) FILTER (WHERE NOT $read)) FROM result"));
	return value('SELECT count(*) FROM result');
}

system("$python test/t/perf_matrix.py >$folder/choices") == 0 or die 'perf_matrix.py failed';
cmp_ok(check_choices('every choice', "$folder/choices"), '>', 10000, 'choices of fields');

SKIP:
{
	system('perf --version >/dev/null 2>&1') == 0 or skip('no perf on this machine (Debian: linux-perf)', 4);
	my $status = system("$python test/t/perf_recorded.py $folder >$folder/recorded") >> 8;
	skip('perf cannot record on this machine', 4) if $status == 2;
	is($status, 0, 'perf recorded');
	cmp_ok(check_choices('recorded', "$folder/recorded"), '>', 50, 'choices of fields');
}

done_testing();
