# Profiles on several servers: postgres_fdw sends our operators and whole aggregates to where the profiles are, when
# the server is told that the extension is there. Two servers hold the partitions of one table; the sum of all
# partitions is taken in two levels, the lower one remote. What comes back is, bit for bit, what one server computes.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my @shards;
for my $i (0, 1)
{
	my $node = PostgreSQL::Test::Cluster->new("shard$i");
	$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
	$node->append_conf('postgresql.conf', "fsync = off\njit = off\nmax_parallel_workers_per_gather = 0\n");
	$node->start;
	push @shards, $node;
}
my $hub = $shards[0];
$hub->safe_psql('postgres', 'CREATE DATABASE hub');

sub value { return Wire::answer($hub, 'hub', $_[0]); }

# The same rows everywhere: 6 benchmarks of 25 profiles, some with fractions, signs or more than 64 KiB of text.
my $rows = <<'SQL';
SELECT b AS benchmark, r AS run, total(fg) AS total, fg,
	   stackpath(ARRAY['main', 'module ' || r % 5, 'f' || (r * b) % 9]) AS path,
	   CASE WHEN r % 2 = 0 THEN 'frame;' || r ELSE 'main' END AS frame, r * 0.25 AS cost
FROM (SELECT b, r, (SELECT flamegraph_agg(ARRAY['main', 'module ' || (i * r) % 5, 'frame;' || (i * b + r) % 97, U&'\00e9\0001' || i % 11],
							CASE b WHEN 1 THEN i / 4.0 WHEN 5 THEN i / 3.0 WHEN 2 THEN (i % 7) - 3 ELSE i END)
					FROM generate_series(1, CASE WHEN b = 3 AND r < 3 THEN 4000 ELSE 5 * r END) AS i) AS fg
	  FROM generate_series(1, 6) AS b, generate_series(1, 25) AS r) AS x
ORDER BY b, r
SQL
my $columns = 'benchmark int, run int, total float8, fg flamegraph, path stackpath, frame text, cost float8';
for my $i (0, 1)
{
	$shards[$i]->safe_psql('postgres', "CREATE EXTENSION flamegraph; CREATE TABLE profile ($columns); "
		  . "INSERT INTO profile SELECT * FROM ($rows) AS r WHERE benchmark % 2 = $i; ANALYZE profile");
}
value('CREATE EXTENSION flamegraph; CREATE EXTENSION postgres_fdw');
value("CREATE TABLE here ($columns); INSERT INTO here $rows");
# Rows are wide: a planner that takes them for 0.01 each (fdw_tuple_cost) rather fetches them, sorted, and adds up here.
for my $i (0, 1)
{
	my ($host, $port) = ($shards[$i]->host, $shards[$i]->port);
	for my $server ([ "shard$i", ", extensions 'flamegraph'" ], [ "plain$i", '' ])
	{
		value("CREATE SERVER $server->[0] FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres', "
			  . "fdw_tuple_cost '10'$server->[1]); "
			  . "CREATE USER MAPPING FOR CURRENT_USER SERVER $server->[0]");
	}
}
value("CREATE FOREIGN TABLE there ($columns) SERVER shard1 OPTIONS (table_name 'profile'); "
	  . "CREATE FOREIGN TABLE untold ($columns) SERVER plain1 OPTIONS (table_name 'profile'); "
	  . "CREATE TABLE everywhere ($columns) PARTITION BY LIST (benchmark); "
	  . "CREATE FOREIGN TABLE everywhere0 PARTITION OF everywhere FOR VALUES IN (0, 2, 4, 6) SERVER shard0 OPTIONS (table_name 'profile'); "
	  . "CREATE FOREIGN TABLE everywhere1 PARTITION OF everywhere FOR VALUES IN (1, 3, 5) SERVER shard1 OPTIONS (table_name 'profile'); "
	  . 'ANALYZE there; ANALYZE untold; ANALYZE everywhere0; ANALYZE everywhere1; ANALYZE everywhere; ANALYZE here');

# Series of the same profiles, kept where these are.
my $moments = "timestamptz '2026-01-01 UTC' + run * interval '1 h'";
$shards[$_]->safe_psql('postgres', "CREATE TABLE kept AS SELECT benchmark, flameseries_agg($moments, fg, frame) AS fs FROM profile GROUP BY benchmark, run % 12; ANALYZE kept") for 0, 1;
value("CREATE TABLE kept_here AS SELECT benchmark, flameseries_agg($moments, fg, frame) AS fs FROM here GROUP BY benchmark, run % 12; "
	  . 'CREATE TABLE kept (benchmark int, fs flameseries) PARTITION BY LIST (benchmark); '
	  . "CREATE FOREIGN TABLE kept0 PARTITION OF kept FOR VALUES IN (0, 2, 4, 6) SERVER shard0 OPTIONS (table_name 'kept'); "
	  . "CREATE FOREIGN TABLE kept1 PARTITION OF kept FOR VALUES IN (1, 3, 5) SERVER shard1 OPTIONS (table_name 'kept'); ANALYZE kept");

sub plan_nodes
{
	my ($sql, $before) = @_;
	my $json = value(($before // '') . "; EXPLAIN (VERBOSE, FORMAT JSON) $sql");
	my @nodes;
	my $walk;
	$walk = sub { push @nodes, $_[0]; $walk->($_) for @{ $_[0]{Plans} // [] } };
	$walk->(decode_json($json)->[0]{Plan});
	return @nodes;
}

# --- everything arrives as it left -----------------------------------------------------------------------------------

my $bits = q{md5(string_agg(benchmark || ' ' || run || encode(flamegraph_send(fg), 'hex') || encode(stackpath_send(path), 'hex') || float8send(total), ',' ORDER BY benchmark, run))};
is(value("SELECT count(*) FROM everywhere"), 150, 'all rows are there');
is(value("SELECT $bits FROM everywhere"), value("SELECT $bits FROM here"), 'values cross the wire bit for bit');
cmp_ok(value('SELECT max(length(flamegraph_to_folded(fg))) FROM here'), '>', 65536, 'also those that travel packed');
value('CREATE FOREIGN TABLE target (fg flamegraph, s flamestats, path stackpath, q stackquery) SERVER shard1');
$shards[1]->safe_psql('postgres', 'CREATE TABLE target (fg flamegraph, s flamestats, path stackpath, q stackquery)');
value(q{INSERT INTO target SELECT sum(fg), NULL, lca_agg(path), '*;"a;b"*@;~"x\\d"' FROM here});
is( $shards[1]->safe_psql('postgres', 'SELECT md5(flamegraph_send(fg)), path, q FROM target'),
	value(q{SELECT md5(flamegraph_send(sum(fg))), lca_agg(path), '*;"a;b"*@;~"x\\d"'::stackquery FROM here}), 'INSERT sends them out the same way');

# --- WHERE -----------------------------------------------------------------------------------------------------------

for my $case (
	[ q{fg ? frame}, qr/fg OPERATOR\(public\.\?\) frame/ ],
	[ q{has_frame(fg, frame)}, qr/public\.has_frame\(fg, frame/ ],
	[ q{path ? frame}, qr/path OPERATOR\(public\.\?\) frame/ ],
	[ q{fg ~ '*;"frame;5";*'}, qr/fg OPERATOR\(public\.~\) '/ ],
	# postgres_fdw sends no text constant that meets no text column, and no array of another type than its own ones:
	# for a frame, write a pattern
	[ q{fg ? 'frame;5'} ],
	[ q{fg ?| '{frame;5,absent}'} ],
	[ q{fg ?& '{main,module 2}'} ],
	[ q{fg ~ 'main;*;!f*{1,2}'}, qr/fg OPERATOR\(public\.~\) 'main;/ ],
	[ q{fg ~ '*;"frame;5";~"[0-4]$"'}, qr/OPERATOR\(public\.~\)/ ],
	[ q{has_frame(fg, 'frame;5')} ],
	[ q{matches(fg, '*;f*;*')}, qr/public\.matches\(fg, / ],
	[ q{total(fg) > 300}, qr/public\.total\(fg\) > / ],
	[ q{total(fg) > 333.3333333333333}, qr/public\.total\(fg\) > / ],
	[ q{nnodes(fg) BETWEEN 20 AND 60}, qr/public\.nnodes\(fg\)/ ],
	[ q{norm(fg) > 100}, qr/public\.norm\(fg/ ],
	[ q{(fg -> 'main;module 1') = 0}, qr/OPERATOR\(public\.->\)/ ],
	[ q{(fg ->> 'main;module 1') > 50}, qr/OPERATOR\(public\.->>\)/ ],
	[ q{@-@ fg > 100}, qr/OPERATOR\(public\.@-@\)/ ],
	[ q{similarity(fg, 'main 1') = 0}, qr/public\.similarity\(fg, / ],
	[ q{total(cut_depth(fg, 2) * 2.5 + fg) > 100}, qr/public\.cut_depth\(fg, 2\) OPERATOR\(public\.\*\)/ ],
	[ q{path <@ 'main;module 2'}, qr/path OPERATOR\(public\.<@\) 'main;module 2'/ ],
	[ q{'main;module 2' @> path}, qr/OPERATOR\(public\.@>\) path/ ],
	[ q{path ~ '*;f3'}, qr/path OPERATOR\(public\.~\) / ],
	[ q{path ~ ANY ('{*;f3,*;f4}'::stackquery[])} ],
	[ q{(path ~ '*;f3' OR path ~ '*;f4')}, qr/OPERATOR\(public\.~\).* OR / ],
	[ q{path ? 'f3'} ],
	[ q{path = 'main;module 1;f1'}, qr/path OPERATOR\(public\.=\) / ],
	[ q{path > 'main;module 3'}, qr/path OPERATOR\(public\.>\) / ],
	[ q{depth(path) = 3 AND root(path) = frame}, qr/public\.depth\(path\)/ ])
{
	my ($condition, $remote) = @$case;
	my $sql = "SELECT benchmark, run FROM %s WHERE $condition";
	my ($scan) = plan_nodes(sprintf $sql, 'there');
	if (!$remote) { note "$condition: remote $scan->{'Remote SQL'}"; }
	else
	{
		ok($scan->{'Node Type'} eq 'Foreign Scan' && $scan->{'Remote SQL'} =~ /WHERE.*$remote/s && !$scan->{Filter}, "$condition is sent")
		  or diag("remote: $scan->{'Remote SQL'}, here: " . ($scan->{Filter} // ''));
		($scan) = plan_nodes(sprintf $sql, 'untold');
		ok($scan->{Filter} && $scan->{'Remote SQL'} !~ /WHERE/, '... but not to a server that is not told of the extension');
	}
	my $answer = "SELECT count(*) || ' ' || coalesce(string_agg(benchmark || '/' || run, ',' ORDER BY benchmark, run), '') FROM %s WHERE $condition%s";
	is(value(sprintf $answer, 'there', ''), value(sprintf $answer, 'here', ' AND benchmark % 2 = 1'), '... the same rows');
}
my ($scan) = plan_nodes(q{EXECUTE q (1, 'a', '*')},
	q{SET plan_cache_mode = force_generic_plan; PREPARE q (float8, stackpath, stackquery) AS SELECT run FROM there WHERE total(fg) > $1 AND path <@ $2 AND fg ~ $3});
like($scan->{'Remote SQL'}, qr/\$\d::$_\b/, "a parameter of type $_ is sent, too") for 'double precision', 'public\.stackpath', 'public\.stackquery';
my $prepare = q{SET plan_cache_mode = force_generic_plan; PREPARE q (float8, stackpath, stackquery) AS SELECT count(*) FROM %s WHERE benchmark %% 2 = 1 AND total(fg) > $1 AND path <@ $2 AND fg ~ $3; EXECUTE q (20, 'main;module 1', '*;f*;*')};
is(value(sprintf $prepare, 'there'), value(sprintf $prepare, 'here'), '... with the same result');
($scan) = grep { $_->{'Node Type'} eq 'Foreign Scan' } plan_nodes('UPDATE there SET total = 0 WHERE fg ~ \'absent;*\'');
like($scan->{'Remote SQL'} // '', qr/^UPDATE/, 'an UPDATE happens over there');

# --- whole aggregates ------------------------------------------------------------------------------------------------

my %aggregates = (
	(map { ("$_(fg)" => 'flamegraph') } qw(sum avg min max support_count variance stddev)),
	'lca_agg(path)' => 'stackpath', 'flamegraph_agg(path, cost)' => 'flamegraph', 'sum(fg) FILTER (WHERE run > 3)' => 'flamegraph',
	'sum(fg * 2)' => 'flamegraph', 'avg(cut_depth(fg, 2))' => 'flamegraph', "sum(filter_stacks(fg, 'main;module 1;*'))" => 'flamegraph');
for my $aggregate (sort keys %aggregates)
{
	my $send = $aggregates{$aggregate} . '_send';
	my ($name) = $aggregate =~ /^(\w+)/;
	for my $group ('', ' GROUP BY benchmark')
	{
		my $sql = "SELECT $aggregate AS x FROM %s%s$group";
		my @nodes = plan_nodes(sprintf $sql, 'there', '');
		ok(@nodes == 1 && $nodes[0]{'Node Type'} eq 'Foreign Scan' && $nodes[0]{'Remote SQL'} =~ /^SELECT .*public\.\Q$name\E\(/s, "$aggregate$group is sent")
		  or diag(join ' > ', map { "$_->{'Node Type'}: " . ($_->{'Remote SQL'} // '') } @nodes);
		# Thirds and deviations depend on the order of addition, in their last digits.
		my $exact = $name =~ /^(variance|stddev)$/ ? 0 : 1;
		my $where = ' WHERE benchmark % 2 = 1' . ($exact ? ' AND benchmark <> 5' : '');
		if ($exact)
		{
			my $all = "SELECT string_agg(h, ',' ORDER BY h) FROM (SELECT md5($send(x)) AS h FROM ($sql) AS y) AS z";
			is(value(sprintf $all, 'there', ' WHERE benchmark <> 5'), value(sprintf $all, 'here', $where), '... bit for bit');
		}
		my $sum = "SELECT %s(x) FROM ($sql) AS y";
		next if $send ne 'flamegraph_send';
		cmp_ok(value('SELECT (' . sprintf($sum, 'sum', 'there', '') . ') <-> (' . sprintf($sum, 'sum', 'here', ' WHERE benchmark % 2 = 1') . ')'), '<=',
			1e-9 * value('SELECT norm((' . sprintf($sum, 'sum', 'here', ' WHERE benchmark % 2 = 1') . '))'), '... to 1e-9');
	}
}
my @nodes = plan_nodes('SELECT sum(fg) FROM untold');
is($nodes[0]{'Node Type'}, 'Aggregate', 'a server that is not told of the extension sums nothing up');
@nodes = plan_nodes('SELECT benchmark, sum(fg) FROM there GROUP BY benchmark HAVING total(sum(fg)) > 1000');
like($nodes[0]{'Remote SQL'} // '', qr/HAVING/, 'HAVING is sent');
@nodes = plan_nodes('SELECT a.run FROM there a JOIN there b USING (benchmark, run) WHERE a.fg <-> b.fg > 0',
	'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_nestloop = off');
like($nodes[0]{'Remote SQL'} // '', qr/JOIN.*OPERATOR\(public\.<->\)/s, 'a join with a distance is sent');

# --- the sum in two levels -------------------------------------------------------------------------------------------

my $two_levels = 'SELECT %s FROM (SELECT benchmark, %s AS p FROM everywhere GROUP BY benchmark) AS q';
for my $case ([ 'sum(p)', 'sum(fg)', 'sum(fg)' ], [ 'min(p)', 'min(fg)', 'min(fg)' ], [ 'max(p)', 'max(fg)', 'max(fg)' ],
	[ 'sum(p)', 'support_count(fg)', 'support_count(fg)' ])
{
	my ($upper, $lower, $direct) = @$case;
	my $sql = sprintf $two_levels, $upper, $lower;
	my $set = 'SET enable_partitionwise_aggregate = on';
	@nodes = plan_nodes($sql, $set);
	my @scans = grep { $_->{'Node Type'} eq 'Foreign Scan' } @nodes;
	(my $pattern = quotemeta $lower) =~ s/^/public\\./;
	is(scalar @scans, 2, "$upper over $lower: a scan for each server");
	is(scalar(grep { $_->{'Remote SQL'} =~ /^SELECT .*$pattern.* GROUP BY 1$/s } @scans), 2, '... each sums up at home')
	  or diag(map { "$_->{'Remote SQL'}\n" } @scans);
	is(scalar(grep { $_->{'Node Type'} eq 'Aggregate' } @nodes), 1, '... and one aggregate here');
	# Thirds do not add up exactly in another order; all the others do.
	my $whole = "WHERE benchmark <> 5";
	(my $sql_whole = $sql) =~ s/ FROM everywhere/ FROM everywhere $whole/;
	is(value("$set; SELECT md5(flamegraph_send(x)) FROM ($sql_whole) AS y (x)"), value("SELECT md5(flamegraph_send($direct)) FROM here $whole"),
		'... bit for bit for whole counts');
	cmp_ok(value("$set; SELECT x <-> (SELECT $direct FROM here) FROM ($sql) AS y (x)"), '<=', 1e-9 * value("SELECT norm($direct) FROM here"), '... to 1e-9 for fractions');
}
# Series: collected over there and merged here; merged over there; summed up; their windows.
for my $case ([ 'flameseries_agg(p)', "flameseries_agg('2026-01-01Z'::timestamptz, fg, frame)", 'everywhere', 'here', 'flameseries' ], [ 'flameseries_agg(p)', 'flameseries_agg(fs)', 'kept', 'kept_here', 'flameseries' ],
	[ 'sum(p)', 'sum(fs)', 'kept', 'kept_here', 'flamegraph' ], [ 'sum(p)', "sum(sum(fs, '2026-01-01 05:00Z', '2026-01-01 09:00Z'))", 'kept', 'kept_here', 'flamegraph' ])
{
	my ($upper, $lower, $table, $here, $type) = @$case;
	my $set = "SET enable_partitionwise_aggregate = on; SET timezone = 'UTC'";
	my $sql = "SELECT $upper FROM (SELECT benchmark, $lower AS p FROM %s WHERE benchmark <> 5 GROUP BY benchmark) AS q";
	my @scans = grep { $_->{'Node Type'} eq 'Foreign Scan' } plan_nodes(sprintf($sql, $table), $set);
	my ($name) = $lower =~ /^(\w+)/;
	is(scalar(grep { $_->{'Remote SQL'} =~ /^SELECT .*public\.$name\(.* GROUP BY 1$/s } @scans), 2, "$lower of $table happens over there") or diag(map { "$_->{'Remote SQL'}\n" } @scans);
	is(value("$set; SELECT md5(${type}_send(x)) FROM (" . sprintf($sql, $table) . ') AS y (x)'), value("SELECT md5(${type}_send(x)) FROM (" . sprintf($sql, $here) . ') AS y (x)'), '... bit for bit');
}
for my $condition ("fs ~ '*;\"frame;5\";*'", "profile_count(fs) > 3 AND since(fs) < '2026-02-01Z'", "fs \@> 'main;module 2'")
{
	@nodes = plan_nodes("SELECT benchmark FROM kept1 WHERE $condition");
	ok($nodes[0]{'Remote SQL'} =~ /WHERE/ && !$nodes[0]{Filter}, "$condition is sent") or diag($nodes[0]{'Remote SQL'});
}

# Without it, the rows come here.
@nodes = plan_nodes(sprintf($two_levels, 'sum(p)', 'sum(fg)'), 'SET enable_partitionwise_aggregate = off');
is(scalar(grep { ($_->{'Remote SQL'} // '') =~ /sum/ } @nodes), 0, 'enable_partitionwise_aggregate is what does it');
# One key: grouped by it the sum is taken over there, to one row. Without GROUP BY the planner fetches the rows, as partial
# aggregates are sent for groups only; the manual says to group.
my $one = 'SELECT sum(fg) FROM everywhere WHERE benchmark = 3';
@nodes = plan_nodes("$one GROUP BY benchmark", 'SET enable_partitionwise_aggregate = on');
is(scalar(grep { $_->{'Node Type'} eq 'Foreign Scan' && $_->{'Remote SQL'} =~ /^SELECT .*public\.sum\(fg\).* GROUP BY /s } @nodes), 1, 'the sum of one key is sent, where it is grouped by it');
is(scalar(grep { ($_->{'Node Type'} // '') eq 'Foreign Scan' } @nodes), 1, '... to the server that has it');
@nodes = plan_nodes($one, 'SET enable_partitionwise_aggregate = on');
note 'without GROUP BY: ' . join ' > ', map { "$_->{'Node Type'} " . ($_->{'Remote SQL'} // '') } @nodes;
for my $group ('', ' GROUP BY benchmark')
{
	is(value("SET enable_partitionwise_aggregate = on; SELECT md5(flamegraph_send(x)) FROM ($one$group) AS y (x)"),
		value('SELECT md5(flamegraph_send(sum(fg))) FROM here WHERE benchmark = 3'), "... bit for bit, one key$group");
}
# Grouped by the partition key, avg and variance are whole at each server.
for my $name ('avg', 'variance', 'stddev')
{
	my $set = 'SET enable_partitionwise_aggregate = on';
	my $sql = "SELECT benchmark, $name(fg) AS x FROM %s GROUP BY benchmark";
	@nodes = plan_nodes(sprintf($sql, 'everywhere'), $set);
	is(scalar(grep { ($_->{'Remote SQL'} // '') =~ /public\.$name\(fg\).*GROUP BY/s } @nodes), 2, "$name of each benchmark is computed at home");
	my $all = "SELECT md5(string_agg(benchmark || encode(flamegraph_send(x), 'hex'), ',' ORDER BY benchmark)) FROM ($sql) AS y WHERE benchmark <> 5";
	is(value("$set; " . sprintf $all, 'everywhere'), value(sprintf $all, 'here'), '... bit for bit') if $name eq 'avg';
	is(value("$set; SELECT count(*) FROM (" . sprintf($sql, 'everywhere') . ') AS a JOIN (' . sprintf($sql, 'here')
		  . ') AS b USING (benchmark) WHERE a.x <-> b.x <= 1e-9 * norm(b.x) AND norm(b.x) > 0'), 6, '... to 1e-9');
}

$_->stop for @shards;
done_testing();
