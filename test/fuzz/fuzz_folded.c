/*
 * fuzz_folded.c
 *	  The folded reader and printer.  The first byte of the input picks the
 *	  dialect and the options, the rest is the text.
 *
 * Properties: what is read is canonical; the exact text form of it reads back as
 * the same tree and prints as the same bytes, also when the lines come in
 * another order; it has one encoding; an error names a place in the text.
 */
#include "support.h"

#include "core/profile/folded.h"

static FgTree
parse_again(FgContext *ctx, const char *text, size_t length, FgFoldedDialect dialect)
{
	FgFoldedOptions options = {.dialect = dialect};
	FgFoldedReport report;
	FgTree		tree;

	if (!fg_folded_parse(ctx, text, length, options, &tree, &report))
	{
		REQUIRE(ctx->error.code == FG_ERROR_MEMORY);
		memset(&tree, 0, sizeof(tree));
	}
	else
	{
		REQUIRE(report.skipped == 0 && report.unknown_frames == 0);
		REQUIRE(report.samples == report.lines);
	}
	return tree;
}

/* The lines of a text, last one first. */
static char *
reversed_lines(const char *text, size_t length)
{
	char	   *result = malloc(length + 1);
	char	   *to = result;
	size_t		end = length;

	for (size_t i = length; length > 0; i--)
	{
		if (i > 0 && text[i - 1] != '\n')
			continue;
		memcpy(to, text + i, end - i);
		to += end - i;
		if (i == 0)
			break;
		*to++ = '\n';
		end = i - 1;
	}
	return result;
}

static void
require_same(FgContext *ctx, const FgTree *tree, const char *text, size_t length,
			 FgFoldedDialect dialect)
{
	FgTree		again = parse_again(ctx, text, length, dialect);

	REQUIRE(again.key == NULL || fuzz_same_tree(tree, &again));
	fg_tree_free(ctx, &again);
}

static void
require_exact_text(FgContext *ctx, const FgTree *tree)
{
	FgBuffer	text = {.ctx = ctx};
	FgBuffer	second = {.ctx = ctx};
	bool		complete;

	if (fg_folded_print(&text, tree, FG_FOLDED_EXACT, SIZE_MAX, &complete, NULL))
	{
		FgTree		again = parse_again(ctx, (char *) text.data, text.size, FG_FOLDED_EXACT);
		char	   *reversed = reversed_lines((char *) text.data, text.size);

		REQUIRE(complete);
		REQUIRE(again.key == NULL || fuzz_same_tree(tree, &again));
		if (again.key != NULL &&
			fg_folded_print(&second, &again, FG_FOLDED_EXACT, text.size, &complete, NULL))
		{
			REQUIRE(complete);
			REQUIRE(second.size == text.size &&
					(text.size == 0 || memcmp(second.data, text.data, text.size) == 0));
		}
		require_same(ctx, tree, reversed, text.size, FG_FOLDED_EXACT);
		free(reversed);
		fg_tree_free(ctx, &again);
	}
	fg_release(ctx, text.data);
	fg_release(ctx, second.data);
}

/*
 * Foreign text has no way to write a frame that looks like a comment or a byte
 * order mark; everything else that was read from foreign text survives.
 */
static void
require_foreign_text(FgContext *ctx, const FgTree *tree)
{
	FgBuffer	text = {.ctx = ctx};
	uint64_t	replaced;
	bool		complete;
	bool		plain = true;

	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		char		first = *fg_frame_bytes(&tree->frames, f);

		plain &= first != '#' && first != '\xEF';
	}
	if (plain && fg_folded_print(&text, tree, FG_FOLDED_FOREIGN, SIZE_MAX, &complete, &replaced))
	{
		REQUIRE(complete && replaced == 0);
		require_same(ctx, tree, (char *) text.data, text.size, FG_FOLDED_FOREIGN);
	}
	fg_release(ctx, text.data);
}

static void
require_report(const FgFoldedReport *report, const char *text, size_t length,
			   FgFoldedOptions options)
{
	uint64_t	lines = length > 0 && text[length - 1] != '\n';

	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	if (options.dialect == FG_FOLDED_EXACT)
		REQUIRE(report->lines == lines);
	REQUIRE(report->samples + report->comments + report->blank + report->skipped == report->lines);
	REQUIRE(options.skip_bad_lines || report->skipped == 0);
	REQUIRE((report->skipped > 0) == (report->first_skipped > 0));
	REQUIRE(options.dialect == FG_FOLDED_FOREIGN ||
			(report->unknown_frames == 0 && report->control_characters == 0));
}

/* The column may lie just behind the line's last byte, where something is missing. */
static void
require_place(const FgError *error, const char *text, size_t length, FgFoldedOptions options)
{
	uint64_t	line = 1;
	size_t		start = 0;
	size_t		end;

	if (error->code == FG_ERROR_MEMORY)
		return;
	REQUIRE(error->code == FG_ERROR_SYNTAX || error->code == FG_ERROR_RANGE ||
			error->code == FG_ERROR_ENCODING || error->code == FG_ERROR_LIMIT);
	REQUIRE(!(options.skip_bad_lines && error->code == FG_ERROR_SYNTAX));
	REQUIRE(error->reason[0] != '\0' && memchr(error->reason, 0, sizeof(error->reason)) != NULL);
	REQUIRE(error->line > 0 && error->column > 0);
	while (line < error->line)
	{
		const char *stop = memchr(text + start, '\n', length - start);

		REQUIRE(stop != NULL);
		start = (size_t) (stop - text) + 1;
		line++;
	}
	end = start;
	while (end < length && text[end] != '\n')
		end++;
	/* replaced frames of foreign text can be longer than the line */
	if (options.dialect == FG_FOLDED_EXACT)
		REQUIRE(error->column <= end - start + 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	input = {data, data + size};
	uint8_t		flags = fuzz_byte(&input);
	FgFoldedOptions options = {
		.dialect = flags & 1 ? FG_FOLDED_FOREIGN : FG_FOLDED_EXACT,
		.skip_bad_lines = (flags & 2) != 0,
		.check_encoding = (flags & 4) != 0
	};
	size_t		length = (size_t) (input.end - input.next);
	char	   *text = malloc(length + (length == 0));	/* exact, so that a read too far is seen */
	FgContext	ctx = fuzz_context();
	FgFoldedReport report;
	FgTree		tree;

	memcpy(text, input.next, length);
	if (fg_folded_parse(&ctx, text, length, options, &tree, &report))
	{
		require_report(&report, text, length, options);
		REQUIRE(fg_tree_check(&ctx, &tree));
		require_exact_text(&ctx, &tree);
		if (options.dialect == FG_FOLDED_FOREIGN)
			require_foreign_text(&ctx, &tree);
		fuzz_require_codec(&ctx, &tree);
		fg_tree_free(&ctx, &tree);
	}
	else
		require_place(&ctx.error, text, length, options);
	free(text);
	fuzz_finish();
	return 0;
}
