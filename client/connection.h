/*
 * connection.h
 *	  Connections of flamegraph-load to the server, for those parts that use libpq.
 */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <libpq-fe.h>

#include "load.h"

extern PGconn *connect_database(const Options *options);

/* The parts of a message are lines, indented or not; a failure is told in one. */
extern char *one_line(const char *text);

/* What a command failed by, or the connection when there is no result; one line. */
extern char *failure_text(const PGconn *connection, const PGresult *result);

/* Whether this user may see findings; false with a message. */
extern bool may_ask_verdict(PGconn *connection, char **message);

#endif							/* CONNECTION_H */
