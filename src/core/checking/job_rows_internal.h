/*
 * job_rows_internal.h
 *	  What the two halves of job_rows.h share.
 */
#ifndef FG_JOB_ROWS_INTERNAL_H
#define FG_JOB_ROWS_INTERNAL_H

#include "core/checking/job_rows.h"
#include "core/jobs/keys_sort.h"

/* Places in capacity[]. */
enum
{
	FG_ROWS_PHASE_TYPES, FG_ROWS_PRECEDENCES, FG_ROWS_RESOURCE_TYPES, FG_ROWS_RULES,
	FG_ROWS_PHASES, FG_ROWS_RESOURCES, FG_ROWS_MAPPINGS, FG_ROWS_USAGES, FG_ROWS_BLOCKINGS
};

/* Room for one more row in an array; the numbers FG_UNKNOWN and FG_NONE stay free. */
extern bool fg_job_rows_room(FgJobRows *rows, void *array, int table, uint32_t count, size_t size);

/* The phase or resource of an id, FG_UNKNOWN when there is none. */
extern uint32_t fg_job_rows_phase(FgJobRows *rows, int64_t id);
extern uint32_t fg_job_rows_resource(FgJobRows *rows, int64_t id);

/* Elements of an array in the order of the items of keys; the array is replaced. */
extern bool fg_permute(FgContext *ctx, void **array, size_t size, uint32_t count,
					   const FgSortKey *keys);

#endif							/* FG_JOB_ROWS_INTERNAL_H */
