/* SPDX-License-Identifier: Apache-2.0 */
/* What a script that runs natively calls: methods of strings and lists, and JavaScript's own functions. */
#ifndef METHODS_H
#define METHODS_H

#include "script/value.h"

/* Their numbers, or -1. */
int method_named(const char *name);
int function_named(const char *name);

/* Arguments and receiver are taken over. How many there may be, the compiler has looked after (script/forms.py). */
struct value method_call(int method, struct value of, struct value *arguments, unsigned count);
struct value function_call(int function, struct value *arguments, unsigned count);

/* x.length */
struct value value_length(struct value of);

#endif
