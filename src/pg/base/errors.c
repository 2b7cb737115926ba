/*
 * errors.c
 *	  Errors of the core as PostgreSQL reports them (see errors.h).
 */
#include "pg/base/errors.h"

#include "lib/stringinfo.h"

int
fg_error_sqlstate(FgErrorCode code, FgSource source)
{
	switch (code)
	{
		case FG_ERROR_SYNTAX:
			return source == FG_FROM_WIRE ? ERRCODE_INVALID_BINARY_REPRESENTATION
				: ERRCODE_INVALID_TEXT_REPRESENTATION;
		case FG_ERROR_RANGE:
			return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
		case FG_ERROR_ENCODING:
			return ERRCODE_CHARACTER_NOT_IN_REPERTOIRE;
		case FG_ERROR_LIMIT:
			return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
		case FG_ERROR_ARGUMENT:
			return ERRCODE_INVALID_PARAMETER_VALUE;
		case FG_ERROR_MEMORY:
			return ERRCODE_OUT_OF_MEMORY;
		case FG_ERROR_CANCELLED:
			return ERRCODE_QUERY_CANCELED;
		case FG_ERROR_CORRUPT:
			if (source == FG_FROM_WIRE)
				return ERRCODE_INVALID_BINARY_REPRESENTATION;
			return source == FG_FROM_TEXT ? ERRCODE_INVALID_TEXT_REPRESENTATION
				: ERRCODE_DATA_CORRUPTED;
		case FG_OK:
			break;
	}
	return ERRCODE_INTERNAL_ERROR;
}

/* What was being read, for an error whose fact is where it was read. */
static int
subject_message(FgErrorCode code, const char *type, FgSource source)
{
	switch (code)
	{
		case FG_ERROR_SYNTAX:
			return source == FG_FROM_WIRE ? errmsg("invalid binary value of type %s", type)
				: errmsg("invalid input syntax for type %s", type);
		case FG_ERROR_RANGE:
			return errmsg("value out of range for type %s", type);
		case FG_ERROR_ENCODING:
			return errmsg("invalid UTF-8 text for type %s", type);
		case FG_ERROR_LIMIT:
			return errmsg("limit of type %s exceeded", type);
		case FG_ERROR_CORRUPT:
			if (source == FG_FROM_STORAGE)
				return errmsg("corrupt value of type %s", type);
			if (source == FG_FROM_WIRE)
				return errmsg("invalid binary value of type %s", type);
			return errmsg("invalid packed value of type %s", type);
		default:
			return errmsg("operation on type %s failed", type);
	}
}

static bool
has_place(const FgError *error)
{
	return error->line > 0 || error->column > 0;
}

/*
 * Arguments, arrays that are too large, limits and results out of range: what is wrong is
 * the message, unless it has a place in a text.
 */
static bool
speaks_for_itself(const FgError *error)
{
	return error->code == FG_ERROR_ARGUMENT || error->code == FG_ERROR_MEMORY ||
		((error->code == FG_ERROR_RANGE || error->code == FG_ERROR_LIMIT) && !has_place(error));
}

/* "Line 3, column 7: the value is missing." */
char *
fg_error_detail(const FgError *error)
{
	StringInfoData detail;

	initStringInfo(&detail);
	if (error->line > 0)
		appendStringInfo(&detail, "Line " UINT64_FORMAT, error->line);
	if (error->line > 0 && error->column > 0)
		appendStringInfo(&detail, ", column " UINT64_FORMAT, error->column);
	else if (error->column > 0)
		appendStringInfo(&detail, "Column " UINT64_FORMAT, error->column);
	if (has_place(error))
		appendStringInfo(&detail, ": %s.", error->reason);
	else
		appendStringInfo(&detail, "%c%s.", pg_toupper((unsigned char) error->reason[0]),
						 error->reason + 1);
	return detail.data;
}

void
fg_report(const FgContext *ctx, const char *type, FgSource source, struct Node *escontext)
{
	const FgError *error = &ctx->error;
	bool		alone = speaks_for_itself(error);

	fg_errsave(escontext,
			   (errcode(fg_error_sqlstate(error->code, source)),
				alone ? errmsg_internal("%s", error->reason)
				: subject_message(error->code, type, source),
				alone ? 0 : errdetail_internal("%s", fg_error_detail(error)),
				error->hint != NULL ? errhint("%s", error->hint) : 0));
}

void
fg_report_warnings(const FgWarnings *warnings)
{
	for (size_t i = 0; i < warnings->count; i++)
	{
		const FgWarning *warning = &warnings->list[i];
		char		detail[FG_WARNING_DETAIL];

		fg_warning_detail(warning, detail);
		ereport(NOTICE,
				(errmsg("%s", warning->text),
				 detail[0] != '\0' ? errdetail_internal("%s", detail) : 0,
				 errhint("%s", warning->hint)));
	}
}

void
fg_throw(const FgContext *ctx, const char *type)
{
	fg_report(ctx, type, FG_FROM_STORAGE, NULL);
	pg_unreachable();
}
