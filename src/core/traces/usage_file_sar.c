/*
 * usage_file_sar.c
 *	  What sar itself prints (sysstat), made into lines as sadf -d has them:
 *
 *	  Linux 6.1.0 (db1)  01/05/2026  _x86_64_  (2 CPU)
 *
 *	  11:50:01 PM     CPU     %user     %idle
 *	  12:00:01 AM     all      5.00     94.00
 *	  Average:        all      5.00     94.00
 *
 * The header of a section has the time at which the interval of its first row begins.  Each
 * line becomes one line, so that errors name the right one; a table of sadf is read after that.
 */
#include "core/traces/usage_file_internal.h"

#include "core/base/bytes.h"
#include "core/reading/text_lines.h"

#include <stdio.h>

#define MAX_WORDS 200
#define DAY 86400
#define SADF_HINT "sadf -d prints the same in a form that is the same everywhere: sadf -d /var/log/sysstat/sa05 -- -u."

typedef struct Sar
{
	FgContext  *ctx;
	FgBuffer	out;
	int			start[3];		/* year, month, day of the banner */
	int			date[3];		/* those of the time that came last */
	bool		dated;			/* a banner came */
	bool		expected;		/* a header: a line was empty */
	bool		moved;			/* the column of series is the last one */
	int			second;			/* of the day, of the time that came last */
	int64_t		now;			/* it, in seconds after the start of that day */
	int64_t		from;			/* begin of the interval that ends then */
	FgSpan		names;			/* of the section */
	FgSpan		words[MAX_WORDS];
	size_t		count;
	uint64_t	line;
} Sar;

static bool
refuse(Sar *s, const char *what)
{
	return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, s->line, 0, SADF_HINT, "%s", what);
}

static bool
is_word(FgSpan text, const char *word)
{
	return text.size == strlen(word) && memcmp(text.bytes, word, text.size) == 0;
}

/* A number of so many digits at most, and where it ends. */
static bool
take_number(FgSpan *text, int digits, int *number)
{
	int			taken = 0;

	for (*number = 0; taken < digits && text->size > 0 && *text->bytes >= '0' &&
		 *text->bytes <= '9'; taken++, text->bytes++, text->size--)
		*number = *number * 10 + (*text->bytes - '0');
	return taken > 0;
}

static bool
take_sign(FgSpan *text, char sign)
{
	if (text->size == 0 || *text->bytes != sign)
		return false;
	text->bytes++;
	text->size--;
	return true;
}

/* --- dates ----------------------------------------------------------------------------- */

static int
days_of(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool		leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

static void
next_day(int *date)
{
	if (++date[2] <= days_of(date[0], date[1]))
		return;
	date[2] = 1;
	if (++date[1] <= 12)
		return;
	date[1] = 1;
	date[0]++;
}

/* 2026-01-31; 01/31/2026 and 01/31/26, of the locales C and en_US; 31.01.2026. */
static bool
take_date(Sar *s, FgSpan text)
{
	char		sign = memchr(text.bytes, '-', text.size) != NULL ? '-'
		: memchr(text.bytes, '/', text.size) != NULL ? '/' : '.';
	int			first;
	int			second;
	int			third;

	if (!take_number(&text, 4, &first) || !take_sign(&text, sign) ||
		!take_number(&text, 2, &second) || !take_sign(&text, sign) ||
		!take_number(&text, 4, &third) || text.size > 0)
		return false;
	s->date[0] = sign == '-' ? first : third < 100 ? third + 2000 : third;
	s->date[1] = sign == '/' ? first : second;
	s->date[2] = sign == '-' ? third : sign == '/' ? second : first;
	return s->date[0] >= 1970 && s->date[0] <= 9999 && s->date[1] >= 1 && s->date[1] <= 12 &&
		s->date[2] >= 1 && s->date[2] <= days_of(s->date[0], s->date[1]);
}

/* HH:MM:SS, and AM or PM in the next word; how many words these are, 0 for what is no time. */
static size_t
take_time(const Sar *s, int *seconds)
{
	FgSpan		text = s->words[0];
	bool		after = s->count > 1 && is_word(s->words[1], "PM");
	bool		half = after || (s->count > 1 && is_word(s->words[1], "AM"));
	int			hours;
	int			minutes;
	int			rest;

	if (!take_number(&text, 2, &hours) || !take_sign(&text, ':') ||
		!take_number(&text, 2, &minutes) || !take_sign(&text, ':') ||
		!take_number(&text, 2, &rest) || text.size > 0 || hours > 23 || minutes > 59 || rest > 59 ||
		(half && (hours < 1 || hours > 12)))
		return 0;
	if (half)
		hours = hours % 12 + (after ? 12 : 0);
	*seconds = hours * 3600 + minutes * 60 + rest;
	return half ? 2 : 1;
}

/* --- lines ------------------------------------------------------------------------------- */

static void
split(Sar *s, const char *line, size_t length)
{
	const char *end = line + length;

	s->count = 0;
	for (const char *at = line; at < end && s->count < MAX_WORDS;)
	{
		const char *start;

		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		start = at;
		while (at < end && *at != ' ' && *at != '\t')
			at++;
		if (at > start)
			s->words[s->count++] = (FgSpan) {start, (size_t) (at - start)};
	}
}

static bool
put(Sar *s, FgSpan text)
{
	return fg_buffer_append(&s->out, text.bytes, text.size);
}

static bool
put_text(Sar *s, const char *text)
{
	return fg_buffer_append(&s->out, text, strlen(text));
}

/* The words from "from" on; that of the series first. */
static bool
put_words(Sar *s, size_t from)
{
	if (s->moved && !(put_text(s, ";") && put(s, s->words[s->count - 1])))
		return false;
	for (size_t i = from; i < s->count - s->moved; i++)
	{
		if (!put_text(s, ";") || !put(s, s->words[i]))
			return false;
	}
	return true;
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

/* A time much earlier than the one before is of the next day; where clocks go back it is not. */
static void
move_to(Sar *s, int second)
{
	if (second < s->second - DAY / 2)
	{
		next_day(s->date);
		s->now += DAY;
	}
	s->now += second - s->second;
	s->second = second;
}

/* Times go on where the names are those of the section before: pages repeat their header. */
static bool
take_header(Sar *s, size_t from, int second)
{
	const FgSpan *last = &s->words[s->count - 1];
	FgSpan		names = {
		s->words[from].bytes, (size_t) (last->bytes + last->size - s->words[from].bytes)
	};

	if (!fg_span_equal(names, s->names))
	{
		memcpy(s->date, s->start, sizeof(s->date));
		s->now = s->second = second;
	}
	move_to(s, second);
	s->from = s->now;
	s->names = names;
	s->expected = false;
	s->moved = !is_upper(s->words[from]) && is_upper(*last);
	return put_text(s, "# hostname;interval;timestamp") && put_words(s, from);
}

/* All rows of one time have one interval: since the time before. */
static bool
take_row(Sar *s, size_t from, int second)
{
	int64_t		before = s->now;
	char		start[80];

	move_to(s, second);
	if (s->now != before)
		s->from = before;
	snprintf(start, sizeof(start), "h;%lld;%04d-%02d-%02d %02d:%02d:%02d",
			 (long long) (s->now < s->from ? 0 : s->now - s->from), s->date[0], s->date[1],
			 s->date[2], second / 3600, second / 60 % 60, second % 60);
	return put_text(s, start) && put_words(s, from);
}

static bool
take_banner(Sar *s)
{
	size_t		place = 1;

	while (place < s->count && s->words[place].bytes[0] != '(')
		place++;
	s->names = (FgSpan) {NULL, 0};
	s->dated = place + 1 < s->count && take_date(s, s->words[place + 1]);
	memcpy(s->start, s->date, sizeof(s->start));
	return s->dated || refuse(s, "the date in the first line of sar's output is not known");
}

static bool
take_words(Sar *s)
{
	int			second;
	size_t		from;

	if (is_word(s->words[0], "Linux"))
		return take_banner(s);
	if (is_word(s->words[0], "Average:") || is_word(s->words[0], "Summary:"))
		return true;
	from = take_time(s, &second);
	if (from == 0 || from == s->count || !s->dated)
		return refuse(s, "this is no line of sar's output");
	/* starts of the system, and comments of its user */
	if (is_word(s->words[from], "LINUX") || is_word(s->words[from], "LINUX-RESTART") ||
		is_word(s->words[from], "COM"))
		return true;
	if (s->expected)
		return take_header(s, from, second);
	return s->names.bytes != NULL ? take_row(s, from, second)
		: refuse(s, "a section of sar's output has no header");
}

static bool
take_line(void *arg, const char *line, size_t length, uint64_t number)
{
	Sar		   *s = arg;

	s->line = number;
	split(s, line, length);
	if (s->count == 0)
		s->expected = true;
	return (s->count == 0 || take_words(s)) && put_text(s, "\n");
}

/* --- the text ------------------------------------------------------------------------------ */

bool
fg_usage_is_sar(const char *bytes, size_t size)
{
	return size > 6 && memcmp(bytes, "Linux ", 6) == 0;
}

/* Columns of lines that were made anew say nothing. */
static bool
read_made(FgUsageFile *file, const Sar *s)
{
	FgError    *error = &file->ctx->error;

	if (fg_usage_table(file, (const char *) s->out.data, s->out.size))
		return true;
	error->column = 0;
	if (error->hint == NULL && error->code == FG_ERROR_SYNTAX)
		error->hint = SADF_HINT;
	return false;
}

bool
fg_usage_sar(FgUsageFile *file, const char *bytes, size_t size)
{
	Sar			sar = {.ctx = file->ctx, .out = {.ctx = file->ctx}};
	FgTextLines lines;
	bool		ok;

	fg_text_lines_begin(&lines, file->ctx, take_line, &sar);
	ok = fg_text_lines_feed(&lines, bytes, size) && fg_text_lines_finish(&lines) &&
		read_made(file, &sar);
	fg_text_lines_free(&lines);
	fg_release(file->ctx, sar.out.data);
	return ok;
}
