/*
 * flamegraph-load.c
 *	  Loads recordings of profilers into the store: workers over a list of files.
 */
#include "load.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

const char	program_name[] = PROGRAM;
const int	program_failed = EXIT_SOME_FAILED;

typedef struct Work
{
	const Options *options;
	Files	   *files;
	atomic_size_t next;
} Work;

/* "perf, gzip: cpu (cycles) 1250 samples, 12 nodes; ..." */
static char *
describe(const FgRecording *recording, const Options *options, const FgEventName *names)
{
	char	   *text = NULL;

	append_text(&text, "%s%s", fg_format_names[recording->format], recording->gzip ? ", gzip" : "");
	for (size_t i = 0; i < recording->count; i++)
	{
		const FgRecorded *r = &recording->profiles[i];
		double		total = 0;

		for (uint32_t node = 0; node <= r->complete.nnodes; node++)
			total += r->complete.self[node];
		append_text(&text, "%s %s%s%s%s %.15g %s, %u nodes%s", i == 0 ? ":" : ";", names[i].event,
					r->name[0] != '\0' ? " (" : "", r->name, r->name[0] != '\0' ? ")" : "", total,
					options->unit != NULL ? options->unit : names[i].unit, (unsigned) r->complete.nnodes,
					r->truncated.nnodes > 0 ? ", some truncated" : "");
	}
	return text;
}

/* The recording that was read for its time is not read again. */
static bool
take_recording(FgContext *ctx, File *file, const Options *options, FgRecording *recording)
{
	if (file->recording == NULL)
		return read_file(ctx, file, options, recording);
	*recording = *file->recording;
	free(file->recording);
	file->recording = NULL;
	return true;
}

static void
handle_file(FgContext *ctx, Store *store, File *file, const Options *options)
{
	FgRecording recording;
	FgEventName *names = NULL;

	if (!take_recording(ctx, file, options, &recording))
		return;
	if (name_events(ctx, file, options, &recording, &names) &&
		check_profiles(ctx, file, options, &recording, names))
	{
		if (!options->dry_run)
			store_import(store, file, &recording, names);
		else
		{
			file->outcome = LOADED;
			file->profiles = (int) recording.count;
			file->message = describe(&recording, options, names);
		}
	}
	fg_release(ctx, names);
	fg_recording_free(ctx, &recording);
}

static void *
work_on(void *arg)
{
	Work	   *work = arg;
	FgContext	ctx = fg_malloc_context();
	Store	   *store = work->options->dry_run ? NULL : store_open(work->options);
	size_t		i;

	while ((i = atomic_fetch_add(&work->next, 1)) < work->files->count)
	{
		File	   *file = &work->files->list[i];

		if (file->outcome == NOT_DONE)
			handle_file(&ctx, store, file, work->options);
		progress_file(file);
	}
	if (store != NULL)
		store_close(store);
	return NULL;
}

/* The calling thread works, too. */
static void
work_in_parallel(Work *work)
{
	int			others = work->options->jobs - 1;
	pthread_t  *threads = must_alloc(calloc((size_t) others + 1, sizeof(pthread_t)));
	int			started = 0;

	while (started < others && pthread_create(&threads[started], NULL, work_on, work) == 0)
		started++;
	work_on(work);
	while (started > 0)
		pthread_join(threads[--started], NULL);
	free(threads);
}

int
load_files(Files *files, Options *options)
{
	Work		work = {.options = options, .files = files};
	double		begun = seconds_now();

	progress_begin(files, options);
	if (options->started_at == NULL && options->service == NULL && !options->dry_run)
		options->started_at = oldest_time(files, options);
	work_in_parallel(&work);
	progress_end();
	return report(files, options, seconds_now() - begun);
}

/*
 * The text and the tree of a file are some megabytes each.  glibc gives so much back to the system
 * as soon as it is free, and the next file pays for the same pages again: three quarters of the
 * processor time of a load of many files.  32 MB is the largest threshold that it takes.
 */
static void
keep_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 32 * 1024 * 1024);
	mallopt(M_TRIM_THRESHOLD, 128 * 1024 * 1024);
#endif
}

int
main(int argc, char **argv)
{
	Options		options;
	int			first;
	Files		files;
	char	   *message;
	int			status;

	keep_memory();
	parse_options(argc, argv, &options, &first);
	status = options.dry_run ? EXIT_ALL_LOADED : store_check(&options, &message);
	if (status == EXIT_USAGE)
		usage_error("%s", message);
	if (status != EXIT_ALL_LOADED)
	{
		say(stderr, PROGRAM ": %s", message);
		return status;
	}
	if (options.watch)
		return watch_directories(argv + first, argc - first, &options);
	files = find_files(argv + first, argc - first, &options);
	status = load_files(&files, &options);
	if (status == EXIT_ALL_LOADED && options.wait_verdict)
		status = wait_for_verdict(&files, &options);
	return status;
}
