/*
 * page_table.h
 *	  Tables of pages (page.h): columns of one kind each, cell by cell.
 *
 *		fg_page_table_begin(page, columns, count, rows, caption)
 *		fg_page_row_begin(page)
 *		fg_page_cell(page, &column, &cell) ...		one of each column
 *		fg_page_row_end(page)
 *		fg_page_table_end(page)
 *
 * Numbers are shown as pictures show them (units.h); the title of their cell has all digits
 * and the attribute data-v is what tables are sorted by.  The largest size of a column's
 * numbers has to be known before the first cell, for bars: fg_page_column_see.
 */
#ifndef FG_PAGE_TABLE_H
#define FG_PAGE_TABLE_H

#include "core/picture/page.h"

typedef enum FgCellKind
{
	FG_CELL_TEXT,
	FG_CELL_NUMBER,				/* in a unit */
	FG_CELL_SHARE,				/* a fraction, in percent */
	FG_CELL_BAR,				/* a number, with a bar in proportion to the column's largest */
	FG_CELL_STACK,				/* the text of a stackpath */
	FG_CELL_SPARK,				/* numbers as a line, the oldest first */
	FG_CELL_ARROW,				/* of a change of shares: -90 degrees twice, 90 half */
	FG_CELL_STATUS				/* a word; what is good or bad has a colour, too */
} FgCellKind;

#define FG_CELL_KINDS 8

/* The words for each, in the order of FgCellKind. */
extern const char *const fg_cell_kinds[FG_CELL_KINDS];

typedef struct FgColumn
{
	FgText		label;
	FgText		unit;			/* of numbers and bars; may be empty */
	FgCellKind	kind;
	bool		plus;			/* numbers above 0 have a sign, too: they are changes */
	double		largest;		/* size of a number of the column */
	bool		signs;			/* one of them is below 0 */
} FgColumn;

typedef struct FgCell
{
	bool		null;
	FgText		text;			/* text, stack, status */
	double		number;			/* number, share, bar; degrees of an arrow */
	FgColor		color;			/* of an arrow */
	const double *numbers;		/* of a line; NaN: none at this place */
	size_t		count;
	FgText		link;			/* an anchor of the page (page.h); empty: none */
} FgCell;

/* Number, share or bar. */
extern bool fg_cell_is_number(FgCellKind kind);

/* Sees a number of the column; NaN and infinite ones have no bar. */
extern void fg_page_column_see(FgColumn *column, double number);

extern void fg_page_table_begin(FgPage *page, const FgColumn *columns, size_t count, size_t rows,
								FgText caption);
extern void fg_page_row_begin(FgPage *page);
extern void fg_page_cell(FgPage *page, const FgColumn *column, const FgCell *cell);
extern void fg_page_row_end(FgPage *page);
extern void fg_page_table_end(FgPage *page);

/* A table without rows, or a picture that is not there, is said to be so. */
extern void fg_page_nothing(FgPage *page, const char *words);

#endif							/* FG_PAGE_TABLE_H */
