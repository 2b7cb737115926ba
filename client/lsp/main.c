/*
 * main.c
 *	  flamegraph-lsp: shows in the editor what the functions of a file cost.
 *
 * A server of the language server protocol 3.17 on standard input and output.
 */
#include "lsp.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "requests.h"

#include "core/editor/framing.h"

enum
{
	WELL = 0, FAILED = 1
};

/* What waits for an editor that does not read. */
#define MOST_WAITING ((size_t) 32 << 20)

const char	program_name[] = "flamegraph-lsp";
const int	program_failed = FAILED;

LspServer	lsp;

static Out	waiting;
static size_t sent;

static const char help[] =
	"flamegraph-lsp is a language server: it shows in the editor what the functions of a file cost,\n"
	"from the profiles in a store of flamegraph_store. Editors start it; it speaks on standard input\n"
	"and output.\n"
	"\n"
	"Usage:\n"
	"  flamegraph-lsp [--stdio]\n"
	"  flamegraph-lsp --version | --help\n"
	"\n"
	"The top directory of a project has a file .flamegraph.toml:\n"
	"  connection = \"dbname=perf\"\n"
	"  benchmark = \"parse\"\n"
	"\n"
	"See flamegraph-lsp(1) for the other settings.\n";

double
now_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

/* --- what goes out -------------------------------------------------------------------------- */

void
send_message(const Out *body)
{
	out_format(&waiting, "Content-Length: %zu\r\n\r\n", body->size);
	out_bytes(&waiting, body->text, body->size);
}

/* As much as goes at once; false: nobody reads any more. */
static bool
write_waiting(void)
{
	while (sent < waiting.size)
	{
		ssize_t		count = write(STDOUT_FILENO, waiting.text + sent, waiting.size - sent);

		if (count > 0)
			sent += (size_t) count;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return waiting.size - sent <= MOST_WAITING;
		else if (errno != EINTR)
			return false;
	}
	waiting.size = sent = 0;
	if (waiting.capacity > 1 << 20)
		out_free(&waiting);
	return true;
}

/* --- what comes in ------------------------------------------------------------------------------ */

typedef struct Input
{
	FgFraming	framing;
	MessageReader *reader;
	bool		ended;
} Input;

/* False: the stream is no messages. */
static bool
take_bytes(Input *input, const char *bytes, size_t size)
{
	for (;;)
	{
		const char *body;
		size_t		body_size;
		Message    *message;

		switch (fg_framing_step(&lsp.ctx, &input->framing, &bytes, &size, &body, &body_size))
		{
			case FG_FRAMING_MORE:
				return true;
			case FG_FRAMING_ERROR:
				say(stderr, "%s: %s", program_name, lsp.ctx.error.reason);
				return false;
			case FG_FRAMING_BEGIN:
				message_begin(input->reader);
				break;
			case FG_FRAMING_BODY:
				message_feed(input->reader, body, body_size);
				break;
			case FG_FRAMING_END:
				if (!message_end(input->reader, &message))
					refuse_message(message);
				else if (!take_message(message))
				{
					input->ended = true;
					return true;
				}
				break;
		}
	}
}

static bool
read_some(Input *input)
{
	static char bytes[65536];
	ssize_t		count = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (count < 0)
		return errno == EINTR || errno == EAGAIN;
	if (count == 0)
		return false;
	return take_bytes(input, bytes, (size_t) count);
}

/* --- the loop -------------------------------------------------------------------------------------- */

/* The editor may have died without closing its end, which its children hold, too. */
static bool
editor_lives(void)
{
	return lsp.client.process == 0 || lsp.client.process > INT32_MAX || kill((pid_t) lsp.client.process, 0) == 0 || errno != ESRCH;
}

static int
wait_milliseconds(void)
{
	double		seconds = next_event() - now_seconds();

	return seconds <= 0 ? 0 : seconds > 60 ? 60000 : (int) (seconds * 1000) + 1;
}

static int
serve(Input *input)
{
	while (!input->ended && editor_lives())
	{
		struct pollfd polled[3] = {
			{STDIN_FILENO, POLLIN, 0},
			{waiting.size > 0 ? STDOUT_FILENO : -1, POLLOUT, 0},
			{store_events(&lsp.store) != 0 ? PQsocket(lsp.store.connection) : -1, store_events(&lsp.store), 0}
		};

		if (poll(polled, 3, wait_milliseconds()) < 0 && errno != EINTR)
			return FAILED;
		if (polled[2].revents != 0)
			store_go_on(&lsp.store);
		if (polled[0].revents != 0 && !read_some(input))
			return FAILED;
		on_time();
		if (!write_waiting())
			return FAILED;
	}
	fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) & ~O_NONBLOCK);
	return write_waiting() && lsp.shut_down ? WELL : FAILED;
}

static void
parse_options(int argc, char **argv)
{
	static const struct option options[] = {{"stdio", no_argument, NULL, 's'}, {"version", no_argument, NULL, 'V'},
	{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	int			option;

	while ((option = getopt_long(argc, argv, "V", options, NULL)) != -1)
	{
		if (option == 's')
			continue;
		if (option == '?')
			exit(FAILED);
		fputs(option == 'h' ? help : "flamegraph-lsp " FG_VERSION "\n", stdout);
		exit(fflush(stdout) == 0 ? WELL : FAILED);
	}
	if (optind < argc)
	{
		say(stderr, "%s: \"%s\" is no option", program_name, argv[optind]);
		exit(FAILED);
	}
}

int
main(int argc, char **argv)
{
	static Input input;
	int			status;

	parse_options(argc, argv);
	signal(SIGPIPE, SIG_IGN);
	lsp.ctx = fg_malloc_context();
	settings_begin(&lsp.settings);
	input.reader = message_reader(&lsp.ctx);
	fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
	status = serve(&input);
	remove_files();
	return status;
}
