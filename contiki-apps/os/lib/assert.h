/* SPDX-License-Identifier: Apache-2.0 */
/* assert(). A failed assertion is logged with its place and ends the run, and the
   engine reports the mote. */
#ifndef ASSERT_H_
#define ASSERT_H_

#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : assertion_failed(__FILE__, __LINE__))
#endif

void assertion_failed(const char *file, int line) __attribute__((noreturn));

#define CTASSERT(condition) _Static_assert(condition, #condition)

#endif
