# flamegraph: profiles as values in PostgreSQL
#
# `make demo` and `make test` do everything on a fresh Debian machine; `make help` lists the rest.
# To build and install into an existing server: make && make install (PG_CONFIG=... picks the server).

PG_CONFIG ?= pg_config
# Exported for the scripts in tools/, which ask it where things are.
export PG_CONFIG

# A switch for the optimisation level. No -march=native: a package has to run on machines it was not built on.
OPTFLAGS ?= -O3

# Scripts and recipes print and compare text; what they print must not depend on the caller's language.
export LC_MESSAGES = C

include tools/sources.mk

EXTENSION  = flamegraph flamegraph_store flamegraph_jobs
MODULE_big = flamegraph
OBJS       = $(MODULE_CORE_SRCS:.c=.o) $(PG_SRCS:.c=.o)
PGFILEDESC = "flamegraph - profiles as values"

version        = $(shell sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" $(1).control)
EXTVERSION    := $(call version,flamegraph)
STORE_VERSION := $(call version,flamegraph_store)
JOBS_VERSION  := $(call version,flamegraph_jobs)

# The install scripts, in reading order: each topic uses only what stands before it. The preamble holds the \echo guard
# and refuses a bad schema, closing checks what came of it. The store is SQL on top, an extension of its own; so are the
# jobs, whose functions in C are in the same library.
SQL_TOPICS   = preamble stackpath flamegraph stackquery flamestats perfmodel aggregates building reshaping tree models detection comparing energy hotelling history formats pictures plots charts pages indexes flameseries closing
STORE_TOPICS = preamble tables watching run_sums import partitions services service_watch ingest compact check access selection asking windows baselines drift tests findings models watch confirm families shift environment groups night service_changes watch_services verdict suspects corrections renames schedule health views report page_parts page_of_run pages by_name distribute dump closing
JOBS_TOPICS  = preamble tables access graphalytics validation importing attribution bottlenecks issues rules accuracy profiles what_if comparing presentation pictures pages dump owner closing
SQL_FILES    = $(SQL_TOPICS:%=sql/%.sql)
STORE_FILES  = $(STORE_TOPICS:%=sql/store/%.sql)
JOBS_FILES   = $(JOBS_TOPICS:%=sql/jobs/%.sql)
SCRIPT       = flamegraph--$(EXTVERSION).sql
STORE_SCRIPT = flamegraph_store--$(STORE_VERSION).sql
JOBS_SCRIPT  = flamegraph_jobs--$(JOBS_VERSION).sql
DATA_built   = $(SCRIPT) $(STORE_SCRIPT) $(JOBS_SCRIPT)
# tools/upgrade_script.py makes the upgrade scripts from this release; upgrade-$(RELEASED).sql are their parts by hand.
RELEASED     = 0.1.0
# Upgrade scripts, and the install scripts of earlier releases, are installed as they are.
DATA = $(sort $(wildcard sql/flamegraph--*--*.sql sql/store/flamegraph_store--*--*.sql sql/jobs/flamegraph_jobs--*--*.sql) \
	$(filter-out %/$(SCRIPT) %/$(STORE_SCRIPT) %/$(JOBS_SCRIPT),$(wildcard sql/released/*.sql)))

# --- flags ---------------------------------------------------------------------------------------------------------
# CFLAGS belong to whoever builds the package; ours are added behind them.

# The modules and the client say their version.
PG_CPPFLAGS = $(INCLUDES) -DFG_VERSION='"$(EXTVERSION)"'
PG_CFLAGS   = $(C_DIALECT) $(OPTFLAGS) -MMD -MP -Wno-declaration-after-statement
SHLIB_LINK  = $(CORE_LIBS)

# Only what fmgr looks up leaves the library: a name like "merge" must not collide with another module's. The core
# is compiled with hidden symbols. Up to PostgreSQL 15 its macros do not mark entry points for export, so for the
# glue the linker gets the list, which is read from the object files below.
SHLIB_EXPORTS = tmp/build/exports.txt

# The module of linear algebra (src/linalg/linalg.mk) and the client (client/client.mk) are built here, too.
ALL_OBJS    = $(OBJS) $(EDITOR_SRCS:.c=.o) $(LINALG_SRCS:.c=.o) $(CLIENT_SRCS:.c=.o) $(LSP_SRCS:.c=.o)
EXTRA_CLEAN = tmp/build tmp/regress $(ALL_OBJS) $(ALL_OBJS:.o=.d) flamegraph_linalg.so client/flamegraph-load client/flamegraph-report client/flamegraph-lsp \
	src/core/svg/embedded.c

# --- targets that need no PostgreSQL yet --------------------------------------------------------------------------
# PGXS may not be there when make starts; these install it first and then call make again.

.DEFAULT_GOAL := all
.PHONY: help deps demo psql test test-more test-all test-long unit sanitizers fuzz fuzz-smoke lint installcheck tap tap-more bench bench-cancel bench-quality bench-store bench-production \
	private-install dist deb distclean

help:
	@echo 'make demo          recorded profiles, loaded and compared in a private server'
	@echo 'make psql          a shell on the database of the demo'
	@echo 'make test          the tests of a change, ten minutes; single stages: unit installcheck tap'
	@echo 'make test-more     the others: sanitizers fuzz-smoke lint tap-more, each of which may be called alone; fuzz-sql'
	@echo 'make test-all      both, as continuous integration does'
	@echo 'make test-long     the same with more random inputs, for a night or a release'
	@echo 'make fuzz          the fuzzers, FUZZ_SECONDS (600) each; finds are kept in tmp/fuzz/finds'
	@echo 'make bench         the benchmarks (BENCH_FLAGS=--quick: a first look)'
	@echo 'make bench-quality how often the tests of profiles are wrong, and what they find'
	@echo 'make bench-cancel  how soon a cancelled statement ends'
	@echo 'make bench-store   the store at scale: import, the nightly comparison, search, views'
	@echo 'make bench-production  services at scale: loads, compaction, bytes, windows'
	@echo 'make, make install build, install into the server that PG_CONFIG belongs to'
	@echo 'make dist          the zip for PGXN, from what is committed'
	@echo 'make deb           Debian packages for the servers of this machine'
	@echo 'make deps          what is missing on this machine, by apt'
	@echo 'make clean         remove what was built; distclean: the private servers too'
	@echo 'Switches: PG_CONFIG=path OPTFLAGS=-O3 WERROR=1'

deps:
	@tools/deps.sh

demo: deps
	@demo/run.sh

psql: deps
	@demo/run.sh psql

test: deps
	@tools/test.sh

test-more: deps
	@tools/test.sh more

test-all: deps
	@tools/test.sh all

test-long: deps
	@FLAMEGRAPH_TEST_LONG=1 tools/test.sh all

.PHONY: fuzz-sql
unit sanitizers fuzz-smoke fuzz-sql lint tap tap-more: deps
	@tools/test.sh $@

# Of a server that is named by the environment, as packagers call it, all that is needed is there.
installcheck: $(if $(PGHOST)$(PGPORT),,deps)
	@$(if $(PGHOST)$(PGPORT),tools/regress.sh,tools/test.sh $@)

fuzz: deps
	@tools/fuzz.sh

bench: deps
	@tools/private-install.sh
	@bench/run.sh $(BENCH_FLAGS)

bench-quality: deps
	@tools/private-install.sh
	@bench/quality/quality.sh $(BENCH_FLAGS)
	@bench/quality/suspects.sh $(BENCH_FLAGS)

bench-cancel: deps
	@bench/cancel/cancel.sh

bench-store: deps
	@tools/private-install.sh
	@bench/store/store.sh $(BENCH_FLAGS)

bench-production: deps
	@tools/private-install.sh
	@bench/production/production.sh $(BENCH_FLAGS)

private-install:
	@tools/private-install.sh

dist:
	@tools/dist.sh

deb:
	@tools/packages.sh

distclean: remove-private
.PHONY: remove-private
remove-private:
	@tools/server.sh remove

# --- the extension -----------------------------------------------------------------------------------------------

# installcheck above decides itself where the server is: one given by PGHOST/PGPORT, else a private one.
NO_INSTALLCHECK = 1

PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)

ifneq ($(and $(PGXS),$(wildcard $(PGXS))),)

PG_MAJOR := $(shell $(PG_CONFIG) --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
ifneq ($(filter 7 8 9 10 11 12 13,$(PG_MAJOR)),)
$(error flamegraph needs PostgreSQL 14 or later; $(PG_CONFIG) belongs to PostgreSQL $(PG_MAJOR))
endif

include $(PGXS)

# What is not for every file, behind the flags that PGXS puts together from those of the builder and ours.
$(CORE_SRCS:.c=.o): FILE_FLAGS = -fvisibility=hidden $(STRICT_CORE)
# Entry points can be replaced by nobody, so calls within a file need not allow for it.
$(PG_SRCS:.c=.o): FILE_FLAGS = -fno-semantic-interposition $(STRICT_PG)
# PostgreSQL's headers do not compile cleanly under -Wextra; as system headers they are not looked at.
ifdef WERROR
STRICT_CORE = $(CORE_WARNINGS) -isystem $(includedir_server) -Werror
STRICT_PG   = $(PG_WARNINGS) -isystem $(includedir_server) -Werror
endif

include src/linalg/linalg.mk
include client/client.mk

$(ALL_OBJS): %.o: %.c tmp/build/flags Makefile tools/sources.mk
	$(CC) $(CFLAGS) $(CPPFLAGS) $(FILE_FLAGS) -c -o $@ $<

# Objects are built again when the flags change (WERROR, OPTFLAGS, another server), not only when a source does.
BUILD_FLAGS := $(CC) $(CFLAGS) $(CPPFLAGS) $(if $(WERROR),WERROR) $(VERSION)
tmp/build/flags: force-check
	@mkdir -p tmp/build
	@printf '%s\n' $(call shell_quote,$(BUILD_FLAGS)) | cmp -s - $@ || printf '%s\n' $(call shell_quote,$(BUILD_FLAGS)) >$@
shell_quote = '$(subst ','\'',$(1))'
.PHONY: force-check
include tools/embed.mk
-include $(ALL_OBJS:.o=.d)
# Bitcode is compiled by a rule of PGXS that tracks no headers.
$(OBJS:.o=.bc): $(CORE_HDRS) $(PG_HDRS)

tmp/build/exports.txt: $(OBJS)
	@mkdir -p $(@D)
	nm -g --defined-only $(OBJS) | awk '$$NF ~ /^pg_finfo_/ {n = $$NF; print n; sub(/^pg_finfo_/, "", n); print n} \
		$$NF == "Pg_magic_func" || $$NF == "_PG_init" {print $$NF}' | sort >$@

# A topic that somebody forgot to list would silently be left out of its extension.
UNLISTED = $(filter-out $(SQL_FILES) $(STORE_FILES) $(JOBS_FILES) $(DATA) %/upgrade-$(RELEASED).sql, \
	$(wildcard sql/*.sql sql/store/*.sql sql/jobs/*.sql))
$(SCRIPT): $(SQL_FILES) flamegraph.control
$(STORE_SCRIPT): $(STORE_FILES) flamegraph_store.control
$(JOBS_SCRIPT): $(JOBS_FILES) flamegraph_jobs.control
$(DATA_built): Makefile
	$(if $(UNLISTED),$(error in no list of topics: $(UNLISTED)))
	cat $(filter %.sql,$^) >$@.new
	mv $@.new $@

else

.PHONY: all install uninstall clean
all install uninstall:
	@echo 'error: "$(PG_CONFIG) --pgxs" names no PostgreSQL server headers; run "make deps", or set PG_CONFIG' >&2
	@exit 1

clean:
	rm -rf $(EXTRA_CLEAN) $(DATA_built) $(OBJS) $(OBJS:.o=.bc) $(MODULE_big).so
distclean: clean

endif
