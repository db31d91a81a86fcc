/* SPDX-License-Identifier: Apache-2.0 */
#include "run/door.h"

#include "base/memory.h"
#include "base/report.h"
#include "observation/watch.h"
#include "operation/population.h"
#include "operation/serial_input.h"
#include "radio/medium.h"
#include "run/description.h"
#include "run/mote_types.h"
#include "script/script.h"

#include <errno.h>
#include <float.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { LONGEST_HEAD = 64 /* bytes before a line's text */ };

static const int64_t LATEST = INT64_C(1) << 53; /* us; as in a description */

struct door {
  int file;
  struct reader commands;
  enum listened { NOTHING, LINES, BYTES } *listened; /* by mote */
  bool stops;     /* the simulation stands still after a listened mote's line */
  bool answers;   /* the driver waits for an answer */
  char *answer;
  size_t used, size;
};

/* While the driver says nothing, the log is flushed all the same: signals end poll(). */
static ssize_t
read_commands(void *context, char *bytes, size_t size)
{
  struct simulation *simulation = context;
  int file = simulation->script->door->file;
  struct pollfd end = {.fd = file, .events = POLLIN};
  ssize_t count;

  do {
    while(poll(&end, 1, -1) < 0 && errno == EINTR) {
      if(watch_wanted) {
        watch_step(); /* the driver may take its time */
        watch_attend();
      }
    }
    count = recv(file, bytes, size, 0);
  } while(count < 0 && errno == EINTR);
  if(count <= 0) {
    watch_abandoned();
  }
  return count;
}

static void
send_answer(struct simulation *simulation)
{
  struct door *door = simulation->script->door;

  for(size_t done = 0; done < door->used;) {
    ssize_t count = send(door->file, door->answer + done, door->used - done, MSG_NOSIGNAL);
    if(count < 0 && errno != EINTR) {
      watch_abandoned();
    }
    done += count > 0 ? (size_t)count : 0;
  }
  door->used = 0;
}

/* Begins one more line of the answer, "WORD TIME"; it has room for so many more bytes. */
static struct text
begin_answer(struct simulation *simulation, const char *word, size_t length)
{
  struct door *door = simulation->script->door;
  struct text text;

  length += door->used + LONGEST_HEAD;
  if(length > door->size) {
    door->size = 2 * length;
    door->answer = reallocate(door->answer, door->size, 1);
  }
  text = (struct text){door->answer + door->used, 0, door->size - door->used};
  text_add(&text, word);
  text_add(&text, " ");
  text_add_number(&text, simulation->queue.now);
  return text;
}

/* "WORD TIME MOTE ": what a mote did, at which the simulation may stand still. */
static struct text
begin_answer_of(struct simulation *simulation, const char *word, const struct mote *mote, size_t length)
{
  struct text text = begin_answer(simulation, word, length);

  text_add(&text, " ");
  text_add_number(&text, mote->index);
  text_add(&text, " ");
  simulation->script->due_us = simulation->script->door->stops ? INT64_MIN : INT64_MAX;
  return text;
}

static void
answer_output(struct simulation *simulation, const struct mote *mote, enum listened what, const char *bytes, size_t length)
{
  static const char DIGITS[] = "0123456789abcdef";
  struct text text = begin_answer_of(simulation, what == LINES ? "line" : "bytes", mote, 2 * length);

  for(size_t i = 0; what == BYTES && i < length; i++) {
    text.bytes[text.used++] = DIGITS[(uint8_t)bytes[i] >> 4];
    text.bytes[text.used++] = DIGITS[bytes[i] & 15];
  }
  if(what == LINES) {
    memcpy(text.bytes + text.used, bytes, length);
    text.used += length;
  }
  text.bytes[text.used++] = '\n';
  simulation->script->door->used += text.used;
}

/* Writes a line into the log as the scripts of our own templates do. */
static void
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
take_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length)
{
  struct door *door = simulation->script->door;
  uint64_t before = log_position(&simulation->log);

  log_line(simulation, mote->id, text, length);
  serial_keep_place(&mote->serial, before, log_position(&simulation->log));
  if(log_position(&simulation->log) > simulation->log.limit) {
    watch_log_full();
  }
  if(door->listened[mote->index] == LINES) {
    answer_output(simulation, mote, LINES, text, length);
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

  memcpy(text.bytes + text.used, report, length);
  simulation->script->door->used += text.used + length;
  population_unplug(simulation, mote);
}

void
door_open(struct simulation *simulation, int file, bool contain)
{
  struct door *door = allocate(1, sizeof(*door));

  door->file = file;
  door->commands.name = "what the driver of the simulation says";
  door->commands.file = fopencookie(simulation, "r", (cookie_io_functions_t){.read = read_commands});
  door->listened = allocate(simulation->mote_capacity, sizeof(*door->listened));
  simulation->script->door = door;
  simulation->script->hand_over = door_wait;
  simulation->script_acts = true;
  simulation->line = take_line;
  simulation->printed = take_bytes;
  simulation->fell = contain ? take_fall : NULL;
  watch_steps();
}

static struct mote *
mote_of(struct simulation *simulation, struct reader *reader)
{
  return &simulation->motes[whole_number(reader, 0, (int64_t)simulation->mote_count - 1)];
}

static struct mote *
present_mote(struct simulation *simulation, struct reader *reader)
{
  struct mote *mote = mote_of(simulation, reader);

  if(mote->removed) {
    wrong(reader, "that mote is not in the simulation any more");
  }
  return mote;
}

/* Returns false if that time has been reached already: then only the clock goes on. */
static bool
advance(struct simulation *simulation, struct reader *reader)
{
  struct door *door = simulation->script->door;
  int64_t until = whole_number(reader, 0, LATEST);

  door->stops = choice(reader, "yes", "no"), done(reader);
  door->answers = true;
  if(until > simulation->queue.wheel_time) {
    queue_insert_first(&simulation->queue, &simulation->timeout, until);
    watch_step();
    return true;
  }
  if(until > simulation->queue.now) {
    simulation->queue.now = until;
  }
  return false;
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

static void
listen_to(struct simulation *simulation, struct reader *reader)
{
  enum listened *listened = &simulation->script->door->listened[mote_of(simulation, reader)->index];
  const char *what = word(reader);

  done(reader);
  *listened = strcmp(what, "lines") == 0 ? LINES : strcmp(what, "bytes") == 0 ? BYTES : NOTHING;
}

static void
note(struct simulation *simulation, struct reader *reader)
{
  int id = (int)whole_number(reader, INT32_MIN, INT32_MAX);
  const char *text = reader->rest == NULL ? "" : reader->rest;

  log_line(simulation, id, text, strlen(text));
}

static void
add_type(struct simulation *simulation, struct reader *reader)
{
  struct mote_type *type = description_type(reader, simulation, false);

  type->capacity = simulation->mote_capacity;
  mote_type_open(simulation, type);
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
move(struct simulation *simulation, struct reader *reader)
{
  struct mote *mote = present_mote(simulation, reader);
  double x = real_number(reader, -DBL_MAX, DBL_MAX), y = real_number(reader, -DBL_MAX, DBL_MAX);
  double z = real_number(reader, -DBL_MAX, DBL_MAX);

  done(reader);
  population_move(simulation, mote, x, y, z);
}

static void
change(struct simulation *simulation, struct reader *reader)
{
  struct mote *mote;

  if(is(reader, "write")) {
    write_bytes(simulation, reader);
  } else if(is(reader, "note")) {
    note(simulation, reader);
  } else if(is(reader, "listen")) {
    listen_to(simulation, reader);
  } else if(is(reader, "add")) {
    add_mote(simulation, reader);
  } else if(is(reader, "edge")) {
    add_edge(simulation, reader);
  } else if(is(reader, "remove")) {
    mote = present_mote(simulation, reader), done(reader);
    population_unplug(simulation, mote);
  } else if(is(reader, "move")) {
    move(simulation, reader);
  } else if((mote = description_own_strength(reader, simulation)) != NULL) {
    medium_mark(simulation->medium, mote);
  } else {
    wrong(reader, "an unknown command (see door.h)");
  }
}

static void
tell(struct simulation *simulation)
{
  struct door *door = simulation->script->door;

  if(door->answers) {
    struct text text = begin_answer(simulation, "at", 0);
    text_add(&text, "\n");
    door->used += text.used;
    send_answer(simulation);
    door->answers = false;
  }
}

void
door_wait(struct simulation *simulation)
{
  struct reader *reader = &simulation->script->door->commands;
  sigjmp_buf *escape = watch_escape;
  bool read_ahead = false;

  simulation->script->due_us = INT64_MAX;
  watch_escape = NULL; /* a command is done as a whole */
  for(tell(simulation);; tell(simulation)) {
    if(!read_ahead) {
      next_line(reader);
    }
    read_ahead = is(reader, "type");
    if(read_ahead) {
      add_type(simulation, reader);
    } else if(is(reader, "advance")) {
      if(advance(simulation, reader)) {
        watch_escape = escape;
        return;
      }
    } else if(is(reader, "end")) {
      simulation->script->failed = !choice(reader, "yes", "no"), done(reader);
      simulation->log.closed = true;
      return;
    } else {
      change(simulation, reader);
    }
  }
}
