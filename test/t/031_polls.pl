# A cancelled query ends soon because whatever our functions do between two interrupt polls is bounded, however large
# their arguments are. That is proven by counting work, so it does not depend on the machine: this test loads a build
# of the library that counts basic blocks and bytes moved (test/polls/polls.c), calls every function of flamegraph and flamegraph_jobs
# with large arguments and looks at the largest interval between two polls of each.
#
# In that build every interval is 64 times as small as in the one that is shipped (FG_CHECK_NODES, FG_CHECK_BYTES in
# src/core/base/context.h), so that small inputs do: $bound here is 64 times as much there. A loop without a poll, or one
# whose poll counts the wrong thing, goes beyond it as soon as its input is large, and each function is given so much
# that its largest call does at least $least as much work as the bound: one without a poll cannot pass. What is exempt from
# that is listed by name.
#
# Not seen: what PostgreSQL does by itself for us (detoasting, tuplestores, its regular expressions, arrays, jsonb) and
# what LAPACK does in one call. zlib is seen by the bytes that it is given.
#
# FLAMEGRAPH_POLLS_ONLY picks operations by name; FLAMEGRAPH_POLLS_SHOW=1 prints the figures of every function.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use lib $FindBin::RealBin;
use Wire;

my $bound = 400_000;
my $least = 1.5;
my $only = $ENV{FLAMEGRAPH_POLLS_ONLY};
my $show = $ENV{FLAMEGRAPH_POLLS_SHOW};
my $library = $ENV{FLAMEGRAPH_POLLS} or die 'FLAMEGRAPH_POLLS names no library; run this by tools/tap.sh';

my $node = PostgreSQL::Test::Cluster->new('polls');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
fsync = off
jit = off
max_parallel_workers_per_gather = 0
log_min_error_statement = panic
CONF
$node->start;
my $dir = $node->basedir;

# From here on the functions are those of the other library. It is there before the first of them is looked up.
my $db = Wire->connect($node, 'postgres');
$db->run(<<"SQL");
CREATE EXTENSION flamegraph;
CREATE EXTENSION flamegraph_jobs;
UPDATE pg_proc SET probin = '$library' WHERE probin = '\$libdir/flamegraph';
ALTER DATABASE postgres SET session_preload_libraries = '$library';
SQL
$db->close;
$db = Wire->connect($node, 'postgres');
$db->run(<<"SQL");
CREATE FUNCTION fg_polls_reset(int8) RETURNS void LANGUAGE c AS '$library';
CREATE FUNCTION fg_polls_report() RETURNS text LANGUAGE c AS '$library';
SQL

# --- values -----------------------------------------------------------------------------------------------------

# The types of the extension, each value a row of "of_type" of its own twice, so that neither is a pointer to the other:
# trees that are wide, deep, or of many frames, and for what goes by bytes alone some megabytes in few parts.
$db->run(<<"SQL");
CREATE FUNCTION texts(n int) RETURNS text[] LANGUAGE sql AS 'SELECT array_agg(''frame '' || md5(i::text)) FROM generate_series(1, n) AS i';
CREATE TABLE rows_of AS
  SELECT i, 'main;a' || (i >> 12 & 15) || ';c' || (i >> 8 & 15) || ';d' || (i >> 4 & 15) || ';f' || (i & 15) AS stack, (i % 1000 + 1)::float8 AS value
  FROM (SELECT n::int8 * 2654435761 & 65535 AS i FROM generate_series(0, 65535) AS n) AS mixed;
CREATE TABLE profile (name text, fg flamegraph);
INSERT INTO profile SELECT 'a', flamegraph_agg(stack, value) FROM rows_of;
INSERT INTO profile SELECT 'b', fg * 0.3 FROM profile WHERE name = 'a';
INSERT INTO profile SELECT 'half', flamegraph_agg(stack, value / 7.0) FROM rows_of WHERE i % 2 = 0;
INSERT INTO profile SELECT 'chain', flamegraph_agg(path, n)
  FROM (SELECT n, stackpath(array_fill('f'::text, ARRAY[n])) AS path FROM generate_series(1, 65535, 64) AS n) AS s;
INSERT INTO profile SELECT 'short chain', flamegraph_agg(array_fill('f'::text, ARRAY[4000]), 1);
INSERT INTO profile SELECT 'frames', flamegraph_agg(ARRAY['main', f, 'leaf'], n) FROM unnest(texts(50000)) WITH ORDINALITY AS u (f, n);
INSERT INTO profile SELECT 'flat', flamegraph_agg(ARRAY[f], n) FROM unnest(texts(50000)) WITH ORDINALITY AS u (f, n);
INSERT INTO profile SELECT 'long frames', flamegraph_agg(ARRAY[repeat(chr(96 + n), 1000000), 'x'], n) FROM generate_series(1, 20) AS n;
INSERT INTO profile SELECT 'small', cut_depth(fg, 4) FROM profile WHERE name = 'a';
INSERT INTO profile SELECT 'again', flamegraph_agg(stack || ';main', value) FROM rows_of;
CREATE TABLE path (name text, path stackpath);
INSERT INTO path VALUES
  ('deep', stackpath(array_fill('f'::text, ARRAY[65535]))),
  ('not so deep', stackpath(array_fill('f'::text, ARRAY[8000]))),
  ('half', stackpath(array_fill('f'::text, ARRAY[32000]))),
  ('frames', stackpath(texts(60000))),
  ('fewer frames', stackpath(texts(6000))),
  ('long frames', stackpath(array_fill(repeat('f', 1000000), ARRAY[20])));
CREATE TABLE points AS
  SELECT i, (i::int8 * 7919 % 1000003)::float8 AS x, sin(i) * 100 + i % 97 AS y FROM generate_series(1, 100000) AS i;
CREATE TABLE series AS
  SELECT n, array_agg(x) AS xs, array_agg(y) AS ys, array_agg(x ORDER BY x) AS sorted, array_agg('f' || i % 500) AS locations, array_agg(i % 2 = 0) AS is_target
  FROM (VALUES (1000), (10000), (100000)) AS v (n), points WHERE i <= n GROUP BY n;
CREATE TABLE fits AS SELECT fit(xs, ys, 'kernel_regression') AS a, fit(xs, ys, 'regressogram', '{"buckets": 50000}') AS b, fit(xs, ys, 'moving_average', '{"window_size": 9}') AS c
  FROM series WHERE n = 100000;
CREATE TABLE statistics (name text, s flamestats);
INSERT INTO statistics
  SELECT 'a', stats(fg, 'node') FROM profile WHERE name IN ('a', 'b') UNION ALL
  SELECT 'b', stats(fg, 'node') FROM profile WHERE name IN ('a', 'half') UNION ALL
  SELECT 'long frames', stats(fg) FROM profile WHERE name = 'long frames';
CREATE TABLE query (name text, query stackquery);
INSERT INTO query
  SELECT 'alternatives', string_agg('q_' || i || '*', '|')::stackquery FROM generate_series(1, 600) AS i UNION ALL
  SELECT 'a hundred alternatives', string_agg('q_' || i || '*', '|')::stackquery FROM generate_series(1, 100) AS i UNION ALL
  SELECT 'many alternatives', string_agg('q_' || i || '*', '|')::stackquery FROM generate_series(1, 100000) AS i UNION ALL
  SELECT 'levels', string_agg('f', ';')::stackquery FROM generate_series(1, 2000) UNION ALL
  SELECT 'long frames', string_agg(repeat(chr(96 + i), 1000000), ';')::stackquery FROM generate_series(1, 20) AS i;
CREATE TABLE copied (fg flamegraph, path stackpath, s flamestats, fs flameseries, model perfmodel, query stackquery);
CREATE AGGREGATE combined(flamestats) (SFUNC = flamestats_combine, STYPE = flamestats);
CREATE AGGREGATE combined_profiles(flamegraph[]) (SFUNC = flamegraph_percentile_combine, STYPE = flamegraph[]);
CREATE TABLE runs AS
  SELECT run, flamegraph_agg(ARRAY['function ' || f], 1 + run::int8 * f * 7919 % 1009) AS fg
  FROM generate_series(1, 600) AS run, generate_series(1, 100) AS f GROUP BY run;
CREATE TABLE many_profiles (name text, fs flameseries);
INSERT INTO many_profiles
  SELECT 'wide', flameseries_agg('2026-01-01', fg, name) FROM profile WHERE name IN ('a', 'b', 'half') UNION ALL
  SELECT 'whole', flameseries_agg('2026-01-01', fg, name) FROM profile WHERE name IN ('a', 'again') UNION ALL
  SELECT 'many', flameseries_agg(timestamptz '2026-01-01 UTC' + run * interval '1 s', fg, 'pod ' || run * n) FROM runs, generate_series(1, 8) AS n UNION ALL
  SELECT 'frames', flameseries_agg('2026-01-01', fg) FROM profile WHERE name IN ('frames', 'flat') UNION ALL
  SELECT 'long frames', flameseries_agg('2026-01-01', fg) FROM profile WHERE name = 'long frames' UNION ALL
  SELECT 'instances', flameseries_agg('2026-01-01', 'a 1', 'pod ' || i) FROM generate_series(1, 60000) AS i;
CREATE TABLE samples AS
  SELECT array_agg(fg) FILTER (WHERE run % 2 = 0) AS before, array_agg(fg) FILTER (WHERE run % 2 = 1) AS after FROM runs;
SQL

sub profile { return "(SELECT fg FROM profile WHERE name = '$_[0]')"; }
sub path { return "(SELECT path FROM path WHERE name = '$_[0]')"; }
sub statistics { return "(SELECT s FROM statistics WHERE name = '$_[0]')"; }
sub many_profiles { return "(SELECT fs FROM many_profiles WHERE name = '$_[0]')"; }
sub model { return "(SELECT $_[0] FROM fits)"; }
sub query { return "(SELECT query FROM query WHERE name = '$_[0]')"; }
sub points { my ($column, $n) = @_; return "(SELECT $column FROM series WHERE n = " . ($n // 100000) . ')'; }

my ($a, $b, $half, $small, $again, $chain, $short_chain, $frames, $flat) = map { profile($_) } ('a', 'b', 'half', 'small', 'again', 'chain', 'short chain', 'frames', 'flat');
my ($deep, $half_path) = (path('deep'), path('half'));
my ($xs, $ys) = (points('xs'), points('ys'));
my $many_texts = 'texts(60000)';

# --- operations -------------------------------------------------------------------------------------------------

my @operations;
sub operation { push @operations, [@_]; return; }

# What all types have. A column that is read from another row is other memory, so equal values are compared to the end.
for my $type (
	[ 'flamegraph', profile('long frames'), $a ],
	[ 'stackpath', path('long frames'), $deep ],
	[ 'flamestats', statistics('long frames'), statistics('a') ],
	[ 'flameseries', many_profiles('long frames'), many_profiles('wide') ],
	[ 'perfmodel', model('a'), model('b') ],
	[ 'stackquery', query('long frames'), query('many alternatives') ])
{
	my ($name, $long, $many) = @$type;
	my $ordered = $name ne 'flamestats' && $name ne 'perfmodel';
	operation("$name: $_", "SELECT x $_ y FROM (SELECT $long AS x, $long AS y OFFSET 0) AS v") for '=', '<>', ($ordered ? ('<', '<=', '>', '>=') : ());
	operation("$name: order and hashes", "SELECT ${name}_cmp(x, y), ${name}_hash(x), ${name}_hash_extended(y, 1)" . ($name eq 'flamegraph' ? ', content_hash(x)' : '') . " FROM (SELECT $long AS x, $long AS y OFFSET 0) AS v") if $ordered;
	operation("$name: text out and in, $_->[0]", "SELECT ($_->[1])::text::$name IS NULL") for [ 'long', $long ], [ 'many', $many ];
}
my @columns = (fg => $a, path => $deep, s => statistics('a'), fs => many_profiles('many'), model => model('a'), query => query('many alternatives'));
while (my ($column, $value) = splice @columns, 0, 2)
{
	operation("binary out and in: $column", "COPY (SELECT $value) TO '$dir/$column.copy' (FORMAT binary); COPY copied ($column) FROM '$dir/$column.copy' (FORMAT binary)");
}

# stackpath
operation('paths: frames and parts', "SELECT depth(p), frame(p, 60000), root(p), leaf(p), parent(p), subpath(p, 10), subpath(p, 10, 50000) FROM (SELECT $deep AS p) AS v");
operation('paths: from and to arrays', "SELECT stackpath($many_texts), cardinality(frames($deep))");
# Unpacked once: what a table holds each function would unpack for itself.
operation('paths: of long frames', "SELECT depth(p), root(p), leaf(p), parent(p), subpath(p, 1, 18), frame(p, 19), append_frame(p, 'x'), p || 'x'::text, 'x'::text || p, p || p, lca(p, p), stackpath_upper(p), p \@> parent(p), parent(p) <@ p, p \@> p, has_frame(p, 'x'), p ?| ARRAY['x'], p ?& ARRAY[leaf(p), 'x'], has_any_frame(p, ARRAY['x']), has_all_frames(p, ARRAY[leaf(p)]) FROM (SELECT subpath(" . path('long frames') . ', 0, 20) AS p OFFSET 0) AS v');
operation('paths: appended', "SELECT append_frame(p, 'x'), p || 'x'::text, 'x'::text || p, p || p FROM (SELECT $half_path AS p) AS v");
operation('paths: positions', "SELECT position_of($deep, $half_path), position_of($deep, $half_path, 5), position_of($deep, append_frame($half_path, 'x')), position_of($deep, append_frame($half_path, 'x'), 2)");
operation('paths: common', "SELECT lca($deep, $half_path), lca(ARRAY[$deep, $half_path, $deep]), lca(array_fill($half_path, ARRAY[100])), stackpath_upper($deep), stackpath_upper(" . path('long frames') . ')');
operation('paths: contained', "SELECT $deep \@> $half_path, $half_path <@ $deep, $deep <@ $half_path");
operation('paths: have frames', "SELECT has_frame($deep, 'x'), has_any_frame(p, t), has_all_frames(p, t), p ?| t, p ?& t FROM (SELECT " . path('frames') . " AS p, (SELECT array_agg('none' || i) FROM generate_series(1, 30) AS i) AS t) AS v");

# flamegraph: building and text
operation('folded text in', "SELECT nnodes(flamegraph_from_folded(data)), nnodes(flamegraph_from_folded(data, 'skip')), nnodes(flamegraph_from_folded(convert_to(data, 'UTF8'))) FROM (SELECT string_agg(stack || ' ' || value, E'\\n') AS data FROM rows_of) AS v");
operation('folded text out', "SELECT octet_length(flamegraph_to_folded($a)), octet_length(flamegraph_to_folded($short_chain, true))");
operation('built from rows of text', 'SELECT nnodes(flamegraph_agg(stack, value)) FROM rows_of');
operation('built from arrays', 'SELECT nnodes(flamegraph_agg(string_to_array(stack, \';\'), value)) FROM rows_of');
operation('built from paths', 'SELECT nnodes(flamegraph_agg(stackpath(string_to_array(stack, \';\')), value)) FROM rows_of');
operation('built from deep paths', "SELECT nnodes(flamegraph_agg(p, 1)), nnodes(flamegraph_agg(frames(p), 1)), nnodes(flamegraph_agg(array_to_string(frames(p), ';'), 1)) FROM (SELECT path AS p FROM path WHERE name = 'frames') AS v, generate_series(1, 3)");

# flamegraph: facts
operation('facts', "SELECT total(fg), nstacks(fg), nnodes(fg), nframes(fg), depth(fg) FROM (SELECT fg FROM profile WHERE name = 'a' UNION ALL SELECT sum(fg) FROM profile) AS v");
operation('facts of a sum', 'SELECT total(s), nstacks(s), nnodes(s), nframes(s), depth(s), @-@ s FROM (SELECT sum(fg) AS s FROM profile OFFSET 0) AS v');
operation('facts of parts', "SELECT value_at($a, p), total_at($chain, $deep), value_at($chain, $deep), frame_total($a, 'f7'), frame_self($a, 'f7'), cardinality(frames($frames)), is_positive($a), has_path($a, p), $a \@> p, p <@ $a, has_path($chain, $deep), $deep <@ $chain FROM (SELECT 'main;a1' AS s, stackpath(ARRAY['main']) AS p) AS v");
operation('has frames', "SELECT has_frame($frames, 'x'), has_any_frame(p, t), has_all_frames(p, t), p ?| t, p ?& t FROM (SELECT $frames AS p, $many_texts AS t) AS v");

# flamegraph: algebra
operation('algebra', "SELECT nnodes($a + $b), nnodes($a - $half), nnodes(- $a), nnodes($a * 0.1), nnodes(0.1 * $a), nnodes($a / 3), \@-\@ $a, norm($a, 2)");
operation('algebra: aggregates', 'SELECT nnodes(sum(fg)), nnodes(avg(fg)), nnodes(min(fg)), nnodes(max(fg)), nnodes(support_count(fg)), nnodes(variance(fg)), nnodes(stddev(fg)) FROM profile');
operation('algebra: round', "SELECT nnodes(round($a * 0.37, 1)), nnodes(round($a, -1)), nnodes(round($a * 0.37, 0))");
operation('algebra: percentiles', "SELECT nnodes(median(fg)), nnodes(percentile(fg, 0.9)), nnodes(percentile(array_agg(fg), 0.3)) FROM profile");
operation('algebra: percentiles combined', "SELECT cardinality(combined_profiles(s)) FROM (SELECT array_prepend(' 0.5'::flamegraph, array_agg(fg)) AS s FROM runs, generate_series(1, 2) AS n GROUP BY n) AS v");
operation('algebra: percentiles of many', 'SELECT nnodes(median(fg)), nnodes(percentile(array_agg(fg), 0.3)) FROM runs');
operation('algebra: many frames', "SELECT nframes($frames + $frames * 2), nframes($frames - $flat)");
operation('algebra: distances', "SELECT $a <-> $half, distance($a, $b), distance($a, $b, 2), distance($a, $half, 2), similarity($a, $half)");
operation('algebra: parts', "SELECT nnodes(positive_part($a - $half)), nnodes(negative_part($a - $half * 100)), nnodes(absolute($a - $half))");
operation('algebra: changes', "SELECT nnodes(appeared($half, $a)), nnodes(grown($b, $a)), nnodes(disappeared($a, $half)), nnodes(shrunk($a, $b)), (SELECT count(*) FROM decompose($a, $half))");
operation('algebra: scales', "SELECT nnodes(rescale($a)), size_factor($a, $half, 'total'), size_factor($a, $half, 'median_ratio')");

# flamegraph: tree
operation('tree: selected', "SELECT nnodes(filter_stacks($a, '*;a*;*')), nnodes(exclude_stacks($a, '*;a*;*')), nnodes(drop_frames($a, 'd*')), nnodes(prune($a, 0.001)), nnodes(focus($a, 'f7')), nnodes(callers_of($a, 'f7'))");
operation('tree: restricted', "SELECT nnodes(restrict($a, paths)), nnodes(restrict($frames, paths)) FROM (SELECT array_agg(stackpath(ARRAY['main', f])) || $deep AS paths FROM unnest($many_texts) AS f) AS v");
operation('tree: shaped', "SELECT nnodes(invert($a)), nnodes(cut_depth($a, 4)), nnodes(k_context($a, 2)), nnodes(strip_outer($a, 2)), nnodes(cumulate($a)), nnodes(frame_totals($frames)), nnodes(collapse_recursion($chain)), nnodes(collapse_recursion($a)), nnodes(collapse_recursion($chain, 'cycles'))");
operation('tree: deep', "SELECT nnodes(invert($short_chain)), nnodes(k_context($short_chain, 3)), nnodes(strip_outer($chain, 100)), nnodes(cumulate($chain))");
operation('tree: renamed', "SELECT nnodes(rename_frames($a, 'f', 'x')), nnodes(rename_frames($a, ARRAY[ARRAY['f', 'x']])), nnodes(rename_frames($flat, 'frame ', ''))");
operation('tree: renamed by many rules', "SELECT nnodes(rename_frames($a, (SELECT array_agg(ARRAY['no' || i, 'x']) FROM generate_series(1, 50) AS i))), cardinality(frame_rules('lines'))");
operation('tree: split', "SELECT (SELECT count(*) FROM split_stacks($a, '*;a*;*')), (SELECT count(*) FROM split_by_root($flat))");
operation('tree: rows', "SELECT (SELECT count(stack) FROM stacks($a)), (SELECT count(stack) FROM nodes($a)), (SELECT count(*) FROM node_facts($a)), (SELECT count(*) FROM tree($a, 0)), (SELECT count(*) FROM k_contexts($a, 2))");
operation('tree: rows of a deep chain', "SELECT (SELECT count(stack) FROM stacks($short_chain)), (SELECT count(stack) FROM nodes($short_chain)), (SELECT count(*) FROM node_facts($short_chain)), (SELECT count(*) FROM tree($short_chain, 0))");
operation('tree: as pictures', "SELECT octet_length(flamegraph_svg($a, sort => 'value')), octet_length(flamegraph_svg($frames, min_width => 0)), octet_length(flamegraph_svg($chain)), nnodes(flamegraph_from_svg(flamegraph_svg($a)))");
operation('tree: as pictures of a difference', "SELECT octet_length(flamegraph_diff_svg($a, $b, poisson_unit => 1)), octet_length(flamegraph_diff_svg($a, $frames, widths => 'after', level => 'self')), octet_length(flamegraph_diff_svg($chain, $a, min_width => 0)), octet_length(flamegraph_parts_svg($a, $b))");
operation('tree: as pictures of groups', "SELECT octet_length(flamegraph_diff_svg(ARRAY[$a, $b], ARRAY[$b, $a, $half])), octet_length(flamegraph_diff_svg(ARRAY[$a, $b], $half)), octet_length(flamegraph_parts_svg(ARRAY[$a, $b], ARRAY[$b, $half]))");
operation('tree: as pictures of statistics', 'SELECT octet_length(flamegraph_diff_svg(' . statistics('a') . ', ' . statistics('b') . '))');
operation('plots', "SELECT octet_length(plot_svg(a, a)), octet_length(plot_svg(a, a, mark => 'line', lower => a, upper => a)), octet_length(plot_svg(a, a, mark => 'steps')), octet_length(plot_svg(a[:5000], a[:5000], mark => 'bars')) FROM (SELECT array_agg(i::float8) AS a FROM generate_series(1, 300000) AS i) AS v");
operation('trends', "SELECT octet_length(trend_svg(t, a, change_at => c, labels => l, panel_of => p)), octet_length(trend_svg(NULL, a, mean => a, lower => a, upper => a)) FROM (SELECT array_agg(i::float8) AS a, array_agg('2026-11-23'::timestamptz + i * interval '1 min') AS t, array_agg(DISTINCT i / 9 + 1) AS c, array_agg('c' || i % 100) AS l, array_agg('p' || i % 2) AS p FROM generate_series(1, 300000) AS i) AS v");
operation('changes of models', "SELECT octet_length(model_change_svg(a, b, 200000)), octet_length(model_change_svg(a, a)) FROM (SELECT fit(xs, xs, 'moving_average') AS a, fit(xs, ys, 'moving_average') AS b FROM (SELECT array_agg(i::float8) AS xs, array_agg(i * (1 + i % 3 / 3.0)::float8) AS ys FROM generate_series(1, 100000) AS i) AS s) AS v");
operation('correlations', "SELECT octet_length(correlation_svg(array_agg(fg), array_agg(i::float8), 'a1')), octet_length(correlation_svg(array_agg(fg), array_agg(i::float8), 'a1', array_agg('b' || i % 9), 'frame', 'zero')) FROM (SELECT i, $a AS fg FROM generate_series(1, 20) AS i) AS v");
operation('speed-ups', "SELECT octet_length(scaling_svg(a, a)), octet_length(scaling_svg(b, a)) FROM (SELECT array_agg(i::float8) AS a, array_agg((i % 9 + 1)::float8) AS b FROM generate_series(1, 300000) AS i) AS v");
operation('heat maps', "SELECT octet_length(heat_map_svg(c, l, a)), octet_length(heat_map_svg(c, l, a, scale => 'diverging', width => 10000)) FROM (SELECT array_agg('c' || i / 20) AS c, array_agg('l' || i % 20) AS l, array_agg(i::float8) AS a FROM generate_series(0, 99999) AS i) AS v");
operation('heat maps of profiles', "SELECT octet_length(heat_map_svg(ARRAY[$a, $b, $half])), octet_length(heat_map_svg(ARRAY[$a, $frames], level => 'node')), octet_length(heat_map_svg(ARRAY[$short_chain, $a], level => 'stack', max_rows => 1000)), octet_length(heat_map_svg(ARRAY[$a, $chain], level => 'frame'))");
operation('flame charts of a deep stack', "SELECT octet_length(flame_chart_svg(stack, 0, 1)), octet_length(flame_chart_svg(stack, 0, 1, 'a')), octet_length(flame_chart_svg(stack, 0, 1, 'a', '{}')) FROM stacks($chain)");
operation('flame charts', "SELECT octet_length(flame_chart_svg(stack, i, i + 1 + i % 2, 'thread ' || i % 9)), octet_length(flame_chart_svg(stack, -i, 1 - i, NULL, '{\"min_width\": 0, \"merge\": false, \"max_boxes\": 1000}')), octet_length(flame_chart_svg(stack, i, 1e6)) FROM (SELECT row_number() OVER () AS i, stack FROM stacks($a)) AS s");
operation('plots of models', "SELECT octet_length(model_svg(a, a)), octet_length(model_svg(a, a, ARRAY[fit(a, a, 'moving_average')])) FROM (SELECT array_agg(i::float8) AS a FROM generate_series(1, 300000) AS i) AS v");
operation('pages', "SELECT octet_length(html_report('t', jsonb_build_array(jsonb_build_object('table', (SELECT jsonb_agg(jsonb_build_object('a', i, 'b', repeat('x', 50))) FROM generate_series(1, 3000) AS i)), jsonb_build_object('svg', flamegraph_svg($a)))))");
operation('tree: as JSON', "SELECT jsonb_typeof(flamegraph_to_json($small)), jsonb_typeof(flamegraph_to_json($a)), jsonb_typeof(flamegraph_to_json($small, $a))");
operation('tree: as sandwiches', "SELECT octet_length(sandwich_svg($a, 'a1')), octet_length(sandwich_svg($a, 'f7', min_width => 0)), octet_length(sandwich_svg($frames, 'main')), octet_length(sandwich_svg($chain, 'f'))");
operation('tree: as nested sets', "SELECT (SELECT count(*) FROM nested_set($a)), (SELECT count(*) FROM nested_set($a, $frames)), (SELECT count(*) FROM nested_set($a, 0.9))");
operation('tree: changes', "SELECT (SELECT count(*) FROM diff_tree($a, $b, 0)), (SELECT count(*) FROM diff_tree($a, $frames)), (SELECT count(*) FROM diff_tree($short_chain, $a, 0))");
operation('tree: queries', "SELECT $a ~ 'none', 'none' ~ $a, $deep ~ 'none', 'none' ~ $deep, $deep ~ 'f{3,};g', $frames ~ " . query('alternatives') . ", $short_chain ~ " . query('levels'));
operation('tree: paths and long queries', "SELECT '*;none;*' ~ $deep, " . path('fewer frames') . ' ~ ' . query('alternatives') . ", " . path('not so deep') . ' ~ ' . query('levels') . ', ' . query('alternatives') . ' ~ ' . path('fewer frames'));
operation('tree: many words', "SELECT stackpath(ARRAY[repeat('a_', 3000) || 'z']) ~ (repeat('z_', 3000) || 'z%')::stackquery");
operation('tree: selected by many alternatives', "SELECT nnodes(filter_stacks($frames, q)), nnodes(drop_frames($frames, q)), (SELECT count(*) FROM split_stacks($frames, q)) FROM (SELECT " . query('a hundred alternatives') . ' AS q) AS v');

# metrics
operation('potentials', "SELECT (SELECT count(*) FROM code_path_potential($a)), (SELECT count(*) FROM subtree_potential($a, 3)), (SELECT count(*) FROM subtree_potential($a, 2147483647)), (SELECT count(*) FROM subtree_potential($frames, 3)), (SELECT count(stack) FROM node_potential($a, 3))");
operation('recursion', "SELECT recursion_edge_count($a), (SELECT count(*) FROM recursion_pairs($again)), (SELECT count(*) FROM recursion_edges($again)), (SELECT count(*) FROM recursion_edges($short_chain))");
operation('frame metrics', "SELECT (SELECT count(*) FROM frame_metrics($a)), (SELECT count(*) FROM frame_metrics($frames)), (SELECT count(*) FROM frame_metrics($a, '*;a*;*')), (SELECT count(*) FROM top($frames))");
operation('frames by name', "SELECT (SELECT count(*) FROM find_frames($frames, 'E 0')), (SELECT count(*) FROM find_frames($frames, '*0*1*2*')), (SELECT count(*) FROM find_frames(" . profile('long frames') . ", repeat('a', 1000) || 'b')), (SELECT count(*) FROM frame_groups($frames, '^frame (...)')), (SELECT count(*) FROM frame_groups($a, '^(.)')), length(summary($a)), length(summary($short_chain, 9)), length(summary(" . profile('long frames') . "))");
operation('frames that do not occur', "SELECT (SELECT count(*) FROM callers($frames, 'frame nothing')), nnodes(focus($frames, 'frame 0123456789')), (SELECT count(*) FROM call_sites($frames, 'maim')), (SELECT count(*) FROM callees(" . profile('long frames') . ", repeat('a', 1000) || 'b'))");
operation('calls', "SELECT (SELECT count(*) FROM callees($frames, 'main')), (SELECT count(*) FROM callers($frames, 'leaf')), (SELECT count(*) FROM call_edges($frames)), (SELECT count(*) FROM call_sites($frames, 'main')), frame_line(repeat('x', 1000000) || ':1')");
operation('threads', "SELECT (SELECT count(*) FROM thread_metrics($a, '*{2}')), (SELECT count(*) FROM thread_metrics($frames))");
operation('tasks', "SELECT nnodes(task_view($a, '{\"t\": {\"prefix\": \"c\"}}')), (SELECT count(*) FROM task_totals($a, '{\"t\": {\"prefix\": \"c\"}}'))");
operation('tasks, many', "SELECT count(*) FROM task_totals(k_context($frames, 1), '{\"\\\\1\": {\"regex\": \"frame (....)\"}}')");
operation('tasks, many definitions', "SELECT nnodes(task_view($a, (SELECT jsonb_object_agg('t' || i, '{\"prefix\": \"\"}'::jsonb) FROM generate_series(1, 5000) AS i)))");
operation('contexts', "SELECT nnodes(merged) FROM merge_partial($a, strip_outer($b, 2))");
operation('contexts: hot', "SELECT (SELECT count(stack) FROM hot_contexts($a, 0)), nnodes(hot_tree($a, 0.0001)), (SELECT count(stack) FROM hot_contexts($short_chain, 0))");
operation('contexts: subsuming', "SELECT (SELECT count(*) FROM subsuming_frames($frames)), (SELECT count(*) FROM subsuming_frames($a)), nnodes(subsuming_tree($a)), nnodes(subsuming_tree($frames))");
operation('baseline', "SELECT (SELECT count(*) FROM compare_baseline($frames, $frames * 2)), (SELECT count(*) FROM editor_metrics($frames, frames($frames), baseline => $frames)), (SELECT count(*) FROM exclusive_time_outliers($frames, $frames * 2)), (SELECT count(*) FROM exclusive_time_outliers($a, $b))");

# statistics
operation('statistics', "SELECT profile_count(stats(fg)), nnodes(stats_sum(stats(fg))), profile_count(stats(fg, 'node')), profile_count(stats(fg, 'frame')), profile_count(stats(fg, 'self')) FROM profile");
operation('statistics: sums', "SELECT profile_count(x + y), stats_level(x) FROM (SELECT " . statistics('a') . ' AS x, ' . statistics('b') . ' AS y) AS v');
operation('statistics: combined', "SELECT profile_count(combined(s)) FROM statistics WHERE name <> 'long frames'");
operation('statistics: rows', 'SELECT count(key) FROM entries(' . statistics('a') . ')');
operation('statistics: compared', 'SELECT count(key) FROM compare_stats(' . statistics('a') . ', ' . statistics('b') . ", 'holm', 0.01, 'median_ratio')");
operation('profiles: compared', "SELECT count(key) FROM compare_profiles(ARRAY[$a, $b], ARRAY[$b, $half], 'node')");
operation('profiles: by maxt, many keys', "SELECT count(*) FROM compare_profiles(ARRAY[$frames, $frames * 2], ARRAY[$frames * 3, $frames * 5], 'node', 'maxt')");
operation('profiles: by maxt, many permutations', "SELECT count(*) FROM compare_profiles(array_fill(cut_depth($a, 2), ARRAY[30]), array_fill(cut_depth($b, 2), ARRAY[30]), method => 'maxt', permutations => 20000)");
operation('profiles: energy', "SELECT p_value FROM energy_test(ARRAY[$a, $b, $half], ARRAY[$b * 2, $a])");
operation('profiles: energy, many profiles', "SELECT p_value FROM samples, energy_test(before, after)");
operation('profiles: Hotelling', "SELECT t.t2, (SELECT count(key) FROM hotelling_intervals(before, after)), nnodes(reduced_difference(before, after)) FROM samples, hotelling_test(before, after) AS t");
operation('profiles: Hotelling, too many stacks', "SELECT t.status, (SELECT count(key) FROM hotelling_intervals(ARRAY[$a, $b], ARRAY[$b * 2, $a * 3])), nnodes(reduced_difference(ARRAY[$a, $b], ARRAY[$b * 2, $a * 3], method => 'welch')) FROM hotelling_test(ARRAY[$a, $b], ARRAY[$b * 2, $a * 3]) AS t");
operation('profiles: deviation, many', "SELECT count(*) FROM deviation_scores(array_fill($small, ARRAY[300]), $small * 2, 300)");
operation('profiles: deviation, many frames', "SELECT count(*) FROM deviation_scores(ARRAY[$frames, $frames * 2], $frames * 3)");
operation('profiles: a run at a common speed', "SELECT count(*) FROM run_scores(ARRAY[$a, $b, $half], $b)");
operation('profiles: a run less its history', "SELECT nnodes(run_difference(ARRAY[$a, $b, $half], $b))");
operation('profiles: origins of changes', "SELECT cardinality(change_origins(ARRAY(SELECT stackpath(ARRAY[f]) FROM unnest(frames($a)) AS f), $a))");
operation('noise', "SELECT nnodes(recording_noise($a, 2))");
operation('profiles: deviation from statistics', 'SELECT count(key) FROM deviation_scores(' . statistics('a') . ", $a)");
operation('profiles: sample check', "SELECT count(*) FROM sample_check(ARRAY[$a, $b, $a, $b, $half])");
operation('profiles: sample check, many', "SELECT count(*) FROM samples, sample_check(before)");
operation('profiles: correlation, many frames', "SELECT count(*) FROM frame_correlation(ARRAY[$frames, $frames * 2, $frames * 3], ARRAY[1, 2, 4])");
operation('profiles: correlation of contexts', "SELECT (SELECT count(*) FROM frame_correlation(ARRAY[$a, $b, $half], ARRAY[1, 2, 4], level => 'node')), (SELECT count(*) FROM correlation_points(ARRAY[$a, $b], ARRAY[1, 2], 'main', level => 'node'))");
operation('profiles: correlation, many', "SELECT (SELECT count(*) FROM frame_correlation(p, m)), (SELECT count(*) FROM correlation_points(p, m, 'f7')), (SELECT count(*) FROM frame_correlation(p, m, method => 'spearman', level => 'frame')) FROM (SELECT array_fill($small, ARRAY[300]) AS p, (SELECT array_agg(i::float8) FROM generate_series(1, 300) AS i) AS m) AS v");
operation('profiles: expansion', "SELECT (SELECT count(*) FROM expand_context(ARRAY[$b, $b * 2], $a, 'main', options => '{\"max_breadth\": 16}')), (SELECT count(*) FROM expand_context(ARRAY[$b, $b * 2], $a, 'f7', 'parent', options => '{\"max_breadth\": 16}')), (SELECT count(*) FROM expand_step(ARRAY[$b, $b * 2], $a, 'main'))");
operation('profiles: expansion with noise', "SELECT (SELECT count(*) FROM expand_context(ARRAY[$b, $b * 2], $a, 'main', options => '{\"variance\": \"moderated\"}', history_noise => ARRAY[$a, $a], current_noise => $b))");
operation('profiles: expansion by correlation', "SELECT count(*) FROM expand_context(ARRAY[$a, $b, $half], ARRAY[1, 2, 4], NULL, 'main')");
operation('profiles: report', "SELECT (SELECT count(*) FROM regression_report(ARRAY[$b, $b * 2], $a)), (SELECT count(*) FROM regression_report(array_fill($small, ARRAY[100]), $small * 2, options => '{\"window_size\": 100}'))");
operation('profiles: change points', "SELECT (SELECT count(*) FROM change_points(ARRAY[$a, $b, $a, $b], 2, 0, 0.5)), (SELECT count(*) FROM change_points(array_fill($small, ARRAY[50]) || array_fill($small * 2, ARRAY[50]), min_effect => 0.1))");
operation('change points', 'SELECT count(*) FROM change_points((SELECT array_agg(n % 7 + n / 1000 ORDER BY n) FROM generate_series(1, 1000) AS n)::float8[], permutations => 99)');

# models
operation('model: moving average', "SELECT (SELECT count(*) FROM moving_average($xs, $ys)), kind(fit($xs, $ys, 'moving_average')), kind(fit(" . points('xs', 10000) . ', ' . points('ys', 10000) . ", 'moving_average', '{\"method\": \"smm\", \"window_size\": 5001}'))");
operation('model: regressogram', "SELECT count(*) FROM regressogram($xs, $ys, statistic => 'median')");
operation('model: kernel regression', "SELECT (SELECT count(*) FROM kernel_regression(" . points('xs', 10000) . ', ' . points('ys', 10000) . ", 'gaussian')), kind(fit(" . points('xs', 10000) . ', ' . points('ys', 10000) . ", 'kernel_regression', '{\"rule\": \"cv_ls\", \"method\": \"local_linear\"}')), kind(fit(" . points('xs', 1000) . ', ' . points('ys', 1000) . ", 'kernel_regression', '{\"method\": \"local_polynomial\", \"bandwidth\": 1e5}'))");
operation('model: parametric', "SELECT (SELECT count(*) FROM parametric_models($xs, $ys)), (SELECT count(*) FROM parametric_models($xs, $ys, method => 'bisection'))");
operation('model: aggregates', "SELECT kind(regressogram_agg(x, y)), kind(regressogram_agg(x, y, '{\"statistic\": \"median\"}')), kind(moving_average_agg(x, y, '{\"window_size\": 101, \"window_type\": \"parzen\"}')), kind(kernel_regression_agg(x, y)), kind(parametric_regression_agg(x, y)) FROM points");
operation('model: aggregates in parallel', 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SELECT kind(regressogram_agg(x, y)) FROM points; RESET ALL');
operation('model: values', "SELECT predict(a, 5), predict(b, 5), integral(a), integral(b, 10, 100000), integral(c, 10, 100000), r_square(a), kind(a), x_start(a), x_end(a), cardinality(coefficients(a)), jsonb_typeof(a::jsonb), jsonb_typeof(b::jsonb) FROM fits");
operation('model: points', 'SELECT (SELECT count(*) FROM points(a)), (SELECT count(*) FROM points(b)), (SELECT count(*) FROM points(c)) FROM fits');
operation('model: weights', "SELECT kernel_value('gaussian', 1), format_value(1, 's'), svg_script_hash(), cardinality(window_weights('parzen', 100000)), cardinality(window_weights('kaiser', 100000)), (SELECT cv_ls FROM bandwidth_objective(" . points('xs', 1000) . ', ' . points('ys', 1000) . ", 1000, 'gaussian', 'local_linear', 1))");
operation('models: integrals', 'SELECT c.result, (SELECT count(*) FROM integral_intervals(a, b, 100000)) FROM fits, integral_comparison(a, b) AS c');
operation('models: points compared', 'SELECT (SELECT result FROM integral_points(sorted, ys, xs)), (SELECT result FROM local_statistics_points(sorted, ys, xs)), (SELECT result FROM average_amount(xs, ys)), (SELECT result FROM best_model_order(xs, ys, xs, sorted)) FROM series WHERE n = 100000');
operation('models: local statistics', 'SELECT c.result, (SELECT count(*) FROM local_statistics_intervals(a, b, 100000)), (SELECT result FROM model_difference(p.model, p.model, 100000)) FROM fits, (SELECT model FROM series, parametric_models(xs, ys) WHERE n = 1000 LIMIT 1) AS p, local_statistics(a, b, 100000) AS c');
operation('models: changes', 'SELECT (SELECT count(*) FROM detect_changes(locations, is_target, xs, ys)), (SELECT count(*) FROM detection_summary(locations, is_target, xs, ys)) FROM series WHERE n = 100000');
operation('models: changes of long series', "SELECT count(*) FROM detect_changes(array_fill('f'::text, ARRAY[100000]), (SELECT is_target FROM series WHERE n = 100000), $xs, $ys)");

# recordings of other tools
sub file
{
	my ($file) = @_;
	my $bytes = $file =~ /\.pb\.gz$/ || $file !~ /\.gz$/ ? slurp_file("$FindBin::RealBin/../data/formats/$file") : `gzip -dc $FindBin::RealBin/../data/formats/$file`;
	return "'\\x" . unpack('H*', $bytes) . "'::bytea";
}
# OTLP: 2,000 stacks of 100 locations, each a function of its own, and samples of two values and times.
sub varint
{
	my ($number) = @_;
	my $bytes = '';
	for (; $number > 127; $number >>= 7) { $bytes .= chr($number & 127 | 128) }
	return $bytes . chr $number;
}
sub message
{
	my ($field, $content) = @_;
	return varint($field << 3 | 2) . varint(length $content) . $content;
}
sub otlp
{
	my $samples = join '', map { message(2, "\x08" . varint($_ % 2000 + 1) . "\x20\x07\x20\x09\x2a\x10" . pack('Q<2', $_, $_ + 1)) } 1 .. 20000;
	my $dictionary = join '', map({ message(2, $_ ? message(3, "\x08" . varint($_)) : '') } 0 .. 3000),
		map({ message(3, $_ ? "\x08" . varint($_) : '') } 0 .. 3000), map({ message(5, $_ ? "f$_" : '') } 0 .. 3000),
		map({ my $i = $_; message(7, message(1, join '', map { varint(($i + $_ * 7) % 3000 + 1) } 1 .. 100)) } 0 .. 2000);
	return "'\\x" . unpack('H*', message(1, message(2, message(2, message(1, "\x08\x01\x10\x02") . $samples))) . message(2, $dictionary)) . "'::bytea";
}
$db->run('CREATE TABLE file (name text, data bytea)');
$db->run(<<"SQL");
INSERT INTO file SELECT 'austin', convert_to(string_agg('P1;T1;app.py:' || replace(stack, ';', ':1;app.py:') || ':' || i % 50 || ' ' || value, E'\\n'), 'UTF8') FROM rows_of;
INSERT INTO file SELECT 'perf', convert_to(string_agg(format(E'app 1 1.%s: 1 cycles: \\n\\t %s f%s+0x1 (x)\\n\\t 2 main+0x1 (x)\\n', i, to_hex(i), i % 5000), E'\\n'), 'UTF8') FROM generate_series(1, 40000) AS i;
INSERT INTO file SELECT 'pprof', flamegraph_to_pprof(fg, 'samples', 'count') FROM profile WHERE name = 'a';
INSERT INTO file SELECT 'speedscope', convert_to(flamegraph_to_speedscope(fg, 'x', 'none')::text, 'UTF8') FROM profile WHERE name = 'a';
INSERT INTO file SELECT 'folded', convert_to(flamegraph_to_folded(fg), 'UTF8') FROM profile WHERE name = 'a';
INSERT INTO file SELECT 'cpuprofile', convert_to('{"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}, "children": [' || string_agg(i::text, ',') || ']},'
  || string_agg(format('{"id": %s, "callFrame": {"functionName": "f%s", "scriptId": "1", "url": "a.js", "lineNumber": %s, "columnNumber": 1}, "children": []}', i, i % 3000, i), ',')
  || '], "startTime": 1, "endTime": 2000000, "samples": [' || string_agg(i::text, ',') || '], "timeDeltas": [' || string_agg('10', ',') || ']}', 'UTF8') FROM generate_series(2, 20000) AS i;
INSERT INTO file SELECT 'heapprofile', convert_to('{"head": {"callFrame": {"functionName": "(root)", "url": ""}, "selfSize": 0, "id": 1, "children": ['
  || string_agg(format('{"callFrame": {"functionName": "f%s", "url": "a.js"}, "selfSize": %s, "id": %s, "children": []}', i % 3000, i, i), ',')
  || ']}, "samples": [' || string_agg(format('{"size": %s, "nodeId": %s}', i, i), ',') || ']}', 'UTF8') FROM generate_series(2, 20000) AS i;
INSERT INTO file SELECT 'chrome', convert_to('[' || string_agg(format('{"ph": "X", "name": "f%s", "ts": %s, "dur": %s, "pid": 1, "tid": %s}', i % 3000, i / 100 * 100 + i % 100, 200 - 2 * (i % 100), i % 7), ',') || ']', 'UTF8') FROM generate_series(1, 40000) AS i;
INSERT INTO file SELECT 'stackprof', convert_to('{"mode": "wall", "interval": 10, "missed_samples": 0, "gc_samples": 0, "frames": {' || string_agg(format('"%s": {"name": "f%s"}', i, i), ',')
  || '}, "raw": [' || string_agg(format('100%s,%s', repeat(',' || i, 100), i % 3), ',') || '], "raw_timestamp_deltas": [' || string_agg(rtrim(repeat('10,', i % 3), ','), ',') FILTER (WHERE i % 3 > 0) || ']}', 'UTF8') FROM generate_series(1, 3000) AS i;
INSERT INTO file SELECT 'gperftools', convert_to(E'heap profile: 1: 2 [3: 4] @ heapprofile\\n' || string_agg(format(E'%s: %s [9: 9999999] @%s\\n', i, i * 10, (SELECT string_agg(' 0x' || to_hex(4194304 + (i * j) % 3000), '') FROM generate_series(1, 50) AS j)), '')
  || E'MAPPED_LIBRARIES:\\n00400000-00500000 r-xp 00000000 fe:00 1 /srv/app\\n', 'UTF8') FROM generate_series(1, 5000) AS i;
INSERT INTO file SELECT 'bpftrace', convert_to(string_agg(format(E'@[\\n    f%s+1\\n    main+2\\n, web]: 1\\n', i % 5000), ''), 'UTF8') FROM generate_series(1, 40000) AS i;
INSERT INTO file SELECT 'stacks', convert_to(string_agg(format(E'\\n  a`f%s+0x1\\n  a`main+0x2\\n    1\\n', i % 5000), ''), 'UTF8') FROM generate_series(1, 40000) AS i;
INSERT INTO file SELECT 'sample', convert_to(E'Call graph:\\n' || string_agg(format(E'    1 T\\n      1 f%s\\n', i % 5000), '') || E'Total number in stack\\n', 'UTF8') FROM generate_series(1, 40000) AS i;
INSERT INTO file SELECT 'callgrind', convert_to(E'events: Ir\\n' || string_agg(format(E'fn=f%s\\n1 1\\ncfn=f%s\\ncalls=1 1\\n1 1\\n', i, i / 2), ''), 'UTF8') FROM generate_series(1, 40000) AS i;
INSERT INTO file SELECT 'firefox', convert_to('{"meta": {"interval": 1, "preprocessedProfileVersion": 55}, "threads": [{"stringArray": [' || (SELECT string_agg(format('"f%s"', i), ',') FROM generate_series(0, 2999) AS i)
  || '], "funcTable": {"name": [' || (SELECT string_agg(i::text, ',') FROM generate_series(0, 2999) AS i) || '], "resource": [' || rtrim(repeat('-1,', 3000), ',') || ']}, "frameTable": {"func": ['
  || (SELECT string_agg((i % 3000)::text, ',') FROM generate_series(0, 29999) AS i) || ']}, "stackTable": {"frame": [' || (SELECT string_agg(i::text, ',') FROM generate_series(0, 29999) AS i) || '], "prefix": ['
  || (SELECT string_agg(CASE WHEN i % 100 = 0 THEN 'null' ELSE (i - 1)::text END, ',' ORDER BY i) FROM generate_series(0, 29999) AS i) || ']}, "samples": {"stack": ['
  || (SELECT string_agg(i::text, ',') FROM generate_series(0, 29999) AS i) || '], "time": [' || (SELECT string_agg(i::text, ',') FROM generate_series(0, 29999) AS i) || ']}}]}', 'UTF8');
INSERT INTO file SELECT 'instruments', convert_to('<trace-query-result><node><schema name="time-profile"/>' || string_agg(format('<row><sample-time id="%s">%s</sample-time><weight>%s</weight><backtrace id="%s">', i * 4, i, i, i * 4 + 1)
  || repeat(format('<frame name="f%s" addr="0x1"/>', i % 3000), 100) || format('</backtrace></row><row><sample-time ref="%s"/><weight>1</weight><backtrace ref="%s"/></row>', i * 4, i * 4 + 1), '') || '</node></trace-query-result>', 'UTF8') FROM generate_series(1, 4000) AS i;
INSERT INTO file SELECT 'otlp', ${\ otlp()};
INSERT INTO file SELECT 'jfr', ${\ file('work.jfr.json.gz')};
SQL
for my $format (map { $_->[0] } @{ $db->rows(q{SELECT format FROM recording_formats() WHERE format <> 'packed'}) })
{
	ok($db->value("SELECT count(*) FROM file WHERE name = '$format'") == 1, "recordings: a file of $format");
	operation("recordings: $format", "SELECT count(nnodes(complete)) FROM file, read_recording(data, '$format') WHERE file.name = '$format'");
}
$db->run(q{UPDATE file SET data = convert_to(replace(convert_from(data, 'UTF8'), '"unit": "none"', '"unit": "seconds"'), 'UTF8') WHERE name = 'speedscope'});
operation("recordings: samples of $_", "SELECT count(depth(stack)) FROM file, recording_samples(data, '$_') WHERE file.name = '$_'")
  for map { $_->[0] } @{ $db->rows('SELECT format FROM recording_formats() WHERE times') };
operation("recordings: flamegraph_from_$_->[0]", "SELECT flamegraph_from_$_->[0]($_->[1]) IS NULL FROM file WHERE name = '$_->[0]'")
  for map { [ $_, $_ eq 'pprof' ? 'data' : "convert_from(data, 'UTF8')" ] } ('austin', 'perf', 'pprof', 'speedscope', 'cpuprofile', 'jfr');
operation('recordings: flamegraph_from_jfr, bytes', "SELECT flamegraph_from_jfr(data) IS NULL FROM file WHERE name = 'jfr'");
operation('recordings: formats', 'SELECT count(*) FROM recording_formats()');
operation('recordings: written', "SELECT octet_length(flamegraph_to_pprof($a, 'samples', 'count')), octet_length(flamegraph_to_speedscope($a, 'x', 'none')::text), octet_length(flamegraph_to_firefox($a, 'x', 'none')::text), octet_length(flamegraph_to_pprof($short_chain, 'samples', 'count')), octet_length(flamegraph_to_pprof($frames, 'samples', 'count'))");

# series
my ($wide, $whole, $many, $wide_frames) = map { many_profiles($_) } ('wide', 'whole', 'many', 'frames');
operation('series: collected', "SELECT profile_count(flameseries_agg('2026-01-01', fg)), profile_count(flameseries_agg('2026-01-01', fg, 'x')) FROM profile WHERE name IN ('a', 'half')");
operation('series: merged', "SELECT profile_count(flameseries_agg(fs)) FROM (VALUES ($wide), ($many)) AS v (fs)");
operation("series: summed, $_->[0]", "SELECT nnodes(sum(fs, NULL)), nnodes(sum(fs, '2026-01-01 00:02 UTC')), nnodes(sum(fs, NULL, instances => instances(fs))) FROM (SELECT $_->[1] AS fs) AS v") for [ 'wide', $wide ], [ 'whole', $whole ], [ 'many', $many ];
operation('series: sums of many', "SELECT nnodes(sum(fs)) FROM (VALUES ($wide), ($many), ($whole)) AS v (fs)");
operation("series: parts, $_->[0]", "SELECT profile_count(slice(fs)), (SELECT count(*) FROM profiles(fs)), (SELECT count(*) FROM top(fs, NULL, NULL)), (SELECT count(*) FROM step_sums(fs, '100 s')), profile_count(stats(fs, 'node')) FROM (SELECT $_->[1] AS fs) AS v") for [ 'wide', $wide ], [ 'many', $many ];
operation("series: trends, $_->[0]", "SELECT (SELECT count(*) FROM trend(fs, 'main')), (SELECT count(*) FROM trend(fs, 'function 7', 'self')), (SELECT count(*) FROM trend(fs, 'main'::stackpath)), (SELECT count(*) FROM trend(fs, ''::stackpath)), frame_sum(fs, 'main'), frame_sum(fs, 'main', 'total', '2026-01-01 00:02 UTC') FROM (SELECT $_->[1] AS fs) AS v") for [ 'wide', $wide ], [ 'many', $many ];
operation('series: facts', "SELECT profile_count(fs), since(fs), until(fs), cardinality(instances(fs)) FROM (SELECT " . many_profiles('instances') . ' AS fs) AS v');
operation('series: of instances', "SELECT nnodes(sum(fs, NULL, NULL, instances(fs))), profile_count(slice(fs, instances => instances(fs))), (SELECT count(*) FROM trend(fs, 'a')), (SELECT count(*) FROM profiles(fs)), profile_count((SELECT flameseries_agg(x) FROM (VALUES (fs), (fs)) AS v (x))) FROM (SELECT " . many_profiles('instances') . ' AS fs) AS v');
operation('series: have frames', "SELECT has_frame(fs, 'x'), fs ? 'x', has_any_frame(fs, t), has_all_frames(fs, t), fs ?| t, fs ?& t, fs \@> 'main', stackpath 'main' <@ fs, fs ~ '*;frame 0*;*', '*;frame 0*;*'::stackquery ~ fs FROM (SELECT $wide_frames AS fs, $many_texts AS t) AS v");

# indexes
$db->run(<<"SQL");
CREATE TABLE indexed (path stackpath, fg flamegraph, fs flameseries);
INSERT INTO indexed SELECT path, NULL::flamegraph, NULL::flameseries FROM path WHERE name = 'frames' UNION ALL SELECT NULL, fg, NULL FROM profile WHERE name = 'frames' UNION ALL SELECT NULL, NULL, fs FROM many_profiles WHERE name = 'frames';
SQL
operation('indexes: made', 'CREATE INDEX ON indexed USING gin (path); CREATE INDEX ON indexed USING gin (fg); CREATE INDEX ON indexed USING gin (fs); CREATE INDEX ON indexed USING btree ((path)) WHERE path IS NULL');
operation('indexes: searched', "SET enable_seqscan = off; SELECT count(*) FROM indexed WHERE $_; RESET enable_seqscan")
  for "path ?& texts(300)", "path ?| texts(300)", "fg ?& texts(20000)", "fg ?| texts(20000)", 'fs ? (texts(1))[1]', "fs ?| texts(200)", "fs ~ '*;frame 0*;*'", "path ~ '*;frame 0*;*'", "fg ~ '*;frame 0*;*'", 'path ~ ' . query('alternatives'), 'fg ~ ' . query('alternatives'), 'fg @> ' . path('frames');
operation('indexes: ranges', "SELECT count(*) FROM path WHERE path <@ " . path('long frames') . ' AND path @> ' . path('deep'));

# jobs: 40,000 leaves of two kinds, a chain of 5,000 phases with a type each, measurements in no order
$db->run(<<"SQL");
INSERT INTO jobs.platform_model VALUES ('m');
INSERT INTO jobs.phase_type (model, phase_type, parent_type, repeat) VALUES ('m', 'J', NULL, 'once'), ('m', 'S', 'J', 'sequential'), ('m', 'W', 'S', 'concurrent'), ('m', 'V', 'S', 'concurrent');
INSERT INTO jobs.phase_type (model, phase_type, parent_type) SELECT 'm', 'D' || i, CASE i WHEN 1 THEN 'J' ELSE 'D' || i - 1 END FROM generate_series(1, 5000) AS i;
INSERT INTO jobs.phase_type_precedence VALUES ('m', 'W', 'V'), ('m', 'S', 'D1');
INSERT INTO jobs.resource_type (model, resource_type, parent_type, class) VALUES ('m', 'machine', NULL, NULL), ('m', 'cpu', 'machine', 'consumable'), ('m', 'lock', 'machine', 'blocking');
INSERT INTO jobs.attribution_rule (model, phase_type, resource_type, rule, cap) VALUES ('m', 'W', 'cpu', 'greedy', 0.1);
INSERT INTO jobs.job (model) VALUES ('m');
CREATE FUNCTION at(s float8) RETURNS timestamptz LANGUAGE sql AS \$\$ SELECT timestamptz '2026-01-01 UTC' + s * interval '1 s' \$\$;
INSERT INTO jobs.phase SELECT 1, 1, NULL, 'J', '', at(0), at(3000);
INSERT INTO jobs.phase SELECT 1, 1 + i, 1, 'S', i::text, at(i * 10), at(i * 10 + 10) FROM generate_series(1, 200) AS i;
INSERT INTO jobs.phase SELECT 1, 100000 + (i * 7919) % 40000, 2 + i % 200, CASE i / 200 % 2 WHEN 0 THEN 'W' ELSE 'V' END, i::text,
  at((1 + i % 200) * 10 + CASE i / 200 % 2 WHEN 0 THEN 0 ELSE 5 END), at((1 + i % 200) * 10 + CASE i / 200 % 2 WHEN 0 THEN 5 ELSE 10 END - (i % 1000) / 1000.0) FROM generate_series(0, 39999) AS i;
INSERT INTO jobs.phase SELECT 1, 1000 + i, CASE i WHEN 1 THEN 1 ELSE 999 + i END, 'D' || i, '', at(2500), at(2600) FROM generate_series(1, 5000) AS i;
INSERT INTO jobs.resource SELECT 1, i, NULL, 'machine', i::text FROM generate_series(1, 20) AS i;
INSERT INTO jobs.resource SELECT 1, 100 + i, i, 'cpu', '', 8 FROM generate_series(1, 20) AS i;
INSERT INTO jobs.resource SELECT 1, 200 + i, i, 'lock', '' FROM generate_series(1, 20) AS i;
INSERT INTO jobs.phase_resource SELECT 1, phase_id, 1 + phase_id % 20 FROM jobs.phase WHERE phase_id >= 100000;
INSERT INTO jobs.usage_measurement SELECT 1, 101 + i % 20, at(i / 20), at(i / 20 + 1), i % 9 FROM (SELECT n * 7919::int8 % 60000 AS i FROM generate_series(0, 59999) AS n) AS mixed;
INSERT INTO jobs.blocking_interval SELECT 1, 201 + i % 20, at(i / 20), at(i / 20 + 0.3) FROM (SELECT n * 7919::int8 % 60000 AS i FROM generate_series(0, 59999) AS n) AS mixed;
SQL
$db->run(<<'SQL');
CREATE FUNCTION public.most(text[], bool[], bool[], text) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT 2 * cardinality(array_positions($3, true)) > cardinality(array_positions($2, true))';
CREATE FUNCTION public.records(bigint, bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE AS 'SELECT jsonb_build_array($2)';
CREATE FUNCTION public.records(bigint, bigint, jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS 'SELECT $3';
CREATE FUNCTION public.costs(bigint, bigint, jsonb, OUT text, OUT float8) RETURNS SETOF record LANGUAGE sql IMMUTABLE AS 'SELECT $2::text, 1';
SQL
operation("jobs: $_", "SELECT count(*) FROM jobs.$_")
  for map({ "$_(1)" } qw(validate_job blocked_intervals active_phases estimated_workload upsample_usage unplaced_usage attribute_usage unattributed_usage phase_consumption consumption_summary
	leaf_bottlenecks bottlenecks bottleneck_timeline bottleneck_durations bottleneck_summary phase_imbalance imbalance_issues bottleneck_issues performance_issues)),
  "job_profile(1, instances => true)", "job_profile(1, 'usage', 'cpu')", "job_profile(1, 'waiting', 'lock')", "job_profile(1, 'bottleneck')",
  "simulate(1, '{\"remove\": \"cpu\"}')", "simulate(1, '{\"scale\": [\"W\", 0.5]}')", "makespans(1, '[{\"remove\": \"cpu\"}, {}]')", "replays(1)", "suggest_rules(1, 4, evaluations => 5)",
  "stragglers(1, threshold => 0)", "bottlenecks(1, predicate => 'function:public.most')", "sampling_error(1, '{2,5}')", "attribution_difference(1, '1 s', 'W', 'cpu', '{\"use_greedy\": false}')",
  'algorithm1(10, 8, (SELECT array_agg(i % 7 + 0.5) FROM generate_series(1, 100000) AS i), (SELECT array_agg(i % 5) FROM generate_series(1, 100000) AS i))',
  'algorithm2(6, 8, (SELECT array_agg(0.001::float8) FROM generate_series(1, 300000) AS i), 3)', "predicate_holds('majority_any', (SELECT array_agg('t' || i % 1000) FROM generate_series(1, 60000) AS i), (SELECT array_agg(i % 1000 < 400) FROM generate_series(1, 60000) AS i))";
# Not report_html(), which calls what is called here by itself.
operation("jobs: $_", "SELECT length(jobs.$_) > 0") for 'bottleneck_report_svg(1)', 'usage_svg(1, 101)',
  "lanes_svg('{a}', '{b}', '{0}', '{1}', '{100}', '{c}', '{part}', array_fill(0, ARRAY[300000]), array_fill(0, ARRAY[300000]), array_fill(0::float8, ARRAY[300000]), (SELECT array_agg(i::float8) FROM generate_series(1, 300000) AS i), array_fill(1::float8, ARRAY[300000]))";
# a rule of a user
operation('jobs: issue_rule', "INSERT INTO jobs.issue_rule VALUES ('r', 'public.records(bigint,bigint)', 'public.records(bigint,bigint,jsonb)', 'public.costs(bigint,bigint,jsonb)')");
operation('jobs: performance_issues with a rule', 'SELECT count(*) FROM jobs.performance_issues(1)');
# an event log whose tasks ended many times
my $log = Wire::literal(slurp_file("$FindBin::RealBin/../data/jobs/spark-events.json"));
$db->run("CREATE TABLE log AS SELECT string_agg(line, E'\\n' ORDER BY i, n) || E'\\n' AS events FROM regexp_split_to_table($log, E'\\n') WITH ORDINALITY AS l (line, n), generate_series(1, 40) AS i");
operation('jobs: import_spark', "SELECT jobs.import_spark('again', events), jobs.import_spark('again', convert_to(events, 'UTF8')) FROM log");
# a monitor's lines, and a resource to load them into
operation('jobs: import_usage', "SELECT jobs.import_usage(1, '101', string_agg(1e9 + i || ',1', E'\\n' ORDER BY i)) FROM generate_series(1, 60000) AS i");
operation('jobs: of numbers', "SELECT jobs.quotient(1, 2), jobs.output_matches(1, 1), jobs.coefficient_of_variation(v) FROM (VALUES (1::float8), (2)) AS v (v)");
@operations = grep { $_->[0] =~ /$only/ } @operations if defined $only;

# --- counting ---------------------------------------------------------------------------------------------------

my %function;
sub take_report
{
	my ($operation) = @_;
	for (@{ $db->rows(q{SELECT v[1]::oid::regprocedure, v[2], v[3], v[4], v[5], v[6], v[7] FROM regexp_split_to_table(rtrim(fg_polls_report(), E'\n'), E'\n') AS line, string_to_array(line, ' ') AS v}) })
	{
		my ($name, $calls, $polls, $longest, $work, $closed, $overrun) = @$_;
		my $f = $function{$name} //= { calls => 0, longest => -1, work => 0 };
		$f->{calls} += $calls;
		$f->{work} = $work if $work > $f->{work};
		if ($longest > $f->{longest})
		{
			@{$f}{qw(longest closed overrun operation)} = ($longest, $closed, $overrun, $operation);
		}
	}
	return;
}

# "name at file:line" for the addresses of a trace, innermost first.
sub places
{
	my ($trace) = @_;
	my @addresses = grep { /^[0-9a-f]+$/ } split /,|-/, $trace;
	return 'an unknown place' unless @addresses;
	# A return address stands behind its call.
	my $behind = join ' ', map { sprintf '%x', hex($_) - 1 } @addresses;
	my @words = split /\n/, `addr2line -f -s -e $library $behind 2>&1`;
	my @lines;
	while (my ($function, $line) = splice @words, 0, 2)
	{
		push @lines, "$function ($line)"
		  unless $function =~ /^(__sanitizer_cov_trace_pc|fg_polls_poll|note_overrun|take_trace|close_interval|hook|end_call|begin_call)$/;
	}
	return join ' <- ', @lines;
}

for (@operations)
{
	my ($name, $sql) = @$_;
	$db->run("SELECT fg_polls_reset($bound)");
	my $begin = time;
	my $error = $db->query($sql)->{error};
	is($error && "$error->{sqlstate} $error->{message} " . ($error->{detail} // ''), undef, "$name: works");
	take_report($name);
	note sprintf '%s: %.1f s', $name, time - $begin if $show;
}

# What may do more between two polls than $bound, and why that is a bound all the same.
my @larger = (
	[ qr/^-$/, 3_000_000, 'what PostgreSQL calls by itself, between its own polls: comparators of sorts, flattening' ],
	[ qr/^flamegraph_to_pprof\(/, 800_000, 'zlib packs a block; a byte counts eight times' ],
	[ qr/^(flamegraph|stackpath|stackquery|flamestats|flameseries)_in\(/, 6_000_000, 'the length of a text, and a byte that is looked for in it, before it is read; a frame of a megabyte' ],
	[ qr/^(stackpath_\w+|depth|root|leaf|frame|frames|parent|subpath|has_frame|has_any_frame|has_all_frames|gin_extract_stackpath|append_frame|lca)\(stackpath/, 64_000_000, 'a pass over one stack, which has 65535 frames at most; here 20 MB' ],
	[ qr/^position_of\(/, 3_000_000, 'the same; it polls at every position' ],
	[ qr/^text_concat_stackpath\(/, 64_000_000, 'the same' ],
	[ qr/^(value_at|total_at|has_path)\(flamegraph,stackpath\)|^stackpath_in_flamegraph\(|^flamegraph_agg_(stackpath|array|text)\(/, 1_500_000, 'the same' ],
	[ qr/^(integral|integral_\w+|local_statistics_points|detect_changes|detection_summary|model_difference|model_change_svg)\(/, 1_500_000, 'a pass over a model, which has 80 MB at most' ],
	[ qr/^jobs\.algorithm1\(/, 1_500_000, 'a pass over the segments of one measurement; here 100,000' ],
	[ qr/^jobs\.predicate_holds\(/, 4_000_000, 'sorts words of an array, at most 65,536 of them' ],
	[ qr/^stats_sum\(/, 500_000, 'a pass over the lengths of names, here of more than the 65,536 that are counted together' ],
	[ qr/^(perfmodel_\w+|regressogram|fit)\(/, 500_000, 'a pass over the measurements, for their mean and deviation' ],
	[ qr/^model_svg\(/, 1_500_000, 'the same; here 300,000' ]);

# What need not be given a large input, and why.
my @small = (
	[ qr/^\w+_send\(|^stackquery_out\(/, 'hands bytes over to PostgreSQL' ],
	[ qr/_support\(internal\)$/, 'looks at constants of a plan' ],
	[ qr/^(kernel_value|format_value|svg_script_hash|frame_line|frame_rules|profile_count|stats_level|since|until|recording_formats)\(/, 'answers from a few bytes' ],
	[ qr/^(total|nstacks|nnodes|nframes|depth|flamegraph_norm_l1)\(flamegraph\)/, 'reads a header; other trees are summed in blocks' ],
	[ qr/^perfmodel_(eq|ne)\(/, 'compares bytes in blocks, by the same function as the other types' ],
	[ qr/^(perfmodel_sample|flame_chart)_accum\(/, 'takes one row, and the executor polls between rows' ],
	[ qr/^(total_at|value_at|has_path|has_frame|has_any_frame|flamegraph_has_any_frame)\(flamegraph|^stackpath_in_flamegraph\(/, 'searches a sorted dictionary, or the children on one path' ],
	[ qr/^flamegraph_percentile_combine\(/, 'hands profiles over to an array of PostgreSQL, and polls at each' ],
	[ qr/^flamegraph_(percentile|median)_accum\(/, 'keeps one profile, and the executor polls between rows' ],
	[ qr/^jobs\.name_rule_functions\(/, 'looks up the three functions of a row' ],
	[ qr/^jobs\.(quotient|output_matches|coefficient_of_variation_final)\(/, 'answers from two or three numbers' ],
	[ qr/^gin_\w+_extract_query\(/, 'lists the keys of one query, as the operator itself does' ],
	[ qr/^gin_(frame_compare|\w+triconsistent)/, 'looks at the keys of one entry, and the index scan polls between entries' ]);

# What is not called at all.
my @never = ([ qr/^gin_(stackpath|flamegraph|flameseries)_consistent\(/, 'GIN asks the function of three answers' ]);

sub listed
{
	my ($name, @list) = @_;
	my ($entry) = grep { $name =~ $_->[0] } @list;
	return $entry;
}

for my $name (sort keys %function)
{
	my $f = $function{$name};
	my $larger = listed($name, @larger);
	my $allowed = $larger ? $larger->[1] : $bound;
	note sprintf '%-60s longest %8d of %10d, closed by %s', $name, $f->{longest}, $f->{work}, places($f->{closed}) if $show;
	ok($f->{longest} <= $allowed, "$name: polls in time")
	  or diag "$name: $f->{longest} units of work without a poll (at most $allowed) in \"$f->{operation}\"; beyond $bound in "
	  . places($f->{overrun}) . "; the next poll was in " . places($f->{closed});
}

# Every function in C of the extension was there, with enough to do.
my $all = $db->rows(<<'SQL');
SELECT p.oid::regprocedure
FROM pg_proc AS p, pg_depend AS d, pg_extension AS e, pg_language AS l
WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
  AND d.refobjid = e.oid AND e.extname IN ('flamegraph', 'flamegraph_jobs') AND l.oid = p.prolang AND l.lanname = 'c'
ORDER BY p.oid
SQL
cmp_ok(scalar(@$all), '>', 200, 'the functions of the extension');
for my $name (map { $_->[0] } @$all)
{
	last if defined $only;
	my $work = $function{$name} ? $function{$name}{work} : 0;
	next if listed($name, @never);
	if (listed($name, @small))
	{
		ok($function{$name}, "$name: is called");
		next;
	}
	cmp_ok($work, '>=', $least * $bound, "$name: has enough to do in one call");
}

$db->close;
$node->stop;
done_testing();
