/*
 * jfr_values.c
 *	  Passes over values of the types of a chunk, and takes those that are wanted (see
 *	  jfr_metadata.h).
 *
 * A program is a list of steps: so many compressed numbers, so many bytes, a text, an array with
 * the steps of an element behind it, a mark.  Values inside values are laid out flat, so that
 * neither making a program nor running it needs a call for each level.
 */
#include "core/jfr/jfr_metadata.h"

#include "core/base/number.h"
#include "core/profile/frames.h"

#include <math.h>

#define MAX_STEPS	4096		/* of one program */
#define MAX_LEVELS	16			/* of values in values, and of arrays in arrays */

typedef enum StepKind
{
	NUMBERS,
	BYTES,
	TEXT,
	ARRAY,						/* "count" steps behind it are those of an element */
	MARK
} StepKind;

struct FgJfrStep
{
	StepKind	kind;
	uint32_t	count;
};

/* --- making programs --------------------------------------------------------------------- */

/* A class whose fields are laid out. */
typedef struct Level
{
	uint32_t	field;			/* the next */
	uint32_t	end;
	size_t		array;			/* the step of an array that ends with it; SIZE_MAX: none */
} Level;

typedef struct Making
{
	FgJfrMetadata *m;
	uint32_t	class_at;
	size_t		first;
	size_t		apart;			/* a step before this one has no further values added to it */
	Level		levels[MAX_LEVELS];
	int			depth;
} Making;

static bool
no_program(const Making *making, const char *why)
{
	FgJfrText	name = making->m->classes[making->class_at].name;

	return fg_fail_at(making->m->ctx, FG_ERROR_SYNTAX, 0, 0,
					  "Load the output of \"jfr print --json --stack-depth 2048\".",
					  "values of class %.*s cannot be read: %s",
					  name.length < 80 ? (int) name.length : 80, name.there ? name.bytes : "", why);
}

static bool
add_step(Making *making, StepKind kind, uint32_t count)
{
	FgJfrMetadata *m = making->m;
	FgJfrStep  *last = m->step_count > making->apart ? &m->steps[m->step_count - 1] : NULL;

	if ((kind == NUMBERS || kind == BYTES) && last != NULL && last->kind == kind)
	{
		last->count += count;
		return true;
	}
	if (m->step_count - making->first >= MAX_STEPS)
		return no_program(making, "they have too many parts, or hold themselves");
	if (!fg_reserve(m->ctx, (void **) &m->steps, &m->step_capacity, m->step_count + 1,
					sizeof(FgJfrStep)))
		return false;
	m->steps[m->step_count++] = (FgJfrStep) {kind, count};
	return true;
}

static bool
add_basic(Making *making, FgJfrBasic basic)
{
	switch (basic)
	{
		case FG_JFR_BOOLEAN:
		case FG_JFR_BYTE:
			return add_step(making, BYTES, 1);
		case FG_JFR_FLOAT:
			return add_step(making, BYTES, 4);
		case FG_JFR_DOUBLE:
			return add_step(making, BYTES, 8);
		case FG_JFR_STRING:
			return add_step(making, TEXT, 1);
		default:
			return add_step(making, NUMBERS, 1);
	}
}

static bool
begin_level(Making *making, uint32_t class_at, size_t array)
{
	const FgJfrClass *class = &making->m->classes[class_at];

	if (class->count == 0)
		return no_program(making, "a class in them has no fields and is no number");
	if (making->depth == MAX_LEVELS)
		return no_program(making, "they have too many parts, or hold themselves");
	making->levels[making->depth++] = (Level) {class->first, class->first + class->count, array};
	return true;
}

/* One value, or one element of the array that the last step began. */
static bool
add_value(Making *making, uint32_t class_at, bool constant, size_t array)
{
	const FgJfrClass *class;

	if (constant)
		return add_step(making, NUMBERS, 1);
	if (class_at == FG_NONE)
		return no_program(making, "a class in them is not described");
	class = &making->m->classes[class_at];
	if (class->basic == FG_JFR_COMPOSITE)
		return begin_level(making, class_at, array);
	return add_basic(making, class->basic);
}

static void
end_array(Making *making, size_t array)
{
	if (array == SIZE_MAX)
		return;
	making->m->steps[array].count = (uint32_t) (making->m->step_count - array - 1);
	making->apart = making->m->step_count;
}

static bool
add_field(Making *making, const FgJfrField *field)
{
	size_t		array = SIZE_MAX;
	int			depth = making->depth;

	if (field->array)
	{
		if (!add_step(making, ARRAY, 0))
			return false;
		making->apart = making->m->step_count;
		array = making->apart - 1;
	}
	if (!add_value(making, field->class_at, field->constant, array))
		return false;
	if (making->depth == depth)
		end_array(making, array);
	return true;
}

static bool
add_mark(Making *making, FgJfrText name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		if (names[i] != NULL && fg_jfr_text_is(name, names[i]) &&
			!add_step(making, MARK, (uint32_t) i))
			return false;
	}
	return true;
}

static bool
make_steps(Making *making, const char *const *names, size_t count)
{
	if (!add_value(making, making->class_at, false, SIZE_MAX))
		return false;
	while (making->depth > 0)
	{
		Level	   *level = &making->levels[making->depth - 1];
		const FgJfrField *field = &making->m->fields[level->field];

		if (level->field == level->end)
		{
			making->depth--;
			end_array(making, level->array);
			continue;
		}
		level->field++;
		if ((making->depth == 1 && !add_mark(making, field->name, names, count)) ||
			!add_field(making, field))
			return false;
	}
	return true;
}

/* Notes what is marked of a value of nothing but numbers; no number has two marks. */
static void
make_plain(const FgJfrMetadata *m, FgJfrProgram *program)
{
	const FgJfrStep *steps = m->steps + program->first;
	uint32_t	plain = 0;
	uint8_t		mark = FG_JFR_MARKS;

	for (uint32_t i = 0; i < program->count; i++)
	{
		if (steps[i].kind == MARK && mark == FG_JFR_MARKS)
		{
			mark = (uint8_t) steps[i].count;
			continue;
		}
		if (steps[i].kind != NUMBERS || steps[i].count > FG_JFR_MAX_PLAIN - plain)
			return;
		for (uint32_t n = 0; n < steps[i].count; n++)
		{
			program->marks[plain++] = mark;
			mark = FG_JFR_MARKS;
		}
	}
	program->plain = plain;
}

bool
fg_jfr_program(FgJfrMetadata *m, uint32_t class_at, const char *const *names, size_t count,
			   uint32_t *program)
{
	Making		making = {
		.m = m, .class_at = class_at, .first = m->step_count, .apart = m->step_count
	};

	if (!make_steps(&making, names, count) ||
		!fg_reserve(m->ctx, (void **) &m->programs, &m->program_capacity, m->program_count + 1,
					sizeof(FgJfrProgram)))
		return false;
	*program = (uint32_t) m->program_count;
	m->programs[m->program_count] = (FgJfrProgram) {
		.first = (uint32_t) making.first, .count = (uint32_t) (m->step_count - making.first)
	};
	make_plain(m, &m->programs[m->program_count++]);
	return true;
}

bool
fg_jfr_class_program(FgJfrMetadata *m, uint32_t class_at, uint32_t *program)
{
	FgJfrClass *class = &m->classes[class_at];

	if (class->program == FG_NONE && !fg_jfr_program(m, class_at, NULL, 0, &class->program))
		return false;
	*program = class->program;
	return true;
}

/* --- running them ---------------------------------------------------------------------------- */

static bool
pass_numbers(FgJfrBytes *bytes, uint64_t count)
{
	const uint8_t *next = bytes->next;
	const uint8_t *end = bytes->end;

	for (; count > 0; count--)
	{
		const uint8_t *first = next;

		while (next < end && *next >= 0x80 && next - first < FG_JFR_MAX_NUMBER - 1)
			next++;
		if (next == end)
		{
			bytes->next = first;
			return fg_jfr_broken(bytes, "a number is cut off");
		}
		next++;
	}
	bytes->next = next;
	return true;
}

static bool
pass_text(FgJfrBytes *bytes)
{
	uint64_t	count;

	if (bytes->next == bytes->end)
		return fg_jfr_broken(bytes, "a text is cut off");
	switch (*bytes->next++)
	{
		case FG_JFR_NULL:
		case FG_JFR_EMPTY:
			return true;
		case FG_JFR_KEY:
			return pass_numbers(bytes, 1);
		case FG_JFR_UTF8:
		case FG_JFR_LATIN1:
			return fg_jfr_count(bytes, &count) && fg_jfr_skip(bytes, count);
		case FG_JFR_UTF16:
			return fg_jfr_count(bytes, &count) && pass_numbers(bytes, count);
		default:
			bytes->next--;
			return fg_jfr_broken(bytes, "a text is written in no known way");
	}
}

/* An array whose elements are passed over. */
typedef struct Loop
{
	uint32_t	start;
	uint32_t	end;
	uint64_t	left;
} Loop;

/* The elements of most arrays are so many numbers, and those of the largest ones are. */
static bool
pass_array(const FgJfrStep *steps, uint32_t *at, FgJfrBytes *bytes, Loop *loops, int *depth)
{
	const FgJfrStep *array = &steps[*at];
	uint64_t	count;

	if (!fg_jfr_count(bytes, &count) || !fg_work(bytes->ctx, (size_t) count))
		return false;
	if (array->count == 1 && array[1].kind == NUMBERS)
	{
		*at += 2;
		return count * array[1].count <= fg_jfr_left(bytes)
			? pass_numbers(bytes, count * array[1].count)
			: fg_jfr_broken(bytes, "a list is longer than what holds it");
	}
	if (count == 0)
	{
		*at += 1 + array->count;
		return true;
	}
	if (*depth == MAX_LEVELS)
		return fg_jfr_broken(bytes, "lists are nested too deep");
	loops[(*depth)++] = (Loop) {*at + 1, *at + 1 + array->count, count};
	*at += 1;
	return true;
}

bool
fg_jfr_pass(const FgJfrMetadata *m, uint32_t program, FgJfrBytes *bytes,
			const uint8_t *marks[FG_JFR_MARKS])
{
	const FgJfrStep *steps = m->steps + m->programs[program].first;
	uint32_t	count = m->programs[program].count;
	Loop		loops[MAX_LEVELS];
	int			depth = 0;
	uint32_t	at = 0;
	bool		ok = true;

	if (marks != NULL)
		memset(marks, 0, FG_JFR_MARKS * sizeof(marks[0]));
	while (ok)
	{
		const FgJfrStep *step = &steps[at];

		if (depth > 0 && at == loops[depth - 1].end)
		{
			if (--loops[depth - 1].left > 0)
				at = loops[depth - 1].start;
			else
				depth--;
			ok = fg_steps(m->ctx, 1);
			continue;
		}
		if (at == count)
			return true;
		if (step->kind == ARRAY)
		{
			ok = pass_array(steps, &at, bytes, loops, &depth);
			continue;
		}
		at++;
		if (step->kind == NUMBERS)
			ok = pass_numbers(bytes, step->count);
		else if (step->kind == BYTES)
			ok = fg_jfr_skip(bytes, step->count);
		else if (step->kind == TEXT)
			ok = pass_text(bytes);
		else
			marks[step->count] = bytes->next;
	}
	return false;
}

/* False: a number is cut off; bytes are left as they were. */
static bool
take_plain(const FgJfrProgram *program, FgJfrBytes *bytes, FgJfrMarked *marked)
{
	FgJfrBytes	rest = *bytes;

	for (uint32_t i = 0; i < program->plain; i++)
	{
		uint8_t		mark = program->marks[i];

		marked->place[mark] = rest.next;
		if (!fg_jfr_take_number(&rest, &marked->number[mark]))
			return false;
	}
	bytes->next = rest.next;
	return true;
}

bool
fg_jfr_take(const FgJfrMetadata *m, uint32_t program, FgJfrBytes *bytes, FgJfrMarked *marked)
{
	const FgJfrProgram *p = &m->programs[program];

	*marked = (FgJfrMarked) {.place = {NULL}};
	if (p->plain > 0 && take_plain(p, bytes, marked))
		return true;
	if (!fg_jfr_pass(m, program, bytes, marked->place))
		return false;
	for (int i = 0; i < FG_JFR_MARKS; i++)
	{
		FgJfrBytes	at = {.next = marked->place[i], .end = bytes->end};

		marked->number[i] = 0;
		if (marked->place[i] != NULL)
			fg_jfr_take_number(&at, &marked->number[i]);
	}
	return true;
}

/* --- values ------------------------------------------------------------------------------------- */

static bool
append_character(FgBuffer *buffer, uint32_t c)
{
	uint8_t		bytes[4];
	size_t		size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = size; i-- > 1; c >>= 6)
		bytes[i] = (uint8_t) (0x80 | (c & 0x3F));
	bytes[0] = (uint8_t) (size == 1 ? c : c | (0xF00u >> size & 0xFF));
	return fg_buffer_append(buffer, bytes, size);
}

static bool
is_half(uint32_t unit, bool second)
{
	return unit >> 10 == (second ? 0xDC00u : 0xD800u) >> 10;
}

/* A half without the other one is no character. */
static bool
append_units(FgBuffer *buffer, uint32_t *half, uint32_t unit)
{
	if (*half != 0 && is_half(unit, true))
	{
		unit = 0x10000 + ((*half & 0x3FF) << 10 | (unit & 0x3FF));
		*half = 0;
		return append_character(buffer, unit);
	}
	if (*half != 0 && !append_character(buffer, 0xFFFD))
		return false;
	*half = is_half(unit, false) ? unit : 0;
	return *half != 0 || append_character(buffer, is_half(unit, true) ? 0xFFFD : unit);
}

static bool
take_units(FgJfrBytes *bytes, uint64_t count, bool latin1, FgBuffer *buffer)
{
	uint32_t	half = 0;

	buffer->size = 0;
	for (; count > 0; count--)
	{
		uint64_t	unit = 0;

		if (latin1)
			unit = *bytes->next++;
		else if (!fg_jfr_number(bytes, &unit))
			return false;
		if (!append_units(buffer, &half, (uint32_t) unit & 0xFFFF) || !fg_steps(bytes->ctx, 1))
			return false;
	}
	return half == 0 || append_character(buffer, 0xFFFD);
}

bool
fg_jfr_take_text(FgJfrBytes *bytes, FgBuffer *buffer, FgJfrText *text, FgJfrCoding *coding,
				 uint64_t *key)
{
	uint64_t	count;

	if (bytes->next == bytes->end)
		return fg_jfr_broken(bytes, "a text is cut off");
	if (*bytes->next >= FG_JFR_CODINGS)
		return fg_jfr_broken(bytes, "a text is written in no known way");
	*coding = (FgJfrCoding) *bytes->next++;
	*text = (FgJfrText) {"", 0, *coding != FG_JFR_NULL && *coding != FG_JFR_KEY};
	if (*coding == FG_JFR_KEY)
		return fg_jfr_number(bytes, key);
	if (*coding == FG_JFR_NULL || *coding == FG_JFR_EMPTY)
		return true;
	if (!fg_jfr_count(bytes, &count))
		return false;
	if (*coding == FG_JFR_UTF8)
	{
		*text = (FgJfrText) {(const char *) bytes->next, (size_t) count, true};
		return fg_jfr_skip(bytes, count);
	}
	if (!take_units(bytes, count, *coding == FG_JFR_LATIN1, buffer))
		return false;
	if (buffer->size > 0)
		*text = (FgJfrText) {(const char *) buffer->data, buffer->size, true};
	return true;
}

bool
fg_jfr_append_utf8(FgBuffer *buffer, const char *bytes, size_t length)
{
	while (length > 0)
	{
		size_t		valid = fg_utf8_prefix(bytes, length);
		const uint8_t *odd = (const uint8_t *) bytes + valid;

		if (!fg_buffer_append(buffer, bytes, valid))
			return false;
		if (valid == length)
			break;
		if (length - valid >= 6 && odd[0] == 0xED && odd[1] >> 4 == 0xA && odd[3] == 0xED &&
			odd[4] >> 4 == 0xB && odd[2] >> 6 == 2 && odd[5] >> 6 == 2)
		{
			uint32_t	c = (uint32_t) (odd[1] & 0xF) << 16 | (uint32_t) (odd[2] & 0x3F) << 10 |
				(uint32_t) (odd[4] & 0xF) << 6 | (odd[5] & 0x3F);

			if (!append_character(buffer, c + 0x10000))
				return false;
			valid += 6;
		}
		else if (length - valid >= 2 && odd[0] == 0xC0 && odd[1] == 0x80)
		{
			/* the character 0 */
			if (!fg_buffer_append(buffer, "", 1))
				return false;
			valid += 2;
		}
		else
			return fg_fail(buffer->ctx, FG_ERROR_ENCODING, "a name in the recording is not valid UTF-8");
		bytes += valid;
		length -= valid;
	}
	return true;
}

bool
fg_jfr_field_number(const FgJfrMetadata *m, const FgJfrField *field, FgJfrBytes *bytes,
					double *number)
{
	FgJfrBasic	basic = field->class_at == FG_NONE || field->constant || field->array
		? FG_JFR_COMPOSITE : m->classes[field->class_at].basic;
	unsigned	size = basic == FG_JFR_DOUBLE ? 8 : basic == FG_JFR_FLOAT ? 4 : 1;
	uint64_t	value = 0;
	uint32_t	bits;
	float		single;

	if (basic == FG_JFR_COMPOSITE || basic == FG_JFR_STRING || fg_jfr_left(bytes) < size)
		return false;
	switch (basic)
	{
		case FG_JFR_BOOLEAN:
			return false;
		case FG_JFR_BYTE:
			*number = field->is_unsigned ? *bytes->next : (int8_t) *bytes->next;
			return true;
		case FG_JFR_FLOAT:
			bits = (uint32_t) fg_jfr_big_endian(bytes->next, 4);
			memcpy(&single, &bits, sizeof(single));
			*number = (double) single;
			return isfinite(*number);
		case FG_JFR_DOUBLE:
			*number = fg_bits_double(fg_jfr_big_endian(bytes->next, 8));
			return isfinite(*number);
		default:
			break;
	}
	if (!fg_jfr_take_number(bytes, &value))
		return false;
	if (basic == FG_JFR_SHORT)
		*number = field->is_unsigned ? (uint16_t) value : (int16_t) value;
	else if (basic == FG_JFR_CHAR)
		*number = (uint16_t) value;
	else if (basic == FG_JFR_INT)
		*number = field->is_unsigned ? (double) (uint32_t) value : (int32_t) (uint32_t) value;
	else
		*number = field->is_unsigned ? fg_number_of_unsigned(m->ctx, value) : fg_number_of(m->ctx, (int64_t) value);
	return true;
}
