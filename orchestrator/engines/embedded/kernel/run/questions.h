/* SPDX-License-Identifier: Apache-2.0 */
/* What the process that drives the simulation asks about motes (door.h); an answer changes nothing. */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "base/reader.h"
#include "run/answer.h"

/* Answers the reader's line if it is one of these questions. */
bool question_answered(struct simulation *simulation, struct reader *reader, struct answer *answer);

/* The mote that comes next in the line, which may have left the simulation. */
struct mote *named_mote(struct simulation *simulation, struct reader *reader);

/* The mote that comes next, which is in the simulation. */
struct mote *present_mote(struct simulation *simulation, struct reader *reader);

/* Where a mote has `size` bytes of its data at this offset in the image: the copy that its code will see when it runs next.
   NULL: there are no data of its own. */
uint8_t *memory_of(struct mote *mote, uint64_t offset, uint64_t size);

#endif
