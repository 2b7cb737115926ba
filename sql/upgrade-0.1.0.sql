-- Equal values may differ in their bytes since zstd compresses them or not; deduplication of a btree takes it as a
-- promise that they do not.
ALTER OPERATOR FAMILY flamegraph_ops USING btree DROP FUNCTION 4 (flamegraph, flamegraph);
