/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/placement.h"

#include <string.h>
#include <sys/mman.h>

enum { LINES_OF_A_PAGE = 64, PAGES_SPREAD = 16, GAP = 8 * LINE };
enum { HUGE_PAGE = 2 << 20 /* bytes */, WORTH_A_HUGE_ONE = 128 /* pages */ };

/* The offset of a mote's data in the region. The first lines of all pages compete for places in the processor's caches, so
   guarded data, which have pages of their own, begin at various lines. */
static uint64_t
data_at(const struct firmware *firmware, unsigned mote)
{
  uint64_t at = firmware->code_size + mote * firmware->stride;

  return at + (firmware->packed ? 0 : (uint64_t)(mote / PAGES_SPREAD % LINES_OF_A_PAGE) * LINE);
}

uint64_t
placement_stride(const struct firmware *firmware)
{
  uint64_t pages;

  if(firmware->packed) {
    return (firmware->data_last - firmware->data_first + GAP) | LINE; /* an odd number of lines, for the same reason */
  }
  pages = page_ceiling(firmware->data_end - firmware->data_start + (LINES_OF_A_PAGE - 1) * LINE) / page_size() + 1;
  return (pages | 1) * page_size(); /* an odd number, so that all places of pages in caches are used equally */
}

uint64_t
placement_spare(const struct firmware *firmware)
{
  return firmware->packed ? 2 * HUGE_PAGE : 0;
}

/* Packed data begin at a huge page; they end at one if that saves enough small pages. */
uint8_t *
placement_choose(struct firmware *firmware, uint8_t *lowest)
{
  uint64_t data = (uint64_t)(uintptr_t)lowest + firmware->code_size, first = (data + HUGE_PAGE - 1) & ~(uint64_t)(HUGE_PAGE - 1);
  uint64_t size = firmware->region_size - firmware->code_size, rest = size % HUGE_PAGE;

  if(!firmware->packed) {
    return lowest;
  }
  size += rest > WORTH_A_HUGE_ONE * page_size() ? HUGE_PAGE - rest : 0;
  firmware->region_size = page_ceiling(firmware->code_size + size);
  if(size >= HUGE_PAGE) {
    madvise((void *)(uintptr_t)first, size, MADV_HUGEPAGE); /* without effect on results if the system refuses it */
  }
  return (uint8_t *)(uintptr_t)(first - firmware->code_size);
}

uint8_t *
placement_image(const struct firmware *firmware, unsigned mote)
{
  return firmware->region + data_at(firmware, mote) - (firmware->packed ? firmware->data_first : firmware->data_start);
}

bool
placement_gaps_are_clean(const struct firmware *firmware)
{
  uint64_t words[GAP / sizeof(uint64_t)], dirty = 0;

  for(unsigned mote = 0; firmware->packed && mote < firmware->mapped; mote++) {
    memcpy(words, firmware->region + data_at(firmware, mote + 1) - sizeof(words), sizeof(words));
    for(size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
      dirty |= words[i];
    }
  }
  return dirty == 0;
}
