/*
 * flamegraph_linalg.c
 *	  The linear algebra of core/compare/linalg.h by LAPACK: a module of its own, which the
 *	  main module loads on first use, because a BLAS library starts its threads when it is
 *	  loaded.
 *
 * Nothing in here throws or allocates in PostgreSQL's memory: LAPACKE takes its work
 * arrays from malloc and gives them back before it returns.
 */
#include "pg/base/pg_compat.h"

#include <lapacke.h>

#include "linalg/module.h"

FG_MODULE_MAGIC("flamegraph_linalg");

static FgLinalgResult
result_of(lapack_int info)
{
	if (info == 0)
		return FG_LINALG_OK;
	if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
		return FG_LINALG_NO_MEMORY;
	return FG_LINALG_DIVERGED;
}

static FgLinalgResult
qr(double *a, int rows, int columns, int stride)
{
	double	   *tau = malloc((size_t) columns * sizeof(double));
	lapack_int	info;

	if (tau == NULL)
		return FG_LINALG_NO_MEMORY;
	info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, columns, a, stride, tau);
	free(tau);
	return result_of(info);
}

static FgLinalgResult
condition(const double *r, int n, int stride, double *reciprocal)
{
	return result_of(LAPACKE_dtrcon(LAPACK_COL_MAJOR, '1', 'U', 'N', n, r, stride, reciprocal));
}

/*
 * Divide and conquer is the faster method; where it does not converge, which is rare, QR
 * iteration does.  The first one destroys its input.
 */
static FgLinalgResult
singular_values(double *a, int rows, int columns, int stride, double *values)
{
	size_t		size = (size_t) stride * (size_t) columns * sizeof(double);
	double	   *copy = malloc(size);
	double	   *superdiagonal = malloc((size_t) columns * sizeof(double));
	lapack_int	info = LAPACK_WORK_MEMORY_ERROR;

	if (copy != NULL && superdiagonal != NULL)
	{
		memcpy(copy, a, size);
		info = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', rows, columns, a, stride, values, NULL, 1,
							  NULL, 1);
		if (info > 0)
			info = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', rows, columns, copy, stride, values,
								  NULL, 1, NULL, 1, superdiagonal);
	}
	free(copy);
	free(superdiagonal);
	return result_of(info);
}

/* The one symbol that the main module looks up. */
PGDLLEXPORT const FgLinalg *
FG_LINALG_SYMBOL(void)
{
	static const FgLinalg functions = {qr, condition, singular_values};

	return &functions;
}
