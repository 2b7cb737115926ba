
--
-- more algebra: the parts of a change, and linear maps of profiles
--

CREATE FUNCTION appeared(before flamegraph, after flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_appeared' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION appeared(flamegraph, flamegraph)
	IS 'stacks that are new after, as positive values; after - before = appeared + grown - disappeared - shrunk '
		'(Tornetta 2023)';

CREATE FUNCTION grown(before flamegraph, after flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_grown' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION grown(flamegraph, flamegraph)
	IS 'what stacks gained that were there before, as positive values; after - before = appeared + grown - disappeared '
		'- shrunk (Tornetta 2023)';

CREATE FUNCTION disappeared(before flamegraph, after flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_disappeared' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION disappeared(flamegraph, flamegraph)
	IS 'stacks that are gone after, as positive values; after - before = appeared + grown - disappeared - shrunk '
		'(Tornetta 2023)';

CREATE FUNCTION shrunk(before flamegraph, after flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_shrunk' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION shrunk(flamegraph, flamegraph)
	IS 'what stacks lost that are still there, as positive values; after - before = appeared + grown - disappeared '
		'- shrunk (Tornetta 2023)';

CREATE FUNCTION filter_stacks(fg flamegraph, query stackquery) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_filter_stacks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION filter_stacks(flamegraph, stackquery) IS 'the stacks that match the pattern';

CREATE FUNCTION exclude_stacks(fg flamegraph, query stackquery) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_exclude_stacks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION exclude_stacks(flamegraph, stackquery) IS 'the stacks that do not match the pattern';

CREATE FUNCTION drop_frames(fg flamegraph, query stackquery) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_drop_frames' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION drop_frames(flamegraph, stackquery)
	IS 'the frames that match the one-level pattern are cut out of their stacks; the total is kept';

CREATE FUNCTION restrict(fg flamegraph, paths stackpath[]) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_restrict' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION restrict(flamegraph, stackpath[]) IS 'the values of these stacks; a NULL array is an empty one';

CREATE FUNCTION prune(fg flamegraph, min_share float8, other text DEFAULT '(other)') RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_prune' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION prune(flamegraph, float8, text)
	IS 'keeps the nodes with at least this share of the norm at and below them; the rest goes to a child "other" of '
		'its deepest kept ancestor, or away when other is NULL';

CREATE FUNCTION focus(fg flamegraph, frame text) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_focus' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION focus(flamegraph, text) IS 'the stacks through the frame, cut to start at its outermost occurrence';

CREATE FUNCTION callers_of(fg flamegraph, frame text) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_callers_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION callers_of(flamegraph, text)
	IS 'the stacks through the frame, cut to end at its outermost occurrence';

CREATE FUNCTION invert(fg flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_invert' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION invert(flamegraph) IS 'every stack reversed, leaf first';

CREATE FUNCTION cut_depth(fg flamegraph, max_depth int4) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_cut_depth' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION cut_depth(flamegraph, int4) IS 'the first max_depth frames of every stack';

CREATE FUNCTION k_context(fg flamegraph, k int4) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_k_context' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION k_context(flamegraph, int4)
	IS 'the last k + 1 frames of every stack; k = 0 is the self profile by frame';

CREATE FUNCTION strip_outer(fg flamegraph, n int4) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_strip_outer' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION strip_outer(flamegraph, int4) IS 'every stack without its first n frames';

CREATE FUNCTION collapse_recursion(fg flamegraph, method text DEFAULT 'direct') RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_collapse_recursion' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION collapse_recursion(flamegraph, text)
	IS 'direct: equal neighbours become one frame; cycles: a repeated frame cuts the stack back to its first '
		'occurrence';

CREATE FUNCTION cumulate(fg flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_cumulate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION cumulate(flamegraph) IS 'the inclusive value of every calling context, as a vector';

CREATE FUNCTION frame_totals(fg flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_frame_totals' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION frame_totals(flamegraph)
	IS 'the recursion-free inclusive value of every frame, as one-frame stacks';

CREATE FUNCTION rescale(fg flamegraph, target float8 DEFAULT 1) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_rescale' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION rescale(flamegraph, float8)
	IS 'the profile times what makes its total the target; NULL for total 0';

CREATE FUNCTION rename_frames(fg flamegraph, pattern text, replacement text) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_rename_frames' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION rename_frames(flamegraph, text, text)
	IS 'every occurrence of the regular expression in a frame is replaced, as regexp_replace(..., g) does; stacks that '
		'become equal are added';

CREATE FUNCTION rename_frames(fg flamegraph, rules text[]) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_rename_frames_rules' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION rename_frames(flamegraph, text[])
	IS 'the same for rules {{pattern, replacement}, ...}, applied in order';

CREATE FUNCTION frame_rules(name text) RETURNS text[]
	AS 'MODULE_PATHNAME', 'flamegraph_frame_rules' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frame_rules(text)
	IS 'a rule set for rename_frames: java, python, node, cpp, rust, dotnet, addresses, lines, jit_modes, threads';

CREATE FUNCTION decompose(before flamegraph, after flamegraph,
						  OUT part text, OUT value flamegraph, OUT norm float8, OUT share float8) RETURNS SETOF record
	LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE COST 50000 ROWS 4
BEGIN ATOMIC
	SELECT p.part, p.value, (@-@ p.value), (@-@ p.value) / nullif((@-@ p.whole), 0::float8)
	FROM (VALUES
		  ('appeared', appeared(before, after), after),
		  ('grown', grown(before, after), after),
		  ('disappeared', disappeared(before, after), before),
		  ('shrunk', shrunk(before, after), before)) AS p (part, value, whole);
END;
COMMENT ON FUNCTION decompose(flamegraph, flamegraph)
	IS 'the four parts of a change with their norms; share of |after| for appeared and grown, of |before| for '
		'disappeared and shrunk';

CREATE FUNCTION split_stacks(fg flamegraph, by stackquery,
							 OUT stack stackpath, OUT value flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_split_stacks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 20;
COMMENT ON FUNCTION split_stacks(flamegraph, stackquery)
	IS 'a profile for each outermost calling context that matches, with the stacks at and below it, and one with stack '
		'NULL for all others; they add up to fg';

CREATE FUNCTION split_by_root(fg flamegraph, OUT frame text, OUT value flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_split_by_root' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 20;
COMMENT ON FUNCTION split_by_root(flamegraph)
	IS 'a profile for each first frame, such as a thread, and one with frame NULL for the empty stack; they add up to '
		'fg';
