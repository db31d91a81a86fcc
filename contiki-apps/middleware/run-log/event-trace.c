/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "event-trace.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"
/*---------------------------------------------------------------------------*/
/* The name that the subject was made from, or its 16 hexadecimal digits. */
static void
print_subject(pubsub_subject_t subject)
{
  char name[9];
  unsigned i;

  for(i = 0; i < 8; i++) {
    name[i] = (char)(subject >> (56 - 8 * i));
    if(name[i] == '\0' && i > 0) {
      break;
    }
    if(name[i] <= ' ' || name[i] > '~' || name[i] == ',') {
      printf("%08lx%08lx", (unsigned long)(subject >> 32),
             (unsigned long)(subject & 0xffffffffUL));
      return;
    }
  }
  name[i] = '\0';
  printf("%s", name);
}
/*---------------------------------------------------------------------------*/
static void
print_events(const struct pubsub_event *event)
{
  unsigned i;

  for(i = 0; i < event->contributors; i++) {
    printf("%s%u.%u", i > 0 ? "+" : "",
           (unsigned)event->contributor[i].publisher,
           (unsigned)event->contributor[i].sequence);
  }
}
/*---------------------------------------------------------------------------*/
/* The data of an individual event as one number for the log: 2 or 4 octets,
   signed. */
static long
number(const struct pubsub_event *event)
{
  switch(event->length) {
  case 2:
    return (int16_t)pubsub_get16(event->data);
  case 4:
    return (int32_t)pubsub_get32(event->data);
  default:
    return 0;
  }
}
/*---------------------------------------------------------------------------*/
static void
published(const struct pubsub_event *event)
{
  printf("!pub,");
  print_subject(event->subject);
  printf(",%u,%u,%ld\n", (unsigned)event->contributor[0].publisher,
         (unsigned)event->contributor[0].sequence,
         number(event));
}
/*---------------------------------------------------------------------------*/
static void
passed(const char *kind, const struct pubsub_event *event,
       uint16_t mote, uint16_t frame)
{
  printf("!%s,", kind);
  print_subject(event->subject);
  printf(",%u,%u,", (unsigned)mote, (unsigned)frame);
  print_events(event);
  printf("\n");
}
/*---------------------------------------------------------------------------*/
static void
sent(const struct pubsub_event *event, uint16_t to, uint16_t frame)
{
  passed("snd", event, to, frame);
}
/*---------------------------------------------------------------------------*/
static void
received(const struct pubsub_event *event, uint16_t from, uint16_t frame)
{
  passed("rcv", event, from, frame);
}
/*---------------------------------------------------------------------------*/
static void
dropped(const char *reason, uint16_t from, uint16_t frame)
{
  printf("!drp,%s,%u,%u\n", reason, (unsigned)from, (unsigned)frame);
}
/*---------------------------------------------------------------------------*/
static void
merged(const struct pubsub_event *stored, const struct pubsub_event *arrived)
{
  printf("!mrg,");
  print_subject(stored->subject);
  printf(",");
  print_events(stored);
  printf(",");
  print_events(arrived);
  printf("\n");
}
/*---------------------------------------------------------------------------*/
static void
forwarded(const struct pubsub_event *event, const char *reason)
{
  printf("!fwd,");
  print_subject(event->subject);
  printf(",%s,", reason);
  print_events(event);
  printf("\n");
}
/*---------------------------------------------------------------------------*/
static void
delivered(const struct pubsub_event *event, uint16_t from)
{
  printf("!dlv,");
  print_subject(event->subject);
  printf(",%u,", (unsigned)from);
  print_events(event);
  printf("\n");
}
/*---------------------------------------------------------------------------*/
static const struct pubsub_observer trace_observer = {
  published, sent, received, dropped, merged, forwarded, delivered
};
/*---------------------------------------------------------------------------*/
void
event_trace_switch(bool on)
{
  pubsub_observer = on ? &trace_observer : NULL;
}
