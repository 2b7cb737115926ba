/*
 * event_names.c
 *	  What a store calls the events of a recording (see event_names.h).
 */
#include "core/formats/event_names.h"

#include <string.h>

#include "core/profile/algebra.h"

static const char default_event[] = "cpu";
static const char default_unit[] = "samples";

/* --- names ------------------------------------------------------------------------ */

static bool
is_same(FgEventName a, FgEventName b)
{
	return strcmp(a.event, b.event) == 0 && strcmp(a.unit, b.unit) == 0;
}

/* By rule 1. */
static FgEventName
own_name(const FgRecorded *recorded, const char *event)
{
	return (FgEventName)
	{
		.event = recorded->event[0] != '\0' ? recorded->event : event != NULL ? event : default_event,
			.unit = recorded->unit[0] != '\0' ? recorded->unit : default_unit
	};
}

bool
fg_event_names(FgContext *ctx, const FgRecording *recording, const char *event,
			   FgEventName **names)
{
	FgEventName *made = fg_alloc_zero(ctx, recording->count, sizeof(FgEventName));
	bool		one = event != NULL;

	*names = made;
	if (made == NULL)
		return false;
	for (size_t i = 0; i < recording->count; i++)
	{
		made[i] = own_name(&recording->profiles[i], event);
		one = one && is_same(made[i], made[0]);
	}
	for (size_t i = 0; one && i < recording->count; i++)
		made[i].event = event;
	return true;
}

bool
fg_event_is_unused(const FgRecording *recording, const FgEventName *names, const char *event)
{
	for (size_t i = 0; i < recording->count; i++)
	{
		if (event == NULL || strcmp(names[i].event, event) == 0 ||
			strcmp(recording->profiles[i].name, event) == 0)
			return false;
	}
	return recording->count > 0;
}

/* --- what shares a name ------------------------------------------------------------ */

static bool
append(FgBuffer *to, const char *text)
{
	return fg_buffer_append(to, text, strlen(text));
}

/* The first profile of this name. */
static size_t
first_of(const FgEventName *names, size_t i)
{
	size_t		first = 0;

	while (!is_same(names[first], names[i]))
		first++;
	return first;
}

/* The names that the file has for the event of profile "first", behind "first" itself. */
static bool
append_sharing(const FgRecording *recording, const FgEventName *names, size_t first, FgBuffer *text)
{
	const FgRecorded *profiles = recording->profiles;
	size_t		begin = text->size;

	for (size_t i = first + 1; i < recording->count; i++)
	{
		if (!is_same(names[i], names[first]))
			continue;
		if (text->size == begin &&
			!((begin == 0 || append(text, "; ")) && append(text, names[first].event) &&
			  append(text, " in ") && append(text, names[first].unit) && append(text, ": ") &&
			  append(text, profiles[first].name[0] != '\0' ? profiles[first].name : "(no name)")))
			return false;
		if (!append(text, ", ") ||
			!append(text, profiles[i].name[0] != '\0' ? profiles[i].name : "(no name)"))
			return false;
	}
	return true;
}

bool
fg_event_sharing(FgContext *ctx, const FgRecording *recording, const FgEventName *names,
				 FgBuffer *text)
{
	*text = (FgBuffer) {.ctx = ctx};
	for (size_t i = 0; i < recording->count; i++)
	{
		if (!fg_steps(ctx, recording->count) ||
			(first_of(names, i) == i && !append_sharing(recording, names, i, text)))
			return false;
	}
	return text->size == 0 || fg_buffer_append(text, "", 1);
}

/* --- adding up --------------------------------------------------------------------- */

/* to += from, exactly as if one profile had held the samples of both. */
static bool
add_tree(FgContext *ctx, FgTree *to, const FgTree *from)
{
	FgTree		sum;

	if (!fg_combine(ctx, to, 1, from, 1, &sum))
		return false;
	fg_tree_free(ctx, to);
	*to = sum;
	return true;
}

static bool
is_empty(const FgTree *tree)
{
	return tree->nnodes == 0 && tree->self[0] == 0;
}

static void
forget_weights(FgContext *ctx, FgRecorded *recorded)
{
	fg_tree_free(ctx, &recorded->samples);
	fg_tree_free(ctx, &recorded->noise);
	recorded->samples = recorded->noise = (FgTree) {.nnodes = 0};
	recorded->weighed = false;
}

/* Writes as trees what a period says in one number; "false": nothing is known, or an error. */
static bool
weigh(FgContext *ctx, FgRecorded *recorded)
{
	if (recorded->weighed)
		return true;
	recorded->weighed = true;
	if (is_empty(&recorded->complete))
		return fg_tree_empty(ctx, &recorded->samples) && fg_tree_empty(ctx, &recorded->noise);
	if (!(recorded->period > 0))
		return false;
	return fg_divide(ctx, &recorded->complete, recorded->period, &recorded->samples) &&
		fg_scale(ctx, &recorded->complete, recorded->period, &recorded->noise);
}

/* The samples and noise of both, before their values are added up. */
static bool
add_weights(FgContext *ctx, FgRecorded *to, FgRecorded *from)
{
	bool		same_period = to->period == from->period;

	ctx->error = (FgError) {.code = FG_OK};
	if (!to->weighed && !from->weighed && same_period)
		return true;
	if (!weigh(ctx, to) || !weigh(ctx, from) || !add_tree(ctx, &to->samples, &from->samples) ||
		!add_tree(ctx, &to->noise, &from->noise))
	{
		forget_weights(ctx, to);
		to->period = 0;
		/* squares that do not fit a double: nothing is known of the samples */
		if (ctx->error.code != FG_OK && ctx->error.code != FG_ERROR_RANGE)
			return false;
		ctx->error = (FgError) {.code = FG_OK};
	}
	if (!same_period)
		to->period = 0;
	return true;
}

static bool
join_names(FgContext *ctx, FgRecorded *to, const FgRecorded *from)
{
	FgBuffer	name = {.ctx = ctx};

	if (from->name[0] == '\0')
		return true;
	if (!append(&name, to->name) || (name.size > 0 && !append(&name, " + ")) ||
		!append(&name, from->name) || !fg_buffer_append(&name, "", 1))
	{
		fg_release(ctx, name.data);
		return false;
	}
	fg_release(ctx, to->name);
	to->name = (char *) name.data;
	return true;
}

static bool
join(FgContext *ctx, FgRecorded *to, FgRecorded *from)
{
	return add_weights(ctx, to, from) && add_tree(ctx, &to->complete, &from->complete) &&
		add_tree(ctx, &to->truncated, &from->truncated) &&
		fg_recorded_check_total(ctx, &to->complete) &&
		fg_recorded_check_total(ctx, &to->truncated) && join_names(ctx, to, from);
}

bool
fg_event_join(FgContext *ctx, FgRecording *recording, FgEventName *names)
{
	FgRecorded *profiles = recording->profiles;
	size_t		kept = 0;

	for (size_t i = 0; i < recording->count; i++)
	{
		size_t		first = 0;

		if (!fg_steps(ctx, kept))
			return false;
		while (first < kept && !is_same(names[first], names[i]))
			first++;
		if (first < kept)
		{
			if (!join(ctx, &profiles[first], &profiles[i]))
				return false;
			fg_recorded_free(ctx, &profiles[i]);
			continue;
		}
		if (i != kept)
		{
			profiles[kept] = profiles[i];
			profiles[i] = (FgRecorded) {.event = NULL};
			names[kept] = names[i];
		}
		kept++;
	}
	recording->count = kept;
	return true;
}
