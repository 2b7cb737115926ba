-- All sides found the same: weighed sums of all rows, and how many rows of bottlenecks and issues.
\set ON_ERROR_STOP on
DO $$
DECLARE
    bad text;
BEGIN
    SELECT string_agg(format('%s: %s', measure, answers), '; ') INTO bad
    FROM (SELECT measure, string_agg(side || ' ' || answer, ', ') AS answers
          FROM bench.answer WHERE measure LIKE 'job!_%' ESCAPE '!' GROUP BY measure
          HAVING NOT max(answer) - min(answer) <= 1e-9 * abs(max(answer))) AS s;
    IF bad IS NOT NULL THEN
        RAISE 'different answers: %', bad;
    END IF;
    IF (SELECT count(*) FROM bench.answer WHERE measure LIKE 'job!_%' ESCAPE '!') NOT IN (6, 12, 18) THEN
        RAISE 'answers are missing';
    END IF;
END
$$;
