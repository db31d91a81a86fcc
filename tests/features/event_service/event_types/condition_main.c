/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates conditions as motes do: from standard input, each the lengths of code and
 * data, and these. Prints n for what is no condition, else 0 or 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "event-condition.h"

int
main(void)
{
  unsigned char sizes[2];

  while(fread(sizes, 1, 2, stdin) == 2) {
    /* Each of its own size, so that the sanitizer sees a byte too many. */
    uint8_t *code = malloc(sizes[0] + !sizes[0]), *data = malloc(sizes[1] + !sizes[1]);

    if(fread(code, 1, sizes[0], stdin) != sizes[0] || fread(data, 1, sizes[1], stdin) != sizes[1]) {
      return 1;
    }
    if(!event_terms_condition_is(code, sizes[0])) {
      putchar('n');
    } else {
      putchar('0' + event_terms_condition_holds(code, sizes[0], data, sizes[1]));
    }
    free(code);
    free(data);
  }
  return 0;
}
