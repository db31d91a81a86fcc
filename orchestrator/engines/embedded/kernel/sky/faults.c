/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/faults.h"

#include "base/report.h"
#include "msp430/image.h"
#include "observation/fault_location.h"
#include "observation/watch.h"
#include "sky/debugger.h"

#include <string.h>

enum { BUSY_US = 1000000 };  /* so long awake without an interrupt is worth a warning; the watchdog's longest time is one */
enum { STACK_BYTES = 2048 }; /* how far up a stack a call is looked for */

static void
add_place(const struct faults *faults, uint32_t address, struct text *text)
{
  uint32_t start;
  const char *function = msp430_image_function(msp430_image(faults->mcu), address, &start);

  text_add(text, " at 0x");
  text_add_hex(text, address);
  if(function != NULL) {
    text_add(text, " in ");
    text_add(text, function);
    text_add(text, "()");
  }
}

struct code_place {
  int64_t address; /* -1: it isn't known */
  bool called;
};

/* Where in its firmware a mote is now; of one that has left it, the call that most likely led out of it: the first return address
   on its stack. */
static struct code_place
code_place(const struct faults *faults)
{
  const struct msp430_image *image = msp430_image(faults->mcu);
  uint32_t start, stack = msp430_register(faults->mcu, MSP430_SP), address = msp430_last_pc(faults->mcu);
  const uint8_t *memory = msp430_memory(faults->mcu);

  if(msp430_image_function(image, address, &start) != NULL) {
    return (struct code_place){address, false};
  }
  for(uint32_t at = stack; at < stack + STACK_BYTES && at < MSP430_MEMORY - 1; at += 2) {
    uint32_t word = memory[at] | (uint32_t)memory[at + 1] << 8;
    if(msp430_image_after_call(image, word) && msp430_image_function(image, word - 2, &start) != NULL) {
      return (struct code_place){word - 2, true};
    }
  }
  return (struct code_place){-1, false};
}

_Noreturn static void
end_with_refusal(struct faults *faults, const char *what)
{
  const struct simulation *simulation = faults->simulation;
  struct code_place code = code_place(faults);
  static char line[12000], message[1000];
  struct text json = {line, 0, sizeof(line) - 8}, text = {message, 0, sizeof(message)};

  text_add(&text, "mote ");
  text_add_number(&text, faults->mote->id);
  text_add(&text, ", simulated time ");
  text_add_number(&text, simulation->queue.now);
  text_add(&text, " us: its firmware uses ");
  text_add(&text, what);
  add_place(faults, msp430_last_pc(faults->mcu), &text);
  text_add(&text, ", which the emulated Tmote Sky does not have; run the file with --engine cooja");
  log_flush(&faults->simulation->log);
  text_add(&json, "{\"report\":\"error\",\"kind\":\"description\",\"message\":");
  text_add_json(&json, message, text.used);
  if(code.address >= 0) {
    fault_location_add(&json, faults->mote, (uint64_t)code.address, code.called);
  }
  json.size = sizeof(line);
  text_add(&json, "}\n");
  report_line(&json);
  leave(EXIT_DESCRIPTION);
}

_Noreturn void
faults_refuse(struct faults *faults, const char *what)
{
  ahead_keep_fault(DEED_REFUSAL, what, strlen(what) + 1);
  end_with_refusal(faults, what);
}

_Noreturn static void
end_with_fault(struct faults *faults, const char *what)
{
  struct code_place code = code_place(faults);

  if(debugger_waits_for(faults->mote)) {
    debugger_fault(what);
  }
  watch_mote_fault_at(faults->mote, what, code.address, code.called);
}

_Noreturn void
faults_end(struct faults *faults, enum msp430_fault fault, uint32_t address)
{
  static const char *const NAMES[] = {
    [MSP430_ILLEGAL_INSTRUCTION] = "an illegal instruction", [MSP430_ILLEGAL_READ] = "a read where there is no memory",
    [MSP430_ILLEGAL_WRITE] = "a write where nothing can be written",
    [MSP430_INTERRUPT_IN_FLASH_WRITE] = "an interrupt while flash memory is written",
    [MSP430_LATE_EVENT] = "an event in the past, at which Cooja stops",
    [MSP430_BAD_STEP] = "a wake-up that Cooja's clock can't make good, at which it stops",
    [MSP430_CHIP_MISUSED] = "a chip used in a way at which Cooja stops",
    [MSP430_HANGS] = "sleep inside an interrupt that another one waits for, in which Cooja hangs"
  };
  static char what[400];
  struct text text = {what, 0, sizeof(what) - 1};

  text_add(&text, NAMES[fault]);
  if(fault <= MSP430_ILLEGAL_WRITE) {
    add_place(faults, address, &text);
  }
  if(fault == MSP430_ILLEGAL_READ || fault == MSP430_ILLEGAL_WRITE) {
    text_add(&text, ", by the instruction");
    add_place(faults, msp430_last_pc(faults->mcu), &text);
    text_add(&text, fault == MSP430_ILLEGAL_WRITE && address == msp430_register(faults->mcu, MSP430_SP) ? ", for its stack" : "");
  }
  what[text.used] = 0;
  ahead_keep_fault(DEED_FAULT, what, text.used + 1);
  end_with_fault(faults, what);
}

/* ---- what its firmware does wrong, although it goes on ---- */

static void
note(struct faults *faults, enum msp430_notice notice, uint32_t address)
{
  struct noticed *noticed = &faults->noticed[notice];

  if(noticed->count++ == 0) {
    noticed->us = faults->simulation->queue.now;
    noticed->address = address;
  }
}

void
faults_note(struct faults *faults, enum msp430_notice notice, uint32_t address)
{
  if(!ahead_keep(DEED_NOTICE, (int)notice, (int)address, NULL, 0)) {
    note(faults, notice, address);
  }
}

void
faults_do(struct faults *faults, enum deed_kind deed, int first, int second, const char *text)
{
  if(deed == DEED_REFUSAL) {
    end_with_refusal(faults, text);
  }
  if(deed == DEED_FAULT) {
    end_with_fault(faults, text);
  }
  note(faults, (enum msp430_notice)first, (uint32_t)second);
}

struct warning {
  const char *kind, *name; /* `name`: of the number that tells how bad it is */
  int64_t number, us;
  struct code_place code;
};

static void
report(const struct faults *faults, const struct warning *warning, uint32_t deepest)
{
  char line[9000];
  struct text json = {line, 0, sizeof(line) - 8};

  text_add(&json, "{\"report\":\"warning\",\"kind\":\"");
  text_add(&json, warning->kind);
  text_add(&json, "\"");
  text_add_member(&json, "mote", faults->mote->id);
  text_add_member(&json, "us", warning->us);
  text_add_member(&json, warning->name, warning->number);
  if(warning->code.address >= 0) {
    fault_location_add(&json, faults->mote, (uint64_t)warning->code.address, warning->code.called);
  }
  if(deepest != 0) {
    text_add_member(&json, "deepest", deepest);
  }
  json.size = sizeof(line);
  text_add(&json, "}\n");
  report_line(&json);
}

static struct code_place
place_of(const struct faults *faults, uint32_t address)
{
  uint32_t start;
  bool known = msp430_image_function(msp430_image(faults->mcu), address, &start) != NULL;

  return (struct code_place){known ? (int64_t)address : -1, false};
}

void
faults_report(const struct faults *faults, int64_t lead_us)
{
  static const char *const KINDS[] = {"watchdog", "watchdog password", "flash password"};
  const struct noticed *stack = &faults->noticed[MSP430_STACK_IN_DATA];
  int64_t busy = msp430_busy_us(faults->mcu) - (lead_us > 0 ? lead_us : 0);

  for(int notice = 0; notice < MSP430_STACK_IN_DATA; notice++) {
    const struct noticed *noticed = &faults->noticed[notice];
    struct warning warning = {KINDS[notice], "count", noticed->count, noticed->us, place_of(faults, noticed->address)};
    if(noticed->count > 0) {
      report(faults, &warning, 0);
    }
  }
  if(stack->count > 0) {
    uint32_t deepest_at, deepest = msp430_stack_in_data(faults->mcu, &deepest_at);
    struct warning warning = {"stack", "below", (int64_t)msp430_image(faults->mcu)->data_end - deepest, stack->us,
                              place_of(faults, stack->address)};
    report(faults, &warning, warning.code.address < 0 ? 0 : deepest_at);
  }
  if(busy > BUSY_US && !faults->mote->removed) {
    struct warning warning = {"busy", "busy_us", busy, faults->simulation->queue.now, code_place(faults)};
    report(faults, &warning, 0);
  }
}
