/* SPDX-License-Identifier: Apache-2.0 */
/* What an application declares to take part; `make sizes` counts it. Nothing
   includes this. */
#include "run-control.h"

struct run_place run_place;
