/*
 * xml.h
 *	  The writer of every picture: markup of our own, text of users, numbers.
 *
 * Errors stay: after the first one nothing more is written, and the writer's last user
 * asks "ok".  So drawing code reads like the picture.  Output is limited to
 * FG_XML_MAX_BYTES (FG_ERROR_LIMIT with a hint), and interrupts are polled as it grows.
 *
 * Text of users goes through fg_xml_text alone, the one function that knows what is
 * dangerous.  It writes entities for the five characters of markup.  What XML cannot
 * hold, and what deceives readers (controls, marks of direction, invisible characters)
 * is written so that it can be seen: \u{202E}.  Bytes that are not UTF-8 become U+FFFD.
 */
#ifndef FG_XML_H
#define FG_XML_H

#include "core/base/bytes.h"

#define FG_XML_MAX_BYTES	((size_t) 256 << 20)

typedef struct FgXml
{
	FgBuffer	buffer;
	size_t		start;			/* bytes in the buffer that are not part of the document */
	bool		ok;
} FgXml;

/* Appends to what the buffer holds (a length word of the caller's). */
extern FgXml fg_xml_begin(FgBuffer buffer);

/* Bytes of our own, as they are. */
extern void fg_xml_bytes(FgXml *xml, const char *bytes, size_t length);
extern void fg_xml_put(FgXml *xml, const char *markup);

/* The same with %s (markup of our own), %u, %d and the like; at most 1,000 bytes. */
extern void fg_xml_format(FgXml *xml, const char *format,...)
			__attribute__((format(printf, 2, 3)));

/*
 * Text of users, of element content or of an attribute in double quotes.  Longer than
 * "most" characters it is cut, and "… (n characters)" says how long it was.
 */
extern void fg_xml_text(FgXml *xml, const char *text, size_t length, size_t most);

/* Hundredths of a pixel, with as many decimals as needed. */
extern void fg_xml_hundredths(FgXml *xml, int64_t hundredths);

/* An attribute of an element that is open: a blank, its name and so many pixels. */
extern void fg_xml_pixels(FgXml *xml, const char *name, double pixels);

/* The shortest decimal text that reads back as the same number. */
extern void fg_xml_number(FgXml *xml, double value);

/* A count or an ordinal, as plain digits. */
extern void fg_xml_count(FgXml *xml, uint64_t count);

/* Pixels in hundredths, half a hundredth upwards. */
extern int64_t fg_hundredths(double pixels);

/* --- characters ------------------------------------------------------------------- */

/*
 * The character at text[0 .. length), length > 0, and its bytes in *size; what is not
 * UTF-8 is one byte of U+FFFD.
 */
extern uint32_t fg_xml_character(const char *text, size_t length, size_t *size);

/* Is this character to be shown as \u{...} (see above)? */
extern bool fg_xml_hidden(uint32_t character);

/* Are all bytes printable ASCII, so that each is one character that is shown as it is? */
extern bool fg_xml_plain(const char *text, size_t length);

#endif							/* FG_XML_H */
