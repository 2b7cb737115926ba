-- rename_frames: regular expressions over frames, and the rule sets that ship.
\pset null NULL
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;

-- every occurrence in every frame; stacks that become equal are added
SELECT p AS pattern, r AS replacement, pg_temp.line(rename_frames(f, p, r)) AS renamed, total(rename_frames(f, p, r)) = total(f) AS total
FROM (VALUES (flamegraph E' 1\na1;b2 2\na1;b3 4\na2;b2 8\naa;c -16')) v(f), (VALUES ('\d', ''), ('\d', 'N'), ('^a', 'x'), ('a', 'bb'), ('.*', 'f'), ('^.*$', 'f'), ('b(\d)', '\1'), ('(.)(.)', '\2\1'), ('a|c', '[\&]'), ('x', 'y'), ('B', 'y'), ('(?i)B', 'y'), ('$', '!'), ('^', ';'), ('a', '\\'), ('[0-9]+', '#')) w(p, r);
SELECT rename_frames(E'a 1\nb -1', 'b', 'a') = '' AS cancels, rename_frames('', 'a', 'b') = '' AS empty, rename_frames(' 5', '.*', 'b') AS root, rename_frames(E'a\\;b;c 1', ';', ':') AS semicolon, rename_frames('a;b 1', ';', 'x') AS no_separator, frames(rename_frames('a;b;c 1', '[bc]', 'a')) AS frames;
-- back-references in the replacement are fine
SELECT rename_frames('get_x;set_y 1', '^(get|set)_(.*)$', '\2.\1') AS swapped, rename_frames('ab 1', '(a)(b)?(c)?', '<\1\2\3>') AS unmatched_group;
-- order: the same frames as regexp_replace gives
SELECT count(*) FILTER (WHERE rename_frames(f, p, r) <> (SELECT flamegraph_agg(ARRAY(SELECT regexp_replace(x, p, r, 'g') FROM unnest(frames(stack)) WITH ORDINALITY u(x, i) ORDER BY i), value) FROM stacks(f))) AS wrong, count(*)
FROM (SELECT flamegraph_agg(ARRAY(SELECT 'f' || t.random(format('%s %s', i, d), 30) || '.g' || d FROM generate_series(1, 4) d), i) AS f FROM generate_series(1, 200) i) v, (VALUES ('\d+', 'N'), ('\.g(\d)', ':\1'), ('[1-3]', ''), ('f1', 'f2'), ('^f(.).*', '\1')) w(p, r);
-- C collation: classes are ASCII only
SELECT rename_frames('é1Éa 1', '\w', 'X') AS word, rename_frames('éÉ 1', '(?i)é', 'x') AS caseless, rename_frames('日本 1', '.', '*') AS characters, rename_frames('日本 1', '日', 'a') AS one;

-- rules, applied in order
SELECT pg_temp.line(rename_frames(f, '{{a,b},{b,c}}')) AS chained, pg_temp.line(rename_frames(f, '{{b,c},{a,b}}')) AS not_chained, pg_temp.line(rename_frames(f, ARRAY[['^(.)$', '<\1>'], ['<', '(']])) AS quoted, rename_frames(f, '{}') = f AS none, rename_frames(f, NULL) = f AS null_rules, rename_frames(f, '{{x,y}}') = f AS no_match, rename_frames(f, '[5:5][3:4]={{a,b}}') = rename_frames(f, 'a', 'b') AS bounds
FROM (VALUES (flamegraph E'a;b 1\nb;c 2')) v(f);
SELECT rename_frames(f, p, r) = rename_frames(f, ARRAY[[p, r]]) AS same FROM (VALUES (flamegraph 'a1;b2 3', '\d', 'n')) v(f, p, r);
-- a rule may empty a frame when a later one fills it
SELECT rename_frames('a;b 1', '{{^a$,""},{^$,x}}') AS refilled;
-- null in, null out
SELECT rename_frames(NULL, 'a', 'b') AS value, rename_frames('a 1', NULL, 'b') AS pattern, rename_frames('a 1', 'a', NULL) AS replacement, rename_frames(NULL, '{{a,b}}') AS rules, rename_frames(NULL, NULL) AS all, frame_rules(NULL) AS name;

--
-- Rule sets
--
SELECT name, array_dims(frame_rules(name)) ~ '^\[1:\d+\]\[1:2\]$' AS pairs, rename_frames('', frame_rules(name)) = '' AS valid, rename_frames(f, frame_rules(name)) = rename_frames(rename_frames(f, frame_rules(name)), frame_rules(name)) AS stable
FROM unnest(ARRAY['java', 'python', 'node', 'cpp', 'addresses', 'lines', 'jit_modes', 'threads']) name, (VALUES (flamegraph E'Rec$$Lambda$82+0x00007f90b0007a08.715521683.run_[0];std::sort;f+0x1f;main.py:f:12 1')) v(f);
-- names that JFR, async-profiler, perf, py-spy, austin, V8 print, and what is left of them
CREATE TEMP TABLE names (id serial, set text, name text, wanted text);
INSERT INTO names (set, name, wanted) VALUES
	-- from the profiles of golden/algebra
	('java', 'Rec$$Lambda$82+0x00007f90b0007a08.715521683.run', 'Rec$$Lambda.run'),
	('java', 'Rec$$Lambda$82+0x00007f8e98007a08.715521683.run_[0]', 'Rec$$Lambda.run_[0]'),
	('java', 'java.util.Comparator$$Lambda$84+0x00007f90b0034cb0.1110804003.compare', 'java.util.Comparator$$Lambda.compare'),
	('java', 'java.util.Comparator$$Lambda$85+0x00007f8e98034870.1039591081.compare_[j]', 'java.util.Comparator$$Lambda.compare_[j]'),
	('java', 'java.lang.invoke.LambdaForm$MH+0x00007f8e9800a800.87556527.invokeExact_MT_[0]', 'java.lang.invoke.LambdaForm$MH.invokeExact_MT_[0]'),
	('java', 'java.lang.invoke.Invokers$Holder.invokeExact_MT_[0]', 'java.lang.invoke.Invokers$Holder.invokeExact_MT_[0]'),
	('java', 'java.lang.invoke.BoundMethodHandle$SpeciesData.extendWith_[0]', 'java.lang.invoke.BoundMethodHandle$SpeciesData.extendWith_[0]'),
	('java', 'java.util.TimSort.mergeLo_[0]', 'java.util.TimSort.mergeLo_[0]'),
	('java', 'java.util.LinkedHashSet.<init>_[0]', 'java.util.LinkedHashSet.<init>_[0]'),
	('java', 'io/netty/channel/nio/AbstractNioByteChannel$NioByteUnsafe:.read_[j]', 'io/netty/channel/nio/AbstractNioByteChannel$NioByteUnsafe:.read_[j]'),
	-- other forms
	('java', 'Foo$$Lambda$14/0x0000000800c03000.run', 'Foo$$Lambda.run'),
	('java', 'Foo$$Lambda/0x00007f1234567890.apply', 'Foo$$Lambda.apply'),
	('java', 'Foo$$Lambda$14/1234567.run', 'Foo$$Lambda.run'),
	('java', 'java.lang.invoke.LambdaForm$DMH/0x0000000800c1c400.invokeStatic', 'java.lang.invoke.LambdaForm$DMH.invokeStatic'),
	('java', 'java.lang.invoke.LambdaForm$DMH001.invoke', 'java.lang.invoke.LambdaForm$DMH.invoke'),
	('java', 'com.sun.proxy.$Proxy17.call', 'com.sun.proxy.$Proxy.call'),
	('java', 'jdk.proxy2.$Proxy42.get', 'jdk.proxy.$Proxy.get'),
	('java', 'jdk.internal.reflect.GeneratedMethodAccessor42.invoke', 'jdk.internal.reflect.GeneratedMethodAccessor.invoke'),
	('java', 'sun.reflect.GeneratedConstructorAccessor7.newInstance', 'sun.reflect.GeneratedConstructorAccessor.newInstance'),
	('java', 'Service$$EnhancerBySpringCGLIB$$d5a4b5c6.get', 'Service$$EnhancerBySpringCGLIB.get'),
	('java', 'Service$$FastClassBySpringCGLIB$$1f.invoke', 'Service$$FastClassBySpringCGLIB.invoke'),
	('java', 'Outer$1.run', 'Outer$1.run'),
	('java', 'Outer$Proxy2.run', 'Outer$Proxy2.run'),
	('java', 'java.lang.invoke.LambdaForm$DMH/1747585824.invokeStatic_L_V', 'java.lang.invoke.LambdaForm$DMH.invokeStatic_L_V'),
	('java', '[perf-1234.map]', '[perf.map]'),
	('python', '<function f at 0x7f2b1c0d5e10>', '<function f>'),
	('python', '/usr/lib/python3.11/json/decoder.py:decode:337', '/usr/lib/python/json/decoder.py:decode:337'),
	('python', 'P1234', 'P'), ('python', 'T1234', 'T'), ('python', 'T0:1234', 'T'), ('python', 'Thread-12 (worker)', 'Thread (worker)'), ('python', '<ipython-input-3-abc>', '<ipython-input>'),
	('python', '<frozen importlib._bootstrap>:_find_and_load', '<frozen importlib._bootstrap>:_find_and_load'), ('python', 'lib2to3/fixes/fix_except.py:<listcomp>', 'lib2to3/fixes/fix_except.py:<listcomp>'), ('python', 'Dummy-1', 'Dummy'), ('python', 'MyThread-3', 'MyThread-3'), ('python', 'process 1234:"python a.py"', 'process:"python a.py"'), ('python', 'thread (1234): MainThread', 'thread: MainThread'), ('python', 'thread (0x7F8A42D5): Thread-2 (work)', 'thread: Thread (work)'), ('python', '<Thread(Thread-2 (f), stopped daemon 140329029613248)>', '<Thread(Thread (f), stopped daemon)>'), ('python', ' at 0x1f', ' at 0x1f'), ('python', 'Parser', 'Parser'), ('python', 'P1234x', 'P1234x'),
	('node', 'LazyCompile:*render /srv/app.js:10:5', 'LazyCompile:render /srv/app.js:10:5'), ('node', 'LazyCompile:~render /srv/app.js:10:5', 'LazyCompile:render /srv/app.js:10:5'), ('node', 'JS:^render /srv/app.js:10:5', 'JS:render /srv/app.js:10:5'), ('node', 'Function:main', 'Function:main'), ('node', 'JS:+render /srv/app.js:10:5', 'JS:render /srv/app.js:10:5'), ('node', 'evalmachine.<anonymous>:3:7', 'evalmachine.<anonymous>:3:7'), ('node', 'RegExp:^a+', 'RegExp:^a+'), ('node', '[perf-1234.map]', '[perf.map]'),
	('node', 'RegExp: [A-Za-z_]+|\d+|\S', 'RegExp: [A-Za-z_]+|\d+|\S'), ('node', '(anonymous) node:path:1208', '(anonymous) node:path:1208'), ('node', '(garbage collector)', '(garbage collector)'), ('node', 'evalTree:9', 'evalTree:9'), ('node', '_onceWrap node:events:643', '_onceWrap node:events:643'),
	('cpp', 'intel_check_word.constprop.0', 'intel_check_word'), ('cpp', '__kmalloc_reserve.isra.32', '__kmalloc_reserve'), ('cpp', 'validate_xmit_skb.isra.102.part.103', 'validate_xmit_skb'), ('cpp', 'f.isra.0.cold', 'f'), ('cpp', 'f.cold', 'f'), ('cpp', 'f.llvm.123456', 'f'), ('cpp', 'f.lto_priv.12', 'f'), ('cpp', 'f [clone .constprop.0]', 'f'), ('cpp', 'memcpy@@GLIBC_2.14', 'memcpy'), ('cpp', 'puts@plt', 'puts'), ('cpp', 'memcpy@@GLIBC_2.14+0x2d', 'memcpy'), ('cpp', 'puts@plt+0x6', 'puts'), ('cpp', '_dl_signal_error@@GLIBC_PRIVATE', '_dl_signal_error'), ('cpp', 'f@@CURL_OPENSSL_4', 'f'), ('cpp', 'f@@krb5_3_MIT', 'f'), ('cpp', 'f.localalias', 'f'), ('cpp', '@plt', '@plt'), ('cpp', 'main::{lambda(int)#2}::operator()', 'main::{lambda(int)#2}::operator()'), ('cpp', 'f+0x1f', 'f'), ('cpp', 'f+0x1f/0x40', 'f'), ('cpp', 'finish_task_switch.isra.0_[k]', 'finish_task_switch_[k]'), ('cpp', 'std::vector<int, std::allocator<int> >::push_back(int const&)', 'std::vector<int, std::allocator<int> >::push_back(int const&)'), ('cpp', 'operator+', 'operator+'), ('cpp', 'particle.partition', 'particle.partition'), ('cpp', 'x.coldstart', 'x.coldstart'), ('cpp', 'a.part/f', 'a.part/f'),
	('addresses', 'f+0x1f', 'f'), ('addresses', 'f+0x1f/0x40', 'f'), ('addresses', '0x7f90b0007a08', '0x'), ('addresses', '[7f90b0007a08]', '[unknown]'), ('addresses', '7f90b0007a08', '[unknown]'), ('addresses', 'deadbeef', 'deadbeef'), ('addresses', 'deadbeef0', '[unknown]'), ('addresses', '[unknown]', '[unknown]'), ('addresses', 'key_0x1f', 'key_0x1f'), ('addresses', '[perf-1234.map]', '[perf.map]'), ('addresses', 'feed', 'feed'), ('addresses', 'main', 'main'),
	('lines', 'sleepy.py:inner:8', 'sleepy.py:inner'), ('lines', 'sleepy.py:<module>:16', 'sleepy.py:<module>'), ('lines', 'render app.js:10:5', 'render app.js'), ('lines', '(anonymous) node:path:1208', '(anonymous) node:path'), ('lines', 'evalTree:9', 'evalTree'), ('lines', 'load (parse.py:12)', 'load (parse.py)'), ('lines', 'at f (a.js:85:29)', 'at f (a.js)'), ('lines', '(:12)', '()'), ('lines', ':12)', ':12)'), ('lines', ':5', ':5'), ('lines', ':5:6', ':5'), ('lines', 'x:5):6', 'x:5)'), ('lines', 'a:1:2:3', 'a:1'), ('lines', 'main', 'main'), ('lines', 'std::sort', 'std::sort'),
	('jit_modes', 'Rec.descend_[i]', 'Rec.descend'), ('jit_modes', 'Rec.descend_[j]', 'Rec.descend'), ('jit_modes', 'Rec.main_[0]', 'Rec.main'), ('jit_modes', 'f_[1]', 'f'), ('jit_modes', 'ksys_read_[k]', 'ksys_read_[k]'), ('jit_modes', 'f_[j]x', 'f_[j]x'), ('jit_modes', '_[j]', '_[j]'), ('jit_modes', 'call_stub_[j]', 'call_stub'),
	('java', 'App$$Lambda$88+0x00007fbcf4007a08.1790421142.run', 'App$$Lambda.run'), ('java', 'App$$Lambda+0x00007f7c8c00a3d8.702061917.run', 'App$$Lambda.run'), ('java', 'App$$Lambda.0x000000003f080210.run', 'App$$Lambda.run'),
	('java', 'LCounter;::countTo', 'Counter.countTo'), ('java', 'Lsun/nio/cs/UTF_8$Encoder;::encodeLoop', 'sun.nio.cs.UTF_8$Encoder.encodeLoop'), ('java', 'Lib/x::f', 'Lib/x::f'),
	('threads', 'm-23024', 'm'), ('threads', 'm-23024/23025', 'm'), ('threads', 'kworker/0:1-mm_-12', 'kworker/0:1-mm_'), ('threads', 'a-1-2', 'a'), ('threads', '-5', '-5'), ('threads', 'x-', 'x-'), ('threads', 'operator-', 'operator-'), ('threads', 'utf-8x', 'utf-8x'), ('threads', 'sha-256', 'sha'), ('threads', '23024/23025', '23024/23025');
SELECT set, count(*) AS names, count(*) FILTER (WHERE name <> wanted) AS changed FROM names GROUP BY set ORDER BY set COLLATE "C";
SELECT n.set, n.name, n.wanted, got AS unexpected FROM names n, LATERAL (SELECT (frames(rename_frames(flamegraph_agg(ARRAY[x.name], 1), frame_rules(max(x.set)))))[1] AS got FROM (SELECT n.name, n.set) x) v WHERE got <> wanted ORDER BY id;
-- two recordings of one program become comparable
SELECT similarity(a, b) AS before, similarity(rename_frames(a, r), rename_frames(b, r)) AS after FROM (VALUES (flamegraph 'java.lang.Thread.run;Rec$$Lambda$82+0x00007f90b0007a08.715521683.run;Rec.main 5', flamegraph 'java.lang.Thread.run;Rec$$Lambda$80+0x00007f8e98007a08.715521699.run;Rec.main 5', frame_rules('java'))) v(a, b, r);
SELECT pg_temp.line(rename_frames(E'a_[j];b_[i] 1\na_[0];b_[j] 2\nread_[k] 4', frame_rules('jit_modes'))) AS merged;
SELECT pg_temp.line(rename_frames('f.isra.0_[j];Rec$$Lambda$8/0x1f.run_[i] 1', frame_rules('java') || frame_rules('cpp') || frame_rules('jit_modes'))) AS several_sets;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT rename_frames('a 1', '(', 'b')$$,
	$$SELECT rename_frames('', '[', 'b')$$,
	$$SELECT rename_frames('a 1', '(.)\1', 'b')$$,
	$$SELECT rename_frames('', '(.)\1', 'b')$$,
	$$SELECT rename_frames('a 1', '{{a,b},{"(.)\\1",x}}')$$,
	$$SELECT rename_frames('a 1', '{{a,b},{*,x}}')$$,
	$$SELECT rename_frames('a;b 1', 'b', '')$$,
	$$SELECT rename_frames('a;b 1', '.*', '')$$,
	$$SELECT rename_frames(('x' || repeat('é', 100) || ' 1')::flamegraph, '.*', '')$$,
	$$SELECT rename_frames('a 1', 'a', E'x\ny')$$,
	$$SELECT rename_frames('a 1', 'a', E'\r')$$,
	$$SELECT rename_frames('a 1', 'a', repeat('x', 1048577))$$);
SELECT t.try(
	$$SELECT rename_frames('a 1', '{{a,NULL}}')$$,
	$$SELECT rename_frames('a 1', '{{NULL,a}}')$$,
	$$SELECT rename_frames('', '{{a,b},{a,NULL}}')$$,
	$$SELECT rename_frames('a 1', '{a,b}')$$,
	$$SELECT rename_frames('a 1', '{a}')$$,
	$$SELECT rename_frames('a 1', '{{a}}')$$,
	$$SELECT rename_frames('a 1', '{{a,b,c}}')$$,
	$$SELECT rename_frames('a 1', '{{{a,b}}}')$$,
	$$SELECT rename_frames('a 1', '{{{a,b},{c,d}}}')$$,
	$$SELECT rename_frames('a 1', '{{a,b},{c}}')$$,
	$$SELECT rename_frames('a 1', 'a')$$,
	$$SELECT rename_frames(E'a 1.7e308\nb 1.7e308', 'a', 'b')$$);
SELECT t.try($$SELECT frame_rules('Java')$$, $$SELECT frame_rules('')$$, $$SELECT frame_rules('go')$$);
