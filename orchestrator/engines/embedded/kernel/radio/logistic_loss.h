/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cooja's logistic loss medium: path loss grows with the logarithm of the distance, Gaussian noise is added, and the chance
 * of reception is a logistic function of the remaining strength. Whenever signal strengths are updated, the noise is drawn
 * again for every member of every active transmission; therefore all of them are visited, in Cooja's order.
 */
#ifndef LOGISTIC_LOSS_H
#define LOGISTIC_LOSS_H

#include "radio/time_variation.h"

struct logistic {
  double sensitivity, inflection; /* dBm: of the weakest frame; at which half of the frames are received */
  double exponent;                /* of the path loss */
  double noise;                   /* its standard deviation, dB */
  struct time_variation variation;
  uint32_t analysed; /* the medium's placement for which all pairs have been entered */
  bool joining;      /* the next update comes before Cooja knows the radio that joins */
  struct connection *first, *last; /* the active connections, in order of their starts */
};

#endif
