/*
 * user_functions.c
 *	  Finds, checks and calls functions of users (see user_functions.h).
 */
#include "pg/jobs/user_functions.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#endif
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

/* 16 has one function for the rights on objects of all kinds. */
#if PG_VERSION_NUM >= 160000
#define may_use_schema(oid) \
	(object_aclcheck(NamespaceRelationId, oid, GetUserId(), ACL_USAGE) == ACLCHECK_OK)
#define may_execute(oid) \
	(object_aclcheck(ProcedureRelationId, oid, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK)
#else
#define may_use_schema(oid) \
	(pg_namespace_aclcheck(oid, GetUserId(), ACL_USAGE) == ACLCHECK_OK)
#define may_execute(oid) \
	(pg_proc_aclcheck(oid, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK)
#endif

static bool
fail(FgFunctionFault *fault, int sqlstate, char *reason, char *hint)
{
	*fault = (FgFunctionFault) {sqlstate, reason, hint};
	return false;
}

char *
fg_user_function_name(Oid oid)
{
	return quote_qualified_identifier(get_namespace_name(get_func_namespace(oid)),
									  get_func_name(oid));
}

/* --- may it be called? -------------------------------------------------------------- */

static Oid
owner_of_table(const char *table)
{
	Oid			schema = get_namespace_oid("jobs", false);
	HeapTuple	tuple = SearchSysCache1(RELOID,
										ObjectIdGetDatum(get_relname_relid(table, schema)));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation \"jobs.%s\" does not exist", table)));
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* May a row of a table name a function of this owner? */
static bool
is_trusted(Oid owner, const char *table)
{
	return owner == GetUserId() || superuser_arg(owner) ||
		has_privs_of_role(owner, owner_of_table(table));
}

static bool
check_rights(Oid oid, Oid owner, const char *table, FgFunctionFault *fault)
{
	char	   *name = fg_user_function_name(oid);

	if (!may_execute(oid))
		return fail(fault, ERRCODE_INSUFFICIENT_PRIVILEGE,
					psprintf("permission denied for function %s", name),
					psprintf("It is called with your rights: have EXECUTE on it granted to "
							 "role %s.", quote_identifier(GetUserNameFromId(GetUserId(), false))));
	if (table != NULL && !is_trusted(owner, table))
		return fail(fault, ERRCODE_INSUFFICIENT_PRIVILEGE,
					psprintf("function %s belongs to role \"%s\"", name,
							 GetUserNameFromId(owner, false)),
					psprintf("It would run with your rights: a function that a row of jobs.%s "
							 "names has to belong to you, to a superuser or to the owner of "
							 "the table.", table));
	return true;
}

/* --- is it one of that shape? ------------------------------------------------------- */

static bool
check_shape(Form_pg_proc proc, const FgFunctionShape *shape, FgFunctionFault *fault)
{
	char	   *name = fg_user_function_name(proc->oid);
	bool		right = proc->pronargs == shape->count;

	for (int i = 0; right && i < shape->count; i++)
		right = proc->proargtypes.values[i] == shape->types[i];
	if (!right)
		return fail(fault, ERRCODE_INVALID_PARAMETER_VALUE,
					psprintf("function %s has other arguments than %s", name, shape->arguments),
					NULL);
	if (proc->prokind != PROKIND_FUNCTION)
		return fail(fault, ERRCODE_INVALID_PARAMETER_VALUE,
					psprintf("%s is an aggregate, a window function or a procedure", name), NULL);
	if (shape->result == InvalidOid)
		return true;
	if (proc->proretset || proc->prorettype != shape->result)
		return fail(fault, ERRCODE_INVALID_PARAMETER_VALUE,
					psprintf("function %s returns %s%s, not %s", name,
							 proc->proretset ? "a set of " : "",
							 format_type_be(proc->prorettype), format_type_be(shape->result)),
					NULL);
	return true;
}

bool
fg_user_function_check(Oid oid, const FgFunctionShape *shape, const char *table,
					   FgFunctionFault *fault)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
	Oid			owner;
	bool		ok;

	if (!HeapTupleIsValid(tuple))
		return fail(fault, ERRCODE_UNDEFINED_FUNCTION, psprintf("function %u does not exist", oid),
					NULL);
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ok = check_shape((Form_pg_proc) GETSTRUCT(tuple), shape, fault);
	ReleaseSysCache(tuple);
	return ok && check_rights(oid, owner, table, fault);
}

/* --- names --------------------------------------------------------------------------- */

/* The two identifiers of a name, in a copy of it. */
static bool
split_name(const char *name, char **schema, char **function, FgFunctionFault *fault)
{
	List	   *names;

	if (!SplitIdentifierString(pstrdup(name), '.', &names) || list_length(names) != 2)
		return fail(fault, ERRCODE_INVALID_PARAMETER_VALUE,
					psprintf("\"%s\" is no name of a function with its schema", name),
					pstrdup("Write function:SCHEMA.NAME; identifiers with capital letters or "
							"other characters are in double quotes."));
	*schema = linitial(names);
	*function = lsecond(names);
	return true;
}

/* The schema of a name; pg_temp is that of the session. */
static Oid
find_schema(const char *schema)
{
	if (strcmp(schema, "pg_temp") == 0)
		return LookupExplicitNamespace(schema, true);
	return get_namespace_oid(schema, true);
}

bool
fg_user_function_find(const char *name, const FgFunctionShape *shape, const char *table,
					  Oid *oid, FgFunctionFault *fault)
{
	char	   *schema;
	char	   *function;
	Oid			schema_oid;

	if (!split_name(name, &schema, &function, fault))
		return false;
	schema_oid = find_schema(schema);
	if (OidIsValid(schema_oid) && !may_use_schema(schema_oid))
		return fail(fault, ERRCODE_INSUFFICIENT_PRIVILEGE,
					psprintf("permission denied for schema %s", schema),
					psprintf("The function is called with your rights: have USAGE on its schema "
							 "granted to role %s.",
							 quote_identifier(GetUserNameFromId(GetUserId(), false))));
	*oid = !OidIsValid(schema_oid) ? InvalidOid :
		GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(function),
						PointerGetDatum(buildoidvector(shape->types, shape->count)),
						ObjectIdGetDatum(schema_oid));
	if (!OidIsValid(*oid))
		return fail(fault, ERRCODE_INVALID_PARAMETER_VALUE,
					psprintf("function %s%s does not exist",
							 quote_qualified_identifier(schema, function), shape->arguments),
					psprintf("It takes exactly these arguments and returns %s.",
							 format_type_be(shape->result)));
	return fg_user_function_check(*oid, shape, table, fault);
}

#if PG_VERSION_NUM >= 160000

/*
 * to_regprocedure() is null from PostgreSQL 16 on also for what no function can be called, and reads
 * numbers; before that the first is an error, and so is the second.
 */
Oid
fg_procedure_named(const char *text)
{
	ErrorSaveContext context = {.type = T_ErrorSaveContext, .details_wanted = true};
	Datum		oid;
	int			code;

	if (strchr(text, '(') == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("expected a left parenthesis")));
	if (DirectInputFunctionCallSafe(regprocedurein, pstrdup(text), InvalidOid, -1, (Node *) &context, &oid))
		return DatumGetObjectId(oid);
	code = context.error_data->sqlerrcode;
	if (code == ERRCODE_INVALID_TEXT_REPRESENTATION || code == ERRCODE_SYNTAX_ERROR || code == ERRCODE_INVALID_NAME)
		ThrowErrorData(context.error_data);
	return InvalidOid;
}

#else

Oid
fg_procedure_named(const char *text)
{
	LOCAL_FCINFO(fcinfo, 1);
	Datum		oid;

	InitFunctionCallInfoData(*fcinfo, NULL, 1, DEFAULT_COLLATION_OID, NULL, NULL);
	fcinfo->args[0].value = CStringGetTextDatum(text);
	fcinfo->args[0].isnull = false;
	oid = to_regprocedure(fcinfo);
	return fcinfo->isnull ? InvalidOid : DatumGetObjectId(oid);
}

#endif

/* --- calls --------------------------------------------------------------------------- */

void
fg_user_function_begin(Oid oid, FgUserFunction *function)
{
	function->oid = oid;
	function->name = fg_user_function_name(oid);
	fmgr_info(oid, &function->call);
	function->memory = AllocSetContextCreate(CurrentMemoryContext, "function of a user",
											 ALLOCSET_DEFAULT_SIZES);
	InvokeFunctionExecuteHook(oid);
}

Datum
fg_user_function_call(FgUserFunction *function, const Datum *arguments, int count, bool *null)
{
	LOCAL_FCINFO(fcinfo, FG_MOST_USER_ARGUMENTS);
	MemoryContext caller = MemoryContextSwitchTo(function->memory);
	Datum		result;

	CHECK_FOR_INTERRUPTS();
	InitFunctionCallInfoData(*fcinfo, &function->call, count, DEFAULT_COLLATION_OID, NULL, NULL);
	for (int i = 0; i < count; i++)
	{
		fcinfo->args[i].value = arguments[i];
		fcinfo->args[i].isnull = false;
	}
	result = FunctionCallInvoke(fcinfo);
	*null = fcinfo->isnull;
	MemoryContextSwitchTo(caller);
	return result;
}
