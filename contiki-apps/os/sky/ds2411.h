/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKY_DS2411_H_
#define SKY_DS2411_H_

#include <stdbool.h>
#include <stdint.h>

#define DS2411_SIZE 6 /* bytes of the serial number, without family code and CRC */

/* Reads the board's serial number, the most significant byte first. False: no such chip answers. */
bool ds2411_read(uint8_t *serial);

#endif
