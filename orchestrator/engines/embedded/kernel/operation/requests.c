/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/requests.h"

#include "base/memory.h"
#include "operation/devices.h"
#include "operation/population.h"
#include "operation/serial_input.h"
#include "radio/medium.h"
#include "sky/sky.h"

#include <stdlib.h>
#include <string.h>

struct request {
  struct request *next;
  enum operation operation;
  struct mote *mote;
  int64_t delay_us;
  size_t length;
  char bytes[];
};

struct generated_line { /* a message for the script that no mote printed */
  struct time_event time_event; /* first member */
  struct mote *mote;
  size_t length;
  char text[];
};

void
requests_add(struct simulation *simulation, enum operation operation, struct mote *mote, int64_t delay_us, const char *bytes,
                size_t length)
{
  struct request *request = allocate(1, sizeof(*request) + length);

  request->operation = operation;
  request->mote = mote;
  request->delay_us = delay_us;
  request->length = length;
  if(length > 0) {
    memcpy(request->bytes, bytes, length);
  }
  if(simulation->last_request == NULL) {
    simulation->requests = request;
  } else {
    simulation->last_request->next = request;
  }
  simulation->last_request = request;
}

static void
hand_over(struct simulation *simulation, struct time_event *time_event)
{
  struct generated_line *generated = (struct generated_line *)time_event;

  simulation->line(simulation, generated->mote, generated->text, generated->length);
  free(generated);
}

static void
generate(struct simulation *simulation, const struct request *request)
{
  struct generated_line *generated = allocate(1, sizeof(*generated) + request->length);

  generated->mote = request->mote;
  generated->length = request->length;
  if(request->length > 0) {
    memcpy(generated->text, request->bytes, request->length);
  }
  time_event_insert(&simulation->queue, &generated->time_event, hand_over,
                   (int64_t)((uint64_t)simulation->queue.now + (uint64_t)request->delay_us));
}

static void
execute(struct simulation *simulation, const struct request *request)
{
  switch(request->operation) {
  case WAKE:
    queue_wake(&simulation->queue, &request->mote->wakeup, simulation->queue.now);
    break;
  case ADD:
    population_add(simulation, request->mote);
    break;
  case REMOVE:
    population_remove(simulation, request->mote);
    break;
  case WRITE:
    if(request->mote->sky != NULL) {
      sky_write_line(simulation, request->mote, request->bytes, request->length);
    } else {
      serial_input_write(simulation, request->mote, request->bytes, request->length);
    }
    break;
  case GENERATE:
    generate(simulation, request);
    break;
  case PRESS:
    device_button(simulation, request->mote, true, 0);
    break;
  case RELEASE:
    device_button(simulation, request->mote, false, 0);
    break;
  case CLICK:
    device_button(simulation, request->mote, true, 0);
    device_button(simulation, request->mote, false, simulation->medium->rules_2026_07 ? CLICK_2026_07_US : CLICK_US);
    break;
  case SIGNAL_PIR:
    device_sensor(simulation, request->mote, "simPirIsActive", "simPirChanged");
    break;
  case VIBRATE:
    device_sensor(simulation, request->mote, "simVibIsActive", "simVibChanged");
    break;
  }
}

void
requests_execute(struct simulation *simulation)
{
  while(simulation->requests != NULL) {
    struct request *request = simulation->requests;
    simulation->requests = request->next;
    if(simulation->requests == NULL) {
      simulation->last_request = NULL;
    }
    execute(simulation, request);
    free(request);
  }
}
