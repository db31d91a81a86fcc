/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "configuration.h"
#include "configured-routes.h"
#include "deployment.h"
#include "eeprom-image.h"
#include "merge-choice.h"
#include "subscriber.h"
#include "topic.h"

#define MAGIC 0x4f52
#define LAYOUT 3

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

struct configuration configuration;
/*---------------------------------------------------------------------------*/
static bool
neighbours(void)
{
  uint8_t count = eeprom_image_number(1);

  while(count-- > 0) {
    if(!configured_routes_add_neighbour(eeprom_image_number(2))) {
      return false;
    }
  }
  return true;
}
/*---------------------------------------------------------------------------*/
const char *
configuration_read(void)
{
  struct configuration *c = &configuration;
  struct publication_parameters *p = &c->publication;
  uint32_t high_min, high_max, low;
  uint16_t depth, deepest, second_parent;
  uint8_t deployment, share;

  if(!eeprom_image_begin(MAGIC) || eeprom_image_number(1) != LAYOUT) {
    return "the EEPROM holds no image of this application";
  }
  c->role = eeprom_image_number(1);
  c->mote = eeprom_image_number(2);
  c->parent = eeprom_image_number(2);
  c->control = eeprom_image_number(2);
  c->subscriber = eeprom_image_number(2);
  c->index = eeprom_image_number(1);
  c->publishers = eeprom_image_number(1);
  c->publishers_through = eeprom_image_number(1);
  c->trace = eeprom_image_number(1);
  p->rate = eeprom_image_number(1);
  c->aggregate = eeprom_image_number(1);
  c->full = eeprom_image_number(1);
  p->seed = eeprom_image_number(4);
  p->duration = eeprom_image_number(4);
  c->drain = eeprom_image_number(4);
  c->begins = eeprom_image_number(4);
  high_min = eeprom_image_number(4);
  high_max = eeprom_image_number(4);
  low = eeprom_image_number(4);
  p->delay_step = eeprom_image_number(4);
  p->jitter = eeprom_image_number(4);
  c->timeout = eeprom_image_number(4);
  c->merge = eeprom_image_number(1);
  c->hold = eeprom_image_number(1);
  deployment = eeprom_image_number(1);
  share = eeprom_image_number(1);
  depth = eeprom_image_number(2);
  deepest = eeprom_image_number(2);
  p->last_first = eeprom_image_number(1) ? c->publishers : 0;
  c->topic = eeprom_image_number(1);
  second_parent = eeprom_image_number(2);
  c->second_through = eeprom_image_number(1);

  configured_routes_set(c->parent);
  if(second_parent != 0) {
    configured_routes_set_for(pubsub_subject(SECOND_TOPIC), second_parent);
  }
  if(c->control != 0) {
    configured_routes_add_neighbour(c->control);
  }
  if(c->role == ROLE_CONTROL) {
    configured_routes_add_neighbour(c->subscriber);
  }
  if(!neighbours()) {
    return "more neighbours than this firmware has room for";
  }
  if(eeprom_image_is_cut_short()) {
    return "the EEPROM image is cut short";
  }
  if(c->role < ROLE_SUBSCRIBER || c->role > ROLE_CONTROL
     || (p->rate != RATE_HIGH && p->rate != RATE_LOW)
     || (c->full != FULL_ROUTE && c->full != FULL_NETWORK)
     || c->topic < 1 || c->topic > 2
     || c->merge < MERGE_CHOICE_MEAN || c->merge > MERGE_CHOICE_LAST
     || c->hold < HOLD_TIMEOUT || c->hold > HOLD_ENDLESS
     || deployment < DEPLOYMENT_SPREAD || deployment > DEPLOYMENT_FAR || share > 100
     /* Times are compared by their signed difference. */
     || p->duration > INT32_MAX || c->drain > INT32_MAX - p->duration
     || high_min == 0 || high_min > high_max || low == 0) {
    return "the EEPROM image holds a value out of range";
  }
  c->aggregate = c->aggregate && deployment_at(deployment, share, depth, deepest);
  p->interval_min = p->rate == RATE_HIGH ? high_min : low;
  p->interval_max = p->rate == RATE_HIGH ? high_max : low;
  if(p->duration / p->interval_min >= UINT16_MAX) {
    return "more rounds than there are sequence numbers (65535)";
  }
  if(c->publishers > SUBSCRIBER_MAX_PUBLISHERS) {
    return "more publishers than a subscriber has room for ("
           TEXT(SUBSCRIBER_MAX_PUBLISHERS) ")";
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
const char *
configuration_role_name(void)
{
  static const char *const names[] = {
    "subscriber", "publisher", "relay", "control"
  };

  return names[configuration.role - 1];
}
