/* SPDX-License-Identifier: Apache-2.0 */
/* What bad input comes to: never a silent overwrite. */
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
  CHECK(blackboard_run(0)); /* the newest of them, and not the refused one */
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
  CHECK(blackboard_run(0));
  CHECK_EQUAL(blackboard_counters.unknown_subscription, 1);
  CHECK_EQUAL(blackboard_counters.unknown_event, 1);
}
static void
a_deadline_in_the_past(void)
{
  subscribe(EVENT_A, 0); /* within 100 us */
  heard[0] = '\0';
  blackboard_publish(EVENT_A, 1, 0xfffffff0); /* before the time wraps */
  CHECK(blackboard_run(0x53));
  CHECK_EQUAL(blackboard_counters.deadline_past, 0);
  blackboard_publish(EVENT_A, 2, 0xfffffff0);
  CHECK(blackboard_run(0x55)); /* 101 us: it is notified, and counted */
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
  /* Nobody waits: the request is taken, and stays where it is. */
  command.with.value = 3;
  CHECK_EQUAL(blackboard_queue(&command), BLACKBOARD_OK);
  CHECK(!blackboard_run(0));
  CHECK(!blackboard_run(0));
  CHECK_EQUAL(blackboard_counters.busy, 2);
  CHECK_TEXT(heard, "");
  blackboard_read(EVENT_A, 0, &value);
  CHECK_EQUAL(value, 1);
  blackboard_unblock(EVENT_A);
  CHECK(blackboard_run(0));
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
  /* static: as declared; dynamic: its words; combined: six, and five sub-events
     with five more each */
  CHECK_EQUAL(value, BLACKBOARD_CONCEPT == BLACKBOARD_STATIC ? 2 :
              BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC ? 14 : 31);
  blackboard_publish(EVENT_D, 77, 0);
  CHECK(blackboard_run(0));
  CHECK_EQUAL(blackboard_counters.notifications, value);
  CHECK_EQUAL(blackboard_counters.words_used <= blackboard_words, true);
}
/*---------------------------------------------------------------------------*/
#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED
/* As blackboard-combined.c has them. */
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
    T(a_blocked_event), T(no_room_for_another), T(a_position_past_the_array),
    { 0 }
  };

  return node_main(tests, argc, argv);
}
