/*
 * usage_file_table.c
 *	  Lines of fields (see usage_file.h): sadf -d, and tables of times and values.
 */
#include "core/traces/usage_file_internal.h"

#include "core/base/number.h"
#include "core/reading/text_lines.h"

#include <math.h>
#include <stdio.h>

#define NO_FIELD SIZE_MAX
#define MAX_FIELDS 10000
#define MAX_CONDITIONS 16
#define TIME_HINT "Times are 2026-01-31 23:59:59, with a zone or not, or numbers of seconds or milliseconds after 1970."

/* A field without its quotes; those in it are still doubled. */
typedef struct FgTableField
{
	FgSpan		text;
	size_t		column;			/* in the line, from 1 */
	bool		quoted;
} FgTableField;

typedef struct FgTableFields
{
	FgTableField *fields;
	size_t		count;
	size_t		capacity;
} FgTableFields;

/* A field has this text in the rows of the series that was named. */
typedef struct FgTableCondition
{
	size_t		field;
	FgSpan		value;
} FgTableCondition;

typedef struct Table
{
	FgUsageFile *file;
	FgContext  *ctx;
	char		delimiter;
	bool		begun;			/* the first line with fields came */
	bool		named;			/* the header has names; else it is the first row */
	bool		sadf;
	bool		used;			/* a section with the column came */
	bool		skipped;		/* this section does not have it */
	bool		idle;			/* the value is 100 - the field */
	size_t		time;			/* fields; NO_FIELD: none */
	size_t		interval;
	size_t		series;
	size_t		value;
	FgSpan		name;			/* of the value's column */
	FgSpan		only;			/* the series of sadf that is read, if none was named */
	FgTableCondition conditions[MAX_CONDITIONS];	/* of the series that was named */
	size_t		condition_count;
	FgTableFields header;
	FgTableFields row;
	FgTableFields first;		/* row of a table, to see whether others are of its series */
	uint64_t	line;
	char		names[FG_USAGE_LIST];	/* of columns, for an error */
	char		seen[FG_USAGE_LIST];	/* series other than the one named, likewise */
} Table;

/* --- fields ------------------------------------------------------------------------ */

/* In letters of either case; the word has small ones. */
static bool
same_word(FgSpan text, const char *word)
{
	size_t		i = 0;

	for (; i < text.size && word[i] != '\0'; i++)
	{
		char		letter = text.bytes[i];

		if (letter >= 'A' && letter <= 'Z')
			letter = (char) (letter + ('a' - 'A'));
		if (letter != word[i])
			return false;
	}
	return i == text.size && word[i] == '\0';
}

static bool
field_is(const FgTableField *field, FgSpan name)
{
	size_t		at = 0;

	if (!field->quoted)
		return fg_span_equal(field->text, name);
	for (size_t i = 0; i < field->text.size; i++, at++)
	{
		if (at == name.size || field->text.bytes[i] != name.bytes[at])
			return false;
		i += field->text.bytes[i] == '"';
	}
	return at == name.size;
}

/* The end of the field that begins here. */
static const char *
field_end(const char *at, const char *end, char delimiter)
{
	const char *stop;

	if (at < end && *at == '"')
	{
		for (at++; at < end; at++)
		{
			if (*at != '"')
				continue;
			if (at + 1 == end || at[1] != '"')
				break;
			at++;
		}
	}
	stop = at < end ? memchr(at, delimiter, (size_t) (end - at)) : NULL;
	return stop != NULL ? stop : end;
}

static FgTableField
make_field(const char *line, const char *start, const char *end)
{
	FgTableField field = {.column = (size_t) (start - line) + 1};

	while (start < end && *start == ' ')
		start++;
	while (start < end && end[-1] == ' ')
		end--;
	field.quoted = end - start >= 2 && *start == '"' && end[-1] == '"';
	field.text = (FgSpan) {start + field.quoted, (size_t) (end - start) - 2 * field.quoted};
	return field;
}

static bool
split(Table *t, const char *line, size_t length, FgTableFields *to)
{
	const char *end = line + length;

	to->count = 0;
	for (const char *at = line;; at++)
	{
		const char *stop = field_end(at, end, t->delimiter);

		if (to->count == MAX_FIELDS)
			return fg_fail_at(t->ctx, FG_ERROR_LIMIT, t->line, 0, NULL,
							  "the line has more than %d fields", MAX_FIELDS);
		if (!fg_reserve(t->ctx, (void **) &to->fields, &to->capacity, to->count + 1,
						sizeof(FgTableField)))
			return false;
		to->fields[to->count++] = make_field(line, at, stop);
		if (stop == end)
			return true;
		at = stop;
	}
}

/* --- headers ------------------------------------------------------------------------- */

static size_t
find_word(const FgTableFields *fields, const char *word)
{
	for (size_t i = 0; i < fields->count; i++)
	{
		if (same_word(fields->fields[i].text, word))
			return i;
	}
	return NO_FIELD;
}

static bool
is_upper(FgSpan text)
{
	for (size_t i = 0; i < text.size; i++)
	{
		if (text.bytes[i] < 'A' || text.bytes[i] > 'Z')
			return false;
	}
	return text.size > 0;
}

/* Can the field be a value? */
static bool
is_candidate(const Table *t, size_t field)
{
	return field != t->time && field != t->interval && field != t->series &&
		!(t->sadf && field == 0);
}

/* Columns that can be values, for the error that asks for one. */
static void
note_names(Table *t)
{
	for (size_t i = 0; i < t->header.count; i++)
	{
		if (is_candidate(t, i))
			fg_usage_list(t->names, (FgSpan) {NULL, 0}, t->header.fields[i].text);
	}
}

/* The field of the value: that asked for, what an idle processor leaves, the only one. */
static void
choose_value(Table *t)
{
	FgSpan		column = t->file->options->column;
	size_t		idle = t->sadf && column.bytes == NULL ? find_word(&t->header, "%idle") : NO_FIELD;
	size_t		candidates = 0;

	t->value = NO_FIELD;
	for (size_t i = 0; i < t->header.count; i++)
	{
		if (!is_candidate(t, i))
			continue;
		candidates++;
		if (column.bytes == NULL || (t->named && field_is(&t->header.fields[i], column)))
			t->value = i;
	}
	if (column.bytes == NULL && candidates != 1)
		t->value = NO_FIELD;
	if (idle != NO_FIELD)
		t->value = idle;
	t->idle = idle != NO_FIELD;
	/* of several sections those that are like the first one that can be read */
	if (t->used && t->value != NO_FIELD &&
		!fg_span_equal(t->header.fields[t->value].text, t->name))
		t->value = NO_FIELD;
	t->skipped = t->value == NO_FIELD;
	if (t->skipped)
		return;
	t->used = true;
	t->name = t->header.fields[t->value].text;
}

/* --- series -------------------------------------------------------------------------- */

/* Does the field say of which series a row is? */
static bool
is_label(const Table *t, size_t field)
{
	if (t->sadf)
		return field == t->series;
	return t->named && field != t->time && field != t->value;
}

/* The label whose name and '=' the text begins with. */
static size_t
named_label(const Table *t, FgSpan text)
{
	for (size_t i = 0; i < t->header.count; i++)
	{
		FgSpan		name = t->header.fields[i].text;

		if (is_label(t, i) && name.size < text.size && text.bytes[name.size] == '=' &&
			memcmp(text.bytes, name.bytes, name.size) == 0)
			return i;
	}
	return NO_FIELD;
}

/* NAME=VALUE,...; a comma that no NAME= follows is part of the value. */
static bool
add_named_conditions(Table *t, FgSpan text)
{
	size_t		field = named_label(t, text);

	while (field != NO_FIELD && t->condition_count < MAX_CONDITIONS)
	{
		size_t		start = t->header.fields[field].text.size + 1;
		size_t		end = start;
		size_t		next = NO_FIELD;

		for (; end < text.size && next == NO_FIELD; end++)
		{
			if (text.bytes[end] == ',')
				next = named_label(t, (FgSpan) {text.bytes + end + 1, text.size - end - 1});
		}
		if (next != NO_FIELD)
			end--;
		t->conditions[t->condition_count++] = (FgTableCondition) {
			field, {text.bytes + start, end - start}
		};
		if (next == NO_FIELD)
			return true;
		text = (FgSpan) {text.bytes + end + 1, text.size - end - 1};
		field = next;
	}
	return false;
}

/* What the rows of the series have in common. */
static bool
choose_series(Table *t)
{
	FgSpan		series = t->file->options->series;
	char		names[FG_USAGE_LIST] = "";
	size_t		labels = 0;
	size_t		label = NO_FIELD;

	t->condition_count = 0;
	if (series.bytes == NULL || add_named_conditions(t, series))
		return true;
	for (size_t i = 0; i < t->header.count; i++)
	{
		if (!is_label(t, i))
			continue;
		labels++;
		label = i;
		fg_usage_list(names, (FgSpan) {NULL, 0}, t->header.fields[i].text);
	}
	if (labels == 0)
		return fg_fail_at(t->ctx, FG_ERROR_ARGUMENT, t->line, 0,
						  "Leave the argument series out, or give the rows a column that says of which series they are.",
						  "there is no column of series beside the time and the value");
	if (labels > 1)
		return fg_fail_at(t->ctx, FG_ERROR_ARGUMENT, t->line, 0,
						  "Name the columns as well: series => 'name=value,...'.",
						  "it is not clear which column has the series; there are %s", names);
	t->conditions[0] = (FgTableCondition) {label, series};
	t->condition_count = 1;
	return true;
}

/* --- sections ------------------------------------------------------------------------ */

/* A header in t->header, or none for rows of fields that have no names. */
static bool
begin_section(Table *t)
{
	static const char *const words[] = {"timestamp", "time", "date", "datetime", "_time"};

	t->time = NO_FIELD;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && t->time == NO_FIELD; i++)
		t->time = find_word(&t->header, words[i]);
	if (t->time == NO_FIELD)
		t->time = 0;
	t->interval = t->sadf ? find_word(&t->header, "interval") : NO_FIELD;
	t->series = t->sadf && t->header.count > 3 && is_upper(t->header.fields[3].text) ? 3 : NO_FIELD;
	t->only = (FgSpan) {NULL, 0};
	choose_value(t);
	note_names(t);
	return t->skipped || choose_series(t);
}

/* sadf's header begins with "# hostname". */
static bool
take_header(Table *t, const char *line, size_t length, bool comment)
{
	size_t		skip = comment ? 1 : 0;

	while (skip < length && line[skip] == ' ')
		skip++;
	if (!split(t, line + skip, length - skip, &t->header))
		return false;
	t->named = true;
	t->sadf = t->header.count > 3 && find_word(&t->header, "interval") == 1;
	return begin_section(t);
}

/* --- rows ------------------------------------------------------------------------------ */

static bool
fail_field(Table *t, size_t field, const char *hint, const char *what)
{
	size_t		column = field < t->row.count ? t->row.fields[field].column : 0;

	return fg_fail_at(t->ctx, FG_ERROR_SYNTAX, t->line, column, hint, "%s", what);
}

/* Nothing that a header would begin with: a digit, or a sign or point before one. */
static bool
begins_like_number(FgSpan text)
{
	size_t		i = 0;

	while (i < text.size && i < 2 && strchr("+-.", text.bytes[i]) != NULL && text.bytes[i] != '\0')
		i++;
	return i < text.size && text.bytes[i] >= '0' && text.bytes[i] <= '9';
}

/* Is the row one of the series that was named? */
static bool
meets_conditions(Table *t, bool *matches)
{
	*matches = true;
	for (size_t i = 0; i < t->condition_count && *matches; i++)
	{
		const FgTableCondition *condition = &t->conditions[i];
		FgSpan		name = t->header.fields[condition->field].text;

		if (condition->field >= t->row.count)
			return fail_field(t, NO_FIELD, NULL, "the row has fewer fields than its header");
		*matches = field_is(&t->row.fields[condition->field], condition->value);
		if (!*matches)
			fg_usage_list(t->seen, t->condition_count > 1 ? name : (FgSpan) {NULL, 0},
						  t->row.fields[condition->field].text);
	}
	return true;
}

/* Is the row of sadf one of the only series, or of all processors? */
static bool
is_only_series(Table *t, bool *matches)
{
	const FgTableField *field;

	*matches = true;
	if (t->series == NO_FIELD || t->series >= t->row.count)
		return true;
	field = &t->row.fields[t->series];
	if (same_word(t->header.fields[t->series].text, "cpu"))
	{
		*matches = same_word(field->text, "-1") || same_word(field->text, "all");
		return true;
	}
	if (t->only.bytes == NULL)
		t->only = field->text;
	*matches = fg_span_equal(field->text, t->only);
	return *matches ||
		fg_fail_at(t->ctx, FG_ERROR_ARGUMENT, t->line, field->column,
				   "Name one of them: series => 'eth0'.", "there is more than one series");
}

/* A word, such as the name of a machine; numbers may be other values of the same moment. */
static bool
is_word(FgSpan text)
{
	return text.size > 0 && !begins_like_number(text) && !same_word(text, "nan") &&
		!same_word(text, "null");
}

/* Rows of a table whose labels differ from those of the first one are of another series. */
static bool
check_like_first(Table *t)
{
	if (!t->named)
		return true;
	if (t->first.count == 0)
	{
		if (!fg_reserve(t->ctx, (void **) &t->first.fields, &t->first.capacity, t->row.count,
						sizeof(FgTableField)))
			return false;
		memcpy(t->first.fields, t->row.fields, t->row.count * sizeof(FgTableField));
		t->first.count = t->row.count;
	}
	for (size_t i = 0; i < t->row.count && i < t->first.count && i < t->header.count; i++)
	{
		FgSpan		text = t->row.fields[i].text;
		FgSpan		first = t->first.fields[i].text;

		if (is_label(t, i) && is_word(text) && is_word(first) && !fg_span_equal(text, first))
			return fg_fail_at(t->ctx, FG_ERROR_ARGUMENT, t->line, t->row.fields[i].column,
							  "Name one of them: series => 'db1', of several columns series => 'name=value,...'. Leave columns out that say nothing about it.",
							  "there is more than one series");
	}
	return true;
}

/* Is the row one of the series that is read?  Of processors that is all of them. */
static bool
row_matches(Table *t, bool *matches)
{
	if (t->file->options->series.bytes != NULL)
		return meets_conditions(t, matches);
	if (t->sadf)
		return is_only_series(t, matches);
	*matches = true;
	return check_like_first(t);
}

/* Empty, NaN and null are not known. */
static bool
field_number(Table *t, size_t field, double *number)
{
	FgSpan		text = t->row.fields[field].text;

	*number = NAN;
	if (text.size == 0 || same_word(text, "nan") || same_word(text, "null"))
		return true;
	switch (fg_number_parse(t->ctx, text.bytes, text.size, number))
	{
		case FG_NUMBER_OK:
			return true;
		case FG_NUMBER_UNDERFLOW:
			*number = 0;
			return true;
		case FG_NUMBER_MEMORY:
			return false;
		default:
			return fail_field(t, field, NULL, "this is not a number");
	}
}

static bool
take_sample(Table *t)
{
	double		interval = -1;
	double		value;
	int64_t		time;

	if (!fg_usage_time(t->file, t->row.fields[t->time].text, &time))
		return t->ctx->error.code == FG_OK && fail_field(t, t->time, TIME_HINT, "this is not a time");
	if (!field_number(t, t->value, &value) ||
		(t->interval != NO_FIELD && !field_number(t, t->interval, &interval)))
		return false;
	if (!(interval <= 1e9))
		return fail_field(t, t->interval, NULL, "this is not an interval");
	t->file->line = t->line;
	t->file->column = t->row.fields[t->value].column;
	return fg_usage_sample(t->file, time, interval < 0 ? -1 : (int64_t) (interval * 1e6),
						   t->idle ? 100 - value : value);
}

/* sadf notes starts of the system and comments of its user as rows, with an interval of -1. */
static bool
take_row(Table *t, const char *line, size_t length)
{
	bool		matches;

	if (!split(t, line, length, &t->row))
		return false;
	if (t->sadf && t->row.count > t->interval && same_word(t->row.fields[t->interval].text, "-1"))
		return true;
	if (t->skipped)
		return true;
	if (t->time >= t->row.count || t->value >= t->row.count)
		return fail_field(t, NO_FIELD, NULL, "the row has fewer fields than its header");
	if (!row_matches(t, &matches))
		return false;
	return !matches || take_sample(t);
}

/* A header has no number and no time: a row that cannot be read is not taken for one. */
static bool
check_header(Table *t)
{
	for (size_t i = 0; i < t->header.count; i++)
	{
		if (begins_like_number(t->header.fields[i].text))
			return fg_fail_at(t->ctx, FG_ERROR_SYNTAX, t->line, t->header.fields[0].column,
							  TIME_HINT " The names of columns do not begin with a number.",
							  "this is not a time");
	}
	return true;
}

/* The first line says what parts fields and whether there is a header. */
static bool
begin_table(Table *t, const char *line, size_t length)
{
	int64_t		time;

	t->delimiter = memchr(line, ';', length) != NULL ? ';' :
		memchr(line, '\t', length) != NULL ? '\t' : ',';
	/* a comment, and no header */
	if (line[0] == '#' && memchr(line, t->delimiter, length) == NULL)
		return true;
	t->begun = true;
	if (line[0] == '#')
		return take_header(t, line, length, true);
	if (!split(t, line, length, &t->header))
		return false;
	if (!fg_usage_time(t->file, t->header.fields[0].text, &time))
		return t->ctx->error.code == FG_OK && check_header(t) &&
			take_header(t, line, length, false);
	return begin_section(t) && take_row(t, line, length);
}

static bool
take_line(void *arg, const char *line, size_t length, uint64_t number)
{
	Table	   *t = arg;

	t->line = number;
	if (length == 0)
		return true;
	if (!t->begun)
		return begin_table(t, line, length);
	if (line[0] != '#')
		return take_row(t, line, length);
	/* a section of sadf, or a comment */
	return !t->sadf || take_header(t, line, length, true);
}

/* --- the table -------------------------------------------------------------------------- */

static bool
check_used(const Table *t)
{
	const FgUsageFileOptions *options = t->file->options;

	if (!t->begun)
		return fg_fail_at(t->ctx, FG_ERROR_SYNTAX, 0, 0,
						  "Lines have a time and a value: 2026-01-31 23:59:59+00,12.5.", "the text is empty");
	if (!t->used && !t->named)
		return fg_fail_at(t->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Give the columns names in a first line, and name the one to read: column_name => '...'.",
						  options->column.bytes != NULL ? "there is no header with names of columns"
						  : "it is not clear which column has the values");
	if (!t->used)
		return fg_fail_at(t->ctx, FG_ERROR_ARGUMENT, 0, 0, "Name the one to read: column_name => '...'.",
						  options->column.bytes != NULL ? "there is no such column; there are %s"
						  : "it is not clear which column has the values: %s",
						  t->names[0] != '\0' ? t->names : "none");
	if (!t->file->begun && options->series.bytes != NULL)
		return fg_usage_no_series(t->file, t->seen);
	if (!t->file->begun)
		return fg_fail_at(t->ctx, FG_ERROR_ARGUMENT, 0, 0, NULL, "there are no rows");
	return true;
}

/* The text is all there, and header fields point into it. */
bool
fg_usage_table(FgUsageFile *file, const char *bytes, size_t size)
{
	Table		table = {.file = file, .ctx = file->ctx};
	FgTextLines lines;
	bool		ok;

	fg_text_lines_begin(&lines, file->ctx, take_line, &table);
	ok = fg_text_lines_feed(&lines, bytes, size) && fg_text_lines_finish(&lines) &&
		check_used(&table);
	fg_text_lines_free(&lines);
	fg_release(file->ctx, table.header.fields);
	fg_release(file->ctx, table.row.fields);
	fg_release(file->ctx, table.first.fields);
	return ok;
}
