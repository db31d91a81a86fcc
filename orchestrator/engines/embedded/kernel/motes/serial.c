/* SPDX-License-Identifier: Apache-2.0 */
#include "motes/serial.h"

#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 16 * 1024, FIRST_SIZE = 128, NOTICE_CHARACTERS = 20 };
enum { DROP = 0, ASCII = 1, LATIN = 2, WIDE = 3, LINE_FEED = 4 }; /* ASCII, LATIN and WIDE: bytes in UTF-8 */

/* Byte b >= 0x80 is the character U+FF00 + b (sign extension of a Java byte); of those, the halfwidth katakana and
   hangul are letters (Unicode, block Halfwidth and Fullwidth Forms). */
static const uint8_t CLASSES[256] = {
  [0x09] = ASCII, ['\n'] = LINE_FEED, [0x0b ... 0x0d] = ASCII, [0x1c ... 0x7e] = ASCII,
  [0x80 ... 0xbe] = WIDE, [0xc2 ... 0xc7] = WIDE, [0xca ... 0xcf] = WIDE, [0xd2 ... 0xd7] = WIDE, [0xda ... 0xdc] = WIDE,
};

/* Of a byte that is a character of Latin-1: the feminine and masculine ordinals, the micro sign and letters stay. */
static const uint8_t LATIN_CLASSES[256] = {
  [0x09] = ASCII, ['\n'] = LINE_FEED, [0x0b ... 0x0d] = ASCII, [0x1c ... 0x7e] = ASCII, [0xaa] = LATIN, [0xb5] = LATIN,
  [0xba] = LATIN, [0xc0 ... 0xd6] = LATIN, [0xd8 ... 0xf6] = LATIN, [0xf8 ... 0xff] = LATIN,
};

static void
reserve(struct serial *serial, uint32_t bytes)
{
  if(serial->used + bytes > serial->size) {
    serial->size = serial->size ? serial->size : FIRST_SIZE;
    while(serial->used + bytes > serial->size) {
      serial->size *= 2;
    }
    serial->line = reallocate(serial->line, serial->size, 1);
  }
}

static void
append(struct serial *serial, uint8_t byte, int class)
{
  reserve(serial, WIDE);
  if(class == ASCII) {
    serial->line[serial->used++] = (char)byte;
  } else if(class == LATIN) { /* U+0080 .. U+00FF */
    serial->line[serial->used++] = (char)(0xc0 | byte >> 6);
    serial->line[serial->used++] = (char)(0x80 | (byte & 0x3f));
  } else { /* U+FF80 .. U+FFDC */
    serial->line[serial->used++] = (char)0xef;
    serial->line[serial->used++] = (char)(0xbc | (byte >> 6 & 3));
    serial->line[serial->used++] = (char)(0x80 | (byte & 0x3f));
  }
}

/* Replaces the line by Cooja's notice; its "1024" is Cooja's own wording. */
static void
cut(struct serial *serial)
{
  static const char START[] = "# [1024 bytes, no line ending]: ", END[] = "...";
  char first[NOTICE_CHARACTERS * WIDE];
  uint32_t length = 0;

  for(int i = 0; i < NOTICE_CHARACTERS && length < serial->used; i++) {
    length += (serial->line[length] & 0x80) == 0 ? ASCII : (serial->line[length] & 0x20) == 0 ? LATIN : WIDE;
  }
  if(length > 0) {
    memcpy(first, serial->line, length);
  }
  serial->used = 0;
  for(size_t i = 0; i < sizeof(START) - 1; i++) {
    append(serial, (uint8_t)START[i], ASCII);
  }
  reserve(serial, length + (uint32_t)sizeof(END));
  memcpy(serial->line + serial->used, first, length);
  memcpy(serial->line + serial->used + length, END, sizeof(END) - 1);
  serial->used += length + (uint32_t)sizeof(END) - 1;
}

void
serial_keep_place(struct serial *serial, uint64_t begin, uint64_t end)
{
  memmove(&serial->last[1], &serial->last[0], (KEPT_LINES - 1) * sizeof(serial->last[0]));
  serial->last[0].position = begin;
  serial->last[0].length = (uint32_t)(end - begin - 1); /* without the line's end */
  serial->written += end - begin;
}

static void
end_line(struct serial *serial, const struct line_listener *listener)
{
  listener->line(listener->context, listener->mote, serial->line, serial->used);
  serial->used = 0;
  serial->received = 0;
}

/* Are all eight bytes between 0x1c and 0x7e, which are no control characters? In rare cases the answer is "no" though
   they are. */
static bool
all_usual(const uint8_t *bytes)
{
  static const uint64_t EACH = 0x0101010101010101;
  uint64_t eight;

  memcpy(&eight, bytes, sizeof(eight));
  return (((eight - 0x1c * EACH) | (eight + EACH) | eight) & 0x80 * EACH) == 0;
}

/* The number of such bytes at the beginning. */
static size_t
ascii_run(const uint8_t *bytes, size_t count, size_t most)
{
  size_t run = 0;

  most = most < count ? most : count;
  while(most - run >= sizeof(uint64_t) && all_usual(bytes + run)) {
    run += sizeof(uint64_t);
  }
  while(run < most && CLASSES[bytes[run]] == ASCII) {
    run++;
  }
  return run;
}

unsigned
serial_receive(struct serial *serial, const uint8_t *bytes, size_t count, const struct line_listener *listener,
               const struct log *log)
{
  unsigned lines = 0;

  for(size_t i = 0; i < count; i++) {
    int class = CLASSES[bytes[i]];
    size_t run = ascii_run(bytes + i, count - i, LONGEST - serial->received);
    if(run > 0) {
      reserve(serial, (uint32_t)run);
      memcpy(serial->line + serial->used, bytes + i, run);
      serial->used += (uint32_t)run;
      serial->received += (uint32_t)run;
      i += run - 1;
      continue;
    }
    if(class == LINE_FEED || ++serial->received > LONGEST) {
      if(class != LINE_FEED) {
        cut(serial);
      }
      end_line(serial, listener);
      lines++;
      if(log->closed) {
        break;
      }
    } else if(class != DROP) {
      append(serial, bytes[i], class);
    }
  }
  return lines;
}

void
serial_receive_latin(struct serial *serial, uint8_t byte, const struct line_listener *listener)
{
  int class = LATIN_CLASSES[byte];

  serial->received++;
  if(class == LINE_FEED || serial->received > LONGEST) {
    if(class != LINE_FEED) {
      cut(serial);
    }
    end_line(serial, listener);
  } else if(class != DROP) {
    append(serial, byte, class);
  }
}
