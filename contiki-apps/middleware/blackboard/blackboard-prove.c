/* SPDX-License-Identifier: Apache-2.0 */
#include "blackboard-prove.h"
#include "blackboard-tree.h"

#define IS_LESS 1
#define IS_EQUAL 2
#define IS_GREATER 4
/* What each comparison accepts, in their order; the last is by itself. */
static const uint8_t accepted[BLACKBOARD_CHANGED] = {
  IS_LESS | IS_EQUAL | IS_GREATER, IS_EQUAL, IS_LESS | IS_GREATER, IS_LESS,
  IS_LESS | IS_EQUAL, IS_GREATER, IS_GREATER | IS_EQUAL
};
/*---------------------------------------------------------------------------*/
/* Whether the value passes the condition. `sign`: the bit that is one, or 0. */
static bool
passes(const struct entry *entry, uint32_t value, uint32_t sign)
{
  uint_fast8_t comparison = KIND_COMPARISON(entry->type.kind);
  uint32_t other = entry->limit;
  uint32_t distance;
  uint_fast8_t relation = IS_EQUAL;

  if(comparison == BLACKBOARD_CHANGED) {
    if(!(entry->type.kind & KIND_REFERENCED)) {
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
prove(uint_fast8_t node, bool passed)
{
  uint32_t value = *storage_values(node);
  unsigned place = PLACE(node, 0);
  uint_fast8_t n = storage_number_of_places(node);
  uint32_t sign = (uint32_t)storage_is_signed(tree_event(node)) << 31;

  storage_set(PUBLISHED(node), STORAGE_ACTIVE, false);
  for(; n-- > 0; place++) {
    struct entry entry;
    bool fulfilled;

    if(!storage_is(place, STORAGE_ACTIVE)) {
      continue; /* quenching: nobody below is active or due */
    }
    storage_load(place, &entry);
    fulfilled = passed
      && passes(&entry, value, sign);
    if(fulfilled && KIND_COMPARISON(entry.type.kind) == BLACKBOARD_CHANGED) {
      blackboard_references[entry.type.change] = value;
      storage_type(place)->kind |= KIND_REFERENCED;
    }
    if(entry.type.kind & KIND_FORWARD) {
      prove(entry.handler, fulfilled);
    } else {
      storage_set(place, STORAGE_DUE, fulfilled);
    }
  }
}
