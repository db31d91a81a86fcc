/* SPDX-License-Identifier: Apache-2.0 */
/* Loads as MSPSim does: every program header, by its physical address; what the file doesn't have is 0, in flash too. */
#include "msp430/image.h"

#include "base/memory.h"
#include "base/report.h"
#include "msp430/cpu.h"
#include "msp430/memory.h"
#include "msp430/profile.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_MSP430 = 105, LARGEST_FILE = 64 << 20, HIGHEST_SYMBOL = 0x100000 };

struct file {
  const uint8_t *bytes;
  size_t size;
};

static const char CUT_SHORT[] = "cut short: a table reaches behind the end of the file";

/* Copies a structure out of the file, which may not align it. */
static bool
copy_out(const struct file *file, uint64_t offset, void *to, size_t size)
{
  if(offset > file->size || size > file->size - offset) {
    return false;
  }
  memcpy(to, file->bytes + offset, size);
  return true;
}

static const char *
load_programs(const struct file *file, const Elf32_Ehdr *head, struct msp430_image *image)
{
  uint8_t *memory = image->memory;
  Elf32_Phdr program;

  if(head->e_phnum == 0) {
    return "without program headers: it isn't linked";
  }
  for(unsigned i = 0; i < head->e_phnum; i++) {
    uint32_t room;
    if(!copy_out(file, head->e_phoff + (uint64_t)i * sizeof(program), &program, sizeof(program))) {
      return CUT_SHORT;
    }
    if(program.p_filesz == 0 && program.p_memsz == 0) {
      continue;
    }
    if(program.p_paddr >= MSP430_MEMORY || program.p_filesz > MSP430_MEMORY - program.p_paddr) {
      return "too large: part of it lies above 0xffff, where an MSP430F1611 has no memory";
    }
    if(!copy_out(file, program.p_offset, memory + program.p_paddr, program.p_filesz)) {
      return "cut short: a segment reaches behind the end of the file";
    }
    for(uint32_t at = program.p_paddr; at < program.p_paddr + program.p_filesz; at++) {
      image->in_file[at / 8] |= (uint8_t)(1 << at % 8);
    }
    room = MSP430_MEMORY - program.p_paddr;
    if(program.p_memsz > program.p_filesz) {
      uint32_t size = program.p_memsz < room ? program.p_memsz : room;
      memset(memory + program.p_paddr + program.p_filesz, 0, size - program.p_filesz);
    }
  }
  return NULL;
}

/* Cooja takes symbols without a type for variables, too, unless their names begin with an underscore. */
static void
add_symbol(struct msp430_image *image, const Elf32_Sym *symbol, const char *name)
{
  unsigned type = ELF32_ST_TYPE(symbol->st_info);
  bool in_memory = symbol->st_value > 0 && symbol->st_value < HIGHEST_SYMBOL;

  if(strcmp(name, "_end") == 0 && symbol->st_value > RAM_BEGIN && symbol->st_value < RAM_END) {
    image->data_end = symbol->st_value;
  }
  if(type == STT_NOTYPE ? name[0] == '_' || strcmp(name, "Letext") == 0 :
                          !in_memory || (type != STT_FUNC && type != STT_OBJECT)) {
    return;
  }
  image->symbols[image->symbol_count++] = (struct image_symbol){
    .name = name, .address = symbol->st_value, .size = type == STT_NOTYPE ? 0 : symbol->st_size,
    .function = type == STT_FUNC};
}

static const char *
load_symbols(const struct file *file, const Elf32_Ehdr *head, struct msp430_image *image)
{
  Elf32_Shdr section, table = {0}, names;
  uint32_t count;

  for(unsigned i = 0; i < head->e_shnum; i++) {
    if(!copy_out(file, head->e_shoff + (uint64_t)i * sizeof(section), &section, sizeof(section))) {
      return CUT_SHORT;
    }
    if(section.sh_type == SHT_SYMTAB) {
      table = section;
    }
  }
  if(table.sh_type != SHT_SYMTAB) {
    return "without symbols, which Cooja needs: don't strip it";
  }
  if(table.sh_entsize != sizeof(Elf32_Sym) || table.sh_link >= head->e_shnum) {
    return "with a symbol table of an unknown form";
  }
  if(!copy_out(file, head->e_shoff + (uint64_t)table.sh_link * sizeof(names), &names, sizeof(names)) ||
     names.sh_size > file->size || table.sh_size > file->size) {
    return CUT_SHORT;
  }
  image->names = allocate(names.sh_size + 1, 1);
  if(!copy_out(file, names.sh_offset, image->names, names.sh_size)) {
    return CUT_SHORT;
  }
  count = table.sh_size / sizeof(Elf32_Sym);
  image->symbols = allocate(count, sizeof(*image->symbols));
  for(uint32_t i = 0; i < count; i++) {
    Elf32_Sym symbol;
    if(!copy_out(file, table.sh_offset + (uint64_t)i * sizeof(symbol), &symbol, sizeof(symbol))) {
      return CUT_SHORT;
    }
    if(symbol.st_name < names.sh_size) {
      add_symbol(image, &symbol, image->names + symbol.st_name);
    }
  }
  return NULL;
}

static const char *
wrong_header(const struct file *file, Elf32_Ehdr *head)
{
  if(file->size < EI_NIDENT || memcmp(file->bytes, ELFMAG, SELFMAG) != 0) {
    return "no ELF file";
  }
  if(file->bytes[EI_CLASS] != ELFCLASS32 || file->bytes[EI_DATA] != ELFDATA2LSB ||
     (copy_out(file, 0, head, sizeof(*head)) && head->e_machine != MACHINE_MSP430)) {
    return "for another processor than an MSP430";
  }
  if(file->size < sizeof(*head)) {
    return "cut short in its header";
  }
  if((head->e_phnum > 0 && head->e_phentsize != sizeof(Elf32_Phdr)) ||
     (head->e_shnum > 0 && head->e_shentsize != sizeof(Elf32_Shdr))) {
    return "with headers of an unknown size";
  }
  return NULL;
}

struct msp430_image *
msp430_image_parse(const uint8_t *bytes, size_t size, const char **wrong)
{
  struct file file = {bytes, size};
  struct msp430_image *image;
  Elf32_Ehdr head;

  *wrong = wrong_header(&file, &head);
  if(*wrong != NULL) {
    return NULL;
  }
  image = allocate(1, sizeof(*image));
  *wrong = load_programs(&file, &head, image);
  if(*wrong == NULL) {
    *wrong = load_symbols(&file, &head, image);
  }
  if(*wrong != NULL) {
    msp430_image_free(image);
    return NULL;
  }
  image->instructions = cpu_new_instructions();
  return image;
}

struct msp430_image *
msp430_image_raw(const uint8_t *memory)
{
  struct msp430_image *image = allocate(1, sizeof(*image));

  memcpy(image->memory, memory, MSP430_MEMORY);
  image->instructions = cpu_new_instructions();
  return image;
}

struct msp430_image *
msp430_image_read(const char *path)
{
  FILE *file = fopen(path, "rb");
  const char *wrong = NULL;
  struct msp430_image *image;
  uint8_t *bytes = NULL;
  size_t size = 0, room = 1 << 16;

  if(file == NULL) {
    report_error(ERROR_LOAD, "%s: %s", path, strerror(errno));
  }
  do {
    room *= 2;
    bytes = reallocate(bytes, room, 1);
    size += fread(bytes + size, 1, room - size, file);
  } while(size == room && room < LARGEST_FILE);
  if(ferror(file)) {
    report_error(ERROR_LOAD, "%s: %s", path, strerror(errno));
  }
  fclose(file);
  image = msp430_image_parse(bytes, size, &wrong);
  free(bytes);
  if(image == NULL) {
    report_error(ERROR_LOAD, "%s is %s", path, wrong);
  }
  return image;
}

void
msp430_image_count(struct msp430_image *image)
{
  image->profile = profile_new();
}

int64_t
msp430_image_cycles(const struct msp430_image *image, uint32_t address)
{
  return image->profile == NULL ? 0 : profile_cycles(image->profile, address);
}

void
msp430_image_free(struct msp430_image *image)
{
  free(image->instructions);
  free(image->profile);
  free(image->symbols);
  free(image->names);
  free(image);
}

bool
msp430_image_variable(const struct msp430_image *image, const char *name, uint32_t *address, uint32_t *size)
{
  for(uint32_t i = image->symbol_count; i > 0; i--) {
    const struct image_symbol *symbol = &image->symbols[i - 1];
    if(!symbol->function && strcmp(symbol->name, name) == 0) {
      *address = symbol->address;
      *size = symbol->size;
      return true;
    }
  }
  return false;
}

static bool
in_file(const struct msp430_image *image, uint32_t address)
{
  return address < MSP430_MEMORY && (image->in_file[address / 8] >> address % 8 & 1);
}

/* Of a symbol without a size, as assemblers make them, it is the function up to the next one. */
const char *
msp430_image_function(const struct msp430_image *image, uint32_t address, uint32_t *start)
{
  const struct image_symbol *best = NULL;

  for(uint32_t i = 0; i < image->symbol_count; i++) {
    const struct image_symbol *symbol = &image->symbols[i];
    if(symbol->function && symbol->address <= address && (best == NULL || symbol->address >= best->address)) {
      best = symbol;
    }
  }
  if(best == NULL || (best->size > 0 ? address - best->address >= best->size : !in_file(image, address))) {
    return NULL;
  }
  *start = best->address;
  return best->name;
}

bool
msp430_image_after_call(const struct msp430_image *image, uint32_t address)
{
  enum { CALL_CODE = 0x1280, CALL_MASK = 0xffc0, MODE = 0x30, INDEXED_MODE = 0x10, IMMEDIATE = 0x30 };

  for(uint32_t size = 2; size <= 4; size += 2) {
    uint32_t at = address - size;
    uint16_t code;
    if(address % 2 != 0 || !in_file(image, at)) {
      continue;
    }
    code = (uint16_t)(image->memory[at] | image->memory[at + 1] << 8);
    if((code & CALL_MASK) == CALL_CODE &&
       (size == 4) == ((code & MODE) == INDEXED_MODE || ((code & MODE) == IMMEDIATE && (code & 15) == MSP430_PC))) {
      return true;
    }
  }
  return false;
}
