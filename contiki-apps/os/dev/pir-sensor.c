/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/pir-sensor.h"

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
    simPirIsActive = 0;
    return 1;
  case SENSORS_ACTIVE:
    simPirIsActive = setting != 0;
    return 1;
  default:
    return 0;
  }
}

static int
status(int type)
{
  return type == SENSORS_ACTIVE || type == SENSORS_READY ? simPirIsActive : 0;
}

SENSORS_SENSOR(pir_sensor, PIR_SENSOR, value, configure, status);

/* Called by the tick. */
void
mote_pir_changed(void)
{
  simPirChanged = 0;
  if(simPirIsActive) {
    seen++;
    sensors_changed(&pir_sensor);
  }
}
