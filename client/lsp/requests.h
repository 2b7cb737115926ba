/*
 * requests.h
 *	  What the loop calls: messages that have come in, and what is due.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "lsp.h"

/* False: the editor has said exit. */
extern bool take_message(Message *message);

/* One that is no JSON, or not what the protocol has. */
extern void refuse_message(const Message *message);

/* When on_time() has something to do next. */
extern double next_event(void);
extern void on_time(void);

/* The pictures that were written. */
extern void remove_files(void);

#endif							/* REQUESTS_H */
