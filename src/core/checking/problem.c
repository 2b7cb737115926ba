/*
 * problem.c
 *	  The words for what can be wrong with a job (see problem.h).
 */
#include "core/checking/problem.h"

static const char *const words[FG_PROBLEM_CODES] = {
	[FG_PROBLEM_UNKNOWN_JOB] = "unknown_job",
	[FG_PROBLEM_UNKNOWN_MODEL] = "unknown_model",
	[FG_PROBLEM_UNKNOWN_PHASE_TYPE] = "unknown_phase_type",
	[FG_PROBLEM_UNKNOWN_RESOURCE_TYPE] = "unknown_resource_type",
	[FG_PROBLEM_UNKNOWN_PHASE] = "unknown_phase",
	[FG_PROBLEM_UNKNOWN_RESOURCE] = "unknown_resource",
	[FG_PROBLEM_DUPLICATE_KEY] = "duplicate_key",
	[FG_PROBLEM_ROOT_TYPE_COUNT] = "root_type_count",
	[FG_PROBLEM_ROOT_TYPE_REPEATABLE] = "root_type_repeatable",
	[FG_PROBLEM_PHASE_TYPE_CYCLE] = "phase_type_cycle",
	[FG_PROBLEM_RESOURCE_TYPE_CYCLE] = "resource_type_cycle",
	[FG_PROBLEM_BAD_PREDICATE] = "bad_predicate",
	[FG_PROBLEM_PRECEDENCE_NOT_SIBLINGS] = "precedence_not_siblings",
	[FG_PROBLEM_PRECEDENCE_CYCLE] = "precedence_cycle",
	[FG_PROBLEM_DUPLICATE_RULE] = "duplicate_rule",
	[FG_PROBLEM_RULE_CLASS_MISMATCH] = "rule_class_mismatch",
	[FG_PROBLEM_BAD_CAP] = "bad_cap",
	[FG_PROBLEM_BAD_DELTA] = "bad_delta",
	[FG_PROBLEM_BAD_TIME] = "bad_time",
	[FG_PROBLEM_PHASE_END_BEFORE_START] = "phase_end_before_start",
	[FG_PROBLEM_ROOT_COUNT] = "root_count",
	[FG_PROBLEM_PHASE_CYCLE] = "phase_cycle",
	[FG_PROBLEM_PHASE_TYPE_MISMATCH] = "phase_type_mismatch",
	[FG_PROBLEM_REPEATED_ONCE_TYPE] = "repeated_once_type",
	[FG_PROBLEM_DUPLICATE_INSTANCE] = "duplicate_instance",
	[FG_PROBLEM_BAD_CAPACITY] = "bad_capacity",
	[FG_PROBLEM_RESOURCE_CYCLE] = "resource_cycle",
	[FG_PROBLEM_MAPPING_NOT_SUBSET] = "mapping_not_subset",
	[FG_PROBLEM_USAGE_ON_NON_CONSUMABLE] = "usage_on_non_consumable",
	[FG_PROBLEM_MEASUREMENT_END_BEFORE_START] = "measurement_end_before_start",
	[FG_PROBLEM_BAD_USAGE] = "bad_usage",
	[FG_PROBLEM_OVERLAPPING_MEASUREMENTS] = "overlapping_measurements",
	[FG_PROBLEM_BLOCKING_ON_NON_BLOCKING] = "blocking_on_non_blocking",
	[FG_PROBLEM_BLOCKING_END_BEFORE_START] = "blocking_end_before_start",
	[FG_PROBLEM_CHILD_OUTSIDE_PARENT] = "child_outside_parent",
	[FG_PROBLEM_SEQUENTIAL_OVERLAP] = "sequential_overlap",
	[FG_PROBLEM_PRECEDENCE_VIOLATED] = "precedence_violated",
	[FG_PROBLEM_EMPTY_PHASE] = "empty_phase",
	[FG_PROBLEM_EMPTY_MEASUREMENT] = "empty_measurement",
	[FG_PROBLEM_USAGE_ABOVE_CAPACITY] = "usage_above_capacity",
	[FG_PROBLEM_UNMEASURED_LIFE] = "unmeasured_life",
	[FG_PROBLEM_UNUSED_RULE] = "unused_rule",
};

const char *
fg_problem_word(FgProblemCode code)
{
	return words[code];
}
