/*
 * load.h
 *	  The parts of flamegraph-load: options, files, reading, the store, progress.
 *
 * Files are a list that does not change once it was made; each worker takes the next
 * one and reads it with the code that the server has (core/formats), and a second
 * thread, which has the connection, imports its profiles in one transaction while the
 * worker reads on.  What became of a file is written to its entry by who has it, and
 * read when all workers have ended.
 */
#ifndef LOAD_H
#define LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "client.h"
#include "core/formats/event_names.h"
#include "core/formats/recording.h"

#define PROGRAM "flamegraph-load"

/* Exit status. */
enum
{
	EXIT_ALL_LOADED = 0,
	EXIT_SOME_FAILED = 1,		/* or the server cannot be asked */
	EXIT_USAGE = 2,
	EXIT_REGRESSED = 3,			/* these two with --wait-verdict only */
	EXIT_NOT_EXAMINED = 4
};

typedef struct Options
{
	/* connection; NULL: libpq's defaults */
	const char *database;
	const char *host;
	const char *port;
	const char *user;

	/* arguments of profiling.import_flamegraph, of a service profiling.ingest; NULL: defaults */
	const char *service;		/* NULL: it is a benchmark */
	const char *benchmark;
	const char *suite;
	const char *branch;
	const char *commit;
	const char *version;
	const char *started_at;		/* the run; NULL: the time of the oldest file */
	bool		run_to_come;	/* which lies in the future */
	const char *recorded_at;
	const char *duration;
	const char *event;
	const char *unit;
	const char *period;
	const char *instance;
	const char **metrics;		/* one for all files, or one for each */
	size_t		nmetrics;
	const char *metric_unit;
	int			repetition;
	bool		count_repetitions;	/* a number for each file */
	char	   *labels;			/* JSON */
	char	   *parameters;		/* JSON */

	FgReadOptions read;

	int			jobs;
	int			retries;
	bool		wait_verdict;
	int			verdict_seconds;
	bool		dry_run;
	bool		watch;			/* directories, until told to end */
	bool		quiet;
	bool		verbose;
	const char **patterns;		/* of names in directories */
	size_t		npatterns;
} Options;

/* Fills the options from the command line; argv[*first] is the first file. */
extern void parse_options(int argc, char **argv, Options *options, int *first);

/* Ends the program with EXIT_USAGE. */
extern void usage_error(const char *format,...)
			__attribute__((format(printf, 1, 2), noreturn));

typedef enum Outcome
{
	NOT_DONE,
	LOADED,
	DUPLICATE,					/* all its profiles were there already */
	FAILED
} Outcome;

typedef enum Kind
{
	REGULAR,
	PIPE,						/* given as an argument; or a device */
	STANDARD_INPUT
} Kind;

/* A directory that was given; known again by its number, since names can be moved. */
typedef struct Root
{
	char	   *path;
	dev_t		device;
	ino_t		number;
} Root;

typedef struct File
{
	char	   *path;			/* as given, or below a directory that was */
	Kind		kind;
	const Root *root;			/* the directory that was given; NULL: the file itself */
	uint64_t	size;			/* 0: not known */
	struct timespec modified;
	int			repetition;
	const char *metric;			/* NULL: none */
	Outcome		outcome;
	int			profiles;		/* loaded or, in a dry run, found */
	int			duplicates;
	bool		elsewhere;		/* of the duplicates at least one came from another file */
	int			retries;
	bool		try_again;		/* it has failed for a reason that may go away */
	char		profile_id[24];	/* of one of its profiles; "": none */
	char	   *message;		/* why it failed; where it was loaded from before; in a dry run, what it holds */
	char	  **notes;			/* what should be known of it, such as the server's warnings */
	size_t		nnotes;
	FgRecording *recording;		/* NULL: not read yet */
} File;

/* Bytes of the path that the store notes. */
#define MAX_SOURCE 1000

/* What is left out of directories without being a failure. */
typedef struct LeftOut
{
	size_t		count;
	char	   *first;			/* NULL: none */
} LeftOut;

extern const char a_link[];		/* why */
extern const char not_regular[];

typedef struct Files
{
	Root	  **roots;
	size_t		nroots;
	File	   *list;
	size_t		count;
	size_t		capacity;
	uint64_t	bytes;
	size_t		hidden;			/* entries of directories that start with a dot, left out */
	size_t		unmatched;		/* files that no pattern matches, left out */
	LeftOut		links;
	LeftOut		special;		/* pipes, sockets, devices */
} Files;

/*
 * The files that the arguments name, directories searched to any depth, in bytewise
 * order of their paths below each argument.  What cannot be read is an entry that
 * has failed.  Links and what is no regular file are left out, but for arguments.
 */
extern Files find_files(char **arguments, int count, const Options *options);

extern void free_files(Files *files);

extern void fail_file(File *file, const char *format,...) __attribute__((format(printf, 2, 3)));

/* Keeps a text to be told with the file; each text once. */
extern void note_file(File *file, const char *text);

/* All but the first "keep" of them. */
extern void forget_notes(File *file, size_t keep);

/*
 * Reads a file, and notes when it was changed.  Returns false when it has failed.
 * "progress" is told the bytes as they are read.
 */
extern bool read_file(FgContext *ctx, File *file, const Options *options, FgRecording *recording);

/*
 * The run's time when none was given, "2026-11-20 19:05:00.123456+00": that of the
 * oldest file which can be read (standard input: now).  The recording is kept with
 * the file, so that it is read once; older files that cannot be read have failed.
 * *to_come: whether that is in the future.
 */
extern char *oldest_time(Files *files, const Options *options, bool *to_come);

/* More than a day, as the store sees it, and by the clock of this machine. */
extern bool is_to_come(const struct timespec *time);

/* The same form of when a file was changed, to be freed; NULL: out of range. */
extern char *time_of_change(const File *file);

/* --- what the store makes of it --------------------------------------------------- */

/*
 * The events of a file as the store names them, to be released; adds up those that share
 * a name, and notes that.  False when the file has failed; so below.
 */
extern bool name_events(FgContext *ctx, File *file, const Options *options,
						FgRecording *recording, FgEventName **names);

/* Whether the store takes the profiles, as far as that can be known without a server. */
extern bool check_profiles(FgContext *ctx, File *file, const Options *options,
						   const FgRecording *recording, const FgEventName *names);

/* --- the store ------------------------------------------------------------------- */

typedef struct Store Store;

/*
 * Not connected yet: that is part of the first import, with its retries.  store_check
 * comes before it, once in the program.
 */
extern Store *store_open(const Options *options);
extern void store_close(Store *store);

/* Imports the profiles of a file in one transaction, and sets its outcome. */
extern void store_import(Store *store, File *file, const FgRecording *recording,
						 const FgEventName *names);

/*
 * Checks that the store is there, and that the server can read what the options say.  For a service
 * it waits for a server that is away, as long as --retries says, and with --watch until the end.
 * Returns the exit status, EXIT_ALL_LOADED or another one with a message.
 */
extern int	store_check(const Options *options, char **message);

/*
 * Compares what was loaded, or waits until the server has, and prints what is to be
 * said of the commit.  Returns the exit status.
 */
extern int	wait_for_verdict(const Files *files, const Options *options);

/* --- progress --------------------------------------------------------------------- */

extern void progress_begin(const Files *files, const Options *options);
extern void progress_bytes(size_t bytes);
extern void progress_file(const File *file);
extern void progress_end(void);

/* Says what was loaded, what was there and what failed; returns the exit status. */
extern int	report(const Files *files, const Options *options, double seconds);

extern double seconds_now(void);

/* --- everything ------------------------------------------------------------------- */

/*
 * Loads the files by as many workers as asked for, and reports; returns the exit status.
 * A run without a time gets that of the oldest file.
 */
extern int	load_files(Files *files, Options *options);

/*
 * Loads what directories hold and what comes into them, until SIGTERM or SIGINT; returns
 * the exit status.
 */
extern int	watch_directories(char **arguments, int count, Options *options);

/* Whether the program was told to end. */
extern bool watch_is_over(void);

/* Says why nothing is loaded, and returns the exit status. */
extern int	tell_failed_check(int status, const char *message);

#endif							/* LOAD_H */
