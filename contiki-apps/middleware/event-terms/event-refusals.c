/* SPDX-License-Identifier: Apache-2.0 */
#include "event-channel.h"
#include "event-terms.h"
#include "pubsub-octets.h"

/* As channels.py says on gateways: the subject, the supplier's mote, the reasons. */
#define REFUSED "!refused"
#define REFUSED_SIZE 11

#if EVENT_SERVICE_TERMS > 0
static void (*call)(pubsub_subject_t event, uint16_t supplier, uint8_t reasons);
/*---------------------------------------------------------------------------*/
static void
came(const struct pubsub_event *event, uint16_t from)
{
  const uint8_t *at = event->data;

  if(event->length == REFUSED_SIZE) {
    call(pubsub_get32(at) | (pubsub_subject_t)pubsub_get32(at + 4) << 32,
         pubsub_get16(at + 8), at[10]);
  }
}
/*---------------------------------------------------------------------------*/
bool
event_terms_on_refusal(void (*refused)(pubsub_subject_t event, uint16_t supplier,
                                       uint8_t reasons))
{
  static const struct push_consumer consumer = { came, NULL };

  call = refused;
  return event_channel_listen(pubsub_subject(REFUSED), &consumer);
}
#endif
