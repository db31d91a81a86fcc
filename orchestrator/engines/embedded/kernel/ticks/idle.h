/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Skips wake-ups in which the firmware's tick can't do anything, as in most of
 * those that neighbours' transmissions cause. The engine's own work around a tick
 * is still done, so no byte of a log changes.
 *
 * This needs knowledge of what a tick does. Firmware declares it by the symbol IDLE_SYMBOL: after a tick with
 * simProcessRunValue 0, further ticks change only simLast{SignalStrength,LQI} and simInSize (below) until an input comes, an
 * rtimer or etimer is due, or its frame is sent. If it has the function IGNORES_SYMBOL, that tells (and may count) whether
 * such a tick would only drop this frame. The embedded Contiki declares this. Contiki-NG doesn't: its ticks could be proven
 * to be idle, but that saved less than a fifth (docs/decisions/0004-speed-tricks.md).
 */
#ifndef IDLE_H
#define IDLE_H

#include "libc/context.h"
#include "observation/watch.h"
#include "radio/radio.h"

#define IDLE_SYMBOL "mote_ticks_can_be_skipped"
#define IGNORES_SYMBOL "mote_ignores"

/* Finds out what a type's firmware declares; `skip` false: no tick is ever skipped. */
void idle_open(struct mote_type *type, bool skip);

/* Must be called after each tick: finds out when ticks can be skipped. */
void idle_after_tick(const struct mote_type *type, struct mote *mote, int64_t now);

/* Does the mote drop the frame that came? */
static inline bool
idle_ignores_frame(struct mote *mote)
{
  bool ignored;

  if(mote->ignores == NULL || mote->radio.incoming != NEW_FRAME) {
    return false;
  }
  watch_enter(mote);
  firmware_enter(&mote->type->firmware, mote->image);
  ignored = context_ask(mote->ignores, mote->image, mote->radio.packet->bytes, packet_payload(mote->radio.packet));
  watch_leave();
  return ignored;
}

/* Returns true if it has replaced a tick with nothing to do; otherwise the tick must run. */
static inline bool
idle_skip(struct mote *mote, int64_t now)
{
  struct radio *radio = &mote->radio;

  if((uint64_t)now - (uint64_t)mote->idle_from >= mote->idle_span) {
    return false;
  }
  if(radio->receiving && radio->on) {
    radio_take_strength(radio);
    return true;
  }
  if(radio->incoming != NO_FRAME) {
    if(radio->on && radio->incoming != LOST_FRAME && !idle_ignores_frame(mote)) {
      return false;
    }
    radio->incoming = LOST_FRAME;
    radio->dirty = true;
  }
  return true;
}

#endif
