/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A blackboard that the threads and layers of one node share values by, after
 * Stelte (2010), A Real-Time-Enabled, Blackboard-Based, Publish/Subscribe
 * Architecture for Wireless Sensor Nodes. It knows no threads, no clock and no
 * output; blackboard-thread.h connects it to the scheduler.
 *
 * project-conf.h declares the events:
 *
 *   #define BLACKBOARD_CONF_EVENTS(X) \
 *     X(LIGHT, UNSIGNED, 1, 6) \
 *     X(TEMPERATURE, FIXED, 4, 6)
 *
 * and then
 *
 *   static const struct blackboard_condition warm[] = {
 *     { BLACKBOARD_GREATER, BLACKBOARD_FIXED(20) },
 *     { BLACKBOARD_LESS, BLACKBOARD_FIXED(25) } };
 *   static const struct blackboard_subscription subscription = {
 *     .conditions = warm, .number_of_conditions = 2,
 *     .notification = BLACKBOARD_BY_CALLBACK | BLACKBOARD_WITH_VALUE,
 *     .handler.callback = it_is_warm };
 *
 *   number = blackboard_subscribe(EVENT_TEMPERATURE, &subscription);
 *   blackboard_publish(EVENT_TEMPERATURE, BLACKBOARD_FIXED(22), now);
 *
 * Times are microseconds since the mote's boot; they wrap and are compared by
 * their signed difference.
 */
#ifndef BLACKBOARD_H_
#define BLACKBOARD_H_

#include <stdbool.h>
#include <stdint.h>
#include "blackboard-conf.h"

enum {
#define BLACKBOARD_IDENTIFIER(name, type, values, subscribers) EVENT_##name,
  BLACKBOARD_EVENTS(BLACKBOARD_IDENTIFIER)
#undef BLACKBOARD_IDENTIFIER
  BLACKBOARD_NUMBER_OF_EVENTS
};

/* How an event's values and its subscribers' limits are compared. */
enum {
  BLACKBOARD_TYPE_UNSIGNED,
  BLACKBOARD_TYPE_SIGNED, /* two's complement in the uint32_t */
  BLACKBOARD_TYPE_FIXED   /* signed, 16 bits of it behind the point */
};
#define BLACKBOARD_FIXED(number) \
  ((uint32_t)(int32_t)((number) * 65536 + ((number) < 0 ? -.5 : .5)))

/* Results of a direct call; a subscription's number is 0 or more. */
enum {
  BLACKBOARD_OK = 0,
  BLACKBOARD_UNKNOWN_EVENT = -1,
  BLACKBOARD_UNKNOWN_SUBSCRIPTION = -2,
  BLACKBOARD_NO_ROOM = -3,         /* for a place, a sub-event or a change */
  BLACKBOARD_BUSY = -4,            /* the event is blocked */
  BLACKBOARD_BAD_POSITION = -5,    /* past the array, no such old value */
  BLACKBOARD_BAD_SUBSCRIPTION = -6,/* condition, notification or handler */
  BLACKBOARD_STOPPED_HANDLER = -7, /* the thread has stopped */
  BLACKBOARD_QUEUE_FULL = -8,      /* no room for the request */
  BLACKBOARD_BAD_DEADLINE = -9     /* nobody's, or BLACKBOARD_FARTHEST or more */
};

/* us; 17.9 minutes. Times wrap after four times that, so that a deadline that is
   farther could not be told from a past one. */
#define BLACKBOARD_FARTHEST 0x40000000UL

/* The value, compared to the limit, lets the subscriber be notified. */
enum {
  BLACKBOARD_ALWAYS,
  BLACKBOARD_EQUAL,
  BLACKBOARD_NOT_EQUAL,
  BLACKBOARD_LESS,
  BLACKBOARD_LESS_OR_EQUAL,
  BLACKBOARD_GREATER,
  BLACKBOARD_GREATER_OR_EQUAL,
  /* The value differs by more than the limit, which is unsigned, from the one
     that this condition let pass last; the first value always passes. */
  BLACKBOARD_CHANGED
};

struct blackboard_condition {
  uint8_t comparison;
  uint32_t limit;
};

/* The ways in which a subscriber is notified. */
enum {
  BLACKBOARD_BY_SEMAPHORE = 1, /* posted; handler.semaphore or handler.box */
  BLACKBOARD_BY_POLL = 2,      /* blackboard_poll(); handler.box or none */
  BLACKBOARD_BY_CALLBACK = 3,  /* called in the blackboard thread */
  BLACKBOARD_WITH_VALUE = 4    /* beside one of those; without: an alert */
};

struct thread; /* threads/ */
struct thread_semaphore;

/* A subscriber's own, for a notification with value. */
struct blackboard_box {
  uint32_t value;
  struct thread_semaphore *semaphore; /* NULL when it polls */
};

/*
 * `value`: the published value, NULL for an alert. A callback makes requests; a
 * direct call that changes the board returns BLACKBOARD_BUSY there.
 */
typedef void (*blackboard_callback_t)(uint8_t event, uint8_t number,
                                      const uint32_t *value);

/*
 * A subscriber's request. All conditions must hold; no condition is the same as
 * BLACKBOARD_ALWAYS. Handlers are in static memory (not on a stack, except a
 * thread's own). This structure must exist until a buffered request that got it
 * has been executed.
 */
struct blackboard_subscription {
  const struct blackboard_condition *conditions;
  uint8_t number_of_conditions;
  uint8_t notification;
  struct thread *thread; /* whose deadline is set; NULL: nobody's */
  uint32_t deadline;     /* of `thread`, after the publication, us; 0: none */
  union {
    struct thread_semaphore *semaphore;
    struct blackboard_box *box;
    blackboard_callback_t callback;
  } handler;
  /* Receives subscribe()'s result from subscribe_request(); may be NULL. */
  int16_t *number;
};

/*---------------------------------------------------------------------------*/
/* The five commands. */
enum {
  BLACKBOARD_SUBSCRIBE,
  BLACKBOARD_MODIFY,
  BLACKBOARD_UNSUBSCRIBE,
  BLACKBOARD_PAUSE,
  BLACKBOARD_PUBLISH
};

struct blackboard_command {
  uint8_t what;
  uint8_t event;
  uint8_t number; /* of the subscription */
  uint32_t time;  /* t_published */
  union {
    uint32_t value; /* to publish; 1 to pause, 0 to resume */
    const struct blackboard_subscription *subscription;
  } with;
};

/* Direct: executed at once. */
int blackboard_carry_out(const struct blackboard_command *command);

/*
 * Buffered: blackboard_run() executes it in the order of arrival. Returns
 * BLACKBOARD_QUEUE_FULL or BLACKBOARD_OK; other errors are counted later,
 * because nobody waits for them.
 */
int blackboard_queue(const struct blackboard_command *command);

/* Makes a subscription. Returns its number, the lowest free one of its event. */
static inline int
blackboard_subscribe(uint8_t event,
                     const struct blackboard_subscription *subscription)
{
  return blackboard_carry_out(&(struct blackboard_command) {
    .what = BLACKBOARD_SUBSCRIBE, .event = event, .with.subscription = subscription
  });
}

/* Changes conditions, notification and deadline; a paused subscription stays
   paused. */
static inline int
blackboard_modify(uint8_t event, uint8_t number,
                  const struct blackboard_subscription *subscription)
{
  return blackboard_carry_out(&(struct blackboard_command) {
    .what = BLACKBOARD_MODIFY, .event = event, .number = number,
    .with.subscription = subscription
  });
}

/* Ends a subscription, whose place can then be used again. */
static inline int
blackboard_unsubscribe(uint8_t event, uint8_t number)
{
  return blackboard_carry_out(&(struct blackboard_command) {
    .what = BLACKBOARD_UNSUBSCRIBE, .event = event, .number = number
  });
}

/* Pauses or resumes notifications; the subscription keeps its place. */
static inline int
blackboard_pause(uint8_t event, uint8_t number, bool paused)
{
  return blackboard_carry_out(&(struct blackboard_command) {
    .what = BLACKBOARD_PAUSE, .event = event, .number = number, .with.value = paused
  });
}

/* Publishes a value; `now` is t_published. blackboard_run() finds out who is to
   be notified. */
static inline int
blackboard_publish(uint8_t event, uint32_t value, uint32_t now)
{
  return blackboard_carry_out(&(struct blackboard_command) {
    .what = BLACKBOARD_PUBLISH, .event = event, .time = now, .with.value = value
  });
}

/*---------------------------------------------------------------------------*/
/* Reading. */

/* The value published last (`age` 0) or `age` publications before. 0 in
   *value before there was one. */
int blackboard_read(uint8_t event, uint8_t age, uint32_t *value);

/* Whether a subscriber by poll was notified since it last asked: 1 or 0. */
int blackboard_poll(uint8_t event, uint8_t number);

/* Whether anybody is subscribed who isn't paused. */
bool blackboard_is_wanted(uint8_t event);

/*
 * Nobody changes the event until the caller calls unblock(), so that it can read
 * several values. A thread that stops meanwhile no longer blocks it. With
 * dynamic storage, a block of one event blocks all.
 */
int blackboard_block(uint8_t event);
void blackboard_unblock(uint8_t event);

/*---------------------------------------------------------------------------*/
/* Quenching: a producer is told to stop publishing, and to resume. */

struct blackboard_producer {
  struct blackboard_producer *next;
  void (*wanted)(uint8_t event, bool wanted);
  uint8_t event;
  bool told; /* what it was told last */
};

/* `producer` is in the caller's static memory; its `next` is NULL at first. The
   producer is told the present state at once, and again at each further call. */
void blackboard_produce(struct blackboard_producer *producer);

/*---------------------------------------------------------------------------*/
/* The board's surroundings (blackboard-thread.c, or a test). */

#define BLACKBOARD_NO_THREAD 255
#define BLACKBOARD_GONE 254 /* one that stopped, its number being given again */

struct blackboard_notice {
  uint8_t event;
  uint8_t number;
  uint8_t notification;
  uint8_t thread;          /* or BLACKBOARD_NO_THREAD */
  uint32_t value;
  uint32_t published;      /* t_published */
  uint32_t deadline;       /* relative, us; 0: none */
  union {
    struct thread_semaphore *semaphore;
    struct blackboard_box *box;
    blackboard_callback_t callback;
  } handler;
};

struct blackboard_port {
  /* Set the thread's deadline, post its semaphore. */
  void (*notify)(const struct blackboard_notice *notice);
  /* Returns a number for a thread, which is the same as long as it runs and is
     subscribed, or BLACKBOARD_STOPPED_HANDLER. */
  int (*number)(struct thread *thread);
  /* Whether that thread can be notified. */
  bool (*is_alive)(uint8_t thread);
  /* There is something to do for blackboard_run(). */
  void (*wake)(void);
  /* The caller takes the block flag of that number, which is free; */
  void (*take)(uint8_t flag);
  /* it leaves it (false: it isn't its own); */
  bool (*leave)(uint8_t flag);
  /* who took it has stopped: it is free. */
  bool (*is_left)(uint8_t flag);
};

/* Block flags, and an event's. */
#if BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
#define BLACKBOARD_FLAGS 1
#define BLACKBOARD_FLAG(event) 0
#else
#define BLACKBOARD_FLAGS BLACKBOARD_NUMBER_OF_EVENTS
#define BLACKBOARD_FLAG(event) (event)
#endif

/* Call it once; the board is empty then. */
void blackboard_init(const struct blackboard_port *port);

/* The states of section 4; blackboard_run() passes them in this order. */
enum {
  BLACKBOARD_STATE_SLEEP,
  BLACKBOARD_STATE_MODIFY,
  BLACKBOARD_STATE_PROVE,
  BLACKBOARD_STATE_NOTIFY,
  BLACKBOARD_STATE_OPTIMISE
};
extern uint8_t blackboard_state;

/*
 * Executes the requests, then finds and notifies the subscribers concerned.
 * Returns BLACKBOARD_DONE, or the blocked event for which something is left;
 * then call it again when that is no longer blocked.
 */
#define BLACKBOARD_DONE 255
uint8_t blackboard_run(uint32_t now);

/* Gives the subscriptions of the thread with that number another number from now
   on. Returns false if there are none. */
bool blackboard_renumber(uint8_t thread, uint8_t now);

bool blackboard_is_blocked(uint8_t event);

/*---------------------------------------------------------------------------*/
/* Names as in the log's counters, after "blackboard_". */
#define BLACKBOARD_COUNTS(X) \
  X(commands) \
  X(publications) \
  X(notifications) \
  X(words_used) /* high-water mark */
#define BLACKBOARD_ERRORS(X) \
  X(unknown_event) \
  X(unknown_subscription) \
  X(no_room) \
  X(busy) \
  X(bad_position) \
  X(bad_subscription) \
  X(stopped_handler) \
  X(queue_full) \
  X(bad_deadline) \
  X(deadline_past)

struct blackboard_counters {
#define BLACKBOARD_COUNTER_FIELD(name) uint32_t name;
  BLACKBOARD_COUNTS(BLACKBOARD_COUNTER_FIELD)
  BLACKBOARD_ERRORS(BLACKBOARD_COUNTER_FIELD)
#undef BLACKBOARD_COUNTER_FIELD
};
extern struct blackboard_counters blackboard_counters;

/* 32-bit words of the board's arrays in this build. */
extern const uint16_t blackboard_words;

#endif
