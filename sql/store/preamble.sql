/* flamegraph_store: what a team runs, tables and functions around flamegraph */

-- complain if the script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION flamegraph_store" to load this file. \quit

-- While this script runs the search path is: schema profiling, the schema of
-- flamegraph, pg_temp. Tables and functions with BEGIN ATOMIC bind to what they
-- name here; functions in PL/pgSQL keep the path by SET search_path FROM CURRENT.
-- Procedures that commit can keep no setting: they qualify every name.
--
-- Why there are no foreign keys between these tables, no keys on the partitioned
-- parent and one pg_extension_config_dump a statement: docs/internals.md, "The store".
