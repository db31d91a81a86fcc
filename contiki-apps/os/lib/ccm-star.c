/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "lib/aes-128.h"
#include "lib/ccm-star.h"

#define LENGTH_SIZE 2 /* octets that tell the message's length: L */
#define HAS_A 0x40
/*---------------------------------------------------------------------------*/
/* Flags, nonce and a number: the first block of the code, and those of the key stream. */
static void
make_block(uint8_t *block, uint8_t flags, const uint8_t *nonce, uint16_t number)
{
  block[0] = flags | (LENGTH_SIZE - 1);
  memcpy(block + 1, nonce, CCM_STAR_NONCE_LENGTH);
  block[AES_128_BLOCK_SIZE - 2] = number >> 8;
  block[AES_128_BLOCK_SIZE - 1] = number & 0xff;
}
/*---------------------------------------------------------------------------*/
/* Take data into the code, from an octet of the block on; the last block is filled
   up with zeros. */
static void
authenticate(uint8_t *code, const uint8_t *data, uint16_t length, uint8_t at)
{
  for(; length > 0; length--) {
    code[at++] ^= *data++;
    if(at == AES_128_BLOCK_SIZE) {
      AES_128.encrypt(code);
      at = 0;
    }
  }
  if(at > 0) {
    AES_128.encrypt(code);
  }
}
/*---------------------------------------------------------------------------*/
static void
make_code(uint8_t *code, const uint8_t *nonce, const uint8_t *m, uint16_t m_len,
          const uint8_t *a, uint16_t a_len, uint8_t mic_len)
{
  make_block(code, (a_len > 0 ? HAS_A : 0) | (mic_len - 2) / 2 << 3, nonce, m_len);
  AES_128.encrypt(code);
  if(a_len > 0) {
    code[0] ^= a_len >> 8;
    code[1] ^= a_len & 0xff;
    authenticate(code, a, a_len, 2);
  }
  authenticate(code, m, m_len, 0);
}
/*---------------------------------------------------------------------------*/
/* The key stream: block 0 is for the code, the others for the message. */
static void
mask(uint8_t *data, uint16_t length, const uint8_t *nonce, uint16_t number)
{
  uint8_t stream[AES_128_BLOCK_SIZE];
  uint16_t i;

  for(i = 0; i < length; i++) {
    if(i % AES_128_BLOCK_SIZE == 0) {
      make_block(stream, 0, nonce, number++);
      AES_128.encrypt(stream);
    }
    data[i] ^= stream[i % AES_128_BLOCK_SIZE];
  }
}
/*---------------------------------------------------------------------------*/
static void
set_key(const uint8_t *key)
{
  AES_128.set_key(key);
}
/*---------------------------------------------------------------------------*/
static void
aead(const uint8_t *nonce, uint8_t *m, uint16_t m_len,
     const uint8_t *a, uint16_t a_len,
     uint8_t *result, uint8_t mic_len, int forward)
{
  uint8_t code[AES_128_BLOCK_SIZE];

  if(!forward) {
    mask(m, m_len, nonce, 1);
  }
  if(mic_len > 0) {
    make_code(code, nonce, m, m_len, a, a_len, mic_len);
    mask(code, mic_len, nonce, 0);
    memcpy(result, code, mic_len);
  }
  if(forward) {
    mask(m, m_len, nonce, 1);
  }
}
/*---------------------------------------------------------------------------*/
const struct ccm_star_driver ccm_star_driver = { set_key, aead };
