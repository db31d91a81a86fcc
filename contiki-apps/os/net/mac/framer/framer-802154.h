/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FRAMER_802154_H_
#define FRAMER_802154_H_

#include "net/mac/framer/frame802154.h"
#include "net/mac/framer/framer.h"
#include "net/packetbuf.h"

extern const struct framer framer_802154;

#endif
