/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/timer.h"

#include "base/exact.h"
#include "msp430/counter.h"
#include "msp430/events.h"
#include "msp430/interrupts.h"

enum { CONTROL = 0, CAPTURE_CONTROLS = 2, COUNTER = 0x10, CAPTURE_VALUES = 0x12 };
enum { CLEAR = 0x04, OVERFLOW_ON = 0x02, OVERFLOW_FLAG = 0x01 };                       /* of the timer's control register */
enum { CAPTURE_FLAG = 0x01, INPUT = 0x08, INTERRUPT_ON = 0x10, CAPTURING = 0x100 };    /* of a capture register's */
enum { RISING = 1, FALLING = 2 };
static const struct timer_kind KINDS[TIMERS] = {
  {TIMER_A, TIMER_A_VECTOR_REGISTER, 3, 6, 5, 0x0a,
   {PIN + 0x10, SOURCE_ACLK, SOURCE_SMCLK, PIN + 0x21},
   {{PIN + 0x11, PIN + 0x22, GND, VCC}, {PIN + 0x12, COMPARATOR, GND, VCC}, {PIN + 0x13, SOURCE_ACLK, GND, VCC}}},
  {TIMER_B, TIMER_B_VECTOR_REGISTER, 7, 13, 12, 0x0e,
   {PIN + 0x47, SOURCE_ACLK, SOURCE_SMCLK, PIN + 0x47},
   {{PIN + 0x40, PIN + 0x40, GND, VCC}, {PIN + 0x41, PIN + 0x41, GND, VCC}, {PIN + 0x42, PIN + 0x42, GND, VCC},
    {PIN + 0x43, PIN + 0x43, GND, VCC}, {PIN + 0x44, PIN + 0x44, GND, VCC}, {PIN + 0x45, PIN + 0x45, GND, VCC},
    {PIN + 0x46, SOURCE_ACLK, GND, VCC}}},
};

/* ---- Capture/compare registers ---- */

static void
schedule(struct capture *capture)
{
  if(capture->expected_at != -1 && capture->expected_at != capture->event.time) {
    msp430_at_cycle(capture->timer->mcu, &capture->event, capture->expected_at);
  }
}

static void
flag_interrupt(struct capture *capture)
{
  struct timer *timer = capture->timer;
  int32_t vector = capture->index * 2;

  if(!(capture->control & INTERRUPT_ON) || !(capture->control & CAPTURE_FLAG)) {
    return;
  }
  if(capture->index == 0) {
    interrupt_flag(timer->mcu, timer->kind->first_interrupt, &timer->source, true);
  } else if(timer->vector == 0) {
    timer->vector = vector;
    interrupt_flag(timer->mcu, timer->kind->other_interrupt, &timer->source, true);
  } else if(timer->vector > vector) {
    timer->vector = vector;
  }
}

static void
expected(struct msp430_event *event, int64_t time)
{
  struct capture *capture = MSP430_AROUND(event, struct capture, event);
  struct timer *timer = capture->timer;

  (void)time;
  if(timer->mode == STOPPED) {
    return;
  }
  counter_update(timer);
  if(capture->expected_at == -1 || timer->mcu->cycles < capture->expected_at) {
    return;
  }
  if(timer->counter < capture->value) { /* too early */
    capture->expected_at =
      timer->mcu->cycles + (int64_t)((capture->value - timer->counter) * timer->cycles_per_tick);
    schedule(capture);
    return;
  }
  capture->control |= CAPTURE_FLAG;
  if(capture->capturing) {
    capture->value = capture->expected;
    capture->expected = (capture->expected + capture->interval) & 0xffff;
    capture->expected_at = (int64_t)((double)capture->expected_at + capture->interval * timer->cycles_per_tick);
  } else {
    capture->expected_at += (int64_t)(WRAP * timer->cycles_per_tick);
  }
  schedule(capture);
  flag_interrupt(capture);
}

/* Works out when a clock's next edge will be captured. */
static void
update_capture(struct capture *capture)
{
  struct timer *timer = capture->timer;
  struct msp430 *mcu = timer->mcu;
  int32_t clock_hz = 1;
  bool of_aclk = capture->source == SOURCE_ACLK;

  if(!capture->capturing) {
    return;
  }
  if(timer->clock_source == SOURCE_SMCLK || timer->clock_source == SOURCE_ACLK) {
    clock_hz = (timer->clock_source == SOURCE_SMCLK ? mcu->smclk_hz : mcu->aclk_hz) / timer->divider;
  }
  capture->interval = clock_hz / (of_aclk ? mcu->aclk_hz : 1);
  capture->expected = ((of_aclk ? capture->value : timer->counter) + capture->interval) & 0xffff;
  capture->expected_at = mcu->cycles + (int64_t)(capture->interval * timer->cycles_per_tick);
  schedule(capture);
}

static void
update_captures(struct timer *timer)
{
  for(int i = 0; i < timer->kind->captures; i++) {
    update_capture(&timer->captures[i]);
  }
}

void
timer_capture(struct timer *timer, unsigned pin, bool high)
{
  struct capture *capture;

  if(pin >= (unsigned)timer->kind->captures) {
    msp430_fail(timer->mcu, MSP430_ILLEGAL_WRITE, timer->kind->base + CAPTURE_VALUES + 2 * pin);
  }
  capture = &timer->captures[pin];
  if(capture->capturing && capture->input == 0 && (capture->edges & (high ? RISING : FALLING))) {
    capture->value = counter_update(timer);
    capture->control |= CAPTURE_FLAG;
    flag_interrupt(capture);
  }
}

/* ---- Registers ---- */

/* The vector register has been read or written. */
static void
clear_vector(struct timer *timer)
{
  struct msp430 *mcu = timer->mcu;

  if(timer->vector == timer->kind->overflow) {
    timer->overflow_pending = false;
  } else if(timer->vector / 2 < timer->kind->captures) {
    timer->captures[timer->vector / 2].control &= ~CAPTURE_FLAG;
  }
  interrupt_flag(mcu, timer->kind->other_interrupt, &timer->source, false);
  timer->vector = 0;
  for(int i = 1; i < timer->kind->captures; i++) {
    flag_interrupt(&timer->captures[i]);
  }
  if(timer->vector == 0 && timer->overflow_enabled && timer->overflow_pending) {
    timer->vector = timer->kind->overflow;
    interrupt_flag(mcu, timer->kind->other_interrupt, &timer->source, true);
  }
}

static struct timer *
timer_at(struct msp430 *mcu, uint32_t address)
{
  return &mcu->timers[address == TIMER_B_VECTOR_REGISTER || address >= TIMER_B];
}

/* The level of ACLK, as far as it can be seen in the counter. */
static bool
aclk_is_high(struct timer *timer)
{
  int32_t ticks = timer->clock_hz / timer->mcu->aclk_hz;

  counter_update(timer);
  return ticks > 0 && timer->counter % ticks > ticks / 2;
}

static struct capture *
capture_at(struct timer *timer, uint32_t address, uint32_t first, enum msp430_fault fault)
{
  int index = (int)(address - timer->kind->base - first) / 2;

  if(index >= timer->kind->captures) {
    msp430_fail(timer->mcu, fault, address);
  }
  return &timer->captures[index];
}

int32_t
timer_read(struct msp430 *mcu, uint32_t address, bool word)
{
  struct timer *timer = timer_at(mcu, address);
  uint32_t offset = address - timer->kind->base;
  struct capture *capture;

  (void)word;
  if(address == timer->kind->vector_register) {
    int32_t vector = timer->vector;
    clear_vector(timer);
    return vector;
  }
  if(offset == COUNTER) {
    return counter_update(timer) & 0xffff;
  }
  if(offset == CONTROL) {
    return (timer->control & 0xfffe) | timer->overflow_pending;
  }
  if(offset % 2 != 0) {
    return 0;
  }
  if(offset >= CAPTURE_VALUES) {
    return capture_at(timer, address, CAPTURE_VALUES, MSP430_ILLEGAL_READ)->value & 0xffff;
  }
  capture = capture_at(timer, address, CAPTURE_CONTROLS, MSP430_ILLEGAL_READ);
  capture->control = (capture->control & ~INPUT) | (capture->source == SOURCE_ACLK && aclk_is_high(timer) ? INPUT : 0);
  return capture->control & 0xffff;
}

static void
start(struct timer *timer)
{
  int64_t now = timer->mcu->cycles;

  counter_clock_changed(timer);
  timer->overflow_at = (int64_t)((double)now + timer->cycles_per_tick * ((WRAP - 1 - timer->counter) & 0xffff));
  for(int i = 0; i < timer->kind->captures; i++) {
    struct capture *capture = &timer->captures[i];
    if(capture->cycles_left != 0) {
      capture->expected_at = now + capture->cycles_left;
      schedule(capture);
    }
  }
}

static void
stop(struct timer *timer)
{
  counter_update(timer);
  for(int i = 0; i < timer->kind->captures; i++) {
    struct capture *capture = &timer->captures[i];
    if(capture->expected_at != -1) {
      int64_t late = timer->mcu->cycles - capture->expected_at;
      capture->cycles_left = late < 0 ? 0 : late;
    }
  }
}

static void
write_control(struct timer *timer, int32_t value)
{
  int32_t mode = value >> 4 & 3;

  timer->divider = 1 << (value >> 6 & 3);
  timer->clock_source = timer->kind->clocks[value >> 8 & 3];
  counter_update_speed(timer);
  if(value & CLEAR) {
    timer->counter = 0;
    counter_clock_changed(timer);
    update_captures(timer);
  }
  if(timer->mode == STOPPED && mode != STOPPED) {
    start(timer);
  }
  if(timer->mode != STOPPED && mode == STOPPED) {
    stop(timer);
  }
  timer->mode = mode;
  timer->overflow_enabled = value & OVERFLOW_ON;
  timer->control = value & ~CLEAR;
  if(!(value & OVERFLOW_FLAG)) {
    timer->overflow_pending = false;
  }
  update_captures(timer);
}

static void
write_capture_control(struct capture *capture, int32_t value)
{
  struct timer *timer = capture->timer;
  bool was_capturing = capture->capturing;

  capture->control = value;
  capture->capturing = value & CAPTURING;
  capture->input = value >> 12 & 3;
  capture->source = timer->kind->inputs[capture->index][capture->input];
  capture->edges = value >> 14 & 3;
  if(!was_capturing && capture->capturing && (capture->source & PIN)) {
    timer->mcu->ports[(capture->source >> 4 & 15) - 1].captured_by[capture->source & 15] = timer;
  }
  counter_update(timer);
  update_capture(capture);
}

static void
write_capture_value(struct capture *capture, int32_t value)
{
  struct timer *timer = capture->timer;
  int32_t ticks;

  counter_update(timer);
  if(capture->index == 0 && timer->counter > value && (timer->mode == UP || timer->mode == UP_DOWN)) {
    timer->counter = 0;
    counter_clock_changed(timer);
  }
  capture->value = value;
  ticks = value - timer->counter;
  if(ticks <= 0) {
    ticks += WRAP;
  }
  capture->expected_at = timer->mcu->cycles + (int64_t)(timer->cycles_per_tick * ticks + 1) - timer->passed;
  timer->passed = 0;
  schedule(capture);
}

void
timer_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  struct timer *timer = timer_at(mcu, address);
  uint32_t offset = address - timer->kind->base;

  (void)word;
  if(address == timer->kind->vector_register) {
    clear_vector(timer);
  } else if(offset == COUNTER) {
    timer->counter = value;
    counter_clock_changed(timer);
  } else if(offset == CONTROL) {
    write_control(timer, value);
  } else if(offset % 2 == 0 && offset >= CAPTURE_VALUES) {
    write_capture_value(capture_at(timer, address, CAPTURE_VALUES, MSP430_ILLEGAL_WRITE), value);
  } else if(offset % 2 == 0) {
    write_capture_control(capture_at(timer, address, CAPTURE_CONTROLS, MSP430_ILLEGAL_WRITE), value);
  }
}

/* ---- Life ---- */

static void
serviced(struct msp430 *mcu, struct interrupt_source *source, int number)
{
  struct timer *timer = MSP430_AROUND(source, struct timer, source);

  if(number == timer->kind->first_interrupt) {
    interrupt_flag(mcu, number, source, false);
    timer->captures[0].control &= ~CAPTURE_FLAG;
  }
}

void
timer_init(struct msp430 *mcu)
{
  for(int i = 0; i < TIMERS; i++) {
    struct timer *timer = &mcu->timers[i];
    timer->source.serviced = serviced;
    timer->mcu = mcu;
    timer->kind = &KINDS[i];
    timer->overflow_event.run = counter_overflow;
    for(int j = 0; j < MOST_CAPTURES; j++) {
      timer->captures[j].event.run = expected;
      timer->captures[j].timer = timer;
      timer->captures[j].index = j;
    }
    timer_reset(timer);
  }
}

/* Events stay queued, and do what they do without having been armed again; so do the cycles left of a stopped timer. */
void
timer_reset(struct timer *timer)
{
  for(int i = 0; i < timer->kind->captures; i++) {
    struct capture *capture = &timer->captures[i];
    capture->expected = -1;
    capture->expected_at = -1;
    capture->interval = 0;
    capture->edges = capture->input = capture->source = 0;
    capture->capturing = false;
    capture->control = capture->value = 0;
  }
  timer->control = timer->vector = 0;
  timer->overflow_enabled = timer->overflow_pending = false;
  timer->counter = timer->passed = 0;
  timer->started_at = timer->accumulated = timer->overflow_at = 0;
  timer->clock_source = 0;
  timer->cycles_per_tick = 1;
  timer->mode = STOPPED;
  timer->divider = 1;
}
