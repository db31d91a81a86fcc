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

/* The function that replaces libc's function with this name, or NULL. */
void *replacement(const char *name);

/* Calls a function of a mote, with `base` in the base register of code_sharing.h and with the arguments of a constructor:
   no arguments, an empty argument list, an empty environment. */
void context_call(void (*function)(void), uint8_t *base);

/* Calls a predicate of a mote with this base on these bytes. */
bool context_ask(bool (*function)(const uint8_t *bytes, int size), uint8_t *base, const uint8_t *bytes, int size);

/* Seeds libc's generator, which all motes share, as a mote does by srand(). */
void context_seed(unsigned seed);

/* Set by the crash reporter: a mote called exit() or let its last thread return. Must not return. */
extern void (*mote_exits)(int code);

#endif
