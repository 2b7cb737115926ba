/*
 * label.h
 *	  Text that has to fit: columns, shortening, lines.
 *
 * Nothing is measured.  The pictures use a monospace font, and a column is as wide as
 * that of the widest usual one; East Asian wide characters take two columns, characters
 * that are shown as \u{...} (xml.h) as many as that has.
 */
#ifndef FG_LABEL_H
#define FG_LABEL_H

#include "core/base/bytes.h"

/* Pixels of a column, per pixel of the font's size. */
#define FG_COLUMN_WIDTH 0.625

/* How a name is shortened that does not fit. */
typedef enum FgTruncate
{
	FG_TRUNCATE_QUALIFIER,		/* it loses its leading qualifiers, then its end */
	FG_TRUNCATE_END,
	FG_TRUNCATE_START
} FgTruncate;

/* A part of a text, and what is left out around it. */
typedef struct FgLabel
{
	size_t		start;			/* in bytes */
	size_t		end;
	bool		cut_start;		/* an ellipsis stands in front */
	bool		cut_end;
} FgLabel;

extern size_t fg_columns(const char *text, size_t length);

/*
 * What is drawn of a name in so many columns, ellipses included.  Qualifiers are parts
 * ended by "::", ".", "/" or "\" outside of <>, () and [].  What compilers and files hang
 * on at the end (".constprop.0", ".so.6", Rust's "::h" and a hash) is no part of its own.
 */
extern FgLabel fg_label_fit(const char *name, size_t length, size_t columns, FgTruncate how);

/* Bytes of the qualifiers in front of the last part of a name. */
extern size_t fg_label_qualifiers(const char *name, size_t length);

/*
 * Bytes of the next line of a text that is broken at blanks, and in words that are longer
 * than a line, but not before a percent sign; *skip are the blanks behind it.  A newline
 * ends a line, too.
 */
extern size_t fg_label_line(const char *text, size_t length, size_t columns, size_t *skip);

#endif							/* FG_LABEL_H */
