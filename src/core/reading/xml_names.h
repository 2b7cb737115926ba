/*
 * xml_names.h
 *	  Which characters names of XML have, and which ones XML has at all (XML 1.0, fifth edition).
 */
#ifndef FG_XML_NAMES_H
#define FG_XML_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of bytes; those above 0x7F belong to characters that fg_xml_name_valid looks at. */
enum
{
	FG_XML_NAME_BYTE = 1,
	FG_XML_BLANK_BYTE = 2
};

extern const uint8_t fg_xml_byte_kinds[256];

static inline bool
fg_xml_is_name_byte(uint8_t byte)
{
	return (fg_xml_byte_kinds[byte] & FG_XML_NAME_BYTE) != 0;
}

static inline bool
fg_xml_is_blank(uint8_t byte)
{
	return (fg_xml_byte_kinds[byte] & FG_XML_BLANK_BYTE) != 0;
}

/* Of name bytes, at least one: are they a name, and in UTF-8? */
extern bool fg_xml_name_valid(const uint8_t *name, size_t length);

/* How many bytes are UTF-8, and characters that XML has; control characters are the caller's concern. */
extern size_t fg_xml_valid_prefix(const uint8_t *text, size_t length);

/* A character that a reference may name. */
extern bool fg_xml_is_character(uint32_t code);

#endif							/* FG_XML_NAMES_H */
