/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/cpu.h"

#include "base/memory.h"
#include "msp430/decode.h"
#include "msp430/events.h"
#include "msp430/interrupts.h"
#include "msp430/loops.h"
#include "msp430/memory.h"
#include "msp430/profile.h"
#include "msp430/stack.h"

enum { INTERRUPT_CYCLES = 6, RESET_VECTOR = 0xfffe };

/* Does it name a register that shows the input pins of port 1, or what has become of them? */
static bool
looks_at_pins(const struct instruction *instruction)
{
  enum { P1IN = 0x20, P1IFG = 0x23, P1IE = 0x25 };
  uint16_t source = instruction->source, destination = instruction->destination;

  return (instruction->source_register == NO_BASE && (source == P1IN || (source >= P1IFG && source <= P1IE))) ||
         (instruction->destination_register == NO_BASE && (destination == P1IN || (destination >= P1IFG && destination <= P1IE)));
}

/* The instruction at PC as the CPU reads it now. */
static void
run_uncached(struct msp430 *mcu, const struct instruction *place, int64_t cycles)
{
  uint32_t address = instruction_address(mcu, place);
  uint16_t words[3] = {0};
  struct instruction instruction;

  instruction_note(mcu, place, cycles);
  mcu->cycles = cycles;
  mcu->registers[MSP430_PC] = address;
  mcu->stop = INT64_MIN; /* no other one follows from within here */
  if(address < MSP430_MEMORY && (mcu->pages[address / PAGE_BYTES] & PAGE_KIND) == PAGE_REGISTERS) {
    if((memory_read(mcu, address, true) & 0xf000) == 0) { /* as after a call through a null pointer */
      msp430_fail(mcu, MSP430_ILLEGAL_INSTRUCTION, address);
    }
    msp430_refuse(mcu, "instructions in the registers of peripherals");
  }
  words[0] = (uint16_t)memory_read(mcu, address, true);
  if(words[0] < 0x1000) {
    msp430_fail(mcu, MSP430_ILLEGAL_INSTRUCTION, address);
  }
  instruction = instruction_decode(address, words);
  for(unsigned i = 1; i < instruction.size / 2U; i++) {
    words[i] = (uint16_t)memory_read(mcu, address + 2 * i, true);
  }
  if(instruction.size > 2) {
    instruction = instruction_decode(address, words);
  }
  if(mcu->stops_at_looks && looks_at_pins(&instruction)) {
    mcu->owes_look = true;
    msp430_pause(mcu);
    return;
  }
  mcu->base = &instruction - address / 2;
  instruction.run(mcu, &instruction, cycles);
}

/* Main flash is as it is in the image, so its instructions are decoded once for all that run it. */
static void
run_first(struct msp430 *mcu, const struct instruction *place, int64_t cycles)
{
  uint32_t address = instruction_address(mcu, place);
  uint16_t words[3];
  struct instruction *instruction = &mcu->instructions[address / 2];

  memory_words(mcu, address, words);
  *instruction = instruction_decode(address, words);
  if(words[0] < 0x1000 || address + instruction->size > MSP430_MEMORY) {
    instruction->run = run_uncached; /* which reports what is wrong */
  } else if(looks_at_pins(instruction)) {
    instruction->run = run_uncached; /* which may stop */
  } else if(mcu->profile == NULL) { /* rounds that are skipped would count to the jump */
    loop_find(mcu, address, instruction);
  }
  profile_decoded(mcu, instruction);
  instruction->run(mcu, instruction, cycles);
}

/* Behind the end of the memory. */
static void
run_beyond(struct msp430 *mcu, const struct instruction *place, int64_t cycles)
{
  instruction_note(mcu, place, cycles);
  mcu->cycles = cycles;
  mcu->registers[MSP430_PC] = MSP430_MEMORY;
  msp430_fail(mcu, MSP430_ILLEGAL_READ, MSP430_MEMORY);
}

struct instruction *
cpu_new_instructions(void)
{
  struct instruction *instructions = allocate(MSP430_MEMORY / 2 + 1, sizeof(*instructions));

  for(uint32_t i = 0; i < MSP430_MEMORY / 2; i++) {
    instructions[i].run = 2 * i < MAIN_FLASH_BEGIN ? run_uncached : run_first;
  }
  instructions[MSP430_MEMORY / 2].run = run_beyond;
  return instructions;
}

void
cpu_forget(struct msp430 *mcu, uint32_t begin, uint32_t end)
{
  enum { LONGEST = 6 }; /* bytes of an instruction */

  end += LONGEST_LOOP;

  if(end <= MAIN_FLASH_BEGIN) {
    return;
  }
  if(!mcu->own_instructions) {
    mcu->own_instructions = true;
    mcu->instructions = cpu_new_instructions();
    mcu->stop = INT64_MIN;
    return;
  }
  begin = begin < MAIN_FLASH_BEGIN + LONGEST ? MAIN_FLASH_BEGIN : begin - LONGEST;
  for(uint32_t i = begin / 2; 2 * i < end && 2 * i < MSP430_MEMORY; i++) {
    mcu->instructions[i].run = run_first;
  }
}

static void
reset(struct msp430 *mcu)
{
  for(int number = 0; number < INTERRUPTS; number++) {
    mcu->interrupt_sources[number] = NULL;
  }
  mcu->serviced_interrupt = NO_INTERRUPT;
  mcu->highest_interrupt = NO_INTERRUPT;
  status_write(mcu, 0);
  events_clear(mcu);
  if(mcu->board->reset != NULL) {
    mcu->board->reset(mcu->context);
  }
  mcu->peripherals->reset(mcu);
}

static void
push(struct msp430 *mcu, uint32_t value)
{
  uint32_t stack = mcu->registers[MSP430_SP] - 2;

  mcu->registers[MSP430_SP] = stack & 0xfffff;
  if(stack < mcu->stack_limit) {
    stack_reached(mcu, stack);
  }
  memory_write(mcu, stack, (int32_t)value, true);
}

static void
service_interrupt(struct msp430 *mcu)
{
  uint32_t pc = mcu->registers[MSP430_PC], status = mcu->registers[MSP430_SR];
  struct interrupt_source *source;
  int number;

  mcu->at = pc;
  if(mcu->flash.holds_cpu) {
    msp430_fail(mcu, MSP430_INTERRUPT_IN_FLASH_WRITE, pc);
  }
  if(mcu->highest_interrupt < RESET_INTERRUPT) {
    push(mcu, pc);
    push(mcu, (status & 0xfff) | (pc & 0xf0000) >> 4);
  }
  status_write(mcu, 0);
  pc = (uint32_t)memory_read(mcu, (uint32_t)(RESET_VECTOR - (RESET_INTERRUPT - mcu->highest_interrupt) * 2), true);
  register_write(mcu, MSP430_PC, pc);
  number = mcu->highest_interrupt;
  source = mcu->interrupt_sources[number];
  mcu->serviced_interrupt = (int8_t)number;
  interrupts_evaluate(mcu);
  if(number == RESET_INTERRUPT) {
    reset(mcu);
    source = NULL;
  }
  mcu->cycles += INTERRUPT_CYCLES;
  mcu->rested = mcu->cycles;
  if(source != NULL && source->serviced != NULL) {
    source->serviced(mcu, source, number);
  }
}

static void
run_due_events(struct msp430 *mcu)
{
  while(mcu->cycles >= mcu->next_event) {
    events_run(mcu);
  }
}

static void
sleep_to(struct msp430 *mcu, int64_t limit)
{
  int64_t before = mcu->cycles;

  run_due_events(mcu);
  if(mcu->interrupts_on && mcu->highest_interrupt > 0) {
    if(mcu->serviced_interrupt != NO_INTERRUPT && mcu->cycles < limit) {
      msp430_fail(mcu, MSP430_HANGS, mcu->registers[MSP430_PC]);
    }
    return;
  }
  if(limit >= 0 && limit < mcu->next_event) {
    mcu->cycles = mcu->cycles > limit ? mcu->cycles : limit;
  } else {
    mcu->cycles = mcu->next_event;
  }
  mcu->slept += mcu->cycles - before;
  if(mcu->cpu_off) {
    mcu->slept_us[msp430_sleeps(mcu)] += (double)(mcu->cycles - before) * 1e6 / mcu->dco_hz;
  }
  mcu->rested = mcu->cycles;
}

static inline void
run_instruction(struct msp430 *mcu, bool cached)
{
  uint32_t pc = mcu->registers[MSP430_PC];

  mcu->at = pc;
  if(__builtin_expect(pc >= MSP430_MEMORY, false)) {
    msp430_fail(mcu, MSP430_ILLEGAL_READ, pc);
  }
  mcu->base = mcu->instructions;
  if(cached) {
    const struct instruction *instruction = &mcu->instructions[pc / 2];
    instruction->run(mcu, instruction, mcu->cycles);
  } else {
    run_uncached(mcu, &mcu->base[pc / 2], mcu->cycles);
  }
}

/* One instruction after the other, up to the limit or until attention is needed. */
static inline void
run_instructions(struct msp430 *mcu, int64_t limit)
{
  mcu->stop = limit < mcu->next_event ? limit : mcu->next_event;
  mcu->loop_at = NULL; /* an event, or something outside, may have changed what a loop waits for */
  mcu->late = 0;
  do {
    run_instruction(mcu, true);
  } while(mcu->cycles < mcu->stop);
  run_due_events(mcu);
}

void
cpu_step(struct msp430 *mcu, int64_t limit)
{
  mcu->before = mcu->cycles;
  if(is_interrupted(mcu)) {
    service_interrupt(mcu);
  }
  mcu->late = mcu->cycles - mcu->before;
  if(mcu->cpu_off || mcu->flash.holds_cpu) {
    sleep_to(mcu, limit);
  } else {
    if(mcu->traced) {
      mcu->board->instruction(mcu->context);
    }
    mcu->stop = INT64_MIN;
    run_instruction(mcu, !mcu->uncached);
    run_due_events(mcu);
  }
}

void
cpu_look(struct msp430 *mcu)
{
  bool stops = mcu->stops_at_looks;

  if(mcu->owes_look) {
    mcu->owes_look = mcu->stops_at_looks = false;
    mcu->late = mcu->cycles - mcu->before;
    mcu->stop = INT64_MIN;
    run_instruction(mcu, !mcu->uncached);
    mcu->stops_at_looks = stops;
    run_due_events(mcu);
  }
}

void
msp430_trace(struct msp430 *mcu, bool on)
{
  mcu->traced = on;
  interrupts_attend(mcu);
}

void
msp430_set_register(struct msp430 *mcu, unsigned number, uint32_t value)
{
  register_write(mcu, number & 15, value & 0xffff);
  if((number & 15) == MSP430_SP) {
    stack_moved(mcu, value & 0xffff);
  }
}

void
cpu_run(struct msp430 *mcu, int64_t limit)
{
  while(mcu->cycles < limit || (mcu->cpu_off && mcu->next_event < mcu->cycles)) {
    if(mcu->attention) {
      cpu_step(mcu, limit);
    } else {
      run_instructions(mcu, limit);
    }
  }
}

bool
cpu_run_to_pause(struct msp430 *mcu, int64_t limit)
{
  while(mcu->cycles < limit) {
    if(mcu->attention) {
      cpu_step(mcu, limit);
    } else {
      run_instructions(mcu, limit);
    }
    if(mcu->cpu_off || mcu->pause || mcu->flash.holds_cpu) {
      return false;
    }
  }
  return true;
}
