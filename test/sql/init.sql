-- The extension, the helpers that the other tests use, and what \d shows.
CREATE EXTENSION flamegraph;

--
-- Helpers: schema t.
--
-- Every error is shown whole: SQLSTATE, message, detail and hint. A line break
-- inside a text is shown as \n, so that a statement stays on its line.
--
CREATE SCHEMA t;

CREATE FUNCTION t.shown(words text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN length(s) <= 300 THEN s
				ELSE left(s, 60) || '... (' || length(s) || ' characters)' END
	FROM replace(replace(replace(words, E'\n', '\n'), E'\r', '\r'), E'\t', '\t') AS s
$$;

-- What a statement returns, or its error.
CREATE FUNCTION t.outcome(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	result text;
	v_message text;
	v_detail text;
	v_hint text;
BEGIN
	EXECUTE statement INTO result;
	RETURN NEXT '    no error: ' || coalesce(t.shown(result), 'NULL');
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT, v_detail = PG_EXCEPTION_DETAIL,
		v_hint = PG_EXCEPTION_HINT;
	RETURN NEXT '    ' || SQLSTATE || ' ' || t.shown(v_message);
	IF v_detail <> '' THEN
		RETURN NEXT '    DETAIL: ' || t.shown(v_detail);
	END IF;
	IF v_hint <> '' THEN
		RETURN NEXT '    HINT: ' || t.shown(v_hint);
	END IF;
END
$$;

-- The outcome of several statements.
CREATE FUNCTION t.try(VARIADIC statements text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	statement text;
BEGIN
	FOREACH statement IN ARRAY statements LOOP
		RETURN NEXT t.shown(statement);
		RETURN QUERY SELECT t.outcome(statement);
	END LOOP;
END
$$;

-- The outcome of reading several texts as a value of a type.
CREATE FUNCTION t.input(type regtype, VARIADIC inputs text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	input text;
BEGIN
	FOREACH input IN ARRAY inputs LOOP
		RETURN NEXT '"' || t.shown(input) || '"';
		RETURN QUERY SELECT t.outcome(format('SELECT %L::%s', input, type));
	END LOOP;
END
$$;

-- A value of a type from its binary form, by COPY: the receive function cannot
-- be called in SQL.
CREATE FUNCTION t.receive(type regtype, binary_form bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	stream bytea := '\x5047434f50590aff0d0a00' || '\x0000000000000000'::bytea ||
		int2send(1::int2) || int4send(length(binary_form)) || binary_form || int2send((-1)::int2);
	result text;
BEGIN
	EXECUTE format('CREATE TEMP TABLE received (value %s)', type);
	EXECUTE format('COPY received FROM PROGRAM %L (FORMAT binary)',
				   'echo ' || replace(encode(stream, 'base64'), E'\n', '') || ' | base64 -d');
	EXECUTE 'SELECT value::text FROM received' INTO result;
	DROP TABLE received;
	RETURN result;
END
$$;

-- Reproducible random numbers, the same on every version of PostgreSQL.
CREATE FUNCTION t.random(seed text, n int) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT (('x' || substr(md5(seed), 1, 8))::bit(32)::bigint % n)::int
$$;

-- What there is

SELECT extname, extversion ~ '^\d+\.\d+\.\d+$' AS has_version, extrelocatable FROM pg_extension WHERE extname = 'flamegraph';
\dT
\do
\da

-- psql shows values as they are.
SELECT stackpath 'main;parse;read' AS stack, flamegraph E'main;parse;read 7\nmain;print 2' AS profile;
-- an error points at the literal
SELECT flamegraph E'main;parse 1\nmain;print x';
SELECT stackpath 'main;;read';
