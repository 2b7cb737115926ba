/*
 * firefox_rows.h
 *	  The rows of a table in Gecko's own form: a schema says which field stands where, and may
 *	  stand behind the rows.
 *
 * A row comes cell by cell.  Once there is a schema its fields are in "row"; before that its
 * cells are kept (fg_firefox_rows_keep), and come again when the table has ended
 * (fg_firefox_rows_next).
 */
#ifndef FG_FIREFOX_ROWS_H
#define FG_FIREFOX_ROWS_H

#include "core/browsers/firefox_stacks.h"
#include "core/reading/json_stream.h"

/* The fields that are wanted, of all tables. */
typedef enum FgFirefoxField
{
	FG_FIREFOX_FIELD_NONE,
	FG_FIREFOX_FIELD_STACK,
	FG_FIREFOX_FIELD_TIME,
	FG_FIREFOX_FIELD_CPU,
	FG_FIREFOX_FIELD_PREFIX,
	FG_FIREFOX_FIELD_FRAME,
	FG_FIREFOX_FIELD_LOCATION,
	FG_FIREFOX_FIELD_LINE,
	FG_FIREFOX_FIELDS
} FgFirefoxField;

#define FG_FIREFOX_MAX_FIELDS 32

typedef struct FgFirefoxRows
{
	FgContext  *ctx;
	FgFirefoxField fields[FG_FIREFOX_MAX_FIELDS];	/* by the place of their cell */
	bool		has_schema;
	size_t		cell;			/* the next one of the row */
	double		row[FG_FIREFOX_FIELDS]; /* NAN: null, or no such field */
	FgFirefoxDoubles cells;		/* of rows that are kept ... */
	FgFirefoxNumbers kept;		/* ... and where each ends in them */
	size_t		taken;			/* how many of them came again */
} FgFirefoxRows;

extern void fg_firefox_rows_free(FgFirefoxRows *rows);

/* A schema begins; a field of it. */
extern void fg_firefox_rows_schema(FgFirefoxRows *rows);
extern bool fg_firefox_rows_field(FgFirefoxRows *rows, FgJson *json, const FgJsonValue *value);

extern void fg_firefox_rows_begin(FgFirefoxRows *rows);
extern bool fg_firefox_rows_cell(FgFirefoxRows *rows, FgJson *json, const FgJsonValue *value);
extern bool fg_firefox_rows_keep(FgFirefoxRows *rows);

/* The next row that was kept is in "row"; false: there is none, and none is kept any more. */
extern bool fg_firefox_rows_next(FgFirefoxRows *rows);

/* The field of the row as an index; FG_NONE for null and -1. */
extern bool fg_firefox_rows_index(const FgFirefoxRows *rows, FgJson *json, FgFirefoxField field,
								  uint32_t *number);

#endif							/* FG_FIREFOX_ROWS_H */
