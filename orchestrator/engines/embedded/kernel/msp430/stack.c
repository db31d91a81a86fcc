/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/stack.h"

static uint32_t
limit(const struct msp430 *mcu)
{
  return mcu->stack_deepest != 0 ? mcu->stack_deepest : mcu->data_end;
}

void
stack_init(struct msp430 *mcu, uint32_t data_end)
{
  mcu->data_end = data_end;
  mcu->stack_limit = limit(mcu);
}

__attribute__((noinline, cold)) void
stack_reached(struct msp430 *mcu, uint32_t address)
{
  bool is_first = mcu->stack_deepest == 0;

  mcu->stack_deepest = mcu->stack_limit = address;
  mcu->stack_at = mcu->at;
  if(is_first) {
    msp430_notice(mcu, MSP430_STACK_IN_DATA);
  }
}

void
stack_moved(struct msp430 *mcu, uint32_t address)
{
  mcu->stack_limit = address > mcu->data_end ? limit(mcu) : 0; /* a thread's stack may end where variables do */
}

uint32_t
msp430_stack_in_data(const struct msp430 *mcu, uint32_t *instruction)
{
  *instruction = mcu->stack_at;
  return mcu->stack_deepest;
}
