-- Profiles of services: variables minutes, services, base (a moment, where they end). Service sK sends a profile every K minutes from
-- each of 20 pods, which makes the services' sizes Zipf's; every two days it is deployed in a new version. Table batch has all of them in
-- arrays by two minutes (fill.sql); row_of the last day of the first service as rows of numbered stacks (rows.sql).
SET timezone = 'UTC';
SELECT setseed(0.5);

-- 4,000 stacks of each service, few of which are hot: of 7, 12 and 18 frames, with names as long as Go's, Java's and those of C++ are
CREATE FUNCTION frame_name(service int, level int, i int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE service % 3
		WHEN 1 THEN (ARRAY['runtime.goexit', 'net/http.(*conn).serve', 'github.com/example/shop' || service || '/internal/handlers.(*Server).Handle' || i % 7,
			'github.com/example/shop' || service || '/pkg/module' || i % 41 || '.(*Thing).DoSomething' || i % 41,
			'github.com/example/lib/codec.(*Decoder).decode' || i % 331, 'encoding/json.(*decodeState).object' || i % 1000, 'runtime.mallocgc' || i % 3])[level]
		WHEN 2 THEN 'com/example/shop' || service || '/service/impl/AbstractOrderProcessing' || i % (2 + level * level * 8) || 'ServiceImpl.processRequest' || level
		ELSE 'example::shop' || service || '::detail::Pipeline<std::vector<example::Message>, example::Policy' || i % (2 + level * level * 4) || '>::Run' || level
	END
$$;
CREATE UNLOGGED TABLE pool AS
SELECT s.service, i, stackpath(ARRAY(SELECT frame_name(s.service, l, i) FROM generate_series(1, (ARRAY[18, 7, 12])[1 + s.service % 3]) AS l ORDER BY l)) AS stack
FROM generate_series(1, :services) AS s (service), generate_series(0, 3999) AS i;
CREATE UNIQUE INDEX ON pool (service, i);

-- A profile is two of 300 pieces of its service by night, and three by day.
CREATE UNLOGGED TABLE piece AS
SELECT d.service, d.n, flamegraph_agg(p.stack, 1) AS fg
FROM (SELECT s AS service, n, floor(4000 * power(random(), 4))::int AS i
		FROM generate_series(1, :services) AS s, generate_series(0, 299) AS n, generate_series(1, 45) AS draw) AS d
	JOIN pool AS p ON p.service = d.service AND p.i = d.i
GROUP BY d.service, d.n;
CREATE UNIQUE INDEX ON piece (service, n);
CREATE FUNCTION piece(service int, minute int, pod int, draw int) RETURNS flamegraph LANGUAGE sql STABLE AS $$
	SELECT fg FROM piece AS p WHERE p.service = $1 AND p.n = (hashint8extended(minute::bigint * 1000 + pod, draw) & 4095) % 300
$$;

CREATE UNLOGGED TABLE batch (n int, services text[], profiles flamegraph[], times timestamptz[], pods text[], labels jsonb[]);
ALTER TABLE batch ALTER profiles SET COMPRESSION lz4;
