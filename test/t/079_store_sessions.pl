# What a session is set to has no say in what the store keeps and answers: its time zone and how it writes times and numbers, in the
# days when clocks are put back; and its isolation level, while others load and compact.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);
$db->run(q{INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('%', NULL, NULL, NULL, NULL)});

# In India times are written with IST, which PostgreSQL reads as Israel's. Numbers have one digit.
my $odd = Wire->connect($node, 'postgres');
$odd->run(q{SET TimeZone = 'Asia/Kolkata'; SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'sql_standard'; SET extra_float_digits = -15; SET bytea_output = 'escape';
	SET standard_conforming_strings = off; SET escape_string_warning = off});

# --- what is stored -------------------------------------------------------------------------------------------------------------

my $days = q{SELECT count(*), count(*) FILTER (WHERE to_timestamp(regexp_replace(c.relname, '.*_', '') || CASE parent WHEN 'profile_data' THEN '01' ELSE '' END, CASE parent WHEN 'incoming' THEN 'YYYYMMDDHH24' ELSE 'YYYYMMDD' END) <> b.since
		OR b.until <> b.since + CASE parent WHEN 'incoming' THEN interval '1 hour' WHEN 'block' THEN interval '1 day' ELSE interval '1 month' END)
	FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid, LATERAL (SELECT i.inhparent::regclass::text AS name) AS p, LATERAL (SELECT replace(p.name, 'profiling.', '') AS parent) AS o,
		LATERAL (SELECT (t.parts)[1]::timestamptz AS since, (t.parts)[2]::timestamptz AS until FROM regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']+)''\) TO \(''([^'']+)''\)') AS t (parts)) AS b
	WHERE c.relkind = 'r' AND c.relname ~ '_[0-9]+$' AND i.inhparent::regclass::text IN ('profiling.profile_data', 'profiling.block', 'profiling.incoming')};
$odd->run('CALL profiling.maintain()');
$odd->run('CALL profiling.compact()');
my $partitions = $db->row($days);
cmp_ok($partitions->[0], '>=', 4 + 25 + 1, 'a session in India makes partitions');
is($partitions->[1], 0, '... that begin and end with the hours, days and months of UTC');

# Repeated loads are recognised by all digits of the numbers.
my $points = q{SELECT profiling.import_observations('points', ARRAY['f', 'f', 'f'], ARRAY[1, 2, 3], ARRAY[0.1 + 1e-15, 1.0 / 3, %s], started_at => '2020-01-01 UTC')};
is($db->value(sprintf $points, '2.0 / 3'), 3, 'points are loaded');
is($odd->value(sprintf $points, '2.0 / 3'), 0, '... and known when a session that writes fewer digits loads them again');
is($odd->value(sprintf $points, '0.6666'), 3, '... but others that it writes alike are not');

# Patterns and baselines are what they are, whatever a backslash means to the session.
for my $table (q{retention (service) VALUES ('shop-%')}, q{service_watch (service, baseline) VALUES ('shop-%', 'season:7 days*4')}, q{watch (benchmark, options) VALUES ('quick-%', '{"history": 20}')})
{
	is($odd->sqlstate("INSERT INTO profiling.$table"), 'no error', 'a row of ' . $table =~ s/ .*//r);
}
is($_->sqlstate(q{INSERT INTO profiling.retention (service) VALUES (E'shop\\\\')}), '22025', 'but no pattern that ends in a backslash') for $db, $odd;
is($odd->sqlstate(q{SELECT profiling.selection_time('{"since": "soon"}', 'since')}), '22023', '... and no word in the place of a time');
is($db->value(q{SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
	WHERE p.pronamespace = 'profiling'::regnamespace AND l.lanname = 'plpgsql' AND regexp_replace(p.prosrc, $$(--[^\n]*|E'[^']*'(\s*\n\s*'[^']*')*)$$, '', 'g') ~ '\\\\'
		AND NOT 'standard_conforming_strings=on' = ANY (p.proconfig)}), undef, '... as every function says that has backslashes in its text');

# A sample is worth a sixth in the mean of six repetitions.
$db->run(q{SELECT profiling.import_flamegraph('six', fg => format(E'main;a %s\nmain;b %s', 100 + (n * 7) % 5, CASE WHEN n < 8 THEN 50 ELSE 90 END + n % 3)::flamegraph, started_at => timestamptz '2020-01-01 UTC' + n * interval '1 day', repetition => r)
	FROM generate_series(1, 8) AS n, generate_series(1, 6) AS r});
my $scores = q{SELECT string_agg(encode(float8send(score), 'hex'), ' ' ORDER BY n) FROM profiling.report('six') WITH ORDINALITY AS r (i1, i2, i3, i4, i5, i6, i7, i8, i9, score, i11, i12, n)};
is($odd->value($scores), $db->value($scores), 'reports compute with all digits');

is($db->value(q{SELECT count(*) FROM profiling.check()}), 0, 'nothing is wrong in the end');

done_testing();
