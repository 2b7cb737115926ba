# The reader and writer of pprof's messages, generated where they are used. Included by the Makefile, by
# core.mk and by polls.mk.

PPROF_OBJS = $(OUT:%=%/)src/core/formats/profile.pb-c.o $(OUT:%=%/)src/core/formats/pprof.o \
	$(OUT:%=%/)src/core/formats/pprof_write.o
$(PPROF_OBJS): src/core/formats/profile.pb-c.h
# In a folder of its own first: two builds of this tree may run at the same time.
src/core/formats/profile.pb-c.c src/core/formats/profile.pb-c.h: src/core/formats/profile.proto
	@rm -rf src/core/formats/new.$$$$ && mkdir src/core/formats/new.$$$$ && \
	protoc-c --c_out=src/core/formats/new.$$$$ --proto_path=src/core/formats profile.proto && \
	mv src/core/formats/new.$$$$/* src/core/formats/ && rmdir src/core/formats/new.$$$$
