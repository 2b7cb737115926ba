/*
 * requests.c
 *	  The methods of the protocol, requests that wait for the store, and when it is asked.
 *
 * A request about a document that the store has not been asked about yet waits for the
 * answer, for a few seconds; all others are answered at once, from what is known.
 */
#include "requests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_PATIENCE 5.0
#define MOST_PENDING 1000
#define MOST_FILES 1000

typedef enum Kind
{
	HINTS, LENSES, HOVER, ACTIONS, PICTURE
} Kind;

typedef struct Pending
{
	char	   *id;
	Kind		kind;
	char	   *uri;
	char	   *frame;			/* of a picture; NULL: the whole */
	FgPosition	from;
	FgPosition	to;
	double		until;
	bool		asked;			/* a picture that the store is at */
} Pending;

static Pending *pending;
static size_t pending_count;
static char *file_directory;
static char *files[MOST_FILES];
static size_t file_count;
static int	requests_sent;

enum
{
	PARSE_ERROR = -32700, INVALID_REQUEST = -32600, NO_METHOD = -32601, WRONG_PARAMS = -32602, NOT_INITIALIZED = -32002,
	REQUEST_FAILED = -32803, CANCELLED = -32800
};

/* --- what is sent ---------------------------------------------------------------------------- */

static void
send_result(const char *id, const char *result)
{
	Out			body = {.text = NULL};

	out_format(&body, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":", id);
	out_put(&body, result);
	out_put(&body, "}");
	send_message(&body);
	out_free(&body);
}

static void
send_error(const char *id, int code, const char *text)
{
	Out			body = {.text = NULL};

	out_format(&body, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":", id, code);
	out_string(&body, text);
	out_put(&body, "}}");
	send_message(&body);
	out_free(&body);
}

static void
send_notification(const char *method, const Out *params, bool request)
{
	Out			body = {.text = NULL};

	out_put(&body, "{\"jsonrpc\":\"2.0\"");
	if (request)
		out_format(&body, ",\"id\":\"flamegraph-%d\"", ++requests_sent);
	out_format(&body, ",\"method\":\"%s\"", method);
	if (params != NULL)
	{
		out_put(&body, ",\"params\":");
		out_bytes(&body, params->text, params->size);
	}
	out_put(&body, "}");
	send_message(&body);
	out_free(&body);
}

void
notify_user(int type, const char *text)
{
	Out			params = {.text = NULL};
	char	   *shown = printable(text);

	out_format(&params, "{\"type\":%d,\"message\":", type);
	out_string(&params, shown);
	out_put(&params, "}");
	send_notification("window/showMessage", &params, false);
	out_free(&params);
	free(shown);
}

static void
send_diagnostics(const Document *d)
{
	Out			params = {.text = NULL};

	out_put(&params, "{\"uri\":");
	out_string(&params, d->uri);
	out_put(&params, ",\"diagnostics\":");
	answer_diagnostics(&params, d);
	out_put(&params, "}");
	send_notification("textDocument/publishDiagnostics", &params, false);
	out_free(&params);
}

/* --- requests that wait ------------------------------------------------------------------------- */

static void
pending_free(Pending *p)
{
	free(p->id);
	free(p->uri);
	free(p->frame);
}

/* The others keep their order. */
static Pending
take_pending(size_t i)
{
	Pending		taken = pending[i];

	pending_count--;
	memmove(&pending[i], &pending[i + 1], (pending_count - i) * sizeof(*pending));
	return taken;
}

static void
forget_pending(size_t i)
{
	Pending		gone = take_pending(i);

	pending_free(&gone);
}

static void
answer_now(const char *id, Kind kind, Document *d, FgPosition from, FgPosition to)
{
	Out			result = {.text = NULL};

	if (d != NULL)
		document_scan(d);
	if (d == NULL)
		out_put(&result, kind == HOVER ? "null" : "[]");
	else if (kind == HINTS)
		answer_hints(&result, d, from, to);
	else if (kind == LENSES && lsp.client.has_hints && lsp.settings.hints)
		out_put(&result, "[]");	/* the hints say the same */
	else if (kind == LENSES)
		answer_lenses(&result, d);
	else if (kind == HOVER)
		answer_hover(&result, d, from, lsp.client.hovers_markdown);
	else
		answer_actions(&result, d, from, to);
	send_result(id, result.text);
	out_free(&result);
}

/* Those that are due, and all that wait for this document. */
static void
answer_pending(const char *uri)
{
	for (size_t i = 0; i < pending_count;)
	{
		Pending		p;

		if (pending[i].kind == PICTURE ||
			(pending[i].until > now_seconds() && (uri == NULL || strcmp(pending[i].uri, uri) != 0)))
		{
			i++;
			continue;
		}
		p = take_pending(i);
		answer_now(p.id, p.kind, document_find(lsp.documents, p.uri), p.from, p.to);
		pending_free(&p);
	}
}

static void
wait_for_store(const Message *m, Kind kind, const char *uri, const char *frame, FgPosition from, FgPosition to)
{
	if (pending_count == MOST_PENDING)
	{
		send_error(m->id, REQUEST_FAILED, "too many requests wait");
		return;
	}
	pending = must_alloc(realloc(pending, (pending_count + 1) * sizeof(*pending)));
	pending[pending_count++] = (Pending) {copy_text(m->id, strlen(m->id)), kind, copy_text(uri, strlen(uri)),
	frame != NULL ? copy_text(frame, strlen(frame)) : NULL, from, to, now_seconds() + MOST_PATIENCE, false};
}

static void
ask_document(const Message *m, Kind kind, FgPosition from, FgPosition to)
{
	Document   *d = m->uri != NULL ? document_find(lsp.documents, m->uri) : NULL;

	if (m->uri == NULL)
		send_error(m->id, WRONG_PARAMS, "no textDocument is named");
	else if (d == NULL || d->loaded || !d->kept || d->language == FG_LANGUAGE_NONE || lsp.settings.benchmark == NULL)
		answer_now(m->id, kind, d, from, to);
	else
		wait_for_store(m, kind, m->uri, NULL, from, to);
}

static void
cancel(const Message *m)
{
	for (size_t i = 0; m->cancelled != NULL && i < pending_count; i++)
	{
		if (strcmp(pending[i].id, m->cancelled) != 0)
			continue;
		send_error(pending[i].id, CANCELLED, "cancelled");
		forget_pending(i);
		return;
	}
}

/* --- files that are shown --------------------------------------------------------------------------- */

void
remove_files(void)
{
	for (size_t i = 0; i < file_count; i++)
		unlink(files[i]);
	if (file_directory != NULL)
		rmdir(file_directory);
}

/* In a directory that nobody else may enter. NULL: errno says why. */
static char *
write_file(const char *text, const char *ending)
{
	const char *base = getenv("XDG_RUNTIME_DIR");
	char	   *path;
	int			descriptor;
	FILE	   *file;
	bool		ok;

	if (file_directory == NULL)
	{
		base = base != NULL && base[0] == '/' ? base : getenv("TMPDIR");
		file_directory = format_text("%s/flamegraph-lsp.XXXXXX", base != NULL && base[0] == '/' ? base : "/tmp");
		if (mkdtemp(file_directory) == NULL)
		{
			free(file_directory);
			file_directory = NULL;
			return NULL;
		}
	}
	if (file_count == MOST_FILES)
	{
		errno = EMFILE;
		return NULL;
	}
	path = format_text("%s/%zu%s", file_directory, file_count + 1, ending);
	descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
	if (file == NULL)
	{
		free(path);
		return NULL;
	}
	ok = fputs(text, file) != EOF;
	ok = fclose(file) == 0 && ok;
	files[file_count++] = path;
	return ok ? path : NULL;
}

static void
show_file(const char *id, const char *text, const char *ending, bool outside)
{
	char	   *path = write_file(text, ending);
	char	   *uri;
	Out			params = {.text = NULL};

	if (path == NULL)
	{
		char	   *reason = format_text("no file can be written: %s", strerror(errno));

		send_error(id, REQUEST_FAILED, reason);
		free(reason);
		return;
	}
	uri = uri_of_path(path);
	out_string(&params, uri);
	send_result(id, params.text);
	out_free(&params);
	if (lsp.client.shows_documents)
	{
		out_put(&params, "{\"uri\":");
		out_string(&params, uri);
		out_format(&params, ",\"external\":%s,\"takeFocus\":true}", outside ? "true" : "false");
		send_notification("window/showDocument", &params, true);
		out_free(&params);
	}
	else
		notify_user(3, path);
	free(uri);
}

static void
execute(const Message *m)
{
	if (m->command == NULL || m->argument_count == 0)
		send_error(m->id, WRONG_PARAMS, "a command needs its name and a document");
	else if (lsp.settings.benchmark == NULL)
		send_error(m->id, REQUEST_FAILED, "no benchmark is named");
	else if (strcmp(m->command, "flamegraph.open") == 0)
		wait_for_store(m, PICTURE, m->arguments[0], m->argument_count > 1 ? m->arguments[1] : NULL, m->from, m->to);
	else if (strcmp(m->command, "flamegraph.sql") == 0 && m->argument_count > 1)
	{
		char	   *sql = query_shown(&lsp.settings, m->arguments[1]);

		show_file(m->id, sql, ".sql", false);
		free(sql);
	}
	else
		send_error(m->id, WRONG_PARAMS, "there is no such command");
}

/* --- the store -------------------------------------------------------------------------------------------- */

void
job_ended(Job *job, const char *failure, const char *picture)
{
	Document   *d = job->document;

	if (failure != NULL && !lsp.told)
	{
		char	   *text = format_text("flamegraph: the store does not answer: %s", failure);

		notify_user(2, text);
		free(text);
		lsp.told = true;
	}
	for (size_t i = 0; job->request != NULL && i < pending_count; i++)
	{
		if (strcmp(pending[i].id, job->request) != 0 || !pending[i].asked)
			continue;
		if (picture != NULL)
			show_file(job->request, picture, ".svg", true);
		else
			send_error(job->request, REQUEST_FAILED, failure != NULL ? failure : "there is no picture");
		forget_pending(i);
		break;
	}
	free(job->request);
	free(job->frame);
	if (d == NULL)
		return;
	if (failure != NULL)
	{
		free(d->state);
		d->state = copy_text(failure, strlen(failure));
	}
	d->loaded = true;
	document_scan(d);
	answer_pending(d->uri);
	send_diagnostics(d);
	if (lsp.client.refreshes_hints)
		send_notification("workspace/inlayHint/refresh", NULL, true);
	if (lsp.client.refreshes_lenses)
		send_notification("workspace/codeLens/refresh", NULL, true);
}

static bool
is_due(const Document *d)
{
	return d->kept && d->language != FG_LANGUAGE_NONE && lsp.settings.benchmark != NULL &&
		(d->asked_at == 0 || now_seconds() - d->asked_at >= lsp.settings.refresh);
}

double
next_event(void)
{
	double		next = now_seconds() + 60;

	if (lsp.store.step != 0)
		next = lsp.store.deadline;
	for (size_t i = 0; i < pending_count; i++)
	{
		if (pending[i].kind != PICTURE && pending[i].until < next)
			next = pending[i].until;
		if (pending[i].kind == PICTURE && lsp.store.step == 0)
			next = 0;
	}
	for (const Document *d = lsp.documents; d != NULL && lsp.store.step == 0; d = d->next)
	{
		double		due = d->asked_at == 0 ? 0 : d->asked_at + lsp.settings.refresh;

		if (d->kept && d->language != FG_LANGUAGE_NONE && lsp.settings.benchmark != NULL && due < next)
			next = due;
	}
	return next;
}

/* The next question: a picture that somebody waits for, or a document whose time has come. */
static void
ask_next(void)
{
	for (size_t i = 0; i < pending_count; i++)
	{
		if (pending[i].kind != PICTURE || pending[i].asked)
			continue;
		pending[i].asked = true;
		store_begin(&lsp.store, (Job) {NULL, copy_text(pending[i].id, strlen(pending[i].id)),
					pending[i].frame != NULL ? copy_text(pending[i].frame, strlen(pending[i].frame)) : NULL});
		return;
	}
	for (Document *d = lsp.documents; d != NULL; d = d->next)
	{
		if (!is_due(d))
			continue;
		d->asked_at = now_seconds();
		/* A server that does not answer is tried once in a while, not for each document. */
		if (lsp.store.retry_at > now_seconds())
			job_ended(&(Job) {d, NULL, NULL}, "the store did not answer", NULL);
		else
			store_begin(&lsp.store, (Job) {d, NULL, NULL});
		return;
	}
}

void
on_time(void)
{
	if (lsp.store.step != 0 && now_seconds() >= lsp.store.deadline)
		store_fail(&lsp.store, "it took too long");
	answer_pending(NULL);
	if (lsp.store.step == 0 && lsp.initialized && !lsp.shut_down)
		ask_next();
}

/* --- life ---------------------------------------------------------------------------------------------------- */

static const char capabilities[] =
	"{\"capabilities\":{\"positionEncoding\":\"utf-16\",\"textDocumentSync\":{\"openClose\":true,\"change\":2},"
	"\"hoverProvider\":true,\"inlayHintProvider\":true,\"codeLensProvider\":{},"
	"\"codeActionProvider\":{\"codeActionKinds\":[\"source.flamegraph\"]},"
	"\"executeCommandProvider\":{\"commands\":[\"flamegraph.open\",\"flamegraph.sql\"]}},"
	"\"serverInfo\":{\"name\":\"flamegraph-lsp\",\"version\":\"" FG_VERSION "\"}}";

static void
read_settings(const Message *m)
{
	char	   *directory = m->root != NULL ? path_of_uri(m->root) : NULL;
	char	   *wrong = directory != NULL && directory[0] == '/' ? settings_read(&lsp.settings, directory) : NULL;

	for (size_t i = 0; i < m->option_count; i++)
	{
		char	   *more = settings_set(&lsp.settings, m->options[i].key, m->options[i].value);

		if (more == NULL && strcmp(m->options[i].key, "connection") == 0)
			lsp.settings.from_project = false;
		if (wrong == NULL && more != NULL)
			wrong = format_text("initializationOptions: %s", more);
		free(more);
	}
	if (wrong != NULL)
	{
		char	   *text = format_text("flamegraph: %s", wrong);

		notify_user(1, text);
		free(text);
		/* What is half right may be of another store. */
		free(lsp.settings.benchmark);
		lsp.settings.benchmark = NULL;
	}
	free(wrong);
	free(directory);
}

static void
initialize(const Message *m)
{
	if (lsp.initialized)
	{
		send_error(m->id, INVALID_REQUEST, "this server is initialized already");
		return;
	}
	lsp.initialized = true;
	lsp.client = (Message) {.process = m->process, .has_hints = m->has_hints, .refreshes_hints = m->refreshes_hints,
	.refreshes_lenses = m->refreshes_lenses, .shows_documents = m->shows_documents, .hovers_markdown = m->hovers_markdown};
	send_result(m->id, capabilities);
	read_settings(m);
}

static void
take_change(const Message *m)
{
	Document   *d = m->uri != NULL ? document_find(lsp.documents, m->uri) : NULL;

	for (size_t i = 0; d != NULL && i < m->change_count; i++)
		document_change(d, &m->changes[i]);
}

static void
close_document(const char *uri)
{
	Document   *d = document_find(lsp.documents, uri);

	if (d == NULL)
		return;
	if (lsp.store.job.document == d)
		lsp.store.job.document = NULL;
	document_close(&lsp.documents, uri);
	answer_pending(uri);
}

static void
take_notification(const Message *m)
{
	if (strcmp(m->method, "textDocument/didOpen") == 0 && m->uri != NULL && m->text != NULL)
	{
		close_document(m->uri);
		document_open(&lsp.documents, m->uri, m->language != NULL ? m->language : "", m->text, m->text_length);
	}
	else if (strcmp(m->method, "textDocument/didChange") == 0)
		take_change(m);
	else if (strcmp(m->method, "textDocument/didClose") == 0 && m->uri != NULL)
		close_document(m->uri);
	else if (strcmp(m->method, "$/cancelRequest") == 0)
		cancel(m);
}

static void
take_request(const Message *m)
{
	if (strcmp(m->method, "initialize") == 0)
		initialize(m);
	else if (!lsp.initialized)
		send_error(m->id, NOT_INITIALIZED, "the first request is initialize");
	else if (lsp.shut_down)
		send_error(m->id, INVALID_REQUEST, "this server is shut down");
	else if (strcmp(m->method, "shutdown") == 0)
	{
		lsp.shut_down = true;
		send_result(m->id, "null");
	}
	else if (strcmp(m->method, "textDocument/inlayHint") == 0)
		ask_document(m, HINTS, m->from, m->to);
	else if (strcmp(m->method, "textDocument/codeLens") == 0)
		ask_document(m, LENSES, m->from, m->to);
	else if (strcmp(m->method, "textDocument/hover") == 0)
		ask_document(m, HOVER, m->position, m->position);
	else if (strcmp(m->method, "textDocument/codeAction") == 0)
		ask_document(m, ACTIONS, m->from, m->to);
	else if (strcmp(m->method, "workspace/executeCommand") == 0)
		execute(m);
	else
		send_error(m->id, NO_METHOD, "this server has no such method");
}

bool
take_message(Message *m)
{
	if (m->method == NULL)
	{
		if (m->id == NULL)
			send_error("null", INVALID_REQUEST, "a message has a method or an id");
		return true;			/* what the editor says to a request of ours changes nothing */
	}
	if (strcmp(m->method, "exit") == 0)
		return false;
	if (m->id != NULL)
		take_request(m);
	else if (lsp.initialized && !lsp.shut_down)
		take_notification(m);
	return true;
}

void
refuse_message(const Message *m)
{
	const FgError *error = &lsp.ctx.error;
	char	   *text = format_text("line %llu, column %llu: %s", (unsigned long long) error->line,
								   (unsigned long long) error->column, error->reason);

	if (m->method != NULL && m->id == NULL)
		notify_user(1, text);	/* a notification gets no answer */
	else
		send_error(m->id != NULL ? m->id : "null", error->code == FG_ERROR_SYNTAX || error->code == FG_ERROR_ENCODING ?
				   PARSE_ERROR : INVALID_REQUEST, text);
	free(text);
}
