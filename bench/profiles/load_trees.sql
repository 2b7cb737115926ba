-- One large profile for the questions about calling contexts, three times: as a value, and as a graph database would
-- hold it, a row a node with a pointer to the parent and indexes; and the partial stacks that are merged into it.
-- Variables: largest, partial.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
\ir ../settings.sql

-- Two programs side by side have more frames than one.
CREATE UNLOGGED TABLE bench.tree AS
SELECT sum(flamegraph_from_folded(data)) AS fg FROM bench.half_folded;
DROP TABLE bench.half_folded;

-- The peer gets what a graph database keeps with a node, the inclusive value and the recursion edges included.
CREATE UNLOGGED TABLE bench.node AS
SELECT node, parent, frame, depth, self, total FROM bench.tree, node_facts(fg) ORDER BY node;
ALTER TABLE bench.node ADD PRIMARY KEY (node);
CREATE INDEX ON bench.node (parent);
CREATE INDEX ON bench.node (frame);
CREATE UNLOGGED TABLE bench.edge AS SELECT ancestor_node, descendant_node, distance FROM bench.tree, recursion_pairs(fg);
CREATE INDEX ON bench.edge (ancestor_node);
CREATE INDEX ON bench.edge (descendant_node);

-- What is asked about: the frame with most contexts; a package with many, by prefix and by expression.
CREATE TABLE bench.tree_question AS
SELECT m.frame, 'net.sample' AS prefix, '\.([a-z]+)\.Cursor[A-Z]' AS regex,
       '{"t": {"prefix": "net.sample"}}'::jsonb AS by_prefix,
       '{"t-\\1": {"regex": "\\.([a-z]+)\\.Cursor[A-Z]"}}'::jsonb AS by_regex
FROM bench.tree, frame_metrics(fg) m ORDER BY m.nodes DESC LIMIT 1;

-- Stacks of other recordings of the programs, cut off after their last 24 frames.
CREATE UNLOGGED TABLE bench.partial AS
SELECT flamegraph_agg(stack, value) AS fg
FROM (SELECT subpath(s.stack, -24) AS stack, sum(s.value) AS value
      FROM bench.partial_folded, flamegraph_from_folded(data) AS f, stacks(f) AS s
      WHERE depth(s.stack) > 24 GROUP BY 1 ORDER BY md5(subpath(s.stack, -24)::text) LIMIT :partial) AS t;
DROP TABLE bench.partial_folded;
VACUUM ANALYZE bench.tree, bench.node, bench.edge, bench.tree_question, bench.partial;
