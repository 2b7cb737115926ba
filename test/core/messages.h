/*
 * messages.h
 *	  Protocol buffers for tests of formats that are made of them: an encoder of our own, which
 *	  writes field by field what it is told, right or wrong.
 */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "unit.h"

#define MESSAGE_BYTES 16384
#define MESSAGE_LEVELS 8

typedef struct Message
{
	uint8_t		bytes[MESSAGE_BYTES];
	size_t		size;
	unsigned	fields[MESSAGE_LEVELS];	/* of the messages in it that have begun, and ... */
	size_t		starts[MESSAGE_LEVELS];	/* ... where they have */
	int			depth;
} Message;

extern void put_varint(Message *m, uint64_t value);
extern void put_number(Message *m, unsigned field, uint64_t value);
extern void put_bytes(Message *m, unsigned field, const void *bytes, size_t size);
extern void put_text(Message *m, unsigned field, const char *text);
extern void put_message(Message *m, unsigned field, const Message *part);

/* What is put between the two is a message in this field. */
extern void begin_message(Message *m, unsigned field);
extern void end_message(Message *m);

#endif							/* MESSAGES_H */
