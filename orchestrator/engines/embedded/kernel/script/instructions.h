/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of a script that runs natively; program_read.c reads them, program.c executes them. */
#ifndef INSTRUCTIONS_H
#define INSTRUCTIONS_H

#include "script/value.h"

enum { MOST_VALUES = 1 << 14, DEEPEST = 1000 };

/* Name, how many values it takes from the stack, and what its arguments are (see read_argument()). */
#define INSTRUCTIONS(DO) \
  DO(undefined, 0, "") DO(null, 0, "") DO(true, 0, "") DO(false, 0, "") DO(number, 0, "n") DO(text, 0, "t") \
  DO(time, 0, "") DO(id, 0, "") DO(msg, 0, "") DO(motes, 0, "") \
  DO(load, 0, "v") DO(store, 1, "v") DO(local, 0, "l") DO(set_local, 1, "l") \
  DO(drop, 1, "") DO(copy, 1, "") DO(copy_two, 2, "") \
  DO(add, 2, "") DO(subtract, 2, "") DO(multiply, 2, "") DO(divide, 2, "") DO(remainder, 2, "") \
  DO(bits_and, 2, "") DO(bits_or, 2, "") DO(bits_xor, 2, "") DO(shift_left, 2, "") DO(shift_right, 2, "") DO(shift_unsigned, 2, "") \
  DO(negate, 1, "") DO(to_number, 1, "") DO(bits_not, 1, "") DO(not, 1, "") DO(kind_of, 1, "") \
  DO(equal, 2, "") DO(identical, 2, "") DO(less, 2, "") DO(less_or_same, 2, "") DO(more, 2, "") DO(more_or_same, 2, "") \
  DO(jump, 0, "j") DO(jump_if, 1, "j") DO(jump_unless, 1, "j") DO(or, 1, "j") DO(and, 1, "j") \
  DO(wait, 0, "") DO(ok, 0, "") DO(failed, 0, "") DO(log, 1, "") DO(say, 1, "") DO(no_long, 1, "") \
  DO(call, 0, "jc") DO(enter, 0, "cc") DO(give_back, 1, "") \
  DO(method, 1, "mc") DO(function, 0, "fc") DO(length, 1, "") \
  DO(map, 0, "") DO(list, 0, "c") DO(get, 2, "") DO(set, 3, "k") DO(has, 2, "") DO(delete, 2, "") DO(keys, 1, "")

#define NAMED(name, takes, arguments) DO_##name,
enum opcode { INSTRUCTIONS(NAMED) CODES };
#undef NAMED

struct instruction {
  enum opcode code;
  uint32_t first, second, takes; /* values from the stack */
  struct value constant;
};

struct frame { /* of a function that was called */
  uint32_t back, base;
};

struct program {
  struct instruction *instructions;
  uint32_t count, next, timeout;
  struct value *variables;
  uint32_t variable_count;
  struct value stack[MOST_VALUES];
  uint32_t used;
  struct frame frames[DEEPEST];
  uint32_t depth;
  bool over; /* the time-out has come */
  /* The line. */
  struct value msg;
  bool came;
  int id;
  int64_t time;
  const char *text;
  size_t length;
  bool keeps_msg; /* `msg` is read at the time-out, when the line's text no longer exists */
};

#endif
