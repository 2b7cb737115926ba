/*
 * files.c
 *	  Which files are loaded, and how one is read.
 */
#include "load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES (256 * 1024)

/* --- finding --------------------------------------------------------------------- */

static File *
add_entry(Files *files, char *path)
{
	if (files->count == files->capacity)
	{
		files->capacity = files->capacity * 2 + 64;
		files->list = must_alloc(realloc(files->list, files->capacity * sizeof(File)));
	}
	files->list[files->count] = (File) {.path = path};
	return &files->list[files->count++];
}

static void
add_failed(Files *files, char *path, const char *reason)
{
	File	   *file = add_entry(files, path);

	file->outcome = FAILED;
	file->message = format_text("%s", reason);
}

static void
add_regular(Files *files, char *path, const struct stat *facts)
{
	File	   *file = add_entry(files, path);

	file->size = (uint64_t) facts->st_size;
	file->modified = facts->st_mtim;
	files->bytes += file->size;
}

static bool
matches(const Options *options, const char *name)
{
	for (size_t i = 0; i < options->npatterns; i++)
	{
		if (fnmatch(options->patterns[i], name, 0) == 0)
			return true;
	}
	return options->npatterns == 0;
}

/* Directories still to be searched. */
typedef struct Pending
{
	char	  **paths;
	size_t		count;
	size_t		capacity;
} Pending;

static void
push_directory(Pending *pending, char *path)
{
	if (pending->count == pending->capacity)
	{
		pending->capacity = pending->capacity * 2 + 16;
		pending->paths = must_alloc(realloc(pending->paths, pending->capacity * sizeof(char *)));
	}
	pending->paths[pending->count++] = path;
}

/* Links to directories are not followed: they could lead around in circles. */
static void
add_directory_entry(Files *files, Pending *pending, const char *directory, const char *name,
					const Options *options)
{
	char	   *path = format_text("%s/%s", directory, name);
	struct stat facts;

	if (lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
		push_directory(pending, path);
	else if (!matches(options, name))
	{
		files->unmatched++;
		free(path);
	}
	else if (stat(path, &facts) != 0)
		add_failed(files, path, strerror(errno));
	else if (S_ISREG(facts.st_mode))
		add_regular(files, path, &facts);
	else
		add_failed(files, path, S_ISDIR(facts.st_mode) ? "a link to a directory is not followed"
				   : "not a regular file");
}

static void
search_directory(Files *files, Pending *pending, char *directory, const Options *options)
{
	DIR		   *stream = opendir(directory);
	struct dirent *entry;

	if (stream == NULL)
	{
		add_failed(files, directory, strerror(errno));
		return;
	}
	while ((entry = readdir(stream)) != NULL)
	{
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (entry->d_name[0] == '.')
			files->hidden++;
		else
			add_directory_entry(files, pending, directory, entry->d_name, options);
	}
	closedir(stream);
	free(directory);
}

static int
compare_paths(const void *a, const void *b)
{
	return strcmp(((const File *) a)->path, ((const File *) b)->path);
}

static void
add_directory(Files *files, char *directory, const Options *options)
{
	Pending		pending = {.count = 0};
	size_t		first = files->count;

	push_directory(&pending, directory);
	while (pending.count > 0)
		search_directory(files, &pending, pending.paths[--pending.count], options);
	free(pending.paths);
	if (files->count > first)
		qsort(files->list + first, files->count - first, sizeof(File), compare_paths);
}

/* "./a//b/" is "a/b": one file has one name in the store, however it was typed. */
static char *
tidy_path(const char *path)
{
	char	   *tidy = must_alloc(malloc(strlen(path) + 1));
	size_t		length = 0;

	while (path[0] == '.' && path[1] == '/' && path[2] != '\0')
	{
		path += 2;
		while (*path == '/' && path[1] != '\0')
			path++;
	}
	for (; *path != '\0'; path++)
	{
		if (*path != '/' || length == 0 || tidy[length - 1] != '/')
			tidy[length++] = *path;
	}
	while (length > 1 && tidy[length - 1] == '/')
		length--;
	tidy[length] = '\0';
	return tidy;
}

static void
add_argument(Files *files, const char *argument, const Options *options)
{
	char	   *path = tidy_path(argument);
	struct stat facts;

	if (strcmp(path, "-") == 0)
		clock_gettime(CLOCK_REALTIME, &add_entry(files, path)->modified);
	else if (stat(path, &facts) != 0)
		add_failed(files, path, strerror(errno));
	else if (S_ISDIR(facts.st_mode))
		add_directory(files, path, options);
	else if (S_ISREG(facts.st_mode))
		add_regular(files, path, &facts);
	else
	{
		/* a pipe, such as the shell makes of <(command) */
		File	   *file = add_entry(files, path);

		clock_gettime(CLOCK_REALTIME, &file->modified);
	}
}

Files
find_files(char **arguments, int count, const Options *options)
{
	Files		files = {.count = 0};
	bool		standard_input = false;

	for (int i = 0; i < count; i++)
	{
		if (strcmp(arguments[i], "-") == 0 && standard_input)
			usage_error("standard input can be read once only");
		standard_input |= strcmp(arguments[i], "-") == 0;
		add_argument(&files, arguments[i], options);
	}
	for (size_t i = 0; i < files.count; i++)
		files.list[i].repetition = options->count_repetitions ? (int) i : options->repetition;
	return files;
}

char *
oldest_time(const Files *files)
{
	struct timespec oldest = {0, 0};
	bool		found = false;
	struct tm	parts;
	char		text[40];

	for (size_t i = 0; i < files->count; i++)
	{
		const struct timespec *t = &files->list[i].modified;

		if (files->list[i].outcome == FAILED)
			continue;
		if (!found || t->tv_sec < oldest.tv_sec ||
			(t->tv_sec == oldest.tv_sec && t->tv_nsec < oldest.tv_nsec))
			oldest = *t;
		found = true;
	}
	gmtime_r(&oldest.tv_sec, &parts);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts);
	return format_text("%s.%06ld+00", text, oldest.tv_nsec / 1000);
}

/* --- reading ------------------------------------------------------------------------ */

static char *
describe_error(const FgError *error, FgFormat format)
{
	char	   *place = error->line == 0 ? format_text("%s", "")
		: error->column == 0 ? format_text("line %" PRIu64 ": ", error->line)
		: format_text("line %" PRIu64 ", column %" PRIu64 ": ", error->line, error->column);
	char	   *text = format_text("%s%s%s%s%s%s%s", format == FG_FORMAT_AUTO ? "" : fg_format_names[format],
								   format == FG_FORMAT_AUTO ? "" : ": ", place, error->reason,
								   error->hint != NULL ? " (" : "", error->hint != NULL ? error->hint : "",
								   error->hint != NULL ? ")" : "");

	free(place);
	return text;
}

/* Feeds a descriptor up to its end. */
static bool
feed_all(int descriptor, FgRecordingReader *reader, char **message)
{
	char	   *block = must_alloc(malloc(BLOCK_BYTES));
	ssize_t		got;
	bool		ok = true;

	while (ok && (got = read(descriptor, block, BLOCK_BYTES)) != 0)
	{
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
		{
			*message = format_text("%s", strerror(errno));
			ok = false;
			break;
		}
		progress_bytes((size_t) got);
		ok = fg_recording_feed(reader, block, (size_t) got);
	}
	free(block);
	return ok;
}

bool
read_file(FgContext *ctx, const File *file, const Options *options, FgRecording *recording,
		  char **message)
{
	bool		standard_input = strcmp(file->path, "-") == 0;
	int			descriptor = standard_input ? STDIN_FILENO : open(file->path, O_RDONLY | O_CLOEXEC);
	FgRecordingReader *reader;
	bool		ok;

	*message = NULL;
	if (descriptor < 0)
	{
		*message = format_text("%s", strerror(errno));
		return false;
	}
	reader = fg_recording_open(ctx, &options->read);
	ok = reader != NULL && feed_all(descriptor, reader, message) &&
		fg_recording_finish(reader, recording);
	if (!ok && *message == NULL)
		*message = describe_error(&ctx->error, reader == NULL ? options->read.format
								  : fg_recording_format(reader));
	fg_recording_close(reader);
	if (!standard_input)
		close(descriptor);
	return ok;
}
