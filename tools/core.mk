# Builds the tests of the core, and the core under sanitizers, without PostgreSQL. Called by tools/unit.sh and tools/fuzz.sh:
#
#   make -f tools/core.mk OUT=tmp/build/unit-gcc CC=gcc unit        OUT/unit: every test/core/ROOM/test_*.c
#   make -f tools/core.mk OUT=tmp/build/unit-clang CC=clang fuzz    OUT/fuzz_NAME for each test/fuzz/fuzz_*.c (clang only)
#   make -f tools/core.mk OUT=tmp/build/fuzz CC=clang COMPARISONS=1 fuzz    the same for a campaign
#
# clang builds the core under sanitizers, once for tests and fuzzers. gcc's tests are linked with the extension's own
# objects: what is shipped is what is tested, and compiling the core once more would take longer than the tests run.
#
# Every .c file of test/core itself, and every other one of test/fuzz, is a helper and is linked into the program.

include tools/sources.mk

OUT ?= tmp/build/unit
comma := ,
# clang looks for faults of memory and for undefined behaviour; gcc's warnings of tests need a little of its optimiser, but
# that one, which is wrong without the rest of it.
SANITIZE := -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
OPTIMISE := -O1
# FG_ASSERT switches on the core's invariant checks at module boundaries. A string in JSON that is too long is one of
# 4 MB here: under sanitizers the 16 MB that are shipped would take 16 times as long. V8's samples are put in order
# 32 at a time, and a message of OTLP may have 4 MB, for the same reason. Values
# of a hundred bytes are compressed, because fuzzers rarely make one of a kilobyte.
CHECKED := -DFG_ASSERT -DFG_JSON_STRING_MB=4 -DFG_V8_WINDOW=32u -DFG_OTLP_MAX_MB=4 \
	-DFG_COMPRESS_FROM=100
ifneq ($(findstring gcc,$(CC)),)
SANITIZE :=
CHECKED := -Wno-maybe-uninitialized
endif
# Coverage feedback for the fuzzers; without main(), which only the final link adds. The code of the tests needs none,
# and their plain loops would spend a third of their time in it. That of comparisons (COMPARISONS=1) helps a campaign to guess
# magic numbers; the unit tests run this code, too, and would spend a third of their time in calls of it.
ifneq ($(findstring clang,$(CC)),)
COVERAGE := $(if $(COMPARISONS),-fsanitize=fuzzer-no-link,-fsanitize-coverage=inline-8bit-counters$(comma)pc-table)
endif

ALL_CFLAGS = $(C_DIALECT) -g1 $(OPTIMISE) -fno-omit-frame-pointer $(SANITIZE) $(CORE_WARNINGS) -Werror \
	$(CHECKED) $(INCLUDES) -Itest/core -MMD -MP $(CFLAGS)

ifneq ($(findstring gcc,$(CC)),)
# tools/unit.sh has built them; they are not to be made by a rule of make's own.
CORE_OBJS := $(CORE_SRCS:%.c=%.o)
%.o: %.c
else
CORE_OBJS := $(CORE_SRCS:%.c=$(OUT)/%.o)
endif
$(OUT)/src/%.o $(OUT)/test/fuzz/%.o: ALL_CFLAGS += $(COVERAGE)
# test_long_texts counts comparisons of what reads text.
ifneq ($(findstring clang,$(CC)),)
$(OUT)/src/core/formats/%.o $(OUT)/src/core/reading/%.o: ALL_CFLAGS += -fsanitize-coverage=trace-cmp
endif
# Where clang's optimiser takes longer than what it then saves the tests.
ifneq ($(findstring clang,$(CC)),)
QUICK_ROOMS := attribution bottlenecks browsers editor heat_maps jfr jobs lanes plots pprof traces
$(patsubst %.c,$(OUT)/%.o,$(foreach room,$(QUICK_ROOMS),$(filter src/core/$(room)/%,$(CORE_SRCS)))): ALL_CFLAGS += -O0
endif
# Optimising what a test says about the core takes longer than that then runs; not of what all of them call, which compares
# in quadratic time.
ifneq ($(findstring clang,$(CC)),)
$(OUT)/test/core/%.o: ALL_CFLAGS += -O0
$(patsubst %.c,$(OUT)/%.o,$(wildcard test/core/*.c)): ALL_CFLAGS += -O1
endif
# Libraries, of which the linker takes what a program needs: each with the whole core would be most of the build.
CORE_LIB := $(OUT)/core.a
UNIT_LIB := $(OUT)/unit.a

# All tests are one program: linking the sanitizers into each of a hundred took a minute. UNIT_TESTS may name some of
# them, whose program is then in a folder of its own.
UNIT_TESTS := $(sort $(wildcard test/core/*/test_*.c))
UNIT_DIR   := $(OUT)
UNIT_OBJS  := $(UNIT_TESTS:%.c=$(OUT)/%.o)
UNIT_HELP  := $(patsubst %.c,$(OUT)/%.o,$(filter-out test/core/run.c,$(sort $(wildcard test/core/*.c))))

# All fuzzers are one program, too, under the name of each.
FUZZ_SRCS    := $(sort $(wildcard test/fuzz/*.c))
FUZZ_TARGETS := $(filter test/fuzz/fuzz_%,$(FUZZ_SRCS))
FUZZ_OBJS    := $(FUZZ_SRCS:%.c=$(OUT)/%.o)
FUZZ_BINS    := $(patsubst test/fuzz/%.c,$(OUT)/%,$(FUZZ_TARGETS))
# What the core is compared with.
PEER_LIBS    := -lyajl -lexpat

.PHONY: unit fuzz
unit: $(UNIT_DIR)/unit
fuzz: $(FUZZ_BINS)

include tools/embed.mk

$(UNIT_DIR)/unit: $(UNIT_DIR)/run.o $(UNIT_OBJS) $(UNIT_LIB) $(CORE_LIB)
	$(CC) $(SANITIZE) -o $@ $^ $(CORE_LIBS)

# Each test's main() is called main_of_test_NAME (test/core/unit.h); the list of them is new when it changes.
$(UNIT_OBJS): ALL_CFLAGS += -DUNIT_MAIN=main_of_$(notdir $(@:.o=))
$(UNIT_DIR)/run.o: test/core/run.c $(UNIT_DIR)/unit_tests.h tools/core.mk
	$(CC) $(ALL_CFLAGS) -I$(UNIT_DIR) -c -o $@ $<
$(UNIT_DIR)/unit_tests.h: force-check
	@mkdir -p $(@D)
	@printf 'UNIT_TEST(%s)\n' $(notdir $(UNIT_TESTS:.c=)) | cmp -s - $@ || printf 'UNIT_TEST(%s)\n' $(notdir $(UNIT_TESTS:.c=)) >$@
.PHONY: force-check

$(FUZZ_BINS): $(OUT)/fuzz
	@ln -sf fuzz $@
$(OUT)/fuzz: $(FUZZ_OBJS) $(CORE_LIB)
	$(CC) $(SANITIZE) -fsanitize=fuzzer -o $@ $^ $(CORE_LIBS) $(PEER_LIBS)
$(FUZZ_TARGETS:%.c=$(OUT)/%.o): ALL_CFLAGS += -DLLVMFuzzerTestOneInput=input_of_$(notdir $(@:.o=))
$(OUT)/test/fuzz/run.o: ALL_CFLAGS += -I$(OUT)
$(OUT)/test/fuzz/run.o: $(OUT)/fuzz_targets.h
$(OUT)/fuzz_targets.h: force-check
	@mkdir -p $(@D)
	@printf 'FUZZ_TARGET(%s)\n' $(notdir $(FUZZ_TARGETS:.c=)) | cmp -s - $@ || printf 'FUZZ_TARGET(%s)\n' $(notdir $(FUZZ_TARGETS:.c=)) >$@

$(CORE_LIB): $(CORE_OBJS)
$(UNIT_LIB): $(UNIT_HELP)
# Anew, so that it holds nothing of a file that is gone.
$(CORE_LIB) $(UNIT_LIB):
	@rm -f $@
	ar rcs $@ $^

# The makefiles are a prerequisite because the flags are written in them.
$(OUT)/%.o: %.c tools/core.mk tools/sources.mk
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

.SECONDARY:

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
