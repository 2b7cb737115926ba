-- Matching stacks and profiles with stackquery: what each part of a pattern
-- means; the operators in both directions.
\pset null NULL

-- Each pattern with stacks that it must match and stacks that it must not.
CREATE TEMP TABLE cases (id serial, query stackquery, matching stackpath[], other stackpath[]);
INSERT INTO cases (query, matching, other) VALUES
-- the whole stack is matched, root to leaf
('a', '{a}', '{"",b,A,aa,a;a,a;b,b;a}'),
('a;b', '{a;b}', '{"",a,b,b;a,a;b;c,c;a;b,ab}'),
('*', '{"",a,a;b,a;b;c;d;e}', '{}'),
('a;*', '{a,a;b,a;b;c,a;a}', '{"",b,b;a,aa}'),
('*;a', '{a,b;a,a;a,c;b;a}', '{"",b,a;b}'),
('*;a;*', '{a,a;b,b;a,b;a;c,a;a;a}', '{"",b,b;c}'),
('a;*;b', '{a;b,a;c;b,a;b;b,a;c;d;e;b,a;a;b}', '{a,b,a;b;c,b;a;b}'),
('*;a;*;b;*', '{a;b,x;a;y;b;z,b;a;b}', '{b;a,a,b,"",b;b;a}'),
('*;*', '{"",a,a;b}', '{}'),
('*;a;b;*', '{a;b,a;a;b,x;a;b;y}', '{a;x;b,b;a}'),
-- alternatives and negation: "!" means none of the items, and takes one frame
('a|b', '{a,b}', '{"",c,a;b,"a|b"}'),
('x;a|b;y', '{x;a;y,x;b;y}', '{x;y,x;a;b;y,x;c;y}'),
('!a', '{b,c,aa,A}', '{"",a,b;b}'),
('!a|b', '{c,ab}', '{"",a,b,c;c}'),
('!a;!a', '{b;c,b;b}', '{b,a;b,b;a,b;c;d}'),
('*;!a', '{b,a;b,b;c,a;a;b}', '{"",a,b;a}'),
('!a*|b*', '{c,xa}', '{"",a,ab,b,bc}'),
-- quantifiers
('*{2}', '{a;b,a;a}', '{"",a,a;b;c}'),
('*{2,}', '{a;b,a;b;c,a;b;c;d}', '{"",a}'),
('*{,2}', '{"",a,a;b}', '{a;b;c}'),
('*{1,2}', '{a,a;b}', '{"",a;b;c}'),
('*{0}', '{""}', '{a,a;b}'),
('a;*{0};b', '{a;b}', '{a;c;b}'),
('a;*{1};b', '{a;c;b,a;b;b}', '{a;b,a;c;d;b}'),
('a;*{1,2};b', '{a;c;b,a;c;d;b,a;b;b}', '{a;b,a;c;d;e;b}'),
('a{2}', '{a;a}', '{"",a,a;a;a,a;b,b;a}'),
('a{2,}', '{a;a,a;a;a,a;a;a;a;a}', '{"",a,a;a;b,a;b;a}'),
('a{,2}', '{"",a,a;a}', '{a;a;a,b,a;b}'),
('a{0}', '{""}', '{a,b}'),
('x;a{0};y', '{x;y}', '{x;a;y}'),
('a{,}', '{"",a,a;a,a;a;a}', '{b,a;b}'),
('a|b{2}', '{a;a,a;b,b;a,b;b}', '{a,b,a;c,a;a;b}'),
('!a{2}', '{b;c,b;b}', '{b,a;b,b;a,b;b;b}'),
('!a{,}', '{"",b,b;c;d}', '{a,b;a,a;b,b;a;b}'),
('!a|b{1,2};b', '{c;b,c;c;b}', '{b,a;b,c;c;c;b,b;b}'),
('a*{2}', '{a;ab,ax;ay}', '{a,b;a,a;b}'),
('a{1,2};a{1,2}', '{a;a,a;a;a,a;a;a;a}', '{a,a;a;a;a;a}'),
('a{,1};b{,1};c{,1}', '{"",a,b,c,a;b,a;c,b;c,a;b;c}', '{b;a,c;b,a;a,a;b;c;c}'),
('main;*{,2};f{3,};*{1,}', '{main;f;f;f;g,main;x;y;f;f;f;g,main;f;f;f;f,main;f;f;f;f;f;f}', '{main;f;f;f,main;x;y;z;f;f;f;g,f;f;f;g}'),
-- "*": the frame starts with this
('a*', '{a,ab,"a b",a*,aé}', '{"",b,ba,A,a;b}'),
('std::*;*', '{std::sort,"std::vector<int>;x"}', '{std,std:,xstd::sort}'),
('é*', '{é,éa}', '{e,è,É,ê}'),
('a\b*', '{"a\\\\b","a\\\\bc"}', '{a,ab}'),
-- "@": ASCII letters of either case
('a@', '{a,A}', '{aa,b,á}'),
('MaIn@', '{main,MAIN,Main,mAiN}', '{mai,mainx}'),
('é@', '{é}', '{É,e}'),
('aé@', '{aé,Aé}', '{aÉ,AÉ,ae}'),
('"a@"@', '{a@,A@}', '{"a`",a}'),
('"["@', '{[}', '{"{"}'),
('i@', '{i,I}', '{ı,İ}'),
('k@', '{k,K}', ARRAY[stackpath(ARRAY[chr(8490)])]),
('ß@', '{ß}', '{ss,SS,ẞ}'),
('ab*@', '{ab,AB,aBc,ABC}', '{a,b,ba}'),
-- "%": each word between underscores occurs in the frame
('foo_bar%', '{foo_bar,bar_foo,foo_bar_baz,x_foo_y_bar,foo__bar,_foo_bar_}', '{foo,bar,foobar,foo_barbaz,foo_ba,Foo_bar}'),
('foo%', '{foo,foo_bar,bar_foo,_foo}', '{foobar,fo,Foo}'),
('foo_bar%*', '{foo1_bar2_baz,foo_bar,barx_foo}', '{foo1_br2_baz,xfoo_bar,foo}'),
('foo_bar%@', '{FOO_bar,Bar_Foo}', '{foo_ba,foobar}'),
('foo_bar%*@', '{FOO1_BARx,barx_y_fooz}', '{xfoo_bar}'),
('foo_foo%', '{foo,foo_foo,x_foo}', '{x,fo}'),
('"a b_c"%', '{a b_c,"c_a b"}', '{"a_b_c",a b}'),
('é_ü%', '{ü_é}', '{é,ü}'),
-- quoted frames are taken as they stand
('"a;b"', ARRAY[stackpath(ARRAY['a;b'])], '{a;b,a}'),
('"*"', '{*}', '{a,""}'),
('"!a"', '{!a}', '{a,b}'),
('"a|b"', '{a|b}', '{a,b}'),
('"a{2}"', '{"a{2}"}', '{a;a,a}'),
('"a*"', '{a*}', '{a,ab}'),
('"a*"*', '{a*,a*b}', '{a,ab}'),
('"a\"b"', ARRAY[stackpath(ARRAY['a"b'])], '{"a\\\\\"b",ab}'),
('"~"', '{~}', '{a}'),
('" a "', '{" a "}', '{a," a","a "}'),
('"std::map<K, V>::operator[]|x"*', '{"std::map<K, V>::operator[]|x","std::map<K, V>::operator[]|xyz"}', '{std::map}'),
-- regular expressions: anywhere in the frame unless anchored
('~"b"', '{b,abc,bb}', '{a,B,"",b;b}'),
('~"^b"', '{b,bc}', '{ab}'),
('~"b$"', '{b,ab}', '{bc}'),
('~"^(get|set)[[:upper:]]"', '{getX,setName}', '{get,getx,xgetX}'),
('~""', '{a,b}', '{"",a;b}'),
('~"."', '{a,é}', '{""}'),
('~"b"@', '{b,aBc}', '{a}'),
('!~"b"', '{a,B}', '{b,abc,""}'),
('~"^a"|~"z$"|m', '{ab,yz,m}', '{b,xm}'),
('*;~"\d+"{2};*', '{a1;b2,x;a1;b2;y}', '{a1;b;c2,a1}'),
('~"a;b"', ARRAY[stackpath(ARRAY['xa;by'])], '{a;b}'),
('~"\""', ARRAY[stackpath(ARRAY['a"b'])], '{ab}'),
('~"[\\\\]"', '{"a\\\\b"}', '{ab}'),
('~"^.$"', '{a,é,日,🔥}', '{ab,éé}'),
('~"^..$"', '{ab,éé,日本}', '{é,🔥}'),
('~"(?i)main"', '{MAIN,xmainx}', '{man}'),
('~"***=a.c"', '{a.c,xa.cy}', '{abc}'),
-- C collation: classes are ASCII only, whatever the database says
('~"^\w+$"', '{abc_1}', '{é,aé,日本,a-b}'),
('~"^[[:alpha:]]+$"', '{abc}', '{é,ß,日}'),
('~"^[[:upper:]]$"', '{A}', '{É,a}'),
('~"[^[:alnum:]]"', '{é,a-b,日}', '{abc1}'),
('~"^[a-z]+$"', '{abc}', '{ä,ABC,aB}'),
('~"^\W$"', '{é,-}', '{a,_}'),
('~"^É$"@', '{É}', '{é}'),
('~"^É$"', '{É}', '{é,E}'),
('~"^k$"@', '{k,K}', ARRAY[stackpath(ARRAY[chr(8490)])]),
('~"\mfoo\M"', '{foo,"a foo b",foo.bar}', '{foobar,foo_}'),
('~"^[à-ü]$"', '{é,à,ü}', '{a,z,ÿ}');
SELECT count(*) AS patterns, sum(cardinality(matching)) AS matching, sum(cardinality(other)) AS other FROM cases;
SELECT query, p AS should_match FROM cases, unnest(matching) p WHERE NOT p ~ query ORDER BY id;
SELECT query, p AS should_not_match FROM cases, unnest(other) p WHERE p ~ query ORDER BY id;
-- the same by function, from the other side, and as profiles of one stack
SELECT query, p, p ~ query AS "p ~ q", query ~ p AS "q ~ p", matches(p, query), f ~ query AS "f ~ q", query ~ f AS "q ~ f", matches(f, query) AS matches_f
FROM cases, unnest(matching || other) p, LATERAL (SELECT flamegraph_agg(s, 1) AS f FROM unnest(ARRAY[p]) s) x
WHERE (p ~ query, query ~ p, matches(p, query), f ~ query, query ~ f, matches(f, query)) NOT IN ((true, true, true, true, true, true), (false, false, false, false, false, false)) ORDER BY id;
-- a profile matches when some of its stacks does: all stacks of a case in one profile
SELECT query, nstacks(filter_stacks(f, query)) AS found, nstacks(exclude_stacks(f, query)) AS others
FROM cases, LATERAL (SELECT flamegraph_agg(p, 1) AS f, count(DISTINCT p) FILTER (WHERE p = ANY (matching)) AS wanted, count(DISTINCT p) FILTER (WHERE p <> ALL (matching)) AS unwanted FROM unnest(matching || other) p) x
WHERE nstacks(filter_stacks(f, query)) IS DISTINCT FROM wanted OR nstacks(exclude_stacks(f, query)) IS DISTINCT FROM unwanted ORDER BY id;

-- every pattern against every stack of all cases, level by level by PostgreSQL's
-- regular expressions: random patterns over one-letter frames, which are the same
-- thing as regular expressions over strings
CREATE FUNCTION pg_temp.level(seed text, OUT pattern text, OUT regexp text) LANGUAGE plpgsql AS $$
DECLARE
	kind int := t.random('kind ' || seed, 6);
	letters text[] := (ARRAY['a', 'b', 'c'])[1 + t.random('from ' || seed, 3) : 1 + t.random('from ' || seed, 3) + t.random('n ' || seed, 2)];
	low int := t.random('low ' || seed, 3);
	high int := low + t.random('high ' || seed, 3);
	bounds int := t.random('bounds ' || seed, 6);
BEGIN
	IF kind < 2 THEN
		pattern := '*';
		regexp := '.';
	ELSE
		pattern := CASE WHEN kind = 2 THEN '!' ELSE '' END || array_to_string(letters, '|');
		regexp := format('[%s%s]', CASE WHEN kind = 2 THEN '^' ELSE '' END, array_to_string(letters, ''));
	END IF;
	pattern := pattern || CASE bounds WHEN 0 THEN format('{%s}', low) WHEN 1 THEN format('{%s,}', low) WHEN 2 THEN format('{,%s}', high) WHEN 3 THEN format('{%s,%s}', low, high) ELSE '' END;
	regexp := regexp || CASE bounds WHEN 0 THEN format('{%s}', low) WHEN 1 THEN format('{%s,}', low) WHEN 2 THEN format('{0,%s}', high) WHEN 3 THEN format('{%s,%s}', low, high) WHEN 4 THEN CASE WHEN kind < 2 THEN '*' ELSE '' END ELSE CASE WHEN kind < 2 THEN '*' ELSE '' END END;
END
$$;
CREATE TEMP TABLE random_patterns AS
SELECT id, string_agg(pattern, ';' ORDER BY l)::stackquery AS query, '^' || string_agg(regexp, '' ORDER BY l) || '$' AS regexp
FROM generate_series(1, 400) id, LATERAL generate_series(1, 1 + t.random('levels ' || id, 5)) l, LATERAL (SELECT (pg_temp.level(format('%s %s', id, l))).*) v GROUP BY id;
CREATE TEMP TABLE random_stacks AS
SELECT DISTINCT array_to_string(s, '') AS word, stackpath(s) AS path
FROM generate_series(1, 150) id, LATERAL (SELECT ARRAY(SELECT (ARRAY['a', 'b', 'c', 'd'])[1 + t.random(format('%s %s', id, d), 4)] FROM generate_series(1, t.random('depth ' || id, 8)) d) AS s) v;
SELECT count(*) > 30000 AS many, count(*) FILTER (WHERE path ~ query) > 3000 AS hits, count(*) FILTER (WHERE (path ~ query) <> (word ~ regexp)) AS wrong FROM random_patterns, random_stacks;
SELECT query, regexp, word FROM random_patterns, random_stacks WHERE (path ~ query) <> (word ~ regexp) ORDER BY id, word LIMIT 10;
-- the same over a profile, whose stacks share their beginnings
SELECT count(*) AS wrong FROM random_patterns, LATERAL (SELECT flamegraph_agg(path, 1) AS all_stacks, flamegraph_agg(path, 1) FILTER (WHERE word ~ regexp) AS matching, flamegraph_agg(path, 1) FILTER (WHERE word !~ regexp) AS others FROM random_stacks) v
WHERE filter_stacks(all_stacks, query) <> coalesce(matching, '') OR exclude_stacks(all_stacks, query) <> coalesce(others, '') OR (all_stacks ~ query) <> (matching IS NOT NULL);

-- a stack that is only part of others, with no value of its own, does not count
SELECT flamegraph 'a;b;c 1' ~ 'a;b' AS inner_node, flamegraph 'a;b;c 1' ~ '*' AS all, flamegraph '' ~ '*' AS empty, flamegraph ' 5' ~ '*{0}' AS root, flamegraph 'a 1' ~ '*{0}' AS no_root, flamegraph E'a;b 1\na -1' ~ 'a' AS negative;
-- several patterns
SELECT p, p ~ ANY (ARRAY['a;*', '*;c']::stackquery[]) AS "any", p ~ ALL (ARRAY['a;*', '*;c']::stackquery[]) AS "all", p ~ ANY ('{a;*,"*;c"}') AS literal, p ~ ANY ('{}'::stackquery[]) AS none
FROM unnest('{a;b,a;c,b;c,b}'::stackpath[]) p;
SELECT flamegraph 'a;b 1' ~ ANY ('{x,*;b}') AS profile, stackpath 'a' ~ ANY ('{x,NULL}'::stackquery[]) AS with_null, stackpath 'a' ~ ANY ('{a,NULL}'::stackquery[]) AS found_beside_null;
SELECT p, array_agg(q ORDER BY q) FILTER (WHERE p ~ q) AS matched_by FROM unnest('{main;parse;read,main;print,gc}'::stackpath[]) p, unnest('{main;*,*;read|print,"*{1}",!main;*}'::stackquery[]) q GROUP BY p ORDER BY p;
-- a literal beside a stackpath is a pattern, beside a pattern a problem; null in, null out
SELECT stackpath 'a;b' ~ 'a.*' AS not_a_regex, stackpath 'a;b' ~ '~"a";*' AS regex, 'a;b'::text ~ 'a.*' AS text_regex;
SELECT stackpath 'a' ~ NULL AS "p ~", NULL::stackpath ~ stackquery 'a' AS "~ q", stackquery 'a' ~ NULL::stackpath AS "q ~", matches(NULL::stackpath, 'a') AS matches, matches(flamegraph 'a 1', NULL) AS matches_f, NULL::flamegraph ~ stackquery 'a' AS "f ~";

-- a pattern that changes from row to row, and one that comes from a prepared statement
SELECT count(*) FILTER (WHERE stackpath(ARRAY['f' || i]) ~ ('f' || i % 3)::stackquery) AS plain, count(*) FILTER (WHERE stackpath(ARRAY['f' || i]) ~ ('~"' || i % 3 || '$"')::stackquery) AS regex FROM generate_series(0, 299) i;
PREPARE find(stackquery) AS SELECT stackpath 'main;parse' ~ $1;
EXECUTE find('main;*');
EXECUTE find('*;read');
DEALLOCATE find;

-- deep stacks and patterns that would be slow by trying
SELECT p ~ '*;f;*' AS found, p ~ '*;g;*' AS absent, p ~ 'f{65535}' AS exact, p ~ 'f{,65534}' AS too_many, p ~ '*{60000};f{5530};*' AS last, p ~ 'f{60000,}' AS at_least FROM (SELECT (repeat('f;', 65534) || 'f')::stackpath AS p OFFSET 0) v;
SELECT p ~ (repeat('*;f;', 200) || 'g')::stackquery AS many_stars, p ~ (repeat('*;f;', 200) || '*')::stackquery AS many_stars_match, p ~ (repeat('f{,1};', 1000) || 'f{1000}')::stackquery AS optional FROM (SELECT (repeat('f;', 999) || 'f')::stackpath AS p OFFSET 0) v;
SELECT f ~ '*{65501}' AS deepest, f ~ 'f{30000};*;g' AS absent, total(filter_stacks(f, '*{100,200}')) AS part FROM (SELECT flamegraph_agg(subpath(p, 0, n), 1) AS f FROM (SELECT (repeat('f;', 65534) || 'f')::stackpath AS p OFFSET 0) v, generate_series(1, 65535, 50) n) w;
SELECT (stackpath(ARRAY[repeat('a', 100000) || 'b'])) ~ '~"^(a+)+$"' AS nested_repetition, stackpath(ARRAY[repeat('x', 1048576)]) ~ 'x*' AS long_frame;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT 'a;b' ~ stackquery 'a'$$,
	$$SELECT stackpath 'a' ~ 'a;'$$,
	$$SELECT stackpath 'a' ~ '~"("'$$,
	$$SELECT flamegraph 'a 1' ~ '!'$$,
	$$SELECT matches('a', 'a')$$,
	$$SELECT stackpath 'a' ~* 'a'$$,
	$$SELECT stackpath 'a' !~ 'a'$$,
	$$SELECT stackpath 'a' ~ ANY ('{a;}')$$,
	$$SELECT stackpath 'a' ~ ('~"x' || chr(92) || 'q"')::stackquery$$);
