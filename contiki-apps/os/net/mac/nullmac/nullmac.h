/* SPDX-License-Identifier: Apache-2.0 */
/* No medium access control: a frame is sent at once, once, and not
   acknowledged. (Contiki-NG's of the same name sends nothing.) */
#ifndef NULLMAC_H_
#define NULLMAC_H_

#include "contiki.h"
#include "net/mac/mac.h"

/* With 1 the radio checks whether the channel is clear. If it isn't, the frame
   is given up. */
#ifdef NULLMAC_CONF_SEND_ON_CCA
#define NULLMAC_SEND_ON_CCA NULLMAC_CONF_SEND_ON_CCA
#else
#define NULLMAC_SEND_ON_CCA 0
#endif

extern const struct mac_driver nullmac_driver;

#endif
