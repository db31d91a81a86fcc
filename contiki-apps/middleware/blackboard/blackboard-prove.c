/* SPDX-License-Identifier: Apache-2.0 */
#include "blackboard-prove.h"
#include "blackboard-tree.h"
/*---------------------------------------------------------------------------*/
/* Whether the value passes the condition. */
static bool
passes(uint32_t type, uint32_t value, uint32_t limit)
{
  uint8_t comparison = TYPE_COMPARISON(type);
  uint32_t other = limit;
  bool less;

  if(comparison == BLACKBOARD_CHANGED) {
    if(!(type & TYPE_REFERENCED)) {
      return true;
    }
    other = blackboard_references[TYPE_CHANGE(type)];
  }
  /* Signed numbers are in the order of unsigned ones from the lowest on. */
  less = type & TYPE_SIGNED
    ? (value ^ 0x80000000) < (other ^ 0x80000000) : value < other;
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
    return (less ? other - value : value - other) > limit;
  default:
    return true;
  }
}
/*---------------------------------------------------------------------------*/
void
prove(uint8_t node, bool passed)
{
  uint32_t value = *storage_word(node, STORAGE_VALUE, 0);
  uint8_t places = storage_places(node);
  struct spot at = { node, 0 };

  storage_set(node, 0, STORAGE_PUBLISHED, false);
  for(; at.place < places; at.place++) {
    uint32_t type;
    bool fulfilled;

    if(!storage_is(node, at.place, STORAGE_ACTIVE)) {
      continue; /* quenching: nobody below is active or due */
    }
    type = TYPE(at);
    fulfilled = passed && passes(type, value, LIMIT(at));
    if(fulfilled && TYPE_COMPARISON(type) == BLACKBOARD_CHANGED) {
      blackboard_references[TYPE_CHANGE(type)] = value;
      TYPE(at) = type | TYPE_REFERENCED;
    }
    if(type & TYPE_FORWARD) {
      prove(HANDLER(at), fulfilled);
    } else {
      storage_set(node, at.place, STORAGE_DUE, fulfilled);
    }
  }
}
