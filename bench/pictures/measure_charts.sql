-- Recordings as rows in time, and their picture; pages of a store. Variables: runs, slow_runs, recording, samples, benchmarks, nights.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql

-- --- flame charts ---------------------------------------------------------------------------------------------------

CREATE UNLOGGED TABLE bench.upload (bytes bytea);
ALTER TABLE bench.upload ALTER bytes SET STORAGE EXTERNAL;
INSERT INTO bench.upload VALUES (pg_read_binary_file(:'recording'));
SELECT bench.measure('picture_recording', 'ours', :samples, octet_length(bytes), :slow_runs,
		'SELECT count(stack) FROM bench.upload, recording_samples(bytes)'),
	bench.measure('picture_recording', 'read_recording', :samples, octet_length(bytes), :slow_runs,
		'SELECT count(complete) FROM bench.upload, read_recording(bytes)')
FROM bench.upload;
CREATE UNLOGGED TABLE bench.chart AS
SELECT thread, start_at, stop_at, stack FROM bench.upload, recording_samples(bytes);
VACUUM ANALYZE bench.chart;
SELECT bench.measure('picture_chart', 'ours', count(*), 1, :runs,
	'SELECT octet_length(flame_chart_svg(stack, start_at, stop_at, thread)) FROM bench.chart')
FROM bench.chart;

-- --- pages of a store -----------------------------------------------------------------------------------------------

-- In the last night every tenth benchmark spends a twelfth more, in functions that were not there before.
CREATE EXTENSION flamegraph_store;
CREATE PROCEDURE bench.import_night(night int) LANGUAGE sql AS $$
	SELECT count(profiling.import_flamegraph('benchmark ' || n.benchmark, suite => 'suite', commit => 'commit ' || night,
		started_at => timestamptz '2026-01-01 02:00 UTC' + night * interval '1 day', unit => 'samples',
		metric => total(f.fg) / 1e6, metric_unit => 's',
		fg => CASE WHEN n.benchmark % 10 > 0 OR night < (SELECT max(night) FROM bench.night) THEN f.fg
			ELSE f.fg + flamegraph(format('worker::retry;worker::backoff %s', ceil(total(f.fg) / 12))) END))
	FROM bench.night AS n, flamegraph_from_folded(n.data) AS f (fg) WHERE n.night = import_night.night
$$;
DO $$
DECLARE
	v_nights int := (SELECT max(night) FROM bench.night);
BEGIN
	FOR i IN 1 .. v_nights LOOP
		CALL bench.import_night(i);
		CALL profiling.watch_run();
	END LOOP;
END
$$;
SELECT count(*) > 0 AS findings FROM profiling.regression \gset
\if :findings
\else
	\warn no findings in the store: the pages would be too short
	SELECT 1 / 0;
\endif
SELECT bench.measure('picture_night', 'ours', :benchmarks, 1, :runs, 'SELECT octet_length(profiling.night_html())'),
	bench.measure('picture_report', 'ours', :benchmarks, 1, :runs, format(
		'SELECT octet_length(profiling.report_html(%s))',
		(SELECT benchmark_id FROM profiling.benchmark WHERE name = 'benchmark 10'))),
	bench.measure('picture_benchmark', 'ours', :benchmarks, 1, :runs, format(
		'SELECT octet_length(profiling.benchmark_html(%s))',
		(SELECT benchmark_id FROM profiling.benchmark WHERE name = 'benchmark 10')));
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'picture_night_bytes', 'ours', :benchmarks, octet_length(profiling.night_html()), 0;
