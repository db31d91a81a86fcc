/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks grow downwards, to the guard. The bytes that were never written show
   how deep a stack was; if bytes of the guard were written, it was too small. */
#include "thread-scheduler.h"

#define PAINT 0xa5

/* The frames of a stopped thread are still on the stack, so a sanitizer must not
   check while it is painted. */
#ifdef __SANITIZE_ADDRESS__
#define UNCHECKED __attribute__((no_sanitize_address, noinline))
#else
#define UNCHECKED
#endif
/*---------------------------------------------------------------------------*/
UNCHECKED void
thread_stack_paint(struct thread *thread)
{
  volatile uint8_t *stack = thread->stack;

  for(uint16_t i = 0; i < thread->stack_size; i++) {
    stack[i] = PAINT;
  }
}
/*---------------------------------------------------------------------------*/
/* Returns the lowest byte that was written. */
UNCHECKED static uint16_t
lowest_used(const struct thread *thread, uint16_t size)
{
  const volatile uint8_t *stack = thread->stack;
  uint16_t i = 0;

  while(i < size && stack[i] == PAINT) {
    i++;
  }
  return i;
}
/*---------------------------------------------------------------------------*/
/* At each switch, so by words. */
UNCHECKED static bool
guard_is_whole(const struct thread *thread)
{
  const volatile uint16_t *guard = (const volatile uint16_t *)thread->stack;

  for(uint16_t i = 0; i < THREAD_STACK_GUARD / 2; i++) {
    if(guard[i] != (PAINT << 8 | PAINT)) {
      return false;
    }
  }
  return true;
}
/*---------------------------------------------------------------------------*/
bool
thread_stack_is_whole(const struct thread *thread)
{
  if(guard_is_whole(thread)) {
    return true;
  }
  if(lowest_used(thread, THREAD_STACK_GUARD) < THREAD_STACK_GUARD / 4) {
    thread_switch_halt();
  }
  return false;
}
/*---------------------------------------------------------------------------*/
#ifdef THREAD_TIME_IS_MODELLED
uint16_t
thread_stack_used(const struct thread *thread)
{
  return 0;
}
#else
uint16_t
thread_stack_used(const struct thread *thread)
{
  return thread->stack_size - lowest_used(thread, thread->stack_size);
}
#endif
/*---------------------------------------------------------------------------*/
uint16_t
thread_stack_size(const struct thread *thread)
{
  return thread->stack_size == 0 ? 0
    : thread->stack_size - THREAD_STACK_GUARD - THREAD_STACK_EXTRA;
}
