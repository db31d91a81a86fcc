/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "sys/log.h"

#include <string.h>

int curr_log_level_main = LOG_CONF_LEVEL_MAIN;
int curr_log_level_sys = LOG_CONF_LEVEL_SYS;
int curr_log_level_nullnet = LOG_CONF_LEVEL_NULLNET;
int curr_log_level_mac = LOG_CONF_LEVEL_MAC;
int curr_log_level_framer = LOG_CONF_LEVEL_FRAMER;

static const struct {
  const char *name;
  int *level;
  int highest;
} modules[] = {
  { "main", &curr_log_level_main, LOG_CONF_LEVEL_MAIN },
  { "sys", &curr_log_level_sys, LOG_CONF_LEVEL_SYS },
  { "nullnet", &curr_log_level_nullnet, LOG_CONF_LEVEL_NULLNET },
  { "mac", &curr_log_level_mac, LOG_CONF_LEVEL_MAC },
  { "framer", &curr_log_level_framer, LOG_CONF_LEVEL_FRAMER },
};
#define MODULES (sizeof(modules) / sizeof(modules[0]))

void
log_lladdr(const linkaddr_t *address)
{
  if(address == NULL) {
    LOG_OUTPUT("(NULL LL addr)");
    return;
  }
  for(int i = 0; i < LINKADDR_SIZE; i++) {
    LOG_OUTPUT(i > 0 && i % 2 == 0 ? ".%02x" : "%02x", address->u8[i]);
  }
}

void
log_lladdr_compact(const linkaddr_t *address)
{
  if(address == NULL || linkaddr_cmp(address, &linkaddr_null)) {
    LOG_OUTPUT("LL-NULL");
  } else {
    LOG_OUTPUT("LL-%02x%02x", address->u8[LINKADDR_SIZE - 2],
               address->u8[LINKADDR_SIZE - 1]);
  }
}

void
log_bytes(const void *data, size_t length)
{
  const uint8_t *bytes = data;

  for(size_t i = 0; i < length; i++) {
    LOG_OUTPUT("%02x", bytes[i]);
  }
}

void
log_set_level(const char *module, int level)
{
  if(level < LOG_LEVEL_NONE || level > LOG_LEVEL_DBG) {
    return;
  }
  for(size_t i = 0; i < MODULES; i++) {
    if(strcmp(module, "all") == 0 || strcmp(module, modules[i].name) == 0) {
      *modules[i].level = MIN(level, modules[i].highest);
    }
  }
}

int
log_get_level(const char *module)
{
  for(size_t i = 0; module != NULL && i < MODULES; i++) {
    if(strcmp(module, modules[i].name) == 0) {
      return *modules[i].level;
    }
  }
  return -1;
}

const char *
log_level_to_str(int level)
{
  static const char *const names[] = { "None", "Errors", "Warnings", "Info", "Debug" };

  return level < LOG_LEVEL_NONE || level > LOG_LEVEL_DBG ? "N/A" : names[level];
}
