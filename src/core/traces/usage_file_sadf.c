/*
 * usage_file_sadf.c
 *	  JSON of sadf -j (sysstat): {"sysstat": {"hosts": [{"statistics": [{"timestamp": {"date":
 *	  D, "time": T, "utc": 1, "interval": SECONDS}, ACTIVITY: VALUES, ...}, ...]}]}}.
 *
 * The values of an activity are an object (memory), an array of objects (a CPU each, a disk
 * each), or an object of those (network: net-dev, net-edev).  Which activities there are is
 * up to sysstat's version and options, so names are taken as they come.
 */
#include "core/traces/usage_file_internal.h"

#include "core/base/choice.h"
#include "core/reading/json_stream.h"

#include <math.h>
#include <stdio.h>

enum
{
	SYSSTAT = 1, HOSTS, HOST, STATISTICS, MOMENT, STAMP, DATE, TIME, UTC, INTERVAL, ACTIVITY, PART,
	ITEM, VALUE
};

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, "sysstat", SYSSTAT, FG_JSON_OBJECT},
	{SYSSTAT, "hosts", HOSTS, FG_JSON_ARRAY},
	{HOSTS, NULL, HOST, FG_JSON_OBJECT},
	{HOST, "statistics", STATISTICS, FG_JSON_ARRAY},
	{STATISTICS, NULL, MOMENT, FG_JSON_OBJECT},
	{MOMENT, "timestamp", STAMP, FG_JSON_OBJECT},
	{MOMENT, FG_JSON_OTHER_KEYS, ACTIVITY, FG_JSON_ANY},
	{STAMP, "date", DATE, FG_JSON_STRING},
	{STAMP, "time", TIME, FG_JSON_STRING},
	{STAMP, "utc", UTC, FG_JSON_NUMBER},
	{STAMP, "interval", INTERVAL, FG_JSON_NUMBER},
	{ACTIVITY, NULL, ITEM, FG_JSON_ANY},
	{ACTIVITY, FG_JSON_OTHER_KEYS, PART, FG_JSON_ANY},
	{PART, NULL, ITEM, FG_JSON_ANY},
	{PART, FG_JSON_OTHER_KEYS, VALUE, FG_JSON_ANY},
	{ITEM, FG_JSON_OTHER_KEYS, VALUE, FG_JSON_ANY},
	{0, NULL, 0, 0}
};

typedef struct Name
{
	char		bytes[FG_JSON_MAX_KEY];
	size_t		size;
} Name;

/* One value of a moment, with its place. */
typedef struct Found
{
	int			count;
	double		value;
	uint64_t	line;
	uint64_t	column;
} Found;

typedef struct Sadf
{
	FgUsageFile *file;
	FgJson	   *json;
	FgSpan		group;			/* the activity or part that is asked for; bytes NULL: any */
	FgSpan		key;			/* the value in it */
	bool		idle;			/* the usage is 100 - the value */
	char		date[16];		/* of the moment, as it is written */
	char		time[16];
	bool		utc;
	double		interval;		/* seconds, below 0 when it is not given */
	Name		activity;
	Name		part;
	bool		in_item;
	bool		is_series;		/* the item is the series that is asked for */
	bool		is_all;			/* or of all CPUs */
	Found		item;			/* the value of the item that is being read */
	Found		all;			/* of the moment: of all CPUs */
	Found		one;			/* of others */
	bool		known;			/* there was such a value in any moment */
	char		keys[FG_USAGE_LIST];	/* that there are, for errors */
	char		series[FG_USAGE_LIST];
} Sadf;

/* --- what is asked for ---------------------------------------------------------------- */

/* "GROUP.KEY" or "KEY"; nothing: what an idle processor leaves. */
static void
take_column(Sadf *s, FgSpan column)
{
	const char *dot = column.bytes == NULL ? NULL : memchr(column.bytes, '.', column.size);

	s->idle = column.bytes == NULL;
	if (s->idle)
	{
		s->group = (FgSpan) {"cpu-load", 8};
		s->key = (FgSpan) {"idle", 4};
	}
	else if (dot == NULL)
		s->key = column;
	else
	{
		s->group = (FgSpan) {column.bytes, (size_t) (dot - column.bytes)};
		s->key = (FgSpan) {dot + 1, column.size - s->group.size - 1};
	}
}

static bool
is_name(const Name *name, FgSpan text)
{
	return fg_span_equal((FgSpan) {name->bytes, name->size}, text);
}

/* cpu-load is cpu-load-all where sar was asked for all there is (-u ALL). */
static bool
in_group(const Sadf *s)
{
	return s->group.bytes == NULL || is_name(&s->activity, s->group) ||
		is_name(&s->part, s->group) ||
		(s->idle && is_name(&s->activity, (FgSpan) {"cpu-load-all", 12}));
}

static int
shown(FgSpan text)
{
	return text.size < FG_LONGEST_SHOWN ? (int) text.size : FG_LONGEST_SHOWN;
}

/* --- a moment --------------------------------------------------------------------------- */

static bool
begin_moment(Sadf *s)
{
	s->date[0] = s->time[0] = '\0';
	s->utc = false;
	s->interval = -1;
	s->all.count = s->one.count = 0;
	s->keys[0] = s->series[0] = '\0';
	return true;
}

static bool
take_word(Sadf *s, char *word, size_t room, const FgJsonValue *value)
{
	if (value->length >= room)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "this is no time");
	memcpy(word, value->text, value->length);
	word[value->length] = '\0';
	return true;
}

static bool
take_interval(Sadf *s, const FgJsonValue *value)
{
	if (!fg_json_number(s->json, value, &s->interval))
		return false;
	return (s->interval >= 0 && s->interval < 1e9) ||
		fg_json_fail(s->json, FG_ERROR_RANGE, NULL, "this is no interval");
}

/* What the moment has of what is asked for: one value, or nothing. */
static bool
choose(Sadf *s, const Found **found)
{
	*found = s->all.count > 0 ? &s->all : &s->one;
	if ((*found)->count <= 1)
		return true;
	if (s->series[0] != '\0' && s->file->options->series.bytes == NULL)
		return fg_json_fail(s->json, FG_ERROR_ARGUMENT, "The argument series names one.",
							"there is more than one series: %s", s->series);
	return fg_json_fail(s->json, FG_ERROR_ARGUMENT,
						"The argument column_name may name the group, too, such as net-dev.rxkB.",
						"there is more than one value \"%.*s\"", shown(s->key), s->key.bytes);
}

static bool
end_moment(Sadf *s)
{
	const Found *found;
	char		text[40];
	int64_t		time;

	if (!choose(s, &found))
		return false;
	snprintf(text, sizeof(text), "%s %s%s", s->date, s->time, s->utc ? "Z" : "");
	if (!fg_usage_time(s->file, (FgSpan) {text, strlen(text)}, &time))
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "a moment has no time");
	if (found->count == 0)
		return true;
	s->known = true;
	s->file->line = found->line;
	s->file->column = found->column;
	return fg_usage_sample(s->file, time, s->interval < 0 ? -1 : llround(s->interval * 1e6),
						   s->idle ? 100 - found->value : found->value);
}

/* --- values ------------------------------------------------------------------------------ */

static void
begin_item(Sadf *s)
{
	s->in_item = true;
	s->is_series = s->is_all = false;
	s->item.count = 0;
}

static void
end_item(Sadf *s)
{
	Found	   *to = s->is_all ? &s->all : &s->one;

	s->in_item = false;
	if (s->item.count == 0 || (s->file->options->series.bytes != NULL && !s->is_series))
		return;
	s->item.count += to->count;
	*to = s->item;
}

/* A name of an item, such as "cpu": "all". */
static void
take_name(Sadf *s, FgSpan text)
{
	s->is_series |= fg_span_equal(text, s->file->options->series);
	s->is_all |= s->file->options->series.bytes == NULL && fg_span_equal(text, (FgSpan) {"all", 3});
	if (in_group(s))
		fg_usage_list(s->series, (FgSpan) {NULL, 0}, text);
}

static bool
take_number(Sadf *s, const FgJsonValue *value)
{
	Found	   *to = s->in_item ? &s->item : &s->one;

	if (!in_group(s))
		return true;
	if (!fg_span_equal((FgSpan) {value->key, value->key_length}, s->key))
	{
		fg_usage_list(s->keys, (FgSpan) {NULL, 0}, (FgSpan) {value->key, value->key_length});
		return true;
	}
	if (!s->in_item && s->file->options->series.bytes != NULL)
		return true;
	to->count++;
	fg_json_place(s->json, &to->line, &to->column);
	return fg_json_number(s->json, value, &to->value);
}

/* A scalar, or the begin of what is no value. */
static bool
take_member(Sadf *s, const FgJsonValue *value)
{
	if (value->type == FG_JSON_STRING && s->in_item)
		take_name(s, (FgSpan) {value->text, value->length});
	return value->type != FG_JSON_NUMBER || take_number(s, value);
}

/* An activity or a part: a group with a name, or a value beside groups. */
static bool
take_group(Sadf *s, Name *name, const FgJsonValue *value)
{
	if (value->type != FG_JSON_OBJECT && value->type != FG_JSON_ARRAY)
		return name == &s->activity || take_member(s, value);
	name->size = value->end ? 0 : value->key_length;
	if (name->size > 0)
		memcpy(name->bytes, value->key, name->size);
	return true;
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	Sadf	   *s = arg;

	switch (place)
	{
		case MOMENT:
			return value->end ? end_moment(s) : begin_moment(s);
		case DATE:
			return take_word(s, s->date, sizeof(s->date), value);
		case TIME:
			return take_word(s, s->time, sizeof(s->time), value);
		case UTC:
			s->utc = !fg_json_equals(value, "0");
			return true;
		case INTERVAL:
			return take_interval(s, value);
		case ACTIVITY:
			return take_group(s, &s->activity, value);
		case PART:
			return take_group(s, &s->part, value);
		case ITEM:
			if (value->type != FG_JSON_OBJECT)
				return true;
			if (value->end)
				end_item(s);
			else
				begin_item(s);
			return true;
		case VALUE:
			return take_member(s, value);
		default:
			return true;
	}
}

/* --- the text ------------------------------------------------------------------------------ */

bool
fg_usage_is_sadf(const char *bytes, size_t size)
{
	return fg_json_begins(bytes, size) &&
		fg_json_holds(bytes, size < 200 ? size : 200, "\"sysstat\"");
}

/* Nothing was found in any moment; what the last one has is told. */
static bool
refuse(const Sadf *s)
{
	FgSpan		series = s->file->options->series;

	if (series.bytes != NULL && s->series[0] != '\0')
		return fg_usage_no_series(s->file, s->series);
	return fg_fail_at(s->file->ctx, FG_ERROR_ARGUMENT, 0, 0,
					  "The argument column_name names a value, or GROUP.VALUE such as net-dev.rxkB; without it the load of the processors is read.",
					  s->keys[0] != '\0' ? "there is no value \"%.*s\"; there are %s"
					  : "there is no value \"%.*s\"%s", shown(s->key), s->key.bytes, s->keys);
}

bool
fg_usage_sadf(FgUsageFile *file, const char *bytes, size_t size)
{
	Sadf		s = {.file = file};
	bool		ok;

	take_column(&s, file->options->column);
	s.json = fg_json_open(file->ctx, "result of sadf -j", rules, take_value, &s);
	ok = s.json != NULL && fg_json_feed(s.json, bytes, size) && fg_json_finish(s.json);
	fg_json_close(s.json);
	return ok && (s.known || refuse(&s));
}
