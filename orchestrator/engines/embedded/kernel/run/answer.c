/* SPDX-License-Identifier: Apache-2.0 */
#include "run/answer.h"

#include "base/memory.h"

#include <errno.h>
#include <sys/socket.h>

enum { NUMBERS = 256 /* bytes of a line apart from what its `length` counts */ };

struct text
answer_begin(struct answer *answer, int64_t time, const char *word, size_t length)
{
  struct text text;

  length += answer->used + NUMBERS;
  if(length > answer->size) {
    answer->size = 2 * length;
    answer->bytes = reallocate(answer->bytes, answer->size, 1);
  }
  text = (struct text){answer->bytes + answer->used, 0, answer->size - answer->used};
  text_add(&text, word);
  text_add(&text, " ");
  text_add_number(&text, time);
  return text;
}

struct text
answer_begin_of(struct answer *answer, int64_t time, const char *word, const struct mote *mote, size_t length)
{
  struct text text = answer_begin(answer, time, word, length);

  text_add(&text, " ");
  text_add_number(&text, mote->index);
  text_add(&text, " ");
  return text;
}

void
answer_add_hex(struct text *text, const void *bytes, size_t length)
{
  static const char DIGITS[] = "0123456789abcdef";
  const uint8_t *from = bytes;

  for(size_t i = 0; i < length; i++) {
    text->bytes[text->used++] = DIGITS[from[i] >> 4];
    text->bytes[text->used++] = DIGITS[from[i] & 15];
  }
}

void
answer_end(struct answer *answer, struct text *text)
{
  text->bytes[text->used++] = '\n';
  answer->used += text->used;
}

bool
answer_send(struct answer *answer, int file)
{
  size_t done = 0;

  while(done < answer->used) {
    ssize_t count = send(file, answer->bytes + done, answer->used - done, MSG_NOSIGNAL);
    if(count < 0 && errno != EINTR) {
      return false;
    }
    done += count > 0 ? (size_t)count : 0;
  }
  answer->used = 0;
  return true;
}
