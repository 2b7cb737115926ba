/*
 * diff_texts.c
 *	  What stands around the boxes of a difference: totals, what was tested, what is not
 *	  drawn, what colours mean.
 */
#include "core/picture/diff_internal.h"

#include <math.h>
#include <string.h>

static const char nothing[] = "nothing to compare";

static bool
put_rounded(FgBuffer *text, double value)
{
	char		number[FG_UNITS_SIZE];

	return fg_buffer_append(text, number, fg_units_rounded(value, 3, number));
}

/* --- subtitle ----------------------------------------------------------------------- */

/* As they were measured: not divided by the size factor. */
static bool
write_totals(FgDiff *d)
{
	FgBuffer   *text = &d->subtitle;
	double		factor = d->input->comparison->factor;
	double		before = d->both.total[FG_BEFORE][0];
	double		after = d->both.total[FG_AFTER][0] * factor;

	if (!fg_text_put(text, "before ") || !fg_drawing_value(&d->drawing, text, before) ||
		!fg_text_put(text, ", after ") || !fg_drawing_value(&d->drawing, text, after))
		return false;
	if (before > 0 && isfinite(after / before) &&
		(!fg_text_put(text, ", ratio ") || !put_rounded(text, after / before)))
		return false;
	if (d->options->size == FG_SIZE_NONE)
		return true;
	return fg_text_put(text, "; after is divided by the size factor ") &&
		put_rounded(text, factor) && fg_text_put(text, " (") &&
		fg_text_put(text, fg_size_words[d->options->size]) && fg_text_put(text, ")");
}

static bool
write_runs(FgDiff *d)
{
	FgBuffer   *text = &d->subtitle;
	const uint64_t *runs = d->input->runs;

	if (d->input->by == FG_VERDICTS_HISTORY)
		return fg_text_put(text, "; one run against the mean of ") &&
			fg_drawing_count(text, runs[FG_BEFORE], " before", " before");
	return fg_text_put(text, "; ") && fg_text_count(text, runs[FG_BEFORE]) &&
		fg_text_put(text, " + ") &&
		fg_drawing_count(text, runs[FG_AFTER], " run", " runs");
}

static bool
write_tests(FgDiff *d)
{
	static const char *const keys[FG_LEVELS][2] = {
		[FG_LEVEL_STACK] = {" stack tested, ", " stacks tested, "},
		[FG_LEVEL_NODE] = {" calling context tested, ", " calling contexts tested, "},
		[FG_LEVEL_FRAME] = {" function tested, ", " functions tested, "},
		[FG_LEVEL_SELF] = {" function tested, ", " functions tested, "}
	};
	FgBuffer   *text = &d->subtitle;
	const char *const *words = keys[d->options->level];
	bool		of_runs = d->input->by != FG_VERDICTS_SAMPLING;

	if (d->input->by == FG_VERDICTS_NONE)
		return fg_text_put(text, "; no test: a recording each");
	return (!of_runs || write_runs(d)) && fg_text_put(text, "; ") &&
		fg_text_put(text, d->input->test) && fg_text_put(text, ", alpha ") &&
		put_rounded(text, d->options->alpha) && fg_text_put(text, ": ") &&
		fg_drawing_count(text, d->verdicts.tested, words[0], words[1]) &&
		fg_drawing_count(text, d->verdicts.significant, " significant", " significant");
}

/* --- description -------------------------------------------------------------------- */

/* The functions whose own values changed most, either way. */
static bool
largest_changes(FgDiff *d, double *before, double *change, FgLargest *largest)
{
	const FgTree *tree = &d->both.tree;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		before[fg_key_frame(tree->key[i])] += d->both.self[FG_BEFORE][i];
		change[fg_key_frame(tree->key[i])] +=
			d->both.self[FG_AFTER][i] - d->both.self[FG_BEFORE][i];
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	for (uint32_t i = 0; i < tree->frames.count; i++)
	{
		if (!fg_is_unchanged(before[i], before[i] + change[i]))
			fg_largest_offer(largest, i, fabs(change[i]));
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	return true;
}

static bool
write_largest(FgDiff *d)
{
	FgBuffer   *text = &d->description;
	double	   *before = fg_alloc_zero(d->ctx, d->both.tree.frames.count, sizeof(double));
	double	   *change = fg_alloc_zero(d->ctx, d->both.tree.frames.count, sizeof(double));
	FgLargest	largest = {.count = 0};
	bool		ok = before != NULL && change != NULL &&
		largest_changes(d, before, change, &largest);

	for (uint32_t i = 0; ok && i < largest.count; i++)
		ok = fg_text_put(text, i == 0 ? "; largest changes of self values: " : ", ") &&
			fg_drawing_short_name(&d->drawing, text, largest.frame[i]) &&
			fg_text_put(text, change[largest.frame[i]] > 0 ? " (+" : " (") &&
			fg_drawing_value(&d->drawing, text, change[largest.frame[i]]) &&
			fg_text_put(text, ")");
	fg_release(d->ctx, before);
	fg_release(d->ctx, change);
	return ok;
}

static bool
write_description(FgDiff *d)
{
	FgBuffer   *text = &d->description;

	return fg_text_put(text, "Difference of two profiles: ") &&
		fg_buffer_append(text, d->subtitle.data, d->subtitle.size) && write_largest(d) &&
		fg_text_put(text, ".");
}

/* --- below the boxes ---------------------------------------------------------------- */

/* With the root, unless there is nothing below it either. */
static uint64_t
nodes_of(const FgPanel *panel)
{
	return panel->total[0] > 0 ? (uint64_t) panel->tree.nnodes + 1 : 0;
}

static bool
write_panel(FgDiff *d, const FgPanel *panel)
{
	const uint8_t *highlight = d->drawing.highlight;
	FgHighlighted highlighted = {0, 0};

	return fg_drawing_footnote(&d->drawing, &panel->boxes, nodes_of(panel), &d->footnote) &&
		fg_panel_highlighted(d->ctx, panel, highlight, &highlighted) &&
		(highlight == NULL || fg_text_highlighted(&d->footnote, &highlighted));
}

static bool
write_footnote(FgDiff *d)
{
	FgBuffer   *text = &d->footnote;

	if (d->main.boxes.count == 0 && !fg_diff_is_elided(d))
		return fg_text_put(text, d->parts.total[FG_COMMON][0] > 0 ? "nothing has changed"
						   : nothing);
	if (!write_panel(d, &d->main))
		return false;
	return !fg_diff_is_elided(d) || (fg_text_put(text, "\nbelow: ") && write_panel(d, &d->below));
}

static bool
write_heading(FgDiff *d)
{
	FgBuffer   *text = &d->heading;
	bool		gone = d->elided == FG_DISAPPEARED;
	double		value;

	if (!fg_diff_is_elided(d))
		return true;
	value = d->parts.total[d->elided][0];
	return fg_drawing_count(text, d->elided_stacks, gone ? " stack vanished: " : " stack is new: ",
							gone ? " stacks vanished: " : " stacks are new: ") &&
		fg_drawing_value(&d->drawing, text, value) && fg_text_put(text, ", ") &&
		fg_drawing_share(text, value, d->both.total[gone ? FG_BEFORE : FG_AFTER][0]) &&
		fg_text_put(text, gone ? " of before" : " of after");
}

bool
fg_diff_write_texts(FgDiff *d)
{
	if (d->input == NULL)
		return fg_text_put(&d->footnote, nothing) && fg_text_put(&d->description, nothing);
	return write_totals(d) && write_tests(d) && write_description(d) && write_footnote(d) &&
		write_heading(d);
}

/* --- legend ------------------------------------------------------------------------- */

static void
say(FgDiff *d, const char *words)
{
	fg_document_legend(&d->drawing.document, (FgLegendEntry) {.label = words});
}

static void
add_swatch(FgDiff *d, const char *words, FgDiffState state)
{
	fg_document_legend(&d->drawing.document, (FgLegendEntry) {
		.label = words, .fill = fg_diff_fill(d->options->look.palette, state), .swatch = true
	});
}

static void
add_classes(FgDiff *d, const char *const *words, FgDiffState first)
{
	for (int c = 0; c < FG_DIFF_CLASSES; c++)
		add_swatch(d, words[c], (FgDiffState) (first + c));
}

/* What grey means. */
static const char *
words_of_grey(const FgDiff *d)
{
	static const char *const words[] = {
		[FG_VERDICTS_NONE] = ("less than 1.05 times; which changes are noise, one recording each "
							  "does not tell"),
		[FG_VERDICTS_SAMPLING] = ("the same, or not more than sampling noise (sampling noise only: "
								  "runs may differ by more)"),
		[FG_VERDICTS_RUNS] = "the same, or not significant, or not tested for want of a second run",
		[FG_VERDICTS_HISTORY] = ("the same, or not significant, or not tested for want of a second "
								 "run before")
	};

	return words[d->input->by];
}

void
fg_diff_legend(FgDiff *d)
{
	static const char *const increases[] = {
		"more: up to 1.2 times", "1.5 times", "twice", "beyond"
	};
	static const char *const decreases[] = {"less: down to 1/1.2", "1/1.5", "half", "beyond"};
	static const char *const levels[FG_LEVELS] = {
		[FG_LEVEL_STACK] = "colour: change of the stack's own value",
		[FG_LEVEL_NODE] = "colour: change of the box, with all it calls",
		[FG_LEVEL_FRAME] = "colour: change of the function, wherever it is",
		[FG_LEVEL_SELF] = "colour: change of the function's own value, wherever it is"
	};
	static const char *const widths[] = {
		[FG_WIDTHS_UNION] = "width: the larger of before and after",
		[FG_WIDTHS_AFTER] = "width: after", [FG_WIDTHS_BEFORE] = "width: before",
		[FG_WIDTHS_CHANGE] = "width: what changed, either way"
	};

	say(d, levels[d->options->level]);
	say(d, widths[d->options->widths]);
	add_classes(d, increases, FG_DIFF_INCREASE);
	add_swatch(d, "new", FG_DIFF_APPEARED);
	add_classes(d, decreases, FG_DIFF_DECREASE);
	add_swatch(d, "gone", FG_DIFF_DISAPPEARED);
	add_swatch(d, words_of_grey(d), FG_DIFF_SAME);
	say(d, fg_stripe_words(d->options->look.palette));
	if (d->main.boxes.count > d->main.boxes.drawn || d->below.boxes.count > d->below.boxes.drawn)
		fg_document_legend(&d->drawing.document, (FgLegendEntry) {
			.label = "several together", .hatched = true
		});
}
