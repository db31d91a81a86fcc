/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSP430_IMAGE_H
#define MSP430_IMAGE_H

#include "msp430/instruction.h"

struct image_symbol {
  const char *name;
  uint32_t address, size;
  bool function;
};

struct msp430_image {
  uint8_t memory[MSP430_MEMORY];
  struct image_symbol *symbols; /* in the file's order */
  uint32_t symbol_count;
  uint32_t data_end; /* `_end`, behind the last variable; 0: the file doesn't say */
  uint8_t in_file[MSP430_MEMORY / 8]; /* a bit for each byte that the file has */
  char *names;
  struct instruction *instructions; /* decoded by the CPU, for all that run this image */
  struct profile *profile; /* NULL: cycles aren't counted */
};

#endif
