/* SPDX-License-Identifier: Apache-2.0 */
/* CCM*: authentication and encryption of IEEE 802.15.4 (Annex B of the 2006 edition). */
#ifndef CCM_STAR_H_
#define CCM_STAR_H_

#include "contiki.h"

#ifdef CCM_STAR_CONF
#define CCM_STAR CCM_STAR_CONF
#else
#define CCM_STAR ccm_star_driver
#endif

#define CCM_STAR_NONCE_LENGTH 13

struct ccm_star_driver {
  void (*set_key)(const uint8_t *key);
  /*
   * Encrypt `m` in place (forward) or decrypt it, and write the code that
   * authenticates `a` and the clear text: 0, 4, 8 or 16 octets. Who decrypts
   * compares the code with the one that came.
   */
  void (*aead)(const uint8_t *nonce, uint8_t *m, uint16_t m_len,
               const uint8_t *a, uint16_t a_len,
               uint8_t *result, uint8_t mic_len, int forward);
};

extern const struct ccm_star_driver CCM_STAR;

#endif
