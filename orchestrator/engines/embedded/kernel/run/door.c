/* SPDX-License-Identifier: Apache-2.0 */
#include "run/door.h"

#include "base/memory.h"
#include "base/report.h"
#include "observation/watch.h"
#include "operation/population.h"
#include "radio/medium.h"
#include "run/answer.h"
#include "run/branch.h"
#include "run/changes.h"
#include "run/description.h"
#include "run/mote_types.h"
#include "run/questions.h"
#include "script/script.h"

#include <errno.h>
#include <poll.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONGEST_REASON = 400 /* bytes */ };

static const int64_t LATEST = INT64_C(1) << 53; /* us; as in a description */

struct door {
  int file;
  struct reader commands;
  enum listened { NOTHING, LINES, BYTES } *listened; /* by mote */
  bool stops;     /* the simulation stands still after a listened mote's line */
  bool answers;   /* the driver waits for an answer */
  bool logs_nothing; /* the driver writes the log, not the motes' lines */
  struct answer answer;
  int files[BRANCH_FILES]; /* that came with the latest commands */
  unsigned file_count;
};

struct reminder { /* of the driver's, for itself */
  struct time_event time_event; /* first member */
  size_t length;
  uint8_t bytes[];
};

/* Receives bytes, and files that come with them. */
static ssize_t
receive(struct door *door, char *bytes, size_t size)
{
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(door->files))];
  } control;
  struct iovec part = {bytes, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
  ssize_t count = recvmsg(door->file, &message, MSG_CMSG_CLOEXEC);
  struct cmsghdr *head = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;

  if(head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
    door->file_count = (unsigned)((head->cmsg_len - CMSG_LEN(0)) / sizeof(door->files[0]));
    memcpy(door->files, CMSG_DATA(head), door->file_count * sizeof(door->files[0]));
  }
  return count;
}

/* While the driver says nothing, the log is flushed all the same: signals end poll(). */
static ssize_t
read_commands(void *context, char *bytes, size_t size)
{
  struct simulation *simulation = context;
  struct door *door = simulation->script->door;
  struct pollfd end = {.fd = door->file, .events = POLLIN};
  ssize_t count;

  do {
    while(poll(&end, 1, -1) < 0 && errno == EINTR) {
      if(watch_wanted) {
        watch_step(); /* the driver may take its time */
        watch_attend();
      }
    }
    count = receive(door, bytes, size);
  } while(count < 0 && errno == EINTR);
  if(count <= 0) {
    watch_abandoned();
  }
  return count;
}

/* Begins a line about what a mote did, at which the simulation may stand still. */
static struct text
begin_answer_of(struct simulation *simulation, const char *word, const struct mote *mote, size_t length)
{
  struct door *door = simulation->script->door;

  simulation->script->due_us = door->stops ? INT64_MIN : INT64_MAX;
  return answer_begin_of(&door->answer, simulation, word, mote, length);
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

/* It doesn't stand still at a frame, as nobody could answer before its end. */
static void
take_frame(struct simulation *simulation, struct mote *mote, const struct packet *packet)
{
  struct text text = answer_begin_of(&simulation->script->door->answer, simulation, "frame", mote, 2 * packet->size);

  text_add_number(&text, mote->radio.seen_channel);
  text_add(&text, " ");
  text_add_number(&text, mote->radio.seen_power);
  text_add(&text, " ");
  answer_add_hex(&text, packet->bytes, packet->size);
  end_answer(simulation, &text);
}

static void
remind(struct simulation *simulation, struct time_event *time_event)
{
  struct reminder *reminder = (struct reminder *)time_event;
  struct door *door = simulation->script->door;
  struct text text = answer_begin(&door->answer, simulation, "reminder", 2 * reminder->length);

  text_add(&text, " ");
  answer_add_hex(&text, reminder->bytes, reminder->length);
  end_answer(simulation, &text);
  simulation->script->due_us = door->stops ? INT64_MIN : INT64_MAX;
  free(reminder);
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
listen_to(struct simulation *simulation, struct reader *reader)
{
  enum listened *listened = &simulation->script->door->listened[named_mote(simulation, reader)->index];
  const char *what = word(reader);

  done(reader);
  *listened = strcmp(what, "lines") == 0 ? LINES : strcmp(what, "bytes") == 0 ? BYTES : NOTHING;
}

static void
add_type(struct simulation *simulation, struct reader *reader)
{
  struct mote_type *type = description_type(reader, simulation);

  type->capacity = simulation->mote_capacity;
  mote_type_open(simulation, type);
}

static void
add_reminder(struct simulation *simulation, struct reader *reader)
{
  int64_t delay = whole_number(reader, 0, LATEST);
  size_t length;
  uint8_t *bytes = hexadecimal(reader, &length);
  struct reminder *reminder = allocate(1, sizeof(*reminder) + length);

  done(reader);
  reminder->length = length;
  memcpy(reminder->bytes, bytes, length);
  free(bytes);
  time_event_insert(&simulation->queue, &reminder->time_event, remind, simulation->queue.now + delay);
}

/* In the branch, what is said next is said to it alone. */
static void
branch(struct simulation *simulation, struct reader *reader)
{
  struct door *door = simulation->script->door;
  const char *seed = word(reader);
  struct branch_options options = {.reseeded = strcmp(seed, "same") != 0};
  char why[LONGEST_REASON];
  struct text reason = {why, 0, sizeof(why)}, text;
  int64_t number;

  if(options.reseeded) {
    options.seed = strtoll(seed, NULL, 10);
  }
  done(reader);
  if(door->file_count != BRANCH_FILES) {
    wrong(reader, "the files of a branch don't come with it");
  }
  memcpy(options.files, door->files, sizeof(options.files));
  door->file_count = 0;
  door->answers = true;
  number = branch_fork(simulation, &options, door->file, &reason);
  if(number == 0) {
    __fpurge(door->commands.file);
    return;
  }
  for(int i = 0; i < BRANCH_FILES; i++) {
    close(options.files[i]);
  }
  text = answer_begin(&door->answer, simulation, number < 0 ? "refused" : "forked", sizeof(why));
  text_add(&text, " ");
  if(number < 0) {
    text_add_bytes(&text, why, reason.used);
  } else {
    text_add_number(&text, number);
  }
  end_answer(simulation, &text);
}

/* Obeys what concerns the driver alone; false: the line is about the simulation. */
static bool
obey(struct simulation *simulation, struct reader *reader)
{
  struct door *door = simulation->script->door;

  if(is(reader, "listen")) {
    listen_to(simulation, reader);
  } else if(is(reader, "frames")) {
    simulation->sent = choice(reader, "yes", "no") ? take_frame : NULL, done(reader);
  } else if(is(reader, "lines")) {
    door->logs_nothing = !choice(reader, "yes", "no"), done(reader);
  } else if(is(reader, "remind")) {
    add_reminder(simulation, reader);
  } else if(is(reader, "fork")) {
    branch(simulation, reader);
  } else if(is(reader, "flush")) {
    done(reader);
    watch_step(); /* the driver may have taken its time */
    watch_attend();
    door->answers = true;
  } else if(question_answered(simulation, reader, &door->answer)) {
    door->answers = true;
  } else {
    return false;
  }
  return true;
}

static void
tell(struct simulation *simulation)
{
  struct door *door = simulation->script->door;

  if(door->answers) {
    struct text text = answer_begin(&door->answer, simulation, "at", 0);
    end_answer(simulation, &text);
    if(!answer_send(&door->answer, door->file)) {
      watch_abandoned();
    }
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
    } else if(!obey(simulation, reader)) {
      change(simulation, reader);
    }
  }
}
