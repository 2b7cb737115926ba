/*
 * loading.h
 *	  Those parts of flamegraph-load that use libpq.
 */
#ifndef LOADING_H
#define LOADING_H

#include "connection.h"
#include "load.h"

extern PGconn *connect_database(const Options *options);

/* Whether this user may see findings; false with a message. */
extern bool may_ask_verdict(PGconn *connection, char **message);

#endif							/* LOADING_H */
