/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "pubsub-counters.h"

struct pubsub_counters pubsub_counters;
/*---------------------------------------------------------------------------*/
void
pubsub_counters_start(void)
{
  uint32_t sent = pubsub_counters.control_packets_sent;
  uint32_t received = pubsub_counters.control_packets_received;

  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  pubsub_counters.control_packets_sent = sent;
  pubsub_counters.control_packets_received = received;
}
