/*
 * pictures_options.c
 *	  Arguments and options that pictures have in common (see pictures_options.h).
 */
#include "pg/picture/pictures_options.h"

#include "pg/base/arguments.h"
#include "pg/base/options.h"
#include "pg/profile/stackquery.h"

/* --- options ---------------------------------------------------------------------- */

const char *const fg_look_keys[FG_LOOK_KEYS] = {
	"subtitle", "notes", "theme", "truncate", "frame_height", "font_size", "max_boxes", "max_rows",
	"max_nodes", "search", "zoom", "palette", "highlight"
};

static const char *const palettes[] = {"warm", "safe", "grey"};
static const char *const themes[] = {"auto", "light", "dark"};
static const char *const truncates[] = {"qualifier", "end", "start"};

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

void
fg_look_options(Jsonb *options, FgFlameOptions *look)
{
	(void) fg_option_text(options, "subtitle", &look->subtitle);
	(void) fg_option_text(options, "notes", &look->notes);
	(void) fg_option_text(options, "search", &look->search);
	(void) fg_option_text(options, "zoom", &look->zoom);
	look->palette = (FgPalette) word_option(options, "palette", palettes, lengthof(palettes));
	look->theme = (FgTheme) word_option(options, "theme", themes, lengthof(themes));
	look->truncate = (FgTruncate) word_option(options, "truncate", truncates,
											  lengthof(truncates));
	number_option(options, "font_size", &look->font_size, 6, 48);
	number_option(options, "frame_height", &look->frame_height, 8, 100);
	number_option(options, "max_boxes", &look->max_boxes, 1, 1000000);
	number_option(options, "max_rows", &look->max_rows, 1, FG_MAX_DEPTH + 1);
	number_option(options, "max_nodes", &look->max_nodes, 1, 1000000);
	if (look->frame_height < look->font_size)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"frame_height\" must be at least font_size, which is %u",
						look->font_size)));
}

static bool
match_tree(FgContext *ctx, void *arg, const FgTree *tree, uint8_t *matches)
{
	FgPattern  *pattern = arg;

	fg_must(&pattern->ctx, fg_query_match_tree(&pattern->query, pattern->match, pattern, tree,
											   matches));
	return true;
}

FgHighlight
fg_highlight_option(FunctionCallInfo fcinfo, Jsonb *options)
{
	FgText		text;
	FgSpan		query;

	if (!fg_option_text(options, "highlight", &text))
		return (FgHighlight) {NULL, NULL};
	query = (FgSpan) {text.bytes, text.length};
	return (FgHighlight) {match_tree, fg_pattern(fcinfo, fg_stackquery_datum(query))};
}

/* --- arguments -------------------------------------------------------------------- */

uint32_t
fg_width_argument(FunctionCallInfo fcinfo, int argument)
{
	int32		width = fg_required_int(fcinfo, argument, "width");

	if (width < 200 || width > 10000)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("width must be between 200 and 10000 pixels, not %d", width)));
	return (uint32_t) width;
}

double
fg_min_width_argument(FunctionCallInfo fcinfo, int argument)
{
	double		min_width = fg_required_number(fcinfo, argument, "min_width");

	if (!(min_width >= 0 && min_width <= 100))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("min_width must be between 0 and 100, not %g", min_width),
				 errhint("It is in pixels of the picture.")));
	return min_width;
}

FgText
fg_text_argument(FunctionCallInfo fcinfo, int argument)
{
	FgSpan		text;

	if (PG_ARGISNULL(argument))
		return (FgText) {0};
	text = PG_GETARG_SPAN(argument);
	return (FgText) {text.bytes, text.size};
}

FgColorMode
fg_color_argument(FunctionCallInfo fcinfo, int argument)
{
	static const char *const colors[] = {"frame", "module", "kind", "self", "depth", "none"};

	return (FgColorMode) fg_word_argument(fcinfo, argument, "color", colors, lengthof(colors));
}

void
fg_look_arguments(FunctionCallInfo fcinfo, int first, int rest, FgFlameOptions *look)
{
	FgSpan		unit = fg_required_word(fcinfo, first + 1, "unit");

	look->title = fg_text_argument(fcinfo, first);
	look->unit = (FgText) {unit.bytes, unit.size};
	look->width = fg_width_argument(fcinfo, rest);
	look->min_width = fg_min_width_argument(fcinfo, rest + 1);
	look->interactive = DatumGetBool(fg_required(fcinfo, rest + 2, "interactive"));
}

/* --- results ---------------------------------------------------------------------- */

FgBuffer
fg_picture_buffer(FgContext *ctx)
{
	static const char header[VARHDRSZ];
	FgBuffer	svg = {.ctx = ctx};

	fg_must(ctx, fg_buffer_append(&svg, header, VARHDRSZ));
	return svg;
}

Datum
fg_picture_text(FgContext *ctx, FgBuffer *svg)
{
	svg->data = fg_chunk(ctx, svg->data, svg->size);
	SET_VARSIZE(svg->data, svg->size);
	return PointerGetDatum(svg->data);
}
