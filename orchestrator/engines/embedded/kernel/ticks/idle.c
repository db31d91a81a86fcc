/* SPDX-License-Identifier: Apache-2.0 */
#include "ticks/idle.h"

static bool
find_variable(const struct firmware *firmware, const char *name, size_t size, uint64_t *offset)
{
  uint64_t found;

  return firmware_variable(firmware, name, offset, &found) && found == size;
}

void
idle_open(struct mote_type *type, bool skip)
{
  const struct firmware *firmware = &type->firmware;
  struct idle_rules *rules = &type->idle;
  Elf64_Sym symbol;

  *rules = (struct idle_rules){0};
  if(!skip || (type->interfaces & WITH_ContikiRadio) == 0 ||
     !find_variable(firmware, "simLastSignalStrength", sizeof(int), &rules->last_signal) ||
     !find_variable(firmware, "simLastLQI", sizeof(int), &rules->last_lqi)) {
    return;
  }
  if(elf_find(&firmware->elf, IDLE_SYMBOL, &symbol)) {
    rules->declared = true;
    if(!firmware_function(firmware, IGNORES_SYMBOL, &rules->ignores)) {
      rules->ignores = 0;
    }
  }
}

/* Finds when timers need a wake-up; until then none makes a tick do anything. */
static void
look_at_timers(struct mote *mote, int64_t now)
{
  int64_t rtimer = ABI(mote, simRtimerNextExpirationTime), etimer = ABI(mote, simEtimerNextExpirationTime);
  bool pending = ABI(mote, simRtimerPending) != 0;

  mote->idle_wake = pending ? rtimer : INT64_MAX;
  if(ABI(mote, simEtimerPending) != 0) {
    if(__builtin_mul_overflow(etimer, 1000, &etimer) || __builtin_sub_overflow(etimer, mote->drift_us, &etimer)) {
      return;
    }
    mote->idle_wake = etimer < mote->idle_wake ? etimer : mote->idle_wake;
  }
  mote->idle_from = now;
  mote->idle_span = mote->idle_wake > now ? (uint64_t)mote->idle_wake - (uint64_t)now : 0;
}

void
idle_after_tick(const struct mote_type *type, struct mote *mote, int64_t now)
{
  mote_must_tick(mote);
  /* Overwritten variables may have values that the firmware takes for on and Cooja for off, because it compares with 1. */
  if(type->idle.declared && ABI(mote, simProcessRunValue) == 0 && ((ABI(mote, simReceiving) | ABI(mote, simRadioHWOn)) & ~1) == 0) {
    look_at_timers(mote, now);
  }
}
