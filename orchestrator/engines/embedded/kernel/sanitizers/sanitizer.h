/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What firmware compiled with sanitizers calls (build/sanitizers.py has the flags): a finding ends the run as this mote's.
 *
 * Addresses (address.c): gcc's instrumentation for kernels, whose run-time library is whoever loads the code. Each
 * access asks a shadow, one byte for eight, which has red zones behind global variables and around those on stacks.
 * Undefined behaviour (undefined.c): gcc calls a handler by kind.
 */
#ifndef SANITIZER_H
#define SANITIZER_H

#include <stdbool.h>

/* Of all symbols only firmware that checks addresses uses this one. */
#define ADDRESS_SANITIZER_SYMBOL "__asan_register_globals"

/* The function of that name for firmware that was compiled with sanitizers; NULL if this isn't, or it is libc's.
   `addresses`: it checks addresses. */
void *sanitizer_function(const char *name, bool addresses);

/* Sets the shadow up, for firmware that checks addresses; `path` is its file. Faults end the process. */
void sanitizer_open(const char *path);

/* Set by the crash reporter: a finding in the running mote's code. `from`: where the check returns to; `address`: of the
   memory, or NULL. Must not return. */
extern void (*sanitizer_found)(const char *what, const void *from, const void *address);

/* Of undefined.c and address.c: NULL for other names. */
void *undefined_function(const char *name);
void *address_function(const char *name);

#endif
