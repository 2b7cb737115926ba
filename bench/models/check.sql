-- All sides made the same models. A search for a bandwidth ends where it likes within its tolerance, so only the sums of
-- squares that are left are compared there.
\set ON_ERROR_STOP on
DO $$
DECLARE
    bad text;
BEGIN
    SELECT string_agg(format('%s: %s', measure, answers), '; ') INTO bad
    FROM (SELECT measure, string_agg(side || ' ' || answer, ', ') AS answers
          FROM bench.answer GROUP BY measure
          HAVING NOT max(answer) - min(answer) <= CASE measure WHEN 'model_search' THEN 1e-3 ELSE 1e-9 END * abs(max(answer))) AS s;
    IF bad IS NOT NULL THEN
        RAISE 'different answers: %', bad;
    END IF;
    IF (SELECT count(DISTINCT measure) FROM bench.answer) < 10 THEN
        RAISE 'answers are missing';
    END IF;
END
$$;
