/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of an emulated mote's firmware that have its id: Cooja writes it, and forces it back after each write. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include "msp430/msp430.h"

enum { IDENTITY_VARIABLES = 4 };

struct identity {
  struct msp430 *mcu;
  int id;
  uint32_t at[IDENTITY_VARIABLES]; /* addresses; 0: there is none, or it isn't guarded */
};

/* Gives the firmware its id, and the random seed if it wants one. Returns whether it is Contiki's, which has a node_id. */
bool identity_set(struct identity *identity, int id, int seed);

/* The firmware has written to a watched address. */
void identity_written(const struct identity *identity, uint32_t address);

/* The id is no longer forced back. */
void identity_release(struct identity *identity);

/* The address of a variable, 0 if there is none. */
uint32_t identity_variable(const struct msp430 *mcu, const char *name);

#endif
