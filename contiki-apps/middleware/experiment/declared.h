/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that an application declares to take part; `make sizes` counts it.
   No file includes this one. */
#include "run-control.h"

struct run_place run_place;
