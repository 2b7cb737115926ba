/*
 * code_map.h
 *	  Names for addresses of code: what was mapped where (/proc/PID/maps), and symbols that
 *	  a file has for single addresses.
 *
 * An address without a symbol is its place in the file that was mapped there,
 * libx.so.6+0x500, which is the same in every run; without a file it is the address.
 */
#ifndef FG_CODE_MAP_H
#define FG_CODE_MAP_H

#include "core/base/bytes.h"
#include "core/reading/id_index.h"

typedef struct FgCodeMapping
{
	uint64_t	start;
	uint64_t	end;
	uint64_t	offset;			/* of the start, in the file */
	size_t		file;			/* its name without the folders, in "texts" */
	size_t		file_length;
} FgCodeMapping;

typedef struct FgCodeSymbol
{
	size_t		start;			/* in "texts" */
	size_t		length;
} FgCodeSymbol;

typedef struct FgCodeMap
{
	FgContext  *ctx;
	FgBuffer	texts;
	FgCodeMapping *mappings;
	size_t		mapping_count;
	size_t		mapping_capacity;
	uint32_t   *order;			/* of mappings, by their start */
	uint64_t   *addresses;		/* of symbols */
	size_t		symbol_count;
	size_t		address_capacity;
	FgCodeSymbol *symbols;
	size_t		symbol_capacity;
	FgIdIndex	index;			/* of addresses */
} FgCodeMap;

extern void fg_code_map_begin(FgContext *ctx, FgCodeMap *map);
extern void fg_code_map_free(FgCodeMap *map);

/*
 * A line of /proc/PID/maps, or of its short form "START-END: FILE".  What is not code that
 * came from a file, and what is no such line, is left out.
 */
extern bool fg_code_map_line(FgCodeMap *map, const char *line, size_t length);

/* The functions of an address, those that hold inlined ones first: "f--g". */
extern bool fg_code_map_symbol(FgCodeMap *map, uint64_t address, const char *name, size_t length);

/* When all lines and symbols are there. */
extern bool fg_code_map_finish(FgCodeMap *map);

/* NULL: it has none. */
extern const char *fg_code_map_name(const FgCodeMap *map, uint64_t address, size_t *length);

/* Appends the place of an address. */
extern bool fg_code_map_place(const FgCodeMap *map, uint64_t address, FgBuffer *text);

/* Hexadecimal digits, with 0x before them or not; the number of bytes, 0: none, or too many. */
extern size_t fg_parse_hex(const char *text, size_t length, uint64_t *number);

#endif							/* FG_CODE_MAP_H */
