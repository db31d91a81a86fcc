/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishers that close a channel, open it again, boot again or have two: their
 * events reach a relay and its subscriber, each once.
 */
#include "diffusion_node.h"

#define MANY 400

/* The bodies of copies that a publisher sent, which another node is to hear. */
static struct {
  uint8_t length, bytes[PUBSUB_FRAME_SIZE];
} told_by[2 * MANY];
static unsigned told_events;

static struct diffusion_attribute offered[2], wanted;
/*---------------------------------------------------------------------------*/
/* Mote 4 boots as a publisher, whose events somebody wants. */
static void
boot(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
}
/*---------------------------------------------------------------------------*/
static struct pubsub_publisher_channel *
open_channel(unsigned which)
{
  diffusion_publish(&offered[which]);
  return pubsub_announce(TOPIC, &offered[which].attribute);
}
/*---------------------------------------------------------------------------*/
static void
publish(struct pubsub_publisher_channel *channel, unsigned events)
{
  const struct host_frame *frame;

  for(; events > 0; events--) {
    CHECK(pubsub_publish(channel, "xy", 2, 0));
    frame = &host_sent[(host_sent_frames - 1) % 256];
    told_by[told_events].length = frame->length - PUBSUB_FRAME_HEADER_SIZE;
    memcpy(told_by[told_events++].bytes, frame->bytes + PUBSUB_FRAME_HEADER_SIZE,
           frame->length - PUBSUB_FRAME_HEADER_SIZE);
  }
}
/*---------------------------------------------------------------------------*/
/* This node is now a relay of subscriber 1 that wants the events too. */
static void
relay(void)
{
  node();
  diffusion_subscribe(&wanted, RENEWAL);
  CHECK(pubsub_subscribe(TOPIC, arrived, NULL, &wanted.attribute) != NULL);
  interest(TOPIC, 1, 1, 3, 1, 600000);
  host_pass(DIFFUSION_JITTER);
  incarnation = 0;
}
/*---------------------------------------------------------------------------*/
static void
hear(unsigned event)
{
  receive(COPY, 6, 4, told_by[event].bytes, told_by[event].length);
}
/*---------------------------------------------------------------------------*/
/* Lets it hear all of them, each twice; returns how many were new. */
static unsigned
new_to_a_relay(void)
{
  unsigned i;

  relay();
  for(i = 0; i < told_events; i++) {
    hear(i);
    hear(i);
    host_pass(50);
  }
  CHECK_EQUAL(diffusion_counters.events_duplicate, 2 * told_events - got);
  CHECK_EQUAL(pubsub_counters.events_transmitted, got);
  return got;
}
/*---------------------------------------------------------------------------*/
static void
a_channel_opened_again_goes_on(void)
{
  struct pubsub_publisher_channel *channel;

  boot();
  channel = open_channel(0);
  publish(channel, MANY);
  pubsub_unannounce(channel);
  channel = open_channel(0);
  publish(channel, 1);
  CHECK_EQUAL(channel->sequence, MANY + 1);
  publish(channel, MANY - 1);
  CHECK_EQUAL(new_to_a_relay(), 2 * MANY);
}
/*---------------------------------------------------------------------------*/
static void
a_mote_that_boots_again_is_heard(void)
{
  uint16_t before;

  boot();
  publish(open_channel(0), MANY);
  before = pubsub_incarnation;
  boot();
  CHECK(pubsub_incarnation != before);
  publish(open_channel(0), MANY);
  CHECK_EQUAL(new_to_a_relay(), 2 * MANY);
}
/*---------------------------------------------------------------------------*/
/* The receiver of an event of the earlier boot says nothing about one of this boot. */
static void
the_same_number_of_another_boot_goes_to_all(void)
{
  relay();
  incarnation = 1;
  copy_from(7, 1, 6, 1, 0);
  CHECK_EQUAL(sent(COPY, 0), 1);
  incarnation = 2;
  copy_from(7, 1, 6, 1, 0);
  CHECK_EQUAL(sent(COPY, 0), 2);
  copy_from(7, 1, 5, 1, 0);
  CHECK_EQUAL(sent(COPY, 0), 2);
}
/*---------------------------------------------------------------------------*/
/* Events of the earlier boot that are still under way are neither lost nor taken twice. */
static void
boots_may_overlap(void)
{
  relay();
  incarnation = 1;
  copy_from(7, 100, 6, 4, 0);
  incarnation = 2;
  copy_from(7, 1, 6, 4, 0);
  incarnation = 1;
  copy_from(7, 99, 6, 4, 0);
  copy_from(7, 100, 5, 4, 0);
  incarnation = 2;
  copy_from(7, 2, 6, 4, 0);
  copy_from(7, 1, 5, 4, 0);
  CHECK_EQUAL(got, 4);
  CHECK_EQUAL(diffusion_counters.events_duplicate, 2);
}
/*---------------------------------------------------------------------------*/
static void
two_channels_share_numbers(void)
{
  struct pubsub_publisher_channel *first, *second;
  unsigned i;

  boot();
  first = open_channel(0);
  second = open_channel(1);
  for(i = 0; i < MANY; i++) {
    publish(i % 2 == 0 ? first : second, 1);
  }
  CHECK_EQUAL(second->sequence, MANY);
  CHECK_EQUAL(new_to_a_relay(), MANY);
}
/*---------------------------------------------------------------------------*/
/* A channel closes in between; the numbers that it used stay used. */
static void
one_of_two_channels_closes(void)
{
  struct pubsub_publisher_channel *first, *second;

  boot();
  first = open_channel(0);
  second = open_channel(1);
  publish(first, 3);
  publish(second, 3);
  pubsub_unannounce(second);
  publish(first, 3);
  second = open_channel(1);
  publish(second, 3);
  pubsub_unannounce(first);
  pubsub_unannounce(second);
  publish(open_channel(0), 3);
  CHECK_EQUAL(new_to_a_relay(), told_events);
  CHECK_EQUAL(told_events, 15);
}
/*---------------------------------------------------------------------------*/
static void
numbers_go_round(void)
{
  struct pubsub_publisher_channel *channel;

  boot();
  channel = open_channel(0);
  channel->sequence = 65535 - MANY / 2;
  publish(channel, MANY);
  CHECK_EQUAL(channel->sequence, MANY / 2 - 1);
  pubsub_unannounce(channel);
  channel = open_channel(0);
  CHECK_EQUAL(channel->sequence, MANY / 2 - 1);
  publish(channel, MANY);
  CHECK_EQUAL(new_to_a_relay(), 2 * MANY);
}
/*---------------------------------------------------------------------------*/
static void
a_channel_closed_earlier_does_not_set_numbers_back(void)
{
  struct pubsub_publisher_channel *first, *second;
  uint16_t numbers[] = { 12, 20000, 40000, 60000 };
  unsigned i;

  for(i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
    boot();
    first = open_channel(0);
    second = pubsub_announce(OTHER, NULL);
    first->sequence = 40000;
    second->sequence = numbers[i];
    publish(first, 40);
    pubsub_unannounce(first);
    pubsub_unannounce(second);
    publish(open_channel(0), 40);
    CHECK_EQUAL(new_to_a_relay(), 80);
    told_events = 0;
  }
}
/*---------------------------------------------------------------------------*/
static void
two_motes_do_not_meet(void)
{
  uint16_t i;

  relay();
  for(i = 1; i <= 100; i++) {
    copy_from(7, i, 6, 4, 0);
    copy_from(8, i, 6, 4, 0);
    copy_from(8, i, 5, 4, 0);
  }
  CHECK_EQUAL(got, 200);
  CHECK_EQUAL(diffusion_counters.events_duplicate, 100);
}
/*---------------------------------------------------------------------------*/
static void
overtaken_events_of_any_boot_count_once(void)
{
  static const uint16_t order[] = { 5, 3, 4, 1, 2, 36, 5, 6, 4, 35, 3 };
  unsigned i;

  boot();
  publish(open_channel(0), 40);
  boot();
  publish(open_channel(0), 40);
  relay();
  for(i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
    hear(order[i]);
    hear(40 + order[i]);
  }
  /* 5 and 3 came again; 4 too, and is older than the window. */
  CHECK_EQUAL(got, 2 * 8);
}
/*---------------------------------------------------------------------------*/
/* If an incarnation is drawn twice, the effect lasts no longer than the memory. */
static void
rejected_events_do_not_keep_numbers_alive(void)
{
  unsigned i;

  relay();
  copy_from(7, 500, 6, 4, 0);
  for(i = 0; i < 7; i++) {
    host_pass(DIFFUSION_FLOW_LIFETIME / 8);
    copy_from(7, 10 + i, 6, 4, 0);
    CHECK_EQUAL(got, 1);
  }
  host_pass(DIFFUSION_FLOW_LIFETIME / 8);
  copy_from(7, 17, 6, 4, 0);
  CHECK_EQUAL(got, 2);
  /* Accepted ones do. */
  for(i = 0; i < 9; i++) {
    host_pass(DIFFUSION_FLOW_LIFETIME / 8);
    copy_from(7, 18 + i, 6, 4, 0);
  }
  copy_from(7, 17, 6, 4, 0);
  CHECK_EQUAL(got, 2 + 9);
}
/*---------------------------------------------------------------------------*/
/* A mote that boots over and over takes no other's place. */
static void
earlier_boots_give_way(void)
{
  unsigned i;

  relay();
  for(i = 1; i < DIFFUSION_MAX_FLOWS; i++) {
    copy_from(100 + i, 1, 6, 4, 0);
  }
  for(incarnation = 1; incarnation <= 50; incarnation++) {
    host_pass(100);
    copy_from(7, 1, 6, 4, 0);
    copy_from(7, 1, 5, 4, 0);
  }
  CHECK_EQUAL(got, DIFFUSION_MAX_FLOWS - 1 + 50);
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 0);
  incarnation = 0;
  for(i = 1; i < DIFFUSION_MAX_FLOWS; i++) {
    copy_from(100 + i, 1, 6, 4, 0);
  }
  CHECK_EQUAL(got, DIFFUSION_MAX_FLOWS - 1 + 50);
  /* Its boots don't keep another mote from getting a place either. */
  relay();
  for(incarnation = 1; incarnation <= DIFFUSION_MAX_FLOWS; incarnation++) {
    host_pass(100);
    copy_from(7, 1, 6, 4, 0);
  }
  incarnation = 0;
  copy_from(8, 1, 6, 4, 0);
  CHECK_EQUAL(got, DIFFUSION_MAX_FLOWS + 1);
  /* The first of them was given up; the later ones are known. */
  for(incarnation = 2; incarnation <= DIFFUSION_MAX_FLOWS; incarnation++) {
    copy_from(7, 1, 6, 4, 0);
    CHECK_EQUAL(got, DIFFUSION_MAX_FLOWS + 1);
  }
}
/*---------------------------------------------------------------------------*/
/* What the node heard of another topic before takes no room. */
static void
what_begins_anew_has_all_its_room(void)
{
  unsigned i;

  relay();
  interest(OTHER, 1, 1, 3, 1, RENEWAL);
  for(i = 1; i <= DIFFUSION_MAX_FLOWS; i++) {
    struct pubsub_event event = make(100 + i, 1);

    event.subject = OTHER;
    copy_of(&event, 6, 1, 0);
  }
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 0);
  relay();
  for(i = 1; i <= DIFFUSION_MAX_FLOWS; i++) {
    copy_from(100 + i, 1, 6, 4, 0);
  }
  CHECK_EQUAL(got, DIFFUSION_MAX_FLOWS);
}
/*---------------------------------------------------------------------------*/
/* Its neighbours have a higher number of its interest than it has. */
static void
a_subscriber_that_boots_again_goes_on_from_its_number(void)
{
  unsigned before;

  node();
  diffusion_subscribe(&wanted, RENEWAL);
  pubsub_subscribe(TOPIC, arrived, NULL, &wanted.attribute);
  host_pass(2 * DIFFUSION_JITTER);
  before = host_sent_frames;
  interest(TOPIC, 4, 500, 3, 1, RENEWAL); /* it knows a newer one */
  CHECK_EQUAL(host_sent_frames, before + 1);
  CHECK_EQUAL(told(), 0);
  CHECK_EQUAL(pubsub_get16(host_sent[before].bytes + 7 + 10), 501);
  interest(TOPIC, 4, 501, 3, 1, RENEWAL);
  interest(TOPIC, 4, 501, 5, 1, RENEWAL);
  CHECK_EQUAL(host_sent_frames, before + 1);
  interest(TOPIC, 4, 499, 6, 1, RENEWAL); /* it missed the new one */
  CHECK_EQUAL(host_sent_frames, before + 2);
  CHECK_EQUAL(pubsub_get16(host_sent[before + 1].bytes + 7 + 10), 501);
  host_pass(RENEWAL);
  CHECK_EQUAL(pubsub_get16(host_sent[before + 2].bytes + 7 + 10), 502);
  /* This holds where the numbers wrap around, too. */
  interest(TOPIC, 4, 33000, 3, 1, RENEWAL);
  interest(TOPIC, 4, 65535, 3, 1, RENEWAL);
  CHECK_EQUAL(pubsub_get16(host_sent[host_sent_frames - 1].bytes + 7 + 10), 0);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(a_channel_opened_again_goes_on),
    T(a_mote_that_boots_again_is_heard),
    T(the_same_number_of_another_boot_goes_to_all),
    T(boots_may_overlap),
    T(two_channels_share_numbers),
    T(one_of_two_channels_closes),
    T(numbers_go_round),
    T(a_channel_closed_earlier_does_not_set_numbers_back),
    T(two_motes_do_not_meet),
    T(overtaken_events_of_any_boot_count_once),
    T(rejected_events_do_not_keep_numbers_alive),
    T(earlier_boots_give_way),
    T(what_begins_anew_has_all_its_room),
    T(a_subscriber_that_boots_again_goes_on_from_its_number),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
