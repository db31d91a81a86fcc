/* SPDX-License-Identifier: Apache-2.0 */
/* What stands beside an event in diffusion's frames: subscribers, incarnations. */
#include "diffusion_node.h"

static struct diffusion_attribute offered, wanted;
/*---------------------------------------------------------------------------*/
static bool
take_it(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  return true;
}

static void
an_aggregate_has_room_for_who_is_in_it(void)
{
  static const struct merge_function any = { take_it };
  static struct merge_attribute merging;
  struct pubsub_event event;
  uint8_t publisher;

  node();
  diffusion_publish(&offered);
  merge_attribute_init(&merging, &any, 0);
  offered.attribute.next = &merging.attribute;
  pubsub_announce(TOPIC, &offered.attribute);
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  for(publisher = 1; sent(COPY, 0) == 0; publisher++) {
    event = make(publisher, 1);
    event.flags = PUBSUB_AGGREGATABLE;
    event.length = PUBSUB_MAX_DATA;
    memset(event.data, 7, PUBSUB_MAX_DATA);
    copy_of(&event, 6, 1, 0);
    CHECK_EQUAL(host_logged, 0);
  }
  /* The frame has 7 bytes, the list 3, the event 11, the data 32, each subscriber 5. */
  CHECK_EQUAL(publisher - 1, (100 - 53) / 5);
  CHECK_EQUAL(host_sent[host_sent_frames - 1].length, 53 + 9 * 5);
}
/*---------------------------------------------------------------------------*/
/* Subscribers for which a frame has no room get another copy. */
static void
a_copy_for_many_leaves_room_for_the_incarnation(void)
{
  struct pubsub_contributor authors[10];
  struct pubsub_event event;
  unsigned i;

  node();
  for(i = 0; i < 10; i++) {
    authors[i] = (struct pubsub_contributor){ 20 + i, 1, 5 };
    interest(TOPIC, 100 + i, 1, 3, 1, RENEWAL);
  }
  host_pass(DIFFUSION_JITTER);
  event = host_make(TOPIC, 7, 10, authors);
  event.length = 26; /* 11 + 26 + 30 bytes of event, 7 of frame, 20 of boots */
  memset(event.data, 1, event.length);
  copy_of(&event, 6, 100, 101);
  CHECK_EQUAL(host_sent[host_sent_frames - 1].length, 7 + 5 + 67 + 20);
  event.length = 28;
  for(i = 0; i < 10; i++) {
    event.contributor[i].sequence = 2;
  }
  copy_of(&event, 6, 100, 0);
  CHECK_EQUAL(host_sent[host_sent_frames - 1].length, 7 + 3 + 69 + 20);
  CHECK_EQUAL(host_logged, 0);
  /* A copy has room for two, so the ten subscribers get five copies. */
  event.length = 27;
  for(i = 0; i < 10; i++) {
    event.contributor[i].sequence = 3;
  }
  i = sent(COPY, 0);
  pubsub_routing_forward(&event);
  CHECK_EQUAL(sent(COPY, 0), i + 5);
  CHECK_EQUAL(host_logged, 0);
}
/*---------------------------------------------------------------------------*/
static uint16_t
much(const struct pubsub_event *event, unsigned contributors)
{
  return 60 + contributors;
}

/* The subjects of another routing have what it puts beside them. */
static void
others_room_is_theirs(void)
{
  struct pubsub_routing_driver routes = configured_routes;
  struct pubsub_event event = make(7, 1);

  routes.beside = much;
  pubsub_init(4, 4, &routes);
  diffusion_init();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  event.length = 4; /* 7 + 11 + 4 + 3 = 25 */
  CHECK(pubsub_routing_fits(&event, 10));
  event.subject = OTHER; /* 3 + 61 and 4 + 62 more */
  CHECK(pubsub_routing_fits(&event, 3));
  CHECK(!pubsub_routing_fits(&event, 4));
}
/*---------------------------------------------------------------------------*/
/* With configured routes nothing stands beside an event; without other routes, nobody handles other subjects. */
static void
others_may_have_nothing_beside_or_be_none(void)
{
  struct pubsub_event event = make(7, 1);

  event.subject = OTHER;
  node();
  CHECK_EQUAL(diffusion_routes.beside(&event, 1), 0);
  CHECK_EQUAL(diffusion_routes.next_hop(&event, PUBSUB_NOBODY), 3);
  CHECK(diffusion_routes.is_neighbour(3) && !diffusion_routes.is_neighbour(8));
  diffusion_routes.subscription(OTHER, true);
  pubsub_init(4, 4, &diffusion_routes);
  diffusion_init();
  CHECK_EQUAL(diffusion_routes.beside(&event, 1), 0);
  CHECK_EQUAL(diffusion_routes.next_hop(&event, PUBSUB_NOBODY), PUBSUB_NOBODY);
  CHECK(!diffusion_routes.is_neighbour(3));
  diffusion_routes.subscription(OTHER, true);
}
/*---------------------------------------------------------------------------*/
static unsigned changes, subscribed_to;

static void
tell(pubsub_subject_t subject, bool subscribed)
{
  CHECK(subject == OTHER);
  changes++;
  subscribed_to += subscribed;
}

static void
others_are_told_of_their_subjects_alone(void)
{
  struct pubsub_routing_driver routes = configured_routes;

  routes.subscription = tell;
  pubsub_init(4, 4, &routes);
  diffusion_init();
  diffusion_subscribe(&wanted, RENEWAL);
  CHECK(pubsub_subscribe(TOPIC, arrived, NULL, &wanted.attribute) != NULL);
  CHECK_EQUAL(changes, 0);
  CHECK(pubsub_subscribe(OTHER, arrived, NULL, NULL) != NULL);
  CHECK_EQUAL(changes, 1);
  CHECK_EQUAL(subscribed_to, 1);
}
/*---------------------------------------------------------------------------*/
static void
without_diffusion_events_have_no_incarnation(void)
{
  struct pubsub_event event;

  node();
  CHECK(pubsub_incarnation != 0);
  pubsub_init(4, 4, &configured_routes);
  CHECK_EQUAL(pubsub_incarnation, 0);
  CHECK(pubsub_publish(pubsub_announce(TOPIC, NULL), "xy", 2, 0));
  memset(&event, 0xff, sizeof(event));
  event = host_event(host_sent_frames - 1);
  CHECK_EQUAL(event.contributor[0].incarnation, 0);
}
/*---------------------------------------------------------------------------*/
static void
a_copy_without_its_incarnations_is_malformed(void)
{
  struct pubsub_event event = make(7, 1);
  uint8_t body[PUBSUB_FRAME_SIZE] = { 1, 4, 0 };
  uint16_t size = 3 + pubsub_event_encode(&event, body + 3, sizeof(body) - 3);
  uint16_t length;

  node();
  diffusion_subscribe(&wanted, RENEWAL);
  CHECK(pubsub_subscribe(TOPIC, arrived, NULL, &wanted.attribute) != NULL);
  for(length = 1; length < size + 4; length++) {
    receive(COPY, 6, 4, body, length);
  }
  CHECK_EQUAL(pubsub_counters.packets_malformed, size + 2);
  CHECK_EQUAL(got, 1);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(an_aggregate_has_room_for_who_is_in_it),
    T(a_copy_for_many_leaves_room_for_the_incarnation),
    T(others_room_is_theirs),
    T(others_may_have_nothing_beside_or_be_none),
    T(others_are_told_of_their_subjects_alone),
    T(without_diffusion_events_have_no_incarnation),
    T(a_copy_without_its_incarnations_is_malformed),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
