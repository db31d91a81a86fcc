/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blackboard thread (Stelte 2010, sections 4 and 5.4) and what threads and
 * processes call: the same from both, at any time, without waiting.
 *
 * The thread gives up the CPU until something is to be done; then it has the
 * earliest deadline there is, so that it is the next to run when the running
 * thread gives up the CPU or its slice ends. It carries out all requests, sets
 * the deadlines of the threads to be notified (an earlier one stands), posts
 * their semaphores, calls their callbacks, and gives up the CPU.
 */
#ifndef BLACKBOARD_THREAD_H_
#define BLACKBOARD_THREAD_H_

#include "blackboard.h"
#include "thread-lock.h"

/* Starts the thread; call it once, before anything else of the blackboard. */
void blackboard_start(void);

/* The buffered commands: the queue takes them, the thread carries them out. */

static inline int
blackboard_subscribe_request(uint8_t event,
                             const struct blackboard_subscription *
                             subscription)
{
  return blackboard_queue(&(struct blackboard_command) {
    .what = BLACKBOARD_SUBSCRIBE, .event = event, .with.subscription = subscription
  });
}

static inline int
blackboard_modify_request(uint8_t event, uint8_t number,
                          const struct blackboard_subscription *subscription)
{
  return blackboard_queue(&(struct blackboard_command) {
    .what = BLACKBOARD_MODIFY, .event = event, .number = number,
    .with.subscription = subscription
  });
}

static inline int
blackboard_unsubscribe_request(uint8_t event, uint8_t number)
{
  return blackboard_queue(&(struct blackboard_command) {
    .what = BLACKBOARD_UNSUBSCRIBE, .event = event, .number = number
  });
}

static inline int
blackboard_pause_request(uint8_t event, uint8_t number, bool paused)
{
  return blackboard_queue(&(struct blackboard_command) {
    .what = BLACKBOARD_PAUSE, .event = event, .number = number, .with.value = paused
  });
}

static inline int
blackboard_publish_request(uint8_t event, uint32_t value)
{
  return blackboard_queue(&(struct blackboard_command) {
    .what = BLACKBOARD_PUBLISH, .event = event, .time = thread_now(), .with.value = value
  });
}

/* blackboard_publish() with the time now. */
static inline int
blackboard_publish_now(uint8_t event, uint32_t value)
{
  return blackboard_publish(event, value, thread_now());
}

/* For a thread: wait until its subscription by semaphore is notified. By calling
 * this the thread says that it has done what its deadline was for. The value is
 * then in its box, if it has one. THREAD_NOT_IN_A_THREAD: did not wait.
 */
enum thread_error blackboard_wait(uint8_t event, uint8_t number,
                                  struct thread_semaphore *semaphore);

/* For the log: a thread that waits in another way has its notification now. */
void blackboard_taken(uint8_t event, uint8_t number);

/* The thread that a notice numbers; the blackboard's for BLACKBOARD_NO_THREAD. */
const struct thread *blackboard_thread_of(uint8_t number);

#endif
