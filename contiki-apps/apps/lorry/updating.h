/* SPDX-License-Identifier: Apache-2.0 */
/* Policies that change while the lorry drives: by the driver, and by lines at any mote's serial port. */
#ifndef UPDATING_H_
#define UPDATING_H_

#include "contiki.h"
#include "policies/policy-conf.h"

/* Start on every mote, after policy_manager_init(). */
void updating_init(void);

/* The driver's updates, at their time. */
void updating_start(void);
void updating_stop(void);

/* Print the counters. */
void updating_dump(void);

#if POLICY_BYTECODE
/* The new policy that the mote's image has, in bytecode, and its length; 0: none.
   `program`: room for 255 octets. */
uint8_t updating_program(uint8_t *program);

/* Write part `number` of it, as policy-bytecode-spread.h says: the octets. */
uint8_t updating_part(uint8_t *data, const uint8_t *program, uint8_t length, uint8_t version,
                      uint8_t number);
#endif

/* Takes lines from the serial port. */
PROCESS_NAME(updating_process);

#endif
