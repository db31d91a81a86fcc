/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns a mote's serial output into lines as Cooja's serial interface does: a byte is a sign-extended 16-bit character;
 * letters, digits, ASCII punctuation and white space are kept, and everything else is dropped; a line feed ends a line; more
 * than 16,384 bytes without a line feed are replaced by a notice with the first 20 characters.
 */
#ifndef SERIAL_H
#define SERIAL_H

#include "base/log.h"

enum { KEPT_LINES = 4 };

struct mote;

struct serial {
  char *line; /* UTF-8, the line so far */
  uint32_t used, size;
  uint32_t received; /* bytes since the last line, dropped ones included */
  uint64_t written;  /* bytes that the script logged at this mote's lines */
  struct {
    uint64_t position; /* in the log, of the first byte that the script logged at the line */
    uint32_t length;
  } last[KEPT_LINES]; /* newest first */
};

/* Notes which bytes of the log were logged at the mote's line, for reports. */
void serial_keep_place(struct serial *serial, uint64_t begin, uint64_t end);

/* Called with the text of each complete line. */
struct line_listener {
  void (*line)(void *context, struct mote *mote, const char *text, size_t length);
  void *context;
  struct mote *mote;
};

/* Takes a byte of an emulated mote, whose bytes are characters of Latin-1. */
void serial_receive_latin(struct serial *serial, uint8_t byte, const struct line_listener *listener);

/* Takes `count` bytes that the mote printed and passes complete lines on, until the log is closed. Returns how many. */
unsigned serial_receive(struct serial *serial, const uint8_t *bytes, size_t count, const struct line_listener *listener,
                        const struct log *log);

#endif
