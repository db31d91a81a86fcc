/* SPDX-License-Identifier: Apache-2.0 */
/* How long an x86-64 instruction is, and where in it an address relative to itself stands. */
#ifndef INSTRUCTION_H
#define INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instruction {
  uint8_t length;       /* bytes */
  uint8_t opcode;       /* where its (first) opcode byte stands */
  uint8_t displacement; /* of the 4 bytes relative to the instruction's end; 0 if its operand isn't of that kind */
  uint8_t branch;       /* bytes at its end that say how far it jumps or calls; 0 if it doesn't, or not so */
  bool extends_base;   /* REX.B: the operand's base register would be another one */
  bool uses_rbx;       /* it pushes, pops or (cpuid) overwrites rbx */
};

/* Reads the instruction at `bytes`, at most `size` long. False: not one that a C compiler makes for a plain x86-64
   (no AVX), so nothing may be concluded. Encodings: Intel 64 manual, volume 2, chapter 2 and appendix A. */
bool instruction_read(struct instruction *instruction, const uint8_t *bytes, size_t size);

#endif
