/* SPDX-License-Identifier: Apache-2.0 */
#include "ticks/idle.h"

#include "libc/context.h"
#include "loader/relocations.h"
#include "ticks/contiki_ng.h"
#include "ticks/drivers.h"

#include <string.h>

enum { DEEPEST = 64, MOST_ACTIONS = 16 }; /* words of one function's frame; interfaces */

static bool
find_range(const struct firmware *firmware, const char *name, struct code_range *range)
{
  Elf64_Sym symbol;

  if(!elf_find(&firmware->elf, name, &symbol) || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) {
    return false;
  }
  *range = (struct code_range){symbol.st_value, symbol.st_size};
  return true;
}

static bool
find_variable(const struct firmware *firmware, const char *name, size_t size, uint64_t *offset)
{
  uint64_t found;

  return firmware_variable(firmware, name, offset, &found) && found == size;
}

static bool
is_contiki_ng(const struct firmware *firmware, struct idle_rules *rules)
{
  return find_range(firmware, "process_run_thread_loop", &rules->process_loop) &&
    find_range(firmware, "rtimer_thread_loop", &rules->rtimer_loop) &&
    find_range(firmware, "platform_main_loop", &rules->main_loop) &&
    find_variable(firmware, "pre_tick_actions_list", sizeof(void *), &rules->before_tick) &&
    find_variable(firmware, "post_tick_actions_list", sizeof(void *), &rules->after_tick) &&
    !relocations_name(&firmware->elf, "etimer_adjust") && contiki_ng_is_known(firmware);
}

void
idle_open(struct mote_type *type, bool skip)
{
  const struct firmware *firmware = &type->firmware;
  struct idle_rules *rules = &type->idle;
  Elf64_Sym symbol;

  *rules = (struct idle_rules){0};
  if(!skip || (type->interfaces & WITH_ContikiRadio) == 0 ||
     !find_variable(firmware, "simLastSignalStrength", sizeof(int), &rules->last_signal) ||
     !find_variable(firmware, "simLastLQI", sizeof(int), &rules->last_lqi)) {
    return;
  }
  if(elf_find(&firmware->elf, IDLE_SYMBOL, &symbol)) {
    rules->kind = IDLE_AS_DECLARED;
    if(!firmware_function(firmware, IGNORES_SYMBOL, &rules->ignores)) {
      rules->ignores = 0;
    }
  } else if(is_contiki_ng(firmware, rules)) {
    rules->kind = IDLE_CONTIKI_NG;
  }
}

struct action { /* Contiki-NG's struct cooja_tick_action */
  uint8_t *next;
  uintptr_t function;
};

static bool
is_data_of(const struct mote_type *type, const struct mote *mote, const uint8_t *at, size_t size)
{
  uintptr_t offset = (uintptr_t)at - (uintptr_t)mote->image;

  return offset >= type->firmware.data_start && offset <= type->firmware.data_end - size;
}

/* Does the mote do nothing after a tick, and before it exactly what idle_skip() does in its place? */
static bool
only_known_actions(const struct mote_type *type, const struct mote *mote)
{
  uintptr_t code = (uintptr_t)firmware_code(&type->firmware, mote->image);
  uint64_t functions[MOST_ACTIONS];
  unsigned count = 0;
  uint8_t *at, *after;

  memcpy(&at, mote->image + type->idle.before_tick, sizeof(at));
  memcpy(&after, mote->image + type->idle.after_tick, sizeof(after));
  for(; count < MOST_ACTIONS && at != NULL; count++) {
    struct action action;
    if(!is_data_of(type, mote, at, sizeof(action))) {
      return false;
    }
    memcpy(&action, at, sizeof(action));
    functions[count] = action.function - code;
    at = action.next;
  }
  return at == NULL && after == NULL && drivers_are_known(&type->firmware, functions, count);
}

/* The offset in the image of the context that the mote made last for a function. */
static bool
find_thread(const struct mote_type *type, const struct mote *mote, const struct code_range *function, uint64_t *offset)
{
  uintptr_t code = (uintptr_t)firmware_code(&type->firmware, mote->image);
  const ucontext_t *context = context_made_for(code + function->start);

  *offset = (uint64_t)((const uint8_t *)context - mote->image);
  return context != NULL && *offset >= type->firmware.data_start && *offset < type->firmware.data_end;
}

void
idle_booted(struct mote_type *type, const struct mote *mote)
{
  struct idle_rules *rules = &type->idle;

  if(rules->kind == IDLE_CONTIKI_NG && rules->process_thread == 0 &&
     !(find_thread(type, mote, &rules->process_loop, &rules->process_thread) &&
       find_thread(type, mote, &rules->rtimer_loop, &rules->rtimer_thread) && only_known_actions(type, mote))) {
    rules->kind = IDLE_NEVER;
  }
}

/* Does the word `slot` places above a thread's stack pointer point into this function? */
static bool
word_is_in(const struct mote_type *type, const struct mote *mote, uint64_t thread, unsigned slot, const struct code_range *function)
{
  const ucontext_t *context = (const void *)(mote->image + thread);
  uintptr_t code = (uintptr_t)firmware_code(&type->firmware, mote->image), word = context_stack(context) + slot * sizeof(word);

  if(!is_data_of(type, mote, (const uint8_t *)word, sizeof(word))) {
    return false;
  }
  memcpy(&word, (const void *)word, sizeof(word));
  return word - code - function->start < function->size;
}

/* In the first tick both threads yield from the functions with which they begin. The slot of the return address, which is
   then in such a function, is the same whenever a thread yields. */
static void
learn_slot(struct mote_type *type, const struct mote *mote)
{
  struct idle_rules *rules = &type->idle;

  for(unsigned slot = 1; slot < DEEPEST; slot++) {
    if(word_is_in(type, mote, rules->process_thread, slot, &rules->process_loop) &&
       word_is_in(type, mote, rules->rtimer_thread, slot, &rules->rtimer_loop)) {
      rules->slot = slot;
      return;
    }
  }
  rules->kind = IDLE_NEVER;
}

/* Finds until when no timer makes a tick do anything, and when timers need a wake-up. */
static void
look_at_timers(const struct mote_type *type, struct mote *mote, int64_t now)
{
  int64_t rtimer = ABI(mote, simRtimerNextExpirationTime), etimer = ABI(mote, simEtimerNextExpirationTime), until;
  bool pending = ABI(mote, simRtimerPending) != 0;

  mote->idle_wake = pending ? rtimer : INT64_MAX;
  /* Contiki-NG's rtimer fires at exactly that time, pending or not. */
  until = (type->idle.kind == IDLE_CONTIKI_NG ? rtimer >= now : pending) ? rtimer : INT64_MAX;
  if(ABI(mote, simEtimerPending) != 0) {
    if(__builtin_mul_overflow(etimer, 1000, &etimer) || __builtin_sub_overflow(etimer, mote->drift_us, &etimer)) {
      return;
    }
    mote->idle_wake = etimer < mote->idle_wake ? etimer : mote->idle_wake;
    until = etimer < until ? etimer : until;
  }
  mote->idle_from = now;
  mote->idle_span = until > now ? (uint64_t)until - (uint64_t)now : 0;
}

void
idle_after_tick(struct mote_type *type, struct mote *mote, int64_t now)
{
  struct idle_rules *rules = &type->idle;

  mote_must_tick(mote);
  if(rules->kind == IDLE_CONTIKI_NG && rules->slot == 0) {
    learn_slot(type, mote);
  }
  /* Overwritten variables may have values that the firmware takes for on and Cooja for off, because it compares with 1. */
  if(rules->kind == IDLE_NEVER || ABI(mote, simProcessRunValue) != 0 ||
     ((ABI(mote, simReceiving) | ABI(mote, simRadioHWOn)) & ~1) != 0) {
    return;
  }
  if(rules->kind == IDLE_CONTIKI_NG &&
     !(word_is_in(type, mote, rules->process_thread, rules->slot, &rules->main_loop) &&
       word_is_in(type, mote, rules->rtimer_thread, rules->slot, &rules->rtimer_loop))) {
    return;
  }
  look_at_timers(type, mote, now);
}
