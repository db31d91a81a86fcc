/* SPDX-License-Identifier: Apache-2.0 */
#include "run/questions.h"

#include "base/exact.h"
#include "motes/shared_sections.h"
#include "observation/observer.h"
#include "radio/byte_radio.h"
#include "sky/sky.h"

#include <stdio.h>

enum { LONGEST = 1 << 26 /* bytes of memory */, NUMBER = 32 /* bytes of one as text */ };

struct mote *
named_mote(struct simulation *simulation, struct reader *reader)
{
  return &simulation->motes[whole_number(reader, 0, (int64_t)simulation->mote_count - 1)];
}

struct mote *
present_mote(struct simulation *simulation, struct reader *reader)
{
  struct mote *mote = named_mote(simulation, reader);

  if(mote->removed) {
    wrong(reader, "that mote is not in the simulation any more");
  }
  return mote;
}

uint8_t *
memory_of(struct mote *mote, uint64_t offset, uint64_t size)
{
  const struct firmware *firmware = &mote->type->firmware;

  if(mote->sky != NULL) {
    return offset <= MSP430_MEMORY && size <= MSP430_MEMORY - offset ? sky_memory(mote) + offset : NULL;
  }
  if(offset < firmware->data_first || offset > firmware->data_last || size > firmware->data_last - offset) {
    return NULL;
  }
  shared_sections_before_tick(mote);
  return mote->image + offset;
}

/* A constant is in the file as it is in memory. */
static void
peek(struct simulation *simulation, struct reader *reader, struct answer *answer)
{
  struct mote *mote = named_mote(simulation, reader);
  uint64_t offset = (uint64_t)whole_number(reader, 0, INT64_MAX), size = (uint64_t)whole_number(reader, 0, LONGEST);
  const uint8_t *bytes = memory_of(mote, offset, size);
  struct text text;

  done(reader);
  if(bytes == NULL && mote->sky == NULL) {
    bytes = elf_at(&mote->type->firmware.elf, offset, size);
  }
  if(bytes == NULL) {
    wrong(reader, "no memory of the mote");
  }
  text = answer_begin_of(answer, simulation->queue.now, "memory", mote, 2 * size);
  answer_add_hex(&text, bytes, size);
  answer_end(answer, &text);
}

static void
leds(struct simulation *simulation, struct reader *reader, struct answer *answer)
{
  const struct mote *mote = named_mote(simulation, reader);
  struct text text;

  done(reader);
  if(mote->sky == NULL) {
    wrong(reader, "no emulated mote");
  }
  text = answer_begin_of(answer, simulation->queue.now, "leds", mote, 0);
  text_add_number(&text, sky_leds(mote));
  answer_end(answer, &text);
}

static void
add_real(struct text *text, double number)
{
  char bytes[NUMBER];

  snprintf(bytes, sizeof(bytes), " %.17g", number);
  text_add(text, bytes);
}

static void
add_whole(struct text *text, int64_t number)
{
  text_add(text, " ");
  text_add_number(text, number);
}

static void
describe(const struct simulation *simulation, const struct mote *mote, struct answer *answer)
{
  bool radio = mote_has(mote, WITH_ContikiRadio);
  struct text text = answer_begin_of(answer, simulation->queue.now, "mote", mote, 0);

  text_add_number(&text, mote->id);
  add_real(&text, mote->x), add_real(&text, mote->y), add_real(&text, mote->z);
  text_add(&text, " ");
  text_add(&text, radio ? observer_state_name(mote) : "none");
  if(radio) {
    add_whole(&text, mote->radio.seen_channel);
    add_whole(&text, mote->radio.seen_power);
    add_whole(&text, mote->radio.bytes != NULL ? to_int(mote->radio.bytes->signal) : mote->radio.signal);
  }
  answer_end(answer, &text);
}

bool
question_answered(struct simulation *simulation, struct reader *reader, struct answer *answer)
{
  if(is(reader, "peek")) {
    peek(simulation, reader, answer);
  } else if(is(reader, "leds")) {
    leds(simulation, reader, answer);
  } else if(is(reader, "motes")) {
    done(reader);
    for(uint32_t i = 0; i < simulation->present_count; i++) {
      describe(simulation, &simulation->motes[simulation->present[i]], answer);
    }
  } else {
    return false;
  }
  return true;
}
