/* SPDX-License-Identifier: Apache-2.0 */
#include "run/door.h"

#include "base/memory.h"
#include "base/report.h"
#include "observation/watch.h"
#include "radio/medium.h"
#include "run/changes.h"
#include "run/door_commands.h"
#include "run/door_outputs.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

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

static void
tell(struct simulation *simulation)
{
  struct door *door = simulation->script->door;

  if(door->answers) {
    struct text text = answer_begin(&door->answer, simulation->queue.now, "at", 0);
    answer_end(&door->answer, &text);
    if(!answer_send(&door->answer, door->file)) {
      watch_abandoned();
    }
    door->answers = door->heard = false;
  }
}

static void
end(struct simulation *simulation, struct reader *reader)
{
  simulation->script->failed = !choice(reader, "yes", "no"), done(reader);
  simulation->log.closed = true;
}

/* As for a script, places and ids of motes change at once, and all else when the event is over. */
static void
obey_at_line(struct simulation *simulation, struct reader *reader)
{
  static const char *const AT_ONCE[] = {"move", "rename", "note", "log"};
  struct door *door = simulation->script->door;

  for(size_t i = 0; i < sizeof(AT_ONCE) / sizeof(AT_ONCE[0]); i++) {
    if(is(reader, AT_ONCE[i])) {
      change(simulation, reader);
      return;
    }
  }
  if(is(reader, "fork")) {
    door_refuse_branch(simulation, "it stands still at a line, in the middle of an event");
  } else if(is(reader, "remind") || is(reader, "listen") || !door_obey(simulation, reader)) {
    deferred_add(&door->deferred, reader);
  }
}

/* Nothing of the mote's code runs now. */
static void
wait_at_line(struct simulation *simulation)
{
  struct reader *reader = &simulation->script->door->commands;
  sigjmp_buf *escape = watch_escape;

  watch_escape = NULL;
  for(tell(simulation);; tell(simulation)) {
    next_line(reader);
    if(is(reader, "advance")) {
      if(door_advance(simulation, reader)) {
        break;
      }
    } else if(is(reader, "end")) {
      end(simulation, reader);
      break;
    } else {
      obey_at_line(simulation, reader);
    }
  }
  watch_escape = escape;
  simulation->due = true; /* for after_event() */
}

static void
obey_deferred(struct simulation *simulation)
{
  struct deferred *deferred = &simulation->script->door->deferred;
  struct reader reader;
  bool read_ahead = false;

  if(deferred->used == 0) {
    return;
  }
  reader = deferred_open(deferred);
  for(;;) {
    if(!read_ahead) {
      next_line(&reader);
    }
    if(is(&reader, DEFERRED_END)) {
      break;
    }
    read_ahead = door_add_type(simulation, &reader);
    if(read_ahead) {
      continue;
    }
    if(!door_obey(simulation, &reader)) {
      change(simulation, &reader);
    }
  }
  deferred_close(&reader);
}

/* After an event in which something happened that the driver waits for, or in which it was told of lines. */
static void
after_event(struct simulation *simulation)
{
  struct door *door = simulation->script->door;
  sigjmp_buf *escape = watch_escape;

  simulation->due = false;
  watch_escape = NULL;
  obey_deferred(simulation);
  watch_escape = escape;
  if(door->heard && door->stops && !simulation->log.closed) {
    door_wait(simulation);
  }
}

void
door_wait(struct simulation *simulation)
{
  struct reader *reader = &simulation->script->door->commands;
  sigjmp_buf *escape = watch_escape;
  bool read_ahead = false;

  simulation->due = false;
  watch_escape = NULL; /* a command is done as a whole */
  for(tell(simulation);; tell(simulation)) {
    if(!read_ahead) {
      next_line(reader);
    }
    read_ahead = door_add_type(simulation, reader);
    if(read_ahead) {
      continue;
    }
    if(is(reader, "advance")) {
      if(door_advance(simulation, reader)) {
        watch_escape = escape;
        return;
      }
    } else if(is(reader, "end")) {
      end(simulation, reader);
      return;
    } else if(!door_obey(simulation, reader)) {
      change(simulation, reader);
    }
  }
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
  simulation->script->hand_over = after_event;
  door->at_line = wait_at_line;
  simulation->script_acts = true;
  simulation->medium->lists_active = true; /* as emulated motes need it, which may be added in the middle of transmissions */
  door_outputs_open(simulation, contain);
  watch_steps();
}
