/* SPDX-License-Identifier: Apache-2.0 */
#include "blackboard-prove.h"
#include "blackboard-tree.h"
/*---------------------------------------------------------------------------*/
/* Whether the value passes the condition. */
static bool
passes(const struct entry *entry, uint32_t value, bool is_signed)
{
  unsigned comparison = TYPE_COMPARISON(entry->type);
  uint32_t other = entry->limit;
  bool less;

  if(comparison == BLACKBOARD_CHANGED) {
    if(!(entry->type & TYPE_REFERENCED)) {
      return true;
    }
    other = blackboard_references[TYPE_CHANGE(entry->type)];
  }
  /* Signed numbers are in the order of unsigned ones from the lowest on. */
  less = is_signed ? (value ^ 0x80000000) < (other ^ 0x80000000)
    : value < other;
  switch(comparison) {
  case BLACKBOARD_EQUAL:
    return value == other;
  case BLACKBOARD_NOT_EQUAL:
    return value != other;
  case BLACKBOARD_LESS:
    return less;
  case BLACKBOARD_LESS_OR_EQUAL:
    return less || value == other;
  case BLACKBOARD_GREATER:
    return !less && value != other;
  case BLACKBOARD_GREATER_OR_EQUAL:
    return !less;
  case BLACKBOARD_CHANGED:
    return (less ? other - value : value - other) > entry->limit;
  default:
    return true;
  }
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
