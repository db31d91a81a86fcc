/* SPDX-License-Identifier: Apache-2.0 */
#include "base/reader.h"

#include "base/memory.h"
#include "base/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 72 * 1024 }; /* with 32 KB in hexadecimal */

_Noreturn void
wrong(const struct reader *reader, const char *what)
{
  report_error(ERROR_DESCRIPTION, "line %u of %s: %s", reader->number, reader->name, what);
}

void
next_line(struct reader *reader)
{
  ssize_t length = getline(&reader->line, &reader->size, reader->file);

  reader->number++;
  if(length <= 0) {
    wrong(reader, "it ends too early");
  }
  if(length > LONGEST_LINE) {
    wrong(reader, "too long");
  }
  if(reader->line[length - 1] != '\n') {
    wrong(reader, "cut short");
  }
  reader->line[--length] = 0;
  if(strlen(reader->line) != (size_t)length) {
    wrong(reader, "has a byte 0");
  }
  reader->rest = reader->line;
}

const char *
word(struct reader *reader)
{
  char *start = reader->rest, *space = start == NULL ? NULL : strchr(start, ' ');

  if(start == NULL || *start == 0 || *start == ' ') {
    wrong(reader, "a word is missing");
  }
  if(space != NULL) {
    *space = 0;
  }
  reader->rest = space == NULL ? NULL : space + 1;
  return start;
}

void
done(const struct reader *reader)
{
  if(reader->rest != NULL) {
    wrong(reader, "something follows that doesn't belong there");
  }
}

bool
is(struct reader *reader, const char *keyword)
{
  size_t length = strlen(keyword);

  if(strncmp(reader->line, keyword, length) != 0 || (reader->line[length] != ' ' && reader->line[length] != 0)) {
    return false;
  }
  reader->rest = reader->line[length] == 0 ? NULL : reader->line + length + 1;
  return true;
}

void
expect(struct reader *reader, const char *keyword)
{
  if(!is(reader, keyword)) {
    wrong(reader, "another keyword is expected here (see description.h)");
  }
}

int64_t
whole_number(struct reader *reader, int64_t least, int64_t most)
{
  const char *text = word(reader);
  char *end;
  long long number;

  errno = 0;
  number = strtoll(text, &end, 10);
  if(errno != 0 || *end != 0 || !(text[0] == '-' || (text[0] >= '0' && text[0] <= '9'))) {
    wrong(reader, "not a whole number");
  }
  if(number < least || number > most) {
    wrong(reader, "a number out of its range");
  }
  return number;
}

double
real_number(struct reader *reader, double least, double most)
{
  const char *text = word(reader);
  char *end;
  double number = strtod(text, &end);

  if(*end != 0 || strspn(text, "+-.0123456789eE") != strlen(text)) {
    wrong(reader, "not a decimal number");
  }
  if(!(number >= least && number <= most)) {
    wrong(reader, "a number out of its range");
  }
  return number;
}

bool
choice(struct reader *reader, const char *yes, const char *no)
{
  const char *text = word(reader);

  if(strcmp(text, yes) != 0 && strcmp(text, no) != 0) {
    wrong(reader, "an unknown choice");
  }
  return strcmp(text, yes) == 0;
}

char *
text_to_end(struct reader *reader)
{
  return duplicate(reader->rest == NULL ? "" : reader->rest);
}

static uint8_t
hex_digit(const struct reader *reader, char digit)
{
  if(!(digit >= '0' && digit <= '9') && !(digit >= 'a' && digit <= 'f')) {
    wrong(reader, "bytes must be in hexadecimal, 0-9 and a-f");
  }
  return (uint8_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

uint8_t *
hexadecimal(struct reader *reader, size_t *length)
{
  const char *digits = word(reader);
  size_t count = strcmp(digits, "-") == 0 ? 0 : strlen(digits);
  uint8_t *bytes = allocate(count / 2, 1);

  if(count % 2 != 0) {
    wrong(reader, "bytes in hexadecimal have two digits each");
  }
  for(size_t i = 0; i < count; i += 2) {
    bytes[i / 2] = (uint8_t)(hex_digit(reader, digits[i]) << 4 | hex_digit(reader, digits[i + 1]));
  }
  *length = count / 2;
  return bytes;
}
