/*
 * options.c
 *	  The command line of flamegraph-load.
 */
#include "load.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/formats/formats.h"
#include "core/profile/frames.h"

#define MAX_JOBS 256
#define DEFAULT_WAIT 600		/* seconds */
#define MAX_WAIT (24 * 3600)

static const char help[] =
	"flamegraph-load loads recordings of profilers into the store of flamegraph_store.\n"
	"\n"
	"Usage:\n"
	"  flamegraph-load [OPTION]... --benchmark NAME FILE|DIRECTORY|-...\n"
	"  flamegraph-load [OPTION]... --service NAME [--watch] FILE|DIRECTORY|-...\n"
	"  flamegraph-load --dry-run [OPTION]... FILE|DIRECTORY|-...\n"
	"\n"
	"What the profiles belong to:\n"
	"  --benchmark NAME        the benchmark (required, or --service)\n"
	"  --service NAME          a service in production; of what follows it takes --version,\n"
	"                          --commit and --label as labels, --instance, --duration,\n"
	"                          --event, --unit, --period and --recorded-at (default: when\n"
	"                          each file was changed)\n"
	"  --suite NAME            its suite\n"
	"  --parameter KEY=VALUE   a parameter of the benchmark; can be repeated\n"
	"  --run TIME              when the run began; default: when the oldest file was\n"
	"                          changed\n"
	"  --branch NAME           branch that was built\n"
	"  --commit SHA            commit that was built\n"
	"  --version NAME          version that was built\n"
	"  --label KEY=VALUE       a label of the run; can be repeated\n"
	"  --instance NAME         machine or process\n"
	"  --repetition N|auto     repetition; auto: counts the files from 0\n"
	"  --recorded-at TIME      default: the time of the run\n"
	"  --duration INTERVAL     how long was recorded\n"
	"  --event NAME            of recordings that do not say it (default: cpu)\n"
	"  --unit NAME             of the values (default: what the recording says)\n"
	"  --period NUMBER         value of one sample (default: what the recording says)\n"
	"  --metric NUMBER         what the run measured; with --repetition auto also a number\n"
	"                          for each file: 12.7,12.5,12.9\n"
	"  --metric-unit NAME      its unit\n"
	"\n"
	"How files are read:\n"
	"  --format NAME           one of those below (default: by content); gzip is\n"
	"                          unpacked\n"
	"  --select NAME           only this event of each recording, by its name there\n"
	"  --threads               the thread is the first frame\n"
	"  --modes                 jfr: compile modes as suffixes of frames\n"
	"  --inlined               printed stacks: A->B is a function and one inlined in it\n"
	"  --frame-style STYLE     function (default), function:line or address\n"
	"  --profile N             speedscope: which profile of the file, from 0\n"
	"  --max-depth N           the profiler's limit: stacks of N frames were cut off\n"
	"  --max-bytes N           what a gzipped file may unpack to (default: 4 GiB)\n"
	"  --match PATTERN         of directories only files whose names match, such as\n"
	"                          '*.folded'; can be repeated\n"
	"\n"
	"How it is done:\n"
	"  -j, --jobs N            N connections at a time (default: 1)\n"
	"  --retries N             after deadlocks, serialization failures and lost\n"
	"                          connections (default: 8, the delay doubles)\n"
	"  --wait-verdict[=N]      then compare, or wait N seconds (default: 600) for the server\n"
	"                          to compare, and print what profiling.verdict() says of\n"
	"                          --commit\n"
	"  --watch                 of a service: load what comes into the directories, until the\n"
	"                          program is told to end (SIGTERM or SIGINT)\n"
	"  -n, --dry-run           read the files and say what they hold, load nothing; needs\n"
	"                          no server\n"
	"  -q, --quiet             say nothing but errors\n"
	"  -v, --verbose           a line for each file\n"
	"\n"
	"Connection:\n"
	"  -d, --dbname NAME       database, or a connection string\n"
	"  -h, --host NAME         -p, --port PORT         -U, --username NAME\n"
	"\n"
	"  --help                  this text\n"
	"  -V                      the version\n"
	"\n"
	"Formats:\n";
static const char help_end[] =
	"\n"
	"Each file is loaded as a whole or not at all. What is in the store already is left\n"
	"alone, so the same command can be given again to complete a load. The exit status is\n"
	"0 when every file was loaded or there already, else 1 (also for a directory without\n"
	"a file to load); 2 for a wrong command; with --wait-verdict 3 when something was found\n"
	"in the commit, 4 when that is not known.\n";

enum
{
	OPT_BENCHMARK = 1000, OPT_SUITE, OPT_PARAMETER, OPT_RUN, OPT_BRANCH, OPT_COMMIT, OPT_VERSION,
	OPT_LABEL, OPT_INSTANCE, OPT_REPETITION, OPT_RECORDED_AT, OPT_DURATION, OPT_EVENT, OPT_UNIT,
	OPT_PERIOD, OPT_METRIC, OPT_METRIC_UNIT, OPT_FORMAT, OPT_SELECT, OPT_THREADS, OPT_MODES,
	OPT_INLINED,
	OPT_FRAME_STYLE, OPT_PROFILE, OPT_MAX_DEPTH, OPT_MAX_BYTES, OPT_MATCH, OPT_RETRIES, OPT_WAIT_VERDICT,
	OPT_SERVICE, OPT_WATCH, OPT_HELP
};

static const struct option long_options[] = {
	{"benchmark", required_argument, NULL, OPT_BENCHMARK},
	{"service", required_argument, NULL, OPT_SERVICE},
	{"watch", no_argument, NULL, OPT_WATCH},
	{"suite", required_argument, NULL, OPT_SUITE},
	{"parameter", required_argument, NULL, OPT_PARAMETER},
	{"run", required_argument, NULL, OPT_RUN},
	{"branch", required_argument, NULL, OPT_BRANCH},
	{"commit", required_argument, NULL, OPT_COMMIT},
	{"version", required_argument, NULL, OPT_VERSION},
	{"label", required_argument, NULL, OPT_LABEL},
	{"instance", required_argument, NULL, OPT_INSTANCE},
	{"repetition", required_argument, NULL, OPT_REPETITION},
	{"recorded-at", required_argument, NULL, OPT_RECORDED_AT},
	{"duration", required_argument, NULL, OPT_DURATION},
	{"event", required_argument, NULL, OPT_EVENT},
	{"unit", required_argument, NULL, OPT_UNIT},
	{"period", required_argument, NULL, OPT_PERIOD},
	{"metric", required_argument, NULL, OPT_METRIC},
	{"metric-unit", required_argument, NULL, OPT_METRIC_UNIT},
	{"format", required_argument, NULL, OPT_FORMAT},
	{"select", required_argument, NULL, OPT_SELECT},
	{"threads", no_argument, NULL, OPT_THREADS},
	{"modes", no_argument, NULL, OPT_MODES},
	{"inlined", no_argument, NULL, OPT_INLINED},
	{"frame-style", required_argument, NULL, OPT_FRAME_STYLE},
	{"profile", required_argument, NULL, OPT_PROFILE},
	{"max-depth", required_argument, NULL, OPT_MAX_DEPTH},
	{"max-bytes", required_argument, NULL, OPT_MAX_BYTES},
	{"match", required_argument, NULL, OPT_MATCH},
	{"retries", required_argument, NULL, OPT_RETRIES},
	{"wait-verdict", optional_argument, NULL, OPT_WAIT_VERDICT},
	{"jobs", required_argument, NULL, 'j'},
	{"dry-run", no_argument, NULL, 'n'},
	{"quiet", no_argument, NULL, 'q'},
	{"verbose", no_argument, NULL, 'v'},
	{"dbname", required_argument, NULL, 'd'},
	{"host", required_argument, NULL, 'h'},
	{"port", required_argument, NULL, 'p'},
	{"username", required_argument, NULL, 'U'},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0}
};

static void
print_help(void)
{
	fputs(help, stdout);
	for (int i = FG_FORMAT_AUTO + 1; i < FG_FORMAT_COUNT; i++)
		say(stdout, "  %-12s %s%s", fg_formats[i].word, fg_formats[i].title,
			fg_formats[i].reader->recognise == NULL ? " (if named)" : "");
	fputs(help_end, stdout);
}

void
usage_error(const char *format,...)
{
	va_list		args;

	va_start(args, format);
	say(stderr, PROGRAM ": %s", format_list(format, args));
	va_end(args);
	say(stderr, "Try \"" PROGRAM " --help\".");
	exit(EXIT_USAGE);
}

/* --- values ------------------------------------------------------------------------- */

static uint64_t
whole_number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	char	   *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least || value > most)
		usage_error("%s must be a whole number from %llu to %llu, not \"%s\"", option,
					(unsigned long long) least, (unsigned long long) most, text);
	return value;
}

/* The server reads it again; this finds a mistake before any file is read, and in a dry run, which asks no server. */
static const char *
check_number(const char *option, const char *text, bool positive)
{
	char	   *end;
	double		value;

	errno = 0;
	value = strtod(text, &end);
	if (*text == '\0' || *end != '\0')
		usage_error("%s must be a number, not \"%s\"", option, text);
	if (errno == ERANGE && (value == 0 || isinf(value)))
		usage_error("%s: \"%s\" is out of range for type double precision", option, text);
	if (!isfinite(value) || (positive && value <= 0))
		usage_error("%s: \"%s\" is not a finite number%s", option, text, positive ? " above 0" : "");
	return text;
}

static int
word(const char *option, const char *text, const char *const *words, int count)
{
	for (int i = 0; i < count; i++)
	{
		if (strcmp(words[i], text) == 0)
			return i;
	}
	usage_error("%s: \"%s\" is none of its words", option, text);
}

/* Bytes that the store has for a text; it has more for what is not here. */
static size_t
most_bytes(int option)
{
	switch (option)
	{
		case OPT_BENCHMARK:
		case OPT_SUITE:
			return 1000;
		case OPT_BRANCH:
		case OPT_COMMIT:
		case OPT_VERSION:
		case OPT_INSTANCE:
		case OPT_SERVICE:
			return 500;
		case OPT_EVENT:
		case OPT_UNIT:
		case OPT_METRIC_UNIT:
			return 250;
		default:
			return SIZE_MAX;
	}
}

/* An empty one is a variable of a script that nobody has set: the run would be of no branch. */
static void
check_length(const char *name, int option, const char *text)
{
	if (text[0] == '\0')
		usage_error("%s must not be empty; leave it out where there is none", name);
	if (strlen(text) > most_bytes(option))
		usage_error("%s must not be longer than %zu bytes", name, most_bytes(option));
}

/*
 * What the store shall know.  A name of several lines or with a carriage return at
 * its end is a mistake of a script, or somebody's trick.
 */
static const char *
check_text(const char *option, const char *text, bool several_lines)
{
	if (fg_utf8_prefix(text, strlen(text)) < strlen(text))
		usage_error("%s must be UTF-8, not \"%s\"", option, text);
	if (!several_lines && has_control_character(text))
		usage_error("%s must not hold control characters: \"%s\"", option, text);
	return text;
}

/* Appends what is inside of a JSON string; releases "json". */
static char *
append_json(char *json, const char *text, size_t length)
{
	size_t		at = strlen(json);
	char	   *longer = must_alloc(realloc(json, at + 6 * length + 1));

	for (size_t i = 0; i < length; i++)
	{
		unsigned char c = (unsigned char) text[i];

		if (c < 0x20 || c == '"' || c == '\\')
			at += (size_t) sprintf(longer + at, "\\u%04x", c);
		else
			longer[at++] = (char) c;
	}
	longer[at] = '\0';
	return longer;
}

/* Adds KEY=VALUE to a JSON object whose closing brace is still missing. */
static void
add_pair(const char *option, char **json, const char *pair)
{
	const char *equals = strchr(pair, '=');
	char	   *key;

	if (equals == NULL || equals == pair)
		usage_error("%s must be KEY=VALUE, not \"%s\"", option, pair);
	check_text(option, pair, true);
	key = append_json(format_text("\""), pair, (size_t) (equals - pair));
	append_text(&key, "\": \"");
	/* within keys and values there is no quote, it is written as \u0022 */
	if (*json != NULL && strstr(*json, key) != NULL)
		usage_error("%s names \"%.*s\" twice", option, (int) (equals - pair), pair);
	append_text(json, "%s%s", *json == NULL ? "{" : ", ", key);
	free(key);
	*json = append_json(*json, equals + 1, strlen(equals + 1));
	append_text(json, "\"");
}

static char *
end_object(char *json)
{
	char	   *whole = format_text("%s}", json == NULL ? "{" : json);

	free(json);
	return whole;
}

/* --- the command line --------------------------------------------------------------- */

static void
set_repetition(Options *options, const char *text)
{
	options->count_repetitions = strcmp(text, "auto") == 0;
	if (!options->count_repetitions)
		options->repetition = (int) whole_number("--repetition", text, 0, INT32_MAX);
}

/* Appends to a list of texts that are not copied. */
static void
add_to_list(const char ***list, size_t *count, const char *text)
{
	*list = must_alloc(realloc(*list, (*count + 1) * sizeof(char *)));
	(*list)[(*count)++] = text;
}

/* One number, or several with commas between them. */
static void
set_metrics(Options *options, const char *text)
{
	char	   *number = must_alloc(strdup(text));

	options->nmetrics = 0;
	while (number != NULL)
	{
		char	   *comma = strchr(number, ',');

		if (comma != NULL)
			*comma++ = '\0';
		add_to_list(&options->metrics, &options->nmetrics, check_number("--metric", number, false));
		number = comma;
	}
}

static void
set_reading(Options *options, int option, const char *value)
{
	static const char *const styles[] = {"function", "function:line", "address"};

	switch (option)
	{
		case OPT_FORMAT:
			options->read.format = (FgFormat) word("--format", value, fg_format_names, FG_FORMAT_COUNT);
			break;
		case OPT_SELECT:
			options->read.selection = value;
			break;
		case OPT_THREADS:
			options->read.threads = true;
			break;
		case OPT_MODES:
			options->read.modes = true;
			break;
		case OPT_INLINED:
			options->read.inlined = true;
			break;
		case OPT_FRAME_STYLE:
			options->read.frame_style = (FgFrameStyle) word("--frame-style", value, styles, 3);
			break;
		case OPT_PROFILE:
			options->read.profile = (int) whole_number("--profile", value, 0, INT32_MAX);
			break;
		case OPT_MAX_DEPTH:
			options->read.max_depth = (uint32_t) whole_number("--max-depth", value, 0, FG_MAX_DEPTH);
			break;
		default:
			options->read.max_bytes = whole_number("--max-bytes", value, 0, INT64_MAX);
			break;
	}
}

/* Where a text goes that is passed on as it is; NULL for other options. */
static const char **
text_option(Options *options, int option)
{
	switch (option)
	{
		case OPT_BENCHMARK:
			return &options->benchmark;
		case OPT_SERVICE:
			return &options->service;
		case OPT_SUITE:
			return &options->suite;
		case OPT_RUN:
			return &options->started_at;
		case OPT_BRANCH:
			return &options->branch;
		case OPT_COMMIT:
			return &options->commit;
		case OPT_VERSION:
			return &options->version;
		case OPT_INSTANCE:
			return &options->instance;
		case OPT_RECORDED_AT:
			return &options->recorded_at;
		case OPT_DURATION:
			return &options->duration;
		case OPT_EVENT:
			return &options->event;
		case OPT_UNIT:
			return &options->unit;
		case OPT_METRIC_UNIT:
			return &options->metric_unit;
		case 'd':
			return &options->database;
		case 'h':
			return &options->host;
		case 'p':
			return &options->port;
		case 'U':
			return &options->user;
		default:
			return NULL;
	}
}

static const char *
option_name(int option)
{
	const struct option *o = long_options;

	while (o->val != option)
		o++;
	return format_text("--%s", o->name);
}

static void
set_option(Options *options, int option, const char *value)
{
	const char **text = text_option(options, option);

	if (text != NULL)
	{
		if (option >= OPT_BENCHMARK)
		{
			check_text(option_name(option), value, false);
			check_length(option_name(option), option, value);
		}
		*text = value;
		return;
	}
	switch (option)
	{
		case OPT_PARAMETER:
		case OPT_LABEL:
			add_pair(option_name(option), option == OPT_LABEL ? &options->labels : &options->parameters, value);
			break;
		case OPT_REPETITION:
			set_repetition(options, value);
			break;
		case OPT_PERIOD:
			options->period = check_number("--period", value, true);
			break;
		case OPT_METRIC:
			set_metrics(options, value);
			break;
		case OPT_MATCH:
			add_to_list(&options->patterns, &options->npatterns, value);
			break;
		case OPT_RETRIES:
			options->retries = (int) whole_number("--retries", value, 0, 1000);
			break;
		case OPT_WAIT_VERDICT:
			options->wait_verdict = true;
			options->verdict_seconds = value == NULL ? DEFAULT_WAIT
				: (int) whole_number("--wait-verdict", value, 0, MAX_WAIT);
			break;
		case 'j':
			options->jobs = (int) whole_number("-j", value, 1, MAX_JOBS);
			break;
		case 'n':
			options->dry_run = true;
			break;
		case OPT_WATCH:
			options->watch = true;
			break;
		case 'q':
		case 'v':
			/* the one that comes later */
			options->quiet = option == 'q';
			options->verbose = option == 'v';
			break;
		default:
			set_reading(options, option, value);
			break;
	}
}

/* A letter is known by itself: it may stand among others. */
static void __attribute__((noreturn))
refuse_option(const char *argument, int why)
{
	char	   *name = optopt > 0 && optopt < OPT_BENCHMARK ? format_text("-%c", optopt)
		: format_text("%s", argument);

	usage_error(why == ':' ? "\"%s\" needs a value" : "\"%s\" cannot be understood", name);
}

/* What a run has, and a profile of a service has not. */
static void
check_service(const Options *options)
{
	const struct
	{
		const char *name;
		bool		given;
	}			of_runs[] = {
		{"--benchmark", options->benchmark != NULL}, {"--suite", options->suite != NULL},
		{"--parameter", options->parameters != NULL}, {"--run", options->started_at != NULL},
		{"--branch", options->branch != NULL}, {"--metric", options->nmetrics > 0},
		{"--metric-unit", options->metric_unit != NULL}, {"--wait-verdict", options->wait_verdict},
		{"--repetition", options->count_repetitions || options->repetition > 0}
	};

	for (size_t i = 0; i < sizeof(of_runs) / sizeof(of_runs[0]); i++)
	{
		if (of_runs[i].given)
			usage_error("%s is of benchmarks, and cannot be given with --service", of_runs[i].name);
	}
}

/* A service has versions and commits as labels. */
static void
label_service(Options *options)
{
	const struct
	{
		const char *key;
		const char *value;
	}			labels[] = {{"version", options->version}, {"commit", options->commit}};

	for (size_t i = 0; i < 2; i++)
	{
		char	   *pair;

		if (labels[i].value == NULL)
			continue;
		pair = format_text("%s=%s", labels[i].key, labels[i].value);
		add_pair("--label", &options->labels, pair);
		free(pair);
	}
}

static void
check_together(const Options *options)
{
	if (options->benchmark == NULL && options->service == NULL && !options->dry_run)
		usage_error("--benchmark is missing");
	if (options->service != NULL)
		check_service(options);
	if (options->watch && (options->service == NULL || options->dry_run))
		usage_error("--watch needs --service, and a load");
	if (options->wait_verdict && options->dry_run)
		usage_error("--wait-verdict needs a load, so it cannot be given with --dry-run");
	if (options->wait_verdict && (options->commit == NULL || options->commit[0] == '\0'))
		usage_error("--wait-verdict needs --commit");
	if (options->nmetrics > 1 && !options->count_repetitions)
		usage_error("--metric takes several numbers only with --repetition auto; "
					"in a number write a point, not a comma");
}

void
parse_options(int argc, char **argv, Options *options, int *first)
{
	int			option;

	*options = (Options) {.read = FG_DEFAULT_READ_OPTIONS, .jobs = 1, .retries = 8};
	opterr = 0;					/* getopt would print the option as it is */
	while ((option = getopt_long(argc, argv, ":d:h:p:U:j:nqvV", long_options, NULL)) != -1)
	{
		if (option == '?' || option == ':')
			refuse_option(argv[optind - 1], option);
		if (option == OPT_HELP || option == 'V')
		{
			if (option == OPT_HELP)
				print_help();
			else
				fputs(PROGRAM " " FG_VERSION "\n", stdout);
			exit(EXIT_ALL_LOADED);
		}
		set_option(options, option, optarg);
	}
	/* what a file holds that is no recording does not belong into a log */
	options->read.discreet = true;
	options->read.every = options->read.selection == NULL;
	check_together(options);
	if (options->service != NULL)
		label_service(options);
	options->labels = end_object(options->labels);
	options->parameters = end_object(options->parameters);
	if (optind >= argc)
		usage_error("no file is given");
	*first = optind;
}
