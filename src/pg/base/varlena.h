/*
 * varlena.h
 *	  New varlenas: chunks of the current memory context that hold their size and bytes.
 */
#ifndef FG_VARLENA_H
#define FG_VARLENA_H

#include "pg/base/pg_compat.h"

/* A new varlena with this payload; 54000 when it is too long. */
extern struct varlena *fg_varlena(const void *bytes, size_t size);

/* The same for input functions, with a soft error and NULL. */
extern struct varlena *fg_varlena_softly(const void *bytes, size_t size, struct Node *escontext);

#endif							/* FG_VARLENA_H */
