/* SPDX-License-Identifier: Apache-2.0 */
/* Leveled logging: a source defines LOG_MODULE and LOG_LEVEL, then LOG_INFO()
   and its like print "[INFO: module    ] text" if the level lets them. */
#ifndef LOG_H_
#define LOG_H_

#include <stdio.h>

#include "net/linkaddr.h"
#include "sys/cc.h"

#define LOG_LEVEL_NONE 0
#define LOG_LEVEL_ERR 1
#define LOG_LEVEL_WARN 2
#define LOG_LEVEL_INFO 3
#define LOG_LEVEL_DBG 4

/* The highest level compiled in, by part of the system. */
#ifndef LOG_CONF_LEVEL_MAIN
#define LOG_CONF_LEVEL_MAIN LOG_LEVEL_INFO
#endif
#ifndef LOG_CONF_LEVEL_SYS
#define LOG_CONF_LEVEL_SYS LOG_LEVEL_NONE
#endif
#ifndef LOG_CONF_LEVEL_NULLNET
#define LOG_CONF_LEVEL_NULLNET LOG_LEVEL_NONE
#endif
#ifndef LOG_CONF_LEVEL_MAC
#define LOG_CONF_LEVEL_MAC LOG_LEVEL_NONE
#endif
#ifndef LOG_CONF_LEVEL_FRAMER
#define LOG_CONF_LEVEL_FRAMER LOG_LEVEL_NONE
#endif

/* The level in force now, which log_set_level() can lower. */
extern int curr_log_level_main, curr_log_level_sys, curr_log_level_nullnet,
  curr_log_level_mac, curr_log_level_framer;

#define LOG_LEVEL_MAIN MIN((LOG_CONF_LEVEL_MAIN), curr_log_level_main)
#define LOG_LEVEL_SYS MIN((LOG_CONF_LEVEL_SYS), curr_log_level_sys)
#define LOG_LEVEL_NULLNET MIN((LOG_CONF_LEVEL_NULLNET), curr_log_level_nullnet)
#define LOG_LEVEL_MAC MIN((LOG_CONF_LEVEL_MAC), curr_log_level_mac)
#define LOG_LEVEL_FRAMER MIN((LOG_CONF_LEVEL_FRAMER), curr_log_level_framer)

#ifdef LOG_CONF_OUTPUT
#define LOG_OUTPUT(...) LOG_CONF_OUTPUT(__VA_ARGS__)
#else
#define LOG_OUTPUT(...) printf(__VA_ARGS__)
#endif
#ifdef LOG_CONF_OUTPUT_PREFIX
#define LOG_OUTPUT_PREFIX(level, name, module) LOG_CONF_OUTPUT_PREFIX(level, name, module)
#else
#define LOG_OUTPUT_PREFIX(level, name, module) LOG_OUTPUT("[%-4s: %-10s] ", name, module)
#endif
#ifdef LOG_CONF_WITH_COMPACT_ADDR
#define LOG_WITH_COMPACT_ADDR LOG_CONF_WITH_COMPACT_ADDR
#else
#define LOG_WITH_COMPACT_ADDR 0
#endif
#ifdef LOG_CONF_WITH_MODULE_PREFIX
#define LOG_WITH_MODULE_PREFIX LOG_CONF_WITH_MODULE_PREFIX
#else
#define LOG_WITH_MODULE_PREFIX 1
#endif

#define LOG_IF(level, statement)                                               \
  do {                                                                         \
    if((level) <= (LOG_LEVEL)) {                                               \
      statement;                                                               \
    }                                                                          \
  } while(0)

/* A line, or (with _) its continuation. */
#define LOG_LINE(level, name, ...)                                             \
  LOG_IF(level, if(LOG_WITH_MODULE_PREFIX) {                                   \
    LOG_OUTPUT_PREFIX(level, name, LOG_MODULE);                                \
  }                                                                            \
  LOG_OUTPUT(__VA_ARGS__))
#define LOG_MORE(level, ...) LOG_IF(level, LOG_OUTPUT(__VA_ARGS__))

#define LOG_PRINT(...) LOG_LINE(0, "PRI", __VA_ARGS__)
#define LOG_ERR(...) LOG_LINE(LOG_LEVEL_ERR, "ERR", __VA_ARGS__)
#define LOG_WARN(...) LOG_LINE(LOG_LEVEL_WARN, "WARN", __VA_ARGS__)
#define LOG_INFO(...) LOG_LINE(LOG_LEVEL_INFO, "INFO", __VA_ARGS__)
#define LOG_DBG(...) LOG_LINE(LOG_LEVEL_DBG, "DBG", __VA_ARGS__)

#define LOG_PRINT_(...) LOG_MORE(0, __VA_ARGS__)
#define LOG_ERR_(...) LOG_MORE(LOG_LEVEL_ERR, __VA_ARGS__)
#define LOG_WARN_(...) LOG_MORE(LOG_LEVEL_WARN, __VA_ARGS__)
#define LOG_INFO_(...) LOG_MORE(LOG_LEVEL_INFO, __VA_ARGS__)
#define LOG_DBG_(...) LOG_MORE(LOG_LEVEL_DBG, __VA_ARGS__)

#define LOG_LLADDR(level, address)                                             \
  LOG_IF(level, LOG_WITH_COMPACT_ADDR ? log_lladdr_compact(address)            \
                                      : log_lladdr(address))
#define LOG_PRINT_LLADDR(address) LOG_LLADDR(0, address)
#define LOG_ERR_LLADDR(address) LOG_LLADDR(LOG_LEVEL_ERR, address)
#define LOG_WARN_LLADDR(address) LOG_LLADDR(LOG_LEVEL_WARN, address)
#define LOG_INFO_LLADDR(address) LOG_LLADDR(LOG_LEVEL_INFO, address)
#define LOG_DBG_LLADDR(address) LOG_LLADDR(LOG_LEVEL_DBG, address)

#define LOG_BYTES(level, data, length) LOG_IF(level, log_bytes(data, length))
#define LOG_PRINT_BYTES(data, length) LOG_BYTES(0, data, length)
#define LOG_ERR_BYTES(data, length) LOG_BYTES(LOG_LEVEL_ERR, data, length)
#define LOG_WARN_BYTES(data, length) LOG_BYTES(LOG_LEVEL_WARN, data, length)
#define LOG_INFO_BYTES(data, length) LOG_BYTES(LOG_LEVEL_INFO, data, length)
#define LOG_DBG_BYTES(data, length) LOG_BYTES(LOG_LEVEL_DBG, data, length)

#define LOG_ERR_ENABLED ((LOG_LEVEL) >= LOG_LEVEL_ERR)
#define LOG_WARN_ENABLED ((LOG_LEVEL) >= LOG_LEVEL_WARN)
#define LOG_INFO_ENABLED ((LOG_LEVEL) >= LOG_LEVEL_INFO)
#define LOG_DBG_ENABLED ((LOG_LEVEL) >= LOG_LEVEL_DBG)

void log_lladdr(const linkaddr_t *address);         /* 0100.0000.0000.0000 */
void log_lladdr_compact(const linkaddr_t *address); /* LL-, the last two bytes */
void log_bytes(const void *data, size_t length);    /* in hexadecimal */

/* The module is "main", "sys", "nullnet", "mac", "framer" or "all". */
void log_set_level(const char *module, int level);
int log_get_level(const char *module); /* -1: no such module */
const char *log_level_to_str(int level);

#endif
