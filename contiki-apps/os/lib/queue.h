/* SPDX-License-Identifier: Apache-2.0 */
/* First in, first out, on top of lists. */
#ifndef QUEUE_H_
#define QUEUE_H_

#include "lib/list.h"

typedef list_t queue_t;

#define QUEUE(name) LIST(name)

static inline void queue_init(queue_t queue) { list_init(queue); }
static inline void queue_enqueue(queue_t queue, void *item) { list_add(queue, item); }
static inline void *queue_dequeue(queue_t queue) { return list_pop(queue); }
static inline void *queue_peek(queue_t queue) { return list_head(queue); }
static inline bool queue_is_empty(queue_t queue) { return list_head(queue) == NULL; }

#endif
