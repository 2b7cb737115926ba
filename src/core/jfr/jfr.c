/*
 * jfr.c
 *	  Java Flight Recorder in either of its forms: the binary file, known by its first bytes,
 *	  or what `jfr print --json` makes of it.
 */
#include "core/jfr/jfr_events.h"

static const char magic[] = {'F', 'L', 'R', '\0'};

typedef struct Jfr
{
	FgSink	   *sink;
	const FgFormatReader *form; /* NULL: too few bytes to tell */
	void	   *state;
	char		head[sizeof(magic)];
	size_t		size;
} Jfr;

static void *
jfr_begin(FgSink *sink)
{
	Jfr		   *jfr = fg_alloc_zero(fg_sink_context(sink), 1, sizeof(Jfr));

	if (jfr != NULL)
		jfr->sink = sink;
	return jfr;
}

static bool
begin_form(Jfr *jfr)
{
	bool		binary = jfr->size == sizeof(magic) && memcmp(jfr->head, magic, sizeof(magic)) == 0;

	jfr->form = binary ? &fg_jfr_binary_reader : &fg_jfr_json_reader;
	jfr->state = jfr->form->begin(jfr->sink);
	return jfr->state != NULL &&
		(jfr->size == 0 || jfr->form->feed(jfr->state, jfr->head, jfr->size));
}

static bool
jfr_feed(void *state, const char *bytes, size_t size)
{
	Jfr		   *jfr = state;

	while (jfr->form == NULL && size > 0)
	{
		jfr->head[jfr->size++] = *bytes++;
		size--;
		if (jfr->size == sizeof(magic) && !begin_form(jfr))
			return false;
	}
	return size == 0 || jfr->form->feed(jfr->state, bytes, size);
}

static bool
jfr_finish(void *state)
{
	Jfr		   *jfr = state;

	return (jfr->form != NULL || begin_form(jfr)) && jfr->form->finish(jfr->state);
}

static void
jfr_free(void *state)
{
	Jfr		   *jfr = state;

	if (jfr == NULL)
		return;
	if (jfr->state != NULL)
		jfr->form->free(jfr->state);
	fg_release(fg_sink_context(jfr->sink), jfr);
}

static bool
jfr_recognise(const char *head, size_t size, bool whole)
{
	return fg_jfr_binary_reader.recognise(head, size, whole) ||
		fg_jfr_json_reader.recognise(head, size, whole);
}

const FgFormatReader fg_jfr_reader = {
	.format = FG_FORMAT_JFR,
	.recognise = jfr_recognise,
	.begin = jfr_begin,
	.feed = jfr_feed,
	.finish = jfr_finish,
	.free = jfr_free
};
