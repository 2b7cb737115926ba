/*
 * formats.c
 *	  The table of formats, spelled out (see formats.h).
 */
#include "core/formats/formats.h"

#define WORD(ID, word, title, lines, addresses, times) #word,
const char *const fg_format_names[FG_FORMAT_COUNT] = {"auto", FG_FORMATS(WORD)};

#define HAS_YES true
#define HAS_NO false
#define FACTS(ID, word, title, lines, addresses, times) \
	{#word, title, HAS_##lines, HAS_##addresses, HAS_##times, &fg_##word##_reader},
const FgFormatFacts fg_formats[FG_FORMAT_COUNT] = {{.word = "auto"}, FG_FORMATS(FACTS)};

#define LISTED(ID, word, title, lines, addresses, times) #word ", "
#define WITH_LINES(ID, word, title, lines, addresses, times) FG_IF_##lines(#word ", ")
#define WITH_ADDRESSES(ID, word, title, lines, addresses, times) FG_IF_##addresses(#word ", ")
#define WITH_TIMES(ID, word, title, lines, addresses, times) FG_IF_##times(#word ", ")
const char	fg_hint_formats[] = "Name the format: " FG_FORMATS(LISTED) "these are all that are read.";
const char	fg_hint_lines[] = "Formats with lines are " FG_FORMATS(WITH_LINES) "and no others.";
const char	fg_hint_addresses[] = "Formats with addresses are " FG_FORMATS(WITH_ADDRESSES) "and no others.";
const char	fg_hint_times[] = "Formats with times are " FG_FORMATS(WITH_TIMES) "and no others.";
