/* SPDX-License-Identifier: Apache-2.0 */
#include "blackboard-prove.h"
#include "blackboard-tree.h"

#define IS_LESS 1
#define IS_EQUAL 2
#define IS_GREATER 4
/* What each comparison accepts, three bits each, in their order. */
#define ACCEPTED \
  (7 | IS_EQUAL << 3 | (IS_LESS | IS_GREATER) << 6 | IS_LESS << 9 \
   | (IS_LESS | IS_EQUAL) << 12 | (uint32_t)IS_GREATER << 15 \
   | (uint32_t)(IS_GREATER | IS_EQUAL) << 18)
/*---------------------------------------------------------------------------*/
/* Whether the value passes the condition. */
static bool
passes(const struct entry *entry, uint32_t value, bool is_signed)
{
  unsigned comparison = TYPE_COMPARISON(entry->type);
  uint32_t other = entry->limit;
  uint32_t distance;
  unsigned relation;

  if(comparison == BLACKBOARD_CHANGED) {
    if(!(entry->type & TYPE_REFERENCED)) {
      return true;
    }
    other = blackboard_references[TYPE_CHANGE(entry->type)];
  }
  distance = value - other;
  if(is_signed ? (int32_t)value < (int32_t)other : value < other) {
    relation = IS_LESS;
    distance = -distance;
  } else {
    relation = distance == 0 ? IS_EQUAL : IS_GREATER;
  }
  return comparison == BLACKBOARD_CHANGED ? distance > entry->limit
    : ACCEPTED >> 3 * comparison & relation;
}
/*---------------------------------------------------------------------------*/
void
prove(unsigned node, bool passed)
{
  uint32_t value = *storage_values(node);
  unsigned place = PLACE(node, 0), n = storage_number_of_places(node);

  storage_set(PUBLISHED(node), STORAGE_ACTIVE, false);
  for(; n-- > 0; place++) {
    struct entry entry;
    bool fulfilled;

    if(!storage_is(place, STORAGE_ACTIVE)) {
      continue; /* quenching: nobody below is active or due */
    }
    storage_load(place, &entry);
    fulfilled = passed
      && passes(&entry, value, storage_is_signed(tree_event(node)));
    if(fulfilled && TYPE_COMPARISON(entry.type) == BLACKBOARD_CHANGED) {
      blackboard_references[TYPE_CHANGE(entry.type)] = value;
      *storage_type(place) |= TYPE_REFERENCED;
    }
    if(entry.type & TYPE_FORWARD) {
      prove(entry.handler, fulfilled);
    } else {
      storage_set(place, STORAGE_DUE, fulfilled);
    }
  }
}
