/* SPDX-License-Identifier: Apache-2.0 */
#include "script/javascript.h"

#include "base/memory.h"
#include "base/report.h"
#include "observation/watch.h"
#include "operation/devices.h"
#include "operation/population.h"
#include "operation/requests.h"
#include "outside/outside.h"
#include "script/script.h"
#include "script/script_files.h"
#include "ticks/tick.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { LONGEST = 1 << 26 /* bytes behind one message */, BUFFER = 64 * 1024, AT_ONCE = 64 * 1024 /* bytes of lines */ };

static const int64_t LONGEST_WAIT_US = 10000000; /* simulated time that is lost if the script decides at a waiting line */

struct conversation {
  int file; /* the socket */
  uint8_t buffer[BUFFER];
  size_t taken, filled;
  char *bytes; /* that followed the message read last */
  size_t size;
  char *waiting; /* lines for a script that stands aside */
  size_t waiting_size, waiting_used;
};

static void
send_message(struct simulation *simulation, struct message message, const void *text, size_t length)
{
  struct iovec parts[] = {{&message, sizeof(message)}, {(void *)(uintptr_t)text, length}};
  struct msghdr all = {.msg_iov = parts, .msg_iovlen = 2};

  message.length = (uint32_t)length;
  while(parts[0].iov_len + parts[1].iov_len > 0) {
    ssize_t done = sendmsg(simulation->script->conversation->file, &all, MSG_NOSIGNAL);
    if(done < 0 && errno != EINTR) {
      watch_abandoned();
    }
    for(int i = 0; i < 2 && done > 0; i++) {
      size_t part = (size_t)done < parts[i].iov_len ? (size_t)done : parts[i].iov_len;
      parts[i].iov_base = (char *)parts[i].iov_base + part;
      parts[i].iov_len -= part;
      done -= (ssize_t)part;
    }
  }
}

/* Waits until the script has sent something. A signal ends poll(), so that meanwhile the log is flushed and the run's limit
   is observed. */
static void
wait_for_script(int file)
{
  struct pollfd end = {.fd = file, .events = POLLIN};

  watch_script(true);
  while(poll(&end, 1, -1) < 0 && errno == EINTR) {
    if(watch_wanted) {
      watch_attend();
    }
  }
  watch_script(false);
}

static void
receive(struct simulation *simulation, void *to, size_t count)
{
  struct conversation *talk = simulation->script->conversation;
  uint8_t *at = to;

  while(count > 0) {
    size_t part = talk->filled - talk->taken < count ? talk->filled - talk->taken : count;
    memcpy(at, talk->buffer + talk->taken, part);
    talk->taken += part;
    at += part;
    count -= part;
    if(count > 0) {
      ssize_t done = recv(talk->file, talk->buffer, BUFFER, MSG_DONTWAIT);
      if(done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        wait_for_script(talk->file);
      } else if(done == 0 || (done < 0 && errno != EINTR)) {
        watch_abandoned();
      }
      talk->taken = 0;
      talk->filled = done > 0 ? (size_t)done : 0;
    }
  }
}

static struct message
next(struct simulation *simulation)
{
  struct conversation *talk = simulation->script->conversation;
  struct message message;

  receive(simulation, &message, sizeof(message));
  if(message.length > LONGEST) {
    report_error(ERROR_KERNEL, "a message of the script has %u bytes", message.length);
  }
  if(message.length > talk->size) {
    talk->size = message.length;
    talk->bytes = reallocate(talk->bytes, talk->size, 1);
  }
  receive(simulation, talk->bytes, message.length);
  return message;
}

static struct mote *
mote_of(const struct simulation *simulation, const struct message *message)
{
  if(message->mote >= simulation->mote_count) {
    report_error(ERROR_KERNEL, "a message of the script names mote %u of %u", message->mote, simulation->mote_count);
  }
  return &simulation->motes[message->mote];
}

static void
write_log(struct simulation *simulation, size_t length)
{
  log_append(&simulation->log, simulation->script->conversation->bytes, length);
  if(log_position(&simulation->log) > simulation->log.limit) {
    watch_log_full();
  }
}

static void
answer_with_motes(struct simulation *simulation, struct message reply)
{
  int32_t *motes = allocate(simulation->present_count + 1, 2 * sizeof(*motes));

  for(uint32_t i = 0; i < simulation->present_count; i++) {
    motes[2 * i] = (int32_t)simulation->present[i];
    motes[2 * i + 1] = simulation->motes[simulation->present[i]].id;
  }
  send_message(simulation, reply, motes, simulation->present_count * 2 * sizeof(*motes));
  free(motes);
}

static void
answer(struct simulation *simulation, const struct message *question)
{
  struct message reply = {.kind = question->kind};
  const struct mote *mote;
  struct mote *generated;

  switch(question->kind) {
  case MESSAGE_GENERATE_MOTE:
    generated = population_generate(simulation, question->number);
    requests_add(simulation, WAKE, generated, 0, NULL, 0);
    reply.mote = generated->index;
    break;
  case MESSAGE_MOTES:
    answer_with_motes(simulation, reply);
    return;
  case MESSAGE_IS_PRESSED:
    reply.number = device_button_is_down(mote_of(simulation, question));
    break;
  default:
    mote = mote_of(simulation, question);
    reply.number = mote->id;
    reply.x = mote->x, reply.y = mote->y, reply.z = mote->z;
    reply.mote = (uint32_t)(mote->type - simulation->types);
  }
  send_message(simulation, reply, NULL, 0);
}

static void
obey(struct simulation *simulation, const struct message *message)
{
  static const enum operation OPERATIONS[] = {ADD, REMOVE, WRITE, GENERATE, PRESS, RELEASE, CLICK, SIGNAL_PIR, VIBRATE};
  const char *bytes = simulation->script->conversation->bytes;

  switch(message->kind) {
  case MESSAGE_LOG:
    write_log(simulation, message->length);
    break;
  case MESSAGE_MOVE:
    population_move(simulation, mote_of(simulation, message), message->x, message->y, message->z);
    break;
  case MESSAGE_SET_ID:
    mote_set_id(simulation, mote_of(simulation, message), (int)message->number);
    break;
  case MESSAGE_APPEND:
  case MESSAGE_WRITE_FILE:
    script_files_write(simulation, bytes, message->length, message->kind == MESSAGE_WRITE_FILE);
    break;
  case MESSAGE_SPEED:
    outside_set_speed(simulation, message->x);
    break;
  case MESSAGE_ADD:
  case MESSAGE_REMOVE:
  case MESSAGE_WRITE:
  case MESSAGE_GENERATE:
  case MESSAGE_PRESS:
  case MESSAGE_RELEASE:
  case MESSAGE_CLICK:
  case MESSAGE_SIGNAL_PIR:
  case MESSAGE_VIBRATE:
    requests_add(simulation, OPERATIONS[message->kind - MESSAGE_ADD], mote_of(simulation, message), message->number, bytes,
                    message->length);
    break;
  case MESSAGE_GENERATE_MOTE:
  case MESSAGE_MOTES:
  case MESSAGE_MOTE:
  case MESSAGE_IS_PRESSED:
    answer(simulation, message);
    break;
  default:
    report_error(ERROR_KERNEL, "the script sent an unknown message, %u", message->kind);
  }
}

static void
until_it_waits(struct simulation *simulation)
{
  for(;;) {
    struct message message = next(simulation);
    if(message.kind == MESSAGE_WAIT) {
      return;
    }
    if(message.kind == MESSAGE_VERDICT) {
      simulation->log.closed = true;
      simulation->script->failed = message.number != 1;
      if(simulation->script->aside && message.x >= 0) { /* nothing that the simulation did after that line is visible */
        simulation->script->decided_us = (int64_t)message.x;
      }
      return;
    }
    obey(simulation, &message);
  }
}

/* Gives a script that stands aside the lines that wait for it. */
static void
hand_over(struct simulation *simulation)
{
  struct conversation *talk = simulation->script->conversation;

  if(talk->waiting_used > 0) {
    send_message(simulation, (struct message){.kind = MESSAGE_LINES}, talk->waiting, talk->waiting_used);
    talk->waiting_used = 0;
    simulation->script->due_us = INT64_MAX;
    until_it_waits(simulation);
  }
}

static void
add_line(struct simulation *simulation, const struct mote *mote, const char *text, size_t length)
{
  struct conversation *talk = simulation->script->conversation;
  size_t most = talk->waiting_used + length + 48; /* two numbers, two blanks, the line's end */

  if(most > talk->waiting_size) {
    talk->waiting_size = 2 * most;
    talk->waiting = reallocate(talk->waiting, talk->waiting_size, 1);
  }
  if(talk->waiting_used == 0) {
    simulation->script->due_us = simulation->queue.now + LONGEST_WAIT_US;
  }
  talk->waiting_used += (size_t)snprintf(talk->waiting + talk->waiting_used, 47, "%d %lld ", mote->id, (long long)simulation->queue.now);
  memcpy(talk->waiting + talk->waiting_used, text, length);
  talk->waiting_used += length;
  talk->waiting[talk->waiting_used++] = '\n';
  if(talk->waiting_used >= AT_ONCE) {
    hand_over(simulation);
  }
}

static void
javascript_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length)
{
  struct message message = {
    .kind = MESSAGE_LINE, .mote = mote->index, .number = simulation->queue.now, .x = mote->id,
  };

  if(simulation->script->aside && !simulation->log.closed) {
    add_line(simulation, mote, text, length);
  } else if(!simulation->log.closed) {
    send_message(simulation, message, text, length);
    until_it_waits(simulation);
  }
}

void
javascript_open(struct simulation *simulation, int socket)
{
  simulation->line = javascript_line;
  simulation->script->hand_over = hand_over;
  simulation->script->conversation = allocate(1, sizeof(struct conversation));
  simulation->script->conversation->file = socket;
  until_it_waits(simulation);
}

void
javascript_timeout(struct simulation *simulation)
{
  hand_over(simulation);
  if(simulation->log.closed) {
    return;
  }
  send_message(simulation, (struct message){.kind = MESSAGE_TIMEOUT, .number = simulation->queue.now}, NULL, 0);
  until_it_waits(simulation);
}
