/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "diffusion.h"
#include "pubsub-counters.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"
#include "records.h"

static bool all;
static struct diffusion_counters before; /* in earlier boots */
/*---------------------------------------------------------------------------*/
/* A subject of this application is a name of fewer than eight characters. */
static void
print_subject(pubsub_subject_t subject)
{
  int shift;

  for(shift = 56; shift >= 0 && (char)(subject >> shift) != '\0'; shift -= 8) {
    printf("%c", (char)(subject >> shift));
  }
}
/*---------------------------------------------------------------------------*/
/* Events of a later boot are numbered from 65537 on, and so forth. */
static unsigned long
number(const struct pubsub_contributor *event)
{
  return (unsigned long)event->incarnation << 16 | event->sequence;
}
/*---------------------------------------------------------------------------*/
static void
published(const struct pubsub_event *event)
{
  printf("!pub,");
  print_subject(event->subject);
  printf(",%u,%lu,%u\n", (unsigned)event->contributor[0].publisher,
         number(&event->contributor[0]),
         event->length == 2 ? (unsigned)pubsub_get16(event->data) : 0);
}
/*---------------------------------------------------------------------------*/
/* Nothing is aggregated here: an event has one contributor. */
static void
passed(const char *kind, const struct pubsub_event *event)
{
  printf("!%s,", kind);
  print_subject(event->subject);
}
/*---------------------------------------------------------------------------*/
static void
print_event(const struct pubsub_event *event)
{
  printf(",%u.%lu\n", (unsigned)event->contributor[0].publisher,
         number(&event->contributor[0]));
}
/*---------------------------------------------------------------------------*/
static void
sent(const struct pubsub_event *event, uint16_t to, uint16_t frame)
{
  if(all) {
    passed("snd", event);
    printf(",%u,%u", (unsigned)to, (unsigned)frame);
    print_event(event);
  }
}
/*---------------------------------------------------------------------------*/
static void
received(const struct pubsub_event *event, uint16_t from, uint16_t frame)
{
  if(all) {
    passed("rcv", event);
    printf(",%u,%u", (unsigned)from, (unsigned)frame);
    print_event(event);
  }
}
/*---------------------------------------------------------------------------*/
static void
dropped(const char *reason, uint16_t from, uint16_t frame)
{
  if(all) {
    printf("!drp,%s,%u,%u\n", reason, (unsigned)from, (unsigned)frame);
  }
}
/*---------------------------------------------------------------------------*/
static void
delivered(const struct pubsub_event *event, uint16_t from)
{
  passed("dlv", event);
  printf(",%u", (unsigned)from);
  print_event(event);
}
/*---------------------------------------------------------------------------*/
/* No merge function is linked, so its steps never occur. */
static const struct pubsub_observer observer = {
  published, sent, received, dropped, NULL, NULL, delivered
};
/*---------------------------------------------------------------------------*/
void
records_start(bool everything)
{
  all = everything;
  pubsub_observer = &observer;
}
/*---------------------------------------------------------------------------*/
void
records_subscribed(pubsub_subject_t subject, uint32_t renewal)
{
  printf("!sub,");
  print_subject(subject);
  printf(",%lu\n", (unsigned long)renewal);
}
/*---------------------------------------------------------------------------*/
static void
print_counter(const char *name, uint32_t value)
{
  printf("!cnt,%s,%lu\n", name, (unsigned long)value);
}
/*---------------------------------------------------------------------------*/
void
records_keep(void)
{
#define KEEP(name) before.name += diffusion_counters.name;
  DIFFUSION_COUNTERS(KEEP)
}
/*---------------------------------------------------------------------------*/
void
records_counters(void)
{
#define PRINT_PUBSUB(name) print_counter(#name, pubsub_counters.name);
#define PRINT_DIFFUSION(name) \
  print_counter(#name, before.name + diffusion_counters.name);
  PUBSUB_COUNTERS(PRINT_PUBSUB)
  DIFFUSION_COUNTERS(PRINT_DIFFUSION)
  print_counter("packets_sent", pubsub_counters.events_transmitted
                + pubsub_counters.control_packets_sent);
  print_counter("packets_received", pubsub_counters.event_packets_received
                + pubsub_counters.control_packets_received);
}
