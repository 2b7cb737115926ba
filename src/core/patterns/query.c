/*
 * query.c
 *	  Patterns over stacks: text form (see query.h; matching is in match.c).
 */
#include "core/patterns/query.h"

#include "core/profile/frames.h"

static const char frame_hint[] =
	"Quote a frame that holds one of ; * @ % | ! { } \" ~, or starts or ends with a blank.";
static const char count_hint[] =
	"Counts are written {n}, {n,}, {n,m} or {,m}.";
static const char quote_hint[] =
	"Between quotes, \\\" is a quote and \\\\ a backslash.";
static const char empty_hint[] =
	"\"*\" matches every stack, \"*{0}\" the empty one.";
static const char regex_hint[] =
	"A regular expression is written ~\"...\"; it need not match the whole frame.";

typedef struct Parser
{
	FgContext  *ctx;
	FgQuery    *query;
	const char *start;
	const char *next;
	const char *end;
} Parser;

static bool
bad_syntax(const Parser *p, const char *at, const char *hint, const char *reason)
{
	return fg_fail_at(p->ctx, FG_ERROR_SYNTAX, 0, (uint64_t) (at - p->start) + 1, hint,
					  "%s", reason);
}

static bool
is_operator(char c)
{
	return strchr(";*@%|!{}\"~", c) != NULL && c != '\0';
}

static bool
at_char(const Parser *p, char c)
{
	return p->next < p->end && *p->next == c;
}

static bool
take_char(Parser *p, char c)
{
	if (!at_char(p, c))
		return false;
	p->next++;
	return true;
}

/* The text of a bare frame. */
static bool
parse_bare(Parser *p)
{
	const char *start = p->next;

	while (p->next < p->end && !is_operator(*p->next))
	{
		p->next++;
		if (!fg_work(p->ctx, 0))
			return false;
	}
	if (p->next == start)
		return bad_syntax(p, start, p->start == p->end ? empty_hint : frame_hint,
						  p->next == p->end ? "the pattern ends too early"
						  : "a frame is expected here");
	if (*start == ' ' || p->next[-1] == ' ')
		return bad_syntax(p, start, frame_hint, "a frame without quotes starts or ends with a blank");
	return fg_buffer_append(&p->query->text, start, (size_t) (p->next - start));
}

/* The text between quotes, escapes undone; the opening quote is behind us. */
static bool
parse_quoted(Parser *p)
{
	const char *start = p->next - 1;

	while (p->next < p->end && *p->next != '"')
	{
		if (*p->next == '\\' && p->next + 1 < p->end &&
			(p->next[1] == '"' || p->next[1] == '\\'))
			p->next++;
		if (!fg_buffer_append(&p->query->text, p->next, 1))
			return false;
		p->next++;
		if (!fg_work(p->ctx, 0))
			return false;
	}
	return take_char(p, '"') || bad_syntax(p, start, quote_hint, "a quote is not closed");
}

static bool
parse_modifiers(Parser *p, FgItem *item)
{
	for (; p->next < p->end; p->next++)
	{
		uint32_t	flag;

		switch (*p->next)
		{
			case '*':
				flag = FG_ITEM_PREFIX;
				break;
			case '@':
				flag = FG_ITEM_CASELESS;
				break;
			case '%':
				flag = FG_ITEM_WORDS;
				break;
			default:
				return true;
		}
		if ((item->flags & FG_ITEM_REGEX) && flag != FG_ITEM_CASELESS)
			return bad_syntax(p, p->next, regex_hint, "a regular expression takes no modifier but @");
		item->flags |= flag;
	}
	return true;
}

static bool
parse_item(Parser *p)
{
	FgQuery    *query = p->query;
	FgItem	   *item;
	const char *start = p->next;
	bool		regex;

	if (!fg_reserve(p->ctx, (void **) &query->items, &query->items_capacity,
					(size_t) query->nitems + 1, sizeof(FgItem)))
		return false;
	item = &query->items[query->nitems++];
	memset(item, 0, sizeof(*item));
	item->offset = query->text.size;
	regex = take_char(p, '~');
	if (regex)
	{
		item->flags = FG_ITEM_REGEX;
		item->regex = query->nregexes++;
		if (!at_char(p, '"'))
			return bad_syntax(p, p->next, regex_hint, "a regular expression must be quoted");
	}
	if (!(take_char(p, '"') ? parse_quoted(p) : parse_bare(p)))
		return false;
	item->length = query->text.size - item->offset;
	if (regex && item->length > FG_QUERY_MAX_REGEX)
		return fg_fail(p->ctx, FG_ERROR_LIMIT,
					   "a regular expression has %zu bytes, the limit is %u", item->length,
					   FG_QUERY_MAX_REGEX);
	if (!regex && !fg_frame_valid(p->ctx, fg_item_text(query, item), item->length))
	{
		p->ctx->error.column = (uint64_t) (start - p->start) + 1;
		return false;
	}
	return parse_modifiers(p, item);
}

static bool
parse_number(Parser *p, uint32_t *number)
{
	const char *start = p->next;
	uint32_t	value = 0;

	for (; p->next < p->end && *p->next >= '0' && *p->next <= '9'; p->next++)
	{
		value = value * 10 + (uint32_t) (*p->next - '0');
		if (value > FG_MAX_DEPTH)
			return bad_syntax(p, start, count_hint, "a repetition count is larger than a stack can be deep");
	}
	*number = value;
	return true;
}

/* Behind "{": n} n,} n,m} ,m} */
static bool
parse_quantifier(Parser *p, FgLevelPattern *level)
{
	const char *start = p->next;
	const char *second;

	level->min = 0;
	if (!parse_number(p, &level->min))
		return false;
	level->max = level->min;
	if (p->next == start && !at_char(p, ','))
		return bad_syntax(p, start, count_hint, "a repetition count is expected here");
	if (take_char(p, ','))
	{
		second = p->next;
		level->max = FG_QUERY_UNBOUNDED;
		if (!at_char(p, '}') && (!parse_number(p, &level->max) || p->next == second))
			return p->next == second ? bad_syntax(p, second, count_hint, "a repetition count is expected here")
				: false;
	}
	if (!take_char(p, '}'))
		return bad_syntax(p, p->next, count_hint, "a repetition count is not closed by }");
	if (level->max < level->min)
		return bad_syntax(p, start, count_hint, "the upper repetition count is less than the lower");
	return true;
}

static bool
parse_level(Parser *p)
{
	FgQuery    *query = p->query;
	FgLevelPattern *level;

	if (!fg_reserve(p->ctx, (void **) &query->levels, &query->levels_capacity,
					(size_t) query->nlevels + 1, sizeof(FgLevelPattern)))
		return false;
	level = &query->levels[query->nlevels++];
	*level = (FgLevelPattern) {.min = 1, .max = 1, .first_item = query->nitems};
	if (take_char(p, '*'))
	{
		level->any = true;
		level->min = 0;
		level->max = FG_QUERY_UNBOUNDED;
	}
	else
	{
		level->negated = take_char(p, '!');
		do
		{
			if (!parse_item(p))
				return false;
		} while (take_char(p, '|'));
		level->nitems = query->nitems - level->first_item;
	}
	if (take_char(p, '{'))
		return parse_quantifier(p, level);
	return true;
}

/* Positions that a level needs: how often it has matched so far. */
static uint32_t
level_states(const FgLevelPattern *level)
{
	return (level->max == FG_QUERY_UNBOUNDED ? level->min : level->max) + 1;
}

static bool
check_size(const FgQuery *query)
{
	uint64_t	states = 0;

	for (uint32_t l = 0; l < query->nlevels; l++)
		states += level_states(&query->levels[l]);
	return states <= FG_QUERY_MAX_STATES ||
		fg_fail(query->ctx, FG_ERROR_LIMIT,
				"levels and repetitions of a pattern add up to more than %u", FG_QUERY_MAX_STATES);
}

static bool
parse_levels(Parser *p)
{
	do
	{
		if (!parse_level(p) || !fg_work(p->ctx, sizeof(FgLevelPattern)))
			return false;
	} while (take_char(p, ';'));
	if (p->next < p->end)
		return bad_syntax(p, p->next, frame_hint, "a level should end here");
	return check_size(p->query);
}

bool
fg_query_parse(FgContext *ctx, const char *text, size_t length, FgQuery *query)
{
	Parser		p = {ctx, query, text, text, text + length};

	memset(query, 0, sizeof(*query));
	query->ctx = ctx;
	query->text.ctx = ctx;
	/* room from the beginning, so that an empty item, too, is a place in memory */
	if (fg_check(ctx) && fg_buffer_room(&query->text, length + 1) && parse_levels(&p))
		return true;
	fg_query_free(query);
	return false;
}

void
fg_query_free(FgQuery *query)
{
	fg_release(query->ctx, query->levels);
	fg_release(query->ctx, query->items);
	fg_release(query->ctx, query->text.data);
	fg_release(query->ctx, query->order);
	query->levels = NULL;
	query->items = NULL;
	query->text.data = NULL;
	query->order = NULL;
}

/* --- an index of plain frames ------------------------------------------------- */

/* What a sort of the plain frames of a level takes. */
typedef struct Plain
{
	size_t	   *offset;
	uint32_t   *length;
	uint32_t   *item;
	uint32_t   *order;
} Plain;

static bool
index_level(FgQuery *query, FgLevelPattern *level, Plain *plain)
{
	uint32_t   *to = query->order + level->first_item;
	uint32_t	others = level->nitems;

	level->nexact = 0;
	/* the others, from the right, keep their order */
	for (uint32_t i = level->nitems; i > 0; i--)
	{
		if (query->items[level->first_item + i - 1].flags != 0)
			to[--others] = level->first_item + i - 1;
	}
	for (uint32_t i = 0; i < level->nitems; i++)
	{
		const FgItem *item = &query->items[level->first_item + i];

		if (!fg_work(query->ctx, 0))
			return false;
		if (item->flags != 0)
			continue;
		plain->offset[level->nexact] = item->offset;
		plain->length[level->nexact] = (uint32_t) item->length;
		plain->item[level->nexact++] = level->first_item + i;
	}
	if (level->nexact == 0)
		return true;
	if (!fg_frames_sort(query->ctx, (const char *) query->text.data, plain->offset, plain->length,
						level->nexact, plain->order))
		return false;
	for (uint32_t i = 0; i < level->nexact; i++)
		to[i] = plain->item[plain->order[i]];
	return true;
}

bool
fg_query_index(FgQuery *query)
{
	FgContext  *ctx = query->ctx;
	Plain		plain = {
		.offset = fg_alloc(ctx, query->nitems, sizeof(size_t)),
		.length = fg_alloc(ctx, query->nitems, sizeof(uint32_t)),
		.item = fg_alloc(ctx, query->nitems, sizeof(uint32_t)),
		.order = fg_alloc(ctx, query->nitems, sizeof(uint32_t))
	};
	bool		ok;

	query->order = fg_alloc(ctx, query->nitems, sizeof(uint32_t));
	ok = query->order != NULL && plain.offset != NULL && plain.length != NULL &&
		plain.item != NULL && plain.order != NULL;
	for (uint32_t l = 0; ok && l < query->nlevels; l++)
		ok = index_level(query, &query->levels[l], &plain);
	fg_release(ctx, plain.offset);
	fg_release(ctx, plain.length);
	fg_release(ctx, plain.item);
	fg_release(ctx, plain.order);
	if (ok)
		return true;
	fg_release(ctx, query->order);
	query->order = NULL;
	return false;
}

/* --- printing ---------------------------------------------------------------- */

static bool
needs_quotes(const char *text, size_t length)
{
	if (text[0] == ' ' || text[length - 1] == ' ')
		return true;
	for (size_t i = 0; i < length; i++)
	{
		if (is_operator(text[i]))
			return true;
	}
	return false;
}

static bool
print_quoted(FgBuffer *to, const char *text, size_t length)
{
	if (!fg_buffer_room(to, 2 * length + 2))
		return false;
	to->data[to->size++] = '"';
	for (size_t i = 0; i < length; i++)
	{
		/* a backslash need only be doubled where it would be read as an escape */
		bool		escape = text[i] == '"' ||
			(text[i] == '\\' && (i + 1 == length || text[i + 1] == '"' || text[i + 1] == '\\'));

		if (escape)
			to->data[to->size++] = '\\';
		to->data[to->size++] = (uint8_t) text[i];
	}
	to->data[to->size++] = '"';
	return true;
}

static bool
print_item(FgBuffer *to, const FgQuery *query, const FgItem *item)
{
	const char *text = fg_item_text(query, item);
	bool		regex = (item->flags & FG_ITEM_REGEX) != 0;

	if (!fg_work(query->ctx, 8 * item->length))
		return false;
	if (regex && !fg_buffer_append(to, "~", 1))
		return false;
	if (!(regex || needs_quotes(text, item->length) ? print_quoted(to, text, item->length)
		  : fg_buffer_append(to, text, item->length)))
		return false;
	return (!(item->flags & FG_ITEM_PREFIX) || fg_buffer_append(to, "*", 1)) &&
		(!(item->flags & FG_ITEM_CASELESS) || fg_buffer_append(to, "@", 1)) &&
		(!(item->flags & FG_ITEM_WORDS) || fg_buffer_append(to, "%", 1));
}

static bool
print_number(FgBuffer *to, uint32_t number)
{
	char		digits[16];
	size_t		n = sizeof(digits);

	do
	{
		digits[--n] = (char) ('0' + number % 10);
		number /= 10;
	} while (number != 0);
	return fg_buffer_append(to, digits + n, sizeof(digits) - n);
}

static bool
print_quantifier(FgBuffer *to, const FgLevelPattern *level)
{
	uint32_t	usual_min = level->any ? 0 : 1;
	uint32_t	usual_max = level->any ? FG_QUERY_UNBOUNDED : 1;

	if (level->min == usual_min && level->max == usual_max)
		return true;
	if (!fg_buffer_append(to, "{", 1))
		return false;
	if ((level->min > 0 || level->max == level->min || level->max == FG_QUERY_UNBOUNDED) &&
		!print_number(to, level->min))
		return false;
	if (level->max != level->min && !fg_buffer_append(to, ",", 1))
		return false;
	if (level->max != level->min && level->max != FG_QUERY_UNBOUNDED &&
		!print_number(to, level->max))
		return false;
	return fg_buffer_append(to, "}", 1);
}

static bool
print_level(FgBuffer *to, const FgQuery *query, const FgLevelPattern *level)
{
	if (level->any)
		return fg_buffer_append(to, "*", 1) && print_quantifier(to, level);
	if (level->negated && !fg_buffer_append(to, "!", 1))
		return false;
	for (uint32_t i = 0; i < level->nitems; i++)
	{
		if (i > 0 && !fg_buffer_append(to, "|", 1))
			return false;
		if (!print_item(to, query, &query->items[level->first_item + i]))
			return false;
	}
	return print_quantifier(to, level);
}

bool
fg_query_print(const FgQuery *query, FgBuffer *text)
{
	for (uint32_t l = 0; l < query->nlevels; l++)
	{
		if (l > 0 && !fg_buffer_append(text, ";", 1))
			return false;
		if (!print_level(text, query, &query->levels[l]) ||
			!fg_work(query->ctx, sizeof(FgLevelPattern)))
			return false;
	}
	return true;
}
