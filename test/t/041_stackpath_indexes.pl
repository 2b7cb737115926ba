# Indexes give what a sequential scan gives: btree ranges for <@ and @>, GIN for ? ?| ?& ~ on stacks and profiles,
# hash for =; whatever bytes the frames hold and however long they are. Plans are taken from EXPLAIN (FORMAT JSON).
# Deep stacks and megabyte frames never make an INSERT fail but in a btree, with the error that the manual names.
#
# FG_SEED=n in the environment draws other random data.
use strict;
use warnings;

use Encode qw(encode);
use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $seed = $ENV{FG_SEED} // 41;
srand $seed;
note "seed $seed";

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\nautovacuum = off\nmax_parallel_workers_per_gather = 0\n");
$node->start;

sub literal
{
	my ($text) = @_;
	my $bytes = encode('UTF-8', $text);
	$bytes =~ s/([^ -&(-\[\]-~])/sprintf '\\x%02x', ord $1/ge;
	return "E'$bytes'";
}

sub path_literal { return 'stackpath(ARRAY[' . join(',', map { literal($_) } @_) . ']::text[])'; }
my $db = Wire->connect($node, 'postgres');
# VACUUM stands in no transaction, not even in that of statements sent together.
sub value { return $_[0] =~ /\bVACUUM\b/ ? $node->safe_psql('postgres', $_[0]) : $db->text($_[0]); }
sub pick { return $_[ int rand @_ ]; }

sub finds_nothing
{
	my ($name, $sql) = @_;
	my $found = value($sql);
	is($found, '', $name);
	diag("what is wrong with \"$name\" (seed $seed):\n" . substr($found, 0, 2000)) if $found ne '';
	return;
}

# The nodes of a statement's plan, from the top; SET and PREPARE may stand before it.
sub plan_nodes
{
	my ($before, $sql, $options) = @_;
	my $json = value("$before; EXPLAIN (FORMAT JSON" . ($options // '') . ") $sql");
	my @nodes;
	my $walk;
	$walk = sub { push @nodes, $_[0]; $walk->($_) for @{ $_[0]{Plans} // [] } };
	$walk->(decode_json($json)->[0]{Plan});
	return @nodes;
}

sub uses_index
{
	my ($name, $index, $type, @nodes) = @_;
	my @found = grep { ($_->{'Index Name'} // '') eq $index && $_->{'Node Type'} =~ $type } @nodes;
	ok(scalar @found, "$name: $index is used")
	  or diag(join ' > ', map { $_->{'Node Type'} . ' ' . ($_->{'Index Name'} // $_->{'Relation Name'} // '') } @nodes);
	return $found[0] // {};
}

value('CREATE EXTENSION flamegraph; CREATE EXTENSION pageinspect; CREATE EXTENSION amcheck');

# --- operator classes ------------------------------------------------------------------------------------------------

my $classes = "FROM pg_opclass c JOIN pg_am a ON a.oid = c.opcmethod JOIN pg_depend d ON d.classid = 'pg_opclass'::regclass "
  . "AND d.objid = c.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'flamegraph'";
finds_nothing('every operator class is valid', "SELECT a.amname, c.opcname $classes WHERE NOT amvalidate(c.oid)");
is( value("SELECT string_agg(a.amname || ' ' || c.opcintype::regtype, ', ' ORDER BY a.amname, c.opcintype::regtype::text) $classes"),
	'btree flamegraph, btree flameseries, btree stackpath, btree stackquery, gin flamegraph, gin flameseries, gin stackpath, '
	  . 'hash flamegraph, hash flameseries, hash stackpath, hash stackquery',
	'and there is one for each');

# A btree puts equal keys together, and keeps the bytes of one of them, where the class says that equal values are equal bytes.
# Compressed types do not: amcheck would miss the others.
value(<<'SQL');
CREATE TABLE image (what text, fg flamegraph);
INSERT INTO image SELECT 'as it is', flamegraph_agg('main;' || i || ';' || substr(md5(i::text), 1, 6), i) FROM generate_series(1, 100) AS i;
INSERT INTO image SELECT 'of a series', p.profile FROM (SELECT flameseries_agg('2026-01-01', fg) AS fs FROM image) AS s, profiles(fs) AS p;
CREATE TABLE kept (id serial, fg flamegraph, fs flameseries, path stackpath, query stackquery);
CREATE INDEX kept_fg ON kept (fg);
CREATE INDEX kept_fs ON kept (fs);
CREATE INDEX kept_path ON kept (path);
CREATE INDEX kept_query ON kept (query);
SQL
is(value('SELECT count(*), count(DISTINCT fg), count(DISTINCT pg_column_size(fg)) FROM image'), '2|1|2', 'one profile in two forms');
is(value("SELECT string_agg(c || ' ' || (bt_metap('kept_' || c)).allequalimage, ' ') FROM unnest(ARRAY['fg', 'fs', 'path', 'query']) AS c"),
	'fg false fs false path true query true', 'only types without compression are deduplicated');
for (1 .. 6)
{
	value('DELETE FROM kept WHERE hashint4(id) % 2 = 0; INSERT INTO kept (fg) SELECT fg FROM image, generate_series(1, 250) ORDER BY random()');
	$node->safe_psql('postgres', 'VACUUM kept');
}
finds_nothing('a btree of both forms is in order', "SELECT 'bad' WHERE bt_index_check('kept_fg', true) IS NULL");

# Runs one statement with and without indexes for every row of "cases" (id, condition); returns the rows that differ,
# and those whose answer is not the oracle's, if there is one.
value(<<'SQL');
CREATE FUNCTION answer(source text, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE format('SELECT count(*) || '' '' || coalesce(md5(string_agg(id::text, '','' ORDER BY id)), '''') FROM %s WHERE %s',
				   source, condition) INTO answer;
	RETURN answer;
END $$;
CREATE FUNCTION by_index(source text, condition text) RETURNS text LANGUAGE sql
	SET enable_seqscan = off AS 'SELECT answer($1, $2)';
CREATE FUNCTION by_scan(source text, condition text) RETURNS text LANGUAGE sql
	SET enable_indexscan = off SET enable_indexonlyscan = off SET enable_bitmapscan = off AS 'SELECT answer($1, $2)';
SQL

sub indexes_agree
{
	my ($name, $table) = @_;
	finds_nothing($name, "SELECT id, left(condition, 200), i, s, o FROM (SELECT id, condition, oracle, by_index('$table', condition) AS i, "
		  . "by_scan('$table', condition) AS s, CASE WHEN oracle IS NOT NULL THEN by_scan('$table', oracle) END AS o FROM cases) AS x "
		  . 'WHERE (i = s AND (oracle IS NULL OR s = o)) IS NOT TRUE ORDER BY id LIMIT 10');
	return;
}

# --- <@ and @> by btree ----------------------------------------------------------------------------------------------

my $long = 'l' x 300;
my @frames = ('a', 'b', "a\x01", "a\x02", 'a ', 'a!', "a\x01b", ' ', "\x01", "\x02", "\x01\x01", "\x7f", "\x{e9}", "\x{ff}", "\x{7ff}",
	"\x{10ffff}", "\x{10ffff}\x01", 'aa', $long, $long . "\x01", "$long$long");
my @paths = ([], map { [$_] } @frames);
push @paths, [ map { pick(@frames[ 0 .. pick(5, 12, $#frames) ]) } 1 .. 1 + int rand 5 ] for 1 .. 1500;
push @paths, [ map { "frame " . int rand 30 } 1 .. 1 + int rand 8 ] for 1 .. 3500;

value('CREATE TABLE path (id serial, p stackpath); INSERT INTO path (p) VALUES ' . join(',', map { '(' . path_literal(@$_) . ')' } @paths)
	  . '; CREATE INDEX path_btree ON path (p); VACUUM ANALYZE path');
finds_nothing('the btree is in order', "SELECT 'bad' WHERE bt_index_check('path_btree', true) IS NULL");

my @wanted = ([], map { [$_] } @frames, 'frame 7', 'absent');
push @wanted, $paths[ 1 + int rand 1500 ] for 1 .. 120;
push @wanted, [ 'frame 1', 'frame 2' ], [ 'a', 'absent' ], [ "a\x01", "\x01" ], [ $long, $long ];
value('CREATE TABLE wanted (n serial, q stackpath); INSERT INTO wanted (q) VALUES ' . join(',', map { '(' . path_literal(@$_) . ')' } @wanted));
# The oracle knows arrays of text only.
value(q{CREATE TABLE cases AS
	SELECT 10 * n + 1 AS id, format('p <@ %L::stackpath', q) AS condition, format('(frames(p))[1:%s] = frames(%L::stackpath)', depth(q), q) AS oracle FROM wanted
	UNION ALL SELECT 10 * n + 2, format('%L::stackpath @> p', q), format('(frames(p))[1:%s] = frames(%L::stackpath)', depth(q), q) FROM wanted
	UNION ALL SELECT 10 * n + 3, format('p @> %L::stackpath', q), format('(frames(%L::stackpath))[1:depth(p)] = frames(p)', q) FROM wanted
	UNION ALL SELECT 10 * n + 4, format('%L::stackpath <@ p', q), format('(frames(%L::stackpath))[1:depth(p)] = frames(p)', q) FROM wanted
	UNION ALL SELECT 10 * n + 5, format('stackpath_contained(p, %L::stackpath)', q), format('(frames(p))[1:%s] = frames(%L::stackpath)', depth(q), q) FROM wanted
	UNION ALL SELECT 10 * n + 6, format('stackpath_contains(%L::stackpath, p)', q), format('(frames(p))[1:%s] = frames(%L::stackpath)', depth(q), q) FROM wanted
	UNION ALL SELECT 10 * n + 7, format('p <@ %L::stackpath AND p <> %L::stackpath', q, q), format('(frames(p))[1:%s] = frames(%L::stackpath) AND depth(p) > %s', depth(q), q, depth(q)) FROM wanted});
indexes_agree('<@ and @> of constants: index, sequential scan and arrays of text agree', 'path');
cmp_ok(value(q{SELECT count(DISTINCT by_scan('path', condition)) FROM cases}), '>', 60, 'in many different answers');

is(value(q{SELECT by_index('path', $$p <@ ''$$) = by_scan('path', 'true')}), 't', 'every path is a descendant of the empty one');
finds_nothing('the range of stackpath_upper() is the descendants', 'SELECT q FROM wanted, path WHERE q <> stackpath \'\' AND '
	  . '(p >= q AND p < stackpath_upper(q)) <> (p <@ q) LIMIT 5');
is(value(q{SELECT stackpath_upper('') IS NULL}), 't', 'of the empty path there is no upper end');

# Plans.
my $condition = uses_index('p <@ constant', 'path_btree', qr/Index/, plan_nodes('', q{SELECT id FROM path WHERE p <@ 'frame 1;frame 2'}));
like($condition->{'Index Cond'} // '', qr/>=.*<(?!=)/s, 'as a range with both ends');
uses_index('constant @> p', 'path_btree', qr/Index/, plan_nodes('', q{SELECT id FROM path WHERE 'frame 1;frame 2' @> p}));
uses_index('only the index', 'path_btree', qr/^Index Only Scan$/, plan_nodes('', q{SELECT count(p) FROM path WHERE p <@ 'frame 1;frame 2'}));
$condition = uses_index('the empty path', 'path_btree', qr/Index/, plan_nodes('SET enable_seqscan = off', q{SELECT id FROM path WHERE p <@ ''}));
like($condition->{'Index Cond'} // '', qr/>=/, 'with a lower end');
unlike($condition->{'Index Cond'} // '', qr/<(?!=)/, 'and no upper end');
my @nodes = plan_nodes('SET enable_seqscan = off', q{SELECT id FROM path WHERE p @> 'frame 1;frame 2'});
unlike($_->{'Index Cond'} // '', qr/./, 'ancestors are no range') for grep { $_->{'Node Type'} =~ /Index/ } @nodes;
finds_nothing('NULL', q{SELECT id FROM path WHERE p <@ NULL::stackpath OR NULL::stackpath @> p});

# Parameters. A custom plan knows the value, a generic one does not.
my $prepare = 'PREPARE q (stackpath) AS SELECT count(*) || \' \' || coalesce(md5(string_agg(id::text, \',\' ORDER BY id)), \'\') FROM path WHERE p <@ $1';
uses_index('a custom plan', 'path_btree', qr/Index/, plan_nodes("SET plan_cache_mode = force_custom_plan; $prepare", q{EXECUTE q ('frame 1;frame 2')}));
@nodes = plan_nodes("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; $prepare", q{EXECUTE q ('frame 1;frame 2')});
unlike(join('', map { $_->{'Index Cond'} // '' } @nodes), qr/./, 'a generic plan has no range: the value may be the empty path');
for my $mode ('custom', 'generic')
{
	my @values = map { path_literal(@$_) } @wanted[ 0 .. 40 ];
	is( value("SET plan_cache_mode = force_${mode}_plan; SET enable_seqscan = off; $prepare; " . join '', map { "EXECUTE q ($_);" } @values),
		value(join '', map { "SELECT by_scan('path', format('p <@ %L::stackpath', $_));" } @values),
		"parameters, $mode plan");
}

# Joins: people write the range themselves.
my $join = 'FROM wanted w JOIN path p ON p.p >= w.q AND p.p < stackpath_upper(w.q)';
@nodes = plan_nodes('SET enable_hashjoin = off; SET enable_mergejoin = off', "SELECT count(*) $join");
uses_index('a join with stackpath_upper()', 'path_btree', qr/Index/, @nodes);
ok((grep { $_->{'Node Type'} eq 'Nested Loop' } @nodes), 'in a nested loop');
finds_nothing('and gives what <@ gives', "SELECT n, a, b FROM (SELECT w.n, count(p.id) AS a $join GROUP BY w.n) AS x FULL JOIN "
	  . "(SELECT w.n, count(*) AS b FROM wanted w JOIN path p ON p.p <@ w.q WHERE w.q <> '' GROUP BY w.n) AS y USING (n) "
	  . 'WHERE a IS DISTINCT FROM b LIMIT 5');
is( value('SET enable_seqscan = off; SELECT count(*) FROM wanted w JOIN path p ON p.p <@ w.q'),
	value('SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; SELECT count(*) FROM wanted w JOIN path p ON p.p <@ w.q'),
	'a join on <@ itself, the empty path included');
@nodes = plan_nodes('', q{SELECT p FROM path ORDER BY p LIMIT 10});
uses_index('ORDER BY', 'path_btree', qr/Index/, @nodes);

# --- GIN -------------------------------------------------------------------------------------------------------------
# Frames around the 250 bytes that a key holds; several share their first 234, which is where the keys of longer ones
# are cut. "forged" is as long as a key and is the key of a longer frame.

my $stem = join '', map { chr(97 + $_ % 26) } 1 .. 234;
my %special = map { ($_ => $stem . 'x' x ($_ - 234)) } 233 .. 300;
$special{$_} = substr $stem, 0, $_ for 1 .. 234;
my @pool = map { "f$_" } 0 .. 29;
push @pool, map { $special{$_} } 1, 2, 100, 232, 233, 234, 235, 249, 250, 251, 252, 300;
push @pool, $stem . 'y' x 15, $stem . 'y' x 16, $stem . 'y' x 17, $stem . 'y' x 66, uc($stem) . 'x' x 66;
push @pool, "z\x{e9}" x 50, 'z' . "\x{e9}" x 150, 'zz' . "\x{e9}" x 150, 'z' . "\x{1f525}" x 70, "\x01", ' ', "\x{10ffff}" x 63, 'with;semicolon',
  'F1', 'foo_bar', 'bar_foo_baz', 'foo', 'fo';
my $target = $special{300};
my $forged = value("SELECT left(f, 234) || lpad(to_hex(hashtextextended(f, 0)), 16, '0') FROM (VALUES (" . literal($target) . ')) AS v (f)');
is(length $forged, 250, 'a frame that equals the key of a longer one');
push @pool, $forged;

my @stacks = ([], map { [$_] } @pool);
push @stacks, [ map { rand() < 0.4 ? $pool[ 30 + int rand @pool - 30 ] : pick(@pool) } 1 .. 1 + int rand 6 ] for 1 .. 700;
value(<<"SQL");
CREATE TABLE stack (id serial, p stackpath, fg flamegraph);
CREATE INDEX stack_gin ON stack USING gin (p) WITH (fastupdate = on, gin_pending_list_limit = 65536);
CREATE INDEX profile_gin ON stack USING gin (fg) WITH (fastupdate = on, gin_pending_list_limit = 65536);
CREATE INDEX stack_hash ON stack USING hash (p);
CREATE INDEX profile_hash ON stack USING hash (fg);
SQL
value('INSERT INTO stack (p) VALUES ' . join(',', map { '(' . path_literal(@$_) . ')' } @stacks));
# Profiles: the stack of the row, and two others that are its neighbours.
value('UPDATE stack s SET fg = (SELECT flamegraph_agg(t.p, t.id) FROM stack t WHERE t.id BETWEEN s.id - s.id % 3 AND s.id)');
value(q{INSERT INTO stack (p, fg) VALUES (NULL, NULL), ('', ''), ('only;path', NULL), (NULL, 'only;profile 1'), (NULL, 'f1;f2 0')});

my @all = (@pool, 'absent', 'f', "$stem", $stem . 'x' x 14, $stem . 'x' x 65, $stem . 'y' x 65, substr($forged, 0, 249), $forged . '0',
	'z' . "\x{e9}" x 149, '');
sub array_literal { return 'ARRAY[' . join(',', map { defined $_ ? literal($_) : 'NULL' } @_) . ']::text[]'; }
my @conditions;
for my $c ([ 'p', 'frames(p)' ], [ 'fg', '(SELECT array_agg(DISTINCT f) FROM stacks(fg), unnest(frames(stack)) AS f)' ])
{
	my ($column, $array) = @$c;
	$array = "coalesce($array, '{}')";
	for my $frame (@all)
	{
		push @conditions, [ "$column ? " . literal($frame), literal($frame) . " = ANY ($array)" ];
		push @conditions, [ "has_frame($column, " . literal($frame) . ')', literal($frame) . " = ANY ($array)" ];
	}
	for my $arguments ([], [undef], [ undef, undef ], ['f1'], [ 'f1', undef ], [ 'f1', 'f1' ], ['absent'], [ 'absent', undef, 'f3' ],
		[ $target, $forged ], [ $special{250}, $special{251} ], [ map { pick(@all) } 1 .. 40 ], map { [ map { rand() < 0.1 ? undef : pick(@all) } 1 .. 1 + int rand 3 ] } 1 .. 30)
	{
		my @there = grep { defined } @$arguments;
		my $any = '(' . array_literal(@there) . " && $array)";
		my $every = "($array @> " . array_literal(@there) . ')';
		push @conditions, [ "$column ?| " . array_literal(@$arguments), $any ], [ "$column ?& " . array_literal(@$arguments), "$every AND $column IS NOT NULL" ];
	}
	# The pattern's answer without an index is the oracle: it is compared with others in 040.
	for my $n (1 .. 233, 234 .. 260, 299, 300)
	{
		next if $n > 6 && $n < 228 && $n % 25;
		my $prefix = substr $special{300}, 0, $n;
		push @conditions, map { [ "$column ~ " . literal($_), undef ] } "*;$prefix*;*", "*;$prefix;*", "*;$prefix@*;*", "*;$prefix*|f1;*";
	}
	for my $query ('*', '', 'f1', '!f1', '*;f1;*', '*;!f1;*', '*;f1{,3};*', '*;f1{2,};*', '*;f1|f2;*', '*;f*;*', '*;fo*;*', '*;foo%;*', '*;foo%*;*', '*;F1@;*',
		'*;f1;*;f2;*', '*;f1|absent;*', '*;absent;*', '*;~"^f1";*', '*;~"1"|f2;*', '*;f1{0};*', '*{2}', '*;"with;semicolon"', '*;"with;"*',
		"*;$forged;*", "*;$target;*", "*;" . ('z' . "\x{e9}" x 116) . '*;*', "*;" . ('z' . "\x{e9}" x 117) . '*;*', "*;z\x{e9}*;*", "*;z*;*;f*;*", "*;\x{10ffff}*;*",
		'*;" "', "*;\x01;*", map { '*;' . join(';*;', map { my $f = pick(@pool[ 0 .. 45 ]); substr($f, 0, 1 + int rand length $f) . pick('*', '*', '', '@', '|f3', '*|f4*') } 1 .. pick(1, 2, 3)) . ';*' } 1 .. 50)
	{
		next if $query eq '';
		(my $quoted = $query) =~ s/;\|/;x|/g;
		push @conditions, [ "$column ~ " . literal($quoted), undef ];
		push @conditions, [ "NOT $column ~ " . literal($quoted), undef ] if rand() < 0.1;
	}
	push @conditions, map { [ $_, undef ] } "$column ? 'f1' AND $column ? 'f2'", "$column ? 'f1' OR $column ?& ARRAY['f2', 'f3']",
	  "$column ~ ANY (ARRAY['*;f1;*', '*;f2', 'absent']::stackquery[])", "$column ? 'f1' AND $column ~ '*;f2;*' AND $column ?| '{f3,f4}'",
	  "$column ? NULL", "$column ?& NULL";
}
push @conditions, map { [ "p = $_", "frames(p) = frames($_)" ] } map { path_literal(@$_) } @stacks[ 0 .. 60 ];
push @conditions, map { [ "fg = (SELECT fg FROM stack WHERE id = $_)", undef ] } 1, 2, 50, 100, 1000;
value('DROP TABLE cases; CREATE TABLE cases (id serial, condition text, oracle text)');
value('INSERT INTO cases (condition, oracle) VALUES ' . join(',', map { '(' . join(',', map { defined $_ ? '$q$' . $_ . '$q$' : 'NULL' } @$_) . ')' } @conditions));

sub pending { return value("SELECT n_pending_pages FROM gin_metapage_info(get_raw_page('$_[0]', 0))"); }
cmp_ok(pending('stack_gin'), '>', 0, 'stacks wait in the pending list');
cmp_ok(pending('profile_gin'), '>', 0, 'profiles too');
indexes_agree('GIN with a pending list', 'stack');
value('VACUUM ANALYZE stack');
is(pending('stack_gin') + pending('profile_gin'), 0, 'VACUUM empties the pending lists');
indexes_agree('GIN after VACUUM', 'stack');
value('DELETE FROM stack WHERE id % 3 = 0; VACUUM stack; REINDEX TABLE stack');
indexes_agree('GIN after DELETE, VACUUM and REINDEX', 'stack');
cmp_ok(value(q{SELECT count(DISTINCT by_scan('stack', condition)) FROM cases}), '>', 150, 'in many different answers');

is( value(q{SET enable_seqscan = off; SELECT string_agg(n::text, ' ') FROM (SELECT count(*) AS n FROM stack WHERE p ?& '{}' UNION ALL SELECT count(*) FROM stack WHERE p ?| '{}') AS x}),
	value(q{SELECT count(p) || ' 0' FROM stack}), '?& of no frame: every stack, ?| of no frame: none');
my $by_prefix = 'SELECT count(*) FROM stack WHERE p ? ';
uses_index('?', 'stack_gin', qr/Bitmap Index Scan/, plan_nodes('SET enable_seqscan = off', "${by_prefix}'f1'"));
uses_index('~', 'profile_gin', qr/Bitmap Index Scan/, plan_nodes('SET enable_seqscan = off', q{SELECT count(*) FROM stack WHERE fg ~ '*;f1;*'}));
my ($heap) = grep { $_->{'Node Type'} eq 'Bitmap Heap Scan' }
  plan_nodes('SET enable_seqscan = off', $by_prefix . literal($target), ', ANALYZE');
cmp_ok($heap->{'Rows Removed by Index Recheck'} // 0, '>', 0, 'a forged frame is found by its key and refused by the recheck');
($heap) = grep { $_->{'Node Type'} eq 'Bitmap Heap Scan' } plan_nodes('SET enable_seqscan = off', "${by_prefix}'f1'", ', ANALYZE');
is($heap->{'Rows Removed by Index Recheck'} // 0, 0, 'a short frame needs no recheck');
uses_index('= of stacks', 'stack_hash', qr/Index/, plan_nodes('SET enable_seqscan = off; SET enable_bitmapscan = off', q{SELECT id FROM stack WHERE p = 'f1;f2'}));

# Frames of a megabyte whose keys differ only in the hash.
my $megabyte = 1024 * 1024;
value(<<"SQL");
CREATE TABLE megabyte (id serial, p stackpath, fg flamegraph);
CREATE INDEX megabyte_gin ON megabyte USING gin (p);
CREATE INDEX megabyte_profile_gin ON megabyte USING gin (fg);
CREATE TABLE long_frame AS SELECT '$stem' || repeat('m', $megabyte - 235) || c AS f FROM unnest('{x,y}'::text[]) AS c;
INSERT INTO long_frame VALUES (repeat(U&'\\00e9', $megabyte / 2)), ('f1'), ('$special{300}');
INSERT INTO megabyte (p, fg) SELECT stackpath(ARRAY['f1', f]), flamegraph_agg(stackpath(ARRAY['f2', f]), 1) FROM long_frame GROUP BY f;
TRUNCATE cases RESTART IDENTITY;
SQL
for my $column ('p', 'fg')
{
	my $forms = join ', ', map { "\$q\$$column $_\$q\$" } '? %L', "?& ARRAY['f1', %L]", "?| ARRAY['absent', %L]", "~ '*;%s'", "~ '*;%s*'", "? (%L || 'x')";
	value("INSERT INTO cases (condition) SELECT format(c, f) FROM long_frame, unnest(ARRAY[$forms]) AS c");
	value("INSERT INTO cases (condition) SELECT format('$column ~ %L', '*;' || left('$stem' || repeat('m', 100), n) || '*') FROM unnest(ARRAY[1, 233, 234, 235, 250, 300]) AS n");
}
cmp_ok(value('SELECT count(*) FROM cases'), '>', 60, 'questions for megabyte frames');
indexes_agree('GIN on megabyte frames', 'megabyte');
value('VACUUM megabyte');
indexes_agree('GIN on megabyte frames after VACUUM', 'megabyte');
cmp_ok(value(q{SELECT count(DISTINCT by_scan('megabyte', condition)) FROM cases}), '>', 5, 'in different answers');

# --- which profiles contain this frame -------------------------------------------------------------------------------

value(<<'SQL');
CREATE TABLE profile (id int, fg flamegraph);
INSERT INTO profile SELECT p, (SELECT flamegraph_agg(ARRAY['main', 'module ' || (p * 7 + i) % 50, 'f' || (p * 13 + i * 17) % 1000, 'leaf'], 1) FROM generate_series(1, 10) AS i)
	FROM generate_series(1, 10000) AS p;
CREATE INDEX profile_frames ON profile USING gin (fg);
VACUUM ANALYZE profile;
SQL
for my $condition (q{fg ? 'f77'}, q{fg ~ '*;f77;*'}, q{fg ?& '{f77,f94}'}, q{fg ?| '{f77,f78}'}, q{fg ~ 'main;*;f77;leaf'})
{
	@nodes = plan_nodes('', "SELECT count(*) FROM profile WHERE $condition", ', ANALYZE');
	uses_index("10,000 profiles, $condition, planner left alone", 'profile_frames', qr/Bitmap Index Scan/, @nodes);
	my ($scan) = grep { $_->{'Node Type'} eq 'Bitmap Heap Scan' } @nodes;
	cmp_ok($scan->{'Actual Rows'} // 0, '>', 0, 'it finds some');
	is($scan->{'Rows Removed by Index Recheck'} // 0, 0, 'and reads no other profile');
	is( value("SELECT by_index('profile', \$\$$condition\$\$)"), value("SELECT by_scan('profile', \$\$$condition\$\$)"), 'the same as a sequential scan');
}

# --- deep stacks, long frames ----------------------------------------------------------------------------------------

value(<<'SQL');
CREATE TABLE big (id serial, p stackpath, fg flamegraph);
CREATE INDEX big_gin ON big USING gin (p);
CREATE INDEX big_gin_now ON big USING gin (p) WITH (fastupdate = off);
CREATE INDEX big_profile_gin ON big USING gin (fg) WITH (fastupdate = off);
CREATE INDEX big_hash ON big USING hash (p);
CREATE INDEX big_profile_hash ON big USING hash (fg);
SQL
for my $case ([ '65,535 different frames', q{SELECT stackpath(array_agg('frame ' || i ORDER BY i)) FROM generate_series(1, 65535) AS i} ],
	[ '65,535 equal frames', q{SELECT stackpath(array_agg('frame'::text)) FROM generate_series(1, 65535)} ],
	[ '65,535 frames of 300 bytes', q{SELECT stackpath(array_agg(repeat('x', 290) || i)) FROM generate_series(1, 65535) AS i} ],
	[ 'a frame of a megabyte', q{SELECT stackpath(ARRAY[repeat('m', 1048576)])} ],
	[ '20 frames of a megabyte', q{SELECT stackpath(array_agg(lpad(i::text, 1048576, 'm'))) FROM generate_series(1, 20) AS i} ],
	[ 'a frame of a megabyte of noise', q{SELECT stackpath(ARRAY[left(string_agg(md5(i::text), ''), 1048576)]) FROM generate_series(1, 32768) AS i} ])
{
	my ($name, $select) = @$case;
	my ($status, undef, $error) = $node->psql('postgres', "INSERT INTO big (p, fg) SELECT p, flamegraph_agg(p, 1) FROM ($select) AS x (p) GROUP BY p");
	is($status, 0, "$name: GIN and hash indexes take it") or diag($error);
}
is(value('SELECT count(*) FROM big'), 6, 'all are there');
is(value(q{SET enable_seqscan = off; SELECT string_agg(id::text, ',' ORDER BY id) FROM big WHERE p ? 'frame 65535'}), '1', 'the deepest frame is found');
is(value(q{SET enable_seqscan = off; SELECT string_agg(id::text, ',' ORDER BY id) FROM big WHERE fg ? repeat('m', 1048576)}), '4', 'the longest too');
is(value(q{SET enable_seqscan = off; SELECT string_agg(id::text, ',' ORDER BY id) FROM big WHERE p ~ '*;mmm*;*'}), '4,5', 'by a prefix');
is(value(q{SET enable_seqscan = off; SELECT string_agg(b.id::text, ',' ORDER BY b.id) FROM big b WHERE p = (SELECT p FROM big WHERE id = 2)}), '2', 'by equality');

# btree ends at 2,704 bytes of index row: 8 for its header, 4 for the value's, when it does not compress.
value('CREATE TABLE ordered (p stackpath); CREATE INDEX ordered_btree ON ordered (p)');
my @letters = ('a' .. 'z', 'A' .. 'Z', '0' .. '9', '+', '-');
my $noise = join '', map { pick(@letters) } 1 .. 4000;
sub insert_ordered { my ($path) = @_; return $node->psql('postgres', "\\set VERBOSITY verbose\nINSERT INTO ordered VALUES ($path)"); }
my ($status, undef, $error) = insert_ordered("stackpath(ARRAY['" . substr($noise, 0, 2692) . "'])");
is($status, 0, 'btree: 2,692 bytes that do not compress') or diag($error);
for my $n (2693, 2700, 4000)
{
	($status, undef, $error) = insert_ordered("stackpath(ARRAY['" . substr($noise, 0, $n) . "'])");
	like($error, qr/ERROR:  54000: index row size \d+ exceeds btree version 4 maximum 2704 for index "ordered_btree"/, "btree: $n are too many");
}
($status, undef, $error) = insert_ordered(q{(SELECT stackpath(array_agg('frame'::text)) FROM generate_series(1, 5000))});
is($status, 0, 'btree: 5,000 equal frames compress') or diag($error);
like(slurp_file('docs/reference.md'), qr/2,700 bytes/, 'the manual names the limit') if -f 'docs/reference.md';

$node->stop;
done_testing();
