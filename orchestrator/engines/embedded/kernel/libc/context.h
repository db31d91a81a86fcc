/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that firmware finds here instead of in libc: switching between its
 * threads without the two system calls that save the signal mask (about 200 ns
 * a switch), the bounds of the stack without reading the process's mappings
 * (quadratic in the number of motes), random numbers, formatted text, and exit(),
 * which ends a mote, not us.
 */
#ifndef CONTEXT_H
#define CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* The function that replaces libc's of that name, or NULL. */
void *replacement(const char *name);

/* Calls a function of a mote, with `base` in the register that code_sharing.h tells of, and as constructors are called: no
   arguments, an empty list of them, an empty environment. */
void context_call(void (*function)(void), uint8_t *base);

/* Asks a function of a mote whose base is so about these bytes. */
bool context_ask(bool (*function)(const uint8_t *bytes, int size), uint8_t *base, const uint8_t *bytes, int size);

/* The context that was made last for that function among the latest few, or NULL; NULL where threads are libc's. */
const ucontext_t *context_made_for(uintptr_t function);

/* The stack pointer that a thread left there when it waited. */
uintptr_t context_stack(const ucontext_t *context);

/* Set by the crash reporter: a mote called exit() or let its last thread return. Must not return. */
extern void (*mote_exits)(int code);

#endif
