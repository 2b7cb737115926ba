/*
 * formats_recordings.c
 *	  read_recording(), and a function for each format: flamegraph_from_austin(), _perf(),
 *	  _pprof(), _speedscope(), _cpuprofile() and _jfr().
 */
#include "pg/base/values.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/base/arguments.h"
#include "pg/base/options.h"
#include "pg/base/rows.h"
#include "pg/formats/recordings.h"
#include "core/formats/formats.h"

/* A text argument as a C string; NULL when it is null. */
#define PG_GETARG_CSTRING_OR_NULL(n) \
	(PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n)))

/* --- reading -------------------------------------------------------------------- */

pg_noreturn static void
throw_unreadable(const FgContext *ctx, FgFormat format)
{
	const FgError *error = &ctx->error;

	ereport(ERROR,
			(errcode(fg_error_sqlstate(error->code, FG_FROM_TEXT)),
			 format == FG_FORMAT_AUTO ? errmsg("could not read the recording")
			 : errmsg("could not read the recording in format \"%s\"", fg_format_names[format]),
			 errdetail_internal("%s", fg_error_detail(error)),
			 error->hint != NULL ? errhint("%s", error->hint) : 0));
}

static void
report_noted(const FgNoted *noted)
{
	char		detail[FG_NOTED_DETAIL];

	fg_noted_detail(noted, detail);
	if (detail[0] != '\0')
		ereport(NOTICE,
				(errmsg("the recording was cleaned"),
				 errdetail_internal("%s", detail)));
}

/*
 * A byte of gzip can unpack to a thousand, and a byte of text take a score of bytes as
 * nodes: what nobody asked for must not cost the server gigabytes.  Recordings are
 * packed to a tenth or a hundredth.
 */
#define UNPACKED_IN_ANY_CASE ((uint64) 64 << 20)
#define UNPACKED_PER_BYTE 200
#define UNPACKED_AT_MOST ((uint64) 1 << 30)

/* What gzip may unpack to in these bytes when nobody says otherwise. */
static uint64
server_max_bytes(FgSpan data)
{
	return Min(UNPACKED_IN_ANY_CASE + UNPACKED_PER_BYTE * (uint64) data.size, UNPACKED_AT_MOST);
}

void
fg_read_recording(FgContext *ctx, FgSpan data, const FgReadOptions *options, FgRecording *recording)
{
	FgRecordingReader *reader = fg_recording_open(ctx, options);

	if (reader == NULL)
		throw_unreadable(ctx, options->format);
	if (!fg_recording_feed(reader, data.bytes, data.size) || !fg_recording_finish(reader, recording))
		throw_unreadable(ctx, fg_recording_format(reader));
	fg_recording_close(reader);
	report_noted(&recording->noted);
	fg_report_warnings(&recording->warnings);
}

/* The one profile of a recording; everything but the value is released. */
static Datum
read_profile(FgSpan data, const FgReadOptions *options)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "flamegraph recording",
												 ALLOCSET_DEFAULT_SIZES);
	FgContext	ctx = fg_context_in(memory);
	FgContext	result = fg_current_context();
	FgReadOptions limited = *options;
	FgRecording recording;
	Datum		value;

	limited.max_bytes = server_max_bytes(data);
	fg_read_recording(&ctx, data, &limited, &recording);
	value = fg_tree_datum(&result, &recording.profiles[0].complete);
	MemoryContextDelete(memory);
	return value;
}

/* --- single profiles ---------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamegraph_from_austin);
Datum
flamegraph_from_austin(PG_FUNCTION_ARGS)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	options.format = FG_FORMAT_AUSTIN;
	options.selection = text_to_cstring(PG_GETARG_TEXT_PP(1));
	options.threads = PG_GETARG_BOOL(2);
	PG_RETURN_DATUM(read_profile(PG_GETARG_SPAN(0), &options));
}

PG_FUNCTION_INFO_V1(flamegraph_from_perf);
Datum
flamegraph_from_perf(PG_FUNCTION_ARGS)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	options.format = FG_FORMAT_PERF;
	options.selection = PG_GETARG_CSTRING_OR_NULL(1);
	options.threads = !PG_ARGISNULL(2) && PG_GETARG_BOOL(2);
	PG_RETURN_DATUM(read_profile(PG_GETARG_SPAN(0), &options));
}

/* --- whole recordings ----------------------------------------------------------------- */

static const char *const frame_styles[] = {"function", "function:line", "address"};

static void
option_flag(Jsonb *json, const char *key, bool *flag)
{
	(void) fg_option_bool(json, key, flag);
}

/* A whole number within bounds; the option keeps its default when it is not given. */
static double
option_whole(Jsonb *json, const char *key, double least, double most, double otherwise)
{
	double		value;

	if (!fg_option_double(json, key, &value))
		return otherwise;
	if (!(value >= least && value <= most) || value != floor(value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must be a whole number from %.0f to %.0f", key, least, most)));
	return value;
}

static char *
span_to_cstring(FgSpan span)
{
	return pnstrdup(span.bytes, span.size);
}

FgReadOptions
fg_read_options(Jsonb *json, FgSpan data)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgSpan		word;

	if (fg_option_word(json, "selection", &word))
		options.selection = span_to_cstring(word);
	options.every = options.selection == NULL;
	if (fg_option_word(json, "frame_style", &word))
		options.frame_style = (FgFrameStyle) fg_word(word, "frame_style", frame_styles,
													 lengthof(frame_styles));
	option_flag(json, "threads", &options.threads);
	option_flag(json, "modes", &options.modes);
	option_flag(json, "inlined", &options.inlined);
	options.profile = (int) option_whole(json, "profile", 0, PG_INT32_MAX, options.profile);
	options.max_depth = (uint32_t) option_whole(json, "max_depth", 0, FG_MAX_DEPTH, 0);
	options.max_bytes = (uint64_t) option_whole(json, "max_bytes", 0, 1e15,
												 (double) server_max_bytes(data));
	return options;
}

/* What is one event to a store; and that the caller's word for it is that of none. */
static void
report_sharing(FgContext *ctx, const FgRecording *recording, const FgEventName *names,
			   const char *event)
{
	FgBuffer	sharing;

	if (!fg_event_sharing(ctx, recording, names, &sharing))
		throw_unreadable(ctx, recording->format);
	if (sharing.size > 0)
		ereport(NOTICE,
				(errmsg("profiles of one event were added up"),
				 errdetail_internal("%s.", (char *) sharing.data)));
	if (fg_event_is_unused(recording, names, event))
		ereport(NOTICE,
				(errmsg("the recording has several events, and none of them is \"%s\"", event),
				 errhint("Only an event that has no name, or is the only one, is called as you say.")));
}

FgEventName *
fg_recording_names(FgContext *ctx, Jsonb *json, FgRecording *recording, bool samples)
{
	FgSpan		word;
	char	   *event = fg_option_word(json, "event", &word) ? span_to_cstring(word) : NULL;
	bool		wanted = samples || event != NULL;
	FgEventName *names;

	option_flag(json, "stored_names", &wanted);
	if (!wanted)
		return NULL;
	if (!fg_event_names(ctx, recording, event, &names))
		throw_unreadable(ctx, recording->format);
	report_sharing(ctx, recording, names, event);
	if (!samples && !fg_event_join(ctx, recording, names))
		throw_unreadable(ctx, recording->format);
	return names;
}

static void
add_row(FgRows *rows, const FgRecording *recording, const FgRecorded *recorded,
		const FgEventName *stored)
{
	Datum		values[9];
	bool		nulls[9] = {false};
	FgContext	ctx;

	fg_rows_begin_row(rows);
	ctx = fg_current_context();
	values[0] = CStringGetTextDatum(fg_format_names[recording->format]);
	values[1] = CStringGetTextDatum(stored != NULL ? stored->event : recorded->event);
	values[2] = CStringGetTextDatum(recorded->name);
	values[3] = CStringGetTextDatum(stored != NULL ? stored->unit : recorded->unit);
	values[4] = Float8GetDatum(recorded->period);
	nulls[4] = recorded->period == 0;
	values[5] = fg_tree_datum(&ctx, &recorded->complete);
	values[6] = fg_tree_datum(&ctx, &recorded->truncated);
	/* the SQL of 0.1.0 has seven columns, and takes the first seven */
	nulls[7] = nulls[8] = !recorded->weighed;
	if (recorded->weighed && rows->descriptor->natts > 7)
	{
		values[7] = fg_tree_datum(&ctx, &recorded->samples);
		values[8] = fg_tree_datum(&ctx, &recorded->noise);
	}
	fg_rows_end_row(rows, values, nulls);
}

PG_FUNCTION_INFO_V1(flamegraph_read_recording);
Datum
flamegraph_read_recording(PG_FUNCTION_ARGS)
{
	static const char *const keys[] = {FG_READ_KEYS};
	FgSpan		data = PG_GETARG_SPAN(0);
	Jsonb	   *json = PG_GETARG_JSONB_P(2);
	FgReadOptions options;
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "flamegraph recording",
												 ALLOCSET_DEFAULT_SIZES);
	FgContext	ctx = fg_context_in(memory);
	FgRows		rows = fg_rows_begin(fcinfo);
	FgRecording recording;
	FgEventName *stored;

	fg_options_check(json, "read_recording", keys, lengthof(keys));
	options = fg_read_options(json, data);
	options.format = (FgFormat) fg_word(PG_GETARG_SPAN(1), "format", fg_format_names,
										lengthof(fg_format_names));
	fg_read_recording(&ctx, data, &options, &recording);
	stored = fg_recording_names(&ctx, json, &recording, false);
	for (size_t i = 0; i < recording.count; i++)
		add_row(&rows, &recording, &recording.profiles[i], stored != NULL ? &stored[i] : NULL);
	MemoryContextDelete(memory);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flamegraph_recording_formats);
Datum
flamegraph_recording_formats(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);

	for (int i = FG_FORMAT_AUTO + 1; i < FG_FORMAT_COUNT; i++)
	{
		const FgFormatFacts *facts = &fg_formats[i];
		Datum		values[] = {CStringGetTextDatum(facts->word), CStringGetTextDatum(facts->title),
			BoolGetDatum(facts->reader->recognise != NULL), BoolGetDatum(facts->has_times),
			BoolGetDatum(facts->has_lines), BoolGetDatum(facts->has_addresses)};
		bool		nulls[lengthof(values)] = {false};

		fg_rows_add(&rows, values, nulls);
	}
	return (Datum) 0;
}

/* --- pprof and formats in JSON ------------------------------------------------------ */

PG_FUNCTION_INFO_V1(flamegraph_from_pprof);
Datum
flamegraph_from_pprof(PG_FUNCTION_ARGS)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	options.format = FG_FORMAT_PPROF;
	options.selection = PG_GETARG_CSTRING_OR_NULL(1);
	options.frame_style = fg_word_argument(fcinfo, 2, "frame_style", frame_styles,
										   lengthof(frame_styles));
	PG_RETURN_DATUM(read_profile(PG_GETARG_SPAN(0), &options));
}

PG_FUNCTION_INFO_V1(flamegraph_from_speedscope);
Datum
flamegraph_from_speedscope(PG_FUNCTION_ARGS)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	options.format = FG_FORMAT_SPEEDSCOPE;
	if (!PG_ARGISNULL(1))
		options.profile = PG_GETARG_INT32(1);
	if (!PG_ARGISNULL(1) && options.profile < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("profile must not be negative: %d", options.profile),
				 errhint("The index counts from 0; without it, all profiles of the file are added up.")));
	PG_RETURN_DATUM(read_profile(PG_GETARG_SPAN(0), &options));
}

PG_FUNCTION_INFO_V1(flamegraph_from_cpuprofile);
Datum
flamegraph_from_cpuprofile(PG_FUNCTION_ARGS)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	options.format = FG_FORMAT_CPUPROFILE;
	PG_RETURN_DATUM(read_profile(PG_GETARG_SPAN(0), &options));
}

PG_FUNCTION_INFO_V1(flamegraph_from_jfr);
Datum
flamegraph_from_jfr(PG_FUNCTION_ARGS)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "flamegraph recording",
												 ALLOCSET_DEFAULT_SIZES);
	FgContext	ctx = fg_context_in(memory);
	FgContext	result = fg_current_context();
	FgSpan		data = PG_GETARG_SPAN(0);
	FgRecording recording;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	options.format = FG_FORMAT_JFR;
	options.max_bytes = server_max_bytes(data);
	options.selection = text_to_cstring(PG_GETARG_TEXT_PP(1));
	options.modes = PG_GETARG_BOOL(2);
	options.threads = PG_GETARG_BOOL(3);
	fg_read_recording(&ctx, data, &options, &recording);
	values[0] = fg_tree_datum(&result, &recording.profiles[0].complete);
	values[1] = fg_tree_datum(&result, &recording.profiles[0].truncated);
	MemoryContextDelete(memory);
	return fg_record_datum(fcinfo, values, nulls);
}
