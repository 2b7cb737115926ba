/*
 * loading.h
 *	  Those parts of flamegraph-load that use libpq.
 */
#ifndef LOADING_H
#define LOADING_H

#include "connection.h"
#include "load.h"

extern PGconn *connect_database(const Options *options);

/* The delay doubles with each attempt, from 0, and is spread at random. */
extern void wait_before_retry(int attempt, unsigned *random);

/* To begin with, another one for each address. */
extern unsigned first_random(const void *address);

/* Whether this user may see findings; false with a message. */
extern bool may_ask_verdict(PGconn *connection, char **message);

#endif							/* LOADING_H */
