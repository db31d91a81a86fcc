/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "pubsub-event.h"
#include "pubsub-octets.h"
/*---------------------------------------------------------------------------*/
pubsub_subject_t
pubsub_subject(const char *name)
{
  pubsub_subject_t subject = 0;
  unsigned i;

  for(i = 0; i < 8; i++) {
    subject = subject << 8 | (uint8_t)*name;
    if(*name != '\0') {
      name++;
    }
  }
  return subject;
}
/*---------------------------------------------------------------------------*/
/* Octet by octet, so that names with the same letters differ. */
uint16_t
pubsub_subject_id(pubsub_subject_t subject)
{
  uint16_t id = 0;

  for(; subject != 0; subject >>= 8) {
    id = (uint16_t)(id << 5 | id >> 11) ^ (uint8_t)subject;
  }
  return id;
}
/*---------------------------------------------------------------------------*/
uint16_t
pubsub_event_size(const struct pubsub_event *event)
{
  return PUBSUB_EVENT_HEADER_SIZE + event->length
    + PUBSUB_CONTRIBUTOR_SIZE * event->contributors;
}
/*---------------------------------------------------------------------------*/
bool
pubsub_event_fits(const struct pubsub_event *event, unsigned more)
{
  return PUBSUB_FRAME_HEADER_SIZE + pubsub_event_size(event)
    + PUBSUB_CONTRIBUTOR_SIZE * more <= PUBSUB_FRAME_SIZE;
}
/*---------------------------------------------------------------------------*/
uint16_t
pubsub_event_encode(const struct pubsub_event *event,
                    uint8_t *buffer, uint16_t size)
{
  uint8_t *at = buffer;
  unsigned i;

  if(pubsub_event_size(event) > size) {
    return 0;
  }
  at = pubsub_put32(at, (uint32_t)event->subject);
  at = pubsub_put32(at, (uint32_t)(event->subject >> 32));
  *at++ = event->flags;
  *at++ = event->contributors;
  *at++ = event->length;
  memcpy(at, event->data, event->length);
  at += event->length;
  for(i = 0; i < event->contributors; i++) {
    *at++ = event->contributor[i].publisher;
    at = pubsub_put16(at, event->contributor[i].sequence);
  }
  return at - buffer;
}
/*---------------------------------------------------------------------------*/
bool
pubsub_event_decode(struct pubsub_event *event,
                    const uint8_t *buffer, uint16_t size)
{
  unsigned i;

  if(size < PUBSUB_EVENT_HEADER_SIZE) {
    return false;
  }
  event->subject = pubsub_get32(buffer)
    | (pubsub_subject_t)pubsub_get32(buffer + 4) << 32;
  event->flags = buffer[PUBSUB_EVENT_FLAGS_AT];
  event->contributors = buffer[PUBSUB_EVENT_CONTRIBUTORS_AT];
  event->length = buffer[PUBSUB_EVENT_LENGTH_AT];
  if((event->flags & ~PUBSUB_FLAGS) != 0
     || event->contributors == 0
     || event->contributors > PUBSUB_MAX_CONTRIBUTORS
     || event->length > PUBSUB_MAX_DATA
     || pubsub_event_size(event) != size
     || !pubsub_event_fits(event, 0)) {
    return false;
  }
  buffer += PUBSUB_EVENT_HEADER_SIZE;
  memcpy(event->data, buffer, event->length);
  buffer += event->length;
  for(i = 0; i < event->contributors; i++) {
    event->contributor[i].publisher = buffer[PUBSUB_CONTRIBUTOR_PUBLISHER_AT];
    event->contributor[i].sequence =
      pubsub_get16(buffer + PUBSUB_CONTRIBUTOR_SEQUENCE_AT);
    event->contributor[i].incarnation = 0;
    if(event->contributor[i].publisher == 0) {
      return false;
    }
    buffer += PUBSUB_CONTRIBUTOR_SIZE;
  }
  return true;
}
/*---------------------------------------------------------------------------*/
bool
pubsub_event_contains(const struct pubsub_event *event, uint8_t publisher)
{
  unsigned i;

  for(i = 0; i < event->contributors; i++) {
    if(event->contributor[i].publisher == publisher) {
      return true;
    }
  }
  return false;
}
