/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishers of several topics and several subscribers in a mesh. Only publishers
 * and subscribers are configured: routes come from the subscriptions
 * (middleware/diffusion). A mote may be told to die, and to boot again: then it
 * has lost the state of Contiki and of the middleware. Only the experiment's clock
 * and its counts survive.
 */
#include <stdio.h>
#include "contiki.h"
#include "net/netstack.h"
#include "net/queuebuf.h"
#include "configuration.h"
#include "diffusion.h"
#include "identity.h"
#include "pubsub-octets.h"
#include "records.h"

/* The motes print one after the other, then one says that the run has ended. */
#define DUMP_SLOT_MS 50
#define DUMP_SLOTS 32
#define DUMP_ALL_MS (DUMP_SLOT_MS * DUMP_SLOTS + 3000)

static clock_time_t switched_on;
static bool revived;

PROCESS(mesh_process, "Mesh");
PROCESS(mesh_publisher_process, "Publisher");
PROCESS(mesh_death_process, "Death");
AUTOSTART_PROCESSES(&identity_process, &mesh_process);
/*---------------------------------------------------------------------------*/
/* Waits until so many ms after the mote was switched on; not at all if they have
   passed. */
static void
set_until(struct etimer *timer, uint32_t ms)
{
  clock_time_t left = switched_on + pubsub_ticks(ms) - clock_time();

  etimer_set(timer, left <= pubsub_ticks(UINT32_MAX) ? left : 0);
}
/*---------------------------------------------------------------------------*/
static pubsub_subject_t
topic(unsigned number)
{
  char name[] = "topic1";

  name[5] = '1' + number % configuration.topics;
  return pubsub_subject(name);
}
/*---------------------------------------------------------------------------*/
static void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
}
/*---------------------------------------------------------------------------*/
static void
subscribe(void)
{
  static struct diffusion_attribute wanted[2];
  unsigned i, first = configuration.subscriber - 1;

  for(i = 0; i < 2 && i < configuration.topics; i++) {
    diffusion_subscribe(&wanted[i], pubsub_ticks(configuration.renewal));
    if(pubsub_subscribe(topic(first + i), arrived, NULL,
                        &wanted[i].attribute) != NULL) {
      records_subscribed(topic(first + i), configuration.renewal);
    }
  }
}
/*---------------------------------------------------------------------------*/
/* The time in its interval at which a publisher publishes, from the seed (Knuth's
   multiplier). */
static uint32_t
phase(void)
{
  return (configuration.seed * 31 + configuration.publisher) * 2654435761UL
    % 4294967296ULL % configuration.interval;
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(mesh_publisher_process, ev, data)
{
  static struct diffusion_attribute offered;
  static struct pubsub_publisher_channel *channel;
  static struct etimer timer;
  static uint32_t at;
  uint8_t value[2];

  PROCESS_BEGIN();

  diffusion_publish(&offered);
  channel = pubsub_announce(topic(configuration.publisher - 1),
                            &offered.attribute);
  if(channel == NULL) {
    PROCESS_EXIT();
  }
  at = phase();
  while(switched_on + pubsub_ticks(configuration.warm_up + at) < clock_time()) {
    at += configuration.interval; /* it was dead then */
  }
  set_until(&timer, configuration.warm_up + at);
  while(at < configuration.duration) {
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    pubsub_put16(value, channel->sequence);
    pubsub_publish(channel, value, sizeof(value), 0);
    at += configuration.interval;
    /* From the time it was due, so that delays don't add up. */
    etimer_reset_with_new_interval(&timer, pubsub_ticks(configuration.interval));
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
/* Switches the radio off and stops all processes, the timers' too: nothing happens
   any more. */
static void
die(void)
{
  struct process *p, *next;

  printf("!die,planned\n");
  NETSTACK_MAC.off();
  NETSTACK_RADIO.off();
  for(p = PROCESS_LIST(); p != NULL; p = next) {
    next = p->next;
    if(p != PROCESS_CURRENT()
       && (p != &etimer_process || configuration.revive_after == 0)) {
      process_exit(p);
    }
  }
}
/*---------------------------------------------------------------------------*/
/* Does what Contiki does at boot, as far as this application needs it. */
static void
boot(void)
{
  revived = true;
  ctimer_init();
  queuebuf_init();
  netstack_init();
  process_start(&mesh_process, NULL);
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(mesh_death_process, ev, data)
{
  static struct etimer timer;

  PROCESS_BEGIN();

  set_until(&timer, configuration.warm_up + configuration.kill_at);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  if(configuration.revive_after == 0) {
    records_counters();
  }
  die();
  if(configuration.revive_after != 0) {
    set_until(&timer, configuration.warm_up + configuration.kill_at
              + configuration.revive_after);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    records_keep();
    boot();
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(mesh_process, ev, data)
{
  static struct etimer timer;
  const char *fault;

  PROCESS_BEGIN();

  fault = configuration_read();
  if(fault != NULL) {
    printf("mesh: %s\n", fault);
    PROCESS_EXIT();
  }
  if(!revived) {
    switched_on = clock_time();
  }
  pubsub_init(configuration.mote, configuration.publisher, &diffusion_routes);
  diffusion_init();
  records_start(configuration.trace);
  if(revived) {
    printf("!rev,%u\n", (unsigned)pubsub_incarnation);
  }
  if(configuration.subscriber != 0) {
    subscribe();
  }
  if(configuration.publisher != 0) {
    process_start(&mesh_publisher_process, NULL);
  }
  if(configuration.killed != 0 && !revived) {
    process_start(&mesh_death_process, NULL);
  }
  set_until(&timer, configuration.warm_up + configuration.duration
            + configuration.drain
            + DUMP_SLOT_MS * (configuration.mote % DUMP_SLOTS));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  records_counters();
  if(configuration.mote == configuration.ender) {
    etimer_set(&timer, pubsub_ticks(DUMP_ALL_MS));
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    printf("!run,end,0\n");
  }

  PROCESS_END();
}
