/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An emulated Tmote Sky in the simulation: its microcontroller does all that others can notice as if it ran 1 us at a time
 * between them, as in Cooja, and sleeps from event to event. Its firmware is an ELF file for the MSP430.
 */
#ifndef SKY_H
#define SKY_H

#include "motes/simulation.h"
#include "msp430/msp430.h"
#include "observation/processors.h"

/* Interfaces of its mote type that Cooja motes have not. */
enum { SKY_FLASH = 1, SKY_DEBUG_OUTPUT = 2, SKY_BIT_ERRORS = 4 };

/* Takes note of an interface by its simple class name; false if a Tmote Sky has none of that name. */
bool sky_interface(struct mote_type *type, const char *name);

/* Must be called before the simulation runs. `every_slice`: run each mote for 1 us at a time, as Cooja does, for comparison.
   `acts`: something may act on motes, or look at them: a script that does more than read lines and log, another process, a
   socket. */
void sky_start(struct simulation *simulation, bool every_slice, bool acts);

/* Reads a type's firmware, and puts the type's table where it has its variable `images`. */
void sky_open(struct mote_type *type);

/* The functions that a mote of any kind has, for this one. */
void sky_create(struct simulation *simulation, struct mote *mote);
void sky_set_id(struct simulation *simulation, struct mote *mote, int id);
void sky_set_start(struct mote *mote, int64_t time_us);
void sky_execute(struct simulation *simulation, struct mote *mote);

/* It is removed from the simulation. */
void sky_removed(struct mote *mote);

/* Bytes for its serial port, which get there one after the other as its firmware takes them. */
void sky_write(struct simulation *simulation, struct mote *mote, const uint8_t *bytes, size_t length);

/* The same for a line, UTF-8: the lower half of each of Java's characters, and a line feed. */
void sky_write_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length);

/* Bytes that wait for that. */
size_t sky_unread(const struct mote *mote);

/* The microcontroller notices at its next activity. */
void sky_press(struct mote *mote, bool down);
bool sky_is_pressed(const struct mote *mote);

/* Its 64 KB of memory; whoever changes some says so. */
uint8_t *sky_memory(struct mote *mote);
void sky_memory_changed(struct mote *mote, uint32_t address, uint32_t size);

/* Reports what its motes' firmware did wrong although the run went on, a line of JSON each: "report":"warning". Safe in a signal
   handler. */
void sky_report(const struct simulation *simulation);

unsigned sky_leds(const struct mote *mote); /* those that are on, bits of enum board_led */

/* How long its processor was active and in each mode of low power, from its boot to the present time or its removal. Returns false
   for other motes. */
bool sky_processor_times(const struct mote *mote, struct processor_times *times);

#endif
