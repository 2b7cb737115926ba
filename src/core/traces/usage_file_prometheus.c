/*
 * usage_file_prometheus.c
 *	  The answer of Prometheus to query_range (see usage_file.h): {"status": "success", "data":
 *	  {"resultType": "matrix", "result": [{"metric": {LABEL: VALUE, ...}, "values": [[TIME,
 *	  "VALUE"], ...]}, ...]}}.
 */
#include "core/traces/usage_file_internal.h"

#include "core/base/bytes.h"
#include "core/base/number.h"
#include "core/reading/json_stream.h"

#include <math.h>

enum
{
	STATUS = 1, PROBLEM, DATA, TYPE, RESULT, SERIES, METRIC, VALUES, SAMPLE, NUMBER, LABEL
};

#define MAX_LABELS 8

typedef struct Prometheus
{
	FgUsageFile *file;
	FgJson	   *json;
	FgJsonRule	rules[11 + MAX_LABELS];
	char		labels[MAX_LABELS][256];	/* that are asked for, at LABEL, LABEL + 1, ... */
	FgSpan		wanted[MAX_LABELS]; /* the values that they have to have */
	size_t		label_count;
	size_t		met;			/* labels of the series that is being read that have them */
	bool		matches;		/* this series */
	char		seen[FG_USAGE_LIST];	/* values of labels of others, for an error */
	bool		named;			/* its labels have been read */
	bool		failed;			/* Prometheus says so */
	int			series;			/* that matched */
	int			number;			/* of the sample: 0 time, 1 value */
	int64_t		time;
} Prometheus;

/* LABEL=: its length without the '=', or 0. */
static size_t
label_length(const char *at, const char *end)
{
	const char *next = at;

	while (next < end && ((*next >= 'a' && *next <= 'z') || (*next >= 'A' && *next <= 'Z') ||
						  (*next >= '0' && *next <= '9') || *next == '_' || *next == '.'))
		next++;
	return next < end && *next == '=' ? (size_t) (next - at) : 0;
}

/* LABEL=VALUE,...; a comma that no LABEL= follows is part of the value. */
static bool
take_series(Prometheus *p)
{
	FgSpan		series = p->file->options->series;
	const char *at = series.bytes;
	const char *end = at + series.size;

	for (;;)
	{
		size_t		length = label_length(at, end);
		const char *stop = at + length + 1;

		if (length == 0 || length >= sizeof(p->labels[0]) || p->label_count == MAX_LABELS)
			return fg_fail_at(p->file->ctx, FG_ERROR_ARGUMENT, 0, 0,
							  "Such as instance=db1:9100, or of several labels cpu=0,mode=idle.",
							  "the series of Prometheus is not named as LABEL=VALUE");
		while (stop < end && (*stop != ',' || label_length(stop + 1, end) == 0))
			stop++;
		memcpy(p->labels[p->label_count], at, length);
		p->wanted[p->label_count++] = (FgSpan) {at + length + 1, (size_t) (stop - at) - length - 1};
		if (stop == end)
			return true;
		at = stop + 1;
	}
}

/* The labels that the caller named are the only ones that are looked at. */
static bool
make_rules(Prometheus *p)
{
	const FgJsonRule rules[] = {
		{FG_JSON_ROOT, "status", STATUS, FG_JSON_STRING},
		{FG_JSON_ROOT, "error", PROBLEM, FG_JSON_STRING},
		{FG_JSON_ROOT, "data", DATA, FG_JSON_OBJECT},
		{DATA, "resultType", TYPE, FG_JSON_STRING},
		{DATA, "result", RESULT, FG_JSON_ARRAY},
		{RESULT, NULL, SERIES, FG_JSON_OBJECT},
		{SERIES, "metric", METRIC, FG_JSON_OBJECT},
		{SERIES, "values", VALUES, FG_JSON_ARRAY},
		{VALUES, NULL, SAMPLE, FG_JSON_ARRAY},
		{SAMPLE, NULL, NUMBER, FG_JSON_NUMBER | FG_JSON_STRING}
	};
	const size_t count = sizeof(rules) / sizeof(rules[0]);

	if (p->file->options->column.bytes != NULL)
		return fg_fail_at(p->file->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Leave column_name out; series => 'LABEL=VALUE' names one of several.",
						  "the result of Prometheus has no columns");
	if (p->file->options->series.bytes != NULL && !take_series(p))
		return false;
	memcpy(p->rules, rules, sizeof(rules));
	for (size_t i = 0; i < p->label_count; i++)
		p->rules[count + i] = (FgJsonRule) {METRIC, p->labels[i], LABEL + (int) i, FG_JSON_STRING};
	return true;
}

/* --- values --------------------------------------------------------------------- */

static bool
take_label(Prometheus *p, size_t label, const FgJsonValue *value)
{
	FgSpan		text = {value->text, value->length};
	FgSpan		name = {p->labels[label], strlen(p->labels[label])};

	if (fg_span_equal(p->wanted[label], text))
		p->met++;
	else
		fg_usage_list(p->seen, name, text);
	p->matches = p->met == p->label_count;
	return true;
}

/* Labels come before values, as Prometheus writes them. */
static bool
begin_values(Prometheus *p)
{
	if (!p->named)
		return fg_json_fail(p->json, FG_ERROR_SYNTAX, NULL, "the values come before the labels");
	if (p->matches && ++p->series > 1)
		return fg_json_fail(p->json, FG_ERROR_ARGUMENT,
							"Name one by its labels: series => 'instance=db1:9100', of several labels 'cpu=0,mode=idle', or sum() them in the query.",
							"there is more than one series");
	return true;
}

/* Prometheus writes numbers as strings. */
static bool
sample_value(Prometheus *p, const FgJsonValue *value, double *number)
{
	static const char *const words[] = {"NaN", "+Inf", "Inf", "-Inf"};

	for (int i = 0; i < 4; i++)
	{
		if (fg_json_equals(value, words[i]))
		{
			*number = i == 0 ? NAN : i == 3 ? -INFINITY : INFINITY;
			return true;
		}
	}
	return fg_json_number(p->json, value, number);
}

static bool
take_number(Prometheus *p, const FgJsonValue *value)
{
	double		number;

	if (!p->matches || p->number > 1)
		return true;
	if (p->number++ == 0)
		return fg_json_number(p->json, value, &number) &&
			(fg_usage_epoch(number, &p->time) ||
			 fg_json_fail(p->json, FG_ERROR_RANGE, NULL, "this is no time"));
	if (!sample_value(p, value, &number))
		return false;
	fg_json_place(p->json, &p->file->line, &p->file->column);
	return fg_usage_sample(p->file, p->time, -1, number);
}

static bool
take_type(Prometheus *p, const FgJsonValue *value)
{
	return fg_json_equals(value, "matrix") ||
		fg_json_fail(p->json, FG_ERROR_SYNTAX,
					 "A series over time is what the API's query_range gives.",
					 "the result is not a matrix");
}

static bool
end_sample(Prometheus *p)
{
	return !p->matches || p->number >= 2 ||
		fg_json_fail(p->json, FG_ERROR_SYNTAX, NULL, "a sample is not a time and a value");
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	Prometheus *p = arg;

	switch (place)
	{
		case STATUS:
			p->failed = !fg_json_equals(value, "success");
			return true;
		case PROBLEM:
			return fg_json_fail(p->json, FG_ERROR_SYNTAX, NULL, "Prometheus says: %.*s",
								value->length < 100 ? (int) value->length : 100, value->text);
		case TYPE:
			return take_type(p, value);
		case SERIES:
			p->matches = p->label_count == 0;
			p->met = 0;
			p->named = false;
			return true;
		case METRIC:
			p->named = true;
			return true;
		case VALUES:
			return value->end || begin_values(p);
		case SAMPLE:
			if (value->end)
				return end_sample(p);
			p->number = 0;
			return true;
		case NUMBER:
			return take_number(p, value);
		default:
			return place < LABEL || take_label(p, (size_t) (place - LABEL), value);
	}
}

bool
fg_usage_prometheus(FgUsageFile *file, const char *bytes, size_t size)
{
	Prometheus	p = {.file = file};
	bool		ok;

	if (!make_rules(&p))
		return false;
	p.json = fg_json_open(file->ctx, "result of Prometheus", p.rules, take_value, &p);
	ok = p.json != NULL && fg_json_feed(p.json, bytes, size) && fg_json_finish(p.json);
	fg_json_close(p.json);
	if (ok && p.failed)
		return fg_fail(file->ctx, FG_ERROR_SYNTAX, "Prometheus did not answer with success");
	if (ok && p.series == 0 && p.label_count > 0)
		return fg_usage_no_series(file, p.seen);
	if (ok && p.series == 0)
		return fg_fail_at(file->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "The text is the answer of the API's query_range.",
						  "there is no series in the result");
	return ok;
}
