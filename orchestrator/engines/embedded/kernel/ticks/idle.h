/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-ups in which the firmware's tick can't do anything: most of those that
 * neighbours' transmissions cause. Such a tick is skipped; all that the engine
 * does around a tick stays, so no byte of a log changes.
 *
 * What a tick does isn't known of firmware in general, but of two kinds:
 * - Firmware that says (by the symbol IDLE_SYMBOL) that a tick after which simProcessRunValue is 0 changes nothing but
 *   simLast{SignalStrength,LQI} and simInSize (below) until an input, an rtimer or etimer is due, or its frame is sent.
 *   If it has the function IGNORES_SYMBOL, that tells (and may count) whether such a tick would only throw this frame away.
 * - Contiki-NG's, of the release that it is known of (contiki_ng.h): both its threads stand in their outermost loops,
 *   nothing is queued (simProcessRunValue is 0), and before a tick nothing acts but what its own interfaces do. (The
 *   threads are recognised by their functions' names, what acts before a tick by its code: drivers.h. Not if it calls
 *   etimer_adjust(), after which simEtimerNextExpirationTime may be too late.)
 */
#ifndef IDLE_H
#define IDLE_H

#include "libc/context.h"
#include "observation/watch.h"
#include "radio/radio.h"

#define IDLE_SYMBOL "mote_ticks_can_be_skipped"
#define IGNORES_SYMBOL "mote_ignores"

/* Finds out of which kind a type's firmware is; `skip` false: no tick is ever skipped. */
void idle_open(struct mote_type *type, bool skip);

/* After cooja_init() of one of its motes. */
void idle_booted(struct mote_type *type, const struct mote *mote);

/* After each tick: from when to when will ticks be skipped? */
void idle_after_tick(struct mote_type *type, struct mote *mote, int64_t now);

/* Does the mote throw away the frame that came? */
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

/* In place of a tick that has nothing to do: true. Else the tick must run. */
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
