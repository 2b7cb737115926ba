/*
 * xml_declaration.h
 *	  What stands between "<?xml" and "?>": a version, and maybe an encoding, and whether it stands alone.
 */
#ifndef FG_XML_DECLARATION_H
#define FG_XML_DECLARATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct FgXmlFault
{
	const uint8_t *at;
	const char *reason;			/* NULL: an encoding that is not read, with its name here */
	size_t		length;			/* of that */
} FgXmlFault;

/* False, with what is wrong, unless it is of XML 1.0 in UTF-8 (or ASCII, which is that).  There is a "?" at the end. */
extern bool fg_xml_declaration_check(const uint8_t *at, const uint8_t *end, FgXmlFault *fault);

#endif							/* FG_XML_DECLARATION_H */
