/* SPDX-License-Identifier: Apache-2.0 */
/* A mote that has no MAC: it sends bytes, and reads frames as they come. */
#ifndef RAW_RADIO_H_
#define RAW_RADIO_H_

#include "contiki.h"
#include "net/netstack.h"

#include <stdio.h>

static inline void
raw_radio_begin(void)
{
  NETSTACK_RADIO.set_value(RADIO_PARAM_RX_MODE, RADIO_RX_MODE_POLL_MODE);
}

static inline void
raw_radio_print(const char *what, const uint8_t *bytes, int length)
{
  printf("%s ", what);
  for(int i = 0; i < length; i++) {
    printf("%02x", bytes[i]);
  }
  printf("\n");
}

static inline unsigned
raw_radio_digit(char c)
{
  return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* Reads bytes in hexadecimal digits, with any blanks between them, and returns their number. */
static inline unsigned short
raw_radio_bytes(const char *hex, uint8_t *bytes)
{
  unsigned short digits = 0;

  for(; *hex != '\0'; hex++) {
    if(*hex != ' ') {
      bytes[digits / 2] = (uint8_t)(bytes[digits / 2] << 4 | raw_radio_digit(*hex));
      digits++;
    }
  }
  return digits / 2;
}

/* Reads the next frame if it comes within so many us, and returns its length, else 0. */
static inline int
raw_radio_read(uint8_t *bytes, int size, rtimer_clock_t us)
{
  RTIMER_BUSYWAIT_UNTIL(NETSTACK_RADIO.pending_packet(), us);
  return NETSTACK_RADIO.pending_packet() ? NETSTACK_RADIO.read(bytes, (unsigned short)size) : 0;
}

#endif
