/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FCS_H
#define FCS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Appends the frame check sequence of bytes[0 .. size) (IEEE Std 802.15.4,
 * clause on the FCS field: ITU-T CRC-16, x^16 + x^12 + x^5 + 1, initially 0,
 * least significant bit first).
 */
void fcs_append(uint8_t *bytes, size_t size);

/* The remainder (initially 0) of one more byte. */
uint16_t fcs_add(uint16_t remainder, uint8_t byte);

#endif
