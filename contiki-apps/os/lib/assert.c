/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/assert.h"

#include <stdio.h>
#include <stdlib.h>

#include "platform/mote.h"

void
assertion_failed(const char *file, int line)
{
  printf("assertion failed: %s:%d\n", file, line);
  if(fibre_is_running()) {
    fibre_wait(); /* so that the line gets out */
  }
  abort();
}
