/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "policies/policy-manager.h"
#include "pubsub-counters.h"
#include "sampling-buffer.h"

struct sample {
  uint8_t topic; /* 0: unused */
  bool has_next;
  uint16_t event;    /* the event for which a policy asked about `next` */
  int16_t kept, next;
};

static struct sample samples[SAMPLING_BUFFER_SAMPLES];
/*---------------------------------------------------------------------------*/
void
sampling_buffer_init(void)
{
  memset(samples, 0, sizeof(samples));
}
/*---------------------------------------------------------------------------*/
static bool
differ(int16_t a, int16_t b, int16_t by)
{
  int32_t difference = (int32_t)a - b;

  return difference > by || -difference > by;
}
/*---------------------------------------------------------------------------*/
bool
sampling_buffer_deviate_delta(int16_t value, int16_t delta)
{
  uint8_t topic = policy_manager_present.topic;
  struct sample *s;

  for(s = samples; s->topic != topic && s->topic != 0; s++) {
    if(s == &samples[SAMPLING_BUFFER_SAMPLES - 1]) {
      pubsub_counters.pool_exhausted++;
      return true; /* without an entry the sample can't be held back */
    }
  }
  if(s->topic == 0) {
    s->topic = topic;
    s->kept = value;
  }
  if(s->has_next && s->event != policy_manager_present.number) {
    s->kept = s->next;
    s->has_next = false;
  }
  if(!differ(value, s->kept, delta)) {
    return false;
  }
  s->next = value;
  s->event = policy_manager_present.number;
  s->has_next = true;
  return true;
}
/*---------------------------------------------------------------------------*/
bool
sampling_buffer_deviate_or_zero(int16_t value, int16_t target, int16_t delta)
{
  return value == target || differ(value, target, delta);
}
