/*
 * names.h
 *		Names of frames, as programs in Java, C++ and Python have them.
 */
#ifndef GENERATOR_NAMES_H
#define GENERATOR_NAMES_H

#include "support.h"

typedef struct
{
	char		data[512];
	size_t		len;
} Name;

typedef enum
{
	STYLE_JAVA,
	STYLE_CPP,
	STYLE_PYTHON
} Style;

/*
 * Neighbours in the call graph share a package and often a class, as they do
 * in real programs: this is what front coding and gzip live on.
 */
typedef struct
{
	Style		style;
	char		package[160];
	char		class_name[96];
	uint32_t	package_left;
	uint32_t	class_left;
} Naming;

/* The next name; it may have occurred before. */
extern void new_name(Naming *naming, FgRandom *rng, Name *name);

#endif							/* GENERATOR_NAMES_H */
