/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node that subscribes and publishes with diffusion, fed with frames from
 * standard input: each a length byte and its bytes; length 0 lets time pass.
 * Prints what they came to; the sanitizers do the checking.
 */
#include <stdio.h>
#include "configured-routes.h"
#include "diffusion.h"
#include "host.h"
#include "mean.h"
#include "pubsub-counters.h"

static struct pubsub_publisher_channel *channel;
static unsigned frames, repeated;
static bool seen[256][65536];
/*---------------------------------------------------------------------------*/
static void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  uint8_t data[MERGE_MEAN_DATA_SIZE] = { 1, 2 };
  const struct pubsub_contributor *c = &event->contributor[0];

  if(event->contributors == 1) {
    repeated += seen[c->publisher][c->sequence];
    seen[c->publisher][c->sequence] = true;
  }
  /* An application that publishes from within a delivery. */
  pubsub_publish(channel, data, sizeof(data), 0);
}
/*---------------------------------------------------------------------------*/
int
main(void)
{
  static struct diffusion_attribute wanted, offered;
  uint8_t frame[256];
  int length;

  configured_routes_set(3);
  configured_routes_add_neighbour(3);
  pubsub_init(4, 200, &configured_routes);
  diffusion_init();
  diffusion_subscribe(&wanted, 10000);
  pubsub_subscribe(pubsub_subject("u"), arrived, NULL, &wanted.attribute);
  diffusion_publish(&offered);
  channel = pubsub_announce(pubsub_subject("t"), &offered.attribute);
  while((length = getchar()) != EOF) {
    if(length == 0) {
      host_pass(1000);
      continue;
    }
    if(fread(frame, 1, length, stdin) != (size_t)length) {
      break;
    }
    frames++;
    host_link_silent = frames % 8; /* now and then one of the neighbours */
    host_receive(frame, length);
  }
  host_pass(100000);
  printf("frames %u\nmalformed %u\noff_topology %u\nevents %u\ncontrol %u\n"
         "repeated %u\nduplicate %u\noverheard %u\nno_route %u\nsent %u\n",
         frames, pubsub_counters.packets_malformed,
         pubsub_counters.packets_off_topology,
         pubsub_counters.event_packets_received,
         pubsub_counters.control_packets_received, repeated,
         diffusion_counters.events_duplicate,
         diffusion_counters.events_overheard, pubsub_counters.no_route,
         host_sent_frames);
  return 0;
}
