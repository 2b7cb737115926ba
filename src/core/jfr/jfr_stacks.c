/*
 * jfr_stacks.c
 *	  Stacks and threads of a binary Flight Recorder file (see jfr_stacks.h).
 */
#include "core/jfr/jfr_stacks.h"

#include "core/jfr/jfr_events.h"

/* Of the names of methods that are kept. */
#define MAX_NAMES ((size_t) 16 << 20)

/* Fields of each shape. */
enum
{
	TRUNCATED, FRAMES,			/* of a stack */
	METHOD = 0, LINE, MODE,		/* of a frame */
	CLASS = 0, METHOD_NAME,		/* of a method */
	CLASS_NAME = 0,				/* of a class */
	JAVA_NAME = 0, OS_NAME		/* of a thread */
};

static bool name_method(void *arg, uint32_t number, const char **bytes, size_t *length);

void
fg_jfr_stacks_begin(FgJfrStacks *stacks, FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	const FgReadOptions *options = fg_sink_options(sink);

	*stacks = (FgJfrStacks) {
		.ctx = ctx,
		.sink = sink,
		.lines = options->frame_style == FG_FRAME_LINE,
		.modes = options->modes,
		.names = {.ctx = ctx},
		.class_name = {.ctx = ctx},
		.method_name = {.ctx = ctx},
		.text = {.ctx = ctx},
		.frame_name = {.ctx = ctx}
	};
	fg_jfr_pools_begin(&stacks->pools, ctx);
	fg_numbered_begin(&stacks->numbered, sink, name_method, stacks);
}

void
fg_jfr_stacks_clear(FgJfrStacks *stacks)
{
	fg_jfr_pools_clear(&stacks->pools, false);
	/* methods have other numbers in the next chunk */
	fg_numbered_forget(&stacks->numbered);
	fg_release(stacks->ctx, stacks->spans);
	stacks->spans = NULL;
	stacks->names.size = 0;
}

void
fg_jfr_stacks_described(FgJfrStacks *stacks, FgJfrMetadata *metadata)
{
	FgJfrShape	none = {.class_at = FG_NONE, .pool = -1};

	fg_jfr_pools_clear(&stacks->pools, true);
	stacks->pools.metadata = metadata;
	stacks->stack = stacks->frame = stacks->method = stacks->class = stacks->thread = none;
}

void
fg_jfr_stacks_free(FgJfrStacks *stacks)
{
	fg_jfr_stacks_clear(stacks);
	fg_jfr_pools_free(&stacks->pools);
	fg_numbered_free(&stacks->numbered);
	fg_release(stacks->ctx, stacks->methods);
	fg_release(stacks->ctx, stacks->names.data);
	fg_release(stacks->ctx, stacks->class_name.data);
	fg_release(stacks->ctx, stacks->method_name.data);
	fg_release(stacks->ctx, stacks->text.data);
	fg_release(stacks->ctx, stacks->frame_name.data);
}

/* --- shapes ------------------------------------------------------------------------------- */

static bool
unknown_shape(const FgJfrStacks *stacks, const FgJfrField *field)
{
	return fg_fail_at(stacks->ctx, FG_ERROR_SYNTAX, 0, 0,
					  "Load the output of \"jfr print --json --stack-depth 2048\".",
					  "fields %.*s of the recording are not of one class whose values are constants",
					  field->name.length < 80 ? (int) field->name.length : 80, field->name.bytes);
}

/* "*known" says whether the class was looked at before. */
static bool
make_shape(FgJfrStacks *stacks, const FgJfrField *field, const char *const *names, size_t count,
		   FgJfrShape *shape, bool *known)
{
	FgJfrMetadata *m = stacks->pools.metadata;

	*known = shape->class_at != FG_NONE && shape->class_at == field->class_at;
	if (*known)
		return true;
	if (shape->class_at != FG_NONE || field->class_at == FG_NONE ||
		field->constant == field->array || m->classes[field->class_at].basic != FG_JFR_COMPOSITE)
		return unknown_shape(stacks, field);
	shape->class_at = field->class_at;
	shape->pool = field->constant ? fg_jfr_pools_want(&stacks->pools, field->class_at) : -1;
	if (field->constant && shape->pool < 0)
		return false;
	for (size_t i = 0; i < count; i++)
		shape->field[i] = fg_jfr_find_field(m, field->class_at, names[i]);
	return fg_jfr_program(m, field->class_at, names, count, &shape->program);
}

static bool
want_method(FgJfrStacks *stacks, const FgJfrField *field)
{
	static const char *const of_method[] = {"type", "name"};
	static const char *const of_class[] = {"name"};
	FgJfrShape *method = &stacks->method;
	FgJfrShape *class = &stacks->class;
	bool		known;

	if (!make_shape(stacks, field, of_method, 2, method, &known))
		return false;
	if (!fg_jfr_pools_want_text(&stacks->pools, method->field[METHOD_NAME]))
		return false;
	return method->field[CLASS] == NULL ||
		(make_shape(stacks, method->field[CLASS], of_class, 1, class, &known) &&
		 fg_jfr_pools_want_text(&stacks->pools, class->field[CLASS_NAME]));
}

bool
fg_jfr_stacks_want(FgJfrStacks *stacks, const FgJfrField *field)
{
	static const char *const of_stack[] = {"truncated", "frames"};
	static const char *const of_frame[] = {"method", "lineNumber", "type"};
	const FgJfrField *frames;
	bool		known;

	if (!field->constant)
		return unknown_shape(stacks, field);
	if (!make_shape(stacks, field, of_stack, 2, &stacks->stack, &known))
		return false;
	frames = stacks->stack.field[FRAMES];
	if (known || frames == NULL)
		return true;
	if (!frames->array)
		return unknown_shape(stacks, frames);
	if (!make_shape(stacks, frames, of_frame, 3, &stacks->frame, &known))
		return false;
	return (stacks->frame.field[METHOD] == NULL || want_method(stacks, stacks->frame.field[METHOD])) &&
		fg_jfr_pools_want_text(&stacks->pools, stacks->frame.field[MODE]);
}

bool
fg_jfr_stacks_want_thread(FgJfrStacks *stacks, const FgJfrField *field)
{
	static const char *const of_thread[] = {"javaName", "osName"};
	FgJfrShape *thread = &stacks->thread;
	bool		known;

	if (!field->constant)
		return unknown_shape(stacks, field);
	return make_shape(stacks, field, of_thread, 2, thread, &known) &&
		fg_jfr_pools_want_text(&stacks->pools, thread->field[JAVA_NAME]) &&
		fg_jfr_pools_want_text(&stacks->pools, thread->field[OS_NAME]);
}

/* --- names of methods --------------------------------------------------------------------------- */

/* The text of a field as UTF-8 in a buffer of its own; "" where it is null. */
static bool
take_name(FgJfrStacks *stacks, const FgJfrField *field, const uint8_t *at, FgBuffer *name)
{
	FgJfrText	text;

	name->size = 0;
	return fg_jfr_pools_text(&stacks->pools, field, at, &stacks->text, &text) &&
		fg_jfr_append_utf8(name, text.bytes, text.length);
}

/* The constant that a field at a place refers to; FG_NONE: null. */
static uint32_t
find_at(FgJfrStacks *stacks, const FgJfrShape *shape, const uint8_t *at)
{
	const FgBuffer *kept = &stacks->pools.kept;
	FgJfrBytes	bytes = {stacks->ctx, at, kept->data + kept->size, at, 0};
	uint64_t	key;

	return at != NULL && fg_jfr_take_number(&bytes, &key)
		? fg_jfr_pools_find(&stacks->pools, shape->pool, key) : FG_NONE;
}

static bool
make_name(FgJfrStacks *stacks, uint32_t number, FgJfrSpan *span)
{
	const FgJfrMetadata *m = stacks->pools.metadata;
	FgJfrBytes	bytes = fg_jfr_pools_constant(&stacks->pools, stacks->method.pool, number);
	const uint8_t *marks[FG_JFR_MARKS];
	uint32_t	class;

	if (!fg_jfr_pass(m, stacks->method.program, &bytes, marks) ||
		!take_name(stacks, stacks->method.field[METHOD_NAME], marks[METHOD_NAME], &stacks->method_name))
		return false;
	stacks->class_name.size = 0;
	class = find_at(stacks, &stacks->class, marks[CLASS]);
	if (class != FG_NONE)
	{
		bytes = fg_jfr_pools_constant(&stacks->pools, stacks->class.pool, class);
		if (!fg_jfr_pass(m, stacks->class.program, &bytes, marks) ||
			!take_name(stacks, stacks->class.field[CLASS_NAME], marks[CLASS_NAME], &stacks->class_name))
			return false;
	}
	span->start = stacks->names.size;
	if (!fg_jfr_frame_name(&stacks->names, (char *) stacks->class_name.data, stacks->class_name.size,
						   (char *) stacks->method_name.data, stacks->method_name.size))
		return false;
	span->length = stacks->names.size - span->start;
	span->there = true;
	return fg_work(stacks->ctx, span->length);
}

static bool
method_name(FgJfrStacks *stacks, uint32_t number, FgJfrText *name)
{
	uint32_t	count;
	FgJfrSpan  *span;

	*name = (FgJfrText) {"", 0, false};
	if (number == FG_NONE)
		return true;
	count = stacks->pools.pools[stacks->method.pool].count;
	/* long names, and too many: they are made again when they are wanted */
	if (stacks->spans != NULL && stacks->names.size > MAX_NAMES)
	{
		fg_release(stacks->ctx, stacks->spans);
		stacks->spans = NULL;
		stacks->names.size = 0;
	}
	if (stacks->spans == NULL)
		stacks->spans = fg_alloc_zero(stacks->ctx, count, sizeof(FgJfrSpan));
	if (stacks->spans == NULL)
		return false;
	span = &stacks->spans[number];
	if (!span->there && !make_name(stacks, number, span))
		return false;
	if (span->length > 0)
		*name = (FgJfrText) {(char *) stacks->names.data + span->start, span->length, true};
	return true;
}

static bool
name_method(void *arg, uint32_t number, const char **bytes, size_t *length)
{
	FgJfrText	name;

	if (!method_name(arg, number, &name))
		return false;
	*bytes = name.bytes;
	*length = name.length;
	return true;
}

/* --- stacks ----------------------------------------------------------------------------------------- */

/* A frame with what the options want behind its name. */
static bool
add_long_frame(FgJfrStacks *stacks, FgJfrText name, const uint8_t *const *marks)
{
	const FgBuffer *kept = &stacks->pools.kept;
	FgBuffer   *frame = &stacks->frame_name;
	double		line = -1;
	FgJfrText	mode;

	frame->size = 0;
	if (!fg_buffer_append(frame, name.bytes, name.length))
		return false;
	if (stacks->lines && marks[LINE] != NULL)
	{
		FgJfrBytes	bytes = {stacks->ctx, marks[LINE], kept->data + kept->size, marks[LINE], 0};

		if (!fg_jfr_field_number(stacks->pools.metadata, stacks->frame.field[LINE], &bytes, &line))
			line = -1;
	}
	if (!fg_jfr_frame_line(frame, line) ||
		!fg_jfr_pools_text(&stacks->pools, stacks->modes ? stacks->frame.field[MODE] : NULL,
						   marks[MODE], &stacks->text, &mode) ||
		!fg_jfr_frame_mode(frame, mode.bytes, mode.length))
		return false;
	return fg_sink_frame(stacks->sink, (char *) frame->data, frame->size);
}

static bool
add_frames(FgJfrStacks *stacks, FgJfrBytes *bytes)
{
	uint64_t	count;

	if (!fg_jfr_count(bytes, &count))
		return false;
	for (; count > 0; count--)
	{
		const uint8_t *marks[FG_JFR_MARKS];
		FgJfrText	name;

		if (!fg_jfr_pass(stacks->pools.metadata, stacks->frame.program, bytes, marks) ||
			!method_name(stacks, find_at(stacks, &stacks->method, marks[METHOD]), &name))
			return false;
		if (!(stacks->lines || stacks->modes ? add_long_frame(stacks, name, marks)
			  : fg_sink_frame(stacks->sink, name.bytes, name.length)) ||
			!fg_work(stacks->ctx, name.length))
			return false;
	}
	return true;
}

bool
fg_jfr_stacks_collect(FgJfrStacks *stacks, uint64_t key, bool *truncated)
{
	uint32_t	number = fg_jfr_pools_find(&stacks->pools, stacks->stack.pool, key);
	const uint8_t *marks[FG_JFR_MARKS];
	FgJfrBytes	bytes;

	fg_sink_clear(stacks->sink);
	*truncated = false;
	if (number == FG_NONE)
		return true;
	bytes = fg_jfr_pools_constant(&stacks->pools, stacks->stack.pool, number);
	if (!fg_jfr_pass(stacks->pools.metadata, stacks->stack.program, &bytes, marks))
		return false;
	*truncated = marks[TRUNCATED] != NULL && *marks[TRUNCATED] != 0;
	if (marks[FRAMES] == NULL)
		return true;
	bytes.next = marks[FRAMES];
	return add_frames(stacks, &bytes);
}

/* --- places ------------------------------------------------------------------------------------------ */

bool
fg_jfr_stacks_are_plain(const FgJfrStacks *stacks)
{
	return !stacks->lines && !stacks->modes;
}

/* The methods of a stack. */
static bool
take_methods(FgJfrStacks *stacks, uint64_t key, bool *truncated, size_t *depth)
{
	uint32_t	number = fg_jfr_pools_find(&stacks->pools, stacks->stack.pool, key);
	const FgJfrMetadata *m = stacks->pools.metadata;
	const uint8_t *marks[FG_JFR_MARKS];
	FgJfrMarked frame;
	FgJfrBytes	bytes;
	uint64_t	count;

	*truncated = false;
	*depth = 0;
	if (number == FG_NONE)
		return true;
	bytes = fg_jfr_pools_constant(&stacks->pools, stacks->stack.pool, number);
	if (!fg_jfr_pass(m, stacks->stack.program, &bytes, marks))
		return false;
	*truncated = marks[TRUNCATED] != NULL && *marks[TRUNCATED] != 0;
	if (marks[FRAMES] == NULL)
		return true;
	bytes.next = marks[FRAMES];
	if (!fg_jfr_count(&bytes, &count))
		return false;
	if (count > FG_MAX_DEPTH)
		return fg_fail(stacks->ctx, FG_ERROR_LIMIT, "a stack has more than %u frames", FG_MAX_DEPTH);
	if (!fg_reserve(stacks->ctx, (void **) &stacks->methods, &stacks->method_room, (size_t) count,
					sizeof(uint32_t)) ||
		!fg_work(stacks->ctx, (size_t) count * 16))
		return false;
	for (; *depth < count; ++*depth)
	{
		if (!fg_jfr_take(m, stacks->frame.program, &bytes, &frame))
			return false;
		stacks->methods[*depth] = frame.place[METHOD] == NULL ? FG_NONE
			: fg_jfr_pools_find(&stacks->pools, stacks->method.pool, frame.number[METHOD]);
	}
	return true;
}

bool
fg_jfr_stacks_place(FgJfrStacks *stacks, uint64_t key, const FgJfrText *thread, uint32_t profile,
					FgStackPlace *place)
{
	FgNumberedStack stack = {.order = FG_LEAF_FIRST};

	if (!take_methods(stacks, key, &stack.truncated, &stack.count))
		return false;
	stack.numbers = stacks->methods;
	if (thread != NULL)
	{
		stack.thread = thread->bytes;
		stack.thread_length = thread->length;
	}
	return fg_numbered_place(&stacks->numbered, profile, &stack, place);
}

/* --- threads ---------------------------------------------------------------------------------------- */

bool
fg_jfr_stacks_thread(FgJfrStacks *stacks, uint64_t key, FgJfrText *name)
{
	uint32_t	number = fg_jfr_pools_find(&stacks->pools, stacks->thread.pool, key);
	const uint8_t *marks[FG_JFR_MARKS];
	FgJfrBytes	bytes;

	*name = (FgJfrText) {"", 0, false};
	if (number == FG_NONE)
		return true;
	bytes = fg_jfr_pools_constant(&stacks->pools, stacks->thread.pool, number);
	if (!fg_jfr_pass(stacks->pools.metadata, stacks->thread.program, &bytes, marks) ||
		!take_name(stacks, stacks->thread.field[JAVA_NAME], marks[JAVA_NAME], &stacks->frame_name))
		return false;
	if (stacks->frame_name.size == 0 &&
		!take_name(stacks, stacks->thread.field[OS_NAME], marks[OS_NAME], &stacks->frame_name))
		return false;
	if (stacks->frame_name.size > 0)
		*name = (FgJfrText) {(char *) stacks->frame_name.data, stacks->frame_name.size, true};
	return true;
}
