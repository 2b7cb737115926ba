/*
 * settings.c
 *	  What is shown: from the project's .flamegraph.toml and the options of the client.
 *
 * The file is of the project, which may be anybody's.  So what it names as the connection is
 * where to connect to, and nothing that makes libpq read files or send a password that was
 * meant for somebody else.
 */
#include "lsp.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 65536

static char *
empty(void)
{
	return copy_text("", 0);
}

void
settings_begin(Settings *s)
{
	*s = (Settings) {.connection = empty(), .suite = copy_text("%", 1), .event = copy_text("cpu", 3),
		.baseline = copy_text("window:10", 9), .frame_rules = empty(), .min_percent = 0.1, .refresh = 60,
	.lines = true, .hints = true};
}

void
settings_free(Settings *s)
{
	free(s->connection);
	free(s->benchmark);
	free(s->suite);
	free(s->event);
	free(s->branch);
	free(s->baseline);
	free(s->frame_rules);
	*s = (Settings) {.connection = NULL};
}

static char *
take_text(char **to, const char *value)
{
	free(*to);
	*to = copy_text(value, strlen(value));
	return NULL;
}

static char *
take_number(double *to, const char *key, const char *value, double least, double most)
{
	char	   *end;
	double		number = strtod(value, &end);

	if (end == value || *end != '\0' || !(number >= least && number <= most))
		return format_text("\"%s\" is a number from %g to %g", key, least, most);
	*to = number;
	return NULL;
}

static char *
take_truth(bool *to, const char *key, const char *value)
{
	if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
		return format_text("\"%s\" is true or false", key);
	*to = value[0] == 't';
	return NULL;
}

/* Names of rule sets; they become part of a statement. */
static char *
take_rules(Settings *s, const char *value)
{
	if (strspn(value, "abcdefghijklmnopqrstuvwxyz_, ") != strlen(value))
		return format_text("\"frame_rules\" is a list of names such as \"java, threads\"");
	return take_text(&s->frame_rules, value);
}

char *
settings_set(Settings *s, const char *key, const char *value)
{
	if (strcmp(key, "connection") == 0)
		return take_text(&s->connection, value);
	if (strcmp(key, "benchmark") == 0)
		return take_text(&s->benchmark, value);
	if (strcmp(key, "suite") == 0)
		return take_text(&s->suite, value);
	if (strcmp(key, "event") == 0)
		return take_text(&s->event, value);
	if (strcmp(key, "branch") == 0)
		return take_text(&s->branch, value);
	if (strcmp(key, "baseline") == 0)
		return take_text(&s->baseline, value);
	if (strcmp(key, "frame_rules") == 0)
		return take_rules(s, value);
	if (strcmp(key, "min_percent") == 0)
		return take_number(&s->min_percent, key, value, 0, 100);
	if (strcmp(key, "refresh") == 0)
		return take_number(&s->refresh, key, value, 1, 86400);
	if (strcmp(key, "lines") == 0)
		return take_truth(&s->lines, key, value);
	if (strcmp(key, "hints") == 0)
		return take_truth(&s->hints, key, value);
	return format_text("there is no setting \"%s\"; there are connection, benchmark, suite, event, branch, baseline, "
					   "frame_rules, min_percent, refresh, lines, hints", key);
}

/* --- the file -------------------------------------------------------------------------------------- */

typedef struct Line
{
	const char *at;
	const char *end;
} Line;

static void
skip_blanks(Line *line)
{
	while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
		line->at++;
}

/* Strings of one line, numbers, true and false: what the settings are. NULL: none of these. */
static char *
read_value(Line *line)
{
	Out			value = {.text = NULL};
	char		quote = line->at < line->end ? *line->at : '\0';

	out_put(&value, "");
	if (quote != '"' && quote != '\'')
	{
		while (line->at < line->end && *line->at != '#' && *line->at != ' ' && *line->at != '\t')
			out_bytes(&value, line->at++, 1);
		if (value.size > 0 && strspn(value.text, "0123456789.+-eE_") != value.size &&
			strcmp(value.text, "true") != 0 && strcmp(value.text, "false") != 0)
			value.text[value.size = 0] = '\0';
		if (value.size == 0)
			out_free(&value);
		return value.text;
	}
	for (line->at++; line->at < line->end && *line->at != quote; line->at++)
	{
		static const char escapes[] = "\"\"\\\\t\tn\n";
		const char *escape = "";

		if (*line->at != '\\' || quote == '\'')
		{
			out_bytes(&value, line->at, 1);
			continue;
		}
		if (++line->at < line->end)
			for (escape = escapes; *escape != '\0' && *escape != *line->at; escape += 2)
				;
		if (*escape == '\0')
			break;
		out_bytes(&value, escape + 1, 1);
	}
	if (line->at >= line->end || *line->at != quote)
		out_free(&value);
	line->at++;
	return value.text;
}

/* Where to connect to, and nothing else. */
static char *
check_connection(const char *value)
{
	static const char *const allowed[] = {"host", "hostaddr", "port", "dbname", "user", "sslmode", "connect_timeout",
	"application_name", NULL};
	char	   *error = NULL;
	PQconninfoOption *options = strchr(value, '=') != NULL || strstr(value, "://") != NULL ? PQconninfoParse(value, &error) : NULL;
	char	   *wrong = NULL;

	if (error != NULL)
	{
		wrong = format_text("\"connection\" is no connection string: %s", error);
		PQfreemem(error);
	}
	for (PQconninfoOption *o = options; o != NULL && o->keyword != NULL && wrong == NULL; o++)
	{
		if (o->val != NULL && !fg_word_in(allowed, o->keyword, strlen(o->keyword)))
			wrong = format_text("\"%s\" of a connection is not taken from a project's file; give it in the editor's own "
								"settings (initializationOptions)", o->keyword);
	}
	PQconninfoFree(options);
	return wrong;
}

static char *
parse_line(Settings *s, Line *line)
{
	const char *start;
	char	   *key;
	char	   *value;
	char	   *wrong;

	skip_blanks(line);
	if (line->at == line->end || *line->at == '#')
		return NULL;
	if (*line->at == '[')
		return format_text("there are no tables here; settings are lines \"name = value\"");
	start = line->at;
	while (line->at < line->end && ((*line->at >= 'a' && *line->at <= 'z') || *line->at == '_'))
		line->at++;
	key = copy_text(start, (size_t) (line->at - start));
	skip_blanks(line);
	if (key[0] == '\0' || line->at == line->end || *line->at != '=')
	{
		free(key);
		return format_text("a line is \"name = value\"");
	}
	line->at++;
	skip_blanks(line);
	value = read_value(line);
	skip_blanks(line);
	if (value == NULL || (line->at < line->end && *line->at != '#'))
		wrong = format_text("the value of \"%s\" is no string in quotes, number, true or false on one line", key);
	else
		wrong = settings_set(s, key, value);
	if (wrong == NULL && strcmp(key, "connection") == 0)
	{
		s->from_project = true;
		wrong = check_connection(value);
	}
	free(key);
	free(value);
	return wrong;
}

char *
settings_parse(Settings *s, const char *text, size_t length)
{
	const char *end = text + length;
	int			number = 1;

	if (memchr(text, '\0', length) != NULL || length > MOST_BYTES)
		return format_text("this is no text of at most %d bytes", MOST_BYTES);
	for (; text < end; number++)
	{
		const char *stop = memchr(text, '\n', (size_t) (end - text));
		Line		line = {text, stop != NULL ? stop : end};
		char	   *wrong;

		if (line.end > line.at && line.end[-1] == '\r')
			line.end--;
		wrong = parse_line(s, &line);
		if (wrong != NULL)
		{
			char	   *placed = format_text("line %d: %s", number, wrong);

			free(wrong);
			return placed;
		}
		text = stop != NULL ? stop + 1 : end;
	}
	return NULL;
}

char *
settings_read(Settings *s, const char *directory)
{
	char	   *path = format_text("%s/.flamegraph.toml", directory);
	FILE	   *file = fopen(path, "re");
	char	   *bytes = must_alloc(malloc(MOST_BYTES + 1));
	char	   *wrong = NULL;

	if (file != NULL)
	{
		size_t		size = fread(bytes, 1, MOST_BYTES + 1, file);

		wrong = ferror(file) ? copy_text(strerror(errno), strlen(strerror(errno))) : settings_parse(s, bytes, size);
		fclose(file);
	}
	else if (errno != ENOENT && errno != ENOTDIR)
		wrong = copy_text(strerror(errno), strlen(strerror(errno)));
	if (wrong != NULL)
	{
		char	   *placed = format_text("%s: %s", path, wrong);

		free(wrong);
		wrong = placed;
	}
	free(path);
	free(bytes);
	return wrong;
}
