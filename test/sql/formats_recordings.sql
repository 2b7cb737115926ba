-- Recordings of other profilers: read_recording, flamegraph_from_austin, flamegraph_from_perf.
\pset null NULL

-- perf script: two samples of one event with periods, kernel frames and one without a name
\set perf 'web 12 [001] 1.5:    250 cycles:u: \n\tffffffff810a3c1e do_syscall_64+0x71 ([kernel.kallsyms])\n\t    55d0c1a2b3c4 main+0x24 (/bin/web)\n\nweb 13 [001] 1.6:    150 cycles:u: \n\t    55d0c1a2b3c4 [unknown] (/bin/web)\n\n'
SELECT flamegraph_from_perf(:'perf'), flamegraph_from_perf(:'perf', threads => true) AS threads, flamegraph_from_perf(:'perf', 'cycles:u') = flamegraph_from_perf(:'perf') AS named;
SELECT * FROM read_recording(convert_to(:'perf', 'UTF8'));
SELECT complete, truncated FROM read_recording(convert_to(:'perf', 'UTF8'), options => '{"max_depth": 2, "frame_style": "address"}');
SELECT flamegraph_from_perf(NULL) IS NULL AS no_data, flamegraph_from_perf(:'perf', NULL, NULL) = flamegraph_from_perf(:'perf') AS null_options;
-- two events: all of them, one of them, none of them named
\set events 'a 1 1.5: x: \n\tab f (o)\n\na 1 1.6: y: \n\tab g (o)\n\na 1 1.7: y: \n\tab g (o)\n\n'
SELECT event, name, unit, period, complete FROM read_recording(convert_to(:'events', 'UTF8'), 'perf');
SELECT event, complete FROM read_recording(convert_to(:'events', 'UTF8'), 'auto', '{"selection": "y"}');
SELECT flamegraph_from_perf(:'events', 'y');
SELECT flamegraph_from_perf(:'events');
SELECT flamegraph_from_perf(:'events', 'z');

-- austin
\set austin '# austin: 3.5.0\n# interval: 100\n# mode: full\nP1;T0:7;app.py:main:5;app.py:work:21 120,0,4096\nP1;T0:7;app.py:main:6 300,1,-512\nP1;T0:8 50,0,0\n'
SELECT metric, flamegraph_from_austin(:'austin', metric) FROM unnest('{time,cpu,idle,memory}'::text[]) metric;
SELECT flamegraph_from_austin(:'austin', threads => true);
SELECT file_format, event, name, unit, period, total(complete) FROM read_recording(convert_to(:'austin', 'UTF8'));
SELECT flamegraph_from_austin(:'austin', 'space');
SELECT flamegraph_from_austin(E'P1;T1;a:b:1 5\nP1;T1;a:b:1 x');

-- folded and packed, recognised or named
SELECT file_format, event, name, unit, period, complete, truncated FROM read_recording('a;b 1');
SELECT complete = 'a;b 1' AS same FROM read_recording('a;b 1', 'folded');
SELECT file_format, complete = cumulate(fg) AS same
FROM (SELECT flamegraph_agg(format('f%s;g%s', i, i), i) AS fg FROM generate_series(1, 3000) i) p, read_recording(cumulate(fg)::text::bytea);
SELECT complete, truncated FROM read_recording('a;b 1
a 2', options => '{"max_depth": 2}');
SELECT complete FROM read_recording('a;;b 1');
SELECT count(*) FROM read_recording(NULL);

-- gzip, as zlib packs it
\set packed '\\x1f8b08000000000002034bb44e5230e402000f63712b06000000'
SELECT file_format, complete FROM read_recording(:'packed');
SELECT complete FROM read_recording(:'packed', options => '{"max_bytes": 5}');
-- a hundred megabytes in a hundred kilobytes: not unless somebody says so
CREATE TEMP TABLE bomb AS SELECT flamegraph_to_pprof(flamegraph_agg(stackpath(ARRAY[repeat('x', 1000000) || g]), 1), 'samples', 'count') AS data FROM generate_series(1, 100) g;
SELECT length(data) < 200000 AS small FROM bomb;
SELECT regexp_replace(t.outcome(statement), '\d+ bytes', 'N bytes') AS outcome FROM unnest(ARRAY['SELECT flamegraph_from_pprof(data) FROM bomb', 'SELECT complete FROM bomb, read_recording(data)']) statement;
SELECT total(complete) FROM bomb, read_recording(data, options => '{"max_bytes": 1e9}');
DROP TABLE bomb;
SELECT complete FROM read_recording(substr(:'packed'::bytea, 1, 15));
SELECT complete FROM read_recording(set_byte(:'packed', 20, 0));

-- what cannot be read
SELECT * FROM read_recording('');
SELECT * FROM read_recording('hello');
SELECT * FROM read_recording('\x464c520000020001');
SELECT * FROM read_recording('a;b 1', 'pickled');
SELECT * FROM read_recording(E'a;b 1\nc x', 'folded');
SELECT * FROM read_recording('a;b 1', options => '{"depth": 1}');
SELECT * FROM read_recording('a;b 1', options => '{"max_depth": 1.5}');
SELECT * FROM read_recording('a;b 1', options => '{"frame_style": "line"}');
SELECT * FROM read_recording('a;b 1', options => '{"selection": "cpu"}');
SELECT * FROM read_recording('a;b 1', options => '[]');

-- lines and addresses that a format does not have
SELECT * FROM read_recording('a;b 1', options => '{"frame_style": "function:line"}');
SELECT * FROM read_recording('{"nodes": [], "startTime": 0, "endTime": 1, "samples": [], "timeDeltas": []}', 'cpuprofile', '{"frame_style": "function:line"}');
SELECT * FROM read_recording('{"recording": {"events": []}}', 'jfr', '{"frame_style": "address"}');
-- perf prints places when it is asked to; an object without them shows itself
SELECT style, complete FROM unnest('{function,function:line,address}'::text[]) style, read_recording(
	E'a 1 1.5: cycles: \n\tab f+0x1 (o)\n  x.c:12\n\tac g (libc.so.6)\n  libc.so.6[29d90]\n\tad h (o)\n  h+4\n\tae i (o)\n  ??:?\n\n', options => jsonb_build_object('frame_style', style));
SELECT * FROM read_recording(E'a 1 1.5: cycles: \n\tab f+0x1 (o)\n\n', options => '{"frame_style": "function:line"}');
-- a recording of Java of which "jfr print" has left out all frames but five
CREATE FUNCTION pg_temp.jfr(depth int, n int) RETURNS bytea LANGUAGE sql AS $$
	SELECT convert_to(jsonb_build_object('recording', jsonb_build_object('events', jsonb_agg(jsonb_build_object('type', 'jdk.ExecutionSample', 'values', jsonb_build_object('stackTrace', jsonb_build_object('truncated', false, 'frames',
		(SELECT jsonb_agg(jsonb_build_object('method', jsonb_build_object('type', jsonb_build_object('name', 'A'), 'name', 'f' || d))) FROM generate_series(1, depth) d)))))))::text, 'UTF8')
	FROM generate_series(1, n)
$$;
SELECT total(complete), depth(complete) FROM read_recording(pg_temp.jfr(5, 20), 'jfr');
SELECT total(complete), depth(complete) FROM read_recording(pg_temp.jfr(5, 9), 'jfr');
SELECT total(complete), depth(complete) FROM read_recording(pg_temp.jfr(6, 20), 'jfr');
SELECT total(complete), depth(complete) FROM read_recording(pg_temp.jfr(4, 20), 'jfr');
-- each kind of warning is told
SELECT event, complete FROM read_recording('[{"name": "f", "ph": "B", "ts": 0, "pid": 1, "tid": 1},
  {"name": "g", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "sf": "1"}');
SELECT complete FROM read_recording(E'main 1 9007199254740993\nf;g 2 9007199254740995\n');
SELECT flamegraph_from_folded(E'g 3\nmain 9007199254740993\n');
-- whole numbers that are rounded
SELECT complete FROM read_recording('{"shared": {"frames": [{"name": "f"}]},
  "profiles": [{"type": "sampled", "unit": "bytes", "samples": [[0]], "weights": [9007199254740993]}]}');
