/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the data of motes lie that share their code.
 *
 * Packed: side by side, with a gap between two, in huge pages where the system has them, since each small page that a
 * mote touches first costs some 2 us. What runs past a mote's data writes into the gap, which is looked at now and then.
 * Guarded: page by page, an unreadable page between two: what runs past them is stopped at once.
 */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include "loader/firmware.h"

#include <unistd.h>

enum { LINE = 64 /* bytes, of a processor's cache */ };

static inline uint64_t
page_size(void)
{
  return (uint64_t)sysconf(_SC_PAGESIZE);
}

static inline uint64_t
page_floor(uint64_t address)
{
  return address & ~(page_size() - 1);
}

static inline uint64_t
page_ceiling(uint64_t address)
{
  return page_floor(address + page_size() - 1);
}

/* Bytes from one mote's data to the next one's. */
uint64_t placement_stride(const struct firmware *firmware);

/* Bytes of address space that placement_choose() needs besides the firmware's region. */
uint64_t placement_spare(const struct firmware *firmware);

/* Where, from `lowest` on, the firmware's region is to begin; may make the region larger. */
uint8_t *placement_choose(struct firmware *firmware, uint8_t *lowest);

/* Without guards a few bytes behind each mote's data are nobody's. False if one of them was written: some mote ran past its
   data, and the same simulation with guards tells which. */
bool placement_gaps_are_clean(const struct firmware *firmware);

/* The image of that mote: the address that its data's addresses in the file are relative to. */
uint8_t *placement_image(const struct firmware *firmware, unsigned mote);

#endif
