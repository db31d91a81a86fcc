/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/bit_errors.h"

#include "base/exact.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const double NOISE_DBM = -95, GOOD_DBM = -80;
enum { STEPS = 150 };          /* of 0.1 dB from noise to a good signal */
enum { SYMBOLS = 16, CHIPS = 32, COUNTED = CHIPS - 1 }; /* the highest chip of a codeword depends on the symbol before */
enum { NOTHING_HEARD = 0xff };
static const uint32_t FIRST = 0xd9c3522e; /* chips of symbol 0, the first one highest (IEEE 802.15.4-2006, table 24) */
static const uint32_t ODD = 0x55555555;   /* chips 1, 3, 5 ... */

static uint32_t codewords[SYMBOLS]; /* as a receiver of MSK decodes them */
static double rates[STEPS + 1];
static bool ready;

/* Symbols 1 to 7 are cyclic shifts of symbol 0; in symbols 8 to 15 the odd chips are inverted. */
static uint32_t
chips_of(unsigned symbol)
{
  unsigned shift = 4 * (symbol % 8);
  uint32_t chips = shift == 0 ? FIRST : FIRST >> shift | FIRST << (CHIPS - shift);

  return symbol < 8 ? chips : chips ^ ODD;
}

/*
 * The probability of a wrong chip where only thermal noise disturbs 4 orthogonal signals, each of which stands for 2 bits
 * (Proakis, Digital Communications, section 5.2), rounded to 16 decimals like the table in Cooja.
 */
static double
rate(double dbm)
{
  static const int CHOICES[] = {1, 3, 3, 1}; /* 3 over k */
  double snr = (dbm - NOISE_DBM) * 0.4, sum = 0;
  char text[32];

  for(int k = 1; k <= 3; k++) {
    sum += (k % 2 == 1 ? 1 : -1) / (k + 1.0) * CHOICES[k] * exp(-(k / (k + 1.0)) * 2 * snr);
  }
  snprintf(text, sizeof(text), "%.16f", sum * 2 / 3);
  return strtod(text, NULL);
}

static void
prepare(void)
{
  for(unsigned symbol = 0; symbol < SYMBOLS; symbol++) {
    uint32_t chips = chips_of(symbol);
    codewords[symbol] = (chips ^ chips >> 1 ^ ODD) & (UINT32_MAX >> 1);
  }
  for(int i = 0; i <= STEPS; i++) {
    rates[i] = rate(NOISE_DBM + i / 10.0);
  }
  ready = true;
}

static unsigned
decode(uint32_t chips)
{
  unsigned best = 0;
  int least = CHIPS;

  for(unsigned i = 0; i < SYMBOLS; i++) {
    unsigned symbol = i < 8 ? 7 - i : 23 - i; /* of equally near ones, the first of these */
    int distance = __builtin_popcount(chips ^ codewords[symbol]);
    if(distance < least) {
      best = symbol;
      least = distance;
    }
  }
  return best;
}

static unsigned
pass_symbol(struct java_random *random, double wrong, unsigned symbol)
{
  uint32_t chips = codewords[symbol];

  for(int i = 0; i < COUNTED; i++) {
    if(java_random_double(random) < wrong) {
      chips ^= 1u << i;
    }
  }
  return decode(chips);
}

uint8_t
bit_errors_pass(struct java_random *random, double dbm, uint8_t byte)
{
  double wrong;
  unsigned high;

  if(!(dbm > NOISE_DBM)) {
    return NOTHING_HEARD;
  }
  if(dbm >= GOOD_DBM) {
    return byte;
  }
  if(!ready) {
    prepare();
  }
  wrong = rates[to_int(floor((dbm - NOISE_DBM) * 10 + 0.5))];
  if(wrong >= 0.5) {
    return NOTHING_HEARD;
  }
  high = pass_symbol(random, wrong, byte >> 4);
  return (uint8_t)(high << 4 | pass_symbol(random, wrong, byte & 15));
}
