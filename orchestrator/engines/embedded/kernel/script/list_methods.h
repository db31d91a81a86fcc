/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of lists for scripts that run natively; see methods.h. */
#ifndef LIST_METHODS_H
#define LIST_METHODS_H

#include "script/value.h"

struct value list_push(struct value of, struct value *arguments, unsigned count);
struct value list_pop(struct value of, struct value *arguments, unsigned count);
struct value list_shift(struct value of, struct value *arguments, unsigned count);
struct value list_join(struct value of, struct value *arguments, unsigned count);

#endif
