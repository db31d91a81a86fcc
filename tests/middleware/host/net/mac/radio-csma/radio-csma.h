/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of MAC=radio-csma, for those who print them. */
#ifndef RADIO_CSMA_H_
#define RADIO_CSMA_H_

#include <stdint.h>

struct radio_csma_counters {
  uint32_t assessments;
  uint32_t busy_assessments;
  uint32_t missed_contending;
  uint32_t buffer_overflow;
  uint32_t no_ack;
  uint64_t deaf_us;
};

#endif
