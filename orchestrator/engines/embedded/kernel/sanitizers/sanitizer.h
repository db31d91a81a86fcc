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

#include "loader/elf_file.h"

/* The function of that name for firmware that was compiled with sanitizers; NULL if this isn't, or it is libc's. */
void *sanitizer_function(const struct elf_file *elf, const char *name);

/* Sets the shadow up if the firmware needs one. Faults end the process. */
void sanitizer_open(const struct elf_file *elf);

/* Of undefined.c and address.c: NULL for other names. */
void *undefined_function(const char *name);
void *address_function(const char *name);

#endif
