/* SPDX-License-Identifier: Apache-2.0 */
/* printf's formatting, one character at a time. */
#ifndef FORMAT_H_
#define FORMAT_H_

#include <stdarg.h>

typedef void (*format_output_t)(char c, void *where);

/* Returns the number of characters written. It knows d i u o x X c s p %, flags - 0 +
   space #, width and precision (also *), lengths hh h l ll j z t. */
int format(format_output_t output, void *where, const char *format, va_list arguments);

#endif
