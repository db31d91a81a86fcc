/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include "contiki.h"
#include "policy-update.h"
#include "pubsub.h"
#include "pubsub-octets.h"
#if POLICY_UPDATE_SEALED
#include "secure-group/secure-group.h"
#endif

#define SUBJECT 0x21706f6c69637900ULL /* "!policy" */
#define SIZE 4

struct policy_update_counters policy_update_counters;
void (*policy_update_seen)(const struct policy_update *update, bool done);

static const struct pubsub_routing_driver *routes;
static struct pubsub_publisher_channel *channel;
/*---------------------------------------------------------------------------*/
static bool
carry_out(const struct policy_update *update)
{
  switch(update->what) {
  case POLICY_UPDATE_LOAD:
    return policy_manager_load(update->policy);
  case POLICY_UPDATE_DISABLE:
    return policy_manager_disable(update->policy);
  case POLICY_UPDATE_REPLACE:
    return policy_manager_replace(update->policy, update->other);
#if POLICY_SWITCHED_RULES
  case POLICY_UPDATE_RULE_ON:
  case POLICY_UPDATE_RULE_OFF:
    return policy_manager_switch_rule(update->policy, update->other,
                                      update->what == POLICY_UPDATE_RULE_ON);
#endif
  default:
    return false;
  }
}
/*---------------------------------------------------------------------------*/
bool
policy_update_apply(const struct policy_update *update)
{
  bool done = carry_out(update);

  if(done) {
    policy_update_counters.updates_done++;
  } else {
    policy_update_counters.updates_refused++;
  }
  if(policy_update_seen != NULL) {
    policy_update_seen(update, done);
  }
  return done;
}
/*---------------------------------------------------------------------------*/
/* What is to be done in 16 bits: 4 of what, 6 of policy, 6 of the other. */
static uint16_t
packed(const struct policy_update *update)
{
  return (uint16_t)(update->what << 12 | update->policy << 6 | update->other);
}
/*---------------------------------------------------------------------------*/
#if POLICY_UPDATE_SEALED
/* Two values that were sealed one after the other belong together. */
static uint8_t
write_update(uint8_t *data, const struct policy_update *update)
{
  struct policy_sealed target = secure_group_encrypt((int16_t)update->target, POLICY_UPDATE_KEY);
  struct policy_sealed rest = secure_group_encrypt((int16_t)packed(update), POLICY_UPDATE_KEY);

  memcpy(data, &target, sizeof(target));
  memcpy(data + sizeof(target), &rest, sizeof(rest));
  return 2 * sizeof(target);
}
/*---------------------------------------------------------------------------*/
static bool
read_update(uint16_t *target, uint16_t *rest, const uint8_t *data, uint8_t length)
{
  struct policy_sealed one, other;

  if(length != 2 * sizeof(one)) {
    policy_update_counters.updates_malformed++;
    return false;
  }
  memcpy(&one, data, sizeof(one));
  memcpy(&other, data + sizeof(one), sizeof(other));
  if(!secure_group_follows(&one, &other) || !secure_group_test(one, POLICY_UPDATE_KEY)
     || !secure_group_test(other, POLICY_UPDATE_KEY)) {
    policy_update_counters.updates_not_ours++;
    return false;
  }
  *target = (uint16_t)secure_group_decrypt(one, POLICY_UPDATE_KEY);
  *rest = (uint16_t)secure_group_decrypt(other, POLICY_UPDATE_KEY);
  return true;
}
#else
static uint8_t
write_update(uint8_t *data, const struct policy_update *update)
{
  pubsub_put16(pubsub_put16(data, update->target), packed(update));
  return SIZE;
}
/*---------------------------------------------------------------------------*/
static bool
read_update(uint16_t *target, uint16_t *rest, const uint8_t *data, uint8_t length)
{
  if(length != SIZE) {
    policy_update_counters.updates_malformed++;
    return false;
  }
  *target = pubsub_get16(data);
  *rest = pubsub_get16(data + 2);
  return true;
}
#endif
/*---------------------------------------------------------------------------*/
static void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  struct policy_update update;
  uint16_t rest;

  if(from != pubsub_routing_self()
     && read_update(&update.target, &rest, event->data, event->length)
     && (update.target == PUBSUB_EVERYBODY || update.target == pubsub_routing_self())) {
    update.what = rest >> 12;
    update.policy = rest >> 6 & POLICY_UPDATE_LARGEST;
    update.other = rest & POLICY_UPDATE_LARGEST;
    policy_update_apply(&update);
  }
}
/*---------------------------------------------------------------------------*/
bool
policy_update_init(const struct pubsub_routing_driver *driver)
{
  routes = driver;
  memset(&policy_update_counters, 0, sizeof(policy_update_counters));
  channel = pubsub_announce(SUBJECT, NULL);
  return channel != NULL && pubsub_subscribe(SUBJECT, arrived, NULL, NULL) != NULL;
}
/*---------------------------------------------------------------------------*/
bool
policy_update_send(const struct policy_update *update)
{
  uint8_t data[PUBSUB_MAX_DATA], length;

  if(update->policy > POLICY_UPDATE_LARGEST || update->other > POLICY_UPDATE_LARGEST
     || channel == NULL) {
    policy_update_counters.updates_refused++;
    return false;
  }
  if(update->target == PUBSUB_EVERYBODY || update->target == pubsub_routing_self()) {
    policy_update_apply(update);
  }
  if(update->target == pubsub_routing_self()) {
    return true;
  }
  length = write_update(data, update);
  return pubsub_publish_by(routes, channel, data, length, PUBSUB_RELIABLE);
}
/*---------------------------------------------------------------------------*/
/* The next word of a line is this one: behind it and its spaces; else NULL. */
static const char *
word(const char *line, const char *expected)
{
  size_t length = strlen(expected);

  if(line == NULL || strncmp(line, expected, length) != 0
     || (line[length] != ' ' && line[length] != '\0')) {
    return NULL;
  }
  for(line += length; *line == ' '; line++);
  return line;
}
/*---------------------------------------------------------------------------*/
/* The next word is a number up to `most`. */
static const char *
number(const char *line, unsigned long most, unsigned long *value)
{
  char *end;

  if(line == NULL || *line < '0' || *line > '9') {
    return NULL;
  }
  *value = strtoul(line, &end, 10);
  if(*value > most || (*end != ' ' && *end != '\0')) {
    return NULL;
  }
  for(line = end; *line == ' '; line++);
  return line;
}
/*---------------------------------------------------------------------------*/
static const char *
what(const char *line, struct policy_update *update)
{
  static const struct {
    const char *word;
    uint8_t what;
    bool has_other;
  } all[] = {
    { "load", POLICY_UPDATE_LOAD, false }, { "disable", POLICY_UPDATE_DISABLE, false },
    { "replace", POLICY_UPDATE_REPLACE, true }, { "rule", POLICY_UPDATE_RULE_OFF, true }
  };
  const char *after = NULL;
  unsigned long policy, other = 0;
  unsigned i;

  for(i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    after = word(line, all[i].word);
    if(after != NULL) {
      break;
    }
  }
  after = number(after, POLICY_UPDATE_LARGEST, &policy);
  if(after != NULL && all[i].has_other) {
    after = number(after, POLICY_UPDATE_LARGEST, &other);
  }
  if(after == NULL) {
    return NULL;
  }
  *update = (struct policy_update) { pubsub_routing_self(), all[i].what, policy, other };
  if(update->what == POLICY_UPDATE_RULE_OFF && (line = word(after, "off")) == NULL) {
    update->what = POLICY_UPDATE_RULE_ON;
    return word(after, "on");
  }
  return update->what == POLICY_UPDATE_RULE_OFF ? line : after;
}
/*---------------------------------------------------------------------------*/
bool
policy_update_line(const char *line)
{
  struct policy_update update;
  unsigned long target;
  const char *at;

  line = what(word(line, "policy"), &update);
  at = word(line, "at");
  if(at != NULL) {
    line = word(at, "all");
    target = PUBSUB_EVERYBODY;
    if(line == NULL) {
      line = number(at, PUBSUB_SEVERAL - 1, &target);
    }
    update.target = target;
  }
  if(line == NULL || *line != '\0') {
    return false;
  }
  policy_update_send(&update);
  return true;
}
