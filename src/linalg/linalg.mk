# The module of linear algebra, beside the one that PGXS builds (flamegraph_linalg.c says why). Included by the Makefile,
# behind PGXS.

LINALG_MODULE = flamegraph_linalg.so
LINALG_OBJS   = $(LINALG_SRCS:.c=.o)

$(LINALG_OBJS): FILE_FLAGS = $(STRICT_PG)
$(LINALG_OBJS): src/linalg/linalg.mk
all: $(LINALG_MODULE)
$(LINALG_MODULE): $(LINALG_OBJS)
	$(CC) $(CFLAGS) -shared -o $@ $^ $(LDFLAGS) $(LDFLAGS_SL) $(LINALG_LIBS)

.PHONY: install-linalg uninstall-linalg
install: install-linalg
install-linalg: $(LINALG_MODULE) installdirs
	$(INSTALL_SHLIB) $< '$(DESTDIR)$(pkglibdir)/$<'
uninstall: uninstall-linalg
uninstall-linalg:
	rm -f '$(DESTDIR)$(pkglibdir)/$(LINALG_MODULE)'
