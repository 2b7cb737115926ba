/*
 * pg_compat.h
 *	  Differences between PostgreSQL versions, one feature at a time.
 */
#ifndef FG_PG_COMPAT_H
#define FG_PG_COMPAT_H

#include "postgres.h"

#include "fmgr.h"

/*
 * 16 has soft errors: an input function may report through fcinfo->context and
 * return, and call another one that does.  Before that every error is thrown.
 */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#define fg_errsave(context, ...) errsave(context, __VA_ARGS__)
#define fg_call_input(function, text, context, result) \
	DirectInputFunctionCallSafe(function, text, InvalidOid, -1, context, result)
#else
#define fg_errsave(context, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
	} while (0)
#define fg_call_input(function, text, context, result) \
	(*(result) = DirectFunctionCall1(function, CStringGetDatum(text)), true)
#endif

/* 18 shows a module's name and version in pg_get_loaded_modules(). */
#ifndef FG_VERSION
#define FG_VERSION "unknown"
#endif
#if PG_VERSION_NUM >= 180000
#define FG_MODULE_MAGIC(module) PG_MODULE_MAGIC_EXT(.name = module, .version = FG_VERSION)
#else
#define FG_MODULE_MAGIC(module) PG_MODULE_MAGIC
#endif

/* 16 moved the varlena macros out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 18 replaced pg_attribute_noreturn() by pg_noreturn, in front of a declaration. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* 18 made the binary side of the base64 functions uint8 *. */
#include "common/base64.h"
#if PG_VERSION_NUM >= 180000
#define FG_B64_BYTES(pointer) ((uint8 *) (pointer))
#else
#define FG_B64_BYTES(pointer) ((char *) (pointer))
#endif

/* 15 refuses settings below a prefix that nobody defined, 14 warns of them. */
#if PG_VERSION_NUM >= 150000
#define fg_reserve_settings(prefix) MarkGUCPrefixReserved(prefix)
#else
#define fg_reserve_settings(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

#endif							/* FG_PG_COMPAT_H */
