/*
 * stackpath_ranges.c
 *	  Descendants of a stack as a range of a btree (planner support).
 *
 * The descendants of P, itself included, are the paths from P up to but not
 * including P with one byte 0x01 behind it: memcmp order puts the separator, NUL,
 * before it and any longer last frame after it.  For the empty path there is no
 * upper end.
 */
#include "pg/base/values.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "utils/lsyscache.h"

#include "core/profile/path.h"

/* The upper end of the range, 0 for the empty path. */
static struct varlena *
upper_end(FgSpan path)
{
	struct varlena *upper;

	if (path.size == 0)
		return NULL;
	upper = palloc(VARHDRSZ + path.size + 1);
	SET_VARSIZE(upper, VARHDRSZ + path.size + 1);
	memcpy(VARDATA(upper), path.bytes, path.size);
	VARDATA(upper)[path.size] = '\x01';
	return upper;
}

PG_FUNCTION_INFO_V1(stackpath_upper);
Datum
stackpath_upper(PG_FUNCTION_ARGS)
{
	struct varlena *upper = upper_end(PG_GETARG_SPAN(0));

	if (upper == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(upper);
}

static Expr *
index_clause(SupportRequestIndexCondition *request, StrategyNumber strategy, Node *column,
			 Datum bound)
{
	Oid			type = exprType(column);
	Oid			operator = get_opfamily_member(request->opfamily, type, type, strategy);

	if (!OidIsValid(operator))
		return NULL;
	return make_opclause(operator, BOOLOID, false, (Expr *) column,
						 (Expr *) makeConst(type, -1, InvalidOid, -1, bound, false, false),
						 InvalidOid, InvalidOid);
}

/* column <@ constant, or constant @> column */
static List *
range_conditions(SupportRequestIndexCondition *request, List *arguments)
{
	Node	   *column = list_nth(arguments, request->indexarg);
	Node	   *other = list_nth(arguments, 1 - request->indexarg);
	struct varlena *upper;
	Expr	   *clause;
	List	   *conditions;

	if (!IsA(other, Const) || ((Const *) other)->constisnull)
		return NIL;
	clause = index_clause(request, BTGreaterEqualStrategyNumber, column,
						  ((Const *) other)->constvalue);
	if (clause == NULL)
		return NIL;
	conditions = list_make1(clause);
	upper = upper_end(fg_datum_span(((Const *) other)->constvalue));
	if (upper != NULL)
		conditions = lappend(conditions, index_clause(request, BTLessStrategyNumber, column,
													  PointerGetDatum(upper)));
	request->lossy = true;
	return conditions;
}

static Datum
index_support(FunctionCallInfo fcinfo, int column)
{
	Node	   *node = (Node *) PG_GETARG_POINTER(0);
	SupportRequestIndexCondition *request = (SupportRequestIndexCondition *) node;
	List	   *arguments;

	if (!IsA(node, SupportRequestIndexCondition) || request->indexarg != column)
		PG_RETURN_POINTER(NULL);
	if (IsA(request->node, OpExpr))
		arguments = ((OpExpr *) request->node)->args;
	else if (IsA(request->node, FuncExpr))
		arguments = ((FuncExpr *) request->node)->args;
	else
		PG_RETURN_POINTER(NULL);
	PG_RETURN_POINTER(range_conditions(request, arguments));
}

PG_FUNCTION_INFO_V1(stackpath_contained_support);
Datum
stackpath_contained_support(PG_FUNCTION_ARGS)
{
	return index_support(fcinfo, 0);
}

PG_FUNCTION_INFO_V1(stackpath_contains_support);
Datum
stackpath_contains_support(PG_FUNCTION_ARGS)
{
	return index_support(fcinfo, 1);
}
