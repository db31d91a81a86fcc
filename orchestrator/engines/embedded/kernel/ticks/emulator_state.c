/* SPDX-License-Identifier: Apache-2.0 */
#include "ticks/emulator_state.h"

#include <string.h>

static const uint64_t CANARY = 0x5bd1e995a7c4f100;

void
emulator_find(const struct firmware *firmware, struct variable *variables, unsigned count)
{
  for(unsigned i = 0; i < count; i++) {
    uint64_t size;
    variables[i].there = firmware_variable(firmware, variables[i].name, &variables[i].offset, &size) && size == variables[i].size;
  }
}

static struct variable *
variable_at(const struct processor *processor, uint64_t address, unsigned size)
{
  for(unsigned i = 0; i < processor->count; i++) {
    struct variable *variable = &processor->variables[i];
    if(variable->there && variable->offset == address && variable->size == size) {
      return variable;
    }
  }
  return NULL;
}

/* Accesses the stack in whole words, or within one. */
static struct value *
stack_word(struct processor *processor, uint64_t address, unsigned size)
{
  uint64_t at = address - STACK;

  return at < STACK_SIZE && at % 8 + size <= 8 ? &processor->stack[at / 8] : NULL;
}

/* Reads an address in the file's data that a relocation puts there. */
static bool
relocated(struct emulator *emulator, uint64_t address, uint64_t *value)
{
  const struct firmware *firmware = emulator->firmware;
  struct relocation *place = &emulator->kept[address / 8 % KEPT_RELOCATIONS];

  for(size_t i = 0; place->offset != address && i < firmware->relatives; i++) {
    if(firmware->relative[i].offset == address) {
      *place = firmware->relative[i];
    }
  }
  *value = place->value;
  return place->offset == address;
}

bool
emulator_load(struct processor *processor, uint64_t address, unsigned size, struct value *value)
{
  const struct variable *variable = variable_at(processor, address, size);
  const struct value *word = stack_word(processor, address, size);

  if(variable != NULL) {
    *value = (struct value){cut((uint64_t)(int64_t)variable->value, size), variable->kept};
    return true;
  }
  if(word != NULL) {
    *value = (struct value){cut(word->bits >> 8 * (address % 8), size), word->kept};
    return true;
  }
  value->kept = KNOWN;
  return size == 8 && relocated(processor->emulator, address, &value->bits);
}

bool
emulator_store(struct processor *processor, uint64_t address, unsigned size, struct value value)
{
  struct variable *variable = variable_at(processor, address, size);
  struct value *word = stack_word(processor, address, size);

  if(variable != NULL) {
    variable->value = (int32_t)(int64_t)extended(value.bits, size);
    return variable->may_change;
  }
  if(word != NULL) {
    uint64_t mask = cut(UINT64_MAX, size) << 8 * (address % 8);
    word->bits = (word->bits & ~mask) | (cut(value.bits, size) << 8 * (address % 8));
    word->kept = size == 8 || value.kept > word->kept ? value.kept : word->kept;
    return true;
  }
  return false;
}

bool
emulator_get(struct processor *processor, const struct operand *operand, unsigned size, struct value *value)
{
  if(operand->canary) {
    *value = (struct value){CANARY, KNOWN};
    return size == 8;
  }
  if(operand->memory) {
    return emulator_load(processor, operand->address, size, value);
  }
  *value = processor->registers[operand->number];
  value->bits = cut(value->bits, size);
  return true;
}

bool
emulator_set(struct processor *processor, const struct operand *operand, unsigned size, struct value value)
{
  struct value *into = &processor->registers[operand->number];

  if(operand->memory) {
    return !operand->canary && emulator_store(processor, operand->address, size, value);
  }
  if(size < 4) { /* the rest of the register is unchanged */
    value.bits = (into->bits & ~cut(UINT64_MAX, size)) | cut(value.bits, size);
    value.kept = into->kept > value.kept ? into->kept : value.kept;
  }
  *into = (struct value){size == 4 ? cut(value.bits, 4) : value.bits, value.kept};
  return true;
}
