/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as JavaScript writes and reads them. */
#ifndef NUMBER_TEXT_H
#define NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { NUMBER_ROOM = 32 };

/* Writes a number like Number::toString; returns how many bytes. */
size_t number_text(char room[NUMBER_ROOM], double number);

/* Read a number like Number(text), parseInt(text) and parseFloat(text). */
double text_number(const char *bytes, size_t length);
double text_integer(const char *bytes, size_t length);
double text_float(const char *bytes, size_t length);

/* Removes white space at both ends like String::trim. */
void text_trim(const char **bytes, size_t *length);

#endif
