/*
 * instruments.c
 *	  Which of Instruments' two forms a recording has (see instruments.h).
 */
#include "core/formats/instruments.h"

#include "core/reading/json_stream.h"
#include "core/reading/text_lines.h"

#include <string.h>

typedef struct Instruments
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgInstrumentsXml *xml;
	FgInstrumentsText *text;
	char		head[4];		/* until the form is known */
	size_t		head_size;
} Instruments;

/* Behind a byte order mark, if there is one. */
static bool
is_xml(const char *head, size_t size)
{
	size_t		at = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

	return at < size && head[at] == '<';
}

/* In UTF-16, which the reader of XML refuses by its name. */
static bool
is_wide_xml(const char *head, size_t size)
{
	return size >= 4 && (memcmp(head, "\xFF\xFE<\0", 4) == 0 || memcmp(head, "\xFE\xFF\0<", 4) == 0 ||
						 memcmp(head, "\0<", 2) == 0);
}

static void
instruments_free(void *state)
{
	Instruments *r = state;

	if (r == NULL)
		return;
	fg_instruments_xml_free(r->xml);
	fg_instruments_text_free(r->text);
	fg_release(r->ctx, r);
}

static void *
instruments_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Instruments *r = fg_alloc_zero(ctx, 1, sizeof(Instruments));

	if (r == NULL)
		return NULL;
	r->ctx = ctx;
	r->sink = sink;
	return r;
}

static bool
begin_text(Instruments *r)
{
	if (fg_sink_is_timed(r->sink) ||
		fg_sink_options(r->sink)->frame_style != FG_FRAME_FUNCTION)
		return fg_fail_at(r->ctx, FG_ERROR_ARGUMENT, 0, 0, "The XML of xctrace export has both.",
						  "a deep copy of Instruments has no times and no lines");
	r->text = fg_instruments_text_begin(r->sink);
	return r->text != NULL;
}

/* Both forms take what came in so far. */
static bool
feed_form(Instruments *r, const char *bytes, size_t size)
{
	return size == 0 || (r->xml != NULL ? fg_instruments_xml_feed(r->xml, bytes, size)
						 : fg_instruments_text_feed(r->text, bytes, size));
}

static bool
begin_form(Instruments *r)
{
	if (is_xml(r->head, r->head_size) || is_wide_xml(r->head, r->head_size))
		r->xml = fg_instruments_xml_begin(r->sink);
	else if (!begin_text(r))
		return false;
	return (r->xml != NULL || r->text != NULL) && feed_form(r, r->head, r->head_size);
}

static bool
instruments_feed(void *state, const char *bytes, size_t size)
{
	Instruments *r = state;

	while (r->xml == NULL && r->text == NULL && size > 0)
	{
		r->head[r->head_size++] = *bytes++;
		size--;
		if (r->head_size == sizeof(r->head) && !begin_form(r))
			return false;
	}
	return feed_form(r, bytes, size);
}

static bool
instruments_finish(void *state)
{
	Instruments *r = state;

	if (r->xml == NULL && r->text == NULL && !begin_form(r))
		return false;
	return r->xml != NULL ? fg_instruments_xml_finish(r->xml) : fg_instruments_text_finish(r->text);
}

static bool
instruments_recognise(const char *head, size_t size, bool whole)
{
	FgHeadLine	walk = fg_head_lines(head, size, whole);

	if (is_xml(head, size))
		return fg_json_holds(head, size, "<trace-query-result") || fg_json_holds(head, size, "<trace-toc");
	return fg_head_next(&walk) && fg_instruments_is_heading(walk.line, walk.length);
}

const FgFormatReader fg_instruments_reader = {
	.format = FG_FORMAT_INSTRUMENTS,
	.recognise = instruments_recognise,
	.begin = instruments_begin,
	.feed = instruments_feed,
	.finish = instruments_finish,
	.free = instruments_free
};
