/*
 * verdict.c
 *	  After a load: was anything found in its commit?
 *
 * Who has the right to (access admin) compares the benchmark at once.  Anybody else
 * waits for the comparison that the owner of the store has put on a schedule,
 * profiling.watch_run().  What is told then is what profiling.verdict() says.
 */
#include "loading.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_DELAY 0.25		/* seconds */
#define MAX_DELAY 10.0

/* What was loaded, as the store calls it: the benchmark may have been renamed there. */
enum
{
	COMMIT, BENCHMARK, SUITE, BRANCH, LOADED_AT, KEYS
};

typedef struct Question
{
	const Options *options;
	PGconn	   *connection;
	bool		compares;		/* by itself */
	char	   *keys[KEYS];
	char	   *message;		/* of the last failure */
	bool		lost;			/* the connection, by that failure */
} Question;

/* NULL with a message when it failed. */
static PGresult *
ask(Question *q, const char *sql, int count, const char *const *values)
{
	PGresult   *result;

	if (q->lost || PQstatus(q->connection) != CONNECTION_OK)
		PQreset(q->connection);
	q->lost = false;
	result = PQexecParams(q->connection, sql, count, NULL, values, NULL, NULL, 0);
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return result;
	free(q->message);
	q->message = failure_text(q->connection, result);
	q->lost = connection_lost(q->connection, result);
	PQclear(result);
	return NULL;
}

/* --- rights ------------------------------------------------------------------------- */

static const char rights_sql[] =
	"SELECT pg_catalog.has_table_privilege('profiling.regression', 'SELECT'),"
	" pg_catalog.has_table_privilege('profiling.regression', 'INSERT'), pg_catalog.quote_literal(current_user)";

bool
may_ask_verdict(PGconn *connection, char **message)
{
	PGresult   *result = PQexec(connection, rights_sql);
	bool		may = false;

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		*message = failure_text(connection, result);
	else if (strcmp(PQgetvalue(result, 0, 0), "t") != 0)
		*message = format_text("--wait-verdict needs access \"reader\", too; the owner of the store grants it: "
							   "SELECT profiling.grant_access(%s, 'reader')", PQgetvalue(result, 0, 2));
	else
		may = true;
	PQclear(result);
	return may;
}

/* --- what was loaded ------------------------------------------------------------------ */

static const char *
loaded_profile(const Files *files)
{
	for (size_t i = 0; i < files->count; i++)
	{
		if (files->list[i].profile_id[0] != '\0')
			return files->list[i].profile_id;
	}
	return "0";
}

static bool
find_keys(Question *q, const Files *files)
{
	static const char sql[] = "SELECT t.commit, b.name, b.suite, t.branch, now() FROM profiling.profile AS p"
		" JOIN profiling.benchmark AS b ON b.benchmark_id = p.benchmark_id"
		" JOIN profiling.test_run AS t ON t.test_run_id = p.test_run_id"
		" WHERE p.test_run_id = ANY (profiling.runs_of_commit($1)) AND p.profile_id = $2";
	const char *const values[] = {q->options->commit, loaded_profile(files)};
	PGresult   *result = ask(q, sql, 2, values);
	bool		found = result != NULL && PQntuples(result) > 0;

	for (int i = 0; found && i < KEYS; i++)
		q->keys[i] = format_text("%s", PQgetvalue(result, 0, i));
	if (result != NULL && !found)
		q->message = format_text("what was loaded is not in the store any more");
	PQclear(result);
	return found;
}

static bool
begin_question(Question *q, const Files *files)
{
	PGresult   *result;

	q->connection = connect_database(q->options);
	result = ask(q, rights_sql, 0, NULL);
	if (result == NULL)
		return false;
	q->compares = strcmp(PQgetvalue(result, 0, 1), "t") == 0;
	PQclear(result);
	return find_keys(q, files);
}

/* --- comparing and waiting ------------------------------------------------------------ */

/*
 * Whether there is a run that nobody has looked at.  One whose comparison has failed
 * since it was loaded is not waited for; a server that is gone may come back.
 */
static bool
is_pending(Question *q)
{
	static const char sql[] = "SELECT 1 FROM profiling.rollup AS r"
		" JOIN profiling.benchmark AS b ON b.benchmark_id = r.benchmark_id"
		" WHERE r.run_ids && profiling.runs_of_commit($1) AND b.name = $2 AND b.suite = $3 AND r.branch = $4"
		" AND r.span = 'run' AND r.checked_at IS NULL AND NOT EXISTS (SELECT FROM profiling.job_log AS l"
		" WHERE l.benchmark_id = r.benchmark_id AND l.step = 'watch' AND l.outcome <> 'ok'"
		" AND l.started_at >= $5::timestamptz) LIMIT 1";
	PGresult   *result = ask(q, sql, KEYS, (const char *const *) q->keys);
	bool		pending = result != NULL ? PQntuples(result) > 0 : q->lost;

	PQclear(result);
	return pending;
}

/* The benchmarks of this name with whatever parameters; false when one of them fails. */
static bool
compare(Question *q)
{
	static const char sql[] = "SELECT DISTINCT b.benchmark_id FROM profiling.profile AS p"
		" JOIN profiling.benchmark AS b ON b.benchmark_id = p.benchmark_id"
		" WHERE p.test_run_id = ANY (profiling.runs_of_commit($1)) AND b.name = $2 AND b.suite = $3 ORDER BY 1";
	PGresult   *ids = ask(q, sql, 3, (const char *const *) q->keys);
	bool		ok = ids != NULL || q->lost;

	for (int i = 0; ids != NULL && i < PQntuples(ids); i++)
	{
		const char *const id[] = {PQgetvalue(ids, i, 0)};
		PGresult   *result = ask(q, "SELECT runs FROM profiling.watch_benchmark($1::bigint)", 1, id);

		if (result == NULL && !q->lost)
		{
			say(stderr, PROGRAM ": the comparison failed: %s", q->message);
			ok = false;
		}
		PQclear(result);
	}
	PQclear(ids);
	return ok;
}

static void
sleep_seconds(double seconds)
{
	struct timespec time = {.tv_sec = (time_t) seconds};

	time.tv_nsec = (long) ((seconds - (double) time.tv_sec) * 1e9);
	nanosleep(&time, NULL);
}

static void
wait_for_comparison(Question *q)
{
	double		end = seconds_now() + q->options->verdict_seconds;
	double		delay = FIRST_DELAY;

	while (is_pending(q))
	{
		double		left = end - seconds_now();

		if (q->compares && (!compare(q) || !is_pending(q)))
			return;
		if (left <= 0)
			return;
		if (delay == FIRST_DELAY && !q->options->quiet)
			say(stderr, PROGRAM ": waiting %d s at most for a comparison, profiling.watch_run()",
				q->options->verdict_seconds);
		sleep_seconds(delay < left ? delay : left);
		delay = delay * 2 < MAX_DELAY ? delay * 2 : MAX_DELAY;
	}
}

/* --- the verdict ---------------------------------------------------------------------- */

/* A name as a pattern of LIKE. */
static char *
pattern_of(const char *name)
{
	char	   *pattern = must_alloc(malloc(2 * strlen(name) + 1));
	size_t		length = 0;

	for (; *name != '\0'; name++)
	{
		if (*name == '\\' || *name == '%' || *name == '_')
			pattern[length++] = '\\';
		pattern[length++] = *name;
	}
	pattern[length] = '\0';
	return pattern;
}

static int
status_of(const char *verdict)
{
	return strcmp(verdict, "ok") == 0 ? EXIT_ALL_LOADED :
		strcmp(verdict, "regressed") == 0 ? EXIT_REGRESSED : EXIT_NOT_EXAMINED;
}

/* Prints the rows; the worst of them is the exit status. */
static int
tell_rows(const PGresult *rows, bool quiet)
{
	bool		seen[EXIT_NOT_EXAMINED + 1] = {false};

	for (int i = 0; i < PQntuples(rows); i++)
	{
		const char *event = PQgetvalue(rows, i, 1);
		const char *verdict = PQgetvalue(rows, i, 2);
		int			status = status_of(verdict);

		seen[status] = true;
		if (status != EXIT_ALL_LOADED || !quiet)
			say(stdout, "%s%s%s: %s: %s", PQgetvalue(rows, i, 0), event[0] != '\0' ? ", " : "", event,
				verdict, PQgetvalue(rows, i, 3));
	}
	return seen[EXIT_REGRESSED] ? EXIT_REGRESSED :
		seen[EXIT_NOT_EXAMINED] || PQntuples(rows) == 0 ? EXIT_NOT_EXAMINED : EXIT_ALL_LOADED;
}

static bool
tell_verdict(Question *q, int *status)
{
	static const char sql[] = "SELECT v.benchmark, v.event, v.verdict, v.reason"
		" FROM profiling.verdict($1, $2, $3, $4) AS v";
	char	   *benchmark = pattern_of(q->keys[BENCHMARK]);
	char	   *suite = pattern_of(q->keys[SUITE]);
	const char *const values[] = {q->keys[COMMIT], benchmark, suite, q->keys[BRANCH]};
	PGresult   *rows = ask(q, sql, 4, values);

	free(benchmark);
	free(suite);
	if (rows == NULL)
		return false;
	*status = tell_rows(rows, q->options->quiet);
	PQclear(rows);
	return true;
}

int
wait_for_verdict(const Files *files, const Options *options)
{
	Question	q = {.options = options};
	int			status = EXIT_NOT_EXAMINED;
	bool		asked = begin_question(&q, files);

	if (asked)
	{
		wait_for_comparison(&q);
		asked = tell_verdict(&q, &status);
	}
	if (!asked)
		say(stderr, PROGRAM ": there is no verdict: %s", q.message);
	PQfinish(q.connection);
	free(q.message);
	for (int i = 0; i < KEYS; i++)
		free(q.keys[i]);
	return status;
}
