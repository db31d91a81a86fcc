/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKY_STDLIB_H_
#define SKY_STDLIB_H_

#include <stddef.h>

unsigned long strtoul(const char *text, char **rest, int base);
int atoi(const char *text);
int abs(int value);

/* Prints where it was called, and waits for ever with interrupts off. */
void abort(void) __attribute__((noreturn));

#endif
