# The constant scripts and styles of pictures and pages as C. Included by the Makefile, by core.mk and by polls.mk.

VIEWER = src/core/picture/viewer
# A name, the style, the words that are shortened, and the parts of the script in the order in which they are put together.
EMBED_VIEWER = viewer $(VIEWER)/viewer.css $(VIEWER)/words.txt \
	$(patsubst %,$(VIEWER)/%.js,text profile layout draw search tools keys pictures)
# The viewer of flame charts writes its texts as that of flame graphs does.
EMBED_CHART = chart $(VIEWER)/viewer.css $(VIEWER)/chart_words.txt \
	$(patsubst %,$(VIEWER)/%.js,text chart_samples chart_draw chart_keys charts)
EMBED_PAGE = page $(VIEWER)/page.css $(VIEWER)/page_words.txt $(VIEWER)/page.js

# Two builds of this tree may run at the same time.
src/core/svg/embedded.c: $(filter src/%,$(sort $(EMBED_VIEWER) $(EMBED_CHART) $(EMBED_PAGE))) tools/embed.sh tools/embed.mk
	@{ echo '/* Made by tools/embed.sh; changes belong into src/core/picture/viewer. */' && \
	echo '#include "core/svg/embedded.h"' && \
	sh tools/embed.sh $(EMBED_VIEWER) && \
	sh tools/embed.sh $(EMBED_CHART) && \
	sh tools/embed.sh $(EMBED_PAGE); } >$@.$$$$ && mv $@.$$$$ $@ || { rm -f $@.$$$$; exit 1; }
