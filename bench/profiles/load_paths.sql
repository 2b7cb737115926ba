-- Questions about paths: frames of twenty stacks that are in the table.
\set ON_ERROR_STOP on
SET client_min_messages = warning;

ANALYZE bench.stack_text;
CREATE TABLE bench.question AS
SELECT row_number() OVER () AS n, f[1] AS first, f[d] AS last, f[d / 3] AS upper, f[d * 2 / 3] AS lower, f[ : d / 3] AS prefix
FROM (SELECT string_to_array(stack, ';') AS f, cardinality(string_to_array(stack, ';')) AS d
      FROM bench.stack_text ORDER BY md5(id::text)) AS s
WHERE d BETWEEN 12 AND 20 LIMIT 20;

-- One query out of all questions, each answered by itself; "condition" is a format of first, last, upper, lower and the
-- prefix joined by "separator".
CREATE FUNCTION bench.ask(relation text, condition text, separator text) RETURNS text
LANGUAGE sql AS $$
    SELECT 'SELECT sum(c)::bigint, sum(s)::bigint FROM ('
        || string_agg(format('SELECT count(*) AS c, sum(id) AS s FROM %s WHERE ', relation)
                      || format(condition, first, last, upper, lower, array_to_string(prefix, separator)), ' UNION ALL ')
        || ') AS q'
    FROM bench.question
$$;
