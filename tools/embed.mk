# The constant script and style of pictures as C. Included by the Makefile, by core.mk and by polls.mk.

VIEWER_STYLE = src/core/picture/viewer/viewer.css
VIEWER_WORDS = src/core/picture/viewer/words.txt
# In the order in which they are put together.
VIEWER_PARTS = $(patsubst %,src/core/picture/viewer/%.js,text profile layout draw search tools keys pictures)

# Two builds of this tree may run at the same time.
src/core/picture/embedded.c: $(VIEWER_STYLE) $(VIEWER_WORDS) $(VIEWER_PARTS) tools/embed.sh tools/embed.mk
	@sh tools/embed.sh $(VIEWER_STYLE) $(VIEWER_WORDS) $(VIEWER_PARTS) >$@.$$$$ && mv $@.$$$$ $@ || { rm -f $@.$$$$; exit 1; }
