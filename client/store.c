/*
 * store.c
 *	  The database side of flamegraph-load: one connection, transactions, retries.
 *
 * An import is tried again after a deadlock, a serialization failure and a lost or
 * refused connection, after a delay that doubles and is spread at random, so that
 * several loaders do not meet again.  A connection that is lost while COMMIT is on
 * its way, or a single statement, leaves open whether the file was loaded: the next try
 * then finds duplicates, which are counted as loaded.
 */
#include "loading.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profile/codec.h"

#define FIRST_DELAY 0.1			/* seconds */
#define MAX_DELAY 15.0

#define STATEMENT "import"

#define IMPORT \
	"SELECT profiling.import_flamegraph(benchmark => $1, fg => $2, truncated => $3, suite => $4," \
	" parameters => $5, started_at => $6, branch => $7, commit => $8, version => $9, labels => $10," \
	" event => $11, unit => $12, period => $13, recorded_at => $14, duration => $15, instance => $16," \
	" repetition => $17, metric => $18, metric_unit => $19, source => $20"

static const char import_sql[] = IMPORT ", samples => $21, noise => $22)";

/* A store that an earlier release has made, and nobody has updated yet, does not know of samples. */
static const char import_without_samples_sql[] = IMPORT ")";

static const char ingest_sql[] =
	"SELECT profiling.ingest(service => $1, fg => $2, truncated => $3, labels => $4,"
	" event => $5, unit => $6, period => $7, recorded_at => $8, duration => $9, instance => $10,"
	" noise => $11)";

#define INGEST_PARAMETERS 11
#define PARAMETERS 22
#define PARAMETERS_WITHOUT_SAMPLES 20

struct Store
{
	const Options *options;
	PGconn	   *connection;
	int			parameters;		/* of the statement */
	FgContext	ctx;
	unsigned	random;
	File	   *file;			/* whose profiles are imported */
	size_t		notes;			/* that it had before */
	int			duplicates;		/* of the transaction under way */
	int			elsewhere;		/* those of them that another file brought */
	char	   *first_source;	/* what the server says of the first of these */
	char	   *message;		/* of the last failure */
	bool		lost;			/* the connection, by that failure */
	bool		retry;			/* it may go away */
	bool		in_doubt;		/* the connection was lost when it may have committed */
};

/* --- one profile, as it is sent ----------------------------------------------------- */

typedef struct Packet
{
	const FgRecorded *recorded;
	FgEventName stored;			/* event and unit */
	char		period[32];
	uint8_t    *complete;
	size_t		complete_size;
	uint8_t    *truncated;		/* NULL: there are none */
	size_t		truncated_size;
	uint8_t    *samples;		/* these two NULL: the period says it, or nobody knows */
	size_t		samples_size;
	uint8_t    *noise;
	size_t		noise_size;
} Packet;

static bool
fail_in_core(Store *store)
{
	free(store->message);
	store->message = format_text("%s", store->ctx.error.reason);
	return false;
}

static bool
encode(Store *store, const FgTree *tree, uint8_t **bytes, size_t *size)
{
	return fg_codec_encode(&store->ctx, tree, 0, bytes, size) || fail_in_core(store);
}

static bool
is_empty(const FgTree *tree)
{
	return tree->nnodes == 0 && tree->self[0] == 0;
}

static bool
make_packet(Store *store, const FgRecorded *recorded, FgEventName stored, Packet *packet)
{
	*packet = (Packet) {.recorded = recorded, .stored = stored};
	snprintf(packet->period, sizeof(packet->period), "%.17g", recorded->period);
	return encode(store, &recorded->complete, &packet->complete, &packet->complete_size) &&
		(is_empty(&recorded->truncated) ||
		 encode(store, &recorded->truncated, &packet->truncated, &packet->truncated_size)) &&
		(!recorded->weighed ||
		 (encode(store, &recorded->samples, &packet->samples, &packet->samples_size) &&
		  encode(store, &recorded->noise, &packet->noise, &packet->noise_size)));
}

/* Every loader takes the locks of a file's profiles in this order. */
static int
compare_packets(const void *a, const void *b)
{
	const Packet *x = a;
	const Packet *y = b;
	int			order = strcmp(x->stored.event, y->stored.event);

	if (order == 0)
		order = strcmp(x->stored.unit, y->stored.unit);
	return order != 0 ? order : strcmp(x->recorded->name, y->recorded->name);
}

static void
free_packets(Store *store, Packet *packets, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		fg_release(&store->ctx, packets[i].complete);
		fg_release(&store->ctx, packets[i].truncated);
		fg_release(&store->ctx, packets[i].samples);
		fg_release(&store->ctx, packets[i].noise);
	}
	free(packets);
}

/* --- the connection ------------------------------------------------------------------- */

/* Column "source" of the NOTICE says that the profile came from another file, which its DETAIL names. */
static void
count_duplicate(Store *store, const PGresult *notice)
{
	const char *column = PQresultErrorField(notice, PG_DIAG_COLUMN_NAME);
	const char *detail = PQresultErrorField(notice, PG_DIAG_MESSAGE_DETAIL);

	store->duplicates++;
	if (column == NULL || strcmp(column, "source") != 0)
		return;
	if (store->elsewhere++ == 0)
	{
		free(store->first_source);
		store->first_source = one_line(detail != NULL ? detail : "");
	}
}

/*
 * A duplicate is told by a NOTICE with the code of a unique violation, and is counted.
 * Anything else that the server says is kept with the file.
 */
static void
receive_notice(void *arg, const PGresult *result)
{
	Store	   *store = arg;
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	if (state != NULL && strcmp(state, "23505") == 0)
		count_duplicate(store, result);
	else if (store->file != NULL)
	{
		char	   *text = one_line(PQresultErrorMessage(result));

		note_file(store->file, text);
		free(text);
	}
}

/* Whether a failure may go away by itself: conflicts, and servers that stop or start. */
static bool
may_go_away(const char *state)
{
	static const char *const states[] = {"40001", "40P01", "57P01", "57P02", "57P03", "55P03",
	"53300"};

	for (size_t i = 0; state != NULL && i < sizeof(states) / sizeof(states[0]); i++)
	{
		if (strcmp(state, states[i]) == 0)
			return true;
	}
	return state != NULL && strncmp(state, "08", 2) == 0;
}

/* Notes why a command failed; the connection is used again unless it is lost. */
static bool
fail_command(Store *store, const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	store->lost = connection_lost(store->connection, result);
	store->retry = store->lost || may_go_away(state);
	free(store->message);
	store->message = failure_text(store->connection, result);
	return false;
}

static bool
run_command(Store *store, const char *sql)
{
	PGresult   *result = PQexec(store->connection, sql);
	bool		ok = PQresultStatus(result) == PGRES_COMMAND_OK ||
		PQresultStatus(result) == PGRES_TUPLES_OK;

	if (!ok)
		fail_command(store, result);
	PQclear(result);
	return ok;
}

/* Finds out whether import_flamegraph() has the arguments samples and noise. */
static bool
look_for_samples(Store *store, bool *takes)
{
	static const char sql[] = "SELECT 1 FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n"
		" ON n.oid = p.pronamespace WHERE n.nspname = 'profiling' AND p.proname = 'import_flamegraph'"
		" AND 'noise' = ANY (p.proargnames)";
	PGresult   *result = PQexec(store->connection, sql);
	bool		ok = PQresultStatus(result) == PGRES_TUPLES_OK;

	*takes = PQntuples(result) > 0;
	if (!ok)
		fail_command(store, result);
	PQclear(result);
	return ok;
}

static bool
prepare(Store *store)
{
	bool		service = store->options->service != NULL;
	bool		samples = false;
	PGresult   *result;
	bool		ok;

	if (!service && !look_for_samples(store, &samples))
		return false;
	result = PQprepare(store->connection, STATEMENT, service ? ingest_sql
					   : samples ? import_sql : import_without_samples_sql, 0, NULL);
	ok = PQresultStatus(result) == PGRES_COMMAND_OK;
	store->parameters = service ? INGEST_PARAMETERS : samples ? PARAMETERS : PARAMETERS_WITHOUT_SAMPLES;
	if (!ok)
		fail_command(store, result);
	PQclear(result);
	return ok;
}

static void
disconnect(Store *store)
{
	PQfinish(store->connection);
	store->connection = NULL;
	store->lost = false;
}

/*
 * libpq gives no SQLSTATE for a connection that fails, so nobody can tell a server that
 * restarts from a wrong password.  Whether it has worked before decides: the program's
 * first connection is that of store_check and is final where somebody answers, because what is
 * wrong with it is mostly wrong with the command.  Here one with the same parameters has worked a moment
 * ago, so the server may be restarting or have no connection to spare, and the failure
 * is one to try again after.
 */
static bool
ensure_connection(Store *store)
{
	if (store->connection != NULL && !store->lost && PQstatus(store->connection) == CONNECTION_OK)
		return true;
	disconnect(store);
	store->connection = connect_database(store->options);
	if (PQstatus(store->connection) != CONNECTION_OK)
	{
		store->lost = true;
		store->retry = true;
		free(store->message);
		store->message = one_line(PQerrorMessage(store->connection));
		return false;
	}
	PQsetNoticeReceiver(store->connection, receive_notice, store);
	if (prepare(store))
		return true;
	/* without the statement it is of no use */
	store->lost = true;
	return false;
}

/* --- transactions --------------------------------------------------------------------- */

static bool
execute(Store *store, File *file, const char *const *values, const int *lengths, const int *formats)
{
	PGresult   *result = PQexecPrepared(store->connection, STATEMENT, store->parameters, values, lengths,
										formats, 0);
	bool		ok = PQresultStatus(result) == PGRES_TUPLES_OK;

	if (ok)
		snprintf(file->profile_id, sizeof(file->profile_id), "%s", PQgetvalue(result, 0, 0));
	else
		fail_command(store, result);
	PQclear(result);
	return ok;
}

static const char *
unit_of(const Options *o, const Packet *packet)
{
	return o->unit != NULL ? o->unit : packet->stored.unit;
}

static const char *
period_of(const Options *o, const Packet *packet)
{
	return o->period != NULL ? o->period : packet->recorded->period == 0 ? NULL : packet->period;
}

/* Of a service; a profile is of the time when its file was changed. */
static bool
ingest_packet(Store *store, File *file, const Packet *packet)
{
	const Options *o = store->options;
	char	   *changed = time_of_change(file);
	const char *values[INGEST_PARAMETERS] = {
		o->service, (char *) packet->complete, (char *) packet->truncated, o->labels,
		packet->stored.event, unit_of(o, packet), period_of(o, packet),
		o->recorded_at != NULL ? o->recorded_at : changed, o->duration,
		o->instance != NULL ? o->instance : "", (char *) packet->noise
	};
	int			lengths[INGEST_PARAMETERS] = {[1] = (int) packet->complete_size,
		[2] = (int) packet->truncated_size, [10] = (int) packet->noise_size};
	int			formats[INGEST_PARAMETERS] = {[1] = 1, [2] = 1, [10] = 1};
	bool		ok = false;

	if (values[7] != NULL)
		ok = execute(store, file, values, lengths, formats);
	else
	{
		free(store->message);
		store->message = format_text("its time is out of range; --recorded-at gives another");
	}
	free(changed);
	return ok;
}

static bool
send_packet(Store *store, File *file, const Packet *packet)
{
	const Options *o = store->options;
	char		repetition[16];
	const char *values[PARAMETERS] = {
		o->benchmark, (char *) packet->complete, (char *) packet->truncated,
		o->suite != NULL ? o->suite : "", o->parameters, o->started_at,
		o->branch != NULL ? o->branch : "", o->commit != NULL ? o->commit : "",
		o->version != NULL ? o->version : "", o->labels, packet->stored.event,
		unit_of(o, packet), period_of(o, packet), o->recorded_at, o->duration, o->instance != NULL ? o->instance : "", repetition, file->metric,
		o->metric_unit != NULL ? o->metric_unit : "", file->kind == STANDARD_INPUT ? "" : file->path,
		(char *) packet->samples, (char *) packet->noise
	};
	int			lengths[PARAMETERS] = {[1] = (int) packet->complete_size,
		[2] = (int) packet->truncated_size, [20] = (int) packet->samples_size,
		[21] = (int) packet->noise_size};
	int			formats[PARAMETERS] = {[1] = 1, [2] = 1, [20] = 1, [21] = 1};

	if (o->service != NULL)
		return ingest_packet(store, file, packet);
	snprintf(repetition, sizeof(repetition), "%d", file->repetition);
	return execute(store, file, values, lengths, formats);
}

/*
 * One statement is a transaction by itself.  The server is not waited for before and behind it, while other
 * loaders wait for the lock of the run that it has until it commits.
 */
static bool
import_alone(Store *store, File *file, const Packet *packet)
{
	if (send_packet(store, file, packet))
		return true;
	store->in_doubt |= store->lost;
	return false;
}

/* A transaction that ends in COMMIT or in nothing. */
static bool
import_together(Store *store, File *file, const Packet *packets, size_t count)
{
	if (!run_command(store, "BEGIN"))
		return false;
	for (size_t i = 0; i < count; i++)
	{
		if (send_packet(store, file, &packets[i]))
			continue;
		/* the failure that counts is noted; this one only ends the transaction */
		if (!store->lost)
			PQclear(PQexec(store->connection, "ROLLBACK"));
		return false;
	}
	if (run_command(store, "COMMIT"))
		return true;
	store->in_doubt |= store->lost;
	return false;
}

static bool
try_import(Store *store, File *file, const Packet *packets, size_t count)
{
	/* what the server said of a try that failed it says again */
	forget_notes(file, store->notes);
	store->duplicates = 0;
	store->elsewhere = 0;
	store->retry = false;
	if (!ensure_connection(store))
		return false;
	return count == 1 ? import_alone(store, file, packets) : import_together(store, file, packets, count);
}

unsigned
first_random(const void *address)
{
	return (unsigned) time(NULL) ^ (unsigned) (uintptr_t) address;
}

void
wait_before_retry(int attempt, unsigned *random)
{
	double		delay = FIRST_DELAY;
	struct timespec time;

	for (int i = 0; i < attempt && delay < MAX_DELAY; i++)
		delay *= 2;
	delay *= 0.75 + 0.5 * ((double) rand_r(random) / RAND_MAX);
	time.tv_sec = (time_t) delay;
	time.tv_nsec = (long) ((delay - (double) time.tv_sec) * 1e9);
	nanosleep(&time, NULL);
}

static void
set_outcome(Store *store, File *file, size_t count)
{
	bool		all_there = count > 0 && store->duplicates == (int) count;

	file->outcome = all_there && !store->in_doubt ? DUPLICATE : LOADED;
	file->duplicates = store->in_doubt ? 0 : store->duplicates;
	file->profiles = (int) count - file->duplicates;
	if (store->elsewhere > 0 && !store->in_doubt)
	{
		file->elsewhere = true;
		file->message = store->first_source;
		store->first_source = NULL;
	}
}

static void
fail_import(Store *store, File *file)
{
	file->outcome = FAILED;
	file->try_again = store->retry;
	file->message = store->message;
	store->message = NULL;
}

static void
import_packets(Store *store, File *file, const Packet *packets, size_t count)
{
	store->in_doubt = false;
	for (int attempt = 0;; attempt++)
	{
		if (try_import(store, file, packets, count))
		{
			set_outcome(store, file, count);
			return;
		}
		if (!store->retry || attempt == store->options->retries)
			break;
		file->retries++;
		wait_before_retry(attempt, &store->random);
	}
	fail_import(store, file);
}

static bool
make_packets(Store *store, const FgRecording *recording, const FgEventName *names, Packet *packets)
{
	for (size_t i = 0; i < recording->count; i++)
	{
		if (!make_packet(store, &recording->profiles[i], names[i], &packets[i]))
			return false;
	}
	qsort(packets, recording->count, sizeof(Packet), compare_packets);
	return true;
}

void
store_import(Store *store, File *file, const FgRecording *recording, const FgEventName *names)
{
	Packet	   *packets = must_alloc(calloc(recording->count + 1, sizeof(Packet)));

	store->file = file;
	store->notes = file->nnotes;
	if (make_packets(store, recording, names, packets))
		import_packets(store, file, packets, recording->count);
	else
		fail_import(store, file);
	free_packets(store, packets, recording->count);
}

Store *
store_open(const Options *options)
{
	Store	   *store = must_alloc(calloc(1, sizeof(Store)));

	store->options = options;
	store->ctx = fg_malloc_context();
	store->random = first_random(store);
	return store;
}

void
store_close(Store *store)
{
	disconnect(store);
	free(store->message);
	free(store->first_source);
	free(store);
}
