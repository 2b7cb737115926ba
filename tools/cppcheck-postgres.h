/*
 * What cppcheck has to know of PostgreSQL, instead of its headers: macros that are declarations or change the flow
 * of control. Only tools/lint.sh includes this.
 */
#define PG_FUNCTION_INFO_V1(name) Datum name(FunctionCallInfo fcinfo)
#define PG_MODULE_MAGIC extern int no_such_variable
#define PG_FUNCTION_ARGS FunctionCallInfo fcinfo
#define PGDLLEXPORT
#define PGDLLIMPORT
#define FLEXIBLE_ARRAY_MEMBER
#define pg_attribute_noreturn() __attribute__((noreturn))
#define pg_noinline __attribute__((noinline))
#define pg_attribute_unused() __attribute__((unused))
#define PG_USED_FOR_ASSERTS_ONLY __attribute__((unused))
#define PG_TRY() do { if (1)
#define PG_CATCH() else
#define PG_FINALLY()
#define PG_END_TRY() } while (0)
#define StaticAssertStmt(condition, message) ((void) 0)
#define StaticAssertDecl(condition, message) extern int no_such_variable
#define PG_RETURN_NULL() return 0
#define PG_RETURN_VOID() return 0
#define PG_RETURN_DATUM(x) return (x)
#define PG_RETURN_POINTER(x) return (Datum) (x)
#define PG_RETURN_BOOL(x) return (Datum) (x)
#define PG_RETURN_INT32(x) return (Datum) (x)
#define PG_RETURN_INT64(x) return (Datum) (x)
#define PG_RETURN_UINT32(x) return (Datum) (x)
#define PG_RETURN_UINT64(x) return (Datum) (x)
#define PG_RETURN_FLOAT8(x) return (Datum) (x)
#define PG_RETURN_CSTRING(x) return (Datum) (x)
#define PG_RETURN_BYTEA_P(x) return (Datum) (x)
#define PG_RETURN_TEXT_P(x) return (Datum) (x)
#define PG_RETURN_ARRAYTYPE_P(x) return (Datum) (x)
#define INT64_FORMAT "%ld"
#define UINT64_FORMAT "%lu"
