// SPDX-License-Identifier: Apache-2.0
// java.lang.StrictMath.log() of a normal x > 0, whose bits Java promises: the algorithm that FDLIBM 5.3 (Sun Microsystems,
// e_log.c) describes, x = 2^k (1 + f), s = f / (2 + f), a polynomial in s^2. The C library's may differ in the last bit.
function log_of_(x) {
  var LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;
  var LG = [0, 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
            1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01];
  var bits = new DataView(new ArrayBuffer(8)), high, upper, k, f, s, z, w, r, half;
  bits.setFloat64(0, x);
  high = bits.getUint32(0);
  k = (high >> 20) - 1023;
  high &= 0xfffff;
  upper = (high + 0x95f64) & 0x100000; // set: 1 + f is below 1
  bits.setUint32(0, high | (upper ^ 0x3ff00000));
  k += upper >> 20;
  f = bits.getFloat64(0) - 1;
  if(((high + 2) & 0xfffff) < 3) { // |f| < 2^-20
    if(f === 0) {
      return k === 0 ? 0 : k * LN2_HIGH + k * LN2_LOW;
    }
    r = f * f * (0.5 - 0.33333333333333333 * f);
    return k === 0 ? f - r : k * LN2_HIGH - ((r - k * LN2_LOW) - f);
  }
  s = f / (2 + f);
  z = s * s;
  w = z * z;
  r = z * (LG[1] + w * (LG[3] + w * (LG[5] + w * LG[7]))) + w * (LG[2] + w * (LG[4] + w * LG[6]));
  if(((high - 0x6147a) | (0x6b851 - high)) > 0) {
    half = 0.5 * f * f;
    return k === 0 ? f - (half - s * (half + r)) : k * LN2_HIGH - ((half - (s * (half + r) + k * LN2_LOW)) - f);
  }
  return k === 0 ? f - s * (f - r) : k * LN2_HIGH - ((s * (f - r) - k * LN2_LOW) - f);
}

// java.util.Random, by the algorithm that its API documentation publishes.
function random_(seed) {
  var state, gaussian = null; // the second of two
  function next(bits) {
    state = (state * 0x5DEECE66Dn + 11n) & ((1n << 48n) - 1n);
    return Number(BigInt_.asIntN(bits, state >> BigInt_(48 - bits)));
  }
  var self = java_("java.util.Random", {
    setSeed: function(seed) {
      gaussian = null;
      state = (BigInt_(Long_.is(seed) ? Long_.digits(seed) : integer_(seed)) ^ 0x5DEECE66Dn) & ((1n << 48n) - 1n);
    },
    nextInt: any_(function(bound) {
      var bits, value;
      if(arguments.length === 0) {
        return next(32);
      }
      if(arguments.length > 1) {
        unlike_("nextInt() of two bounds");
      }
      bound = integer_(bound);
      if(!(bound > 0)) {
        throw java_error_("java.lang.IllegalArgumentException", "bound must be positive");
      }
      bits = next(31) & 0x7fffffff;
      if((bound & -bound) === bound) {
        return Number((BigInt_(bound) * BigInt_(bits)) >> 31n);
      }
      for(value = bits % bound; bits - value + (bound - 1) > 0x7fffffff; value = bits % bound) {
        bits = next(31) & 0x7fffffff;
      }
      return value;
    }),
    nextLong: function() { var high = BigInt_(next(32)); return Long_.of(String(BigInt_.asIntN(64, (high << 32n) + BigInt_(next(32))))); },
    nextBoolean: function() { return next(1) !== 0; },
    nextFloat: function() { return (next(24) & 0xffffff) / (1 << 24); },
    nextDouble: function() { var high = next(26) & 0x3ffffff; return (high * (1 << 27) + (next(27) & 0x7ffffff)) / Math.pow(2, 53); },
    nextGaussian: function() {
      var x, y, square, factor, value = gaussian;
      if(value !== null) {
        gaussian = null;
        return value;
      }
      do {
        x = 2 * self.nextDouble() - 1;
        y = 2 * self.nextDouble() - 1;
        square = x * x + y * y;
      } while(square >= 1 || square === 0);
      factor = Math.sqrt(-2 * log_of_(square) / square);
      gaussian = y * factor;
      return x * factor;
    },
    toString: function() { unlike_("the text of a java.util.Random"); }
  });
  self.setSeed(seed);
  return self;
}

var java = java_("java", {
  util: java_("java.util", {
    // Without a seed Java takes the wall clock; here the simulation's, so that a run repeats.
    Random: any_(function(seed) { return random_(seed === undefined ? sim.getRandomSeed() : seed); }),
    toString: function() { return "java.util"; }
  }),
  toString: function() { return "java"; }
});

Math.random = (function() {
  var random = random_(sim.getRandomSeed());
  return function() { return random.nextDouble(); };
})();
