-- Small profiles as rows: ten frames at the end of one stack of the largest recording, and of these the first six, so
-- that a profile has ten nodes and two stacks. Variables: largest, small.
\set ON_ERROR_STOP on
SET client_min_messages = warning;

CREATE UNLOGGED TABLE bench.small_row (profile_id int, stack text, value float8);
CREATE TEMP TABLE tail AS
SELECT row_number() OVER () - 1 AS n, f[cardinality(f) - 9 : ] AS f
FROM (SELECT string_to_array(left(line, -1 - length(split_part(line, ' ', -1))), ';') AS f
      FROM bench.folded, string_to_table(data, E'\n') AS line
      WHERE nodes = :largest AND ordering = 'shuffled' AND line <> '') AS s
WHERE cardinality(f) >= 10;
INSERT INTO bench.small_row
SELECT i, array_to_string(f[ : len], ';'), 1 + i % 7
FROM generate_series(1, :small) AS i JOIN tail ON n = i % (SELECT count(*) FROM tail), (VALUES (10), (6)) AS l (len)
ORDER BY i;
VACUUM ANALYZE bench.small_row;
