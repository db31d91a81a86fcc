/* SPDX-License-Identifier: Apache-2.0 */
#include "run/capacity.h"

#include "base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MAPPINGS = 65530 /* of Linux */, OWN_MAPPINGS = 1000 /* libraries, heap and stacks of this process */ };

/* The number behind `name` in a file of /proc, or `otherwise`. */
static uint64_t
number_in(const char *path, const char *name, uint64_t otherwise)
{
  FILE *file = fopen(path, "re");
  char line[256];

  while(file != NULL && fgets(line, sizeof(line), file) != NULL) {
    if(strncmp(line, name, strlen(name)) == 0) {
      otherwise = strtoull(line + strlen(name), NULL, 10);
      break;
    }
  }
  if(file != NULL) {
    fclose(file);
  }
  return otherwise;
}

uint64_t
capacity_mappings(const struct simulation *simulation, const struct mote_type *type)
{
  uint64_t most = number_in("/proc/sys/vm/max_map_count", "", DEFAULT_MAPPINGS);

  return (most > OWN_MAPPINGS ? most - OWN_MAPPINGS : 0) * type->capacity / simulation->mote_capacity;
}

void
capacity_check_memory(const struct simulation *simulation)
{
  uint64_t needed = 0, available, kilobytes;

  for(uint32_t i = 0; i < simulation->type_count; i++) {
    const struct mote_type *type = &simulation->types[i];
    if(type->capacity > 0) {
      needed += type->motes * (type->firmware.data_end - type->firmware.data_start);
    }
  }
  kilobytes = number_in("/proc/meminfo", "MemAvailable:", 0) + number_in("/proc/meminfo", "SwapFree:", 0);
  available = kilobytes * 1024;
  if(available > 0 && needed > available) {
    report_error(ERROR_MEMORY, "%u motes need %.1f GB of memory (%.0f KB each), this machine has %.1f GB free; simulate "
                 "fewer motes, fewer runs at a time (--workers), or use a machine with more memory",
                 simulation->mote_count, (double)needed / 1e9, (double)needed / 1e3 / simulation->mote_count,
                 (double)available / 1e9);
  }
}
