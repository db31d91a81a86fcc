/* SPDX-License-Identifier: Apache-2.0 */
/* Its event is in process.h. */
#include "sys/process.h"
