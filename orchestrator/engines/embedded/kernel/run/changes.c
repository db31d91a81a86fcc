/* SPDX-License-Identifier: Apache-2.0 */
#include "run/changes.h"

#include "observation/watch.h"
#include "operation/devices.h"
#include "operation/population.h"
#include "operation/requests.h"
#include "operation/serial_input.h"
#include "radio/medium.h"
#include "run/description.h"
#include "run/questions.h"
#include "sky/sky.h"
#include "ticks/tick.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_HEAD = 64 /* bytes before a line's text */ };

void
log_line(struct simulation *simulation, int id, const char *text, size_t length)
{
  char head[LONGEST_HEAD];
  struct text start = {head, 0, sizeof(head)};

  text_add_number(&start, simulation->queue.now);
  text_add(&start, "\tID:");
  text_add_number(&start, id);
  text_add(&start, "\t");
  log_append(&simulation->log, head, start.used);
  log_append(&simulation->log, text, length);
  log_append(&simulation->log, "\n", 1);
}

static void
write_bytes(struct simulation *simulation, struct reader *reader)
{
  struct mote *mote = present_mote(simulation, reader);
  size_t length;
  uint8_t *bytes = hexadecimal(reader, &length);

  done(reader);
  serial_input_write(simulation, mote, (char *)bytes, length);
  free(bytes);
}

/* The mote's code isn't woken by it, but its next tick runs. */
static void
poke(struct simulation *simulation, struct reader *reader)
{
  struct mote *mote = present_mote(simulation, reader);
  uint64_t offset = (uint64_t)whole_number(reader, 0, INT64_MAX);
  size_t length;
  uint8_t *bytes = hexadecimal(reader, &length), *at = memory_of(mote, offset, length);

  done(reader);
  if(at == NULL) {
    wrong(reader, "no data of the mote");
  }
  memcpy(at, bytes, length);
  if(mote->sky != NULL) {
    sky_memory_changed(mote, (uint32_t)offset, (uint32_t)length);
  } else {
    mote_must_tick(mote);
  }
  free(bytes);
}

static void
note(struct simulation *simulation, struct reader *reader)
{
  int id = (int)whole_number(reader, INT32_MIN, INT32_MAX);
  const char *text = reader->rest == NULL ? "" : reader->rest;

  log_line(simulation, id, text, strlen(text));
}

static void
log_text(struct simulation *simulation, struct reader *reader)
{
  size_t length;
  uint8_t *bytes = hexadecimal(reader, &length);

  done(reader);
  log_append(&simulation->log, (const char *)bytes, length);
  free(bytes);
  if(log_position(&simulation->log) > simulation->log.limit) {
    watch_log_full();
  }
}

static void
add_mote(struct simulation *simulation, struct reader *reader)
{
  struct mote mote = description_mote(reader, simulation);

  population_plug_in(simulation, &mote);
}

static void
add_edge(struct simulation *simulation, struct reader *reader)
{
  struct edge edge;
  uint32_t source = description_edge(reader, simulation, &edge);

  directed_graph_add(simulation, source, edge);
}

static void
change_link(struct simulation *simulation, struct reader *reader)
{
  struct edge edge;
  uint32_t source = description_edge(reader, simulation, &edge);

  directed_graph_set(simulation, source, edge);
}

static void
cut_link(struct simulation *simulation, struct reader *reader)
{
  uint32_t source = named_mote(simulation, reader)->index, destination = named_mote(simulation, reader)->index;

  done(reader);
  if(simulation->medium->rules != &directed_graph) {
    wrong(reader, "this medium has no edges");
  }
  directed_graph_cut(simulation, source, destination);
}

/* Frames under way go on as they began. */
static void
set_medium(struct simulation *simulation, struct reader *reader)
{
  struct medium *medium = simulation->medium;

  if(!medium->rules->placed) {
    wrong(reader, "this medium has no ranges");
  }
  medium->transmission_range = real_number(reader, 0, DBL_MAX);
  medium->interference_range = real_number(reader, 0, DBL_MAX);
  medium->transmission_ratio = real_number(reader, 0, 1);
  medium->reception_ratio = real_number(reader, 0, 1), done(reader);
  medium->placement++; /* who is within them is found anew */
}

static void
move(struct simulation *simulation, struct reader *reader)
{
  struct mote *mote = present_mote(simulation, reader);
  double x = real_number(reader, -DBL_MAX, DBL_MAX), y = real_number(reader, -DBL_MAX, DBL_MAX);
  double z = real_number(reader, -DBL_MAX, DBL_MAX);

  done(reader);
  population_move(simulation, mote, x, y, z);
}

static void
rename_mote(struct simulation *simulation, struct reader *reader)
{
  struct mote *mote = named_mote(simulation, reader);
  int id = (int)whole_number(reader, INT32_MIN, INT32_MAX);

  done(reader);
  mote_set_id(simulation, mote, id);
}

/* What a script may do with a mote by a call without arguments. */
static bool
operate(struct simulation *simulation, struct reader *reader)
{
  static const struct {
    const char *keyword;
    enum operation operation;
  } OPERATIONS[] = {
    {"press", PRESS}, {"release", RELEASE}, {"click", CLICK},       {"signal-pir", SIGNAL_PIR},
    {"vibrate", VIBRATE}, {"take-out", REMOVE}, {"put-back", ADD},
  };

  for(size_t i = 0; i < sizeof(OPERATIONS) / sizeof(OPERATIONS[0]); i++) {
    if(is(reader, OPERATIONS[i].keyword)) {
      struct mote *mote = named_mote(simulation, reader);
      done(reader);
      requests_add(simulation, OPERATIONS[i].operation, mote, 0, NULL, 0);
      requests_execute(simulation);
      return true;
    }
  }
  return false;
}

void
change(struct simulation *simulation, struct reader *reader)
{
  static const struct {
    const char *keyword;
    void (*obey)(struct simulation *simulation, struct reader *reader);
  } COMMANDS[] = {
    {"write", write_bytes}, {"poke", poke},        {"note", note},         {"log", log_text}, {"add", add_mote}, {"edge", add_edge},
    {"link", change_link},  {"unlink", cut_link},  {"medium", set_medium}, {"move", move},    {"rename", rename_mote},
  };
  struct mote *mote;

  for(size_t i = 0; i < sizeof(COMMANDS) / sizeof(COMMANDS[0]); i++) {
    if(is(reader, COMMANDS[i].keyword)) {
      COMMANDS[i].obey(simulation, reader);
      return;
    }
  }
  if(is(reader, "remove")) {
    mote = present_mote(simulation, reader), done(reader);
    population_unplug(simulation, mote);
  } else if((mote = description_own_strength(reader, simulation)) != NULL) {
    medium_mark(simulation->medium, mote);
  } else if(!operate(simulation, reader)) {
    wrong(reader, "an unknown command (see door.h)");
  }
}
