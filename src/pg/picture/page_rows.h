/*
 * page_rows.h
 *	  Tables of pages from arrays of objects in jsonb.
 */
#ifndef FG_PAGE_ROWS_H
#define FG_PAGE_ROWS_H

#include "core/picture/page.h"
#include "pg/base/jsonb_read.h"

/*
 * rows: objects; columns: an array of {"name", "label", "kind", "unit", "link"}, of which
 * the name alone is needed, or no value: then the keys of the first row are the columns.
 */
extern void fg_page_rows(FgPage *page, const FgJsonbPlace *rows, const FgJsonbPlace *columns,
						 FgText caption);

#endif							/* FG_PAGE_ROWS_H */
