/* SPDX-License-Identifier: Apache-2.0 */
/* The interrupts of the platform that firmware is built for. */
#if CONTIKI_TARGET_SKY
#include "sky/int-master.h"
#else
#include "platform/int-master.h"
#endif
