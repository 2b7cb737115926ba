-- All sides that were asked a question about paths, by scan or by index, or about calling contexts gave the same answer.
\set ON_ERROR_STOP on
DO $$
DECLARE
    bad text;
BEGIN
    SELECT string_agg(DISTINCT question, ', ') INTO bad
    FROM (SELECT regexp_replace(measure, '_index$', '') AS question FROM bench.sample
          WHERE (measure LIKE 'path%' OR measure LIKE 'tree%' AND measure NOT IN ('tree_partial', 'tree_nodes')) AND answer IS NOT NULL
          GROUP BY 1 HAVING count(DISTINCT answer) > 1) AS s;
    IF bad IS NOT NULL THEN
        RAISE 'different answers: %', bad;
    END IF;
END
$$;
