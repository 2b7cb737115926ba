/*
 * stored.c
 *	  What a file becomes in the store: the names of its events, and what the store would
 *	  refuse.
 *
 * A dry run has no server, so what the store's tables accept is checked here, with words
 * for who made the file; the server checks it again.
 */
#include "load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/formats/event_names.h"
#include "core/profile/algebra.h"
#include "core/profile/codec.h"

/* Bytes of profiling.profile's texts. */
#define MAX_WORD 250

/* How much of a longer one is shown. */
#define SHOWN 40

static void
fail_in_core(const FgContext *ctx, File *file)
{
	fail_file(file, "%s", ctx->error.reason);
}

/* --- names ------------------------------------------------------------------------- */

static void
note_names(File *file, const FgRecording *recording, const FgEventName *names, const char *event,
		   const FgBuffer *sharing)
{
	char	   *text = NULL;

	if (sharing->size > 0)
		append_text(&text, "NOTICE:  profiles of one event were added up DETAIL:  %s.",
					(const char *) sharing->data);
	if (text != NULL)
		note_file(file, text);
	free(text);
	if (!fg_event_is_unused(recording, names, event))
		return;
	text = format_text("NOTICE:  the recording has several events, and none of them is \"%s\" "
					   "HINT:  Only an event that has no name, or is the only one, is called as you say.", event);
	note_file(file, text);
	free(text);
}

bool
name_events(FgContext *ctx, File *file, const Options *options, FgRecording *recording,
			FgEventName **names)
{
	FgBuffer	sharing = {.data = NULL};
	bool		ok = fg_event_names(ctx, recording, options->event, names) &&
		fg_event_sharing(ctx, recording, *names, &sharing);

	if (ok)
		note_names(file, recording, *names, options->event, &sharing);
	ok = ok && fg_event_join(ctx, recording, *names);
	fg_release(ctx, sharing.data);
	if (!ok)
		fail_in_core(ctx, file);
	return ok;
}

/* --- refusals ------------------------------------------------------------------------ */

/* A text of the file; a longer one than the store takes is told by its begin. */
static bool
check_word(File *file, const char *what, const char *word, const char *option)
{
	size_t		length = strlen(word);

	if (length <= MAX_WORD)
		return true;
	fail_file(file, "the %s \"%.*s...\" has %zu bytes, and the store takes %d; give %s", what,
			  (int) fg_utf8_prefix(word, SHOWN), word, length, MAX_WORD, option);
	return false;
}

static bool
check_period(File *file, const char *event, double period)
{
	if (period >= 0 && isfinite(period))
		return true;
	fail_file(file, "the period of %s is %g, and not a finite number above 0; give --period",
			  event, period);
	return false;
}

/* The store notes which share of all values was cut off, whatever their signs. */
static bool
check_norms(FgContext *ctx, File *file, const FgRecorded *recorded)
{
	double		whole;
	double		cut;

	if (fg_norm(ctx, &recorded->complete, 1, &whole) && fg_norm(ctx, &recorded->truncated, 1, &cut) &&
		isfinite(whole + cut))
		return true;
	fail_file(file, "the values of all stacks, without their signs, add up to more than fits");
	return false;
}

/* One unit for values of several would make bytes of nanoseconds; import_profile refuses it, too. */
static bool
check_units(File *file, const Options *options, const FgEventName *names, size_t count)
{
	for (size_t i = 1; i < count && options->unit != NULL; i++)
	{
		if (strcmp(names[i].unit, names[0].unit) == 0)
			continue;
		fail_file(file, "the profiles of this recording have different units; "
				  "leave --unit out, or --select one event");
		return false;
	}
	return true;
}

/* A value of the store has a limit; whether it fits is known when it is encoded. */
static bool
check_size(FgContext *ctx, File *file, const FgTree *tree)
{
	uint8_t    *bytes = NULL;
	size_t		size;

	if (!fg_codec_encode(ctx, tree, 0, &bytes, &size))
	{
		fail_in_core(ctx, file);
		return false;
	}
	fg_release(ctx, bytes);
	return true;
}

static bool
check_trees(FgContext *ctx, File *file, const FgRecorded *recorded)
{
	return check_size(ctx, file, &recorded->complete) &&
		check_size(ctx, file, &recorded->truncated) &&
		(!recorded->weighed || (check_size(ctx, file, &recorded->samples) &&
								check_size(ctx, file, &recorded->noise)));
}

/* The values of a service are added up with those of all others; the same limit is in profiling.can_be_added(). */
#define MAX_SERVICE_SUM 1e60

static bool
check_sums(FgContext *ctx, File *file, const FgRecorded *recorded)
{
	double		whole;
	double		cut;
	double		noise = 0;
	bool		ok = fg_norm(ctx, &recorded->complete, 1, &whole) && fg_norm(ctx, &recorded->truncated, 1, &cut);

	/* of what was cut off nobody says how its samples weigh, and noise is not sent */
	if (ok && recorded->weighed && cut == 0)
		ok = fg_norm(ctx, &recorded->noise, 1, &noise);
	if (ok && whole + cut <= MAX_SERVICE_SUM && noise <= MAX_SERVICE_SUM)
		return true;
	fail_file(file, "the values of a profile of a service are too large; up to %g is taken, "
			  "so that the profiles of all services can be added up", MAX_SERVICE_SUM);
	return false;
}

/*
 * Whether the store takes a time is for its own clock to say.  A dry run, which has no other, goes by the clock of this
 * machine.
 */
static bool
check_time(File *file, const Options *options)
{
	static const char future[] = "lies in the future, by the clock of this machine";
	char	   *text;

	if (!options->dry_run)
		return true;
	if (options->service == NULL)
	{
		if (options->run_to_come)
			fail_file(file, "started_at, the time of the oldest file, %s; --run gives another", future);
		return !options->run_to_come;
	}
	if (options->recorded_at != NULL)
		return true;
	text = time_of_change(file);
	if (text == NULL)
		fail_file(file, "its time is out of range; --recorded-at gives another");
	else if (is_to_come(&file->modified))
		fail_file(file, "recorded_at, the time of the file, %s; --recorded-at gives another", future);
	free(text);
	return file->outcome != FAILED;
}

bool
check_profiles(FgContext *ctx, File *file, const Options *options, const FgRecording *recording,
			   const FgEventName *names)
{
	if (!check_time(file, options) || !check_units(file, options, names, recording->count))
		return false;
	for (size_t i = 0; i < recording->count; i++)
	{
		const FgRecorded *recorded = &recording->profiles[i];

		if (!check_word(file, "event", names[i].event, "--select or --event") ||
			(options->unit == NULL && !check_word(file, "unit", names[i].unit, "--unit")) ||
			(options->period == NULL && !check_period(file, names[i].event, recorded->period)))
			return false;
		if (!check_norms(ctx, file, recorded) ||
			(options->service != NULL && !check_sums(ctx, file, recorded)))
			return false;
		/* a load encodes them in any case, and says the same */
		if (options->dry_run && !check_trees(ctx, file, recorded))
			return false;
	}
	return true;
}
