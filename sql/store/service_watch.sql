
--
-- watching services
--
-- An hour of a service is compared with the same hour of earlier days. Days are what is independent: pods of one hour
-- serve the same requests, so that their spread alone would call every other mix of requests a change. It is a floor:
-- what the pods of the hour differ in by as much is not the service's. When a version comes, the pods that have it are
-- compared with those that have not, of the same hour; there pods are what is independent.
--
-- What is compared are shares, because what a service costs goes with its load. Before they are compared they are
-- brought to a common speed, as runs of benchmarks are: a function that grows makes the others no smaller.
--
-- Findings are those of benchmarks: to them a service is a benchmark of suite production, of which an hour is a run.
-- Their method is service, and none of the watch rows of benchmarks is about them.
--

CREATE FUNCTION service_baseline_works(baseline text) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	SET standard_conforming_strings = on AS $$
DECLARE
	v_season CONSTANT record := profiling.season_of(baseline);
BEGIN
	IF coalesce(baseline !~ ' (hour|day|week)s?\*' OR v_season.periods > 60
			OR v_season.period * v_season.periods > interval '366 days', true) THEN
		RAISE EXCEPTION 'baseline "%" is none of a service', baseline USING ERRCODE = 'invalid_parameter_value',
			HINT = 'It is season:INTERVAL*N, such as season:1 day*7 or season:7 days*4: a number of hours, days or '
				'weeks, and how many of them to go back, from 1 to 60; a year in all.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION service_baseline_works(text) IS 'true; an error for what is no baseline of a row of service_watch';

CREATE TABLE service_watch (
	service text NOT NULL DEFAULT '%',
	event text NOT NULL DEFAULT '%',
	level text NOT NULL DEFAULT 'frame' CHECK (word_works('level'::text, level, 'stack'::text, 'node'::text,
		'frame'::text, 'self'::text)),
	baseline text NOT NULL DEFAULT 'season:1 day*7',
	alpha float8 NOT NULL DEFAULT 0.01 CHECK (alpha >= 1e-100::float8 AND alpha < 1::float8),
	min_share float8 NOT NULL DEFAULT 0.01 CHECK (min_share = 0::float8 OR min_share >= 1e-12::float8
		AND min_share <= 1::float8),
	min_effect float8 NOT NULL DEFAULT 0.05 CHECK (min_effect = 0::float8 OR min_effect >= 1e-12::float8
		AND min_effect <= 1e9::float8),
	direction text NOT NULL DEFAULT 'both' CHECK (word_works('direction'::text, direction, 'both'::text,
		'degradation'::text, 'optimization'::text)),
	confirm int NOT NULL DEFAULT 1 CHECK (confirm >= 0 AND confirm <= 1000),
	min_instances int NOT NULL DEFAULT 3 CHECK (min_instances >= 1 AND min_instances <= 1000000),
	min_profiles int NOT NULL DEFAULT 10 CHECK (min_profiles >= 1 AND min_profiles <= 1000000000),
	deploys bool NOT NULL DEFAULT true,
	enabled bool NOT NULL DEFAULT true,
	PRIMARY KEY (service, event),
	CONSTRAINT service_watch_patterns_work CHECK (pattern_works(service) AND pattern_works(event)),
	CONSTRAINT service_watch_baseline_works CHECK (service_baseline_works(baseline))
);
COMMENT ON TABLE service_watch
	IS 'how hours of services are compared with those of earlier days; the row with the most specific patterns is in '
		'force, service before event; without one the defaults are: every service is watched';
COMMENT ON COLUMN service_watch.service IS 'pattern of LIKE for the name of the service';
COMMENT ON COLUMN service_watch.event IS 'pattern of LIKE for the event';
COMMENT ON COLUMN service_watch.level IS 'what is compared: stack, node, frame or self';
COMMENT ON COLUMN service_watch.baseline
	IS 'season:INTERVAL*N: an hour is compared with those that began INTERVAL, 2 INTERVAL, … N INTERVAL before; '
		'three of them are needed';
COMMENT ON COLUMN service_watch.alpha
	IS 'accepted share of hours with a false finding in any service, before it is confirmed, and of such hours with '
		'versions that came; where several services stand out in an hour, the accepted mean share of false ones among '
		'the findings of each';
COMMENT ON COLUMN service_watch.min_share IS 'findings below this share of the profile are left out; a fraction';
COMMENT ON COLUMN service_watch.min_effect
	IS 'findings that changed by less, relative to what was expected, are left out; a fraction';
COMMENT ON COLUMN service_watch.direction IS 'both, degradation or optimization';
COMMENT ON COLUMN service_watch.confirm
	IS 'how many later hours must show a finding in the same direction before it is open and told; 0: the first one '
		'is enough';
COMMENT ON COLUMN service_watch.min_instances
	IS 'hours, and versions, with fewer instances are not compared';
COMMENT ON COLUMN service_watch.min_profiles IS 'hours, and versions, with fewer profiles are not compared';
COMMENT ON COLUMN service_watch.deploys
	IS 'whether instances with a version that comes are compared with those that have another one, within an hour';
COMMENT ON COLUMN service_watch.enabled IS 'false: what this row is the most specific one for is not watched';

CREATE FUNCTION service_watch_of(service text, event text) RETURNS service_watch
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_row profiling.service_watch;
BEGIN
	SELECT w.* INTO v_row FROM profiling.service_watch AS w
	WHERE service_watch_of.service LIKE w.service AND service_watch_of.event LIKE w.event
	ORDER BY profiling.pattern_weight(w.service) DESC, profiling.pattern_weight(w.event) DESC, w.service, w.event
	LIMIT 1;
	IF NOT FOUND THEN
		v_row.service := '%';
		v_row.event := '%';
		v_row.level := 'frame';
		v_row.baseline := 'season:1 day*7';
		v_row.alpha := 0.01;
		v_row.min_share := 0.01;
		v_row.min_effect := 0.05;
		v_row.direction := 'both';
		v_row.confirm := 1;
		v_row.min_instances := 3;
		v_row.min_profiles := 10;
		v_row.deploys := true;
		v_row.enabled := true;
	END IF;
	RETURN v_row;
END
$$;
COMMENT ON FUNCTION service_watch_of(text, text)
	IS 'the row of service_watch that is in force for a service and an event; where there is none one of the defaults';

CREATE TABLE service_hour (
	service_id bigint NOT NULL,
	event text NOT NULL,
	unit text NOT NULL,
	hour timestamptz NOT NULL,
	checked_at timestamptz NOT NULL DEFAULT now(),
	instances bigint NOT NULL DEFAULT 0,
	profiles bigint NOT NULL DEFAULT 0,
	compared_with int,
	not_compared text,
	deploy text,
	deploys int NOT NULL DEFAULT 0,
	PRIMARY KEY (service_id, event, unit, hour)
);
COMMENT ON TABLE service_hour IS 'hours of services that watch_services() has looked at, for 30 days';
COMMENT ON COLUMN service_hour.service_id IS 'the service';
COMMENT ON COLUMN service_hour.event IS 'that of the profiles';
COMMENT ON COLUMN service_hour.unit IS 'that of the profiles';
COMMENT ON COLUMN service_hour.hour IS 'when the hour began';
COMMENT ON COLUMN service_hour.checked_at IS 'when it was looked at';
COMMENT ON COLUMN service_hour.instances IS 'how many instances it had then';
COMMENT ON COLUMN service_hour.profiles IS 'how many profiles it had then';
COMMENT ON COLUMN service_hour.compared_with
	IS 'with how many earlier hours it was compared; null: with none';
COMMENT ON COLUMN service_hour.not_compared IS 'why it was not compared with earlier ones; null where it was';
COMMENT ON COLUMN service_hour.deploy
	IS 'versions that came from half an hour before this hour to half an hour after it began: with which they were '
		'compared, or why not; null: none came';
COMMENT ON COLUMN service_hour.deploys IS 'how many of them were compared';

--
-- Families of an hour are its services: each is compared with its days, and each version that came with the one before
-- it. A service that stands out less than Bonferroni asks for waits until all of the hour were compared, as benchmarks
-- do in a night. Of m comparisons that were made R are selected whose smallest adjusted p-value is at most
-- alpha * R / m, by Benjamini & Hochberg among families, and what is in these is tested at alpha * R / m (Y. Benjamini
-- & M. Bogomolov, Selective inference on multiple families of hypotheses, J. R. Statist. Soc. B 76, 2014, 297-318,
-- procedure 1 with the Simes p-values of families). The expected mean of the false discovery proportions of those that
-- are selected is then at most alpha, and without any change R is 0 but in the share alpha of hours. Comparisons with
-- days and comparisons of versions are selected apart, so that hours with many deploys take nothing from the others.
--

CREATE TABLE service_candidate (
	service_id bigint NOT NULL,
	event text NOT NULL,
	unit text NOT NULL,
	hour timestamptz NOT NULL,
	comparison text NOT NULL CHECK (comparison IN ('days', 'version')),
	version text NOT NULL DEFAULT '',
	before text NOT NULL DEFAULT '',
	first timestamptz,
	families float8 NOT NULL CHECK (families >= 1::float8),
	p_value float8 NOT NULL CHECK (p_value BETWEEN 0::float8 AND 1::float8),
	alpha float8 NOT NULL CHECK (alpha > 0::float8),
	found_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (service_id, event, unit, hour, comparison, version)
);
COMMENT ON TABLE service_candidate
	IS 'comparisons of an hour that stand out by themselves, until all services of the hour were compared and some of '
		'them are selected; empty between calls of watch_services()';
COMMENT ON COLUMN service_candidate.service_id IS 'the service';
COMMENT ON COLUMN service_candidate.event IS 'that of the profiles';
COMMENT ON COLUMN service_candidate.unit IS 'that of the profiles';
COMMENT ON COLUMN service_candidate.hour IS 'when the hour began';
COMMENT ON COLUMN service_candidate.comparison
	IS 'days: with the same hour of earlier days; version: of a version that came with the one before it';
COMMENT ON COLUMN service_candidate.version IS 'the version that came, else empty';
COMMENT ON COLUMN service_candidate.before IS 'the one before it';
COMMENT ON COLUMN service_candidate.first IS 'when it came; null for a comparison with days';
COMMENT ON COLUMN service_candidate.families IS 'how many comparisons it was tested among so far';
COMMENT ON COLUMN service_candidate.p_value
	IS 'the smallest p-value adjusted within the comparison, of what is large enough to be a finding; at most alpha';
COMMENT ON COLUMN service_candidate.alpha IS 'that of the row of service_watch';
COMMENT ON COLUMN service_candidate.found_at IS 'when it was compared';

CREATE VIEW watched_service AS
SELECT h.service_id, s.name AS service, h.event, h.unit, h.hour, h.checked_at, h.instances, h.profiles,
	h.compared_with, h.not_compared, h.deploy
FROM (SELECT DISTINCT ON (o.service_id, o.event, o.unit) o.*
		FROM service_hour AS o ORDER BY o.service_id, o.event, o.unit, o.hour DESC) AS h
	JOIN service AS s ON s.service_id = h.service_id;
COMMENT ON VIEW watched_service
	IS 'the newest hour of each service and event that watch_services() has looked at: whether it was compared, or '
		'why not';
COMMENT ON COLUMN watched_service.service_id IS 'the service';
COMMENT ON COLUMN watched_service.service IS 'its name';
COMMENT ON COLUMN watched_service.event IS 'that of the profiles';
COMMENT ON COLUMN watched_service.unit IS 'that of the profiles';
COMMENT ON COLUMN watched_service.hour IS 'when the hour began';
COMMENT ON COLUMN watched_service.checked_at IS 'when it was looked at';
COMMENT ON COLUMN watched_service.instances IS 'how many instances it had then';
COMMENT ON COLUMN watched_service.profiles IS 'how many profiles it had then';
COMMENT ON COLUMN watched_service.compared_with IS 'with how many earlier hours it was compared; null: with none';
COMMENT ON COLUMN watched_service.not_compared IS 'why it was not compared with earlier ones; null where it was';
COMMENT ON COLUMN watched_service.deploy
	IS 'versions that came from half an hour before this hour to half an hour after it began: with which they were '
		'compared, or why not; null: none came';

