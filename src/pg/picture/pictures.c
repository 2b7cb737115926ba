/*
 * pictures.c
 *	  flamegraph_svg(), and flamegraph_from_svg(), which reads one back.
 */
#include "pg/base/values.h"

#include <math.h>

#include "core/picture/data.h"
#include "core/picture/flame.h"
#include "pg/base/arguments.h"
#include "pg/base/options.h"
#include "pg/profile/stackquery.h"

/* --- options ---------------------------------------------------------------------- */

static const char *const keys[] = {
	"subtitle", "notes", "palette", "theme", "truncate", "frame_height", "font_size", "max_boxes",
	"max_rows", "max_nodes", "search", "zoom", "highlight"
};

static const char *const palettes[] = {"warm", "safe", "grey"};
static const char *const themes[] = {"auto", "light", "dark"};
static const char *const truncates[] = {"qualifier", "end", "start"};

static void
text_option(Jsonb *options, const char *key, FgText *text)
{
	FgSpan		word;

	if (fg_option_word(options, key, &word))
		*text = (FgText) {word.bytes, word.size};
}

static int
word_option(Jsonb *options, const char *key, const char *const *words, int count)
{
	FgSpan		word;

	return fg_option_word(options, key, &word) ? fg_word(word, key, words, count) : 0;
}

static void
number_option(Jsonb *options, const char *key, uint32_t *number, int32 least, int32 most)
{
	int32		value;

	if (!fg_option_int(options, key, &value))
		return;
	if (value < least || value > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must be between %d and %d, not %d", key, least, most,
						value)));
	*number = (uint32_t) value;
}

/* The nodes that a stackquery selects. */
static const uint8_t *
highlight_option(FunctionCallInfo fcinfo, FgContext *ctx, Jsonb *options, const FgTree *tree)
{
	FgSpan		text;
	FgPattern  *pattern;
	uint8_t    *matches;

	if (!fg_option_word(options, "highlight", &text))
		return NULL;
	pattern = fg_pattern(fcinfo, fg_stackquery_datum(text));
	matches = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint8_t));
	fg_must(&pattern->ctx, fg_query_match_tree(&pattern->query, pattern->match, pattern, tree,
											   matches));
	return matches;
}

static void
take_options(FunctionCallInfo fcinfo, FgContext *ctx, Jsonb *options, const FgTree *tree,
			 FgFlameOptions *flame)
{
	fg_options_check(options, "flamegraph_svg", keys, lengthof(keys));
	text_option(options, "subtitle", &flame->subtitle);
	text_option(options, "notes", &flame->notes);
	text_option(options, "search", &flame->search);
	text_option(options, "zoom", &flame->zoom);
	flame->palette = (FgPalette) word_option(options, "palette", palettes, lengthof(palettes));
	flame->theme = (FgTheme) word_option(options, "theme", themes, lengthof(themes));
	flame->truncate = (FgTruncate) word_option(options, "truncate", truncates,
											   lengthof(truncates));
	number_option(options, "font_size", &flame->font_size, 6, 48);
	number_option(options, "frame_height", &flame->frame_height, 8, 100);
	number_option(options, "max_boxes", &flame->max_boxes, 1, 1000000);
	number_option(options, "max_rows", &flame->max_rows, 1, FG_MAX_DEPTH + 1);
	number_option(options, "max_nodes", &flame->max_nodes, 1, 1000000);
	if (flame->frame_height < flame->font_size)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"frame_height\" must be at least font_size, which is %u",
						flame->font_size)));
	flame->highlight = highlight_option(fcinfo, ctx, options, tree);
}

/* --- arguments -------------------------------------------------------------------- */

static uint32_t
width_argument(FunctionCallInfo fcinfo, int argument)
{
	int32		width = fg_required_int(fcinfo, argument, "width");

	if (width < 200 || width > 10000)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("width must be between 200 and 10000 pixels, not %d", width)));
	return (uint32_t) width;
}

static double
min_width_argument(FunctionCallInfo fcinfo, int argument)
{
	double		min_width = fg_required_number(fcinfo, argument, "min_width");

	if (!(min_width >= 0 && min_width <= 100))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("min_width must be between 0 and 100, not %g", min_width),
				 errhint("It is in pixels of the picture.")));
	return min_width;
}

static FgText
text_argument(FunctionCallInfo fcinfo, int argument)
{
	FgSpan		text;

	if (PG_ARGISNULL(argument))
		return (FgText) {0};
	text = PG_GETARG_SPAN(argument);
	return (FgText) {text.bytes, text.size};
}

static FgFlameOptions
take_arguments(FunctionCallInfo fcinfo, FgContext *ctx, const FgTree *tree)
{
	static const char *const orientations[] = {"icicle", "flame"};
	static const char *const colors[] = {"frame", "module", "kind", "self", "depth", "none"};
	static const char *const sorts[] = {"name", "value"};
	FgFlameOptions flame = fg_flame_defaults();
	FgSpan		unit = fg_required_word(fcinfo, 2, "unit");

	flame.title = text_argument(fcinfo, 1);
	flame.unit = (FgText) {unit.bytes, unit.size};
	flame.width = width_argument(fcinfo, 3);
	flame.min_width = min_width_argument(fcinfo, 4);
	flame.flame = fg_word_argument(fcinfo, 5, "orientation", orientations,
								   lengthof(orientations)) == 1;
	flame.color = (FgColorMode) fg_word_argument(fcinfo, 6, "color", colors, lengthof(colors));
	flame.by_value = fg_word_argument(fcinfo, 7, "sort", sorts, lengthof(sorts)) == 1;
	flame.interactive = DatumGetBool(fg_required(fcinfo, 8, "interactive"));
	take_options(fcinfo, ctx, DatumGetJsonbP(fg_required(fcinfo, 9, "options")), tree, &flame);
	return flame;
}

/* --- functions -------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamegraph_svg);
Datum
flamegraph_svg(PG_FUNCTION_ARGS)
{
	static const char header[VARHDRSZ];
	FgOperands	in;
	FgFlameOptions options;
	FgBuffer	svg;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	fg_get_operand(fcinfo, &in);
	options = take_arguments(fcinfo, &in.ctx, in.a);
	svg = (FgBuffer) {.ctx = &in.ctx};
	fg_must(&in.ctx, fg_buffer_append(&svg, header, VARHDRSZ) &&
			fg_flame_svg(in.a, &options, &svg));
	svg.data = fg_chunk(&in.ctx, svg.data, svg.size);
	SET_VARSIZE(svg.data, svg.size);
	PG_RETURN_TEXT_P(svg.data);
}

PG_FUNCTION_INFO_V1(flamegraph_from_svg);
Datum
flamegraph_from_svg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgSpan		svg = PG_GETARG_SPAN(0);
	FgTree		tree;

	fg_must(&ctx, fg_data_read(&ctx, svg.bytes, svg.size, &tree));
	PG_RETURN_DATUM(fg_tree_datum_free(&ctx, &tree));
}
