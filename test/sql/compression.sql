-- A value is the same, stored compressed or as it is sent. profiles() returns profiles that are not compressed.
CREATE TABLE forms AS
SELECT id, flamegraph_agg(ARRAY['main', 'module ' || i / 40, 'function number ' || i, 'line ' || i % 7], i % 5 + id) AS fg
FROM generate_series(1, 400) AS i, generate_series(1, 4) AS id GROUP BY id;
ALTER TABLE forms ADD plain flamegraph;
UPDATE forms AS f SET plain = p.profile FROM (SELECT s.id, q.profile FROM (SELECT id, flameseries_agg(now(), fg) AS fs FROM forms GROUP BY id) AS s, LATERAL profiles(s.fs) AS q) AS p WHERE p.id = f.id;
SELECT id, pg_column_size(fg) < 5000 AS compressed, pg_column_size(plain) > 2 * pg_column_size(fg) OR pg_column_compression(plain) IS NOT NULL AS plain FROM forms ORDER BY id;

-- equality, order, hashes, what is sent and printed
SELECT count(*) AS rows, bool_and(fg = plain) AS equal, bool_and(NOT fg <> plain AND fg <= plain AND NOT fg < plain) AS ordered,
	bool_and(flamegraph_hash(fg) = flamegraph_hash(plain) AND flamegraph_hash_extended(fg, 7) = flamegraph_hash_extended(plain, 7)) AS hashes,
	bool_and(flamegraph_send(fg) = flamegraph_send(plain) AND get_byte(flamegraph_send(fg), 0) = 1) AS sent, bool_and(fg::text = plain::text) AS printed FROM forms;
SELECT count(DISTINCT v) AS different, count(*) AS rows FROM (SELECT fg AS v FROM forms UNION ALL SELECT plain FROM forms) AS x;
SELECT a.id, b.id FROM forms AS a JOIN forms AS b ON a.fg = b.plain ORDER BY 1, 2;
CREATE UNIQUE INDEX ON forms (fg);
\set VERBOSITY terse
INSERT INTO forms (id, fg) SELECT 9, plain FROM forms WHERE id = 1;
\set VERBOSITY default

-- facts of the header, parts, and the whole
SELECT bool_and((total(fg), nstacks(fg), nnodes(fg), nframes(fg), depth(fg), norm(fg), norm(fg, 2)) = (total(plain), nstacks(plain), nnodes(plain), nframes(plain), depth(plain), norm(plain), norm(plain, 2))) AS facts,
	bool_and(frames(fg) = frames(plain)) AS frames, bool_and(fg ? 'function number 7' AND plain ? 'function number 7' AND NOT fg ? 'function number 401') AS has_frame,
	bool_and(fg @> 'main;module 0'::stackpath AND plain @> 'main;module 0'::stackpath) AS has_path, bool_and(fg - plain = '') AS difference,
	bool_and(distance(fg, plain) = 0) AS distance FROM forms;

-- aggregates
SELECT sum(fg) = sum(plain) AS sum, avg(fg) = avg(plain) AS avg, min(fg) = min(plain) AS min, max(fg) = max(plain) AS max, support_count(fg) = support_count(plain) AS support,
	variance(fg) = variance(plain) AS variance, percentile(fg, 0.5) = percentile(plain, 0.5) AS percentile,
	stats(fg) = stats(plain) AS stats FROM forms;

-- series and statistics, which are compressed as well
CREATE TABLE grown AS SELECT flameseries_agg('2026-01-01'::timestamptz + id * interval '1 minute', fg, 'pod ' || id % 2) AS fs,
	flameseries_agg('2026-01-01'::timestamptz + id * interval '1 minute', plain, 'pod ' || id % 2) AS plain, stats(fg) AS stats FROM forms;
SELECT fs = plain AS equal, flameseries_hash(fs) = flameseries_hash(plain) AS hash, get_byte(flameseries_send(fs), 0) AS sent, octet_length(flameseries_send(fs)) > 2 * pg_column_size(fs) AS compressed,
	octet_length(flamestats_send(stats)) > pg_column_size(stats) AS stats_compressed, fs::text::flameseries = fs AS text, stats::text::flamestats = stats AS stats_text FROM grown;
SELECT profile_count(fs), since(fs) = '2026-01-01'::timestamptz + interval '1 minute' AS since, instances(fs), fs ? 'function number 7' AS has_frame, fs @> 'main;module 0'::stackpath AS has_path,
	sum(fs, NULL, NULL, NULL) = (SELECT sum(fg) FROM forms) AS whole, sum(fs, since(fs) + interval '30 s', NULL, NULL) = (SELECT sum(fg) FROM forms WHERE id > 1) AS part,
	(SELECT bool_and(p.profile = f.fg) FROM profiles(fs) AS p JOIN forms AS f ON p.at = '2026-01-01'::timestamptz + f.id * interval '1 minute') AS profiles,
	slice(fs, NULL, NULL, ARRAY['pod 1']) = (SELECT flameseries_agg('2026-01-01'::timestamptz + id * interval '1 minute', fg, 'pod 1') FROM forms WHERE id % 2 = 1) AS slice FROM grown;
SELECT flameseries_agg(fs) = (SELECT flameseries_agg(at, profile, instance) FROM (SELECT p.* FROM grown, profiles(fs) AS p UNION ALL SELECT p.* FROM grown, profiles(fs) AS p) AS x) AS merged
FROM (SELECT fs FROM grown UNION ALL SELECT plain FROM grown) AS x;
SELECT profile_count(stats) FROM grown;

-- the compressed form is what is stored, and nothing else: bytes from outside are those of version 1
SELECT ('flamegraph:1:' || translate(encode(set_byte(flamegraph_send(fg), 0, 2), 'base64'), E'\n', ''))::flamegraph FROM forms WHERE id = 1;
DROP TABLE forms, grown;
