# What the core is made of and how strictly it is compiled. Shared by the extension's Makefile and by the builds
# outside PostgreSQL (core.mk: unit tests and fuzzers), so that a new file or library is named once.

# The pictures' script (tools/embed.mk) may not be there yet.
# A tree that was built by an earlier version may have generated files of protobuf-c, which nothing needs any more.
CORE_SRCS := $(sort $(filter-out %.pb-c.c,$(wildcard src/core/*/*.c)) src/core/svg/embedded.c)
# What only the language server needs is no part of the module.
EDITOR_SRCS := $(sort $(wildcard src/core/editor/*.c))
MODULE_CORE_SRCS := $(filter-out $(EDITOR_SRCS),$(CORE_SRCS))
PG_SRCS   := $(sort $(wildcard src/pg/*/*.c))
# A module of its own (src/linalg/flamegraph_linalg.c says why).
LINALG_SRCS := src/linalg/flamegraph_linalg.c
# The clients (flamegraph-load, flamegraph-report): the core and libpq.
CLIENT_SRCS := $(sort $(wildcard client/*.c))
# flamegraph-lsp, with the core that is its own.
LSP_SRCS := $(sort $(wildcard client/lsp/*.c))
CORE_HDRS := $(sort $(wildcard src/core/*/*.h))
PG_HDRS   := $(sort $(wildcard src/pg/*/*.h) $(wildcard src/linalg/*.h))

# Libraries that the core needs; linked into the module, the unit tests and the fuzzers.
CORE_LIBS := -lm -lz -lzstd
CLIENT_LIBS := -lpq -lpthread
LINALG_LIBS := -llapacke

# C11 also where PostgreSQL asks its compiler for an older dialect. Sums are part of the stored bytes, so no machine
# may fuse a multiplication and an addition that another one rounds twice.
C_DIALECT := -std=gnu11 -ffp-contract=off

INCLUDES := -Isrc

# Both compilers, everywhere. Declarations may stand where they are used: PostgreSQL's own CFLAGS warn about that.
WARNINGS      := -Wall -Wextra -Wno-declaration-after-statement
CORE_WARNINGS := $(WARNINGS) -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
# PG_FUNCTION_ARGS declares an argument that many functions do not read, and PostgreSQL's macros compare int with
# uint32 and leave members of initialisers out.
PG_WARNINGS   := $(WARNINGS) -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers
