/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/debugger.h"

#include "base/report.h"
#include "sky/packets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 16, RAM_MIRROR = 0x200, RAM_MIRROR_END = 0xa00, MIRROR_OFFSET = 0xf00 };
enum { INSTRUCTIONS_A_LOOK = 256, MOST_WATCHES = 8, LONGEST_WATCH = 16 };
enum { INTERRUPTED = 0x03 }; /* the byte that a debugger sends to stop what runs */
enum { SIGNAL_INTERRUPT = 2, SIGNAL_FAULT = 4, SIGNAL_STOP = 5 }; /* gdb's numbers */

struct watch { /* a variable whose change stops the mote */
  uint32_t address, size; /* no size: unused */
  uint8_t before[LONGEST_WATCH];
};

static struct {
  const struct simulation *simulation;
  const struct mote *mote;
  struct msp430 *mcu;
  int listener;
  int64_t at_us;
  bool begun, steps, to_wake;
  unsigned register_bytes; /* 2 in lldb, 4 in gdb, whose registers have room for 20 bits */
  int64_t slept;           /* cycles, at the last instruction */
  uint32_t since_look;
  uint8_t breakpoints[MSP430_MEMORY / 8];
  struct watch watches[MOST_WATCHES];
} debugger = {.register_bytes = 2};

bool
debugger_choose(const struct simulation *simulation, int listener, long id, int64_t at_us)
{
  debugger.simulation = simulation;
  debugger.listener = listener;
  debugger.at_us = at_us;
  for(uint32_t i = 0; i < simulation->mote_count && debugger.mote == NULL; i++) {
    const struct mote *mote = &simulation->motes[i];
    debugger.mote = mote->id == id && mote->type->is_sky ? mote : NULL;
  }
  return debugger.mote != NULL;
}

bool
debugger_waits_for(const struct mote *mote)
{
  return mote == debugger.mote;
}

void
debugger_attach(struct msp430 *mcu)
{
  debugger.mcu = mcu;
  msp430_trace(mcu, true);
}

/* ---- registers and memory ---- */

static void
add_register(struct text *text, unsigned number)
{
  uint32_t value = msp430_register(debugger.mcu, number);

  for(unsigned i = 0; i < debugger.register_bytes; i++) {
    packets_add_byte(text, (uint8_t)(value >> 8 * i));
  }
}

/* Where an address is in msp430_memory(); negative for registers of peripherals. */
static int32_t
place_of(uint32_t address)
{
  if(address >= MSP430_MEMORY || address < RAM_MIRROR) {
    return -1;
  }
  return (int32_t)(address < RAM_MIRROR_END ? address + MIRROR_OFFSET : address);
}

static void
read_memory(const char *arguments, struct text *answer)
{
  char *rest;
  uint32_t address = (uint32_t)strtoul(arguments, &rest, 16), size = *rest == ',' ? (uint32_t)strtoul(rest + 1, NULL, 16) : 0;

  for(uint32_t i = 0; i < size && i < PACKETS_LONGEST / 2; i++) {
    int32_t place = place_of(address + i);
    if(place < 0) {
      break;
    }
    packets_add_byte(answer, msp430_memory(debugger.mcu)[place]);
  }
  if(answer->used == 0 && size > 0) {
    text_add(answer, "E01");
  }
}

static const char *
write_memory(const char *arguments)
{
  static uint8_t bytes[PACKETS_LONGEST / 2];
  char *rest;
  uint32_t address = (uint32_t)strtoul(arguments, &rest, 16), size = *rest == ',' ? (uint32_t)strtoul(rest + 1, &rest, 16) : 0;

  if(*rest != ':' || size > sizeof(bytes) || packets_read_bytes(rest + 1, bytes, size) != size) {
    return "E02";
  }
  for(uint32_t i = 0; i < size; i++) {
    if(place_of(address + i) < 0) {
      return "E01";
    }
  }
  for(uint32_t i = 0; i < size; i++) {
    uint32_t place = (uint32_t)place_of(address + i);
    if(msp430_memory(debugger.mcu)[place] != bytes[i]) {
      msp430_memory(debugger.mcu)[place] = bytes[i];
      msp430_memory_changed(debugger.mcu, place, 1);
    }
  }
  return "OK";
}

static const char *
write_register(unsigned number, const char *hex)
{
  uint8_t bytes[4] = {0};

  if(number >= REGISTERS || packets_read_bytes(hex, bytes, debugger.register_bytes) != debugger.register_bytes) {
    return "E02";
  }
  msp430_set_register(debugger.mcu, number, bytes[0] | (uint32_t)bytes[1] << 8);
  return "OK";
}

/* ---- where it stops ---- */

static void
keep_before(struct watch *watch)
{
  for(uint32_t i = 0; i < watch->size; i++) {
    int32_t place = place_of(watch->address + i);
    watch->before[i] = place < 0 ? 0 : msp430_memory(debugger.mcu)[place];
  }
}

/* The first watched variable that has changed since the last instruction, or NULL. */
static struct watch *
changed(void)
{
  struct watch *found = NULL;

  for(int i = 0; i < MOST_WATCHES; i++) {
    struct watch *watch = &debugger.watches[i], before = *watch;
    if(watch->size > 0) {
      keep_before(watch);
      found = found == NULL && memcmp(watch->before, before.before, watch->size) != 0 ? watch : found;
    }
  }
  return found;
}

static const char *
set_watch(uint32_t address, uint32_t size, bool on)
{
  struct watch *free_place = NULL;

  for(int i = 0; i < MOST_WATCHES; i++) {
    struct watch *watch = &debugger.watches[i];
    if(watch->size > 0 && watch->address == address && watch->size == size) {
      watch->size = on ? size : 0;
      return "OK";
    }
    free_place = free_place == NULL && watch->size == 0 ? watch : free_place;
  }
  if(!on) {
    return "OK";
  }
  if(free_place == NULL || size == 0 || size > LONGEST_WATCH) {
    return "E03";
  }
  *free_place = (struct watch){.address = address, .size = size};
  keep_before(free_place);
  return "OK";
}

/* `Z0,ADDRESS,SIZE`: breakpoints are 0 and 1, a write to a variable is 2; "" for others, which there are not. */
static const char *
set_stop(const char *arguments, bool on)
{
  char *rest;
  uint32_t address, size;

  if(arguments[0] < '0' || arguments[0] > '2' || arguments[1] != ',') {
    return "";
  }
  address = (uint32_t)strtoul(arguments + 2, &rest, 16);
  size = *rest == ',' ? (uint32_t)strtoul(rest + 1, NULL, 16) : 0;
  if(address >= MSP430_MEMORY) {
    return "E01";
  }
  if(arguments[0] == '2') {
    return set_watch(address, size, on);
  }
  if(on) {
    debugger.breakpoints[address / 8] |= (uint8_t)(1 << address % 8);
  } else {
    debugger.breakpoints[address / 8] &= (uint8_t)~(1 << address % 8);
  }
  return "OK";
}

/* ---- requests ---- */

static void
monitor(const char *hex)
{
  uint8_t command[40] = "";
  char line[160], output[400];
  struct text text = {line, 0, sizeof(line) - 1}, packet = {output, 0, sizeof(output) - 1};

  packets_read_bytes(hex, command, sizeof(command) - 1);
  if(strcmp((char *)command, "simulated") == 0) {
    text_add(&text, "mote ");
    text_add_number(&text, debugger.mote->id);
    text_add(&text, " at ");
    text_add_number(&text, debugger.simulation->queue.now);
    text_add(&text, " us of simulated time, cycle ");
    text_add_number(&text, msp430_cycles(debugger.mcu));
    text_add(&text, "\n");
  } else if(strcmp((char *)command, "next-tick") == 0) {
    debugger.to_wake = true;
    text_add(&text, "continue runs until the mote wakes\n");
  } else {
    text_add(&text, "there are: simulated, next-tick\n");
  }
  line[text.used] = 0;
  text_add(&packet, "O");
  packets_add_text(&packet, line);
  output[packet.used] = 0;
  packets_reply(output);
}

static void
answer_query(const char *packet, struct text *answer)
{
  if(strncmp(packet, "qSupported", 10) == 0) {
    debugger.register_bytes = strstr(packet, "swbreak+") != NULL ? 4 : 2; /* gdb, and not lldb, speaks of it */
    text_add(answer, "PacketSize=1000;QStartNoAckMode+;swbreak+;hwbreak+");
  } else if(strncmp(packet, "qRcmd,", 6) == 0) {
    monitor(packet + 6);
    text_add(answer, "OK");
  } else if(strcmp(packet, "qC") == 0) {
    text_add(answer, "QC1");
  } else if(strcmp(packet, "qfThreadInfo") == 0) {
    text_add(answer, "m1");
  } else if(strcmp(packet, "qsThreadInfo") == 0) {
    text_add(answer, "l");
  } else if(strcmp(packet, "qAttached") == 0) {
    text_add(answer, "0");
  } else if(strcmp(packet, "qHostInfo") == 0) {
    text_add(answer, "triple:");
    packets_add_text(answer, "msp430-none-elf");
    text_add(answer, ";endian:little;ptrsize:2;");
  }
}

/* Answers a packet; returns whether the mote runs on. */
static bool
handle(const char *packet)
{
  static char buffer[PACKETS_LONGEST + 200];
  struct text answer = {buffer, 0, sizeof(buffer) - 1};
  const char *done = NULL;
  char *rest;

  switch(packet[0]) {
  case '?':
    done = "T05thread:1;";
    break;
  case 'g':
    for(unsigned i = 0; i < REGISTERS; i++) {
      add_register(&answer, i);
    }
    break;
  case 'p': {
    unsigned long number = strtoul(packet + 1, NULL, 16);
    if(number < REGISTERS) {
      add_register(&answer, (unsigned)number);
    } else {
      done = "E01";
    }
    break;
  }
  case 'P': {
    unsigned long number = strtoul(packet + 1, &rest, 16);
    done = *rest == '=' && number < REGISTERS ? write_register((unsigned)number, rest + 1) : "E02";
    break;
  }
  case 'm':
    read_memory(packet + 1, &answer);
    break;
  case 'M':
    done = write_memory(packet + 1);
    break;
  case 'Z':
  case 'z':
    done = set_stop(packet + 1, packet[0] == 'Z');
    break;
  case 'H':
  case 'T':
    done = "OK";
    break;
  case 'q':
    answer_query(packet, &answer);
    break;
  case 'Q':
    if(strcmp(packet, "QStartNoAckMode") == 0) {
      packets_reply("OK");
      packets_without_acknowledgements();
      return false;
    }
    break;
  case 'D':
    packets_reply("OK");
    packets_close();
    return true;
  case 'k':
    leave(EXIT_VERDICT_OK);
  case 's':
  case 'c':
    if(packet[1] != 0) {
      msp430_set_register(debugger.mcu, MSP430_PC, (uint32_t)strtoul(packet + 1, NULL, 16));
    }
    debugger.steps = packet[0] == 's';
    return true;
  default:
    break;
  }
  buffer[answer.used] = 0;
  packets_reply(done != NULL ? done : buffer);
  return false;
}

/* Serves the debugger until it lets the mote run. */
static void
serve(void)
{
  static char packet[PACKETS_LONGEST + 1];

  while(packets_are_open() && packets_take(packet) && !handle(packet)) {
  }
  if(!packets_are_open()) { /* the simulation goes on without a debugger */
    msp430_trace(debugger.mcu, false);
  }
}

static void
stop(int signal, const struct watch *watch)
{
  char line[64];
  struct text text = {line, 0, sizeof(line) - 1};

  debugger.steps = debugger.to_wake = false;
  text_add(&text, "T");
  packets_add_byte(&text, (uint8_t)signal);
  text_add(&text, "thread:1;");
  if(watch != NULL) {
    text_add(&text, "watch:");
    text_add_hex(&text, watch->address);
    text_add(&text, ";");
  }
  line[text.used] = 0;
  packets_reply(line);
  serve();
}

static void
begin(bool woke)
{
  char line[120];
  struct text text = {line, 0, sizeof(line)};

  debugger.begun = true;
  text_add(&text, "{\"report\":\"stopped\"");
  text_add_member(&text, "sim_us", debugger.simulation->queue.now);
  text_add_member(&text, "mote", debugger.mote->id);
  text_add(&text, woke ? ",\"woke\":true}\n" : ",\"woke\":false}\n");
  report_line(&text);
  if(!packets_open(debugger.listener)) {
    report_error(ERROR_KERNEL, "no debugger connects: %s", strerror(errno));
  }
  serve();
}

void
debugger_instruction(void)
{
  uint32_t pc = msp430_register(debugger.mcu, MSP430_PC);
  int64_t slept = msp430_cycles(debugger.mcu) - msp430_active_cycles(debugger.mcu);
  bool woke = slept != debugger.slept;
  const struct watch *watch;

  debugger.slept = slept;
  if(!debugger.begun) {
    if(debugger.simulation->queue.now >= debugger.at_us) {
      begin(woke);
    }
    return;
  }
  watch = changed();
  if(watch != NULL || debugger.steps || (debugger.to_wake && woke) ||
     (pc < MSP430_MEMORY && (debugger.breakpoints[pc / 8] >> pc % 8 & 1))) {
    stop(SIGNAL_STOP, watch);
  } else if(++debugger.since_look == INSTRUCTIONS_A_LOOK) {
    debugger.since_look = 0;
    if(packets_byte(false) == INTERRUPTED) {
      stop(SIGNAL_INTERRUPT, NULL);
    }
  }
}

void
debugger_fault(const char *what)
{
  char line[600];
  struct text text = {line, 0, sizeof(line) - 2};

  if(!packets_are_open()) {
    return;
  }
  text_add(&text, "O");
  packets_add_text(&text, what);
  packets_add_byte(&text, '\n');
  line[text.used] = 0;
  packets_reply(line);
  stop(SIGNAL_FAULT, NULL);
  packets_reply("X04");
}

void
debugger_ended(bool ok)
{
  if(packets_are_open()) {
    packets_reply(ok ? "W00" : "W01");
  }
}
