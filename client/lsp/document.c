/*
 * document.c
 *	  The documents that are open: their text, their functions, and what the store said of
 *	  these.
 */
#include "lsp.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What all documents together may have; what is over it is known, and not kept. */
#define MOST_BYTES ((size_t) 24 << 20)

/* --- names -------------------------------------------------------------------------------------- */

static int
hex_digit(char byte)
{
	return byte >= '0' && byte <= '9' ? byte - '0' : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 :
		byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

char *
path_of_uri(const char *uri)
{
	char	   *path = copy_text(uri, strlen(uri));
	char	   *to = path;
	const char *from = path;

	if (strncmp(path, "file://", 7) == 0)
	{
		from = strchr(path + 7, '/');
		from = from != NULL ? from : path;
	}
	for (; *from != '\0'; from++)
	{
		int			high = *from == '%' ? hex_digit(from[1]) : -1;
		int			low = high >= 0 ? hex_digit(from[2]) : -1;

		if (low >= 0 && high * 16 + low != 0)
		{
			*to++ = (char) (high * 16 + low);
			from += 2;
		}
		else
			*to++ = *from;
	}
	*to = '\0';
	return path;
}

char *
uri_of_path(const char *path)
{
	Out			uri = {.text = NULL};

	out_put(&uri, "file://");
	for (; *path != '\0'; path++)
	{
		if (isalnum((unsigned char) *path) || strchr("/._-~", *path) != NULL)
			out_bytes(&uri, path, 1);
		else
			out_format(&uri, "%%%02X", (unsigned) (unsigned char) *path);
	}
	return uri.text;
}

/* --- what the store said ---------------------------------------------------------------------------- */

static void
rows_free(Rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->items[i].name);
	rows->count = 0;
}

static void
cost_free(Cost *cost)
{
	free(cost->frame);
	free(cost->sample);
	rows_free(&cost->caller_rows);
	rows_free(&cost->callee_rows);
	rows_free(&cost->thread_rows);
	for (size_t i = 0; i < cost->finding_count; i++)
	{
		free(cost->findings[i].id);
		free(cost->findings[i].text);
		free(cost->findings[i].suspects);
	}
}

/* What the store said. */
static void
forget(Document *d)
{
	for (size_t i = 0; i < d->cost_count; i++)
		cost_free(&d->costs[i]);
	free(d->costs);
	for (size_t i = 0; i < d->site_count; i++)
		free(d->sites[i].callee);
	free(d->sites);
	for (size_t i = 0; i < d->unmatched_count; i++)
		free(d->unmatched[i]);
	free(d->unmatched);
	free(d->run);
	free(d->state);
	d->costs = NULL;
	d->sites = NULL;
	d->unmatched = NULL;
	d->cost_count = d->site_count = d->unmatched_count = d->frame_count = 0;
	d->frames_cut = false;
	d->run = d->state = NULL;
}

Document *
document_beside(const Document *d)
{
	Document   *beside = must_alloc(malloc(sizeof(*beside)));

	*beside = *d;
	beside->costs = NULL;
	beside->sites = NULL;
	beside->unmatched = NULL;
	beside->cost_count = beside->site_count = beside->unmatched_count = beside->frame_count = 0;
	beside->frames_cut = false;
	beside->run = beside->state = NULL;
	return beside;
}

void
document_drop(Document *beside)
{
	if (beside != NULL)
		forget(beside);
	free(beside);
}

void
document_replace(Document *d, Document *beside)
{
	Document	old = *d;

	d->costs = beside->costs;
	d->cost_count = beside->cost_count;
	d->unmatched = beside->unmatched;
	d->unmatched_count = beside->unmatched_count;
	d->frame_count = beside->frame_count;
	d->frames_cut = beside->frames_cut;
	d->run = beside->run;
	d->state = beside->state;
	/* Where calls are in a text that was edited, only those know that have moved with it. */
	if (!d->edited)
	{
		d->sites = beside->sites;
		d->site_count = beside->site_count;
		beside->sites = old.sites;
		beside->site_count = old.site_count;
	}
	beside->costs = old.costs;
	beside->cost_count = old.cost_count;
	beside->unmatched = old.unmatched;
	beside->unmatched_count = old.unmatched_count;
	beside->run = old.run;
	beside->state = old.state;
	/* the text may be another one by now */
	for (size_t i = 0; d->scanned && i < d->cost_count; i++)
		d->costs[i].kind = document_match(d, d->costs[i].sample, &d->costs[i].function);
}

/* --- texts ----------------------------------------------------------------------------------------------- */

Document *
document_find(Document *list, const char *uri)
{
	while (list != NULL && strcmp(list->uri, uri) != 0)
		list = list->next;
	return list;
}

static size_t
bytes_kept(const Document *list)
{
	size_t		bytes = 0;

	for (; list != NULL; list = list->next)
		bytes += list->text.bytes.capacity + list->text.line_capacity * sizeof(uint32_t);
	return bytes;
}

static void
forget_scan(Document *d)
{
	fg_functions_free(&lsp.ctx, &d->functions);
	fg_release(&lsp.ctx, d->by_name);
	d->by_name = NULL;
	d->scanned = false;
}

static void
set_text(Document *d, const char *text, size_t length)
{
	forget_scan(d);
	fg_text_free(&d->text);
	d->kept = bytes_kept(lsp.documents) + length <= MOST_BYTES;
	if (!fg_text_begin(&lsp.ctx, &d->text, d->kept ? text : "", d->kept ? length : 0))
		must_alloc(NULL);
}

Document *
document_open(Document **list, const char *uri, const char *language, const char *text, size_t length)
{
	Document   *d = document_find(*list, uri);

	if (d == NULL)
	{
		d = must_alloc(calloc(1, sizeof(*d)));
		d->uri = copy_text(uri, strlen(uri));
		d->path = path_of_uri(uri);
		d->text.bytes.ctx = &lsp.ctx;
		d->next = *list;
		*list = d;
	}
	d->language = fg_language_of(language, strlen(language), d->path, strlen(d->path));
	d->edited = false;
	set_text(d, text, length);
	return d;
}

static uint32_t
count_lines(const Change *change)
{
	uint32_t	lines = 0;

	for (size_t i = 0; i < change->length; i++)
		lines += change->text[i] == '\n' || (change->text[i] == '\r' && change->text[i + 1] != '\n');
	return lines;
}

/*
 * Call sites move with their lines.  Those of a function that was changed go: where they are
 * now nobody knows (Lumnitz 2021, section 3.4.2).
 */
static void
move_sites(Document *d, const Change *change)
{
	size_t		offset = fg_text_offset(&d->text, change->from);
	uint32_t	function = d->scanned ? fg_function_at(&d->functions, offset) : FG_NONE;
	FgPosition	first = change->from;
	FgPosition	last = change->to;
	uint32_t	lines = count_lines(change);
	size_t		kept = 0;

	if (function != FG_NONE)
	{
		FgPosition	start = fg_text_place(&d->text, d->functions.items[function].start);
		FgPosition	end = fg_text_place(&d->text, d->functions.items[function].end);

		first = start.line < first.line ? start : first;
		last = end.line > last.line ? end : last;
	}
	for (size_t i = 0; i < d->site_count; i++)
	{
		Site	   *site = &d->sites[i];

		if (site->line >= first.line && site->line <= last.line)
		{
			free(site->callee);
			continue;
		}
		if (site->line > last.line)
			site->line = site->line + lines - (change->to.line - change->from.line);
		d->sites[kept++] = *site;
	}
	d->site_count = kept;
}

void
document_change(Document *d, const Change *change)
{
	const char *text = change->text != NULL ? change->text : "";

	if (!change->ranged)
	{
		set_text(d, text, change->length);
		d->edited = true;
		return;
	}
	if (!d->kept)
		return;
	if (change->to.line >= change->from.line)
		move_sites(d, change);
	d->edited = true;
	forget_scan(d);
	if (bytes_kept(lsp.documents) + change->length > MOST_BYTES)
	{
		set_text(d, "", 0);
		d->kept = false;
	}
	else if (!fg_text_replace(&d->text, change->from, change->to, text, change->length))
		must_alloc(NULL);
}

static void
document_free(Document *d)
{
	forget(d);
	forget_scan(d);
	fg_text_free(&d->text);
	free(d->uri);
	free(d->path);
	free(d);
}

void
document_close(Document **list, const char *uri)
{
	for (; *list != NULL; list = &(*list)->next)
	{
		Document   *d = *list;

		if (strcmp(d->uri, uri) != 0)
			continue;
		*list = d->next;
		document_free(d);
		return;
	}
}

void
documents_free(Document **list)
{
	while (*list != NULL)
		document_close(list, (*list)->uri);
}

/* --- functions ----------------------------------------------------------------------------------------------- */

FgMatchKind
document_match(const Document *d, const char *frame, uint32_t *function)
{
	static FgFrameName name;
	FgSourceFile file = {d->language, d->path, strlen(d->path), (const char *) d->text.bytes.data, d->text.lines,
	d->text.line_count, &d->functions, d->by_name};

	*function = FG_NONE;
	if (!d->scanned || !fg_frame_name(d->language, frame, strlen(frame), &name))
		return FG_MATCH_NONE;
	return fg_match_frame(&file, &name, function);
}

void
document_scan(Document *d)
{
	if (d->scanned)
		return;
	if (!fg_scan_functions(&lsp.ctx, d->language, (const char *) d->text.bytes.data, d->text.bytes.size, &d->functions))
		must_alloc(NULL);
	d->by_name = must_alloc(fg_match_order(&lsp.ctx, &d->functions, (const char *) d->text.bytes.data));
	d->scanned = true;
	for (size_t i = 0; i < d->cost_count; i++)
		d->costs[i].kind = document_match(d, d->costs[i].sample, &d->costs[i].function);
}

uint32_t
document_line(const Document *d, const Cost *cost)
{
	if (cost->function == FG_NONE)
		return 0;
	return fg_text_place(&d->text, d->functions.items[cost->function].name.length > 0 ?
						 d->functions.items[cost->function].name.at : d->functions.items[cost->function].start).line;
}

Cost *
document_cost(const Document *d, const char *frame)
{
	size_t		low = 0;
	size_t		high = d->cost_count;

	/* They come in bytewise order. */
	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;
		int			order = strcmp(d->costs[middle].frame, frame);

		if (order == 0)
			return &d->costs[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
