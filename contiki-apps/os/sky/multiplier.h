/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKY_MULTIPLIER_H_
#define SKY_MULTIPLIER_H_

#include <stdint.h>

#ifdef __MSP430__
#include "sky/int-master.h"

/* The hardware multiplier (SLAU049, 7). An interrupt may use it, too. */
static inline uint32_t
multiply(uint16_t a, uint16_t b)
{
  int_master_status_t status = int_master_read_and_disable();
  uint32_t product;

  MPY = a;
  OP2 = b;
  product = (uint32_t)RESHI << 16 | RESLO;
  int_master_status_set(status);
  return product;
}
#else
static inline uint32_t
multiply(uint16_t a, uint16_t b)
{
  return (uint32_t)a * b;
}
#endif

#endif
