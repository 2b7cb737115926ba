/*
 * flamegraph-report.c
 *	  Writes the page of a benchmark or of a night, prints what was found as Markdown, and
 *	  ends with a status that a job of CI can act on.  The pages are made by the server.
 */
#include "connection.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN_ROWS 20
#define SHOWN_BYTES 200

enum
{
	NOTHING_FOUND, FOUND, FAILED
};

const char	program_name[] = "flamegraph-report";
const int	program_failed = FAILED;

typedef struct Options
{
	Server		server;
	const char *benchmark;		/* NULL: the night */
	const char *run;
	const char *since;
	const char *output;
	const char *fail_on;
	bool		night;
	bool		markdown;
} Options;

static const char help[] =
	"flamegraph-report writes a page of the store of flamegraph_store and says what was found.\n"
	"\n"
	"Usage:\n"
	"  flamegraph-report [OPTION]... --benchmark NAME [--run N]\n"
	"  flamegraph-report [OPTION]... --night [--since TIME]\n"
	"\n"
	"  --benchmark NAME        a benchmark, by its name or number\n"
	"  --run N|COMMIT          one run of it, by its number or commit: only what was first\n"
	"                          seen in it (default: the newest run, and all that is open)\n"
	"  --night                 all benchmarks: what was first seen since then\n"
	"  --since TIME            default: the newest day that has runs, in UTC\n"
	"\n"
	"  -o, --output FILE       write the page; FILE is replaced when it is whole\n"
	"  --markdown              print a summary in Markdown\n"
	"  --fail-on KIND[,KIND]   exit status 1 for degradation, optimization or environment\n"
	"\n"
	"  -d, --dbname DB         database or connection string\n"
	"  -h, --host HOST  -p, --port PORT  -U, --username NAME\n"
	"  -V, --version  --help\n"
	"\n"
	"Exit status: 0 nothing was found, 1 findings of a kind to fail on, 2 an error.\n";

static void fail(const char *format,...) __attribute__((format(printf, 1, 2), noreturn));

static void
fail(const char *format,...)
{
	va_list		args;

	va_start(args, format);
	say(stderr, "%s: %s", program_name, format_list(format, args));
	va_end(args);
	exit(FAILED);
}

/* --- the command line ------------------------------------------------------------------- */

enum
{
	BENCHMARK = 256, RUN, NIGHT, SINCE, MARKDOWN, FAIL_ON, HELP
};

static const struct option long_options[] = {
	{"benchmark", required_argument, NULL, BENCHMARK},
	{"run", required_argument, NULL, RUN},
	{"night", no_argument, NULL, NIGHT},
	{"since", required_argument, NULL, SINCE},
	{"output", required_argument, NULL, 'o'},
	{"markdown", no_argument, NULL, MARKDOWN},
	{"fail-on", required_argument, NULL, FAIL_ON},
	{"dbname", required_argument, NULL, 'd'},
	{"host", required_argument, NULL, 'h'},
	{"port", required_argument, NULL, 'p'},
	{"username", required_argument, NULL, 'U'},
	{"version", no_argument, NULL, 'V'},
	{"help", no_argument, NULL, HELP},
	{NULL, 0, NULL, 0}
};

static void
take_option(Options *o, int option)
{
	switch (option)
	{
		case BENCHMARK: o->benchmark = optarg; return;
		case RUN: o->run = optarg; return;
		case NIGHT: o->night = true; return;
		case SINCE: o->since = optarg; return;
		case MARKDOWN: o->markdown = true; return;
		case FAIL_ON: o->fail_on = optarg; return;
		case 'o': o->output = optarg; return;
		case 'd': o->server.database = optarg; return;
		case 'h': o->server.host = optarg; return;
		case 'p': o->server.port = optarg; return;
		case 'U': o->server.user = optarg; return;
		case HELP:
		case 'V':
			fputs(option == HELP ? help : "flamegraph-report " FG_VERSION "\n", stdout);
			exit(fflush(stdout) == 0 ? NOTHING_FOUND : FAILED);
		default:				/* getopt has said why */
			exit(FAILED);
	}
}

static Options
parse_options(int argc, char **argv)
{
	Options		o = {.benchmark = NULL};
	int			option;

	while ((option = getopt_long(argc, argv, "o:d:h:p:U:V", long_options, NULL)) != -1)
		take_option(&o, option);
	if (optind < argc)
		fail("\"%s\" is no option", argv[optind]);
	if ((o.benchmark != NULL) == o.night)
		fail("give either --benchmark NAME or --night");
	if (o.run != NULL && o.night)
		fail("--run goes with --benchmark");
	if (o.since != NULL && !o.night)
		fail("--since goes with --night");
	if (o.output == NULL && !o.markdown && o.fail_on == NULL)
		fail("there is nothing to do: give --output, --markdown or --fail-on");
	return o;
}

/* --- the server ------------------------------------------------------------------------- */

/* Rows, or the end of the program. */
static PGresult *
ask(PGconn *connection, const char *sql, int count, const char *const *values)
{
	PGresult   *result = PQexecParams(connection, sql, count, NULL, values, NULL, NULL, 0);
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	const char *hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);

	if (PQresultStatus(result) == PGRES_TUPLES_OK || PQresultStatus(result) == PGRES_COMMAND_OK)
		return result;
	if (state != NULL && (strcmp(state, "42883") == 0 || strcmp(state, "42P01") == 0 ||
						  strcmp(state, "3F000") == 0))
		hint = "The database needs the extension flamegraph_store of this version.";
	else if (state != NULL && strcmp(state, "42501") == 0)
		hint = "The owner of the store grants access \"reader\" by profiling.grant_access().";
	fail("%s%s%s", primary != NULL ? primary : failure_text(connection, result),
		 hint != NULL ? "; " : "", hint != NULL ? hint : "");
}

/* One value of the first row, or NULL. */
static char *
ask_value(PGconn *connection, const char *sql, int count, const char *const *values)
{
	PGresult   *result = ask(connection, sql, count, values);
	char	   *value = NULL;

	if (PQntuples(result) > 0 && !PQgetisnull(result, 0, 0))
		value = format_text("%s", PQgetvalue(result, 0, 0));
	PQclear(result);
	return value;
}

/* All that is told is of one moment. */
static PGconn *
open_store(const Options *o)
{
	PGconn	   *connection = connect_server(&o->server);
	char	   *wrong;

	if (PQstatus(connection) != CONNECTION_OK)
		fail("%s", one_line(PQerrorMessage(connection)));
	PQclear(ask(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", 0, NULL));
	PQclear(ask(connection, "SET LOCAL search_path = pg_catalog, pg_temp", 0, NULL));
	wrong = ask_value(connection, "SELECT $1 WHERE $1 || ',' !~ '^((degradation|optimization|environment),)+$'",
					  1, &o->fail_on);
	if (wrong != NULL)
		fail("--fail-on: no such kind: \"%s\"; there are degradation, optimization, environment", wrong);
	return connection;
}

/* What the options name, as the server knows it: arguments of the queries below. */
enum
{
	OF_BENCHMARK, OF_RUNS, OF_SINCE, OF_KINDS, SUBJECTS
};

/* Returns a title. */
static char *
find_subject(PGconn *connection, const Options *o, const char **subject)
{
	const char *values[] = {o->night ? o->since : o->benchmark, o->run};

	if (o->night)
	{
		subject[OF_SINCE] = ask_value(connection, "SELECT coalesce($1::timestamptz, date_trunc('day',"
									  " max(started_at) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')"
									  " FROM profiling.test_run", 1, values);
		if (subject[OF_SINCE] == NULL)
			fail("there are no runs in the store");
		return ask_value(connection, "SELECT to_char($1::timestamptz AT TIME ZONE 'UTC',"
						 " '\"since \"YYYY-MM-DD HH24:MI\" UTC\"')", 1, &subject[OF_SINCE]);
	}
	subject[OF_BENCHMARK] = ask_value(connection, "SELECT profiling.benchmark_called($1)", 1, values);
	values[0] = subject[OF_BENCHMARK];
	subject[OF_RUNS] = ask_value(connection, "SELECT array_agg(DISTINCT p.test_run_id)"
								 " FROM profiling.profile AS p WHERE p.benchmark_id = $1"
								 " AND (p.test_run_id::text = $2"
								 " OR p.test_run_id = ANY (profiling.runs_of_commit($2)))", 2, values);
	if (o->run != NULL && subject[OF_RUNS] == NULL)
		fail("--run: the benchmark has no run \"%s\", a number or a commit", o->run);
	values[1] = o->run != NULL ? o->run : "";
	return ask_value(connection, "SELECT concat(nullif(suite, '') || '/', name, ', run ' || nullif($2, ''))"
					 " FROM profiling.benchmark WHERE benchmark_id = $1", 2, values);
}

static char *
make_page(PGconn *connection, const char *const *subject)
{
	if (subject[OF_SINCE] != NULL)
		return ask_value(connection, "SELECT profiling.night_html(since => $1::timestamptz)", 1,
						 &subject[OF_SINCE]);
	return ask_value(connection, "SELECT profiling.report_html(benchmark_id => $1::bigint, test_run_id =>"
					 " (SELECT max(run) FROM unnest($2::bigint[]) AS run))", 2, subject);
}

/* Columns of a finding: all but the last two are shown. */
enum
{
	KIND, WHERE, CHANGE, EXPECTED, ACTUAL, UNIT, WHAT, FIRST_SEEN, COLUMNS
};

/* As profiling.verdict() has it, a cost that only moved is nothing to fail on. */
static PGresult *
ask_findings(PGconn *connection, const char *const *subject)
{
	static const char sql[] =
		"SELECT f.kind, CASE f.level WHEN 'metric' THEN 'the metric' ELSE f.subject::text END,"
		" profiling.percent(f.relative), f.expected, f.actual, CASE f.level WHEN 'metric' THEN '' ELSE f.unit END,"
		" concat_ws(', ', CASE WHEN $1::bigint IS NULL THEN concat(nullif(b.suite, '') || '/', b.name) END,"
		" nullif(f.event, ''), nullif(f.branch, ''), f.level, f.method, nullif(f.status, 'open'),"
		" CASE f.cause WHEN 'shift' THEN 'only moved' END, nullif(f.team, '')),"
		" coalesce(nullif(left(f.first_commit, 12), ''), to_char(f.first_started_at AT TIME ZONE 'UTC',"
		" 'YYYY-MM-DD HH24:MI')), f.cause <> 'shift' AND f.kind = ANY (string_to_array($4, ','))"
		" FROM profiling.open_regression AS f JOIN profiling.benchmark AS b USING (benchmark_id)"
		" WHERE ($1::bigint IS NULL OR f.benchmark_id = $1) AND ($2::bigint[] IS NULL OR f.first_test_run_id = ANY ($2))"
		" AND ($3::timestamptz IS NULL OR f.first_started_at >= $3)"
		" ORDER BY f.kind <> 'degradation' OR f.cause = 'shift', f.kind, abs(f.relative) DESC NULLS FIRST,"
		" f.benchmark_id, f.regression_id";

	return ask(connection, sql, SUBJECTS, subject);
}

/* --- Markdown ---------------------------------------------------------------------------- */

/*
 * A name as code, which Markdown takes as it is: no markup, no links, nobody is called.  In
 * a table a '|' ends the cell even there, so names with what is special are written as HTML.
 */
static void
print_code(const char *before, const char *name)
{
	char	   *text = printable(name);
	size_t		length = strlen(text);
	size_t		shown = length < SHOWN_BYTES ? length : SHOWN_BYTES;

	while (((unsigned char) text[shown] & 0xC0) == 0x80)
		shown--;
	text[shown] = '\0';
	fputs(before, stdout);
	if (strpbrk(text, "|`\\") == NULL)
		printf(shown == 0 ? "%s" : "`%s`", text);
	else
	{
		fputs("<code>", stdout);
		for (const char *at = text; *at != '\0'; at++)
			printf(strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", *at) != NULL ? "&#%d;" : "%c", *at);
		fputs("</code>", stdout);
	}
	fputs(shown < length ? "…" : "", stdout);
	free(text);
}

static void
print_findings(const char *title, const PGresult *findings)
{
	int			count = PQntuples(findings);

	print_code("### Performance: ", title);
	printf(count == 0 ? "\n\nNothing was found.\n" : count == 1 ? "\n\n**1 finding**\n" : "\n\n**%d findings**\n",
		   count);
	if (count > 0)
		puts("\n| Kind | Where | Change | Expected | Actual | Unit | What | First seen |\n"
			 "|---|---|--:|--:|--:|---|---|---|");
	for (int i = 0; i < count && i < SHOWN_ROWS; i++)
	{
		for (int c = 0; c < COLUMNS; c++)
		{
			const char *value = PQgetvalue(findings, i, c);

			if ((c == EXPECTED || c == ACTUAL) && !PQgetisnull(findings, i, c))
				printf(" | %.4g", strtod(value, NULL));
			else
				print_code(c == 0 ? "| " : " | ", value);
		}
		puts(" |");
	}
	if (count > SHOWN_ROWS)
		printf("\nand %d more\n", count - SHOWN_ROWS);
}

static int
status_of(const PGresult *findings)
{
	for (int i = 0; i < PQntuples(findings); i++)
	{
		if (strcmp(PQgetvalue(findings, i, COLUMNS), "t") == 0)
			return FOUND;
	}
	return NOTHING_FOUND;
}

/* --- the file ------------------------------------------------------------------------------ */

/* To a new file beside it, which then takes its place: nobody ever reads half a page. */
static void
write_page(const char *path, const char *page)
{
	char	   *target = realpath(path, NULL);
	const char *name = target != NULL ? target : path;
	char	   *temporary = format_text("%s.XXXXXX", name);
	mode_t		mask = umask(0);
	struct stat status;
	int			descriptor;
	FILE	   *file;
	bool		ok;

	umask(mask);
	if (stat(name, &status) == 0 && !S_ISREG(status.st_mode))
		fail("%s: this is %s", path, S_ISDIR(status.st_mode) ? "a directory" : "no regular file");
	descriptor = mkstemp(temporary);
	if (descriptor < 0)
		fail("%s: no file can be made there: %s", path, strerror(errno));
	file = must_alloc(fdopen(descriptor, "w"));
	ok = fputs(page, file) != EOF && fflush(file) == 0 && fchmod(descriptor, 0666 & ~mask) == 0 &&
		fsync(descriptor) == 0;
	if (fclose(file) != 0 || !ok || rename(temporary, name) != 0)
	{
		int			reason = errno;

		unlink(temporary);
		fail("%s: %s", path, strerror(reason));
	}
	free(temporary);
	free(target);
}

int
main(int argc, char **argv)
{
	Options		options = parse_options(argc, argv);
	PGconn	   *connection = open_store(&options);
	const char *subject[SUBJECTS] = {[OF_KINDS] = options.fail_on};
	char	   *title = find_subject(connection, &options, subject);
	PGresult   *findings = ask_findings(connection, subject);
	int			status = status_of(findings);

	if (options.output != NULL)
	{
		char	   *page = make_page(connection, subject);

		if (page == NULL)
			fail("the server made no page");
		write_page(options.output, page);
		free(page);
	}
	if (options.markdown)
		print_findings(title, findings);
	if (fflush(stdout) != 0 || ferror(stdout))
		fail("the summary cannot be written: %s", strerror(errno));
	PQclear(findings);
	PQfinish(connection);
	free(title);
	return status;
}
