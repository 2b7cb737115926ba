/*
 * mojo.c
 *	  The binary files of Austin (see mojo.h).
 *
 * "MOJ", the version, then events: a byte that says which, and its numbers and texts.  The
 * first byte of a number has six bits of it, a sign and whether another byte follows; each
 * further one seven bits.  A text ends with NUL.  What has come in of an event that is not
 * whole is kept; it is short.
 */
#include "core/formats/mojo.h"

#include "core/base/bytes.h"
#include "core/base/number.h"
#include "core/profile/names.h"
#include "core/reading/timeline.h"

#include <inttypes.h>
#include <stdio.h>

/* A frame has at most 1 MiB; an event is a frame's name, or less. */
#define MAX_EVENT (UINT32_C(1) << 21)

/* Numbers of threads' last stacks that are kept, over all threads. */
#define MAX_KEPT (UINT32_C(1) << 26)

#define MAX_VERSION 4
#define UNKNOWN_KEY 1
#define NO_PROCESS -1

enum
{
	METADATA = 1, STACK, FRAME, FRAME_INVALID, FRAME_REF, FRAME_KERNEL, GC, IDLE, METRIC_TIME,
	METRIC_MEMORY, STRING, STRING_REF, STACK_REPEAT
};

/* Under which number of a table is what a key of a process stands for? */
typedef struct Table
{
	FgNames		keys;			/* process and key, eight bytes each */
	uint32_t   *texts;			/* by number of the key: of "texts" */
	size_t		capacity;
} Table;

/* What look_up has found for a key below MAX_RECENT, of the process whose turn it is. */
typedef struct Recent
{
	uint32_t	turn;
	uint32_t	text;
} Recent;

#define MAX_RECENT 65536

/* The last stack of a thread. */
typedef struct Last
{
	uint32_t   *frames;
	uint32_t	count;
	size_t		capacity;
} Last;

struct FgMojo
{
	FgContext  *ctx;
	FgMojoTakeSample take_sample;
	FgMojoTakeComment take_comment;
	void	   *arg;
	FgBuffer	pending;		/* bytes of an event that is not whole */
	uint64_t	offset;			/* of the event */
	bool		has_version;
	int64_t		version;
	int64_t		process;
	int64_t		interpreter;
	FgNames		texts;
	Table		strings;
	Table		frames;
	FgNames		threads;
	Last	   *lasts;			/* by thread */
	size_t		last_count;
	size_t		last_capacity;
	size_t		kept;
	bool		in_sample;
	uint32_t	thread;
	size_t		thread_prefix;	/* bytes of its name in front of what the file calls it */
	Recent	   *recent;			/* frames by key */
	uint32_t	turn;
	FgMojoSample sample;
	Last		stack;			/* of the sample that is being read */
	Last		before;			/* of the sample before, and ... */
	uint32_t	thread_before;	/* ... its thread; FG_NONE: there is none */
	FgBuffer	text;
};

/* --- bytes ------------------------------------------------------------------------------ */

/* An event that is taken apart; "whole" turns false where bytes are missing. */
typedef struct Walk
{
	const uint8_t *bytes;
	size_t		size;
	size_t		at;
	bool		whole;
	bool		valid;
} Walk;

static int64_t
take_integer(Walk *walk)
{
	uint64_t	number = 0;
	unsigned	shift = 0;
	bool		negative = false;

	while (walk->valid && walk->whole)
	{
		uint8_t		byte;
		uint64_t	bits;

		if (walk->at == walk->size)
		{
			walk->whole = false;
			return 0;
		}
		byte = walk->bytes[walk->at++];
		bits = shift == 0 ? byte & 0x3F : byte & 0x7F;
		if (shift == 0)
			negative = (byte & 0x40) != 0;
		if (shift > 62 || (bits << shift >> shift) != bits || bits << shift > INT64_MAX)
			walk->valid = false;
		else
			number |= bits << shift;
		shift += shift == 0 ? 6 : 7;
		if ((byte & 0x80) == 0)
			break;
	}
	return negative ? -(int64_t) number : (int64_t) number;
}

static FgMojoFrame
take_text(Walk *walk)
{
	const char *text = (const char *) walk->bytes + walk->at;
	const char *end = walk->whole && walk->at < walk->size ? memchr(text, '\0', walk->size - walk->at) : NULL;

	if (end == NULL)
	{
		walk->whole = false;
		return (FgMojoFrame) {"", 0};
	}
	walk->at += (size_t) (end - text) + 1;
	return (FgMojoFrame) {text, (size_t) (end - text)};
}

static bool
fail(FgMojo *m, const char *reason)
{
	return fg_fail(m->ctx, FG_ERROR_SYNTAX, "%s, in the event at byte %" PRIu64, reason, m->offset);
}

/* --- tables ------------------------------------------------------------------------------- */

static bool
find_key_of(FgMojo *m, Table *table, int64_t process, int64_t key, uint32_t **text)
{
	int64_t		whole[2] = {process, key};
	size_t		known = table->keys.count;
	uint32_t	number;

	if (!fg_names_add(&table->keys, (char *) whole, sizeof(whole), &number) ||
		!fg_reserve(m->ctx, (void **) &table->texts, &table->capacity, (size_t) number + 1,
					sizeof(uint32_t)))
		return false;
	if (number == known)
		table->texts[number] = FG_NONE;
	*text = &table->texts[number];
	return true;
}

static bool
find_key(FgMojo *m, Table *table, int64_t key, uint32_t **text)
{
	return find_key_of(m, table, m->process, key, text);
}

/* What was defined before the first stack belongs to no process. */
static bool
look_up(FgMojo *m, Table *table, int64_t key, uint32_t *text)
{
	uint32_t   *found;

	if (!find_key(m, table, key, &found) ||
		(*found == FG_NONE && !find_key_of(m, table, NO_PROCESS, key, &found)))
		return false;
	*text = *found;
	return true;
}

/* The text of a frame; most samples refer to the same ones again and again. */
static bool
look_up_frame(FgMojo *m, int64_t key, uint32_t *text)
{
	Recent	   *recent = key >= 0 && key < MAX_RECENT ? &m->recent[key] : NULL;

	if (recent != NULL && recent->turn == m->turn)
	{
		*text = recent->text;
		return true;
	}
	if (!look_up(m, &m->frames, key, text))
		return false;
	if (recent != NULL && *text != FG_NONE)
		*recent = (Recent) {m->turn, *text};
	return true;
}

/* Of another process: keys mean other things. */
static bool
next_turn(FgMojo *m)
{
	if (++m->turn != 0)
		return true;
	m->turn = 1;
	fg_release(m->ctx, m->recent);
	m->recent = fg_alloc_zero(m->ctx, MAX_RECENT, sizeof(Recent));
	return m->recent != NULL;
}

static bool
add_text(FgMojo *m, FgMojoFrame text, uint32_t *number)
{
	return fg_names_add(&m->texts, text.text, text.length, number);
}

FgMojoFrame
fg_mojo_frame(const FgMojo *m, uint32_t number)
{
	return (FgMojoFrame) {m->texts.bytes + m->texts.offset[number], m->texts.length[number]};
}

static bool
append_string(FgMojo *m, int64_t key)
{
	uint32_t	text;
	FgMojoFrame found = {"<unknown>", 9};

	if (!look_up(m, &m->strings, key, &text))
		return false;
	if (text != FG_NONE)
		found = fg_mojo_frame(m, text);
	else if (key == 0)
		found.length = 0;
	else if (key != UNKNOWN_KEY)
		return fail(m, "a name is not defined");
	return fg_buffer_append(&m->text, found.text, found.length);
}

/* --- samples ---------------------------------------------------------------------------------- */

static bool
push(FgMojo *m, uint32_t frame)
{
	if (!m->in_sample)
		return fail(m, "a frame belongs to no stack");
	if (m->stack.count >= FG_MAX_DEPTH)
		return fg_fail(m->ctx, FG_ERROR_LIMIT, "a stack is deeper than %d", FG_MAX_DEPTH);
	if (!fg_reserve(m->ctx, (void **) &m->stack.frames, &m->stack.capacity,
					(size_t) m->stack.count + 1, sizeof(uint32_t)))
		return false;
	m->stack.frames[m->stack.count++] = frame;
	return true;
}

static bool
push_text(FgMojo *m, const char *before, FgMojoFrame text, const char *behind)
{
	uint32_t	number;

	m->text.size = 0;
	return fg_buffer_append(&m->text, before, strlen(before)) &&
		fg_buffer_append(&m->text, text.text, text.length) &&
		fg_buffer_append(&m->text, behind, strlen(behind)) &&
		add_text(m, (FgMojoFrame) {(char *) m->text.data, m->text.size}, &number) &&
		push(m, number);
}

/* For a sample that repeats it. */
static bool
keep_stack(FgMojo *m)
{
	Last	   *last = &m->lasts[m->thread];

	m->kept = m->kept - last->count + m->stack.count;
	if (m->kept > MAX_KEPT)
		return fg_fail(m->ctx, FG_ERROR_LIMIT, "the last stacks of all threads have more than %u frames",
					   MAX_KEPT);
	if (!fg_reserve(m->ctx, (void **) &last->frames, &last->capacity, m->stack.count,
					sizeof(uint32_t)))
		return false;
	last->count = m->stack.count;
	if (last->count > 0)
		memcpy(last->frames, m->stack.frames, last->count * sizeof(uint32_t));
	return true;
}

/* Is the stack that of the sample before?  If not, it is the next one's. */
static bool
compare_stack(FgMojo *m, bool *same)
{
	size_t		size = m->stack.count * sizeof(uint32_t);

	*same = m->thread == m->thread_before && m->stack.count == m->before.count &&
		(size == 0 || memcmp(m->stack.frames, m->before.frames, size) == 0);
	if (*same)
		return true;
	if (!fg_reserve(m->ctx, (void **) &m->before.frames, &m->before.capacity, m->stack.count,
					sizeof(uint32_t)))
		return false;
	if (size > 0)
		memcpy(m->before.frames, m->stack.frames, size);
	m->before.count = m->stack.count;
	m->thread_before = m->thread;
	return true;
}

static bool
end_sample(FgMojo *m)
{
	FgMojoSample *s = &m->sample;
	FgMojoFrame thread;

	if (!m->in_sample)
		return true;
	m->in_sample = false;
	if (!s->has_time && !s->has_memory)
		return fail(m, "the sample before has no metric");
	if (!compare_stack(m, &s->repeated))
		return false;
	thread = (FgMojoFrame) {m->threads.bytes + m->threads.offset[m->thread], m->threads.length[m->thread]};
	s->thread = thread.text;
	s->thread_length = thread.length;
	s->frames = m->stack.frames;
	s->frame_count = m->stack.count;
	return (m->version < MAX_VERSION || keep_stack(m)) && m->take_sample(m->arg, s) &&
		fg_work(m->ctx, m->stack.count * 16);
}

/* Is the thread that of the sample before? */
static bool
is_same_thread(const FgMojo *m, int64_t process, int64_t interpreter, FgMojoFrame thread)
{
	FgMojoFrame name;

	if (m->thread_before == FG_NONE || process != m->process || interpreter != m->interpreter)
		return false;
	name = (FgMojoFrame) {m->threads.bytes + m->threads.offset[m->thread], m->threads.length[m->thread]};
	return name.length == m->thread_prefix + thread.length &&
		memcmp(name.text + m->thread_prefix, thread.text, thread.length) == 0;
}

static bool
find_thread(FgMojo *m, int64_t process, int64_t interpreter, FgMojoFrame thread)
{
	char		before[64];

	m->text.size = 0;
	/* versions 1 and 2 have no interpreter */
	if (m->version < 3)
		snprintf(before, sizeof(before), "P%" PRId64 ";T", process);
	else
		snprintf(before, sizeof(before), "P%" PRId64 ";T%" PRId64 ":", process, interpreter);
	if (!fg_buffer_append(&m->text, before, strlen(before)) ||
		!fg_buffer_append(&m->text, thread.text, thread.length) ||
		!fg_names_add(&m->threads, (char *) m->text.data, m->text.size, &m->thread))
		return false;
	if (m->thread >= FG_MAX_LANES)
		return fg_fail(m->ctx, FG_ERROR_LIMIT, "there are more than %u threads", FG_MAX_LANES);
	if (m->thread == m->last_count)
	{
		if (!fg_reserve(m->ctx, (void **) &m->lasts, &m->last_capacity, m->last_count + 1, sizeof(Last)))
			return false;
		m->lasts[m->last_count++] = (Last) {.count = 0};
	}
	m->thread_prefix = strlen(before);
	m->interpreter = interpreter;
	if (process != m->process && !next_turn(m))
		return false;
	m->process = process;
	return true;
}

static bool
begin_sample(FgMojo *m, int64_t process, int64_t interpreter, FgMojoFrame thread)
{
	if (!end_sample(m) ||
		(!is_same_thread(m, process, interpreter, thread) && !find_thread(m, process, interpreter, thread)))
		return false;
	m->sample = (FgMojoSample) {.idle = false};
	m->stack.count = 0;
	return m->in_sample = true;
}

/* Frames of native code stand above the interpreter's, which the sample has anew. */
static bool
is_native(const FgMojo *m, uint32_t frame)
{
	FgMojoFrame text = fg_mojo_frame(m, frame);
	const char *end = text.text;
	size_t		file;

	for (size_t i = text.length, colons = 0; i > 0; i--)
	{
		colons += text.text[i - 1] == ':';
		if (colons == 2)
		{
			end = text.text + i - 1;
			break;
		}
	}
	file = (size_t) (end - text.text);
	return !(file >= 3 && memcmp(end - 3, ".py", 3) == 0) &&
		!(file >= 1 && text.text[0] == '<' && end[-1] == '>');
}

/* What the sample has so far is the inner part of its stack; the outer one is that of the last. */
static bool
repeat_stack(FgMojo *m)
{
	const Last *last;
	uint32_t	outer;
	uint32_t	inner = m->stack.count;

	if (!m->in_sample)
		return fail(m, "a repetition belongs to no stack");
	last = &m->lasts[m->thread];
	outer = last->count;
	while (outer > 0 && is_native(m, last->frames[outer - 1]))
		outer--;
	if (inner + outer > FG_MAX_DEPTH)
		return fg_fail(m->ctx, FG_ERROR_LIMIT, "a stack is deeper than %d", FG_MAX_DEPTH);
	if (!fg_reserve(m->ctx, (void **) &m->stack.frames, &m->stack.capacity, (size_t) inner + outer,
					sizeof(uint32_t)))
		return false;
	if (outer > 0)
	{
		memmove(m->stack.frames + outer, m->stack.frames, inner * sizeof(uint32_t));
		memcpy(m->stack.frames, last->frames, outer * sizeof(uint32_t));
	}
	m->stack.count = inner + outer;
	return true;
}

/* --- events -------------------------------------------------------------------------------------- */

static bool
define_frame(FgMojo *m, Walk *walk)
{
	int64_t		key = take_integer(walk);
	int64_t		file = take_integer(walk);
	int64_t		function = take_integer(walk);
	int64_t		line = take_integer(walk);
	uint32_t	number;
	uint32_t   *text;
	char		digits[32];

	/* where it ends, and columns */
	for (int i = 0; i < 3 && m->version > 1; i++)
		take_integer(walk);
	if (!walk->whole || !walk->valid)
		return true;
	m->text.size = 0;
	snprintf(digits, sizeof(digits), ":%" PRId64, line);
	if (!append_string(m, file) || !fg_buffer_append(&m->text, ":", 1) ||
		!append_string(m, function) || !fg_buffer_append(&m->text, digits, strlen(digits)) ||
		!add_text(m, (FgMojoFrame) {(char *) m->text.data, m->text.size}, &number) ||
		!find_key(m, &m->frames, key, &text))
		return false;
	*text = number;
	if (key >= 0 && key < MAX_RECENT)
		m->recent[key].turn = 0;
	return true;
}

static bool
define_string(FgMojo *m, Walk *walk)
{
	int64_t		key = take_integer(walk);
	FgMojoFrame string = take_text(walk);
	uint32_t	number;
	uint32_t   *text;

	if (!walk->whole || !walk->valid)
		return true;
	if (!add_text(m, string, &number) || !find_key(m, &m->strings, key, &text))
		return false;
	*text = number;
	return true;
}

static bool
take_metadata(FgMojo *m, Walk *walk)
{
	FgMojoFrame key = take_text(walk);
	FgMojoFrame value = take_text(walk);

	if (!walk->whole)
		return true;
	m->text.size = 0;
	return fg_buffer_append(&m->text, "# ", 2) && fg_buffer_append(&m->text, key.text, key.length) &&
		fg_buffer_append(&m->text, ": ", 2) &&
		fg_buffer_append(&m->text, value.text, value.length) &&
		m->take_comment(m->arg, (char *) m->text.data, m->text.size);
}

static bool
take_stack(FgMojo *m, Walk *walk)
{
	int64_t		process = take_integer(walk);
	int64_t		interpreter = m->version < 3 ? 0 : take_integer(walk);
	FgMojoFrame thread = take_text(walk);

	return !walk->whole || !walk->valid || begin_sample(m, process, interpreter, thread);
}

static bool
refer(FgMojo *m, Walk *walk)
{
	int64_t		key = take_integer(walk);
	uint32_t	text;

	if (!walk->whole || !walk->valid)
		return true;
	return look_up_frame(m, key, &text) &&
		(text != FG_NONE ? push(m, text) : fail(m, "a frame is not defined"));
}

static bool
take_metric(FgMojo *m, Walk *walk, bool memory)
{
	int64_t		value = take_integer(walk);

	if (!walk->whole || !walk->valid)
		return true;
	if (!m->in_sample)
		return fail(m, "a metric belongs to no stack");
	*(memory ? &m->sample.memory : &m->sample.time) = fg_number_of(m->ctx, value);
	*(memory ? &m->sample.has_memory : &m->sample.has_time) = true;
	return true;
}

/* Nothing is changed before the event is known to be whole. */
static bool
take_event(FgMojo *m, Walk *walk)
{
	uint8_t		event = walk->bytes[walk->at++];
	FgMojoFrame text = {"", 0};

	switch (event)
	{
		case METADATA:
			return take_metadata(m, walk);
		case STACK:
			return take_stack(m, walk);
		case FRAME:
			return define_frame(m, walk);
		case FRAME_INVALID:
			return push_text(m, ":INVALID:", text, "");
		case FRAME_REF:
			return refer(m, walk);
		case FRAME_KERNEL:
			text = take_text(walk);
			return !walk->whole || push_text(m, "kernel:", text, ":0");
		case GC:
			return push_text(m, ":GC:", text, "");
		case IDLE:
			m->sample.idle = true;
			return m->in_sample || fail(m, "idleness belongs to no stack");
		case METRIC_TIME:
		case METRIC_MEMORY:
			return take_metric(m, walk, event == METRIC_MEMORY);
		case STRING:
			return define_string(m, walk);
		case STRING_REF:
			take_integer(walk);
			return true;
		case STACK_REPEAT:
			return repeat_stack(m);
		default:
			return fg_fail(m->ctx, FG_ERROR_SYNTAX, "there is no event %u, which stands at byte %" PRIu64,
						   event, m->offset);
	}
}

static bool
take_version(FgMojo *m, Walk *walk)
{
	size_t		size = sizeof(FG_MOJO_MAGIC) - 1;

	if (walk->size < size)
	{
		walk->whole = false;
		return true;
	}
	if (memcmp(walk->bytes, FG_MOJO_MAGIC, size) != 0)
		return fg_fail(m->ctx, FG_ERROR_SYNTAX, "this is no binary file of austin");
	walk->at = size;
	m->version = take_integer(walk);
	if (!walk->whole)
		return true;
	m->has_version = true;
	return (m->version >= 1 && m->version <= MAX_VERSION) ||
		fg_fail_at(m->ctx, FG_ERROR_SYNTAX, 0, 0, "Versions 1 to 4 are read; load the output of \"mojo2austin\".",
				   "the binary file of austin has version %" PRId64, m->version);
}

/*
 * Takes references to frames that were asked for before, as far as they go; the bytes that
 * they had.  They are nine of ten events, and one such does no more than an index.
 */
static size_t
take_references(FgMojo *m, const uint8_t *bytes, size_t size)
{
	size_t		at = 0;
	uint32_t	most = m->stack.capacity < FG_MAX_DEPTH ? (uint32_t) m->stack.capacity : FG_MAX_DEPTH;

	/* a number below MAX_RECENT has at most three bytes */
	while (m->in_sample && m->stack.count < most && size - at >= 4 && bytes[at] == FRAME_REF)
	{
		const uint8_t *number = bytes + at + 1;
		uint32_t	key = number[0] & 0x3F;
		size_t		length = 1;

		if (number[0] & 0x80)
			key |= (uint32_t) (number[length++] & 0x7F) << 6;
		if (length == 2 && (number[1] & 0x80))
			key |= (uint32_t) (number[length++] & 0x7F) << 13;
		if ((number[0] & 0x40) || (length == 3 && (number[2] & 0x80)) || key >= MAX_RECENT ||
			m->recent[key].turn != m->turn)
			break;
		m->stack.frames[m->stack.count++] = m->recent[key].text;
		at += 1 + length;
	}
	return at;
}

/* Takes all events that are whole; says how many bytes they had. */
static bool
take_events(FgMojo *m, const char *bytes, size_t size, size_t *taken)
{
	*taken = 0;
	while (*taken < size)
	{
		Walk		walk = {(const uint8_t *) bytes + *taken, size - *taken, 0, true, true};
		size_t		references = take_references(m, walk.bytes, walk.size);

		if (references > 0)
		{
			*taken += references;
			m->offset += references;
			if (!fg_work(m->ctx, references * 4))
				return false;
			continue;
		}
		if (!(m->has_version ? take_event(m, &walk) : take_version(m, &walk)))
			return false;
		if (!walk.valid)
			return fail(m, "a number has more than 63 bits");
		if (!walk.whole)
			return walk.size <= MAX_EVENT || fail(m, "a name is longer than 2 MiB");
		*taken += walk.at;
		m->offset += walk.at;
		if (!fg_work(m->ctx, walk.at) || !fg_steps(m->ctx, 1))
			return false;
	}
	return true;
}

/* --- the reader ---------------------------------------------------------------------------------- */

FgMojo *
fg_mojo_open(FgContext *ctx, FgMojoTakeSample sample, FgMojoTakeComment comment, void *arg)
{
	FgMojo	   *m = fg_alloc_zero(ctx, 1, sizeof(FgMojo));

	if (m == NULL)
		return NULL;
	m->ctx = m->pending.ctx = m->text.ctx = ctx;
	m->take_sample = sample;
	m->take_comment = comment;
	m->arg = arg;
	m->process = NO_PROCESS;
	m->thread_before = FG_NONE;
	m->turn = 1;
	m->recent = fg_alloc_zero(ctx, MAX_RECENT, sizeof(Recent));
	if (m->recent != NULL && fg_names_begin(ctx, &m->texts) && fg_names_begin(ctx, &m->threads) &&
		fg_names_begin(ctx, &m->strings.keys) && fg_names_begin(ctx, &m->frames.keys))
		return m;
	fg_mojo_close(m);
	return NULL;
}

bool
fg_mojo_feed(FgMojo *m, const char *bytes, size_t size)
{
	size_t		taken;

	if (m->pending.size == 0)
	{
		if (!take_events(m, bytes, size, &taken))
			return false;
		return fg_buffer_append(&m->pending, bytes + taken, size - taken);
	}
	if (!fg_buffer_append(&m->pending, bytes, size) ||
		!take_events(m, (char *) m->pending.data, m->pending.size, &taken))
		return false;
	if (taken > 0)
		memmove(m->pending.data, m->pending.data + taken, m->pending.size - taken);
	m->pending.size -= taken;
	return true;
}

bool
fg_mojo_finish(FgMojo *m)
{
	if (m->pending.size > 0 || !m->has_version ||
		(m->in_sample && !m->sample.has_time && !m->sample.has_memory))
		return fg_fail_at(m->ctx, FG_ERROR_SYNTAX, 0, 0, "The file was cut off.",
						  "the binary file of austin ends too early, at byte %" PRIu64,
						  m->offset + m->pending.size);
	return end_sample(m);
}

void
fg_mojo_close(FgMojo *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->last_count; i++)
		fg_release(m->ctx, m->lasts[i].frames);
	fg_release(m->ctx, m->lasts);
	fg_names_free(&m->texts);
	fg_names_free(&m->threads);
	fg_names_free(&m->strings.keys);
	fg_names_free(&m->frames.keys);
	fg_release(m->ctx, m->strings.texts);
	fg_release(m->ctx, m->frames.texts);
	fg_release(m->ctx, m->recent);
	fg_release(m->ctx, m->stack.frames);
	fg_release(m->ctx, m->before.frames);
	fg_release(m->ctx, m->pending.data);
	fg_release(m->ctx, m->text.data);
	fg_release(m->ctx, m);
}
