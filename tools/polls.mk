# Builds the extension's library once more, so that it counts its work between two interrupt polls (test/polls/polls.c
# says how). Only tests load it. Called by tools/tap.sh:
#
#   make -f tools/polls.mk PG_CONFIG=pg_config        tmp/build/polls/flamegraph_polls.so

include tools/sources.mk

PG_CONFIG ?= pg_config
CC := gcc
OUT := tmp/build/polls

# Every interval is 64 times as small as in the library that is shipped, so that a loop without a poll shows with
# small inputs. Values of a hundred bytes are compressed, so that every function meets some that are. Inlining would change which blocks there are, not how many of them a loop runs through.
ALL_CFLAGS := $(C_DIALECT) -O1 -g1 -fPIC -fsanitize-coverage=trace-pc -include test/polls/polls.h \
	-DFG_CHECK_NODES=1024 -DFG_CHECK_BYTES=16384 -DFG_COMPRESS_FROM=100 $(INCLUDES) $(WARNINGS) -Werror -MMD -MP
SERVER := -isystem $(shell $(PG_CONFIG) --includedir-server) -DFG_POLLS_PG $(PG_WARNINGS)

CORE_OBJS := $(MODULE_CORE_SRCS:%.c=$(OUT)/%.o)
PG_OBJS   := $(PG_SRCS:%.c=$(OUT)/%.o)
POLLS_OBJ := $(OUT)/test/polls/polls.o
$(PG_OBJS): ALL_CFLAGS += $(SERVER)

$(OUT)/flamegraph_polls.so: $(CORE_OBJS) $(PG_OBJS) $(POLLS_OBJ) $(OUT)/exports.map
	$(CC) -shared -o $@ $(CORE_OBJS) $(PG_OBJS) $(POLLS_OBJ) -Wl,--version-script=$(OUT)/exports.map $(CORE_LIBS)

# Up to PostgreSQL 15 its macros do not mark entry points for export; the list is what fmgr looks up.
$(OUT)/exports.map: $(PG_OBJS) $(POLLS_OBJ)
	nm -g --defined-only $^ | awk 'BEGIN {print "{ global:"} \
		$$NF ~ /^pg_finfo_/ {n = $$NF; print n ";"; sub(/^pg_finfo_/, "", n); print n ";"} \
		$$NF == "Pg_magic_func" || $$NF == "_PG_init" {print $$NF ";"} END {print "local: *; };"}' >$@

include tools/embed.mk

$(POLLS_OBJ): test/polls/polls.c tools/polls.mk tools/sources.mk
	@mkdir -p $(@D)
	$(CC) $(C_DIALECT) -O2 -g1 -fPIC $(WARNINGS) -Werror $(SERVER) -MMD -MP -c -o $@ $<

$(OUT)/%.o: %.c tools/polls.mk tools/sources.mk
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

.SECONDARY:

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
