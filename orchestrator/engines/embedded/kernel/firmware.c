/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware.h"

#include "context.h"
#include "memory.h"
#include "report.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

static uint64_t
page_size(void)
{
  return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t
page_floor(uint64_t address)
{
  return address & ~(page_size() - 1);
}

static uint64_t
page_ceiling(uint64_t address)
{
  return page_floor(address + page_size() - 1);
}

static void
lay_out(struct firmware *firmware)
{
  struct elf_file *elf = &firmware->elf;
  uint64_t end = 0;

  firmware->data_start = UINT64_MAX;
  for(int i = 0; i < elf->loads; i++) {
    const Elf64_Phdr *load = &elf->load[i];
    uint64_t first = page_floor(load->p_vaddr), last = page_ceiling(load->p_vaddr + load->p_memsz);
    end = last > end ? last : end;
    if((load->p_vaddr - load->p_offset) % page_size() != 0) {
      elf_bad(elf, "a segment isn't aligned to pages");
    }
    if(load->p_flags & PF_W) {
      firmware->data_start = first < firmware->data_start ? first : firmware->data_start;
      firmware->data_end = last > firmware->data_end ? last : firmware->data_end;
      firmware->data_protection |= PROT_READ | PROT_WRITE | ((load->p_flags & PF_X) ? PROT_EXEC : 0);
    }
  }
  if(firmware->data_end == 0) {
    elf_bad(elf, "it has no writable data");
  }
  for(int i = 0; i < elf->loads; i++) {
    const Elf64_Phdr *load = &elf->load[i];
    if(!(load->p_flags & PF_W) && page_floor(load->p_vaddr) < firmware->data_end &&
       page_ceiling(load->p_vaddr + load->p_memsz) > firmware->data_start) {
      elf_bad(elf, "code and data share a page");
    }
  }
  firmware->stride = end;
}

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

/* Where a symbol leads, in the order in which dlopen() would look for it: functions of libc before the firmware's own
   of the same name (but never this program's). `*own` says that the value is an offset in the image. */
static uint64_t
resolve(const struct elf_file *elf, uint64_t index, bool *own)
{
  const char *name;
  Elf64_Sym symbol = elf_symbol(elf, &elf->dynamic_symbols, index, &name);
  bool defined = symbol.st_shndx != SHN_UNDEF;
  unsigned type = ELF64_ST_TYPE(symbol.st_info), visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  void *address = NULL;
  uint64_t flags = 0;

  if(type == STT_GNU_IFUNC || type == STT_TLS) {
    report_error(ERROR_LOAD, "%s: symbol %s is of a kind that a mote can't have", elf->path, name);
  }
  elf_dynamic(elf, DT_FLAGS, &flags);
  if(!defined || (type == STT_FUNC && visibility == STV_DEFAULT && !(flags & DF_SYMBOLIC))) {
    address = replacement(name);
    address = address ? address : dlsym(RTLD_NEXT, name);
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
      value = resolve(elf, ELF64_R_SYM(entry.r_info), &own);
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
   the 63 words that follow. The addends stand in the data. */
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

void
firmware_open(struct firmware *firmware, const char *path, unsigned motes)
{
  void *region;

  *firmware = (struct firmware){0};
  elf_open(&firmware->elf, path);
  lay_out(firmware);
  load_libraries(&firmware->elf);
  read_relocations(firmware, DT_RELA, DT_RELASZ);
  read_relocations(firmware, DT_JMPREL, DT_PLTRELSZ);
  read_packed_relocations(firmware);
  firmware->room = motes * firmware->stride;
  region = mmap(NULL, firmware->room + page_size(), firmware->data_protection,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if(region == MAP_FAILED) {
    report_error(ERROR_MEMORY, "no memory for %u motes of %s: %s", motes, path, strerror(errno));
  }
  firmware->region = region;
  /* What runs over the last image's end must fault, as it does in the code of the next one. */
  mprotect(firmware->region + firmware->room, page_size(), PROT_NONE);
}

static void
map_code(struct firmware *firmware, uint8_t *image, int first, int last)
{
  const Elf64_Phdr *load = firmware->elf.load;
  uint64_t start = page_floor(load[first].p_vaddr);
  uint64_t end = page_ceiling(load[last].p_vaddr + load[last].p_filesz);
  int protection = 0;

  for(int i = first; i <= last; i++) {
    protection |= PROT_READ | ((load[i].p_flags & PF_X) ? PROT_EXEC : 0);
  }
  if(mmap(image + start, end - start, protection, MAP_PRIVATE | MAP_FIXED, firmware->elf.file,
          (off_t)page_floor(load[first].p_offset)) == MAP_FAILED) {
    report_error(ERROR_MEMORY, "can't map one more mote of %s: %s; with very many motes, raise the sysctl "
                 "vm.max_map_count (two mappings are needed per mote)", firmware->elf.path, strerror(errno));
  }
}

/* Neighbouring read-only segments that lie in the file as in memory become one mapping: fewer of them, and faster. */
static void
map_all_code(struct firmware *firmware, uint8_t *image)
{
  const struct elf_file *elf = &firmware->elf;

  for(int i = 0; i < elf->loads; i++) {
    int last = i;
    if(elf->load[i].p_flags & PF_W) {
      continue;
    }
    while(last + 1 < elf->loads && !(elf->load[last + 1].p_flags & PF_W) &&
          elf->load[last + 1].p_vaddr >= elf->load[last].p_vaddr &&
          elf->load[last + 1].p_vaddr - elf->load[i].p_vaddr == elf->load[last + 1].p_offset - elf->load[i].p_offset &&
          !(firmware->data_start >= elf->load[i].p_vaddr && firmware->data_start < elf->load[last + 1].p_vaddr)) {
      last++;
    }
    map_code(firmware, image, i, last);
    i = last;
  }
}

uint8_t *
firmware_map(struct firmware *firmware)
{
  const struct elf_file *elf = &firmware->elf;
  uint8_t *image = firmware->region + firmware->used;

  if(firmware->used + firmware->stride > firmware->room) {
    report_error(ERROR_KERNEL, "more motes of a type than announced");
  }
  firmware->used += firmware->stride;
  map_all_code(firmware, image);
  for(int i = 0; i < elf->loads; i++) {
    if(elf->load[i].p_flags & PF_W) {
      memcpy(image + elf->load[i].p_vaddr, elf->bytes + elf->load[i].p_offset, elf->load[i].p_filesz);
    }
  }
  for(size_t i = 0; i < firmware->relatives; i++) {
    uint64_t value = firmware->relative[i].value + (uint64_t)(uintptr_t)image;
    memcpy(image + firmware->relative[i].offset, &value, sizeof(value));
  }
  for(size_t i = 0; i < firmware->absolutes; i++) {
    memcpy(image + firmware->absolute[i].offset, &firmware->absolute[i].value, sizeof(uint64_t));
  }
  return image;
}

typedef void constructor(int, char **, char **);

void
firmware_run_constructors(const struct firmware *firmware, uint8_t *image)
{
  static char *no_arguments[] = {NULL};
  uint64_t first, size;

  if(elf_dynamic(&firmware->elf, DT_INIT, &first) && first < firmware->stride) {
    ((constructor *)(uintptr_t)(image + first))(0, no_arguments, no_arguments);
  }
  if(!elf_dynamic(&firmware->elf, DT_INIT_ARRAY, &first) || !elf_dynamic(&firmware->elf, DT_INIT_ARRAYSZ, &size)) {
    return;
  }
  if(elf_at(&firmware->elf, first, size) == NULL) {
    elf_bad(&firmware->elf, "its list of constructors is damaged");
  }
  for(uint64_t at = 0; at + sizeof(uintptr_t) <= size; at += sizeof(uintptr_t)) {
    uintptr_t function;
    memcpy(&function, image + first + at, sizeof(function));
    if(function != 0 && function != UINTPTR_MAX) {
      ((constructor *)function)(0, no_arguments, no_arguments);
    }
  }
}

bool
firmware_function(const struct firmware *firmware, const char *name, uint64_t *offset)
{
  Elf64_Sym symbol;

  if(!elf_find(&firmware->elf, name, &symbol) || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
     symbol.st_value >= firmware->stride) {
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
