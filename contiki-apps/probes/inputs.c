/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c, which is frozen, with a look at the inputs before each of its ticks. */
#define cooja_tick probe_tick
#include "probe.c"
#undef cooja_tick

#include "inputs.h"

void
cooja_tick(void)
{
  if(booted) {
    probe_inputs();
  }
  probe_tick();
}
