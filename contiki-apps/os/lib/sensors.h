/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors, and the event that announces a change. */
#ifndef SENSORS_H_
#define SENSORS_H_

#include "contiki.h"

/* The questions to configure() and status(). */
#define SENSORS_HW_INIT 128
#define SENSORS_ACTIVE 129
#define SENSORS_READY 130

struct sensors_sensor {
  char *type;
  int (*value)(int type);
  int (*configure)(int type, int value);
  int (*status)(int type);
};

#define SENSORS_ACTIVATE(sensor) (sensor).configure(SENSORS_ACTIVE, 1)
#define SENSORS_DEACTIVATE(sensor) (sensor).configure(SENSORS_ACTIVE, 0)

#define SENSORS_SENSOR(name, type, value, configure, status)                   \
  const struct sensors_sensor name = { type, value, configure, status }

/* The platform's list. */
#define SENSORS_NUM (sizeof(sensors) / sizeof(sensors[0]))
#define SENSORS(...)                                                           \
  const struct sensors_sensor *const sensors[] = { __VA_ARGS__, NULL };        \
  unsigned char sensors_flags[SENSORS_NUM]

/* Finds a sensor by the beginning of its type's name; NULL if there is none. */
const struct sensors_sensor *sensors_find(const char *type);
const struct sensors_sensor *sensors_first(void);
const struct sensors_sensor *sensors_next(const struct sensors_sensor *sensor);

/* Called by a driver: all processes get sensors_event with the sensor as its
   data. */
void sensors_changed(const struct sensors_sensor *sensor);
extern process_event_t sensors_event;

PROCESS_NAME(sensors_process);

#endif
