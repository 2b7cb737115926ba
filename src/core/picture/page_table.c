/*
 * page_table.c
 *	  Tables of pages (see page_table.h).
 */
#include "core/picture/page_table.h"

#include "core/svg/units.h"

#include <math.h>
#include <string.h>

/* Pixels. */
#define BAR_WIDTH 80
#define BAR_HEIGHT 10
#define LINE_WIDTH 100
#define LINE_HEIGHT 22
#define LINE_MARGIN 3

/* Longer tables scroll in themselves, so that their heads stay in sight. */
#define LONG_TABLE 20

const char *const fg_cell_kinds[FG_CELL_KINDS] = {
	"text", "number", "share", "bar", "stack", "spark", "arrow", "status"
};

void
fg_page_column_see(FgColumn *column, double number)
{
	if (!isfinite(number))
		return;
	column->largest = fmax(column->largest, fabs(number));
	column->signs |= number < 0;
}

bool
fg_cell_is_number(FgCellKind kind)
{
	return kind == FG_CELL_NUMBER || kind == FG_CELL_SHARE || kind == FG_CELL_BAR;
}

void
fg_page_table_begin(FgPage *page, const FgColumn *columns, size_t count, size_t rows,
					FgText caption)
{
	FgXml	   *xml = &page->xml;

	/* what scrolls has to be reached by keys, and to have a name */
	fg_xml_format(xml, "<div class=\"%s\" tabindex=\"0\" role=\"region\" aria-label=\"",
				  rows > LONG_TABLE ? "t long" : "t");
	if (caption.length > 0)
		fg_xml_text(xml, caption.bytes, caption.length, FG_MOST_SHOWN);
	fg_xml_format(xml, "%sTable %u\">\n<table>\n", caption.length > 0 ? ", " : "", ++page->tables);
	if (caption.length > 0)
	{
		fg_xml_put(xml, "<caption>");
		fg_xml_text(xml, caption.bytes, caption.length, FG_MOST_SHOWN);
		fg_xml_put(xml, "</caption>\n");
	}
	fg_xml_put(xml, "<thead><tr>");
	for (size_t i = 0; i < count; i++)
	{
		fg_xml_format(xml, "<th scope=\"col\"%s>", fg_cell_is_number(columns[i].kind) ? " class=\"n\"" : "");
		fg_xml_text(xml, columns[i].label.bytes, columns[i].label.length, FG_MOST_SHOWN);
		fg_xml_put(xml, "</th>");
	}
	fg_xml_put(xml, "</tr></thead>\n<tbody>\n");
}

void
fg_page_table_end(FgPage *page)
{
	fg_xml_put(&page->xml, "</tbody>\n</table>\n</div>\n");
}

void
fg_page_row_begin(FgPage *page)
{
	fg_xml_put(&page->xml, "<tr>");
}

void
fg_page_row_end(FgPage *page)
{
	fg_xml_put(&page->xml, "</tr>\n");
}

void
fg_page_nothing(FgPage *page, const char *words)
{
	fg_xml_format(&page->xml, "<p class=\"none\">%s</p>\n", words);
}

/* --- cells ---------------------------------------------------------------------------- */

static void
put_text(FgPage *page, FgText text)
{
	fg_xml_text(&page->xml, text.bytes, text.length, FG_PAGE_MOST_TEXT);
}

/* The number with its unit, for people. */
static void
put_value(FgPage *page, double number, FgText unit)
{
	FgBuffer	shown = {.ctx = page->xml.buffer.ctx};

	if (!page->xml.ok)
		return;
	page->xml.ok = fg_units_value(&shown, number, unit.bytes != NULL ? unit.bytes : "",
								  unit.length);
	put_text(page, fg_text_of(&shown));
	fg_release(shown.ctx, shown.data);
}

/* All digits, in words that scripts read as the same number, too. */
static void
put_exact(FgXml *xml, double number)
{
	if (isfinite(number))
		fg_xml_number(xml, number);
	else
		fg_xml_put(xml, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
}

/* <td with the number to sort by and, as its title, all digits. */
static void
begin_number(FgPage *page, double number, FgText unit)
{
	fg_xml_put(&page->xml, "<td class=\"n\" data-v=\"");
	put_exact(&page->xml, number);
	fg_xml_put(&page->xml, "\" title=\"");
	put_exact(&page->xml, number);
	if (unit.length > 0)
	{
		fg_xml_put(&page->xml, " ");
		put_text(page, unit);
	}
	fg_xml_put(&page->xml, "\">");
}

static void
put_sign(FgPage *page, const FgColumn *column, double number)
{
	if (column->plus && number > 0)
		fg_xml_put(&page->xml, "+");
}

static void
put_number(FgPage *page, const FgColumn *column, const FgCell *cell)
{
	begin_number(page, cell->number, column->unit);
	put_sign(page, column, cell->number);
	put_value(page, cell->number, column->unit);
}

static void
put_share(FgPage *page, const FgColumn *column, const FgCell *cell)
{
	char		text[FG_UNITS_SIZE];

	begin_number(page, cell->number, (FgText) {.length = 0});
	put_sign(page, column, cell->number);
	fg_xml_bytes(&page->xml, text, fg_units_share(cell->number, 1, text));
}

/* From the left, or both ways from the middle of a column that has both signs. */
static void
put_bar(FgPage *page, const FgColumn *column, const FgCell *cell)
{
	FgXml	   *xml = &page->xml;
	double		room = column->signs ? BAR_WIDTH / 2.0 : BAR_WIDTH;
	double		share = column->largest > 0 ? fabs(cell->number) / column->largest : 0;
	int64_t		width = fg_hundredths(isfinite(share) ? room * share : 0);
	int64_t		zero = column->signs ? fg_hundredths(BAR_WIDTH / 2.0) : 0;

	put_number(page, column, cell);
	fg_xml_format(xml, " <svg class=\"bar\" width=\"%d\" height=\"%d\" aria-hidden=\"true\"><rect",
				  BAR_WIDTH, BAR_HEIGHT);
	fg_xml_put(xml, cell->number < 0 ? " class=\"less\" x=\"" : " x=\"");
	fg_xml_hundredths(xml, cell->number < 0 ? zero - width : zero);
	fg_xml_put(xml, "\" width=\"");
	fg_xml_hundredths(xml, width);
	fg_xml_format(xml, "\" height=\"%d\"/></svg>", BAR_HEIGHT);
}

/* A line may be broken behind each frame. */
static void
put_stack(FgPage *page, FgText stack)
{
	size_t		from = 0;

	fg_xml_put(&page->xml, "<td class=\"k\"><code>");
	for (size_t i = 0; i < stack.length && page->xml.ok; i++)
	{
		if (stack.bytes[i] != ';')
			continue;
		fg_xml_text(&page->xml, stack.bytes + from, i + 1 - from, FG_PAGE_MOST_TEXT);
		fg_xml_put(&page->xml, "<wbr>");
		from = i + 1;
	}
	fg_xml_text(&page->xml, stack.bytes + from, stack.length - from, FG_PAGE_MOST_TEXT);
	fg_xml_put(&page->xml, "</code>");
}

/* --- lines of numbers -------------------------------------------------------------------- */

typedef struct Line
{
	double		least;
	double		most;
	size_t		known;
	size_t		last;			/* place of the last one that is known */
} Line;

static Line
measure_line(const FgCell *cell)
{
	Line		line = {.least = INFINITY, .most = -INFINITY};

	for (size_t i = 0; i < cell->count; i++)
	{
		if (!isfinite(cell->numbers[i]))
			continue;
		line.least = fmin(line.least, cell->numbers[i]);
		line.most = fmax(line.most, cell->numbers[i]);
		line.known++;
		line.last = i;
	}
	return line;
}

/* Halves, because the difference of two large numbers may not be finite. */
static int64_t
line_y(const Line *line, double number)
{
	double		span = line->most / 2 - line->least / 2;
	double		share = span > 0 ? (number / 2 - line->least / 2) / span : 0.5;

	return fg_hundredths(LINE_HEIGHT - LINE_MARGIN - share * (LINE_HEIGHT - 2 * LINE_MARGIN));
}

static int64_t
line_x(const FgCell *cell, size_t i)
{
	double		room = LINE_WIDTH - 2.0 * LINE_MARGIN;
	double		step = cell->count > 1 ? room / (double) (cell->count - 1) : 0;

	return fg_hundredths(LINE_MARGIN + step * (double) i);
}

static void
put_point(FgXml *xml, const char *command, int64_t x, int64_t y)
{
	fg_xml_put(xml, command);
	fg_xml_hundredths(xml, x);
	fg_xml_put(xml, " ");
	fg_xml_hundredths(xml, y);
}

static void
put_line(FgPage *page, const FgCell *cell, const Line *line)
{
	FgXml	   *xml = &page->xml;
	bool		joined = false;

	fg_xml_put(xml, "<path d=\"");
	for (size_t i = 0; i < cell->count && xml->ok; i++)
	{
		if (isfinite(cell->numbers[i]))
			put_point(xml, joined ? "L" : "M", line_x(cell, i), line_y(line, cell->numbers[i]));
		joined = isfinite(cell->numbers[i]);
	}
	fg_xml_put(xml, "\"/><circle cx=\"");
	fg_xml_hundredths(xml, line_x(cell, line->last));
	fg_xml_put(xml, "\" cy=\"");
	fg_xml_hundredths(xml, line_y(line, cell->numbers[line->last]));
	fg_xml_put(xml, "\" r=\"2.5\"/>");
}

static void
put_spark(FgPage *page, const FgColumn *column, const FgCell *cell)
{
	FgXml	   *xml = &page->xml;
	Line		line = measure_line(cell);

	if (line.known == 0)
	{
		fg_xml_put(xml, "<td class=\"none\">-");
		return;
	}
	fg_xml_put(xml, "<td data-v=\"");
	fg_xml_number(xml, cell->numbers[line.last]);
	fg_xml_format(xml, "\"><svg class=\"spark\" width=\"%d\" height=\"%d\" role=\"img\" "
				  "aria-label=\"%zu values, ", LINE_WIDTH, LINE_HEIGHT, line.known);
	put_value(page, line.least, column->unit);
	fg_xml_put(xml, " to ");
	put_value(page, line.most, column->unit);
	fg_xml_put(xml, ", the last ");
	put_value(page, cell->numbers[line.last], column->unit);
	fg_xml_put(xml, "\">");
	put_line(page, cell, &line);
	fg_xml_put(xml, "</svg>");
}

/* --- signs ------------------------------------------------------------------------------- */

/* Rotated against the clock for what costs more: it points up. */
static void
put_arrow(FgPage *page, const FgCell *cell)
{
	FgXml	   *xml = &page->xml;
	double		angle = fmin(90, fmax(-90, cell->number));

	fg_xml_put(xml, "<td data-v=\"");
	fg_xml_number(xml, cell->number);
	fg_xml_format(xml, "\"><svg class=\"arrow\" width=\"20\" height=\"20\" role=\"img\" "
				  "aria-label=\"%s\"><path transform=\"rotate(",
				  angle < 0 ? "more" : angle > 0 ? "less" : "as before");
	fg_xml_hundredths(xml, fg_hundredths(angle));
	fg_xml_format(xml, " 10 10)\" d=\"M2 8h8v-5l8 7-8 7v-5h-8z\" fill=\"#%06x\"/></svg>",
				  cell->color & 0xFFFFFF);
}

static bool
is_one_of(FgText word, const char *const *words)
{
	for (; *words != NULL; words++)
	{
		if (strlen(*words) == word.length && memcmp(word.bytes, *words, word.length) == 0)
			return true;
	}
	return false;
}

static void
put_status(FgPage *page, FgText word)
{
	static const char *const bad[] = {"degradation", "slower", "worse", "open", "failed", "error",
	"environment", "new", "+", NULL};
	static const char *const good[] = {"optimization", "faster", "better", "resolved", "closed",
	"ok", "passed", "gone", "-", NULL};

	fg_xml_format(&page->xml, "<td><span class=\"s%s\">",
				  is_one_of(word, bad) ? " bad" : is_one_of(word, good) ? " good" : "");
	put_text(page, word);
	fg_xml_put(&page->xml, "</span>");
}

static void
put_plain(FgPage *page, const FgCell *cell)
{
	fg_xml_put(&page->xml, cell->text.length > FG_PAGE_SHORT_TEXT ? "<td class=\"l\">" : "<td>");
	if (cell->link.length > 0)
	{
		fg_xml_put(&page->xml, "<a href=\"#to-");
		put_text(page, cell->link);
		fg_xml_put(&page->xml, "\">");
	}
	fg_page_put_parts(page, cell->text, FG_PAGE_MOST_TEXT);
	if (cell->link.length > 0)
		fg_xml_put(&page->xml, "</a>");
}

static bool
is_empty(FgCellKind kind, const FgCell *cell)
{
	return cell->null ||
		((kind == FG_CELL_STATUS || kind == FG_CELL_STACK) && cell->text.length == 0);
}

void
fg_page_cell(FgPage *page, const FgColumn *column, const FgCell *cell)
{
	if (is_empty(column->kind, cell))
	{
		fg_xml_format(&page->xml, "<td class=\"none%s\">-</td>",
					  fg_cell_is_number(column->kind) ? " n" : "");
		return;
	}
	switch (column->kind)
	{
		case FG_CELL_TEXT:
			put_plain(page, cell);
			break;
		case FG_CELL_NUMBER:
			put_number(page, column, cell);
			break;
		case FG_CELL_SHARE:
			put_share(page, column, cell);
			break;
		case FG_CELL_BAR:
			put_bar(page, column, cell);
			break;
		case FG_CELL_STACK:
			put_stack(page, cell->text);
			break;
		case FG_CELL_SPARK:
			put_spark(page, column, cell);
			break;
		case FG_CELL_ARROW:
			put_arrow(page, cell);
			break;
		case FG_CELL_STATUS:
			put_status(page, cell->text);
			break;
	}
	fg_xml_put(&page->xml, "</td>");
}
