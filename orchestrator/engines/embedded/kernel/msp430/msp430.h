/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The microcontroller of a Tmote Sky, TI's MSP430F1611, without the board around it: CPU, memory, clocks and peripherals.
 * It behaves as Cooja's emulator MSPSim does (contiki-ng/cooja at b980125c), also where that differs from TI's User's Guide
 * (SLAU049): the log of a simulation depends on it. What is called a cycle is one of MCLK, which always is the DCO's clock.
 *
 * Nothing here knows of motes or of a simulation. Whoever has a board gives its functions in a struct msp430_board.
 */
#ifndef MSP430_H
#define MSP430_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct msp430;
struct msp430_image; /* a firmware; microcontrollers that run it share one */
struct msp430_events;

enum { MSP430_MEMORY = 0x10000 };                    /* bytes */
enum { MSP430_VIRTUAL_HZ = 4915200 };                /* ticks of virtual time in a second: the fastest DCO */
enum { MSP430_SLEEPS = 5 };                          /* modes of low power, LPM0 to LPM4 */
enum { MSP430_PC, MSP430_SP, MSP430_SR, MSP430_CG2 }; /* the first of 16 registers */

/* The revisions of Cooja whose ports differ: see port.c. */
enum msp430_rules {
  MSP430_COOJA_5_0,  /* 2b9b0bf9, the submodule of Contiki-NG 5.0 */
  MSP430_COOJA_MASTER /* b980125c */
};

enum msp430_fault {
  MSP430_ILLEGAL_INSTRUCTION,
  MSP430_ILLEGAL_READ,  /* there is no memory at this address */
  MSP430_ILLEGAL_WRITE, /* the same, or to a register that can't be written */
  MSP430_INTERRUPT_IN_FLASH_WRITE, /* while the flash controller holds the CPU */
  MSP430_LATE_EVENT,    /* an event in virtual time would be in the past */
  MSP430_BAD_STEP,      /* msp430_step() was asked to jump further than the CPU can */
  MSP430_CHIP_MISUSED,  /* a chip around it is used in a way that MSPSim's model of it doesn't stand */
  MSP430_HANGS          /* asleep inside an interrupt with another one pending: Cooja never returns */
};

/* What looks like a mistake of the firmware, which goes on nevertheless, in Cooja as here. */
enum msp430_notice {
  MSP430_WATCHDOG_EXPIRED,  /* it resets the microcontroller */
  MSP430_WATCHDOG_PASSWORD, /* a write to the watchdog's register without its password: a reset */
  MSP430_FLASH_PASSWORD,    /* the same for the flash controller's */
  MSP430_STACK_IN_DATA,     /* the stack has grown into variables */
  MSP430_NOTICES
};

/*
 * What the board around the microcontroller does. A function may be NULL if there is nothing to do, but for refused() and
 * fault(). `context` is msp430_new()'s. Functions may call everything below that takes a microcontroller, but for
 * msp430_step() and msp430_reset().
 */
struct msp430_board {
  /* A byte has left the shift register. Its value has 16 bits if the firmware wrote a word. */
  void (*usart_sent)(void *context, unsigned usart, unsigned byte);

  /*
   * After each write to PnOUT or PnDIR, even of the same value, and at a reset that changes it: the level of each pin if inputs
   * are pulled up, OUT | ~DIR. It has 16 bits if the firmware wrote a word to PnOUT.
   */
  void (*port_written)(void *context, unsigned port, unsigned levels);

  /* The CPU has been reset: all events are gone, interrupts too. Peripherals are reset after this. */
  void (*reset)(void *context);

  /* A sample of an analog input (0..15), 12 bits; negative if nothing is connected to it. */
  int (*analog_input)(void *context, unsigned channel);

  /* The firmware has written to an address that is watched (msp430_watch()); it has its new value. */
  void (*written)(void *context, uint32_t address);

  /* Before each instruction of one that is traced, after the interrupt that may come first. */
  void (*instruction)(void *context);

  /* `address` is that of the instruction. What it does must not change the microcontroller, but for msp430_pause(). */
  void (*noticed)(void *context, enum msp430_notice notice, uint32_t address);

  /* Firmware uses what isn't modelled here: a sentence's object, such as "instructions of the MSP430X". Doesn't return. */
  void (*refused)(void *context, const char *what);

  /* Cooja would stop with an exception. `address` is that of the access, or of the instruction. Doesn't return. */
  void (*fault)(void *context, enum msp430_fault fault, uint32_t address);
};

/* ---- Firmware (image.c) ---- */

/* Reads an ELF file for the MSP430; a bad one ends the process with a report (ERROR_LOAD). */
struct msp430_image *msp430_image_read(const char *path);

/* The same from bytes. Returns NULL and sets `*wrong` to what is wrong: "cut short: ...". */
struct msp430_image *msp430_image_parse(const uint8_t *bytes, size_t size, const char **wrong);

/* An image without symbols from memory's 64 KB. */
struct msp430_image *msp430_image_raw(const uint8_t *memory);

void msp430_image_free(struct msp430_image *image);

/* Has cycles counted by the instruction in which they pass, from before the first one runs (profile.h); and how many were at an
   even address. */
void msp430_image_count(struct msp430_image *image);
int64_t msp430_image_cycles(const struct msp430_image *image, uint32_t address);

/* Finds a variable as Cooja does: the last symbol of this name; its size is 0 if the ELF doesn't say. */
bool msp430_image_variable(const struct msp430_image *image, const char *name, uint32_t *address, uint32_t *size);

/* The function that an address is in, and its first address; NULL if there is none. */
const char *msp430_image_function(const struct msp430_image *image, uint32_t address, uint32_t *start);

/* Whether the file has a CALL that ends before this address, so that it may be a return address. */
bool msp430_image_after_call(const struct msp430_image *image, uint32_t address);

/* ---- Life (f1611.c), and how time passes (step.c) ---- */

/* A microcontroller with this firmware and its reset pending. `board` and `image` have to outlive it. */
struct msp430 *msp430_new(const struct msp430_image *image, const struct msp430_board *board, void *context,
                          enum msp430_rules rules);
void msp430_free(struct msp430 *mcu);

/* Makes a reset the next thing that it does. */
void msp430_reset(struct msp430 *mcu);

/*
 * Lets time pass: first `jump` us, in which the CPU must have slept, then `run` us. Returns in how many us after these it has to
 * run again at the latest: 0 if it is awake. Events may still bring that forward: whoever calls board functions from outside
 * (msp430_usart_receive(), msp430_set_pin() with an interrupt) has to step it again at once, with jump + run for the time passed.
 */
int64_t msp430_step(struct msp430 *mcu, int64_t jump, int64_t run);

/* What msp430_step() with this jump and nothing to run would return, if nothing but sleep is in the jump; else below 0. */
int64_t msp430_rest(const struct msp430 *mcu, int64_t jump);

/* The least that this can be, with the jump added, for any jump up to the next event. */
int64_t msp430_least_rest(const struct msp430 *mcu);

bool msp430_is_awake(const struct msp430 *mcu);

/*
 * The same as `most` steps of 1 us without a gap, of which the first has this jump. The CPU must be awake. It stops as soon as
 * the CPU sleeps or msp430_pause() is called. Returns the number of complete steps. If they are fewer, a part of the next one is
 * done, too; the rest follows with a step or a run that has a jump of 1.
 */
int64_t msp430_run(struct msp430 *mcu, int64_t jump, int64_t most);
void msp430_pause(struct msp430 *mcu);

/* During msp430_run(), the number of the present step, from 1. */
int64_t msp430_run_so_far(const struct msp430 *mcu);

/* Whether msp430_run() also stops before an instruction that names a register in which the input pins of port 1 show. */
void msp430_stop_at_looks(struct msp430 *mcu, bool stop);

/* For tests: executes one instruction, or services an interrupt first, or sleeps until the next event. */
void msp430_step_once(struct msp430 *mcu);

/* ---- State ---- */

int64_t msp430_cycles(const struct msp430 *mcu);
int64_t msp430_active_cycles(const struct msp430 *mcu); /* those in which instructions ran */
int msp430_sleeps(const struct msp430 *mcu);            /* in the mode of low power with this number; -1: it is active */
double msp430_slept_us(const struct msp430 *mcu, int mode); /* by its own clock, up to where it has run */
int64_t msp430_virtual_time(const struct msp430 *mcu);  /* ticks of MSP430_VIRTUAL_HZ */
uint32_t msp430_register(const struct msp430 *mcu, unsigned number); /* 0..15; may have more than 16 bits, as in MSPSim */
uint32_t msp430_last_pc(const struct msp430 *mcu); /* of the instruction that is running, or of the last one */
int64_t msp430_busy_us(const struct msp430 *mcu);  /* since it last slept or serviced an interrupt */

/* The lowest address that the stack had below the firmware's `_end`, and the instruction that brought it there; 0 if none did. */
uint32_t msp430_stack_in_data(const struct msp430 *mcu, uint32_t *instruction);
const struct msp430_image *msp430_image(const struct msp430 *mcu);

/* The 64 KB as scripts see them: registers of peripherals aren't in it. Writes need msp430_memory_changed(). */
uint8_t *msp430_memory(struct msp430 *mcu);
void msp430_memory_changed(struct msp430 *mcu, uint32_t address, uint32_t size);

/* Calls the board's written() after the firmware's writes that begin in [address, address + size). */
void msp430_watch(struct msp430 *mcu, uint32_t address, uint32_t size);
void msp430_unwatch(struct msp430 *mcu, uint32_t address, uint32_t size);

/* For debuggers: has the board's instruction() called. What microcontrollers do doesn't depend on it, only their speed. */
void msp430_trace(struct msp430 *mcu, bool on);

/* Writes a register, 0..15, as an instruction would; between instructions. */
void msp430_set_register(struct msp430 *mcu, unsigned number, uint32_t value);

/* ---- Events of chips (events.c) ---- */

/* Embed it in a chip's structure; begin with all zero but for `run`. */
struct msp430_event {
  void (*run)(struct msp430_event *event, int64_t time); /* `time` is now, in the unit of its list */
  struct msp430_event *next;
  struct msp430_events *list; /* it is queued in, or NULL */
  int64_t time;
};

/* The structure around a member of it, such as an event. */
#define MSP430_AROUND(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

/* Queue an event or move it: at a cycle, at a virtual time, in so many milliseconds of virtual time. */
void msp430_at_cycle(struct msp430 *mcu, struct msp430_event *event, int64_t cycle);
void msp430_at_virtual_time(struct msp430 *mcu, struct msp430_event *event, int64_t time);
void msp430_in_ms(struct msp430 *mcu, struct msp430_event *event, double ms);

/* Takes an event out of its list; false if it is in none. */
bool msp430_cancel(struct msp430_event *event);

static inline bool
msp430_queued(const struct msp430_event *event)
{
  return event->list != NULL;
}

/* ---- Pins and lines (port.c, usart.c) ---- */

/* A chip drives pin 0..7 of port 1..6. */
void msp430_set_pin(struct msp430 *mcu, unsigned port, unsigned pin, bool high);

/* Whether pin 0..7 of port 1 or 2 can interrupt. */
bool msp430_pin_interrupts(const struct msp430 *mcu, unsigned port, unsigned pin);

/* A byte arrives at USART 0 or 1: it is in URXBUF a cycle later. It is lost if the receiver isn't enabled. */
void msp430_usart_receive(struct msp430 *mcu, unsigned usart, unsigned byte);

/* For chips: ends the simulation, by fault(). */
_Noreturn void msp430_stop_for_chip(struct msp430 *mcu);

/* Has the firmware taken the last byte? */
bool msp430_usart_ready(const struct msp430 *mcu, unsigned usart);

#endif
