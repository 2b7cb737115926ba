/*
 * sink.h
 *	  What a format is (FgFormatReader), and where it puts what it has read
 *	  (FgSink).
 *
 * A format is told to begin, gets the unpacked bytes in blocks of any size, and
 * is told when they end.  For each sample it collects the frames of its stack in
 * the sink and adds the stack, with a value, to one profile or several:
 *
 *		fg_sink_profile(sink, &kind, &number)		once, or for each sample
 *		fg_sink_clear(sink)
 *		fg_sink_frame(sink, frame, length) ...
 *		fg_sink_sample(sink, number, FG_LEAF_FIRST, false, weight)
 *
 * A format that knows each sample's weight says so by fg_sink_sample (or, when it
 * adds samples up itself, by fg_sink_weights and fg_sink_sum); from these the sink also
 * makes the number of samples of each stack and the sum of their squared weights.
 * Values that are no samples are added by fg_sink_add.
 *
 * Where somebody wants the samples one by one (fg_sink_is_timed), a format that has
 * times says before it adds a sample whose it is and when: fg_sink_lane, fg_sink_time
 * or fg_sink_time_until_next.  The sink then makes no profiles.
 *
 * All memory comes from ctx, that of libraries too (hand their allocator hooks to
 * fg_alloc, fg_resize and fg_release): in PostgreSQL any allocation or check may
 * leave by a jump.
 */
#ifndef FG_SINK_H
#define FG_SINK_H

#include "core/profile/builder.h"
#include "core/reading/recorded.h"

typedef struct FgSink FgSink;

/* Which event a sample belongs to; the texts are copied when they are new. */
typedef struct FgKind
{
	const char *event;
	const char *name;			/* what a selection is compared with */
	const char *unit;
	double		period;			/* 0: unknown; samples of different periods make it 0 */
} FgKind;

/* The number of a profile that was not asked for: samples for it are only counted. */
#define FG_UNWANTED FG_NONE

/* Samples that a format may have to keep until their weights come, a dozen bytes each. */
#define FG_MAX_KEPT_SAMPLES (UINT32_C(1) << 26)

typedef enum FgStackOrder
{
	FG_ROOT_FIRST,
	FG_LEAF_FIRST
} FgStackOrder;

/*
 * The profile of this kind (names and units compared), made when it is new.
 * FG_UNWANTED when the options select another one.
 */
extern bool fg_sink_profile(FgSink *sink, const FgKind *kind, uint32_t *number);

/*
 * The one profile of a format that does not name its events; options that select
 * one are an error.
 */
extern bool fg_sink_whole(FgSink *sink, const FgKind *kind, uint32_t *number);

/*
 * Says which name stands for "the format's default" when neither a selection nor
 * "every" was given; to be called before the first profile.  Without it a
 * recording of several events is then an error that lists them.
 */
extern bool fg_sink_default(FgSink *sink, const char *name);

/*
 * The stack being collected.  A frame is any text: an empty one becomes [unknown],
 * control characters a space, and both are counted; what is not UTF-8 is an error.
 */
extern void fg_sink_clear(FgSink *sink);
extern bool fg_sink_frame(FgSink *sink, const char *frame, size_t length);

/*
 * The same for a frame of a stack that comes from its leaf: with the option "inlined", "A->B->C"
 * is C, which is inlined in B, and that in A.  C++'s operator-> is no such arrow.
 */
extern bool fg_sink_inlined_frame(FgSink *sink, const char *frame, size_t length);

/*
 * Adds the collected stack, which stays for further calls.  It goes to the
 * truncated stacks when "truncated" says so or max_depth is reached (a thread that
 * is the first frame does not count: fg_sink_thread).
 */
extern bool fg_sink_add(FgSink *sink, uint32_t number, FgStackOrder order, bool truncated,
						double value);

/* The same for one sample of this weight. */
extern bool fg_sink_sample(FgSink *sink, uint32_t number, FgStackOrder order, bool truncated,
						   double weight);

/*
 * Where the stack that was added last went, for a format that meets it again: to add to it
 * without collecting it.  Not where the sink makes no profiles.
 */
typedef struct FgStackPlace
{
	uint32_t	number;
	uint32_t	node;
	bool		truncated;
	bool		without_stack;
	uint64_t	unknown_frames;	/* that the stack has, and ... */
	uint64_t	control_characters;
} FgStackPlace;

extern FgStackPlace fg_sink_place(const FgSink *sink, uint32_t number, bool truncated);
extern bool fg_sink_sample_at(FgSink *sink, const FgStackPlace *place, double weight);

/* From the node of a place down through known frames, by their numbers; nodes[i] becomes the node of the i-th one. */
extern bool fg_sink_steps(FgSink *sink, const FgStackPlace *place, const uint32_t *frames, size_t count,
						  uint32_t *nodes);

/* The same for so many samples of one weight that follow each other; sums round as if each came alone. */
extern bool fg_sink_samples_at(FgSink *sink, const FgStackPlace *place, double weight, size_t times);

/* The same for a value that is no sample; who adds several for one stack counts its frames. */
extern bool fg_sink_add_at(FgSink *sink, const FgStackPlace *place, double value);

/*
 * For a format that has numbers for its frames: a frame is made known to a profile once, and
 * stacks are walked from their root (node 0), so that what they share is not looked up again.
 * Then the node is a place.  A stack of so many frames goes to the truncated ones if
 * fg_sink_is_deep says so.
 */
typedef struct FgKnownFrame
{
	uint32_t	number;
	uint32_t	control_characters;
	bool		unknown;
} FgKnownFrame;

extern bool fg_sink_is_deep(const FgSink *sink, size_t frames);
extern bool fg_sink_know(FgSink *sink, uint32_t number, bool truncated, const char *frame,
						 size_t length, FgKnownFrame *known);
extern bool fg_sink_step(FgSink *sink, uint32_t number, bool truncated, const FgKnownFrame *known,
						 uint32_t *node);

/* Takes memory for so many more nodes of a tree. */
extern bool fg_sink_reserve(FgSink *sink, uint32_t number, bool truncated, size_t nodes);

/* What the samples of one stack add up to. */
typedef struct FgSum
{
	double		value;			/* sum of weights */
	double		samples;		/* how many; 0: the value is not one of samples */
	double		noise;			/* sum of squared weights */
} FgSum;

/* What is known of the weights of a profile's samples. */
typedef struct FgWeights
{
	uint64_t	count;
	double		first;
	double		squares;		/* their sum; not finite: too large */
	bool		differ;
	bool		unknown;		/* some values are not of samples */
} FgWeights;

/* Adds a sample to the sum of its stack and to what is known of all. */
static inline void
fg_sum_add(FgSum *sum, FgWeights *weights, double weight)
{
	if (weights->count++ == 0)
		weights->first = weight;
	weights->differ |= weight != weights->first;
	weights->squares += weight * weight;
	sum->value += weight;
	sum->samples++;
	sum->noise += weight * weight;
}

/*
 * For formats that add up the samples of a stack themselves: the weights of all, then
 * each stack.
 */
extern void fg_sink_weights(FgSink *sink, uint32_t number, const FgWeights *weights);

extern bool fg_sink_sum(FgSink *sink, uint32_t number, FgStackOrder order, bool truncated,
						const FgSum *sum);

/*
 * The same bit by bit: the weights of some samples, and then what those come to that go to a
 * place.  Where the stack had to be collected first, fg_sink_sum takes it for one sample, and
 * fg_sink_repeated counts the others.
 */
extern void fg_sink_weigh(FgSink *sink, uint32_t number, const FgWeights *weights);
extern bool fg_sink_sum_at(FgSink *sink, const FgStackPlace *place, const FgSum *sum);
extern void fg_sink_repeated(FgSink *sink, const FgStackPlace *place, uint64_t samples);

/*
 * Files of this format may have been summed up before: one line for all samples of a
 * stack.  Where no stack has two samples, the numbers are then taken for unknown.
 */
extern void fg_sink_may_be_summed(FgSink *sink);

/* The root frame for the thread of the collected stack, in whichever order it is. */
extern bool fg_sink_thread(FgSink *sink, const char *thread, size_t length);

/* --- samples with times ------------------------------------------------------------ */

extern bool fg_sink_is_timed(const FgSink *sink);

/* How many ticks of the times make a second. */
extern void fg_sink_ticks(FgSink *sink, double per_second);

/* The seconds that the caller gives for a sample's length, in ticks; 0: none. */
extern double fg_sink_interval(const FgSink *sink);

/*
 * The thread of the collected stack, for its times; until fg_sink_clear.  Unlike
 * fg_sink_thread it adds no frame.
 */
extern bool fg_sink_lane(FgSink *sink, const char *thread, size_t length);

/*
 * When the samples that are added next start and stop, in ticks; or when they start,
 * and what period they have (0: unknown), where they last until the next.
 */
extern void fg_sink_time(FgSink *sink, double start, double stop);
extern void fg_sink_time_until_next(FgSink *sink, double start, double period);

/* The lane's own clock, from 0: what it says, before it goes on by "ticks". */
extern bool fg_sink_advance(FgSink *sink, double ticks, double *before);

/* For formats that build node by node: the builder itself. */
extern FgBuilder *fg_sink_builder(FgSink *sink, uint32_t number, bool truncated);

/* For formats that have a tree already: moves it into a new profile. */
extern bool fg_sink_tree(FgSink *sink, uint32_t number, FgTree *tree);

/* The same for one that counts its samples itself. */
extern void fg_sink_give(FgSink *sink, uint32_t number, FgTree *tree);

extern FgContext *fg_sink_context(FgSink *sink);
extern FgNoted *fg_sink_noted(FgSink *sink);

/* What should be known of the recording: each kind is told once (fg_warn). */
extern void fg_sink_warn(FgSink *sink, const FgWarning *warning);

extern const FgReadOptions *fg_sink_options(FgSink *sink);

/*
 * The life of a sink is not a format's business; who drives the format (recording.c)
 * begins and ends it.  fg_sink_finish makes the trees; when it fails, those that it
 * has made already are in the recording, too.
 */
extern FgSink *fg_sink_create(FgContext *ctx, const FgReadOptions *options);
extern bool fg_sink_finish(FgSink *sink, FgRecording *recording);
extern void fg_sink_free(FgSink *sink);

typedef struct FgFormatReader
{
	FgFormat	format;
	bool		unsure;			/* what it recognises may be another format that is not read */

	/*
	 * Does a recording that starts with these bytes look like this format?  "whole":
	 * there are no more than these, else there are FG_HEAD_BYTES.  The first format of
	 * the table that says yes gets the recording.  NULL: it is read only when it is named.
	 */
	bool		(*recognise) (const char *head, size_t size, bool whole);
	void	   *(*begin) (FgSink *sink);	/* NULL with the error set when it fails */
	bool		(*feed) (void *state, const char *bytes, size_t size);
	bool		(*finish) (void *state);
	void		(*free) (void *state);
} FgFormatReader;

#define FG_HEAD_BYTES 65536

#define FG_FORMAT_READER(ID, word, title, lines, addresses, times) \
	extern const FgFormatReader fg_##word##_reader;
FG_FORMATS(FG_FORMAT_READER)

#endif							/* FG_SINK_H */
