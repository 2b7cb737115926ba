/*
 * perf_lines.c
 *	  Heads and frames of "perf script" (see perf_lines.h).
 *
 * The order and the widths of the fields are those of process_event() in perf's
 * builtin-script.c.
 */
#include "core/formats/perf_lines.h"

#include <string.h>

typedef FgPerfSpan Span;

static const char no_head[] = "this is not the head of a sample";
static const char no_frame[] = "this is not a frame of a sample";

/* Numbers are right-aligned in so many columns: "%5d", "%10lu", "%12s:". */
#define PROCESS_COLUMNS 5
#define PERIOD_COLUMNS 10
#define TIME_COLUMNS 13

/* An address is right-aligned in so many columns. */
#define ADDRESS_COLUMNS 16

/* --- words ------------------------------------------------------------------- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

Span
fg_perf_skip_blanks(Span text)
{
	while (text.length > 0 && is_blank(text.text[0]))
	{
		text.text++;
		text.length--;
	}
	return text;
}

static Span
from(Span text, size_t at)
{
	return (Span) {text.text + at, text.length - at};
}

/* The text from the first such character on; empty where there is none. */
static Span
from_char(Span text, char c)
{
	const char *found = text.length == 0 ? NULL : memchr(text.text, c, text.length);

	return from(text, found == NULL ? text.length : (size_t) (found - text.text));
}

static Span
trim_end(Span text)
{
	while (text.length > 0 && is_blank(text.text[text.length - 1]))
		text.length--;
	return text;
}

/* Cuts the next word off; empty at the end. */
static Span
next_word(Span *text)
{
	Span		word;

	*text = fg_perf_skip_blanks(*text);
	word = (Span) {text->text, 0};
	while (word.length < text->length && !is_blank(text->text[word.length]))
		word.length++;
	text->text += word.length;
	text->length -= word.length;
	return word;
}

/* Cuts the last word off, and the blanks before it. */
static Span
last_word(Span *text)
{
	size_t		start;

	*text = trim_end(*text);
	start = text->length;
	while (start > 0 && !is_blank(text->text[start - 1]))
		start--;
	Span		word = {text->text + start, text->length - start};

	*text = trim_end((Span) {text->text, start});
	return word;
}

bool
fg_perf_starts_with(Span text, const char *start)
{
	size_t		length = strlen(start);

	return text.length >= length && memcmp(text.text, start, length) == 0;
}

static bool
is_word(Span text, const char *word)
{
	return text.length == strlen(word) && fg_perf_starts_with(text, word);
}

static bool
is_number(Span word)
{
	for (size_t i = 0; i < word.length; i++)
	{
		if (!is_digit(word.text[i]))
			return false;
	}
	return word.length > 0;
}

/* perf calls a thread that it does not know -1. */
static bool
is_thread(Span word)
{
	return is_number(word) || is_word(word, "-1");
}

/* "1234" or "1234/1235" */
static bool
is_id(Span word)
{
	size_t		first = 0;

	while (first < word.length && word.text[first] != '/')
		first++;
	return is_thread((Span) {word.text, first}) &&
		(first == word.length ||
		 is_thread((Span) {word.text + first + 1, word.length - first - 1}));
}

/* "[001]" */
static bool
is_processor(Span word)
{
	return word.length > 2 && word.text[0] == '[' && word.text[word.length - 1] == ']' &&
		is_number((Span) {word.text + 1, word.length - 2});
}

/* "5678.901234:" */
static bool
is_time(Span word)
{
	size_t		dot = 0;

	while (dot < word.length && is_digit(word.text[dot]))
		dot++;
	return dot > 0 && word.length > dot + 2 && word.text[dot] == '.' &&
		word.text[word.length - 1] == ':' &&
		is_number((Span) {word.text + dot + 1, word.length - dot - 2});
}

/* "12:00:01.5:": it begins as a time and ends as one, and is none that perf prints; an event begins with no digit. */
static bool
is_strange_time(Span word)
{
	return word.length > 1 && is_digit(word.text[0]) && word.text[word.length - 1] == ':' && !is_time(word);
}

/* Digits where the pattern has a 9, else the pattern's own character; a 9 at its end stands for many. */
static bool
has_form(Span word, const char *form)
{
	size_t		size = strlen(form);

	if (word.length < size)
		return false;
	for (size_t i = 0; i < word.length; i++)
	{
		char		wanted = form[i < size ? i : size - 1];

		if (wanted == '9' ? !is_digit(word.text[i]) : word.text[i] != wanted)
			return false;
	}
	return true;
}

/* "cycles:u:" */
static bool
is_event(Span word)
{
	return word.length > 1 && word.text[word.length - 1] == ':' && !is_digit(word.text[0]);
}

/*
 * The field misc: a letter for the mode of the processor (kernel, user, hypervisor, guest),
 * and letters for what else is known of the sample.
 */
static bool
is_misc(Span word)
{
	for (size_t i = 0; i < word.length; i++)
	{
		if (strchr("KUHGgEMPCS", word.text[i]) == NULL)
			return false;
	}
	return word.length > 0 && word.length <= 5;
}

/* --- heads ------------------------------------------------------------------- */

/* What stands between the process and the period: places and times. */
static Span
take_places_and_times(Span *text, FgPerfHead *head)
{
	Span		word = next_word(text);

	if (fg_perf_starts_with(word, "VM:"))
	{
		/* "VM:%5d": the number is a word of its own, unless it has five digits */
		if (word.length == 3)
			next_word(text);
		word = next_word(text);
	}
	if (has_form(word, "VCPU:9"))
		word = next_word(text);
	if (is_processor(word))
	{
		head->certain = true;
		word = next_word(text);
	}
	if (is_misc(word))
		word = next_word(text);
	if (has_form(word, "9999-99-99"))
	{
		word = next_word(text);
		if (!has_form(word, "99:99:99.9"))
			return word;		/* and it is no event either */
		word = next_word(text);
	}
	if (is_time(word))
	{
		head->certain = true;
		head->time = word;
		word = next_word(text);
	}
	return word;
}

/* The fields behind the command and the process, in their order. */
static bool
parse_fields(Span text, FgPerfHead *head)
{
	Span		word;

	head->event = head->period = head->time = (Span) {text.text, 0};
	word = take_places_and_times(&text, head);
	if (fg_perf_starts_with(word, "PERF_RECORD_"))
	{
		head->other_record = true;
		return true;
	}
	if (is_number(word))
	{
		head->period = word;
		word = next_word(&text);
	}
	head->rest = fg_perf_skip_blanks(text);
	if (word.length == 0)
		return head->period.length == 0 || head->certain;
	if (!is_event(word))
		return false;
	head->event = (Span) {word.text, word.length - 1};
	return true;
}

/* Was this word printed right-aligned in so many columns, behind a blank or at the line's start? */
static bool
is_aligned(Span line, Span word, size_t columns)
{
	const char *start = word.text;

	while (start > line.text && is_blank(start[-1]))
		start--;
	return (size_t) (word.text + word.length - start) >= columns + (start > line.text);
}

/* The same, with blanks that nothing but the columns explains. */
static bool
is_padded(Span line, Span word, size_t columns)
{
	return word.length > 0 && word.text - line.text > 1 && is_blank(word.text[-1]) &&
		is_blank(word.text[-2]) && is_aligned(line, word, columns);
}

/*
 * A command may end in a number.  Where the other numbers have the columns that perf gives
 * them, a number that has not is no process.
 */
static bool
is_part_of_command(Span line, const FgPerfHead *head)
{
	if (is_aligned(line, head->id, PROCESS_COLUMNS))
		return false;
	return is_padded(line, head->period, PERIOD_COLUMNS) ||
		is_padded(line, head->time, TIME_COLUMNS);
}

/* Without a processor and a time it is the columns that tell a process from a period. */
static const char *
check_numbers(Span line, Span last, FgPerfHead *head)
{
	if (head->event.length == 0)
	{
		if (head->command.length == 0)
			return no_head;
		/* "9461/9461" is a process and its thread, however wide it is */
		return is_number(last) || is_misc(last) ||
			(is_aligned(line, head->id, PERIOD_COLUMNS) && memchr(head->id.text, '/', head->id.length) == NULL)
			? "its number may be the process or the period" : NULL;
	}
	if (head->period.length > 0)
		return is_aligned(line, head->period, PERIOD_COLUMNS) ? NULL : no_head;
	if (!is_number(head->id) || !is_aligned(line, head->id, PERIOD_COLUMNS))
		return head->command.length == 0 && head->rest.length > 0 &&
			!is_aligned(line, head->id, PROCESS_COLUMNS) ? no_head : NULL;
	if (is_misc(last))
		return "it has neither a process nor a time, so it is not clear where its command ends";
	head->period = head->id;
	head->id.length = 0;
	return NULL;
}

/* The head whose command ends before this word, which is the process. */
static const char *
head_with_process(Span line, Span before, Span word, Span text, FgPerfHead *head)
{
	Span		last = before;

	*head = (FgPerfHead) {.id = word,.command = before};
	if (!parse_fields(text, head) || is_part_of_command(line, head))
		return no_head;
	if (head->other_record || head->certain)
		return NULL;
	return check_numbers(line, last_word(&last), head);
}

/* The head without a process, which goes on at this text behind the command. */
static bool
head_without_process(Span before, Span text, FgPerfHead *head)
{
	*head = (FgPerfHead) {.id = {text.text, 0},.command = before};
	return parse_fields(text, head) && head->certain;
}

/*
 * A command may hold blanks and numbers.  It ends at the first word behind which the other
 * fields follow, and before a time in any case.
 */
const char *
fg_perf_head(Span line, FgPerfHead *head)
{
	const Span	start = fg_perf_skip_blanks(line);	/* once: a line may be long, and all blanks */
	Span		text = start;
	bool		numbers = false;

	for (;;)
	{
		Span		before = {start.text, (size_t) (text.text - start.text)};
		Span		here = text;
		Span		word = next_word(&text);

		if (word.length == 0)
			return no_head;
		before = trim_end(before);
		if (is_id(word))
		{
			const char *found = head_with_process(line, before, word, text, head);

			if (found != no_head)
				return found;
			numbers = true;
		}
		else if (is_processor(word) || is_time(word) || is_misc(word) ||
				 has_form(word, "9999-99-99"))
		{
			/* a number before it was the process, and a field behind that is not known */
			if (!numbers && head_without_process(before, here, head))
				return NULL;
			if (is_time(word))
				return "a field before its time is not known";
		}
		else if (is_strange_time(word))
			return "a time in this form is not known";
	}
}

/* --- frames ------------------------------------------------------------------- */

/* "/P/-/-/0": whether a branch was predicted, and not taken (N), was in a transaction, which was aborted, cycles. */
static bool
is_branch_end(Span part)
{
	const char *text = part.text;
	size_t		taken = part.length > 2 && text[2] == 'N' ? 1 : 0;

	if (part.length < 8 + taken || text[0] != '/' || strchr("MPN-", text[1]) == NULL)
		return false;
	text += taken;
	return text[2] == '/' && strchr("X-", text[3]) != NULL && text[4] == '/' && strchr("A-", text[5]) != NULL &&
		text[6] == '/' && (is_digit(text[7]) || text[7] == '-');
}

/* An entry of a branch stack: from, to, and what is known of it. */
static bool
is_branch(Span word)
{
	size_t		slashes = 0;

	/* but the object of a frame */
	if (word.length == 0 || word.text[word.length - 1] == ')')
		return false;
	/* the five last parts, or more in later versions: from the first slash on that fits */
	for (size_t i = 0; i < word.length; i++)
		slashes += word.text[i] == '/';
	if (slashes < 5)
		return false;
	for (size_t at = 0; at < word.length; at++)
	{
		if (is_branch_end(from(word, at)))
			return at > 0;
	}
	return false;
}

/*
 * The text in front of the field disasm, the instruction as a text, which perf puts behind two tabs.  What is before
 * them are names, which have none.
 */
static Span
strip_instruction(Span text)
{
	Span		rest = text;

	while ((rest = from_char(rest, '\t')).length > 0)
	{
		if (fg_perf_starts_with(rest, "\t\t"))
			return trim_end((Span) {text.text, (size_t) (rest.text - text.text)});
		rest = from(rest, 1);
	}
	return text;
}

/* " insn: 48 8b", " ABI:2": fields of a sample that end its line. */
static bool
begins_fields(Span text)
{
	static const char *const fields[] = {" ABI:", " ilen: ", " insn: ", " IPC: "};

	if (text.length < 2 || (text.text[1] != 'i' && text.text[1] != 'A' && text.text[1] != 'I'))
		return false;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
	{
		if (fg_perf_starts_with(text, fields[i]))
			return true;
	}
	return false;
}

/* The text in front of registers, an instruction and what it took. */
static Span
strip_last_fields(Span text)
{
	text = strip_instruction(text);
	for (Span rest = text; (rest = from_char(rest, ' ')).length > 0; rest = from(rest, 1))
	{
		if (begins_fields(rest))
			return trim_end((Span) {text.text, (size_t) (rest.text - text.text)});
	}
	return text;
}

Span
fg_perf_strip_fields(Span text)
{
	Span		shorter;

	shorter = text = strip_last_fields(text);
	while (is_branch(last_word(&shorter)))
		text = shorter;
	return text;
}

/* An object in brackets at the end of a frame; brackets inside it are in pairs. */
static void
split_object(Span *symbol, Span *object)
{
	size_t		open = symbol->length;
	int			depth = 0;

	*object = (Span) {symbol->text, 0};
	if (open == 0 || symbol->text[open - 1] != ')')
		return;
	while (open > 0)
	{
		open--;
		depth += (symbol->text[open] == ')') - (symbol->text[open] == '(');
		if (depth == 0)
			break;
	}
	if (depth != 0 || (open > 0 && !is_blank(symbol->text[open - 1])))
		return;
	*object = (Span) {symbol->text + open, symbol->length - open};
	*symbol = trim_end((Span) {symbol->text, open});
}

/* "+0x1f" at the end */
static void
strip_offset(Span *symbol)
{
	size_t		at = symbol->length;

	while (at > 0 && is_hex(symbol->text[at - 1]))
		at--;
	if (at < symbol->length && at >= 3 && memcmp(symbol->text + at - 3, "+0x", 3) == 0)
		symbol->length = at - 3;
}

static size_t
count_hex(Span word)
{
	size_t		digits = 0;

	while (digits < word.length && is_hex(word.text[digits]))
		digits++;
	return digits;
}

/* Takes the address off the text; false when there is none. */
static bool
take_address(Span *text, Span *address)
{
	*address = next_word(text);
	if (fg_perf_starts_with(*address, "0x"))
	{
		address->text += 2;
		address->length -= 2;
	}
	return address->length > 0 && address->length <= ADDRESS_COLUMNS &&
		count_hex(*address) == address->length;
}

/* Is this word of a symbol an address?  Addresses stand in columns; parts of names do not. */
static bool
is_second_address(Span word, size_t blanks)
{
	bool		digits = false;

	if (count_hex(word) != word.length)
		return false;
	for (size_t i = 0; i < word.length; i++)
		digits |= is_digit(word.text[i]);
	return digits && word.length + blanks > 8 &&
		(blanks > 1 || word.length == ADDRESS_COLUMNS);
}

/* Another address in the symbol, or the arrow between those of a branch. */
static bool
has_second_address(Span symbol)
{
	Span		text = symbol;

	for (;;)
	{
		Span		start = text;
		Span		word = next_word(&text);
		size_t		blanks = (size_t) (word.text - start.text);

		if (word.length == 0)
			return false;
		if (is_word(word, "=>") || is_second_address(word, start.text == symbol.text ? 2 : blanks))
			return true;
	}
}

/* The last bracket of an object that was cut off: " (/usr/lib/x", " ([kernel". */
static bool
is_cut_off(Span symbol)
{
	size_t		depth = 0;

	for (size_t at = symbol.length; at > 0; at--)
	{
		char		c = symbol.text[at - 1];

		if (c == ')')
			depth++;
		if (c != '(')
			continue;
		if (depth > 0)
			depth--;
		else if ((at == 1 || is_blank(symbol.text[at - 2])) && at < symbol.length &&
				 strchr("/[", symbol.text[at]) != NULL)
			return true;
	}
	return false;
}

/* " (/usr/bin/ls) " or " ([kernel.kallsyms]) " inside a symbol that has no object at its end. */
static bool
has_object_inside(Span symbol)
{
	bool		begun = false;

	for (size_t at = 0; at + 2 < symbol.length; at++)
	{
		const char *part = symbol.text + at;

		if (begun && part[0] == ')' && part[1] == ' ')
			return true;
		begun |= part[0] == ' ' && part[1] == '(' && (part[2] == '/' || part[2] == '[');
	}
	return false;
}

/* "main+0x24 operator new(unsigned": a word that follows an offset is no part of the name. */
static bool
has_offset_inside(Span symbol)
{
	Span		text = symbol;

	for (;;)
	{
		Span		word = next_word(&text);
		Span		name = word;

		if (text.length == 0)
			return false;
		strip_offset(&name);
		if (name.length < word.length)
			return true;
	}
}

bool
fg_perf_is_frame(Span text)
{
	Span		address;

	return take_address(&text, &address);
}

bool
fg_perf_is_unnamed(Span symbol)
{
	return symbol.length == 0 || is_word(symbol, "[unknown]");
}

/*
 * Kernels have the upper half, most of them its uppermost part.  Whoever unwinds a user's stack by frame pointers that are
 * none takes any number for an address, which may lie in the upper half, too: perf finds nothing there.
 */
static bool
is_in_kernel(const FgPerfFrame *frame)
{
	if (frame->address.length < ADDRESS_COLUMNS || frame->address.text[0] < '8')
		return false;
	return fg_perf_starts_with(frame->address, "ffff") || !fg_perf_is_unnamed(frame->symbol) ||
		(frame->object.length > 0 && !is_word(frame->object, "([unknown])"));
}

/*
 * "\t000000000040113d\tjmp 0x401147": what perf prints of the instructions between branches (brstackinsn, brstackdisasm), each in a
 * line; a frame has blanks in front of its address in place of zeros, and one behind it.
 */
static bool
is_branch_code(Span address, Span text)
{
	return text.length > 1 && text.text[0] == '\t' &&
		(fg_perf_starts_with(text, "\tinsn: ") || (address.length == ADDRESS_COLUMNS && address.text[0] == '0'));
}

const char *
fg_perf_frame(Span text, FgPerfFrame *frame)
{
	if (!take_address(&text, &frame->address))
		return no_frame;
	if (is_branch_code(frame->address, text))
		return "this is an instruction between branches (brstackinsn), and no frame";
	frame->symbol = fg_perf_strip_fields(fg_perf_skip_blanks(text));
	split_object(&frame->symbol, &frame->object);
	if (frame->object.length == 0 && is_cut_off(frame->symbol))
		return "the bracket of the frame's object is not closed: the line was cut off";
	if (has_second_address(frame->symbol))
		return "the line has several addresses; it is not clear which is the frame's";
	if (frame->object.length == 0 && has_object_inside(frame->symbol))
		return "what stands behind the frame's object is not known";
	if (frame->object.length == 0 && has_offset_inside(frame->symbol))
		return "what stands behind the frame's offset is not known";
	strip_offset(&frame->symbol);
	frame->in_kernel = is_in_kernel(frame);
	return NULL;
}

/* What perf's field flags says of a branch, in the words that stand in front of a frame. */
static Span
skip_flags(Span rest)
{
	static const char *const words[] = {"call", "return", "jcc", "jmp", "int", "iret", "syscall",
		"sysret", "async", "hw", "tx", "abrt", "tr", "strt", "end", "vmentry", "vmexit", "(x)"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
	{
		Span		text = rest;

		if (!is_word(next_word(&text), words[i]))
			continue;
		rest = fg_perf_skip_blanks(text);
		i = (size_t) -1;
	}
	return rest;
}

/* --- names of events ---------------------------------------------------------- */

/* "cycles:u", "page-faults/period=40/", but "sched:sched_switch". */
static size_t
plain_event(Span name)
{
	size_t		length = name.length;
	bool		modifiers = true;	/* all letters so far, from the end */

	for (size_t i = name.length; i > 0; i--)
	{
		char		c = name.text[i - 1];

		if (c == '/' || (c == ':' && modifiers))
			length = i - 1;
		modifiers &= strchr("ukhHGIpPSDWeb", c) != NULL;
	}
	return length;
}

static bool
is_one_of(Span word, const char *const *words)
{
	for (size_t i = 0; words[i] != NULL; i++)
	{
		if (word.length == strlen(words[i]) && memcmp(word.text, words[i], word.length) == 0)
			return true;
	}
	return false;
}

/* "freq=199": how an event is recorded, and not what it is. */
static bool
is_setting(Span term)
{
	static const char *const settings[] = {"period", "freq", "time", "call-graph", "stack-size",
		"max-stack", "max-events", "branch_type", "inherit", "no-inherit", "overwrite", "no-overwrite",
		"percore", "nr", "name", "metric-id", "aux-output", "aux-action", "aux-sample-size",
	NULL};
	const char *equals = memchr(term.text, '=', term.length);

	if (equals != NULL)
		term.length = (size_t) (equals - term.text);
	return is_one_of(term, settings);
}

/*
 * The terms between the slashes that say what the event is: how many, and the first. An
 * event of a PMU may be all of its terms.
 */
static size_t
count_terms(Span terms, Span *first)
{
	size_t		count = 0;

	while (terms.length > 0)
	{
		const char *comma = memchr(terms.text, ',', terms.length);
		Span		term = {terms.text, comma != NULL ? (size_t) (comma - terms.text) : terms.length};
		size_t		used = term.length + (comma != NULL);

		terms = (Span) {terms.text + used, terms.length - used};
		if (term.length > 0 && !is_setting(term) && count++ == 0)
			*first = term;
	}
	return count;
}

Span
fg_perf_event_word(Span name)
{
	static const char *const cores[] = {"cpu", "cpu_core", "cpu_atom", NULL};
	Span		plain = {name.text, plain_event(name)};
	Span		terms = {name.text + plain.length, name.length - plain.length};
	Span		term = {NULL, 0};
	size_t		count;

	if (terms.length == 0 || terms.text[0] != '/')
		return plain;
	terms.text++;
	terms.length--;
	while (terms.length > 0 && terms.text[terms.length - 1] != '/')
		terms.length--;
	if (terms.length == 0)
		return plain;
	count = count_terms((Span) {terms.text, terms.length - 1}, &term);
	if (count == 0)
		return plain;
	if (count == 1 && is_one_of(plain, cores) && memchr(term.text, '=', term.length) == NULL)
		return term;
	return (Span) {name.text, (size_t) (terms.text + terms.length - name.text)};
}

/* A tracepoint has its text behind the head, mostly name=value. */
static bool
is_tracepoint(Span event)
{
	return memchr(event.text, ':', plain_event(event)) != NULL;
}

/* "    401b94": an address as it stands behind other fields, in its columns and a blank. */
static bool
is_column_of_address(Span text, Span word)
{
	size_t		blanks = word.length < ADDRESS_COLUMNS ? ADDRESS_COLUMNS + 1 - word.length : 1;

	if (word.length > ADDRESS_COLUMNS || (size_t) (word.text - text.text) < blanks || count_hex(word) != word.length)
		return false;
	for (size_t i = 1; i <= blanks; i++)
	{
		if (!is_blank(word.text[-(ptrdiff_t) i]))
			return false;
	}
	return true;
}

/* The frame behind the text of an event, whose words may be numbers, too: the last one that stands as an address does. */
static bool
frame_behind_text(Span rest, FgPerfFrame *frame)
{
	Span		before = rest;

	while (before.length > 0)
	{
		Span		word = last_word(&before);
		Span		text = {word.text, (size_t) (rest.text + rest.length - word.text)};

		if (word.length > 0 && is_column_of_address(rest, word))
			return fg_perf_frame(text, frame) == NULL && frame->symbol.length > 0 && frame->object.length > 0;
	}
	return false;
}

/* Behind two tabs, and behind the event: where no frame was printed. */
static bool
is_instruction(Span rest)
{
	return rest.length > 0 && rest.text[-1] == '\t' && rest.text[-2] == '\t';
}

const char *
fg_perf_only_frame(const FgPerfHead *head, FgPerfFrame *frame, bool *other)
{
	bool		is_trace;
	Span		rest;
	Span		branches;
	const char *problem;

	*other = true;
	if (head->rest.length == 0)
		return NULL;
	is_trace = is_tracepoint(head->event);
	branches = rest = skip_flags(is_trace ? head->rest : strip_last_fields(head->rest));
	while (is_branch(last_word(&branches)))
		rest = branches;
	if (rest.length == 0 || is_instruction(rest) || is_instruction(head->rest))
		return NULL;
	problem = fg_perf_frame(rest, frame);
	if (is_trace)
	{
		*other = problem != NULL || (frame->object.length == 0 &&
									 (frame->symbol.length == 0 ||
									  memchr(rest.text, '=', rest.length) != NULL));
		*other = *other && !frame_behind_text(rest, frame);
		return NULL;
	}
	*other = false;
	if (problem == no_frame && frame_behind_text(rest, frame))
		return NULL;
	return problem == no_frame ? "what stands behind the event is not known" : problem;
}

/* --- other lines ------------------------------------------------------------------- */

/* "48 8b 50 20": the bytes of an instruction that perf could not put into words. */
static bool
is_bytes(Span text)
{
	for (;;)
	{
		Span		word = next_word(&text);

		if (word.length == 0)
			return true;
		if (word.length != 2 || count_hex(word) != 2)
			return false;
	}
}

/* "movq", "b.eq"; add, adc, dec and fadd are hexadecimal digits, too, but no address in its columns is as short. */
static bool
is_mnemonic(Span word)
{
	bool		digits = false;

	for (size_t i = 0; i < word.length; i++)
	{
		char		c = word.text[i];

		if (!is_digit(c) && c != '.' && c != '_' && !(c >= 'a' && c <= 'z'))
			return false;
		digits |= is_digit(c);
	}
	if (word.length == 0 || is_digit(word.text[0]))
		return false;
	return count_hex(word) < word.length || (!digits && word.length < 6);
}

/*
 * "\t\tmovq 0xa8(%r12), %rax", the field disasm of a sample with a call chain.  Frames stand behind one tab, in columns;
 * but a text may have been indented by another.
 */
bool
fg_perf_is_instruction(Span line)
{
	Span		text;
	Span		rest;

	if (line.length < 3 || line.text[0] != '\t' || line.text[1] != '\t' || is_blank(line.text[2]))
		return false;
	rest = text = from(line, 2);
	return is_mnemonic(next_word(&rest)) || is_bytes(text);
}

bool
fg_perf_is_extra(Span line)
{
	Span		text = fg_perf_skip_blanks(line);

	if (text.text == line.text)
		return false;
	/* with the blank in front that fields have */
	text = strip_last_fields((Span) {text.text - 1, text.length + 1});
	for (;;)
	{
		Span		word = next_word(&text);

		if (word.length == 0)
			return true;
		if (!is_branch(word))
			return false;
	}
}
