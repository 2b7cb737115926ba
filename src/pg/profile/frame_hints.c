/*
 * frame_hints.c
 *	  The nearest names to one that does not occur (see frame_hints.h).
 */
#include "pg/profile/frame_hints.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#include "core/patterns/find.h"

/* Bytes of a name that a message shows. */
#define MOST_SHOWN 100

static int
shown(const char *name, size_t length)
{
	return pg_mbcliplen(name, (int) Min(length, 2 * MOST_SHOWN), MOST_SHOWN);
}

/* Of control characters and changes of direction a client would show the effect. */
static bool
is_printable(pg_wchar c)
{
	return c >= ' ' && !(c >= 0x7F && c <= 0x9F) && c != 0x200E && c != 0x200F &&
		!(c >= 0x2028 && c <= 0x202E) && !(c >= 0x2066 && c <= 0x2069);
}

static void
append_name(StringInfo names, const char *name, int length)
{
	for (const char *end = name + length; name < end; name += pg_mblen(name))
	{
		if (is_printable(utf8_to_unicode((const unsigned char *) name)))
			appendBinaryStringInfo(names, name, pg_mblen(name));
		else
			appendStringInfoChar(names, '?');
	}
}

static char *
nearest_names(FgContext *ctx, const FgFrames *frames, FgSpan name)
{
	uint32_t	nearest[FG_MAX_NEAREST];
	uint32_t	count;
	StringInfoData names;

	fg_must(ctx, fg_nearest_frames(ctx, frames, name.bytes, name.size, nearest, &count));
	initStringInfo(&names);
	for (uint32_t i = 0; i < count; i++)
	{
		const char *frame = fg_frame_bytes(frames, nearest[i]);

		appendStringInfo(&names, "%s\"", i == 0 ? "" : (i + 1 == count ? " or " : ", "));
		append_name(&names, frame, shown(frame, fg_frame_length(frames, nearest[i])));
		appendStringInfoChar(&names, '"');
	}
	return names.data;
}

void
fg_note_missing_frame(FunctionCallInfo fcinfo, const FgFrames *frames, FgSpan name)
{
	static char told;
	FgContext	ctx = fg_current_context();
	char	   *nearest;

	if (frames->count == 0 || fcinfo->flinfo == NULL || fcinfo->flinfo->fn_extra != NULL ||
		!message_level_is_interesting(NOTICE))
		return;
	fcinfo->flinfo->fn_extra = &told;
	nearest = nearest_names(&ctx, frames, name);
	ereport(NOTICE,
			(errmsg("frame \"%.*s\" does not occur in the profile", shown(name.bytes, name.size),
					name.bytes),
			 *nearest != '\0' ? errhint("Perhaps you meant %s.", nearest)
			 : errhint("find_frames() finds functions by a part of their names.")));
	pfree(nearest);
}
