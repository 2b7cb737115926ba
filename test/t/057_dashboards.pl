# The dashboards of grafana/: each is one that Grafana takes (uid, schemaVersion, ids, places, data source by variable),
# its variables resolve one after the other, and each of its queries runs as a role that may read, after macros and
# variables are replaced as Grafana replaces them, and returns the fields that its panel draws.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Jobs;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'Asia/Tokyo'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);
Jobs::create($db);

# --- a store: names that have to be quoted, runs with and without repetitions, two units, findings -----------------------

Store::fill($db);
# A service in which something is found.
$db->run(<<'SQL');
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('watched', NULL, NULL, NULL, NULL);
SELECT profiling.ingest_batch(array_agg('watched'::text), array_agg(format(E'main;a %s\nmain;b %s\nmain;c %s\nmain;d %s', 500 + (n * 5 + d) % 23, 400 + (n * 7 + d) % 19, 300 + n % 11,
		CASE d WHEN 0 THEN 800 ELSE 200 END + n % 13)::flamegraph),
	array_agg(date_trunc('hour', now()) - interval '1 hour' - d * interval '1 day' + n * interval '4 min'), array_agg('pod-' || n % 3))
FROM generate_series(0, 7) AS d, generate_series(1, 12) AS n;
SQL
$db->run(q{CALL profiling.watch_services('0 s')});
$db->run(<<'SQL');
SELECT profiling.import_flamegraph('it''s "served" $1', format(E'main;a\\;b %s\nmain;other 500\nmain;\\\\x %s', CASE WHEN n = 11 THEN 900 ELSE 500 END + 3 * r, 10 + r)::flamegraph, suite => 'we%b', parameters => '{"users": 10}',
	branch => 'it''s', commit => 'c' || n, started_at => timestamptz '2026-01-01 UTC' + make_interval(days => n), repetition => r, metric => 10 + CASE WHEN n = 11 THEN 5 ELSE n % 3 / 10.0 END, metric_unit => 's')
FROM generate_series(0, 11) AS n, generate_series(0, 3) AS r;
SQL
$db->run('CALL profiling.watch_run()');
Jobs::fill($db);
$db->run(q{UPDATE jobs.benchmark_run SET started_at = '2026-01-01 UTC' WHERE run_id = 1});
$db->run('CREATE ROLE viewer LOGIN');
$db->run("SELECT profiling.grant_access('viewer', 'reader'), jobs.grant_access('viewer', 'reader')");
$db->close;
my $viewer = Wire->connect($node, 'postgres', user => 'viewer');
$viewer->run('SET default_transaction_read_only = on');

# --- what Grafana does to a query ------------------------------------------------------------------------------------------

my %time = (from => '2020-01-01T00:00:00Z', to => '2030-01-01T00:00:00Z');

sub literal { return "'" . ($_[0] =~ s/'/''/gr) . "'"; }

# Macros are those of the data source for PostgreSQL; variables are written ${name:sqlstring} and nothing else, because
# that is what quotes a value.
sub replaced
{
	my ($sql, $values) = @_;
	my @rest;
	$sql =~ s/\$__timeFilter\(((?:[^()]|\([^()]*\))*)\)/"$1 BETWEEN '$time{from}' AND '$time{to}'"/ge;
	$sql =~ s/\$__time(From|To)\(\)/literal($time{lc $1})/ge;
	$sql =~ s/\$\{(\w+):sqlstring\}/defined $values->{$1} ? literal($values->{$1}) : push(@rest, $1)/ge;
	push @rest, $1 while $sql =~ /(\$\{?[a-z_]\w*)/gi && !grep { defined && /\Q$1\E/ } values %$values;
	return ($sql, join ' ', @rest);
}

# Types by their OID.
my %kind = (16 => 'bool', 20 => 'number', 21 => 'number', 23 => 'number', 701 => 'number', 1700 => 'number', 25 => 'text', 1184 => 'time', 1114 => 'time');

sub answer
{
	my ($what, $sql, $values) = @_;
	my ($ready, $rest) = replaced($sql, $values);
	return { wrong => "$what: not replaced: $rest" } if $rest ne '';
	my $result = $viewer->query($ready);
	return { wrong => "$what: $result->{error}{message} in $ready" } if $result->{error};
	my %columns = map { $_->[0] => $kind{ $_->[1] } // "type $_->[1]" } @{ $result->{columns} };
	return { rows => $result->{rows}, names => [ map { $_->[0] } @{ $result->{columns} } ], columns => \%columns, wrong => '' };
}

# --- what panels need ------------------------------------------------------------------------------------------------------

# A list of fields that are not what the panel of this kind takes.
sub misfits
{
	my ($panel, $got) = @_;
	my %columns = %{ $got->{columns} };
	my $type = $panel->{type};
	my %needed = $type eq 'flamegraph' ? (level => 'number', value => 'number', self => 'number', label => 'text') : $type eq 'timeseries' ? (time => 'time') : ();
	$needed{$_} = 'number' for $type eq 'flamegraph' ? grep { /Right/ } keys %columns : ();
	my @wrong = grep { ($columns{$_} // 'missing') ne $needed{$_} } sort keys %needed;
	push @wrong, 'a number' if $type =~ /timeseries|stat/ && !grep { $_ eq 'number' } values %columns;
	push @wrong, 'one side alone' if $type eq 'flamegraph' && ($columns{valueRight} xor $columns{selfRight});
	push @wrong, 'rows in order' if $type eq 'flamegraph' && !nested($got);
	push @wrong, 'one row' if $type eq 'stat' && @{ $got->{rows} } != 1;
	push @wrong, 'text for metric' if $type eq 'timeseries' && grep { $columns{$_} eq 'text' && $_ ne 'metric' } keys %columns;
	push @wrong, grep { /^type / } values %columns;
	return @wrong;
}

# Depth first, one row of level 0, children within their parents.
sub nested
{
	my ($got) = @_;
	my %at = map { $got->{names}[$_] => $_ } 0 .. $#{ $got->{names} };
	my @open;
	for my $i (0 .. $#{ $got->{rows} })
	{
		my ($level, $value, $self) = @{ $got->{rows}[$i] }[ @at{qw(level value self)} ];
		return 0 if $i == 0 ? $level != 0 : $level < 1 || $level > @open;
		$#open = $level - 1;
		return 0 if $level > 0 && ($open[-1] -= $value) < -1e-6;
		push @open, $value - $self;
	}
	return 1;
}

# --- all of them -----------------------------------------------------------------------------------------------------------

my $folder = "$FindBin::RealBin/../../grafana";
my %dashboards = map { m{(\w+)\.json$} => JSON::PP->new->utf8->decode(slurp_file($_)) } glob "$folder/*.json";
is_deeply([ sort keys %dashboards ], [qw(benchmark benchmarks compare jobs production store)], 'the dashboards');
my %uids = map { $_->{uid} => 1 } values %dashboards;
is(scalar keys %uids, 6, 'no uid twice');

for my $name (sort keys %dashboards)
{
	my $board = $dashboards{$name};
	my @panels = @{ $board->{panels} };
	like($board->{uid}, qr/\A[\w-]{1,40}\z/, "$name: uid");
	cmp_ok($board->{schemaVersion}, '>=', 36, "$name: schemaVersion");
	ok(!defined $board->{id}, "$name: no id of a server");
	my %ids = map { $_->{id} => 1 } @panels;
	is(scalar keys %ids, scalar @panels, "$name: no panel's id twice");
	is(scalar(grep { $_->{title} eq '' || $_->{description} eq '' } @panels), 0, "$name: panels say what they are");
	my %cells;
	for my $p (map { $_->{gridPos} } @panels)
	{
		for my $x ($p->{x} .. $p->{x} + $p->{w} - 1) { $cells{"$x $_"}++ for $p->{y} .. $p->{y} + $p->{h} - 1; }
		cmp_ok($p->{x} + $p->{w}, '<=', 24, "$name: within the width");
	}
	is(scalar(grep { $_ > 1 } values %cells), 0, "$name: no panel covers another");
	my ($source, @others) = grep { $_->{type} eq 'datasource' } @{ $board->{templating}{list} };
	is_deeply([ $source->{name}, scalar @others ], [ 'datasource', 0 ], "$name: a variable for the data source");
	my @sources = map { $_->{datasource} } @panels, (map { @{ $_->{targets} } } @panels), grep { $_->{type} eq 'query' } @{ $board->{templating}{list} };
	is(scalar(grep { $_->{uid} ne '${datasource}' || $_->{type} ne $source->{query} } @sources), 0, "$name: queries ask it");
	my @links = grep { defined } JSON::PP->new->canonical->encode($board) =~ m{"/d/([\w-]+)}g;
	is_deeply([ grep { !$uids{$_} } @links ], [], "$name: links lead to dashboards");
}

# Values of the variables from $n on, in the order in which they stand: the first $most answers of each, since one may
# depend on those before it.
sub choices
{
	my ($name, $variables, $n, $values, $most) = @_;
	return $values if $n == @$variables;
	my $variable = $variables->[$n];
	my $got = answer("$name: variable $variable->{name}", $variable->{query}, $values);
	is($got->{wrong}, '', "$name: variable $variable->{name} resolves");
	my ($place) = grep { $got->{names}[$_] eq '__value' || @{ $got->{names} } == 1 } 0 .. $#{ $got->{names} // [] };
	ok(defined $place, "$name: variable $variable->{name} has values");
	my @rows = @{ $got->{rows} };
	$#rows = $most - 1 if @rows > $most;
	return map { choices($name, $variables, $n + 1, { %$values, $variable->{name} => $_->[$place] }, $variable->{name} eq 'benchmark' ? $most : 2) } @rows;
}

my %shown;
for my $name (sort keys %dashboards)
{
	my $board = $dashboards{$name};
	my @choices = choices($name, [ grep { $_->{type} eq 'query' } @{ $board->{templating}{list} } ], 0, {}, 100);
	cmp_ok(scalar @choices, '>', $name eq 'store' ? 0 : 1, "$name: something can be chosen");
	for my $panel (@{ $board->{panels} })
	{
		my (@wrong, %rows);
		for my $values (@choices)
		{
			my $got = answer('query', $panel->{targets}[0]{rawSql}, $values);
			my @misfits = $got->{wrong} ne '' ? $got->{wrong} : misfits($panel, $got);
			push @wrong, map { "$_ [" . join(', ', map { "$_=$values->{$_}" } sort keys %$values) . ']' } @misfits;
			$rows{ @{ $got->{rows} // [] } > 0 ? 'some' : 'none' }++;
			$shown{"$name $panel->{id} " . ($values->{benchmark} // '')} = [ $values, $got ];
		}
		is(join("\n", @wrong), '', "$name: panel $panel->{title}");
		ok($rows{some}, "$name: panel $panel->{title} shows something");
	}
}

# --- the numbers -----------------------------------------------------------------------------------------------------------

my $served = $viewer->value(q{SELECT benchmark_id FROM profiling.benchmark WHERE suite = 'we%b'});
my ($values, $flame) = @{ $shown{"benchmark 3 $served"} };
is($values->{branch}, q{it's}, 'the branch of the newest run');
is_deeply([ map { $_ + 0 } @{ $flame->{rows}[0] }[ 0 .. 2 ] ], [ 0, 904.5 + 500 + 11.5, 0 ], 'the newest run: the mean of its repetitions');
is_deeply([ sort map { $_->[3] } @{ $flame->{rows} } ], [ sort 'total', 'main', 'a;b', 'other', '\x' ], 'its functions');
my (undef, $trend) = @{ $shown{"benchmark 1 $served"} };
is(scalar @{ $trend->{rows} }, 12, 'a point for each run');
%time = (from => '2026-01-03T00:00:00Z', to => '2026-01-06T12:00:00Z');
my ($panel) = grep { $_->{id} == 1 } @{ $dashboards{benchmark}{panels} };
is(scalar @{ answer('trend', $panel->{targets}[0]{rawSql}, $values)->{rows} }, 4, 'a point for each run of the time that is shown');
%time = (from => '2020-01-01T00:00:00Z', to => '2030-01-01T00:00:00Z');

# A job: what its phases spend in all, and what they use.
my %jobs = map { $_->{id} => $_->{targets}[0]{rawSql} } @{ $dashboards{jobs}{panels} };
my $phases = answer('phases', $jobs{2}, { job => 1, event => 'job-usage-cpu' });
is($phases->{rows}[0][1], $viewer->value("SELECT total(jobs.job_profile(1, 'usage', 'cpu'))"), 'the phases of a job: what is used in all');
is_deeply([ sort map { $_->[3] } @{ $phases->{rows} } ], [ sort 'total', 'Job', 'Load', 'Step', "Work\t\xc3\xa9" ], 'the types of phases');
is_deeply([ map { $_ + 0 } @{ answer('stat', $jobs{1}, { job => 1 })->{rows}[0] }[ 0 .. 2 ] ], [ 100, 7, 130 ], 'a job in numbers');

# The last run against the one before it: one function grew, and the table says that this is no noise.
my %compared = (%$values, after => $viewer->value("SELECT max(test_run_id) FROM profiling.rollup WHERE benchmark_id = $served"));
$compared{before} = $viewer->value("SELECT max(test_run_id) FROM profiling.rollup WHERE benchmark_id = $served AND test_run_id < $compared{after}");
my %panels = map { $_->{id} => $_->{targets}[0]{rawSql} } @{ $dashboards{compare}{panels} };
my $both = answer('both', $panels{2}, \%compared);
my ($slower) = grep { $_->[3] eq 'a;b' } @{ $both->{rows} };
is_deeply([ map { $_ + 0 } @$slower[ 1, 2, 4, 5 ] ], [ 504.5, 504.5, 904.5, 904.5 ], 'both sides of a function');
my $table = answer('table', $panels{3}, \%compared);
my %significant = map { $_->[0] => $_->[6] } @{ $table->{rows} };
is_deeply(\%significant, { 'a;b' => 't', main => 't', other => 'f', '\\x' => 'f' }, 'what differs') or diag(explain($table->{rows}));

# A service: the window that is shown, all of it and one pod of it, and a day before.
my %production = map { $_->{id} => $_->{targets}[0]{rawSql} } @{ $dashboards{production}{panels} };
my %service = (service => 's', event => 'cpu', instance => '', frame => "\xc2\xb5", before => '1 day');
my $shown = answer('service', $production{1}, \%service);
is($shown->{rows}[0][1], $viewer->value("SELECT total(profiling.window_profile('s', '2020-01-01', '2030-01-01'))"), 'a service: what is spent in all');
is(answer('service', $production{1}, { %service, instance => 'p' })->{rows}[0][1], 3, '... and in one pod');
is(answer('service', $production{5}, \%service)->{rows}[0][0] =~ /^s/, 1, 'services that have a function');

# A service that has just begun: there is nothing to compare with, and of a time without profiles no function.
for my $case ([ 'before it began', '20 years', "\xc2\xb5" ], [ 'without profiles', '1 day', '' ])
{
	%time = (from => '2030-01-01T00:00:00Z', to => '2030-01-02T00:00:00Z') if $case->[2] eq '';
	my %got = map { $_ => answer('service', $production{$_}, { %service, before => $case->[1], frame => $case->[2] }) } keys %production;
	is(join("\n", grep { $_ ne '' } map { $_->{wrong} } values %got), '', "a time $case->[0] is no error in any panel");
	is(scalar @{ $got{7}{rows} }, 0, '... and nothing is compared');
}

done_testing();
