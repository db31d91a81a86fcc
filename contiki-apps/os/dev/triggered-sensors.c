/* SPDX-License-Identifier: Apache-2.0 */
/* The sensors that Cooja triggers, passive infrared and vibration: each counts how often. */
#include "dev/pir-sensor.h"
#include "dev/vib-sensor.h"
#include "platform/mote.h"

static int
configure(char *active, int type, int setting)
{
  if(type != SENSORS_HW_INIT && type != SENSORS_ACTIVE) {
    return 0;
  }
  *active = type == SENSORS_ACTIVE && setting != 0;
  return 1;
}

/* A sensor with the variables sim...IsActive and sim...Changed, and what the tick calls for a change. */
#define TRIGGERED_SENSOR(sensor, name, active, changed, mote_changed)                  \
  static int sensor##_count;                                                           \
  static int sensor##_value(int type) { (void)type; return sensor##_count; }           \
  static int sensor##_configure(int type, int setting) { return configure(&active, type, setting); } \
  static int sensor##_status(int type)                                                 \
  {                                                                                    \
    return type == SENSORS_ACTIVE || type == SENSORS_READY ? active : 0;               \
  }                                                                                    \
  SENSORS_SENSOR(sensor, name, sensor##_value, sensor##_configure, sensor##_status);   \
  void mote_changed(void)                                                              \
  {                                                                                    \
    changed = 0;                                                                       \
    if(active) {                                                                       \
      sensor##_count++;                                                                \
      sensors_changed(&sensor);                                                        \
    }                                                                                  \
  }

TRIGGERED_SENSOR(pir_sensor, PIR_SENSOR, simPirIsActive, simPirChanged, mote_pir_changed)
TRIGGERED_SENSOR(vib_sensor, VIB_SENSOR, simVibIsActive, simVibChanged, mote_vibration_changed)
