/* SPDX-License-Identifier: Apache-2.0 */
#include "ticks/contiki_ng.h"

#include <ctype.h>
#include <string.h>

static const char PRINTED[] = "Contiki-NG-", PROVEN[] = "5.0";

/* The files of Contiki-NG 5.0 that run in a tick, with their static variables. Compilers may remove those with MAY_LACK; the
   number of events depends on the user's configuration. */
enum { MAY_LACK = 1, ANY_SIZE = 2 };
static const struct {
  const char *file, *name;
  unsigned size, rule; /* bytes */
} VARIABLES[] = {
  {"mtype.c", "cooja_thread", 0, ANY_SIZE},
  {"mtype.c", "rtimer_thread", 0, ANY_SIZE},
  {"mtype.c", "process_run_thread", 0, ANY_SIZE},
  {"mtype.c", "pre_tick_actions_list", 8, 0},
  {"mtype.c", "post_tick_actions_list", 8, 0},
  {"mtype.c", "pre_tick_actions", 8, MAY_LACK},
  {"mtype.c", "post_tick_actions", 8, MAY_LACK},
  {"mtype.c", "initialized", 1, MAY_LACK},
  {"cooja_mt.c", "current", 8, 0},
  {"cooja_mt.c", "cooja_running_thread", 8, 0},
  {"process.c", "lastevent", 1, MAY_LACK},
  {"process.c", "nevents", 1, 0},
  {"process.c", "fevent", 1, 0},
  {"process.c", "poll_requested", 1, 0},
  {"process.c", "events", 0, ANY_SIZE},
  {"etimer.c", "timerlist", 8, 0},
  {"etimer.c", "next_expiration", 8, 0},
  {"rtimer.c", "next_rtimer", 8, 0},
  {"platform.c", NULL, 0, MAY_LACK},
  {"rtimer-arch.c", NULL, 0, MAY_LACK},
};
enum { COUNT = sizeof(VARIABLES) / sizeof(VARIABLES[0]) };

static bool
is_of_tick(const char *file)
{
  for(unsigned i = 0; i < COUNT; i++) {
    if(strcmp(VARIABLES[i].file, file) == 0) {
      return true;
    }
  }
  return false;
}

/* A function's static variable is NAME.NUMBER for gcc and FUNCTION.NAME for clang. */
static bool
is_named(const char *symbol, const char *name)
{
  size_t length = strlen(name), whole = strlen(symbol);

  return (strncmp(symbol, name, length) == 0 && (symbol[length] == 0 || symbol[length] == '.')) ||
    (whole > length && symbol[whole - length - 1] == '.' && strcmp(symbol + whole - length, name) == 0);
}

/* Its number in the list, or COUNT. */
static unsigned
find(const char *file, const char *symbol, uint64_t size)
{
  for(unsigned i = 0; i < COUNT; i++) {
    if(VARIABLES[i].name != NULL && strcmp(VARIABLES[i].file, file) == 0 && is_named(symbol, VARIABLES[i].name) &&
       ((VARIABLES[i].rule & ANY_SIZE) || VARIABLES[i].size == size)) {
      return i;
    }
  }
  return COUNT;
}

/* A file's local symbols follow its name in the table. */
static bool
has_known_variables(const struct firmware *firmware)
{
  const struct elf_file *elf = &firmware->elf;
  const char *name, *file = NULL;
  bool found[COUNT + 1] = {false};

  for(uint64_t i = 1; i < elf->all_symbols.count; i++) {
    Elf64_Sym symbol = elf_symbol(elf, &elf->all_symbols, i, &name);
    if(ELF64_ST_TYPE(symbol.st_info) == STT_FILE) {
      file = is_of_tick(name) ? name : NULL;
    } else if(file != NULL && ELF64_ST_BIND(symbol.st_info) == STB_LOCAL && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
              symbol.st_value >= firmware->data_start && symbol.st_value < firmware->data_end) {
      found[find(file, name, symbol.st_size)] = true;
    }
  }
  for(unsigned i = 0; i < COUNT; i++) {
    if(!found[i] && !(VARIABLES[i].rule & MAY_LACK)) {
      return false;
    }
  }
  return !found[COUNT];
}

/* As "release/v4.9-12-gabcdef" does, which ends with a 0. */
static bool
names_another_release(const char *text)
{
  const char *version = strstr(text, "/v"), *end;

  if(version == NULL || !isdigit((uint8_t)version[2])) {
    return false;
  }
  end = version + 2 + strlen(PROVEN);
  return strncmp(version + 2, PROVEN, strlen(PROVEN)) != 0 || isdigit((uint8_t)*end) || *end == '.';
}

static bool
prints_another_release(const struct elf_file *elf)
{
  const char *at = (const char *)elf->bytes, *end = at + elf->size;

  while((at = memmem(at, (size_t)(end - at), PRINTED, sizeof(PRINTED) - 1)) != NULL) {
    at += sizeof(PRINTED) - 1;
    if(memchr(at, 0, (size_t)(end - at)) == NULL || names_another_release(at)) {
      return true;
    }
  }
  return false;
}

bool
contiki_ng_is_known(const struct firmware *firmware)
{
  return has_known_variables(firmware) && !prints_another_release(&firmware->elf);
}
