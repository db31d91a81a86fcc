/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sensors.h"

#include <string.h>

extern const struct sensors_sensor *const sensors[];
extern unsigned char sensors_flags[]; /* 1: changed, not told yet */

process_event_t sensors_event;

PROCESS(sensors_process, "Sensors");

static int
index_of(const struct sensors_sensor *sensor)
{
  int i = 0;

  while(sensors[i] != NULL && sensors[i] != sensor) {
    i++;
  }
  return i;
}

const struct sensors_sensor *
sensors_first(void)
{
  return sensors[0];
}

const struct sensors_sensor *
sensors_next(const struct sensors_sensor *sensor)
{
  int i = index_of(sensor);

  return sensors[i] == NULL ? NULL : sensors[i + 1];
}

const struct sensors_sensor *
sensors_find(const char *type)
{
  for(int i = 0; sensors[i] != NULL; i++) {
    if(strncmp(sensors[i]->type, type, strlen(type)) == 0) {
      return sensors[i];
    }
  }
  return NULL;
}

void
sensors_changed(const struct sensors_sensor *sensor)
{
  int i = index_of(sensor);

  if(sensors[i] != NULL) {
    sensors_flags[i] = 1;
    process_poll(&sensors_process);
  }
}

static void
tell_changes(void)
{
  for(int i = 0; sensors[i] != NULL; i++) {
    if(sensors_flags[i]) {
      if(process_post(PROCESS_BROADCAST, sensors_event,
                      (process_data_t)sensors[i]) == PROCESS_ERR_OK) {
        sensors_flags[i] = 0;
      } else {
        process_poll(&sensors_process);
      }
    }
  }
}

PROCESS_THREAD(sensors_process, ev, data)
{
  PROCESS_BEGIN();
  sensors_event = process_alloc_event();
  for(int i = 0; sensors[i] != NULL; i++) {
    sensors_flags[i] = 0;
    sensors[i]->configure(SENSORS_HW_INIT, 0);
  }
  while(1) {
    PROCESS_YIELD_UNTIL(ev == PROCESS_EVENT_POLL);
    tell_changes();
  }
  PROCESS_END();
}
