/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of <stdio.h> and <stdlib.h> that contiki-apps/os/lib and os/sky/libc lack, with which these programs are linked. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int
vsprintf(char *to, const char *format, va_list values)
{
  return vsnprintf(to, INT16_MAX, format, values);
}

int
fprintf(FILE *file, const char *format, ...)
{
  va_list values;
  int length;

  (void)file;
  va_start(values, format);
  length = vprintf(format, values);
  va_end(values);
  return length;
}

_Noreturn void
abort(void)
{
  for(;;) {
    __asm__ volatile("dint\n\tnop");
  }
}

_Noreturn void
exit(int status)
{
  (void)status;
  abort();
}
