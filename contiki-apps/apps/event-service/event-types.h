/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of the application's events. Made from event-types.yaml by
 * `orchestrate build --event-types`; whatever is changed here is lost.
 */
#ifndef EVENT_TYPES_H_
#define EVENT_TYPES_H_

#include <stdbool.h>
#include <stdint.h>

#define CLIMATE_EVENT_TYPE 0x032b /* the description's digest: EVENT_TERMS_TYPE */
#define CLIMATE_EVENT_SIZE 4

struct climate_event {
  int16_t temperature; /* 0.01 °C */
  uint16_t humidity; /* 0.01 %, relative */
};
static inline void
climate_event_encode(const struct climate_event *event, uint8_t data[CLIMATE_EVENT_SIZE])
{
  data[0] = (uint8_t)((uint16_t)event->temperature >> 0);
  data[1] = (uint8_t)((uint16_t)event->temperature >> 8);
  data[2] = (uint8_t)((uint16_t)event->humidity >> 0);
  data[3] = (uint8_t)((uint16_t)event->humidity >> 8);
}
/* False for data of another length. */
static inline bool
climate_event_decode(struct climate_event *event, const uint8_t *data, uint8_t length)
{
  if(length != CLIMATE_EVENT_SIZE) {
    return false;
  }
  event->temperature = (int16_t)(uint16_t)((uint16_t)data[0] << 0 | (uint16_t)data[1] << 8);
  event->humidity = (uint16_t)(uint16_t)((uint16_t)data[2] << 0 | (uint16_t)data[3] << 8);
  return true;
}

#endif
