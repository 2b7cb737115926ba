-- The rule sets of frame_rules() on names that real tools printed (test/data/frames, test/data/shop: see the README.md
-- there). This file's output shows every name that a set changes.
\pset null NULL
\set java `cat "${PG_ABS_SRCDIR:-test}/data/frames/java.txt"`
\set java2 `cat "${PG_ABS_SRCDIR:-test}/data/frames/java2.txt"`
\set java25 `cat "${PG_ABS_SRCDIR:-test}/data/frames/java25.txt"`
\set node `cat "${PG_ABS_SRCDIR:-test}/data/frames/node.txt"`
\set python `cat "${PG_ABS_SRCDIR:-test}/data/frames/python.txt"`
\set python2 `cat "${PG_ABS_SRCDIR:-test}/data/frames/python2.txt"`
\set cpp `cat "${PG_ABS_SRCDIR:-test}/data/frames/cpp.txt"`
\set rust `cat "${PG_ABS_SRCDIR:-test}/data/frames/rust.txt"`
\set dotnet `cat "${PG_ABS_SRCDIR:-test}/data/frames/dotnet.txt"`
\set lines `cat "${PG_ABS_SRCDIR:-test}/data/frames/lines.txt"`
\set before `cat "${PG_ABS_SRCDIR:-test}/data/shop/before.folded"`
\set after `cat "${PG_ABS_SRCDIR:-test}/data/shop/after.folded"`
\set complete `cat "${PG_ABS_SRCDIR:-test}/data/shop/complete.folded"`
\set truncated `cat "${PG_ABS_SRCDIR:-test}/data/shop/truncated.folded"`

CREATE TEMP TABLE sets (set text COLLATE "C");
INSERT INTO sets VALUES ('java'), ('python'), ('node'), ('cpp'), ('rust'), ('dotnet'), ('addresses'), ('lines'), ('jit_modes'), ('threads');
CREATE TEMP TABLE names (list text COLLATE "C", name text COLLATE "C");
INSERT INTO names
	SELECT list, regexp_split_to_table(content, '\n')
	FROM (VALUES ('java', :'java'), ('java2', :'java2'), ('java25', :'java25'), ('node', :'node'), ('python', :'python'), ('python2', :'python2'), ('cpp', :'cpp'), ('rust', :'rust'), ('dotnet', :'dotnet'), ('lines', :'lines')) v(list, content);
INSERT INTO names
	SELECT 'shop ' || recording, unnest(frames(content::flamegraph))
	FROM (VALUES ('before', :'before'), ('after', :'after'), ('complete', :'complete'), ('truncated', :'truncated')) v(recording, content);

-- A name and what becomes of it: stacks of two frames, the first of which, a number, no rule matches.
CREATE FUNCTION pg_temp.renamed(names text[], rules text[]) RETURNS TABLE (number int, result text)
LANGUAGE sql AS $$
	SELECT substr((frames(stack))[1], 2)::int, (frames(stack))[2]
	FROM stacks(rename_frames((SELECT flamegraph_agg(ARRAY['#' || i, name], 1) FROM unnest(names) WITH ORDINALITY u(name, i)), rules))
$$;
CREATE TEMP TABLE renamed AS
	SELECT a.list, s.set, names[r.number] AS name, r.result COLLATE "C" AS result
	FROM sets s, (SELECT list, array_agg(name) AS names FROM names GROUP BY list) a, pg_temp.renamed(names, frame_rules(set)) r;

-- What changes, of how many names: each set on each list.
SELECT list, count(*) / 10 AS names,
	count(*) FILTER (WHERE set = 'java' AND name <> result) AS java,
	count(*) FILTER (WHERE set = 'python' AND name <> result) AS python,
	count(*) FILTER (WHERE set = 'node' AND name <> result) AS node,
	count(*) FILTER (WHERE set = 'cpp' AND name <> result) AS cpp,
	count(*) FILTER (WHERE set = 'rust' AND name <> result) AS rust,
	count(*) FILTER (WHERE set = 'dotnet' AND name <> result) AS dotnet,
	count(*) FILTER (WHERE set = 'addresses' AND name <> result) AS addresses,
	count(*) FILTER (WHERE set = 'lines' AND name <> result) AS lines,
	count(*) FILTER (WHERE set = 'jit_modes' AND name <> result) AS jit_modes,
	count(*) FILTER (WHERE set = 'threads' AND name <> result) AS threads
FROM renamed GROUP BY list ORDER BY list;
-- no name is lost, none becomes empty, the second time changes nothing
SELECT (SELECT count(*) * 10 FROM names) = count(*) AS all_there, count(*) FILTER (WHERE coalesce(result, '') = '') AS empty FROM renamed;
SELECT a.list, a.set, r.result, r.again AS unstable
FROM (SELECT list, set, array_agg(result) AS results FROM renamed GROUP BY list, set) a, LATERAL (SELECT results[number] AS result, result AS again FROM pg_temp.renamed(results, frame_rules(set))) r
WHERE r.again IS DISTINCT FROM r.result;

--
-- Every changed name
--
\pset format unaligned
\pset tuples_only on
\pset fieldsep ' -> '
-- java
SELECT name, result FROM renamed WHERE list = 'java' AND set = 'java' AND name <> result ORDER BY name;
SELECT name, result FROM renamed WHERE list = 'java2' AND set = 'java' AND name <> result ORDER BY name;
SELECT name, result FROM renamed WHERE list = 'java25' AND set = 'java' AND name <> result ORDER BY name;
SELECT name, result FROM renamed WHERE list = 'lines' AND set = 'java' AND name <> result ORDER BY name;
SELECT DISTINCT name, result FROM renamed WHERE list ~ '^shop ' AND set = 'java' AND name <> result ORDER BY name;
-- python
SELECT name, result FROM renamed WHERE list = 'python' AND set = 'python' AND name <> result ORDER BY name;
SELECT name, result FROM renamed WHERE list = 'python2' AND set = 'python' AND name <> result ORDER BY name;
-- node
SELECT name, result FROM renamed WHERE list = 'node' AND set = 'node' AND name <> result ORDER BY name;
-- cpp
SELECT name, result FROM renamed WHERE list = 'cpp' AND set = 'cpp' AND name <> result ORDER BY name;
-- rust
SELECT name, result FROM renamed WHERE list = 'rust' AND set = 'rust' AND name <> result ORDER BY name;
-- dotnet
SELECT name, result FROM renamed WHERE list = 'dotnet' AND set = 'dotnet' AND name <> result ORDER BY name;
-- addresses
SELECT DISTINCT name, result FROM renamed WHERE list IN ('cpp', 'java25', 'lines', 'python') AND set = 'addresses' AND name <> result ORDER BY name;
-- lines
SELECT name, result FROM renamed WHERE list = 'lines' AND set = 'lines' AND name <> result ORDER BY name;
SELECT name, result FROM renamed WHERE list = 'node' AND set = 'lines' AND name <> result ORDER BY name;
SELECT DISTINCT name, result FROM renamed WHERE list IN ('python', 'python2') AND set = 'lines' AND name <> result ORDER BY name;
\pset fieldsep '|'
\pset tuples_only off
\pset format aligned
-- of the shop the number goes, and nothing else
SELECT count(DISTINCT name) AS names, count(DISTINCT result) AS functions FROM renamed WHERE list ~ '^shop ' AND set = 'lines' AND name <> result;
SELECT DISTINCT name, result FROM renamed WHERE list ~ '^shop ' AND set = 'lines' AND result <> regexp_replace(name, ':[0-9]+$', '');
-- sets for another language: what they change in foreign names
SELECT set, name, result FROM renamed WHERE list !~ '^(java2?$|shop )' AND name <> result AND set NOT IN ('addresses', 'lines') AND list <> 'lines' AND list !~ ('^' || set) ORDER BY set, name;

--
-- Two runs of one program
--
CREATE FUNCTION pg_temp.differ(one text, other text, sets text[]) RETURNS TABLE (only_in text, name text)
LANGUAGE sql AS $$
	WITH r AS (
		SELECT DISTINCT a.list, r.result
		FROM (SELECT list, array_agg(name) AS names FROM names WHERE list IN (one, other) GROUP BY list) a, pg_temp.renamed(names, (SELECT frame_rules(sets[1]) || coalesce(frame_rules(sets[2]), '{}'))) r)
	SELECT min(list), result FROM r GROUP BY result HAVING count(*) = 1
$$;
SELECT count(*) AS only_in_java FROM (SELECT name FROM names WHERE list = 'java' EXCEPT SELECT name FROM names WHERE list = 'java2') n;
SELECT only_in, name FROM pg_temp.differ('java', 'java2', '{java}') ORDER BY only_in COLLATE "C", name COLLATE "C";
SELECT count(*) AS only_in_python FROM (SELECT name FROM names WHERE list = 'python' EXCEPT SELECT name FROM names WHERE list = 'python2') n;
SELECT only_in, name FROM pg_temp.differ('python', 'python2', '{python}') ORDER BY only_in COLLATE "C", name COLLATE "C";
-- what stays: functions that only one run met, and the place of each Python's library
SELECT only_in, name FROM pg_temp.differ('python', 'python2', '{python,lines}') ORDER BY only_in COLLATE "C", name COLLATE "C";
-- classes that the JDK makes, of the shop and of two releases of Java, which have not the same ones
SELECT only_in, name FROM pg_temp.differ('shop before', 'shop after', '{java,lines}') WHERE name ~ '[$][$]|LambdaForm[$]' ORDER BY only_in COLLATE "C", name COLLATE "C";
SELECT only_in, name FROM pg_temp.differ('java', 'java25', '{java}') WHERE name ~ '[$][$]|LambdaForm[$]|Proxy' ORDER BY only_in COLLATE "C", name COLLATE "C";
-- no address and no running number stays
SELECT list, set, result FROM renamed WHERE (list, set) IN (('java', 'java'), ('java2', 'java'), ('java25', 'java'), ('lines', 'java'), ('shop before', 'java'), ('shop after', 'java'), ('shop complete', 'java'), ('shop truncated', 'java'), ('python', 'python'), ('python2', 'python')) AND result ~ '0x|[[:digit:]]{6}';
-- V8: one function, however compiled; modes are signs behind the tag
SELECT result, array_agg(name ORDER BY name) AS names FROM renamed WHERE list = 'node' AND set = 'node' GROUP BY result HAVING count(*) > 1 ORDER BY result;
SELECT name, result FROM renamed WHERE list = 'node' AND set = 'node' AND name <> result AND result <> substr(name, 1, strpos(name, ':')) || substr(name, strpos(name, ':') + 2);
-- C++: what becomes one function
SELECT result, array_agg(name ORDER BY name) AS names FROM renamed WHERE list = 'cpp' AND set = 'cpp' GROUP BY result HAVING count(*) > 1 ORDER BY result;

--
-- What identifies a function stays
--
SELECT v.set, v.name, r.list, r.result AS changed
FROM (VALUES
	-- what javac numbers: bodies of lambdas, local and anonymous classes
	('java', 'Frames.lambda$main$12'), ('java', 'Frames.lambda$lambda$0'), ('java', 'java.util.Comparator.lambda$thenComparing$36697e65$1'), ('java', 'Frames.lambda0'), ('java', 'Frames$1Local.call'), ('java', 'Frames$2.call'), ('java', 'java.util.stream.IntPipeline$1$1.accept'), ('java', 'Frames$Box.<init>'), ('java', 'jdk.internal.classfile.impl.Util$1WithCodeMethodHandler.accept'),
	('java', 'java.lang.invoke.DirectMethodHandle$Holder.invokeStatic'), ('java', 'java.lang.invoke.VarHandleGuards.guard_LI_I'), ('java', 'java.lang.invoke.BoundMethodHandle$Species_LLLL.copyWithExtendL'),
	('java', 'at java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)'), ('java', 'worker-1'), ('java', 'shop.Report.lambda$sums$1:57'),
	-- a prefix of one's own choice, which threads of a pool have; what the place in a file identifies
	('python', 'db_0'), ('python', '<string>:1(<lambda>)'), ('python', 'frames.py:101(<lambda>)'), ('python', 'frames.py:<lambda>:101'), ('python', '<template ''page.html''>:root:2'), ('python', '{built-in method builtins.exec}'), ('python', '<class ''__main__.Shape.Inner''>'), ('python', '<slot wrapper ''__str__'' of ''object'' objects>'),
	-- a regular expression's ^; places of functions without a name
	('node', 'RegExp:^([\w.+]+)@([a-z]+\.)+[a-z]{2,}'), ('node', 'RegExp: ^([\w.+]+)@([a-z]+\.)+[a-z]{2,}'), ('node', '(anonymous) node:internal/modules/cjs/loader:1003:24'), ('node', 'inVm evalmachine.<anonymous>:1:15'), ('node', 'evaluated :1:20'), ('node', 'a-b frames.js:31:92'), ('node', '#hidden frames.js:20:10'), ('node', 'Builtins_GreaterThanOrEqual_Baseline'),
	-- lambdas are numbered in their function, instances of templates are functions
	('cpp', 'apply<lambdas(unsigned int)::{lambda(unsigned int)#1}&>'), ('cpp', 'geometry::Vector<int, 2>::operator<'), ('cpp', '_ZN8geometry6SquareD0Ev'), ('cpp', 'std::locale::operator='), ('cpp', 'operator delete'), ('cpp', '(anonymous namespace)::Hidden::run'), ('cpp', '__GI___libc_open'), ('cpp', '__memset_avx512_unaligned_erms'), ('cpp', '[unknown]'), ('cpp', '0x0000000000004a02'),
	('addresses', '[unknown]'), ('addresses', '__memset_avx512_unaligned_erms'), ('addresses', 'malloc'),
	('lines', 'File "frames.py", line 211, in key'), ('lines', 'at Array.map (<anonymous>)'), ('lines', 'frames.py:101(<lambda>)'), ('lines', 'geometry::Square::~Square'), ('lines', 'at Frames$$Lambda$113/0x00007f6668008aa0.run(Unknown Source)')
) v(set, name) LEFT JOIN renamed r ON r.set = v.set AND r.name = v.name
WHERE r.name IS NULL OR r.result <> v.name;
-- names of these lists that no set changes
SELECT list, count(*) FROM (SELECT list, name FROM renamed GROUP BY list, name HAVING bool_and(name = result)) n WHERE list !~ '^shop' GROUP BY list ORDER BY list;

--
-- The set "lines" and frame_line()
--
SELECT count(*) AS names, count(*) FILTER (WHERE frame_line(name) IS NOT NULL) AS with_line, count(*) FILTER (WHERE (frame_line(name) IS NOT NULL) <> (name <> result)) AS disagree FROM renamed WHERE set = 'lines';
-- the name that call_sites() gives the function is the one that the set leaves
SELECT count(*) AS with_line, count(*) FILTER (WHERE (SELECT array_agg(line || ' ' || callee) FROM call_sites(f, result)) IS DISTINCT FROM ARRAY[frame_line(name) || ' callee']) AS disagree
FROM (SELECT DISTINCT name, result FROM renamed WHERE set = 'lines' AND name <> result) r, LATERAL (SELECT flamegraph_agg(ARRAY[x, 'callee'], 1) AS f FROM (VALUES (name)) y(x)) v;
-- names at the edge, which no tool printed: a number that does not fit is no line, but goes; of three the last two go
SELECT name, frame_line(name) AS line, r.result AS renamed, (SELECT count(*) FROM call_sites(f, r.result)) AS call_sites
FROM unnest(ARRAY['f:1', ':5', ':5:6', 'a:1:2:3', 'x:5):6', '(:12)', ':12)', 'f (a:1:2)', 'f (a:1:2:3)', 'f (a:1))', 'f:1)x', 'f:1 ', 'f:', 'f:)', 'é:7', 'f:x:7', 'f:99999999999', 'RegExp: a(?:12)']) WITH ORDINALITY n(name, i), LATERAL (SELECT flamegraph_agg(ARRAY[x, 'callee'], 1) AS f FROM (VALUES (name)) y(x)) v, pg_temp.renamed(ARRAY[name], frame_rules('lines')) r
ORDER BY i;
