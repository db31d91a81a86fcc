/* SPDX-License-Identifier: Apache-2.0 */
#include "motes/abi.h"

#include "base/report.h"
#include "loader/firmware.h"

#include <string.h>

static const char *const INTERFACES[] = {
#define NAME(name) #name,
  ABI_INTERFACES(NAME)
#undef NAME
};

static const struct {
  const char *name;
  int interface;
  uint32_t size; /* bytes */
  size_t offset; /* in struct abi */
} VARIABLES[] = {
#define VARIABLE(interface, type, name) {#name, interface##_bit, sizeof(type), offsetof(struct abi, name)},
  ABI_VARIABLES(VARIABLE)
#undef VARIABLE
};

int
abi_interface(const char *name)
{
  for(int i = 0; i < ABI_INTERFACE_COUNT; i++) {
    if(strcmp(INTERFACES[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

static void
add_missing(struct text *missing, const char *name, const char *interface)
{
  text_add(missing, missing->used ? ", " : "");
  text_add(missing, name);
  text_add(missing, " (");
  text_add(missing, interface);
  text_add(missing, ")");
}

static uint32_t
function(const struct firmware *firmware, const char *name, struct text *missing)
{
  uint64_t offset = 0;

  if(!firmware_function(firmware, name, &offset)) {
    add_missing(missing, name, "every mote");
  }
  return (uint32_t)offset;
}

void
abi_resolve(struct abi *abi, const struct firmware *firmware, uint32_t interfaces)
{
  char list[2000];
  struct text missing = {list, 0, sizeof(list) - 1};

  *abi = (struct abi){0};
  abi->cooja_init = function(firmware, "cooja_init", &missing);
  abi->cooja_tick = function(firmware, "cooja_tick", &missing);
  for(size_t i = 0; i < sizeof(VARIABLES) / sizeof(VARIABLES[0]); i++) {
    uint64_t offset, size;
    uint32_t found;
    if((interfaces >> VARIABLES[i].interface & 1) == 0) {
      continue;
    }
    if(!firmware_variable(firmware, VARIABLES[i].name, &offset, &size)) {
      add_missing(&missing, VARIABLES[i].name, INTERFACES[VARIABLES[i].interface]);
      continue;
    }
    if(size < VARIABLES[i].size || offset % VARIABLES[i].size != 0) {
      report_error(ERROR_LOAD, "%s: the variable %s must have %u bytes and their alignment, it has %u",
                   firmware->elf.path, VARIABLES[i].name, VARIABLES[i].size, (unsigned)size);
    }
    if(firmware_reach(firmware, offset) < VARIABLES[i].size) {
      report_error(ERROR_LOAD, "%s: the variable %s lies in a section of its own; Cooja reads and writes .data and .bss alone: leave "
                   "its place to the compiler", firmware->elf.path, VARIABLES[i].name);
    }
    found = (uint32_t)offset;
    memcpy((char *)abi + VARIABLES[i].offset, &found, sizeof(found));
    if(VARIABLES[i].offset == offsetof(struct abi, simInDataBuffer)) {
      abi->in_buffer = (uint32_t)size;
    } else if(VARIABLES[i].offset == offsetof(struct abi, simEEPROMData)) {
      abi->eeprom = (uint32_t)size;
    }
  }
  if(missing.used > 0) {
    list[missing.used] = 0;
    report_error(ERROR_LOAD, "%s lacks what the mote type's interfaces need: %s; define them, or take the interfaces "
                 "out of the mote type", firmware->elf.path, list);
  }
}
