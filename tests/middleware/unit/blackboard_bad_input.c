/* SPDX-License-Identifier: Apache-2.0 */
/* Bad input never overwrites anything silently. */
#include "blackboard_node.h"
/*---------------------------------------------------------------------------*/
static void
unknown_ones(void)
{
  uint32_t value;

  CHECK_EQUAL(subscribe(BLACKBOARD_NUMBER_OF_EVENTS, 0),
              BLACKBOARD_UNKNOWN_EVENT);
  CHECK_EQUAL(blackboard_publish(255, 1, 0), BLACKBOARD_UNKNOWN_EVENT);
  CHECK_EQUAL(blackboard_read(200, 0, &value), BLACKBOARD_UNKNOWN_EVENT);
  CHECK_EQUAL(blackboard_poll(200, 0), BLACKBOARD_UNKNOWN_EVENT);
  CHECK_EQUAL(blackboard_block(200), BLACKBOARD_UNKNOWN_EVENT);
  CHECK(!blackboard_is_wanted(200));
  CHECK_EQUAL(blackboard_pause(EVENT_A, 0, true),
              BLACKBOARD_UNKNOWN_SUBSCRIPTION);
  CHECK_EQUAL(blackboard_unsubscribe(EVENT_A, 254),
              BLACKBOARD_UNKNOWN_SUBSCRIPTION);
}
static void
a_handler_of_a_stopped_thread(void)
{
  subscribe(EVENT_A, 0);
  threads[0].alive = false;
  CHECK_TEXT(reached(EVENT_A, 1), "");
  CHECK_EQUAL(blackboard_counters.stopped_handler, 1);
  CHECK_EQUAL(subscribe(EVENT_A, 0), BLACKBOARD_STOPPED_HANDLER);
  threads[0].alive = true;
  CHECK_TEXT(reached(EVENT_A, 2), "A0:2 ");
}
static void
a_handler_that_is_none(void)
{
  struct blackboard_subscription none = {
    .notification = BLACKBOARD_BY_SEMAPHORE };

  CHECK_EQUAL(blackboard_subscribe(EVENT_A, &none),
              BLACKBOARD_BAD_SUBSCRIPTION);
  none.notification = BLACKBOARD_BY_POLL;
  CHECK_EQUAL(blackboard_subscribe(EVENT_A, &none), 0);
  none.notification |= BLACKBOARD_WITH_VALUE; /* where to? */
  CHECK_EQUAL(blackboard_subscribe(EVENT_A, &none),
              BLACKBOARD_BAD_SUBSCRIPTION);
  condition(0, BLACKBOARD_CHANGED + 1, 0);
  CHECK_EQUAL(subscribe(EVENT_A, 1), BLACKBOARD_BAD_SUBSCRIPTION);
}
static void
a_queue_that_is_full(void)
{
  struct blackboard_command command = { BLACKBOARD_PUBLISH, EVENT_A };
  unsigned i;

  subscribe(EVENT_A, 0);
  for(i = 1; i <= BLACKBOARD_QUEUE; i++) {
    command.with.value = i;
    CHECK_EQUAL(blackboard_queue(&command), BLACKBOARD_OK);
  }
  command.with.value = 99;
  CHECK_EQUAL(blackboard_queue(&command), BLACKBOARD_QUEUE_FULL);
  CHECK_EQUAL(blackboard_counters.queue_full, 1);
  heard[0] = '\0';
  CHECK_EQUAL(blackboard_run(0), BLACKBOARD_DONE); /* the newest of them, and not the refused one */
  CHECK_TEXT(heard, "A0:5 ");
  CHECK_EQUAL(blackboard_counters.publications, BLACKBOARD_QUEUE);
}
static void
errors_of_requests_are_counted(void)
{
  struct blackboard_command command = { BLACKBOARD_UNSUBSCRIBE, EVENT_A };

  blackboard_queue(&command);
  command.event = 99;
  blackboard_queue(&command);
  CHECK_EQUAL(blackboard_run(0), BLACKBOARD_DONE);
  CHECK_EQUAL(blackboard_counters.unknown_subscription, 1);
  CHECK_EQUAL(blackboard_counters.unknown_event, 1);
}
static void
a_deadline_in_the_past(void)
{
  subscribe(EVENT_A, 0); /* within 100 us */
  heard[0] = '\0';
  blackboard_publish(EVENT_A, 1, 0xfffffff0); /* before the time wraps */
  CHECK_EQUAL(blackboard_run(0x53), BLACKBOARD_DONE);
  CHECK_EQUAL(blackboard_counters.deadline_past, 0);
  blackboard_publish(EVENT_A, 2, 0xfffffff0);
  CHECK_EQUAL(blackboard_run(0x55), BLACKBOARD_DONE); /* 101 us: it is notified, and counted */
  CHECK_EQUAL(blackboard_counters.deadline_past, 1);
  CHECK_TEXT(heard, "A0:1 A0:2 ");
}
static void
a_blocked_event(void)
{
  struct blackboard_command command = { BLACKBOARD_PUBLISH, EVENT_A };
  uint32_t value;

  subscribe(EVENT_A, 0);
  blackboard_publish(EVENT_A, 1, 0);
  CHECK_EQUAL(blackboard_block(EVENT_A), BLACKBOARD_OK);
  CHECK_EQUAL(blackboard_block(EVENT_A), BLACKBOARD_BUSY);
  heard[0] = '\0';
  CHECK_EQUAL(blackboard_publish(EVENT_A, 2, 0), BLACKBOARD_BUSY);
  CHECK_EQUAL(subscribe(EVENT_A, 0), BLACKBOARD_BUSY);
  CHECK_EQUAL(blackboard_pause(EVENT_A, 0, true), BLACKBOARD_BUSY);
  /* Nobody waits, so the request is accepted and stays where it is. */
  command.with.value = 3;
  CHECK_EQUAL(blackboard_queue(&command), BLACKBOARD_OK);
  CHECK_EQUAL(blackboard_run(0), EVENT_A);
  CHECK_EQUAL(blackboard_run(0), EVENT_A);
  CHECK_EQUAL(blackboard_counters.busy, 2);
  CHECK_TEXT(heard, "");
  blackboard_read(EVENT_A, 0, &value);
  CHECK_EQUAL(value, 1);
  blackboard_unblock(EVENT_A);
  CHECK_EQUAL(blackboard_run(0), BLACKBOARD_DONE);
  CHECK_TEXT(heard, "A0:3 ");
}
static void
no_room_for_another(void)
{
  int number, before;
  uint32_t value = 0;

  do {
    before = number = subscribe(EVENT_D, 0);
  } while(number >= 0 && ++value < 100);
  CHECK_EQUAL(before, BLACKBOARD_NO_ROOM);
  CHECK_EQUAL(value, 2); /* as declared, whatever others leave free */
  blackboard_publish(EVENT_D, 77, 0);
  CHECK_EQUAL(blackboard_run(0), BLACKBOARD_DONE);
  CHECK_EQUAL(blackboard_counters.notifications, value);
  CHECK_EQUAL(blackboard_counters.words_used <= blackboard_words, true);
}
static void
room_that_others_declared(void)
{
  unsigned i;

  /* Nine subscribers of B with one condition each leave the whole room for second conditions. */
  for(i = 0; i < 9; i++) {
    CHECK_EQUAL(subscribe(EVENT_B, 0), i);
  }
  CHECK_EQUAL(subscribe(EVENT_B, 0), BLACKBOARD_NO_ROOM);
  condition(0, BLACKBOARD_GREATER, 3);
  condition(1, BLACKBOARD_LESS, 6);
  for(i = 0; i < (BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC ? 2 : 4); i++) {
    CHECK_EQUAL(subscribe(EVENT_A, 2), i);
  }
  CHECK_EQUAL(subscribe(EVENT_C, 2), BLACKBOARD_NO_ROOM);
  CHECK_EQUAL(subscribe(EVENT_C, 1),
              0);
}
static void
deadlines_that_never_come(void)
{
  static struct blackboard_subscription subscription = {
    .notification = BLACKBOARD_BY_SEMAPHORE, .thread = &threads[0],
    .deadline = BLACKBOARD_FARTHEST - 1, .handler.semaphore = &semaphore };
  struct blackboard_command command = { BLACKBOARD_SUBSCRIBE, EVENT_A };

  CHECK_EQUAL(blackboard_subscribe(EVENT_A, &subscription), 0);
  subscription.deadline++;
  CHECK_EQUAL(blackboard_subscribe(EVENT_A, &subscription),
              BLACKBOARD_BAD_DEADLINE);
  CHECK_EQUAL(blackboard_modify(EVENT_A, 0, &subscription),
              BLACKBOARD_BAD_DEADLINE);
  command.with.subscription = &subscription;
  CHECK_EQUAL(blackboard_queue(&command), BLACKBOARD_OK);
  CHECK_EQUAL(blackboard_run(0), BLACKBOARD_DONE);
  CHECK_EQUAL(blackboard_counters.bad_deadline, 1);
  subscription.deadline = 1;
  subscription.thread = NULL; /* whose? */
  CHECK_EQUAL(blackboard_subscribe(EVENT_A, &subscription),
              BLACKBOARD_BAD_DEADLINE);
  subscription.deadline = 0;
  CHECK_EQUAL(blackboard_subscribe(EVENT_A, &subscription), 1);
}
static void
a_blocker_that_stops(void)
{
  caller = 1;
  CHECK_EQUAL(blackboard_block(EVENT_A), BLACKBOARD_OK);
  caller = 2;
  blackboard_unblock(EVENT_A); /* it isn't its own */
  CHECK_EQUAL(blackboard_publish(EVENT_A, 1, 0), BLACKBOARD_BUSY);
  threads[1].alive = false;
  CHECK_EQUAL(blackboard_publish(EVENT_A, 1, 0), BLACKBOARD_OK);
  CHECK_EQUAL(blackboard_block(EVENT_B), BLACKBOARD_OK);
  caller = NOBODY;
  CHECK_EQUAL(blackboard_publish(EVENT_B, 1, 0), BLACKBOARD_BUSY);
  threads[2].alive = false;
  CHECK_EQUAL(blackboard_block(EVENT_B), BLACKBOARD_OK);
  CHECK_EQUAL(blackboard_publish(EVENT_B, 1, 0), BLACKBOARD_BUSY);
  blackboard_unblock(EVENT_B);
  CHECK_EQUAL(blackboard_publish(EVENT_B, 1, 0), BLACKBOARD_OK);
}
static void
requests_of_another_event_go_first(void)
{
  struct blackboard_command command = { BLACKBOARD_PUBLISH, EVENT_A };

  subscribe(EVENT_A, 0);
  subscribe(EVENT_B, 0);
  heard[0] = '\0';
  CHECK_EQUAL(blackboard_block(EVENT_A), BLACKBOARD_OK);
  command.with.value = 1;
  blackboard_queue(&command);
  command.event = EVENT_B;
  blackboard_queue(&command);
  command.event = EVENT_A;
  command.with.value = 2;
  blackboard_queue(&command);
  CHECK(blackboard_run(0) != BLACKBOARD_DONE);
  CHECK_TEXT(heard, BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC ? "" : "B0:1 ");
  blackboard_unblock(EVENT_A);
  heard[0] = '\0';
  CHECK_EQUAL(blackboard_run(0), BLACKBOARD_DONE);
  CHECK_TEXT(heard, BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
             ? "A0:2 B0:1 " : "A0:2 "); /* the newer one after the older */
}
/*---------------------------------------------------------------------------*/
#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED
/* These constants are those of blackboard-combined.c. */
extern struct { uint8_t flags, reservations, positions[5]; }
blackboard_frames[];
#endif
static void
a_position_past_the_array(void)
{
#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED
  uint32_t value;

  subscribe(EVENT_A, 0);
  subscribe(EVENT_B, 0);
  blackboard_frames[EVENT_A].positions[4] = 0xff; /* of the handlers */
  CHECK_EQUAL(blackboard_publish(EVENT_A, 1, 0), BLACKBOARD_BAD_POSITION);
  CHECK_EQUAL(subscribe(EVENT_A, 0), BLACKBOARD_BAD_POSITION);
  CHECK_EQUAL(blackboard_read(EVENT_A, 0, &value), BLACKBOARD_BAD_POSITION);
  CHECK_TEXT(reached(EVENT_B, 1), "B0:1 "); /* the others go on */
#endif
}
/* Only dynamic storage can share filters and change priorities. */
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(unknown_ones), T(a_handler_of_a_stopped_thread),
    T(a_handler_that_is_none), T(a_queue_that_is_full),
    T(errors_of_requests_are_counted), T(a_deadline_in_the_past),
    T(a_blocked_event), T(no_room_for_another), T(room_that_others_declared),
    T(deadlines_that_never_come), T(a_blocker_that_stops),
    T(requests_of_another_event_go_first), T(a_position_past_the_array),
    { 0 }
  };

  return node_main(tests, argc, argv);
}
