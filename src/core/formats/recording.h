/*
 * recording.h
 *	  Reads the recordings of other profilers: bytes in, profiles out.
 *
 * A reader is pushed: bytes come in blocks of any size, and how they are cut never
 * changes the result.  Beside the profiles it builds, a reader needs constant
 * memory (pprof is the exception: its strings may follow the samples, so it is
 * buffered).  Server and client share this code.
 *
 *	bytes -> [gunzip] -> [recognition by the first bytes] -> format -> sink -> trees
 *
 * gzip is recognised by its first two bytes, whatever the format is said to be.
 * Input that does not follow its format is an error with its place: line and
 * column of text (of the unpacked text), the byte's position in the reason where
 * the format has no lines.  Nothing is skipped in silence: what a format leaves
 * out or replaces is counted in FgNoted.
 *
 * Formats are written against sink.h.
 */
#ifndef FG_RECORDING_H
#define FG_RECORDING_H

#include "core/profile/tree.h"

typedef enum FgFormat
{
	FG_FORMAT_AUTO,				/* by content */
	FG_FORMAT_FOLDED,
	FG_FORMAT_PACKED,
	FG_FORMAT_AUSTIN,
	FG_FORMAT_PERF,
	FG_FORMAT_PPROF,
	FG_FORMAT_SPEEDSCOPE,
	FG_FORMAT_CPUPROFILE,
	FG_FORMAT_JFR
} FgFormat;

#define FG_FORMAT_COUNT 9

/* How a format that knows them writes functions, lines and addresses as frames. */
typedef enum FgFrameStyle
{
	FG_FRAME_FUNCTION,			/* function */
	FG_FRAME_LINE,				/* function:line */
	FG_FRAME_ADDRESS			/* address */
} FgFrameStyle;

/* What gzipped input may unpack to unless the caller says otherwise: 4 GiB.  The server says less. */
#define FG_DEFAULT_MAX_BYTES	(UINT64_C(4) << 30)

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
	FgFrameStyle frame_style;
	int			profile;		/* speedscope's index, -1: all of them, added up */
	uint32_t	max_depth;		/* the profiler's limit: stacks of so many frames are truncated; 0: none */
	uint64_t	max_bytes;		/* limit of what gzip unpacks to, FG_ERROR_LIMIT beyond */
	bool		discreet;		/* errors do not show bytes of what is no recording */
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
} FgRecorded;

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

typedef struct FgRecording
{
	FgFormat	format;			/* what it turned out to be */
	bool		gzip;
	size_t		count;
	FgRecorded *profiles;		/* in order of their first appearance */
	FgNoted		noted;
} FgRecording;

typedef struct FgRecordingReader FgRecordingReader;

/* The options, and the text they point to, must live as long as the reader. */
extern FgRecordingReader *fg_recording_open(FgContext *ctx, const FgReadOptions *options);
extern bool fg_recording_feed(FgRecordingReader *reader, const void *bytes, size_t size);

/*
 * Ends the input.  Without "every" there is exactly one profile, or an error that
 * names what the recording has instead; a recording without any sample is an empty
 * profile.  The reader can then only be freed.
 */
extern bool fg_recording_finish(FgRecordingReader *reader, FgRecording *recording);
extern void fg_recording_close(FgRecordingReader *reader);

/* The format that was named or recognised; FG_FORMAT_AUTO as long as there is none. */
extern FgFormat fg_recording_format(const FgRecordingReader *reader);

extern void fg_recording_free(FgContext *ctx, FgRecording *recording);

/* All at once. */
extern bool fg_recording_read(FgContext *ctx, const void *bytes, size_t size,
							  const FgReadOptions *options, FgRecording *recording);

/* The word for a format ("auto", "folded", ...), in the order of FgFormat; and back. */
extern const char *const fg_format_names[FG_FORMAT_COUNT];

#endif							/* FG_RECORDING_H */
