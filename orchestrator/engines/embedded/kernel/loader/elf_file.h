/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a shared object for this machine: its segments, symbols, relocations and
 * the names of its libraries. All references are checked to stay within the file.
 * Structures are copied, because a file may not align them.
 */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_SEGMENTS = 16 };

struct elf_table { /* of symbols */
  uint64_t offset, count;
  const char *names; /* ends with 0 */
  uint64_t names_size;
};

struct elf_file {
  const char *path;
  int file;
  const uint8_t *bytes; /* the whole file */
  uint64_t size;
  Elf64_Phdr load[MOST_SEGMENTS];
  int loads;
  uint64_t dynamic_offset, dynamic_count;
  struct elf_table dynamic_symbols, all_symbols;
};

/* Opens and checks a file, which stays open; a bad one ends the process with a report. */
void elf_open(struct elf_file *elf, const char *path);

/* The file's bytes for [address, address + size), or NULL if no segment has them in the file. */
const uint8_t *elf_at(const struct elf_file *elf, uint64_t address, uint64_t size);

/* Reads a section's header and name; returns false if there is no such section. */
bool elf_section(const struct elf_file *elf, unsigned index, Elf64_Shdr *section, const char **name);

/* Finds the first dynamic entry with this tag; returns false if there is none. */
bool elf_dynamic(const struct elf_file *elf, int64_t tag, uint64_t *value);

Elf64_Dyn elf_dynamic_entry(const struct elf_file *elf, uint64_t index);

/* The symbol and its name (inside the file); reports an error for an index out of range. */
Elf64_Sym elf_symbol(const struct elf_file *elf, const struct elf_table *table, uint64_t index, const char **name);

/* Finds a defined symbol by its name, in the dynamic table and then in the full one. */
bool elf_find(const struct elf_file *elf, const char *name, Elf64_Sym *symbol);

_Noreturn void elf_bad(const struct elf_file *elf, const char *what);

#endif
