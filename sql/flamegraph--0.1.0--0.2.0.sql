-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION flamegraph UPDATE TO '0.2.0'" to load this file. \quit

-- Written by tools/upgrade_script.py: by hand is only what comes from sql/upgrade-0.1.0.sql.


