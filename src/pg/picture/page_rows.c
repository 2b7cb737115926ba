/*
 * page_rows.c
 *	  Tables of pages from arrays of objects in jsonb (see page_rows.h).
 */
#include "pg/picture/page_rows.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/picture/page_table.h"
#include "pg/base/arguments.h"

#define MOST_COLUMNS 100

/* Places of a line of numbers in a cell. */
#define MOST_NUMBERS 10000

typedef struct Column
{
	FgSpan		name;
	FgSpan		link;			/* the field with an anchor; size 0: none */
} Column;

typedef struct Table
{
	FgPage	   *page;
	const FgJsonbPlace *rows;
	int			count;			/* of rows */
	int			ncolumns;
	Column	   *columns;
	FgColumn   *shown;
} Table;

static FgText
text_of_span(FgSpan span)
{
	return (FgText) {span.bytes, span.size};
}

/* --- columns ---------------------------------------------------------------------------- */

static FgText
field_text(const FgJsonbPlace *object, const char *key)
{
	FgJsonbPlace field = fg_jsonb_key(object, key);

	return field.value != NULL ? text_of_span(fg_jsonb_string(&field)) : (FgText) {0};
}

static void
take_column(Table *table, int i, const FgJsonbPlace *column)
{
	static const char *const keys[] = {"name", "label", "kind", "unit", "signed", "link"};
	FgJsonbPlace name;
	FgJsonbPlace kind;
	FgJsonbPlace label;
	FgJsonbPlace plus;

	fg_jsonb_check_keys(column, keys, lengthof(keys));
	name = fg_jsonb_key(column, "name");
	kind = fg_jsonb_key(column, "kind");
	label = fg_jsonb_key(column, "label");
	plus = fg_jsonb_key(column, "signed");
	table->columns[i].name = fg_jsonb_string(&name);
	table->columns[i].link = (FgSpan) {.bytes = field_text(column, "link").bytes,
	.size = field_text(column, "link").length};
	table->shown[i].label = text_of_span(label.value != NULL ? fg_jsonb_string(&label)
										 : table->columns[i].name);
	table->shown[i].unit = field_text(column, "unit");
	if (kind.value != NULL)
		table->shown[i].kind = (FgCellKind) fg_word(fg_jsonb_string(&kind), "kind", fg_cell_kinds,
													FG_CELL_KINDS);
	table->shown[i].plus = plus.value != NULL && fg_jsonb_bool(&plus);
	if (table->shown[i].plus && !fg_cell_is_number(table->shown[i].kind))
		fg_jsonb_throw(&plus, "of a column of kind number, share or bar", NULL);
}

/* Numbers are numbers, all else is text. */
static void
guess_columns(Table *table)
{
	FgJsonbPlace row = fg_jsonb_element(table->rows, 0);
	JsonbIterator *iterator;
	JsonbValue	item;
	JsonbIteratorToken token;

	if (!fg_jsonb_is_object(&row))
		fg_jsonb_throw(&row, "an object", NULL);
	iterator = JsonbIteratorInit(row.value->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		FgColumn   *shown;

		if (token == WJB_VALUE)
			table->shown[table->ncolumns - 1].kind = item.type == jbvNumeric ? FG_CELL_NUMBER
				: FG_CELL_TEXT;
		if (token != WJB_KEY)
			continue;
		if (table->ncolumns == MOST_COLUMNS)
			fg_jsonb_throw(&row, "an object of at most 100 keys", NULL);
		shown = &table->shown[table->ncolumns];
		table->columns[table->ncolumns++].name = (FgSpan) {.bytes = item.val.string.val,
		.size = (size_t) item.val.string.len};
		shown->label = (FgText) {item.val.string.val, (size_t) item.val.string.len};
	}
}

static void
take_columns(Table *table, const FgJsonbPlace *columns)
{
	table->columns = palloc0(MOST_COLUMNS * sizeof(Column));
	table->shown = palloc0(MOST_COLUMNS * sizeof(FgColumn));
	if (columns->value == NULL)
	{
		if (table->count > 0)
			guess_columns(table);
		return;
	}
	table->ncolumns = fg_jsonb_count(columns);
	if (table->ncolumns > MOST_COLUMNS)
		fg_jsonb_throw(columns, "an array of at most 100 columns", NULL);
	for (int i = 0; i < table->ncolumns; i++)
	{
		FgJsonbPlace column = fg_jsonb_element(columns, i);

		take_column(table, i, &column);
	}
}

/* --- cells ------------------------------------------------------------------------------ */

static FgJsonbPlace
value_of(const FgJsonbPlace *row, FgSpan name)
{
	return fg_jsonb_field(row, name.bytes, (int) name.size);
}

static void
take_numbers(FgCell *cell, const FgJsonbPlace *value)
{
	int			count = fg_jsonb_count(value);
	double	   *numbers;

	if (count > MOST_NUMBERS)
		fg_jsonb_throw(value, "an array of at most 10000 numbers", NULL);
	numbers = palloc(Max(count, 1) * sizeof(double));
	for (int i = 0; i < count; i++)
	{
		FgJsonbPlace number = fg_jsonb_element(value, i);

		numbers[i] = number.value != NULL ? fg_jsonb_number(&number) : (double) NAN;
	}
	cell->numbers = numbers;
	cell->count = (size_t) count;
}

static uint32_t
color_part(const FgJsonbPlace *arrow, const char *name)
{
	FgJsonbPlace part = fg_jsonb_key(arrow, name);
	double		value = part.value != NULL ? fg_jsonb_number(&part) : 128;

	if (!(value >= 0 && value <= 255))
		fg_jsonb_throw(&part, "between 0 and 255", NULL);
	return (uint32_t) value;
}

/* {"angle", "red", "green", "blue"}, as compare_baseline() has them. */
static void
take_arrow(FgCell *cell, const FgJsonbPlace *value)
{
	static const char *const keys[] = {"angle", "red", "green", "blue"};
	FgJsonbPlace angle;

	fg_jsonb_check_keys(value, keys, lengthof(keys));
	angle = fg_jsonb_key(value, "angle");
	cell->null = angle.value == NULL;
	if (cell->null)
		return;
	cell->number = fg_jsonb_number(&angle);
	if (isnan(cell->number))
		fg_jsonb_throw(&angle, "an angle", NULL);
	cell->color = color_part(value, "red") << 16 | color_part(value, "green") << 8 |
		color_part(value, "blue");
}

static void
take_link(FgCell *cell, const FgJsonbPlace *row, FgSpan name)
{
	FgJsonbPlace link = value_of(row, name);

	if (link.value == NULL)
		return;
	cell->link = text_of_span(fg_jsonb_string(&link));
	if (!fg_page_may_be_anchor(cell->link))
		fg_jsonb_throw(&link, "the anchor of a section", NULL);
}

static FgCell
take_cell(FgCellKind kind, const FgJsonbPlace *value)
{
	FgCell		cell = {.null = value->value == NULL};

	if (cell.null)
		return cell;
	switch (kind)
	{
		case FG_CELL_TEXT:
		case FG_CELL_STACK:
		case FG_CELL_STATUS:
			cell.text = text_of_span(fg_jsonb_text(value));
			break;
		case FG_CELL_NUMBER:
		case FG_CELL_SHARE:
		case FG_CELL_BAR:
			cell.number = fg_jsonb_number(value);
			break;
		case FG_CELL_SPARK:
			take_numbers(&cell, value);
			break;
		case FG_CELL_ARROW:
			take_arrow(&cell, value);
			break;
	}
	return cell;
}

/* --- rows ------------------------------------------------------------------------------- */

/* The largest numbers, before the first bar is drawn. */
static void
see_row(Table *table, const FgJsonbPlace *row)
{
	for (int i = 0; i < table->ncolumns; i++)
	{
		FgJsonbPlace value;

		if (table->shown[i].kind != FG_CELL_BAR)
			continue;
		value = value_of(row, table->columns[i].name);
		if (value.value != NULL)
			fg_page_column_see(&table->shown[i], fg_jsonb_number(&value));
	}
}

static void
put_row(Table *table, const FgJsonbPlace *row)
{
	fg_page_row_begin(table->page);
	for (int i = 0; i < table->ncolumns; i++)
	{
		FgJsonbPlace value = value_of(row, table->columns[i].name);
		FgCell		cell = take_cell(table->shown[i].kind, &value);

		if (table->columns[i].link.size > 0)
			take_link(&cell, row, table->columns[i].link);
		fg_page_cell(table->page, &table->shown[i], &cell);
	}
	fg_page_row_end(table->page);
}

/* What a row takes is given back after it; the page's own bytes stay where they were made. */
static void
each_row(Table *table, void (*act) (Table *table, const FgJsonbPlace *row))
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "a row of a page",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext before = MemoryContextSwitchTo(context);

	for (int i = 0; i < table->count && table->page->xml.ok; i++)
	{
		FgJsonbPlace row = fg_jsonb_element(table->rows, i);

		CHECK_FOR_INTERRUPTS();
		act(table, &row);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(before);
	MemoryContextDelete(context);
}

void
fg_page_rows(FgPage *page, const FgJsonbPlace *rows, const FgJsonbPlace *columns, FgText caption)
{
	Table		table = {.page = page, .rows = rows, .count = fg_jsonb_count(rows)};

	take_columns(&table, columns);
	if (table.count == 0)
	{
		fg_page_nothing(page, "There are no rows.");
		return;
	}
	each_row(&table, see_row);
	fg_page_table_begin(page, table.shown, (size_t) table.ncolumns, (size_t) table.count, caption);
	each_row(&table, put_row);
	fg_page_table_end(page);
}
