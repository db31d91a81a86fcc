/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "host.h"
#include "net/queuebuf.h"
#include "mean.h"
#include "pubsub-link.h"
#include "pubsub-octets.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "sys/etimer.h"

unsigned host_logged;
struct host_frame host_sent[256];
unsigned host_sent_frames;
const char *host_link_verdict;
uint16_t host_link_silent;
bool host_link_busy;
bool host_link_waits;

static clock_time_t now;
static struct ctimer *timers;
static struct process *running;
static void (*link_input)(const uint8_t *frame, uint16_t length);
static linkaddr_t sender;
static struct {
  uint16_t number;
  void (*sent)(uint16_t number, const char *reason);
} waiting[8];
static unsigned waiting_frames;
/*---------------------------------------------------------------------------*/
clock_time_t
clock_time(void)
{
  return now;
}
/*---------------------------------------------------------------------------*/
unsigned short
random_rand(void)
{
  static uint32_t state = 1;

  state = state * 1664525 + 1013904223;
  return state >> 16;
}
/*---------------------------------------------------------------------------*/
void
ctimer_stop(struct ctimer *c)
{
  struct ctimer **at;

  for(at = &timers; *at != NULL; at = &(*at)->next) {
    if(*at == c) {
      *at = c->next;
      return;
    }
  }
}
/*---------------------------------------------------------------------------*/
clock_time_t
ctimer_expiration_time(struct ctimer *c)
{
  return c->at;
}
/*---------------------------------------------------------------------------*/
void
ctimer_set(struct ctimer *c, clock_time_t t, void (*f)(void *), void *ptr)
{
  struct ctimer **at;

  ctimer_stop(c);
  c->at = now + t;
  c->f = f;
  c->ptr = ptr;
  for(at = &timers; *at != NULL && (*at)->at <= c->at; at = &(*at)->next);
  c->next = *at;
  *at = c;
}
/*---------------------------------------------------------------------------*/
void
process_post_synch(struct process *process, process_event_t ev, void *data)
{
  struct process *caller = running;

  running = process;
  if(process->line >= 0) {
    process->thread(process, ev, data);
  }
  running = caller;
}
/*---------------------------------------------------------------------------*/
void
process_poll(struct process *process)
{
  process_post_synch(process, PROCESS_EVENT_POLL, NULL);
}
/*---------------------------------------------------------------------------*/
void
process_start(struct process *process, void *data)
{
  process->line = 0;
  process_post_synch(process, PROCESS_EVENT_INIT, data);
}
/*---------------------------------------------------------------------------*/
static void
expire(void *ptr)
{
  struct etimer *et = ptr;

  et->expired = true;
  process_post_synch(et->process, PROCESS_EVENT_TIMER, et);
}
/*---------------------------------------------------------------------------*/
void
etimer_set(struct etimer *et, clock_time_t interval)
{
  et->process = running;
  et->expired = false;
  ctimer_set(&et->call, interval, expire, et);
}
/*---------------------------------------------------------------------------*/
void
host_pass(clock_time_t ms)
{
  clock_time_t end = now + ms;

  while(timers != NULL && timers->at <= end) {
    struct ctimer *c = timers;
    timers = c->next;
    now = c->at;
    c->f(c->ptr);
  }
  now = end;
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_init(void (*input)(const uint8_t *frame, uint16_t length))
{
  link_input = input;
}
/*---------------------------------------------------------------------------*/
static void
keep(const uint8_t *frame, uint16_t length)
{
  struct host_frame *kept = &host_sent[host_sent_frames % 256];

  CHECK(length <= PUBSUB_FRAME_SIZE);
  kept->length = length;
  memcpy(kept->bytes, frame, length);
  host_sent_frames++;
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_send(const uint8_t *frame, uint16_t length, uint16_t number,
                 void (*sent)(uint16_t number, const char *reason))
{
  keep(frame, length);
  if(host_link_waits) {
    CHECK(waiting_frames < sizeof(waiting) / sizeof(waiting[0]));
    waiting[waiting_frames].number = number;
    waiting[waiting_frames++].sent = sent;
  } else {
    sent(number, host_link_verdict);
  }
}
/*---------------------------------------------------------------------------*/
void
host_link_finish(void)
{
  unsigned i;

  for(i = 0; i < waiting_frames; i++) {
    waiting[i].sent(waiting[i].number, host_link_verdict);
  }
  waiting_frames = 0;
}
/*---------------------------------------------------------------------------*/
size_t
queuebuf_numfree(void)
{
  return QUEUEBUF_NUM - host_link_busy;
}
/*---------------------------------------------------------------------------*/
/* A mote's link-layer address is its id, as in Cooja. */
const linkaddr_t *
pubsub_link_sender(void)
{
  return &sender;
}
/*---------------------------------------------------------------------------*/
void
pubsub_link_send_to(const linkaddr_t *receiver, const uint8_t *frame,
                    uint16_t length, pubsub_link_done done)
{
  uint16_t to = pubsub_get16(receiver->u8);

  CHECK_EQUAL(to, pubsub_get16(frame + 3));
  keep(frame, length);
  if(host_link_verdict == NULL && to == host_link_silent) {
    done(frame, length, PUBSUB_LINK_NO_ACK, 8);
  } else {
    done(frame, length, host_link_verdict, 1);
  }
}
/*---------------------------------------------------------------------------*/
struct pubsub_event
host_event(unsigned frame)
{
  struct pubsub_event event;

  CHECK(frame < host_sent_frames);
  CHECK(pubsub_event_decode(&event, host_sent[frame].bytes
                            + PUBSUB_FRAME_HEADER_SIZE,
                            host_sent[frame].length
                            - PUBSUB_FRAME_HEADER_SIZE));
  return event;
}
/*---------------------------------------------------------------------------*/
uint16_t
host_next_hop(unsigned frame)
{
  return pubsub_get16(host_sent[frame].bytes + 3);
}
/*---------------------------------------------------------------------------*/
void
host_receive(const uint8_t *bytes, uint16_t length)
{
  /* The memory has just that size, so that the address sanitiser sees a byte too many. */
  uint8_t *copy = malloc(length > 0 ? length : 1);

  memcpy(copy, bytes, length);
  memset(&sender, 0, sizeof(sender));
  memcpy(&sender, bytes + 1, length < 3 ? 0 : 2);
  link_input(copy, length);
  free(copy);
}
/*---------------------------------------------------------------------------*/
void
host_receive_event(const struct pubsub_event *event,
                   uint16_t from, uint16_t next_hop)
{
  uint8_t frame[PUBSUB_FRAME_SIZE] = { 0x11 };
  uint16_t size;

  pubsub_put16(pubsub_put16(pubsub_put16(frame + 1, from), next_hop), 1);
  size = pubsub_event_encode(event, frame + PUBSUB_FRAME_HEADER_SIZE,
                             sizeof(frame) - PUBSUB_FRAME_HEADER_SIZE);
  CHECK(size > 0);
  host_receive(frame, PUBSUB_FRAME_HEADER_SIZE + size);
}
/*---------------------------------------------------------------------------*/
struct pubsub_event
host_make(pubsub_subject_t subject, int16_t value, int n,
          const struct pubsub_contributor *contributors)
{
  struct pubsub_event event;

  memset(&event, 0, sizeof(event));
  event.subject = subject;
  event.flags = PUBSUB_AGGREGATABLE;
  event.length = MERGE_MEAN_DATA_SIZE;
  merge_mean_put(event.data, value);
  event.contributors = n;
  memcpy(event.contributor, contributors, n * sizeof(*contributors));
  return event;
}
