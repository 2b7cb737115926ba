/*
 * instruments.h
 *	  What Apple's Instruments gives away of a recording: the XML of "xctrace export", and the
 *	  text of a deep copy.
 *
 * In the XML a row of a table is a sample: its time, thread, weight and stack, of which
 * each that came before is only referred to by its number.  So frames, stacks, threads and
 * weights are kept; rows are not.
 *
 * The text is a tree: a line for each node, indented by its depth, with what it took and, in most tables, what it took
 * itself.
 */
#ifndef FG_INSTRUMENTS_H
#define FG_INSTRUMENTS_H

#include "core/reading/sink.h"

typedef struct FgInstrumentsXml FgInstrumentsXml;

extern FgInstrumentsXml *fg_instruments_xml_begin(FgSink *sink);
extern bool fg_instruments_xml_feed(FgInstrumentsXml *reader, const char *bytes, size_t size);
extern bool fg_instruments_xml_finish(FgInstrumentsXml *reader);
extern void fg_instruments_xml_free(FgInstrumentsXml *reader);

typedef struct FgInstrumentsText FgInstrumentsText;

extern FgInstrumentsText *fg_instruments_text_begin(FgSink *sink);
extern bool fg_instruments_text_feed(FgInstrumentsText *reader, const char *bytes, size_t size);
extern bool fg_instruments_text_finish(FgInstrumentsText *reader);
extern void fg_instruments_text_free(FgInstrumentsText *reader);

/* Is this line the heading of a deep copy? */
extern bool fg_instruments_is_heading(const char *line, size_t length);

#endif							/* FG_INSTRUMENTS_H */
