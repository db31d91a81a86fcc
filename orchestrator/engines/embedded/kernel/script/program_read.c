/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "script/instructions.h"
#include "script/methods.h"
#include "script/program.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = 1 << 20, MOST_VARIABLES = 1 << 16, MOST_ARGUMENTS = 255 };

static const struct {
  const char *name;
  unsigned takes;
  const char *arguments;
} CODE[] = {
#define DESCRIBED(name, takes, arguments) {#name, takes, arguments},
  INSTRUCTIONS(DESCRIBED)
#undef DESCRIBED
};

static struct value
read_text(struct reader *reader)
{
  size_t length;
  uint8_t *bytes = hexadecimal(reader, &length);
  struct value text = string_value((char *)bytes, length);

  free(bytes);
  return text;
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
    program->instructions = with_room(program->instructions, program->count, &size, 64, sizeof(*program->instructions));
    if(program->count == MOST_INSTRUCTIONS) {
      wrong(reader, "too many instructions of the script");
    }
    program->instructions[program->count++] = read_instruction(reader, program);
  }
  check(reader, program);
  return program;
}
