
--
-- recordings in pprof's format and in JSON formats
--

CREATE FUNCTION flamegraph_from_pprof(data bytea, sample_type text DEFAULT NULL,
									  frame_style text DEFAULT 'function') RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_pprof(bytea, text, text) IS 'reads a profile in pprof''s format, gzipped or not; sample_type: one of its own, by default its default_sample_type, else the last; frame_style: function, function:line or address';

CREATE FUNCTION flamegraph_from_speedscope(data text, profile int4 DEFAULT NULL) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_speedscope(text, int4) IS 'reads a speedscope file, sampled or evented; profile: its index from 0, by default all profiles of the file added up';

CREATE FUNCTION flamegraph_from_cpuprofile(data text) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_cpuprofile(text) IS 'reads a .cpuprofile of V8 (node --cpu-prof, Chrome); values in microseconds, or samples where the file has no times';

CREATE FUNCTION flamegraph_from_jfr(data text, event text DEFAULT 'jdk.ExecutionSample',
									modes bool DEFAULT false, threads bool DEFAULT false,
									OUT complete flamegraph, OUT truncated flamegraph) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_jfr(text, text, bool, bool) IS 'reads what jfr print --json prints; event: a type such as jdk.ObjectAllocationSample, or cpu, alloc, lock, io, exception, error; values in samples, bytes or nanoseconds; modes: compile modes as suffixes; threads: the thread as first frame; truncated: stacks that JFR cut off';

CREATE FUNCTION flamegraph_to_pprof(fg flamegraph, sample_type text, unit text) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_to_pprof(flamegraph, text, text) IS 'a file in pprof''s format, gzipped; sample_type and unit name the values, such as cpu and nanoseconds, which must be whole numbers';

CREATE FUNCTION flamegraph_to_speedscope(fg flamegraph, name text, unit text) RETURNS jsonb
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_to_speedscope(flamegraph, text, text) IS 'a speedscope file with one sampled profile of this name; unit: none, nanoseconds, microseconds, milliseconds, seconds, bytes; samples and count are none';
