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

/* Start the thread, once, before anything else of the blackboard. */
void blackboard_start(void);

/* The buffered commands: the queue takes them, the thread carries them out. */
int blackboard_subscribe_request(uint8_t event,
                                 const struct blackboard_subscription *
                                 subscription);
int blackboard_modify_request(uint8_t event, uint8_t number,
                              const struct blackboard_subscription *
                              subscription);
int blackboard_unsubscribe_request(uint8_t event, uint8_t number);
int blackboard_pause_request(uint8_t event, uint8_t number, bool paused);
int blackboard_publish_request(uint8_t event, uint32_t value);

/* blackboard_publish() with the time now. */
int blackboard_publish_now(uint8_t event, uint32_t value);

/*
 * For a thread: wait until its subscription by semaphore is notified. The value
 * is then in its box, if it has one. A thread that waits at its semaphore itself
 * works too, but calls blackboard_taken() for the log to know.
 */
void blackboard_wait(uint8_t event, uint8_t number,
                     struct thread_semaphore *semaphore);
void blackboard_taken(uint8_t event, uint8_t number);

#endif
