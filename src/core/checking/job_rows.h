/*
 * job_rows.h
 *	  Makes a job of the rows of tables: names and ids become indexes, rows come into order.
 *
 * Rows are added table by table, in the order of the functions here, and settled where
 * later ones refer to them.  Types come sorted bytewise by name, everything else in any
 * order: sorting is linear and is left out where rows are sorted already, as those of
 * a monitor are.  Workload: five million measurements, in memory once and a half.
 *
 * What a row refers to and is not there becomes FG_UNKNOWN and a problem in job.found, of
 * measurements and mappings one for each id.  Texts are copied, so rows may go when they are
 * added.
 */
#ifndef FG_JOB_ROWS_H
#define FG_JOB_ROWS_H

#include "core/base/pairs.h"
#include "core/checking/problem.h"
#include "core/jobs/job.h"

typedef struct FgTextChunk FgTextChunk;

/* Names or ids of parents, kept until all rows are there. */
typedef struct FgParents
{
	FgSpan	   *names;
	int64_t    *ids;
	bool	   *given;
	size_t		name_capacity;
	size_t		id_capacity;
	size_t		given_capacity;
} FgParents;

/* Ids that rows of one kind name and that do not exist, as their halves. */
typedef struct FgMissing
{
	FgPairs		pairs;
	uint32_t   *problem;		/* by number of the pair: which one tells of it */
	size_t		capacity;
} FgMissing;

#define FG_MISSING_KINDS 4

typedef struct FgJobRows
{
	FgContext  *ctx;
	FgJob	   *job;			/* that is being made; its arrays are allocated in ctx */
	FgTextChunk *texts;
	FgProblem  *found;
	size_t		found_capacity;
	FgParents	parents;		/* of what is being added */
	FgMissing	missing[FG_MISSING_KINDS];
	size_t		capacity[9];	/* of the arrays of the job, in the order of its members */
	uint32_t	last_type;		/* what was found last is often asked for again */
	uint32_t	last_phase;
	uint32_t	last_resource;
} FgJobRows;

/* Starts with an empty job of this id. */
extern bool fg_job_rows_begin(FgContext *ctx, int64_t id, FgJob *job, FgJobRows *rows);

/* A problem of the job as such: it is not there, or its model is not. */
extern bool fg_job_rows_problem(FgJobRows *rows, const FgProblem *problem);

/* Parents and predicates whose bytes are NULL are not given. */
extern bool fg_job_add_phase_type(FgJobRows *rows, FgSpan name, FgSpan parent, FgRepeat repeat,
								  FgSpan predicate);
extern bool fg_job_settle_phase_types(FgJobRows *rows);
extern bool fg_job_add_precedence(FgJobRows *rows, FgSpan before, FgSpan after);
extern bool fg_job_add_resource_type(FgJobRows *rows, FgSpan name, FgSpan parent,
									 FgResourceClass class);
extern bool fg_job_settle_resource_types(FgJobRows *rows);
extern bool fg_job_add_rule(FgJobRows *rows, FgSpan phase_type, FgSpan resource_type,
							FgRuleKind kind, double cap, double delta);

/* A parent of NULL is none. */
extern bool fg_job_add_phase(FgJobRows *rows, int64_t id, const int64_t *parent, FgSpan type,
							 FgSpan instance, int64_t start, int64_t end);
extern bool fg_job_settle_phases(FgJobRows *rows);
extern bool fg_job_add_resource(FgJobRows *rows, int64_t id, const int64_t *parent, FgSpan type,
								double capacity, double delta);
extern bool fg_job_settle_resources(FgJobRows *rows);
extern bool fg_job_add_mapping(FgJobRows *rows, int64_t phase, int64_t resource);
extern bool fg_job_add_usage(FgJobRows *rows, int64_t resource, int64_t start, int64_t end,
							 double usage);
extern bool fg_job_add_blocking(FgJobRows *rows, int64_t resource, int64_t start, int64_t end);

/* Everything is there.  What only the making needed is released. */
extern bool fg_job_rows_settle(FgJobRows *rows);

/* Releases that when there was an error. */
extern void fg_job_rows_free(FgJobRows *rows);

/* The arrays and texts of the job, which fg_job_free() leaves. */
extern void fg_job_rows_free_job(FgJobRows *rows);

#endif							/* FG_JOB_ROWS_H */
