/*
 * message.c
 *	  Messages of the editor, as the bytes of their JSON come in: what is needed of all the
 *	  methods that are answered, whichever it is.
 */
#include "lsp.h"

#include <stdlib.h>
#include <string.h>

#include "core/reading/json_stream.h"

enum
{
	ROOT = FG_JSON_ROOT, ID, METHOD, PARAMS, DOCUMENT, URI, LANGUAGE, TEXT, POSITION, RANGE, FROM, TO, LINE, CHARACTER,
	FROM_LINE, FROM_CHARACTER, TO_LINE, TO_CHARACTER, CHANGES, CHANGE, CHANGE_RANGE, CHANGE_TEXT, CHANGE_FROM, CHANGE_TO,
	CHANGE_FROM_LINE, CHANGE_FROM_CHARACTER, CHANGE_TO_LINE, CHANGE_TO_CHARACTER, CANCELLED, COMMAND, ARGUMENTS, ARGUMENT,
	PROCESS, ROOT_URI, FOLDERS, FOLDER, FOLDER_URI, OPTIONS, OPTION, CAPABILITIES, OF_TEXT, OF_WORKSPACE, OF_WINDOW, HINTS,
	HOVER, HOVER_FORMATS, HOVER_FORMAT, HINTS_REFRESHED, LENSES_REFRESHED, SHOWN, HINT_REFRESH, LENS_REFRESH, SHOW
};

#define NUMBER (FG_JSON_NUMBER)
#define STRING (FG_JSON_STRING)
#define OBJECT (FG_JSON_OBJECT | FG_JSON_NULL)
#define ARRAY (FG_JSON_ARRAY | FG_JSON_NULL)
#define NAME (FG_JSON_STRING | FG_JSON_NULL)

static const FgJsonRule rules[] = {
	{ROOT, "id", ID, NUMBER | NAME},
	{ROOT, "method", METHOD, STRING},
	{ROOT, "params", PARAMS, OBJECT | FG_JSON_ARRAY},
	{PARAMS, "textDocument", DOCUMENT, OBJECT},
	{PARAMS, "position", POSITION, OBJECT},
	{PARAMS, "range", RANGE, OBJECT},
	{PARAMS, "contentChanges", CHANGES, ARRAY},
	{PARAMS, "id", CANCELLED, NUMBER | STRING},
	{PARAMS, "command", COMMAND, STRING},
	{PARAMS, "arguments", ARGUMENTS, ARRAY},
	{PARAMS, "processId", PROCESS, NUMBER | FG_JSON_NULL},
	{PARAMS, "rootUri", ROOT_URI, NAME},
	{PARAMS, "workspaceFolders", FOLDERS, ARRAY},
	{PARAMS, "initializationOptions", OPTIONS, FG_JSON_ANY},
	{PARAMS, "capabilities", CAPABILITIES, OBJECT},
	{DOCUMENT, "uri", URI, STRING},
	{DOCUMENT, "languageId", LANGUAGE, STRING},
	{DOCUMENT, "text", TEXT, STRING},
	{POSITION, "line", LINE, NUMBER},
	{POSITION, "character", CHARACTER, NUMBER},
	{RANGE, "start", FROM, OBJECT},
	{RANGE, "end", TO, OBJECT},
	{FROM, "line", FROM_LINE, NUMBER},
	{FROM, "character", FROM_CHARACTER, NUMBER},
	{TO, "line", TO_LINE, NUMBER},
	{TO, "character", TO_CHARACTER, NUMBER},
	{CHANGES, NULL, CHANGE, OBJECT},
	{CHANGE, "range", CHANGE_RANGE, OBJECT},
	{CHANGE, "text", CHANGE_TEXT, STRING},
	{CHANGE_RANGE, "start", CHANGE_FROM, OBJECT},
	{CHANGE_RANGE, "end", CHANGE_TO, OBJECT},
	{CHANGE_FROM, "line", CHANGE_FROM_LINE, NUMBER},
	{CHANGE_FROM, "character", CHANGE_FROM_CHARACTER, NUMBER},
	{CHANGE_TO, "line", CHANGE_TO_LINE, NUMBER},
	{CHANGE_TO, "character", CHANGE_TO_CHARACTER, NUMBER},
	{ARGUMENTS, NULL, ARGUMENT, FG_JSON_ANY},
	{FOLDERS, NULL, FOLDER, OBJECT},
	{FOLDER, "uri", FOLDER_URI, STRING},
	{OPTIONS, FG_JSON_OTHER_KEYS, OPTION, NUMBER | STRING | FG_JSON_BOOL},
	{CAPABILITIES, "textDocument", OF_TEXT, OBJECT},
	{CAPABILITIES, "workspace", OF_WORKSPACE, OBJECT},
	{CAPABILITIES, "window", OF_WINDOW, OBJECT},
	{OF_TEXT, "inlayHint", HINTS, OBJECT},
	{OF_TEXT, "hover", HOVER, OBJECT},
	{HOVER, "contentFormat", HOVER_FORMATS, ARRAY},
	{HOVER_FORMATS, NULL, HOVER_FORMAT, FG_JSON_ANY},
	{OF_WORKSPACE, "inlayHint", HINTS_REFRESHED, OBJECT},
	{OF_WORKSPACE, "codeLens", LENSES_REFRESHED, OBJECT},
	{HINTS_REFRESHED, "refreshSupport", HINT_REFRESH, FG_JSON_ANY},
	{LENSES_REFRESHED, "refreshSupport", LENS_REFRESH, FG_JSON_ANY},
	{OF_WINDOW, "showDocument", SHOWN, OBJECT},
	{SHOWN, "support", SHOW, FG_JSON_ANY},
	{0, NULL, 0, 0}
};

struct MessageReader
{
	FgJson	   *json;
	Message		message;
	bool		failed;
};

static void
message_free(Message *m)
{
	free(m->id);
	free(m->method);
	free(m->uri);
	free(m->language);
	free(m->text);
	for (size_t i = 0; i < m->change_count; i++)
		free(m->changes[i].text);
	free(m->changes);
	free(m->cancelled);
	free(m->command);
	for (size_t i = 0; i < m->argument_count; i++)
		free(m->arguments[i]);
	free(m->root);
	for (size_t i = 0; i < m->option_count; i++)
	{
		free(m->options[i].key);
		free(m->options[i].value);
	}
	free(m->options);
	*m = (Message) {.id = NULL};
}

static void
take(char **to, const FgJsonValue *value)
{
	free(*to);
	*to = value->type == FG_JSON_NULL ? NULL : copy_text(value->text, value->length);
}

/* An id comes back as it came, a number or a string. */
static void
take_id(char **to, const FgJsonValue *value)
{
	Out			id = {.text = NULL};
	char	   *text;

	free(*to);
	*to = NULL;
	if (value->type == FG_JSON_NULL)
		return;
	text = copy_text(value->text, value->length);
	if (value->type == FG_JSON_NUMBER)
		out_put(&id, text);
	else
		out_string(&id, text);
	free(text);
	*to = id.text;
}

/* The change that is being read; more than a few thousand at once come from nobody. */
static Change *
change_of(Message *m)
{
	return m->change_count > 0 ? &m->changes[m->change_count - 1] : NULL;
}

static void
begin_change(Message *m)
{
	if (m->change_count == m->change_capacity)
	{
		m->change_capacity = m->change_capacity * 2 + 4;
		m->changes = must_alloc(realloc(m->changes, m->change_capacity * sizeof(*m->changes)));
	}
	m->changes[m->change_count++] = (Change) {.ranged = false};
}

static void
take_option(Message *m, const FgJsonValue *value)
{
	if (m->option_count == 100)
		return;					/* there are a dozen; the rest is refused by its name anyway */
	if (m->option_count == m->option_capacity)
	{
		m->option_capacity = m->option_capacity * 2 + 8;
		m->options = must_alloc(realloc(m->options, m->option_capacity * sizeof(*m->options)));
	}
	m->options[m->option_count++] = (Option) {
		copy_text(value->key, value->key_length),
		value->type == FG_JSON_BOOL ? copy_text(value->truth ? "true" : "false", value->truth ? 4 : 5) :
		copy_text(value->text, value->length)
	};
}

static bool
take_number(MessageReader *r, int place, const FgJsonValue *value)
{
	Message    *m = &r->message;
	Change	   *change = change_of(m);
	uint32_t	number;
	uint32_t   *to = place == LINE ? &m->position.line : place == CHARACTER ? &m->position.character :
		place == FROM_LINE ? &m->from.line : place == FROM_CHARACTER ? &m->from.character :
		place == TO_LINE ? &m->to.line : place == TO_CHARACTER ? &m->to.character :
		place == PROCESS ? &m->process : change == NULL ? NULL : place == CHANGE_FROM_LINE ? &change->from.line :
		place == CHANGE_FROM_CHARACTER ? &change->from.character : place == CHANGE_TO_LINE ? &change->to.line :
		&change->to.character;

	if (value->type == FG_JSON_NULL || to == NULL)
		return true;
	if (!fg_json_index(r->json, value, &number))
		return false;
	*to = number;
	return true;
}

static void
take_text_place(Message *m, int place, const FgJsonValue *value)
{
	switch (place)
	{
		case ID: take_id(&m->id, value); return;
		case CANCELLED: take_id(&m->cancelled, value); return;
		case METHOD: take(&m->method, value); return;
		case URI: take(&m->uri, value); return;
		case LANGUAGE: take(&m->language, value); return;
		case COMMAND: take(&m->command, value); return;
		case ROOT_URI: take(&m->root, value); return;
		case FOLDER_URI:
			if (m->root == NULL)
				take(&m->root, value);
			return;
		case TEXT:
			take(&m->text, value);
			m->text_length = value->length;
			return;
		case ARGUMENT:
			if (m->argument_count < 2 && value->type == FG_JSON_STRING)
				m->arguments[m->argument_count++] = copy_text(value->text, value->length);
			return;
		case CHANGE_TEXT:
			if (change_of(m) != NULL)
			{
				take(&change_of(m)->text, value);
				change_of(m)->length = value->length;
			}
			return;
		default:
			return;
	}
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	MessageReader *r = arg;
	Message    *m = &r->message;

	if (value->end)
		return true;
	switch (place)
	{
		case CHANGE: begin_change(m); return true;
		case CHANGE_RANGE:
			if (change_of(m) != NULL)
				change_of(m)->ranged = value->type == FG_JSON_OBJECT;
			return true;
		case OPTION: take_option(m, value); return true;
		case HINTS: m->has_hints = value->type == FG_JSON_OBJECT; return true;
		case HINT_REFRESH: m->refreshes_hints = value->truth; return true;
		case LENS_REFRESH: m->refreshes_lenses = value->truth; return true;
		case SHOW: m->shows_documents = value->truth; return true;
		case HOVER_FORMAT:
			m->hovers_markdown = m->hovers_markdown || (value->type == FG_JSON_STRING && fg_json_equals(value, "markdown"));
			return true;
		case LINE:
		case CHARACTER:
		case FROM_LINE:
		case FROM_CHARACTER:
		case TO_LINE:
		case TO_CHARACTER:
		case CHANGE_FROM_LINE:
		case CHANGE_FROM_CHARACTER:
		case CHANGE_TO_LINE:
		case CHANGE_TO_CHARACTER:
		case PROCESS:
			return take_number(r, place, value);
		default:
			take_text_place(m, place, value);
			return true;
	}
}

MessageReader *
message_reader(FgContext *ctx)
{
	MessageReader *r = must_alloc(calloc(1, sizeof(*r)));

	r->json = must_alloc(fg_json_open(ctx, "a message", rules, take_value, r));
	return r;
}

void
message_begin(MessageReader *r)
{
	message_free(&r->message);
	r->failed = !fg_json_restart(r->json);
}

bool
message_feed(MessageReader *r, const char *bytes, size_t size)
{
	r->failed = r->failed || !fg_json_feed(r->json, bytes, size);
	return !r->failed;
}

bool
message_end(MessageReader *r, Message **message)
{
	*message = &r->message;
	r->failed = r->failed || !fg_json_finish(r->json);
	return !r->failed;
}
