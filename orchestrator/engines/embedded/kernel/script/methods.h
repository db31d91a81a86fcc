/* SPDX-License-Identifier: Apache-2.0 */
/* Methods of strings and lists, and JavaScript's functions, for scripts that run natively. */
#ifndef METHODS_H
#define METHODS_H

#include "script/value.h"

/* The number of a method or function, or -1. */
int method_named(const char *name);
int function_named(const char *name);

/* These release the arguments and the receiver. The compiler has checked how many there are (script/calls.py). */
struct value method_call(int method, struct value of, struct value *arguments, unsigned count);
struct value function_call(int function, struct value *arguments, unsigned count);

/* x.length */
struct value value_length(struct value of);

#endif
