/*
 * embedded.h
 *	  The script and the style that pictures carry, and those of pages: constant texts,
 *	  the same in each.
 *
 * tools/embed.mk makes embedded.c of src/core/picture/viewer/: the script's parts in one
 * function, without comments and indentation, and the style; likewise those of flame charts,
 * whose style is the same, and those of pages.  Nothing of a profile is ever
 * put into them, so their hashes are constant, too, and a server's policy can name them.
 */
#ifndef FG_EMBEDDED_H
#define FG_EMBEDDED_H

/* ASCII, without "]]>" and "</", so that it can stand in SVG and in HTML. */
extern const char fg_viewer_script[];
extern const char fg_viewer_style[];
extern const char fg_chart_script[];
extern const char fg_chart_style[];
extern const char fg_page_script[];
extern const char fg_page_style[];

/* 'sha256-' and base64 of SHA-256, as Content-Security-Policy has it. */
extern const char fg_viewer_script_hash[];
extern const char fg_viewer_style_hash[];
extern const char fg_chart_script_hash[];
extern const char fg_chart_style_hash[];
extern const char fg_page_script_hash[];
extern const char fg_page_style_hash[];

#endif							/* FG_EMBEDDED_H */
