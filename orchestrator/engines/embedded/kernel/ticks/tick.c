/* SPDX-License-Identifier: Apache-2.0 */
#include "ticks/tick.h"

#include "base/report.h"
#include "libc/context.h"
#include "libc/heap.h"
#include "loader/load.h"
#include "motes/shared_sections.h"
#include "observation/breakpoint.h"
#include "observation/watch.h"
#include "radio/radio.h"
#include "sky/sky.h"
#include "ticks/idle.h"

#include <string.h>

static const int64_t MILLISECOND = 1000; /* us */

/* Sums and products of times, which a mote may have set to any value, wrap around as in Java. */
static int64_t
plus(int64_t a, int64_t b)
{
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t
times(int64_t a, int64_t b)
{
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

static void
write_time(struct mote *mote, int64_t now)
{
  if(mote->current_us > 0) {
    ABI(mote, simCurrentTime) = mote->current_us / MILLISECOND;
  }
  ABI(mote, simRtimerCurrentTicks) = now;
}

static void
note_line(void *context, struct mote *mote, const char *text, size_t length)
{
  mote_line(context, mote, text, length);
}

void
mote_create(struct simulation *simulation, struct mote *mote)
{
  struct mote_type *type = mote->type;
  void (*init)(void);
  uint8_t *code;

  if(type->is_sky) {
    sky_create(simulation, mote);
    return;
  }
  event_init(&mote->wakeup);
  mote_must_tick(mote);
  mote->image = firmware_map(&type->firmware);
  code = firmware_code(&type->firmware, mote->image);
  mote->tick = (void (*)(void))(uintptr_t)(code + type->abi.cooja_tick);
  if(type->idle.ignores != 0) {
    mote->ignores = (bool (*)(const uint8_t *, int))(uintptr_t)(code + type->idle.ignores);
  }
  init = (void (*)(void))(uintptr_t)(code + type->abi.cooja_init);
  watch_enter(mote);
  heap_watch();
  firmware_run_constructors(&type->firmware, mote->image);
  context_call(init, mote->image);
  watch_leave();
  if(heap_blocks() > 0 && type->capacity > 1) {
    report_error(ERROR_LOAD, "%s: a constructor or cooja_init() allocates memory and keeps it, which in Cooja all motes of the "
                 "type share, and here none would; allocate it in a process, or run the file with --engine cooja", type->path);
  }
  if(mote_has(mote, WITH_ContikiRadio)) {
    radio_init(mote);
  }
  if(mote->eeprom_size > 0) {
    if(mote->eeprom_size > type->abi.eeprom) {
      report_error(ERROR_LOAD, "%s: the EEPROM image of mote %d has %u bytes and simEEPROMData %u; Cooja writes over the variables "
                   "behind it: shorten the image, or make simEEPROMData larger", type->path, mote->id, mote->eeprom_size,
                   type->abi.eeprom);
    }
    memcpy(&ABI(mote, simEEPROMData), mote->eeprom, mote->eeprom_size);
  }
}

void
mote_set_id(struct simulation *simulation, struct mote *mote, int id)
{
  if(mote->sky != NULL) {
    sky_set_id(simulation, mote, id);
    return;
  }
  mote->id = id;
  ABI(mote, simMoteID) = id;
  ABI(mote, simMoteIDChanged) = 1;
  ABI(mote, simRandomSeed) = (int)(uint32_t)((uint64_t)simulation->seed + (uint64_t)id);
  mote_must_tick(mote);
}

void
mote_set_start(struct mote *mote, int64_t time_us)
{
  if(mote->sky != NULL) {
    sky_set_start(mote, time_us);
    return;
  }
  mote->drift_us = -(time_us - time_us % MILLISECOND);
  mote_advance_clock(mote, 0);
}

static void
take_log(struct simulation *simulation, struct mote *mote)
{
  struct line_listener listener = {note_line, simulation, mote};
  int length = ABI(mote, simLoggedLength);

  if(length < 0 || (uint64_t)length > mote_reach(mote, mote->type->abi.simLoggedData)) {
    watch_mote_fault(mote, "simLoggedLength reaches outside the mote's memory");
  }
  ABI(mote, simLoggedFlag) = 0;
  ABI(mote, simLoggedLength) = 0;
  if(simulation->printed != NULL) {
    simulation->printed(simulation, mote, (const uint8_t *)&ABI(mote, simLoggedData), (size_t)length);
  }
  serial_receive(&mote->serial, (const uint8_t *)&ABI(mote, simLoggedData), (size_t)length, &listener, &simulation->log);
}

static inline void
serial_after_tick(struct simulation *simulation, struct mote *mote)
{
  if(ABI(mote, simLoggedFlag) == 1) {
    take_log(simulation, mote);
  }
}

/* Beeper, EEPROM and file system: Cooja takes note of changes and resets the flags. */
static void
small_interfaces_after_tick(struct mote *mote)
{
  if(mote_has(mote, WITH_ContikiBeeper) && ABI(mote, simBeeped) == 1) {
    ABI(mote, simBeeped) = 0;
  }
  if(mote_has(mote, WITH_ContikiEEPROM) && ABI(mote, simEEPROMChanged) == 1) {
    ABI(mote, simEEPROMRead) = 0;
    ABI(mote, simEEPROMWritten) = 0;
    ABI(mote, simEEPROMChanged) = 0;
  }
  if(mote_has(mote, WITH_ContikiCFS) && ABI(mote, simCFSChanged) == 1) {
    ABI(mote, simCFSRead) = 0;
    ABI(mote, simCFSWritten) = 0;
    ABI(mote, simCFSChanged) = 0;
  }
}

static void
clock_after_tick(struct simulation *simulation, struct mote *mote)
{
  struct event_queue *queue = &simulation->queue;
  int64_t until_etimer;

  if(ABI(mote, simRtimerPending) != 0) {
    queue_wake(queue, &mote->wakeup, ABI(mote, simRtimerNextExpirationTime));
  }
  if(ABI(mote, simProcessRunValue) != 0) {
    queue_wake(queue, &mote->wakeup, queue->now + MILLISECOND);
    return;
  }
  if(ABI(mote, simEtimerPending) == 0) {
    return;
  }
  until_etimer = plus(times(ABI(mote, simEtimerNextExpirationTime), MILLISECOND), -(queue->now + mote->drift_us));
  queue_wake(queue, &mote->wakeup, plus(queue->now, until_etimer <= 0 ? MILLISECOND : until_etimer));
}

/* Runs its code and puts the effects into force. */
static void
tick(struct simulation *simulation, struct mote *mote)
{
  write_time(mote, simulation->queue.now);
  if(mote->radio.dirty) {
    radio_write_back(mote);
  }
  watch_enter(mote);
  firmware_enter(&mote->type->firmware, mote->image);
  shared_sections_before_tick(mote);
  breakpoint_before_tick(mote, simulation->queue.now);
  context_call(mote->tick, mote->image);
  watch_leave();
  idle_after_tick(mote->type, mote, simulation->queue.now);
  /* Only the radio, the clock and a script's actions at a line affect others, the clock last; the order of the rest does not
     matter. */
  if(mote_has(mote, WITH_ContikiRS232) && !mote->type->serial_after_radio) {
    serial_after_tick(simulation, mote);
  }
  if(mote_has(mote, WITH_ContikiRadio)) {
    radio_after_tick(simulation, mote);
  }
  if(mote->type->serial_after_radio) {
    serial_after_tick(simulation, mote);
  }
  small_interfaces_after_tick(mote);
  clock_after_tick(simulation, mote);
}

bool
mote_skips(struct simulation *simulation, struct mote *mote)
{
  int64_t now = simulation->queue.now;

  if(!idle_skip(mote, now)) {
    return false;
  }
  simulation->skipped++;
  mote_advance_clock(mote, now);
  if(mote->radio.transmitting) {
    radio_transmit(simulation, mote);
  }
  if(mote->idle_wake != INT64_MAX) {
    queue_wake(&simulation->queue, &mote->wakeup, mote->idle_wake);
  }
  return true;
}

/* Does a wake-up of a removed mote take place? */
static bool
revives(struct mote *mote, int64_t now)
{
  if(now >= mote->cancelled_us) {
    mote->cancelled_us = INT64_MIN;
    return false;
  }
  mote->cancelled = false;
  return true;
}

void
mote_execute(struct simulation *simulation, struct mote *mote)
{
  int64_t now = simulation->queue.now, time_us;

  if(mote->cancelled && !revives(mote, now)) {
    return;
  }
  if(mote->sky != NULL) {
    sky_execute(simulation, mote);
    return;
  }
  time_us = mote_advance_clock(mote, now);
  if(time_us < 0) {
    queue_wake(&simulation->queue, &mote->wakeup, now - time_us);
    return;
  }
  simulation->ran++;
  tick(simulation, mote);
  queue_next_event(&simulation->queue);
}
