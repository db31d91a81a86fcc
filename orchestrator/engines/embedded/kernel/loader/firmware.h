/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A firmware that is loaded for many motes (load.h). If possible, its code is mapped once and each mote has only its own
 * data (code_sharing.h). Otherwise the file's read-only pages are mapped for every mote (which is one copy in memory for
 * all), with the mote's data behind them, where the code expects them.
 */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include "base/machine.h"
#include "loader/elf_file.h"

struct relocation {
  uint64_t offset; /* of the 8 bytes in the image */
  uint64_t value;
};

struct code { /* a section of code */
  uint64_t start, size;
  struct instruction *instructions;
  size_t count;
};

struct firmware {
  struct elf_file elf;
  uint64_t size;                  /* bytes of an image: code and data */
  uint64_t stride;                /* bytes from one mote's image, or data, to the next */
  bool shares_code;
  bool packed;                    /* with shared code: motes' data lie side by side (placement.h) */
  unsigned guarded;               /* shared code, not packed: how many motes share an unreadable page behind them */
  enum { IN_RBX, IN_GS } base_in; /* with shared code: which register has the address of the mote's image */
  struct code *code;              /* the sections that may be rewritten */
  size_t code_count;
  uint8_t *detours;               /* with IN_GS, behind the image: instructions that were moved */
  uint32_t *detoured;             /* where each of them was in the image */
  size_t detour_count;
  uint8_t **base;                 /* with IN_GS, near the detours: the running mote's image */
  uint64_t code_size;             /* bytes of the region before the first mote's data */
  uint64_t data_start, data_end;  /* the writable part of an image, in whole pages */
  uint64_t data_first, data_last; /* in whole lines of a cache */
  struct { uint64_t start, end; } known[2]; /* .data and .bss: what Cooja reads and writes lies within one of them */
  int data_protection;
  bool checks_addresses; /* it was compiled so (sanitizers/sanitizer.h) */
  struct relocation *relative, *absolute;
  size_t relatives, absolutes;
  uint8_t *region; /* has room for all motes' images; with shared code, for one image and all motes' data */
  uint64_t region_size;
  unsigned mapped; /* motes */
};

static inline uint8_t *
firmware_code(const struct firmware *firmware, uint8_t *image)
{
  return firmware->shares_code ? firmware->region : image;
}

/* The offset in the image of the instruction at `address`, or its offset before it was moved; beyond the image if it is
   not the firmware's. */
uint64_t firmware_place(const struct firmware *firmware, uint8_t *image, uint64_t address);

/* Must be called before each call of a mote's code. */
static inline void
firmware_enter(const struct firmware *firmware, uint8_t *image)
{
#if ON_X86_64
  if(firmware->base != NULL) {
    *firmware->base = image;
    __asm__ volatile("wrgsbase %0" : : "r"(image));
  }
#else
  (void)firmware;
  (void)image;
#endif
}

/* Bytes from this offset to the end of the section (.data or .bss) that Cooja can access there; 0 if it is in neither. */
static inline uint64_t
firmware_reach(const struct firmware *firmware, uint64_t offset)
{
  for(int i = 0; i < 2; i++) {
    if(offset >= firmware->known[i].start && offset < firmware->known[i].end) {
      return firmware->known[i].end - offset;
    }
  }
  return 0;
}

/* Finds the offset of a function or variable in an image; returns false if there is none. */
bool firmware_function(const struct firmware *firmware, const char *name, uint64_t *offset);
bool firmware_variable(const struct firmware *firmware, const char *name, uint64_t *offset, uint64_t *size);

#endif
