/*
 * program.h
 *		A program: frames and the calls between them, from which stacks are drawn.
 */
#ifndef GENERATOR_PROGRAM_H
#define GENERATOR_PROGRAM_H

#include "support.h"

#define MAX_DEPTH		400
#define MAX_CALLEES		24

typedef struct
{
	bool		hot;			/* does work of its own: samples end here */
	uint32_t	n_callees;
	uint32_t	callee[MAX_CALLEES];
	uint32_t	upto[MAX_CALLEES];	/* running sums of the weights */
} Callees;

typedef struct
{
	uint32_t	n_frames;
	char	  **name;
	uint32_t   *name_len;
	uint32_t   *rank;			/* place of the name in bytewise order */
	Callees    *graph;
} Program;

extern void make_program(Program *program, uint32_t n_frames, uint64_t seed);

/* One stack, outermost frame first, into frames[MAX_DEPTH]; its depth. */
extern uint32_t draw_stack(const Program *program, FgRandom *rng, uint32_t *frames);

#endif							/* GENERATOR_PROGRAM_H */
