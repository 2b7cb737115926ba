-- The largest size of this process while it runs a query, without what is shared with others (the buffers), in bytes.
-- Linux only. Variables: result, the query; work_mem, unless that of settings.sql is meant.
\set ON_ERROR_STOP on
\ir settings.sql
\if :{?work_mem}
SET work_mem = :'work_mem';
\endif
\o /dev/null
:result;
\o
SELECT 1024 * ((regexp_match(status, 'VmHWM:\s+(\d+)'))[1]::bigint - (regexp_match(status, 'RssShmem:\s+(\d+)'))[1]::bigint)
FROM (SELECT pg_read_file('/proc/self/status') AS status) AS s;
