/* SPDX-License-Identifier: Apache-2.0 */
#include "run/door_commands.h"

#include "base/memory.h"
#include "observation/watch.h"
#include "run/description.h"
#include "run/door_outputs.h"
#include "run/mote_types.h"
#include "run/questions.h"

#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_REASON = 400 /* bytes */ };

static const int64_t LATEST = INT64_C(1) << 53; /* us; as in a description */

struct reminder { /* of the driver's, for itself */
  struct time_event time_event; /* first member */
  size_t length;
  uint8_t bytes[];
};

static void
remind(struct simulation *simulation, struct time_event *time_event)
{
  struct reminder *reminder = (struct reminder *)time_event;
  struct door *door = simulation->script->door;
  struct text text = answer_begin(&door->answer, simulation->queue.now, "reminder", 2 * reminder->length);

  text_add(&text, " ");
  answer_add_hex(&text, reminder->bytes, reminder->length);
  answer_end(&door->answer, &text);
  door_heard(simulation);
  free(reminder);
}

bool
door_advance(struct simulation *simulation, struct reader *reader)
{
  struct door *door = simulation->script->door;
  int64_t until = whole_number(reader, 0, LATEST);
  const char *how = word(reader);

  door->at_lines = strcmp(how, "line") == 0;
  door->stops = door->at_lines || strcmp(how, "yes") == 0, done(reader);
  door->answers = true;
  if(until > queue_present(&simulation->queue)) {
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

bool
door_add_type(struct simulation *simulation, struct reader *reader)
{
  bool sky = is(reader, "sky");
  struct mote_type *type;

  if(!sky && !is(reader, "type")) {
    return false;
  }
  type = description_type(reader, simulation, sky);
  type->capacity = simulation->mote_capacity;
  mote_type_open(simulation, type);
  return true;
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

void
door_refuse_branch(struct simulation *simulation, const char *why)
{
  struct door *door = simulation->script->door;
  struct text text = answer_begin(&door->answer, simulation->queue.now, "refused", strlen(why));

  for(unsigned i = 0; i < door->file_count; i++) {
    close(door->files[i]);
  }
  door->file_count = 0;
  door->answers = true;
  text_add(&text, " ");
  text_add(&text, why);
  answer_end(&door->answer, &text);
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
  if(number < 0) {
    why[reason.used < sizeof(why) ? reason.used : sizeof(why) - 1] = 0;
    door_refuse_branch(simulation, why);
    return;
  }
  text = answer_begin(&door->answer, simulation->queue.now, "forked", 0);
  text_add(&text, " ");
  text_add_number(&text, number);
  answer_end(&door->answer, &text);
}

bool
door_obey(struct simulation *simulation, struct reader *reader)
{
  struct door *door = simulation->script->door;

  if(is(reader, "listen")) {
    listen_to(simulation, reader);
  } else if(is(reader, "frames")) {
    simulation->sent = choice(reader, "yes", "no") ? door_take_frame : NULL, done(reader);
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
