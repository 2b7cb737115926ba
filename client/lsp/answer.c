/*
 * answer.c
 *	  What is shown of a document: hints, lenses, hovers, actions, diagnostics.
 *
 * After Lumnitz 2021, section 3.4 (table 3.1): of each function its share of the time, how
 * much of that is its own, who calls it and from which threads, and an arrow for how it
 * changed against the baseline; at each call what the callee takes.
 */
#include "lsp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_UNMATCHED 10

/* --- words ------------------------------------------------------------------------------------------ */

static bool
is_shown(const Cost *cost)
{
	return (cost->kind == FG_MATCH_FUNCTION || cost->kind == FG_MATCH_FILE) && cost->known &&
		(cost->total * 100 >= lsp.settings.min_percent || cost->finding_count > 0);
}

/* From -90 degrees, upwards (slower), to 90, downwards (faster). */
static const char *
arrow_of(const Cost *cost)
{
	if (!cost->compared)
		return "";
	return cost->angle <= -67.5 ? " ↑" : cost->angle <= -22.5 ? " ↗" : cost->angle < 22.5 ? " →" :
		cost->angle < 67.5 ? " ↘" : " ↓";
}

/* The class of its colour: red, blue or green. */
static const char *
class_of(const Cost *cost)
{
	if (!cost->compared)
		return "none";
	return cost->angle <= -22.5 ? "slower" : cost->angle < 22.5 ? "same" : "faster";
}

static void
put_percent(Out *out, double share)
{
	double		percent = share * 100;

	out_format(out, percent != 0 && fabs(percent) < 0.05 ? "%.2g %%" : "%.1f %%", percent);
}

static void
put_cost(Out *out, const Cost *cost)
{
	put_percent(out, cost->total);
	out_put(out, " total, ");
	put_percent(out, cost->self);
	out_format(out, " self, %d caller%s%s", cost->callers, cost->callers == 1 ? "" : "s", arrow_of(cost));
}

/* Blocks from the lowest to the highest value; all of them low where nothing is there. */
static void
put_sparkline(Out *out, const double *values, size_t count)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double		most = 0;

	for (size_t i = 0; i < count; i++)
		most = values[i] > most ? values[i] : most;
	for (size_t i = 0; i < count; i++)
	{
		double		part = most > 0 && values[i] > 0 ? values[i] / most : 0;

		out_put(out, blocks[(size_t) fmin(7, floor(part * 8))]);
	}
}

/* --- JSON ------------------------------------------------------------------------------------------------- */

static void
put_position(Out *out, FgPosition position)
{
	out_format(out, "{\"line\":%u,\"character\":%u}", position.line, position.character);
}

static void
put_range(Out *out, FgPosition from, FgPosition to)
{
	out_put(out, "{\"start\":");
	put_position(out, from);
	out_put(out, ",\"end\":");
	put_position(out, to);
	out_put(out, "}");
}

/* The name of the function, or the begin of the file. */
static void
put_name_range(Out *out, const Document *d, const Cost *cost)
{
	const FgFunction *f = cost->function != FG_NONE ? &d->functions.items[cost->function] : NULL;
	size_t		start = f == NULL ? 0 : f->name.length > 0 ? f->name.at : f->start;

	put_range(out, fg_text_place(&d->text, start), fg_text_place(&d->text, start + (f != NULL ? f->name.length : 0)));
}

static FgPosition
line_end(const Document *d, uint32_t line)
{
	return fg_text_place(&d->text, fg_text_line_end(&d->text, line));
}

static void
put_comma(Out *out)
{
	if (out->size > 0 && out->text[out->size - 1] != '[')
		out_put(out, ",");
}

static void
put_hint(Out *out, FgPosition at, const char *label, const char *tooltip, const char *class)
{
	put_comma(out);
	out_put(out, "{\"position\":");
	put_position(out, at);
	out_put(out, ",\"label\":");
	out_string(out, label);
	out_put(out, ",\"paddingLeft\":true,\"tooltip\":");
	out_string(out, tooltip);
	out_put(out, ",\"data\":{\"class\":");
	out_string(out, class);
	out_put(out, "}}");
}

/* --- hints ---------------------------------------------------------------------------------------------------- */

/* All calls of a line in one: their sum, and who is called. */
static void
put_site(Out *out, const Document *d, size_t first, size_t count)
{
	Out			label = {.text = NULL};
	double		share = 0;

	for (size_t i = first; i < first + count; i++)
		share += d->sites[i].share;
	if (share * 100 < lsp.settings.min_percent)
		return;
	put_percent(&label, share);
	out_put(&label, " ⇒ ");
	for (size_t i = first; i < first + count && i < first + 2; i++)
	{
		char	   *name = printable(d->sites[i].callee);

		out_format(&label, "%s%.60s", i > first ? ", " : "", name);
		free(name);
	}
	if (count > 2)
		out_format(&label, ", %zu more", count - 2);
	put_hint(out, line_end(d, d->sites[first].line), label.text, "what is called from this line", "call");
	out_free(&label);
}

static int
compare_sites(const void *a, const void *b)
{
	const Site *x = a;
	const Site *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->share > y->share ? -1 : x->share < y->share ? 1 : strcmp(x->callee, y->callee);
}

void
answer_hints(Out *out, const Document *d, FgPosition from, FgPosition to)
{
	out_put(out, "[");
	for (size_t i = 0; i < d->cost_count; i++)
	{
		const Cost *cost = &d->costs[i];
		uint32_t	line = document_line(d, cost);
		Out			label = {.text = NULL};

		if (!is_shown(cost) || line < from.line || line > to.line)
			continue;
		put_cost(&label, cost);
		put_hint(out, line_end(d, line), label.text, cost->kind == FG_MATCH_FILE ? "the file itself" : cost->frame, class_of(cost));
		out_free(&label);
	}
	if (lsp.settings.lines && d->site_count > 0)
	{
		qsort(d->sites, d->site_count, sizeof(*d->sites), compare_sites);
		for (size_t i = 0, next; i < d->site_count; i = next)
		{
			for (next = i + 1; next < d->site_count && d->sites[next].line == d->sites[i].line; next++)
				;
			if (d->sites[i].line >= from.line && d->sites[i].line <= to.line && d->sites[i].line < d->text.line_count)
				put_site(out, d, i, next - i);
		}
	}
	out_put(out, "]");
}

void
answer_lenses(Out *out, const Document *d)
{
	out_put(out, "[");
	for (size_t i = 0; i < d->cost_count; i++)
	{
		const Cost *cost = &d->costs[i];
		Out			title = {.text = NULL};

		if (!is_shown(cost))
			continue;
		put_cost(&title, cost);
		put_comma(out);
		out_put(out, "{\"range\":");
		put_name_range(out, d, cost);
		out_put(out, ",\"command\":{\"title\":");
		out_string(out, title.text);
		out_put(out, ",\"command\":\"flamegraph.open\",\"arguments\":[");
		out_string(out, d->uri);
		out_put(out, ",");
		out_string(out, cost->frame);
		out_put(out, "]}}");
		out_free(&title);
	}
	out_put(out, "]");
}

/* --- hovers ------------------------------------------------------------------------------------------------------- */

static void
put_rows(Out *out, const char *title, const Rows *rows, int all)
{
	if (rows->count == 0)
		return;
	out_format(out, "\n\n%s:\n", title);
	for (size_t i = 0; i < rows->count; i++)
	{
		out_put(out, "\n- ");
		put_percent(out, rows->items[i].share);
		out_put(out, " ");
		out_code(out, rows->items[i].name);
	}
	if (all > (int) rows->count)
		out_format(out, "\n- %d more", all - (int) rows->count);
}

static void
put_findings(Out *out, const Cost *cost)
{
	for (size_t i = 0; i < cost->finding_count; i++)
	{
		out_format(out, "%s- ", i == 0 ? "\n\nOpen findings:\n\n" : "\n");
		out_code(out, cost->findings[i].text);
		if (cost->findings[i].suspects != NULL)
		{
			out_put(out, "; suspects: ");
			out_code(out, cost->findings[i].suspects);
		}
	}
}

static void
put_function(Out *out, const Document *d, const Cost *cost)
{
	out_put(out, out->size > 0 ? "\n\n---\n\n" : "");
	out_code(out, cost->frame);
	out_put(out, ": ");
	put_cost(out, cost);
	out_format(out, "\n\n%.6g of %.6g samples, %s", cost->samples, cost->of_samples, d->run);
	if (cost->frames > 1)
		out_format(out, "; %zu names of the profile together", cost->frames);
	if (cost->left_out > 0)
		out_format(out, "; %zu more names of it are not added", cost->left_out);
	if (cost->compared)
	{
		out_format(out, "\n\n%s than", strcmp(class_of(cost), "same") == 0 ? "Neither slower nor faster" :
				   strcmp(class_of(cost), "slower") == 0 ? "Slower" : "Faster");
		out_put(out, " the baseline, ");
		out_code(out, lsp.settings.baseline);
	}
	if (cost->runs > 1)
	{
		out_put(out, "\n\nTrend: ");
		put_sparkline(out, cost->trend, cost->runs);
		out_put(out, " ");
		put_percent(out, cost->trend[0]);
		out_put(out, " … ");
		put_percent(out, cost->trend[cost->runs - 1]);
		out_format(out, " in %zu runs", cost->runs);
	}
	put_rows(out, "Callers", &cost->caller_rows, cost->callers);
	put_rows(out, "Callees", &cost->callee_rows, cost->callees);
	put_rows(out, "Threads", &cost->thread_rows, cost->threads);
	put_findings(out, cost);
}

/* The first line says what there is of the file, and what is not shown. */
static void
put_summary(Out *out, const Document *d)
{
	size_t		matched = 0;
	size_t		lost = 0;

	if (!d->kept)
		out_put(out, "The file is too large to be kept; nothing is shown of it.");
	else if (d->state != NULL)
		out_code(out, d->state);
	else if (lsp.settings.benchmark == NULL)
		out_put(out, "No benchmark is named: `.flamegraph.toml` in the top directory has a line `benchmark = \"…\"`.");
	else if (d->run == NULL)
		out_put(out, "The store has not answered yet.");
	if (d->run == NULL || !d->kept)
		return;
	out_put(out, d->state != NULL ? "\n\n" : "");
	for (size_t i = 0; i < d->cost_count; i++)
	{
		matched += d->costs[i].kind == FG_MATCH_FUNCTION;
		lost += d->costs[i].kind == FG_MATCH_NONE || d->costs[i].kind == FG_MATCH_UNKNOWN;
	}
	out_code(out, lsp.settings.benchmark);
	out_format(out, ", %s: %zu of %zu functions are in the profile", d->run, matched, d->functions.count);
	if (d->functions.cut)
		out_put(out, "; the file has more functions, or is nested deeper, than are looked at");
	if (d->frames_cut)
		out_format(out, "; only %zu frames were looked at", d->frame_count);
	if (lost > 0)
		out_format(out, "; %zu that were there are gone from the text", lost);
	if (d->unmatched_count > 0)
		out_format(out, "\n\n%zu frames of this file match no function:\n", d->unmatched_count);
	for (size_t i = 0; i < d->unmatched_count && i < SHOWN_UNMATCHED; i++)
	{
		out_put(out, "\n- ");
		out_code(out, d->unmatched[i]);
	}
	if (d->unmatched_count > SHOWN_UNMATCHED)
		out_format(out, "\n- %zu more", d->unmatched_count - SHOWN_UNMATCHED);
}

static void
put_sites(Out *out, const Document *d, uint32_t line)
{
	bool		first = true;

	for (size_t i = 0; i < d->site_count; i++)
	{
		if (d->sites[i].line != line)
			continue;
		out_put(out, !first ? "\n- " : out->size > 0 ? "\n\nCalled from this line:\n\n- " : "Called from this line:\n\n- ");
		first = false;
		put_percent(out, d->sites[i].share);
		out_put(out, " ");
		out_code(out, d->sites[i].callee);
	}
}

void
answer_hover(Out *out, const Document *d, FgPosition position, bool markdown)
{
	Out			text = {.text = NULL};

	if (position.line == 0)
		put_summary(&text, d);
	for (size_t i = 0; i < d->cost_count; i++)
	{
		const Cost *cost = &d->costs[i];

		if ((cost->kind == FG_MATCH_FUNCTION || cost->kind == FG_MATCH_FILE) && cost->known && document_line(d, cost) == position.line)
			put_function(&text, d, cost);
	}
	put_sites(&text, d, position.line);
	if (text.size == 0)
		out_put(out, "null");
	else
	{
		out_format(out, "{\"contents\":{\"kind\":\"%s\",\"value\":", markdown ? "markdown" : "plaintext");
		out_string(out, text.text);
		out_put(out, "}}");
	}
	out_free(&text);
}

/* --- actions, diagnostics -------------------------------------------------------------------------------------------- */

static void
put_action(Out *out, const Document *d, const char *title, const char *command, const char *frame)
{
	put_comma(out);
	out_put(out, "{\"title\":");
	out_string(out, title);
	out_put(out, ",\"kind\":\"source.flamegraph\",\"command\":{\"title\":");
	out_string(out, title);
	out_format(out, ",\"command\":\"%s\",\"arguments\":[", command);
	out_string(out, d->uri);
	if (frame != NULL)
	{
		out_put(out, ",");
		out_string(out, frame);
	}
	out_put(out, "]}}");
}

void
answer_actions(Out *out, const Document *d, FgPosition from, FgPosition to)
{
	size_t		count = 0;

	out_put(out, "[");
	for (size_t i = 0; i < d->cost_count && count < 5; i++)
	{
		const Cost *cost = &d->costs[i];
		uint32_t	line = document_line(d, cost);
		Out			title = {.text = NULL};
		char	   *name = printable(cost->frame);

		if (cost->known && cost->kind == FG_MATCH_FUNCTION && line >= from.line && line <= to.line)
		{
			out_format(&title, "Flame graph: callers and callees of %.100s", name);
			put_action(out, d, title.text, "flamegraph.open", cost->frame);
			out_free(&title);
			out_format(&title, "Flame graph: the SQL for %.100s", name);
			put_action(out, d, title.text, "flamegraph.sql", cost->frame);
			out_free(&title);
			count++;
		}
		free(name);
	}
	if (d->run != NULL)
		put_action(out, d, "Flame graph: the whole run", "flamegraph.open", NULL);
	out_put(out, "]");
}

void
answer_diagnostics(Out *out, const Document *d)
{
	out_put(out, "[");
	for (size_t i = 0; i < d->cost_count; i++)
	{
		const Cost *cost = &d->costs[i];

		for (size_t k = 0; k < cost->finding_count && cost->kind == FG_MATCH_FUNCTION; k++)
		{
			char	   *text = printable(cost->findings[k].text);
			char	   *suspects = cost->findings[k].suspects != NULL ? printable(cost->findings[k].suspects) : NULL;
			char	   *message = format_text("%s%s%s", text, suspects != NULL ? "; suspects: " : "", suspects != NULL ? suspects : "");

			put_comma(out);
			out_put(out, "{\"range\":");
			put_name_range(out, d, cost);
			out_format(out, ",\"severity\":3,\"source\":\"flamegraph\",\"code\":\"%s\",\"message\":",
					   cost->findings[k].slower ? "degradation" : "optimization");
			out_string(out, message);
			out_put(out, "}");
			free(message);
			free(suspects);
			free(text);
		}
	}
	out_put(out, "]");
}
