/* SPDX-License-Identifier: Apache-2.0 */
#include "observation/fault_location.h"

#include "motes/simulation.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

enum { STACK_WORDS = 1024 };

static sigjmp_buf unwinding;

static bool
registers(const void *signal_context, uint64_t *instruction, uint64_t *stack)
{
  const ucontext_t *context = signal_context;

#if defined(__x86_64__)
  *instruction = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
  *stack = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
  return true;
#elif defined(__aarch64__)
  *instruction = context->uc_mcontext.pc;
  *stack = context->uc_mcontext.sp;
  return true;
#else
  (void)context;
  return false;
#endif
}

static bool
in_code(const struct mote *mote, uint64_t address, uint64_t *offset)
{
  const struct firmware *firmware = &mote->type->firmware;
  const struct elf_file *elf = &firmware->elf;

  *offset = firmware_place(firmware, mote->image, address);
  for(int i = 0; i < elf->loads; i++) {
    if((elf->load[i].p_flags & PF_X) && *offset >= elf->load[i].p_vaddr &&
       *offset - elf->load[i].p_vaddr < elf->load[i].p_memsz) {
      return true;
    }
  }
  return false;
}

struct search {
  const struct mote *mote;
  uint64_t offset;
  bool found;
};

static _Unwind_Reason_Code
look_at_frame(struct _Unwind_Context *context, void *into)
{
  struct search *search = into;

  search->found = in_code(search->mote, (uint64_t)_Unwind_GetIP(context), &search->offset);
  return search->found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

_Noreturn static void
stack_is_broken(int signal)
{
  (void)signal;
  siglongjmp(unwinding, 1);
}

/* The frame that called libc, by the unwinding tables of libc: abort() calls on, and its frames hold old return addresses
   of the mote's code. The stack may be broken, which is a signal. */
static bool
unwound_caller(const struct mote *mote, uint64_t *offset)
{
  static const int BROKEN[] = {SIGSEGV, SIGBUS};
  static struct search search;
  struct sigaction escape = {.sa_handler = stack_is_broken, .sa_flags = SA_ONSTACK | SA_NODEFER}, before[2];

  search = (struct search){.mote = mote};
  for(int i = 0; i < 2; i++) {
    sigaction(BROKEN[i], &escape, &before[i]);
  }
  if(sigsetjmp(unwinding, 1) == 0) {
    _Unwind_Backtrace(look_at_frame, &search);
  }
  for(int i = 0; i < 2; i++) {
    sigaction(BROKEN[i], &before[i], NULL);
  }
  *offset = search.offset - 1; /* in the call, not behind it */
  return search.found;
}

/* The first word on the stack that points into the mote's code, which most likely is the return address of its call. The
   stack is read through a file, which gives an error and not a signal where there is no memory. */
static bool
caller(const struct mote *mote, uint64_t stack, uint64_t *offset)
{
  static uint64_t words[STACK_WORDS]; /* more than a signal handler's stack has room for */
  int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  ssize_t size = memory < 0 ? -1 : pread(memory, words, sizeof(words), (off_t)stack);

  if(memory >= 0) {
    close(memory);
  }
  for(ssize_t i = 0; i < size / (ssize_t)sizeof(words[0]); i++) {
    if(in_code(mote, words[i], offset)) {
      *offset -= 1; /* in the call, not behind it */
      return true;
    }
  }
  return false;
}

void
fault_location_add(struct text *json, const struct mote *mote, uint64_t code, bool called)
{
  text_add(json, ",\"firmware\":");
  text_add_json(json, mote->type->path, strlen(mote->type->path));
  text_add_member(json, "code", (int64_t)code);
  text_add(json, called ? ",\"called\":true" : "");
}

void
fault_location_of_call(struct text *json, const struct mote *mote, const void *to)
{
  uint64_t offset;

  if(in_code(mote, (uint64_t)(uintptr_t)to, &offset)) {
    fault_location_add(json, mote, offset - 1, false);
  }
}

void
fault_location_of_code(struct text *json, const struct mote *mote, const void *context)
{
  uint64_t instruction, stack, offset;
  bool called;

  if(context == NULL || mote->image == NULL || !registers(context, &instruction, &stack)) {
    return;
  }
  called = !in_code(mote, instruction, &offset);
  if(called && !unwound_caller(mote, &offset) && !caller(mote, stack, &offset)) {
    return;
  }
  fault_location_add(json, mote, offset, called);
}

static bool
in_data(const struct mote *mote, uint64_t at)
{
  uint64_t offset = at - (uint64_t)(uintptr_t)mote->image;

  return mote->image != NULL && offset >= mote->type->firmware.data_start && offset < mote->type->firmware.data_end;
}

void
fault_location_of_address(struct text *json, const struct simulation *simulation, const struct mote *mote, const void *address)
{
  const struct firmware *firmware = &mote->type->firmware;
  uint64_t at = (uint64_t)(uintptr_t)address, region = (uint64_t)(uintptr_t)firmware->region;
  uint64_t start = (uint64_t)(uintptr_t)mote->image + firmware->data_start;
  uint64_t end = (uint64_t)(uintptr_t)mote->image + firmware->data_end;
  uint64_t code = (uint64_t)(uintptr_t)firmware_code(firmware, mote->image);

  if(mote->image == NULL || at - region >= firmware->region_size + (uint64_t)sysconf(_SC_PAGESIZE) || in_data(mote, at)) {
    return;
  }
  if(at - code < firmware->size) {
    text_add(json, ",\"constant\":true");
    return;
  }
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    if(in_data(&simulation->motes[i], at)) {
      text_add_member(json, "owner", simulation->motes[i].id);
      return;
    }
  }
  if(at >= end) {
    text_add_member(json, "behind", (int64_t)(at - end));
  } else if(start - at <= firmware->stride) {
    text_add_member(json, "below", (int64_t)(start - at));
  }
}
