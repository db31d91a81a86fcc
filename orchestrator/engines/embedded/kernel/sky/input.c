/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/input.h"

#include "base/memory.h"

enum { UART = 1 };       /* the USART */
enum { INTERVAL_US = 69 }; /* between bytes, as Cooja writes them: less than at 115,200 bit/s */

static void write_next(struct simulation *simulation, struct time_event *time_event);

static void
queue_input(struct simulation *simulation, struct input *input, int64_t time)
{
  input->removals = input->mote->removals;
  input->time_event.execute = write_next;
  queue_insert(&simulation->queue, &input->time_event.event, time);
}

static void
write_next(struct simulation *simulation, struct time_event *time_event)
{
  struct input *input = (struct input *)time_event;
  struct mote *mote = input->mote;

  if(input->removals != mote->removals) {
    return;
  }
  input->catch_up(simulation, mote);
  if(input->next < input->count && msp430_usart_ready(input->mcu, UART)) {
    msp430_usart_receive(input->mcu, UART, input->bytes[input->next++]);
    queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
  }
  if(input->next < input->count) {
    queue_input(simulation, input, simulation->queue.now + INTERVAL_US);
  }
}

static void
add(struct input *input, uint32_t character)
{
  input->bytes = with_room(input->bytes, input->count, &input->size, 64, 1);
  input->bytes[input->count++] = (uint8_t)character;
}

/* A character beyond U+FFFF, which takes four bytes, is two of Java's. */
static void
add_text(struct input *input, const char *text, size_t length)
{
  for(size_t i = 0; i < length;) {
    uint8_t first = (uint8_t)text[i];
    unsigned rest = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    uint32_t character = rest == 0 ? first : first & (0x3fu >> rest);
    for(i++; rest > 0 && i < length; rest--) {
      character = character << 6 | ((uint8_t)text[i++] & 0x3f);
    }
    if(character > 0xffff) {
      add(input, 0xd800 + ((character - 0x10000) >> 10));
      character = 0xdc00 + (character & 0x3ff);
    }
    add(input, character);
  }
  add(input, '\n');
}

/* Must be called before bytes are added. */
static void
make_room(struct input *input)
{
  if(input->next == input->count) {
    input->next = input->count = 0;
  }
}

static void
begin(struct simulation *simulation, struct input *input)
{
  if(!input->time_event.event.queued || input->removals != input->mote->removals) {
    queue_input(simulation, input, simulation->queue.now);
  }
}

void
input_write(struct simulation *simulation, struct input *input, const uint8_t *bytes, size_t length)
{
  make_room(input);
  for(size_t i = 0; i < length; i++) {
    add(input, bytes[i]);
  }
  begin(simulation, input);
}

void
input_write_line(struct simulation *simulation, struct input *input, const char *text, size_t length)
{
  make_room(input);
  add_text(input, text, length);
  begin(simulation, input);
}

void
input_init(struct input *input)
{
  event_init(&input->time_event.event);
}
