
--
-- what dashboards ask for (Hegeman 2024, section 4.4.5): the analyses with names of phases, and times from the begin of
-- the job on. parent_id of the parts of a phase is the phase. WHERE job_id = ... analyses one job, else it is all.
--

CREATE VIEW phase_overview AS
SELECT p.job_id, p.phase_id, p.parent_id, p.phase_type, p.instance,
	extract(epoch FROM p.start_time - r.start_time)::float8 AS start_offset,
	extract(epoch FROM p.end_time - r.start_time)::float8 AS end_offset,
	extract(epoch FROM p.end_time - p.start_time)::float8 AS duration
FROM phase AS r JOIN phase AS p ON p.job_id = r.job_id
WHERE r.parent_id IS NULL;
COMMENT ON VIEW phase_overview
	IS 'phases with their times from the begin of their job on';
COMMENT ON COLUMN phase_overview.job_id IS 'the job';
COMMENT ON COLUMN phase_overview.phase_id IS 'the phase';
COMMENT ON COLUMN phase_overview.parent_id IS 'the phase that it is part of; null: of none';
COMMENT ON COLUMN phase_overview.phase_type IS 'its type';
COMMENT ON COLUMN phase_overview.instance IS 'which of its type';
COMMENT ON COLUMN phase_overview.start_offset IS 'begin, in seconds after the begin of the job';
COMMENT ON COLUMN phase_overview.end_offset IS 'end, likewise';
COMMENT ON COLUMN phase_overview.duration IS 'seconds that it took';

CREATE VIEW phase_timeline AS
SELECT p.job_id, p.phase_id, p.parent_id, p.phase_type, p.instance,
	extract(epoch FROM x.start_time - r.start_time)::float8 AS start_offset,
	extract(epoch FROM x.end_time - r.start_time)::float8 AS end_offset, x.resource_types
FROM phase AS r JOIN job AS j ON j.job_id = r.job_id
	CROSS JOIN LATERAL bottleneck_timeline(j.job_id, NULL::interval, NULL::timestamptz, 'phase_aware'::text,
		0.95::float8, 'any'::text, true, true) AS x
	JOIN phase AS p ON p.job_id = j.job_id AND p.phase_id = x.phase_id
WHERE r.parent_id IS NULL;
COMMENT ON VIEW phase_timeline
	IS 'what limits each phase when: bottleneck_timeline() of each job; rows of one phase cover its life';
COMMENT ON COLUMN phase_timeline.job_id IS 'the job';
COMMENT ON COLUMN phase_timeline.phase_id IS 'the phase';
COMMENT ON COLUMN phase_timeline.parent_id IS 'the phase that it is part of; null: of none';
COMMENT ON COLUMN phase_timeline.phase_type IS 'its type';
COMMENT ON COLUMN phase_timeline.instance IS 'which of its type';
COMMENT ON COLUMN phase_timeline.start_offset IS 'begin, in seconds after the begin of the job';
COMMENT ON COLUMN phase_timeline.end_offset IS 'end, likewise';
COMMENT ON COLUMN phase_timeline.resource_types IS 'types of the resources that limit it then; empty: none';

CREATE VIEW phase_bottleneck AS
SELECT p.job_id, p.phase_id, p.parent_id, p.phase_type, p.instance, x.resource_type,
	extract(epoch FROM x.start_time - r.start_time)::float8 AS start_offset,
	extract(epoch FROM x.end_time - r.start_time)::float8 AS end_offset, x.cause
FROM phase AS r JOIN job AS j ON j.job_id = r.job_id
	CROSS JOIN LATERAL bottlenecks(j.job_id, NULL::interval, NULL::timestamptz, 'phase_aware'::text,
		0.95::float8, 'any'::text, true, true) AS x
	JOIN phase AS p ON p.job_id = j.job_id AND p.phase_id = x.phase_id
WHERE r.parent_id IS NULL;
COMMENT ON VIEW phase_bottleneck
	IS 'the same by type of resource, with causes: bottlenecks() of each job';
COMMENT ON COLUMN phase_bottleneck.job_id IS 'the job';
COMMENT ON COLUMN phase_bottleneck.phase_id IS 'the phase';
COMMENT ON COLUMN phase_bottleneck.parent_id IS 'the phase that it is part of; null: of none';
COMMENT ON COLUMN phase_bottleneck.phase_type IS 'its type';
COMMENT ON COLUMN phase_bottleneck.instance IS 'which of its type';
COMMENT ON COLUMN phase_bottleneck.resource_type IS 'type of the resources that limit it';
COMMENT ON COLUMN phase_bottleneck.start_offset IS 'begin, in seconds after the begin of the job';
COMMENT ON COLUMN phase_bottleneck.end_offset IS 'end, likewise';
COMMENT ON COLUMN phase_bottleneck.cause IS 'blocking, saturated, contended or allocation';

CREATE VIEW phase_breakdown AS
SELECT p.job_id, p.phase_id, p.parent_id, p.phase_type, p.instance, x.resource_type,
	x.duration, x.bottleneck_time, x.fraction
FROM phase AS r JOIN job AS j ON j.job_id = r.job_id
	CROSS JOIN LATERAL bottleneck_durations(j.job_id, NULL::interval, NULL::timestamptz, 'phase_aware'::text,
		0.95::float8, 'any'::text, true, true) AS x
	JOIN phase AS p ON p.job_id = j.job_id AND p.phase_id = x.phase_id
WHERE r.parent_id IS NULL;
COMMENT ON VIEW phase_breakdown
	IS 'for how long each type of resource limits each phase: bottleneck_durations() of each job';
COMMENT ON COLUMN phase_breakdown.job_id IS 'the job';
COMMENT ON COLUMN phase_breakdown.phase_id IS 'the phase';
COMMENT ON COLUMN phase_breakdown.parent_id IS 'the phase that it is part of; null: of none';
COMMENT ON COLUMN phase_breakdown.phase_type IS 'its type';
COMMENT ON COLUMN phase_breakdown.instance IS 'which of its type';
COMMENT ON COLUMN phase_breakdown.resource_type IS 'type of the resources; null: the time without any bottleneck';
COMMENT ON COLUMN phase_breakdown.duration IS 'seconds that the phase took';
COMMENT ON COLUMN phase_breakdown.bottleneck_time IS 'seconds of them in which they limit it';
COMMENT ON COLUMN phase_breakdown.fraction IS 'bottleneck_time / duration; null of a phase that took no time';

CREATE VIEW phase_usage AS
SELECT p.job_id, p.phase_id, p.parent_id, p.phase_type, p.instance, s.resource_id, s.resource_type,
	s.instance AS resource_instance,
	extract(epoch FROM x.start_time - r.start_time)::float8 AS start_offset,
	extract(epoch FROM x.end_time - r.start_time)::float8 AS end_offset, x.usage,
	x.available_capacity
FROM phase AS r JOIN job AS j ON j.job_id = r.job_id
	CROSS JOIN LATERAL attribute_usage(j.job_id, NULL::interval, NULL::timestamptz, 'phase_aware'::text,
		0.95::float8, 'any'::text, true, true) AS x
	JOIN phase AS p ON p.job_id = j.job_id AND p.phase_id = x.phase_id
	JOIN resource AS s ON s.job_id = j.job_id AND s.resource_id = x.resource_id
WHERE r.parent_id IS NULL;
COMMENT ON VIEW phase_usage
	IS 'what leaves use of resources over time: attribute_usage() of each job';
COMMENT ON COLUMN phase_usage.job_id IS 'the job';
COMMENT ON COLUMN phase_usage.phase_id IS 'the phase';
COMMENT ON COLUMN phase_usage.parent_id IS 'the phase that it is part of; null: of none';
COMMENT ON COLUMN phase_usage.phase_type IS 'its type';
COMMENT ON COLUMN phase_usage.instance IS 'which of its type';
COMMENT ON COLUMN phase_usage.resource_id IS 'the resource';
COMMENT ON COLUMN phase_usage.resource_type IS 'its type';
COMMENT ON COLUMN phase_usage.resource_instance IS 'which of its type';
COMMENT ON COLUMN phase_usage.start_offset IS 'begin, in seconds after the begin of the job';
COMMENT ON COLUMN phase_usage.end_offset IS 'end, likewise';
COMMENT ON COLUMN phase_usage.usage IS 'what the phase uses, in the unit of the type';
COMMENT ON COLUMN phase_usage.available_capacity IS 'what it could use';

CREATE VIEW phase_issue AS
SELECT p.job_id, p.phase_id, p.parent_id, p.phase_type, p.instance, x.issue, x.source,
	x.estimated_impact, x.relative_impact, x.rank
FROM phase AS r JOIN job AS j ON j.job_id = r.job_id
	CROSS JOIN LATERAL performance_issues(j.job_id, NULL::interval, NULL::timestamptz, 'phase_aware'::text,
		0.95::float8, 'any'::text, true, true) AS x
	JOIN phase AS p ON p.job_id = j.job_id AND p.phase_id = x.phase_id
WHERE r.parent_id IS NULL;
COMMENT ON VIEW phase_issue
	IS 'what costs each phase how much: performance_issues() of each job';
COMMENT ON COLUMN phase_issue.job_id IS 'the job';
COMMENT ON COLUMN phase_issue.phase_id IS 'the phase';
COMMENT ON COLUMN phase_issue.parent_id IS 'the phase that it is part of; null: of none';
COMMENT ON COLUMN phase_issue.phase_type IS 'its type';
COMMENT ON COLUMN phase_issue.instance IS 'which of its type';
COMMENT ON COLUMN phase_issue.issue IS 'imbalance, bottleneck or a rule of users';
COMMENT ON COLUMN phase_issue.source IS 'type of the phases or resources that it comes from';
COMMENT ON COLUMN phase_issue.estimated_impact IS 'seconds that the phase would take less without it, at most';
COMMENT ON COLUMN phase_issue.relative_impact IS 'the same as a part of its duration';
COMMENT ON COLUMN phase_issue.rank IS '1: the issue of the phase with the largest impact';
