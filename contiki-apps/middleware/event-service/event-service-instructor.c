/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "dev/serial-line.h"
#include "event-service.h"
#include "event-service-instructor.h"
#include "event-service-output.h"

/* The time between the repeats of an instruction, which is longer than a frame and its
   back-offs. */
#define REPEAT (CLOCK_SECOND / 20)

#define LONGEST_NAME 8

PROCESS(event_service_instructor_process, "Instructor");

static void (*instructed)(const struct event_service_instruction *);
static uint16_t last_instruction;
/*---------------------------------------------------------------------------*/
/* Reads a number and the dash after it; NULL if there is none up to `most`. */
static const char *
read_number(const char *at, uint32_t most, uint32_t *number)
{
  const char *first = at;

  for(*number = 0; *at >= '0' && *at <= '9'; at++) {
    *number = *number * 10 + (*at - '0');
    if(*number > most) {
      return NULL;
    }
  }
  return at > first && *at == '-' ? at + 1 : NULL;
}
/*---------------------------------------------------------------------------*/
static const char *
read_name(const char *at, char name[LONGEST_NAME + 1])
{
  unsigned length = 0;

  while(*at > ' ' && *at <= '~' && *at != '-' && *at != ',' && length < LONGEST_NAME) {
    name[length++] = *at++;
  }
  name[length] = '\0';
  return length > 0 && *at == '-' ? at + 1 : NULL;
}
/*---------------------------------------------------------------------------*/
bool
event_service_instructor_read(const char *line,
                              struct event_service_instruction *instruction)
{
  char name[LONGEST_NAME + 1];
  uint32_t target, code, interval = 0;

  if(*line++ != '-') {
    return false;
  }
  line = read_number(line, 65533, &target);
  if(line == NULL || target == 0) {
    return false;
  }
  line = read_number(line, EVENT_SERVICE_INSTRUCT_INTERVAL, &code);
  if(line == NULL || code < EVENT_SERVICE_INSTRUCT_ADVERTISE) {
    return false;
  }
  if(code == EVENT_SERVICE_INSTRUCT_INTERVAL) {
    name[0] = '\0';
    line = read_number(line, UINT16_MAX, &interval);
    if(interval == 0) {
      return false;
    }
  } else {
    line = read_name(line, name);
  }
  if(line == NULL || *line != '\0') {
    return false;
  }
  instruction->target = target;
  instruction->code = code;
  instruction->interval = interval;
  instruction->event = pubsub_subject(name);
  return true;
}
/*---------------------------------------------------------------------------*/
void
event_service_instructed_set(void (*callback)(const struct event_service_instruction *))
{
  instructed = callback;
}
/*---------------------------------------------------------------------------*/
bool
event_service_instruction_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct event_service_instruction instruction;

  if(!event_service_instruction_decode(&instruction, body, length)) {
    return false;
  }
  if(instruction.target == event_service_place.mote
     && instruction.number != last_instruction && instructed != NULL) {
    last_instruction = instruction.number;
    instructed(&instruction);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(event_service_instructor_process, ev, data)
{
  static struct event_service_instruction instruction;
  static struct etimer timer;
  static uint8_t left;
  uint8_t body[EVENT_SERVICE_INSTRUCTION_SIZE];

  PROCESS_BEGIN();

  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == serial_line_event_message && data != NULL);
    if(!event_service_instructor_read(data, &instruction)) {
      printf("instructor: no command: -MOTE-CODE-EVENT- or -MOTE-13-MILLISECONDS-\n");
      continue;
    }
    instruction.number++;
    for(left = EVENT_SERVICE_INSTRUCTION_TIMES; left > 0; left--) {
      event_service_instruction_encode(&instruction, body);
      event_service_send(PUBSUB_FRAME_INSTRUCTION, PUBSUB_EVERYBODY, body, sizeof(body), NULL);
      etimer_set(&timer, REPEAT);
      PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    }
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
void
event_service_instructor_start(uint16_t mote)
{
  event_service_place = (struct event_service_place){ .mote = mote, .send_buffer = 1 };
  event_service_output_init();
  process_start(&event_service_instructor_process, NULL);
}
