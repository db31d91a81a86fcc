/* SPDX-License-Identifier: Apache-2.0 */
/* Merge functions that set their own time-outs. */
#include "merge_node.h"
#include "patience.h"

static struct merge_patience patience;
static const struct pubsub_contributor five = { 5, 1 }, six = { 6, 1 };
/*---------------------------------------------------------------------------*/
static void
shrinking(uint8_t full_at)
{
  merge_patience_shrinking(&patience, &merge_mean_function);
  node(3, full_at, &patience.function);
}
/*---------------------------------------------------------------------------*/
static void
the_fuller_the_sooner(void)
{
  shrinking(4);
  publish(7);
  arrive(9, 1, &five); /* two of four are missing: half of 5 s */
  host_pass(2499);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(1);
  CHECK(strcmp(sent(0), "3.1+5.1") == 0);
  CHECK_EQUAL(merge_mean_get(host_event(0).data), 8);
  CHECK_EQUAL(pubsub_counters.forward_timeout, 1);
  publish(7); /* the next one has the whole time-out again */
  host_pass(4999);
  CHECK_EQUAL(host_sent_frames, 1);
  host_pass(1);
  CHECK_EQUAL(host_sent_frames, 2);
}
/*---------------------------------------------------------------------------*/
static void
every_merge_shrinks_it(void)
{
  shrinking(4);
  publish(7);
  arrive(9, 1, &five);
  host_pass(100);
  arrive(9, 1, &six); /* a quarter, from now */
  host_pass(1249);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(1);
  CHECK(strcmp(sent(0), "3.1+5.1+6.1") == 0);
}
/*---------------------------------------------------------------------------*/
static void
it_never_puts_a_time_out_off(void)
{
  shrinking(4);
  publish(7);
  host_pass(4000);
  arrive(9, 1, &five); /* 2.5 s from now would be after the 5 s */
  host_pass(999);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(1);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_full_one_goes_at_once(void)
{
  shrinking(2);
  publish(7);
  arrive(9, 1, &five);
  CHECK(strcmp(sent(0), "3.1+5.1") == 0);
  CHECK_EQUAL(pubsub_counters.forward_full, 1);
  host_pass(60000);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
without_a_full_number_nothing_shrinks(void)
{
  shrinking(0);
  publish(7);
  arrive(9, 1, &five);
  host_pass(4999);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(1);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
what_does_not_merge_shrinks_nothing(void)
{
  struct pubsub_event other = host_make(TOPIC, 9, 1, &five);

  other.length = 3;
  shrinking(3);
  publish(7);
  host_receive_event(&other, 5, 4);
  CHECK(strcmp(sent(0), "5.1") == 0); /* sent on as it is */
  host_pass(4999);
  CHECK_EQUAL(host_sent_frames, 1);
  host_pass(1);
  CHECK_EQUAL(host_sent_frames, 2);
}
/*---------------------------------------------------------------------------*/
static void
for_ever(void)
{
  merge_patience_endless(&patience, &merge_mean_function);
  node(3, 3, &patience.function);
  publish(7);
  host_pass(24 * 3600 * 1000UL);
  CHECK_EQUAL(host_sent_frames, 0);
  CHECK_EQUAL(merge_pending(&merging), 1);
  arrive(9, 1, &five); /* still merges */
  CHECK_EQUAL(merge_pending(&merging), 2);
  publish(8); /* the next of a publisher it holds */
  CHECK(strcmp(sent(0), "3.1+5.1") == 0);
  CHECK_EQUAL(pubsub_counters.forward_contained, 1);
  arrive(9, 2, (struct pubsub_contributor[]){ { 5, 2 }, { 6, 2 } });
  CHECK(strcmp(sent(1), "3.2+5.2+6.2") == 0);
  CHECK_EQUAL(pubsub_counters.forward_full, 1);
  CHECK_EQUAL(pubsub_counters.forward_timeout, 0);
}
/*---------------------------------------------------------------------------*/
static void
for_ever_ends_when_the_channel_closes(void)
{
  merge_patience_endless(&patience, &merge_mean_function);
  node(3, 3, &patience.function);
  merge_set_timeout(&merging, 0); /* renewed by a tick at least */
  publish(7);
  host_pass(100);
  CHECK_EQUAL(host_sent_frames, 0);
  pubsub_unannounce(channel);
  CHECK(strcmp(sent(0), "3.1") == 0);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(the_fuller_the_sooner), T(every_merge_shrinks_it),
    T(it_never_puts_a_time_out_off), T(a_full_one_goes_at_once),
    T(without_a_full_number_nothing_shrinks),
    T(what_does_not_merge_shrinks_nothing), T(for_ever),
    T(for_ever_ends_when_the_channel_closes),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
