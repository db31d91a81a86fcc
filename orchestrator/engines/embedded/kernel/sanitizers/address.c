/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that gcc's -fsanitize=kernel-address calls. The shadow is at AddressSanitizer's address on x86-64, with one
 * byte for eight bytes of memory: 0: all are accessible, 1 to 7: the first so many, other values: none. Instrumented code
 * itself poisons the red zones on its stack, and the whole frame when the function returns.
 */
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "sanitizers/sanitizer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GRANULE = 8, RED_ZONE_OF_GLOBAL = 0xf9, AFTER_SCOPE = 0xf8, AFTER_RETURN = 0xf5 };
static const uint64_t END = UINT64_C(1) << 47; /* of what a program may address */
static const uint64_t SHADOW = 0x7fff8000; /* as build/sanitizers.py tells the compiler */

struct global { /* as the compiler describes a variable */
  uintptr_t start, size, size_with_red_zone;
  const char *name, *module;
  uintptr_t dynamic;
  const void *place, *odr;
};

struct globals { /* registered at once: those of a source file and mote */
  const struct global *list;
  uintptr_t count;
};

/* Static because instrumented code calls these functions, and the shadow belongs to the whole process. */
static struct globals *registered;
static size_t registrations;

static int8_t *
shadow_of(uintptr_t address)
{
  return (int8_t *)(SHADOW + (address >> 3));
}

void
sanitizer_open(const char *path)
{
#if defined(__x86_64__)
  static bool open;
  const size_t size = END >> 3;

  (void)path;
  if(open) {
    return;
  }
  if(mmap((void *)SHADOW, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
          -1, 0) != (void *)SHADOW) {
    report_error(ERROR_MEMORY, "no address space for the sanitizer's shadow: %s; lift the limit of virtual memory (ulimit -v)",
                 strerror(errno));
  }
  madvise((void *)SHADOW, size, MADV_DONTDUMP);
  open = true;
#else
  report_error(ERROR_LOAD, "%s is compiled to check addresses, which works on x86-64 only", path);
#endif
}

static const struct global *
global_at(uintptr_t address)
{
  for(size_t i = 0; i < registrations; i++) {
    for(uintptr_t j = 0; j < registered[i].count; j++) {
      const struct global *global = &registered[i].list[j];
      if(address >= global->start && address - global->start < global->size_with_red_zone) {
        return global;
      }
    }
  }
  return NULL;
}

_Noreturn static void
found(uintptr_t address, size_t size, bool write, const void *from)
{
  static char message[400];
  struct text text = {message, 0, sizeof(message) - 1};
  const struct global *global = global_at(address);

  text_add(&text, write ? "write of " : "read of ");
  text_add_number(&text, (int64_t)size);
  text_add(&text, size == 1 ? " byte" : " bytes");
  if(global != NULL) {
    text_add(&text, " at byte ");
    text_add_number(&text, (int64_t)(address - global->start));
    text_add(&text, " of ");
    text_add(&text, global->name);
    text_add(&text, ", which has ");
    text_add_number(&text, (int64_t)global->size);
  } else {
    int state = *shadow_of(address) & 0xff;
    text_add(&text, state == RED_ZONE_OF_GLOBAL ? " outside of any variable" :
             state == AFTER_SCOPE ? " of a local variable whose block has ended" :
             state == AFTER_RETURN ? " of a local variable whose function has returned" : " outside of the local variables");
  }
  message[text.used] = 0;
  sanitizer_found(message, from, (const void *)address);
  abort();
}

/* The first byte that is not accessible, or 0. */
static uintptr_t
poisoned(uintptr_t start, size_t size)
{
  for(uintptr_t at = start; at < start + size; at = (at | (GRANULE - 1)) + 1) {
    int8_t state = *shadow_of(at);
    uintptr_t last = (at | (GRANULE - 1)) < start + size - 1 ? at | (GRANULE - 1) : start + size - 1;
    if(state != 0 && (state < 0 || (int8_t)(last & (GRANULE - 1)) >= state)) {
      return state < 0 || (int8_t)(at & (GRANULE - 1)) >= state ? at : (at & ~(uintptr_t)(GRANULE - 1)) + (uintptr_t)state;
    }
  }
  return 0;
}

static inline void
check(uintptr_t address, size_t size, bool write, const void *from)
{
  uintptr_t bad;

  if(address + size <= END && address + size >= address && (bad = poisoned(address, size)) != 0) {
    found(bad, size, write, from);
  }
}

#define FROM __builtin_return_address(0)
#define CHECKS(size) \
  static void load##size(uintptr_t address) { check(address, size, false, FROM); } \
  static void store##size(uintptr_t address) { check(address, size, true, FROM); }
CHECKS(1)
CHECKS(2)
CHECKS(4)
CHECKS(8)
CHECKS(16)
static void load_n(uintptr_t address, size_t size) { check(address, size, false, FROM); }
static void store_n(uintptr_t address, size_t size) { check(address, size, true, FROM); }

static void
register_globals(const struct global *list, uintptr_t count)
{
  registered = reallocate(registered, registrations + 1, sizeof(*registered));
  registered[registrations++] = (struct globals){list, count};
  for(uintptr_t i = 0; i < count; i++) {
    uintptr_t end = list[i].start + list[i].size, whole = (end + GRANULE - 1) & ~(uintptr_t)(GRANULE - 1);
    if(end != whole) {
      *shadow_of(end) = (int8_t)(end & (GRANULE - 1));
    }
    memset(shadow_of(whole), RED_ZONE_OF_GLOBAL, (list[i].start + list[i].size_with_red_zone - whole) / GRANULE);
  }
}

static void
nothing(void)
{
}

static void
set_shadow(uintptr_t start, size_t size, int state)
{
  memset(shadow_of(start), state, (size + GRANULE - 1) / GRANULE);
}

static void poison_stack(uintptr_t start, size_t size) { set_shadow(start, size, AFTER_SCOPE); }

static void
unpoison_stack(uintptr_t start, size_t size)
{
  set_shadow(start, size, 0);
  if(size % GRANULE != 0) {
    *shadow_of(start + size) = (int8_t)(size % GRANULE);
  }
}

/*
 * Frames of functions whose local variables have addresses. Instrumented code asks for a frame on entry, and poisons and
 * releases it on return (gcc/asan.cc, asan_emit_stack_protection). A frame is used again only after all others of its size,
 * so a pointer to it that outlives the function points to poison for some time.
 */
enum { FRAME_SIZES = 11, SMALLEST_FRAME = 64, FRAME_MEMORY = 4 << 20 }; /* 64 bytes to 64 KiB, as gcc defines; bytes for each size */
static const uintptr_t FRAMES_AT = 0x300000000000; /* a hint, above the motes (loader/load.c): addresses print alike in each run */

/* Static for the same reason as the list of globals. */
static struct frames {
  uint8_t *memory; /* NULL until the first use */
  bool *in_use;
  size_t next;
} frames[FRAME_SIZES];

static const int frames_wanted = 1; /* instrumented code reads it as __asan_option_detect_stack_use_after_return */

/* Returns NULL if there is none: the caller then has its frame on the stack. */
static void *
frame_new(unsigned size_class)
{
  struct frames *all = &frames[size_class];
  const size_t size = (size_t)SMALLEST_FRAME << size_class, count = FRAME_MEMORY / size;

  if(all->memory == NULL) {
    void *memory = mmap((void *)(FRAMES_AT + (uintptr_t)size_class * FRAME_MEMORY), FRAME_MEMORY, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if(memory == MAP_FAILED) {
      return NULL;
    }
    all->memory = memory;
    all->in_use = reallocate(NULL, count, sizeof(*all->in_use));
    memset(all->in_use, 0, count * sizeof(*all->in_use));
  }
  for(size_t tries = 0; tries < count; tries++) {
    size_t i = all->next;
    all->next = (i + 1) % count;
    if(!all->in_use[i]) {
      uint8_t *frame = all->memory + i * size;
      bool *flag = &all->in_use[i];
      *flag = true;
      memcpy(frame + size - sizeof(flag), &flag, sizeof(flag)); /* where instrumented code expects it */
      set_shadow((uintptr_t)frame, size, 0);
      return frame;
    }
  }
  return NULL;
}

static void
frame_release(unsigned size_class, uintptr_t frame)
{
  const size_t size = (size_t)SMALLEST_FRAME << size_class;

  set_shadow(frame, size, AFTER_RETURN);
  frames[size_class].in_use[(frame - (uintptr_t)frames[size_class].memory) / size] = false;
}

#define FRAMES(size_class) \
  static void *new_frame##size_class(size_t size) { (void)size; return frame_new(size_class); } \
  static void release_frame##size_class(uintptr_t frame, size_t size) { (void)size; frame_release(size_class, frame); }
FRAMES(0)
FRAMES(1)
FRAMES(2)
FRAMES(3)
FRAMES(4)
FRAMES(5)
FRAMES(6)
FRAMES(7)
FRAMES(8)
FRAMES(9)
FRAMES(10)

/* libc's memory functions don't check the shadow. */
static void *
checked_memcpy(void *to, const void *from, size_t size)
{
  check((uintptr_t)from, size, false, FROM);
  check((uintptr_t)to, size, true, FROM);
  return memcpy(to, from, size);
}

static void *
checked_memmove(void *to, const void *from, size_t size)
{
  check((uintptr_t)from, size, false, FROM);
  check((uintptr_t)to, size, true, FROM);
  return memmove(to, from, size);
}

static void *
checked_memset(void *to, int byte, size_t size)
{
  check((uintptr_t)to, size, true, FROM);
  return memset(to, byte, size);
}

static int
checked_memcmp(const void *a, const void *b, size_t size)
{
  check((uintptr_t)a, size, false, FROM);
  check((uintptr_t)b, size, false, FROM);
  return memcmp(a, b, size);
}

static size_t
checked_strlen(const char *text)
{
  size_t length = strlen(text);

  check((uintptr_t)text, length + 1, false, FROM);
  return length;
}

static char *
checked_strcpy(char *to, const char *from)
{
  size_t size = strlen(from) + 1;

  check((uintptr_t)from, size, false, FROM);
  check((uintptr_t)to, size, true, FROM);
  return memcpy(to, from, size);
}

static char *
checked_strncpy(char *to, const char *from, size_t size)
{
  size_t length = strnlen(from, size);

  check((uintptr_t)from, length < size ? length + 1 : size, false, FROM);
  check((uintptr_t)to, size, true, FROM);
  return strncpy(to, from, size);
}

#define ADDRESS(function) ((void *)(uintptr_t)(function))
#define FRAME_FUNCTIONS(size_class) \
  {"__asan_stack_malloc_" #size_class, ADDRESS(new_frame##size_class)}, \
  {"__asan_stack_free_" #size_class, ADDRESS(release_frame##size_class)}

void *
address_function(const char *name)
{
  const struct {
    const char *name;
    void *address;
  } table[] = {
    {"__asan_load1", ADDRESS(load1)}, {"__asan_store1", ADDRESS(store1)}, {"__asan_load2", ADDRESS(load2)},
    {"__asan_store2", ADDRESS(store2)}, {"__asan_load4", ADDRESS(load4)}, {"__asan_store4", ADDRESS(store4)},
    {"__asan_load8", ADDRESS(load8)}, {"__asan_store8", ADDRESS(store8)}, {"__asan_load16", ADDRESS(load16)},
    {"__asan_store16", ADDRESS(store16)}, {"__asan_loadN", ADDRESS(load_n)}, {"__asan_storeN", ADDRESS(store_n)},
    {"__asan_register_globals", ADDRESS(register_globals)}, {"__asan_unregister_globals", ADDRESS(nothing)},
    {"__asan_handle_no_return", ADDRESS(nothing)}, {"__asan_before_dynamic_init", ADDRESS(nothing)},
    {"__asan_after_dynamic_init", ADDRESS(nothing)}, {"__asan_init", ADDRESS(nothing)},
    {"__asan_poison_stack_memory", ADDRESS(poison_stack)}, {"__asan_unpoison_stack_memory", ADDRESS(unpoison_stack)},
    {"__asan_option_detect_stack_use_after_return", ADDRESS(&frames_wanted)},
    FRAME_FUNCTIONS(0), FRAME_FUNCTIONS(1), FRAME_FUNCTIONS(2), FRAME_FUNCTIONS(3), FRAME_FUNCTIONS(4), FRAME_FUNCTIONS(5),
    FRAME_FUNCTIONS(6), FRAME_FUNCTIONS(7), FRAME_FUNCTIONS(8), FRAME_FUNCTIONS(9), FRAME_FUNCTIONS(10),
    {"memcpy", ADDRESS(checked_memcpy)}, {"memmove", ADDRESS(checked_memmove)}, {"memset", ADDRESS(checked_memset)},
    {"memcmp", ADDRESS(checked_memcmp)}, {"strlen", ADDRESS(checked_strlen)}, {"strcpy", ADDRESS(checked_strcpy)},
    {"strncpy", ADDRESS(checked_strncpy)},
  };
  size_t length = strlen(name);
  static const char GOES_ON[] = "_noabort";

  if(strncmp(name, "__asan_", 7) == 0 && length > sizeof(GOES_ON) && strcmp(name + length - sizeof(GOES_ON) + 1, GOES_ON) == 0) {
    length -= sizeof(GOES_ON) - 1;
  }
  for(size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
    if(strncmp(table[i].name, name, length) == 0 && table[i].name[length] == 0) {
      return table[i].address;
    }
  }
  return NULL;
}

void *
sanitizer_function(const char *name, bool addresses)
{
  void *address = undefined_function(name);

  return address == NULL && addresses ? address_function(name) : address;
}
