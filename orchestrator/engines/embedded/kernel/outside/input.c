/* SPDX-License-Identifier: Apache-2.0 */
#include "outside/input.h"

#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "operation/serial_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_AROUND = 96 /* bytes of a record's line beside the input */ };

struct input {
  struct input *next;
  int64_t time;
  struct mote *mote; /* NULL: the run ends */
  bool ok;
  size_t length;
  uint8_t bytes[];
};

void
inputs_init(struct inputs *inputs)
{
  *inputs = (struct inputs){.record = -1};
  event_init(&inputs->event.event);
}

static void take_effect(struct simulation *simulation, struct time_event *event);

static void
wait_for_first(struct simulation *simulation, struct inputs *inputs)
{
  inputs->event.execute = take_effect;
  queue_insert_first(&simulation->queue, &inputs->event.event, inputs->first->time);
}

static void
execute(struct simulation *simulation, struct inputs *inputs, const struct input *input)
{
  if(input->mote == NULL) {
    inputs->ended = true;
    inputs->ok = input->ok;
    simulation->log.closed = true;
  } else if(!input->mote->removed) {
    serial_input_write(simulation, input->mote, (const char *)input->bytes, input->length);
  }
}

static void
take_effect(struct simulation *simulation, struct time_event *event)
{
  struct inputs *inputs = (struct inputs *)event;

  while(inputs->first != NULL && inputs->first->time <= simulation->queue.now && !simulation->log.closed) {
    struct input *input = inputs->first;
    execute(simulation, inputs, input);
    inputs->first = input->next;
    free(input);
  }
  if(inputs->first != NULL) {
    wait_for_first(simulation, inputs);
  } else {
    inputs->last = NULL;
  }
}

void
inputs_keep(struct inputs *inputs, int64_t time, struct mote *mote, bool ok, const uint8_t *bytes, size_t length)
{
  struct input *input = allocate(1, sizeof(*input) + length);

  input->time = inputs->latest = time;
  input->mote = mote;
  input->ok = ok;
  input->length = length;
  if(length > 0) {
    memcpy(input->bytes, bytes, length);
  }
  *(inputs->last == NULL ? &inputs->first : &inputs->last->next) = input;
  inputs->last = input;
}

void
inputs_start(struct simulation *simulation, struct inputs *inputs)
{
  if(inputs->first != NULL) {
    wait_for_first(simulation, inputs);
  }
}

/* Events at the present time may have happened already: input has its effect a microsecond later. */
static const struct input *
add(struct simulation *simulation, struct inputs *inputs, struct mote *mote, bool ok, const uint8_t *bytes, size_t length)
{
  bool first = inputs->first == NULL;

  inputs_keep(inputs, queue_present(&simulation->queue) + 1, mote, ok, bytes, length);
  if(first) {
    wait_for_first(simulation, inputs);
  }
  return inputs->last;
}

/* Each line is written at once, so that a session that is killed leaves its record. */
static void
record(const struct inputs *inputs, const struct text *line)
{
  for(size_t done = 0; done < line->used;) {
    ssize_t count = write(inputs->record, line->bytes + done, line->used - done);
    if(count < 0 && errno != EINTR) {
      report_error(ERROR_STORAGE, "can't write the record of the input: %s", strerror(errno));
    }
    done += count > 0 ? (size_t)count : 0;
  }
}

static struct text
begin_line(int64_t time, char *bytes, size_t size)
{
  struct text line = {bytes, 0, size};

  text_add(&line, "{\"us\":");
  text_add_number(&line, time);
  return line;
}

static void
record_input(const struct inputs *inputs, const struct input *input, uint32_t mote)
{
  static const char DIGITS[] = "0123456789abcdef";
  char *bytes = allocate(2 * input->length + MOST_AROUND, 1);
  struct text line = begin_line(input->time, bytes, 2 * input->length + MOST_AROUND);

  text_add_member(&line, "mote", mote);
  text_add(&line, ",\"hex\":\"");
  for(size_t i = 0; i < input->length; i++) {
    line.bytes[line.used++] = DIGITS[input->bytes[i] >> 4];
    line.bytes[line.used++] = DIGITS[input->bytes[i] & 15];
  }
  text_add(&line, "\"}\n");
  record(inputs, &line);
  free(bytes);
}

static void
record_mark(const struct inputs *inputs, int64_t time, const char *what, bool value)
{
  char bytes[MOST_AROUND];
  struct text line = begin_line(time, bytes, sizeof(bytes));

  text_add(&line, what);
  text_add(&line, value ? "true}\n" : "false}\n");
  record(inputs, &line);
}

void
inputs_add(struct simulation *simulation, struct inputs *inputs, struct mote *mote, const uint8_t *bytes, size_t length)
{
  const struct input *input = add(simulation, inputs, mote, false, bytes, length);

  if(inputs->record >= 0) {
    record_input(inputs, input, mote->index);
  }
}

void
inputs_add_stop(struct simulation *simulation, struct inputs *inputs, bool ok)
{
  const struct input *input = add(simulation, inputs, NULL, ok, NULL, 0);

  if(inputs->record >= 0) {
    record_mark(inputs, input->time, ",\"stop\":", ok);
  }
}

bool
inputs_stop(const struct inputs *inputs)
{
  return inputs->last != NULL && inputs->last->mote == NULL;
}

size_t
inputs_waiting(const struct inputs *inputs, const struct mote *mote)
{
  size_t waiting = 0;

  for(const struct input *input = inputs->first; input != NULL; input = input->next) {
    waiting += input->mote == mote ? input->length : 0;
  }
  return waiting;
}

void
inputs_end(const struct simulation *simulation, const struct inputs *inputs)
{
  int64_t now = simulation->queue.now;

  if(inputs->record >= 0) { /* the last input may have come too late to take effect */
    record_mark(inputs, now > inputs->latest ? now : inputs->latest, ",\"end\":", true);
  }
}
