/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/watchdog.h"

#include "base/exact.h"
#include "msp430/events.h"
#include "msp430/interrupts.h"
#include "msp430/special.h"

enum { HOLD = 0x80, INTERVAL_MODE = 0x10, CLEAR = 0x08, ACLK = 0x04, INTERVAL = 0x03 };
enum { PASSWORD = 0x5a, READ_AS = 0x6900, IFG1 = 0, FLAG = 0x01, AFTER_RESET = 0x04 };

static const int32_t INTERVALS[] = {32768, 8192, 512, 64}; /* of its clock */

static void
start(struct watchdog *watchdog)
{
  struct msp430 *mcu = watchdog->mcu;

  if(watchdog->from_aclk) {
    msp430_in_ms(mcu, &watchdog->event, 1000.0 * watchdog->delay / mcu->aclk_hz);
  } else {
    msp430_at_cycle(mcu, &watchdog->event, mcu->cycles + watchdog->delay);
  }
}

static void
expired(struct msp430_event *event, int64_t time)
{
  struct watchdog *watchdog = MSP430_AROUND(event, struct watchdog, event);

  (void)time;
  if(watchdog->interval_mode) {
    special_set_flags(watchdog->mcu, IFG1, FLAG);
    start(watchdog);
  } else {
    msp430_notice(watchdog->mcu, MSP430_WATCHDOG_EXPIRED);
    interrupt_flag(watchdog->mcu, RESET_INTERRUPT, &watchdog->source, true);
  }
}

static void
serviced(struct msp430 *mcu, struct interrupt_source *source, int number)
{
  interrupt_flag(mcu, number, source, false);
}

void
watchdog_init(struct msp430 *mcu)
{
  mcu->watchdog = (struct watchdog){.source.serviced = serviced, .mcu = mcu, .event.run = expired, .control = AFTER_RESET};
}

/* After a reset it doesn't run until the firmware writes to it; its interval stays. */
void
watchdog_reset(struct msp430 *mcu)
{
  mcu->watchdog.control = AFTER_RESET;
}

int32_t
watchdog_read(struct msp430 *mcu, uint32_t address, bool word)
{
  (void)address;
  (void)word;
  return mcu->watchdog.control | READ_AS;
}

void
watchdog_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  struct watchdog *watchdog = &mcu->watchdog;

  (void)address;
  (void)word;
  if(value >> 8 != PASSWORD) {
    msp430_notice(mcu, MSP430_WATCHDOG_PASSWORD);
    interrupt_flag(mcu, RESET_INTERRUPT, &watchdog->source, true);
    return;
  }
  watchdog->control = value & 0xff;
  watchdog->from_aclk = value & ACLK;
  if(value & CLEAR) {
    watchdog->delay = INTERVALS[value & INTERVAL];
  }
  watchdog->interval_mode = value & INTERVAL_MODE;
  if(value & HOLD) {
    msp430_cancel(&watchdog->event);
  } else {
    start(watchdog);
  }
}
