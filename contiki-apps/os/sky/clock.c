/* SPDX-License-Identifier: Apache-2.0 */
/* Timer A counts the crystal's periods. Its compare 0 is the rtimer, its compare 1 wakes for the next etimer: there are no
   ticks between. */
#include "sky/clock.h"

#include "sky/msp430.h"
#include "sky/uart.h"
#include "sys/critical.h"
#include "sys/etimer.h"
#include "sys/rtimer.h"

#define PERIODS_PER_TICK (32768 / CLOCK_CONF_SECOND)
#define CPU_PER_PERIOD (CPU_HZ / 32768)
#define OVERFLOW 10 /* TAIV */

static volatile uint32_t overflows; /* of the counter, each 2 s */
static struct rtimer *waiting;

/* Counts the oscillator's periods in eight of the crystal's, by Timer B's capture of ACLK. */
static uint16_t
measured(void)
{
  uint16_t first = 0;

  TBCTL = SSEL1_SMCLK | MC_CONTINUOUS | TCLR;
  TBCCTL6 = CM_RISING | CCIS_B | CAP;
  for(int i = 0; i <= 9; i++) {
    TBCCTL6 &= (uint16_t)~CCIFG;
    while(!(TBCCTL6 & CCIFG)) {
    }
    if(i == 1) { /* the first may have come too early to be whole */
      first = TBCCR6;
    }
  }
  uint16_t last = TBCCR6;

  TBCCTL6 = 0;
  TBCTL = 0;
  return last - first;
}

/* The highest setting of the oscillator that isn't faster than CPU_HZ: 3 bits of RSEL, 3 of DCO, 5 of MOD. */
static void
calibrate(void)
{
  uint16_t setting = 0;

  for(uint16_t bit = 1 << 10; bit != 0; bit >>= 1) {
    setting |= bit;
    BCSCTL1 = 0x80 | (setting >> 8); /* the second crystal is off, ACLK undivided */
    DCOCTL = setting & 0xff;
    if(measured() > 8 * CPU_PER_PERIOD) {
      setting &= (uint16_t)~bit;
    }
  }
  BCSCTL1 = 0x80 | (setting >> 8);
  DCOCTL = setting & 0xff;
}

void
clock_start(void)
{
  BCSCTL2 = 0;
  calibrate();
  TACTL = SSEL1_ACLK | MC_CONTINUOUS | TCLR | TIE;
}

/* The crystal and the processor's clock are not in step: the counter is read until it is the same twice. */
static uint16_t
counter(void)
{
  uint16_t value;

  do {
    value = TAR;
  } while(value != TAR);
  return value;
}

/* Overflows and the counter of the same instant. */
static uint16_t
now(uint32_t *high)
{
  int_master_status_t status = critical_enter();
  uint16_t value = counter();

  *high = overflows;
  if((TACTL & TIFG) && value < 0x8000) { /* its interrupt is still to come */
    ++*high;
  }
  critical_exit(status);
  return value;
}

rtimer_clock_t
rtimer_arch_now(void)
{
  uint32_t high;
  uint16_t low = now(&high);

  return high << 16 | low;
}

clock_time_t
clock_time(void)
{
  uint32_t high;
  uint16_t low = now(&high);

  return high * (0x10000 / PERIODS_PER_TICK) + low / PERIODS_PER_TICK;
}

unsigned long
clock_seconds(void)
{
  uint32_t high;
  uint16_t low = now(&high);

  return high * 2 + (low >> 15);
}

void
clock_init(void)
{
}

void
clock_wait(clock_time_t ticks)
{
  clock_time_t start = clock_time();

  while(clock_time() - start < ticks) {
  }
}

void
clock_delay_usec(uint16_t us)
{
  rtimer_clock_t start = RTIMER_NOW(), periods = US_TO_RTIMERTICKS(us) + 1;

  while(RTIMER_NOW() - start < periods) {
  }
}

/* ---- interrupts --------------------------------------------------------- */

void
timer_interrupt(void)
{
  if(TAIV == OVERFLOW) {
    overflows++;
  }
}

void
clock_sleep(bool (*idle)(void))
{
  interrupts_off();
  TACCTL1 = 0;
  if(etimer_pending()) {
    uint16_t at = (uint16_t)(etimer_next_expiration_time() * PERIODS_PER_TICK);

    /* The farther ones are looked at again after each overflow. */
    if(etimer_next_expiration_time() - clock_time() < 0x8000 / PERIODS_PER_TICK) {
      TACCR1 = at;
      TACCTL1 = CCIE;
    }
    if(!CLOCK_LT(clock_time(), etimer_next_expiration_time())) {
      interrupts_on();
      return;
    }
  }
  if(!idle()) {
    interrupts_on();
  } else if(uart_is_sending()) { /* which needs the submodules' clock */
    __asm__ volatile("bis #0x58, r2" ::: "memory"); /* LPM1, GIE */
  } else {
    __asm__ volatile("bis #0xd8, r2" ::: "memory"); /* LPM3, GIE */
  }
  __asm__ volatile("nop");
}

/* ---- the real-time timer ------------------------------------------------ */

/* The interrupt comes at each 2 s on the way to a time that is farther. */
static void
arm(void)
{
  int32_t left = RTIMER_CLOCK_DIFF(waiting->time, RTIMER_NOW());

  TACCR0 = left < 2 ? counter() + 2 : (uint16_t)waiting->time;
  TACCTL0 = CCIE;
}

void
rtimer_init(void)
{
  waiting = NULL;
  TACCTL0 = 0;
}

int
rtimer_set(struct rtimer *rtimer, rtimer_clock_t time, rtimer_clock_t duration, rtimer_callback_t func, void *ptr)
{
  (void)duration;
  if(waiting != NULL) {
    return RTIMER_ERR_ALREADY_SCHEDULED;
  }
  rtimer->time = time;
  rtimer->func = func;
  rtimer->ptr = ptr;
  int_master_status_t status = critical_enter();
  waiting = rtimer;
  arm();
  critical_exit(status);
  return RTIMER_OK;
}

void
rtimer_run_next(void)
{
  struct rtimer *due = waiting;

  waiting = NULL;
  TACCTL0 = 0;
  due->func(due, due->ptr);
}

void
rtimer_interrupt(void)
{
  if(waiting != NULL && RTIMER_CLOCK_DIFF(waiting->time, RTIMER_NOW()) <= 0) {
    rtimer_run_next();
  }
}

void
rtimer_arch_busywait(void)
{
}
