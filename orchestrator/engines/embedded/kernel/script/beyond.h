/* SPDX-License-Identifier: Apache-2.0 */
/* Gives up on a native script when it does something that the kernel may not do exactly as Nashorn does. */
#ifndef BEYOND_H
#define BEYOND_H

#include "base/report.h"

/* Ends the process; the run is made again with the script in an interpreter. */
_Noreturn static inline void
beyond(const char *what)
{
  report_error(ERROR_BEYOND, "%s", what);
}

#endif
