/*
 * formats_firefox.c
 *	  flamegraph_to_firefox(): a profile as the Firefox Profiler keeps it.
 *
 * The processed format is written in version 66, which has one set of tables for all threads;
 * newer Profilers bring a file up to their own version when they open it.  Its stacks are a tree
 * in preorder like ours, so each node becomes a row of stackTable, whose prefixOffset is how many
 * rows above it its parent is.  A stack with a value becomes a sample that weighs as much.
 */
#include "pg/base/jsonb_build.h"

#include "miscadmin.h"

#include "core/profile/walk.h"
#include "core/svg/drawing.h"
#include "pg/base/arguments.h"
#include "pg/base/rows.h"
#include "pg/base/values.h"

#define VERSION 66
/* What Firefox itself was at; the Profiler looks at the version above alone. */
#define GECKO_VERSION 24

/* What the Profiler weighs samples by, and what one unit of ours is there. */
typedef struct WeightUnit
{
	const char *type;
	double		divisor;
} WeightUnit;

static const char *const unit_words[] = {
	"samples", "count", "none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"
};

static const WeightUnit weight_units[] = {
	{"samples", 1}, {"samples", 1}, {"samples", 1},
	{"tracing-ms", 1e6}, {"tracing-ms", 1e3}, {"tracing-ms", 1}, {"tracing-ms", 1e-3},
	{"bytes", 1}
};

/* --- members ------------------------------------------------------------------------------- */

typedef struct Writer
{
	JsonbParseState *state;
	FgContext  *ctx;
	const FgTree *tree;
	WeightUnit	unit;
	uint32		stacks;			/* with a value */
} Writer;

static void
key(Writer *w, const char *name)
{
	fg_push_string(&w->state, WJB_KEY, name, strlen(name));
}

static void
begin_object(Writer *w, const char *name)
{
	if (name != NULL)
		key(w, name);
	pushJsonbValue(&w->state, WJB_BEGIN_OBJECT, NULL);
}

static void
end_object(Writer *w)
{
	pushJsonbValue(&w->state, WJB_END_OBJECT, NULL);
}

static void
begin_array(Writer *w, const char *name)
{
	key(w, name);
	pushJsonbValue(&w->state, WJB_BEGIN_ARRAY, NULL);
}

static void
end_array(Writer *w)
{
	pushJsonbValue(&w->state, WJB_END_ARRAY, NULL);
}

static void
text_member(Writer *w, const char *name, FgSpan text)
{
	key(w, name);
	fg_push_string(&w->state, WJB_VALUE, text.bytes, text.size);
}

static void
word_member(Writer *w, const char *name, const char *word)
{
	text_member(w, name, (FgSpan) {word, strlen(word)});
}

static void
number_member(Writer *w, const char *name, double number)
{
	key(w, name);
	fg_push_number(&w->state, WJB_VALUE, number);
}

static const JsonbValue json_null = {.type = jbvNull};
static const JsonbValue json_false = {.type = jbvBool, .val.boolean = false};
static const JsonbValue json_true = {.type = jbvBool, .val.boolean = true};

static void
constant_member(Writer *w, const char *name, const JsonbValue *value)
{
	JsonbValue	copy = *value;

	key(w, name);
	pushJsonbValue(&w->state, WJB_VALUE, &copy);
}

/* --- columns of tables --------------------------------------------------------------------- */

/* A column that is the same in all rows. */
static void
constant_column(Writer *w, const char *name, uint32 count, const JsonbValue *value)
{
	begin_array(w, name);
	for (uint32 i = 0; i < count; i++)
	{
		JsonbValue	copy = *value;

		CHECK_FOR_INTERRUPTS();
		pushJsonbValue(&w->state, WJB_ELEM, &copy);
	}
	end_array(w);
}

static void
number_column(Writer *w, const char *name, uint32 count, double number)
{
	begin_array(w, name);
	for (uint32 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		fg_push_number(&w->state, WJB_ELEM, number);
	}
	end_array(w);
}

/* 0, 1, 2, ... */
static void
counting_column(Writer *w, const char *name, uint32 count)
{
	begin_array(w, name);
	for (uint32 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		fg_push_number(&w->state, WJB_ELEM, i);
	}
	end_array(w);
}

/* A table without rows; the last name is NULL. */
static void
empty_table(Writer *w, const char *name, const char *const *columns)
{
	begin_object(w, name);
	for (; *columns != NULL; columns++)
		constant_column(w, *columns, 0, &json_null);
	number_member(w, "length", 0);
	end_object(w);
}

/* --- the shared tables --------------------------------------------------------------------- */

static void
push_strings(Writer *w)
{
	const FgFrames *frames = &w->tree->frames;

	begin_array(w, "stringArray");
	for (uint32 f = 0; f < frames->count; f++)
	{
		CHECK_FOR_INTERRUPTS();
		fg_push_string(&w->state, WJB_ELEM, fg_frame_bytes(frames, f), fg_frame_length(frames, f));
	}
	end_array(w);
}

/* A function and a frame for each name, by its number. */
static void
push_functions(Writer *w)
{
	uint32		count = w->tree->frames.count;

	begin_object(w, "funcTable");
	counting_column(w, "name", count);
	constant_column(w, "isJS", count, &json_false);
	constant_column(w, "relevantForJS", count, &json_false);
	number_column(w, "resource", count, -1);
	constant_column(w, "source", count, &json_null);
	constant_column(w, "lineNumber", count, &json_null);
	constant_column(w, "columnNumber", count, &json_null);
	constant_column(w, "originalLocation", count, &json_null);
	number_member(w, "length", count);
	end_object(w);
	begin_object(w, "frameTable");
	counting_column(w, "func", count);
	number_column(w, "address", count, -1);
	number_column(w, "inlineDepth", count, 0);
	number_column(w, "category", count, 0);
	number_column(w, "subcategory", count, 0);
	constant_column(w, "nativeSymbol", count, &json_null);
	number_column(w, "innerWindowID", count, 0);
	constant_column(w, "line", count, &json_null);
	constant_column(w, "column", count, &json_null);
	constant_column(w, "originalLocation", count, &json_null);
	number_member(w, "length", count);
	end_object(w);
}

static void
push_stacks(Writer *w)
{
	const FgTree *tree = w->tree;
	FgWalk		walk;

	begin_object(w, "stackTable");
	begin_array(w, "frame");
	for (uint32 i = 1; i <= tree->nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		fg_push_number(&w->state, WJB_ELEM, fg_key_frame(tree->key[i]));
	}
	end_array(w);
	begin_array(w, "prefixOffset");
	fg_must(w->ctx, fg_walk_begin(w->ctx, tree, &walk));
	while (fg_walk_next(&walk))
	{
		CHECK_FOR_INTERRUPTS();
		fg_push_number(&w->state, WJB_ELEM,
					   walk.depth > 1 ? walk.node - walk.path[walk.depth - 1] : 0);
	}
	fg_must(w->ctx, fg_walk_end(&walk));
	end_array(w);
	number_member(w, "length", tree->nnodes);
	end_object(w);
}

static void
push_shared(Writer *w)
{
	static const char *const resources[] = {"host", "lib", "name", "type", NULL};
	static const char *const symbols[] = {"address", "functionSize", "libIndex", "name", NULL};
	static const char *const locations[] = {"source", "line", "column", NULL};
	static const char *const sources[] = {
		"id", "filename", "content", "startLine", "startColumn", "sourceMapURL", NULL
	};

	begin_object(w, "shared");
	push_strings(w);
	push_functions(w);
	push_stacks(w);
	empty_table(w, "resourceTable", resources);
	empty_table(w, "nativeSymbols", symbols);
	empty_table(w, "sources", sources);
	empty_table(w, "sourceLocationTable", locations);
	end_object(w);
}

/* --- the thread ---------------------------------------------------------------------------- */

/* Times lie apart by the weight of the sample before, or by a millisecond where weights are no times. */
static void
push_samples(Writer *w)
{
	const FgTree *tree = w->tree;
	bool		timed = strcmp(w->unit.type, "tracing-ms") == 0;
	double		before = 0;

	begin_object(w, "samples");
	begin_array(w, "stack");
	for (uint32 i = 0; i <= tree->nnodes; i++)
	{
		JsonbValue	none = json_null;

		CHECK_FOR_INTERRUPTS();
		if (tree->self[i] == 0)
			continue;
		if (i == 0)
			pushJsonbValue(&w->state, WJB_ELEM, &none);
		else
			fg_push_number(&w->state, WJB_ELEM, i - 1);
	}
	end_array(w);
	begin_array(w, "weight");
	for (uint32 i = 0; i <= tree->nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (tree->self[i] != 0)
			fg_push_number(&w->state, WJB_ELEM, tree->self[i] / w->unit.divisor);
	}
	end_array(w);
	begin_array(w, "timeDeltas");
	for (uint32 i = 0; i <= tree->nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (tree->self[i] == 0)
			continue;
		fg_push_number(&w->state, WJB_ELEM, before);
		before = timed ? tree->self[i] / w->unit.divisor : 1;
	}
	end_array(w);
	word_member(w, "weightType", w->unit.type);
	number_member(w, "length", w->stacks);
	end_object(w);
}

static void
push_thread(Writer *w, FgSpan name)
{
	static const char *const markers[] = {
		"data", "name", "startTime", "endTime", "phase", "category", NULL
	};

	begin_array(w, "threads");
	begin_object(w, NULL);
	text_member(w, "name", name);
	text_member(w, "processName", name);
	word_member(w, "processType", "default");
	word_member(w, "pid", "0");
	number_member(w, "tid", 0);
	constant_member(w, "isMainThread", &json_true);
	number_member(w, "processStartupTime", 0);
	constant_member(w, "processShutdownTime", &json_null);
	number_member(w, "registerTime", 0);
	constant_member(w, "unregisterTime", &json_null);
	constant_column(w, "pausedRanges", 0, &json_null);
	empty_table(w, "markers", markers);
	push_samples(w);
	end_object(w);
	end_array(w);
}

/* --- the file ------------------------------------------------------------------------------ */

static void
push_categories(Writer *w)
{
	begin_array(w, "categories");
	begin_object(w, NULL);
	word_member(w, "name", "Other");
	word_member(w, "color", "grey");
	begin_array(w, "subcategories");
	fg_push_string(&w->state, WJB_ELEM, "Other", 5);
	end_array(w);
	end_object(w);
	end_array(w);
}

static void
push_meta(Writer *w, FgSpan name)
{
	begin_object(w, "meta");
	number_member(w, "version", GECKO_VERSION);
	number_member(w, "preprocessedProfileVersion", VERSION);
	text_member(w, "product", name);
	word_member(w, "importedFrom", "flamegraph");
	number_member(w, "interval", 1);
	number_member(w, "startTime", 0);
	number_member(w, "processType", 0);
	number_member(w, "stackwalk", 1);
	constant_member(w, "debug", &json_false);
	constant_member(w, "symbolicated", &json_true);
	constant_member(w, "symbolicationNotSupported", &json_true);
	constant_member(w, "usesOnlyOneStackType", &json_true);
	constant_member(w, "sourceCodeIsNotOnSearchfox", &json_true);
	constant_column(w, "markerSchema", 0, &json_null);
	push_categories(w);
	end_object(w);
}

/*
 * jsonb ends at 256 MB and takes at least 8 bytes a number, and making it several times as much
 * memory; what cannot fit is refused before.
 */
static void
check_size(const Writer *w)
{
	uint64		numbers = UINT64CONST(2) * w->tree->nnodes + UINT64CONST(3) * w->stacks +
		UINT64CONST(8) * w->tree->frames.count;

	if (numbers <= JENTRY_OFFLENMASK / 8)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("profile is too large for jsonb"),
			 errdetail("Its tables have " UINT64_FORMAT " numbers in all.", numbers),
			 errhint("prune() cuts small branches off; flamegraph_to_pprof() has no such limit.")));
}

static JsonbValue *
firefox_json(Writer *w, FgSpan name)
{
	begin_object(w, NULL);
	push_meta(w, name);
	constant_column(w, "libs", 0, &json_null);
	push_shared(w);
	push_thread(w, name);
	return pushJsonbValue(&w->state, WJB_END_OBJECT, NULL);
}

PG_FUNCTION_INFO_V1(flamegraph_to_firefox);
Datum
flamegraph_to_firefox(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgSpan		name = PG_GETARG_SPAN(1);
	int			unit = fg_word(PG_GETARG_SPAN(2), "unit", unit_words, lengthof(unit_words));
	Writer		w = {0};
	FgFacts		facts;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_check_not_negative(&in.ctx, in.a,
										   "Export positive_part(fg) and negative_part(fg)."));
	fg_must(&in.ctx, fg_tree_facts(&in.ctx, in.a, &facts));
	fg_finite(facts.total, "the total");
	w.ctx = &in.ctx;
	w.tree = in.a;
	w.unit = weight_units[unit];
	w.stacks = facts.nstacks;
	/* a value that the unit of milliseconds cannot hold is told, not lost */
	fg_finite(facts.total / w.unit.divisor, "the total");
	check_size(&w);
	PG_RETURN_JSONB_P(JsonbValueToJsonb(firefox_json(&w, name)));
}
