/*
 * names.c
 *		Names of frames (see names.h).  None has a tab, a backslash, a semicolon or a line break,
 *		so the output needs no escapes.
 */
#include <inttypes.h>
#include <string.h>

#include "names.h"

#define PICK(rng, a) ((a)[rng_skewed(rng, LENGTH(a), 2)])

static const char *const nouns[] = {
	"record", "page", "cache", "index", "token", "node", "buffer", "stream",
	"query", "plan", "segment", "channel", "session", "cursor", "row", "column",
	"format", "block", "entry", "table", "key", "value", "event", "queue",
	"worker", "task", "lock", "log", "store", "tree", "graph", "symbol",
	"type", "scope", "packet", "frame", "header", "string", "array", "map",
	"batch", "shard", "snapshot", "version", "request", "response", "filter",
	"expression", "statement", "literal", "schema", "relation", "property",
	"partition", "checkpoint", "transaction", "iterator", "context", "listener",
	"dispatcher", "resolver", "serializer", "allocator", "scheduler"
};

static const char *const verbs[] = {
	"read", "write", "get", "set", "find", "load", "store", "parse", "emit",
	"visit", "apply", "run", "call", "open", "close", "flush", "merge", "split",
	"scan", "next", "init", "build", "check", "compute", "create", "evaluate",
	"expand", "fetch", "handle", "insert", "invoke", "lookup", "match", "process",
	"push", "resolve", "rewrite", "select", "sort", "update", "validate", "wrap"
};

static const char *const areas[] = {
	"storage", "engine", "parser", "runtime", "network", "planner", "executor",
	"compiler", "util", "concurrent", "metrics", "security", "transport",
	"catalog", "codegen", "optimizer", "recovery", "replication", "encoding",
	"collections", "io", "scheduler", "memory", "protocol", "frontend", "backend"
};

static const char *const tops[] = {
	"org.example", "com.example", "net.sample.server", "org.quartzite", "java.util",
	"java.lang", "org.example.db"
};

static void
name_add(Name *name, const char *text)
{
	size_t		n = strlen(text);

	if (name->len + n >= sizeof(name->data))
		fail("frame name too long");
	memcpy(name->data + name->len, text, n + 1);
	name->len += n;
}

/* Append a word with its first letter in upper case. */
static void
name_add_title(Name *name, const char *word)
{
	size_t		at = name->len;

	name_add(name, word);
	if (name->data[at] >= 'a' && name->data[at] <= 'z')
		name->data[at] = (char) (name->data[at] - 'a' + 'A');
}

static void
name_add_number(Name *name, uint32_t number)
{
	char		text[16];

	snprintf(text, sizeof(text), "%" PRIu32, number);
	name_add(name, text);
}

static void
new_package(Naming *naming, FgRandom *rng)
{
	Name		name = {.len = 0};
	uint32_t	kind = rng_below(rng, 100);
	uint32_t	levels = 1 + rng_skewed(rng, 3, 2);
	const char *separator;

	naming->style = kind < 50 ? STYLE_JAVA : kind < 85 ? STYLE_CPP : STYLE_PYTHON;
	separator = naming->style == STYLE_JAVA ? "." :
		naming->style == STYLE_CPP ? "::" : "/";
	if (naming->style == STYLE_JAVA)
		name_add(&name, PICK(rng, tops));
	else if (naming->style == STYLE_PYTHON)
		name_add(&name, "lib/python3");
	for (uint32_t i = 0; i < levels; i++)
	{
		if (name.len > 0)
			name_add(&name, separator);
		name_add(&name, PICK(rng, areas));
	}
	memcpy(naming->package, name.data, name.len + 1);
	naming->package_left = 6 + rng_below(rng, 40);
	naming->class_left = 0;
}

static void
add_template_arguments(Name *name, FgRandom *rng)
{
	name_add(name, "<");
	name_add(name, PICK(rng, areas));
	name_add(name, "::");
	name_add_title(name, PICK(rng, nouns));
	if (rng_chance(rng, 400))
	{
		name_add(name, ", ");
		name_add_number(name, UINT32_C(1) << rng_below(rng, 10));
		name_add(name, "ul");
	}
	name_add(name, ">");
}

static void
new_class(Naming *naming, FgRandom *rng)
{
	Name		name = {.len = 0};

	if (naming->style == STYLE_PYTHON)
	{
		name_add(&name, PICK(rng, nouns));
		name_add(&name, "_");
		name_add(&name, nouns[rng_below(rng, LENGTH(nouns))]);
	}
	else
	{
		name_add_title(&name, PICK(rng, nouns));
		name_add_title(&name, nouns[rng_below(rng, LENGTH(nouns))]);
		if (rng_chance(rng, 350))
			name_add(&name, naming->style == STYLE_JAVA ? "Impl" : "Base");
		if (naming->style == STYLE_CPP && rng_chance(rng, 400))
			add_template_arguments(&name, rng);
	}
	memcpy(naming->class_name, name.data, name.len + 1);
	naming->class_left = 1 + rng_below(rng, 7);
}

static void
add_java_method(Name *name, const Naming *naming, FgRandom *rng)
{
	name_add(name, ".");
	name_add(name, naming->class_name);
	if (rng_chance(rng, 80))
	{
		name_add(name, ".lambda$");
		name_add(name, PICK(rng, verbs));
		name_add(name, "$");
		name_add_number(name, rng_below(rng, 40));
		return;
	}
	name_add(name, ".");
	name_add(name, PICK(rng, verbs));
	name_add_title(name, nouns[rng_below(rng, LENGTH(nouns))]);
}

static void
add_cpp_method(Name *name, const Naming *naming, FgRandom *rng)
{
	name_add(name, "::");
	name_add(name, naming->class_name);
	name_add(name, "::");
	name_add(name, PICK(rng, verbs));
	name_add_title(name, nouns[rng_below(rng, LENGTH(nouns))]);
	name_add(name, "(");
	if (rng_chance(rng, 600))
	{
		name_add(name, PICK(rng, areas));
		name_add(name, "::");
		name_add_title(name, PICK(rng, nouns));
		name_add(name, rng_chance(rng, 500) ? " const&" : "*");
		if (rng_chance(rng, 300))
			name_add(name, ", unsigned long");
	}
	name_add(name, ")");
	if (rng_chance(rng, 250))
		name_add(name, " const");
}

static void
add_python_function(Name *name, const Naming *naming, FgRandom *rng)
{
	name_add(name, "/");
	name_add(name, naming->class_name);
	name_add(name, ".py:");
	name_add(name, PICK(rng, verbs));
	name_add(name, "_");
	name_add(name, nouns[rng_below(rng, LENGTH(nouns))]);
	name_add(name, ":");
	name_add_number(name, 1 + rng_below(rng, 900));
}

void
new_name(Naming *naming, FgRandom *rng, Name *name)
{
	if (naming->package_left == 0)
		new_package(naming, rng);
	naming->package_left--;
	if (naming->class_left == 0)
		new_class(naming, rng);
	naming->class_left--;

	name->len = 0;
	name_add(name, naming->package);
	switch (naming->style)
	{
		case STYLE_JAVA:
			add_java_method(name, naming, rng);
			break;
		case STYLE_CPP:
			add_cpp_method(name, naming, rng);
			break;
		case STYLE_PYTHON:
			add_python_function(name, naming, rng);
			break;
	}
}
