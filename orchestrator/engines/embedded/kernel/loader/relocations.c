/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/relocations.h"

#include "base/memory.h"
#include "base/report.h"
#include "libc/context.h"
#include "sanitizers/sanitizer.h"

#include <dlfcn.h>
#include <string.h>

#if defined(__x86_64__)
enum { RELATIVE = R_X86_64_RELATIVE, ABSOLUTE = R_X86_64_64, SLOT = R_X86_64_JUMP_SLOT, GLOBAL = R_X86_64_GLOB_DAT };
#else
enum {
  RELATIVE = R_AARCH64_RELATIVE,
  ABSOLUTE = R_AARCH64_ABS64,
  SLOT = R_AARCH64_JUMP_SLOT,
  GLOBAL = R_AARCH64_GLOB_DAT
};
#endif

static void
load_libraries(const struct elf_file *elf)
{
  uint64_t names = 0, size = 0;

  elf_dynamic(elf, DT_STRTAB, &names);
  elf_dynamic(elf, DT_STRSZ, &size);
  for(uint64_t i = 0; elf_dynamic_entry(elf, i).d_tag != DT_NULL; i++) {
    Elf64_Dyn entry = elf_dynamic_entry(elf, i);
    const char *table = (const char *)elf_at(elf, names, size);
    if(entry.d_tag != DT_NEEDED) {
      continue;
    }
    if(table == NULL || entry.d_un.d_val >= size || table[size - 1] != 0) {
      elf_bad(elf, "the name of a library that it needs is damaged");
    }
    if(dlopen(table + entry.d_un.d_val, RTLD_NOW | RTLD_GLOBAL) == NULL) {
      report_error(ERROR_LOAD, "%s needs a library that can't be loaded: %s", elf->path, dlerror());
    }
  }
}

/* Functions that look up a return address among the loaded libraries, which do not include a mote's code. */
static bool
unwinds(const char *name)
{
  static const char *const NAMES[] = {"__cxa_throw", "__cxa_rethrow", "__cxa_begin_catch", "_Unwind_RaiseException", "_Unwind_ForcedUnwind"};

  for(size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
    if(strcmp(NAMES[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* The value of a symbol. It is searched in dlopen()'s order: functions of libc before the firmware's own with the same
   name (but never this program's). `*own`: the value is an offset in the image. */
static uint64_t
resolve(const struct firmware *firmware, uint64_t index, bool *own)
{
  const struct elf_file *elf = &firmware->elf;
  const char *name;
  Elf64_Sym symbol = elf_symbol(elf, &elf->dynamic_symbols, index, &name);
  bool defined = symbol.st_shndx != SHN_UNDEF;
  unsigned type = ELF64_ST_TYPE(symbol.st_info), visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  void *address = NULL;
  uint64_t flags = 0;

  if(type == STT_GNU_IFUNC || type == STT_TLS) {
    report_error(ERROR_LOAD, "%s: symbol %s is of a kind that a mote can't have", elf->path, name);
  }
  if(!defined && unwinds(name)) {
    report_error(ERROR_LOAD, "%s uses C++ exceptions (%s), which find no way through a mote's code here; build it with "
                 "-fno-exceptions, or run the file with --engine cooja", elf->path, name);
  }
  elf_dynamic(elf, DT_FLAGS, &flags);
  if(!defined || (type == STT_FUNC && visibility == STV_DEFAULT && !(flags & DF_SYMBOLIC))) {
    address = sanitizer_function(name, firmware->checks_addresses);
    address = address ? address : replacement(name);
    address = address ? address : dlsym(RTLD_NEXT, name);
  }
  if(defined && type == STT_OBJECT && visibility == STV_DEFAULT && !(flags & DF_SYMBOLIC) &&
     dlsym(RTLD_NEXT, name) != NULL) {
    report_error(ERROR_LOAD, "%s: its variable %s has the name of something in the C library, which Cooja's loader takes "
                 "in its place; rename it, or make it static", elf->path, name);
  }
  *own = address == NULL && defined;
  if(address == NULL && !defined && ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
    report_error(ERROR_LOAD, "%s needs the symbol %s, which isn't defined; link the firmware with -z defs", elf->path,
                 name);
  }
  return *own ? symbol.st_value : (uint64_t)(uintptr_t)address;
}

static void
add_relocation(struct firmware *firmware, bool relative, uint64_t offset, uint64_t value)
{
  size_t *count = relative ? &firmware->relatives : &firmware->absolutes;
  struct relocation **list = relative ? &firmware->relative : &firmware->absolute;

  if(offset < firmware->data_start || offset > firmware->data_end - sizeof(uint64_t)) {
    elf_bad(&firmware->elf, "its code needs relocation: compile it with -fPIC");
  }
  if((*count & (*count - 1)) == 0) {
    *list = reallocate(*list, *count ? 2 * *count : 1, sizeof(**list));
  }
  (*list)[(*count)++] = (struct relocation){offset, value};
}

static void
read_relocations(struct firmware *firmware, int64_t table_tag, int64_t size_tag)
{
  const struct elf_file *elf = &firmware->elf;
  uint64_t table, size;

  if(!elf_dynamic(elf, table_tag, &table) || !elf_dynamic(elf, size_tag, &size)) {
    return;
  }
  if(elf_at(elf, table, size) == NULL) {
    elf_bad(elf, "its relocations are damaged");
  }
  for(uint64_t at = 0; at + sizeof(Elf64_Rela) <= size; at += sizeof(Elf64_Rela)) {
    Elf64_Rela entry;
    bool own = true;
    uint64_t value = 0;
    memcpy(&entry, elf_at(elf, table + at, sizeof(entry)), sizeof(entry));
    switch(ELF64_R_TYPE(entry.r_info)) {
    case RELATIVE:
      break;
    case ABSOLUTE:
    case SLOT:
    case GLOBAL:
      value = resolve(firmware, ELF64_R_SYM(entry.r_info), &own);
      break;
    case 0: /* none */
      continue;
    default:
      report_error(ERROR_LOAD, "%s: relocation type %u isn't supported; build it as a plain shared object", elf->path,
                   (unsigned)ELF64_R_TYPE(entry.r_info));
    }
    add_relocation(firmware, own, entry.r_offset, value + (uint64_t)entry.r_addend);
  }
}

/* Packed relative relocations (DT_RELR of the ELF specification): an even word is an address, an odd one a bit map of
   the 63 words that follow. The addends are in the data. */
static void
read_packed_relocations(struct firmware *firmware)
{
  const struct elf_file *elf = &firmware->elf;
  uint64_t table, size, next = 0;

  if(!elf_dynamic(elf, DT_RELR, &table) || !elf_dynamic(elf, DT_RELRSZ, &size)) {
    return;
  }
  for(uint64_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
    const uint8_t *word_at = elf_at(elf, table + at, sizeof(uint64_t));
    uint64_t word, first, bits;
    if(word_at == NULL) {
      elf_bad(elf, "its packed relocations are damaged");
    }
    memcpy(&word, word_at, sizeof(word));
    first = (word & 1) ? next : word;
    bits = (word & 1) ? word >> 1 : 1;
    for(unsigned i = 0; bits >> i != 0; i++) {
      const uint8_t *addend_at = elf_at(elf, first + 8 * i, sizeof(uint64_t));
      uint64_t addend;
      if((bits >> i & 1) == 0) {
        continue;
      }
      if(addend_at == NULL) {
        elf_bad(elf, "its packed relocations are damaged");
      }
      memcpy(&addend, addend_at, sizeof(addend));
      add_relocation(firmware, true, first + 8 * i, addend);
    }
    next = (word & 1) ? next + 63 * 8 : word + 8;
  }
}

static bool
table_names(const struct elf_file *elf, int64_t table_tag, int64_t size_tag, const char *name)
{
  uint64_t table, size;

  if(!elf_dynamic(elf, table_tag, &table) || !elf_dynamic(elf, size_tag, &size) || elf_at(elf, table, size) == NULL) {
    return false;
  }
  for(uint64_t at = 0; at + sizeof(Elf64_Rela) <= size; at += sizeof(Elf64_Rela)) {
    Elf64_Rela entry;
    const char *used;
    memcpy(&entry, elf_at(elf, table + at, sizeof(entry)), sizeof(entry));
    elf_symbol(elf, &elf->dynamic_symbols, ELF64_R_SYM(entry.r_info), &used);
    if(strcmp(used, name) == 0) {
      return true;
    }
  }
  return false;
}

/* Does the firmware use this symbol through its tables, as code compiled with -fPIC uses every symbol that is not static or
   hidden? */
static bool
names(const struct elf_file *elf, const char *name)
{
  return table_names(elf, DT_RELA, DT_RELASZ, name) || table_names(elf, DT_JMPREL, DT_PLTRELSZ, name);
}

void
relocations_read(struct firmware *firmware)
{
  load_libraries(&firmware->elf);
  firmware->checks_addresses = names(&firmware->elf, ADDRESS_SANITIZER_SYMBOL);
  if(firmware->checks_addresses) {
    sanitizer_open(firmware->elf.path);
  }
  read_relocations(firmware, DT_RELA, DT_RELASZ);
  read_relocations(firmware, DT_JMPREL, DT_PLTRELSZ);
  read_packed_relocations(firmware);
}
