/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/vib-sensor.h"

#include "platform/mote.h"

static int seen;

static int
value(int type)
{
  (void)type;
  return seen;
}

static int
configure(int type, int setting)
{
  switch(type) {
  case SENSORS_HW_INIT:
    simVibIsActive = 0;
    return 1;
  case SENSORS_ACTIVE:
    simVibIsActive = setting != 0;
    return 1;
  default:
    return 0;
  }
}

static int
status(int type)
{
  return type == SENSORS_ACTIVE || type == SENSORS_READY ? simVibIsActive : 0;
}

SENSORS_SENSOR(vib_sensor, VIB_SENSOR, value, configure, status);

/* Called by the tick. */
void
mote_vibration_changed(void)
{
  simVibChanged = 0;
  if(simVibIsActive) {
    seen++;
    sensors_changed(&vib_sensor);
  }
}
