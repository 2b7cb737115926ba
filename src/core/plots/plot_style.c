/*
 * plot_style.c
 *	  Colours, dashes and shapes of series (see plot_style.h).
 */
#include "core/plots/plot_style.h"

/* Blue, vermillion, green, purple, orange, sky blue, yellow, grey for black; grey. */
static const FgColor colors[FG_SERIES + 1] = {
	0x0072B2, 0xD55E00, 0x009E73, 0xC46F9F, 0xB97F00, 0x3F97CC, 0x948A00, 0x777777, 0x888888
};

static const char *const dashes[FG_SERIES + 1] = {
	"", " stroke-dasharray=\"8 3\"", " stroke-dasharray=\"3 2\"", " stroke-dasharray=\"9 2 2 2\"",
	" stroke-dasharray=\"12 4\"", " stroke-dasharray=\"6 2 2 2 2 2\"", " stroke-dasharray=\"4 4\"",
	" stroke-dasharray=\"14 2 4 2\"", " stroke-dasharray=\"5 4\""
};

const char	fg_dotted[] = " stroke-dasharray=\"2 3\"";

/* Steps from the middle around a shape whose radius is 1; in hundredths. */
#define MOST_CORNERS 12

typedef struct Shape
{
	int			corners;
	int			at[MOST_CORNERS][2];
} Shape;

static const Shape shapes[FG_SERIES + 1] = {
	{0, {{0}}},					/* a circle */
	{4, {{-90, -90}, {90, -90}, {90, 90}, {-90, 90}}},
	{3, {{0, -120}, {115, 85}, {-115, 85}}},
	{4, {{0, -135}, {135, 0}, {0, 135}, {-135, 0}}},
	{3, {{0, 120}, {-115, -85}, {115, -85}}},
	{12, {{-40, -125}, {40, -125}, {40, -40}, {125, -40}, {125, 40}, {40, 40}, {40, 125},
	{-40, 125}, {-40, 40}, {-125, 40}, {-125, -40}, {-40, -40}}},
	{4, {{-50, -125}, {50, -125}, {50, 125}, {-50, 125}}},
	{4, {{-125, -50}, {125, -50}, {125, 50}, {-125, 50}}},
	{0, {{0}}}
};

FgColor
fg_series_color(uint32_t style)
{
	return colors[style];
}

const char *
fg_series_dashes(uint32_t style)
{
	return dashes[style];
}

static void
put_number(FgXml *xml, const char *before, int64_t hundredths)
{
	fg_xml_put(xml, before);
	fg_xml_hundredths(xml, hundredths);
}

/* A path begins at the middle, so its first numbers are where the point is. */
static void
put_corners(FgXml *xml, const Shape *shape, int64_t x, int64_t y, int64_t radius)
{
	int64_t		last_x = 0;
	int64_t		last_y = 0;

	put_number(xml, "<path d=\"M", x);
	put_number(xml, " ", y);
	for (int c = 0; c < shape->corners; c++)
	{
		int64_t		to_x = shape->at[c][0] * radius / 100;
		int64_t		to_y = shape->at[c][1] * radius / 100;

		put_number(xml, c == 0 ? "m" : "l", to_x - last_x);
		put_number(xml, " ", to_y - last_y);
		last_x = to_x;
		last_y = to_y;
	}
	fg_xml_put(xml, "z\">");
}

void
fg_put_shape(FgXml *xml, uint32_t style, int64_t x, int64_t y, int64_t radius)
{
	if (shapes[style].corners > 0)
	{
		put_corners(xml, &shapes[style], x, y, radius);
		return;
	}
	put_number(xml, "<circle cx=\"", x);
	put_number(xml, "\" cy=\"", y);
	put_number(xml, "\" r=\"", radius);
	fg_xml_put(xml, "\">");
}

const char *
fg_shape_end(uint32_t style)
{
	return shapes[style].corners > 0 ? "</path>\n" : "</circle>\n";
}
