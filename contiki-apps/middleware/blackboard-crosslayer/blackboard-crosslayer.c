/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include "contiki.h"
#include "blackboard-crosslayer.h"
#include "blackboard-thread.h"
#include "crosslayer-value.h"
#include "pubsub-observer.h"
#include "pubsub-routing.h"

#define NO_EVENT 255

static const uint8_t events[BLACKBOARD_CROSSLAYER_KINDS] = {
#ifdef BLACKBOARD_CROSSLAYER_CONF_RSSI
  [BLACKBOARD_CROSSLAYER_RSSI] = BLACKBOARD_CROSSLAYER_CONF_RSSI,
#else
  [BLACKBOARD_CROSSLAYER_RSSI] = NO_EVENT,
#endif
#ifdef BLACKBOARD_CROSSLAYER_CONF_QUEUE
  [BLACKBOARD_CROSSLAYER_QUEUE] = BLACKBOARD_CROSSLAYER_CONF_QUEUE,
#else
  [BLACKBOARD_CROSSLAYER_QUEUE] = NO_EVENT,
#endif
#ifdef BLACKBOARD_CROSSLAYER_CONF_RETRIES
  [BLACKBOARD_CROSSLAYER_RETRIES] = BLACKBOARD_CROSSLAYER_CONF_RETRIES,
#else
  [BLACKBOARD_CROSSLAYER_RETRIES] = NO_EVENT,
#endif
#ifdef BLACKBOARD_CROSSLAYER_CONF_PARENT
  [BLACKBOARD_CROSSLAYER_PARENT] = BLACKBOARD_CROSSLAYER_CONF_PARENT
#else
  [BLACKBOARD_CROSSLAYER_PARENT] = NO_EVENT
#endif
};

/* The newest value of each kind, until the board has it. */
static struct {
  uint32_t value;
  uint32_t told; /* what the board has */
  bool waits;
} values[BLACKBOARD_CROSSLAYER_KINDS];

PROCESS(blackboard_crosslayer_process, "Cross-layer values");
/*---------------------------------------------------------------------------*/
void
blackboard_crosslayer_value(enum blackboard_crosslayer_kind kind, uint32_t value)
{
  values[kind].value = value;
  values[kind].waits = true;
  process_poll(&blackboard_crosslayer_process);
}
/*---------------------------------------------------------------------------*/
/* Whether there is nothing to publish: RSSI and retries are published for each
   frame. */
static bool
is_told(enum blackboard_crosslayer_kind kind)
{
  return (kind == BLACKBOARD_CROSSLAYER_QUEUE || kind == BLACKBOARD_CROSSLAYER_PARENT)
    && values[kind].value == values[kind].told;
}
/*---------------------------------------------------------------------------*/
/* True if the board has it. */
static bool
publish(uint8_t event, uint32_t value)
{
  /* A request would wake the blackboard thread although nobody wants the value. */
  return (blackboard_is_wanted(event) ? blackboard_publish_request
                                      : blackboard_publish_now)(event, value)
    == BLACKBOARD_OK;
}
/*---------------------------------------------------------------------------*/
/* A value that changed several times at once is published once. One for which the
   board has no room is tried again, so that the last value is never lost. */
PROCESS_THREAD(blackboard_crosslayer_process, ev, data)
{
  static struct etimer again;
  unsigned i;

  PROCESS_BEGIN();

  while(1) {
    for(i = 0; i < BLACKBOARD_CROSSLAYER_KINDS; i++) {
      if(!values[i].waits || events[i] == NO_EVENT) {
        continue;
      }
      if(is_told(i) || publish(events[i], values[i].value)) {
        values[i].told = values[i].value;
        values[i].waits = false;
      } else {
        etimer_set(&again, 1);
      }
    }
    PROCESS_YIELD_UNTIL(ev == PROCESS_EVENT_POLL || ev == PROCESS_EVENT_TIMER);
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
#ifdef BLACKBOARD_CROSSLAYER_CONF_PARENT
static const struct pubsub_observer *next;
/*---------------------------------------------------------------------------*/
static void
sent(const struct pubsub_event *event, uint16_t to, uint16_t frame)
{
  blackboard_crosslayer_value(BLACKBOARD_CROSSLAYER_PARENT, to);
  if(next != NULL && next->sent != NULL) {
    next->sent(event, to, frame);
  }
}
/*---------------------------------------------------------------------------*/
static void
observe(void)
{
  static struct pubsub_observer observer;

  next = pubsub_observer;
  if(next != NULL) {
    observer = *next;
  }
  observer.sent = sent;
  pubsub_observer = &observer;
}
#endif
/*---------------------------------------------------------------------------*/
void
blackboard_crosslayer_start(void)
{
  process_start(&blackboard_crosslayer_process, NULL);
#ifdef BLACKBOARD_CROSSLAYER_CONF_PARENT
  observe();
#endif
}
