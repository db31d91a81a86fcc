/* SPDX-License-Identifier: Apache-2.0 */
/* A chip as the structure that one of its events is in. */
#ifndef PART_H
#define PART_H

#include <stddef.h>

#define PART_OF(structure, member, pointer) ((structure *)(void *)((char *)(pointer) - offsetof(structure, member)))

#endif
