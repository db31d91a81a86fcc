/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mote's serial output becomes log lines, as Cooja's serial interface and a
 * script that logs every line make them: a byte is a sign-extended 16-bit
 * character; letters, digits, ASCII punctuation and white space stay, all else
 * is dropped; a line feed ends a line; more than 16,384 bytes without one are
 * cut to a notice with the first 20 characters.
 */
#ifndef SERIAL_H
#define SERIAL_H

#include "log.h"

enum { KEPT_LINES = 4 };

struct mote;

struct serial {
  char *line; /* UTF-8, the line so far */
  uint32_t used, size;
  uint32_t received; /* bytes since the last line, dropped ones included */
  uint64_t written;  /* bytes of its lines in the log */
  struct {
    uint64_t position; /* of the line's first byte in the log */
    uint32_t length;
  } last[KEPT_LINES]; /* newest first */
};

/* Called with each finished line's text. */
struct line_listener {
  void (*line)(void *context, struct mote *mote, const char *text, size_t length);
  void *context;
  struct mote *mote;
  bool logged; /* the line goes into the log here; else the listener decides */
};

/* Takes `count` bytes that the mote printed at time `now_us`; writes finished lines to the log. Returns how many. */
unsigned serial_receive(struct serial *serial, const uint8_t *bytes, size_t count, int64_t now_us, int mote_id,
                        struct log *log, const struct line_listener *listener);

#endif
