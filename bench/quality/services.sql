-- Hours of drawn services (services.py) as the watch of services compares them, with its defaults but for the number of profiles: here a
-- profile is all that a pod has of an hour.
CREATE TABLE drawn (service int, day int, hour int, pod int, counts int[]);
CREATE TABLE function AS SELECT f, format('main;h%s;f%s', f % 8, f)::stackpath AS stack FROM generate_series(1, 40) AS f;
CREATE TABLE begin AS SELECT date_trunc('day', now() - interval '40 days', 'UTC') AS at;

INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('%', NULL, NULL, NULL, NULL);
INSERT INTO profiling.service_watch (service, min_profiles) VALUES ('%', 3);

CREATE PROCEDURE load() LANGUAGE plpgsql AS $$
BEGIN
	PERFORM profiling.ingest_batch(b.services, b.profiles, b.times, b.pods)
	FROM (SELECT array_agg('s' || d.service) AS services, array_agg((SELECT flamegraph_agg(f.stack, u.n)
			FROM unnest(d.counts) WITH ORDINALITY AS u (n, f) JOIN function AS f USING (f))) AS profiles,
			array_agg(begin.at + make_interval(days => d.day, hours => d.hour, secs => d.pod)) AS times, array_agg('pod-' || d.pod) AS pods
		FROM drawn AS d, begin GROUP BY d.service, d.day) AS b;
END
$$;

-- All services of each hour of these days as watch_services() has them in one call: each by itself, and then the selection of the hour.
-- Findings are of this hour alone: they are counted and taken away. alone: as if each service were the only one.
CREATE FUNCTION watched(first_day int, last_day int, alone bool) RETURNS TABLE (hour timestamptz, service text, findings bigint, grown bigint)
	LANGUAGE plpgsql AS $$
DECLARE
	v_hour timestamptz;
	v_services CONSTANT bigint[] := ARRAY(SELECT s.service_id FROM profiling.service AS s ORDER BY 1);
BEGIN
	FOR v_hour IN SELECT generate_series(begin.at + make_interval(days => first_day), begin.at + make_interval(days => last_day, hours => 23), '1 hour') FROM begin LOOP
		PERFORM profiling.watch_hour(u.id, 'cpu', 'samples', v_hour, CASE WHEN alone THEN 1 ELSE cardinality(v_services) END) FROM unnest(v_services) AS u (id);
		PERFORM profiling.select_services(v_hour);
		RETURN QUERY SELECT v_hour, s.name, count(r.*), count(r.*) FILTER (WHERE r.subject = 'f4')
			FROM profiling.service AS s LEFT JOIN profiling.benchmark AS b ON b.name = s.name 
				LEFT JOIN profiling.regression AS r ON r.benchmark_id = b.benchmark_id GROUP BY 2;
		DELETE FROM profiling.regression;
		DELETE FROM profiling.service_hour AS h WHERE h.hour = v_hour;
	END LOOP;
END
$$;
