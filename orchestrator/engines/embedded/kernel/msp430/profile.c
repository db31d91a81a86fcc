/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/profile.h"

#include "base/memory.h"

enum { PLACES = MSP430_MEMORY / 2 };

struct profile {
  struct {
    void (*run)(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles); /* what executes it */
    int64_t cycles;
  } places[PLACES];
};

static void
run_counted(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles)
{
  struct profile *profile = mcu->profile;
  uint32_t place = (uint32_t)(instruction - mcu->base);
  int64_t active = cycles - mcu->slept;

  profile->places[mcu->counted_place].cycles += active - mcu->counted;
  mcu->counted_place = place;
  mcu->counted = active;
  profile->places[place].run(mcu, instruction, cycles);
}

void
profile_decoded(struct msp430 *mcu, struct instruction *instruction)
{
  struct profile *profile = mcu->profile;

  if(profile != NULL && !mcu->own_instructions) {
    profile->places[instruction - mcu->instructions].run = instruction->run;
    instruction->run = run_counted;
  }
}

struct profile *
profile_new(void)
{
  return allocate(1, sizeof(struct profile));
}

int64_t
profile_cycles(const struct profile *profile, uint32_t address)
{
  return profile->places[address % MSP430_MEMORY / 2].cycles;
}
