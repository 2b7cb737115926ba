/*
 * validate_internal.h
 *	  What the parts of the validation share.
 *
 * Their functions return false when the validation is over: it has failed, or whoever
 * listens has heard enough.
 */
#ifndef FG_VALIDATE_INTERNAL_H
#define FG_VALIDATE_INTERNAL_H

#include "core/base/pairs.h"
#include "core/checking/validate.h"
#include "core/jobs/keys_sort.h"

typedef struct FgCheck
{
	FgContext  *ctx;
	const FgJob *job;
	FgProblemEmit emit;
	void	   *arg;
	bool		enough;			/* the listener wants no more */
} FgCheck;

static inline bool
fg_check_emit(FgCheck *check, const FgProblem *problem)
{
	check->enough = !check->emit(check->arg, problem);
	return !check->enough;
}

static inline bool
fg_is_known(uint32_t reference)
{
	return reference < FG_UNKNOWN;
}

/*
 * Twice a difference of two times, and that plus a slice, fit 64 bits: times reach from
 * PostgreSQL's first one, 4714 BC, to the end of the year 99999.
 */
#define FG_FIRST_TIME (-INT64_C(211813488000000000))
#define FG_LAST_TIME (INT64_C(3092581296000000000))

static inline bool
fg_times_work(int64_t start, int64_t end)
{
	return start >= FG_FIRST_TIME && start < FG_LAST_TIME && end >= FG_FIRST_TIME &&
		end < FG_LAST_TIME;
}

/* A problem of a phase, with its times. */
static inline FgProblem
fg_phase_problem(FgProblemCode code, const FgPhase *phase)
{
	return (FgProblem) {
		.code = code, .table = FG_TABLE_PHASE, .has_phase = true, .phase = phase->id,
		.has_times = true, .start = phase->start, .end = phase->end
	};
}

static inline FgProblem
fg_resource_problem(FgProblemCode code, const FgResource *resource)
{
	return (FgProblem) {
		.code = code, .table = FG_TABLE_RESOURCE, .has_resource = true,
		.resource = resource->id
	};
}

static inline FgProblem
fg_type_problem(FgProblemCode code, FgJobTable table, FgSpan name)
{
	return (FgProblem) {.code = code, .table = table, .name = name};
}

/*
 * A reference to what does not exist; silent where reading has told of it already, by its
 * name.
 */
extern bool fg_check_known(FgCheck *check, uint32_t reference, const FgProblem *problem);

/* The times of a problem, by fg_times_work(). */
extern bool fg_check_times(FgCheck *check, const FgProblem *problem);

/*
 * Tells of each cycle among nodes with these parents, given every "stride" bytes: "describe"
 * makes the problem of one with so many nodes, of which this is the first.
 */
extern bool fg_check_cycles(FgCheck *check, const uint32_t *parents, size_t stride, uint32_t count,
							FgProblem (*describe) (const FgJob *job, uint32_t node));

/* Are there such cycles? */
extern bool fg_has_cycle(FgContext *ctx, const uint32_t *parents, size_t stride, uint32_t count,
						 bool *has);

/*
 * Phases by the pair of their parent and type: pair_of[] has the number of the pair of
 * each phase, FG_NONE where one of the two does not exist.
 */
extern bool fg_pair_phases(FgContext *ctx, const FgJob *job, FgPairs *pairs, uint32_t *pair_of);

extern bool fg_check_model(FgCheck *check);
extern bool fg_check_phases(FgCheck *check);
extern bool fg_check_resources(FgCheck *check);
extern bool fg_check_mappings(FgCheck *check);
extern bool fg_check_measurements(FgCheck *check);

#endif							/* FG_VALIDATE_INTERNAL_H */
