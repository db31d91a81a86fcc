/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An emulated Tmote Sky in the simulation: its microcontroller runs 1 us at a time between all others, as in Cooja, and
 * sleeps from event to event. Its firmware is an ELF file for the MSP430.
 */
#ifndef SKY_H
#define SKY_H

#include "motes/simulation.h"

/* Interfaces of its mote type that Cooja motes have not. */
enum { SKY_FLASH = 1, SKY_DEBUG_OUTPUT = 2 };

/* Takes note of an interface by its simple class name; false if a Tmote Sky has none of that name. */
bool sky_interface(struct mote_type *type, const char *name);

/* Must be called before the simulation runs. `every_slice`: run each mote for 1 us at a time, as Cooja does, for comparison.
   `script_acts`: the script may do more than read lines and log. Nothing else may act on motes: no other process, no socket. */
void sky_start(struct simulation *simulation, bool every_slice, bool script_acts);

/* Reads a type's firmware, and puts the type's table where it has its variable `images`. */
void sky_open(struct mote_type *type);

/* The functions that a mote of any kind has, for this one. */
void sky_create(struct simulation *simulation, struct mote *mote);
void sky_set_id(struct simulation *simulation, struct mote *mote, int id);
void sky_set_start(struct mote *mote, int64_t time_us);
void sky_execute(struct simulation *simulation, struct mote *mote);

/* It is removed from the simulation. */
void sky_removed(struct mote *mote);

/* A script writes a line, UTF-8, to its serial port: the lower half of each of Java's characters, and a line feed, one after the
   other as its firmware takes them. */
void sky_write(struct simulation *simulation, struct mote *mote, const char *text, size_t length);

/* The microcontroller notices at its next activity. */
void sky_press(struct mote *mote, bool down);
bool sky_is_pressed(const struct mote *mote);

unsigned sky_leds(const struct mote *mote); /* those that are on, bits of enum board_led */

#endif
