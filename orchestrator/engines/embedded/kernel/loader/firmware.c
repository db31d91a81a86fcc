/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/firmware.h"

#include "loader/detour.h"

uint64_t
firmware_place(const struct firmware *firmware, uint8_t *image, uint64_t address)
{
  uint64_t detour = (address - (uint64_t)(uintptr_t)firmware->detours) / DETOUR_SIZE;

  if(firmware->detours != NULL && detour < firmware->detour_count) {
    return firmware->detoured[detour];
  }
  return address - (uint64_t)(uintptr_t)firmware_code(firmware, image);
}

bool
firmware_function(const struct firmware *firmware, const char *name, uint64_t *offset)
{
  Elf64_Sym symbol;

  if(!elf_find(&firmware->elf, name, &symbol) || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
     symbol.st_value >= firmware->size) {
    return false;
  }
  *offset = symbol.st_value;
  return true;
}

bool
firmware_variable(const struct firmware *firmware, const char *name, uint64_t *offset, uint64_t *size)
{
  Elf64_Sym symbol;

  if(!elf_find(&firmware->elf, name, &symbol) || symbol.st_value < firmware->data_start ||
     symbol.st_value > firmware->data_end || symbol.st_size > firmware->data_end - symbol.st_value) {
    return false;
  }
  *offset = symbol.st_value;
  *size = symbol.st_size;
  return true;
}
