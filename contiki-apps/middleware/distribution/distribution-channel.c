/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include "contiki.h"
#include "dev/serial-line.h"
#include "distribution-clock.h"
#include "distribution-channel.h"
#include "distribution-frames.h"
#include "pubsub-frames.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"
#include "thread-lock.h"

/* What is there for a task: values that wait, of a step; the newest one, of a target or source. */
struct inbox {
  struct thread_semaphore arrived;
  uint8_t first, count;
  struct distribution_value waiting[DISTRIBUTION_WAITING];
};

struct outgoing {
  struct distribution_frame frame;
  uint8_t node;
  uint8_t priority;
};

static struct inbox inboxes[DISTRIBUTION_TASKS];
static struct outgoing outgoing[DISTRIBUTION_FRAMES]; /* the most urgent first */
static uint8_t outgoing_count;
static bool sending;
static uint16_t frame_number;

PROCESS(distribution_line_process, "Distribution's serial line");
/*---------------------------------------------------------------------------*/
static struct inbox *
inbox_of(uint8_t task, const struct distribution_task **found)
{
  for(uint8_t i = 0; i < distribution_node.tasks_count; i++) {
    if(distribution_node.tasks[i].number == task) {
      *found = &distribution_node.tasks[i];
      return &inboxes[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
/* A later job's value replaces what a target could read; one that was overtaken is of no use. */
static void
keep(struct inbox *inbox, const struct distribution_value *value)
{
  struct distribution_value *newest = &inbox->waiting[0];

  if(!newest->known || (int32_t)(value->stamp - newest->stamp) >= 0) {
    *newest = *value;
  }
}
/*---------------------------------------------------------------------------*/
static void
take_in(uint8_t task, const struct distribution_value *value)
{
  const struct distribution_task *found;
  struct inbox *inbox = inbox_of(task, &found);

  if(inbox == NULL || found->kind == DISTRIBUTION_SOURCE || found->kind == DISTRIBUTION_LOAD) {
    distribution_counters.values_malformed++;
  } else if(found->kind == DISTRIBUTION_TARGET) {
    keep(inbox, value);
  } else if(inbox->count == DISTRIBUTION_WAITING) {
    distribution_counters.channel_full++;
  } else {
    inbox->waiting[(inbox->first + inbox->count++) % DISTRIBUTION_WAITING] = *value;
    thread_semaphore_post(&inbox->arrived);
  }
}
/*---------------------------------------------------------------------------*/
static void send_next(void);

static void
sent(bool transmitted)
{
  sending = false;
  send_next();
}
/*---------------------------------------------------------------------------*/
/* A base station's line to its gateway: `#` and hexadecimal digits, as the event service's. */
static void
write_line(uint16_t mote, const uint8_t *body)
{
  uint8_t frame[PUBSUB_FRAME_HEADER_SIZE + DISTRIBUTION_FRAME_BODY];

  frame[0] = PUBSUB_FRAME_VERSION << 4 | PUBSUB_FRAME_DISTRIBUTED;
  pubsub_put16(frame + 1, pubsub_routing_self());
  pubsub_put16(frame + 3, mote);
  pubsub_put16(frame + 5, ++frame_number);
  memcpy(frame + PUBSUB_FRAME_HEADER_SIZE, body, DISTRIBUTION_FRAME_BODY);
  printf("#");
  for(unsigned i = 0; i < sizeof(frame); i++) {
    printf("%02x", frame[i]);
  }
  printf("\n");
}
/*---------------------------------------------------------------------------*/
static void
send_next(void)
{
  uint8_t body[DISTRIBUTION_FRAME_BODY];

  while(outgoing_count > 0 && !sending) {
    uint16_t mote = distribution_node.motes[outgoing[0].node];

    distribution_frame_encode(&outgoing[0].frame, body);
    memmove(outgoing, outgoing + 1, --outgoing_count * sizeof(outgoing[0]));
    if(distribution_node.radio) {
      sending = true;
      pubsub_routing_send(PUBSUB_FRAME_DISTRIBUTED, mote, body, sizeof(body), sent);
    } else {
      write_line(mote, body);
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
send(uint8_t node, uint8_t priority, const struct distribution_frame *frame)
{
  uint8_t place = outgoing_count;

  if(node >= distribution_node.motes_count) {
    return;
  }
  if(outgoing_count == DISTRIBUTION_FRAMES) {
    distribution_counters.channel_full++;
    return;
  }
  while(place > 0 && outgoing[place - 1].priority < priority) {
    outgoing[place] = outgoing[place - 1];
    place--;
  }
  outgoing[place] = (struct outgoing){ *frame, node, priority };
  outgoing_count++;
  send_next();
}
/*---------------------------------------------------------------------------*/
void
distribution_channel_push(uint8_t task, const struct distribution_value *value)
{
  for(uint8_t i = 0; i < distribution_node.links_count; i++) {
    const struct distribution_link *link = &distribution_node.links[i];

    if(link->from != task) {
      continue;
    }
    if(link->node == distribution_node.node) {
      take_in(link->to, value);
    } else {
      struct distribution_frame frame = {
        DISTRIBUTION_VALUE, link->to, value->job, value->stamp, value->error
      };

      distribution_counters.values_sent++;
      send(link->node, link->priority, &frame);
    }
  }
}
/*---------------------------------------------------------------------------*/
void
distribution_channel_ask(void)
{
  struct distribution_frame frame = { DISTRIBUTION_CLOCK_REQUEST, 0, distribution_node.node, 0, 0 };

  frame.stamp = distribution_clock_own();
  send(0, 0, &frame);
}
/*---------------------------------------------------------------------------*/
static bool
input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct distribution_frame frame;
  struct distribution_value value = { true };

  if(!distribution_frame_decode(&frame, body, length)) {
    distribution_counters.values_malformed++;
    return false;
  }
  switch(frame.kind) {
  case DISTRIBUTION_VALUE:
    distribution_counters.values_received++;
    value.job = frame.job;
    value.stamp = frame.stamp;
    value.error = frame.other;
    take_in(frame.task, &value);
    break;
  case DISTRIBUTION_CLOCK_REQUEST:
    frame.kind = DISTRIBUTION_CLOCK_REPLY;
    frame.other = distribution_clock_now();
    send((uint8_t)frame.job, 0, &frame);
    break;
  default:
    distribution_clock_answered(frame.stamp, frame.other);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static void
read_line(const char *line)
{
  uint8_t frame[PUBSUB_FRAME_HEADER_SIZE + DISTRIBUTION_FRAME_BODY];
  uint8_t size = 0;
  int octet;

  for(line++; size < sizeof(frame) && (octet = pubsub_hex_octet(line)) >= 0; line += 2) {
    frame[size++] = octet;
  }
  if(*line != '\0' || size != sizeof(frame)
     || frame[0] != (PUBSUB_FRAME_VERSION << 4 | PUBSUB_FRAME_DISTRIBUTED)) {
    distribution_counters.values_malformed++;
    return;
  }
  input(pubsub_get16(frame + 1), frame + PUBSUB_FRAME_HEADER_SIZE, DISTRIBUTION_FRAME_BODY);
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(distribution_line_process, ev, data)
{
  PROCESS_BEGIN();

  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == serial_line_event_message && data != NULL);
    if(*(const char *)data == '#') {
      read_line(data);
    }
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
void
distribution_channel_wait(uint8_t task, struct distribution_value *value)
{
  const struct distribution_task *found;
  struct inbox *inbox = inbox_of(task, &found);

  thread_semaphore_wait(&inbox->arrived);
  *value = inbox->waiting[inbox->first];
  inbox->first = (inbox->first + 1) % DISTRIBUTION_WAITING;
  inbox->count--;
}
/*---------------------------------------------------------------------------*/
const struct distribution_value *
distribution_channel_newest(uint8_t task)
{
  const struct distribution_task *found;
  static const struct distribution_value none;
  struct inbox *inbox = inbox_of(task, &found);

  return inbox == NULL ? &none : &inbox->waiting[0];
}
/*---------------------------------------------------------------------------*/
void
distribution_channel_update(uint8_t task, const struct distribution_value *value)
{
  const struct distribution_task *found;
  struct inbox *inbox = inbox_of(task, &found);

  if(inbox != NULL) {
    keep(inbox, value);
  }
}
/*---------------------------------------------------------------------------*/
void
distribution_channel_init(void)
{
  static struct pubsub_protocol protocol = { NULL, PUBSUB_FRAME_DISTRIBUTED, input, NULL };
  static const struct inbox empty = { THREAD_SEMAPHORE(0), 0, 0, { { false } } };

  for(unsigned i = 0; i < DISTRIBUTION_TASKS; i++) {
    inboxes[i] = empty;
  }
  outgoing_count = 0;
  sending = false;
  if(distribution_node.radio) {
    pubsub_routing_add_protocol(&protocol);
  } else {
    process_start(&distribution_line_process, NULL);
  }
}
