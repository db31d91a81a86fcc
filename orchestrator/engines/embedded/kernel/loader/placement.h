/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places the data of motes that share their code.
 *
 * Packed: side by side with small gaps, in huge pages if the system has them, because the first access to each small page
 * takes some 2 us. A mote that writes past its data changes the gap, which is checked now and then.
 * Guarded: in pages of their own with unreadable pages between them: an access past the data is stopped at once.
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

/* The distance of two motes' data in bytes. */
uint64_t placement_stride(const struct firmware *firmware);

/* The bytes of address space that placement_choose() needs in addition to the firmware's region. */
uint64_t placement_spare(const struct firmware *firmware);

/* Chooses where, from `lowest` on, the firmware's region begins; may make the region larger. */
uint8_t *placement_choose(struct firmware *firmware, uint8_t *lowest);

/* Without guards, a few bytes behind each mote's data belong to no mote. Returns false if they were written: then some mote
   wrote past its data, and the same simulation with guards tells which. */
bool placement_gaps_are_clean(const struct firmware *firmware);

/* The image of a mote: the address to which the addresses of its data in the file are relative. */
uint8_t *placement_image(const struct firmware *firmware, unsigned mote);

#endif
