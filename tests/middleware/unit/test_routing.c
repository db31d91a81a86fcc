/* SPDX-License-Identifier: Apache-2.0 */
/* Mote 4 between its child 5 and its parent 3. */
#include <string.h>
#include "configured-routes.h"
#include "host.h"
#include "pubsub.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"

#define TOPIC pubsub_subject("t")

static struct pubsub_event event;
/*---------------------------------------------------------------------------*/
static void
node(void)
{
  static const struct pubsub_contributor five = { 5, 1 };

  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  configured_routes_set(3);
  configured_routes_add_neighbour(3);
  configured_routes_add_neighbour(5);
  pubsub_init(4, 3, &configured_routes);
  event = host_make(TOPIC, 1, 1, &five);
}
/*---------------------------------------------------------------------------*/
static void
only_neighbours_are_heard(void)
{
  node();
  host_receive_event(&event, 6, 4);       /* not a neighbour */
  host_receive_event(&event, 6, PUBSUB_EVERYBODY);
  host_receive_event(&event, 5, 3);       /* a neighbour's, for another */
  host_receive_event(&event, 5, PUBSUB_NOBODY);
  CHECK_EQUAL(pubsub_counters.packets_off_topology, 4);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 0);
  CHECK_EQUAL(host_sent_frames, 0);
  host_receive_event(&event, 5, 4);
  host_receive_event(&event, 5, PUBSUB_EVERYBODY);
  CHECK_EQUAL(pubsub_counters.packets_off_topology, 4);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 2);
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(host_next_hop(0), 3);
  CHECK_EQUAL(pubsub_get16(host_sent[0].bytes + 1), 4); /* sender */
}
/*---------------------------------------------------------------------------*/
static void
off_topology_comes_before_everything_else(void)
{
  uint8_t nonsense[] = { 0x11, 6, 0, 4, 0, 1, 0, 0xff };

  node();
  host_receive(nonsense, sizeof(nonsense));
  CHECK_EQUAL(pubsub_counters.packets_off_topology, 1);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 0);
}
/*---------------------------------------------------------------------------*/
static void
malformed_frames_are_counted(void)
{
  uint8_t frame[] = { 0x11, 5, 0, 4, 0, 1, 0, 0xff };

  node();
  host_receive(frame, 0);
  host_receive(frame, PUBSUB_FRAME_HEADER_SIZE - 1);
  host_receive(frame, PUBSUB_FRAME_HEADER_SIZE);
  host_receive(frame, sizeof(frame));
  frame[0] = 0x21; /* another version */
  host_receive(frame, sizeof(frame));
  frame[0] = 0x19; /* a type nobody registered */
  host_receive(frame, sizeof(frame));
  CHECK_EQUAL(pubsub_counters.packets_malformed, 6);
  CHECK_EQUAL(pubsub_counters.packets_off_topology, 0);
  CHECK_EQUAL(host_sent_frames, 0);
}
/*---------------------------------------------------------------------------*/
static unsigned bodies;

static bool
take(uint16_t from, const uint8_t *body, uint16_t length)
{
  CHECK_EQUAL(from, 5);
  bodies++;
  return length == 1;
}

static void
protocols_get_their_frames(void)
{
  static struct pubsub_protocol protocol = { NULL, 9, take };
  uint8_t frame[] = { 0x19, 5, 0, 4, 0, 1, 0, 0xff };

  node();
  pubsub_routing_add_protocol(&protocol);
  host_receive(frame, sizeof(frame));
  CHECK_EQUAL(bodies, 1);
  CHECK_EQUAL(pubsub_counters.control_packets_received, 1);
  host_receive(frame, sizeof(frame) - 1);
  CHECK_EQUAL(bodies, 2);
  CHECK_EQUAL(pubsub_counters.control_packets_received, 1);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 1);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 0);
}
/*---------------------------------------------------------------------------*/
static int transmitted = -1;

static void
note_sent(bool was)
{
  transmitted = was;
}

static void
a_protocol_learns_what_became_of_its_frame(void)
{
  uint8_t body[PUBSUB_FRAME_SIZE] = { 0 };

  node();
  pubsub_routing_send(9, PUBSUB_EVERYBODY, body, 3, note_sent);
  CHECK_EQUAL(transmitted, 1);
  CHECK_EQUAL(host_sent[0].length, PUBSUB_FRAME_HEADER_SIZE + 3);
  CHECK_EQUAL(host_next_hop(0), PUBSUB_EVERYBODY);
  host_link_verdict = "queue";
  pubsub_routing_send(9, 3, body, 3, note_sent);
  CHECK_EQUAL(transmitted, 0);
  transmitted = -1;
  pubsub_routing_send(9, 3, body, 3, NULL);
  CHECK_EQUAL(transmitted, -1);
  CHECK_EQUAL(pubsub_counters.control_packets_sent, 3);
  CHECK_EQUAL(pubsub_counters.events_transmitted, 0);
  pubsub_routing_send(9, 3, body, sizeof(body), NULL); /* too long */
  CHECK_EQUAL(host_sent_frames, 3);
}
/*---------------------------------------------------------------------------*/
static void
measuring_begins_at_zero_but_for_control(void)
{
  node();
  host_receive_event(&event, 5, 4);
  host_receive_event(&event, 6, 4);
  pubsub_routing_send(9, 3, (const uint8_t *)"x", 1, NULL);
  pubsub_counters.control_packets_received = 7;
  pubsub_counters_start();
  CHECK_EQUAL(pubsub_counters.control_packets_sent, 1);
  CHECK_EQUAL(pubsub_counters.control_packets_received, 7);
  CHECK_EQUAL(pubsub_counters.events_transmitted, 0);
  CHECK_EQUAL(pubsub_counters.packets_off_topology, 0);
}
/*---------------------------------------------------------------------------*/
/* A protocol has bytes of its own before an event, and leaves room for more behind it. */
static void
a_frame_has_room_for_what_is_beside_its_event(void)
{
  static const uint8_t body[2] = { 8, 9 };
  uint8_t frame[PUBSUB_FRAME_SIZE];
  uint16_t size, room;

  node();
  size = pubsub_event_size(&event);
  room = PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE - size;
  CHECK_EQUAL(pubsub_routing_frame(frame, 9, 3, body, 0, &event, room), PUBSUB_FRAME_HEADER_SIZE + size);
  CHECK_EQUAL(pubsub_routing_frame(frame, 9, 3, body, 2, &event, room - 2), PUBSUB_FRAME_HEADER_SIZE + 2 + size);
  CHECK(memcmp(frame + PUBSUB_FRAME_HEADER_SIZE, body, 2) == 0);
  CHECK_EQUAL(pubsub_get16(frame + 3), 3); /* next hop */
  CHECK_EQUAL(pubsub_counters.events_transmitted, 2);
  CHECK_EQUAL(pubsub_routing_frame(frame, 9, 3, body, 0, &event, room + 1), 0);
  CHECK_EQUAL(pubsub_routing_frame(frame, 9, 3, body, 2, &event, room - 1), 0);
  CHECK_EQUAL(pubsub_routing_frame(frame, 9, 3, body, 2, &event, PUBSUB_FRAME_SIZE), 0);
  CHECK_EQUAL(pubsub_counters.events_transmitted, 2);
}
/*---------------------------------------------------------------------------*/
static void
there_is_room_for_so_many_neighbours(void)
{
  node();
  configured_routes_set(7);
  CHECK_EQUAL(configured_routes_parent(), 7);
  CHECK(!configured_routes.is_neighbour(3)); /* those before are forgotten */
  CHECK(!configured_routes.is_neighbour(PUBSUB_NOBODY));
  for(unsigned i = 1; i <= PUBSUB_MAX_NEIGHBOURS; i++) {
    CHECK(configured_routes_add_neighbour(100 + i));
    CHECK(configured_routes_add_neighbour(101)); /* again */
  }
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 0);
  CHECK(!configured_routes_add_neighbour(100));
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 1);
  CHECK(configured_routes.is_neighbour(101));
  CHECK(configured_routes.is_neighbour(100 + PUBSUB_MAX_NEIGHBOURS));
  CHECK(!configured_routes.is_neighbour(100));
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(only_neighbours_are_heard), T(off_topology_comes_before_everything_else),
    T(malformed_frames_are_counted), T(protocols_get_their_frames),
    T(a_protocol_learns_what_became_of_its_frame),
    T(measuring_begins_at_zero_but_for_control),
    T(a_frame_has_room_for_what_is_beside_its_event),
    T(there_is_room_for_so_many_neighbours),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
