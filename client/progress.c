/*
 * progress.c
 *	  What flamegraph-load says while it works and when it has ended.
 *
 * Progress goes to standard error, and only when that is a terminal; what was
 * loaded goes to standard output, what failed to standard error.
 */
#include "load.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEGABYTE 1e6
#define REFRESH 0.2				/* seconds */

static struct
{
	pthread_mutex_t lock;
	bool		shown;			/* a line of progress is on the terminal */
	bool		wanted;
	bool		verbose;
	size_t		files;
	size_t		done;
	uint64_t	bytes;
	uint64_t	read;
	double		begun;
	double		refreshed;
}			progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

double
seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static void
clear_line(void)
{
	if (progress.shown)
		fprintf(stderr, "\r\033[K");
	progress.shown = false;
}

/* The lock is held. */
static void
show(bool always)
{
	double		now = seconds_now();
	double		seconds = now - progress.begun;
	double		speed = seconds > 0 ? (double) progress.read / seconds : 0;

	if (!progress.wanted || (!always && now - progress.refreshed < REFRESH))
		return;
	progress.refreshed = now;
	clear_line();
	fprintf(stderr, "%zu of %zu files, %.1f MB, %.1f MB/s", progress.done, progress.files,
			(double) progress.read / MEGABYTE, speed / MEGABYTE);
	if (speed > 0 && progress.bytes > progress.read)
		fprintf(stderr, ", %.0f s left", (double) (progress.bytes - progress.read) / speed);
	fflush(stderr);
	progress.shown = true;
}

void
progress_begin(const Files *files, const Options *options)
{
	progress.wanted = !options->quiet && isatty(STDERR_FILENO);
	progress.verbose = options->verbose;
	progress.files = files->count;
	progress.bytes = files->bytes;
	progress.begun = seconds_now();
	progress.read = 0;
	progress.done = 0;
}

void
progress_bytes(size_t bytes)
{
	pthread_mutex_lock(&progress.lock);
	progress.read += bytes;
	show(false);
	pthread_mutex_unlock(&progress.lock);
}

static const char *
outcome_word(const File *file)
{
	switch (file->outcome)
	{
		case LOADED:
			return "loaded";
		case DUPLICATE:
			return "in the store already";
		case FAILED:
			return "FAILED";
		default:
			return "read";
	}
}

static void
describe_outcome(const File *file)
{
	char	   *text = NULL;

	for (size_t i = 0; i < file->nnotes; i++)
		say(stderr, "%s: %s", file->path, file->notes[i]);

	append_text(&text, "%s: %s", file->path, outcome_word(file));
	if (file->profiles > 1)
		append_text(&text, ", %d profiles", file->profiles);
	if (file->retries > 0)
		append_text(&text, ", tried %d times", file->retries + 1);
	if (file->message != NULL)
		append_text(&text, ": %s", file->message);
	say(stderr, "%s", text);
	free(text);
}

void
progress_file(const File *file)
{
	pthread_mutex_lock(&progress.lock);
	progress.done++;
	if (progress.verbose)
	{
		clear_line();
		describe_outcome(file);
	}
	show(progress.done == progress.files);
	pthread_mutex_unlock(&progress.lock);
}

void
progress_end(void)
{
	clear_line();
}

/* --- the end --------------------------------------------------------------------------- */

typedef struct Counts
{
	size_t		loaded;
	size_t		duplicate;
	size_t		failed;
	size_t		profiles;
	size_t		duplicate_profiles;
	size_t		elsewhere;
	size_t		retries;
} Counts;

static Counts
count_outcomes(const Files *files)
{
	Counts		counts = {.loaded = 0};

	for (size_t i = 0; i < files->count; i++)
	{
		const File *file = &files->list[i];

		counts.loaded += file->outcome == LOADED;
		counts.duplicate += file->outcome == DUPLICATE;
		counts.failed += file->outcome == FAILED;
		counts.profiles += (size_t) file->profiles;
		counts.duplicate_profiles += (size_t) file->duplicates;
		counts.elsewhere += file->elsewhere;
		counts.retries += (size_t) file->retries;
	}
	return counts;
}

static void
list_failures(const Files *files)
{
	for (size_t i = 0; i < files->count; i++)
	{
		if (files->list[i].outcome == FAILED)
			say(stderr, PROGRAM ": %s: %s", files->list[i].path, files->list[i].message);
	}
}

/* A note of a file. */
typedef struct Told
{
	const char *text;
	size_t		place;			/* among all of them */
	const File *file;
	size_t		others;			/* files with the same text */
} Told;

static int
compare_places(const void *a, const void *b)
{
	const Told *x = a;
	const Told *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* Equal texts together, the first one before the others. */
static int
compare_told(const void *a, const void *b)
{
	int			order = strcmp(((const Told *) a)->text, ((const Told *) b)->text);

	return order != 0 ? order : compare_places(a, b);
}

static Told *
collect_notes(const Files *files, size_t *count)
{
	Told	   *told = NULL;

	*count = 0;
	for (size_t i = 0; i < files->count; i++)
	{
		const File *file = &files->list[i];

		told = must_alloc(realloc(told, (*count + file->nnotes + 1) * sizeof(Told)));
		for (size_t j = 0; j < file->nnotes; j++)
		{
			told[*count] = (Told) {.text = file->notes[j], .place = *count, .file = file};
			++*count;
		}
	}
	return told;
}

/* What is said of many files in the same words is said once. */
static void
list_notes(const Files *files)
{
	size_t		count;
	size_t		different = 0;
	Told	   *told = collect_notes(files, &count);

	if (count > 0)
		qsort(told, count, sizeof(Told), compare_told);
	for (size_t i = 0; i < count; i++)
	{
		if (different > 0 && strcmp(told[different - 1].text, told[i].text) == 0)
			told[different - 1].others++;
		else
			told[different++] = told[i];
	}
	if (different > 0)
		qsort(told, different, sizeof(Told), compare_places);
	for (size_t i = 0; i < different; i++)
	{
		char	   *text = NULL;

		append_text(&text, PROGRAM ": %s", told[i].file->path);
		if (told[i].others > 0)
			append_text(&text, " and %zu more", told[i].others);
		say(stderr, "%s: %s", text, told[i].text);
		free(text);
	}
	free(told);
}

static const char *
plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static void
list_contents(const Files *files)
{
	for (size_t i = 0; i < files->count; i++)
	{
		if (files->list[i].outcome != FAILED)
			say(stdout, "%s: %s", files->list[i].path, files->list[i].message);
	}
}

/* Somebody may have meant them: one is named, all of them under --verbose. */
static void
tell_left_out(const LeftOut *left_out, const char *why)
{
	if (left_out->count == 1)
		say(stderr, PROGRAM ": %s: left out: %s", left_out->first, why);
	else if (left_out->count > 1)
		say(stderr, PROGRAM ": %s and %zu more: left out: %s", left_out->first,
			left_out->count - 1, why);
}

static void
summarise(const Files *files, const Options *options, const Counts *c, double seconds)
{
	char	   *text = NULL;

	append_text(&text, "%s %zu file%s (%zu profile%s, %.1f MB) in %.1f s",
				options->dry_run ? "read" : "loaded", c->loaded, plural(c->loaded), c->profiles,
				plural(c->profiles), (double) progress.read / MEGABYTE, seconds);
	if (c->duplicate_profiles > 0)
		append_text(&text, "; in the store already: %zu file%s (%zu profile%s)", c->duplicate,
					plural(c->duplicate), c->duplicate_profiles, plural(c->duplicate_profiles));
	if (c->elsewhere > 0)
		append_text(&text, ", of these from another path: %zu", c->elsewhere);
	if (c->retries > 0)
		append_text(&text, "; retries: %zu", c->retries);
	if (files->unmatched > 0)
		append_text(&text, "; not matched: %zu", files->unmatched);
	if (files->hidden > 0)
		append_text(&text, "; hidden, left out: %zu", files->hidden);
	if (files->links.count > 0)
		append_text(&text, "; links, not followed: %zu", files->links.count);
	if (files->special.count > 0)
		append_text(&text, "; not regular files, left out: %zu", files->special.count);
	append_text(&text, "; failed: %zu", c->failed);
	say(stdout, "%s", text);
	free(text);
}

int
report(const Files *files, const Options *options, double seconds)
{
	Counts		c = count_outcomes(files);

	if (!options->verbose && !options->quiet)
	{
		tell_left_out(&files->links, a_link);
		tell_left_out(&files->special, not_regular);
		list_notes(files);
	}
	if (!options->verbose)
		list_failures(files);
	if (options->dry_run && !options->quiet)
		list_contents(files);
	if (!options->quiet)
		summarise(files, options, &c, seconds);
	return c.failed > 0 ? EXIT_SOME_FAILED : EXIT_ALL_LOADED;
}
