/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be sent to the process that drives the simulation: lines of text, which are kept until the answer is complete. */
#ifndef ANSWER_H
#define ANSWER_H

#include "base/text.h"
#include "motes/simulation.h"

struct answer {
  char *bytes;
  size_t used, size;
};

/* Begins one more line, "WORD TIME"; it has room for so many more bytes, and for a few numbers. */
struct text answer_begin(struct answer *answer, int64_t time, const char *word, size_t length);

/* "WORD TIME MOTE ". */
struct text answer_begin_of(struct answer *answer, int64_t time, const char *word, const struct mote *mote,
                            size_t length);

void answer_add_hex(struct text *text, const void *bytes, size_t length);

/* Ends the line. */
void answer_end(struct answer *answer, struct text *text);

/* Sends everything; returns false if nobody is there. */
bool answer_send(struct answer *answer, int file);

#endif
