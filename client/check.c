/*
 * check.c
 *	  Asks the server once, before flamegraph-load reads any file, whether the store is
 *	  there and the options make sense to it.
 */
#include "loading.h"

#include <stdlib.h>
#include <string.h>

static Server
server_of(const Options *options)
{
	return (Server) {options->database, options->host, options->port, options->user, options->quiet};
}

PGconn *
connect_database(const Options *options)
{
	const Server server = server_of(options);

	return connect_server(&server);
}

/* --- what the options say ------------------------------------------------------------ */

typedef enum Type
{
	TEXT,						/* the database may have another encoding */
	NUMBER,
	POSITIVE,
	INTERVAL,
	TIME
} Type;

typedef struct Argument
{
	const char *option;
	const char *value;			/* NULL: not given */
	Type		type;
} Argument;

/* Returns one row with true, unless the server refuses the value. */
static const char *
checking_sql(Type type)
{
	switch (type)
	{
		case NUMBER:
			return "SELECT $1::pg_catalog.float8 > '-infinity' AND $1::pg_catalog.float8 < 'infinity'";
		case POSITIVE:
			return "SELECT $1::pg_catalog.float8 > 0 AND $1::pg_catalog.float8 < 'infinity'";
		case INTERVAL:
			return "SELECT $1::pg_catalog.interval IS NOT NULL";
		case TIME:
			return "SELECT profiling.has_begun($1::pg_catalog.timestamptz)";
		default:
			return "SELECT $1::pg_catalog.text IS NOT NULL";
	}
}

/* What the server reads and the store refuses. */
static char *
refusal(const Argument *argument)
{
	if (argument->type == TIME)
		return format_text("%s: the time \"%s\" lies in the future", argument->option,
						   argument->value);
	return format_text("%s: \"%s\" is not a finite number%s", argument->option, argument->value,
					   argument->type == POSITIVE ? " above 0" : "");
}

/*
 * Only what is wrong with a value (class 22) is told with the name of its option: a
 * right that is missing is not the option's fault.
 */
static int
argument_failure(const PGconn *connection, const PGresult *result, const Argument *argument,
				 char **message)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (state == NULL || primary == NULL || strncmp(state, "22", 2) != 0)
	{
		*message = failure_text(connection, result);
		return EXIT_SOME_FAILED;
	}
	*message = format_text("%s: %s", argument->option, primary);
	return EXIT_USAGE;
}

static int
check_argument(PGconn *connection, const Argument *argument, char **message)
{
	int			status = EXIT_ALL_LOADED;
	PGresult   *result;

	if (argument->value == NULL)
		return status;
	result = PQexecParams(connection, checking_sql(argument->type), 1, NULL, &argument->value, NULL,
						  NULL, 0);
	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		status = argument_failure(connection, result, argument, message);
	else if (strcmp(PQgetvalue(result, 0, 0), "t") != 0)
	{
		*message = refusal(argument);
		status = EXIT_USAGE;
	}
	PQclear(result);
	return status;
}

static int
check_arguments(PGconn *connection, const Options *o, char **message)
{
	const Argument arguments[] = {
		{"--service", o->service, TEXT}, {"--benchmark", o->benchmark, TEXT}, {"--suite", o->suite, TEXT},
		{"--branch", o->branch, TEXT}, {"--commit", o->commit, TEXT},
		{"--version", o->version, TEXT}, {"--instance", o->instance, TEXT},
		{"--event", o->event, TEXT}, {"--unit", o->unit, TEXT},
		{"--metric-unit", o->metric_unit, TEXT}, {"--run", o->started_at, TIME},
		{"--recorded-at", o->recorded_at, TIME}, {"--duration", o->duration, INTERVAL},
		{"--period", o->period, POSITIVE}
	};
	int			status = EXIT_ALL_LOADED;

	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]) && status == 0; i++)
		status = check_argument(connection, &arguments[i], message);
	for (size_t i = 0; i < o->nmetrics && status == 0; i++)
		status = check_argument(connection, &(Argument) {"--metric", o->metrics[i], NUMBER}, message);
	return status;
}

/* --- the store ----------------------------------------------------------------------- */

static int
check_store(PGconn *connection, const Options *options, char **message)
{
	static const char sql[] = "SELECT 1 FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n"
		" ON n.oid = p.pronamespace WHERE n.nspname = 'profiling' AND p.proname = $1";
	const char *const function = options->service != NULL ? "ingest" : "import_flamegraph";
	PGresult   *result = PQexecParams(connection, sql, 1, NULL, &function, NULL, NULL, 0);
	bool		there = PQntuples(result) > 0;

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		*message = failure_text(connection, result);
	else if (!there)
		*message = format_text("there is no store%s in database \"%s\"; create it by "
							   "CREATE EXTENSION flamegraph_store CASCADE%s",
							   options->service != NULL ? " that takes profiles of services" : "", PQdb(connection),
							   options->service != NULL ? ", or ALTER EXTENSION flamegraph_store UPDATE" : "");
	PQclear(result);
	if (!there || (options->wait_verdict && !may_ask_verdict(connection, message)))
		return EXIT_SOME_FAILED;
	return check_arguments(connection, options, message);
}

static int
check_once(const Options *options, char **message, bool *connected)
{
	PGconn	   *connection = connect_database(options);
	int			status = EXIT_SOME_FAILED;

	*message = NULL;
	*connected = PQstatus(connection) == CONNECTION_OK;
	if (*connected)
		status = check_store(connection, options, message);
	else
		*message = one_line(PQerrorMessage(connection));
	PQfinish(connection);
	return status;
}

/*
 * Who loads for a benchmark waits for an answer, and a server that is not there is mostly not where
 * the command says.  What sends profiles of a service is an agent that nobody looks at: a restart of
 * the server must not cost it a profile.  A server that answers now may have been away a moment ago,
 * so it refuses for good only what it refuses once more.
 */
static bool
may_wait(const Options *options, int attempt, bool *answered)
{
	const Server server = server_of(options);
	bool		answered_before = *answered;

	if (options->service == NULL || (options->watch ? watch_is_over() : attempt >= options->retries))
		return false;
	*answered = !server_is_away(&server);
	return !(*answered && answered_before);
}

int
store_check(const Options *options, char **message)
{
	unsigned	random = first_random(message);
	bool		answered = false;
	bool		said = false;

	for (int attempt = 0;; attempt++)
	{
		bool		connected;
		int			status = check_once(options, message, &connected);

		if (connected || !may_wait(options, attempt, &answered))
			return status;
		if (options->watch && !answered && !said)
		{
			say(stderr, PROGRAM ": %s", *message);
			said = true;
		}
		free(*message);
		wait_before_retry(attempt, &random);
	}
}
