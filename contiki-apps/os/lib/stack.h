/* SPDX-License-Identifier: Apache-2.0 */
/* Last in, first out, on top of lists. */
#ifndef STACK_H_
#define STACK_H_

#include "lib/list.h"

/* <signal.h> of the host has another stack_t. */
typedef list_t contiki_stack_t;
#define stack_t contiki_stack_t

#define STACK(name) LIST(name)

static inline void stack_init(stack_t stack) { list_init(stack); }
static inline void stack_push(stack_t stack, void *item) { list_push(stack, item); }
static inline void *stack_pop(stack_t stack) { return list_pop(stack); }
static inline void *stack_peek(stack_t stack) { return list_head(stack); }
static inline bool stack_is_empty(stack_t stack) { return list_head(stack) == NULL; }

#endif
