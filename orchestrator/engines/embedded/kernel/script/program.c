/* SPDX-License-Identifier: Apache-2.0 */
#include "script/program.h"

#include "base/exact.h"
#include "base/report.h"
#include "observation/watch.h"
#include "script/instructions.h"
#include "script/methods.h"
#include "script/number_text.h"
#include "script/operators.h"
#include "script/script.h"
#include "script/value.h"

#include <string.h>

static const uint32_t LONGEST_STEP = 30 * 1000 * 1000; /* instructions from a line to the next: some tenths of a second */

static void
push(struct program *program, struct value value)
{
  if(program->used == MOST_VALUES) {
    beyond("functions that call each other so deep");
  }
  program->stack[program->used++] = value;
}

/* Releases so many values, whose result takes their place. */
static void
replace(struct program *program, uint32_t count, struct value result)
{
  while(count-- > 0) {
    value_drop(program->stack[--program->used]);
  }
  push(program, result);
}

static struct value
msg(struct program *program)
{
  if(program->msg.kind != STRING) {
    program->msg = string_value(program->text, program->length);
  }
  return value_keep(program->msg);
}

static void
write_log(struct simulation *simulation, struct value value)
{
  char room[NUMBER_ROOM];
  size_t length;
  const char *bytes;

  bytes = value_bytes(&value, room, &length);
  log_append(&simulation->log, bytes, length);
  if(log_position(&simulation->log) > simulation->log.limit) {
    watch_log_full();
  }
  value_drop(value);
}

static void
call(struct program *program, uint32_t function, uint32_t arguments)
{
  if(program->depth == DEEPEST) {
    beyond("functions that call each other so deep");
  }
  program->frames[program->depth++] = (struct frame){program->next, program->used - arguments};
  program->next = function;
}

static const struct frame *
frame(const struct program *program)
{
  if(program->depth == 0) {
    report_error(ERROR_KERNEL, "the script's program is in no function");
  }
  return &program->frames[program->depth - 1];
}

/* Missing arguments are undefined, and surplus ones are dropped. */
static void
enter(struct program *program, uint32_t parameters, uint32_t locals)
{
  uint32_t base = frame(program)->base;

  while(program->used > base + parameters) {
    value_drop(program->stack[--program->used]);
  }
  while(program->used < base + parameters + locals) {
    push(program, nothing(UNDEFINED));
  }
}

static void
give_back(struct program *program)
{
  struct frame last = *frame(program);
  struct value result = program->stack[--program->used];

  program->depth--;
  while(program->used > last.base) {
    value_drop(program->stack[--program->used]);
  }
  push(program, result);
  program->next = last.back;
}

static struct value *
local(struct program *program, uint32_t which)
{
  uint32_t place = frame(program)->base + which;

  if(place >= program->used) {
    report_error(ERROR_KERNEL, "the script's program names a value that isn't there");
  }
  return &program->stack[place];
}

static struct value
list_of(struct program *program, uint32_t count)
{
  struct value list = list_value();

  for(uint32_t i = program->used - count; i < program->used; i++) {
    if(program->stack[i].kind >= LIST || program->stack[i].kind == LONG) {
      beyond("a list that has another, or a Java long");
    }
    list_append(list.list, program->stack[i]);
  }
  program->used -= count;
  return list;
}

static void
end(struct simulation *simulation, bool ok)
{
  simulation->log.closed = true;
  simulation->script->failed = !ok;
}

/* Runs until the script waits or has decided. */
static void
run(struct simulation *simulation, struct program *program)
{
  struct value *stack = program->stack, result;

  for(uint32_t steps = 0;; steps++) {
    const struct instruction *one = &program->instructions[program->next++];
    struct value *top = &stack[program->used - 1];
    if(steps == LONGEST_STEP) {
      beyond("so long a calculation from a line to the next");
    }
    if(program->used < one->takes) {
      report_error(ERROR_KERNEL, "the script's program takes a value that isn't there");
    }
    switch(one->code) {
    case DO_undefined: push(program, nothing(UNDEFINED)); break;
    case DO_null: push(program, nothing(NIL)); break;
    case DO_true: case DO_false: push(program, truth_value(one->code == DO_true)); break;
    case DO_number: case DO_text: push(program, value_keep(one->constant)); break;
    case DO_time: case DO_id:
      if(!program->came) {
        beyond("the time or the id before the first line");
      }
      push(program, one->code == DO_id ? number_value(program->id) : (struct value){.kind = LONG, .whole = program->time});
      break;
    case DO_msg: push(program, msg(program)); break;
    case DO_motes: push(program, number_value(simulation->present_count)); break;
    case DO_load:
      if(program->variables[one->first].kind == UNASSIGNED) {
        beyond("a variable that has no value yet");
      }
      push(program, value_keep(program->variables[one->first]));
      break;
    case DO_store:
      program->used--;
      value_drop(program->variables[one->first]);
      program->variables[one->first] = *top;
      break;
    case DO_local: push(program, value_keep(*local(program, one->first))); break;
    case DO_set_local:
      program->used--;
      value_drop(*local(program, one->first));
      *local(program, one->first) = *top;
      break;
    case DO_drop:
      program->used--;
      value_drop(*top);
      break;
    case DO_copy: push(program, value_keep(*top)); break;
    case DO_copy_two:
      push(program, value_keep(top[-1]));
      push(program, value_keep(top[0]));
      break;
    case DO_add:
      top[-1] = value_sum(top[-1], top[0]);
      program->used--;
      break;
    case DO_subtract: case DO_multiply: case DO_divide: case DO_remainder: case DO_bits_and: case DO_bits_or: case DO_bits_xor:
    case DO_shift_left: case DO_shift_right: case DO_shift_unsigned:
      replace(program, 2, number_value(calculate(one->code, top[-1], top[0])));
      break;
    case DO_equal: case DO_identical: case DO_less: case DO_less_or_same: case DO_more: case DO_more_or_same:
      replace(program, 2, truth_value(compare(one->code, top[-1], top[0])));
      break;
    case DO_negate: case DO_to_number: case DO_bits_not: case DO_not:
      result = one->code == DO_negate ? number_value(-to_number(*top)) : one->code == DO_to_number ? number_value(to_number(*top))
        : one->code == DO_bits_not ? number_value((int32_t)~bits(*top)) : truth_value(!to_truth(*top));
      replace(program, 1, result);
      break;
    case DO_kind_of: replace(program, 1, string_value(kind_of(*top), strlen(kind_of(*top)))); break;
    case DO_jump: program->next = one->first; break;
    case DO_jump_if: case DO_jump_unless:
      if(to_truth(*top) == (one->code == DO_jump_if)) {
        program->next = one->first;
      }
      value_drop(*top);
      program->used--;
      break;
    case DO_or: case DO_and:
      if(to_truth(*top) == (one->code == DO_or)) {
        program->next = one->first;
      } else {
        value_drop(*top);
        program->used--;
      }
      break;
    case DO_wait:
      if(program->over) {
        beyond("a wait when the time is over");
      }
      return;
    case DO_ok: case DO_failed:
      end(simulation, one->code == DO_ok);
      return;
    case DO_log: case DO_say: /* all, or a part of it */
      if(top->kind == NIL && one->code == DO_log) {
        beyond("log.log(null)");
      }
      program->used--;
      write_log(simulation, *top);
      break;
    case DO_no_long:
      if(top->kind == LONG) {
        beyond("a switch over a Java long");
      }
      break;
    case DO_call: call(program, one->first, one->second); break;
    case DO_enter: enter(program, one->first, one->second); break;
    case DO_give_back: give_back(program); break;
    case DO_method:
      program->used -= one->second + 1;
      result = method_call((int)one->first, stack[program->used], &stack[program->used + 1], one->second);
      push(program, result);
      break;
    case DO_function:
      program->used -= one->second;
      push(program, function_call((int)one->first, &stack[program->used], one->second));
      break;
    case DO_length: replace(program, 1, value_length(*top)); break;
    case DO_map: push(program, map_value()); break;
    case DO_list:
      result = list_of(program, one->first);
      push(program, result);
      break;
    case DO_get: case DO_has:
      if(one->code == DO_has && top[0].kind != MAP) {
        beyond("`in` of a value that is no object");
      }
      replace(program, 2, one->code == DO_get ? part_of(top[-1], top[0]) : truth_value(map_has(top[0].map, top[-1])));
      break;
    case DO_set: /* leaves the value */
      set_part(top[-2], top[-1], top[0], one->first != 0);
      value_drop(top[-2]), value_drop(top[-1]);
      top[-2] = top[0];
      program->used -= 2;
      break;
    case DO_delete:
      if(top[-1].kind != MAP) {
        beyond("delete of a value that is no object");
      }
      map_delete(top[-1].map, top[0]);
      replace(program, 2, truth_value(true));
      break;
    case DO_keys:
      if(top->kind != MAP) {
        beyond("the keys of a value that is no object");
      }
      replace(program, 1, map_keys(top->map));
      break;
    case CODES:
      return;
    }
  }
}

void
program_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length)
{
  struct program *program = simulation->script->program;
  uint64_t before;

  if(simulation->log.closed) {
    return;
  }
  value_drop(program->msg);
  program->msg = nothing(UNASSIGNED);
  program->came = true;
  program->id = mote->id;
  program->time = simulation->queue.now;
  program->text = text;
  program->length = length;
  before = log_position(&simulation->log);
  run(simulation, program);
  if(program->keeps_msg) { /* the text no longer exists after this call */
    value_drop(msg(program));
  }
  if(log_position(&simulation->log) > before) {
    serial_keep_place(&mote->serial, before, log_position(&simulation->log));
  }
}

void
program_timeout(struct simulation *simulation)
{
  struct program *program = simulation->script->program;

  program->over = true;
  program->used = program->depth = 0;
  program->next = program->timeout;
  run(simulation, program);
}
