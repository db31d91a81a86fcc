/* SPDX-License-Identifier: Apache-2.0 */
/* Single steps of a blackboard. */
#include "blackboard_node.h"
/*---------------------------------------------------------------------------*/
static void
comparisons(void)
{
  static const char *const of_signed[] = { /* -2, 3 and 4 are compared with 3 */
    "yyy", "nyn", "yny", "ynn", "yyn", "nny", "nyy" };
  unsigned i;

  for(i = BLACKBOARD_ALWAYS; i <= BLACKBOARD_GREATER_OR_EQUAL; i++) {
    condition(0, i, 3);
    CHECK_EQUAL(subscribe(EVENT_B, 1), 0);
    CHECK_EQUAL(reached(EVENT_B, -2)[0], of_signed[i][0] == 'y' ? 'B' : '\0');
    CHECK_EQUAL(reached(EVENT_B, 3)[0], of_signed[i][1] == 'y' ? 'B' : '\0');
    CHECK_EQUAL(reached(EVENT_B, 4)[0], of_signed[i][2] == 'y' ? 'B' : '\0');
    CHECK_EQUAL(blackboard_unsubscribe(EVENT_B, 0), BLACKBOARD_OK);
  }
  /* The same bits are a large number of an unsigned event. */
  condition(0, BLACKBOARD_LESS, 3);
  subscribe(EVENT_A, 1);
  CHECK_TEXT(reached(EVENT_A, -2), "");
  CHECK_TEXT(reached(EVENT_A, 2), "A0:2 ");
}
static void
fixed_point(void)
{
  condition(0, BLACKBOARD_GREATER, BLACKBOARD_FIXED(-0.5));
  subscribe(EVENT_C, 1);
  CHECK_EQUAL(BLACKBOARD_FIXED(1.5), 98304);
  CHECK_EQUAL(BLACKBOARD_FIXED(-1), 0xffff0000);
  CHECK_TEXT(reached(EVENT_C, BLACKBOARD_FIXED(-0.75)), "");
  CHECK_TEXT(reached(EVENT_C, BLACKBOARD_FIXED(0.25)), "C0:16384 ");
}
static void
changes(void)
{
  condition(0, BLACKBOARD_CHANGED, 5);
  subscribe(EVENT_B, 1);
  CHECK_TEXT(reached(EVENT_B, -3), "B0:-3 "); /* the first passes */
  CHECK_TEXT(reached(EVENT_B, 2), "");
  CHECK_TEXT(reached(EVENT_B, 3), "B0:3 "); /* it differs by 6 from the last that passed */
  CHECK_TEXT(reached(EVENT_B, 8), "");
  CHECK_TEXT(reached(EVENT_B, -3), "B0:-3 ");
  CHECK_EQUAL(subscribe(EVENT_A, 1), 0);
  CHECK_EQUAL(subscribe(EVENT_A, 1), 1);
  CHECK_EQUAL(subscribe(EVENT_A, 1), BLACKBOARD_NO_ROOM);
  blackboard_unsubscribe(EVENT_B, 0);
  CHECK_EQUAL(subscribe(EVENT_A, 1), 2);
}
static void
between_two_limits(void)
{
  condition(0, BLACKBOARD_GREATER, 3);
  condition(1, BLACKBOARD_LESS, 6);
  condition(2, BLACKBOARD_NOT_EQUAL, 5);
  CHECK_EQUAL(subscribe(EVENT_B, 2), 0);
  CHECK_EQUAL(subscribe(EVENT_B, 3), 1);
  CHECK_TEXT(reached(EVENT_B, 3), "");
  CHECK_TEXT(reached(EVENT_B, 4), "B0:4 B1:4 ");
  CHECK_TEXT(reached(EVENT_B, 5), "B0:5 ");
  CHECK_TEXT(reached(EVENT_B, 6), "");
  /* Of the conditions beyond the first there are three now, and room for four:
     in the combined concept for five, as B doesn't overflow. */
  CHECK_EQUAL(subscribe(EVENT_D, 2), 0);
  CHECK_EQUAL(subscribe(EVENT_D, 3), BLACKBOARD_NO_ROOM);
  CHECK_EQUAL(blackboard_unsubscribe(EVENT_B, 1), BLACKBOARD_OK);
  CHECK_EQUAL(subscribe(EVENT_D, 3), 1);
}
static void
several_values(void)
{
  uint32_t value;
  unsigned i;

  for(i = 1; i <= 5; i++) {
    blackboard_publish(EVENT_B, i, 0);
  }
  for(i = 0; i < 3; i++) { /* the newest first */
    CHECK_EQUAL(blackboard_read(EVENT_B, i, &value), BLACKBOARD_OK);
    CHECK_EQUAL(value, 5 - i);
  }
  CHECK_EQUAL(blackboard_read(EVENT_B, 3, &value), BLACKBOARD_BAD_POSITION);
  CHECK_EQUAL(blackboard_read(EVENT_A, 0, &value), BLACKBOARD_OK);
  CHECK_EQUAL(value, 0); /* it is no neighbour's */
}
static void
a_freed_place_is_used_again(void)
{
  unsigned i;

  for(i = 0; i < 2; i++) {
    CHECK_EQUAL(subscribe(EVENT_D, 0), i);
  }
  CHECK_EQUAL(blackboard_unsubscribe(EVENT_D, 0), BLACKBOARD_OK);
  CHECK_EQUAL(blackboard_unsubscribe(EVENT_D, 0),
              BLACKBOARD_UNKNOWN_SUBSCRIPTION);
  CHECK_EQUAL(subscribe(EVENT_D, 0), 0);
  CHECK_TEXT(reached(EVENT_D, 7), "D0:7 D1:7 ");
}
static void
pausing_keeps_the_place(void)
{
  subscribe(EVENT_D, 0);
  subscribe(EVENT_D, 0);
  CHECK_EQUAL(blackboard_pause(EVENT_D, 0, true), BLACKBOARD_OK);
  CHECK_TEXT(reached(EVENT_D, 7), "D1:7 ");
  blackboard_unsubscribe(EVENT_D, 1);
  CHECK_EQUAL(subscribe(EVENT_D, 0), 1); /* 0 is still taken */
  CHECK_EQUAL(blackboard_pause(EVENT_D, 0, false), BLACKBOARD_OK);
  CHECK_TEXT(reached(EVENT_D, 8), "D0:8 D1:8 ");
}
static void
quenching(void)
{
  static struct blackboard_producer producer = {
    .event = EVENT_B, .wanted = wanted };

  wanted_now[EVENT_B] = true;
  blackboard_produce(&producer); /* it is notified at once */
  CHECK(!wanted_now[EVENT_B]);
  wanted_now[EVENT_B] = true;
  blackboard_produce(&producer); /* it is notified again, once */
  CHECK(!wanted_now[EVENT_B] && producer.next == NULL);
  condition(0, BLACKBOARD_GREATER, 3);
  condition(1, BLACKBOARD_LESS, 6);
  condition(2, BLACKBOARD_ALWAYS, 0);
  subscribe(EVENT_B, 3);
  CHECK(wanted_now[EVENT_B]);
  blackboard_pause(EVENT_B, 0, true); /* up the tree, to the producer */
  CHECK(!wanted_now[EVENT_B]);
  CHECK_TEXT(reached(EVENT_B, 5), "");
  blackboard_pause(EVENT_B, 0, false);
  CHECK(wanted_now[EVENT_B]);
  CHECK_TEXT(reached(EVENT_B, 5), "B0:5 ");
  blackboard_unsubscribe(EVENT_B, 0);
  CHECK(!wanted_now[EVENT_B]);
}
static void
who_subscribes_later_hears_of_later_values(void)
{
  subscribe(EVENT_A, 0);
  blackboard_publish(EVENT_A, 1, 0);
  subscribe(EVENT_A, 0);
  heard[0] = '\0';
  CHECK_EQUAL(blackboard_run(0), BLACKBOARD_DONE);
  CHECK_TEXT(heard, "A0:1 ");
  CHECK_TEXT(reached(EVENT_A, 2), "A0:2 A1:2 ");
}
static void
seven_subscribers(void)
{
  unsigned i;

  for(i = 0; i < 6; i++) {
    CHECK_EQUAL(subscribe(EVENT_B, 0), i);
  }
#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED
  /* The sixth moved to the sub-event: the event's own before it. */
  CHECK_EQUAL(subscribe(EVENT_B, 0), 6);
  subscribe(EVENT_C, 0);
  CHECK_TEXT(reached(EVENT_B, 1),
             "B0:1 B1:1 B2:1 B3:1 B4:1 B5:1 B6:1 ");
  blackboard_unsubscribe(EVENT_B, 0);
  CHECK_EQUAL(subscribe(EVENT_B, 0), 0);
  heard[0] = '\0';
  blackboard_publish(EVENT_B, 2, 0);
  CHECK_TEXT(reached(EVENT_C, 3),
             "B0:2 B1:2 B2:2 B3:2 B4:2 C0:3 B5:2 B6:2 ");
#endif
}
static void
gaps_are_closed(void)
{
#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED
  unsigned i;

  /* Nine subscribers of B have a sub-event. Five leave: six places would do, but
     the sub-event is free only when the gaps are closed, which all four that are
     for conditions need. */
  for(i = 0; i < 9; i++) {
    CHECK_EQUAL(subscribe(EVENT_B, 0), i);
  }
  for(i = 0; i < 5; i++) {
    CHECK_EQUAL(blackboard_unsubscribe(EVENT_B, i), BLACKBOARD_OK);
  }
  condition(0, BLACKBOARD_GREATER, 3);
  condition(1, BLACKBOARD_LESS, 6);
  for(i = 0; i < 4; i++) {
    CHECK_EQUAL(subscribe(EVENT_A, 2), i);
  }
  CHECK_EQUAL(subscribe(EVENT_A, 2), BLACKBOARD_NO_ROOM);
  CHECK_EQUAL(blackboard_run(0), BLACKBOARD_DONE); /* optimises */
  blackboard_counters.notifications = 0;
  blackboard_publish(EVENT_B, 1, 0);
  CHECK_EQUAL(blackboard_run(0), BLACKBOARD_DONE);
  CHECK_EQUAL(blackboard_counters.notifications, 4);
  CHECK_TEXT(reached(EVENT_A, 4), "A0:4 A1:4 A2:4 A3:4 ");
  for(i = 0; i < 5; i++) {
    CHECK_EQUAL(subscribe(EVENT_B, 0), i); /* as declared, still */
  }
  CHECK_TEXT(reached(EVENT_A, 4), "A0:4 A1:4 A2:4 A3:4 ");
#endif
}
static void
sharing(void)
{
#if BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
  condition(0, BLACKBOARD_GREATER, 3);
  condition(1, BLACKBOARD_LESS, 6);
  subscribe(EVENT_B, 1);
  CHECK_EQUAL(blackboard_share(EVENT_C, EVENT_B), BLACKBOARD_OK);
  CHECK_TEXT(reached(EVENT_C, 4), "C0:4 ");
  CHECK_TEXT(reached(EVENT_C, 3), "");
  CHECK_EQUAL(subscribe(EVENT_C, 1), 1); /* at both */
  CHECK_TEXT(reached(EVENT_B, 4), "B0:4 B1:4 ");
  blackboard_pause(EVENT_B, 0, true); /* at one */
  CHECK_TEXT(reached(EVENT_B, 4), "B1:4 ");
  CHECK_TEXT(reached(EVENT_C, 4), "C0:4 C1:4 ");
  blackboard_unsubscribe(EVENT_C, 1);
  CHECK_TEXT(reached(EVENT_B, 4), "");
  CHECK_EQUAL(subscribe(EVENT_B, 2), BLACKBOARD_NO_ROOM);
  CHECK_EQUAL(subscribe(EVENT_A, 2), 0);
  CHECK_EQUAL(blackboard_share(EVENT_D, EVENT_A), BLACKBOARD_NO_ROOM);
  CHECK_EQUAL(blackboard_share(EVENT_A, EVENT_B), BLACKBOARD_NO_ROOM);
  CHECK_EQUAL(blackboard_share(EVENT_D, 99), BLACKBOARD_UNKNOWN_EVENT);
#endif
}
static void
raising(void)
{
#if BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
  subscribe(EVENT_A, 0);
  subscribe(EVENT_C, 0);
  blackboard_publish(EVENT_A, 1, 0);
  CHECK_TEXT(reached(EVENT_C, 2), "A0:1 C0:2 ");
  CHECK_EQUAL(blackboard_raise(EVENT_C), BLACKBOARD_OK);
  blackboard_publish(EVENT_A, 1, 0);
  CHECK_TEXT(reached(EVENT_C, 2), "C0:2 A0:1 ");
  CHECK_EQUAL(blackboard_raise(99), BLACKBOARD_UNKNOWN_EVENT);
#endif
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(comparisons), T(fixed_point), T(changes), T(between_two_limits),
    T(several_values), T(a_freed_place_is_used_again),
    T(pausing_keeps_the_place), T(quenching),
    T(who_subscribes_later_hears_of_later_values), T(seven_subscribers),
    T(gaps_are_closed), T(sharing), T(raising),
    { 0 }
  };

  return node_main(tests, argc, argv);
}
