/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/serial-line.h"

#include <string.h>

#include "lib/ringbuf.h"
#include "sys/cc.h"

static_assert(SERIAL_LINE_BUFSIZE <= 128 &&
              (SERIAL_LINE_BUFSIZE & (SERIAL_LINE_BUFSIZE - 1)) == 0,
              "SERIAL_LINE_CONF_BUFSIZE must be a power of 2, at most 128");

static struct ringbuf input;
static uint8_t input_data[SERIAL_LINE_BUFSIZE];
static bool overflowed; /* until the line's end */

static char line[SERIAL_LINE_BUFSIZE];
static int length;

process_event_t serial_line_event_message;

PROCESS(serial_line_process, "Serial line");

static bool
ends_line(int c)
{
  return c == '\n' || c == '\r';
}

int
serial_line_input_byte(unsigned char c)
{
  if(!overflowed || ends_line(c)) {
    overflowed = ringbuf_put(&input, c) == 0;
  }
  process_poll(&serial_line_process);
  return 1;
}

/* True when the line is complete. */
static bool
take(int c)
{
  if(!ends_line(c)) {
    if(length < SERIAL_LINE_BUFSIZE - 1) {
      line[length++] = (char)c;
    }
    return false;
  }
  line[length] = '\0';
  length = 0;
  return true;
}

PROCESS_THREAD(serial_line_process, ev, data)
{
  static int c;

  PROCESS_BEGIN();
  serial_line_event_message = process_alloc_event();
  while(1) {
    c = ringbuf_get(&input);
    if(c < 0) {
      PROCESS_YIELD();
    } else if(take(c)) {
      process_post(PROCESS_BROADCAST, serial_line_event_message, line);
      PROCESS_PAUSE(); /* the next line would overwrite this one */
    }
  }
  PROCESS_END();
}

void
serial_line_init(void)
{
  ringbuf_init(&input, input_data, sizeof(input_data));
  process_start(&serial_line_process, NULL);
}
