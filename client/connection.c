/*
 * connection.c
 *	  Connects the programs beside the server to it.
 */
#include "connection.h"

#include <stdlib.h>
#include <string.h>

char *
one_line(const char *text)
{
	char	   *line = must_alloc(malloc(strlen(text) + 1));
	size_t		length = 0;

	for (; *text != '\0'; text++)
	{
		bool		blank = *text == '\n' || *text == '\t';

		if (!blank)
			line[length++] = *text;
		else if (length > 0 && line[length - 1] != ' ')
			line[length++] = ' ';
	}
	while (length > 0 && line[length - 1] == ' ')
		length--;
	line[length] = '\0';
	return line;
}

char *
failure_text(const PGconn *connection, const PGresult *result)
{
	const char *text = result != NULL ? PQresultErrorMessage(result) : "";

	return one_line(text[0] != '\0' ? text : PQerrorMessage(connection));
}

/*
 * What has no SQLSTATE comes from libpq.  It may take the connection for a good one even then: when a
 * server dies while something is sent to it, its last words are read, and not that they end there.
 */
bool
connection_lost(const PGconn *connection, const PGresult *result)
{
	return PQresultErrorField(result, PG_DIAG_SQLSTATE) == NULL || PQstatus(connection) != CONNECTION_OK;
}

/* libpq's own receiver would write what the server says as it is. */
static void
tell_notice(void *arg, const PGresult *result)
{
	const bool *quiet = arg;
	char	   *text = one_line(PQresultErrorMessage(result));

	if (!*quiet)
		say(stderr, "%s: %s", program_name, text);
	free(text);
}

/* What libpq is told. */
typedef struct Parameters
{
	const char *keywords[7];
	const char *values[7];
} Parameters;

static Parameters
parameters_of(const Server *server)
{
	return (Parameters) {
		{"dbname", "host", "port", "user", "fallback_application_name", "client_encoding", NULL},
		{server->database, server->host, server->port, server->user, program_name, "UTF8", NULL}
	};
}

PGconn *
connect_server(const Server *server)
{
	static const bool quiet = true;
	static const bool loud = false;
	const Parameters parameters = parameters_of(server);
	PGconn	   *connection = PQconnectdbParams(parameters.keywords, parameters.values, 1);

	PQsetNoticeReceiver(connection, tell_notice, (void *) (server->quiet ? &quiet : &loud));
	/* which statement of the store's functions failed fills a page */
	PQsetErrorContextVisibility(connection, PQSHOW_CONTEXT_NEVER);
	return connection;
}

bool
server_is_away(const Server *server)
{
	const Parameters parameters = parameters_of(server);
	PGPing		answer = PQpingParams(parameters.keywords, parameters.values, 1);

	return answer == PQPING_REJECT || answer == PQPING_NO_RESPONSE;
}
