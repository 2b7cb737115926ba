/*
 * austin.c
 *	  The collapsed stacks of austin, a sampling profiler for Python (the text that
 *	  Austin 1 to 3 write and that mojo2austin makes of later files).
 *
 * Lines "# KEY: VALUE" are comments; "mode" (wall, cpu, memory, full) and
 * "interval" (microseconds) are used.  Every other line is
 *
 *		P<pid>;T<thread>[;<frame>]* <metrics>
 *		[Process <pid>;]Thread <thread>[;<frame>]* <metrics>		(Austin 1)
 *
 * Frames stay as they are: module:function:line, before Austin 3
 * "function (module:line)"; where the line is a frame of its own, L<line>, it is
 * put back behind a colon.  <metrics> is
 *
 *		one number			microseconds; in mode memory bytes
 *		T,I,M				mode full: microseconds, 1 when idle, bytes
 *		T A F				full before Austin 3: microseconds, kilobytes of memory
 *							acquired, kilobytes released (a number below 0)
 *
 * Before Austin 3 a file does not tell its mode: the one number is kilobytes when
 * "memory" is asked for.
 *
 * Profiles by name: "time" (the default), "memory" (net change); in mode full also
 * "cpu" (the time of samples that were not idle) and "idle" (of those that were).
 * "every" leaves out idle, which is time less cpu.
 *
 * The binary files of Austin 3.4 and later (mojo.h) have the same samples.
 */
#include "core/reading/numbered.h"
#include "core/reading/text_lines.h"

#include "core/base/number.h"
#include "core/formats/mojo.h"

static const char sample_hint[] =
	"A sample is P<pid>;T<thread>;<frame>;... <metrics>, the metrics one number or three.";

static const char version_key[] = "# austin: ";

typedef enum AustinMode
{
	MODE_UNKNOWN,
	MODE_WALL,
	MODE_CPU,
	MODE_MEMORY,
	MODE_FULL
} AustinMode;

typedef struct Metrics
{
	double		value[3];
	unsigned	count;
	bool		commas;			/* Austin 3 */
} Metrics;

/* Profiles that one sample goes to. */
#define MAX_PLACES 4

typedef struct Austin
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgTextLines lines;
	FgMojo	   *mojo;			/* of a binary file */
	bool		begun;			/* it is known whether it is one */
	AustinMode	mode;
	bool		versioned;		/* a comment says so; only Austin 3 and later have them */
	unsigned	columns;		/* of the first sample, 0 before it */
	double		interval;		/* microseconds, 0: unknown */
	FgBuffer	frame;			/* with its line put back */

	/* the sample of a binary file that is being added */
	const FgMojoSample *sample;	/* NULL: its stack was collected */
	FgNumbered	numbered;		/* stacks by the numbers of their frames */
	FgStackPlace places[MAX_PLACES];	/* of the stack, by profile; the next sample may have it again */
	bool		placed[MAX_PLACES];
} Austin;

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
starts_with(const char *text, size_t length, const char *start)
{
	size_t		size = strlen(start);

	return length >= size && memcmp(text, start, size) == 0;
}

/* Digits behind one of two words; 0 when the text does not start so. */
static size_t
id_length(const char *text, size_t length, const char *word, const char *short_word, bool hex)
{
	size_t		at = starts_with(text, length, word) ? strlen(word)
		: starts_with(text, length, short_word) ? strlen(short_word) : 0;
	size_t		start = at;

	while (at > 0 && at < length &&
		   (is_digit(text[at]) || (hex && strchr("abcdefx:", text[at]) != NULL)))
		at++;
	return at > start ? at : 0;
}

/* The process and the thread that a sample starts with; what is behind them is its name. */
static bool
is_sample_start(const char *line, size_t length)
{
	size_t		process = id_length(line, length, "Process ", "P", false);

	if (process > 0 && process < length && line[process] == ';')
	{
		line += process + 1;
		length -= process + 1;
	}
	return id_length(line, length, "Thread ", "T", true) > 0;
}

/* "function (module);L12" or "function (module:12)": the frames of Austin 1 and 2. */
static bool
has_old_frames(const char *line, size_t length)
{
	for (size_t i = 0; i + 3 < length; i++)
	{
		if (memcmp(line + i, ");L", 3) == 0 && is_digit(line[i + 3]))
			return true;
		if (line[i] == ':' && is_digit(line[i + 1]) && memchr(line + i, ')', length - i) != NULL)
			return true;
	}
	return false;
}

/*
 * Its own comment, or samples that begin with a process, or with a thread when
 * their frames are austin's, too.
 */
static bool
recognise(const char *head, size_t size, bool whole)
{
	FgHeadLine	walk = fg_head_lines(head, size, whole);
	FgHeadLine	content = walk;
	size_t		magic = sizeof(FG_MOJO_MAGIC) - 1;

	/* a text with such a begin has a letter next, and not a version */
	if (starts_with(head, size, FG_MOJO_MAGIC) && size > magic && head[magic] > 0 && head[magic] < 0x20)
		return true;
	if (!fg_head_is_text(head, size))
		return false;
	while (fg_head_next(&walk) && (walk.length == 0 || walk.line[0] == '#'))
	{
		if (starts_with(walk.line, walk.length, version_key))
			return true;
	}
	while (fg_head_next_content(&content) && is_sample_start(content.line, content.length))
	{
		if (content.line[0] == 'P' || has_old_frames(content.line, content.length))
			return true;
	}
	return false;
}

/* --- comments ------------------------------------------------------------- */

static void
read_comment(Austin *a, const char *line, size_t length)
{
	static const struct
	{
		const char *word;
		AustinMode	mode;
	}			modes[] = {
		{"wall", MODE_WALL}, {"cpu", MODE_CPU}, {"memory", MODE_MEMORY}, {"full", MODE_FULL}
	};
	static const char mode_key[] = "# mode: ";
	static const char interval_key[] = "# interval: ";
	size_t		at;

	fg_sink_noted(a->sink)->comments++;
	a->versioned |= starts_with(line, length, version_key);
	if (starts_with(line, length, mode_key))
	{
		at = sizeof(mode_key) - 1;
		for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		{
			if (length - at == strlen(modes[i].word) && starts_with(line + at, length - at, modes[i].word))
				a->mode = modes[i].mode;
		}
	}
	if (starts_with(line, length, interval_key))
	{
		at = sizeof(interval_key) - 1;
		if (fg_number_parse(a->ctx, line + at, length - at, &a->interval) != FG_NUMBER_OK ||
			a->interval < 0)
			a->interval = 0;
	}
}

/* --- metrics ------------------------------------------------------------------ */

static bool
bad_line(Austin *a, uint64_t number, uint64_t column, const char *what)
{
	return fg_fail_at(a->ctx, FG_ERROR_SYNTAX, number, column, sample_hint, "%s", what);
}

static bool
is_integer(const char *text, size_t length)
{
	size_t		at = length > 1 && (text[0] == '-' || text[0] == '+');

	for (size_t i = at; i < length; i++)
	{
		if (!is_digit(text[i]))
			return false;
	}
	return length > at;
}

static bool
read_number(Austin *a, const char *line, size_t from, size_t to, uint64_t number, double *value)
{
	if (!is_integer(line + from, to - from))
		return bad_line(a, number, from + 1, "a metric is missing or not a whole number");
	switch (fg_number_parse(a->ctx, line + from, to - from, value))
	{
		case FG_NUMBER_OK:
			return true;
		case FG_NUMBER_MEMORY:
			return false;
		default:
			return fg_fail_at(a->ctx, FG_ERROR_RANGE, number, from + 1, NULL,
							  "a metric is too large");
	}
}

/* Where the word that ends at "end" starts; 0 when no blank is before it. */
static size_t
word_start(const char *line, size_t end)
{
	while (end > 0 && line[end - 1] != ' ')
		end--;
	return end;
}

/* The old full form: is the word before this one a number, too? */
static bool
number_before(const char *line, size_t start, size_t *before)
{
	if (start < 2)
		return false;
	*before = word_start(line, start - 1);
	return *before > 0 && is_integer(line + *before, start - 1 - *before);
}

/* Takes the metrics from the end of a line; *length becomes that of the stack. */
static bool
read_metrics(Austin *a, const char *line, size_t *length, uint64_t number, Metrics *metrics)
{
	size_t		last = word_start(line, *length);
	size_t		second;
	size_t		first;
	size_t		from = last;

	if (last == 0)
		return bad_line(a, number, *length + 1, "the metrics are missing");
	*metrics = (Metrics) {.count = 0};
	if (!a->versioned && memchr(line + last, ',', *length - last) == NULL &&
		number_before(line, last, &second) && number_before(line, second, &first))
	{
		metrics->count = 3;
		if (!read_number(a, line, first, second - 1, number, &metrics->value[0]) ||
			!read_number(a, line, second, last - 1, number, &metrics->value[1]) ||
			!read_number(a, line, last, *length, number, &metrics->value[2]))
			return false;
		*length = first - 1;
		return true;
	}
	for (size_t at = last; at <= *length; at++)
	{
		if (at < *length && line[at] != ',')
			continue;
		if (metrics->count == 3)
			return bad_line(a, number, from + 1, "there are more than three metrics");
		if (!read_number(a, line, from, at, number, &metrics->value[metrics->count++]))
			return false;
		from = at + 1;
	}
	if (metrics->count == 2)
		return bad_line(a, number, last + 1, "there are two metrics");
	metrics->commas = metrics->count == 3;
	*length = last - 1;
	return true;
}

/* --- stacks ----------------------------------------------------------------- */

static bool
is_line_frame(const char *frame, size_t length)
{
	return length > 1 && frame[0] == 'L' && is_integer(frame + 1, length - 1);
}

/* A frame, with the line number that follows it in the alternative form. */
static bool
add_frame(Austin *a, const char *frame, size_t length, const char *line, size_t line_length)
{
	if (line == NULL)
		return fg_sink_frame(a->sink, frame, length);
	a->frame.size = 0;
	return fg_buffer_append(&a->frame, frame, length) && fg_buffer_append(&a->frame, ":", 1) &&
		fg_buffer_append(&a->frame, line + 1, line_length - 1) &&
		fg_sink_frame(a->sink, (char *) a->frame.data, a->frame.size);
}

static bool
collect_frames(Austin *a, const char *stack, const char *end)
{
	while (stack < end)
	{
		const char *stop = memchr(stack, ';', (size_t) (end - stack));
		size_t		length = (size_t) ((stop != NULL ? stop : end) - stack);
		const char *next = stop != NULL ? stop + 1 : end;
		const char *next_stop = next < end ? memchr(next, ';', (size_t) (end - next)) : NULL;
		size_t		next_length = (size_t) ((next_stop != NULL ? next_stop : end) - next);
		bool		has_line = next < end && is_line_frame(next, next_length);

		if (!add_frame(a, stack, length, has_line ? next : NULL, next_length))
			return false;
		stack = next;
		if (has_line)
			stack = next_stop != NULL ? next_stop + 1 : end;
	}
	return true;
}

/* "P1:T2", from the start of the line. */
static bool
copy_thread(Austin *a, const char *line, size_t size)
{
	char	   *separator;

	a->frame.size = 0;
	if (!fg_buffer_append(&a->frame, line, size))
		return false;
	separator = memchr(a->frame.data, ';', size);
	if (separator != NULL)
		*separator = ':';
	return true;
}

/* The thread as a frame, the name of its samples, or neither. */
static bool
take_thread(Austin *a, const char *line, size_t size)
{
	bool		frame = fg_sink_options(a->sink)->threads;
	bool		timed = fg_sink_is_timed(a->sink);

	if (!frame && !timed)
		return true;
	return copy_thread(a, line, size) &&
		(!frame || fg_sink_thread(a->sink, (char *) a->frame.data, size)) &&
		(!timed || fg_sink_lane(a->sink, (char *) a->frame.data, size));
}

/* The thread, then the frames. */
static bool
collect_stack(Austin *a, const char *line, size_t length)
{
	const char *end = line + length;
	const char *stop = memchr(line, ';', length);

	fg_sink_clear(a->sink);
	if (line[0] == 'P')
		stop = memchr(stop + 1, ';', (size_t) (end - stop - 1));
	if (!take_thread(a, line, (size_t) ((stop != NULL ? stop : end) - line)))
		return false;
	return stop == NULL || collect_frames(a, stop + 1, end);
}

/* Collects the stack of a sample of a binary file, unless that was done. */
static bool
collect_now(Austin *a)
{
	const FgMojoSample *s = a->sample;

	if (s == NULL)
		return true;
	a->sample = NULL;
	fg_sink_clear(a->sink);
	if (!take_thread(a, s->thread, s->thread_length))
		return false;
	for (size_t i = 0; i < s->frame_count; i++)
	{
		FgMojoFrame frame = fg_mojo_frame(a->mojo, s->frames[i]);

		if (!fg_sink_frame(a->sink, frame.text, frame.length))
			return false;
	}
	return true;
}

/* Where the stack of a sample of a binary file is in a profile. */
static bool
find_place(Austin *a, uint32_t number)
{
	const FgMojoSample *s = a->sample;
	FgNumberedStack stack = {.numbers = s->frames, .count = s->frame_count, .order = FG_ROOT_FIRST};

	if (a->placed[number])
		return true;
	if (fg_sink_options(a->sink)->threads)
	{
		if (!copy_thread(a, s->thread, s->thread_length))
			return false;
		stack.thread = (char *) a->frame.data;
		stack.thread_length = a->frame.size;
	}
	if (!fg_numbered_place(&a->numbered, number, &stack, &a->places[number]))
		return false;
	return a->placed[number] = true;
}

static bool
name_frame(void *arg, uint32_t number, const char **name, size_t *length)
{
	FgMojoFrame frame = fg_mojo_frame(((Austin *) arg)->mojo, number);

	*name = frame.text;
	*length = frame.length;
	return true;
}

/* One sample of the stack. */
static bool
add_sample_of(Austin *a, uint32_t number, double value)
{
	const FgStackPlace *place;

	if (a->sample == NULL || number >= MAX_PLACES || fg_sink_is_timed(a->sink))
		return collect_now(a) && fg_sink_sample(a->sink, number, FG_ROOT_FIRST, false, value);
	if (!find_place(a, number))
		return false;
	/* what is to be noted of a stack is noted once, and not for each profile */
	place = &a->places[number];
	if (place->unknown_frames > 0 || place->control_characters > 0)
		return collect_now(a) && fg_sink_sample(a->sink, number, FG_ROOT_FIRST, false, value);
	return fg_sink_sample_at(a->sink, place, value);
}

/* What a line is to an event. */
typedef enum Share
{
	SAMPLE,
	NONE,						/* no sample of it; the value is 0 */
	CHANGE						/* its value is no amount that samples could add up to */
} Share;

static bool
add(Austin *a, const char *event, const char *name, const char *unit, double period, double value,
	Share share)
{
	FgKind		kind = {.event = event, .name = name, .unit = unit, .period = period};
	uint32_t	number;

	if (!fg_sink_profile(a->sink, &kind, &number))
		return false;
	if (number == FG_UNWANTED)
		return true;
	if (share == SAMPLE)
		return add_sample_of(a, number, value);
	if (!collect_now(a))
		return false;
	if (share == CHANGE)
		return fg_sink_add(a->sink, number, FG_ROOT_FIRST, false, value);
	/* which adds a stack without samples to a profile, and no sample to a list of them */
	return fg_sink_is_timed(a->sink) || fg_sink_sum(a->sink, number, FG_ROOT_FIRST, false, &(FgSum) {.value = value});
}

static bool
add_memory(Austin *a, const char *unit, double change)
{
	Share		share = change > 0 ? SAMPLE : change == 0 ? NONE : CHANGE;

	return add(a, "memory", "memory", unit, 0, change, share);
}

/* Is the one number of each line memory? */
static bool
is_memory(const Austin *a)
{
	const char *selection = fg_sink_options(a->sink)->selection;

	return a->mode == MODE_MEMORY ||
		(a->mode == MODE_UNKNOWN && selection != NULL && strcmp(selection, "memory") == 0);
}

/* A sample lasts for the time that it measures; one of memory alone for the interval. */
static bool
set_time(Austin *a, const Metrics *m)
{
	double		time = m->value[0];
	double		start;

	if (m->count == 1 && is_memory(a))
	{
		time = fg_sink_interval(a->sink);
		if (!(time > 0))
			time = a->interval;
		if (!(time > 0))
			return fg_fail_at(a->ctx, FG_ERROR_ARGUMENT, 0, 0,
							  "The option \"interval\" says it, in seconds.",
							  "a recording of memory does not say how long its samples last");
	}
	/* the clock of the machine was set back: real files have such samples */
	if (time < 0)
		time = 0;
	if (!fg_sink_advance(a->sink, time, &start))
		return false;
	fg_sink_time(a->sink, start, start + time);
	return true;
}

static bool
add_metrics(Austin *a, const Metrics *m)
{
	static const char us[] = "microseconds";
	const char *selection = fg_sink_options(a->sink)->selection;
	double		time = m->value[0];
	bool		idle = m->commas && m->value[1] != 0;

	if (m->count == 1)
	{
		if (a->mode == MODE_MEMORY)
			return add_memory(a, "bytes", m->value[0]);
		if (is_memory(a))
			return add_memory(a, "kilobytes", m->value[0]);
		return add(a, a->mode == MODE_CPU ? "cpu" : "wall", "time", us, a->interval, time, SAMPLE);
	}
	if (!add(a, "wall", "time", us, a->interval, time, SAMPLE))
		return false;
	if (m->commas && !add(a, "cpu", "cpu", us, a->interval, idle ? 0 : time, idle ? NONE : SAMPLE))
		return false;
	if (m->commas && selection != NULL && strcmp(selection, "idle") == 0 &&
		!add(a, "idle", "idle", us, a->interval, idle ? time : 0, idle ? SAMPLE : NONE))
		return false;
	return m->commas ? add_memory(a, "bytes", m->value[2])
		: add_memory(a, "kilobytes", m->value[1] + m->value[2]);
}

/* One sample, whatever number of profiles it goes to; its stack was collected. */
static bool
add_sample(Austin *a, const Metrics *metrics)
{
	FgNoted    *noted = fg_sink_noted(a->sink);
	uint64_t	samples = noted->samples;
	uint64_t	without_stack = noted->without_stack;

	if ((fg_sink_is_timed(a->sink) && !set_time(a, metrics)) || !add_metrics(a, metrics))
		return false;
	if (noted->samples > samples + 1)
		noted->samples = samples + 1;
	if (noted->without_stack > without_stack + 1)
		noted->without_stack = without_stack + 1;
	return true;
}

/* The first sample says how many metrics all have. */
static bool
begin_metrics(Austin *a, const Metrics *metrics)
{
	if (a->columns == 0 && metrics->count == 3 && !fg_sink_default(a->sink, "time"))
		return false;
	a->columns = metrics->count;
	return true;
}

static bool
take_sample(Austin *a, const char *line, size_t length, uint64_t number)
{
	Metrics		metrics;

	if (!is_sample_start(line, length))
		return bad_line(a, number, 1, "this is neither a comment nor a sample");
	if (!read_metrics(a, line, &length, number, &metrics))
		return false;
	if (a->columns != 0 && a->columns != metrics.count)
		return bad_line(a, number, length + 2, "the number of metrics changes");
	if (!begin_metrics(a, &metrics))
		return false;
	if (collect_stack(a, line, length) && add_sample(a, &metrics))
		return true;
	a->ctx->error.line = number;
	return false;
}

/* --- binary files ----------------------------------------------------------------- */

static bool
take_mojo_comment(void *arg, const char *line, size_t length)
{
	read_comment(arg, line, length);
	return true;
}

static bool
take_mojo_sample(void *arg, const FgMojoSample *s)
{
	Austin	   *a = arg;
	bool		full = s->has_time && s->has_memory;
	Metrics		metrics = {.value = {s->has_time ? s->time : s->memory}, .count = 1};

	if (full)
		metrics = (Metrics) {{s->time, s->idle, s->memory}, 3, true};
	else if (s->has_memory)
		a->mode = MODE_MEMORY;
	if (a->columns != 0 && a->columns != metrics.count)
		return fg_fail(a->ctx, FG_ERROR_SYNTAX, "the number of metrics changes");
	a->sample = s;
	if (!s->repeated)
		memset(a->placed, 0, sizeof(a->placed));
	return begin_metrics(a, &metrics) && (!fg_sink_is_timed(a->sink) || collect_now(a)) &&
		add_sample(a, &metrics);
}

static bool
take_line(void *arg, const char *line, size_t length, uint64_t number)
{
	Austin	   *a = arg;

	if (length == 0)
		return true;
	if (line[0] != '#')
		return take_sample(a, line, length, number);
	read_comment(a, line, length);
	return true;
}

/* --- the format ---------------------------------------------------------------- */

static void *
begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Austin	   *a = fg_alloc_zero(ctx, 1, sizeof(Austin));

	if (a == NULL)
		return NULL;
	a->ctx = a->frame.ctx = ctx;
	a->sink = sink;
	fg_sink_may_be_summed(sink);
	fg_sink_ticks(sink, 1e6);
	fg_text_lines_begin(&a->lines, ctx, take_line, a);
	fg_numbered_begin(&a->numbered, sink, name_frame, a);
	return a;
}

static bool
feed(void *state, const char *bytes, size_t size)
{
	Austin	   *a = state;

	if (!a->begun && size > 0 && bytes[0] == FG_MOJO_MAGIC[0])
	{
		a->mojo = fg_mojo_open(a->ctx, take_mojo_sample, take_mojo_comment, a);
		if (a->mojo == NULL)
			return false;
	}
	a->begun |= size > 0;
	return a->mojo != NULL ? fg_mojo_feed(a->mojo, bytes, size)
		: fg_text_lines_feed(&a->lines, bytes, size);
}

static bool
finish(void *state)
{
	Austin	   *a = state;

	return a->mojo != NULL ? fg_mojo_finish(a->mojo) : fg_text_lines_finish(&a->lines);
}

static void
end(void *state)
{
	Austin	   *a = state;

	fg_text_lines_free(&a->lines);
	fg_mojo_close(a->mojo);
	fg_numbered_free(&a->numbered);
	fg_release(a->ctx, a->frame.data);
	fg_release(a->ctx, a);
}

const FgFormatReader fg_austin_reader = {
	.format = FG_FORMAT_AUSTIN,
	.recognise = recognise,
	.begin = begin,
	.feed = feed,
	.finish = finish,
	.free = end
};
