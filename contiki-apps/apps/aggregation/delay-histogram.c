/* SPDX-License-Identifier: Apache-2.0 */
#include "delay-histogram.h"
/*---------------------------------------------------------------------------*/
void
delay_histogram_add(struct delay_histogram *histogram, uint32_t ms)
{
  unsigned bucket, octave = 0;

  if(ms < 8) {
    bucket = ms;
  } else {
    while(ms >= 16) {
      ms >>= 1;
      octave++;
    }
    bucket = 8 + 8 * octave + (ms - 8);
  }
  if(bucket >= DELAY_BUCKETS) {
    bucket = DELAY_BUCKETS - 1;
  }
  histogram->count[bucket]++;
}
/*---------------------------------------------------------------------------*/
uint32_t
delay_histogram_upper(unsigned bucket)
{
  if(bucket < 8) {
    return bucket;
  }
  return ((uint32_t)(8 + bucket % 8 + 1) << (bucket / 8 - 1)) - 1;
}
