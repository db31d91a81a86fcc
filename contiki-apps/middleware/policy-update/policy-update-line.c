/* SPDX-License-Identifier: Apache-2.0 */
/* Updates as lines at a mote's serial port. */
#include <stdlib.h>
#include <string.h>
#include "policy-update.h"

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
      line = number(at, POLICY_UPDATE_MOTES, &target);
    }
    update.target = target;
  }
  if(line == NULL || *line != '\0') {
    return false;
  }
  policy_update_send(&update);
  return true;
}
