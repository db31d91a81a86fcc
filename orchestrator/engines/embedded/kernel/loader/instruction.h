/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the length of an x86-64 instruction, and the position of an address in it that is relative to itself. */
#ifndef INSTRUCTION_H
#define INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instruction {
  uint8_t length;       /* bytes */
  uint8_t opcode;       /* position of its (first) opcode byte */
  uint8_t displacement; /* position of the 4 bytes relative to the instruction's end; 0 if it has no such operand */
  uint8_t branch;       /* bytes at its end with the distance of a jump or call; 0 if it has none */
  bool extends_base;   /* REX.B: it selects another base register for the operand */
  bool uses_rbx;       /* it pushes, pops or (cpuid) overwrites rbx */
};

/* Decodes the instruction at `bytes`, of at most `size` bytes. Returns false for one that C compilers do not generate for a
   plain x86-64 (without AVX); then nothing is known. Encodings: Intel 64 manual, volume 2, chapter 2 and appendix A. */
bool instruction_read(struct instruction *instruction, const uint8_t *bytes, size_t size);

#endif
