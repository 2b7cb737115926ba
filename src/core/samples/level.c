/*
 * level.c
 *	  Profiles as vectors over stacks, contexts or functions (see level.h).
 */
#include "core/samples/level.h"

#include "core/base/choice.h"
#include "core/profile/transform.h"

#include <math.h>
#include <string.h>

static const char *const level_words[FG_LEVELS] = {"stack", "node", "frame", "self"};
static const FgChoice level_choice = {
	"level", "Available: stack, node, frame (or total), self.", level_words, FG_LEVELS
};

const char *
fg_level_word(FgLevel level)
{
	return level_words[level];
}

bool
fg_level_parse(FgContext *ctx, const char *text, size_t length, FgLevel *level)
{
	int			place;

	/* as inclusive values of functions are called elsewhere */
	if (length == 5 && memcmp(text, "total", 5) == 0)
	{
		*level = FG_LEVEL_FRAME;
		return true;
	}
	if (!fg_choice_parse(ctx, &level_choice, text, length, &place))
		return false;
	*level = (FgLevel) place;
	return true;
}

/* The empty stack ends in no function: its value is left out, as in inclusive values. */
static bool
add_self_values(FgContext *ctx, const FgTree *profile, double *values)
{
	uint32_t	count = profile->frames.count;
	size_t		end;

	for (size_t i = 1; i <= profile->nnodes; i = end)
	{
		if (!fg_next_block(ctx, i, (size_t) profile->nnodes + 1, &end))
			return false;
		for (size_t k = i; k < end; k++)
			values[fg_key_frame(profile->key[k])] += profile->self[k];
	}
	for (uint32_t f = 0; f < count; f++)
	{
		if (!isfinite(values[f]))
			return fg_fail(ctx, FG_ERROR_RANGE, "the value of a frame is out of range");
	}
	return true;
}

static bool
self_values(FgContext *ctx, const FgTree *profile, FgTree *result)
{
	uint32_t	count = profile->frames.count;

	if (!fg_tree_alloc(ctx, result, count))
		return false;
	memset(result->self, 0, ((size_t) count + 1) * sizeof(double));
	for (uint32_t f = 0; f < count; f++)
		result->key[f + 1] = fg_key(1, f);
	if (add_self_values(ctx, profile, result->self + 1) &&
		fg_frames_copy(ctx, &profile->frames, &result->frames) &&
		fg_tree_prune_zeros(ctx, result))
		return true;
	fg_tree_free(ctx, result);
	return false;
}

bool
fg_level_apply(FgContext *ctx, const FgTree *profile, FgLevel level, FgTree *result)
{
	switch (level)
	{
		case FG_LEVEL_STACK:
			break;
		case FG_LEVEL_NODE:
			return fg_cumulate(ctx, profile, result);
		case FG_LEVEL_FRAME:
			return fg_frame_totals(ctx, profile, result);
		case FG_LEVEL_SELF:
			return self_values(ctx, profile, result);
	}
	return fg_tree_copy(ctx, profile, result);
}
