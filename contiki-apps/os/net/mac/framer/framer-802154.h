/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FRAMER_802154_H_
#define FRAMER_802154_H_

#include "net/mac/framer/frame802154.h"
#include "net/mac/framer/framer.h"
#include "net/packetbuf.h"

extern const struct framer framer_802154;

/* Returns the header's length if the frame is broadcast data from a long address on our PAN, as this framer makes it;
   else 0. */
#define FRAMER_802154_TO_ALL_HEADER 15 /* bytes */
int framer_802154_to_all(const uint8_t *frame, unsigned length);

#endif
