# The client, flamegraph-load: the core's objects and libpq, a program of its own beside the server's. Included by the
# Makefile, behind PGXS.

CLIENT      = client/flamegraph-load
CLIENT_OBJS = $(CLIENT_SRCS:.c=.o)

$(CLIENT_OBJS): FILE_FLAGS = -I$(includedir) $(STRICT_CORE)
$(CLIENT_OBJS): client/client.mk
all: $(CLIENT)
$(CLIENT): $(CLIENT_OBJS) $(CORE_SRCS:.c=.o)
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -L$(libdir) $(CLIENT_LIBS) $(CORE_LIBS)

.PHONY: install-client uninstall-client
install: install-client
install-client: $(CLIENT) installdirs
	$(MKDIR_P) '$(DESTDIR)$(bindir)' '$(DESTDIR)$(mandir)/man1'
	$(INSTALL_PROGRAM) $(CLIENT) '$(DESTDIR)$(bindir)/flamegraph-load'
	$(INSTALL_DATA) $(CLIENT).1 '$(DESTDIR)$(mandir)/man1/flamegraph-load.1'
uninstall: uninstall-client
uninstall-client:
	rm -f '$(DESTDIR)$(bindir)/flamegraph-load' '$(DESTDIR)$(mandir)/man1/flamegraph-load.1'
