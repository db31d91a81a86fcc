/* SPDX-License-Identifier: Apache-2.0 */
/* Local continuations by switch. The line at which to go on is kept as a
   number, so a thread's function must not use switch around a point where it
   waits. */
#ifndef LC_H_
#define LC_H_

typedef unsigned short lc_t;

#define LC_INIT(s) ((s) = 0)
#define LC_RESUME(s) switch(s) { case 0:
#define LC_SET(s) (s) = __LINE__; __attribute__((fallthrough)); case __LINE__:
#define LC_END(s) }

#endif
