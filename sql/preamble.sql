/* flamegraph: profiles as values in PostgreSQL */

-- complain if the script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION flamegraph" to load this file. \quit

-- Frames are UTF-8 text, compared bytewise; a database in another encoding could
-- neither hold nor show them.
DO LANGUAGE plpgsql $$
BEGIN
	IF pg_catalog.current_setting('server_encoding') OPERATOR(pg_catalog.<>) 'UTF8' THEN
		RAISE EXCEPTION USING
			ERRCODE = 'feature_not_supported',
			MESSAGE = 'extension flamegraph needs a database with encoding UTF8',
			DETAIL = pg_catalog.format('The encoding of this database is %s.',
									   pg_catalog.current_setting('server_encoding')),
			HINT = 'Create a database with ENCODING ''UTF8'' TEMPLATE template0.';
	END IF;
END
$$;
