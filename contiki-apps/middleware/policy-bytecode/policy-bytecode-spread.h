/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings a program of policy-bytecode to all motes. One mote gets it by lines at its
 * serial port, which `orchestrate policy compile --bytecode` writes:
 *
 *   policy code 0101...    a part of the program
 *   policy code revert     back to the last good one, on this mote only
 *
 * Each part is an event, flooded. A mote that lacks parts asks for them, and whoever has
 * them all sends them again, unless another one does. Motes with the program tell of it
 * every now and then, so that one that was away, or lost power, gets it as well. Nothing
 * here proves who made a program.
 *
 *   version 1, number 1, the program's length 2 and CRC 2, then its bytes
 *   version 1, 255, what is missing 4: bit i is part i
 */
#ifndef POLICY_BYTECODE_SPREAD_H_
#define POLICY_BYTECODE_SPREAD_H_

#include "policy-bytecode.h"
#include "pubsub-routing.h"

#define POLICY_BYTECODE_SUBJECT 0x21706f6c636f6465ULL /* "!polcode" */

/* Bytes before a part of a program, and of the part. */
#define POLICY_BYTECODE_PART_HEAD 6
#define POLICY_BYTECODE_PART (PUBSUB_MAX_DATA - POLICY_BYTECODE_PART_HEAD)

/* How long the next part is waited for before a mote asks, clock ticks; doubled each time. */
#ifdef POLICY_BYTECODE_CONF_PATIENCE
#define POLICY_BYTECODE_PATIENCE POLICY_BYTECODE_CONF_PATIENCE
#else
#define POLICY_BYTECODE_PATIENCE (2 * CLOCK_SECOND)
#endif

/* Between two parts that are sent, and about as much longer by chance. */
#ifdef POLICY_BYTECODE_CONF_GAP
#define POLICY_BYTECODE_GAP POLICY_BYTECODE_CONF_GAP
#else
#define POLICY_BYTECODE_GAP (CLOCK_SECOND / 4)
#endif

/* After which a mote tells again of the program it has, up to twice that by chance. */
#ifdef POLICY_BYTECODE_CONF_TELLING
#define POLICY_BYTECODE_TELLING POLICY_BYTECODE_CONF_TELLING
#else
#define POLICY_BYTECODE_TELLING (60 * CLOCK_SECOND)
#endif

/* Start on every mote, after policy_manager_init(); parts travel by that driver. False:
   there is no channel left. */
bool policy_bytecode_spread_init(const struct pubsub_routing_driver *routes);

/* Whoever wants to see each program that is verified, for a log; or NULL. */
extern void (*policy_bytecode_seen)(uint8_t version, enum policy_bytecode_verdict verdict);

/* A part, as it travels, from this mote's own store: the program will be spread. */
void policy_bytecode_part(const uint8_t *data, uint8_t length);

/* CRC-16 with the polynomial of CCITT, from 0 on. */
uint16_t policy_bytecode_crc(const uint8_t *bytes, uint16_t length);

/* A line at the mote's serial port. False: it is none of these. */
bool policy_bytecode_line(const char *line);

/* The version of the present program; 0: it has none that came this way. */
uint8_t policy_bytecode_version(void);

#define POLICY_BYTECODE_COUNTERS(X) \
  X(code_parts_sent) \
  X(code_asked) \
  X(code_taken) \
  X(code_refused) \
  X(code_damaged) \
  X(code_malformed)

struct policy_bytecode_counters {
#define POLICY_BYTECODE_COUNTER_FIELD(name) uint16_t name;
  POLICY_BYTECODE_COUNTERS(POLICY_BYTECODE_COUNTER_FIELD)
#undef POLICY_BYTECODE_COUNTER_FIELD
  enum policy_bytecode_verdict verdict; /* the last */
};

extern struct policy_bytecode_counters policy_bytecode_counters;

#endif
