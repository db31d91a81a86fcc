/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one step of a blackboard does, and what bad input comes to: on all three
 * storage concepts (test_blackboard.py), each with events A (unsigned, one value,
 * six subscribers), B (signed, three values, nine), C (fixed, two, six) and
 * D (unsigned, one, two), four conditions, three changes and five requests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "blackboard.h"
#if BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
#include "blackboard-dynamic.h"
#endif

#define CHECK(condition) do { \
    if(!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1); \
    } \
  } while(0)
#define CHECK_EQUAL(a, b) do { \
    long long a_ = (a), b_ = (b); \
    if(a_ != b_) { \
      fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, \
              #a, a_, b_); \
      exit(1); \
    } \
  } while(0)
#define CHECK_TEXT(a, b) do { \
    const char *text_ = (a); \
    if(strcmp(text_, b) != 0) { \
      fprintf(stderr, "%s:%d: \"%s\", not \"%s\"\n", __FILE__, __LINE__, \
              text_, b); \
      exit(1); \
    } \
  } while(0)

static struct thread { bool alive; } threads[2] = { { true }, { true } };
static struct thread_semaphore { char c; } semaphore;
static char heard[100]; /* "event.number:value ", in order of notification */
static unsigned woken;
static bool wanted_now[BLACKBOARD_NUMBER_OF_EVENTS];
/*---------------------------------------------------------------------------*/
static void
notify(const struct blackboard_notice *notice)
{
  snprintf(heard + strlen(heard), sizeof(heard) - strlen(heard), "%c%u:%d ",
           'A' + notice->event, notice->number, (int)notice->value);
}
static uint8_t
number_of(struct thread *thread)
{
  return thread - threads;
}
static bool
is_alive(uint8_t thread)
{
  return threads[thread].alive;
}
static void
wake(void)
{
  woken++;
}
static void
wanted(uint8_t event, bool is_wanted)
{
  wanted_now[event] = is_wanted;
}
/*---------------------------------------------------------------------------*/
/* A subscriber of so many conditions, which are in `conditions`. */
static struct blackboard_condition conditions[3];

static int
subscribe(uint8_t event, uint8_t number)
{
  struct blackboard_subscription subscription = {
    .conditions = conditions, .number_of_conditions = number,
    .notification = BLACKBOARD_BY_SEMAPHORE, .thread = &threads[0],
    .deadline = 100, .handler.semaphore = &semaphore
  };

  return blackboard_subscribe(event, &subscription);
}

static void
condition(unsigned which, uint8_t comparison, uint32_t limit)
{
  conditions[which].comparison = comparison;
  conditions[which].limit = limit;
}

/* Whom the values reach, one after the other. */
static const char *
reached(uint8_t event, uint32_t value)
{
  heard[0] = '\0';
  CHECK_EQUAL(blackboard_publish(event, value, 0), BLACKBOARD_OK);
  CHECK(blackboard_run(0));
  return heard;
}
/*---------------------------------------------------------------------------*/
static void
comparisons(void)
{
  static const char *const of_signed[] = { /* -2, 3, 4 against 3 */
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
  CHECK_TEXT(reached(EVENT_B, 3), "B0:3 "); /* 6 from the last that passed */
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
  CHECK_EQUAL(value, 0); /* no neighbour's */
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
  blackboard_produce(&producer); /* told at once */
  CHECK(!wanted_now[EVENT_B]);
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
  CHECK(blackboard_run(0));
  CHECK_TEXT(heard, "A0:1 ");
  CHECK_TEXT(reached(EVENT_A, 2), "A0:2 A1:2 ");
}
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
static void
gaps_are_closed(void)
{
#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED
  unsigned i;

  /* 31 subscribers of one event have all five sub-events. One of each leaves:
     five gaps, but no sub-event is free until they are closed. */
  for(i = 0; i < 31; i++) {
    CHECK_EQUAL(subscribe(EVENT_D, 0), i);
  }
  condition(0, BLACKBOARD_GREATER, 3);
  condition(1, BLACKBOARD_LESS, 6);
  CHECK_EQUAL(subscribe(EVENT_A, 2), BLACKBOARD_NO_ROOM);
  for(i = 2; i < 27; i += 5) {
    CHECK_EQUAL(blackboard_unsubscribe(EVENT_D, i), BLACKBOARD_OK);
  }
  CHECK_EQUAL(subscribe(EVENT_A, 2), 0);
  blackboard_counters.notifications = 0;
  blackboard_publish(EVENT_D, 1, 0);
  CHECK(blackboard_run(0));
  CHECK_EQUAL(blackboard_counters.notifications, 26);
  CHECK_TEXT(reached(EVENT_A, 4), "A0:4 ");
#endif
}
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
struct test {
  const char *name;
  void (*run)(void);
};

int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(comparisons), T(fixed_point), T(changes), T(between_two_limits),
    T(several_values), T(a_freed_place_is_used_again),
    T(pausing_keeps_the_place), T(quenching),
    T(who_subscribes_later_hears_of_later_values), T(unknown_ones),
    T(a_handler_of_a_stopped_thread), T(a_handler_that_is_none),
    T(a_queue_that_is_full), T(errors_of_requests_are_counted),
    T(a_deadline_in_the_past), T(a_blocked_event), T(seven_subscribers),
    T(no_room_for_another), T(gaps_are_closed), T(a_position_past_the_array),
    T(sharing), T(raising),
    { 0 }
  };
  static const struct blackboard_port port = {
    .notify = notify, .number = number_of, .is_alive = is_alive, .wake = wake };
  const struct test *test;

  blackboard_init(&port);
  for(test = tests; test->name != NULL; test++) {
    if(argc < 2) {
      printf("%s\n", test->name);
    } else if(strcmp(argv[1], test->name) == 0) {
      test->run();
      return 0;
    }
  }
  return argc < 2 ? 0 : 2;
}
