# The page of a job: its rows are those of the analyses, Python reads it, its pictures are those that the functions of
# pictures draw, jobs that have little have pages, too; no setting changes a byte, no name becomes markup, nobody sees more
# than through the tables; and Chromium shows it at all widths, in the dark and on paper.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Browser;
use Jobs;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Jobs::create($db);
Jobs::fill($db);
$db->run('UPDATE jobs.usage_measurement SET usage = least(4, 1.4 * usage) WHERE resource_id = 2');
my %known = map { $_ => 1 } qw(html head meta title style script body header h1 p nav ol li a main h2 h3 h4 h5 dl dt dd div figure figcaption table caption thead tbody tr th td span code details summary footer
  svg g rect text path circle line polyline polygon desc defs pattern tspan clippath metadata section button input label wbr);

# What store_pages.py reads of a page (069_store_pages.pl), which has known elements only and links that lead somewhere.
sub page
{
	my ($sql, $as) = @_;
	my $html = ($as // $db)->value("SELECT $sql");
	unlink "$dir/page.html";
	append_to_file("$dir/page.html", $html);
	my $perl = `/usr/bin/python3 $FindBin::RealBin/store_pages.py $dir/page.html`;
	is($?, 0, "a page: $sql");
	utf8::decode($perl);
	my $page = eval $perl or die $@;
	$page->{html} = $html;
	is_deeply([ grep { !$known{$_} } sort keys %{ $page->{tags} } ], [], '... of elements that are known');
	is_deeply($page->{handlers}, [], '... without attributes that run or load anything');
	my %ids = map { $_ => 1 } @{ $page->{ids} };
	is_deeply([ grep { !$ids{$_} } @{ $page->{links} } ], [], '... whose links lead somewhere');
	is(scalar(keys %ids), scalar @{ $page->{ids} }, '... and no id is there twice');
	like($html, qr/default-src 'none'/, '... with a policy');
	return $page;
}

# The rows of the table with a caption, as lists of columns; exact ones by "name!".
sub rows_of
{
	my ($page, $caption, @columns) = @_;
	my ($table) = grep { $_->{caption} =~ /^$caption/ } @{ $page->{tables} };
	return undef if !$table;
	return [ map { my $row = $_; [ map { my $name = $_; $name =~ s/!$// ? exact($row->{"$name exact"}, $row->{$name}) : $row->{$name} } @columns ] } @{ $table->{rows} } ];
}

sub exact { my ($exact, $text) = @_; return $text eq '-' ? undef : ($exact =~ /^(-?[\d.]+(?:e[-+]\d+)?)/)[0] + 0; }

sub numbers { my ($rows, @at) = @_; for my $row (@$rows) { $row->[$_] = defined $row->[$_] ? $row->[$_] + 0 : undef for @at; } return $rows; }

# Rows that agree but for what a decimal fraction loses.
sub same_rows
{
	my ($got, $expected, $name) = @_;
	my @bad;
	for my $i (0 .. ($#$got > $#$expected ? $#$got : $#$expected))
	{
		my ($g, $e) = ($got->[$i] // [], $expected->[$i] // []);
		for my $c (0 .. ($#$g > $#$e ? $#$g : $#$e))
		{
			my ($x, $y) = map { $_->[$c] // '-' } $g, $e;
			push @bad, "row $i, column $c: $x, not $y" if $x ne $y && !("$x $y" !~ /[^-\d.e+ ]/ && abs($x - $y) <= 1e-12 * (1 + abs $y));
		}
	}
	is_deeply(\@bad, [], $name);
	return;
}

# --- its rows are those of the analyses ------------------------------------------------------------------------------------

my $page = page('jobs.report_html(1)');
is($page->{title}, 'Job 1: first', 'the title');
is_deeply([ map { $_->{text} } @{ $page->{headings} } ], [ 'What costs most', 'What would help', 'Where', 'When', 'Who uses it', 'Whose' ], 'the order: what, where, when, whose');
my %facts = %{ $page->{facts} };
is_deeply([ @facts{ 'Job', 'Platform', 'Began', 'Took', 'Phases', 'Resources', 'Labels' } ], [ '1, first', 'p\\"1: a platform', '2026-01-01 00:00:00 UTC', '1.67 min', '7 of 4 types',
	'2 consumable with 20 measurements, 1 blocking with 3 intervals, 1 that contain them', '{"night": 1}' ], 'facts');
my $warnings = $db->value(q{SELECT coalesce(string_agg(code || ': ' || n, ', ' ORDER BY code), 'none') FROM (SELECT code, count(*) AS n FROM jobs.validate_job(1) GROUP BY 1) AS v});
is($facts{Warnings}, $warnings, 'warnings of validate_job()');

my @issue = ('Rank!', 'Issue', 'Source', 'Costs at most!', 'Share!');
my $shown = sub { my ($rows) = @_; for my $row (@$rows) { for my $value (grep { defined } @$row) { utf8::decode($value); $value =~ s/\s+/ /g; } } return $rows; };
my $issues = $shown->($db->rows('SELECT rank, issue, source, estimated_impact, relative_impact FROM jobs.performance_issues(1) WHERE phase_id = 1 ORDER BY rank'));
cmp_ok(scalar @$issues, '>', 2, 'there are issues of all kinds');
same_rows(rows_of($page, 'Issues of the whole job', @issue), numbers($issues, 0, 3, 4), 'issues of the job are those of performance_issues()');
my $name = q{p.phase_type || CASE p.instance WHEN '' THEN '' ELSE ' ' || p.instance END};
my $parts = $shown->($db->rows(qq{SELECT $name, p.phase_id, rank, issue, source, estimated_impact, relative_impact FROM jobs.performance_issues(1) AS i JOIN jobs.phase AS p USING (phase_id) WHERE p.job_id = 1 AND p.phase_id <> 1 ORDER BY estimated_impact DESC, p.phase_id, rank}));
same_rows(rows_of($page, 'Issues of phases below', 'Phase', 'Number!', @issue), numbers($parts, 1, 2, 5, 6), '... and so are those of its parts');

sub makespan { return $db->value('SELECT extract(epoch FROM end_time - start_time)::float8 FROM jobs.simulate(1, ' . Wire::literal($_[0]) . ') WHERE phase_id = 1'); }
my $changes = rows_of($page, 'How long the job takes', 'simulate()', 'Replay takes!', 'Gain!', 'Share!', 'Estimate!');
my %estimate = map { ($_->[1] eq 'bottleneck' ? qq({"remove": "$_->[2]"}) : qq({"balance": "$_->[2]"})) => $_->[3] } @$issues;
same_rows($changes, [ map { my $change = $_->[0]; utf8::encode($change); my $s = makespan($change); [ $_->[0], $s, 100 - $s, (100 - $s) / 100, $estimate{ $_->[0] =~ s/\\t/ /r } ] } @$changes ], 'replays are those of simulate()');
same_rows(numbers($shown->($db->rows('SELECT change, makespan, gain, relative_gain, estimated_impact FROM jobs.replays(1) ORDER BY n')), 1 .. 4), $changes, '... and replays() has them');
my %proposed = map { $_->[0] => 1 } @$changes;
is_deeply([ grep { !$proposed{$_} } '{}', map { qq({"remove": "$_->[2]"}) } grep { $_->[1] eq 'bottleneck' } @$issues ], [], 'one for each bottleneck, and the job as it was');
is(scalar(grep { /balance/ } keys %proposed), scalar(grep { $_->[1] eq 'imbalance' && $_->[2] =~ /^Work/ } @$issues), '... for the imbalance of what runs at a time');
cmp_ok(scalar(grep { /scale/ } keys %proposed), '>=', 1, '... and for what takes long');
my ($best) = sort { $a->[1] <=> $b->[1] } grep { defined $_->[4] } @$changes;
my $seconds = sub { return $db->value('SELECT format_value(' . $_[0] . ", 'seconds')"); };
like($page->{subtitle}, qr/^It took 1\.67 min, of which \Q@{[ $seconds->($issues->[0][3]) ]}\E at most \([\d.]+ %\) are lost to .*\Q$issues->[0][2]\E.* a replay takes \Q@{[ $seconds->($best->[1]) ]}\E, which gains most of all issues that are mended\.$/, 'the verdict: what it costs, what would help');

my $longer = $shown->($db->rows(qq{SELECT $name, s.phase_id, duration, median, ratio, duration - median FROM jobs.stragglers(1) AS s JOIN jobs.phase AS p USING (phase_id) WHERE p.job_id = 1 ORDER BY duration - median DESC, phase_id}));
cmp_ok(scalar @$longer, '>', 0, 'there are stragglers');
same_rows(rows_of($page, 'Phases that take much longer', 'Phase', 'Number!', 'Took!', 'Median!', 'Ratio!', 'Longer by!'), numbers($longer, 1 .. 5), 'stragglers are those of stragglers()');

# --- its pictures ------------------------------------------------------------------------------------------------------------

# Pictures, without the bars in tables; and the tooltips of one, whatever its ids.
sub pictures { return $_[0]->{html} =~ /<figure[^>]*>\s*(<svg .*?<\/svg>)/gs; }
sub titles { return join '|', sort $_[0] =~ /<title>(.*?)<\/title>/gs; }
my @pictures = pictures($page);
is(scalar @pictures, 4, 'the chart, what limits the job, what limits a part, a usage');
my $resource = $db->value(q{SELECT resource_id FROM jobs.leaf_bottlenecks(1) AS b JOIN jobs.resource AS r USING (resource_id) WHERE r.job_id = 1 AND r.resource_type = 'cpu' GROUP BY 1 ORDER BY sum(b.end_time - b.start_time) DESC LIMIT 1});
my ($part) = map { $_->[1] } grep { $db->value("SELECT count(*) FROM jobs.phase WHERE job_id = 1 AND parent_id = $_->[1]") > 0 } @$parts;
for my $row ([ 1, 'jobs.bottleneck_report_svg(1)' ], [ 2, "jobs.bottleneck_report_svg(1, $part)" ], [ 3, "jobs.usage_svg(1, $resource)" ])
{
	is(titles($pictures[ $row->[0] ]), titles($db->value("SELECT $row->[1]")), "the picture of $row->[1]");
}
like($page->{html}, qr/Of all that is measured cpu costs the job most, .* at most; this one limits leaves for the longest, /, 'why this resource');
like($page->{html}, qr/Of the phases that have parts [^<]* loses most: /, 'why this phase');
my $other = page(q{jobs.report_html(1, '{"phase": 4, "resource": 4, "changes": [{"scale": ["Load", 0.25]}], "threshold": 5, "rows": 1, "instances": true, "theme": "dark"}')});
@pictures = pictures($other);
is(titles($pictures[2]), titles($db->value('SELECT jobs.bottleneck_report_svg(1, 4)')), 'another phase');
is(titles($pictures[3]), titles($db->value('SELECT jobs.usage_svg(1, 4)')), 'another resource');
same_rows(rows_of($other, 'How long the job takes', 'simulate()', 'Replay takes!'), [ [ '{}', 100 ], [ '{"scale": ["Load", 0.25]}', makespan('{"scale": ["Load", 0.25]}') ] ], 'other changes');
is(rows_of($other, 'Phases that take much longer'), undef, 'another threshold, and no stragglers');
is(scalar @{ rows_of($other, 'Issues of the whole job', 'Rank!') }, 1, 'fewer rows');
like($other->{html}, qr/Issues of the whole job; the first 1 of \d+, performance_issues\(\) has them all/, '... and it says so');
like($pictures[0], qr/Step 0/, 'a chart with names');
my $coarse = page(q{jobs.report_html(1, '{"slice": "20 s", "sampling": "constant", "delta": 0.5, "predicate": "all", "use_greedy": false, "use_blocking": false}')});
my $arguments = q{'20 s', NULL, 'constant', 0.5, 'all', false, false};
same_rows(rows_of($coarse, 'Issues of the whole job', @issue), numbers($shown->($db->rows("SELECT rank, issue, source, estimated_impact, relative_impact FROM jobs.performance_issues(1, $arguments) WHERE phase_id = 1 ORDER BY rank")), 0, 3, 4), 'the arguments of analyses');
@pictures = pictures($coarse);
is(titles($pictures[1]), titles($db->value("SELECT jobs.bottleneck_report_svg(1, NULL, $arguments)")), '... of pictures, too');

# --- where: each machine its lane --------------------------------------------------------------------------------------------

$db->run(<<'SQL');
INSERT INTO jobs.job (job_id, model, name) VALUES (50, E'p\\"1', 'machines');
INSERT INTO jobs.phase SELECT 50, phase_id, parent_id, phase_type, instance, start_time, end_time FROM jobs.phase WHERE job_id = 1;
INSERT INTO jobs.resource (job_id, resource_id, parent_id, resource_type, instance, capacity) VALUES (50, 10, NULL, 'machine', 'cluster', NULL), (50, 1, 10, 'machine', 'a', NULL), (50, 2, 10, 'machine', 'b', NULL), (50, 3, 1, 'cpu', '', 1), (50, 4, 2, 'cpu', '', 1), (50, 5, NULL, 'lock', 'free', NULL);
INSERT INTO jobs.phase_resource VALUES (50, 2, 5), (50, 5, 3), (50, 6, 2), (50, 7, 1), (50, 7, 4);
SQL
is_deeply({ map { ($_->[0] => $_->[1]) } @{ $db->rows('SELECT phase_id, place FROM jobs.phase_places(50)') } }, { 1 => undef, 2 => 'lock free', 3 => undef, 4 => undef, 5 => 'machine a', 6 => 'machine b', 7 => undef }, 'phases are where their resources are');
is_deeply($db->rows('SELECT array_to_string(frames, $$;$$), start_at, stop_at, place FROM jobs.chart_rows(50, false) ORDER BY 2, 3, 1'),
	[ [ 'Job;Load', 0, 20, 'lock free' ], [ "Job;Step;Work\t\xc3\xa9", 20, 50, 'machine a' ], [ "Job;Step;Work\t\xc3\xa9", 20, 60, 'machine b' ], [ "Job;Step;Work\t\xc3\xa9", 60, 100, undef ] ], 'leaves over time, by machine')
  or diag explain $db->rows('SELECT array_to_string(frames, $$;$$), start_at, stop_at, place FROM jobs.chart_rows(50, false) ORDER BY 2, 3, 1');
like((pictures({ html => $db->value('SELECT jobs.report_html(50)') }))[0], qr/machine a.*machine b/s, 'machines are the lanes of the chart');
$db->run(q{UPDATE jobs.resource SET instance = 'a' WHERE job_id = 50 AND resource_id = 2});
is($db->value('SELECT string_agg(place, $$,$$ ORDER BY phase_id) FROM jobs.phase_places(50) WHERE phase_id IN (5, 6)'), 'machine a (1),machine a (2)', 'machines of one name are told apart');

# --- an order that is not that of numbers --------------------------------------------------------------------------------------

# Of two stragglers the second one loses more, though the first one is the one of the larger ratio; of two resources of a
# type the second one limits leaves for longer, though the first one is measured more often.
$db->run(<<'SQL');
INSERT INTO jobs.job (job_id, model, name) VALUES (53, E'p\\"1', 'order');
INSERT INTO jobs.phase SELECT 53, v.id, v.parent, v.type, v.instance, timestamptz '2026-01-01 UTC' + v.s * interval '1 s', timestamptz '2026-01-01 UTC' + v.e * interval '1 s'
FROM (SELECT * FROM (VALUES (1, NULL, 'Job', '', 0, 130), (2, 1, 'Step', '0', 0, 40), (3, 1, 'Step', '1', 40, 130)) AS v (id, parent, type, instance, s, e)
	UNION ALL SELECT 9 + i, 2, E'Work\té', 'a' || i, 0, CASE i WHEN 4 THEN 30 ELSE 10 END FROM generate_series(1, 4) AS i
	UNION ALL SELECT 19 + i, 3, E'Work\té', 'b' || i, 40, CASE i WHEN 4 THEN 130 ELSE 90 END FROM generate_series(1, 4) AS i) AS v;
INSERT INTO jobs.resource (job_id, resource_id, parent_id, resource_type, instance, capacity) VALUES (53, 1, NULL, 'machine', 'a', NULL), (53, 2, NULL, 'machine', 'b', NULL), (53, 3, 1, 'cpu', '', 1), (53, 4, 2, 'cpu', '', 1);
INSERT INTO jobs.phase_resource SELECT 53, p, CASE WHEN p < 20 THEN 3 ELSE 4 END FROM jobs.phase AS h, LATERAL (SELECT h.phase_id AS p) AS x WHERE h.job_id = 53 AND h.phase_id >= 10;
INSERT INTO jobs.usage_measurement SELECT 53, r, timestamptz '2026-01-01 UTC' + s * interval '10 s', timestamptz '2026-01-01 UTC' + (s + w) * interval '10 s', CASE WHEN r = 3 AND s < 1 OR r = 4 AND s >= 5 THEN 1 ELSE 0.2 END
FROM (SELECT 3 AS r, i / 2.0 AS s, 0.5 AS w FROM generate_series(0, 25) AS i UNION ALL SELECT 4, i, 1 FROM generate_series(0, 12) AS i) AS v;
SQL
my $order = page('jobs.report_html(53)');
is_deeply([ map { $_->[0] } @{ numbers(rows_of($order, 'Phases that take much longer', 'Number!'), 0) } ], [ 23, 3, 13 ], 'stragglers by how much longer they take: 40 s, 25 s, 20 s');
@pictures = pictures($order);
my ($first, $second) = map { titles($db->value("SELECT jobs.usage_svg(53, $_)")) } 3, 4;
isnt($first, $second, 'two resources, two pictures');
is_deeply([ map { titles($_) eq $first ? 3 : titles($_) eq $second ? 4 : () } @pictures ], [4], 'the usage is that of the resource which limits leaves for longer');

# --- jobs that have little ---------------------------------------------------------------------------------------------------

$db->run(<<'SQL');
CREATE TEMP TABLE rule AS SELECT * FROM jobs.issue_rule;
DELETE FROM jobs.issue_rule;
INSERT INTO jobs.job (job_id, model) VALUES (51, E'p\\"1'), (52, E'p\\"1');
INSERT INTO jobs.phase VALUES (51, 1, NULL, 'Job', '', '2026-01-01 UTC', '2026-01-01 UTC'), (52, 1, NULL, 'Job', '', '2026-01-01 UTC', '2026-01-01 00:00:08 UTC');
INSERT INTO jobs.resource VALUES (52, 1, NULL, 'cpu', '', 4);
SQL
my $bare = page('jobs.report_html(51)');
is($bare->{subtitle}, 'It took 0 s, and no issue was found.', 'a job of one phase that took no time');
like($bare->{html}, qr/$_/, "it says: $_") for 'No issue of the whole job was found', 'The job has no resources', 'No phase takes much longer';
like(page('jobs.report_html(52)')->{html}, qr/Nothing is measured of any resource/, 'a resource of which nothing was measured');
$db->run(q{INSERT INTO jobs.usage_measurement VALUES (52, 1, '2026-01-01 UTC', '2026-01-01 00:00:08 UTC', 1)});
like(page('jobs.report_html(52)')->{html}, qr/This resource is used most: 25\.0 % of its capacity/, 'one that limits nothing');
$db->run('INSERT INTO jobs.issue_rule SELECT * FROM rule');

# --- what is refused ---------------------------------------------------------------------------------------------------------

is($db->sqlstate("SELECT jobs.report_html($_)"), $db->sqlstate("SELECT count(*) FROM jobs.performance_issues($_)"), "no such job: $_, as the analyses say") for 99, 'NULL';
is($db->sqlstate("SELECT jobs.report_html(1, '$_')"), '22023', "22023: $_")
  for '[]', '1', '{"colour": 1}', '{"rows": 0}', '{"rows": 1001}', '{"rows": 1.5}', '{"rows": "1"}', '{"rows": 1e400}', '{"phase": 999}', '{"phase": 99999999999999999999}', '{"phase": null}', '{"resource": 99}', '{"resource": 3}', '{"theme": "x"}', '{"theme": 1}',
  '{"changes": {}}', '{"changes": [1]}', '{"changes": [{"remove": "x"}]}', '{"sampling": "x"}', '{"sampling": "linear"}', '{"delta": 2}', '{"predicate": "x"}', '{"threshold": -1}', '{"use_greedy": 1}', '{"slice": 1}', '{"instances": "yes"}';
like($db->sqlstate(qq{SELECT jobs.report_html(1, '{"$_"}')}), qr/^22/, "an error: $_") for 'slice": "x', 'origin": "x', 'slice": "-1 s';
is($db->value(q{SELECT jobs.report_html(1, NULL)}), $page->{html}, 'null: no options');

# --- same bytes ----------------------------------------------------------------------------------------------------------------

my $all = q{SELECT md5(jobs.report_html(1)), md5(jobs.report_html(2, '{"slice": "1 s", "origin": "2026-01-01 00:00:00"}'))};
my $bytes = $db->row($all);
is_deeply($db->row($all), $bytes, 'twice the same');
$db->run(q{SET timezone = 'Asia/Tokyo'; SET extra_float_digits = -10; SET DateStyle = 'German, DMY'; SET IntervalStyle = 'iso_8601'; SET search_path = ''; SET standard_conforming_strings = off; SET bytea_output = 'escape'});
is_deeply($db->row($all), $bytes, 'under other settings');
$db->run('RESET ALL');

# --- who may: no more than through the tables ------------------------------------------------------------------------------------

$db->run("CREATE ROLE reads LOGIN; CREATE ROLE other LOGIN; CREATE ROLE few LOGIN; SELECT jobs.grant_access('reads', 'reader'), jobs.grant_access('few', 'reader')");
my %as = map { $_ => Wire->connect($node, 'postgres', user => $_) } qw(reads other few);
is_deeply($as{reads}->row($all), $bytes, 'a reader sees the same');
is($as{other}->sqlstate('SELECT jobs.report_html(1)'), '42501', 'others may not');
$db->run("ALTER TABLE jobs.$_ ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON jobs.$_ TO few USING (job_id <> 2); CREATE POLICY q ON jobs.$_ TO reads USING (true)") for qw(job phase resource phase_resource usage_measurement blocking_interval);
is_deeply([ $as{few}->value('SELECT md5(jobs.report_html(1))'), $as{few}->sqlstate('SELECT jobs.report_html(2)') ], [ $bytes->[0], $db->sqlstate('SELECT jobs.report_html(99)') ], 'where rows are hidden, the job is not there');
$db->run('CREATE POLICY r ON jobs.usage_measurement AS RESTRICTIVE TO few USING (resource_id <> 2)');
like($as{few}->value('SELECT jobs.report_html(1)'), qr/2 consumable with 10 measurements/, '... and neither are measurements');

# --- names that mean harm ----------------------------------------------------------------------------------------------------------

my $bad = q{</title></script><script>alert(1)</script><img src=x onerror=alert(1)>"' onload=alert(1) ]]> &#0; javascript:alert(1) } . "\xE2\x80\xAE\x01";
my $quoted = "\$bad\$$bad\$bad\$";
$db->run("SET session_replication_role = replica; UPDATE jobs.$_") for "platform_model SET model = model || $quoted, description = $quoted",
  "phase_type SET model = model || $quoted, phase_type = phase_type || $quoted, parent_type = parent_type || $quoted, description = $quoted",
  "phase_type_precedence SET model = model || $quoted, before = before || $quoted, after = after || $quoted",
  "resource_type SET model = model || $quoted, resource_type = resource_type || $quoted, parent_type = parent_type || $quoted, unit = $quoted, description = $quoted",
  "attribution_rule SET model = model || $quoted, phase_type = phase_type || $quoted, resource_type = resource_type || $quoted", "issue_rule SET rule = $quoted",
  "job SET model = model || $quoted, name = $quoted, labels = jsonb_build_object(left($quoted, -1), left($quoted, -1))",
  "phase SET phase_type = phase_type || $quoted, instance = instance || $quoted", "resource SET resource_type = resource_type || $quoted, instance = instance || $quoted";
my $harm = page('jobs.report_html(1)');
unlike($harm->{html}, qr/<script>alert|<img|\xE2\x80\xAE|\x01/, 'no name became markup, or deceives');
is($harm->{tags}{$_}, $page->{tags}{$_}, "as many as without: $_") for qw(script style table details svg);
is(scalar @{ rows_of($harm, 'Issues of the whole job', 'Rank!') }, scalar @$issues, 'as many issues');
like($harm->{title}, qr/<\/title><\/script><script>alert\(1\)/, 'names are shown as they are');

# --- in Chromium -----------------------------------------------------------------------------------------------------------------------

append_to_file("$dir/report.html", $page->{html});
append_to_file("$dir/hostile.html", $harm->{html});
append_to_file("$dir/bare.html", $bare->{html});
subtest 'in Chromium' => sub {
	Browser::install('browser', $dir, 120);
	Browser::run('job.mjs', $dir);
};

$_->close for $db, values %as;
$node->stop;
done_testing();
