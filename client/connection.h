/*
 * connection.h
 *	  Connections to the server, of all programs that use libpq.
 */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <libpq-fe.h>

#include "client.h"

/* NULL: libpq's defaults. */
typedef struct Server
{
	const char *database;
	const char *host;
	const char *port;
	const char *user;
	bool		quiet;			/* say nothing of what the server notes */
} Server;

/* Never NULL; PQstatus() says whether it worked. */
extern PGconn *connect_server(const Server *server);

/*
 * Whether nobody answers there, or says only that the server begins or ends: that goes away.  A
 * server that answers has its reasons when it takes no connection.
 */
extern bool server_is_away(const Server *server);

/* The parts of a message are lines, indented or not; a failure is told in one. */
extern char *one_line(const char *text);

/* What a command failed by, or the connection when there is no result; one line. */
extern char *failure_text(const PGconn *connection, const PGresult *result);

/* Whether a command failed because the connection is lost.  PQstatus() alone does not always know. */
extern bool connection_lost(const PGconn *connection, const PGresult *result);

#endif							/* CONNECTION_H */
