/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of policies in bytecode; orchestrator/features/policies/bytecode/instructions.py
 * has the same. The machine has a stack of numbers of 32 bits and the policy's cells.
 * All jumps but `again` go forward, and `again` is taken at most POLICY_MOST_TURNS times
 * in one run, so every run ends.
 */
#ifndef POLICY_BYTECODE_INSTRUCTIONS_H_
#define POLICY_BYTECODE_INSTRUCTIONS_H_

/* Pops as many numbers as an operand says. */
#define POLICY_BYTECODE_COUNTED 0xff

/* Name, bytes of operands, numbers that it pops and pushes. */
#define POLICY_BYTECODE_INSTRUCTIONS(X) \
  X(NO_RULE, 0, 0, 0)      /* ends: no rule was taken */ \
  X(ACCEPT, 1, 0, 0)       /* ends, in that state */ \
  X(DISCARD, 1, 0, 0) \
  X(WITH, 1, 0, 0)         /* the event goes on with these extensions */ \
  X(ARGUMENTS, 1, POLICY_BYTECODE_COUNTED, 0) /* the event's, so many */ \
  X(OPERATE, 3, POLICY_BYTECODE_COUNTED, 0) /* operation and 16 times the arguments, topic, extensions */ \
  X(CALL, 1, POLICY_BYTECODE_COUNTED, 1)    /* that function */ \
  X(UNLESS_STATE, 2, 0, 0) /* in another state: so many bytes forward */ \
  X(JUMP, 1, 0, 0)         /* so many bytes forward */ \
  X(UNLESS, 1, 1, 0)       /* forward if it is 0 */ \
  X(BOTH, 1, 1, 0)         /* forward if it is 0, which stays on the stack */ \
  X(EITHER, 1, 1, 0)       /* forward if it isn't 0, which stays on the stack */ \
  X(AGAIN, 1, 1, 0)        /* so many bytes back if it isn't 0 */ \
  X(PUSH8, 1, 0, 1) \
  X(PUSH16, 2, 0, 1) \
  X(PUSH32, 4, 0, 1) \
  X(LOAD, 1, 0, 1)         /* a cell */ \
  X(STORE, 1, 1, 0) \
  X(LOAD_AT, 2, 1, 1)      /* first cell of a vector, its size; the index on the stack */ \
  X(STORE_AT, 2, 2, 0)     /* the value below the index */ \
  X(ARGUMENT, 1, 0, 1)     /* of the event: its place and 32 times the type */ \
  X(NODE, 0, 0, 1)         /* the mote's number */ \
  X(POP, 0, 1, 0) \
  X(NOT, 0, 1, 1) \
  X(TRUTH, 0, 1, 1)        /* 1 if it isn't 0 */ \
  X(NEGATE, 0, 1, 1) \
  X(COMPLEMENT, 0, 1, 1) \
  X(INT8, 0, 1, 1)         /* its low bits, as a number of that type */ \
  X(UINT8, 0, 1, 1) \
  X(INT16, 0, 1, 1) \
  X(UINT16, 0, 1, 1) \
  X(ADD, 0, 2, 1) \
  X(SUBTRACT, 0, 2, 1) \
  X(MULTIPLY, 0, 2, 1) \
  X(DIVIDE, 0, 2, 1) \
  X(MODULO, 0, 2, 1) \
  X(UNSIGNED_DIVIDE, 0, 2, 1) \
  X(UNSIGNED_MODULO, 0, 2, 1) \
  X(AND, 0, 2, 1) \
  X(OR, 0, 2, 1) \
  X(XOR, 0, 2, 1) \
  X(LEFT, 0, 2, 1) \
  X(RIGHT, 0, 2, 1) \
  X(UNSIGNED_RIGHT, 0, 2, 1) \
  X(EQUAL, 0, 2, 1) \
  X(LESS, 0, 2, 1) \
  X(AT_MOST, 0, 2, 1) \
  X(UNSIGNED_LESS, 0, 2, 1) \
  X(UNSIGNED_AT_MOST, 0, 2, 1) \
  X(DISTANCE16, 0, 2, 1)   /* of two numbers of 16 bits with signs */ \
  X(DISTANCE32, 0, 2, 1)

enum policy_bytecode_instruction {
#define POLICY_BYTECODE_CODE(name, operands, pops, pushes) POLICY_BYTECODE_##name,
  POLICY_BYTECODE_INSTRUCTIONS(POLICY_BYTECODE_CODE)
#undef POLICY_BYTECODE_CODE
  POLICY_BYTECODE_CODES /* how many there are */
};

/* The types of `argument`. */
enum policy_bytecode_type {
  POLICY_BYTECODE_OF_BOOL,
  POLICY_BYTECODE_OF_INT8,
  POLICY_BYTECODE_OF_UINT8,
  POLICY_BYTECODE_OF_INT,
  POLICY_BYTECODE_OF_UINT16,
  POLICY_BYTECODE_OF_LONG,
  POLICY_BYTECODE_OF_UINT32,
  POLICY_BYTECODE_TYPES
};

#endif
