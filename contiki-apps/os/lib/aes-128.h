/* SPDX-License-Identifier: Apache-2.0 */
/* AES-128 (FIPS 197), encryption only, as CCM* needs it. */
#ifndef AES_128_H_
#define AES_128_H_

#include "contiki.h"

#define AES_128_BLOCK_SIZE 16
#define AES_128_KEY_LENGTH 16

/* A chip that has AES in hardware names its own driver. */
#ifdef AES_128_CONF
#define AES_128 AES_128_CONF
#else
#define AES_128 aes_128_driver
#endif

struct aes_128_driver {
  void (*set_key)(const uint8_t *key);
  void (*encrypt)(uint8_t *plaintext_and_result);
};

extern const struct aes_128_driver AES_128;

#endif
