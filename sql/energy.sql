
--
-- energy distance: two groups of profiles, and sequences that change
--

CREATE FUNCTION energy_test(before flamegraph[], after flamegraph[], normalised bool DEFAULT true,
							permutations int4 DEFAULT 999, seed int8 DEFAULT 42,
							OUT statistic float8, OUT p_value float8, OUT exact bool) RETURNS record
	AS 'MODULE_PATHNAME', 'flamegraph_energy_test' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION energy_test(flamegraph[], flamegraph[], bool, int4, int8)
	IS 'do two groups of profiles differ? energy distance of Szekely and Rizzo on L1 distances; p_value by '
		'relabelling: exact up to 20,000 relabellings, else (b + 1) / (permutations + 1); normalised: shape only, each '
		'profile divided by its norm; NULLs when a group is empty';

CREATE FUNCTION change_points(series float8[], min_segment int4 DEFAULT 5, min_effect float8 DEFAULT 0,
							  alpha float8 DEFAULT 0.01, permutations int4 DEFAULT 999, seed int8 DEFAULT 42,
							  OUT change_at int4, OUT mean_before float8, OUT mean_after float8,
							  OUT statistic float8, OUT p_value float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_change_points_series' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 5;
COMMENT ON FUNCTION change_points(float8[], int4, float8, float8, int4, int8)
	IS 'when a series changed, by E-divisive: change_at is the position of the first element after the change, counted '
		'from 1; means up to the next change on either side; changes of the mean below min_effect (a fraction) are '
		'left out; NULL elements are skipped';

CREATE FUNCTION change_points(profiles flamegraph[], min_segment int4 DEFAULT 5, min_effect float8 DEFAULT 0,
							  alpha float8 DEFAULT 0.01, permutations int4 DEFAULT 999, seed int8 DEFAULT 42,
							  OUT change_at int4, OUT distance float8, OUT statistic float8, OUT p_value float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_change_points_profiles' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000000 ROWS 5;
COMMENT ON FUNCTION change_points(flamegraph[], int4, float8, float8, int4, int8)
	IS 'when a sequence of profiles changed, by E-divisive on L1 distances: change_at is the position of the first '
		'profile after the change, counted from 1; distance of the mean profiles up to the next change on either side; '
		'changes with a distance below min_effect times the norm of the mean before are left out';
