/*
 * firefox_samples.c
 *	  Events of the samples of the Firefox Profiler (see firefox_samples.h).
 */
#include "core/browsers/firefox_samples.h"

#include <math.h>

/* --- what is kept ----------------------------------------------------------------------- */

bool
fg_firefox_keep_index(FgContext *ctx, FgPackedIndices *numbers, uint32_t number)
{
	if (!fg_packed_indices_room(ctx, numbers, FG_MAX_KEPT_SAMPLES))
		return false;
	numbers->items[numbers->count++] = number;
	return true;
}

bool
fg_firefox_keep_double(FgContext *ctx, FgPackedDoubles *numbers, double number)
{
	if (!fg_packed_doubles_room(ctx, numbers, FG_MAX_KEPT_SAMPLES))
		return false;
	numbers->items[numbers->count++] = number;
	return true;
}

void
fg_firefox_samples_free(FgContext *ctx, FgFirefoxSamples *list)
{
	fg_packed_indices_free(ctx, &list->stacks);
	fg_packed_doubles_free(ctx, &list->times);
	fg_packed_doubles_free(ctx, &list->weights.rest);
	fg_packed_doubles_free(ctx, &list->cpu);
}

bool
fg_firefox_weights_add(FgContext *ctx, FgFirefoxWeights *weights, const double *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		if (fg_packed_doubles_count(&weights->rest) > 0 || (weights->same > 0 && numbers[i] != weights->first))
		{
			if (!fg_firefox_keep_double(ctx, &weights->rest, numbers[i]))
				return false;
			continue;
		}
		if (weights->same >= FG_MAX_KEPT_SAMPLES)
			return fg_fail(ctx, FG_ERROR_LIMIT, "a list has more than %u elements", FG_MAX_KEPT_SAMPLES);
		weights->first = numbers[i];
		weights->same++;
	}
	return true;
}

bool
fg_firefox_weight_type(const FgJsonValue *value, FgFirefoxWeight *type)
{
	static const char *const words[] = {"samples", "tracing-ms", "bytes"};

	for (int i = FG_FIREFOX_WEIGHT_SAMPLES; i <= FG_FIREFOX_WEIGHT_BYTES; i++)
	{
		if (!fg_json_equals(value, words[i]))
			continue;
		*type = (FgFirefoxWeight) i;
		return true;
	}
	return false;
}

/* --- samples ---------------------------------------------------------------------------- */

/* "GeckoMain-12/34", with process and thread. */
static bool
name_lane(FgFirefox *whole, const FgFirefoxThread *thread)
{
	whole->lane.size = 0;
	return fg_buffer_append(&whole->lane, thread->name.data, thread->name.size) &&
		(thread->pid.size + thread->tid.size == 0 ||
		 (fg_buffer_append(&whole->lane, "-", thread->name.size > 0) &&
		  fg_buffer_append(&whole->lane, thread->pid.data, thread->pid.size) &&
		  fg_buffer_append(&whole->lane, "/", 1) &&
		  fg_buffer_append(&whole->lane, thread->tid.data, thread->tid.size)));
}

/* The samples of a list, one after the other. */
typedef struct Walk
{
	const FgFirefoxSamples *list;
	FgIndexWalk stacks;
	FgDoubleWalk weights;		/* behind those that are the same */
	FgDoubleWalk times;
	size_t		at;				/* the next sample, from 0 */
	double		clock;
} Walk;

static void
begin_walk(Walk *walk, const FgFirefoxSamples *list)
{
	walk->list = list;
	fg_index_walk(&walk->stacks, &list->stacks);
	fg_double_walk(&walk->weights, &list->weights.rest);
	fg_double_walk(&walk->times, &list->times);
	walk->at = 0;
	walk->clock = 0;
}

typedef struct Sample
{
	uint32_t	stack;
	double		weight;			/* 1 where there are none */
} Sample;

static inline bool
next_sample(Walk *walk, Sample *sample)
{
	const FgFirefoxWeights *weights = &walk->list->weights;

	if (!fg_index_next(&walk->stacks, &sample->stack))
		return false;
	sample->weight = walk->at < weights->same ? weights->first : 1;
	if (walk->at >= weights->same)
		fg_double_next(&walk->weights, &sample->weight);
	walk->at++;
	return true;
}

/* When the sample starts, and how long it lasts. */
static bool
set_time(FgFirefox *whole, Walk *walk, size_t at, double weight, double shift)
{
	const FgFirefoxSamples *list = walk->list;
	double		time = NAN;

	fg_double_next(&walk->times, &time);
	if (isnan(time))
		return fg_fail(whole->ctx, FG_ERROR_SYNTAX, "sample %zu of a thread has no time", at);
	if (list->are_deltas)
		time = walk->clock += time;
	if (list->weight_type == FG_FIREFOX_WEIGHT_MILLISECONDS)
	{
		if (weight < 0)
			return fg_fail(whole->ctx, FG_ERROR_SYNTAX, "sample %zu lasts less than no time", at);
		fg_sink_time(whole->sink, time + shift, time + shift + weight);
	}
	else
		fg_sink_time_until_next(whole->sink, time + shift,
								list->weight_type == FG_FIREFOX_WEIGHT_SAMPLES && weight > 0 ? whole->interval * weight : 0);
	return true;
}

/* Of those that have times "times" is 1. */
static bool
add_samples(FgFirefox *whole, uint32_t profile, uint32_t stack, double value, size_t times)
{
	if (!fg_sink_is_timed(whole->sink) || profile == FG_UNWANTED)
		return fg_firefox_add(&whole->stacks, profile, stack, value, times);
	return fg_firefox_collect(&whole->stacks, stack) &&
		fg_sink_lane(whole->sink, (char *) whole->lane.data, whole->lane.size) &&
		fg_sink_add(whole->sink, profile, FG_LEAF_FIRST, false, value);
}

static bool
check_list(FgFirefox *whole, const FgFirefoxSamples *list)
{
	size_t		count = fg_packed_indices_count(&list->stacks);
	size_t		stacks = whole->stacks.tables->columns[FG_FIREFOX_STACK_FRAME].count;
	size_t		weights = fg_firefox_weight_count(&list->weights);
	size_t		cpu = fg_packed_doubles_count(&list->cpu);
	size_t		times = fg_packed_doubles_count(&list->times);
	FgIndexWalk walk;
	uint32_t	stack;

	if (weights > 0 && weights != count)
		return fg_fail(whole->ctx, FG_ERROR_SYNTAX, "a thread has %zu samples and %zu weights", count, weights);
	if (cpu > 0 && cpu != count)
		return fg_fail(whole->ctx, FG_ERROR_SYNTAX, "a thread has %zu samples and %zu CPU deltas", count, cpu);
	if (fg_sink_is_timed(whole->sink) && times != count)
		return fg_fail(whole->ctx, FG_ERROR_SYNTAX, "a thread has %zu samples and %zu times", count, times);
	fg_index_walk(&walk, &list->stacks);
	for (size_t i = 0; fg_index_next(&walk, &stack); i++)
	{
		/* FG_NONE is 0 then */
		if (stack + 1 > stacks)
			return fg_fail(whole->ctx, FG_ERROR_SYNTAX, "a sample refers to stack %u, there are %zu",
						   (unsigned) stack, stacks);
		if (!fg_check_every(whole->ctx, i))
			return false;
	}
	return true;
}

#define MOST_AT_ONCE FG_COUNT_NODES

/*
 * How many samples from this one on have its stack and its weight, as those of a thread that waits
 * or stays in a loop; *next is the one behind them.  Of those that have times each is one.
 */
static size_t
same_samples(const FgFirefox *whole, Walk *walk, const Sample *sample, Sample *next, bool *more)
{
	size_t		most = fg_sink_is_timed(whole->sink) ? 1 : MOST_AT_ONCE;
	size_t		count = 0;

	do
	{
		count++;
		*more = next_sample(walk, next);
	} while (*more && count < most && next->stack == sample->stack && next->weight == sample->weight);
	return count;
}

/* FgFirefoxSamples with their weights, and allocations; of native ones also what was freed. */
static bool
add_list(FgFirefox *whole, const FgFirefoxThread *thread, FgFirefoxList which, double shift)
{
	static const FgKind by_weight[] = {
		{"wall", "samples", "samples", 1}, {"wall", "samples", "milliseconds", 0}, {"alloc", "samples", "bytes", 0}
	};
	static const FgKind allocations[FG_FIREFOX_LISTS] = {
		[FG_FIREFOX_JS_ALLOCATIONS] = {"alloc", "jsAllocations", "bytes", 0},
		[FG_FIREFOX_NATIVE_ALLOCATIONS] = {"alloc", "nativeAllocations", "bytes", 0}
	};
	static const FgKind freed_kind = {"nativeDeallocations", "nativeDeallocations", "bytes", 0};
	const FgFirefoxSamples *list = &thread->lists[which];
	const FgKind *kind = which == FG_FIREFOX_SAMPLES ? &by_weight[list->weight_type] : &allocations[which];
	uint32_t	profile = FG_NONE;
	uint32_t	freed = FG_NONE;
	bool		has_profile = false;
	bool		has_freed = false;
	size_t		at = 0;
	Walk		walk;
	Sample		sample;
	Sample		next;

	begin_walk(&walk, list);
	for (bool more = next_sample(&walk, &sample); more; sample = next)
	{
		size_t		times = same_samples(whole, &walk, &sample, &next, &more);
		double		weight = sample.weight;
		bool		is_freed = which == FG_FIREFOX_NATIVE_ALLOCATIONS && weight < 0;

		if (!fg_steps(whole->ctx, times))
			return false;
		if (isnan(weight))
			return fg_fail(whole->ctx, FG_ERROR_SYNTAX, "sample %zu of a thread has no weight", at);
		if (fg_sink_is_timed(whole->sink) && !set_time(whole, &walk, at, weight, shift))
			return false;
		if (is_freed && !has_freed && !fg_sink_profile(whole->sink, &freed_kind, &freed))
			return false;
		has_freed |= is_freed;
		if (!is_freed && !has_profile && !fg_sink_profile(whole->sink, kind, &profile))
			return false;
		has_profile |= !is_freed;
		if (!add_samples(whole, is_freed ? freed : profile, sample.stack, is_freed ? -weight : weight, times))
			return false;
		at += times;
	}
	return true;
}

/* What the thread used of the CPU up to each sample; nothing is known for the first. */
static bool
add_cpu(FgFirefox *whole, const FgFirefoxThread *thread, double shift)
{
	const FgFirefoxSamples *list = &thread->lists[FG_FIREFOX_SAMPLES];
	const FgKind kind = {"cpu", "threadCPUDelta", whole->cpu_unit, 0};
	uint32_t	profile = FG_NONE;
	bool		has_profile = false;
	Walk		walk;
	Sample		sample;
	FgDoubleWalk deltas;
	double		delta;

	begin_walk(&walk, list);
	fg_double_walk(&deltas, &list->cpu);
	for (size_t i = 0; fg_double_next(&deltas, &delta) && next_sample(&walk, &sample); i++)
	{
		if (!fg_check_every(whole->ctx, i) ||
			(fg_sink_is_timed(whole->sink) && !set_time(whole, &walk, i, 0, shift)))
			return false;
		if (i == 0 || isnan(delta) || delta == 0)
			continue;
		if (!has_profile && !fg_sink_profile(whole->sink, &kind, &profile))
			return false;
		has_profile = true;
		if (!add_samples(whole, profile, sample.stack, delta, 1))
			return false;
	}
	return true;
}

bool
fg_firefox_add_thread(FgFirefox *whole, const FgFirefoxThread *thread, const FgFirefoxLibs *libs, double start)
{
	FgFirefoxTables *own = thread->tables;
	bool		shares = own->columns[FG_FIREFOX_STACK_FRAME].count == 0 && whole->shared != NULL;
	double		shift = whole->preprocessed ? 0 : start - whole->start;

	whole->stacks.tables = shares ? whole->shared : own;
	whole->stacks.strings = shares || (whole->shared != NULL && !own->has_strings) ? &whole->shared->strings : &own->strings;
	whole->stacks.libs = libs;
	whole->stacks.old = !whole->preprocessed;
	whole->stacks.thread = 1;
	if (!name_lane(whole, thread))
		return false;
	if (fg_sink_options(whole->sink)->threads)
	{
		whole->stacks.thread = ++whole->number;
		whole->stacks.thread_name = whole->lane.size > 0 ? (char *) whole->lane.data : "";
		whole->stacks.thread_length = whole->lane.size;
	}
	if (fg_sink_is_timed(whole->sink) && whole->time_is_bytes)
		return fg_fail(whole->ctx, FG_ERROR_ARGUMENT, "the times of this profile are bytes");
	if (!fg_firefox_tables_check(&whole->stacks))
		return false;
	for (FgFirefoxList which = FG_FIREFOX_SAMPLES; which < FG_FIREFOX_LISTS; which++)
	{
		if (!check_list(whole, &thread->lists[which]) || !add_list(whole, thread, which, shift))
			return false;
	}
	return add_cpu(whole, thread, shift);
}

