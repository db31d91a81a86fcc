/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Skipjack (NIST, SKIPJACK and KEA Algorithm Specifications, version 2.0, 1998), as
 * the paper's motes had it. Withdrawn by NIST; not for use.
 */
#ifndef SECURE_GROUP_CIPHER_H_
#define SECURE_GROUP_CIPHER_H_

#include <stdint.h>

#define SECURE_GROUP_BLOCK_SIZE 8

/* One block of 8 octets in place, with a key of 10. */
void secure_group_skipjack_encrypt(uint8_t *block, const uint8_t *key);
void secure_group_skipjack_decrypt(uint8_t *block, const uint8_t *key);

#endif
