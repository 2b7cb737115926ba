/*
 * user_functions.h
 *	  Functions that users have written for the analysis of jobs: predicates, issue rules.
 *
 * They run with the rights of the caller of the analysis, who needs EXECUTE on them.  Where
 * the caller named a function that is all.  Where a row of a table names it, whoever may
 * write that row decides what code runs with the rights of everybody who analyses a job: so
 * the function has to belong to the caller, a superuser, or the owner of the table, who can
 * do that anyhow.
 */
#ifndef FG_USER_FUNCTIONS_H
#define FG_USER_FUNCTIONS_H

#include "pg/base/pg_compat.h"

#define FG_MOST_USER_ARGUMENTS 4

typedef struct FgFunctionShape
{
	const char *arguments;		/* their types as a message has them */
	int			count;
	Oid			types[FG_MOST_USER_ARGUMENTS];
	Oid			result;			/* InvalidOid: rows */
} FgFunctionShape;

/* What is wrong with a function: a sentence without its place. */
typedef struct FgFunctionFault
{
	int			sqlstate;
	char	   *reason;
	char	   *hint;
} FgFunctionFault;

typedef struct FgUserFunction
{
	Oid			oid;
	char	   *name;			/* with its schema, quoted */
	FmgrInfo	call;
	MemoryContext memory;		/* of what one call makes; the next call resets it */
} FgUserFunction;

/*
 * SCHEMA.NAME, each an identifier as SQL has it; false with the fault filled in.  "table" is
 * the one of schema jobs whose row has the name, NULL when the caller gave it.
 */
extern bool fg_user_function_find(const char *name, const FgFunctionShape *shape,
								  const char *table, Oid *oid, FgFunctionFault *fault);

/* The same for a function that is known by its oid. */
extern bool fg_user_function_check(Oid oid, const FgFunctionShape *shape, const char *table,
								   FgFunctionFault *fault);

/* In the current memory context. */
extern void fg_user_function_begin(Oid oid, FgUserFunction *function);

/*
 * Calls it; the arguments are made in function->memory, which is reset by whoever makes
 * them.  The result lives there, too.
 */
extern Datum fg_user_function_call(FgUserFunction *function, const Datum *arguments, int count,
								   bool *null);

/* What regprocedure makes of a text, InvalidOid where that function does not exist; an error for what none can be called. */
extern Oid	fg_procedure_named(const char *text);

/* The name of a function with its schema, quoted. */
extern char *fg_user_function_name(Oid oid);

#endif							/* FG_USER_FUNCTIONS_H */
