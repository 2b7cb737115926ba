
--
-- analysis of the calling context tree
--

CREATE FUNCTION code_path_potential(fg flamegraph,
									OUT frame text, OUT potential float8, OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_code_path_potential' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION code_path_potential(flamegraph) IS 'what is spent in each frame itself, over all stacks that end in it, and its share of the total; every frame is listed (Lundberg & Rettig 2024, chapter 5)';

CREATE FUNCTION subtree_potential(fg flamegraph, degree int4,
								  OUT frame text, OUT potential float8, OUT share float8,
								  OUT naive float8, OUT correction float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_subtree_potential' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION subtree_potential(flamegraph, int4) IS 'what is spent in each frame and up to "degree" calls below it, corrected for recursion: each stack counts once; naive counts it for each occurrence, correction = naive - potential (Lundberg & Rettig 2024, chapter 5)';
