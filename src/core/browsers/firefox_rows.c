/*
 * firefox_rows.c
 *	  The rows of a table in Gecko's own form (see firefox_rows.h).
 */
#include "core/browsers/firefox_rows.h"

#include <math.h>
#include <string.h>

void
fg_firefox_rows_free(FgFirefoxRows *rows)
{
	fg_release(rows->ctx, rows->cells.items);
	fg_release(rows->ctx, rows->kept.items);
}

/* --- the schema ------------------------------------------------------------------------- */

void
fg_firefox_rows_schema(FgFirefoxRows *rows)
{
	memset(rows->fields, 0, sizeof(rows->fields));
	rows->has_schema = true;
}

bool
fg_firefox_rows_field(FgFirefoxRows *rows, FgJson *json, const FgJsonValue *value)
{
	static const char *const names[FG_FIREFOX_FIELDS] = {
		[FG_FIREFOX_FIELD_NONE] = "", [FG_FIREFOX_FIELD_STACK] = "stack",
		[FG_FIREFOX_FIELD_TIME] = "time", [FG_FIREFOX_FIELD_CPU] = "threadCPUDelta",
		[FG_FIREFOX_FIELD_PREFIX] = "prefix", [FG_FIREFOX_FIELD_FRAME] = "frame",
		[FG_FIREFOX_FIELD_LOCATION] = "location", [FG_FIREFOX_FIELD_LINE] = "line"
	};
	uint32_t	place;

	if (!fg_json_index(json, value, &place))
		return false;
	for (int i = FG_FIREFOX_FIELD_NONE + 1; i < FG_FIREFOX_FIELDS; i++)
	{
		if (value->key_length != strlen(names[i]) ||
			memcmp(value->key, names[i], value->key_length) != 0)
			continue;
		if (place >= FG_FIREFOX_MAX_FIELDS)
			return fg_json_fail(json, FG_ERROR_LIMIT, NULL, "a row has more than %d fields",
								FG_FIREFOX_MAX_FIELDS);
		rows->fields[place] = (FgFirefoxField) i;
	}
	return true;
}

/* --- rows ------------------------------------------------------------------------------- */

void
fg_firefox_rows_begin(FgFirefoxRows *rows)
{
	rows->cell = 0;
	for (int i = 0; i < FG_FIREFOX_FIELDS; i++)
		rows->row[i] = NAN;
}

static bool
keep_cell(FgFirefoxRows *rows, FgJson *json, const FgJsonValue *value)
{
	double		number = NAN;

	return (value->type != FG_JSON_NUMBER || fg_json_number(json, value, &number)) &&
		fg_firefox_double(rows->ctx, &rows->cells, number);
}

bool
fg_firefox_rows_cell(FgFirefoxRows *rows, FgJson *json, const FgJsonValue *value)
{
	FgFirefoxField field = rows->cell < FG_FIREFOX_MAX_FIELDS ? rows->fields[rows->cell]
		: FG_FIREFOX_FIELD_NONE;

	if (value->end)
		return true;
	if (!rows->has_schema)
		return keep_cell(rows, json, value);
	rows->cell++;
	if (field == FG_FIREFOX_FIELD_NONE || value->type == FG_JSON_NULL)
		return true;
	if (value->type != FG_JSON_NUMBER)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "this field of a row is not a number");
	return fg_json_number(json, value, &rows->row[field]);
}

bool
fg_firefox_rows_keep(FgFirefoxRows *rows)
{
	return fg_firefox_number(rows->ctx, &rows->kept, (uint32_t) rows->cells.count);
}

bool
fg_firefox_rows_next(FgFirefoxRows *rows)
{
	size_t		at = rows->taken > 0 ? rows->kept.items[rows->taken - 1] : 0;

	if (rows->taken == rows->kept.count)
	{
		rows->cells.count = rows->kept.count = rows->taken = 0;
		return false;
	}
	fg_firefox_rows_begin(rows);
	for (; at < rows->kept.items[rows->taken]; at++)
	{
		if (rows->cell < FG_FIREFOX_MAX_FIELDS)
			rows->row[rows->fields[rows->cell++]] = rows->cells.items[at];
	}
	rows->taken++;
	return true;
}

bool
fg_firefox_rows_index(const FgFirefoxRows *rows, FgJson *json, FgFirefoxField field,
					  uint32_t *number)
{
	double		value = rows->row[field];

	*number = FG_NONE;
	if (isnan(value) || value == -1)
		return true;
	if (value < 0 || value >= FG_NONE || value != floor(value))
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL,
							"a row has no whole number where a number should be");
	*number = (uint32_t) value;
	return true;
}
