/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/ahead.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { CCA_PORT = 1, CCA_PIN = 4 };

static struct {
  awake_do *function;
  struct awake_mote *mote; /* that runs, or NULL */
  int64_t began_us, deed_us;
  jmp_buf faulted;
} ahead;

void
ahead_init(awake_do *function)
{
  ahead.function = function;
}

static struct deed *
new_deed(enum deed_kind what)
{
  struct deeds *deeds = &ahead.mote->own;
  struct deed *deed;

  deeds->each = with_room(deeds->each, deeds->count, &deeds->size, 4, sizeof(*deeds->each));
  deed = &deeds->each[deeds->count++];
  *deed = (struct deed){.what = what};
  ahead.deed_us = ahead.began_us + msp430_run_so_far(ahead.mote->mcu) - 1;
  return deed;
}

static void
keep_text(struct deed *deed, const char *text, size_t length)
{
  deed->text = allocate(length + 1, 1);
  memcpy(deed->text, text, length);
  deed->length = length;
}

bool
ahead_keep(enum deed_kind what, int first, int second, const char *text, size_t length)
{
  struct deed *deed;

  if(ahead.mote == NULL) {
    return false;
  }
  deed = new_deed(what);
  deed->first = first;
  deed->second = second;
  if(length > 0) {
    keep_text(deed, text, length);
  }
  msp430_pause(ahead.mote->mcu);
  return true;
}

void
ahead_keep_fault(enum deed_kind what, const char *text, size_t length)
{
  if(ahead.mote != NULL) {
    keep_text(new_deed(what), text, length);
    longjmp(ahead.faulted, 1);
  }
}

void
ahead_do(struct awake_mote *awake)
{
  for(uint32_t i = 0; i < awake->own.count; i++) {
    struct deed *deed = &awake->own.each[i];
    if(!awake->simulation->log.closed) { /* nothing comes after the script's verdict */
      ahead.function(awake->mote, deed->what, deed->first, deed->second, deed->text, deed->length);
    }
    free(deed->text);
  }
  awake->own.count = 0;
}

bool
ahead_can_interrupt(const struct awake_mote *awake)
{
  return msp430_pin_interrupts(awake->mcu, CCA_PORT, CCA_PIN);
}

/* The CCA pin follows what others send as long as the strength of what it hears is valid. While the radio sends, its mote stops
   before it looks at the pin, but the pin must not interrupt it. */
bool
ahead_is_alone(const struct awake_mote *awake)
{
  const struct cc2420 *radio = awake->radio;

  if(cc2420_reads_strength(radio) || cc2420_hears(radio)) {
    return false;
  }
  return !cc2420_knows_strength(radio) ||
         (cc2420_is_sending(radio) && !ahead_can_interrupt(awake));
}

bool
ahead_sends(const struct awake_mote *awake)
{
  const struct cc2420 *radio = awake->radio;

  return cc2420_is_sending(radio) || msp430_queued(&radio->preamble) || msp430_queued(&radio->send) ||
         msp430_queued(&radio->acknowledge);
}

void
ahead_run(struct awake_mote *awake, int64_t now, int64_t most)
{
  static int64_t complete; /* it has to be known after a fault */

  ahead.mote = awake;
  ahead.began_us = now;
  if(setjmp(ahead.faulted) == 0) {
    msp430_stop_at_looks(awake->mcu, cc2420_is_sending(awake->radio) && cc2420_knows_strength(awake->radio));
    complete = msp430_run(awake->mcu, now - awake->last_us, most);
  } else {
    complete = msp430_run_so_far(awake->mcu) - 1;
  }
  msp430_stop_at_looks(awake->mcu, false);
  ahead.mote = NULL;
  awake->last_us = now + complete - 1;
  awake->next_us = awake->own.count > 0 ? ahead.deed_us : now + complete;
  awake->ended = awake->next_us <= awake->last_us;
  awake->begun = awake->ended || complete < most;
}
