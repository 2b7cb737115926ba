# Builds the core without PostgreSQL, under sanitizers. Called by tools/unit.sh and tools/fuzz.sh:
#
#   make -f tools/core.mk OUT=tmp/build/unit-gcc CC=gcc unit        one program per test/core/test_*.c
#   make -f tools/core.mk OUT=tmp/build/unit-clang CC=clang fuzz    one program per test/fuzz/fuzz_*.c (clang only)
#
# clang's objects of the core are the same for both, which halves what it has to compile.
#
# Every other .c file in the two test directories is a helper and is linked into each program beside it.

include tools/sources.mk

OUT ?= tmp/build/unit
SANITIZE := -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
# Coverage feedback for the fuzzers; without main(), which only the final link adds.
ifneq ($(findstring clang,$(CC)),)
SANITIZE += -fsanitize=fuzzer-no-link
endif

# FG_ASSERT switches on the core's invariant checks at module boundaries.
ALL_CFLAGS = $(C_DIALECT) -g1 -O1 -fno-omit-frame-pointer $(SANITIZE) $(CORE_WARNINGS) -Werror \
	-DFG_ASSERT $(INCLUDES) -Itest/core -MMD -MP $(CFLAGS)

CORE_OBJS := $(CORE_SRCS:%.c=$(OUT)/%.o)

UNIT_SRCS  := $(sort $(wildcard test/core/*.c))
UNIT_TESTS := $(filter test/core/test_%,$(UNIT_SRCS))
UNIT_HELP  := $(patsubst %.c,$(OUT)/%.o,$(filter-out $(UNIT_TESTS),$(UNIT_SRCS)))
UNIT_BINS  := $(patsubst test/core/%.c,$(OUT)/%,$(UNIT_TESTS))

FUZZ_SRCS    := $(sort $(wildcard test/fuzz/*.c))
FUZZ_TARGETS := $(filter test/fuzz/fuzz_%,$(FUZZ_SRCS))
FUZZ_HELP    := $(patsubst %.c,$(OUT)/%.o,$(filter-out $(FUZZ_TARGETS),$(FUZZ_SRCS)))
FUZZ_BINS    := $(patsubst test/fuzz/%.c,$(OUT)/%,$(FUZZ_TARGETS))

.PHONY: unit fuzz
unit: $(UNIT_BINS)
fuzz: $(FUZZ_BINS)

include tools/protobuf.mk

$(UNIT_BINS): $(OUT)/%: $(OUT)/test/core/%.o $(UNIT_HELP) $(CORE_OBJS)
	$(CC) $(SANITIZE) -o $@ $^ $(CORE_LIBS)

$(FUZZ_BINS): $(OUT)/%: $(OUT)/test/fuzz/%.o $(FUZZ_HELP) $(CORE_OBJS)
	$(CC) $(SANITIZE) -fsanitize=fuzzer -o $@ $^ $(CORE_LIBS)

# The makefiles are a prerequisite because the flags are written in them.
$(OUT)/%.o: %.c tools/core.mk tools/sources.mk
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

.SECONDARY:

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
