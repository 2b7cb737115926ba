
--
-- whose commit was it?
--
-- What commits changed comes from flamegraph-commits, through which stacks a change flows from the profiles. What a
-- commit touched on these stacks speaks for it: the nearer to the finding, and the larger the part of the change that
-- flows through there, the more.
--

CREATE TABLE commit_function (
	commit text NOT NULL CHECK (octet_length(commit) <= 500),
	file text NOT NULL CHECK (octet_length(file) <= 1000),
	function text NOT NULL CHECK (octet_length(function) <= 500),
	lines int NOT NULL DEFAULT 0,
	PRIMARY KEY (commit, file, function)
);
CREATE INDEX commit_function_function_idx ON commit_function (function);
COMMENT ON TABLE commit_function
	IS 'functions that commits changed, as git names them above a change; filled by flamegraph-commits --functions';
COMMENT ON COLUMN commit_function.commit IS 'the commit; one that changed no function has a row with empty names';
COMMENT ON COLUMN commit_function.file IS 'file in the repository';
COMMENT ON COLUMN commit_function.function IS 'name of the function, without arguments';
COMMENT ON COLUMN commit_function.lines IS 'lines in it that were added or deleted, about';

CREATE FUNCTION function_of_frame(frame text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		-- without what compilers and the modes of the JVM put behind a name, and without line numbers
		SELECT nullif(regexp_replace(CASE
			-- parser.py:read
			WHEN s.name ~ '^[^ ]+\.[A-Za-z0-9]+:[A-Za-z_]\w*$'::text
				THEN regexp_replace(s.name, '^.*:'::text, ''::text)
			-- void acme::read<int>(int)
			WHEN s.name ~ '^[^(]*[^( ]\('::text
				THEN regexp_replace(regexp_replace(split_part(s.name, '('::text, 1), '<.*$'::text, ''::text),
					'^.* '::text, ''::text)
			-- read (lib/parser.py, read lib/parser.c
			ELSE split_part(s.name, ' '::text, 1) END, '^.*[.:/#>$]'::text, ''::text), ''::text)
		FROM (SELECT regexp_replace(regexp_replace(function_of_frame.frame,
			'(_\[[a-z0-9]\]|\.(constprop|isra|part|cold|localalias|lto_priv)(\.[0-9]+)*)+$'::text, ''::text),
			'(:[0-9]+){1,2}\)?$'::text, ''::text) AS name) AS s;
	END;
COMMENT ON FUNCTION function_of_frame(text)
	IS 'the name of the function in a frame, without file, line, package, class, arguments and suffixes of compilers; '
		'null when there is none';

CREATE FUNCTION file_of_frame(frame text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT (regexp_match(regexp_replace(file_of_frame.frame,
			'(\.(constprop|isra|part|cold|localalias|lto_priv)(\.[0-9]+)*)+$'::text, ''::text),
			'(?:^|[ (])([^ ():]+\.[A-Za-z0-9_]+)(?=[:)]|$)'::text))[1];
	END;
COMMENT ON FUNCTION file_of_frame(text)
	IS 'what looks like the path of a file in a frame, such as lib/parser.py in read (lib/parser.py:12); null when '
		'there is none';

CREATE FUNCTION changed_stacks(level text, subject stackpath, delta flamegraph)
	RETURNS TABLE (n bigint, frames text[], place int, value float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1000
	BEGIN ATOMIC
		SELECT row_number() OVER (ORDER BY abs(s.value) DESC, s.stack::text COLLATE "C"), frames(s.stack),
			CASE WHEN changed_stacks.level = 'frame'
					THEN pg_catalog.array_position(frames(s.stack), leaf(changed_stacks.subject))
				WHEN changed_stacks.level IN ('stack', 'node') THEN depth(changed_stacks.subject)
				ELSE depth(s.stack) END, s.value
		FROM stacks(changed_stacks.delta) AS s
		WHERE CASE WHEN changed_stacks.level = 'frame' THEN has_frame(s.stack, leaf(changed_stacks.subject))
			WHEN changed_stacks.level = 'self' THEN leaf(s.stack) = leaf(changed_stacks.subject)
			WHEN changed_stacks.level = 'stack' THEN s.stack = changed_stacks.subject
			WHEN changed_stacks.level = 'node' THEN changed_stacks.subject @> s.stack
			ELSE changed_stacks.level = 'metric' END
		-- pg_upgrade makes functions before the operators that sort stacks
		ORDER BY abs(s.value) DESC, s.stack::text COLLATE "C" LIMIT 5000;
	END;
COMMENT ON FUNCTION changed_stacks(text, stackpath, flamegraph)
	IS 'the 5,000 stacks through the subject of a finding that changed most; place: where the subject stands in them, '
		'of a metric their last frame; delta: the difference of the profiles';

CREATE FUNCTION excess(of_change float8, of_before float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN excess.of_before < 0.9::float8 AND excess.of_change > excess.of_before
			THEN least(1::float8, (excess.of_change - excess.of_before) / (1::float8 - excess.of_before))
			ELSE 0::float8 END;
	END;
COMMENT ON FUNCTION excess(float8, float8)
	IS 'how much more of a change than of what there was before is in one place, as a fraction of what it could be; 0 '
		'where nearly all was there before';

-- A function above the subject through which more of the change flows than of what there was before is where the change
-- comes from: had the subject itself changed, it had grown wherever it is called. What is spent in a subject itself and
-- in what it calls grows in proportion when it is called more often.
CREATE FUNCTION changed_frames(level text, subject stackpath, before flamegraph, delta flamegraph)
	RETURNS TABLE (frame text, share float8, weight float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1000
	BEGIN ATOMIC
		WITH s AS MATERIALIZED (
			SELECT c.*, true AS changed
			FROM changed_stacks(changed_frames.level, changed_frames.subject, changed_frames.delta) AS c
			UNION ALL
			SELECT c.*, false
			FROM changed_stacks(changed_frames.level, changed_frames.subject, changed_frames.before) AS c
		), whole AS (
			SELECT s.changed, CASE WHEN sum(s.value) > 0::float8 THEN sum(s.value)
					ELSE sum(s.value) FILTER (WHERE s.value > 0::float8) END AS value,
				coalesce(sum(s.value) FILTER (WHERE pg_catalog.cardinality(s.frames) = s.place), 0::float8) AS self
			FROM s GROUP BY s.changed
		), u AS (
			-- each frame once in a stack: above the subject at the place that is nearest to it
			SELECT s.n, s.changed, s.value, f.frame,
				s.place - max(f.place) FILTER (WHERE f.place <= s.place) AS distance
			FROM s CROSS JOIN LATERAL pg_catalog.unnest(s.frames) WITH ORDINALITY AS f (frame, place)
			GROUP BY s.n, s.changed, s.value, s.place, f.frame
		), f AS (
			SELECT u.frame, min(u.distance) FILTER (WHERE u.changed) AS distance,
				sum(u.value / w.value) FILTER (WHERE u.changed) AS share,
				coalesce(sum(u.value / w.value) FILTER (WHERE u.changed AND u.distance = 0), 0::float8) AS own,
				coalesce(sum(u.value / w.value * 0.5::float8 * 0.7::float8 ^ least(u.distance - 1, 60)::float8)
					FILTER (WHERE u.changed AND u.distance > 0), 0::float8) AS above,
				coalesce(sum(u.value / w.value) FILTER (WHERE u.changed AND u.distance IS NULL), 0::float8) AS below,
				excess(sum(u.value / w.value) FILTER (WHERE u.changed AND u.distance > 0),
					sum(u.value / w.value) FILTER (WHERE NOT u.changed AND u.distance > 0)) AS excess
			FROM u JOIN whole AS w ON w.changed = u.changed AND w.value > 0::float8
			GROUP BY u.frame
		)
		SELECT f.frame, least(1::float8, f.share), least(1::float8, greatest(f.above,
			0.9::float8 * f.excess * 0.8::float8 ^ least(f.distance - 1, 60)::float8,
			f.own * (1::float8 - 0.5::float8 * greatest(max(f.excess) OVER (), alike.value)), 0.7::float8 * f.below))
		FROM f CROSS JOIN (SELECT CASE WHEN changed_frames.level = 'frame'
						AND max(w.self / w.value) FILTER (WHERE NOT w.changed) < 0.9::float8 THEN 1::float8 - excess(
					max(w.self / w.value) FILTER (WHERE w.changed), max(w.self / w.value) FILTER (WHERE NOT w.changed))
				ELSE 0::float8 END AS value
			FROM whole AS w WHERE w.value > 0::float8) AS alike
		WHERE f.share > 0::float8
		UNION ALL
		-- nothing is known of the profiles: what the subject says
		SELECT f.frame, NULL::float8,
			max(0.5::float8 ^ least(depth(changed_frames.subject) - f.place, 60)::float8)
		FROM pg_catalog.unnest(frames(changed_frames.subject)) WITH ORDINALITY AS f (frame, place)
		WHERE NOT EXISTS (SELECT 1 FROM whole AS w WHERE w.changed AND w.value > 0::float8)
		GROUP BY f.frame;
	END;
COMMENT ON FUNCTION changed_frames(text, stackpath, flamegraph, flamegraph)
	IS 'the frames through which the change of a finding flows; share: of the change, a fraction, null when the '
		'profiles are not known; weight: from 0 to 1, how likely it is that the change comes from there; before: the '
		'profile before, delta: by how much it changed, negated for what became less';

CREATE FUNCTION files_of_frames(frames text[], files text[]) RETURNS TABLE (frame text, file text)
	LANGUAGE sql STABLE COST 100000 ROWS 100
	BEGIN ATOMIC
		SELECT f.frame, c.file
		FROM pg_catalog.unnest(files_of_frames.frames) AS f (frame)
			JOIN frame_commit AS c ON stackpath(ARRAY[f.frame]) ~ c.pattern
		WHERE c.file = ANY (files_of_frames.files)
		UNION
		-- the path in the frame may be a part of the file's, or the file's a part of it
		SELECT f.frame, p.file
		FROM pg_catalog.unnest(files_of_frames.frames) AS f (frame)
			CROSS JOIN LATERAL (SELECT file_of_frame(f.frame) AS path) AS o
			JOIN pg_catalog.unnest(files_of_frames.files) AS p (file) ON p.file = o.path
				OR right(p.file, length(o.path) + 1) = '/'::text || o.path
				OR right(o.path, length(p.file) + 1) = '/'::text || p.file
		UNION
		-- what commits changed in other functions of the same name tells where it stands; a name of many files tells
		-- nothing
		SELECT f.frame, d.file
		FROM pg_catalog.unnest(files_of_frames.frames) AS f (frame)
			CROSS JOIN LATERAL (SELECT min(n.file) AS file FROM commit_function AS n
				WHERE n.function = function_of_frame(f.frame) HAVING min(n.file) = max(n.file)) AS d
		WHERE file_of_frame(f.frame) IS NULL AND d.file = ANY (files_of_frames.files);
	END;
COMMENT ON FUNCTION files_of_frames(text[], text[])
	IS 'which of some files frames belong to: by the patterns of frame_commit, by the path in the frame, or, where it '
		'has none, as the one file in which commits changed a function of this name';

CREATE FUNCTION is_no_code(file text) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT is_no_code.file = ''::text OR is_no_code.file ~* ('(^|/)(docs?|documentation|man|tests?|testdata|specs?|'
			'__tests__|examples?|expected)/|(^|/)(readme|changelog|changes|news|license|licence|copying|authors|'
			'codeowners)[^/]*$|\.(md|rst|txt|adoc|[1-8]|png|jpe?g|svg|gif)$')::text;
	END;
COMMENT ON FUNCTION is_no_code(text)
	IS 'true for a file of the documentation or the tests, by its name: one that hardly makes a program slower';

CREATE FUNCTION commit_evidence(commits text[], frames text[], shares float8[], weights float8[])
	RETURNS TABLE (commit text, frame text, what text, function text, file text, share float8, weight float8)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		WITH f AS MATERIALIZED (
			SELECT u.frame, u.share, u.weight, function_of_frame(u.frame) AS function
			FROM ROWS FROM (pg_catalog.unnest(commit_evidence.frames), pg_catalog.unnest(commit_evidence.shares),
				pg_catalog.unnest(commit_evidence.weights)) AS u (frame, share, weight)
		), c AS MATERIALIZED (
			SELECT h.commit, h.file, h.subject, EXISTS (SELECT 1 FROM commit_function AS n
				WHERE n.commit = h.commit AND n.file = h.file) AS by_function
			FROM commit_change AS h WHERE h.commit = ANY (commit_evidence.commits)
		)
		SELECT n.commit, f.frame, 'function'::text, f.function, n.file, f.share,
			f.weight * (1::float8 - 1::float8 / (1::float8 + n.lines::float8))
				* CASE WHEN is_no_code(n.file) THEN 0.3::float8 ELSE 1::float8 END
		FROM f JOIN commit_function AS n ON n.function = f.function
			OR right(n.function, length(f.function) + 2) = '::'::text || f.function
		WHERE n.commit = ANY (commit_evidence.commits)
		UNION ALL
		-- where it is known which functions of a file were changed, the others are less suspect
		SELECT c.commit, f.frame, 'file'::text, f.function, c.file, f.share,
			f.weight * CASE WHEN c.by_function THEN 0.2::float8 ELSE 0.6::float8 END
		FROM files_of_frames(commit_evidence.frames, ARRAY(SELECT DISTINCT c.file FROM c WHERE c.file <> ''::text)) AS m
			JOIN f ON f.frame = m.frame JOIN c ON c.file = m.file
		UNION ALL
		-- a name that is no word of a language is hardly there by chance
		SELECT s.commit, f.frame, 'message'::text, f.function, NULL::text, f.share, f.weight
			* CASE WHEN f.function ~ '[a-z].*[A-Z_0-9]|_'::text THEN 0.4::float8 ELSE 0.15::float8 END
		FROM (SELECT DISTINCT c.commit, c.subject FROM c) AS s JOIN f ON length(f.function) >= 3
			AND strpos(s.subject, f.function) > 0
		WHERE f.function = ANY (regexp_split_to_array(s.subject, '[^A-Za-z0-9_$]+'::text));
	END;
COMMENT ON FUNCTION commit_evidence(text[], text[], float8[], float8[])
	IS 'what speaks for each of some commits: functions and files on the stacks of a change that it touched, and those '
		'that its message names; weight: from 0 to 1';

--
-- which commits there are between two runs
--

CREATE FUNCTION known_commit(name text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT CASE WHEN EXISTS (SELECT 1 FROM commit_change AS c WHERE c.commit = known_commit.name)
				THEN known_commit.name
			WHEN known_commit.name ~ '^[0-9a-f]{7,}$'::text THEN (SELECT min(c.commit) FROM commit_change AS c
				WHERE starts_with(c.commit, known_commit.name) HAVING min(c.commit) = max(c.commit)) END;
	END;
COMMENT ON FUNCTION known_commit(text)
	IS 'the commit of commit_change that a run names, with all its characters or, from seven on, the first ones of one '
		'commit only; null when it is not there';

CREATE FUNCTION first_parents(commit text) RETURNS TABLE (commit text, place int)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		WITH RECURSIVE line (commit, place) AS (
			SELECT first_parents.commit, 1 WHERE first_parents.commit IS NOT NULL
			UNION ALL
			SELECT p.parent, l.place + 1
			FROM line AS l CROSS JOIN LATERAL (SELECT c.parent FROM commit_change AS c WHERE c.commit = l.commit
				LIMIT 1) AS p
			WHERE p.parent <> ''::text AND l.place < 10000
		)
		SELECT l.commit, l.place FROM line AS l;
	END;
COMMENT ON FUNCTION first_parents(text)
	IS 'a commit, its first parent, the first parent of that, and so on, 10,000 of them at most; place: from 1';

CREATE FUNCTION commits_between(before_run bigint, first_run bigint, OUT way text, OUT commits text[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_before record;
	v_first record;
	v_base int;
	v_since timestamptz;
	v_until timestamptz;
BEGIN
	way := 'parents';
	commits := '{}';
	SELECT t.started_at, t.commit, profiling.known_commit(t.commit) AS known INTO v_before
	FROM profiling.test_run AS t WHERE t.test_run_id = before_run;
	SELECT t.started_at, t.commit, profiling.known_commit(t.commit) AS known INTO v_first
	FROM profiling.test_run AS t WHERE t.test_run_id = first_run;
	IF v_first.commit <> '' AND v_first.commit = v_before.commit OR v_first.known = v_before.known THEN
		way := 'same';
		RETURN;
	END IF;
	-- what the first run has and the one before it has not
	SELECT min(l.place) INTO v_base FROM profiling.first_parents(v_first.known) AS l
		WHERE l.commit IN (SELECT o.commit FROM profiling.first_parents(v_before.known) AS o);
	IF v_base IS NOT NULL THEN
		commits := ARRAY(SELECT l.commit FROM profiling.first_parents(v_first.known) AS l WHERE l.place < v_base
			ORDER BY l.place);
		way := CASE WHEN v_base = 1 THEN 'back' ELSE way END;
		RETURN;
	END IF;
	way := 'times';
	v_since := coalesce((SELECT max(c.committed_at) FROM profiling.commit_change AS c
		WHERE c.commit = v_before.known), v_before.started_at);
	v_until := coalesce((SELECT max(c.committed_at) FROM profiling.commit_change AS c
		WHERE c.commit = v_first.known), v_first.started_at);
	commits := ARRAY(SELECT c.commit FROM profiling.commit_change AS c
		WHERE c.committed_at > v_since AND c.committed_at <= v_until
		GROUP BY c.commit ORDER BY max(c.committed_at) DESC, c.commit LIMIT 10000);
END
$$;
COMMENT ON FUNCTION commits_between(bigint, bigint)
	IS 'the commits that a run has and an earlier one has not, the newest first; way: ''parents'' by the chain of '
		'first parents, ''times'' by when they were made, where that chain is not known, ''same'' (none) for two '
		'runs of one commit, ''back'' (none) for a run of an older commit; ''times'' and none for a run that is '
		'not there';

CREATE FUNCTION tell_range(before_run bigint, first_run bigint, way text, commits int)
	RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_before CONSTANT text := (SELECT left(profiling.printable(t.commit), 100) FROM profiling.test_run AS t
		WHERE t.test_run_id = before_run);
	v_first CONSTANT text := (SELECT left(profiling.printable(t.commit), 100) FROM profiling.test_run AS t
		WHERE t.test_run_id = first_run);
BEGIN
	CASE way
	WHEN 'same' THEN
		RAISE NOTICE 'no commit lies between runs % and %: both are of commit "%"', before_run, first_run, v_first
			USING HINT = 'What changed is not in the repository: the machine, its configuration or the data.';
	WHEN 'back' THEN
		RAISE NOTICE 'run % is of a commit ("%") that run % before it ("%") has already', first_run, v_first,
			before_run, v_before USING HINT = 'What was taken back may be the reason; nothing new is suspect.';
	WHEN 'times' THEN
		RAISE NOTICE 'the commits between "%" and "%" are not known by their parents, so those that were made between '
			'them are listed', v_before, v_first
			USING HINT = 'flamegraph-commits reads them from a clone that has them, and whose history is whole.';
		IF commits = 0 THEN
			RAISE NOTICE 'no commit is known that was made between runs % and %', before_run, first_run;
		END IF;
	ELSE
	END CASE;
END
$$;
COMMENT ON FUNCTION tell_range(bigint, bigint, text, int)
	IS 'says by a NOTICE where the commits between two runs are not those that are asked for; way as in '
		'commits_between()';

CREATE FUNCTION mean_of(fgs flamegraph[]) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT avg(o.fg) FROM pg_catalog.unnest(mean_of.fgs) AS o (fg);
	END;
COMMENT ON FUNCTION mean_of(flamegraph[]) IS 'the mean of some profiles';

CREATE FUNCTION signed_change(before flamegraph[], current flamegraph[], increases bool) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT change_between(signed_change.before, signed_change.current)
			* CASE WHEN signed_change.increases THEN 1::float8 ELSE -1::float8 END;
	END;
COMMENT ON FUNCTION signed_change(flamegraph[], flamegraph[], bool)
	IS 'change_between() two groups of runs, negated for what became less';

CREATE FUNCTION suspect_profiles(regression_id bigint, OUT benchmark_id bigint, OUT method text, OUT level text,
		OUT subject stackpath, OUT kind text,
		OUT before_run bigint, OUT first_run bigint, OUT before flamegraph, OUT delta flamegraph)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r profiling.regression;
	v_unit text;
	v_ids bigint[];
	v_before profiling.means;
BEGIN
	SELECT f.* INTO r FROM profiling.regression AS f WHERE f.regression_id = suspect_profiles.regression_id;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	benchmark_id := r.benchmark_id;
	method := r.method;
	level := r.level;
	subject := r.subject;
	kind := r.kind;
	first_run := r.first_test_run_id;
	-- a finding of the metric has the metric's unit
	SELECT o.unit INTO v_unit FROM profiling.rollup AS o
	WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.test_run_id = r.first_test_run_id
		AND o.span = 'run'
	ORDER BY (o.unit = r.unit) DESC, o.unit COLLATE "C" LIMIT 1;
	v_ids := profiling.runs_before(r.benchmark_id, r.event, v_unit, r.branch, r.first_test_run_id, 'window:10'::text);
	IF cardinality(v_ids) = 0 THEN
		-- the first run of a branch: those of other branches before it
		v_ids := ARRAY(SELECT o.test_run_id
			FROM profiling.rollup AS o JOIN profiling.test_run AS t ON t.test_run_id = r.first_test_run_id
			WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.unit = v_unit
				AND o.span = 'run' AND o.started_at < t.started_at
			ORDER BY o.started_at DESC, o.test_run_id DESC LIMIT 1);
	END IF;
	before_run := v_ids[cardinality(v_ids)];
	IF r.level = 'location' THEN
		RETURN;
	END IF;
	v_before := profiling.run_means(r.benchmark_id, r.event, v_unit, v_ids);
	before := profiling.mean_of(v_before.fgs);
	IF cardinality(v_ids) > 0 THEN
		-- A throughput that falls is time that grows.
		delta := profiling.signed_change(v_before.fgs, (profiling.run_means(r.benchmark_id, r.event, v_unit,
				ARRAY[r.first_test_run_id])).fgs,
			CASE WHEN r.level = 'metric' THEN r.kind <> 'optimization' ELSE coalesce(r.diff, 1) > 0 END);
	END IF;
END
$$;
COMMENT ON FUNCTION suspect_profiles(bigint)
	IS 'a finding, the last run before it and its first one, and by how much the profiles differ: the mean of the '
		'first run less that of the 10 runs before, negated for what became less; null where they are not '
		'there any more';

CREATE FUNCTION reason_of(what text, function text, file text, share float8) RETURNS jsonb
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('what', reason_of.what,
			'function', printable(reason_of.function), 'file', printable(reason_of.file),
			'share', round(reason_of.share::numeric, 3)));
	END;
COMMENT ON FUNCTION reason_of(text, text, text, float8) IS 'a reason of suspects(), without what is null';

CREATE FUNCTION ranked_commits(commits text[], way text, level text, subject stackpath, before flamegraph,
		delta flamegraph)
	RETURNS TABLE (place bigint, commit text, score float8, reasons jsonb)
	LANGUAGE sql STABLE COST 1000000 ROWS 20
	BEGIN ATOMIC
		WITH f AS MATERIALIZED (
			SELECT coalesce(pg_catalog.array_agg(a.frame), '{}'::text[]) AS frames,
				pg_catalog.array_agg(a.share) AS shares, pg_catalog.array_agg(a.weight) AS weights
			FROM (SELECT c.* FROM changed_frames(ranked_commits.level, ranked_commits.subject, ranked_commits.before,
					ranked_commits.delta) AS c
				WHERE c.weight >= 0.001::float8 ORDER BY c.weight DESC, c.frame COLLATE "C" LIMIT 1000) AS a
		), e AS MATERIALIZED (
			SELECT x.*, row_number() OVER (PARTITION BY x.commit
				ORDER BY x.weight DESC, x.what COLLATE "C", x.frame COLLATE "C", x.file COLLATE "C") AS place
			FROM (SELECT v.*, row_number() OVER (PARTITION BY v.commit, v.frame, v.what = 'message'
					ORDER BY v.weight DESC, v.what COLLATE "C" DESC, v.file COLLATE "C") AS twice
				FROM f CROSS JOIN LATERAL commit_evidence(ranked_commits.commits, f.frames, f.shares, f.weights) AS v)
				AS x
			WHERE x.twice = 1
		), s AS (
			SELECT k.commit, k.n, CASE WHEN t.code THEN 0.01::float8 ELSE 0::float8 END
					+ CASE WHEN t.code THEN 0.99::float8 ELSE 0.2::float8 END * coalesce(a.score, 0::float8) AS score,
				CASE WHEN ranked_commits.way = 'times' THEN pg_catalog.jsonb_build_array(
					reason_of('range by times'::text, NULL::text, NULL::text, NULL::float8)) ELSE '[]'::jsonb END
				|| coalesce(a.reasons, pg_catalog.jsonb_build_array(reason_of(CASE WHEN t.code
					THEN 'nothing on the changed stacks'::text ELSE 'documentation and tests only'::text END,
					NULL::text, NULL::text, NULL::float8))) AS reasons
			FROM pg_catalog.unnest(ranked_commits.commits) WITH ORDINALITY AS k (commit, n)
				CROSS JOIN LATERAL (SELECT coalesce(bool_or(NOT is_no_code(c.file)), false) AS code
					FROM commit_change AS c WHERE c.commit = k.commit) AS t
				-- the best reason, and a quarter of what the others add
				LEFT JOIN LATERAL (SELECT max(e.weight) + 0.25::float8 * (1::float8 - max(e.weight)) * (1::float8
						-- exp() of less is an error
						- exp(greatest(coalesce(sum(ln(1::float8 - least(e.weight, 0.999::float8)))
							FILTER (WHERE e.place > 1), 0::float8), -700::float8))) AS score,
					pg_catalog.jsonb_agg(reason_of(e.what, e.function, e.file, e.share) ORDER BY e.place)
						FILTER (WHERE e.place <= 5) AS reasons
					FROM e WHERE e.commit = k.commit HAVING count(*) > 0) AS a ON true
		)
		SELECT row_number() OVER (ORDER BY s.score DESC, s.n), s.commit, s.score, s.reasons FROM s;
	END;
COMMENT ON FUNCTION ranked_commits(text[], text, text, stackpath, flamegraph, flamegraph)
	IS 'commits by what speaks for each having changed a subject, with their reasons; delta: the difference of the '
		'profiles, negated for what became less';

CREATE FUNCTION labels_between(service_id bigint, event text, unit text, since timestamptz, until timestamptz)
	RETURNS text[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(DISTINCT t.labels::text), '{}'::text[])
		FROM stream AS t
		WHERE t.service_id = labels_between.service_id AND t.event = labels_between.event
			AND t.unit = labels_between.unit
			AND (EXISTS (SELECT 1 FROM block AS b
					WHERE b.service_id = t.service_id AND b.stream_id = t.stream_id
						AND b.since > labels_between.since - '32 days'::interval
						AND b.since < labels_between.until AND b.until > labels_between.since
						-- A block of raw profiles may be of hours before and after, but of none between.
						AND (b.resolution <> 'raw' OR profile_count(slice(b.series, labels_between.since,
							labels_between.until, NULL::text[])) > 0))
				OR EXISTS (SELECT 1 FROM incoming AS i
					WHERE i.service_id = t.service_id AND i.stream_id = t.stream_id
						AND i.recorded_at >= labels_between.since AND i.recorded_at < labels_between.until));
	END;
COMMENT ON FUNCTION labels_between(bigint, text, text, timestamptz, timestamptz)
	IS 'the sets of labels, as text, that the profiles of a service have in some time; of older ones in the days or '
		'months that touch it';

CREATE FUNCTION pattern_for(name text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT regexp_replace(pattern_for.name, '([\\%_])'::text, '\\\1'::text, 'g'::text);
	END;
COMMENT ON FUNCTION pattern_for(text) IS 'the pattern of LIKE that one name matches';

CREATE FUNCTION tell_service(regression_id bigint) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f record;
	v_hour timestamptz;
	v_now text[];
	v_before text[];
	v_came text;
	v_gone text;
BEGIN
	SELECT b.name, s.service_id, t.started_at, r.event, substr(r.unit, length('% of ') + 1) AS unit, t.version,
		r.baseline INTO f
	FROM profiling.regression AS r JOIN profiling.benchmark AS b ON b.benchmark_id = r.benchmark_id
		JOIN profiling.test_run AS t ON t.test_run_id = r.first_test_run_id
		LEFT JOIN profiling.service AS s ON s.name = t.labels ->> 'service'
	WHERE r.regression_id = tell_service.regression_id;
	v_hour := f.started_at;
	v_now := profiling.labels_between(f.service_id, f.event, f.unit, v_hour, v_hour + interval '1 hour');
	v_before := profiling.labels_between(f.service_id, f.event, f.unit, v_hour - interval '24 hours', v_hour);
	v_came := (SELECT string_agg(o.l, ', ') FROM (SELECT unnest(v_now) EXCEPT SELECT unnest(v_before)
		ORDER BY 1 LIMIT 5) AS o (l));
	v_gone := (SELECT string_agg(o.l, ', ') FROM (SELECT unnest(v_before) EXCEPT SELECT unnest(v_now)
		ORDER BY 1 LIMIT 5) AS o (l));
	RAISE NOTICE 'finding % is of a service, and of an hour in which many versions may run: no commits are ranked',
		tell_service.regression_id USING
		DETAIL = CASE WHEN v_now = '{}' OR v_before = '{}' THEN 'Its profiles of then are not there any more.'
			WHEN v_came IS NULL AND v_gone IS NULL THEN format('The labels of its profiles in the hour from %s are '
				'those of the day before: what changed is not in them.', v_hour)
			ELSE format('In the hour from %s %s.', v_hour, concat_ws(' and ',
				'there are labels that the day before had not: ' || profiling.printable(v_came),
				'those are gone that the day before had: ' || profiling.printable(v_gone))) END,
		HINT = format('What else differs: SELECT * FROM profiling.window_compare(%L, %L).',
			profiling.window_before(profiling.pattern_for(f.name), f.event, v_hour, f.baseline),
			profiling.window_since(profiling.pattern_for(f.name), f.event, v_hour, f.baseline, f.version));
END
$$;
COMMENT ON FUNCTION tell_service(bigint)
	IS 'says by a NOTICE what changed in a service between the first hour of a finding and the day before: the labels '
		'that came and went, such as version and commit, and how to compare the two';

CREATE FUNCTION window_before(service text, event text, hour timestamptz, baseline text) RETURNS jsonb
	LANGUAGE sql STABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN starts_with(window_before.baseline, 'version:'::text)
			THEN pg_catalog.jsonb_build_object('service', window_before.service, 'event', window_before.event,
				'since', window_before.hour - '30 minutes'::interval, 'until', window_before.hour + '1 hour'::interval,
				'version', substr(window_before.baseline, 9))
			ELSE pg_catalog.jsonb_build_object('service', window_before.service, 'event', window_before.event,
				'since', window_before.hour - '24 hours'::interval,
				'until', window_before.hour - '23 hours'::interval) END;
	END;
COMMENT ON FUNCTION window_before(text, text, timestamptz, text)
	IS 'the window before that a finding of a service is to be compared with by hand: the version before it, or the '
		'same hour of the day before';

CREATE FUNCTION window_since(service text, event text, hour timestamptz, baseline text, version text) RETURNS jsonb
	LANGUAGE sql STABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN starts_with(window_since.baseline, 'version:'::text)
			THEN pg_catalog.jsonb_build_object('service', window_since.service, 'event', window_since.event,
				'since', window_since.hour - '30 minutes'::interval, 'until', window_since.hour + '1 hour'::interval,
				'version', window_since.version)
			ELSE pg_catalog.jsonb_build_object('service', window_since.service, 'event', window_since.event,
				'since', window_since.hour, 'until', window_since.hour + '1 hour'::interval) END;
	END;
COMMENT ON FUNCTION window_since(text, text, timestamptz, text, text)
	IS 'the window of a finding of a service: the new version around the hour, or the hour';

CREATE FUNCTION suspects(regression_id bigint, max_rows int DEFAULT 10)
	RETURNS TABLE (rank int, commit text, score float8, reasons jsonb)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	p record;
	c record;
BEGIN
	PERFORM profiling.need_access('suspects', 'reader');
	IF max_rows < 1 THEN
		RAISE EXCEPTION 'max_rows must be at least 1' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'NULL returns every commit.';
	END IF;
	SELECT s.* INTO p FROM profiling.suspect_profiles(suspects.regression_id) AS s;
	IF p.benchmark_id IS NULL THEN
		RAISE EXCEPTION 'there is no finding %', coalesce(suspects.regression_id::text, 'NULL') USING
			ERRCODE = 'no_data_found', HINT = 'Findings have their numbers in profiling.regression.regression_id.';
	END IF;
	IF p.kind = 'environment' THEN
		RAISE NOTICE 'finding % is about the machine, so no commit is suspect', regression_id;
		RETURN;
	END IF;
	IF p.method = 'service' THEN
		PERFORM profiling.tell_service(regression_id);
		RETURN;
	END IF;
	IF p.before_run IS NULL THEN
		RAISE NOTICE 'no run is known before the first one of finding %', regression_id USING
			HINT = 'Its runs were merged to months, or removed.';
		RETURN;
	END IF;
	IF NOT EXISTS (SELECT 1 FROM profiling.commit_change) THEN
		RAISE NOTICE 'the store knows no commits' USING
			HINT = 'flamegraph-commits -f -d DATABASE REPOSITORY reads them from a clone of the repository.';
		RETURN;
	END IF;
	SELECT b.* INTO c FROM profiling.commits_between(p.before_run, p.first_run) AS b;
	PERFORM profiling.tell_range(p.before_run, p.first_run, c.way, cardinality(c.commits));
	RETURN QUERY
	SELECT r.place::int, r.commit, r.score, r.reasons
	FROM profiling.ranked_commits(c.commits, c.way, p.level, p.subject, p.before, p.delta) AS r
	ORDER BY r.place LIMIT max_rows;
END
$$;
COMMENT ON FUNCTION suspects(bigint, int)
	IS 'the commits between the last run without a finding and the first one with it, the most suspect first: rank, '
		'score from 0 (nothing speaks for it) to 1, and the reasons: functions and files on the stacks that changed '
		'which the commit touched, with the share of the change that flows through them, and those that its message '
		'names; what the commits changed comes from flamegraph-commits';
