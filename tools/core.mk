# Builds the core without PostgreSQL, with clang under sanitizers. Called by tools/unit.sh and tools/fuzz.sh:
#
#   make -f tools/core.mk OUT=tmp/build/unit-gcc CC=gcc unit        one program per test/core/ROOM/test_*.c
#   make -f tools/core.mk OUT=tmp/build/unit-clang CC=clang fuzz    one program per test/fuzz/fuzz_*.c (clang only)
#
# clang's objects of the core are the same for both, which halves what it has to compile.
#
# Every .c file of test/core itself, and every other one of test/fuzz, is a helper and is linked into each program.

include tools/sources.mk

OUT ?= tmp/build/unit
# clang looks for faults of memory and for undefined behaviour; gcc builds what is shipped, so that its optimiser's work
# is tested, too, and finds with it what it warns of.
SANITIZE := -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
ifneq ($(findstring gcc,$(CC)),)
SANITIZE :=
OPTIMISE := -O3 -ffp-contract=off
endif
OPTIMISE ?= -O1
# Coverage feedback for the fuzzers; without main(), which only the final link adds. The code of the tests needs none,
# and their plain loops would spend a third of their time in it.
ifneq ($(findstring clang,$(CC)),)
COVERAGE := -fsanitize=fuzzer-no-link
endif

# FG_ASSERT switches on the core's invariant checks at module boundaries. A string in JSON that is too long is one of
# 4 MB here: with the 16 MB that are shipped the tests of that limit take 16 times as long.
ALL_CFLAGS = $(C_DIALECT) -g1 $(OPTIMISE) -fno-omit-frame-pointer $(SANITIZE) $(CORE_WARNINGS) -Werror \
	-DFG_ASSERT -DFG_JSON_STRING_MB=4 $(INCLUDES) -Itest/core -MMD -MP $(CFLAGS)

CORE_OBJS := $(CORE_SRCS:%.c=$(OUT)/%.o)
$(OUT)/src/%.o $(OUT)/test/fuzz/%.o: ALL_CFLAGS += $(COVERAGE)
# Optimising what a test says about the core takes longer than that then runs. gcc does it: its warnings need that.
ifneq ($(findstring clang,$(CC)),)
$(OUT)/test/core/%.o: ALL_CFLAGS += -O0
endif
# Libraries, of which the linker takes what a program needs: each with the whole core would be most of the build.
CORE_LIB := $(OUT)/core.a
UNIT_LIB := $(OUT)/unit.a
FUZZ_LIB := $(OUT)/fuzz.a

UNIT_TESTS := $(sort $(wildcard test/core/*/test_*.c))
UNIT_HELP  := $(patsubst %.c,$(OUT)/%.o,$(sort $(wildcard test/core/*.c)))
UNIT_BINS  := $(addprefix $(OUT)/,$(notdir $(UNIT_TESTS:.c=)))

FUZZ_SRCS    := $(sort $(wildcard test/fuzz/*.c))
FUZZ_TARGETS := $(filter test/fuzz/fuzz_%,$(FUZZ_SRCS))
FUZZ_HELP    := $(patsubst %.c,$(OUT)/%.o,$(filter-out $(FUZZ_TARGETS),$(FUZZ_SRCS)))
FUZZ_BINS    := $(patsubst test/fuzz/%.c,$(OUT)/%,$(FUZZ_TARGETS))

.PHONY: unit fuzz
unit: $(UNIT_BINS)
fuzz: $(FUZZ_BINS)

include tools/embed.mk

# Programs of all rooms lie side by side, so that a test is called by its name.
define UNIT_PROGRAM
$(OUT)/$(notdir $(1:.c=)): $(OUT)/$(1:.c=.o) $(UNIT_LIB) $(CORE_LIB)
	$$(CC) $$(SANITIZE) -o $$@ $$^ $$(CORE_LIBS)
endef
$(foreach test,$(UNIT_TESTS),$(eval $(call UNIT_PROGRAM,$(test))))

$(FUZZ_BINS): $(OUT)/%: $(OUT)/test/fuzz/%.o $(FUZZ_LIB) $(CORE_LIB)
	$(CC) $(SANITIZE) -fsanitize=fuzzer -o $@ $^ $(CORE_LIBS) $(PEER_LIBS)
# What the core is compared with.
$(OUT)/fuzz_json: PEER_LIBS := -lyajl

$(CORE_LIB): $(CORE_OBJS)
$(UNIT_LIB): $(UNIT_HELP)
$(FUZZ_LIB): $(FUZZ_HELP)
# Anew, so that it holds nothing of a file that is gone.
$(CORE_LIB) $(UNIT_LIB) $(FUZZ_LIB):
	@rm -f $@
	ar rcs $@ $^

# The makefiles are a prerequisite because the flags are written in them.
$(OUT)/%.o: %.c tools/core.mk tools/sources.mk
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

.SECONDARY:

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
