/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "configuration.h"
#include "configured-routes.h"
#include "deployment.h"
#include "eeprom-fields.h"
#include "merge-choice.h"
#include "subscriber.h"
#include "topic.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

struct configuration configuration;
/*---------------------------------------------------------------------------*/
const char *
configuration_read(void)
{
  struct configuration *c = &configuration;
  struct publication_parameters *p = &c->publication;
  struct eeprom_fields fields;

  if(!eeprom_fields_read(&fields)) {
    return "the EEPROM holds no image of this application";
  }
  c->role = fields.role;
  c->mote = fields.mote;
  c->parent = fields.parent;
  c->control = fields.control;
  c->subscriber = fields.subscriber;
  c->index = fields.index;
  c->publishers = fields.publishers;
  c->publishers_through = fields.publishers_through;
  c->trace = fields.trace;
  p->rate = fields.rate;
  c->aggregate = fields.aggregate;
  c->full = fields.full;
  p->seed = fields.seed;
  p->duration = fields.duration_ms;
  c->drain = fields.drain_ms;
  c->begins = fields.begins_ms;
  p->delay_step = fields.delay_ms;
  p->jitter = fields.jitter_ms;
  c->timeout = fields.timeout_ms;
  c->merge = fields.merge;
  c->hold = fields.hold;
  p->last_first = fields.last_first ? c->publishers : 0;
  c->topic = fields.topic;
  c->second_through = fields.second_through;

  configured_routes_set(c->parent);
  if(fields.second_parent != 0) {
    configured_routes_set_for(pubsub_subject(SECOND_TOPIC),
                              fields.second_parent);
  }
  if(c->control != 0) {
    configured_routes_add_neighbour(c->control);
  }
  if(c->role == ROLE_CONTROL) {
    configured_routes_add_neighbour(c->subscriber);
  }
  if(!configured_routes_add_neighbours(fields.neighbours_count, eeprom_fields_neighbours)) {
    return "more neighbours than this firmware has room for";
  }
  if(eeprom_fields_size() > EEPROM_SIZE) {
    return "the EEPROM image is cut short";
  }
  if(c->role < ROLE_SUBSCRIBER || c->role > ROLE_CONTROL
     || (p->rate != RATE_HIGH && p->rate != RATE_LOW)
     || (c->full != FULL_ROUTE && c->full != FULL_NETWORK)
     || c->topic < 1 || c->topic > 2
     || c->merge < MERGE_CHOICE_MEAN || c->merge > MERGE_CHOICE_LAST
     || c->hold < HOLD_TIMEOUT || c->hold > HOLD_ENDLESS
     || fields.deployed_where < DEPLOYMENT_SPREAD
     || fields.deployed_where > DEPLOYMENT_FAR || fields.deployed_percent > 100
     /* Times are compared by their signed difference. */
     || p->duration > INT32_MAX || c->drain > INT32_MAX - p->duration
     || fields.high_min_ms == 0 || fields.high_min_ms > fields.high_max_ms
     || fields.low_interval_ms == 0) {
    return "the EEPROM image holds a value out of range";
  }
  c->aggregate = c->aggregate
    && deployment_at(fields.deployed_where, fields.deployed_percent,
                     fields.depth, fields.deepest);
  p->interval_min = p->rate == RATE_HIGH ? fields.high_min_ms
    : fields.low_interval_ms;
  p->interval_max = p->rate == RATE_HIGH ? fields.high_max_ms
    : fields.low_interval_ms;
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
