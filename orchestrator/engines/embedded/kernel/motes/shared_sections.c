/* SPDX-License-Identifier: Apache-2.0 */
#include "motes/shared_sections.h"

#include "base/memory.h"

#include <string.h>

/* Sections that each mote has, or that are not written once the firmware is loaded. */
static bool
is_own_or_constant(const char *name)
{
  static const char *const NAMES[] = {".data", ".bss", ".dynamic", ".got", ".got.plt", ".data.rel.ro", ".data.rel.ro.local",
                                      ".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors", ".jcr", ".tm_clone_table"};

  for(size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
    if(strcmp(NAMES[i], name) == 0) {
      return true;
    }
  }
  return false;
}

void
shared_sections_open(struct mote_type *type)
{
  const struct elf_file *elf = &type->firmware.elf;
  Elf64_Shdr section;
  Elf64_Sym symbol;
  const char *name;

  if(type->capacity < 2 || !elf_find(elf, "cooja_dataStart", &symbol)) { /* only firmware for Cooja's loader declares each mote's own part */
    return;
  }
  for(unsigned i = 0; elf_section(elf, i, &section, &name); i++) {
    if((section.sh_flags & (SHF_ALLOC | SHF_WRITE)) == (SHF_ALLOC | SHF_WRITE) && section.sh_size > 0 && !is_own_or_constant(name)) {
      type->shared_sections = reallocate(type->shared_sections, type->shared_section_count + 1, sizeof(*type->shared_sections));
      type->shared_sections[type->shared_section_count++] = (struct code_range){section.sh_addr, section.sh_size};
    }
  }
}

/* Translates an address in the other mote's image, of data or code, to this mote's: in Cooja all motes are at the same
   address. */
static uint64_t
moved(const struct mote *from, const struct mote *to, uint64_t word)
{
  const struct firmware *firmware = &to->type->firmware;
  uint64_t offset = word - (uint64_t)(uintptr_t)from->image;
  bool inside = firmware->shares_code ? offset >= firmware->data_start && offset < firmware->data_end : offset < firmware->size;

  return inside ? (uint64_t)(uintptr_t)to->image + offset : word;
}

void
shared_sections_take_over(struct mote *mote)
{
  struct mote_type *type = mote->type;
  struct mote *from = type->holder;

  type->holder = mote;
  for(unsigned i = 0; from != NULL && i < type->shared_section_count; i++) {
    uint64_t at = type->shared_sections[i].start, end = at + type->shared_sections[i].size, word;
    while(at < end) {
      size_t size = at % sizeof(word) == 0 && end - at >= sizeof(word) ? sizeof(word) : 1;
      memcpy(&word, from->image + at, size);
      word = size == sizeof(word) ? moved(from, mote, word) : word;
      memcpy(mote->image + at, &word, size);
      at += size;
    }
  }
}
