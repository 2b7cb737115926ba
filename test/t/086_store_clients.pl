# The views for dashboards from clients other than psql: psycopg2, pg of npm, and JDBC, in text and in binary where a
# driver has both. Columns arrive as numbers, times and text, profiles as text and as the bytes of flamegraph_send, and
# a chart can be drawn from benchmark_trend alone.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Store;
use Wire;

my $clients = "$FindBin::RealBin/../clients";
my $dir = PostgreSQL::Test::Utils::tempdir();

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# JDBC knows no sockets of files.
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nlisten_addresses = '127.0.0.1'\n");
$node->start;
my $port = $node->port;
my $db = Wire->connect($node, 'postgres');
Store::create($db);

# Twelve runs of a benchmark with parameters, the last one slower; one of two functions is. Models of two runs.
my @metrics = map { 10 + ($_ % 3) / 10 } 1 .. 11;
push @metrics, 15;
my @slow = map { 500 + $_ % 3 } 1 .. 11;
push @slow, 900;
for my $i (0 .. 11)
{
	$db->run(sprintf "SELECT profiling.import_flamegraph('served', E'main;\"a;b\" %d\\nmain;other 500', suite => 'web', parameters => '{\"users\": 10}', branch => 'main', commit => 'c%d',"
		. " started_at => timestamptz '2026-01-01 UTC' + interval '%d days', metric => %s, metric_unit => 's')", $slow[$i], $i, $i, $metrics[$i]);
	$db->run('CALL profiling.watch_run()') if $i > 2;
}
$db->run(sprintf "SELECT profiling.import_observations('served', array_fill('f'::text, '{20}'), array_agg(x::float8), array_agg(%d.0 * x), suite => 'web', parameters => '{\"users\": 10}', branch => 'main',"
	. " commit => 'c%d', started_at => timestamptz '2026-01-01 UTC' + interval '%d days', unit => 's') FROM generate_series(1, 20) AS x", $_, $_, $_) for 10, 11;
$db->run('CALL profiling.watch_run()');
cmp_ok($db->value("SELECT count(*) FROM profiling.open_regression WHERE level <> 'location'"), '>', 0, 'there is a finding to show');

# What each column has to arrive as, from its type.
my %kind = (bigint => 'number', integer => 'number', 'double precision' => 'number', date => 'time', 'timestamp with time zone' => 'time',
	jsonb => 'object', text => 'text', stackpath => 'text', 'stackpath[]' => 'text', flamegraph => 'text', perfmodel => 'text');
my @views = qw(benchmark_overview benchmark_trend latest_profile hot_frame open_regression regression_history team_regression model_change storage);
my %expected;
for my $row (@{ $db->rows("SELECT attrelid::regclass::text, attname, format_type(atttypid, NULL) FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
	WHERE relnamespace = 'profiling'::regnamespace AND relkind = 'v' AND attnum > 0") })
{
	my ($view, $column, $type) = @$row;
	$view =~ s/^profiling\.//;
	$expected{"$view $column"} = $kind{$type} // "no kind for $type" if grep { $_ eq $view } @views;
}
my @trend = map { sprintf 'trend %.3f %.3f', $metrics[$_], $slow[$_] + 500 } 0 .. 11;
my $bytes = $db->value("SELECT encode(flamegraph_send(flamegraph), 'hex') FROM profiling.latest_profile");
# of a finding that has not ended, and the interval that the method "deviation" does not give
my %may_be_null = map { ("open_regression $_" => 1, "regression_history $_" => 1) } qw(closed_at lower upper);

sub arrived
{
	my ($what, @command) = @_;
	my ($out, $err) = ('', '');
	ok(IPC::Run::run(\@command, '<', \undef, '>', \$out, '2>', \$err), "$what: reads the views") or diag($err);
	my (%got, @trend_got, %other);
	for my $line (split /\n/, $out)
	{
		if ($line =~ /^trend /) { push @trend_got, $line; }
		elsif ($line =~ /^(binary|text|back) (.*)$/) { $other{$1} = $2; }
		# JDBC has an object for every array, whose elements are text here, too.
		elsif ($line =~ /^(\w+ \w+) (\S+)$/) { $got{$1} = $2 eq 'org.postgresql.jdbc.PgArray' ? 'text' : $2; }
	}
	my @wrong = grep { my $kind = $got{$_} // 'missing'; $kind ne $expected{$_} && !($kind eq 'null' && $may_be_null{$_}) } sort keys %expected;
	is_deeply([ map { "$_ $expected{$_}: " . ($got{$_} // 'missing') } @wrong ], [], "$what: columns arrive as what they are");
	is_deeply(\@trend_got, \@trend, "$what: the numbers of benchmark_trend");
	is($other{binary}, $bytes, "$what: the profile as bytes");
	return \%other;
}

SKIP:
{
	my $python = -x '/usr/bin/python3' ? '/usr/bin/python3' : 'python3';
	skip 'python3-psycopg2 is not installed', 1 if system("$python -c 'import psycopg2' 2>/dev/null") != 0;
	my $other = arrived('psycopg2', $python, "$clients/views.py", "host=127.0.0.1 port=$port user=" . $db->value('SELECT current_user') . ' dbname=postgres', join(',', @views), "$dir/chart.svg");
	is($other->{back}, 'True', 'psycopg2: the bytes go back');

	# The chart: a point for each run, all within the picture; the last one is over the band, the others are in it.
	my $svg = slurp_file("$dir/chart.svg");
	my ($polygon) = $svg =~ /<polygon[^>]* points="([^"]*)"/;
	my ($line) = $svg =~ /<polyline[^>]* points="([^"]*)"/;
	my @band = map { [ split /,/ ] } split / /, $polygon // '';
	my @line = map { [ split /,/ ] } split / /, $line // '';
	is(scalar @line, 12, 'chart: a point for each run');
	is(scalar @band, 20, 'chart: a band where two runs were before');
	is(scalar(grep { $_->[0] < 0 || $_->[0] > 640 || $_->[1] < 0 || $_->[1] > 240 } @line, @band), 0, 'chart: within the picture');
	is(scalar(grep { $line[$_][0] <= $line[ $_ - 1 ][0] } 1 .. $#line), 0, 'chart: in the order of time');
	# y goes down
	cmp_ok($line[11][1], '<', $band[10][1], 'chart: the slow run is above the band');
}

SKIP:
{
	skip 'node or npm is not installed', 1 if system('node --version >/dev/null 2>&1 && npm --version >/dev/null 2>&1') != 0;
	mkdir "$dir/node" or die $!;
	my $install = "cd '$dir/node' && timeout 90 npm install --no-package-lock --no-save --no-audit --no-fund --silent --cache '$dir/npm' --fetch-retries 0 pg\@8.23.1 >'$dir/npm.log' 2>&1";
	skip 'pg could not be installed: npm has no registry', 1 if system($install) != 0;
	local $ENV{NODE_PATH} = "$dir/node/node_modules";
	my $url = 'postgresql://' . $db->value('SELECT current_user') . "\@127.0.0.1:$port/postgres";
	my $other = arrived('pg', 'node', "$clients/views.js", $url, join(',', @views));
	is($other->{text}, '"main;\\"a;b\\" 900\nmain;other 500"', 'pg: the profile as text');
}

SKIP:
{
	my ($jar) = grep { -e } '/usr/share/java/postgresql.jar';
	skip 'a Java compiler or libpostgresql-jdbc-java is not installed', 1 if !$jar || system('javac -version >/dev/null 2>&1') != 0;
	is(system('javac', '-d', "$dir/java", "$clients/Views.java"), 0, 'JDBC: compiles');
	for my $binary (0, 1)
	{
		# a threshold of -1: binary from the first execution
		my $url = "jdbc:postgresql://127.0.0.1:$port/postgres?user=" . $db->value('SELECT current_user')
			. ($binary ? '&prepareThreshold=-1&binaryTransfer=true' : '&binaryTransfer=false');
		arrived($binary ? 'JDBC, binary' : 'JDBC, text', 'java', '-cp', "$dir/java:$jar", 'Views', $url, join(',', @views));
	}
}

done_testing();
