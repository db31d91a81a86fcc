/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that a microcontroller is. Each file works on its own part; what several need is at the end. Numbers are int32_t
 * where MSPSim has a Java int, for a register of a peripheral may hold more bits there than the bus has.
 */
#ifndef MSP430_STATE_H
#define MSP430_STATE_H

#include "msp430/msp430.h"

enum { NO_BASE = 16 }; /* a register */
enum { NO_INTERRUPT = -1, RESET_INTERRUPT = 15, NMI_INTERRUPT = 14, INTERRUPTS = 16 };

/* ---- Status register ---- */
enum {
  SR_C = 0x0001,
  SR_Z = 0x0002,
  SR_N = 0x0004,
  SR_GIE = 0x0008,
  SR_CPUOFF = 0x0010,
  SR_OSCOFF = 0x0020,
  SR_SCG0 = 0x0040,
  SR_SCG1 = 0x0080,
  SR_V = 0x0100
};

/* ---- Lists of events (events.c) ---- */
struct msp430_events {
  struct msp430_event *first;
  int64_t next_time; /* the first one's, or what was left of it */
  uint32_t count;
};

/* ---- Interrupts (interrupts.c) ---- */
struct interrupt_source {
  void (*serviced)(struct msp430 *mcu, struct interrupt_source *source, int number); /* or NULL */
};

/* ---- Special function registers (special.c) ---- */
enum { SPECIAL_BITS = 16 }; /* of both interrupt flag registers */

struct special {
  struct interrupt_source source;
  int32_t enable[2], flags[2], modules[2];
  int32_t others[16]; /* by address */
  bool triggered[INTERRUPTS], keep_flag[INTERRUPTS];
  uint8_t triggered_by[INTERRUPTS]; /* bit, 0..15 */
};

/* ---- Clock module (clock.c) ---- */
struct clock {
  int32_t dco, modulation, resistor;
  int32_t dco_hz; /* as worked out last */
  int32_t smclk_divider;
};

/* ---- Timers (timer.c) ---- */
enum { MOST_CAPTURES = 7, TIMERS = 2 };

struct capture { /* a capture/compare register */
  struct msp430_event event;
  struct timer *timer;
  int index;
  int32_t control, value;
  int32_t expected, interval;
  int64_t expected_at; /* cycle, or -1 */
  int64_t cycles_left;
  int32_t edges, input, source;
  bool capturing;
};

struct timer {
  struct interrupt_source source;
  struct msp430 *mcu;
  const struct timer_kind *kind;
  struct msp430_event overflow_event;
  int64_t overflow_at, started_at, accumulated; /* cycle, cycle, ticks */
  int32_t counter, passed;
  int32_t divider, clock_source, clock_hz, mode;
  double cycles_per_tick;
  double exact_divider; /* the same by another order of divisions */
  int32_t control, vector;
  bool overflow_enabled, overflow_pending;
  struct capture captures[MOST_CAPTURES];
};

/* ---- Watchdog (watchdog.c) ---- */
struct watchdog {
  struct interrupt_source source;
  struct msp430 *mcu;
  struct msp430_event event;
  int32_t control, delay;
  bool from_aclk, interval_mode;
};

/* ---- USARTs (usart.c) ---- */
enum { USARTS = 2 };

struct usart {
  struct msp430 *mcu;
  unsigned number;
  struct msp430_event sent, received;
  int32_t control, transmit_control, receive_control, modulation, baud0, baud1, receive_buffer, transmit_buffer;
  int32_t cycles_per_byte;
  int32_t next_byte, shifted_byte, next_received; /* -1 for none */
  bool from_aclk, transmitting, receiving, transmitter_on, receiver_on, spi;
};

/* ---- Ports (port.c) ---- */
enum { PORTS = 6, PINS = 8 };

struct port {
  struct interrupt_source source;
  unsigned number; /* from 1 */
  int interrupt;   /* 0 for none */
  int32_t in, out, direction, select, flags, edges, enable;
  bool high[PINS];
  struct timer *captured_by[PINS];
};

/* ---- Multiplier (multiplier.c) ---- */
struct multiplier {
  int32_t operands[4]; /* MPY, MPYS, MAC, MACS as written */
  int32_t first, second, low, high, extension;
  bool is_signed, accumulates;
};

/* ---- ADC12 (adc12.c) ---- */
enum { CONVERSIONS = 16 };

struct adc12 {
  struct interrupt_source source;
  struct msp430 *mcu;
  struct msp430_event event;
  int32_t control0, control1, memory_control[CONVERSIONS], memory[CONVERSIONS];
  int32_t position, first, sequence, divider, sample_time[2], enable, flags, vector, noise;
  bool on, enabled, converting;
};

/* ---- Flash controller (flash.c) ---- */
enum flash_operation { FLASH_NONE, FLASH_ERASE_SEGMENT, FLASH_ERASE_MAIN, FLASH_ERASE_ALL, FLASH_WRITE, FLASH_WRITE_BLOCK,
                       FLASH_END_BLOCK };

struct flash {
  struct interrupt_source source;
  struct msp430 *mcu;
  struct msp430_event event;
  enum flash_operation operation;
  int32_t mode, clock, status;
  int block_writes;
  bool locked, waiting, busy, holds_cpu;
};

/* ---- DMA controller (dma.c) ---- */
enum { DMA_CHANNELS = 3 };

struct dma_channel {
  int32_t control, source, destination, size, now_source, now_destination, stored_size;
  int32_t source_step, destination_step, mode;
  int trigger; /* a number of enum dma_trigger */
  bool enabled, interrupts, flag;
};

struct dma {
  struct interrupt_source source;
  int32_t control0, control1, pending; /* bit n: channel n */
  struct dma_channel channels[DMA_CHANNELS];
};

/* ---- Memory (memory.c) ---- */

/* How a page of 256 bytes is reached. */
enum { PAGE_BYTES = 256, PAGES = MSP430_MEMORY / PAGE_BYTES };
enum page { PAGE_NONE, PAGE_REGISTERS, PAGE_MIRROR, PAGE_RAM, PAGE_FLASH, PAGE_KIND = 7,
            PAGE_READ = 8,    /* plain memory for the CPU's reads */
            PAGE_WRITE = 16 }; /* and for its writes */

struct peripheral {
  int32_t (*read)(struct msp430 *mcu, uint32_t address, bool word);
  void (*write)(struct msp430 *mcu, uint32_t address, int32_t value, bool word);
};

struct peripherals {
  struct peripheral each[16];
  uint8_t at[0x200]; /* index of the one at an address; 0 has none */
  void (*reset)(struct msp430 *mcu);
  void (*read_flash)(struct msp430 *mcu); /* while its controller is busy */
  void (*write_flash)(struct msp430 *mcu, uint32_t address, int32_t value, bool word);
};

struct msp430 {
  /* What every instruction needs comes first. */
  int64_t cycles;
  int64_t next_event; /* the cycle at which the lists have to be looked at */
  int64_t stop;       /* the cycle from which on instructions can't just follow each other */
  uint32_t registers[16 + 1]; /* the last one is 0, the base of addresses without one */
  uint32_t at;    /* the address of the instruction that is running */
  uint32_t stack_limit; /* a stack below this address is noticed (stack.h) */
  int64_t before; /* cycles before that, or before sleep */
  int64_t late;   /* how many of these passed after the step to which it belongs, in an interrupt before it for instance */
  bool attention; /* before the next instruction there is something to do: interrupt, sleep, flash, pause */
  bool pause;     /* msp430_run() has to stop */
  bool stops_at_looks; /* at port 1 */
  bool owes_look;      /* stopped there, it goes on with this instruction whatever comes */
  bool traced;    /* the board wants to know of each instruction */
  bool forced_interrupts; /* on for a reset although GIE is 0 */
  bool cpu_off, interrupts_on;
  int8_t highest_interrupt, serviced_interrupt;
  bool uncached; /* decoded instructions can't be used: flash is busy */
  bool own_instructions; /* not the image's: this one's main flash has been written */
  struct instruction *instructions; /* by half of the address */
  const struct instruction *base;   /* the same for those that follow each other now, which may have changed the flash */
  const struct instruction *loop_at; /* the jump at which a waiting loop began its last round, */
  int64_t loop_cycles;               /* and when */
  uint8_t pages[PAGES];

  const struct msp430_image *image;
  const struct msp430_board *board;
  void *context;
  const struct peripherals *peripherals;
  enum msp430_rules rules;
  struct profile *profile; /* NULL: cycles aren't counted */
  int64_t counted; /* active cycles that the profile has, and the instruction to which those that follow count (profile.c) */
  uint32_t counted_place;
  struct interrupt_source *interrupt_sources[INTERRUPTS];
  int64_t slept; /* cycles */
  double slept_us[MSP430_SLEEPS]; /* of these, those in each mode of low power; the rest waited for flash memory */
  int64_t rested; /* the cycle at which it last slept or serviced an interrupt */
  uint32_t data_end; /* of variables, or 0 */
  uint32_t stack_deepest, stack_at; /* the lowest stack among variables, and the instruction that made it; 0: there was none */

  /* Clocks and time. */
  int32_t dco_hz, smclk_hz, aclk_hz;
  double virtual_per_cycle;
  int64_t virtual_base, cycle_base; /* the same moment */
  int64_t step_base, step_us, step_limit; /* see step.c */
  bool step_ready;
  int64_t run_base, run_us, run_hz; /* of the present msp430_run(): where it began, and its clock */
  struct msp430_events in_cycles, in_virtual_time;
  int64_t next_in_cycles, next_in_virtual_time; /* cycles */

  struct special special;
  struct clock clock;
  struct timer timers[TIMERS];
  struct watchdog watchdog;
  struct usart usarts[USARTS];
  struct port ports[PORTS];
  struct multiplier multiplier;
  struct adc12 adc12;
  struct flash flash;
  struct dma dma;

  uint8_t *watched; /* a bit for each address, or NULL */
  uint8_t memory[MSP430_MEMORY];
};

static inline void
msp430_notice(struct msp430 *mcu, enum msp430_notice notice)
{
  if(mcu->board->noticed != NULL) {
    mcu->board->noticed(mcu->context, notice, mcu->at);
  }
}

static inline _Noreturn void
msp430_refuse(struct msp430 *mcu, const char *what)
{
  mcu->board->refused(mcu->context, what);
  __builtin_unreachable();
}

static inline _Noreturn void
msp430_fail(struct msp430 *mcu, enum msp430_fault fault, uint32_t address)
{
  mcu->board->fault(mcu->context, fault, address);
  __builtin_unreachable();
}

#endif
