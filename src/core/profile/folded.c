/*
 * folded.c
 *	  Reader and printer of the folded text format (see folded.h).
 */
#include "core/profile/folded.h"

#include "core/base/number.h"
#include "core/profile/builder.h"
#include "core/profile/path.h"
#include "core/profile/path_order.h"

#include <stdio.h>

/*
 * Sorting pays where stacks are long: of shorter ones a text has so many that looking up their
 * few frames is faster.  Lines are counted in this much of a text.
 */
#define SORTED_LINE 128
#define SAMPLE_BYTES 65536

/* Of a stack that is built next, from where it differs on. */
#define PREFETCHED_BYTES 2048
#define CACHE_LINE 64

/* --- reading ------------------------------------------------------------ */

typedef struct Parser
{
	FgContext  *ctx;
	FgFoldedOptions options;
	FgFoldedReport *report;
	FgBuilder  *builder;
	FgBuffer	scratch;		/* a path with its escapes undone, or cleaned */
	uint64_t	line;
	bool		stable;			/* the text outlives the builder */
	bool		bad_number;		/* the error is the line's own: its value is no double */
	bool		may_sort;		/* the first stack out of order ends the reading, if sorting is worth it */
	bool		out_of_order;	/* that has happened */
	FgPathOrder *order;		/* NULL: stacks are not only put in order */
	const FgFoldedTarget *target;	/* NULL: all stacks go to the builder */
} Parser;

/* Any whole count that fits; everything else takes the general way. */
static inline bool
parse_count(const char *text, size_t length, double *value)
{
	uint64_t	count = 0;

	if (length == 0 || length > 15)
		return false;
	for (size_t i = 0; i < length; i++)
	{
		unsigned	digit = (unsigned) (uint8_t) text[i] - '0';

		if (digit > 9)
			return false;
		count = count * 10 + digit;
	}
	*value = (double) count;
	return true;
}

static bool
bad_number(Parser *p, const char *text, size_t length, uint64_t column, FgErrorCode code,
		   const char *problem)
{
	int			shown = (int) fg_utf8_prefix(text, length < 40 ? length : 40);

	p->bad_number = true;
	return fg_fail_at(p->ctx, code, p->line, column,
					  code == FG_ERROR_SYNTAX
					  ? "A line is frames joined by \";\", a space, and a finite decimal number." : NULL,
					  "\"%.*s\"%s %s", shown, text, (size_t) shown < length ? "..." : "", problem);
}

static bool
parse_value(Parser *p, const char *text, size_t length, uint64_t column, double *value)
{
	if (parse_count(text, length, value))
		return true;
	switch (fg_number_parse(p->ctx, text, length, value))
	{
		case FG_NUMBER_OK:
			return true;
		case FG_NUMBER_SYNTAX:
			return bad_number(p, text, length, column, FG_ERROR_SYNTAX, "is not a value");
		case FG_NUMBER_OVERFLOW:
			return bad_number(p, text, length, column, FG_ERROR_RANGE, "is too large");
		case FG_NUMBER_UNDERFLOW:
			return bad_number(p, text, length, column, FG_ERROR_RANGE, "is too small");
		case FG_NUMBER_MEMORY:
			break;
	}
	return false;
}

/* The builder knows the column in the path it was given; the path starts there. */
static bool
place_error(Parser *p, uint64_t path_column)
{
	FgError    *error = &p->ctx->error;

	error->line = p->line;
	error->column = error->column > 0 ? error->column + path_column - 1 : path_column;
	return false;
}

/*
 * Where the frame that an error names in scratch starts in the line's path.  Frames
 * end in scratch with this separator, and in a line that has escapes with NUL.
 */
static uint64_t
original_column(const Parser *p, const char *path, size_t length, char separator)
{
	bool		escapes = separator == FG_PATH_SEPARATOR;
	size_t		frames = 0;
	size_t		at = 0;

	for (size_t i = 0; i + 1 < p->ctx->error.column && i < p->scratch.size; i++)
		frames += p->scratch.data[i] == (uint8_t) separator;
	for (; at < length && frames > 0; at++)
	{
		if (escapes && fg_path_escapes(path + at, path + length))
			at++;
		else
			frames -= path[at] == ';';
	}
	return at + 1;
}

static bool
add_escaped(Parser *p, const char *path, size_t length, double value)
{
	uint64_t	column = 1;

	p->scratch.size = 0;
	if (length >= 2 && path[0] == '\\' && path[1] == '#')
	{
		path++;
		length--;
		column = 2;
	}
	if (!fg_path_parse(&p->scratch, path, length, column))
	{
		p->ctx->error.line = p->line;
		return false;
	}
	if (fg_builder_add(p->builder, (char *) p->scratch.data, p->scratch.size, FG_PATH_SEPARATOR,
					   false, value))
		return true;
	if (p->ctx->error.column == 0)
		return place_error(p, 1);
	p->ctx->error.column = original_column(p, path, length, FG_PATH_SEPARATOR);
	return place_error(p, column);
}

/*
 * Puts a cleaned copy of a foreign path into scratch; returns how many things
 * were replaced.
 */
static bool
clean_path(Parser *p, const char *path, size_t length, uint64_t *empty, uint64_t *controls)
{
	static const char unknown[] = "[unknown]";
	const char *end = path + length;

	*empty = *controls = 0;
	p->scratch.size = 0;
	for (;;)
	{
		const char *stop = path < end ? memchr(path, ';', (size_t) (end - path)) : NULL;
		size_t		size = (size_t) ((stop != NULL ? stop : end) - path);
		bool		is_empty = size == 0;
		uint8_t    *frame;

		if (!fg_buffer_append(&p->scratch, is_empty ? unknown : path,
							  is_empty ? sizeof(unknown) - 1 : size))
			return false;
		*empty += is_empty;
		frame = p->scratch.data + p->scratch.size - size;
		for (size_t i = 0; i < size; i++)
		{
			if ((frame[i] >= 0x20 && frame[i] != 0x7F) || frame[i] == '\0')
				continue;
			frame[i] = ' ';
			++*controls;
		}
		if (stop == NULL)
			return true;
		if (!fg_buffer_append(&p->scratch, ";", 1))
			return false;
		path = stop + 1;
	}
}

/*
 * The builder refuses empty frames and, here, control characters; only then is
 * the path worth a second look.
 */
static bool
add_foreign(Parser *p, const char *path, size_t length, double value)
{
	uint64_t	empty;
	uint64_t	controls;

	if (fg_builder_add(p->builder, path, length, ';', p->stable, value))
		return true;
	if (p->ctx->error.code != FG_ERROR_SYNTAX)
		return place_error(p, 1);
	if (!clean_path(p, path, length, &empty, &controls))
		return false;
	if (!fg_builder_add(p->builder, (char *) p->scratch.data, p->scratch.size, ';', false, value))
	{
		p->ctx->error.column = original_column(p, path, length, ';');
		return place_error(p, 1);
	}
	p->report->unknown_frames += empty;
	p->report->control_characters += controls;
	return true;
}

/* A stack that is to be sorted.  False as well when its path is not as it stands in the text. */
static bool
add_unordered(Parser *p, const char *path, size_t length, double value)
{
	bool		exact = p->options.dialect == FG_FOLDED_EXACT;

	return length <= UINT32_MAX && !(exact && length > 0 && memchr(path, '\\', length) != NULL) &&
		fg_path_order_add(p->order, path, (uint32_t) length, value);
}

static bool
is_truncated(const FgFoldedTarget *target, const char *path, size_t length)
{
	uint32_t	depth = length > 0;

	if (target->max_depth == 0)
		return false;
	for (size_t i = 0; i < length && depth < target->max_depth; i++)
		depth += path[i] == ';';
	return depth >= target->max_depth;
}

/* A blank and digits, at the end of a stack. */
static bool
ends_in_number(const char *path, size_t length)
{
	size_t		start = length;

	while (start > 0 && path[start - 1] >= '0' && path[start - 1] <= '9')
		start--;
	return start < length && start > 1 && path[start - 1] == ' ';
}

bool
fg_folded_warning(const FgFoldedReport *report, size_t number, FgWarning *warning)
{
	bool		two_values = report->samples > 1 && report->two_values == report->samples;

	if (two_values && number == 0)
		*warning = (FgWarning) {
			.text = "all lines end in two numbers, as the difference of two profiles has them; the first was taken for a part of the frame",
			.hint = "Load one side of it: sed -E 's/ [0-9]+$//' has the values before, "
				"sed -E 's/ [0-9]+( [0-9]+)$/\\1/' those after."
		};
	else if (report->rounded > 0 && number == two_values)
		*warning = (FgWarning) {
			.text = fg_warning_rounded, .hint = fg_hint_rounded, .count = report->rounded,
			.place = "line", .first = report->first_rounded
		};
	else
		return false;
	return true;
}

static inline void
note_rounded(Parser *p, const char *number, size_t length, double value)
{
	if (fg_number_lost_digits(number, length, value) && p->report->rounded++ == 0)
		p->report->first_rounded = p->line;
}

/* A line without its end and not empty. */
static bool
parse_line(Parser *p, const char *line, size_t length)
{
	size_t		space = length;
	size_t		original;
	double		value = 0;

	while (space > 0 && line[space - 1] != ' ')
		space--;
	if (space == 0)
		return fg_fail_at(p->ctx, FG_ERROR_SYNTAX, p->line, length + 1,
						  "A line is frames joined by \";\", a space, and a finite decimal number.",
						  "the value is missing");
	if (!parse_value(p, line + space, length - space, space + 1, &value))
		return false;
	original = length;
	length = space - 1;
	if (p->target != NULL)
		p->builder = is_truncated(p->target, line, length) ? p->target->truncated
			: p->target->complete;
	if (p->options.dialect == FG_FOLDED_FOREIGN)
	{
		note_rounded(p, line + space, original - space, value);
		p->report->two_values += ends_in_number(line, length);
	}
	if (p->order != NULL)
		return add_unordered(p, line, length, value);
	if (p->options.dialect == FG_FOLDED_FOREIGN)
		return add_foreign(p, line, length, value);
	if (length > 0 && memchr(line, '\\', length) != NULL)
		return add_escaped(p, line, length, value);
	return fg_builder_add(p->builder, line, length, ';', p->stable, value) || place_error(p, 1);
}

static size_t
trimmed_length(const char *line, size_t length)
{
	while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t' ||
						  line[length - 1] == '\r'))
		length--;
	return length;
}

static bool
is_comment(const char *line, size_t length)
{
	return line[0] == '#' && (length == 1 || line[1] == ' ');
}

/* A sum that overflows is no line's fault: without any of its lines it would be wrong. */
static bool
skip_line(Parser *p)
{
	FgFoldedReport *report = p->report;

	if (!p->options.skip_bad_lines ||
		!(p->ctx->error.code == FG_ERROR_SYNTAX ||
		  (p->ctx->error.code == FG_ERROR_RANGE && p->bad_number)))
		return false;
	if (report->skipped++ == 0)
	{
		report->first_skipped = p->line;
		memcpy(report->first_reason, p->ctx->error.reason, sizeof(report->first_reason));
	}
	p->ctx->error.code = FG_OK;
	return true;
}

/* Any line, trimmed. */
static bool
take_line(Parser *p, const char *line, size_t length)
{
	FgFoldedReport *report = p->report;

	report->lines++;
	p->bad_number = false;
	if (length == 0)
		report->blank++;
	else if (is_comment(line, length))
		report->comments++;
	else if (parse_line(p, line, length))
		report->samples++;
	else
		return skip_line(p);
	return true;
}

/* Are the stacks long, and is as much left of the text as was read in vain? */
static bool
worth_sorting(const char *start, const char *text, const char *end)
{
	size_t		size = (size_t) (end - text);
	size_t		lines = 1;

	if (size < (size_t) (text - start))
		return false;
	if (size > SAMPLE_BYTES)
		size = SAMPLE_BYTES;
	for (const char *at = text; (at = memchr(at, '\n', (size_t) (text + size - at))) != NULL; at++)
		lines++;
	return size / lines >= SORTED_LINE;
}

static bool
parse_lines(Parser *p, const char *text, const char *end)
{
	const char *start = text;

	while (text < end)
	{
		const char *stop = memchr(text, '\n', (size_t) (end - text));
		size_t		length = trimmed_length(text, (size_t) ((stop != NULL ? stop : end) - text));

		p->line = p->report->lines + 1;
		if (!fg_check_every(p->ctx, p->line))
			return false;
		if (!take_line(p, text, length))
			return false;
		text = stop != NULL ? stop + 1 : end;
		if (p->may_sort && !fg_builder_in_order(p->builder))
		{
			p->may_sort = false;
			p->out_of_order = worth_sorting(start, text, end);
			if (p->out_of_order)
				return true;
		}
	}
	return true;
}

/*
 * Asks for the stacks to come, which stand anywhere in a text that is larger than the cache: of the
 * next one what it has for itself; of that behind it the first bytes, since finding a page takes as
 * long as all of them; of a later one where it stands.
 */
static inline void
prefetch_stacks(const FgPathOrder *order, uint32_t at)
{
	const FgPathPlace *place = &order->places[at];
	const FgTextPath *stack;
	uint32_t	end;

	if (order->count - at > 4)
		__builtin_prefetch(&order->stacks[place[4].stack]);
	if (order->count - at > 2)
		__builtin_prefetch(order->stacks[place[2].stack].path + place[2].same);
	if (order->count - at <= 1)
		return;
	place++;
	stack = &order->stacks[place->stack];
	end = stack->length - place->same < PREFETCHED_BYTES ? stack->length : place->same + PREFETCHED_BYTES;
	for (uint32_t i = place->same; i < end; i += CACHE_LINE)
		__builtin_prefetch(stack->path + i);
}

/* Appends the stacks in order; all of them stand in the text. */
static bool
build_sorted(Parser *p)
{
	const FgPathOrder *order = p->order;

	for (uint32_t i = 0; i < order->count; i++)
	{
		const FgPathPlace *place = &order->places[i];
		const FgTextPath *stack = &order->stacks[place->stack];

		prefetch_stacks(order, i);
		if (!fg_builder_add_sorted(p->builder, stack->path, stack->length, ';', place->same,
								   stack->value))
			return false;
	}
	return true;
}

static void
begin_again(Parser *p)
{
	memset(p->report, 0, sizeof(*p->report));
	p->ctx->error = (FgError) {0};
}

static bool
begin_builder(Parser *p)
{
	if (p->builder != NULL)
		fg_builder_free(p->builder);
	p->builder = fg_builder_create(p->ctx);
	if (p->builder != NULL && p->options.dialect == FG_FOLDED_FOREIGN)
		fg_builder_forbid_controls(p->builder);
	return p->builder != NULL;
}

/*
 * Reads the text again, sorts the stacks and builds them.  Whatever goes wrong with a line
 * is left to parse_lines, which says so of the first such line, or skips it.
 */
static bool
parse_sorted(Parser *p, const char *text, const char *end)
{
	FgPathOrder order;
	FgErrorCode code;
	bool		ok;

	begin_again(p);
	if (!begin_builder(p))
		return false;
	fg_path_order_begin(p->ctx, &order, ';');
	p->order = &order;
	ok = parse_lines(p, text, end) && fg_path_order_finish(&order) && build_sorted(p);
	p->order = NULL;
	fg_path_order_free(&order);
	code = p->ctx->error.code;
	if (ok || code == FG_ERROR_MEMORY || code == FG_ERROR_CANCELLED)
		return ok;
	begin_again(p);
	return begin_builder(p) && parse_lines(p, text, end);
}

/* fg_utf8_prefix by blocks; a sequence may be cut by the end of one. */
static bool
utf8_prefix(FgContext *ctx, const char *text, size_t length, size_t *valid)
{
	*valid = 0;
	while (*valid < length)
	{
		size_t		left = length - *valid;
		size_t		block = left < FG_CHECK_BYTES ? left : FG_CHECK_BYTES;
		size_t		prefix = fg_utf8_prefix(text + *valid, block);

		*valid += prefix;
		if (prefix + 4 <= block || block == left)
			return true;
		if (!fg_check(ctx))
			return false;
	}
	return true;
}

/* The place of the first byte that is not UTF-8. */
static bool
check_encoding(FgContext *ctx, const char *text, size_t length)
{
	size_t		valid;
	const char *nul = memchr(text, '\0', length);
	uint64_t	line = 1;
	size_t		line_start = 0;
	bool		utf16 = length >= 2 && ((uint8_t) text[0] == 0xFF || (uint8_t) text[0] == 0xFE) &&
		((uint8_t) text[0] ^ (uint8_t) text[1]) == 0x01;

	if (!utf8_prefix(ctx, text, length, &valid))
		return false;
	if (nul != NULL && (size_t) (nul - text) < valid)
		valid = (size_t) (nul - text);
	if (valid == length)
		return true;
	for (size_t i = 0; i < valid; i++)
	{
		if (text[i] != '\n')
			continue;
		line++;
		line_start = i + 1;
	}
	return fg_fail_at(ctx, FG_ERROR_ENCODING, line, valid - line_start + 1,
					  utf16 ? "The data looks like UTF-16; convert it to UTF-8." : NULL,
					  "byte 0x%02x does not belong to UTF-8 text", (uint8_t) text[valid]);
}

bool
fg_folded_parse(FgContext *ctx, const char *text, size_t length, FgFoldedOptions options,
				FgTree *tree, FgFoldedReport *report)
{
	static const char byte_order_mark[] = "\xEF\xBB\xBF";
	Parser		p = {.ctx = ctx, .options = options, .report = report, .scratch = {.ctx = ctx},
	.stable = true, .may_sort = true};
	const char *end = length > 0 ? text + length : text;	/* no arithmetic on NULL */
	bool		ok;

	memset(report, 0, sizeof(*report));
	memset(tree, 0, sizeof(*tree));
	if (options.check_encoding && length > 0 && !check_encoding(ctx, text, length))
		return false;
	if (options.dialect == FG_FOLDED_FOREIGN && length >= 3 && memcmp(text, byte_order_mark, 3) == 0)
		text += 3;
	ok = begin_builder(&p) && parse_lines(&p, text, end) &&
		(!p.out_of_order || parse_sorted(&p, text, end)) &&
		fg_builder_finish(p.builder, tree);
	if (p.builder != NULL)
		fg_builder_free(p.builder);
	fg_release(ctx, p.scratch.data);
	return ok;
}

bool
fg_folded_line(FgContext *ctx, FgFoldedTarget *target, const char *line, size_t length,
			   uint64_t number, FgFoldedReport *report)
{
	Parser		p = {.ctx = ctx, .options = {.dialect = FG_FOLDED_FOREIGN}, .report = report,
	.scratch = target->scratch, .line = number, .target = target, .stable = target->stable};
	bool		ok;

	if (!target->is_utf8 && !check_encoding(ctx, line, length))
	{
		ctx->error.line = number;
		return false;
	}
	p.scratch.ctx = ctx;
	ok = take_line(&p, line, length);
	target->scratch = p.scratch;
	return ok;
}

/* A blank and a number of digits and points, right in front of "at". */
static bool
value_ends_at(const char *text, const char *at)
{
	const char *start = at;

	while (start > text && ((start[-1] >= '0' && start[-1] <= '9') || start[-1] == '.'))
		start--;
	return start < at && start - 1 > text && start[-1] == ' ' && start[-2] != ' ';
}

bool
fg_folded_escaped_end(FgContext *ctx, const char *text, size_t length, bool *found)
{
	const char *end = text + length;
	const char *next = text;

	*found = false;
	while (!*found && next < end)
	{
		const char *at = memchr(next, '\\', (size_t) (end - next));

		if (at == NULL)
			break;
		*found = at + 2 < end && at[1] == 'n' && value_ends_at(next, at);
		if (!fg_work(ctx, (size_t) (at - next)))
			return false;
		next = at + 1;
	}
	return true;
}

/* --- printing ----------------------------------------------------------- */

typedef struct Printer
{
	const FgTree *tree;
	FgFoldedDialect dialect;
	FgBuffer	path;			/* text of the current path */
	size_t	   *end;			/* where the frame of each depth ends in it */
	size_t		end_capacity;
	uint64_t	replaced;
} Printer;

static bool
print_frame_foreign(Printer *p, const char *frame, size_t length)
{
	size_t		start = p->path.size;

	if (!fg_buffer_append(&p->path, frame, length))
		return false;
	for (size_t i = start; i < p->path.size; i++)
	{
		if (p->path.data[i] != ';')
			continue;
		p->path.data[i] = ':';
		p->replaced++;
	}
	return true;
}

/* Cuts the path to the node's parent and appends the node's frame. */
static bool
enter_node(Printer *p, uint32_t node)
{
	uint32_t	depth = fg_key_depth(p->tree->key[node]);
	uint32_t	frame = fg_key_frame(p->tree->key[node]);
	const char *bytes = fg_frame_bytes(&p->tree->frames, frame);
	uint32_t	length = fg_frame_length(&p->tree->frames, frame);
	bool		foreign = p->dialect == FG_FOLDED_FOREIGN;

	p->path.size = depth > 1 ? p->end[depth - 1] : 0;
	if (depth > 1 && !(foreign ? fg_buffer_append(&p->path, ";", 1)
					   : fg_path_print_separator(&p->path)))
		return false;
	if (!(foreign ? print_frame_foreign(p, bytes, length)
		  : fg_path_print_frame(&p->path, bytes, length)))
		return false;
	if (!fg_reserve(p->path.ctx, (void **) &p->end, &p->end_capacity, (size_t) depth + 1,
					sizeof(size_t)))
		return false;
	p->end[depth] = p->path.size;
	return true;
}

/* Would the line be read as a comment, or its start as an escaped hash? */
static bool
needs_line_escape(const Printer *p)
{
	const uint8_t *text = p->path.data;
	size_t		size = p->path.size;

	if (p->dialect == FG_FOLDED_FOREIGN || size == 0)
		return false;
	if (text[0] == '#')
		return size == 1 || text[1] == ' ';
	return size >= 2 && text[0] == '\\' && text[1] == '#';
}

static bool
print_line(Printer *p, FgBuffer *text, bool first, double value)
{
	if (!fg_buffer_room(text, p->path.size + FG_NUMBER_SIZE + 3))
		return false;
	if (!first)
		text->data[text->size++] = '\n';
	if (needs_line_escape(p))
		text->data[text->size++] = '\\';
	if (p->path.size > 0)
		memcpy(text->data + text->size, p->path.data, p->path.size);
	text->size += p->path.size;
	text->data[text->size++] = ' ';
	text->size += fg_number_print(value, (char *) text->data + text->size);
	return true;
}

static bool
print_tree(Printer *p, FgBuffer *text, size_t limit, bool *complete)
{
	const FgTree *tree = p->tree;
	size_t		start = text->size;

	*complete = true;
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if (i > 0 && !enter_node(p, i))
			return false;
		/* every node is part of some line, so the path alone can be too long */
		if (p->path.size > limit)
		{
			*complete = false;
			return true;
		}
		if (tree->self[i] == 0)
			continue;
		if (!print_line(p, text, text->size == start, tree->self[i]))
			return false;
		if (text->size - start > limit)
		{
			*complete = false;
			return true;
		}
		if (!fg_work(text->ctx, p->path.size))
			return false;
	}
	return true;
}

bool
fg_folded_print(FgBuffer *text, const FgTree *tree, FgFoldedDialect dialect, size_t limit,
				bool *complete, uint64_t *replaced)
{
	Printer		p = {.tree = tree, .dialect = dialect, .path = {.ctx = text->ctx}};
	bool		ok = print_tree(&p, text, limit, complete);

	if (replaced != NULL)
		*replaced = p.replaced;
	fg_release(text->ctx, p.path.data);
	fg_release(text->ctx, p.end);
	return ok;
}
