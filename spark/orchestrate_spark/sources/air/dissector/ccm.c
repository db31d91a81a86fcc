/* SPDX-License-Identifier: Apache-2.0 */
/* AES-128 (FIPS 197) and CCM* (IEEE 802.15.4-2015, annex B) for frames of which a key is known. */
#include "dissect.h"

#include <string.h>

enum { BLOCK = 16, ROUNDS = 10, COUNTER_SIZE = 2 };

static uint8_t substitution[256];

static uint8_t
doubled(uint8_t byte)
{
  return (uint8_t)(byte << 1 ^ (byte & 0x80 ? 0x1B : 0));
}

static uint8_t
rotated(uint8_t byte, int bits)
{
  return (uint8_t)(byte << bits | byte >> (8 - bits));
}

/* The inverse in the field by powers of 3 and of its inverse, then the affine transformation. */
static void
make_substitution(void)
{
  uint8_t power = 1, inverse = 1;

  do {
    power = (uint8_t)(power ^ doubled(power));
    inverse = (uint8_t)(inverse ^ inverse << 1);
    inverse = (uint8_t)(inverse ^ inverse << 2);
    inverse = (uint8_t)(inverse ^ inverse << 4);
    inverse ^= inverse & 0x80 ? 0x09 : 0;
    substitution[power] =
      inverse ^ rotated(inverse, 1) ^ rotated(inverse, 2) ^ rotated(inverse, 3) ^ rotated(inverse, 4) ^ 0x63;
  } while(power != 1);
  substitution[0] = 0x63;
}

static void
expand(const uint8_t key[KEY_SIZE], uint8_t rounds[ROUNDS + 1][BLOCK])
{
  uint8_t constant = 1, *all = rounds[0];

  if(substitution[0] == 0) {
    make_substitution();
  }
  memcpy(all, key, KEY_SIZE);
  for(int i = KEY_SIZE; i < (ROUNDS + 1) * BLOCK; i += 4) {
    uint8_t word[4];
    memcpy(word, all + i - 4, 4);
    if(i % KEY_SIZE == 0) {
      uint8_t first = word[0];
      word[0] = substitution[word[1]] ^ constant;
      word[1] = substitution[word[2]];
      word[2] = substitution[word[3]];
      word[3] = substitution[first];
      constant = doubled(constant);
    }
    for(int k = 0; k < 4; k++) {
      all[i + k] = all[i + k - KEY_SIZE] ^ word[k];
    }
  }
}

static void
encrypt(uint8_t rounds[ROUNDS + 1][BLOCK], const uint8_t in[BLOCK], uint8_t out[BLOCK])
{
  uint8_t state[BLOCK], shifted[BLOCK];

  for(int i = 0; i < BLOCK; i++) {
    state[i] = in[i] ^ rounds[0][i];
  }
  for(int round = 1; round <= ROUNDS; round++) {
    for(int i = 0; i < BLOCK; i++) {
      shifted[i] = substitution[state[(i + 4 * (i % 4)) % BLOCK]];
    }
    for(int c = 0; c < BLOCK && round < ROUNDS; c += 4) {
      uint8_t *column = shifted + c, all = column[0] ^ column[1] ^ column[2] ^ column[3], first = column[0];
      for(int k = 0; k < 4; k++) {
        uint8_t next = k < 3 ? column[k + 1] : first;
        column[k] ^= all ^ doubled(column[k] ^ next);
      }
    }
    for(int i = 0; i < BLOCK; i++) {
      state[i] = shifted[i] ^ rounds[round][i];
    }
  }
  memcpy(out, state, BLOCK);
}

static void
mix(uint8_t rounds[ROUNDS + 1][BLOCK], uint8_t tag[BLOCK], const uint8_t *bytes, size_t size, size_t place)
{
  for(size_t i = 0; i < size; i++) {
    tag[place] ^= bytes[i];
    if(++place == BLOCK) {
      encrypt(rounds, tag, tag);
      place = 0;
    }
  }
  if(place > 0) {
    encrypt(rounds, tag, tag);
  }
}

bool
ccm_open(const uint8_t key[KEY_SIZE], const uint8_t nonce[13], const uint8_t *associated, size_t associated_size, uint8_t *text,
         size_t size, bool encrypted, const uint8_t *mic, unsigned mic_size)
{
  uint8_t rounds[ROUNDS + 1][BLOCK], tag[BLOCK] = {0}, counter[BLOCK] = {0}, stream[BLOCK], all = 0;
  /* A frame that is only authenticated has no text: everything is associated data. */
  size_t text_size = encrypted ? size : 0;

  expand(key, rounds);
  counter[0] = COUNTER_SIZE - 1;
  memcpy(counter + 1, nonce, 13);
  for(size_t i = 0; i < text_size; i++) {
    if(i % BLOCK == 0) {
      counter[14] = (uint8_t)((i / BLOCK + 1) >> 8);
      counter[15] = (uint8_t)(i / BLOCK + 1);
      encrypt(rounds, counter, stream);
    }
    text[i] ^= stream[i % BLOCK];
  }
  if(mic_size == 0) {
    return true;
  }
  tag[0] = (uint8_t)((associated_size + (encrypted ? 0 : size) > 0 ? 0x40 : 0) | (mic_size - 2) / 2 << 3 | (COUNTER_SIZE - 1));
  memcpy(tag + 1, nonce, 13);
  tag[14] = (uint8_t)(text_size >> 8);
  tag[15] = (uint8_t)text_size;
  encrypt(rounds, tag, tag);
  if(associated_size + (encrypted ? 0 : size) > 0) {
    uint8_t joined[2 + 4096];
    size_t count = associated_size + (encrypted ? 0 : size);
    if(count > sizeof(joined) - 2) {
      return false;
    }
    joined[0] = (uint8_t)(count >> 8);
    joined[1] = (uint8_t)count;
    memcpy(joined + 2, associated, associated_size);
    memcpy(joined + 2 + associated_size, text, count - associated_size);
    mix(rounds, tag, joined, count + 2, 0);
  }
  mix(rounds, tag, text, text_size, 0);
  counter[14] = counter[15] = 0;
  encrypt(rounds, counter, stream);
  for(unsigned i = 0; i < mic_size; i++) {
    all |= tag[i] ^ stream[i] ^ mic[i];
  }
  return all == 0;
}
