-- Both sides agree, on sums over all keys.
\set ON_ERROR_STOP on
DO $$
DECLARE
    bad text;
BEGIN
    SELECT string_agg(format('%s: %s', measure, answers), '; ') INTO bad
    FROM (SELECT measure, string_agg(side || ' ' || answer, ', ') AS answers
          FROM bench.answer WHERE measure ~ '^(group|hotelling)_' GROUP BY measure
          HAVING NOT max(answer) - min(answer) <= 1e-9 * abs(max(answer)) OR count(*) < 2) AS s;
    IF bad IS NOT NULL THEN
        RAISE 'different answers: %', bad;
    END IF;
END
$$;
