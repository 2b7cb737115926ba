
--
-- analysis of the calling context tree
--

CREATE FUNCTION code_path_potential(fg flamegraph,
									OUT frame text, OUT potential float8, OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_code_path_potential' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION code_path_potential(flamegraph)
	IS 'what is spent in each frame itself, over all stacks that end in it, and its share of the total; every frame is '
		'listed (Lundberg & Rettig 2024, chapter 5)';

CREATE FUNCTION subtree_potential(fg flamegraph, degree int4,
								  OUT frame text, OUT potential float8, OUT share float8,
								  OUT naive float8, OUT correction float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_subtree_potential' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION subtree_potential(flamegraph, int4)
	IS 'what is spent in each frame and up to "degree" calls below it, corrected for recursion: each stack counts '
		'once; naive counts it for each occurrence, correction = naive - potential (Lundberg & Rettig 2024, chapter 5)';

CREATE FUNCTION node_potential(fg flamegraph, degree int4,
							   OUT stack stackpath, OUT frame text, OUT potential float8,
							   OUT correction float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_node_potential' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 50000;
COMMENT ON FUNCTION node_potential(flamegraph, int4)
	IS 'p_n and c_n of each calling context: what is spent in it and up to "degree" calls below it, and how much of '
		'that recursive calls of its frame count again; summed by frame, potential - correction is subtree_potential '
		'(Lundberg & Rettig 2024, chapter 5)';

-- recursion

CREATE FUNCTION recursion_edges(fg flamegraph,
								OUT ancestor_node int4, OUT descendant_node int4,
								OUT ancestor stackpath, OUT descendant stackpath,
								OUT distance int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_recursion_edges' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 5000;
COMMENT ON FUNCTION recursion_edges(flamegraph)
	IS 'for each calling context with the same frame further up, the nearest such one; distance in calls; nodes '
		'numbered as by nodes(), in the order of the descendants (Lundberg & Rettig 2024, section 4.1.1)';

CREATE FUNCTION recursion_pairs(fg flamegraph,
								OUT ancestor_node int4, OUT descendant_node int4,
								OUT distance int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_recursion_pairs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 5000;
COMMENT ON FUNCTION recursion_pairs(flamegraph)
	IS 'recursion_edges() without the stacks: narrow rows for large profiles';

CREATE FUNCTION recursion_edge_count(fg flamegraph) RETURNS int8
	AS 'MODULE_PATHNAME', 'flamegraph_recursion_edge_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000;
COMMENT ON FUNCTION recursion_edge_count(flamegraph) IS 'number of calling contexts with the same frame further up';

-- functions

CREATE FUNCTION frame_metrics(fg flamegraph,
							  OUT frame text, OUT total float8, OUT self float8,
							  OUT total_share float8, OUT self_fraction float8,
							  OUT nodes int4, OUT recursion_free int4,
							  OUT callers int4, OUT callees int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_frame_metrics' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION frame_metrics(flamegraph)
	IS 'each frame with the sum of the stacks that have it (each once) and of those that end in it, total_share of the '
		'whole, self_fraction = self / total, its calling contexts, those of them outside any recursion, and its '
		'numbers of distinct callers and callees; the largest total first (Lumnitz 2021, section 3.3.2)';

CREATE FUNCTION frame_metrics(fg flamegraph, within stackquery,
							  OUT frame text, OUT total float8, OUT self float8,
							  OUT total_share float8, OUT self_fraction float8,
							  OUT nodes int4, OUT recursion_free int4,
							  OUT callers int4, OUT callees int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_frame_metrics_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION frame_metrics(flamegraph, stackquery)
	IS 'the same of the stacks that match, of which total_share is a share';

CREATE FUNCTION top(fg flamegraph, max_rows int4 DEFAULT 20,
					OUT frame text, OUT self float8, OUT self_share float8,
					OUT total float8, OUT total_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_top' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 20;
COMMENT ON FUNCTION top(flamegraph, int4)
	IS 'the frames in which most is spent, by their own value, with their recursion-free inclusive value; shares of '
		'the whole; max_rows NULL: all';

CREATE FUNCTION callers(fg flamegraph, frame text,
						OUT caller text, OUT samples float8, OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_callers' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 10;
COMMENT ON FUNCTION callers(flamegraph, text)
	IS 'who calls this frame: samples of the stacks with that call (each once) and their share of the frame''s own; '
		'caller NULL: the frame is the first of its stack (Lumnitz 2021, equation 3.15, corrected)';

CREATE FUNCTION callees(fg flamegraph, frame text,
						OUT callee text, OUT samples float8, OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_callees' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 10;
COMMENT ON FUNCTION callees(flamegraph, text)
	IS 'whom this frame calls: samples of the stacks with that call (each once) and their share of the frame''s own '
		'(Lumnitz 2021, equation 3.12, corrected)';

CREATE FUNCTION call_edges(fg flamegraph,
						   OUT caller text, OUT callee text, OUT samples float8,
						   OUT caller_share float8, OUT callee_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_call_edges' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 5000;
COMMENT ON FUNCTION call_edges(flamegraph)
	IS 'the call graph: samples of the stacks with each call (each once), their share of the caller''s samples and of '
		'the callee''s; caller NULL: the callee is the first of its stack';

CREATE FUNCTION frame_line(frame text) RETURNS int4
	AS 'MODULE_PATHNAME', 'flamegraph_frame_line' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frame_line(text)
	IS 'the line number of a frame that ends in :LINE or :LINE:COLUMN, before a closing parenthesis too; NULL without '
		'one';

CREATE FUNCTION call_sites(fg flamegraph, frame text,
						   OUT line int4, OUT callee text, OUT samples float8,
						   OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_call_sites' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 20;
COMMENT ON FUNCTION call_sites(flamegraph, text)
	IS 'what a function calls from which of its lines, for frames that end in line numbers: the function and its '
		'callees are named without them; samples of the stacks with that call (each once) and their share of the '
		'function''s own; line NULL: the frame has none';

CREATE FUNCTION thread_metrics(fg flamegraph, by stackquery DEFAULT NULL,
							   OUT thread text, OUT frame text, OUT samples float8,
							   OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_thread_metrics' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION thread_metrics(flamegraph, stackquery)
	IS 'how much of each frame is spent in which thread: the first frame of a stack, or the last frame of its '
		'outermost part that matches "by"; frames below the thread''s; share of the frame''s samples in all threads; '
		'thread NULL: stacks without a match (Lumnitz 2021, equation 3.22)';

-- tasks

CREATE FUNCTION task_view(fg flamegraph, tasks jsonb, selected text[] DEFAULT NULL) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_task_view' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION task_view(flamegraph, jsonb, text[])
	IS 'the stacks from their first frame on that carries a selected task (NULL: any), for metrics within tasks; '
		'tasks: {"name": {"prefix": "text"}, "name with \1": {"regex": "expression with (group)"}} '
		'(Lumnitz 2021, section 3.3.3)';

CREATE FUNCTION task_totals(fg flamegraph, tasks jsonb,
							OUT task text, OUT samples float8, OUT share float8,
							OUT value flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_task_totals' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 10;
COMMENT ON FUNCTION task_totals(flamegraph, jsonb)
	IS 'each task that some frame carries, with its samples (nested ones count once), their share of the whole, and '
		'its view';

-- contexts

CREATE FUNCTION merge_partial(fg flamegraph, partial flamegraph, match_threshold int4 DEFAULT 1,
							  OUT merged flamegraph, OUT ambiguous flamegraph,
							  OUT unmatched flamegraph) RETURNS record
	AS 'MODULE_PATHNAME', 'flamegraph_merge_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 50000;
COMMENT ON FUNCTION merge_partial(flamegraph, flamegraph, int4)
	IS 'puts stacks whose outermost frames were cut off where exactly one calling context ends with their first '
		'frames, more than match_threshold of them; what fits several or too few frames is ambiguous, what fits none '
		'is unmatched (Lumnitz 2021, section 3.2.3)';

CREATE FUNCTION hot_contexts(fg flamegraph, phi float8,
							 OUT stack stackpath, OUT self float8, OUT total float8,
							 OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_hot_contexts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 100;
COMMENT ON FUNCTION hot_contexts(flamegraph, float8)
	IS 'the stacks whose own value is more than phi times the total; share of the total (Lumnitz 2021, section 6.2)';

CREATE FUNCTION hot_tree(fg flamegraph, phi float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_hot_tree' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION hot_tree(flamegraph, float8)
	IS 'the profile of the hot stacks alone: those whose own value is more than phi times the total';

CREATE FUNCTION k_contexts(fg flamegraph, k int4, OUT context stackpath, OUT value float8) RETURNS SETOF record
	LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE COST 20000 ROWS 3000
BEGIN ATOMIC
	-- stacks() has them in order. ORDER BY stack would need the operator class, which the body does not depend on:
	-- pg_upgrade would restore the function before it, and fail.
	SELECT s.stack, s.value FROM stacks(k_context(fg, k)) WITH ORDINALITY AS s (stack, value, n)
	ORDER BY s.value DESC, s.n;
END;
COMMENT ON FUNCTION k_contexts(flamegraph, int4)
	IS 'k_context() as rows, the largest first: what is spent in each frame by its k nearest callers; k = 0 frames, '
		'k = 1 calls (Lumnitz 2021, section 6.2)';

CREATE FUNCTION subsuming_frames(fg flamegraph, min_height int4 DEFAULT 4, min_distance int4 DEFAULT 4,
								 OUT frame text, OUT height int4, OUT distance int4,
								 OUT subsuming bool, OUT induced_cost float8,
								 OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_subsuming_frames' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 20000 ROWS 1000;
COMMENT ON FUNCTION subsuming_frames(flamegraph, int4, int4)
	IS 'subsuming methods: height of the largest subtree > min_height and distance to the nearest dominating frame '
		'(NULL: none) > min_distance; they take the cost of what they call up to the next one; frame NULL: cost that '
		'none has claimed (Lumnitz 2021, section 6.3)';

CREATE FUNCTION subsuming_tree(fg flamegraph, min_height int4 DEFAULT 4, min_distance int4 DEFAULT 4) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_subsuming_tree' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION subsuming_tree(flamegraph, int4, int4)
	IS 'the profile over its subsuming frames alone; the cost of the others goes to the nearest one above them, else '
		'to the empty stack';

-- two versions

CREATE FUNCTION compare_baseline(baseline flamegraph, current flamegraph,
								 OUT frame text, OUT baseline_share float8, OUT current_share float8,
								 OUT ratio float8, OUT angle float8, OUT shown_angle int4,
								 OUT red int4, OUT green int4, OUT blue int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_compare_baseline' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION compare_baseline(flamegraph, flamegraph)
	IS 'each frame''s share of either profile, their ratio (infinite where it does not fit a float8), and the arrow '
		'between them: from -90 degrees, red (twice the share or more) to 90, green (half or less), -45 and 45 for '
		'what is new or gone; shown_angle and colour as drawn; the largest current share first '
		'(Lumnitz 2021, listing 3.6)';

CREATE FUNCTION editor_metrics(fg flamegraph, frames text[] DEFAULT NULL, prefix text DEFAULT NULL,
							   baseline flamegraph DEFAULT NULL,
							   OUT frame text, OUT total_share float8, OUT self_fraction float8,
							   OUT samples float8, OUT of_samples float8,
							   OUT callers int4, OUT callees int4, OUT threads int4,
							   OUT angle float8, OUT red int4, OUT green int4, OUT blue int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_editor_metrics' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION editor_metrics(flamegraph, text[], text, flamegraph)
	IS 'what an editor draws beside a function: its share and what fraction of that is its own, samples of how many, '
		'numbers of callers, callees and threads (first frames), and the arrow of compare_baseline; for the frames '
		'given (also those that do not occur), else for all of both profiles; prefix: only frames that start so';

-- to be read and drawn

CREATE FUNCTION tree(fg flamegraph, min_share float8 DEFAULT 0.01, max_depth int4 DEFAULT NULL,
					 bar_width int4 DEFAULT 0) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'flamegraph_tree' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 100;
COMMENT ON FUNCTION tree(flamegraph, float8, int4, int4)
	IS 'the profile as an indented text: total and own value in percent of the whole, frame; the largest branches '
		'first, those below min_share left out, or in one line where they reach it together; bar_width: columns of a '
		'bar as long as the total, solid as far as the own value';

CREATE FUNCTION diff_tree(before flamegraph, after flamegraph, min_share float8 DEFAULT 0.01,
						  max_depth int4 DEFAULT NULL, bar_width int4 DEFAULT 20) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'flamegraph_diff_tree' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 100;
COMMENT ON FUNCTION diff_tree(flamegraph, flamegraph, float8, int4, int4)
	IS 'what changed, as an indented text: after - before, in percent of before (new, gone), a bar, frame; the largest '
		'changes first, those below min_share of the sum of all changes left out, or in one line where they reach it '
		'together; the bar is solid as far as the frame itself changed';

CREATE FUNCTION flamegraph_to_json(fg flamegraph) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'flamegraph_to_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION flamegraph_to_json(flamegraph)
	IS 'nested objects {"name", "value", "children"} with inclusive values, as d3-flame-graph reads them; the '
		'outermost is called "root"';

CREATE FUNCTION flamegraph_to_json(before flamegraph, after flamegraph) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'flamegraph_to_json_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION flamegraph_to_json(flamegraph, flamegraph)
	IS 'the same on the nodes of both profiles, with "before", "after" and "delta" = after - before; "value" is the '
		'width of both in one picture, the sum of the larger of each stack''s two values; negative values are an error';

-- functions by their names; a profile in a few lines

CREATE FUNCTION find_frames(fg flamegraph, pattern text,
							OUT frame text, OUT self float8, OUT self_share float8,
							OUT total float8, OUT total_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_find_frames' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 20;
COMMENT ON FUNCTION find_frames(flamegraph, text)
	IS 'the frames whose names contain the text, letters of ASCII in any case; with * in it the whole name has to '
		'match, and * stands for anything; with their own and recursion-free inclusive values; the largest total '
		'first';

CREATE FUNCTION frame_groups(fg flamegraph, pattern text, replacement text DEFAULT '\1',
							 OUT frame_group text, OUT frames int4, OUT self float8,
							 OUT self_share float8, OUT total float8,
							 OUT total_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_frame_groups' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 100;
COMMENT ON FUNCTION frame_groups(flamegraph, text, text)
	IS 'functions grouped by what the regular expression makes of their names (modules, libraries, packages): how '
		'many they are, and the sums of the stacks that end in one and that have one, each once; a name that does not '
		'match is a group of its own; the largest total first';

CREATE FUNCTION summary(fg flamegraph, max_stacks int4 DEFAULT 3) RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_summary' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION summary(flamegraph, int4)
	IS 'total, numbers of stacks and frames, depth and the largest stacks (9 at most) in lines of at most 80 columns';
