/*
 * match.c
 *	  Which function of a document a frame of a profile means.
 */
#include "core/editor/match.h"

#include "core/profile/frames.h"

#include <string.h>

/* --- frames -------------------------------------------------------------------------------------- */

static bool
all_digits(const char *text)
{
	size_t		count = strspn(text, "0123456789");

	return count > 0 && count <= 9 && text[count] == '\0';
}

static uint32_t
number_of(const char *digits)
{
	uint32_t	number = 0;

	for (; *digits >= '0' && *digits <= '9'; digits++)
		number = number * 10 + (uint32_t) (*digits - '0');
	return number;
}

/* Cuts :LINE or :LINE:COLUMN off. */
static void
cut_line(char *text, uint32_t *line)
{
	for (int i = 0; i < 2; i++)
	{
		char	   *colon = strrchr(text, ':');

		if (colon == NULL || colon == text || colon[-1] == ':' || !all_digits(colon + 1))
			return;
		*line = number_of(colon + 1);
		*colon = '\0';
	}
}

/* Has the text the end of a file's name, or directories? */
static bool
is_file(const char *text)
{
	const char *dot = strrchr(text, '.');
	const char *slash = strrchr(text, '/');

	if (strncmp(text, "file://", 7) == 0 || strncmp(text, "node:", 5) == 0)
		return true;
	return dot != NULL && dot > text && (slash == NULL || dot > slash) && strpbrk(dot, " ():<>") == NULL &&
		fg_language_of("", 0, text, strlen(text)) != FG_LANGUAGE_NONE;
}

/* The bracket that the last one of the text closes; NULL: none. */
static char *
opening(char *text, char *last)
{
	char		closing = *last;
	char		open = closing == ')' ? '(' : closing == ']' ? '[' : closing == '}' ? '{' : '<';
	size_t		depth = 0;

	for (char *at = last; at >= text; at--)
	{
		if (*at == closing && !(closing == '>' && at > text && (at[-1] == '-' || at[-1] == '=')))
			depth++;
		else if (*at == open && --depth == 0)
			return at;
	}
	return NULL;
}

static uint32_t
count_arguments(const char *at, const char *end)
{
	uint32_t	commas = 0;
	int			depth = 0;

	if (end - at == 0 || (end - at == 4 && memcmp(at, "void", 4) == 0))
		return 0;
	for (; at < end; at++)
	{
		if (strchr("(<[{", *at) != NULL)
			depth++;
		else if (strchr(")>]}", *at) != NULL)
			depth--;
		else if (*at == ',' && depth == 0)
			commas++;
	}
	return commas + 1;
}

/* "function (file:line)", "function file:line:column", "file:function:line", "function:line" */
static void
take_place(FgFrameName *f, char *text)
{
	size_t		length = strlen(text);
	char	   *open = length > 2 && text[length - 1] == ')' ? opening(text, text + length - 1) : NULL;
	char	   *space;
	char	   *colon;

	f->name = text;
	if (open != NULL && open > text && open[-1] == ' ')
	{
		text[length - 1] = '\0';
		cut_line(open + 1, &f->line);
		if (is_file(open + 1) || f->line > 0)
		{
			/* what has a line and no ending is a file as well */
			f->file = open + 1;
			open[-1] = '\0';
			return;
		}
		text[length - 1] = ')';
	}
	cut_line(text, &f->line);
	space = strrchr(text, ' ');
	if (space != NULL && space > text && is_file(space + 1))
	{
		f->file = space + 1;
		*space = '\0';
		return;
	}
	if (is_file(text))
	{
		f->file = text;
		f->whole = f->line == 0;
		f->name = "";
		return;
	}
	for (colon = strchr(text, ':'); colon != NULL && colon[1] == ':'; colon = strchr(colon + 2, ':'))
		;
	if (colon != NULL && colon > text && strpbrk(text, " <(") == NULL)
	{
		f->file = text;
		f->name = colon + 1;
		*colon = '\0';
	}
	else if (colon != NULL && colon > text && (strcmp(colon + 1, "(anonymous)") == 0 || colon[1] == '<'))
	{
		f->file = text;
		f->name = colon + 1;
		*colon = '\0';
	}
}

/* What tools add behind a name. */
static void
cut_endings(char *text)
{
	static const char *const endings[] = {"_[j]", "_[i]", "_[k]", "@plt", "-fm", " const", ".cold", "&"};
	static const char *const parts[] = {" [clone", ".isra.", ".constprop.", ".part.", ".llvm.", "+0x", ".lto_priv.", "::{{closure",
		"::{closure", "::{lambda", "::'lambda", "::$_", ".<locals>.<lambda>", ".<lambda>", "::{shim", ".gowrap", ".deferwrap", ".<listcomp>",
	".<genexpr>"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
	{
		char	   *at = strstr(text, parts[i]);

		if (at != NULL && at > text)
			*at = '\0';
	}
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
	{
		size_t		length = strlen(text);
		size_t		cut = strlen(endings[i]);

		if (length > cut && strcmp(text + length - cut, endings[i]) == 0)
			text[length - cut] = '\0';
	}
}

/* main.f.func1.2 and main.(*T).f.func1 of Go count for f. */
static void
cut_go_functions(char *text)
{
	for (;;)
	{
		char	   *dot = strrchr(text, '.');

		if (dot == NULL || dot == text)
			return;
		if (!(strncmp(dot + 1, "func", 4) == 0 && all_digits(dot + 5)) && !all_digits(dot + 1))
			return;
		*dot = '\0';
	}
}

/* Takes arguments in brackets, and what is within < > and [ ], out. */
static void
cut_brackets(FgFrameName *f, char *text)
{
	size_t		length = strlen(text);
	char	   *open = length > 0 && text[length - 1] == ')' ? opening(text, text + length - 1) : NULL;
	char	   *to = text;
	int			depth = 0;

	if (open != NULL && open > text && strcmp(open, "(anonymous)") != 0 && strncmp(open, "(anonymous namespace)", 21) != 0)
	{
		if (f->arguments == FG_ARGUMENTS_UNKNOWN)
			f->arguments = count_arguments(open + 1, text + length - 1);
		while (open > text && open[-1] == ' ')
			open--;
		*open = '\0';
	}
	if (strstr(text, "operator") != NULL || text[0] == '<' || strncmp(text, "(anon", 5) == 0)
		return;
	for (const char *at = text; *at != '\0'; at++)
	{
		if (*at == '<' && strcmp(at, "<init>") != 0 && strcmp(at, "<clinit>") != 0 && at > text)
			depth++;
		else if (*at == '[')
			depth++;
		if (depth == 0)
			*to++ = *at;
		if ((*at == '>' && depth > 0 && at[-1] != '-') || (*at == ']' && depth > 0))
			depth--;
	}
	*to = '\0';
}

/* <T as Trait>::f and <T>::f of Rust are T::f. */
static char *
cut_trait(char *text)
{
	char	   *close = strstr(text, ">::");
	char	   *as;

	if (text[0] != '<' || close == NULL)
		return text;
	as = strstr(text, " as ");
	if (as != NULL && as < close)
	{
		memmove(as, close + 1, strlen(close + 1) + 1);
		return text + 1;
	}
	memmove(close, close + 1, strlen(close + 1) + 1);
	return text + 1;
}

/* ::h0123456789abcdef of Rust */
static void
cut_hash(char *text)
{
	size_t		length = strlen(text);

	if (length > 19 && strncmp(text + length - 19, "::h", 3) == 0 &&
		strspn(text + length - 16, "0123456789abcdef") == 16)
		text[length - 19] = '\0';
}

/* The last part is the name, the one before it the owner. */
static void
split_name(FgFrameName *f, char *text)
{
	char	   *name = text;
	char	   *owner = NULL;
	char	   *at;

	/* the type of the result: "void ns::f" */
	at = strrchr(text, ' ');
	if (at != NULL && strstr(text, "operator") == NULL)
		name = text = at + 1;
	for (at = text; *at != '\0'; at++)
	{
		if (strncmp(at, "operator", 8) == 0)
			break;
		if (strchr(".:/#$;", *at) != NULL && at[1] != '\0' && strchr(".:/#", at[1]) == NULL && !(*at == '$' && at == text))
		{
			owner = name;
			*at = '\0';
			name = at + 1;
		}
		else if (*at == ';' || (at > text && strchr(".:/#", *at) != NULL))
			*at = '\0';			/* the first of two */
	}
	if (strncmp(name, "lambda$", 7) == 0)
		name += 7;
	f->name = name;
	f->owner = owner;
	while (f->owner != NULL && (*f->owner == '(' || *f->owner == '*'))
		f->owner++;
	if (f->owner != NULL && strchr(f->owner, ')') != NULL)
		*strchr((char *) f->owner, ')') = '\0';
}

/* lambda$run$0 is named by the method that it is in, which split_name() takes apart at each $. */
static char *
cut_lambda(char *text)
{
	char	   *at = strstr(text, "lambda$");
	char	   *end = at != NULL ? strchr(at + 7, '$') : NULL;

	if (end == NULL)
		return text;
	*end = '\0';
	memmove(at, at + 7, strlen(at + 7) + 1);
	return text;
}

bool
fg_frame_name(FgLanguage language, const char *frame, size_t length, FgFrameName *f)
{
	static const char *const nameless[] = {"(anonymous)", "<anonymous>", "(anonymous function)", "<lambda>", NULL};
	static const char *const whole[] = {"<module>", "(main)", NULL};
	char	   *text;

	if (length == 0 || length > FG_MAX_MATCHED_FRAME)
		return false;
	f->file = f->owner = NULL;
	f->line = 0;
	f->arguments = FG_ARGUMENTS_UNKNOWN;
	f->whole = false;
	memcpy(f->bytes, frame, length);
	f->bytes[length] = '\0';
	take_place(f, f->bytes);
	if (f->name[0] == '\0')
		return true;
	text = f->bytes + (f->name - f->bytes);
	if (fg_word_in(nameless, text, strlen(text)) || fg_word_in(whole, text, strlen(text)))
	{
		f->whole = fg_word_in(whole, text, strlen(text));
		f->name = "";
		return true;
	}
	cut_endings(text);
	cut_hash(text);
	cut_brackets(f, text);
	text = cut_lambda(cut_trait(text));
	if (language == FG_LANGUAGE_GO)
		cut_go_functions(text);
	split_name(f, text);
	return true;
}

/* --- functions ------------------------------------------------------------------------------------- */

uint32_t *
fg_match_order(FgContext *ctx, const FgFunctions *functions, const char *text)
{
	size_t	   *at = fg_alloc(ctx, functions->count, sizeof(*at));
	uint32_t   *length = fg_alloc(ctx, functions->count, sizeof(*length));
	uint32_t   *order = fg_alloc(ctx, functions->count, sizeof(*order));

	for (size_t i = 0; at != NULL && length != NULL && i < functions->count; i++)
	{
		at[i] = functions->items[i].name.at;
		length[i] = functions->items[i].name.length;
	}
	if (at == NULL || length == NULL || order == NULL ||
		!fg_frames_sort(ctx, text, at, length, (uint32_t) functions->count, order))
	{
		fg_release(ctx, order);
		order = NULL;
	}
	fg_release(ctx, at);
	fg_release(ctx, length);
	return order;
}

static bool
slice_is(const FgSourceFile *d, FgSlice slice, const char *text)
{
	return slice.length == strlen(text) && memcmp(d->text + slice.at, text, slice.length) == 0;
}

/* The part of a path before "end" that has no slash; *begin is where it begins. */
static size_t
path_part(const char *path, size_t end, size_t *begin)
{
	*begin = end;
	while (*begin > 0 && path[*begin - 1] != '/' && path[*begin - 1] != '\\')
		--*begin;
	return end - *begin;
}

static size_t
stem_length(const char *name, size_t length)
{
	for (size_t at = length; at > 1; at--)
	{
		if (name[at - 1] == '.')
			return at - 1;
	}
	return length;
}

static bool
same_part(const char *a, size_t a_length, const char *b, size_t b_length)
{
	return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool
is_of_file(const FgSourceFile *d, const char *file)
{
	size_t		file_at;
	size_t		path_at;
	size_t		file_length = path_part(file, strlen(file), &file_at);
	size_t		path_length = path_part(d->path, d->path_length, &path_at);

	/* V8 leaves the ending off for its own files, and so do modules of Python */
	if (!same_part(file + file_at, file_length, d->path + path_at, path_length) &&
		!same_part(file + file_at, file_length, d->path + path_at, stem_length(d->path + path_at, path_length)))
		return false;
	if (file_at < 2 || path_at < 2)
		return true;
	file_length = path_part(file, file_at - 1, &file_at);
	path_length = path_part(d->path, path_at - 1, &path_at);
	return file_at <= 1 || same_part(file + file_at, file_length, d->path + path_at, path_length);
}

/* The file's name without its ending, or its directory where the name stands for that. */
static bool
is_module(const FgSourceFile *d, const char *owner)
{
	static const char *const of_directory[] = {"mod", "lib", "main", "index", "__init__", NULL};
	size_t		at;
	size_t		length = path_part(d->path, d->path_length, &at);

	length = stem_length(d->path + at, length);
	if (same_part(owner, strlen(owner), d->path + at, length))
		return true;
	if (!fg_word_in(of_directory, d->path + at, length))
		return false;
	/* a crate is called as its directory, and its file main.rs or lib.rs lies in src */
	if (d->language == FG_LANGUAGE_RUST && (length == 3 ? memcmp(d->path + at, "lib", 3) == 0 : true))
		return true;
	length = at > 0 ? path_part(d->path, at - 1, &at) : 0;
	return same_part(owner, strlen(owner), d->path + at, length);
}

static bool
owner_fits(const FgSourceFile *d, const FgFunction *function, const char *owner)
{
	bool		script = d->language == FG_LANGUAGE_JAVASCRIPT || d->language == FG_LANGUAGE_PYTHON;

	if (function->owner.length > 0)
		return owner != NULL ? slice_is(d, function->owner, owner) : script;
	if (owner == NULL || d->language == FG_LANGUAGE_JAVASCRIPT)
		return true;
	switch (d->language)
	{
		case FG_LANGUAGE_C:
			return false;
		case FG_LANGUAGE_GO:
			return slice_is(d, d->functions->package, owner);
		case FG_LANGUAGE_CPP:
			return strcmp(owner, "namespace)") == 0 || strncmp(owner, "(anonymous", 10) == 0;
		default:
			return is_module(d, owner);
	}
}

/* The place of the first function with a name that is not before it. */
static size_t
first_named(const FgSourceFile *d, const char *name)
{
	size_t		low = 0;
	size_t		high = d->functions->count;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;
		FgSlice		slice = d->functions->items[d->by_name[middle]].name;

		if (fg_bytes_compare(d->text + slice.at, slice.length, name, strlen(name)) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
line_within(const FgSourceFile *d, const FgFunction *function, uint32_t line)
{
	return line > 0 && line <= d->line_count && d->lines[line - 1] <= function->end &&
		(line == d->line_count || d->lines[line] > function->start);
}

/* The best of the functions with that name: of the frame's line, then of its number of arguments. */
static uint32_t
best_named(const FgSourceFile *d, const FgFrameName *f, const char *name, const char *owner)
{
	uint32_t	found = FG_NONE;
	int			best = -1;

	for (size_t i = first_named(d, name); i < d->functions->count; i++)
	{
		const FgFunction *function = &d->functions->items[d->by_name[i]];
		int			score;

		if (!slice_is(d, function->name, name))
			break;
		if (!(f->file != NULL && owner == NULL) && !owner_fits(d, function, owner) && f->file == NULL)
			continue;
		score = (line_within(d, function, f->line) ? 4 : 0) + (function->arguments == f->arguments ? 2 : 0) +
			(owner != NULL && function->owner.length > 0 && slice_is(d, function->owner, owner) ? 1 : 0);
		if (score > best)
		{
			best = score;
			found = d->by_name[i];
		}
	}
	return found;
}

FgMatchKind
fg_match_frame(const FgSourceFile *d, const FgFrameName *f, uint32_t *function)
{
	const char *name = f->name;

	*function = FG_NONE;
	if (f->file != NULL && !is_of_file(d, f->file))
		return FG_MATCH_NONE;
	if (f->whole && f->file != NULL)
		return FG_MATCH_FILE;
	if (name[0] != '\0')
	{
		bool		constructor = strcmp(name, "<init>") == 0 || strcmp(name, "__init__") == 0;

		*function = best_named(d, f, name, f->owner);
		if (*function == FG_NONE && constructor && f->owner != NULL)
			*function = best_named(d, f, f->owner, f->owner);
		if (*function == FG_NONE && d->language == FG_LANGUAGE_JAVASCRIPT)
			*function = best_named(d, f, "constructor", name);
	}
	/* a function without a name is known by its line, and so is one that was renamed to be looked at */
	if (*function == FG_NONE && f->file != NULL && name[0] == '\0' && f->line > 0 && f->line <= d->line_count)
	{
		for (size_t i = d->functions->count; i-- > 0 && *function == FG_NONE;)
		{
			const FgFunction *one = &d->functions->items[i];

			if (one->name.length == 0 && line_within(d, one, f->line) && one->start >= d->lines[f->line - 1])
				*function = (uint32_t) i;
		}
		if (*function == FG_NONE)
		{
			size_t		start = d->lines[f->line - 1];
			size_t		end = f->line < d->line_count ? d->lines[f->line] - 1 : start;

			*function = fg_function_at(d->functions, end);
		}
	}
	if (*function != FG_NONE)
		return FG_MATCH_FUNCTION;
	return f->file != NULL ? FG_MATCH_UNKNOWN : FG_MATCH_NONE;
}
