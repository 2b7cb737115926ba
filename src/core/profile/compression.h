/*
 * compression.h
 *	  The compressed form of an encoded value (a profile, a series or statistics): how it is stored.
 *
 *	offset	size
 *	0		1	2
 *	1		H-1	the header of the value from its byte 1 on
 *	H		1	number of parts, 1 to FG_COMPRESSED_PARTS
 *	H+1			for each part: varint bytes of the part; varint bytes that it takes here
 *				then the parts, without gaps: zstd frames, or as they are where both numbers are
 *				the same
 *
 * The parts together are what follows the header.  The encoded form (version 1, codec.h) is the
 * canonical one: it is what is sent, compared and hashed.  Of the compressed form there may be many
 * for one value, because another version of zstd may find other bytes.  It never comes from
 * outside: what reads a value from a user or from the wire demands version 1.
 *
 * A process has one context of zstd for each direction, so one thread of it may call these.
 *
 * Facts of the header are read from the first bytes of either form.  Parts are cut where numbers of
 * one kind end, since each kind has frequencies of its own: of a profile of 60,000 nodes, 132,286
 * bytes, one frame takes 52,896 and five take 49,200, where pglz takes 60,110 and six times as long
 * (zstd 1.5.4).  A server finds at once that there is nothing left for it to compress.
 */
#ifndef FG_COMPRESSION_H
#define FG_COMPRESSION_H

#include "core/base/bytes.h"

/* Byte 0 of both forms, in all three types. */
#define FG_ENCODED			1
#define FG_COMPRESSED		2
#define FG_COMPRESSED_PARTS		12
/* Behind the header, all that is needed to know where the parts are. */
#define FG_PARTS_MAX		(1 + FG_COMPRESSED_PARTS * 2 * FG_VARINT_MAX)
/*
 * Below that many bytes a value is left as it is: PostgreSQL keeps it in its row.  Tests of small
 * values make it smaller.
 */
#ifndef FG_COMPRESS_FROM
#define FG_COMPRESS_FROM	1024
#endif

/* Some bytes of one kind. */
typedef struct FgStoredPart
{
	size_t		size;
	bool		is_text;		/* short repeats are worth looking for, as in names */
} FgStoredPart;

typedef struct FgStoredParts
{
	unsigned	count;
	FgStoredPart		part[FG_COMPRESSED_PARTS];
} FgStoredParts;

/* What has to be known of the encoded form of a type. */
typedef struct FgEncoding
{
	size_t		header;			/* bytes before the first part */
	/* The parts of a value that is whole: nothing of it is checked. */
	void		(*parts) (const uint8_t *bytes, size_t size, FgStoredParts *parts);
} FgEncoding;

/* Adds a part, unless it is empty. */
extern void fg_stored_part(FgStoredParts *parts, size_t size, bool is_text);

static inline bool
fg_is_compressed(const uint8_t *bytes, size_t size)
{
	return size > 0 && bytes[0] == FG_COMPRESSED;
}

/*
 * Compresses a value behind "reserve" free bytes.  *buffer is NULL when the value is small or this
 * saves less than an eighth of the bytes; else the caller releases it, and *compressed does not
 * count the free bytes.
 */
extern bool fg_compress(FgContext *ctx, const FgEncoding *encoding, const uint8_t *bytes,
						size_t size, size_t reserve, uint8_t **buffer, size_t *compressed);

/*
 * What is needed of a compressed value to have its first "wanted" bytes: "stored" of its bytes make
 * "whole" bytes, which are the header and whole parts.  "bytes" are the first ones, FG_PARTS_MAX
 * behind the header or all there are.
 */
typedef struct FgExtent
{
	size_t		stored;
	size_t		whole;
} FgExtent;

extern bool fg_compressed_extent(FgContext *ctx, const FgEncoding *encoding, const uint8_t *bytes,
								 size_t size, size_t wanted, FgExtent *extent);

/* Writes these whole bytes, with the header as the encoded form has it. */
extern bool fg_decompress(FgContext *ctx, const FgEncoding *encoding, const uint8_t *bytes,
						  size_t size, FgExtent extent, uint8_t *to);

#endif							/* FG_COMPRESSION_H */
