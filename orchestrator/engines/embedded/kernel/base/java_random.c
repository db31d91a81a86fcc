/* SPDX-License-Identifier: Apache-2.0 */
#include "base/java_random.h"

#include "base/exact.h"

#include <string.h>

static const uint64_t MULTIPLIER = 0x5DEECE66DULL, INCREMENT = 0xB, MASK = (1ULL << 48) - 1;

void
java_random_seed(struct java_random *random, int64_t seed)
{
  random->state = ((uint64_t)seed ^ MULTIPLIER) & MASK;
  random->has_gaussian = false;
}

int32_t
java_random_next(struct java_random *random, int bits)
{
  random->state = (random->state * MULTIPLIER + INCREMENT) & MASK;
  return (int32_t)(uint32_t)(random->state >> (48 - bits));
}

int32_t
java_random_int(struct java_random *random, int32_t bound)
{
  int32_t drawn = java_random_next(random, 31), result;

  if((bound & (bound - 1)) == 0) {
    return (int32_t)(((int64_t)bound * drawn) >> 31);
  }
  /* Values in the incomplete last interval are rejected and drawn again; an overflow of 32 bits reveals them. */
  while(result = drawn % bound, (int64_t)drawn - result + (bound - 1) > INT32_MAX) {
    drawn = java_random_next(random, 31);
  }
  return result;
}

double
java_random_double(struct java_random *random)
{
  int64_t high = (int64_t)java_random_next(random, 26) << 27;

  return (double)(high + java_random_next(random, 27)) * 0x1.0p-53;
}

/* StrictMath.log() for 0 < x < 1, which is fdlibm's by its documentation (netlib.org/fdlibm, e_log.c), bit by bit:
   x = 2^k (1 + f), and log(1 + f) from a polynomial in s = f / (2 + f). */
static double
strict_log(double x)
{
  static const double LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;
  static const double L1 = 6.666666666666735130e-01, L2 = 3.999999999940941908e-01, L3 = 2.857142874366239149e-01,
                      L4 = 2.222219843214978396e-01, L5 = 1.818357216161805012e-01, L6 = 1.531383769920937332e-01,
                      L7 = 1.479819860511658591e-01;
  uint64_t bits;
  int32_t high, upper;
  int k;
  double f, s, z, w, r, half_square;

  memcpy(&bits, &x, sizeof(bits));
  high = (int32_t)(bits >> 32);
  k = (high >> 20) - 1023;
  high &= 0xfffff;
  upper = (high + 0x95f64) & 0x100000; /* 1 + f in [sqrt(2)/2, sqrt(2)) */
  bits = (uint64_t)(uint32_t)(high | (upper ^ 0x3ff00000)) << 32 | (bits & UINT32_MAX);
  memcpy(&x, &bits, sizeof(x));
  k += upper >> 20;
  f = x - 1.0;
  if((0xfffff & (2 + high)) < 3) { /* |f| < 2^-20 */
    if(f == 0) {
      return k * LN2_HIGH + k * LN2_LOW;
    }
    r = f * f * (0.5 - 0.33333333333333333 * f);
    return k == 0 ? f - r : k * LN2_HIGH - ((r - k * LN2_LOW) - f);
  }
  s = f / (2.0 + f);
  z = s * s;
  w = z * z;
  r = z * (L1 + w * (L3 + w * (L5 + w * L7))) + w * (L2 + w * (L4 + w * L6));
  if(((high - 0x6147a) | (0x6b851 - high)) > 0) {
    half_square = 0.5 * f * f;
    return k == 0 ? f - (half_square - s * (half_square + r))
                  : k * LN2_HIGH - ((half_square - (s * (half_square + r) + k * LN2_LOW)) - f);
  }
  return k == 0 ? f - s * (f - r) : k * LN2_HIGH - ((s * (f - r) - k * LN2_LOW) - f);
}

/* The polar method (Knuth, volume 2, section 3.4.1), as documented. */
double
java_random_gaussian(struct java_random *random)
{
  double x, y, square, factor;

  if(random->has_gaussian) {
    random->has_gaussian = false;
    return random->gaussian;
  }
  do {
    x = 2 * java_random_double(random) - 1;
    y = 2 * java_random_double(random) - 1;
    square = x * x + y * y;
  } while(square >= 1 || square == 0);
  factor = sqrt(-2 * strict_log(square) / square);
  random->has_gaussian = true;
  random->gaussian = y * factor;
  return x * factor;
}
