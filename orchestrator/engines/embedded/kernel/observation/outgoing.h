/* SPDX-License-Identifier: Apache-2.0 */
/* A transmission that goes byte by byte. */
#ifndef OUTGOING_H
#define OUTGOING_H

#include <stdbool.h>
#include <stdint.h>

enum { LONGEST_FRAME = 127, HEADER_SIZE = 6 }; /* bytes; preamble, start of frame delimiter, and the length */

struct outgoing {
  uint8_t bytes[HEADER_SIZE + LONGEST_FRAME];
  unsigned sent, size; /* bytes, `size` without the header; it is known behind the header */
  bool synchronized;   /* the header was as it must be */
  bool whole;          /* all of the frame has gone out */
};

/* So many bytes of its frame, of those that are held here. */
static inline unsigned
outgoing_sent(const struct outgoing *outgoing)
{
  unsigned held = outgoing->sent < sizeof(outgoing->bytes) ? outgoing->sent : (unsigned)sizeof(outgoing->bytes);

  return outgoing->synchronized && held > HEADER_SIZE ? held - HEADER_SIZE : 0;
}

#endif
