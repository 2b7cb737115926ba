/*
 * watch.c
 *	  flamegraph-load --watch: directories that agents write files into.
 *
 * A file is loaded when it has been the same, in size and time, in two looks one after
 * another: who writes may be slow.  It is loaded once, and again when it has changed;
 * one that failed for a reason that may go away is tried again.  What the program knows
 * of files is what they were at the last look; after a start everything is loaded again,
 * which the store takes for what it has.
 */
#include "load.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS_APART 1			/* seconds */

static volatile sig_atomic_t told_to_end = 0;

static void
end_soon(int signal)
{
	(void) signal;
	told_to_end = 1;
}

static void
take_signals(void)
{
	struct sigaction action = {.sa_handler = end_soon};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

/* What a file was at a look. */
typedef struct Known
{
	char	   *path;
	uint64_t	size;
	struct timespec modified;
	bool		done;
} Known;

typedef struct Look
{
	Known	   *list;			/* by path */
	size_t		count;
} Look;

static int
compare_known(const void *a, const void *b)
{
	return strcmp(((const Known *) a)->path, ((const Known *) b)->path);
}

static const Known *
known_file(const Look *look, const File *file)
{
	const Known key = {.path = file->path};
	const Known *known = look->count == 0 ? NULL
		: bsearch(&key, look->list, look->count, sizeof(Known), compare_known);
	bool		same = known != NULL && known->size == file->size &&
		known->modified.tv_sec == file->modified.tv_sec && known->modified.tv_nsec == file->modified.tv_nsec;

	return same ? known : NULL;
}

static void
forget_look(Look *look)
{
	for (size_t i = 0; i < look->count; i++)
		free(look->list[i].path);
	free(look->list);
}

/* Puts the files that are to be loaded to the front of the list, and returns how many. */
static size_t
choose(Files *files, const Look *last)
{
	size_t		chosen = 0;

	for (size_t i = 0; i < files->count; i++)
	{
		const Known *known = known_file(last, &files->list[i]);

		if (known != NULL && !known->done)
		{
			File		file = files->list[i];

			files->list[i] = files->list[chosen];
			files->list[chosen++] = file;
		}
	}
	return chosen;
}

/* What the files were before they were read: what has been written since makes them new. */
static Look
look_at(const Files *files, size_t chosen, const Look *last)
{
	Look		look = {must_alloc(calloc(files->count + 1, sizeof(Known))), files->count};

	for (size_t i = 0; i < files->count; i++)
	{
		const File *file = &files->list[i];
		const Known *known = known_file(last, file);

		look.list[i] = (Known) {.path = format_text("%s", file->path), .size = file->size,
			.modified = file->modified, .done = i < chosen || (known != NULL && known->done)};
	}
	return look;
}

/* Those that may be loaded the next time after all. */
static void
note_failures(const Files *files, size_t chosen, Look *look)
{
	for (size_t i = 0; i < chosen; i++)
		look->list[i].done = !files->list[i].try_again;
	if (look->count > 0)
		qsort(look->list, look->count, sizeof(Known), compare_known);
}

static void
look_once(char **arguments, int count, Options *options, Look *last)
{
	Files		files = find_files(arguments, count, options);
	size_t		found = files.count;
	size_t		chosen = choose(&files, last);
	Look		look = look_at(&files, chosen, last);

	files.count = chosen;
	files.bytes = 0;
	for (size_t i = 0; i < chosen; i++)
		files.bytes += files.list[i].size;
	if (chosen > 0)
		load_files(&files, options);
	note_failures(&files, chosen, &look);
	files.count = found;
	free_files(&files);
	forget_look(last);
	*last = look;
}

bool
watch_is_over(void)
{
	return told_to_end != 0;
}

int
watch_directories(char **arguments, int count, Options *options)
{
	Look		last = {NULL, 0};
	char	   *message;
	int			status;

	for (int i = 0; i < count; i++)
	{
		if (strcmp(arguments[i], "-") == 0)
			usage_error("--watch is for directories, not for standard input");
	}
	/* into a log, too, what was done is told when it was done */
	setvbuf(stdout, NULL, _IOLBF, 0);
	take_signals();
	status = store_check(options, &message);
	if (status != EXIT_ALL_LOADED && !told_to_end)
		return tell_failed_check(status, message);
	while (!told_to_end)
	{
		look_once(arguments, count, options, &last);
		if (!told_to_end)
			nanosleep(&(struct timespec) {.tv_sec = LOOKS_APART}, NULL);
	}
	forget_look(&last);
	return EXIT_ALL_LOADED;
}
