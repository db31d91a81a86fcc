/* SPDX-License-Identifier: Apache-2.0 */
/* What an emulated mote's firmware does wrong: what ends the run, and what is only reported because Cooja goes on. */
#ifndef FAULTS_H
#define FAULTS_H

#include "sky/ahead.h"

struct noticed {
  uint32_t count;
  int64_t us;       /* the first one's simulated time */
  uint32_t address; /* and instruction */
};

struct faults { /* part of a mote */
  struct simulation *simulation;
  struct mote *mote;
  struct msp430 *mcu;
  struct noticed noticed[MSP430_NOTICES];
};

/* The functions of struct msp430_board. */
_Noreturn void faults_refuse(struct faults *faults, const char *what);
_Noreturn void faults_end(struct faults *faults, enum msp430_fault fault, uint32_t address);
void faults_note(struct faults *faults, enum msp430_notice notice, uint32_t address);

/* Does what was kept of these while the mote ran ahead. */
void faults_do(struct faults *faults, enum deed_kind deed, int first, int second, const char *text);

/* Writes a line of JSON for each thing that its firmware did wrong; it has run so many us farther than the present time. Safe in a
   signal handler. */
void faults_report(const struct faults *faults, int64_t lead_us);

#endif
