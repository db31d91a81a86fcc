/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/events.h"

#include "base/exact.h"

/* How long until an empty list is looked at again. */
static const int64_t IDLE_CYCLES = 10000;

bool
msp430_cancel(struct msp430_event *event)
{
  struct msp430_events *list = event->list;

  if(list == NULL) {
    return false;
  }
  for(struct msp430_event **place = &list->first; *place != NULL; place = &(*place)->next) {
    if(*place == event) {
      *place = event->next;
      break;
    }
  }
  event->next = NULL;
  event->list = NULL;
  list->count--;
  list->next_time = list->first != NULL ? list->first->time : 0;
  return true;
}

/* Returns whether the list's next time has changed. */
static bool
insert(struct msp430_events *list, struct msp430_event *event, int64_t time)
{
  int64_t next_time = list->next_time;
  struct msp430_event **place = &list->first;

  event->time = time;
  msp430_cancel(event);
  while(*place != NULL && (*place)->time < time) {
    place = &(*place)->next;
  }
  event->next = *place;
  *place = event;
  event->list = list;
  list->count++;
  list->next_time = list->first->time;
  return list->next_time != next_time;
}

static struct msp430_event *
take_first(struct msp430_events *list)
{
  struct msp430_event *event = list->first;

  msp430_cancel(event);
  return event;
}

static void
clear(struct msp430_events *list)
{
  while(list->first != NULL) {
    struct msp430_event *event = list->first;
    list->first = event->next;
    event->next = NULL;
    event->list = NULL;
    event->time = 0;
  }
  list->count = 0; /* next_time stays: whether the next insert() notices a change depends on it */
}

void
events_clear(struct msp430 *mcu)
{
  clear(&mcu->in_cycles);
  clear(&mcu->in_virtual_time);
}

int64_t
msp430_virtual_time(const struct msp430 *mcu)
{
  return mcu->virtual_base + (int64_t)((double)(mcu->cycles - mcu->cycle_base) * mcu->virtual_per_cycle);
}

static int64_t
cycle_of(const struct msp430 *mcu, int64_t virtual_time)
{
  return mcu->cycle_base + (int64_t)((double)(virtual_time - mcu->virtual_base) / mcu->virtual_per_cycle);
}

void
events_change_frequency(struct msp430 *mcu, int32_t dco_hz, int32_t smclk_hz)
{
  mcu->dco_hz = dco_hz;
  mcu->smclk_hz = smclk_hz;
  mcu->virtual_base = msp430_virtual_time(mcu);
  mcu->cycle_base = mcu->cycles;
  mcu->virtual_per_cycle = 1.0 * MSP430_VIRTUAL_HZ / dco_hz;
  mcu->step_us = 0;
  mcu->step_ready = false;
  msp430_pause(mcu);
}

static void
bring_forward(struct msp430 *mcu, int64_t cycle)
{
  if(mcu->next_event > cycle) {
    mcu->next_event = cycle;
    mcu->stop = mcu->stop > cycle ? cycle : mcu->stop;
  }
}

void
msp430_at_cycle(struct msp430 *mcu, struct msp430_event *event, int64_t cycle)
{
  if(insert(&mcu->in_cycles, event, cycle)) {
    mcu->next_in_cycles = mcu->in_cycles.next_time;
    bring_forward(mcu, mcu->next_in_cycles);
  }
}

void
msp430_at_virtual_time(struct msp430 *mcu, struct msp430_event *event, int64_t time)
{
  if(insert(&mcu->in_virtual_time, event, time)) {
    mcu->next_in_virtual_time = cycle_of(mcu, mcu->in_virtual_time.next_time);
    bring_forward(mcu, mcu->next_in_virtual_time);
    if(mcu->cycles > mcu->next_in_virtual_time) {
      msp430_fail(mcu, MSP430_LATE_EVENT, mcu->at);
    }
  }
}

void
msp430_in_ms(struct msp430 *mcu, struct msp430_event *event, double ms)
{
  int64_t time = (int64_t)((double)msp430_virtual_time(mcu) + ms / 1000 * MSP430_VIRTUAL_HZ);

  msp430_at_virtual_time(mcu, event, time);
}

void
events_run(struct msp430 *mcu)
{
  if(mcu->cycles >= mcu->next_in_virtual_time) {
    if(mcu->in_virtual_time.count > 0) {
      struct msp430_event *event = take_first(&mcu->in_virtual_time);
      event->run(event, msp430_virtual_time(mcu));
    }
    mcu->next_in_virtual_time = mcu->in_virtual_time.count > 0 ? cycle_of(mcu, mcu->in_virtual_time.next_time) :
                                                                 mcu->cycles + IDLE_CYCLES;
  }
  if(mcu->cycles >= mcu->next_in_cycles) {
    if(mcu->in_cycles.count > 0) {
      struct msp430_event *event = take_first(&mcu->in_cycles);
      event->run(event, mcu->cycles);
    }
    mcu->next_in_cycles = mcu->in_cycles.count > 0 ? mcu->in_cycles.next_time : mcu->cycles + IDLE_CYCLES;
  }
  mcu->next_event = mcu->next_in_cycles < mcu->next_in_virtual_time ? mcu->next_in_cycles : mcu->next_in_virtual_time;
}
