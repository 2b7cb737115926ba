# Pages and pictures of the store: their numbers are those of report() and of the views, all that appendix B of Lundberg and
# Rettig (2024) has is there, no name becomes markup, no setting changes a byte, and stores that have little have pages, too.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph; CREATE EXTENSION flamegraph_store');

# Tables of a page, and its texts: Python's parser of HTML, which shares nothing with what writes the page.
#   { title, subtitle, headings => [], facts => { name => value }, tables => [ { part, rows => [ { head => text, ... } ] } ], tags => {}, links => [], ids => [] }
sub page
{
	my ($sql, $as) = @_;
	my $html = ($as // $db)->value("SELECT $sql");
	open my $out, '>:encoding(UTF-8)', "$dir/page.html" or die;
	print $out $html;
	close $out;
	my $perl = `/usr/bin/python3 $FindBin::RealBin/store_pages.py $dir/page.html`;
	is($?, 0, "a page: $sql");
	utf8::decode($perl);
	my $page = eval $perl or die $@;
	$page->{html} = $html;
	return $page;
}

# Known elements only; links lead somewhere; one policy; no attribute of events.
sub sound
{
	my ($page, $name) = @_;
	my %known = map { $_ => 1 } qw(html head meta title style script body header h1 p nav ol li a main h2 h3 h4 h5 dl dt dd div figure figcaption table caption thead tbody tr th td span code details summary footer
	  svg g rect text path circle line polyline polygon desc defs pattern tspan clippath metadata section button input label wbr);
	is_deeply([ grep { !$known{$_} } sort keys %{ $page->{tags} } ], [], "$name: only elements that are known");
	is_deeply($page->{handlers}, [], "$name: no attribute that runs or loads anything");
	my %ids = map { $_ => 1 } @{ $page->{ids} };
	is_deeply([ grep { !$ids{$_} } @{ $page->{links} } ], [], "$name: links lead somewhere");
	is(scalar(keys %ids), scalar @{ $page->{ids} }, "$name: no id twice");
	is($page->{tags}{meta} >= 1 && $page->{html} =~ /default-src 'none'/ ? 1 : 0, 1, "$name: a policy");
}

# --- an empty store ---------------------------------------------------------------------------------------------------------

my $empty = page('profiling.night_html()');
sound($empty, 'empty');
is($empty->{subtitle}, 'There are no runs.', 'an empty store says that it is');
for my $call ('report_html(1)', 'report_html(NULL::bigint)', q{report_html(1, options => '{"runs": "x"}')}, 'benchmark_html(1)', 'benchmark_html(NULL::bigint)', q{night_html(NULL, '{"colour": 1}')}, q{night_html(NULL, '[]')}, q{night_html(NULL, '{"runs": 0}')}, q{benchmark_html(1, '{"x": 1}')}, 'trend_svg(1, window_size => 1)', 'trend_svg(1, runs => 0)', q{trend_svg(1, metric => 'x')})
{
	is($db->sqlstate("SELECT profiling.$call"), '22023', "22023: $call");
}

# --- one run, then two, then a change ---------------------------------------------------------------------------------------

sub night
{
	my ($night, $slow) = @_;
	my $jitter = $night % 3;
	$db->run(<<"SQL");
SELECT profiling.import_flamegraph(benchmark => 'orders', fg => (E'main;run;parse ' || @{[ 100 + $jitter + $slow ]} || E'\\nmain;run;write ' || @{[ 50 - $jitter ]} || E'\\nmain;idle 20\\n' || CASE WHEN $slow > 0 THEN E'main;run;parse;check 40\\n' ELSE E'main;old 5\\n' END)::flamegraph,
	suite => 'shop', parameters => '{"size": 10}', started_at => timestamptz '2026-01-01 02:00 UTC' + $night * interval '1 day', branch => 'main', commit => 'commit$night', event => 'cpu', unit => 'samples', metric => @{[ 1.0 + 0.01 * $jitter + $slow / 100 ]}, metric_unit => 's'),
 profiling.import_flamegraph(benchmark => 'search', fg => (E'main;find ' || @{[ 70 + $jitter ]})::flamegraph,
	suite => 'shop', started_at => timestamptz '2026-01-01 02:00 UTC' + $night * interval '1 day', branch => 'main', commit => 'commit$night', event => 'cpu', unit => 'samples')
SQL
}

night(1, 0);
my $one = page('profiling.report_html(1)');
sound($one, 'one run');
like($one->{subtitle}, qr/fewer than two runs before/, 'one run: nothing to compare with');
sound(page('profiling.benchmark_html(1)'), 'the benchmark of one run');
sound(page('profiling.night_html()'), 'a night of one run');
night(2, 0);
sound(page('profiling.report_html(1)'), 'two runs');
night($_, 0) for 3 .. 12;
$db->run('CALL profiling.watch_run()');
my $calm = page('profiling.night_html()');
like($calm->{subtitle}, qr/^All is well: no degradation is open in the 2 benchmarks of this night\.$/, 'a calm night');
is($calm->{title}, 'Night of 2026-01-13', 'its date is that of the newest run');
like(page('profiling.report_html(1)')->{subtitle}, qr/Nothing stands out/, 'a calm report');
$db->run(q{INSERT INTO profiling.owner (pattern, team) VALUES ('*;parse;*', 'storage')});
night(13, 60);
$db->run('CALL profiling.watch_run()');

# --- the report: numbers of the page are those of report() --------------------------------------------------------------------

my $report = page('profiling.report_html(1)');
sound($report, 'report');
like($report->{subtitle}, qr/^Degraded: .*\+\d+ %.*instead of.*since the run of 2026-01-14 02:00 UTC \(commit commit13\); team: \w+\. \w+ degradations? (is|are) open\.$/, 'the verdict: what, how much, since when, whose');
is_deeply([ map { $db->value("SELECT profiling.page_commit($_)") } "repeat('0a', 20)", "repeat('0a', 32)", "repeat('0a', 21)", "repeat('0A', 20)", "'v1'", "''", 'NULL' ],
	[ '0a' x 6, '0a' x 6, '0a' x 21, '0A' x 20, 'v1', undef, undef ], 'hashes of git, and of nobody else, are short');
is_deeply([ map { $_->{text} } @{ $report->{headings} } ], [ 'Overview', 'Where', 'Since when', 'Whose', 'Candidates' ], 'the order: what, where, since when, whose');
my %facts = %{ $report->{facts} };
is_deeply([ @facts{qw(Suite Benchmark Parameters Branch Commit Event)} ], [ 'shop', 'orders', '{"size": 10}', 'main', 'commit13', 'cpu, in samples' ], 'facts: benchmark group, name, parameters, branch');
like($facts{Window}, qr/^10 runs, of which there are 10$/, 'the window, and how many runs there are');
my $sql = $db->rows(q{SELECT rank, frame, expected, actual, diff, score, nullif(status, '') FROM profiling.report(1) WHERE section = 'candidate' ORDER BY rank});
my ($overview) = grep { ($_->{part} // '') eq '' && exists $_->{rows}[0]{Rank} } @{ $report->{tables} };
is(scalar @{ $overview->{rows} }, scalar @$sql, 'the overview has all candidates');
for my $i (0 .. $#$sql)
{
	my $row = $overview->{rows}[$i];
	is_deeply([ @$row{qw(Rank Function)} ], [ $sql->[$i][0], $sql->[$i][1] ], "candidate $i: rank and function");
	my @exact = map { $row->{"$_ exact"} } qw(Expected Actual Diff Score);
	is_deeply([ map { $_ =~ /([-\d.e+]+|-?Infinity)/ ? $1 + 0 : $_ } @exact ], [ map { $_ + 0 } @{ $sql->[$i] }[ 2 .. 5 ] ], "candidate $i: expected, actual, diff, score");
	is($row->{Status}, $sql->[$i][6] // '-', "candidate $i: status");
	my $q = $db->value(qq{SELECT q_value FROM profiling.report_inputs(1, NULL, '{}') AS i, deviation_scores(i.history, i.current, 10, 'total', (i.others ->> 'poisson_unit')::float8) WHERE key = stackpath(ARRAY['$sql->[$i][1]'])});
	is($row->{'q exact'} + 0, $q + 0, "candidate $i: q of deviation_scores()");
}
# Traces: as many tables, as many rows, the candidate last in child traces and first in parent traces.
my %traces = map { ("$_->[0] $_->[1] $_->[2]" => $_->[3]) } @{ $db->rows(q{SELECT rank, section, trace, array_to_string(array_agg(frame ORDER BY CASE section WHEN 'child' THEN -step ELSE step END), '|') FROM profiling.report(1) WHERE section <> 'candidate' GROUP BY 1, 2, 3 HAVING count(*) > 1}) };
cmp_ok(scalar(keys %traces), '>', 0, 'there are traces');
my %shown;
for my $table (grep { ($_->{caption} // '') =~ /^(Child|Parent) trace/ } @{ $report->{tables} })
{
	my ($section, $trace) = $table->{caption} =~ /^(\w+) trace (\d+)/;
	my ($rank) = $table->{part} =~ /^Candidate (\d+)/;
	$shown{"$rank " . lc($section) . " $trace"} = join '|', map { $_->{Trace} } @{ $table->{rows} };
}
is_deeply(\%shown, \%traces, 'child and parent traces are those of report()');
my @parts = grep { /^Candidate/ } @{ $report->{parts} };
is(scalar @parts, scalar @$sql, 'a part for each candidate');
is(scalar(grep { $_ eq 'How this was computed' } @{ $report->{parts} }), 1, 'and how it was computed');
cmp_ok($report->{tags}{svg}, '>=', 2 + 2 * @$sql, 'pictures: difference, trend, for each candidate trend and sandwich');
my $findings = $db->rows(q{SELECT CASE level WHEN 'metric' THEN 'the metric' ELSE subject::text END, coalesce(nullif(team, ''), 'nobody') FROM profiling.open_regression WHERE benchmark_id = 1 ORDER BY 1});
my ($open) = grep { ($_->{caption} // '') =~ /^Open findings/ } @{ $report->{tables} };
is_deeply([ sort { $a->[0] cmp $b->[0] } map { [ @$_{qw(What Team)} ] } @{ $open->{rows} } ], [ sort { $a->[0] cmp $b->[0] } @$findings ], 'open findings with their teams');
is(page(q{profiling.report_html('orders')})->{html}, $report->{html}, 'the same by name');
my $early = page('profiling.report_html(1, 12)');
like($early->{title}, qr/run 12, 2026-01-13/, 'of another run');
isnt($early->{html}, $report->{html}, '... another page');
my $few = page(q{profiling.report_html(1, options => '{"candidates": 1, "window_size": 3, "theme": "dark", "runs": 5}')});
is(scalar(grep { /^Candidate/ } @{ $few->{parts} }), 1, 'options of report() work');
is($db->sqlstate(q{SELECT profiling.report_html(1, options => '{"colour": 1}')}), '22023', '... and others do not');

# --- the night ------------------------------------------------------------------------------------------------------------------

my $night = page('profiling.night_html()');
sound($night, 'night');
like($night->{subtitle}, qr/^One benchmark is degraded: .* The largest: .* in orders main \+\d+ %, since 2026-01-14 02:00 UTC, commit13\. By team: /, 'the verdict of the night');
my ($lines) = grep { exists $_->{rows}[0]{Metric} } @{ $night->{tables} };
is_deeply([ map { $_->{Benchmark} } @{ $lines->{rows} } ], [ 'orders {"size": 10}', 'search' ], 'a line for each benchmark, what is degraded first');
my $change = $db->value(q{SELECT (metric - metric_mean) / metric_mean FROM profiling.benchmark_overview WHERE benchmark_id = 1});
cmp_ok(abs(($lines->{rows}[0]{'Change exact'} // 'NaN') - $change), '<', 1e-9, 'the change of the metric is that of benchmark_overview');
my $score = $db->value(q{SELECT metric_score FROM profiling.benchmark_overview WHERE benchmark_id = 1});
cmp_ok(abs($lines->{rows}[0]{'Score exact'} - $score), '<', 1e-9, '... and so is its score');
my ($teams) = grep { exists $_->{rows}[0]{Team} && ($_->{part} // '') eq '' } @{ $night->{tables} };
is_deeply([ sort map { "$_->{Team} $_->{What}" } @{ $teams->{rows} } ], [ sort map { "$_->[1] $_->[0]" } @$findings ], 'findings by team');
is(scalar @{ page(q{profiling.night_html('2026-01-01 UTC')})->{tables}[-1]{rows} } > 0, 1, 'since another day');
is(page(q{profiling.night_html('2030-01-01 UTC')})->{subtitle}, 'There are no runs.', 'a day without runs');

# --- the benchmark ----------------------------------------------------------------------------------------------------------------

my $benchmark = page('profiling.benchmark_html(1)');
sound($benchmark, 'benchmark');
is_deeply([ map { $_->{text} } @{ $benchmark->{headings} } ], [ 'Since when', 'Open findings', 'Where', 'Closed findings' ], 'its parts');
is(page(q{profiling.benchmark_html('orders')})->{html}, $benchmark->{html}, 'the same by name');
# Of each run the heat map has what frame_value() says of its mean profile.
my ($of_parse) = $db->value(q{SELECT string_agg(p.value::text, ' ' ORDER BY p.n) FROM profiling.page_series((profiling.run_means(1, 'cpu',
	(SELECT unit FROM profiling.rollup WHERE benchmark_id = 1 AND event = 'cpu' LIMIT 1), (SELECT array_agg(test_run_id ORDER BY started_at, test_run_id) FROM (
		SELECT test_run_id, started_at FROM profiling.rollup WHERE benchmark_id = 1 AND event = 'cpu' AND span = 'run' AND branch = (SELECT branch FROM profiling.rollup
			WHERE benchmark_id = 1 AND event = 'cpu' AND span = 'run' ORDER BY started_at DESC, test_run_id DESC LIMIT 1) ORDER BY started_at DESC, test_run_id DESC LIMIT 30) AS r))).fgs, ARRAY['parse'], 'self') AS p});
is(join(' ', $benchmark->{html} =~ /<title>parse\n\d{4}-[^<\n]*\n([-\d.e+]+)/g), $of_parse, 'a heat map of its functions, run by run');
like($db->value('SELECT profiling.trend_svg(1)'), qr/^<svg.*orders: metric/s, 'a trend of the metric');
like($db->value(q{SELECT profiling.trend_svg(1, 'parse', metric => 'self', runs => 5)}), qr/5 points/, 'a trend of a function');
like($db->value(q{SELECT profiling.trend_svg('search')}), qr/samples/, 'of a benchmark without a metric the total');

# --- same bytes, whatever the session --------------------------------------------------------------------------------------------

my $all = q{SELECT md5(profiling.report_html(1)), md5(profiling.night_html()), md5(profiling.benchmark_html(1)), md5(profiling.trend_svg(1))};
my $bytes = $db->row($all);
is_deeply($db->row($all), $bytes, 'twice the same');
$db->run(q{SET timezone = 'Asia/Tokyo'; SET extra_float_digits = -10; SET DateStyle = 'German, DMY'; SET IntervalStyle = 'iso_8601'; SET search_path = ''; SET standard_conforming_strings = off; SET bytea_output = 'escape'});
is_deeply($db->row($all), $bytes, 'under other settings');
$db->run('RESET ALL');

# --- who may ------------------------------------------------------------------------------------------------------------------------

$db->run(q{CREATE ROLE reads LOGIN; CREATE ROLE other LOGIN; SELECT profiling.grant_access('reads', 'reader')});
my %as = map { $_ => Wire->connect($node, 'postgres', user => $_) } qw(reads other);
is_deeply($as{reads}->row($all), $bytes, 'a reader sees the same');
is($as{other}->sqlstate("SELECT profiling.$_"), '42501', "others may not: $_") for 'report_html(1)', 'night_html()', 'benchmark_html(1)', 'trend_svg(1)';

# --- names that mean harm --------------------------------------------------------------------------------------------------------------

my $bad = q{</title></script><script>alert(1)</script><img src=x onerror=alert(1)>"' onload=alert(1) ]]> &#0; javascript:alert(1)};
my $quoted = "\$bad\$$bad\$bad\$";
$db->run(<<"SQL");
UPDATE profiling.benchmark SET name = $quoted, suite = $quoted, parameters = jsonb_build_object($quoted, $quoted) WHERE benchmark_id = 1;
UPDATE profiling.test_run SET commit = $quoted, version = $quoted, labels = jsonb_build_object($quoted, $quoted);
UPDATE profiling.regression SET team = $quoted, note = $quoted, subject = stackpath(ARRAY[$quoted]) WHERE level <> 'metric';
UPDATE profiling.rollup SET metric_unit = $quoted WHERE benchmark_id = 1;
UPDATE profiling.rollup AS r SET flamegraph = rename_frames(r.flamegraph, '^parse\$', $quoted) WHERE benchmark_id = 1 AND repetitions = 1;
SQL
for my $call ('report_html(1)', 'night_html()', 'benchmark_html(1)')
{
	my $page = page("profiling.$call");
	sound($page, "harm: $call");
	unlike($page->{html}, qr/<script>alert|<img/, "harm: $call: nothing became markup");
	is($page->{tags}{script}, $report->{tags}{script}, "harm: $call: as many scripts as without") if $call =~ /report/;
}

$_->close for $db, values %as;
$node->stop;
done_testing();
