/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that reach an IEEE 802.15.4 radio (2.4 GHz, O-QPSK) by a weak signal: chips are flipped by chance, and a symbol is
 * decoded as the one whose chips are nearest. As in Cooja's Msp802154BitErrorRadio.
 */
#ifndef BIT_ERRORS_H
#define BIT_ERRORS_H

#include "base/java_random.h"

/* Returns the byte as it is decoded at this signal strength; draws random numbers only where some bytes get through. */
uint8_t bit_errors_pass(struct java_random *random, double dbm, uint8_t byte);

#endif
