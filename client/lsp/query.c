/*
 * query.c
 *	  The questions to the store, and what their rows say of a document.
 *
 * Two for a document: which frames of the profile may be of it, by the words that its
 * functions are called; and, when the frames are matched, what is known of those.  Both begin
 * with the same profile: the newest run of the benchmark, event and branch, as the mean of its
 * repetitions, and the mean of the runs that it is compared with.
 */
#include "lsp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FRAMES "20000"
#define MOST_WORDS 5000
/* Functions that several frames stand for are renamed to one; each is a pattern for all frames. */
#define MOST_PATTERNS 50
#define MOST_FRAMES_OF_ONE 100

/* An anonymous function is known by its line alone, and keeps it. */
#define LINES "'^(?!.*(?:\\(anonymous\\)|<anonymous>|<lambda>))(.*[^:0-9])(?::[0-9]+){1,2}(\\)?)$', '\\1\\2'"

static void
put_ruled(Out *out, const Settings *s, const char *profile)
{
	Out			wrapped = {.text = NULL};
	char	   *names = copy_text(s->frame_rules, strlen(s->frame_rules));
	char	   *rest = NULL;

	out_put(&wrapped, profile);
	for (char *name = strtok_r(names, ", ", &rest); name != NULL; name = strtok_r(NULL, ", ", &rest))
	{
		char	   *inner = wrapped.text;

		wrapped = (Out) {.text = NULL};
		out_format(&wrapped, "rename_frames(%s, frame_rules('%s'))", inner, name);
		free(inner);
	}
	out_put(out, wrapped.text);
	out_free(&wrapped);
	free(names);
}

/* $1 benchmark, $2 suite, $3 event, $4 branch, $5 baseline */
static Out
begin_query(const Settings *s)
{
	Out			out = {.text = NULL};

	out_put(&out, "WITH picked AS MATERIALIZED (SELECT r.benchmark_id, r.event, r.unit, r.branch, r.test_run_id, r.started_at,"
			" r.repetitions, t.commit, r.flamegraph, r.pending"
			" FROM profiling.rollup AS r JOIN profiling.test_run AS t ON t.test_run_id = r.test_run_id"
			" WHERE r.benchmark_id = (SELECT profiling.benchmark_called($1::text, $2::text)) AND r.event = $3::text"
			" AND ($4::text IS NULL OR r.branch = $4) AND r.span = 'run' AND profiling.has_begun(r.started_at)"
			" ORDER BY r.started_at DESC, r.test_run_id DESC, r.unit COLLATE \"C\" LIMIT 1),"
			" now AS MATERIALIZED (SELECT p.benchmark_id, p.event, p.unit, p.branch, p.test_run_id, p.started_at, p.commit, ");
	put_ruled(&out, s, "profiling.mean_profile(p.flamegraph, p.benchmark_id, p.pending, p.repetitions)");
	out_put(&out, " AS fg FROM picked AS p)");
	return out;
}

/* $6 words */
char *
query_frames(const Settings *s)
{
	Out			out = begin_query(s);

	out_put(&out, " SELECT q.* FROM (SELECT u.frame, regexp_replace(u.frame, " LINES ") AS stripped, concat('run ', n.test_run_id, ' of ',"
			" to_char(n.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), ' UTC', ', branch ' || nullif(n.branch, ''),"
			" ', commit ' || nullif(left(n.commit, 12), ''), ', in ' || n.unit), $5::text"
			" FROM now AS n LEFT JOIN LATERAL (SELECT f.frame FROM unnest(frames(n.fg)) AS f (frame)"
			" WHERE string_to_array(translate(f.frame, '.:/$#()<>[]{}*&;, ~', repeat(' ', 19)), ' ') && $6::text[]"
			" ORDER BY f.frame COLLATE \"C\" LIMIT " MOST_FRAMES ") AS u ON true) AS q"
			" ORDER BY q.stripped COLLATE \"C\", q.frame COLLATE \"C\"");
	return out.text;
}

/* $6 patterns and what they are replaced by, $7 names, $8 names with lines */
char *
query_costs(const Settings *s)
{
	Out			out = begin_query(s);

	out_put(&out, ", runs AS MATERIALIZED (SELECT r.test_run_id, r.started_at, rename_frames(rename_frames(");
	put_ruled(&out, s, "profiling.mean_profile(r.flamegraph, r.benchmark_id, r.pending, r.repetitions)");
	out_put(&out, ", " LINES "), $6::text[]) AS fg FROM now AS n JOIN LATERAL (SELECT o.* FROM profiling.rollup AS o"
			" WHERE o.benchmark_id = n.benchmark_id AND o.event = n.event AND o.unit = n.unit AND o.branch = n.branch"
			" AND o.span = 'run' AND (o.started_at, o.test_run_id) <= (n.started_at, n.test_run_id)"
			" ORDER BY o.started_at DESC, o.test_run_id DESC LIMIT 12) AS r ON true),"
			" one AS MATERIALIZED (SELECT n.*, r.fg AS merged, total(n.fg) AS whole FROM now AS n JOIN runs AS r USING (test_run_id)),"
			" baseline AS MATERIALIZED (SELECT rename_frames(rename_frames(");
	put_ruled(&out, s, "avg(profiling.mean_profile(r.flamegraph, r.benchmark_id, r.pending, r.repetitions))");
	out_put(&out, ", " LINES "), $6::text[]) AS fg FROM now AS n JOIN profiling.rollup AS r ON r.benchmark_id = n.benchmark_id"
			" AND r.event = n.event AND r.unit = n.unit AND r.span = 'run'"
			" AND r.test_run_id = ANY (profiling.runs_before(n.benchmark_id, n.event, n.unit, n.branch, n.test_run_id, $5::text))"
			" WHERE $5::text <> 'none'),"
			" edge AS MATERIALIZED (SELECT e.* FROM one AS o, call_edges(o.merged) AS e)"
			" SELECT 'cost', m.frame, NULL, m.total_share, m.total_share * m.self_fraction, m.samples, m.of_samples, m.callers, m.callees,"
			" m.threads, m.angle FROM one AS o, editor_metrics(o.merged, $7::text[], baseline => (SELECT b.fg FROM baseline AS b)) AS m"
			" UNION ALL SELECT 'caller', x.callee, x.caller, x.callee_share, x.n, NULL, NULL, NULL, NULL, NULL, NULL FROM (SELECT e.*,"
			" row_number() OVER (PARTITION BY e.callee ORDER BY e.samples DESC, e.caller COLLATE \"C\") AS n FROM edge AS e"
			" WHERE e.callee = ANY ($7) AND e.caller IS NOT NULL) AS x WHERE x.n <= 8"
			" UNION ALL SELECT 'callee', x.caller, x.callee, x.caller_share, x.n, NULL, NULL, NULL, NULL, NULL, NULL FROM (SELECT e.*,"
			" row_number() OVER (PARTITION BY e.caller ORDER BY e.samples DESC, e.callee COLLATE \"C\") AS n FROM edge AS e"
			" WHERE e.caller = ANY ($7)) AS x WHERE x.n <= 8"
			" UNION ALL SELECT 'thread', x.frame, x.thread, x.share, x.n, NULL, NULL, NULL, NULL, NULL, NULL FROM (SELECT t.*,"
			" row_number() OVER (PARTITION BY t.frame ORDER BY t.samples DESC, t.thread COLLATE \"C\") AS n"
			" FROM one AS o, thread_metrics(o.merged) AS t WHERE t.frame = ANY ($7)) AS x WHERE x.n <= 6"
			" UNION ALL SELECT 'run', m.frame, NULL, m.total_share, row_number() OVER (PARTITION BY m.frame ORDER BY r.started_at, r.test_run_id),"
			" NULL, NULL, NULL, NULL, NULL, NULL FROM runs AS r, editor_metrics(r.fg, $7::text[]) AS m"
			" UNION ALL SELECT 'site', l.frame, c.callee, c.samples / nullif(o.whole, 0), c.line, NULL, NULL, NULL, NULL, NULL, NULL"
			" FROM one AS o, unnest($8::text[]) AS l (frame), call_sites(o.fg, l.frame) AS c WHERE c.line IS NOT NULL"
			" UNION ALL SELECT 'finding', regexp_replace(regexp_replace(leaf(f.subject), " LINES "), '^$', ''), concat_ws(', ', f.kind || ' of '"
			" || CASE f.level WHEN 'frame' THEN 'the function' ELSE 'the stack that ends here' END, profiling.percent(f.relative),"
			" 'first seen ' || to_char(f.first_started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') || coalesce(' at commit ' || nullif(left(f.first_commit, 12), ''), ''),"
			" 'event ' || f.event, 'team ' || nullif(f.team, ''), nullif(f.status, 'open')), f.regression_id,"
			" (f.kind = 'degradation')::int, NULL, NULL, NULL, NULL, NULL, NULL"
			" FROM profiling.open_regression AS f JOIN now AS n ON f.benchmark_id = n.benchmark_id AND f.branch = n.branch"
			" WHERE f.level IN ('frame', 'stack', 'node') AND f.kind <> 'environment' AND depth(f.subject) > 0"
			" ORDER BY 1, 2, 5");
	return out.text;
}

/* $6 the frame, or NULL */
char *
query_picture(const Settings *s)
{
	Out			out = begin_query(s);

	out_put(&out, " SELECT CASE WHEN $6::text IS NULL THEN flamegraph_svg(n.fg, $1::text || ', ' || n.event, n.unit)"
			" ELSE sandwich_svg(rename_frames(n.fg, " LINES "), $6::text, $1::text || ', ' || n.event, n.unit) END, $5::text"
			" FROM now AS n");
	return out.text;
}

static void
put_literal(Out *out, const char *text)
{
	out_put(out, strchr(text, '\\') != NULL ? "E'" : "'");
	for (; *text != '\0'; text++)
	{
		if (*text == '\'' || *text == '\\')
			out_bytes(out, text, 1);
		out_bytes(out, text, 1);
	}
	out_put(out, "'");
}

/* What a person would ask: to be copied. */
char *
query_shown(const Settings *s, const char *frame)
{
	Out			out = {.text = NULL};

	out_put(&out, "-- what the editor shows of this function\nSELECT m.frame, m.total_share, m.total_share * m.self_fraction AS self_share,"
			" m.samples, m.callers, m.callees, m.threads\nFROM profiling.average(benchmark => ");
	put_literal(&out, s->benchmark != NULL ? s->benchmark : "");
	out_put(&out, ", suite => ");
	put_literal(&out, s->suite);
	out_put(&out, ", event => ");
	put_literal(&out, s->event);
	if (s->branch != NULL)
	{
		out_put(&out, ", branch => ");
		put_literal(&out, s->branch);
	}
	out_put(&out, ", runs => 1) AS p (fg),\n    rename_frames(");
	put_ruled(&out, s, "p.fg");
	out_put(&out, ", frame_rules('lines')) AS f (fg),\n    editor_metrics(f.fg, ARRAY[");
	put_literal(&out, frame);
	out_put(&out, "]) AS m;\n");
	return out.text;
}

/* --- arrays ------------------------------------------------------------------------------------------- */

void
array_add(Out *array, const char *text)
{
	out_put(array, array->size == 0 ? "{\"" : ",\"");
	for (; *text != '\0'; text++)
	{
		if (*text == '"' || *text == '\\')
			out_put(array, "\\");
		out_bytes(array, text, 1);
	}
	out_put(array, "\"");
}

void
array_end(Out *array)
{
	out_put(array, array->size == 0 ? "{}" : "}");
}

static void
add_word(Out *words, const char *text, size_t length)
{
	char	   *word = copy_text(text, length);

	array_add(words, word);
	free(word);
}

/* The functions' names, those of their types (for constructors), and the first word of the file's name. */
void
list_words(const Document *d, Out *words)
{
	const char *text = (const char *) d->text.bytes.data;
	const char *name = strrchr(d->path, '/');
	size_t		length;

	name = name != NULL ? name + 1 : d->path;
	length = strcspn(name, ".:$#()<>[]{}*&;, ~");
	if (length > 0)
		add_word(words, name, length);
	for (size_t i = 0, count = 0; i < d->functions.count && count < MOST_WORDS; i++)
	{
		const FgFunction *f = &d->functions.items[d->by_name[i]];
		const FgFunction *before = i > 0 ? &d->functions.items[d->by_name[i - 1]] : NULL;
		size_t		skipped = f->name.length > 0 && text[f->name.at] == '~' ? 1 : 0;

		if (f->name.length == 0 || (before != NULL && before->name.length == f->name.length &&
									memcmp(text + before->name.at, text + f->name.at, f->name.length) == 0))
			continue;
		add_word(words, text + f->name.at + skipped, f->name.length - skipped);
		count++;
	}
	array_end(words);
}

/* --- frames --------------------------------------------------------------------------------------------- */

/* A name as a regular expression that matches it alone. */
static void
put_pattern(Out *out, const char *name)
{
	for (; *name != '\0'; name++)
	{
		if (strchr("\\^$.|?*+()[]{}", *name) != NULL)
			out_put(out, "\\");
		out_bytes(out, name, 1);
	}
}

typedef struct Matched
{
	const char *stripped;		/* of the result */
	const char *frame;
	FgMatchKind kind;
	uint32_t	function;
} Matched;

static int
compare_matched(const void *a, const void *b)
{
	const Matched *x = a;
	const Matched *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return strcmp(x->stripped, y->stripped);
}

static int
compare_costs(const void *a, const void *b)
{
	return strcmp(((const Cost *) a)->frame, ((const Cost *) b)->frame);
}

/* Several frames of one function become its first one. */
static void
add_pattern(Store *store, const Matched *first, size_t count)
{
	Out			pattern = {.text = NULL};
	Out			replacement = {.text = NULL};

	out_put(&pattern, "^(?:");
	for (size_t i = 0; i < count; i++)
	{
		out_put(&pattern, i > 0 ? "|" : "");
		put_pattern(&pattern, first[i].stripped);
	}
	out_put(&pattern, ")$");
	for (const char *at = first->stripped; *at != '\0'; at++)
		out_bytes(&replacement, *at == '\\' ? "\\\\" : at, *at == '\\' ? 2 : 1);
	out_put(&store->patterns, store->patterns.size == 0 ? "{" : ",");
	{
		Out			pair = {.text = NULL};

		array_add(&pair, pattern.text);
		array_add(&pair, replacement.text);
		array_end(&pair);
		out_put(&store->patterns, pair.text);
		out_free(&pair);
	}
	out_free(&pattern);
	out_free(&replacement);
}

/* The costs of the document, one for each function that some frame means. */
static void
group_frames(Store *store, const Matched *matched, size_t count)
{
	Document   *d = store->coming;
	size_t		patterns = 0;

	d->costs = must_alloc(calloc(count + 1, sizeof(*d->costs)));
	for (size_t i = 0, next; i < count; i = next)
	{
		Cost	   *cost;
		size_t		several;

		for (next = i + 1; next < count && matched[next].kind == matched[i].kind && matched[next].function == matched[i].function; next++)
			;
		several = next - i < MOST_FRAMES_OF_ONE ? next - i : MOST_FRAMES_OF_ONE;
		if (several > 1 && patterns == MOST_PATTERNS)
			several = 1;
		if (several > 1)
		{
			add_pattern(store, &matched[i], several);
			patterns++;
		}
		cost = &d->costs[d->cost_count++];
		cost->frame = copy_text(matched[i].stripped, strlen(matched[i].stripped));
		cost->sample = copy_text(matched[i].frame, strlen(matched[i].frame));
		cost->kind = matched[i].kind;
		cost->function = matched[i].function;
		cost->frames = several;
		cost->left_out = next - i - several;
		array_add(&store->names, cost->frame);
		for (size_t k = i; k < i + several; k++)
		{
			if (strcmp(matched[k].stripped, matched[k].frame) != 0)
				array_add(&store->lined, matched[k].stripped);
		}
	}
	qsort(d->costs, d->cost_count, sizeof(*d->costs), compare_costs);
}

static void
add_unmatched(Document *d, const char *frame)
{
	d->unmatched = must_alloc(realloc(d->unmatched, (d->unmatched_count + 1) * sizeof(*d->unmatched)));
	d->unmatched[d->unmatched_count++] = copy_text(frame, strlen(frame));
}

void
take_frames(Store *store, const PGresult *result)
{
	Document   *d;
	int			rows = PQntuples(result);
	Matched    *matched;
	size_t		count = 0;

	document_scan(store->job.document);
	d = store->coming = document_beside(store->job.document);
	if (rows == 0)
	{
		d->state = format_text("the benchmark has no run of event %s%s%s", lsp.settings.event,
							   lsp.settings.branch != NULL ? " on branch " : "", lsp.settings.branch != NULL ? lsp.settings.branch : "");
		return;
	}
	d->run = copy_text(PQgetvalue(result, 0, 2), strlen(PQgetvalue(result, 0, 2)));
	matched = must_alloc(calloc((size_t) rows, sizeof(*matched)));
	for (int i = 0; i < rows && !PQgetisnull(result, i, 0); i++)
	{
		Matched		m = {.frame = PQgetvalue(result, i, 0), .stripped = PQgetvalue(result, i, 1)};

		m.kind = document_match(d, m.frame, &m.function);
		d->frame_count++;
		if (m.kind == FG_MATCH_UNKNOWN)
			add_unmatched(d, m.frame);
		else if (m.kind == FG_MATCH_NONE || (count > 0 && matched[count - 1].kind == m.kind && matched[count - 1].function == m.function &&
											 strcmp(matched[count - 1].stripped, m.stripped) == 0))
			continue;
		else
			matched[count++] = m;
	}
	d->frames_cut = d->frame_count == strtoul(MOST_FRAMES, NULL, 10);
	qsort(matched, count, sizeof(*matched), compare_matched);
	group_frames(store, matched, count);
	free(matched);
	array_end(&store->patterns);
	array_end(&store->names);
	array_end(&store->lined);
}

/* --- costs -------------------------------------------------------------------------------------------------- */

static double
number(const PGresult *result, int row, int column)
{
	return PQgetisnull(result, row, column) ? 0 : strtod(PQgetvalue(result, row, column), NULL);
}

static void
add_row(Rows *rows, const PGresult *result, int row)
{
	if (rows->count < MOST_ROWS)
		rows->items[rows->count++] = (Row) {copy_text(PQgetvalue(result, row, 2), strlen(PQgetvalue(result, row, 2))), number(result, row, 3)};
}

static void
add_site(Document *d, const PGresult *result, int row)
{
	double		line = number(result, row, 4);

	if (line < 1 || line > (double) d->text.line_count)
		return;
	d->sites = must_alloc(realloc(d->sites, (d->site_count + 1) * sizeof(*d->sites)));
	d->sites[d->site_count++] = (Site) {(uint32_t) line - 1, copy_text(PQgetvalue(result, row, 2), strlen(PQgetvalue(result, row, 2))),
	number(result, row, 3)};
}

static void
take_numbers(Cost *cost, const PGresult *result, int row)
{
	cost->known = !PQgetisnull(result, row, 3);
	cost->total = number(result, row, 3);
	cost->self = number(result, row, 4);
	cost->samples = number(result, row, 5);
	cost->of_samples = number(result, row, 6);
	cost->callers = (int) number(result, row, 7);
	cost->callees = (int) number(result, row, 8);
	cost->threads = (int) number(result, row, 9);
	cost->compared = !PQgetisnull(result, row, 10);
	cost->angle = number(result, row, 10);
}

static void
add_finding(Cost *cost, const PGresult *result, int row, Out *findings)
{
	if (cost->finding_count == MOST_ROWS)
		return;
	cost->findings[cost->finding_count++] = (Finding) {
		.id = copy_text(PQgetvalue(result, row, 3), strlen(PQgetvalue(result, row, 3))),
		.text = copy_text(PQgetvalue(result, row, 2), strlen(PQgetvalue(result, row, 2))),
		.slower = number(result, row, 4) > 0
	};
	array_add(findings, PQgetvalue(result, row, 3));
}

void
take_costs(Document *d, const PGresult *result, Out *findings)
{
	for (int i = 0; i < PQntuples(result); i++)
	{
		const char *kind = PQgetvalue(result, i, 0);
		Cost	   *cost = document_cost(d, PQgetvalue(result, i, 1));

		if (strcmp(kind, "site") == 0)
			add_site(d, result, i);
		if (cost == NULL)
			continue;
		if (strcmp(kind, "cost") == 0)
			take_numbers(cost, result, i);
		else if (strcmp(kind, "caller") == 0)
			add_row(&cost->caller_rows, result, i);
		else if (strcmp(kind, "callee") == 0)
			add_row(&cost->callee_rows, result, i);
		else if (strcmp(kind, "thread") == 0)
			add_row(&cost->thread_rows, result, i);
		else if (strcmp(kind, "run") == 0 && cost->runs < MOST_RUNS)
			cost->trend[cost->runs++] = number(result, i, 3);
		else if (strcmp(kind, "finding") == 0)
			add_finding(cost, result, i, findings);
	}
}

void
take_suspects(Document *d, const PGresult *result)
{
	for (size_t i = 0; i < d->cost_count; i++)
	{
		for (size_t k = 0; k < d->costs[i].finding_count; k++)
		{
			Finding    *finding = &d->costs[i].findings[k];

			for (int row = 0; row < PQntuples(result); row++)
			{
				if (strcmp(PQgetvalue(result, row, 0), finding->id) == 0)
					append_text(&finding->suspects, "%s%.12s (%s)", finding->suspects != NULL ? ", " : "",
								PQgetvalue(result, row, 1), PQgetvalue(result, row, 2));
			}
		}
	}
}
