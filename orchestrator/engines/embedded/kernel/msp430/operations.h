/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that execute instructions, by operation and addressing modes. */
#ifndef MSP430_OPERATIONS_H
#define MSP430_OPERATIONS_H

#include "msp430/instruction.h"

typedef void execute(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles);

/* In the order of their codes, 4..15. */
enum double_operation { MOV, ADD, ADDC, SUBC, SUB, CMP, DADD, BIT, BIC, BIS, XOR, AND, DOUBLE_OPERATIONS };
enum single_operation { RRC, SWPB, RRA, SXT, PUSH, CALL, SINGLE_OPERATIONS };
enum condition { NOT_ZERO, ZERO, NO_CARRY, CARRY, NEGATIVE, GREATER_OR_EQUAL, LESS, ALWAYS, CONDITIONS };

execute *operation_double(enum double_operation operation, enum operand source, enum target target, bool word);
execute *operation_single(enum single_operation operation, enum operand operand, bool word);
bool operation_condition(enum condition condition, uint32_t status);
execute *operation_jump(enum condition condition); /* to an address of the memory */
extern execute operation_jump_beyond; /* with the condition in the place of the source's register */
extern execute operation_return_from_interrupt;
extern execute operation_of_msp430x; /* refuses */

#endif
