/*
 * jfr_metadata.h
 *	  What the types of a chunk of a binary Flight Recorder file look like, in its own words.
 *
 * A chunk describes all its types in one event: a list of texts, and a tree of elements that
 * have attributes, all of them texts of the list.  A class has fields; a field has a class,
 * may be an array, and may be a key into the constants of its class instead of a value.
 * Classes without fields are numbers and texts, known by their names.
 *
 * From the description of a class a program is made that passes over a value of it (and over
 * everything inside it) without looking at the classes again, and marks where some fields of it
 * begin.  A class that holds itself has no end, and one that would need a very long program none
 * that matters; both are errors, but only where a value of it has to be passed over.
 */
#ifndef FG_JFR_METADATA_H
#define FG_JFR_METADATA_H

#include "core/jfr/jfr_bytes.h"
#include "core/reading/id_index.h"

/* A text, not terminated. */
typedef struct FgJfrText
{
	const char *bytes;
	size_t		length;
	bool		there;			/* it is not null */
} FgJfrText;

extern bool fg_jfr_text_is(FgJfrText text, const char *word);

typedef enum FgJfrBasic
{
	FG_JFR_COMPOSITE,			/* it has fields, or is nothing that is known */
	FG_JFR_BOOLEAN,
	FG_JFR_BYTE,
	FG_JFR_SHORT,
	FG_JFR_CHAR,
	FG_JFR_INT,
	FG_JFR_LONG,
	FG_JFR_FLOAT,
	FG_JFR_DOUBLE,
	FG_JFR_STRING
} FgJfrBasic;

typedef struct FgJfrClass
{
	FgJfrText	name;
	FgJfrBasic	basic;
	bool		simple;			/* stands for its only field */
	uint32_t	first;			/* of its fields */
	uint32_t	count;
	uint32_t	program;		/* its own (fg_jfr_class_program), FG_NONE: not made yet */
	uint32_t	plan;			/* for who reads events; FG_NONE at first */
} FgJfrClass;

typedef struct FgJfrField
{
	FgJfrText	name;
	uint64_t	class_id;
	uint32_t	class_at;		/* FG_NONE: there is no such class */
	bool		constant;
	bool		array;
	FgJfrText	span;			/* unit of a time span: TICKS, NANOSECONDS, ... */
	bool		is_unsigned;
} FgJfrField;

#define FG_JFR_MARKS 8

/* Values of most events and frames are so many numbers and nothing else. */
#define FG_JFR_MAX_PLAIN 16

typedef struct FgJfrStep FgJfrStep;
typedef struct FgJfrProgram
{
	uint32_t	first;			/* of its steps */
	uint32_t	count;
	uint32_t	plain;			/* how many numbers its values are; 0: they are something else, too */
	uint8_t		marks[FG_JFR_MAX_PLAIN];	/* of each of these numbers; FG_JFR_MARKS: it has none */
} FgJfrProgram;

typedef struct FgJfrMetadata
{
	FgContext  *ctx;
	FgBuffer	texts;
	FgJfrClass *classes;
	uint64_t   *ids;			/* of the classes */
	uint32_t	class_count;
	FgJfrField *fields;
	uint32_t	field_count;
	FgIdIndex	index;
	FgJfrStep  *steps;
	size_t		step_count;
	size_t		step_capacity;
	FgJfrProgram *programs;
	size_t		program_count;
	size_t		program_capacity;
} FgJfrMetadata;

/*
 * Reads the body of a metadata event, behind its type.  What it takes of memory is to be freed
 * even when it fails.
 */
extern bool fg_jfr_metadata_read(FgContext *ctx, FgJfrMetadata *metadata, FgJfrBytes *bytes);
extern void fg_jfr_metadata_free(FgJfrMetadata *metadata);

/* FG_NONE when there is none. */
extern uint32_t fg_jfr_find_class(const FgJfrMetadata *metadata, uint64_t id);

/* A field of a class by its name; NULL when it has none. */
extern const FgJfrField *fg_jfr_find_field(const FgJfrMetadata *metadata, uint32_t class_at,
										   const char *name);

/* --- passing over values ---------------------------------------------------------------- */

/*
 * The program of a class that marks the fields of these names, NULL or "" for none.  The number
 * stays valid as long as the metadata.
 */
extern bool fg_jfr_program(FgJfrMetadata *metadata, uint32_t class_at,
						   const char *const *names, size_t count, uint32_t *program);

/* The one without marks, made when it is asked for first. */
extern bool fg_jfr_class_program(FgJfrMetadata *metadata, uint32_t class_at, uint32_t *program);

/* Passes over a value; marks[i] becomes the place of field names[i] in it, NULL: it has none. */
extern bool fg_jfr_pass(const FgJfrMetadata *metadata, uint32_t program, FgJfrBytes *bytes,
						const uint8_t *marks[FG_JFR_MARKS]);

/* The fields of a value that its program marks, and the numbers that stand there. */
typedef struct FgJfrMarked
{
	const uint8_t *place[FG_JFR_MARKS + 1];	/* NULL: it has none; the last one is of no use */
	uint64_t	number[FG_JFR_MARKS + 1];	/* 0 where there is none */
} FgJfrMarked;

/* Passes over a value, and takes the numbers at its marks. */
extern bool fg_jfr_take(const FgJfrMetadata *metadata, uint32_t program, FgJfrBytes *bytes,
						FgJfrMarked *marked);

/* --- values ------------------------------------------------------------------------------- */

/* How a text is written. */
typedef enum FgJfrCoding
{
	FG_JFR_NULL,
	FG_JFR_EMPTY,
	FG_JFR_KEY,					/* of a constant */
	FG_JFR_UTF8,
	FG_JFR_UTF16,
	FG_JFR_LATIN1,
	FG_JFR_CODINGS
} FgJfrCoding;

/*
 * Takes a text.  A key is left to the caller: *key is set.  Else *text is in the bytes, or in
 * the buffer, which is overwritten.
 */
extern bool fg_jfr_take_text(FgJfrBytes *bytes, FgBuffer *buffer, FgJfrText *text,
							 FgJfrCoding *coding, uint64_t *key);

/* Appends UTF-8 as the JVM writes it, with two halves for a character beyond 16 bits, as UTF-8. */
extern bool fg_jfr_append_utf8(FgBuffer *buffer, const char *bytes, size_t length);

/* The number that a field of a class of numbers has; false: it is none, or not finite. */
extern bool fg_jfr_field_number(const FgJfrMetadata *metadata, const FgJfrField *field,
								FgJfrBytes *bytes, double *number);

#endif							/* FG_JFR_METADATA_H */
