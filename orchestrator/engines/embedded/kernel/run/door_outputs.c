/* SPDX-License-Identifier: Apache-2.0 */
#include "run/door_outputs.h"

#include "observation/watch.h"
#include "operation/population.h"
#include "run/changes.h"

#include <string.h>

void
door_heard(struct simulation *simulation)
{
  struct door *door = simulation->script->door;

  door->heard = true;
  simulation->due = door->stops || door->deferred.used > 0;
}

/* Begins a line about what a mote did, at which the simulation may stand still. */
static struct text
begin_answer_of(struct simulation *simulation, const char *word, const struct mote *mote, size_t length)
{
  struct door *door = simulation->script->door;

  door_heard(simulation);
  return answer_begin_of(&door->answer, simulation->queue.now, word, mote, length);
}

static void
end_answer(struct simulation *simulation, struct text *text)
{
  answer_end(&simulation->script->door->answer, text);
}

static void
answer_output(struct simulation *simulation, const struct mote *mote, enum listened what, const char *bytes, size_t length)
{
  struct text text = begin_answer_of(simulation, what == LINES ? "line" : "bytes", mote, 2 * length);

  if(what == BYTES) {
    answer_add_hex(&text, bytes, length);
  } else {
    memcpy(text.bytes + text.used, bytes, length);
    text.used += length;
  }
  end_answer(simulation, &text);
}

static void
take_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length)
{
  struct door *door = simulation->script->door;
  uint64_t before = log_position(&simulation->log);

  if(!door->logs_nothing) {
    log_line(simulation, mote->id, text, length);
    serial_keep_place(&mote->serial, before, log_position(&simulation->log));
  }
  if(log_position(&simulation->log) > simulation->log.limit) {
    watch_log_full();
  }
  if(door->listened[mote->index] == LINES) {
    answer_output(simulation, mote, LINES, text, length);
    if(door->at_lines && !simulation->log.closed) {
      door->at_line(simulation);
    }
  }
}

static void
take_bytes(struct simulation *simulation, struct mote *mote, const uint8_t *bytes, size_t length)
{
  if(simulation->script->door->listened[mote->index] == BYTES) {
    answer_output(simulation, mote, BYTES, (const char *)bytes, length);
  }
}

/* A mote that fell is one without power. */
static void
take_fall(struct simulation *simulation, struct mote *mote, const char *report, size_t length)
{
  struct text text = begin_answer_of(simulation, "fell", mote, length);

  memcpy(text.bytes + text.used, report, length); /* with the line's end */
  simulation->script->door->answer.used += text.used + length;
  population_unplug(simulation, mote);
}

void
door_take_frame(struct simulation *simulation, struct mote *mote, int64_t began, const struct packet *packet)
{
  struct text text = answer_begin_of(&simulation->script->door->answer, began, "frame", mote, 2 * packet->size);

  text_add_number(&text, mote->radio.seen_channel);
  text_add(&text, " ");
  text_add_number(&text, mote->radio.seen_power);
  text_add(&text, " ");
  answer_add_hex(&text, packet->bytes, packet->size);
  end_answer(simulation, &text);
}

void
door_outputs_open(struct simulation *simulation, bool contain)
{
  simulation->line = take_line;
  simulation->printed = take_bytes;
  simulation->fell = contain ? take_fall : NULL;
}
