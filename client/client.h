/*
 * client.h
 *	  What the programs beside the server share: text, and how it leaves the program.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#ifndef FG_VERSION
#define FG_VERSION "unknown"
#endif

/* Of each program: its name, and its exit status when there is no memory left. */
extern const char program_name[];
extern const int program_failed;

/* Out of memory is the end of the program. */
extern void *must_alloc(void *pointer);
extern char *format_text(const char *format,...) __attribute__((format(printf, 1, 2)));
extern char *format_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* Makes *text (malloc'ed, or NULL) longer. */
extern void append_text(char **text, const char *format,...)
			__attribute__((format(printf, 2, 3)));

/*
 * Writes a line.  All text that the program did not make up itself is written by
 * this: control characters, line feeds among them, those that turn the direction of
 * writing, and bytes that are not UTF-8 are shown as \xNN or \uNNNN.
 */
extern void say(FILE *stream, const char *format,...) __attribute__((format(printf, 2, 3)));

/* A copy with them shown so; malloc'ed. */
extern char *printable(const char *text);

extern bool has_control_character(const char *text);

#endif							/* CLIENT_H */
