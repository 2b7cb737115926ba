
--
-- recordings of other profilers
--

CREATE FUNCTION read_recording(data bytea, format text DEFAULT 'auto', options jsonb DEFAULT '{}',
							   OUT file_format text, OUT event text, OUT name text, OUT unit text, OUT period float8,
							   OUT complete flamegraph, OUT truncated flamegraph,
							   OUT samples flamegraph, OUT noise flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_read_recording' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 3;
COMMENT ON FUNCTION read_recording(bytea, text, jsonb)
	IS 'every event of a recording (recording_formats() lists the formats; gzip or not): what the samples count '
		'(event), the name in the file, the unit of the values, the value of one sample in it (NULL: unknown), the '
		'profile, and the stacks that were cut off; where samples weigh differently also how many each stack of the '
		'profile has, and the sum of their squared weights, else NULL: with a period, complete / period and '
		'recording_noise(complete, period)';

CREATE FUNCTION recording_samples(data bytea, format text DEFAULT 'auto', options jsonb DEFAULT '{}',
								  OUT file_format text, OUT event text, OUT unit text, OUT thread text,
								  OUT start_at float8, OUT stop_at float8, OUT stack stackpath, OUT value float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_recording_samples' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 100000 ROWS 10000;
COMMENT ON FUNCTION recording_samples(bytea, text, jsonb)
	IS 'the samples of a recording (of the formats with times in recording_formats(); gzip or not) one '
		'by one in order of time: what they count (event) in which unit, the thread (NULL: the file names none), start '
		'and stop in seconds since the first of them, the stack, and what read_recording adds up for it; events '
		'go by the names under which a store keeps them (stored_names); options are those of read_recording, and '
		'interval: seconds. Where a file does not say how long a sample lasts (perf, samples of JFR), it lasts '
		'until the next one of its thread and event, but at most two periods, and the last one a period: '
		'interval, else the period of a clock, else the median of the first 4,096 gaps above 0 between samples of '
		'a thread';

CREATE FUNCTION recording_formats(OUT format text, OUT title text, OUT recognised bool, OUT times bool, OUT lines bool,
								  OUT addresses bool) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_recording_formats' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION recording_formats()
	IS 'the formats that read_recording reads, by the word of its argument format, in the order in which they are '
		'tried: what is read; whether it is recognised by its content or has to be named; whether its samples have '
		'times (for recording_samples), its frames lines and addresses (for the option frame_style)';

CREATE FUNCTION recording_noise(fg flamegraph, period float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_recording_noise' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION recording_noise(flamegraph, float8)
	IS 'the variance that each stack has because it was sampled, period * fg, in squares of the unit: a value of n '
		'samples that weigh period each is period * n, and n is about Poisson; period: what one sample stands for';

CREATE FUNCTION flamegraph_from_austin(data text, metric text DEFAULT 'time', threads bool DEFAULT false)
	RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_from_austin' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flamegraph_from_austin(text, text, bool)
	IS 'the text of austin, a profiler for Python; metric time (microseconds), memory (bytes), in mode full also cpu '
		'and idle; threads => true: process and thread are the first frame';

CREATE FUNCTION flamegraph_from_perf(data text, event text DEFAULT NULL, threads bool DEFAULT false) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_from_perf' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flamegraph_from_perf(text, text, bool)
	IS 'the text of perf script, one event of it; values are periods where they are printed, else samples; the command '
		'is the first frame, threads => true: command-process/thread';

--
-- recordings in pprof's format and in JSON formats
--

CREATE FUNCTION flamegraph_from_pprof(data bytea, sample_type text DEFAULT NULL,
									  frame_style text DEFAULT 'function') RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_pprof(bytea, text, text)
	IS 'reads a profile in pprof''s format, gzipped or not; sample_type: one of its own, by default its '
		'default_sample_type, else the last; frame_style: function, function:line or address';

CREATE FUNCTION flamegraph_from_speedscope(data text, profile int4 DEFAULT NULL) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_speedscope(text, int4)
	IS 'reads a speedscope file, sampled or evented; profile: its index from 0, by default all profiles of the file '
		'added up';

CREATE FUNCTION flamegraph_from_cpuprofile(data text) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_cpuprofile(text)
	IS 'reads a .cpuprofile of V8 (node --cpu-prof, Chrome); values in microseconds, or samples where the file has no '
		'times';

CREATE FUNCTION flamegraph_from_jfr(data text, event text DEFAULT 'jdk.ExecutionSample',
									modes bool DEFAULT false, threads bool DEFAULT false,
									OUT complete flamegraph, OUT truncated flamegraph) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_jfr(text, text, bool, bool)
	IS 'reads what jfr print --json prints; event: a type such as jdk.ObjectAllocationSample, or cpu, alloc, lock, io, '
		'exception, error; values in samples, bytes or nanoseconds; modes: compile modes as suffixes; threads: the '
		'thread as first frame; truncated: stacks that JFR cut off';

CREATE FUNCTION flamegraph_from_jfr(data bytea, event text DEFAULT 'jdk.ExecutionSample',
									modes bool DEFAULT false, threads bool DEFAULT false,
									OUT complete flamegraph, OUT truncated flamegraph) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_jfr(bytea, text, bool, bool)
	IS 'reads a file of Java Flight Recorder, or the bytes of its JSON, gzipped or not; the rest is as for JSON';

CREATE FUNCTION flamegraph_to_pprof(fg flamegraph, sample_type text, unit text) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_to_pprof(flamegraph, text, text)
	IS 'a file in pprof''s format, gzipped; sample_type and unit name the values, such as cpu and nanoseconds, which '
		'must be whole numbers';

CREATE FUNCTION flamegraph_to_speedscope(fg flamegraph, name text, unit text) RETURNS jsonb
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_to_speedscope(flamegraph, text, text)
	IS 'a speedscope file with one sampled profile of this name; unit: none, nanoseconds, microseconds, milliseconds, '
		'seconds, bytes; samples and count are none';

CREATE FUNCTION flamegraph_to_firefox(fg flamegraph, name text, unit text) RETURNS jsonb
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_to_firefox(flamegraph, text, text)
	IS 'a file for the Firefox Profiler (profiler.firefox.com) with one thread of this name; unit: samples, count, '
		'none, nanoseconds, microseconds, milliseconds, seconds, bytes; times are written in milliseconds';
