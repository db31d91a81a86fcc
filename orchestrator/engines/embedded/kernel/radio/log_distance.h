/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A medium that Cooja doesn't have, for labs that were measured: the signal falls with the logarithm of the distance, each
 * link is shadowed by a normal number of its own (dB) for the whole run, each direction by another one, and the chance of
 * reception is a logistic function of the signal. A frame that is stronger than all others by the capture ratio is received
 * in spite of them, also if it comes last.
 */
#ifndef LOG_DISTANCE_H
#define LOG_DISTANCE_H

#include <stdint.h>

struct log_distance {
  double reference;   /* dBm, at 1 m from a sender at full power */
  double exponent;    /* of the path loss */
  double shadowing;   /* its standard deviation, dB: the same in both directions of a link */
  double asymmetry;   /* dB: of each direction alone */
  double sensitivity; /* dBm: half of the frames are received */
  double width;       /* dB: of the logistic function; 0: all frames or none */
  double capture;     /* dB */
  int64_t seed;       /* of the run */
};

#endif
