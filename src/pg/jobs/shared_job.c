/*
 * shared_job.c
 *	  One job is kept from one call to the next (see shared_job.h).
 *
 * Two snapshots of a transaction show the same rows when the same transactions were running
 * at the time, when its own command counter is the same, and when no subtransaction was
 * left between them, which may have taken back what it did.  A view, a child table or a
 * policy of row security could make the rows depend on more than the snapshot, so jobs in
 * such tables are read each time.
 *
 * A query that has ended takes its memory along, and a callback there tells us.  It may end
 * while a call is under way that it knows nothing of: a function of the user's may close a
 * cursor.  Then what is kept goes when that call has ended.
 */
#include "pg/jobs/shared_job.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "pg/base/blocks.h"
#include "pg/base/errors.h"
#include "pg/base/values.h"
#include "pg/jobs/read_job.h"

/* What the rows of a job depend on. */
typedef struct JobMoment
{
	int64		job_id;
	Oid			user;
	SubTransactionId subtransaction;
	CommandId	command;
	TransactionId xmin;
	TransactionId xmax;
	bool		overflowed;		/* there are more subtransactions than the snapshot lists */
	bool		recovery;
	uint32		running_count;
	const TransactionId *running;
	int32		below_count;
	const TransactionId *below; /* subtransactions of these */
} JobMoment;

/* Users are calls that are under way; one of them may call another one. */
static struct
{
	MemoryContext memory;		/* a child of the transaction's; NULL: none is kept */
	MemoryContext shelf;		/* a child of that, or NULL: for what is made of the job */
	const FgJob *job;
	JobMoment	moment;
	uint64		number;			/* of the job that is kept, among all that were */
	int			users;
	MemoryContext query;		/* the last one that used it, while it is under way, or NULL */
	bool		over;			/* that query has ended, but not all users have */
} kept;

/* A query whose end we hear of: the last one that was asked for. */
static MemoryContext watched = NULL;

typedef struct QueryEnd
{
	MemoryContextCallback callback;
	MemoryContext query;
} QueryEnd;

typedef struct JobUser
{
	MemoryContextCallback callback;
	uint64		number;
} JobUser;

static bool
is_plain(const char *name, Oid schema)
{
	Oid			table = get_relname_relid(name, schema);
	HeapTuple	tuple = OidIsValid(table) ? SearchSysCache1(RELOID, ObjectIdGetDatum(table)) : NULL;
	bool		plain;

	if (!HeapTupleIsValid(tuple))
		return false;
	plain = ((Form_pg_class) GETSTRUCT(tuple))->relkind == RELKIND_RELATION &&
		!((Form_pg_class) GETSTRUCT(tuple))->relhassubclass;
	ReleaseSysCache(tuple);
	return plain && pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK &&
		check_enable_rls(table, InvalidOid, true) == RLS_NONE;
}

/* Whether this user sees all that is in the tables, by reading nothing but the tables. */
static bool
tables_are_plain(void)
{
	static const char *const names[] = {
		"job", "platform_model", "phase_type", "phase_type_precedence", "resource_type",
		"attribution_rule", "phase", "resource", "phase_resource", "usage_measurement",
		"blocking_interval"
	};
	Oid			schema = LookupExplicitNamespace("jobs", true);

	for (int i = 0; i < (int) lengthof(names); i++)
	{
		if (!OidIsValid(schema) || !is_plain(names[i], schema))
			return false;
	}
	return true;
}

static JobMoment
this_moment(int64 job_id)
{
	Snapshot	snapshot = GetActiveSnapshot();

	return (JobMoment) {
		.job_id = job_id, .user = GetUserId(), .subtransaction = GetCurrentSubTransactionId(),
		.command = snapshot->curcid, .xmin = snapshot->xmin, .xmax = snapshot->xmax,
		.overflowed = snapshot->suboverflowed, .recovery = snapshot->takenDuringRecovery,
		.running_count = snapshot->xcnt, .running = snapshot->xip,
		.below_count = snapshot->subxcnt, .below = snapshot->subxip
	};
}

static bool
same_transactions(const TransactionId *a, const TransactionId *b, size_t count)
{
	return count == 0 || memcmp(a, b, count * sizeof(TransactionId)) == 0;
}

static bool
same_snapshot(const JobMoment *a, const JobMoment *b)
{
	return a->command == b->command && a->xmin == b->xmin && a->xmax == b->xmax &&
		a->overflowed == b->overflowed && a->recovery == b->recovery &&
		a->running_count == b->running_count && a->below_count == b->below_count &&
		same_transactions(a->running, b->running, a->running_count) &&
		same_transactions(a->below, b->below, (size_t) a->below_count);
}

static bool
is_kept(const JobMoment *moment)
{
	return kept.memory != NULL && kept.moment.job_id == moment->job_id &&
		kept.moment.user == moment->user &&
		kept.moment.subtransaction == moment->subtransaction &&
		same_snapshot(&kept.moment, moment) && tables_are_plain();
}

/* The transaction ends, or another job is kept instead. */
static void
forget(void *arg)
{
	(void) arg;
	kept.memory = NULL;
	kept.shelf = NULL;
	kept.job = NULL;
	kept.users = 0;
	kept.query = NULL;
	kept.over = false;
	kept.number++;
}

static const TransactionId *
copy_transactions(MemoryContext memory, const TransactionId *list, size_t count)
{
	TransactionId *copy = MemoryContextAlloc(memory, (count + 1) * sizeof(TransactionId));

	if (count > 0)
		memcpy(copy, list, count * sizeof(TransactionId));
	return copy;
}

static void
keep(MemoryContext memory, const FgJob *job, const JobMoment *moment)
{
	MemoryContextCallback *callback = MemoryContextAlloc(memory, sizeof(MemoryContextCallback));

	if (kept.memory != NULL)
		MemoryContextDelete(kept.memory);
	*callback = (MemoryContextCallback) {.func = forget};
	MemoryContextRegisterResetCallback(memory, callback);
	kept.moment = *moment;
	kept.moment.running = copy_transactions(memory, moment->running, moment->running_count);
	kept.moment.below = copy_transactions(memory, moment->below, (size_t) moment->below_count);
	kept.job = job;
	kept.memory = memory;
	MemoryContextSetParent(memory, TopTransactionContext);
}

static bool
fits(MemoryContext memory)
{
	return MemoryContextMemAllocated(memory, true) + fg_blocks_lent(memory) <=
		(Size) work_mem * 1024;
}

/* No query needs it now: a small job stays for the next one. */
static void
end_query(void)
{
	kept.query = NULL;
	kept.over = false;
	if (kept.shelf != NULL)
		MemoryContextDelete(kept.shelf);
	kept.shelf = NULL;
	if (!fits(kept.memory))
		MemoryContextDelete(kept.memory);
}

static void
hear_of_end(void *arg)
{
	const QueryEnd *end = arg;

	if (watched == end->query)
		watched = NULL;
	if (kept.memory == NULL || kept.query != end->query)
		return;
	if (kept.users > 0)
		kept.over = true;
	else
		end_query();
}

/* What is kept stays at least until this query ends. */
static void
keep_for(MemoryContext query)
{
	QueryEnd   *end;

	/* a call within another one's query is not the last to use it */
	if (kept.users > 0 || query == NULL)
		return;
	kept.query = query;
	if (watched == query)
		return;
	end = MemoryContextAlloc(query, sizeof(QueryEnd));
	*end = (QueryEnd) {.callback = {.func = hear_of_end, .arg = end}, .query = query};
	MemoryContextRegisterResetCallback(query, &end->callback);
	watched = query;
}

static void
give_back(void *arg)
{
	const JobUser *user = arg;

	if (user->number != kept.number || kept.users == 0)
		return;
	kept.users--;
	if (kept.users == 0 && kept.over)
		end_query();
}

static const FgJob *
use_kept(void)
{
	JobUser    *user = palloc(sizeof(JobUser));

	*user = (JobUser) {.callback = {.func = give_back, .arg = user}, .number = kept.number};
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &user->callback);
	kept.users++;
	return kept.job;
}

const FgJob *
fg_job_borrow(int64 job_id, MemoryContext query)
{
	JobMoment	moment = this_moment(job_id);
	MemoryContext memory;
	MemoryContext caller;
	FgContext	ctx;
	const FgJob *job;

	if (is_kept(&moment))
	{
		keep_for(query);
		return use_kept();
	}
	memory = AllocSetContextCreate(CurrentMemoryContext, "rows of a job", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(memory);
	ctx = fg_context_in(memory);
	job = fg_job_read(&ctx, job_id);
	MemoryContextSwitchTo(caller);
	if (kept.users > 0 || (query == NULL && !fits(memory)) || !tables_are_plain())
		return job;
	keep(memory, job, &moment);
	keep_for(query);
	return use_kept();
}

MemoryContext
fg_job_shelf(const FgJob *job, bool *alone)
{
	if (job != kept.job || kept.query == NULL)
		return NULL;
	if (kept.shelf == NULL)
		kept.shelf = AllocSetContextCreate(kept.memory, "analysis of a job",
										   ALLOCSET_SMALL_SIZES);
	*alone = kept.users == 1;
	return kept.shelf;
}
