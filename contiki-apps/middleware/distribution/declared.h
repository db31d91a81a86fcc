/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that an application declares for one task, without its stack; `make sizes` counts it. No file
   includes this one. */
#include "distribution.h"

struct distribution_task distribution_task;
struct distribution_link distribution_link;
struct thread distribution_thread;
