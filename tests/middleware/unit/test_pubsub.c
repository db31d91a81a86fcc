/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "configured-routes.h"
#include "host.h"
#include "pubsub.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"
#include "sys/log.h"

#define TOPIC pubsub_subject("t")

static unsigned got, got_from, got_contributors;
static struct pubsub_subscriber_channel *subscription;
/*---------------------------------------------------------------------------*/
static void
count(const struct pubsub_event *event, uint16_t from, void *context)
{
  got++;
  got_from = from;
  got_contributors = event->contributors;
  if(context != NULL) {
    pubsub_unsubscribe(subscription);
  }
}
/*---------------------------------------------------------------------------*/
static void
node(uint16_t parent)
{
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  configured_routes_set(parent);
  configured_routes_add_neighbour(3);
  configured_routes_add_neighbour(5);
  pubsub_init(4, 3, &configured_routes);
}
/*---------------------------------------------------------------------------*/
static void
published_events_are_numbered(void)
{
  struct pubsub_publisher_channel *t, *u;
  uint8_t data[] = { 'h', 'i' };

  node(3);
  t = pubsub_announce(TOPIC, NULL);
  u = pubsub_announce(pubsub_subject("u"), NULL);
  CHECK(pubsub_publish(t, data, 2, 0));
  CHECK(pubsub_publish(t, data, 2, PUBSUB_AGGREGATABLE));
  CHECK(pubsub_publish(u, data, 2, 0));
  CHECK_EQUAL(host_sent_frames, 3);
  CHECK_EQUAL(host_event(0).contributor[0].publisher, 3);
  CHECK_EQUAL(host_event(0).contributor[0].sequence, 1);
  CHECK_EQUAL(host_event(1).contributor[0].sequence, 2);
  CHECK_EQUAL(host_event(1).flags, PUBSUB_AGGREGATABLE);
  CHECK_EQUAL(host_event(2).contributor[0].sequence, 1);
  CHECK(host_event(2).subject == pubsub_subject("u"));
  CHECK(memcmp(host_event(2).data, "hi", 2) == 0);
  /* Frame numbers are the sender's, over all topics. */
  CHECK_EQUAL(pubsub_get16(host_sent[2].bytes + 5), 3);
  CHECK_EQUAL(pubsub_counters.events_published, 3);
  CHECK_EQUAL(pubsub_counters.events_transmitted, 3);
}
/*---------------------------------------------------------------------------*/
static void
too_much_data_is_refused(void)
{
  struct pubsub_publisher_channel *t;
  uint8_t data[PUBSUB_MAX_DATA + 1] = { 0 };

  node(3);
  t = pubsub_announce(TOPIC, NULL);
  CHECK(pubsub_publish(t, data, PUBSUB_MAX_DATA, 0));
  CHECK(!pubsub_publish(t, data, PUBSUB_MAX_DATA + 1, 0));
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_logged, 1);
}
/*---------------------------------------------------------------------------*/
static void
who_has_no_index_cannot_publish(void)
{
  struct pubsub_publisher_channel *t;

  node(3);
  pubsub_init(4, 0, &configured_routes);
  t = pubsub_announce(TOPIC, NULL);
  CHECK(!pubsub_publish(t, "", 0, 0));
  CHECK_EQUAL(host_sent_frames, 0);
}
/*---------------------------------------------------------------------------*/
static void
subscribers_get_their_topic(void)
{
  static const struct pubsub_contributor two[] = { { 1, 1 }, { 2, 1 } };
  struct pubsub_event event = host_make(TOPIC, 1, 2, two);

  node(0);
  CHECK(pubsub_subscribe(TOPIC, count, NULL, NULL) != NULL);
  CHECK(pubsub_subscribe(TOPIC, count, NULL, NULL) != NULL);
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(got, 2);
  CHECK_EQUAL(got_from, 5);
  CHECK_EQUAL(got_contributors, 2);
  CHECK_EQUAL(pubsub_counters.events_delivered, 1); /* one message */
  CHECK_EQUAL(pubsub_counters.event_packets_received, 1);
  event.subject = pubsub_subject("u");
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(got, 2);
  CHECK_EQUAL(pubsub_counters.no_route, 1);
}
/*---------------------------------------------------------------------------*/
static void
local_events_are_delivered_and_sent_on(void)
{
  struct pubsub_publisher_channel *t;

  node(3);
  pubsub_subscribe(TOPIC, count, NULL, NULL);
  t = pubsub_announce(TOPIC, NULL);
  CHECK(pubsub_publish(t, "", 0, 0));
  CHECK_EQUAL(got, 1);
  CHECK_EQUAL(got_from, 4);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_callback_may_unsubscribe(void)
{
  static const struct pubsub_contributor one = { 1, 1 };
  struct pubsub_event event = host_make(TOPIC, 1, 1, &one);

  node(0);
  subscription = pubsub_subscribe(TOPIC, count, &event, NULL);
  pubsub_subscribe(TOPIC, count, NULL, NULL);
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(got, 2);
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(got, 3);
}
/*---------------------------------------------------------------------------*/
static void
full_pools_are_logged_and_counted(void)
{
  struct pubsub_publisher_channel *p[PUBSUB_MAX_PUBLISHER_CHANNELS];
  struct pubsub_subscriber_channel *s[PUBSUB_MAX_SUBSCRIBER_CHANNELS];
  unsigned i;

  node(3);
  for(i = 0; i < PUBSUB_MAX_PUBLISHER_CHANNELS; i++) {
    CHECK((p[i] = pubsub_announce(i, NULL)) != NULL);
  }
  CHECK_EQUAL(host_logged, 0);
  CHECK(pubsub_announce(i, NULL) == NULL);
  CHECK_EQUAL(host_logged, 1);
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 1);
  for(i = 0; i < PUBSUB_MAX_SUBSCRIBER_CHANNELS; i++) {
    CHECK((s[i] = pubsub_subscribe(i, count, NULL, NULL)) != NULL);
  }
  CHECK(pubsub_subscribe(i, count, NULL, NULL) == NULL);
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 2);
  CHECK_EQUAL(host_logged, 2);
  /* What was given back can be allocated again. */
  pubsub_unannounce(p[1]);
  pubsub_unsubscribe(s[1]);
  CHECK(pubsub_announce(TOPIC, NULL) == p[1]);
  CHECK(pubsub_subscribe(TOPIC, count, NULL, NULL) == s[1]);
}
/*---------------------------------------------------------------------------*/
static void
a_full_neighbour_table_is_logged_and_counted(void)
{
  node(3);
  for(unsigned i = 2; i < PUBSUB_MAX_NEIGHBOURS; i++) {
    CHECK(configured_routes_add_neighbour(100 + i));
  }
  CHECK(configured_routes_add_neighbour(5)); /* there already */
  CHECK_EQUAL(host_logged, 0);
  CHECK(!configured_routes_add_neighbour(99));
  CHECK_EQUAL(host_logged, 1);
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 1);
}
/*---------------------------------------------------------------------------*/
struct noting {
  struct pubsub_attribute attribute;
  bool accept;
  int attached;
};

static bool
note_attach(struct pubsub_attribute *attribute, pubsub_subject_t subject)
{
  struct noting *n = (struct noting *)attribute;

  CHECK(subject == TOPIC);
  n->attached += n->accept;
  return n->accept;
}

static void
note_detach(struct pubsub_attribute *attribute)
{
  ((struct noting *)attribute)->attached--;
}

static void
attributes_are_attached_all_or_none(void)
{
  static const struct pubsub_attribute_type type = { note_attach, note_detach };
  struct noting third = { { NULL, &type }, true, 0 };
  struct noting second = { { &third.attribute, &type }, true, 0 };
  struct noting first = { { &second.attribute, &type }, true, 0 };
  struct pubsub_publisher_channel *t;
  struct pubsub_subscriber_channel *s;

  node(3);
  t = pubsub_announce(TOPIC, &first.attribute);
  CHECK(first.attached == 1 && second.attached == 1 && third.attached == 1);
  pubsub_unannounce(t);
  CHECK(first.attached == 0 && second.attached == 0 && third.attached == 0);
  s = pubsub_subscribe(TOPIC, count, NULL, &first.attribute);
  CHECK(first.attached == 1);
  pubsub_unsubscribe(s);
  CHECK(first.attached == 0);
  third.accept = false;
  CHECK(pubsub_announce(TOPIC, &first.attribute) == NULL);
  CHECK(first.attached == 0 && second.attached == 0 && third.attached == 0);
  /* The channel went back to its pool. */
  for(int i = 0; i < PUBSUB_MAX_PUBLISHER_CHANNELS; i++) {
    CHECK(pubsub_announce(TOPIC, NULL) != NULL);
  }
}
/*---------------------------------------------------------------------------*/
static int subscriptions;

static bool anybody(uint16_t mote) { return true; }
static uint16_t nowhere(const struct pubsub_event *event, uint16_t from)
{ return PUBSUB_NOBODY; }
static void note_subscription(pubsub_subject_t subject, bool subscribed)
{
  CHECK(subject == TOPIC);
  subscriptions += subscribed ? 1 : -1;
}

static void
a_routing_driver_learns_of_subscriptions(void)
{
  static const struct pubsub_routing_driver driver = {
    "test", anybody, nowhere, note_subscription
  };
  struct pubsub_subscriber_channel *a, *b;

  pubsub_init(4, 3, &driver);
  a = pubsub_subscribe(TOPIC, count, NULL, NULL);
  b = pubsub_subscribe(TOPIC, count, NULL, NULL);
  CHECK_EQUAL(subscriptions, 1);
  pubsub_unsubscribe(a);
  CHECK_EQUAL(subscriptions, 1);
  pubsub_unsubscribe(b);
  CHECK_EQUAL(subscriptions, 0);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(published_events_are_numbered), T(too_much_data_is_refused),
    T(who_has_no_index_cannot_publish), T(subscribers_get_their_topic),
    T(local_events_are_delivered_and_sent_on), T(a_callback_may_unsubscribe),
    T(full_pools_are_logged_and_counted),
    T(a_full_neighbour_table_is_logged_and_counted),
    T(attributes_are_attached_all_or_none),
    T(a_routing_driver_learns_of_subscriptions),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
