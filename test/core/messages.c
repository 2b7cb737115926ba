/*
 * messages.c
 *	  Protocol buffers for tests (see messages.h).
 */
#include "messages.h"

void
put_varint(Message *m, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		m->bytes[m->size++] = (uint8_t) (value | 0x80);
	m->bytes[m->size++] = (uint8_t) value;
}

void
put_number(Message *m, unsigned field, uint64_t value)
{
	put_varint(m, (uint64_t) field << 3);
	put_varint(m, value);
}

void
put_bytes(Message *m, unsigned field, const void *bytes, size_t size)
{
	put_varint(m, (uint64_t) field << 3 | 2);
	put_varint(m, size);
	memcpy(m->bytes + m->size, bytes, size);
	m->size += size;
}

void
put_text(Message *m, unsigned field, const char *text)
{
	put_bytes(m, field, text, strlen(text));
}

void
put_message(Message *m, unsigned field, const Message *part)
{
	put_bytes(m, field, part->bytes, part->size);
}

void
begin_message(Message *m, unsigned field)
{
	m->fields[m->depth] = field;
	m->starts[m->depth++] = m->size;
}

/* Its length comes in front of it. */
void
end_message(Message *m)
{
	size_t		start = m->starts[--m->depth];
	size_t		size = m->size - start;
	uint8_t		inner[MESSAGE_BYTES];

	memcpy(inner, m->bytes + start, size);
	m->size = start;
	put_bytes(m, m->fields[m->depth], inner, size);
}
