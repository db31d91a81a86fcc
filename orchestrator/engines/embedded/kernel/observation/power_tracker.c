/* SPDX-License-Identifier: Apache-2.0 */
#include "observation/power_tracker.h"

#include "base/memory.h"

struct tracked {
  struct power_times times;
  int64_t since; /* us */
  bool has_radio, was_on;
  int64_t *state; /* of `times`, the one that the radio's state adds to; NULL: none */
};

struct power_tracker {
  const struct simulation *simulation;
  struct tracked *motes; /* by index */
};

struct power_tracker *power_tracker;

static void
sample(struct tracked *tracked, const struct radio *radio)
{
  tracked->was_on = radio->on;
  tracked->state = radio->transmitting ? &tracked->times.transmitting :
                   !radio->on ? NULL :
                   radio->interfered ? &tracked->times.interfered :
                   radio->receiving ? &tracked->times.receiving : NULL;
}

void
power_tracker_start(const struct simulation *simulation)
{
  power_tracker = allocate(1, sizeof(*power_tracker));
  power_tracker->simulation = simulation;
  power_tracker->motes = allocate(simulation->mote_count + 1, sizeof(*power_tracker->motes));
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    power_tracker->motes[i].has_radio = mote_has(&simulation->motes[i], WITH_ContikiRadio);
    power_tracker->motes[i].since = simulation->queue.now;
    sample(&power_tracker->motes[i], &simulation->motes[i].radio);
  }
}

void
power_tracker_count(const struct mote *mote)
{
  struct tracked *tracked = &power_tracker->motes[mote->index];
  int64_t passed = power_tracker->simulation->queue.now - tracked->since;

  tracked->since += passed;
  tracked->times.monitored += passed;
  tracked->times.on += tracked->was_on ? passed : 0;
  if(tracked->state != NULL) {
    *tracked->state += passed;
  }
  sample(tracked, &mote->radio);
}

const struct power_times *
power_tracker_times(const struct mote *mote)
{
  return power_tracker == NULL || !power_tracker->motes[mote->index].has_radio ? NULL : &power_tracker->motes[mote->index].times;
}
