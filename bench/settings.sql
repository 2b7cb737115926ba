-- One core for everybody, and memory enough that no peer spills to disk. JIT would cost the short queries more than
-- the long ones win.
SET max_parallel_workers_per_gather = 0;
SET work_mem = '1GB';
SET jit = off;
SET client_min_messages = warning;
