/*
 * flamegraph-load.c
 *	  Loads recordings of profilers into the store: workers over a list of files.
 */
#include "load.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
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

/* A file on its way to the store; one that has failed goes that way, too, so that files are told of in order. */
typedef struct Parcel
{
	File	   *file;
	bool		good;			/* it was read, and has the next two */
	FgRecording recording;
	FgEventName *names;
} Parcel;

/* As long as one is imported another one is ready, and the worker waits with the next. */
#define PARCELS 2

/*
 * Imports what one worker reads, by a thread of its own, so that the next files are read while
 * the server works, or waits for its disk or for a lock that another loader has.
 */
typedef struct Sender
{
	Store	   *store;
	FgContext	ctx;
	pthread_t	thread;
	bool		alone;			/* there is no thread: the worker imports by itself */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	Parcel		parcels[PARCELS];	/* a ring */
	size_t		first;			/* the one that is imported */
	size_t		count;
	bool		ended;			/* no other will come */
} Sender;

static void
import_parcel(Sender *sender, Parcel *parcel)
{
	if (parcel->good)
	{
		store_import(sender->store, parcel->file, &parcel->recording, parcel->names);
		fg_release(&sender->ctx, parcel->names);
		fg_recording_free(&sender->ctx, &parcel->recording);
	}
	progress_file(parcel->file);
}

static void *
import_parcels(void *arg)
{
	Sender	   *sender = arg;

	pthread_mutex_lock(&sender->lock);
	for (;;)
	{
		while (sender->count == 0 && !sender->ended)
			pthread_cond_wait(&sender->changed, &sender->lock);
		if (sender->count == 0)
			break;
		pthread_mutex_unlock(&sender->lock);
		import_parcel(sender, &sender->parcels[sender->first]);
		pthread_mutex_lock(&sender->lock);
		sender->first = (sender->first + 1) % PARCELS;
		sender->count--;
		pthread_cond_signal(&sender->changed);
	}
	pthread_mutex_unlock(&sender->lock);
	return NULL;
}

static void
begin_sender(Sender *sender, const Options *options)
{
	*sender = (Sender) {.store = store_open(options), .ctx = fg_malloc_context()};
	pthread_mutex_init(&sender->lock, NULL);
	pthread_cond_init(&sender->changed, NULL);
	sender->alone = pthread_create(&sender->thread, NULL, import_parcels, sender) != 0;
}

static void
end_sender(Sender *sender)
{
	pthread_mutex_lock(&sender->lock);
	sender->ended = true;
	pthread_cond_signal(&sender->changed);
	pthread_mutex_unlock(&sender->lock);
	if (!sender->alone)
		pthread_join(sender->thread, NULL);
	pthread_cond_destroy(&sender->changed);
	pthread_mutex_destroy(&sender->lock);
	store_close(sender->store);
}

static void
send_parcel(Sender *sender, Parcel parcel)
{
	if (sender->alone)
	{
		import_parcel(sender, &parcel);
		return;
	}
	pthread_mutex_lock(&sender->lock);
	while (sender->count == PARCELS)
		pthread_cond_wait(&sender->changed, &sender->lock);
	sender->parcels[(sender->first + sender->count++) % PARCELS] = parcel;
	pthread_cond_signal(&sender->changed);
	pthread_mutex_unlock(&sender->lock);
}

/* Reads what is in a file; false, with nothing to be released, when it has failed. */
static bool
fill_parcel(FgContext *ctx, const Options *options, Parcel *parcel)
{
	File	   *file = parcel->file;

	if (!take_recording(ctx, file, options, &parcel->recording))
		return false;
	if (name_events(ctx, file, options, &parcel->recording, &parcel->names) &&
		check_profiles(ctx, file, options, &parcel->recording, parcel->names))
		return true;
	fg_release(ctx, parcel->names);
	fg_recording_free(ctx, &parcel->recording);
	return false;
}

/* A dry run tells what would be sent. */
static void
tell_parcel(FgContext *ctx, const Options *options, Parcel *parcel)
{
	File	   *file = parcel->file;

	if (parcel->good)
	{
		file->outcome = LOADED;
		file->profiles = (int) parcel->recording.count;
		file->message = describe(&parcel->recording, options, parcel->names);
		fg_release(ctx, parcel->names);
		fg_recording_free(ctx, &parcel->recording);
	}
	progress_file(file);
}

static void *
work_on(void *arg)
{
	Work	   *work = arg;
	FgContext	ctx = fg_malloc_context();
	bool		sends = !work->options->dry_run;
	Sender		sender;
	size_t		i;

	if (sends)
		begin_sender(&sender, work->options);
	while ((i = atomic_fetch_add(&work->next, 1)) < work->files->count)
	{
		Parcel		parcel = {.file = &work->files->list[i]};

		parcel.good = parcel.file->outcome == NOT_DONE && fill_parcel(&ctx, work->options, &parcel);
		if (sends)
			send_parcel(&sender, parcel);
		else
			tell_parcel(&ctx, work->options, &parcel);
	}
	if (sends)
		end_sender(&sender);
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
	if (options->started_at == NULL && options->service == NULL)
		options->started_at = oldest_time(files, options, &options->run_to_come);
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
tell_failed_check(int status, const char *message)
{
	if (status == EXIT_USAGE)
		usage_error("%s", message);
	say(stderr, PROGRAM ": %s", message);
	return status;
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
	if (options.watch)
		return watch_directories(argv + first, argc - first, &options);
	status = options.dry_run ? EXIT_ALL_LOADED : store_check(&options, &message);
	if (status != EXIT_ALL_LOADED)
		return tell_failed_check(status, message);
	files = find_files(argv + first, argc - first, &options);
	status = load_files(&files, &options);
	if (status == EXIT_ALL_LOADED && options.wait_verdict)
		status = wait_for_verdict(&files, &options);
	return status;
}
