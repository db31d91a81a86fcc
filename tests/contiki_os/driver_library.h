/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware that driver.c ticks: one loaded object, whose data and bss are those of the mote
   that was copied in last. */
#ifndef DRIVER_LIBRARY_H_
#define DRIVER_LIBRARY_H_

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;
static char *data_start, *bss_start;
static size_t data_size, bss_size;
static void (*tick)(void);

static void *
symbol(const char *name)
{
  void *address = dlsym(library, name);

  if(address == NULL) {
    fprintf(stderr, "driver: no symbol %s\n", name);
    exit(2);
  }
  return address;
}

#define VAR(type, name) (*(type *)symbol(name))

static void
swap_in(const char *memory)
{
  memcpy(data_start, memory, data_size);
  memcpy(bss_start, memory + data_size, bss_size);
}

static void
swap_out(char *memory)
{
  memcpy(memory, data_start, data_size);
  memcpy(memory + data_size, bss_start, bss_size);
}

static void
driver_library_open(const char *path)
{
  int (*init)(void);

  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if(library == NULL) {
    fprintf(stderr, "driver: %s\n", dlerror());
    exit(2);
  }
  data_start = symbol("cooja_dataStart");
  bss_start = symbol("cooja_bssStart");
  data_size = (size_t)dlsym(library, "cooja_dataSize");
  bss_size = (size_t)dlsym(library, "cooja_bssSize");
  *(void **)&tick = symbol("cooja_tick");
  *(void **)&init = symbol("cooja_init");
  init();
}

#endif
