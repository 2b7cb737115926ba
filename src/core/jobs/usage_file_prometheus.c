/*
 * usage_file_prometheus.c
 *	  The answer of Prometheus to query_range (see usage_file.h): {"status": "success", "data":
 *	  {"resultType": "matrix", "result": [{"metric": {LABEL: VALUE, ...}, "values": [[TIME,
 *	  "VALUE"], ...]}, ...]}}.
 */
#include "core/jobs/usage_file_internal.h"

#include "core/base/bytes.h"
#include "core/base/number.h"
#include "core/formats/json_stream.h"

#include <math.h>

enum
{
	STATUS = 1, PROBLEM, DATA, TYPE, RESULT, SERIES, METRIC, LABEL, VALUES, SAMPLE, NUMBER
};

typedef struct Prometheus
{
	FgUsageFile *file;
	FgJson	   *json;
	FgJsonRule	rules[13];
	char		label[256];		/* that is asked for */
	FgSpan		value;			/* which it has to have */
	bool		matches;		/* the series that is being read */
	bool		named;			/* its labels have been read */
	bool		failed;			/* Prometheus says so */
	int			series;			/* that matched */
	int			number;			/* of the sample: 0 time, 1 value */
	int64_t		time;
} Prometheus;

/* The label that the caller named is the only one that is looked at. */
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
		{METRIC, p->label, LABEL, FG_JSON_STRING},
		{VALUES, NULL, SAMPLE, FG_JSON_ARRAY},
		{SAMPLE, NULL, NUMBER, FG_JSON_NUMBER | FG_JSON_STRING},
		{0, NULL, 0, 0}
	};
	FgSpan		series = p->file->options->series;
	const char *equals = series.bytes != NULL && series.size > 0
		? memchr(series.bytes, '=', series.size) : NULL;
	size_t		length = equals != NULL ? (size_t) (equals - series.bytes) : 0;

	if (series.bytes != NULL && (length == 0 || length >= sizeof(p->label)))
		return fg_fail_at(p->file->ctx, FG_ERROR_ARGUMENT, 0, 0, "Such as instance=db1:9100.",
						  "the series of Prometheus is not named as LABEL=VALUE");
	if (length > 0)
	{
		memcpy(p->label, series.bytes, length);
		p->value = (FgSpan) {equals + 1, series.size - length - 1};
	}
	memcpy(p->rules, rules, sizeof(rules));
	return true;
}

/* --- values --------------------------------------------------------------------- */

static bool
take_label(Prometheus *p, const FgJsonValue *value)
{
	if (p->file->options->series.bytes != NULL)
		p->matches = fg_span_equal(p->value, (FgSpan) {value->text, value->length});
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
							"Name one by one of its labels: series => 'instance=db1:9100', or sum() them in the query.",
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
			p->matches = p->file->options->series.bytes == NULL;
			p->named = false;
			return true;
		case METRIC:
			p->named = true;
			return true;
		case LABEL:
			return take_label(p, value);
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
			return true;
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
	if (ok && p.series == 0)
		return fg_fail_at(file->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "The text is the answer of the API's query_range.",
						  file->options->series.bytes != NULL ? "no series has this label"
						  : "there is no series in the result");
	return ok;
}
