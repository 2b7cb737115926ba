
--
-- issue rules of users (Hegeman 2024, Algorithm 3)
--
-- The names of functions are texts and no regprocedure: pg_upgrade refuses a database with columns of that type,
-- because it does not keep the numbers of functions. A trigger writes them out with their schemas, so that they mean
-- the same whatever the search path is, also to a restore, whose path is empty.
--

CREATE TABLE issue_rule (
	rule text PRIMARY KEY CHECK (rule <> '' AND octet_length(rule) <= 500),
	leaf text NOT NULL,
	composite text NOT NULL,
	extract text NOT NULL,
	CONSTRAINT built_in_rule CHECK (rule <> 'bottleneck' AND rule <> 'imbalance')
);
COMMENT ON TABLE issue_rule
	IS 'what performance_issues() looks for beside bottlenecks and imbalance: rules of three functions each, which run '
		'with the rights of its caller and have to belong to the caller, a superuser, or the owner of this table';
COMMENT ON COLUMN issue_rule.rule IS 'name of the rule, which the column issue has then; not bottleneck or imbalance';
COMMENT ON COLUMN issue_rule.leaf
	IS 'function (job_id bigint, phase_id bigint) that returns the records of a leaf, a jsonb array; null: none';
COMMENT ON COLUMN issue_rule.composite
	IS 'function (job_id bigint, phase_id bigint, records jsonb) that returns the records of a phase with parts from '
		'those of its parts, all in one array';
COMMENT ON COLUMN issue_rule.extract
	IS 'function (job_id bigint, phase_id bigint, records jsonb) that returns rows (source text, impact float8) from '
		'the records of any phase: what it loses, in seconds; rows without a positive impact do not count';

CREATE FUNCTION name_rule_functions() RETURNS trigger
	LANGUAGE c AS 'MODULE_PATHNAME', 'jobs_name_rule_functions';
COMMENT ON FUNCTION name_rule_functions()
	IS 'writes the functions of a rule with their schemas, as the search path of whoever stores it finds them; a '
		'warning for one that does not exist';
CREATE TRIGGER name_rule_functions BEFORE INSERT OR UPDATE ON issue_rule
	FOR EACH ROW EXECUTE FUNCTION name_rule_functions();

CREATE VIEW issue_rule_function AS
	SELECT r.rule, to_regprocedure(r.leaf) AS leaf, to_regprocedure(r.composite) AS composite,
		to_regprocedure(r.extract) AS extract
	FROM issue_rule AS r;
COMMENT ON VIEW issue_rule_function IS 'the functions of issue rules; null: one that does not exist';
COMMENT ON COLUMN issue_rule_function.rule IS 'name of the rule';
COMMENT ON COLUMN issue_rule_function.leaf IS 'gives the records of leaves';
COMMENT ON COLUMN issue_rule_function.composite IS 'gives the records of phases with parts';
COMMENT ON COLUMN issue_rule_function.extract IS 'gives what a phase loses';
