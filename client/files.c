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
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/profile/frames.h"

#define BLOCK_BYTES (256 * 1024)

/* --- opening ---------------------------------------------------------------------- */

const char	a_link[] = "a link in a directory is not followed; given by its own path it is";
const char	not_regular[] = "it is not a regular file";

static const char no_file[] = "there is no file to load in this directory";
static const char no_match[] = "no file in this directory matches --match";
static const char too_long[] = "its path is longer than the 1000 bytes that the store notes as the source";

static char *
join_path(const char *directory, const char *name)
{
	size_t		length = strlen(directory);

	return format_text("%s%s%s", directory, directory[length - 1] == '/' ? "" : "/", name);
}

/* Opens the directory that was searched; another one may have its name by now. */
static int
open_root(const Root *root, const char **why)
{
	int			descriptor = open(root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat facts;

	if (descriptor < 0)
		return -1;
	if (fstat(descriptor, &facts) == 0 && facts.st_dev == root->device &&
		facts.st_ino == root->number)
		return descriptor;
	*why = "its directory was replaced by another while files were read";
	close(descriptor);
	return -1;
}

/* Opens the next part of a path; closes the directory. */
static int
open_step(int directory, const char *name, size_t length, int flags)
{
	char	   *step = must_alloc(strndup(name, length));
	int			descriptor = openat(directory, step, flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int			error = errno;

	free(step);
	close(directory);
	errno = error;
	return descriptor;
}

/*
 * Opens the root itself or what was found below it, part by part: none of them may
 * have become a link.  -1 with the reason in errno, or in *why.
 */
static int
open_below(const Root *root, const char *path, int flags, const char **why)
{
	int			descriptor = open_root(root, why);
	const char *part = path + strlen(root->path);

	while (descriptor >= 0)
	{
		size_t		length;

		part += strspn(part, "/");
		length = strcspn(part, "/");
		if (length == 0)
			break;
		descriptor = open_step(descriptor, part, length,
							   part[length] == '/' ? O_DIRECTORY : flags);
		part += length;
	}
	if (descriptor < 0 && errno == ELOOP)
		*why = a_link;
	return descriptor;
}

/* A file that a pipe has replaced would be waited for, hence O_NONBLOCK. */
static int
open_file(const File *file, const char **why)
{
	if (file->kind == STANDARD_INPUT)
		return STDIN_FILENO;
	if (file->root != NULL)
		return open_below(file->root, file->path, O_NONBLOCK, why);
	return open(file->path, O_RDONLY | O_CLOEXEC | (file->kind == REGULAR ? O_NONBLOCK : 0));
}

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

void
fail_file(File *file, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	file->outcome = FAILED;
	file->message = format_list(format, args);
	va_end(args);
}

void
note_file(File *file, const char *text)
{
	for (size_t i = 0; i < file->nnotes; i++)
	{
		if (strcmp(file->notes[i], text) == 0)
			return;
	}
	file->notes = must_alloc(realloc(file->notes, (file->nnotes + 1) * sizeof(char *)));
	file->notes[file->nnotes++] = format_text("%s", text);
}

void
forget_notes(File *file, size_t keep)
{
	while (file->nnotes > keep)
		free(file->notes[--file->nnotes]);
}

static void
add_failed(Files *files, char *path, const char *reason)
{
	fail_file(add_entry(files, path), "%s", reason);
}

static File *
add_regular(Files *files, char *path, const struct stat *facts)
{
	File	   *file = add_entry(files, path);

	file->size = (uint64_t) facts->st_size;
	file->modified = facts->st_mtim;
	files->bytes += file->size;
	return file;
}

static void
add_stream(Files *files, char *path, Kind kind)
{
	File	   *file = add_entry(files, path);

	file->kind = kind;
	clock_gettime(CLOCK_REALTIME, &file->modified);
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

/* Takes the path. */
static void
leave_out(LeftOut *left_out, char *path, const char *why, const Options *options)
{
	if (options->verbose)
		say(stderr, "%s: left out: %s", path, why);
	if (left_out->count++ == 0)
		left_out->first = path;
	else
		free(path);
}

/* A directory that is searched, and those below it that are still to come. */
typedef struct Search
{
	Files	   *files;
	const Options *options;
	const Root *root;
	char	  **pending;
	size_t		count;
	size_t		capacity;
} Search;

static void
push_directory(Search *search, char *path)
{
	if (search->count == search->capacity)
	{
		search->capacity = search->capacity * 2 + 16;
		search->pending = must_alloc(realloc(search->pending, search->capacity * sizeof(char *)));
	}
	search->pending[search->count++] = path;
}

/*
 * Links are not followed: who fills a directory would decide by them what else is
 * read with the rights of the loader, and they could lead around in circles.
 */
static void
add_directory_entry(Search *search, int descriptor, const char *directory, const char *name)
{
	Files	   *files = search->files;
	char	   *path = join_path(directory, name);
	struct stat facts;
	bool		known = fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0;

	if (known && S_ISDIR(facts.st_mode))
	{
		/* what is below would have no name in the store; and no end, perhaps */
		if (strlen(path) > MAX_SOURCE)
			add_failed(files, path, too_long);
		else
			push_directory(search, path);
	}
	else if (!matches(search->options, name))
	{
		files->unmatched++;
		free(path);
	}
	else if (!known)
		add_failed(files, path, strerror(errno));
	else if (S_ISREG(facts.st_mode))
		add_regular(files, path, &facts)->root = search->root;
	else if (S_ISLNK(facts.st_mode))
		leave_out(&files->links, path, a_link, search->options);
	else
		leave_out(&files->special, path, not_regular, search->options);
}

/* Takes the path. */
static void
search_directory(Search *search, char *directory)
{
	const char *why = NULL;
	int			descriptor = open_below(search->root, directory, O_DIRECTORY, &why);
	DIR		   *stream = descriptor < 0 ? NULL : fdopendir(descriptor);
	struct dirent *entry;

	if (stream == NULL)
	{
		add_failed(search->files, directory, why != NULL ? why : strerror(errno));
		if (descriptor >= 0)
			close(descriptor);
		return;
	}
	while (errno = 0, (entry = readdir(stream)) != NULL)
	{
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (entry->d_name[0] == '.')
			search->files->hidden++;
		else
			add_directory_entry(search, dirfd(stream), directory, entry->d_name);
	}
	if (errno != 0)
		add_failed(search->files, directory, strerror(errno));
	else
		free(directory);
	closedir(stream);
}

static int
compare_paths(const void *a, const void *b)
{
	return strcmp(((const File *) a)->path, ((const File *) b)->path);
}

static void
add_directory(Files *files, char *directory, const struct stat *facts, const Options *options)
{
	Root	   *root = must_alloc(malloc(sizeof(Root)));
	Search		search = {.files = files, .options = options, .root = root};
	size_t		first = files->count;
	size_t		unmatched = files->unmatched;

	*root = (Root) {.path = format_text("%s", directory), .device = facts->st_dev,
		.number = facts->st_ino};
	files->roots = must_alloc(realloc(files->roots, (files->nroots + 1) * sizeof(Root *)));
	files->roots[files->nroots++] = root;
	push_directory(&search, directory);
	while (search.count > 0)
		search_directory(&search, search.pending[--search.count]);
	free(search.pending);
	/* a job whose profiler has written nothing must not look like one that went well */
	if (files->count == first && !options->watch)
		add_failed(files, format_text("%s", root->path),
				   files->unmatched > unmatched ? no_match : no_file);
	else if (files->count > first)
		qsort(files->list + first, files->count - first, sizeof(File), compare_paths);
}

/*
 * "./a//b/" is "a/b": one file has one name in the store, however it was typed.  "./-"
 * stays as it is: "-" alone is standard input.
 */
static char *
tidy_path(const char *path)
{
	char	   *tidy = must_alloc(malloc(strlen(path) + 1));
	size_t		length = 0;

	while (path[0] == '.' && path[1] == '/' && path[2] != '\0' && strcmp(path, "./-") != 0)
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

	if (strcmp(argument, "-") == 0)
		add_stream(files, path, STANDARD_INPUT);
	else if (stat(path, &facts) != 0)
		add_failed(files, path, strerror(errno));
	else if (S_ISDIR(facts.st_mode))
		add_directory(files, path, &facts, options);
	else if (S_ISREG(facts.st_mode))
		add_regular(files, path, &facts);
	else
		/* a pipe, such as the shell makes of <(command) */
		add_stream(files, path, PIPE);
}

/* The store notes the path as the source of the profiles. */
static void
check_path(File *file)
{
	size_t		length = strlen(file->path);
	size_t		valid = fg_utf8_prefix(file->path, length);

	if (file->outcome == FAILED)
		return;
	if (length > MAX_SOURCE)
		fail_file(file, "%s", too_long);
	else if (valid < length)
		fail_file(file, "byte %zu of its path is not UTF-8, so the store cannot note it as the source",
				  valid + 1);
}

/* What differs between the files of one command. */
static void
number_files(Files *files, const Options *options)
{
	if (options->nmetrics > 1 && options->nmetrics != files->count)
		usage_error("--metric has %zu numbers for %zu file%s", options->nmetrics, files->count,
					files->count == 1 ? "" : "s");
	for (size_t i = 0; i < files->count; i++)
	{
		File	   *file = &files->list[i];

		file->repetition = options->count_repetitions ? (int) i : options->repetition;
		if (options->nmetrics > 0)
			file->metric = options->metrics[options->nmetrics > 1 ? i : 0];
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
	number_files(&files, options);
	for (size_t i = 0; i < files.count; i++)
		check_path(&files.list[i]);
	return files;
}

void
free_files(Files *files)
{
	for (size_t i = 0; i < files->count; i++)
	{
		forget_notes(&files->list[i], 0);
		free(files->list[i].notes);
		free(files->list[i].message);
		free(files->list[i].path);
	}
	for (size_t i = 0; i < files->nroots; i++)
	{
		free(files->roots[i]->path);
		free(files->roots[i]);
	}
	free(files->list);
	free(files->roots);
	free(files->links.first);
	free(files->special.first);
}

/* --- reading ------------------------------------------------------------------------ */

/*
 * What the format was recognised by is text of a recording, and so is the line that is
 * shown.  Of a format that the caller has named any file may be the text.
 */
static void
fail_reading(File *file, const FgError *error, FgFormat format, const Options *options)
{
	char	   *text = NULL;

	if (format != FG_FORMAT_AUTO)
		append_text(&text, "%s: ", fg_format_names[format]);
	if (error->line != 0)
		append_text(&text, "line %" PRIu64, error->line);
	if (error->column != 0)
		append_text(&text, ", column %" PRIu64, error->column);
	append_text(&text, "%s%s", error->line != 0 ? ": " : "", error->reason);
	if (error->quote[0] != '\0' && options->read.format == FG_FORMAT_AUTO)
		append_text(&text, ", in \"%s\"", error->quote);
	if (error->hint != NULL)
		append_text(&text, " (%s)", error->hint);
	fail_file(file, "%s", text);
	free(text);
}

/* Reads what is there; waits for a pipe that another process has set not to wait. */
static ssize_t
read_block(int descriptor, char *block)
{
	for (;;)
	{
		ssize_t		got = read(descriptor, block, BLOCK_BYTES);
		struct pollfd wait = {.fd = descriptor, .events = POLLIN};

		if (got >= 0 || (errno != EINTR && errno != EAGAIN))
			return got;
		if (errno == EAGAIN)
			(void) poll(&wait, 1, -1);
	}
}

/* Feeds a descriptor up to its end; of what grows without end no more than "limit". */
static bool
feed_all(int descriptor, uint64_t limit, FgRecordingReader *reader, File *file)
{
	char	   *block = must_alloc(malloc(BLOCK_BYTES));
	uint64_t	total = 0;
	ssize_t		got;
	bool		ok = true;

	while (ok && total <= limit && (got = read_block(descriptor, block)) != 0)
	{
		if (got < 0)
		{
			fail_file(file, "%s", strerror(errno));
			ok = false;
			break;
		}
		total += (size_t) got;
		progress_bytes((size_t) got);
		ok = fg_recording_feed(reader, block, (size_t) got);
	}
	free(block);
	return ok;
}

/* Half of a recording that is still written would be another recording. */
static bool
is_unchanged(int descriptor, const struct stat *before)
{
	struct stat now;

	return fstat(descriptor, &now) == 0 && now.st_size == before->st_size &&
		now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
		now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

static bool
read_descriptor(FgContext *ctx, int descriptor, uint64_t limit, File *file, const Options *options,
				FgRecording *recording)
{
	FgRecordingReader *reader = fg_recording_open(ctx, &options->read);
	bool		ok = reader != NULL && feed_all(descriptor, limit, reader, file) &&
		fg_recording_finish(reader, recording);

	if (!ok && file->outcome != FAILED)
		fail_reading(file, &ctx->error, reader == NULL ? options->read.format
					 : fg_recording_format(reader), options);
	fg_recording_close(reader);
	return ok;
}

static bool
read_regular(FgContext *ctx, int descriptor, File *file, const Options *options,
			 FgRecording *recording)
{
	struct stat facts;
	uint64_t	limit;
	bool		ok;

	if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode))
	{
		fail_file(file, "it is not a regular file any more");
		return false;
	}
	file->modified = facts.st_mtim;
	/* files without a size are those that the kernel makes up */
	limit = facts.st_size == 0 ? UINT64_MAX : (uint64_t) facts.st_size;
	ok = read_descriptor(ctx, descriptor, limit, file, options, recording);
	if (is_unchanged(descriptor, &facts))
		return ok;
	if (ok)
		fg_recording_free(ctx, recording);
	free(file->message);
	fail_file(file, "it was changed while it was read");
	return false;
}

/* What was replaced or left out, in the words of read_recording(). */
static void
note_cleaned(File *file, const FgNoted *noted)
{
	char		detail[FG_NOTED_DETAIL];
	char	   *text;

	fg_noted_detail(noted, detail);
	if (detail[0] == '\0')
		return;
	text = format_text("NOTICE:  the recording was cleaned DETAIL:  %s", detail);
	note_file(file, text);
	free(text);
}

/* What reads without an error and is probably not what was meant. */
static void
note_warnings(File *file, const FgWarnings *warnings)
{
	for (size_t i = 0; i < warnings->count; i++)
	{
		const FgWarning *warning = &warnings->list[i];
		char		detail[FG_WARNING_DETAIL];
		char	   *text;

		fg_warning_detail(warning, detail);
		text = format_text("WARNING:  %s%s%s HINT:  %s", warning->text, detail[0] != '\0' ? " DETAIL:  " : "", detail,
						   warning->hint);
		note_file(file, text);
		free(text);
	}
}

static bool
read_open_file(FgContext *ctx, int descriptor, File *file, const Options *options,
			   FgRecording *recording)
{
	bool		ok = file->kind == REGULAR
		? read_regular(ctx, descriptor, file, options, recording)
		: read_descriptor(ctx, descriptor, UINT64_MAX, file, options, recording);

	if (ok)
	{
		note_cleaned(file, &recording->noted);
		note_warnings(file, &recording->warnings);
	}
	if (!ok || recording->count > 0)
		return ok;
	fail_file(file, "%s: the recording holds no profile", fg_format_names[recording->format]);
	fg_recording_free(ctx, recording);
	return false;
}

bool
read_file(FgContext *ctx, File *file, const Options *options, FgRecording *recording)
{
	const char *why = NULL;
	int			descriptor = open_file(file, &why);
	bool		ok;

	if (descriptor < 0)
	{
		fail_file(file, "%s", why != NULL ? why : strerror(errno));
		return false;
	}
	ok = read_open_file(ctx, descriptor, file, options, recording);
	if (file->kind != STANDARD_INPUT)
		close(descriptor);
	return ok;
}
