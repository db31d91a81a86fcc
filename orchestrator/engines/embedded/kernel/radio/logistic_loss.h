/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cooja's logistic loss medium: path loss grows with the logarithm of the distance, Gaussian noise is added, and the chance
 * of reception is a logistic function of what is left. The noise is drawn again for every member of every active
 * transmission whenever signal strengths are updated, so all of them are gone through, in Cooja's order.
 */
#ifndef LOGISTIC_LOSS_H
#define LOGISTIC_LOSS_H

#include "radio/time_variation.h"

struct logistic {
  double sensitivity, inflection; /* dBm: of the weakest frame; where half of the frames are received */
  double exponent;                /* of the path loss */
  double noise;                   /* dB, its standard deviation */
  struct time_variation variation;
  uint32_t analysed; /* the medium's placement for which all pairs are entered */
  bool joining;      /* the next update comes before Cooja knows of the radio that joins */
  struct connection *first, *last; /* active ones, in order of their starts */
};

#endif
