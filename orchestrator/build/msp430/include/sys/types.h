/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYS_TYPES_H_
#define SYS_TYPES_H_

#include <stddef.h>

typedef int ssize_t;

#endif
