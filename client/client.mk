# The client, flamegraph-load: the core's objects and libpq, a program of its own beside the server's. Included by the
# Makefile, behind PGXS.

CLIENT      = client/flamegraph-load
CLIENT_OBJS = $(CLIENT_SRCS:.c=.o)

$(CLIENT_OBJS): FILE_FLAGS = -I$(includedir) $(STRICT_CORE)
$(CLIENT_OBJS): client/client.mk
all: $(CLIENT)
$(CLIENT): $(CLIENT_OBJS) $(CORE_SRCS:.c=.o)
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -L$(libdir) $(CLIENT_LIBS) $(CORE_LIBS)

# Packages keep the programs and the manual of each version of PostgreSQL in directories of their own, where neither a
# shell nor man looks, and link to them from /usr/bin. So does this from LINK_PREFIX. What is installed for a package
# (DESTDIR) gets no such links, and LINK_PREFIX= makes none.
ifeq ($(DESTDIR),)
LINK_PREFIX ?= $(if $(filter /usr/lib/postgresql/% /usr/pgsql-%,$(bindir)),/usr/local)
endif

PROGRAM_FILE = $(bindir)/flamegraph-load
MANUAL_FILE  = $(mandir)/man1/flamegraph-load.1
PROGRAM_LINK = $(LINK_PREFIX)/bin/flamegraph-load
MANUAL_LINK  = $(LINK_PREFIX)/share/man/man1/flamegraph-load.1

.PHONY: install-client uninstall-client
install: install-client
install-client: $(CLIENT) installdirs
	$(MKDIR_P) '$(DESTDIR)$(bindir)' '$(DESTDIR)$(mandir)/man1'
	$(INSTALL_PROGRAM) $(CLIENT) '$(DESTDIR)$(PROGRAM_FILE)'
	$(INSTALL_DATA) $(CLIENT).1 '$(DESTDIR)$(MANUAL_FILE)'
ifneq ($(LINK_PREFIX),)
	$(MKDIR_P) '$(DESTDIR)$(dir $(PROGRAM_LINK))' '$(DESTDIR)$(dir $(MANUAL_LINK))'
	ln -sf '$(PROGRAM_FILE)' '$(DESTDIR)$(PROGRAM_LINK)'
	ln -sf '$(MANUAL_FILE)' '$(DESTDIR)$(MANUAL_LINK)'
endif
uninstall: uninstall-client
uninstall-client:
	rm -f '$(DESTDIR)$(PROGRAM_FILE)' '$(DESTDIR)$(MANUAL_FILE)'
ifneq ($(LINK_PREFIX),)
	if [ "$$(readlink '$(DESTDIR)$(PROGRAM_LINK)')" = '$(PROGRAM_FILE)' ]; then rm '$(DESTDIR)$(PROGRAM_LINK)'; fi
	if [ "$$(readlink '$(DESTDIR)$(MANUAL_LINK)')" = '$(MANUAL_FILE)' ]; then rm '$(DESTDIR)$(MANUAL_LINK)'; fi
endif
