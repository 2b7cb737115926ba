-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION flamegraph UPDATE TO '0.2.0'" to load this file. \quit

-- Written by tools/upgrade_script.py: by hand is only what comes from sql/upgrade-0.1.0.sql.

CREATE FUNCTION takes_form_of(old regprocedure, new regprocedure) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v pg_proc;
BEGIN
	SELECT * INTO STRICT v FROM pg_proc WHERE oid = new;
	EXECUTE format('DROP FUNCTION %s', new);
	UPDATE pg_proc SET pronargs = v.pronargs, pronargdefaults = v.pronargdefaults, proargtypes = v.proargtypes,
		proallargtypes = v.proallargtypes, proargmodes = v.proargmodes, proargnames = v.proargnames,
		proargdefaults = v.proargdefaults, prorettype = v.prorettype, prosrc = v.prosrc, procost = v.procost,
		prorows = v.prorows, proisstrict = v.proisstrict
	WHERE oid = old;
END
$$;

CREATE FUNCTION new_read_recording(data bytea, format text DEFAULT 'auto', options jsonb DEFAULT '{}',
							   OUT file_format text, OUT event text, OUT name text, OUT unit text, OUT period float8,
							   OUT complete flamegraph, OUT truncated flamegraph,
							   OUT samples flamegraph, OUT noise flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_read_recording' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 3;

SELECT takes_form_of('read_recording(bytea, text, jsonb)', 'new_read_recording(bytea, text, jsonb)');

COMMENT ON FUNCTION read_recording(bytea, text, jsonb)
	IS 'every event of a recording (folded, packed, austin, perf, pprof, speedscope, cpuprofile, jfr; gzip or not): '
		'what the samples count (event), the name in the file, the unit of the values, the value of one sample in it '
		'(NULL: unknown), the profile, and the stacks that were cut off; where samples weigh differently also how many '
		'each stack of the profile has, and the sum of their squared weights, else NULL: with a period, complete / period '
		'and recording_noise(complete, period)';

CREATE OR REPLACE FUNCTION recording_noise(fg flamegraph, period float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_recording_noise' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION recording_noise(flamegraph, float8)
	IS 'the variance that each stack has because it was sampled, period * fg, in squares of the unit: a value of n '
		'samples that weigh period each is period * n, and n is about Poisson; period: what one sample stands for';

DROP FUNCTION takes_form_of(regprocedure, regprocedure);
