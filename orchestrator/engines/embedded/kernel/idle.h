/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-ups in which the firmware's tick can't do anything: most of those that
 * neighbours' transmissions cause. Such a tick is skipped; all that the engine
 * does around a tick stays, so no byte of a log changes.
 *
 * What a tick does isn't known of firmware in general, but of two kinds:
 * - Firmware that says (by the symbol IDLE_SYMBOL) that a tick after which simProcessRunValue is 0 changes nothing but
 *   simLast{SignalStrength,LQI} and simInSize (below) until an input, an rtimer or etimer is due, or its frame is sent.
 * - Contiki-NG's: both its threads stand in their outermost loops, nothing is queued (simProcessRunValue is 0), and
 *   before a tick nothing acts but its own interfaces. (Recognised by its symbols; not if it calls etimer_adjust(),
 *   after which simEtimerNextExpirationTime may be too late.)
 */
#ifndef IDLE_H
#define IDLE_H

#include "mote.h"

#include <string.h>

#define IDLE_SYMBOL "mote_ticks_can_be_skipped"

/* Finds out of which kind a type's firmware is; `skip` false: no tick is ever skipped. */
void idle_open(struct mote_type *type, bool skip);

/* After cooja_init() of one of its motes. */
void idle_booted(struct mote_type *type, const struct mote *mote);

/* After each tick: from when to when will ticks be skipped? */
void idle_after_tick(struct mote_type *type, struct mote *mote, int64_t now);

/* Whoever gives a mote other input than frames and strengths (bytes, buttons) calls this: its next tick runs. */
static inline void
idle_disturb(struct mote *mote)
{
  mote->idle_until = INT64_MIN;
}

/* In place of a tick that has nothing to do: true. Else the tick must run. */
static inline bool
idle_skip(struct mote *mote, int64_t now)
{
  const struct idle_rules *rules = &mote->type->idle;

  if(now < mote->idle_from || now >= mote->idle_until || (mote->idle_sending && ABI(mote, simOutSize) == 0)) {
    return false;
  }
  if(!mote->radio.on) {
    ABI(mote, simInSize) = 0;
  } else if(ABI(mote, simReceiving)) {
    memcpy(mote->image + rules->last_signal, &ABI(mote, simSignalStrength), sizeof(int));
    memcpy(mote->image + rules->last_lqi, &ABI(mote, simLQI), sizeof(int));
  } else if(ABI(mote, simInSize) > 0) {
    return false;
  }
  return true;
}

#endif
