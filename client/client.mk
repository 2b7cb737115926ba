# The clients: flamegraph-load, the core's objects and libpq, a program of its own beside the server's; flamegraph-report,
# libpq alone; flamegraph-lsp, libpq and the core that is for editors; and the script flamegraph-commits. Included by the Makefile, behind PGXS.

CLIENT      = client/flamegraph-load
REPORT      = client/flamegraph-report
LSP         = client/flamegraph-lsp
CLIENT_OBJS = $(CLIENT_SRCS:.c=.o)
REPORT_OBJS = client/flamegraph-report.o client/connection.o client/print.o
LSP_OBJS    = $(LSP_SRCS:.c=.o)
# What of the core an editor needs.
LSP_CORE    = $(EDITOR_SRCS:.c=.o) src/core/profile/frames.o src/core/base/context.o src/core/base/number.o \
	src/core/reading/json_stream.o src/core/reading/json_tokens.o src/core/reading/text_window.o

$(CLIENT_OBJS) $(LSP_OBJS): FILE_FLAGS = -I$(includedir) $(STRICT_CORE)
$(CLIENT_OBJS) $(LSP_OBJS): client/client.mk
all: $(CLIENT) $(REPORT) $(LSP)
$(CLIENT): $(filter-out client/flamegraph-report.o,$(CLIENT_OBJS)) $(MODULE_CORE_SRCS:.c=.o)
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -L$(libdir) $(CLIENT_LIBS) $(CORE_LIBS)
$(REPORT): $(REPORT_OBJS) src/core/profile/frames.o src/core/base/context.o
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -L$(libdir) $(CLIENT_LIBS)
$(LSP): $(LSP_OBJS) client/connection.o client/print.o $(LSP_CORE)
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -L$(libdir) $(CLIENT_LIBS) $(CORE_LIBS)

# Packages keep the programs and the manual of each version of PostgreSQL in directories of their own, where neither a
# shell nor man looks, and link to them from /usr/bin. So does this from LINK_PREFIX. What is installed for a package
# (DESTDIR) gets no such links, and LINK_PREFIX= makes none.
ifeq ($(DESTDIR),)
LINK_PREFIX ?= $(if $(filter /usr/lib/postgresql/% /usr/pgsql-%,$(bindir)),/usr/local)
endif

COMMITS  = client/flamegraph-commits
PROGRAMS = $(CLIENT) $(REPORT) $(LSP) $(COMMITS)

.PHONY: install-client uninstall-client
install: install-client
install-client: $(CLIENT) $(REPORT) $(LSP) installdirs
	$(MKDIR_P) '$(DESTDIR)$(bindir)' '$(DESTDIR)$(mandir)/man1'
	$(INSTALL_PROGRAM) $(CLIENT) $(REPORT) $(LSP) '$(DESTDIR)$(bindir)/'
	$(INSTALL_SCRIPT) $(COMMITS) '$(DESTDIR)$(bindir)/'
	$(INSTALL_DATA) $(PROGRAMS:=.1) '$(DESTDIR)$(mandir)/man1/'
ifneq ($(LINK_PREFIX),)
	$(MKDIR_P) '$(DESTDIR)$(LINK_PREFIX)/bin' '$(DESTDIR)$(LINK_PREFIX)/share/man/man1'
	for p in $(notdir $(PROGRAMS)); do \
		ln -sf "$(bindir)/$$p" "$(DESTDIR)$(LINK_PREFIX)/bin/$$p" && \
		ln -sf "$(mandir)/man1/$$p.1" "$(DESTDIR)$(LINK_PREFIX)/share/man/man1/$$p.1" || exit 1; \
	done
endif
uninstall: uninstall-client
uninstall-client:
	rm -f $(foreach p,$(notdir $(PROGRAMS)),'$(DESTDIR)$(bindir)/$(p)' '$(DESTDIR)$(mandir)/man1/$(p).1')
ifneq ($(LINK_PREFIX),)
	for p in $(notdir $(PROGRAMS)); do \
		link="$(DESTDIR)$(LINK_PREFIX)/bin/$$p"; \
		if [ "$$(readlink "$$link")" = "$(bindir)/$$p" ]; then rm "$$link"; fi; \
		link="$(DESTDIR)$(LINK_PREFIX)/share/man/man1/$$p.1"; \
		if [ "$$(readlink "$$link")" = "$(mandir)/man1/$$p.1" ]; then rm "$$link"; fi; \
	done
endif
