/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKY_CC2420_H_
#define SKY_CC2420_H_

#include "dev/radio.h"

extern const struct radio_driver cc2420_driver;

#endif
