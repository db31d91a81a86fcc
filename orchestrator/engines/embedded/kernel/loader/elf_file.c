/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/elf_file.h"

#include "base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#else
#error "no relocation rules for this machine yet: add them to firmware.c"
#endif

static const uint64_t LARGEST_IMAGE = 1ULL << 30; /* bytes of address space a mote may have */

_Noreturn void
elf_bad(const struct elf_file *elf, const char *what)
{
  report_error(ERROR_LOAD, "%s: %s; build the firmware again with this machine's compiler", elf->path, what);
}

static const uint8_t *
inside(const struct elf_file *elf, uint64_t offset, uint64_t size)
{
  if(offset > elf->size || size > elf->size - offset) {
    elf_bad(elf, "cut short: a table reaches behind the end of the file");
  }
  return elf->bytes + offset;
}

static void
read_segments(struct elf_file *elf, const Elf64_Ehdr *head)
{
  bool dynamic = false;

  if(head->e_phentsize != sizeof(Elf64_Phdr)) {
    elf_bad(elf, "segment headers of an unknown size");
  }
  for(unsigned i = 0; i < head->e_phnum; i++) {
    Elf64_Phdr segment;
    memcpy(&segment, inside(elf, head->e_phoff + i * sizeof(segment), sizeof(segment)), sizeof(segment));
    if(segment.p_type == PT_TLS) {
      report_error(ERROR_LOAD, "%s has thread-local variables, which a mote can't have here; declare them without __thread, "
                   "or run the file with --engine cooja", elf->path);
    }
    if(segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) {
      continue;
    }
    inside(elf, segment.p_offset, segment.p_filesz);
    if(segment.p_memsz < segment.p_filesz || segment.p_memsz > LARGEST_IMAGE ||
       segment.p_vaddr > LARGEST_IMAGE - segment.p_memsz) {
      elf_bad(elf, "a segment is too large or out of place");
    }
    if(segment.p_type == PT_DYNAMIC) {
      dynamic = true;
      elf->dynamic_offset = segment.p_offset;
      elf->dynamic_count = segment.p_filesz / sizeof(Elf64_Dyn);
    } else if(elf->loads == MOST_SEGMENTS) {
      elf_bad(elf, "too many segments");
    } else if(segment.p_memsz > 0) {
      elf->load[elf->loads++] = segment;
    }
  }
  if(!dynamic || elf->loads == 0) {
    elf_bad(elf, "not a shared object that can be loaded");
  }
}

static void
read_table(struct elf_file *elf, const Elf64_Ehdr *head, const Elf64_Shdr *section, struct elf_table *table)
{
  Elf64_Shdr names;

  if(section->sh_entsize != sizeof(Elf64_Sym) || section->sh_link >= head->e_shnum) {
    elf_bad(elf, "a symbol table is damaged");
  }
  memcpy(&names, inside(elf, head->e_shoff + section->sh_link * sizeof(names), sizeof(names)), sizeof(names));
  inside(elf, section->sh_offset, section->sh_size);
  table->offset = section->sh_offset;
  table->count = section->sh_size / sizeof(Elf64_Sym);
  table->names = (const char *)inside(elf, names.sh_offset, names.sh_size);
  table->names_size = names.sh_size;
  if(names.sh_size == 0 || table->names[names.sh_size - 1] != 0) {
    elf_bad(elf, "a string table is damaged");
  }
}

static void
read_symbol_tables(struct elf_file *elf, const Elf64_Ehdr *head)
{
  if(head->e_shnum > 0 && head->e_shentsize != sizeof(Elf64_Shdr)) {
    elf_bad(elf, "section headers of an unknown size");
  }
  for(unsigned i = 0; i < head->e_shnum; i++) {
    Elf64_Shdr section;
    memcpy(&section, inside(elf, head->e_shoff + i * sizeof(section), sizeof(section)), sizeof(section));
    if(section.sh_type == SHT_DYNSYM) {
      read_table(elf, head, &section, &elf->dynamic_symbols);
    } else if(section.sh_type == SHT_SYMTAB) {
      read_table(elf, head, &section, &elf->all_symbols);
    }
  }
  if(elf->dynamic_symbols.count == 0) {
    elf_bad(elf, "it has no table of dynamic symbols");
  }
}

void
elf_open(struct elf_file *elf, const char *path)
{
  struct stat status;
  Elf64_Ehdr head;
  void *bytes;

  *elf = (struct elf_file){.path = path};
  elf->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if(elf->file < 0 || fstat(elf->file, &status) < 0) {
    report_error(ERROR_LOAD, "can't open the firmware %s: %s", path, strerror(errno));
  }
  if(!S_ISREG(status.st_mode) || status.st_size < (off_t)sizeof(head)) {
    elf_bad(elf, "not a firmware file");
  }
  elf->size = (uint64_t)status.st_size;
  bytes = mmap(NULL, elf->size, PROT_READ, MAP_PRIVATE, elf->file, 0);
  if(bytes == MAP_FAILED) {
    report_error(ERROR_LOAD, "can't read the firmware %s: %s", path, strerror(errno));
  }
  elf->bytes = bytes;
  memcpy(&head, elf->bytes, sizeof(head));
  if(memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
     head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_type != ET_DYN) {
    elf_bad(elf, "not a 64-bit shared object");
  }
  if(head.e_machine != HOST_MACHINE) {
    elf_bad(elf, "built for another kind of machine");
  }
  read_segments(elf, &head);
  read_symbol_tables(elf, &head);
}

const uint8_t *
elf_at(const struct elf_file *elf, uint64_t address, uint64_t size)
{
  for(int i = 0; i < elf->loads; i++) {
    const Elf64_Phdr *load = &elf->load[i];
    if(address >= load->p_vaddr && address - load->p_vaddr <= load->p_filesz &&
       size <= load->p_filesz - (address - load->p_vaddr)) {
      return elf->bytes + load->p_offset + (address - load->p_vaddr);
    }
  }
  return NULL;
}

Elf64_Dyn
elf_dynamic_entry(const struct elf_file *elf, uint64_t index)
{
  Elf64_Dyn entry = {0};

  if(index < elf->dynamic_count) {
    memcpy(&entry, elf->bytes + elf->dynamic_offset + index * sizeof(entry), sizeof(entry));
  }
  return entry; /* DT_NULL behind the end */
}

bool
elf_section(const struct elf_file *elf, unsigned index, Elf64_Shdr *section, const char **name)
{
  Elf64_Ehdr head;
  Elf64_Shdr names;

  memcpy(&head, elf->bytes, sizeof(head));
  if(index >= head.e_shnum) {
    return false;
  }
  if(head.e_shstrndx >= head.e_shnum) {
    elf_bad(elf, "its sections have no names");
  }
  memcpy(&names, inside(elf, head.e_shoff + head.e_shstrndx * sizeof(names), sizeof(names)), sizeof(names));
  memcpy(section, inside(elf, head.e_shoff + index * sizeof(*section), sizeof(*section)), sizeof(*section));
  inside(elf, names.sh_offset, names.sh_size);
  if(section->sh_name >= names.sh_size || elf->bytes[names.sh_offset + names.sh_size - 1] != 0) {
    elf_bad(elf, "the name of a section is damaged");
  }
  *name = (const char *)elf->bytes + names.sh_offset + section->sh_name;
  return true;
}

bool
elf_dynamic(const struct elf_file *elf, int64_t tag, uint64_t *value)
{
  for(uint64_t i = 0; elf_dynamic_entry(elf, i).d_tag != DT_NULL; i++) {
    if(elf_dynamic_entry(elf, i).d_tag == tag) {
      *value = elf_dynamic_entry(elf, i).d_un.d_val;
      return true;
    }
  }
  return false;
}

Elf64_Sym
elf_symbol(const struct elf_file *elf, const struct elf_table *table, uint64_t index, const char **name)
{
  Elf64_Sym symbol;

  if(index >= table->count) {
    elf_bad(elf, "a relocation names a symbol that isn't there");
  }
  memcpy(&symbol, elf->bytes + table->offset + index * sizeof(symbol), sizeof(symbol));
  if(symbol.st_name >= table->names_size) {
    elf_bad(elf, "a symbol's name is damaged");
  }
  *name = table->names + symbol.st_name;
  return symbol;
}

bool
elf_find(const struct elf_file *elf, const char *name, Elf64_Sym *found)
{
  const struct elf_table *tables[] = {&elf->dynamic_symbols, &elf->all_symbols};

  for(int t = 0; t < 2; t++) {
    for(uint64_t i = 1; i < tables[t]->count; i++) {
      const char *candidate;
      Elf64_Sym symbol = elf_symbol(elf, tables[t], i, &candidate);
      if(symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE && strcmp(candidate, name) == 0) {
        *found = symbol;
        return true;
      }
    }
  }
  return false;
}
