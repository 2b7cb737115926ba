/*
 * lsp.h
 *	  What the parts of flamegraph-lsp share.
 *
 * One thread and one loop: bytes of the editor come in, requests are answered from what is
 * cached, and the database is asked in between, by a connection that never blocks.  All text
 * that is not the program's own (documents, names of functions, what the server says) is
 * untrusted: it leaves as strings of JSON, and in Markdown as code.
 */
#ifndef LSP_H
#define LSP_H

#include <libpq-fe.h>

#include "../client.h"
#include "core/editor/match.h"
#include "core/editor/text.h"

/* --- text and JSON that is written (json.c) ----------------------------------------------------- */

typedef struct Out
{
	char	   *text;			/* terminated */
	size_t		size;
	size_t		capacity;
} Out;

extern void out_bytes(Out *out, const char *bytes, size_t size);
extern void out_put(Out *out, const char *text);
extern void out_format(Out *out, const char *format,...) __attribute__((format(printf, 2, 3)));
extern void out_free(Out *out);

/* A string of JSON, with its quotes. */
extern void out_string(Out *out, const char *text);

/* A name as code of Markdown; long ones are cut, which "…" says. */
extern void out_code(Out *out, const char *name);

extern char *copy_text(const char *text, size_t length);

/* --- settings (settings.c) ------------------------------------------------------------------------ */

typedef struct Settings
{
	char	   *connection;
	char	   *benchmark;		/* NULL: nothing is shown */
	char	   *suite;
	char	   *event;
	char	   *branch;			/* NULL: that of the newest run */
	char	   *baseline;		/* "none": no comparison */
	char	   *frame_rules;	/* names, with commas between them */
	double		min_percent;	/* of a function that is shown */
	double		refresh;		/* seconds */
	bool		lines;			/* hints of call sites */
	bool		hints;			/* false: code lenses also where the client shows hints */
	bool		from_project;	/* the connection was named by a file */
} Settings;

extern void settings_begin(Settings *settings);
extern void settings_free(Settings *settings);

/* Takes a value; a message to be freed, or NULL when it is right. */
extern char *settings_set(Settings *settings, const char *key, const char *value);

/* Reads .flamegraph.toml of a directory, if there is one. */
extern char *settings_read(Settings *settings, const char *directory);
extern char *settings_parse(Settings *settings, const char *text, size_t length);

/* --- messages that come in (message.c) --------------------------------------------------------------- */

typedef struct Change
{
	bool		ranged;
	FgPosition	from;
	FgPosition	to;
	char	   *text;
	size_t		length;
} Change;

typedef struct Option
{
	char	   *key;
	char	   *value;
} Option;

typedef struct Message
{
	char	   *id;				/* as JSON; NULL: a notification */
	char	   *method;			/* NULL: a response */
	char	   *uri;
	char	   *language;
	char	   *text;
	size_t		text_length;
	FgPosition	position;
	FgPosition	from;			/* of the range */
	FgPosition	to;
	Change	   *changes;
	size_t		change_count;
	size_t		change_capacity;
	char	   *cancelled;		/* an id, as JSON */
	char	   *command;
	char	   *arguments[2];
	size_t		argument_count;
	char	   *root;			/* URI */
	Option	   *options;
	size_t		option_count;
	size_t		option_capacity;
	uint32_t	process;
	bool		has_hints;		/* capabilities of the client */
	bool		refreshes_hints;
	bool		refreshes_lenses;
	bool		shows_documents;
	bool		hovers_markdown;
} Message;

typedef struct MessageReader MessageReader;

extern MessageReader *message_reader(FgContext *ctx);
extern void message_begin(MessageReader *reader);
extern bool message_feed(MessageReader *reader, const char *bytes, size_t size);

/* The message, which the reader keeps; false: it is no JSON, or of other types, and ctx->error says so. */
extern bool message_end(MessageReader *reader, Message **message);

/* --- what is known of a document (document.c) ------------------------------------------------------------- */

#define MOST_ROWS 8				/* callers, callees, threads that are shown */
#define MOST_RUNS 16

typedef struct Row
{
	char	   *name;
	double		share;
} Row;

typedef struct Rows
{
	Row			items[MOST_ROWS];
	size_t		count;
} Rows;

typedef struct Finding
{
	char	   *id;
	char	   *text;			/* in words */
	char	   *suspects;		/* NULL: none is known */
	bool		slower;
} Finding;

/* A function of the profile: one frame, or several that are renamed to one. */
typedef struct Cost
{
	char	   *frame;			/* what it is called in the queries */
	char	   *sample;			/* the first frame, as it was recorded, for matching */
	size_t		frames;			/* how many stand for the function */
	size_t		left_out;		/* more of them, which are not added */
	FgMatchKind kind;
	uint32_t	function;		/* in the present scan, or FG_NONE */
	bool		known;			/* the numbers have come */
	double		total;			/* shares of the whole */
	double		self;
	double		samples;
	double		of_samples;
	int			callers;
	int			callees;
	int			threads;
	bool		compared;
	double		angle;
	Rows		caller_rows;
	Rows		callee_rows;
	Rows		thread_rows;
	double		trend[MOST_RUNS];
	size_t		runs;
	Finding		findings[MOST_ROWS];
	size_t		finding_count;
} Cost;

typedef struct Site
{
	uint32_t	line;			/* from 0, in the present text */
	char	   *callee;
	double		share;			/* of the whole */
} Site;

typedef struct Document
{
	struct Document *next;
	char	   *uri;
	char	   *path;
	FgLanguage	language;
	FgSourceText text;
	bool		kept;			/* false: too large, its text is not here */
	bool		scanned;
	FgFunctions functions;
	uint32_t   *by_name;
	bool		edited;			/* since it was opened or saved */

	/* of the store */
	bool		loaded;			/* there was an answer, or a failure */
	double		asked_at;		/* 0: never */
	Cost	   *costs;
	size_t		cost_count;
	Site	   *sites;
	size_t		site_count;
	char	  **unmatched;		/* frames of this file that are no function of it */
	size_t		unmatched_count;
	size_t		frame_count;	/* that were looked at */
	bool		frames_cut;
	char	   *run;			/* which run it is, in words */
	char	   *state;			/* why there is nothing; NULL: there is */
} Document;

extern Document *document_open(Document **list, const char *uri, const char *language, const char *text, size_t length);
extern Document *document_find(Document *list, const char *uri);
extern void document_change(Document *document, const Change *change);
extern void document_close(Document **list, const char *uri);

/*
 * What the store says comes in several answers.  It is gathered in a document beside the
 * one that is open, with its text of this moment, so that requests are answered from what
 * was known before until all of it is there; then it takes its place.
 */
extern Document *document_beside(const Document *document);
extern void document_replace(Document *document, Document *beside);
extern void document_drop(Document *beside);
extern void documents_free(Document **list);

/* Scans the text if it has changed, and finds the functions of the costs in it. */
extern void document_scan(Document *document);
extern FgMatchKind document_match(const Document *document, const char *frame, uint32_t *function);
extern uint32_t document_line(const Document *document, const Cost *cost);
extern Cost *document_cost(const Document *document, const char *frame);
extern char *path_of_uri(const char *uri);
extern char *uri_of_path(const char *path);

/* --- the store (store.c, query.c) ---------------------------------------------------------------------------- */

typedef struct Job
{
	Document   *document;		/* whose costs are asked for; NULL: a picture */
	char	   *request;		/* the id that waits for the picture */
	char	   *frame;
} Job;

typedef struct Store
{
	PGconn	   *connection;
	bool		connected;
	int			step;			/* of the job; 0: there is none */
	Job			job;
	Document   *coming;			/* document_beside() of the job's, or NULL */
	PGresult   *result;			/* the last one of the statement that runs */
	char	   *failure;		/* of that statement */
	double		deadline;
	double		retry_at;		/* not before that */
	Out			patterns;		/* arguments of the second query */
	Out			names;
	Out			lined;
	Out			findings;
} Store;

extern char *query_frames(const Settings *settings);
extern char *query_costs(const Settings *settings);
extern char *query_picture(const Settings *settings);
extern char *query_shown(const Settings *settings, const char *frame);

extern void store_free(Store *store);
extern void store_begin(Store *store, Job job);
extern void store_go_on(Store *store);
extern short store_events(const Store *store);
extern void store_fail(Store *store, const char *reason);

/* What the store calls when a job has ended; "picture" is the SVG of one. */
extern void job_ended(Job *job, const char *failure, const char *picture);

/* Takes rows of the first and the second query, and of the suspects. */
extern void take_frames(Store *store, const PGresult *result);
extern void take_costs(Document *document, const PGresult *result, Out *findings);
extern void take_suspects(Document *document, const PGresult *result);
extern void list_words(const Document *document, Out *words);
extern void array_add(Out *array, const char *text);
extern void array_end(Out *array);

/* --- answers (answer.c) ------------------------------------------------------------------------------------------ */

extern void answer_hints(Out *out, const Document *document, FgPosition from, FgPosition to);
extern void answer_lenses(Out *out, const Document *document);
extern void answer_hover(Out *out, const Document *document, FgPosition position, bool markdown);
extern void answer_actions(Out *out, const Document *document, FgPosition from, FgPosition to);
extern void answer_diagnostics(Out *out, const Document *document);

/* --- the program (main.c) --------------------------------------------------------------------------------------------- */

typedef struct LspServer
{
	FgContext	ctx;
	Settings	settings;
	Document   *documents;
	Store		store;
	Message		client;			/* its capabilities */
	bool		initialized;
	bool		shut_down;
	bool		told;			/* that the store does not answer */
} LspServer;

extern LspServer lsp;

extern double now_seconds(void);
extern void send_message(const Out *body);
extern void notify_user(int type, const char *text);

#endif							/* LSP_H */
