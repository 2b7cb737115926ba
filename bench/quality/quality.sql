-- What bench/quality/quality.sh asks of the extension: samples of profiles from counts, and what the tests say of them.

CREATE SCHEMA quality;

-- Recordings of one program each, in which nothing changes; the samples imitate "pgbench", the most frequent stack first.
CREATE TABLE quality.recording (source text, run int, profile flamegraph);
CREATE TABLE quality.stack (n int, stack stackpath, value float8);

-- called: keys said to have changed; wrong: of them, those that did not; mass, totals: see README.md
CREATE TABLE quality.result (scenario text, method text, repetition int, called float8, wrong float8, mass float8, totals float8);

CREATE FUNCTION quality.profiles(stacks stackpath[], counts int2[]) RETURNS flamegraph[] LANGUAGE sql AS $$
    SELECT array_agg((SELECT flamegraph_agg(u.stack, u.count)
                      FROM unnest(stacks, counts[i + 1:i + cardinality(stacks)]) AS u (stack, count)) ORDER BY i)
    FROM generate_series(0, cardinality(counts) - 1, cardinality(stacks)) AS i
$$;

-- The keys that a method says have changed, at a level of 5 %.
CREATE FUNCTION quality.called(method text, before flamegraph[], after flamegraph[]) RETURNS SETOF stackpath
LANGUAGE plpgsql AS $$
DECLARE
    way text := split_part(method, ' ', 1);
    level text := split_part(method, ' ', 2);
BEGIN
    CASE way
    WHEN 'welch', 'moderated' THEN
        RETURN QUERY SELECT key FROM compare_profiles(before, after, level,
            variance => CASE way WHEN 'welch' THEN 'own' ELSE way END) WHERE significant;
    WHEN 'counts' THEN
        RETURN QUERY SELECT key FROM compare_profiles(before, after, level, variance => 'moderated', poisson_unit => 1)
            WHERE significant;
    WHEN 'median_ratio', 'stable' THEN
        RETURN QUERY SELECT key FROM compare_profiles(before, after, level, size_factor => way) WHERE significant;
    WHEN 'maxt' THEN
        RETURN QUERY SELECT key FROM compare_profiles(before, after, level, method => 'maxt') WHERE significant;
    WHEN 't2' THEN
        RETURN QUERY SELECT key FROM hotelling_intervals(before, after, alpha => 0.05) WHERE significant;
    WHEN 'scores' THEN
        RETURN QUERY SELECT key FROM deviation_scores(before, after[1], metric => level) WHERE q_value <= 0.05;
    WHEN 'scores_moderated' THEN
        RETURN QUERY SELECT key FROM deviation_scores(before, after[1], metric => level, variance => 'moderated')
            WHERE q_value <= 0.05;
    WHEN 'scores_counts' THEN
        -- Of counts the noise is the counts themselves.
        RETURN QUERY SELECT key FROM deviation_scores(before, after[1], metric => level, variance => 'moderated',
            history_noise => before, current_noise => after[1]) WHERE q_value <= 0.05;
    END CASE;
END
$$;

-- Each key that changed with the cost that was added to it.
CREATE FUNCTION quality.changed(level text, added flamegraph, OUT key stackpath, OUT cost float8) RETURNS SETOF record
LANGUAGE sql AS $$
    SELECT stack, value FROM stacks(added) WHERE level = 'stack'
    UNION ALL
    SELECT stack, total FROM nodes(added) WHERE level = 'node'
    UNION ALL
    SELECT e.key, e.mean
    FROM (SELECT stats(added, CASE level WHEN 'self' THEN 'self' ELSE 'frame' END) AS s) AS s, entries(s.s) AS e
    WHERE level IN ('frame', 'total', 'self') AND added IS NOT NULL
$$;

-- Does a key that was called find what was added to this stack?
CREATE FUNCTION quality.finds(level text, key stackpath, stack stackpath, subtree stackpath) RETURNS bool LANGUAGE sql AS $$
    SELECT CASE level
        WHEN 'stack' THEN key = stack
        WHEN 'node' THEN key <@ subtree AND key @> stack
        WHEN 'self' THEN leaf(key) = leaf(stack)
        ELSE subpath(stack, depth(subtree) - 1) ? leaf(key) END
$$;

CREATE FUNCTION quality.judge_keys(method text, before flamegraph[], after flamegraph[], added flamegraph, subtree stackpath,
                                   OUT called float8, OUT wrong float8, OUT mass float8, OUT totals float8)
LANGUAGE sql AS $$
    WITH called AS MATERIALIZED (SELECT key FROM quality.called(method, before, after) AS key ORDER BY depth(key)),
    changed AS (SELECT * FROM quality.changed(split_part(method, ' ', 2), added)),
    judged AS MATERIALIZED (SELECT key, cost FROM called LEFT JOIN changed USING (key))
    SELECT (SELECT count(*) FROM judged),
           (SELECT count(*) FROM judged WHERE cost IS NULL),
           (SELECT coalesce(sum(value) FILTER (WHERE EXISTS (SELECT FROM judged AS j WHERE j.cost IS NOT NULL
                        AND quality.finds(split_part(method, ' ', 2), j.key, stack, subtree))), 0) / sum(value)
            FROM stacks(added)),
           (SELECT coalesce(sum(cost), 0) FROM judged) / (SELECT sum(cost) FROM changed)
$$;

-- One answer for all stacks.
CREATE FUNCTION quality.differs(method text, before flamegraph[], after flamegraph[]) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
    CASE method
    WHEN 'hotelling' THEN RETURN (SELECT p_value <= 0.05 FROM hotelling_test(before, after));
    WHEN 'energy' THEN RETURN (SELECT p_value <= 0.05 FROM energy_test(before, after));
    END CASE;
END
$$;

-- A sequence that changes after the last profile of "before"; called: the cuts; mass: 1 if one of them is within 2 of it.
CREATE FUNCTION quality.judge_cuts(change_at int, cuts int[], OUT called float8, OUT wrong float8, OUT mass float8,
                                   OUT totals float8)
LANGUAGE sql AS $$
    SELECT count(*), count(*) FILTER (WHERE abs(cut - change_at) <= 2 IS NOT TRUE),
           CASE WHEN change_at IS NOT NULL THEN (count(*) FILTER (WHERE abs(cut - change_at) <= 2) > 0)::int END, NULL::float8
    FROM unnest(cuts) AS cut
$$;

CREATE FUNCTION quality.judge(method text, before flamegraph[], after flamegraph[], added flamegraph, subtree stackpath,
                              OUT called float8, OUT wrong float8, OUT mass float8, OUT totals float8)
LANGUAGE plpgsql AS $$
BEGIN
    IF method IN ('hotelling', 'energy') THEN
        called := quality.differs(method, before, after)::int;
        wrong := CASE WHEN added IS NULL THEN called ELSE 0 END;
    ELSIF method = 'cuts' THEN
        SELECT * INTO called, wrong, mass, totals
        FROM quality.judge_cuts(CASE WHEN added IS NOT NULL THEN cardinality(before) + 1 END,
                                ARRAY(SELECT change_at FROM change_points(before || after)));
    ELSE
        SELECT * INTO called, wrong, mass, totals FROM quality.judge_keys(method, before, after, added, subtree);
    END IF;
END
$$;

-- One scenario at a time, as data.py writes it. Counts are those of the first stacks, run by run. The cost of
-- these members was added; the subtree is the first frames of each of them.
CREATE TYPE quality.sample AS (
    repetition int, stacks int, members int[], costs float8[], depth int, before int2[], after int2[]
);
CREATE TYPE quality.series AS (repetition int, change_at int, series float8[]);

-- Runs methods over what is in the session's table "sample"; each over the first so many repetitions.
CREATE PROCEDURE quality.judge_sample(scenario text, methods text[], limits int[], functions bool) LANGUAGE plpgsql AS $$
DECLARE
    all_stacks stackpath[] := ARRAY(SELECT CASE WHEN functions THEN stackpath(ARRAY['f' || n]) ELSE stack END
                                    FROM quality.stack ORDER BY n);
    sample record;
    before flamegraph[];
    after flamegraph[];
BEGIN
    FOR sample IN
        SELECT s.*, m.added, subpath(all_stacks[s.members[1]], 0, s.depth) AS subtree
        FROM pg_temp.sample AS s,
             LATERAL (SELECT flamegraph_agg(all_stacks[member], cost) AS added
                      FROM unnest(s.members, s.costs) AS u (member, cost)) AS m
        ORDER BY repetition
    LOOP
        -- || decompresses the counts once, and not for each run.
        before := quality.profiles(all_stacks[:sample.stacks], sample.before || '{}'::int2[]);
        after := quality.profiles(all_stacks[:sample.stacks], sample.after || '{}'::int2[]);
        INSERT INTO quality.result
        SELECT scenario, u.method, sample.repetition, j.*
        FROM unnest(methods, limits) AS u (method, most),
             quality.judge(u.method, before, after, sample.added, sample.subtree) AS j
        WHERE sample.repetition <= u.most;
    END LOOP;
END
$$;

CREATE PROCEDURE quality.judge_series(scenario text) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO quality.result
    SELECT scenario, 'cuts', s.repetition, j.*
    FROM pg_temp.series AS s,
         quality.judge_cuts(s.change_at, ARRAY(SELECT change_at FROM change_points(s.series))) AS j;
END
$$;

-- The recorded runs themselves, in two groups by lot: there is no change.
CREATE PROCEDURE quality.judge_recording(scenario text, source text, methods text[], n1 int, n2 int, repetitions int,
                                         seed int)
LANGUAGE plpgsql AS $$
DECLARE
    drawn flamegraph[];
BEGIN
    FOR i IN 1..repetitions LOOP
        drawn := ARRAY(SELECT profile FROM quality.recording AS r WHERE r.source = judge_recording.source
                       ORDER BY md5(concat_ws(' ', seed, i, run)));
        INSERT INTO quality.result
        SELECT scenario, method, i, j.*
        FROM unnest(methods) AS method,
             quality.judge(method, drawn[:n1], drawn[n1 + 1:n1 + n2], NULL, NULL) AS j;
    END LOOP;
END
$$;
