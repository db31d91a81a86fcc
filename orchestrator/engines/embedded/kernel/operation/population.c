/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/population.h"

#include "base/memory.h"
#include "base/report.h"
#include "radio/medium.h"
#include "sky/sky.h"
#include "ticks/tick.h"

#include <string.h>

void
population_open(struct simulation *simulation)
{
  simulation->present = allocate(simulation->mote_capacity, sizeof(*simulation->present));
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    simulation->present[simulation->present_count++] = i;
  }
}

static struct mote *
new_mote(struct simulation *simulation, struct mote_type *type)
{
  struct mote *mote = &simulation->motes[simulation->mote_count];

  type->motes++;
  *mote = (struct mote){.type = type, .index = simulation->mote_count++, .id = -1, .removed = true,
                         .quiet_dbm = QUIET_DBM, .sending_dbm = STRONG_DBM, .exact_quiet_dbm = QUIET_DBM,
                         .exact_sending_dbm = STRONG_DBM};
  return mote;
}

struct mote *
population_generate(struct simulation *simulation, int64_t number)
{
  struct mote_type *type = &simulation->types[number];
  struct mote *mote;

  if(number < 0 || number >= (int64_t)simulation->type_count) {
    report_error(ERROR_KERNEL, "the script wants a mote of type %lld", (long long)number);
  }
  if(type->motes == type->capacity || simulation->mote_count == simulation->mote_capacity) {
    report_error(ERROR_DESCRIPTION, "the script generates more motes than it may: %u of one type are there by now; have "
                 "fewer calls of generateMote(), or run the file with --engine cooja", type->motes);
  }
  mote = new_mote(simulation, type);
  mote_create(simulation, mote);
  return mote;
}

void
population_plug_in(struct simulation *simulation, const struct mote *described)
{
  struct mote *mote;

  if(described->type->motes == described->type->capacity || simulation->mote_count == simulation->mote_capacity) {
    report_error(ERROR_DESCRIPTION, "%u motes are or were in the simulation, and it has no room for one more", simulation->mote_count);
  }
  mote = new_mote(simulation, described->type);
  mote->id = described->id;
  mote->x = described->x, mote->y = described->y, mote->z = described->z;
  mote->rate_kbps = described->rate_kbps;
  mote->deviation = described->deviation;
  mote->eeprom = described->eeprom, mote->eeprom_size = described->eeprom_size;
  mote_create(simulation, mote);
  mote_set_id(simulation, mote, described->id);
  population_add(simulation, mote);
  queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
}

static void
draw_start(struct simulation *simulation, struct mote *mote)
{
  int64_t delay = simulation->start_delay_us > 0 ? java_random_int(&simulation->random, simulation->start_delay_us) : 0;

  mote_set_start(mote, simulation->queue.now + delay);
}

void
population_add(struct simulation *simulation, struct mote *mote)
{
  if(!mote->removed) {
    report_error(ERROR_DESCRIPTION, "the script adds a mote that is there already; remove it first, leave addMote() out, or run the "
                 "file with --engine cooja");
  }
  mote->removed = false;
  mote->added++;
  mote_must_tick(mote);
  simulation->present[simulation->present_count++] = mote->index;
  if(!mote->type->clock_after_radio) {
    draw_start(simulation, mote);
  }
  if(mote_has(mote, WITH_ContikiRadio)) {
    medium_join(simulation, mote);
  }
  if(mote->type->clock_after_radio) {
    draw_start(simulation, mote);
  }
}

/* Cooja removes these events from its queue and still believes that they will come. */
static void
cancel_events(struct mote *mote)
{
  mote->removals++;
  mote_must_tick(mote);
  if(mote->wakeup.queued && !(mote->cancelled && mote->cancelled_us == INT64_MIN)) {
    mote->cancelled = true;
    mote->cancelled_us = mote->wakeup.time;
  }
}

void
population_remove(struct simulation *simulation, struct mote *mote)
{
  uint32_t i = 0;

  while(i < simulation->present_count && simulation->present[i] != mote->index) {
    i++;
  }
  if(i < simulation->present_count) {
    simulation->present_count--;
    memmove(&simulation->present[i], &simulation->present[i + 1],
            (simulation->present_count - i) * sizeof(*simulation->present));
    mote->removed = true;
    if(mote->sky != NULL) {
      sky_removed(mote);
    }
    if(mote_has(mote, WITH_ContikiRadio)) {
      medium_leave(simulation, mote);
    }
  }
  cancel_events(mote);
}

void
population_unplug(struct simulation *simulation, struct mote *mote)
{
  if(mote_has(mote, WITH_ContikiRadio)) {
    medium_transmission_cut(simulation, mote);
  }
  population_remove(simulation, mote);
  mote->cancelled = true;
  mote->cancelled_us = INT64_MIN;
}

void
population_move(struct simulation *simulation, struct mote *mote, double x, double y, double z)
{
  mote->x = x;
  mote->y = y;
  mote->z = z;
  if(mote_has(mote, WITH_ContikiRadio)) {
    medium_moved(simulation, mote);
  }
}
