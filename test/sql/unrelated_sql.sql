-- The extension changes nothing for SQL that has nothing to do with it.
SELECT pg_typeof('a' || 'b') AS literals, pg_typeof('a' || 1) AS literal_integer, pg_typeof(1 || 'a') AS integer_literal, pg_typeof('a'::varchar || 'b') AS varchar_literal, pg_typeof('b' || 'a'::varchar) AS literal_varchar,
	pg_typeof('a'::varchar || 'b'::varchar) AS varchars, pg_typeof('a'::char(3) || 'b') AS char_literal, pg_typeof('a'::name || 'b') AS name_literal, pg_typeof('a'::text || 1) AS text_integer, pg_typeof('a'::text || NULL) AS text_null, pg_typeof(NULL || 'a') AS null_literal;
SELECT ARRAY[1, 2] || '{3}' AS array_literal, ARRAY['a'] || 'b'::text AS array_text, 'z'::text || ARRAY['a'] AS text_array, '\x01'::bytea || '\x02' AS bytea, '{"a": 1}'::jsonb || '{"b": 2}' AS jsonb;
SELECT 2 * '3' AS int4, '3' * 2.5 AS numeric, pi() * '2' AS float8, pi() / '2' AS divided, 1.5::float8 - '1' AS minus, '1' + 1.5::float8 AS plus, - 5::float8 AS negative, interval '1 day' * '2' = interval '2 days' AS interval, '3' * interval '1 day' = interval '3 days' AS literal_interval;
SELECT '{"a": {"b": 1}}'::jsonb -> 'a' AS jsonb, '{"a": 1}'::json -> 'a' AS json, '[1, 2]'::jsonb -> 1 AS element, '{"a": 1}'::jsonb @> '{}' AS contains, ARRAY[1, 2] <@ '{1,2,3}' AS contained, int4range(1, 5) @> 3 AS range;
SELECT point '(0,0)' <-> '(3,4)' AS distance, @-@ path '[(0,0),(3,4)]' AS length, 'a' < 'b' AS less, 'a' = 'b' AS equal, 'a' IN ('a', 'b') AS in, greatest('a', 'b') AS greatest;
SELECT abs('-5') AS abs, round('2.5') AS round, round('2.55', 1) AS places, sum(x) AS sum, avg(x) AS avg, pg_typeof(sum(x)) AS sum_type, pg_typeof(avg(x)) AS avg_type FROM (VALUES (1), (2)) v(x);
-- what was ambiguous stays so
\pset format unaligned
\pset tuples_only on
SELECT t.try($$SELECT '1' + '2'$$, $$SELECT sum('5')$$, $$SELECT '{"a": 1}' -> 'a'$$, $$SELECT - '5'$$, $$SELECT '(0,0)' <-> '(1,1)'$$);
