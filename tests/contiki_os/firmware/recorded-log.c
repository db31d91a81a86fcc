/* SPDX-License-Identifier: Apache-2.0 */
/* How sys/log.h writes addresses, bytes and levels; and the levels of modules that were built without any. */
#include "contiki.h"
#include "net/linkaddr.h"
#include "sys/log.h"

#include <stdio.h>

PROCESS(recorded_process, "Recorded");
AUTOSTART_PROCESSES(&recorded_process);

static void
show_address(const linkaddr_t *address)
{
  log_lladdr(address);
  printf(", ");
  log_lladdr_compact(address);
  printf("\n");
}

static void
show_levels(const char *when)
{
  static const char *const modules[] = { "nullnet", "mac", "framer", "sys", "all", "nobody", "" };

  printf("%s:", when);
  for(unsigned i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
    printf(" %s %d", modules[i], log_get_level(modules[i]));
  }
  printf(" NULL %d\n", log_get_level(NULL));
}

PROCESS_THREAD(recorded_process, ev, data)
{
  static const linkaddr_t address = { { 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0 } }, last = { { 0, 0, 0, 0, 0, 0, 0, 5 } },
    first = { { 5 } };

  PROCESS_BEGIN();
  show_address(&address);
  show_address(&last);
  show_address(&first);
  show_address(&linkaddr_null);
  show_address(NULL);
  show_address(&linkaddr_node_addr);
  for(int i = 0; i < 4; i++) {
    log_bytes(&address, (size_t)i);
    printf(";\n");
  }
  for(int level = -1; level < 7; level++) {
    printf("level %d: %s\n", level, log_level_to_str(level));
  }
  show_levels("at first");
  log_set_level("mac", LOG_LEVEL_DBG);
  log_set_level("nobody", LOG_LEVEL_DBG);
  show_levels("one set");
  log_set_level("all", LOG_LEVEL_WARN);
  log_set_level("sys", 17);
  log_set_level("sys", -1);
  show_levels("all set");
  PROCESS_END();
}
