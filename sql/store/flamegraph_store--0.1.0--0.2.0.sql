-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION flamegraph_store UPDATE TO '0.2.0'" to load this file. \quit
