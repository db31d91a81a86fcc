/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the description word by word; a fault ends the process with a report that names the line. */
#ifndef READER_H
#define READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct reader {
  FILE *file;
  const char *name; /* what it is, for errors */
  char *line; /* without its end */
  size_t size;
  unsigned number; /* of the line, from 1 */
  char *rest;      /* behind the words taken so far */
};

_Noreturn void wrong(const struct reader *reader, const char *what);

void next_line(struct reader *reader);

/* Does the line begin with this keyword? If so, skips it. */
bool is(struct reader *reader, const char *keyword);
void expect(struct reader *reader, const char *keyword);

/* Next word up to a space or the end of the line. */
const char *word(struct reader *reader);
int64_t whole_number(struct reader *reader, int64_t least, int64_t most);
double real_number(struct reader *reader, double least, double most);
bool choice(struct reader *reader, const char *yes, const char *no);
char *text_to_end(struct reader *reader);

/* Bytes in hexadecimal, or - for none, in new memory. */
uint8_t *hexadecimal(struct reader *reader, size_t *length);

/* Requires the line to end here. */
void done(const struct reader *reader);

#endif
