/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run-time library of firmware compiled with sanitizers (build/sanitizers.py has the flags). A finding ends the run and
 * names the mote.
 *
 * Addresses (address.c): gcc's instrumentation for kernels, whose run-time library is provided by the program that loads
 * the code. Each access is checked in a shadow with one byte for each eight bytes, which has red zones behind global
 * variables and around variables on stacks.
 * Undefined behaviour (undefined.c): gcc calls a handler for each kind.
 */
#ifndef SANITIZER_H
#define SANITIZER_H

#include <stdbool.h>

/* Only firmware that checks addresses uses this symbol. */
#define ADDRESS_SANITIZER_SYMBOL "__asan_register_globals"

/* The function with this name for firmware compiled with sanitizers; NULL for other firmware, and for libc's functions.
   `addresses`: it checks addresses. */
void *sanitizer_function(const char *name, bool addresses);

/* Sets up the shadow for firmware that checks addresses; `path` is its file. Faults end the process. */
void sanitizer_open(const char *path);

/* Set by the crash reporter; called for a finding in the running mote's code. `from`: the check's return address;
   `address`: of the memory, or NULL. Must not return. */
extern void (*sanitizer_found)(const char *what, const void *from, const void *address);

/* The functions of undefined.c and address.c; NULL for other names. */
void *undefined_function(const char *name);
void *address_function(const char *name);

#endif
