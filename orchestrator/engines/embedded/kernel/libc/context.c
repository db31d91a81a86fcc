/* SPDX-License-Identifier: Apache-2.0 */
#include "libc/context.h"

#include "base/machine.h"
#include "libc/formatted.h"
#include "libc/heap.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

void (*mote_exits)(int code);

_Noreturn static void
exits(int code)
{
  mote_exits(code);
  abort();
}

static int
own_stack_attributes(pthread_t thread, pthread_attr_t *attributes)
{
  static void *lowest;
  static size_t size;

  if(!pthread_equal(thread, pthread_self())) {
    return pthread_getattr_np(thread, attributes);
  }
  if(lowest == NULL) {
    int error = pthread_getattr_np(thread, attributes);
    return error ? error : pthread_attr_getstack(attributes, &lowest, &size);
  }
  pthread_attr_init(attributes);
  return pthread_attr_setstack(attributes, lowest, size);
}

/* libc's generator is shared by all motes, as in Cooja. Contiki-NG's motes seed it when they boot, which takes some 6,000
   instructions; only the last seed has an effect, so seeding is delayed until a number is drawn. */
static unsigned seed; /* static, like all state here, because firmware calls these functions with libc's arguments only */
static bool seed_waits;

void
context_seed(unsigned with)
{
  seed = with;
  seed_waits = true;
}

static void
settle_seed(void)
{
  if(seed_waits) {
    seed_waits = false;
    srandom(seed);
  }
}

static int
draw(void)
{
  settle_seed();
  return rand();
}

static long
draw_long(void)
{
  settle_seed();
  return random();
}

#if ON_X86_64

/*
 * The registers that a function call preserves (System V ABI, x86-64, section
 * 3.2.1) go where <sys/ucontext.h> puts them: gregs[] begins at byte 40 of
 * ucontext_t. The floating-point control words, which firmware doesn't change,
 * and the signal mask stay as they are.
 *
 * Processors predict returns with a stack of their own. When a thread switches back to the simulator, the last entries of
 * that stack are the calls of both switches. Two returns, the first of which goes only to the next instruction, remove
 * them. This costs one wrong prediction instead of one for each function from which the simulator then returns.
 */
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs) == 40, "layout of ucontext_t");
_Static_assert(offsetof(ucontext_t, uc_flags) == 0 && sizeof(((ucontext_t *)0)->uc_flags) == 8, "layout of ucontext_t");
_Static_assert(REG_R12 == 4 && REG_R13 == 5 && REG_RBP == 10 && REG_RBX == 11 && REG_RSP == 15 && REG_RIP == 16, "register numbers");

#define SAVE_REGISTERS \
  "  movq %rbx, 128(%rdi)\n" \
  "  movq %rbp, 120(%rdi)\n" \
  "  movq %r12, 72(%rdi)\n" \
  "  movq %r13, 80(%rdi)\n" \
  "  movq %r14, 88(%rdi)\n" \
  "  movq %r15, 96(%rdi)\n" \
  "  movq (%rsp), %rcx\n" \
  "  movq %rcx, 168(%rdi)\n" \
  "  leaq 8(%rsp), %rcx\n" \
  "  movq %rcx, 160(%rdi)\n"

__asm__(".text\n"
        ".balign 16\n"
        "context_save_and_switch:\n"
        "  endbr64\n"
        SAVE_REGISTERS
        "  movq %rsi, %rdi\n"
        "context_switch:\n"
        "  endbr64\n"
        "  movq 128(%rdi), %rbx\n"
        "  movq 120(%rdi), %rbp\n"
        "  movq 72(%rdi), %r12\n"
        "  movq 80(%rdi), %r13\n"
        "  movq 88(%rdi), %r14\n"
        "  movq 96(%rdi), %r15\n"
        "  movq 160(%rdi), %rsp\n"
        "  xorl %eax, %eax\n"
        "  cmpq $0, (%rdi)\n" /* uc_flags: a thread's (make_context), or the simulator's? */
        "  je 1f\n"
        "  jmp *168(%rdi)\n"
        "1:\n"
        "  pushq 168(%rdi)\n"
        "  leaq 2f(%rip), %rcx\n"
        "  pushq %rcx\n"
        "  ret\n"
        "2:\n"
        "  ret\n"
        ".balign 16\n"
        "context_save:\n"
        "  endbr64\n"
        SAVE_REGISTERS
        "  xorl %eax, %eax\n"
        "  ret\n"
        /* First entry of a made context: r13 is its ucontext_t, r12 the function; then on to uc_link. */
        ".balign 16\n"
        "context_start:\n"
        "  endbr64\n"
        "  movq 104(%r13), %rdi\n"
        "  movq 112(%r13), %rsi\n"
        "  movq 136(%r13), %rdx\n"
        "  movq 152(%r13), %rcx\n"
        "  movq 40(%r13), %r8\n"
        "  movq 48(%r13), %r9\n"
        "  xorl %eax, %eax\n"
        "  call *%r12\n"
        "  movq 8(%r13), %rdi\n"
        "  testq %rdi, %rdi\n"
        "  jnz context_switch\n"
        "  xorl %edi, %edi\n"
        "  call context_last_returned\n"
        "  hlt\n"
        ".balign 16\n"
        ".globl context_call\n"
        ".hidden context_call\n"
        "context_call:\n"
        "  endbr64\n"
        "  pushq %rbx\n"
        "  movq %rsi, %rbx\n"
        "  movq %rdi, %rax\n"
        "  xorl %edi, %edi\n"
        "  leaq context_no_arguments(%rip), %rsi\n"
        "  movq %rsi, %rdx\n"
        "  call *%rax\n"
        "  popq %rbx\n"
        "  ret\n"
        ".balign 16\n"
        ".globl context_ask\n"
        ".hidden context_ask\n"
        "context_ask:\n"
        "  endbr64\n"
        "  pushq %rbx\n"
        "  movq %rsi, %rbx\n"
        "  movq %rdi, %rax\n"
        "  movq %rdx, %rdi\n"
        "  movl %ecx, %esi\n"
        "  call *%rax\n"
        "  popq %rbx\n"
        "  ret\n"
        ".balign 8\n"
        "context_no_arguments:\n"
        "  .quad 0\n");

enum { MADE = 1 /* selects the faster way to switch to it */ };

void context_start(void);
int context_save(ucontext_t *context);
int context_switch(const ucontext_t *context);
int context_save_and_switch(ucontext_t *save, const ucontext_t *to);
__attribute__((used)) void context_last_returned(int code); /* called from the assembly above */

void
context_last_returned(int code)
{
  exits(code);
}

static void
make_context(ucontext_t *context, void (*function)(void), int count, ...)
{
  static const int ARGUMENT_REGISTERS[] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9};
  greg_t *registers = context->uc_mcontext.gregs;
  uintptr_t top = (uintptr_t)context->uc_stack.ss_sp + context->uc_stack.ss_size;
  va_list arguments;

  if(count < 0 || count > 6) { /* further arguments would go on the stack; no firmware has them */
    abort();
  }
  context->uc_flags = MADE;
  va_start(arguments, count);
  for(int i = 0; i < count; i++) {
    registers[ARGUMENT_REGISTERS[i]] = va_arg(arguments, greg_t);
  }
  va_end(arguments);
  registers[REG_R13] = (greg_t)(uintptr_t)context; /* rbx is kept, because it may be the base of the mote's data */
  registers[REG_R12] = (greg_t)(uintptr_t)function;
  registers[REG_RBP] = 0;
  registers[REG_RSP] = (greg_t)(top & ~(uintptr_t)15);
  registers[REG_RIP] = (greg_t)(uintptr_t)context_start;
}

#else

void
context_call(void (*function)(void), uint8_t *base)
{
  static char *no_arguments[] = {NULL};

  (void)base;
  ((void (*)(int, char **, char **))function)(0, no_arguments, no_arguments);
}

bool
context_ask(bool (*function)(const uint8_t *bytes, int size), uint8_t *base, const uint8_t *bytes, int size)
{
  (void)base;
  return function(bytes, size);
}

#endif

/* A function pointer as dlsym() returns it. */
#define ADDRESS(function) ((void *)(uintptr_t)(function))

void *
replacement(const char *name)
{
  const struct {
    const char *name;
    void *address;
  } table[] = {
#if ON_X86_64
    {"getcontext", ADDRESS(context_save)},
    {"setcontext", ADDRESS(context_switch)},
    {"swapcontext", ADDRESS(context_save_and_switch)},
    {"makecontext", ADDRESS(make_context)},
#endif
    {"pthread_getattr_np", ADDRESS(own_stack_attributes)},
    {"srand", ADDRESS(context_seed)},
    {"srandom", ADDRESS(context_seed)},
    {"rand", ADDRESS(draw)},
    {"random", ADDRESS(draw_long)},
    {"vasprintf", ADDRESS(formatted_allocated)},
    {"strdup", ADDRESS(heap_copy)},
    {"asprintf", ADDRESS(formatted_anew)},
    {"malloc", ADDRESS(heap_allocate)},
    {"calloc", ADDRESS(heap_allocate_zeroed)},
    {"_Znwm", ADDRESS(heap_new)}, /* operator new, new[], and their opposites */
    {"_Znam", ADDRESS(heap_new)},
    {"_ZdlPv", ADDRESS(formatted_free)},
    {"_ZdlPvm", ADDRESS(formatted_free)},
    {"_ZdaPv", ADDRESS(formatted_free)},
    {"_ZdaPvm", ADDRESS(formatted_free)},
    {"free", ADDRESS(formatted_free)},
    {"realloc", ADDRESS(formatted_realloc)},
    {"vsnprintf", ADDRESS(formatted_list)},
    {"snprintf", ADDRESS(formatted)},
    {"exit", ADDRESS(exits)},
    {"_exit", ADDRESS(exits)},
    {"_Exit", ADDRESS(exits)},
    {"quick_exit", ADDRESS(exits)},
  };

  for(size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
    if(strcmp(table[i].name, name) == 0) {
      return table[i].address;
    }
  }
  return NULL;
}
