-- Type perfmodel: a fitted model as text, in binary form, as jsonb and in tables, and what each of them refuses.
\pset null NULL

-- a model of every kind, written by hand as it is printed
CREATE TEMP TABLE model (id serial, text text, m perfmodel);
INSERT INTO model (text) VALUES
	('{"kind": "constant", "n": 3, "x_start": 1, "x_end": 3, "r_square": 1, "r_square_y": 1, "parameters": {}, "coefficients": [2.5]}'),
	('{"kind": "logarithmic", "n": 10, "x_start": 0.1, "x_end": 1e+300, "r_square": 0.30000000000000004, "r_square_y": null, "parameters": {}, "coefficients": [-1, 5e-324]}'),
	('{"kind": "linear", "n": 3, "x_start": 1, "x_end": 2, "r_square": null, "r_square_y": null, "parameters": {}, "coefficients": [1, 2]}'),
	('{"kind": "quadratic", "n": 9007199254740992, "x_start": -1.7976931348623157e+308, "x_end": 1.7976931348623157e+308, "r_square": 0, "r_square_y": -3, "parameters": {}, "coefficients": [0.1, 0.2, 2.2250738585072014e-308]}'),
	('{"kind": "power", "n": 4, "x_start": 5, "x_end": 5, "r_square": 0.5, "r_square_y": 0.25, "parameters": {"": null}, "coefficients": [1, -0.5]}'),
	('{"kind": "exponential", "n": 4, "x_start": -2.5e-07, "x_end": 123456789012345680, "r_square": 0.5, "r_square_y": 0.25, "parameters": {"a": [1, {"b": true}], "é\"\\": "日本\t"}, "coefficients": [1, 1e-07]}'),
	('{"kind": "regressogram", "n": 7, "x_start": 0, "x_end": 3, "r_square": 0.9, "y_start": -1, "parameters": {"rule": "user", "statistic": "median"}, "edges": [0, 1, 2, 3], "points": [3, 0, 4], "values": [-1, null, 4]}'),
	('{"kind": "moving_average", "n": 3, "x_start": 1, "x_end": 2, "r_square": 0.5, "parameters": {"method": "sma"}, "x": [1, 2, 2], "y": [1, 2, 5], "fitted": [null, 2.6666666666666665, null]}'),
	('{"kind": "kernel_regression", "n": 9, "x_start": 1, "x_end": 2, "r_square": 0.5, "parameters": {"score": 1.5}, "x": [1, 1.5], "y": [null, null], "fitted": [3, null]}'),
	('{"kind": "moving_average", "n": 0, "x_start": 1, "x_end": 2, "r_square": null, "parameters": {}, "x": [], "y": [], "fitted": []}'),
	('{"kind": "sample", "n": 2, "parameters": {"window_size": 3}, "x": [2, 1], "y": [-1, 1e-300]}'),
	('{"kind": "sample", "n": 0, "parameters": {}, "x": [], "y": []}');
UPDATE model SET m = text::perfmodel;
SELECT id, kind(m), m::text = text AS exact, t.receive('perfmodel', perfmodel_send(m)) = text AS exact_binary, m::jsonb = text::jsonb AS jsonb, m::jsonb::text::perfmodel = m AS through_jsonb, r_square(m), x_start(m), x_end(m) FROM model ORDER BY id;
SELECT m FROM model WHERE id IN (6, 7) ORDER BY id;
-- fitted ones, with numbers of 17 digits
CREATE TEMP TABLE fitted (id serial, m perfmodel);
INSERT INTO fitted (m) SELECT model FROM parametric_models(ARRAY[0.1, 0.7, 1.3, 2.9, 3.1], ARRAY[0.3, 1.1, 0.9, 4.7, 3.3]);
INSERT INTO fitted (m) SELECT fit(NULL, ARRAY[0.3, 1.1, NULL, 0.9, 4.7, 3.3], name, options) FROM (VALUES ('regressogram', '{"buckets": 4, "statistic": "median"}'::jsonb), ('moving_average', '{"window_size": 3}'), ('moving_average', '{"method": "ema", "halflife": 0.7}'), ('kernel_regression', '{"rule": "cv_ls"}'), ('kernel_regression', '{"at_x": [0.1, 99, 1]}')) v(name, options);
SELECT id, kind(m), m::text::perfmodel = m AS exact, t.receive('perfmodel', perfmodel_send(m)) = m::text AS exact_binary, m::jsonb::text::perfmodel = m AS through_jsonb FROM fitted ORDER BY id;

-- blanks, order of members, facts that are left out or null, the last of equal keys, several ways to write a number
SELECT text::perfmodel AS m FROM (VALUES
	(E' {"parameters" :\t{} ,"coefficients":[1.0e0,20e-1],\n"x_end": 2.00, "x_start": 1, "n": 3e0, "kind": "linear"} '),
	('{"kind": "power", "kind": "linear", "n": 9, "n": 3, "x_start": 1, "x_end": 2, "r_square": null, "parameters": {"a": 1}, "parameters": {}, "coefficients": [1], "coefficients": [1, 2]}'),
	('{"kind": "linear", "n": 3, "x_start": 0.99999999999999999999, "x_end": 2, "parameters": {}, "coefficients": [1, 2]}')) v(text);
-- parameters as jsonb prints them; no minus zero
SELECT '{"kind": "linear", "n": 3, "x_start": -0, "x_end": -0.0, "parameters": {"b":1,"aa":2,  "a":[ ], "b":1.50}, "coefficients": [-0e5, -1e-5]}'::perfmodel AS m;

-- the layout of core/models/model.h: version, kind, n, five facts, sizes of parameters and columns, parameters, columns
SELECT perfmodel_send(m) = '\x0102000000000000'::bytea || '\x0300000000000000' || '\x000000000000f03f' || '\x0000000000000040' || '\x000000000000f87f' || '\x000000000000f87f' || '\x000000000000f87f' || '\x0200000000000000' || '\x0200000000000000' || '{}'::bytea || '\x000000000000f03f' || '\x0000000000000040' AS linear FROM model WHERE id = 3;
SELECT perfmodel_send(m) = '\x0109000000000000'::bytea || '\x0200000000000000' || '\x000000000000f87f' || '\x000000000000f87f' || '\x000000000000f87f' || '\x000000000000f87f' || '\x000000000000f87f' || '\x1200000000000000' || '\x0200000000000000' || '{"window_size": 3}'::bytea || '\x0000000000000040' || '\x000000000000f03f' || '\x000000000000f0bf' || '\x59f3f8c21f6ea501' AS sample FROM model WHERE id = 11;

-- jsonb
SELECT m::jsonb -> 'parameters' ->> 'statistic' AS statistic, m::jsonb -> 'values' -> 1 AS empty_bucket, jsonb_typeof(m::jsonb) AS type, CAST(m AS jsonb) ->> 'n' AS n FROM model WHERE id = 7;
SELECT NULL::perfmodel::jsonb AS jsonb, NULL::perfmodel AS m, perfmodel_send(NULL) AS send;

-- equal in every part
SELECT what, m = changed::perfmodel AS equal, m <> changed::perfmodel AS unequal, changed::perfmodel = m AS turned_round FROM model, LATERAL (VALUES
	(1, 'nothing', text), (2, 'kind', replace(text, 'linear', 'power')), (3, 'n', replace(text, '"n": 3', '"n": 4')), (4, 'x_start', replace(text, '"x_start": 1', '"x_start": 1.0000000000000002')), (5, 'x_end', replace(text, '"x_end": 2', '"x_end": 3')), (6, 'r_square', replace(text, '"r_square": null', '"r_square": 0')),
	(7, 'r_square_y', replace(text, '"r_square_y": null', '"r_square_y": 0')), (8, 'parameters', replace(text, '{}', '{"a": 1}')), (9, 'a coefficient', replace(text, '[1, 2]', '[1, 3]'))) v(i, what, changed) WHERE id = 3 ORDER BY i;
SELECT m = replace(text, '"y_start": -1', '"y_start": null')::perfmodel AS y_start, m = replace(text, '[3, 0, 4]', '[4, 0, 3]')::perfmodel AS points, m = replace(text, '"rule": "user", "statistic": "median"', '"statistic": "median", "rule": "user"')::perfmodel AS order_of_parameters, m = NULL AS "= null", m <> NULL AS "<> null", NULL = m AS "null =" FROM model WHERE id = 7;
SELECT count(*) AS pairs, count(*) FILTER (WHERE (a.m = b.m) = (a.id <> b.id)) AS wrong, count(*) FILTER (WHERE (a.m = b.m) = (a.m <> b.m)) AS both FROM model a, model b;
SELECT count(*) AS in_list FROM model WHERE m IN (SELECT m FROM model WHERE id < 4);

-- in tables: with a short header, compressed, out of line; small again after an update
CREATE TEMP TABLE stored (id int, what text, m perfmodel, plain perfmodel);
ALTER TABLE stored ALTER plain SET STORAGE external;
INSERT INTO stored SELECT id, what, m, m FROM (VALUES (1, 'small', (SELECT m FROM model WHERE id = 3)),
	(2, 'compressible', fit(array_fill(1::float8, ARRAY[2000]), array_fill(2::float8, ARRAY[2000]), 'moving_average', '{"window_size": 1}')),
	(3, 'large', (SELECT kernel_regression_agg(i, sqrt(i), '{"bandwidth": 3}') FROM generate_series(1, 3000) i)), (4, 'none', NULL)) v(id, what, m);
SELECT id, what, pg_column_size(m) < 126 AS short, pg_column_size(m) < octet_length(perfmodel_send(m)) / 10 AS compressed, pg_column_size(plain) >= octet_length(perfmodel_send(m)) AS plain, m = plain AS equal, m::text::perfmodel = plain AS exact, CASE WHEN m IS NOT NULL THEN t.receive('perfmodel', perfmodel_send(plain)) = m::text END AS exact_binary, kind(plain), (SELECT count(*) FROM points(plain)) AS points, m::jsonb ->> 'n' AS n FROM stored ORDER BY id;
SELECT pg_relation_size(reltoastrelid) > 70000 AS out_of_line FROM pg_class WHERE oid = 'stored'::regclass;
UPDATE stored SET m = (SELECT s.m FROM stored s WHERE s.id = 1), plain = m WHERE id = 3;
SELECT id, m = plain AS equal, pg_column_size(m) < 126 AS short, (SELECT count(*) FROM points(plain)) AS points FROM stored WHERE id = 3;
SELECT r_square(m) IS NULL AS short_header, predict(m, 3) FROM stored WHERE id = 1;

--
-- Bad input
--
\pset format unaligned
\pset tuples_only on
SELECT t.input('perfmodel', '', 'x', '{', '{"kind": "linear"} x', '[]', '3', 'null', '{}', '{"kind": null}', '{"kind": 3}', '{"kind": ["linear"]}', '{"kind": "cubic"}', '{"kind": "Linear"}', '{"kind": ""}', '{"kind": "linear"}', '{"n": 3}', '{"kind": "linear", "parameters": {"a": "\u0000"}}');
-- one member at a time
CREATE FUNCTION pg_temp.wrong(kind text, VARIADIC changes text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT changes[i] || ': ' || array_to_string(ARRAY(SELECT btrim(o) FROM t.outcome(format('SELECT %L::perfmodel', text::jsonb || ('{' || changes[i] || '}')::jsonb)) o), ' ')
	FROM (SELECT text FROM model WHERE kind(m) = kind AND text NOT LIKE '%: []%') x, generate_subscripts(changes, 1) i ORDER BY i
$$;
CREATE FUNCTION pg_temp.without(kind text, VARIADIC members text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT members[i] || ': ' || array_to_string(ARRAY(SELECT btrim(o) FROM t.outcome(format('SELECT %L::perfmodel', text::jsonb - members[i])) o), ' ')
	FROM (SELECT text FROM model WHERE kind(m) = kind AND text NOT LIKE '%: []%') x, generate_subscripts(members, 1) i ORDER BY i
$$;
SELECT pg_temp.without('linear', 'kind', 'n', 'parameters', 'coefficients', 'x_start', 'x_end');
SELECT pg_temp.without('regressogram', 'edges', 'points', 'values');
SELECT pg_temp.without('kernel_regression', 'x', 'y', 'fitted');
SELECT pg_temp.without('sample', 'x', 'y');
SELECT pg_temp.wrong('linear', '"n": -1', '"n": 1.5', '"n": null', '"n": "3"', '"n": 1e16', '"n": 1e400', '"parameters": []', '"parameters": "{}"', '"parameters": null', '"x_start": null', '"x_start": true', '"x_start": 3', '"x_end": 1e400', '"x_end": 1e-400', '"x_end": "Infinity"', '"r_square": "1"', '"r_square_y": {}', '"y_start": 1', '"edges": []', '"x": []', '"zürich": 1', '"": 1',
	'"coefficients": null', '"coefficients": 1', '"coefficients": {}', '"coefficients": []', '"coefficients": [1]', '"coefficients": [1, 2, 3]', '"coefficients": [1, null]', '"coefficients": [1, "2"]', '"coefficients": [1, [2]]', '"coefficients": [1, false]', '"coefficients": [1, 1e309]', '"coefficients": [[1, 2]]');
SELECT pg_temp.wrong('constant', '"coefficients": [1, 2]');
SELECT pg_temp.wrong('quadratic', '"coefficients": [1, 2]');
SELECT pg_temp.wrong('regressogram', '"edges": [0, 1, 2]', '"edges": [0, 2, 1, 3]', '"edges": [0, 1, null, 3]', '"points": [3, 4]', '"points": [3, 1, 3]', '"points": [2, 0, 4]', '"points": [3.5, 0, 3.5]', '"points": [8, 0, -1]', '"points": [3, null, 4]', '"values": [1, 2, 3]', '"values": [null, null, 4]', '"values": [-1, null, 4, 5]', '"values": []', '"n": 8', '"r_square_y": 1', '"coefficients": []', '"edges": [0], "points": [], "values": [], "n": 0');
SELECT pg_temp.wrong('moving_average', '"x": [2, 1, 2]', '"x": [1, 2, null]', '"x": [1, 2]', '"y": [1, 2]', '"y": [1, null, 2]', '"fitted": [1, 2]', '"fitted": [null, null, null]', '"edges": []', '"r_square_y": 1');
SELECT pg_temp.wrong('kernel_regression', '"x": [2, 1]', '"y": []', '"fitted": ["3", null]', '"n": 1');
SELECT pg_temp.wrong('sample', '"x": [1, null]', '"y": [null, 1]', '"x": [1]', '"fitted": [1, 2]', '"x_start": 1', '"x_end": 1', '"r_square": 1', '"y_start": 1');
SELECT t.try(
	$$SELECT jsonb_typeof(m) FROM model$$,
	$$SELECT m || '{}' FROM model$$,
	$$INSERT INTO model (m) SELECT text::jsonb FROM model$$,
	$$SELECT '{}'::jsonb::perfmodel$$,
	$$SELECT count(DISTINCT m) FROM model$$,
	$$SELECT m FROM model ORDER BY m$$,
	$$SELECT m < m FROM model$$,
	$$SELECT perfmodel_recv(bytea '')$$);
\pset tuples_only off
\pset format aligned
-- the binary form: every field of the header, the parameters and the columns
CREATE TEMP TABLE damaged (id serial, damage text, value bytea);
INSERT INTO damaged (damage, value)
SELECT 'buckets: ' || damage, value FROM (SELECT perfmodel_send(m) AS b, 73 + length('{"rule": "user", "statistic": "median"}') AS columns FROM model WHERE id = 7) x, LATERAL (VALUES
	('nothing', b), ('all bytes', ''), ('half of the header', substr(b, 1, 36)), ('one byte less than a header', substr(b, 1, 71)), ('only the header', substr(b, 1, 72)), ('last byte missing', substr(b, 1, length(b) - 1)), ('a byte too many', b || '\x00'), ('eight bytes too many', b || '\x0000000000000000'),
	('version 0', set_byte(b, 0, 0)), ('version 2', set_byte(b, 0, 2)), ('kind 10', set_byte(b, 1, 10)), ('kind 255', set_byte(b, 1, 255)), ('a linear model', set_byte(b, 1, 2)), ('reserved byte 2', set_byte(b, 2, 1)), ('reserved byte 7', set_byte(b, 7, 128)),
	('n one more', set_byte(b, 8, 8)), ('n 2^63 more', set_byte(b, 15, 128)), ('x_start not a number', overlay(b placing '\x000000000000f87f' from 17)), ('x_start infinite', overlay(b placing '\x000000000000f0ff' from 17)), ('x_start above x_end', overlay(b placing '\x0000000000001040' from 17)), ('x_end not a number', overlay(b placing '\x000000000000f87f' from 25)),
	('r_square infinite', overlay(b placing '\x000000000000f07f' from 33)), ('r_square another NaN', overlay(b placing '\x010000000000f87f' from 33)), ('r_square a negative NaN', overlay(b placing '\x000000000000f8ff' from 33)), ('r_square minus zero', overlay(b placing '\x0000000000000080' from 33)), ('r_square_y, which it has not', overlay(b placing '\x000000000000f03f' from 41)), ('y_start infinite', overlay(b placing '\x000000000000f0ff' from 49)),
	('no parameters', set_byte(b, 56, 0)), ('parameters a byte short', set_byte(b, 56, 38)), ('parameters a byte long', set_byte(b, 56, 40)), ('parameters of 4 GB', set_byte(b, 60, 1)), ('parameters of 2^63 bytes', set_byte(b, 63, 128)), ('parameters of all bytes', overlay(b placing '\xffffffffffffffff' from 57)), ('no rows', set_byte(b, 64, 0)), ('two rows', set_byte(b, 64, 2)), ('four rows', set_byte(b, 64, 4)), ('2^61 rows and 3', set_byte(b, 71, 32)), ('2^64 - 1 rows', overlay(b placing '\xffffffffffffffff' from 65)),
	('parameters begin with a blank', set_byte(b, 72, 32)), ('parameters not closed', set_byte(b, columns - 2, 32)), ('a parameter without its quote', set_byte(b, 73, 32)), ('a parameter with a zero byte', set_byte(b, 75, 0)), ('a parameter that is not UTF-8', set_byte(b, 75, 255)), ('a tab for a blank', set_byte(b, 80, 9)), ('an array', overlay(b placing '["rule", "user", "statistic", "median"]'::bytea from 73)), ('other order', overlay(b placing '{"statistic": "median", "rule": "user"}'::bytea from 73)), ('a string', overlay(b placing '"                                     "'::bytea from 73)), ('deep', overlay(b placing (repeat('[', 20) || repeat(']', 19))::bytea from 73)),
	('edge not a number', overlay(b placing '\x000000000000f87f' from columns + 8)), ('edge infinite', overlay(b placing '\x000000000000f07f' from columns + 24)), ('edges not ascending', overlay(b placing '\x0000000000001040' from columns + 8)), ('edge minus zero', overlay(b placing '\x0000000000000080' from columns)), ('half a point', overlay(b placing '\x000000000000e03f' from columns + 32)), ('minus a point', overlay(b placing '\x000000000000f0bf' from columns + 32)), ('points not a number', overlay(b placing '\x000000000000f87f' from columns + 32)), ('points infinite', overlay(b placing '\x000000000000f07f' from columns + 32)),
	('value infinite', overlay(b placing '\x000000000000f0ff' from columns + 56)), ('value another NaN', overlay(b placing '\x010000000000f87f' from columns + 64)), ('value of an empty bucket', overlay(b placing '\x000000000000f03f' from columns + 64)), ('no value of a bucket', overlay(b placing '\x000000000000f87f' from columns + 72))) v(damage, value);
INSERT INTO damaged (damage, value)
SELECT 'line: ' || damage, value FROM (SELECT perfmodel_send(m) AS b FROM model WHERE id = 3) x, LATERAL (VALUES
	('nothing', b), ('n 2^53', overlay(b placing '\x0000000000002000' from 9)), ('n 2^53 and 1', overlay(b placing '\x0100000000002000' from 9)), ('y_start, which it has not', overlay(b placing '\x000000000000f03f' from 49)), ('one coefficient', set_byte(substr(b, 1, 82), 64, 1)), ('three coefficients', set_byte(b || '\x000000000000f03f', 64, 3)), ('coefficient not a number', overlay(b placing '\x000000000000f87f' from 75)), ('a constant', set_byte(b, 1, 0)), ('a parabola', set_byte(b, 1, 3)), ('a power', set_byte(b, 1, 4)), ('a sample', set_byte(b, 1, 9)),
	('no parameters', set_byte(substr(b, 1, 72) || substr(b, 75), 56, 0)), ('x_start minus zero', overlay(b placing '\x0000000000000080' from 17))) v(damage, value);
INSERT INTO damaged (damage, value)
SELECT 'average: ' || damage, value FROM (SELECT perfmodel_send(m) AS b, 73 + length('{"method": "sma"}') AS columns FROM model WHERE id = 8) x, LATERAL (VALUES
	('nothing', b), ('x not ascending', overlay(b placing '\x0000000000001040' from columns + 8)), ('x not a number', overlay(b placing '\x000000000000f87f' from columns + 16)), ('y infinite', overlay(b placing '\x000000000000f07f' from columns + 24)), ('fitted infinite', overlay(b placing '\x000000000000f07f' from columns + 64)), ('kernel regression', set_byte(b, 1, 8)), ('r_square_y, which it has not', overlay(b placing '\x000000000000f03f' from 41))) v(damage, value);
INSERT INTO damaged (damage, value)
SELECT 'sample: ' || damage, value FROM (SELECT perfmodel_send(m) AS b, 73 + length('{"window_size": 3}') AS columns FROM model WHERE id = 11) x, LATERAL (VALUES
	('nothing', b), ('x_start, which it has not', overlay(b placing '\x000000000000f03f' from 17)), ('x_end, which it has not', overlay(b placing '\x000000000000f03f' from 25)), ('r_square, which it has not', overlay(b placing '\x000000000000f03f' from 33)), ('x not a number', overlay(b placing '\x000000000000f87f' from columns)), ('y infinite', overlay(b placing '\x000000000000f0ff' from columns + 24))) v(damage, value);
SELECT damage, CASE WHEN outcome[1] LIKE 'no error%' THEN 'no error' ELSE left(outcome[1], 5) || ' ' || coalesce(substr(outcome[2], 9), substr(outcome[1], 7)) END AS outcome
FROM (SELECT id, damage, ARRAY(SELECT btrim(t.outcome(format('SELECT t.receive(''perfmodel'', %L)', value)))) AS outcome FROM damaged OFFSET 0) x ORDER BY id;
