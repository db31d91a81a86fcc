/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of the platform that firmware is built for. */
#if CONTIKI_TARGET_SKY
#include "sky/contiki-conf.h"
#else
#include "platform/contiki-conf.h"
#endif
