/* SPDX-License-Identifier: Apache-2.0 */
#include "run/capacity.h"

#include "base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKY_MEMORY = 150 * 1000 }; /* bytes of a Tmote Sky with some of its flash in use */
enum { DEFAULT_MAPPINGS = 65530 /* of Linux */, OWN_MAPPINGS = 1000 /* libraries, heap and stacks of this process */ };

int64_t
capacity_number(const char *path, const char *name, int64_t otherwise)
{
  FILE *file = fopen(path, "re");
  char line[256];

  while(file != NULL && fgets(line, sizeof(line), file) != NULL) {
    if(strncmp(line, name, strlen(name)) == 0) {
      otherwise = strtoll(line + strlen(name), NULL, 10);
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
  uint64_t most = (uint64_t)capacity_number("/proc/sys/vm/max_map_count", "", DEFAULT_MAPPINGS);

  return (most > OWN_MAPPINGS ? most - OWN_MAPPINGS : 0) * type->capacity / simulation->mote_capacity;
}

void
capacity_check_memory(const struct simulation *simulation)
{
  uint64_t needed = 0, available;

  for(uint32_t i = 0; i < simulation->type_count; i++) {
    const struct mote_type *type = &simulation->types[i];
    if(type->capacity > 0) {
      needed += type->motes * (type->is_sky ? SKY_MEMORY : type->firmware.data_end - type->firmware.data_start);
    }
  }
  available = 1024 * (uint64_t)(capacity_number("/proc/meminfo", "MemAvailable:", 0) +
                                capacity_number("/proc/meminfo", "SwapFree:", 0));
  if(available > 0 && needed > available) {
    report_error(ERROR_MEMORY, "%u motes need %.1f GB of memory (%.0f KB each), this machine has %.1f GB free; simulate "
                 "fewer motes, fewer runs at a time (--workers), or use a machine with more memory",
                 simulation->mote_count, (double)needed / 1e9, (double)needed / 1e3 / simulation->mote_count,
                 (double)available / 1e9);
  }
}
