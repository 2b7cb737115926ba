
--
-- recordings of other profilers
--

CREATE FUNCTION read_recording(data bytea, format text DEFAULT 'auto', options jsonb DEFAULT '{}',
							   OUT file_format text, OUT event text, OUT name text, OUT unit text, OUT period float8,
							   OUT complete flamegraph, OUT truncated flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_read_recording' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 3;
COMMENT ON FUNCTION read_recording(bytea, text, jsonb) IS 'every event of a recording (folded, packed, austin, perf, pprof, speedscope, cpuprofile, jfr; gzip or not): what the samples count (event), the name in the file, the unit of the values, the value of one sample in it (NULL: unknown), the profile, and the stacks that were cut off';

CREATE FUNCTION flamegraph_from_austin(data text, metric text DEFAULT 'time', threads bool DEFAULT false) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_from_austin' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flamegraph_from_austin(text, text, bool) IS 'the text of austin, a profiler for Python; metric time (microseconds), memory (bytes), in mode full also cpu and idle; threads => true: process and thread are the first frame';

CREATE FUNCTION flamegraph_from_perf(data text, event text DEFAULT NULL, threads bool DEFAULT false) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_from_perf' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flamegraph_from_perf(text, text, bool) IS 'the text of perf script, one event of it; values are periods where they are printed, else samples; the command is the first frame, threads => true: command-process/thread';
