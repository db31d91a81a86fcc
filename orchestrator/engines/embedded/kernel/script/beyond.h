/* SPDX-License-Identifier: Apache-2.0 */
/* Where a script that runs natively comes to what isn't done here for certain as Nashorn does it. */
#ifndef BEYOND_H
#define BEYOND_H

#include "base/report.h"

/* Ends the process: the run is done again with the script in an interpreter. */
_Noreturn static inline void
beyond(const char *what)
{
  report_error(ERROR_BEYOND, "%s", what);
}

#endif
