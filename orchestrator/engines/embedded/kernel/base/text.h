/* SPDX-License-Identifier: Apache-2.0 */
/* Writes text to a buffer of fixed size, truncated if need be; safe inside a signal handler (no locks, no heap). */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
  char *bytes;
  size_t used, size;
};

/* Decimal digits of a number into `digits`; returns how many (at most 20). */
size_t format_number(char digits[20], int64_t number);

/* Writes at most 20 digits that end before `end`; returns a pointer to the first. */
char *format_digits(char *end, uint64_t number);

void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t count);
void text_add_number(struct text *text, int64_t number);
void text_add_hex(struct text *text, uint64_t number);

/* A further member of a JSON object, whose value is a number. */
void text_add_member(struct text *text, const char *name, int64_t number);

/* A JSON string with its quotes; input is UTF-8, and bytes that aren't become '?'. */
void text_add_json(struct text *text, const char *bytes, size_t count);

#endif
