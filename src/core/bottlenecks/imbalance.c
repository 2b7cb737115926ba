/*
 * imbalance.c
 *	  Algorithm 4 as a rule of the framework (see imbalance.h).
 */
#include "core/bottlenecks/imbalance.h"

#include "core/bottlenecks/issues.h"

/* In ticks, which are whole numbers as long as nothing is divided. */
typedef struct Record
{
	uint32_t	type;
	uint32_t	count;			/* records that it was made of */
	double		actual;
	double		optimal;
} Record;

typedef struct Imbalance
{
	const FgAnalysis *analysis;
	FgMakespanEmit emit;
	void	   *arg;
	size_t	   *place;			/* by phase type: its record among those of the phase at hand */
	uint32_t   *of_phase;		/* by phase type: the phase that place[] is about */
} Imbalance;

static bool
add_own(Imbalance *m, uint32_t phase, FgRecords *to)
{
	double		ticks = (double) fg_interval_length(m->analysis->slices.life[phase]);
	Record	   *record = fg_records_add(to);

	if (record == NULL)
		return false;
	*record = (Record) {m->analysis->job->phases[phase].type, 1, ticks, ticks};
	return true;
}

static bool
leaf(void *arg, uint32_t phase, FgRecords *to)
{
	return add_own(arg, phase, to);
}

/* One more record of a type; those of a sequential type of children are added up. */
static bool
add_record(Imbalance *m, uint32_t phase, const Record *record, bool sequential, FgRecords *to)
{
	Record	   *sum;

	if (m->of_phase[record->type] != phase)
	{
		m->of_phase[record->type] = phase;
		m->place[record->type] = to->count;
		sum = fg_records_add(to);
		if (sum == NULL)
			return false;
		*sum = *record;
		sum->count = 1;
		return true;
	}
	sum = (Record *) to->bytes + m->place[record->type];
	if (sequential)
		sum->actual += record->actual;
	else
	{
		sum->actual = record->actual > sum->actual ? record->actual : sum->actual;
		sum->count++;
	}
	sum->optimal += record->optimal;
	return true;
}

static bool
composite(void *arg, uint32_t phase, const FgChildRecords *children, uint32_t count,
		  FgRecords *to)
{
	Imbalance  *m = arg;
	const FgJob *job = m->analysis->job;

	if (!add_own(m, phase, to))
		return false;
	for (uint32_t c = 0; c < count; c++)
	{
		const Record *records = children[c].records;
		uint32_t	type = job->phases[children[c].phase].type;
		bool		sequential = job->phase_types[type].repeat == FG_REPEAT_SEQUENTIAL;

		for (size_t i = 0; i < children[c].count; i++)
		{
			if (!add_record(m, phase, &records[i], sequential, to))
				return false;
		}
		if (!fg_steps(to->ctx, children[c].count))
			return false;
	}
	for (size_t i = 0; i < to->count; i++)
	{
		Record	   *record = (Record *) to->bytes + i;

		if (record->count > 1)
			record->optimal /= record->count;
	}
	return true;
}

static bool
extract(void *arg, uint32_t phase, const void *bytes, size_t count)
{
	const Record *records = bytes;
	Imbalance  *m = arg;
	double		tick = (double) m->analysis->slices.grid.slice;

	for (size_t i = 0; i < count; i++)
	{
		FgMakespan	makespan = {
			records[i].type, records[i].actual * tick / 1e6, records[i].optimal * tick / 1e6
		};

		if (!m->emit(m->arg, phase, &makespan) || !fg_steps(m->analysis->ctx, 1))
			return false;
	}
	return true;
}

bool
fg_imbalance(const FgAnalysis *analysis, FgMakespanEmit emit, void *arg)
{
	static const FgIssueRule rule = {sizeof(Record), leaf, composite, extract};
	FgContext  *ctx = analysis->ctx;
	uint32_t	types = analysis->job->phase_type_count;
	Imbalance	m = {.analysis = analysis, .emit = emit, .arg = arg};
	bool		ok = (m.place = fg_alloc(ctx, types, sizeof(size_t))) != NULL &&
		(m.of_phase = fg_alloc(ctx, types, sizeof(uint32_t))) != NULL;

	for (uint32_t t = 0; ok && t < types; t++)
		m.of_phase[t] = FG_NONE;
	ok = ok && fg_apply_rule(ctx, analysis->job, &rule, &m);
	fg_release(ctx, m.place);
	fg_release(ctx, m.of_phase);
	return ok;
}
