/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "exact.h"
#include "memory.h"
#include "methods.h"
#include "number_text.h"
#include "report.h"
#include "value.h"
#include "watch.h"

#include <string.h>

enum { MOST_INSTRUCTIONS = 1 << 20, MOST_VARIABLES = 1 << 16, MOST_VALUES = 1 << 14, DEEPEST = 1000, MOST_ARGUMENTS = 255 };
static const uint32_t LONGEST_STEP = 30 * 1000 * 1000; /* instructions from a line to the next: some tenths of a second */

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

static const struct {
  const char *name;
  unsigned takes;
  const char *arguments;
} CODE[] = {
#define DESCRIBED(name, takes, arguments) {#name, takes, arguments},
  INSTRUCTIONS(DESCRIBED)
#undef DESCRIBED
};

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
  bool over; /* the time */
  /* The line. */
  struct value msg;
  bool came;
  int id;
  int64_t time;
  const char *text;
  size_t length;
  bool keeps_msg; /* it is read at the time-out, when the text is gone */
};

/* Hexadecimal, or - for no byte. */
static struct value
read_text(struct reader *reader)
{
  const char *digits = word(reader);
  size_t length = strcmp(digits, "-") == 0 ? 0 : strlen(digits) / 2;
  char *bytes = allocate(length, 1);

  for(size_t i = 0; i < 2 * length; i++) {
    const char *found = strchr("0123456789abcdef", digits[i]);
    if(found == NULL) {
      wrong(reader, "a text must be in hexadecimal, 0-9 and a-f");
    }
    bytes[i / 2] = (char)(bytes[i / 2] << 4 | (found - "0123456789abcdef"));
  }
  return string_value(bytes, length);
}

static uint32_t
read_argument(struct reader *reader, const struct program *program, char kind, struct instruction *instruction)
{
  int found;

  switch(kind) {
  case 'n': /* a number that is kept */
    instruction->constant = number_value(real_number(reader, -1e308, 1e308));
    return 0;
  case 't': /* a text that is kept */
    instruction->constant = read_text(reader);
    return 0;
  case 'v': /* a variable */
    return (uint32_t)whole_number(reader, 0, (int64_t)program->variable_count - 1);
  case 'm': /* a method */
  case 'f': /* a function of JavaScript's */
    found = kind == 'm' ? method_named(word(reader)) : function_named(word(reader));
    if(found < 0) {
      wrong(reader, "no function of this name");
    }
    return (uint32_t)found;
  case 'j': /* an instruction */
    return (uint32_t)whole_number(reader, 0, MOST_INSTRUCTIONS);
  default: /* a count */
    return (uint32_t)whole_number(reader, 0, MOST_ARGUMENTS);
  }
}

static struct instruction
read_instruction(struct reader *reader, const struct program *program)
{
  struct instruction instruction = {.code = CODES};
  const char *name = word(reader);

  for(enum opcode code = 0; code < CODES && instruction.code == CODES; code++) {
    if(strcmp(name, CODE[code].name) == 0) {
      instruction.code = code;
    }
  }
  if(instruction.code == CODES) {
    wrong(reader, "an unknown instruction of the script");
  }
  if(CODE[instruction.code].arguments[0] != 0) {
    instruction.first = read_argument(reader, program, CODE[instruction.code].arguments[0], &instruction);
    if(CODE[instruction.code].arguments[1] != 0) {
      instruction.second = read_argument(reader, program, CODE[instruction.code].arguments[1], &instruction);
    }
  }
  done(reader);
  instruction.takes = CODE[instruction.code].takes + (instruction.code == DO_method || instruction.code == DO_call ||
                      instruction.code == DO_function ? instruction.second : instruction.code == DO_list ? instruction.first : 0);
  return instruction;
}

static void
check(const struct reader *reader, struct program *program)
{
  bool function = false;

  for(uint32_t i = 0; i < program->count; i++) {
    function |= program->instructions[i].code == DO_enter || i == program->timeout;
    program->keeps_msg |= function && program->instructions[i].code == DO_msg;
    if(CODE[program->instructions[i].code].arguments[0] == 'j' && program->instructions[i].first >= program->count) {
      wrong(reader, "the script before it jumps to no instruction");
    }
  }
  if(program->timeout >= program->count || program->instructions[program->count - 1].code != DO_failed) {
    wrong(reader, "the script before it has no end");
  }
}

struct program *
program_read(struct reader *reader)
{
  struct program *program = allocate(1, sizeof(*program));
  uint32_t size = 0, nulls, set;

  program->variable_count = (uint32_t)whole_number(reader, 0, MOST_VARIABLES);
  nulls = (uint32_t)whole_number(reader, 0, program->variable_count);
  set = nulls + (uint32_t)whole_number(reader, 0, (int64_t)program->variable_count - nulls);
  program->timeout = (uint32_t)whole_number(reader, 0, MOST_INSTRUCTIONS), done(reader);
  program->text = "";
  program->variables = allocate(program->variable_count, sizeof(*program->variables));
  for(uint32_t i = 0; i < set; i++) {
    program->variables[i] = nothing(i < nulls ? NIL : UNDEFINED);
  }
  for(next_line(reader); is(reader, "do"); next_line(reader)) {
    if(program->count == size) {
      size = size ? 2 * size : 64;
      program->instructions = reallocate(program->instructions, size, sizeof(*program->instructions));
    }
    if(program->count == MOST_INSTRUCTIONS) {
      wrong(reader, "too many instructions of the script");
    }
    program->instructions[program->count++] = read_instruction(reader, program);
  }
  check(reader, program);
  return program;
}

static void
push(struct program *program, struct value value)
{
  if(program->used == MOST_VALUES) {
    beyond("functions that call each other so deep");
  }
  program->stack[program->used++] = value;
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

/* As JavaScript makes 32 bits of a number. */
static uint32_t
bits(struct value value)
{
  double number = trunc(to_number(value));

  if(!isfinite(number)) {
    return 0;
  }
  number = fmod(number, 4294967296.0);
  return (uint32_t)(int64_t)number;
}

static double
calculate(enum opcode code, struct value a, struct value b)
{
  switch(code) {
  case DO_subtract: return to_number(a) - to_number(b);
  case DO_multiply: return to_number(a) * to_number(b);
  case DO_divide: return to_number(a) / to_number(b);
  case DO_remainder: return fmod(to_number(a), to_number(b));
  case DO_bits_and: return (int32_t)(bits(a) & bits(b));
  case DO_bits_or: return (int32_t)(bits(a) | bits(b));
  case DO_bits_xor: return (int32_t)(bits(a) ^ bits(b));
  case DO_shift_left: return (int32_t)(bits(a) << (bits(b) & 31));
  case DO_shift_right: return (int32_t)bits(a) >> (bits(b) & 31);
  default: return bits(a) >> (bits(b) & 31);
  }
}

static bool
compare(enum opcode code, struct value a, struct value b)
{
  enum order order;

  if(code == DO_equal) {
    return values_equal(a, b);
  }
  if(code == DO_identical) {
    return values_identical(a, b);
  }
  order = value_order(a, b);
  return order == SAME ? code == DO_less_or_same || code == DO_more_or_same
    : order == LESS ? code == DO_less || code == DO_less_or_same : order == MORE && (code == DO_more || code == DO_more_or_same);
}

static const char *
kind_of(struct value value)
{
  switch(value.kind) {
  case UNDEFINED: case UNASSIGNED: return "undefined";
  case BOOLEAN: return "boolean";
  case NUMBER: return "number";
  case STRING: return "string";
  case NIL: case LONG: case LIST: case MAP: break;
  }
  return "object";
}

static struct value
get(struct value of, struct value key)
{
  if(of.kind == MAP) {
    return map_get(of.map, key);
  }
  if(of.kind == LIST && key.kind == NUMBER && key.number >= 0 && key.number == trunc(key.number)) {
    return key.number < of.list->count ? value_keep(of.list->values[(uint32_t)key.number]) : nothing(UNDEFINED);
  }
  beyond("a part of a value that is neither a list nor an object");
}

/* `kept`: see map_set(). */
static void
set(struct value of, struct value key, struct value value, bool kept)
{
  if(of.kind == MAP && value.kind != MAP && value.kind != LIST) {
    map_set(of.map, key, value_keep(value), kept);
  } else if(of.kind == LIST && key.kind == NUMBER && key.number >= 0 && key.number < of.list->count &&
            key.number == trunc(key.number) && value.kind < LIST && value.kind != LONG) {
    value_drop(of.list->values[(uint32_t)key.number]);
    of.list->values[(uint32_t)key.number] = value_keep(value);
  } else {
    beyond("a part of a value to be set that isn't there, or with a list or an object");
  }
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

/* Arguments that aren't given are undefined, more than there are parameters go. */
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
  simulation->script.failed = !ok;
}

/* Until it waits, or has decided. */
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
      result = number_value(calculate(one->code, top[-1], top[0]));
      value_drop(top[0]), value_drop(top[-1]);
      top[-1] = result;
      program->used--;
      break;
    case DO_equal: case DO_identical: case DO_less: case DO_less_or_same: case DO_more: case DO_more_or_same:
      result = truth_value(compare(one->code, top[-1], top[0]));
      value_drop(top[0]), value_drop(top[-1]);
      top[-1] = result;
      program->used--;
      break;
    case DO_negate: case DO_to_number: case DO_bits_not: case DO_not:
      result = one->code == DO_negate ? number_value(-to_number(*top)) : one->code == DO_to_number ? number_value(to_number(*top))
        : one->code == DO_bits_not ? number_value((int32_t)~bits(*top)) : truth_value(!to_truth(*top));
      value_drop(*top);
      *top = result;
      break;
    case DO_kind_of:
      result = string_value(kind_of(*top), strlen(kind_of(*top)));
      value_drop(*top);
      *top = result;
      break;
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
    case DO_length:
      result = value_length(*top);
      value_drop(*top);
      *top = result;
      break;
    case DO_map: push(program, map_value()); break;
    case DO_list:
      result = list_of(program, one->first);
      push(program, result);
      break;
    case DO_get: case DO_has:
      if(one->code == DO_has && top[0].kind != MAP) {
        beyond("`in` of a value that is no object");
      }
      result = one->code == DO_get ? get(top[-1], top[0]) : truth_value(map_has(top[0].map, top[-1]));
      value_drop(top[0]), value_drop(top[-1]);
      top[-1] = result;
      program->used--;
      break;
    case DO_set: /* leaves the value */
      set(top[-2], top[-1], top[0], one->first != 0);
      value_drop(top[-2]), value_drop(top[-1]);
      top[-2] = top[0];
      program->used -= 2;
      break;
    case DO_delete:
      if(top[-1].kind != MAP) {
        beyond("delete of a value that is no object");
      }
      map_delete(top[-1].map, top[0]);
      value_drop(top[0]), value_drop(top[-1]);
      top[-1] = truth_value(true);
      program->used--;
      break;
    case DO_keys:
      if(top->kind != MAP) {
        beyond("the keys of a value that is no object");
      }
      result = map_keys(top->map);
      value_drop(*top);
      *top = result;
      break;
    case CODES:
      return;
    }
  }
}

/* Where in the log stands what was said of the mote's line, for reports. */
static void
keep_place(struct serial *serial, uint64_t begin, uint64_t end_of_it)
{
  memmove(&serial->last[1], &serial->last[0], (KEPT_LINES - 1) * sizeof(serial->last[0]));
  serial->last[0].position = begin;
  serial->last[0].length = (uint32_t)(end_of_it - begin - 1); /* without the line's end */
  serial->written += end_of_it - begin;
}

void
program_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length)
{
  struct program *program = simulation->script.program;
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
  if(program->keeps_msg) { /* the text is gone after this */
    value_drop(msg(program));
  }
  if(log_position(&simulation->log) > before) {
    keep_place(&mote->serial, before, log_position(&simulation->log));
  }
}

void
program_timeout(struct simulation *simulation)
{
  struct program *program = simulation->script.program;

  program->over = true;
  program->used = program->depth = 0;
  program->next = program->timeout;
  run(simulation, program);
}
