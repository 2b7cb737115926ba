/*
 * store.c
 *	  The connection to the store, which never makes anybody wait: each call does what can be
 *	  done at once.
 *
 * A job is a transaction that only reads, of a few statements one after the other.
 */
#include "lsp.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "../connection.h"

/* Of a job, the connection included. */
#define MOST_SECONDS 15.0

enum
{
	NOTHING, CONNECTING, BEGINNING, FRAMES, COSTS, SUSPECTS, PICTURE, ENDING
};

static const char begin_sql[] =
	"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '10s'; SET LOCAL jit = off;"
	"SELECT pg_catalog.set_config('search_path', pg_catalog.concat('pg_catalog, ', pg_catalog.quote_ident(n.nspname), ', pg_temp'), true)"
	" FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace"
	" WHERE e.extname OPERATOR(pg_catalog.=) 'flamegraph'";

static void
clear(Store *store)
{
	PQclear(store->result);
	store->result = NULL;
	free(store->failure);
	store->failure = NULL;
}

static void
clear_arguments(Store *store)
{
	out_free(&store->patterns);
	out_free(&store->names);
	out_free(&store->lined);
	out_free(&store->findings);
}

void
store_free(Store *store)
{
	clear(store);
	clear_arguments(store);
	PQfinish(store->connection);
	store->connection = NULL;
	store->connected = false;
}

static void
end_job(Store *store, const char *failure, const char *picture)
{
	Job			job = store->job;

	if (failure == NULL && job.document != NULL && store->coming != NULL)
		document_replace(job.document, store->coming);
	document_drop(store->coming);
	store->coming = NULL;
	store->step = NOTHING;
	store->job = (Job) {.document = NULL};
	clear_arguments(store);
	job_ended(&job, failure, picture);
}

/* The job ends, and so does the connection: nobody knows in which state it is. */
void
store_fail(Store *store, const char *reason)
{
	char	   *text = one_line(reason);

	clear(store);
	PQfinish(store->connection);
	store->connection = NULL;
	store->connected = false;
	store->retry_at = now_seconds() + lsp.settings.refresh;
	end_job(store, text, NULL);
	free(text);
}

static void
quiet(void *arg, const PGresult *result)
{
	(void) arg;
	(void) result;
}

static void
connect_to(Store *store)
{
	const char *const keywords[] = {"dbname", "fallback_application_name", "client_encoding", NULL};
	const char *const values[] = {lsp.settings.connection, program_name, "UTF8", NULL};

	if (lsp.settings.from_project)
		unsetenv("PGPASSWORD");	/* it was meant for another server */
	store->connection = PQconnectStartParams(keywords, values, 1);
	must_alloc(store->connection);
	PQsetNoticeReceiver(store->connection, quiet, NULL);
	PQsetErrorContextVisibility(store->connection, PQSHOW_CONTEXT_NEVER);
	store->step = CONNECTING;
	if (PQstatus(store->connection) == CONNECTION_BAD)
		store_fail(store, PQerrorMessage(store->connection));
}

static void
send(Store *store, int step, const char *sql, int count, const char *const *values)
{
	int			sent = count < 0 ? PQsendQuery(store->connection, sql) :
		PQsendQueryParams(store->connection, sql, count, NULL, values, NULL, NULL, 0);

	clear(store);
	store->step = step;
	if (!sent)
		store_fail(store, PQerrorMessage(store->connection));
}

static void
begin_transaction(Store *store)
{
	send(store, BEGINNING, begin_sql, -1, NULL);
}

void
store_begin(Store *store, Job job)
{
	store->job = job;
	store->deadline = now_seconds() + MOST_SECONDS;
	if (store->connected && PQstatus(store->connection) == CONNECTION_OK)
	{
		begin_transaction(store);
		return;
	}
	store_free(store);
	connect_to(store);
}

/* What to wait for at the connection; 0: nothing. */
short
store_events(const Store *store)
{
	if (store->connection == NULL || store->step == NOTHING)
		return 0;
	if (store->step == CONNECTING)
	{
		/* before the first call of PQconnectPoll it is as if that wanted to write */
		return store->connected ? POLLIN : POLLOUT;
	}
	return POLLIN | (PQisnonblocking(store->connection) && PQflush(store->connection) == 1 ? POLLOUT : 0);
}

static void
go_on_connecting(Store *store)
{
	switch (PQconnectPoll(store->connection))
	{
		case PGRES_POLLING_FAILED:
			store_fail(store, PQerrorMessage(store->connection));
			return;
		case PGRES_POLLING_OK:
			store->connected = true;
			PQsetnonblocking(store->connection, 1);
			begin_transaction(store);
			return;
		case PGRES_POLLING_READING:
			store->connected = true;	/* while connecting: it wants to read */
			return;
		default:
			store->connected = false;
			return;
	}
}

/* --- the steps of a job ------------------------------------------------------------------------------ */

static void
send_question(Store *store, int step, char *sql, const char *const *more, int count)
{
	const char *values[8] = {lsp.settings.benchmark, lsp.settings.suite, lsp.settings.event, lsp.settings.branch, lsp.settings.baseline};

	for (int i = 0; i < count; i++)
		values[5 + i] = more[i];
	send(store, step, sql, 5 + count, values);
	free(sql);
}

static void
ask_frames(Store *store)
{
	Out			words = {.text = NULL};
	const char *more[1];

	document_scan(store->job.document);
	list_words(store->job.document, &words);
	more[0] = words.text;
	send_question(store, FRAMES, query_frames(&lsp.settings), more, 1);
	out_free(&words);
}

static void
ask_costs(Store *store)
{
	const char *more[3] = {store->patterns.text, store->names.text, store->lined.text};

	send_question(store, COSTS, query_costs(&lsp.settings), more, 3);
}

static void
ask_suspects(Store *store)
{
	const char *values[1];

	array_end(&store->findings);
	values[0] = store->findings.text;
	send(store, SUSPECTS, "SELECT r.id, s.commit, round(s.score::numeric, 2) FROM unnest((($1::bigint[])[:5])) AS r (id),"
		 " LATERAL profiling.suspects(r.id, 3) AS s WHERE s.score > 0 ORDER BY r.id, s.rank", 1, values);
}

static void
end_transaction(Store *store)
{
	send(store, ENDING, "COMMIT", -1, NULL);
}

static void
take_picture(Store *store)
{
	char	   *picture;

	if (PQntuples(store->result) == 0 || PQgetisnull(store->result, 0, 0))
	{
		store_fail(store, "the benchmark has no run of that event and branch");
		return;
	}
	picture = copy_text(PQgetvalue(store->result, 0, 0), (size_t) PQgetlength(store->result, 0, 0));
	end_job(store, NULL, picture);
	end_transaction(store);
	free(picture);
}

/* A statement has ended well. */
static void
take_result(Store *store)
{
	Document   *d = store->job.document != NULL ? store->coming : NULL;

	switch (store->step)
	{
		case BEGINNING:
			if (PQntuples(store->result) != 1)
				store_fail(store, "the database has no extension flamegraph");
			else if (store->job.request != NULL)
			{
				const char *more[1] = {store->job.frame};

				send_question(store, PICTURE, query_picture(&lsp.settings), more, 1);
			}
			else if (store->job.document == NULL)
				end_transaction(store);	/* it was closed meanwhile */
			else
				ask_frames(store);
			return;
		case FRAMES:
			if (store->job.document != NULL)
				take_frames(store, store->result);
			if (store->coming != NULL && store->coming->cost_count > 0)
				ask_costs(store);
			else
				end_transaction(store);
			return;
		case COSTS:
			if (d != NULL)
				take_costs(d, store->result, &store->findings);
			if (d != NULL && store->findings.size > 0)
				ask_suspects(store);
			else
				end_transaction(store);
			return;
		case SUSPECTS:
			if (d != NULL)
				take_suspects(d, store->result);
			end_transaction(store);
			return;
		case PICTURE:
			take_picture(store);
			return;
		default:
			end_job(store, NULL, NULL);
			return;
	}
}

/* What goes wrong with the suspects is no reason for the rest to be missing. */
static void
take_failure(Store *store)
{
	char	   *reason = copy_text(store->failure, strlen(store->failure));

	if (store->step == SUSPECTS)
		send(store, ENDING, "ROLLBACK", -1, NULL);
	else
		store_fail(store, reason);
	free(reason);
}

static char *
reason_of(const PGconn *connection, const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	const char *hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);

	if (primary == NULL)
		return failure_text(connection, result);
	if (state != NULL && (strcmp(state, "42883") == 0 || strcmp(state, "42P01") == 0 || strcmp(state, "3F000") == 0))
		hint = "The database needs the extension flamegraph_store of this version.";
	else if (state != NULL && strcmp(state, "42501") == 0)
		hint = "The owner of the store grants access \"reader\" by profiling.grant_access().";
	return format_text("%s%s%s", primary, hint != NULL ? "; " : "", hint != NULL ? hint : "");
}

static void
take_one(Store *store, PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && store->failure == NULL)
		store->failure = reason_of(store->connection, result);
	PQclear(store->result);
	store->result = result;
}

void
store_go_on(Store *store)
{
	if (store->connection == NULL || store->step == NOTHING)
		return;
	if (store->step == CONNECTING)
	{
		go_on_connecting(store);
		return;
	}
	if (!PQconsumeInput(store->connection) || PQflush(store->connection) < 0)
	{
		store_fail(store, PQerrorMessage(store->connection));
		return;
	}
	while (store->connection != NULL && store->step > CONNECTING && !PQisBusy(store->connection))
	{
		PGresult   *result = PQgetResult(store->connection);

		if (result != NULL)
			take_one(store, result);
		else if (store->failure != NULL)
			take_failure(store);
		else
			take_result(store);
	}
}
