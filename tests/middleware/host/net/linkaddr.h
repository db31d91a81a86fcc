/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINKADDR_H_
#define LINKADDR_H_

#include <stdint.h>
#include <string.h>

typedef union {
  uint8_t u8[8];
} linkaddr_t;

static inline void
linkaddr_copy(linkaddr_t *to, const linkaddr_t *from)
{
  memcpy(to, from, sizeof(*to));
}

#endif
