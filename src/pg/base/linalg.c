/*
 * linalg.c
 *	  Loads the module of linear algebra (see linalg.h).
 *
 * OpenBLAS starts its pool of threads when it is loaded, as many as its environment
 * says then.  So the environment is set before, and a later change of the setting does
 * nothing in a process that has the library.
 */
#include "pg/base/linalg.h"

#include <limits.h>
#include <signal.h>

#include "access/parallel.h"
#include "utils/guc.h"

#include "linalg/module.h"

static int	blas_threads = 1;

static void
set_environment(void)
{
	char		threads[16];

	snprintf(threads, sizeof(threads), "%d", blas_threads);
	if (setenv("OPENBLAS_NUM_THREADS", threads, 1) != 0 ||
		setenv("OMP_NUM_THREADS", threads, 1) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
}

void
fg_linalg_init(void)
{
	DefineCustomIntVariable("flamegraph.blas_threads",
							"Threads of the linear algebra library in a server process.",
							"Counts when the library is loaded, on the first use in a session.",
							&blas_threads, 1, 1, 1024, PGC_SUSET, 0, NULL, NULL, NULL);

	/*
	 * A parallel worker loads every library that its leader has, one after the other: the
	 * next one may be that of linear algebra.  Settings come later, so it is the default or
	 * what the configuration file says.
	 */
	if (IsParallelWorker())
		set_environment();
}

const FgLinalg *
fg_linalg(void)
{
	static const FgLinalg *functions = NULL;
	FgLinalgEntry entry = NULL;
	sigset_t	all;
	sigset_t	before;

	if (functions != NULL)
		return functions;
	set_environment();

	/* Threads inherit the mask: the server's signals are for its own thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	PG_TRY();
	{
		entry = (FgLinalgEntry) load_external_function(FG_LINALG_LIBRARY, FG_LINALG_NAME, true,
													   NULL);
	}
	PG_FINALLY();
	{
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	PG_END_TRY();
	functions = entry();
	return functions;
}
