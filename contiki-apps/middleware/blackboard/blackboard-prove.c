/* SPDX-License-Identifier: Apache-2.0 */
#include "blackboard-prove.h"
#include "blackboard-tree.h"

#define IS_LESS 1
#define IS_EQUAL 2
#define IS_GREATER 4
/* The results that each comparison accepts, in the order of the comparisons;
   BLACKBOARD_CHANGED has code of its own. */
static const uint8_t accepted[BLACKBOARD_CHANGED] = {
  IS_LESS | IS_EQUAL | IS_GREATER, IS_EQUAL, IS_LESS | IS_GREATER, IS_LESS,
  IS_LESS | IS_EQUAL, IS_GREATER, IS_GREATER | IS_EQUAL
};
/*---------------------------------------------------------------------------*/
/* Whether the value passes the condition. `sign`: the sign bit, or 0 if there is none. */
static bool
passes(const struct blackboard_entry *entry, uint32_t value, uint32_t sign)
{
  uint_fast8_t comparison = BLACKBOARD_KIND_COMPARISON(entry->type.kind);
  uint32_t other = entry->limit;
  uint32_t distance;
  uint_fast8_t relation = IS_EQUAL;

  if(comparison == BLACKBOARD_CHANGED) {
    if(!(entry->type.kind & BLACKBOARD_KIND_REFERENCED)) {
      return true;
    }
    other = blackboard_references[entry->type.change];
  }
  distance = value - other;
  if((value ^ sign) < (other ^ sign)) {
    relation = IS_LESS;
    distance = -distance;
  } else if(distance != 0) {
    relation = IS_GREATER;
  }
  return comparison == BLACKBOARD_CHANGED ? distance > entry->limit
    : accepted[comparison] & relation;
}
/*---------------------------------------------------------------------------*/
void
blackboard_prove(uint_fast8_t node, bool passed)
{
  uint32_t value = *blackboard_storage_values(node);
  unsigned place = BLACKBOARD_PLACE(node, 0);
  uint_fast8_t n = blackboard_storage_number_of_places(node);
  uint32_t sign = (uint32_t)blackboard_storage_is_signed(blackboard_tree_event(node)) << 31;

  blackboard_storage_set(BLACKBOARD_PUBLISHED(node), BLACKBOARD_STORAGE_ACTIVE, false);
  for(; n-- > 0; place++) {
    struct blackboard_entry entry;
    bool fulfilled;

    if(!blackboard_storage_is(place, BLACKBOARD_STORAGE_ACTIVE)) {
      continue; /* quenching: nobody below is active or due */
    }
    blackboard_storage_load(place, &entry);
    fulfilled = passed
      && passes(&entry, value, sign);
    if(fulfilled && BLACKBOARD_KIND_COMPARISON(entry.type.kind) == BLACKBOARD_CHANGED) {
      blackboard_references[entry.type.change] = value;
      blackboard_storage_type(place)->kind |= BLACKBOARD_KIND_REFERENCED;
    }
    if(entry.type.kind & BLACKBOARD_KIND_FORWARD) {
      blackboard_prove(entry.handler, fulfilled);
    } else {
      blackboard_storage_set(place, BLACKBOARD_STORAGE_DUE, fulfilled);
    }
  }
}
