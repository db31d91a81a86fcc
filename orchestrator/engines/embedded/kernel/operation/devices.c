/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/devices.h"

#include "base/memory.h"
#include "observation/watch.h"
#include "sky/sky.h"

#include <stdlib.h>

struct button_event {
  struct time_event time_event; /* first member */
  struct mote *mote;
  bool down;
  unsigned removals; /* of the mote at the request; a further one cancels this, and Cooja still believes that it will come */
};

static uint8_t *
variable(struct mote *mote, const char *name)
{
  uint64_t offset, size;

  if(!firmware_variable(&mote->type->firmware, name, &offset, &size)) {
    watch_mote_fault(mote, "the script operates its button or sensor, and its firmware lacks the variables sim...Changed or sim...Is... of it");
  }
  return mote->image + offset;
}

bool
device_button_is_down(struct mote *mote)
{
  return mote->sky != NULL ? sky_is_pressed(mote) : *variable(mote, "simButtonIsDown") == 1;
}

static void
execute(struct simulation *simulation, struct time_event *time_event)
{
  struct button_event *press = (struct button_event *)time_event;
  struct mote *mote = press->mote;

  if(mote->removals == press->removals) {
    mote->button_due[press->down] = false;
    if(mote->sky != NULL) {
      sky_press(mote, press->down);
    } else {
      *variable(mote, "simButtonIsDown") = press->down;
      device_sensor(simulation, mote, "simButtonIsActive", "simButtonChanged");
    }
  }
  free(press);
}

void
device_button(struct simulation *simulation, struct mote *mote, bool down, int64_t delay_us)
{
  struct button_event *press;

  if(mote->button_due[down]) {
    watch_mote_fault(mote, "the script operates its button again before the last press or release has come, at which Cooja ends");
  }
  mote->button_due[down] = true;
  press = allocate(1, sizeof(*press));
  press->mote = mote;
  press->down = down;
  press->removals = mote->removals;
  time_event_insert(&simulation->queue, &press->time_event, execute, simulation->queue.now + delay_us);
}

void
device_sensor(struct simulation *simulation, struct mote *mote, const char *active, const char *changed)
{
  if(*variable(mote, active) == 1) {
    *variable(mote, changed) = 1;
    mote_must_tick(mote);
    queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
  }
}
