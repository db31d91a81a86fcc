/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node that merges, subscribes and waits for a control node, fed with frames
 * from standard input: each a length byte and its bytes. Length 0 lets time
 * pass. Prints how many frames came to what; the sanitizers do the checking.
 */
#include <stdio.h>
#include <string.h>
#include "configured-routes.h"
#include "host.h"
#include "mean.h"
#include "pubsub-counters.h"
#include "run-control.h"

static struct merge_attribute merging;
static struct pubsub_publisher_channel *channel;
static unsigned frames;
/*---------------------------------------------------------------------------*/
static void initialise(void) { }
static void start(uint32_t at) { }
static void delivered(const struct pubsub_event *event, uint16_t from,
                      void *context)
{
  uint8_t data[MERGE_MEAN_DATA_SIZE] = { 1, 2 };

  /* An application that publishes from within a delivery. */
  pubsub_publish(channel, data, sizeof(data), PUBSUB_AGGREGATABLE);
}
/*---------------------------------------------------------------------------*/
int
main(void)
{
  static const struct run_callbacks callbacks = { initialise, start };
  static const struct run_place place = {
    .self = 4, .parent = 3, .control = 9, .subscriber = 1, .publisher = 3,
    .publishers = 5
  };
  uint8_t frame[256];
  int length;

  configured_routes_set(3);
  configured_routes_add_neighbour(3);
  configured_routes_add_neighbour(5);
  configured_routes_add_neighbour(9);
  pubsub_init(4, 3, &configured_routes);
  run_participant_init(&place, &callbacks);
  merge_attribute_init(&merging, &merge_mean_function, 3);
  channel = pubsub_announce(pubsub_subject("t"), &merging.attribute);
  pubsub_subscribe(pubsub_subject("u"), delivered, NULL, NULL);
  while((length = getchar()) != EOF) {
    if(length == 0) {
      host_pass(1000);
      continue;
    }
    if(fread(frame, 1, length, stdin) != (size_t)length) {
      break;
    }
    frames++;
    host_receive(frame, length);
  }
  host_pass(100000);
  printf("frames %u\nmalformed %u\noff_topology %u\nevents %u\ncontrol %u\n"
         "sent %u\nmerged %u\n", frames, pubsub_counters.packets_malformed,
         pubsub_counters.packets_off_topology,
         pubsub_counters.event_packets_received,
         pubsub_counters.control_packets_received,
         host_sent_frames, pubsub_counters.merged);
  return 0;
}
