/*
 * recorded.h
 *	  What a reader of recordings is asked for, and the profiles that it makes.
 *
 * The reader (recording.h) and the formats (sink.h) share these types and know
 * nothing else of each other.
 */
#ifndef FG_RECORDED_H
#define FG_RECORDED_H

#include "core/base/warnings.h"
#include "core/profile/tree.h"
#include "core/reading/format_table.h"

#define FG_FORMAT_ID(ID, word, title, lines, addresses, times) FG_FORMAT_##ID,
typedef enum FgFormat
{
	FG_FORMAT_AUTO,				/* by content */
	FG_FORMATS(FG_FORMAT_ID)
	FG_FORMAT_COUNT
} FgFormat;

/* The word for each format, "auto" first. */
extern const char *const fg_format_names[FG_FORMAT_COUNT];

/* How a format that knows them writes functions, lines and addresses as frames. */
typedef enum FgFrameStyle
{
	FG_FRAME_FUNCTION,			/* function */
	FG_FRAME_LINE,				/* function:line */
	FG_FRAME_ADDRESS			/* address */
} FgFrameStyle;

/* What gzipped input may unpack to unless the caller says otherwise: 4 GiB.  The server says less. */
#define FG_DEFAULT_MAX_BYTES	(UINT64_C(4) << 30)

/*
 * A sample with its times, in ticks since the recording's own zero; FgRecording says
 * how many make a second.  Texts live during the call only.
 */
typedef struct FgTimed
{
	uint32_t	number;			/* of its event: profiles[number] when the recording is finished */
	uint64_t	order;			/* of its place in the file, from 0 */
	bool		has_thread;
	const char *thread;			/* NULL: the file does not name it */
	size_t		thread_length;
	bool		until_next;		/* it lasts until the next of its thread and event */
	double		start;
	double		stop;			/* with until_next: when that one starts, NaN: there is none */
	double		period;			/* with until_next: how long it lasts alone, 0: FgRecorded.gap */
	const char *path;			/* frames joined by NUL, root first */
	size_t		path_length;
	double		value;			/* what it adds to its stack in the profile */
} FgTimed;

/* Who wants the samples of a recording one by one, in an order that has no meaning. */
typedef struct FgTaker
{
	bool		(*take) (void *arg, const FgTimed *timed);
	void	   *arg;

	/*
	 * Seconds that a sample lasts alone, where the file leaves that to the next sample
	 * or does not say it; 0: what the file says, or what is typical in it.
	 */
	double		interval;
} FgTaker;

/*
 * When a sample stops: when the next one starts, but it lasts at most two periods; the
 * last one lasts one.  "gap": FgRecorded.gap of its event, for those without a period.
 */
extern double fg_timed_stop(const FgTimed *timed, double gap);

typedef struct FgReadOptions
{
	FgFormat	format;

	/*
	 * Which of the recording's events: its name in the file (austin's metric, perf's
	 * event, pprof's sample type, JFR's event).  NULL: what the format has as its
	 * default.  "every": a profile for each event that the recording has.
	 */
	const char *selection;
	bool		every;
	bool		threads;		/* the thread is the first frame */
	bool		modes;			/* JFR: compile modes as suffixes of frames */
	bool		inlined;		/* printed stacks: "A->B" is a function and one inlined in it */
	FgFrameStyle frame_style;
	int			profile;		/* speedscope's index, -1: all of them, added up */
	uint32_t	max_depth;		/* the profiler's limit: stacks of so many frames are truncated; 0: none */
	uint64_t	max_bytes;		/* limit of what gzip unpacks to, FG_ERROR_LIMIT beyond */
	bool		discreet;		/* errors do not show bytes of what is no recording */

	/* Gets the samples, and the recording has no trees; NULL: profiles are made. */
	const FgTaker *taker;
} FgReadOptions;

#define FG_DEFAULT_READ_OPTIONS \
	((FgReadOptions) {.profile = -1, .max_bytes = FG_DEFAULT_MAX_BYTES})

/* One event of a recording.  The texts are owned by it. */
typedef struct FgRecorded
{
	char	   *event;			/* cpu, wall, alloc, lock, io, exception, or the name itself */
	char	   *name;			/* what the file calls it, such as jdk.ObjectAllocationSample; may be "" */
	char	   *unit;			/* samples, nanoseconds, bytes, ... */
	double		period;			/* value of one sample, in unit; 0: unknown */
	FgTree		complete;
	FgTree		truncated;		/* stacks that the profiler cut off at the root */

	/*
	 * When samples weigh differently, of the complete stacks: how many samples each
	 * has, and the sum of the squares of their weights, which is the variance of its
	 * value if samples come independently (a compound Poisson variable).  Else (not
	 * "weighed") the trees are empty; with a period p of a value v there are then
	 * v / p samples, and the sum of squares is p * v.
	 */
	bool		weighed;
	FgTree		samples;
	FgTree		noise;

	double		gap;			/* for a taker: typical ticks between samples of a thread, 0: none */
} FgRecorded;

/* A profile whose total is no finite number is none that a server would take. */
extern bool fg_recorded_check_total(FgContext *ctx, const FgTree *tree);

/* What was left out or replaced, which is no error but should be known. */
typedef struct FgNoted
{
	uint64_t	samples;		/* stacks that were added */
	uint64_t	comments;		/* lines or records that carry no sample */
	uint64_t	unknown_frames; /* empty frames that became [unknown] */
	uint64_t	control_characters; /* that became a space */
	uint64_t	other_events;	/* samples of events that were not asked for */
	uint64_t	without_stack;	/* samples without a stack, added to the root */
	uint64_t	labels;			/* of samples, which are left out (pprof) */
} FgNoted;

/* Longest detail, the final NUL included. */
#define FG_NOTED_DETAIL 200

/* What "the recording was cleaned" means, in sentences with their numbers; "": nothing was replaced or left out. */
extern void fg_noted_detail(const FgNoted *noted, char detail[FG_NOTED_DETAIL]);

typedef struct FgRecording
{
	FgFormat	format;			/* what it turned out to be */
	bool		gzip;
	size_t		count;
	FgRecorded *profiles;		/* in order of their first appearance */
	double		ticks_per_second;	/* of the times that a taker got */
	FgNoted		noted;
	FgWarnings	warnings;		/* what is probably wrong with it, and values that were changed */
} FgRecording;

#endif							/* FG_RECORDED_H */
