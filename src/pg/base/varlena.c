/*
 * varlena.c
 *	  New varlenas (see varlena.h).
 */
#include "pg/base/varlena.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/base/context.h"

/* Bytes copied between two interrupt checks. */
#define COPY_BLOCK ((size_t) 16 * FG_CHECK_BYTES)

struct varlena *
fg_varlena_softly(const void *bytes, size_t size, struct Node *escontext)
{
	struct varlena *result;

	if (size > MaxAllocSize - VARHDRSZ)
	{
		fg_errsave(escontext,
				   (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("result is too long"),
					errdetail("It has %zu bytes, the limit is %zu.", size,
							  (size_t) (MaxAllocSize - VARHDRSZ))));
		return NULL;
	}
	result = palloc(size + VARHDRSZ);
	SET_VARSIZE(result, size + VARHDRSZ);
	for (size_t done = 0; done < size; done += COPY_BLOCK)
	{
		memcpy(VARDATA(result) + done, (const char *) bytes + done, Min(size - done, COPY_BLOCK));
		if (size - done > COPY_BLOCK)
			CHECK_FOR_INTERRUPTS();
	}
	return result;
}

struct varlena *
fg_varlena(const void *bytes, size_t size)
{
	return fg_varlena_softly(bytes, size, NULL);
}
