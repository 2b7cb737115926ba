-- Recordings in which nothing changes, night by night: what one night is said to differ in from the ten before, and whether a
-- change that is put into it is found.

CREATE TABLE quality.night_file (source text, kind text, night int, repetition int, data bytea);

-- A night: the mean of its repetitions by time and by number of samples, the variance that each has from the samples' weights, and
-- the numbers of samples of each repetition.
CREATE TYPE quality.night AS (value flamegraph, value_noise flamegraph, samples flamegraph, samples_noise flamegraph,
    each flamegraph[]);
CREATE TABLE quality.recorded_night (source text, kind text, night int, mean quality.night);
-- The weight that a sample mostly has.
CREATE TABLE quality.weight (source text, kind text, weight float8);
-- Functions that have 0.3 to 10 % of all samples, with what they call; the smaller bound is also that of their own.
CREATE TABLE quality.medium_function (source text, kind text, n int, frame text, own flamegraph);

CREATE PROCEDURE quality.read_nights() LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMP TABLE read ON COMMIT DROP AS
    SELECT f.source, f.kind, f.night, f.repetition, r.complete AS value,
           coalesce(r.samples, r.complete / r.period) AS samples,
           coalesce(r.noise, recording_noise(r.complete, r.period)) AS noise
    FROM quality.night_file AS f, read_recording(f.data) AS r;
    INSERT INTO quality.recorded_night
    SELECT source, kind, night,
           (avg(value), sum(noise) / count(*) ^ 2, avg(samples), sum(samples) / count(*) ^ 2, array_agg(samples ORDER BY repetition))::quality.night
    FROM read GROUP BY source, kind, night;
    INSERT INTO quality.recording
    SELECT source || ' ' || kind, row_number() OVER (PARTITION BY source, kind ORDER BY night, repetition), samples FROM read;
    INSERT INTO quality.weight
    SELECT n.source, n.kind, percentile_disc(0.5) WITHIN GROUP (ORDER BY v.value / s.value)
    FROM quality.recorded_night AS n, stacks((n.mean).samples) AS s JOIN LATERAL stacks((n.mean).value) AS v USING (stack)
    WHERE n.night <= 5 GROUP BY n.source, n.kind;
    INSERT INTO quality.medium_function
    SELECT m.source, m.kind, row_number() OVER (PARTITION BY m.source, m.kind ORDER BY leaf(s.stack)), leaf(s.stack),
           flamegraph_agg(s.stack, s.value)
    FROM (SELECT source, kind, avg((mean).samples) AS samples FROM quality.recorded_night GROUP BY source, kind) AS m,
         stacks(m.samples) AS s
    GROUP BY m.source, m.kind, m.samples, leaf(s.stack)
    HAVING sum(s.value) >= 0.003 * total(m.samples) AND frame_total(m.samples, leaf(s.stack)) <= 0.1 * total(m.samples);
END
$$;

-- Between 0 and 1, the same for the same key on every server.
CREATE FUNCTION quality.uniform(key text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT ((hashtextextended(key, 0) & 4503599627370495)::float8 + 0.5) / 4503599627370496
$$;

CREATE FUNCTION quality.poisson(mean float8, key text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    up_to CONSTANT float8 := 200;  -- exp() of more than 700 is 0
    n int := 0;
    p float8 := exp(- least(mean, up_to));
    rest float8 := quality.uniform(key);
BEGIN
    IF mean > up_to THEN
        RETURN quality.poisson(up_to, key) + quality.poisson(mean - up_to, key || '+');
    END IF;
    WHILE rest > p AND n < 10 * mean + 100 LOOP
        rest := rest - p;
        n := n + 1;
        p := p * mean / n;
    END LOOP;
    RETURN n;
END
$$;

-- A night in which a function has more samples, by this fraction of all, of ordinary weight, in proportion to its stacks.
CREATE FUNCTION quality.slowed(night quality.night, own flamegraph, effect float8, weight float8, key text)
RETURNS quality.night LANGUAGE sql AS $$
    SELECT ((night).value + m.fg * (weight / r), (night).value_noise + m.fg * (weight / r) ^ 2,
            (night).samples + m.fg / r, (night).samples_noise + m.fg / r ^ 2, m.each)::quality.night
    FROM (SELECT sum(a.fg) AS fg, array_agg(e.fg + a.fg ORDER BY e.n) AS each, count(*)::float8 AS r
          FROM unnest((night).each) WITH ORDINALITY AS e (fg, n),
               LATERAL (SELECT flamegraph_agg(stack, quality.poisson(effect * total(e.fg) * value / total(own),
                                                                     concat_ws(' ', key, e.n, stack))) AS fg
                        FROM stacks(own)) AS a) AS m
$$;

-- way: "time" or "samples", "own" or "moderated", "floor" or "none"; "run": run_scores(), as the store does.
CREATE FUNCTION quality.tested_at_night(way text, history quality.night[], current quality.night, OUT key stackpath,
                                        OUT expected float8, OUT actual float8, OUT p_value float8, OUT size float8)
RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
    words text[] := string_to_array(way, ' ');
    by_time bool := words[1] = 'time';
    with_floor bool := words[3] = 'floor';
    before flamegraph[] := ARRAY(SELECT CASE WHEN by_time THEN h.value ELSE h.samples END FROM unnest(history) AS h);
    noise flamegraph[] := ARRAY(SELECT CASE WHEN by_time THEN h.value_noise ELSE h.samples_noise END FROM unnest(history) AS h);
    now flamegraph := CASE WHEN by_time THEN current.value ELSE current.samples END;
    size float8 := greatest(total(now), (SELECT avg(total(b)) FROM unnest(before) AS b));
BEGIN
    IF way = 'run' THEN
        RETURN QUERY
        SELECT d.key, d.expected, d.actual, d.p_value, size
        FROM run_scores(before, now, 'frame', poisson_unit => 1.0 / cardinality(current.each), history_noise => noise,
                        current_noise => current.samples_noise, repetitions => current.each) AS d;
    ELSE
        RETURN QUERY
        SELECT d.key, d.expected, d.actual, d.p_value, size
        FROM deviation_scores(before, now, variance => words[2],
            poisson_unit => CASE WHEN by_time THEN 1 ELSE 1.0 / cardinality(current.each) END,
            history_noise => CASE WHEN with_floor THEN noise END,
            current_noise => CASE WHEN NOT with_floor THEN NULL WHEN by_time THEN current.value_noise
                                  ELSE current.samples_noise END) AS d;
    END IF;
END
$$;

-- The family of the store's first watch row: what could become a finding is tested, by half of min_share; what has min_share
-- and min_effect can become one.
CREATE FUNCTION quality.scored_night(way text, history quality.night[], current quality.night, OUT key stackpath,
                                     OUT q_value float8) RETURNS SETOF record LANGUAGE sql AS $$
    WITH family AS (
        SELECT t.*, row_number() OVER (ORDER BY t.p_value) AS place, count(*) OVER () AS tests
        FROM quality.tested_at_night(way, history, current) AS t
        WHERE greatest(abs(t.actual), abs(t.expected)) >= 0.005 * t.size
    ), adjusted AS (
        SELECT f.*, min(f.p_value * f.tests / f.place) OVER (ORDER BY f.place DESC) AS q FROM family AS f
    )
    SELECT a.key, a.q FROM adjusted AS a
    WHERE abs(a.actual - a.expected) >= 0.05 * abs(a.expected) AND greatest(abs(a.actual), abs(a.expected)) >= 0.01 * a.size
$$;

CREATE FUNCTION quality.called_at_night(way text, history quality.night[], current quality.night, alpha float8)
RETURNS SETOF stackpath LANGUAGE sql AS $$
    SELECT key FROM quality.scored_night(way, history, current) WHERE q_value <= alpha
$$;

-- What the store looks for origins in: the difference that run_scores() saw, for others that of the numbers of samples.
CREATE FUNCTION quality.difference(way text, history quality.night[], current quality.night) RETURNS flamegraph LANGUAGE sql AS $$
    SELECT run_difference(array_agg(h.samples ORDER BY n), (current).samples, CASE WHEN way = 'run' THEN 'moderated' ELSE 'own' END,
                          poisson_unit => 1.0 / cardinality((current).each), history_noise => array_agg(h.samples_noise ORDER BY n),
                          current_noise => (current).samples_noise, repetitions => (current).each)
    FROM unnest(history) WITH ORDINALITY AS h (value, value_noise, samples, samples_noise, each, n)
$$;

-- Was it called, and is it what the innermost-function rule leaves? NULL: it was not called.
CREATE FUNCTION quality.is_named(called stackpath[], frame text, own flamegraph, difference flamegraph)
RETURNS bool LANGUAGE sql AS $$
    SELECT CASE WHEN stackpath(ARRAY[frame]) = ANY (called) THEN
        stackpath(ARRAY[frame]) = ANY (o.keys)
            AND NOT EXISTS (SELECT FROM unnest(o.keys) AS k WHERE leaf(k) <> frame AND frame_total(own, leaf(k)) > 0) END
    FROM (SELECT profiling.origins(called, 'frame', difference) AS keys OFFSET 0) AS o
$$;

CREATE FUNCTION quality.nights_before(source text, kind text, night int, runs int DEFAULT 10) RETURNS quality.night[]
LANGUAGE sql AS $$
    SELECT array_agg(h.mean ORDER BY h.night) FROM quality.recorded_night AS h
    WHERE h.source = nights_before.source AND h.kind = nights_before.kind
        AND h.night BETWEEN nights_before.night - runs AND nights_before.night - 1
$$;

-- Each night against the ten before it, as it is.
CREATE PROCEDURE quality.judge_quiet_nights(source text, kind text, ways text[], alpha float8) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO quality.result
    SELECT concat_ws(' ', 'quiet', n.source, n.kind), way, n.night, j.called, j.called, NULL, NULL
    FROM quality.recorded_night AS n, LATERAL (SELECT quality.nights_before(n.source, n.kind, n.night) AS history OFFSET 0) AS h,
         unnest(ways) AS way,
         LATERAL (SELECT count(*) AS called FROM quality.called_at_night(way, h.history, n.mean, alpha)) AS j
    WHERE n.source = judge_quiet_nights.source AND n.kind = judge_quiet_nights.kind AND n.night > 10;
END
$$;

-- Each night with a change in one of so many functions; totals: is the function named by the innermost-function rule?
CREATE PROCEDURE quality.judge_slow_nights(source text, kind text, ways text[], alpha float8, effect float8, functions int)
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO quality.result
    SELECT concat_ws(' ', 'slow', effect, n.source, n.kind), way, n.night * 100 + f.place, cardinality(c.keys),
           cardinality(c.keys), coalesce((stackpath(ARRAY[f.frame]) = ANY (c.keys))::int, 0),
           quality.is_named(c.keys, f.frame, f.own, quality.difference(way, h.history, s.slow))::int
    FROM quality.recorded_night AS n JOIN quality.weight AS w USING (source, kind),
         LATERAL (SELECT quality.nights_before(n.source, n.kind, n.night) AS history OFFSET 0) AS h,
         LATERAL (SELECT m.*, row_number() OVER (ORDER BY md5(concat_ws(' ', m.frame, n.night))) AS place
                  FROM quality.medium_function AS m WHERE (m.source, m.kind) = (n.source, n.kind)) AS f,
         LATERAL (SELECT quality.slowed(n.mean, f.own, effect, w.weight, concat_ws(' ', n.source, n.kind, n.night, f.frame)) AS slow
                  OFFSET 0) AS s,
         unnest(ways) AS way,
         LATERAL (SELECT ARRAY(SELECT quality.called_at_night(way, h.history, s.slow, alpha)) AS keys OFFSET 0) AS c
    WHERE n.source = judge_slow_nights.source AND n.kind = judge_slow_nights.kind AND n.night > 10 AND f.place <= functions;
END
$$;

-- Nights of many benchmarks, which nights.py draws from the recordings: a pool of these, and what came of it.
CREATE TABLE quality.pool_stack (n int PRIMARY KEY, stack stackpath, leaf int, frame text);
CREATE TABLE quality.pool (program text, night int, stacks int[], leaves int[], samples float8[], value float8[], noise float8[]);
CREATE TYPE quality.drawn_night AS (
    benchmark int, night int, repetition int, program text, slow int, stacks int[], samples float8[], value float8[],
    noise float8[]
);

-- Of the recordings of 5,000 samples fewer nights are judged.
CREATE PROCEDURE quality.fill_pool() LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMP TABLE pooled ON COMMIT DROP AS
    SELECT f.source, f.kind, f.night, f.repetition, s.stack, s.value AS samples, v.value, n.value AS noise
    FROM quality.night_file AS f, read_recording(f.data) AS r,
         stacks(coalesce(r.samples, r.complete / r.period)) AS s
         JOIN LATERAL stacks(r.complete) AS v USING (stack)
         JOIN LATERAL stacks(coalesce(r.noise, recording_noise(r.complete, r.period))) AS n USING (stack);
    INSERT INTO quality.pool_stack
    SELECT row_number() OVER (ORDER BY stack), stack, dense_rank() OVER (ORDER BY leaf(stack)), leaf(stack)
    FROM (SELECT DISTINCT stack FROM pooled) AS p;
    INSERT INTO quality.pool
    SELECT concat_ws(' ', p.source, p.kind), p.night, array_agg(s.n ORDER BY s.n), array_agg(s.leaf ORDER BY s.n),
           array_agg(p.samples ORDER BY s.n), array_agg(p.value ORDER BY s.n), array_agg(p.noise ORDER BY s.n)
    FROM pooled AS p JOIN quality.pool_stack AS s USING (stack)
    GROUP BY p.source, p.kind, p.night, p.repetition ORDER BY p.source, p.kind, p.night, p.repetition;
END
$$;

CREATE FUNCTION quality.profile_of(stacks int[], counts float8[]) RETURNS flamegraph LANGUAGE sql AS $$
    SELECT flamegraph_agg(s.stack, u.count) FROM unnest(stacks, counts) AS u (n, count) JOIN quality.pool_stack AS s USING (n)
$$;

-- The nights of the session's table "drawn": of each benchmark the smallest q-value of a night (its family's p-value by Simes),
-- and that of the function that grew. mass, totals: these two; called: the benchmark.
CREATE PROCEDURE quality.judge_drawn(scenario text, ways text[]) LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMP TABLE night ON COMMIT DROP AS
    SELECT r.benchmark, r.night,
           (SELECT stackpath(ARRAY[p.frame]) FROM quality.pool_stack AS p WHERE p.leaf = max(r.slow) LIMIT 1) AS slow,
           (avg(r.value), sum(r.noise) / count(*) ^ 2, avg(r.samples), sum(r.samples) / count(*) ^ 2,
            array_agg(r.samples ORDER BY r.repetition))::quality.night AS mean
    FROM (SELECT d.benchmark, d.night, d.repetition, d.slow, quality.profile_of(stacks, value) AS value,
                 quality.profile_of(stacks, noise) AS noise, quality.profile_of(stacks, samples) AS samples
          FROM pg_temp.drawn AS d OFFSET 0) AS r
    GROUP BY r.benchmark, r.night;
    CREATE INDEX ON night (benchmark, night);
    INSERT INTO quality.result
    SELECT scenario, way, n.night, n.benchmark, 0, coalesce(min(q.q_value), 1),
           min(q.q_value) FILTER (WHERE q.key = n.slow)
    FROM night AS n,
         LATERAL (SELECT array_agg(h.mean ORDER BY h.night) AS history FROM night AS h
                  WHERE h.benchmark = n.benchmark AND h.night BETWEEN n.night - 10 AND n.night - 1) AS h,
         unnest(ways) AS way LEFT JOIN LATERAL quality.scored_night(way, h.history, n.mean) AS q ON true
    WHERE n.night > 10
    GROUP BY way, n.night, n.benchmark, n.slow;
END
$$;
