/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One policy that a mote gets while it runs, as bytecode. This goes beyond the paper,
 * whose motes run policies that are compiled in (Russello, Mostarda and Dulay 2011, 4.2).
 *
 * There are two places for programs. A new one is collected in the one that isn't used,
 * verified, and then takes the other's place at once; the last good one stays until the
 * next begins to arrive. What the verifier takes ends after a bounded number of
 * instructions and touches nothing but its own cells. Both places are RAM: a mote that
 * loses power has the policies that are compiled in, until it hears of the program again.
 *
 * `orchestrate policy compile --bytecode-place` makes room for it in an application's
 * tables: it is the last policy there, and is loaded, disabled and replaced by its number
 * as others are. The project sets POLICY_CONF_BYTECODE to 1.
 *
 *   format        1
 *   fingerprint   2  of the firmware's topics and functions
 *   cells         1
 *   handlers      1  then of each, ordered by point and topic:
 *     point       1  of time: POLICY_POINT_TIME; for first values: POLICY_BYTECODE_START
 *     topic       1  of time: enum policy_clock; for first values: 0
 *     code        2  from the program's begin
 *     period      4  of time only, ms
 *   code
 */
#ifndef POLICY_BYTECODE_H_
#define POLICY_BYTECODE_H_

#include "policies/policy-manager.h"

/* Bytes of a program. */
#ifdef POLICY_BYTECODE_CONF_SIZE
#define POLICY_BYTECODE_SIZE POLICY_BYTECODE_CONF_SIZE
#else
#define POLICY_BYTECODE_SIZE 256
#endif

/* Numbers that it keeps: its variables and the parameters of its events. */
#ifdef POLICY_BYTECODE_CONF_CELLS
#define POLICY_BYTECODE_CELLS POLICY_BYTECODE_CONF_CELLS
#else
#define POLICY_BYTECODE_CELLS 16
#endif

/* Numbers on the stack. */
#define POLICY_BYTECODE_STACK 14

#define POLICY_BYTECODE_FORMAT 1
#define POLICY_BYTECODE_HEADER 5
#define POLICY_BYTECODE_START 0xff

/* Why a program is refused. */
enum policy_bytecode_verdict {
  POLICY_BYTECODE_GOOD,
  POLICY_BYTECODE_BAD_FORM,        /* it is damaged, too long, or of another format */
  POLICY_BYTECODE_BAD_FIRMWARE,    /* it is for other topics and functions */
  POLICY_BYTECODE_BAD_HANDLERS,    /* their points, topics or order, or too many cells */
  POLICY_BYTECODE_BAD_INSTRUCTION, /* there is no such, or one that nothing reaches */
  POLICY_BYTECODE_BAD_OPERAND,     /* a cell, topic, function or argument that isn't there */
  POLICY_BYTECODE_BAD_STACK,       /* too little or too much on it */
  POLICY_BYTECODE_BAD_JUMP,        /* into an instruction, or with another stack */
  POLICY_BYTECODE_BAD_END          /* it goes on behind its end */
};

/* A function that programs may call; the numbers of its arguments are any. */
struct policy_bytecode_function {
  int32_t (*call)(const int32_t *arguments);
  uint8_t arguments;
};

/* --- What the compiler defines --- */
extern const struct policy_bytecode_function policy_bytecode_functions[];
extern const uint8_t policy_bytecode_function_count;
extern const uint16_t policy_bytecode_fingerprint;
extern const uint8_t policy_bytecode_number; /* of the policy in `policies` */

/* Its start, for `policy_programs`. */
void policy_bytecode_start(void);

/* --- For all --- */

/* Start without a program. */
void policy_bytecode_init(void);

/* Where a new program is collected. It ends the last good one that was kept. */
uint8_t *policy_bytecode_place(void);

/* Verify what is there and put it in the other's place, loaded. If it is refused, the
   present one goes on. */
enum policy_bytecode_verdict policy_bytecode_take(uint16_t length);

/* Back to the last good one. False: there is none. */
bool policy_bytecode_revert(void);

/* The present program and its length; NULL: there is none. */
const uint8_t *policy_bytecode_present(uint16_t *length);

enum policy_bytecode_verdict policy_bytecode_verify(const uint8_t *program, uint16_t length);

/* The code of an event in a verified program; 0: it has none. */
uint16_t policy_bytecode_code(const uint8_t *program, uint8_t point, uint8_t topic);

/* Execute verified code. */
enum policy_outcome policy_bytecode_run(const uint8_t *program, uint16_t at,
                                        struct policy *self, struct policy_event *event);

/* The cells of the policy. */
extern int32_t policy_bytecode_cells[POLICY_BYTECODE_CELLS];

#endif
