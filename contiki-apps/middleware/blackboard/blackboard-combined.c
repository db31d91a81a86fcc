/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paper's own storage (2.4): a management frame of seven bytes a node and
 * one array of words. No index table, as all frames are of one size.
 */
#include <string.h>
#include "blackboard-storage.h"

#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED

struct blackboard_frame {
  uint8_t flags;        /* six of subscribers, published, block */
  uint8_t reservations; /* six, and two bits of the event's type */
  uint8_t positions[5]; /* four of ten bits: value, type, limit, handler */
};
_Static_assert(sizeof(struct blackboard_frame) == 7, "7 bytes a frame");

#define PUBLISHED 0x40
#define BLOCKED 0x80
#define TYPE_SHIFT 6

#define WORDS_OF_A_NODE (3 * STORAGE_FRAME_PLACES)
#define WORDS (STORAGE_VALUES + WORDS_OF_A_NODE * STORAGE_NODES)
_Static_assert(WORDS <= 1024, "a position has ten bits");
_Static_assert(STORAGE_NODES < STORAGE_NO_NODE, "too many events");

struct blackboard_frame blackboard_frames[STORAGE_NODES];
uint32_t blackboard_array[WORDS];
const uint16_t blackboard_words = WORDS;

/* Beside definition 3: its notification queue, as bits, and the deadlines. */
static uint8_t due[STORAGE_NODES], polled[STORAGE_NODES];
uint32_t blackboard_deadlines[STORAGE_NODES * STORAGE_FRAME_PLACES];

/* Writes to a position past the array end up here. */
static uint32_t nowhere;
/*---------------------------------------------------------------------------*/
static uint16_t
position(uint8_t node, uint8_t part)
{
  const uint8_t *at = &blackboard_frames[node].positions[part];

  return (at[0] | at[1] << 8) >> 2 * part & 0x3ff;
}
/*---------------------------------------------------------------------------*/
static void
set_position(uint8_t node, uint8_t part, uint16_t to)
{
  uint8_t *at = &blackboard_frames[node].positions[part];
  uint16_t bits = (at[0] | at[1] << 8) & ~(0x3ffU << 2 * part);

  bits |= to << 2 * part;
  at[0] = bits;
  at[1] = bits >> 8;
}
/*---------------------------------------------------------------------------*/
/* The subscriptions' words of the node begin there. */
static void
set_positions(uint8_t node, uint16_t words)
{
  uint8_t part;

  for(part = STORAGE_TYPE; part <= STORAGE_HANDLER; part++) {
    set_position(node, part, words);
    words += STORAGE_FRAME_PLACES;
  }
}
/*---------------------------------------------------------------------------*/
void
storage_init(void)
{
#define VALUES(name, type, values, subscribers) values,
#define TYPE(name, type, values, subscribers) BLACKBOARD_TYPE_##type,
  static const uint8_t numbers[] = { BLACKBOARD_EVENTS(VALUES) };
  static const uint8_t types[] = { BLACKBOARD_EVENTS(TYPE) };
  uint16_t words = 0;
  uint8_t node;

  memset(blackboard_frames, 0, sizeof(blackboard_frames));
  memset(blackboard_array, 0, sizeof(blackboard_array));
  memset(due, 0, sizeof(due));
  memset(polled, 0, sizeof(polled));
  for(node = 0; node < STORAGE_NODES; node++) {
    set_position(node, STORAGE_VALUE, words);
    if(node < BLACKBOARD_NUMBER_OF_EVENTS) {
      blackboard_frames[node].reservations = types[node] << TYPE_SHIFT;
      words += numbers[node];
    }
    set_positions(node, words);
    words += WORDS_OF_A_NODE;
  }
}
/*---------------------------------------------------------------------------*/
uint32_t *
storage_word(uint8_t node, uint8_t part, uint8_t index)
{
  uint16_t at = position(node, part) + index;

  if(at >= WORDS) {
    blackboard_counters.bad_position++;
    return &nowhere;
  }
  return &blackboard_array[at];
}
/*---------------------------------------------------------------------------*/
uint32_t *
storage_deadline(uint8_t node, uint8_t place)
{
  return &blackboard_deadlines[node * STORAGE_FRAME_PLACES + place];
}
/*---------------------------------------------------------------------------*/
static uint8_t *
flags_of(uint8_t node, uint8_t flag, uint8_t *mask)
{
  if(flag >= STORAGE_PUBLISHED) {
    *mask = flag == STORAGE_PUBLISHED ? PUBLISHED : BLOCKED;
  }
  return flag == STORAGE_DUE ? &due[node] :
    flag == STORAGE_POLLED ? &polled[node] : &blackboard_frames[node].flags;
}
/*---------------------------------------------------------------------------*/
bool
storage_is(uint8_t node, uint8_t place, uint8_t flag)
{
  uint8_t mask = 1 << place;

  return *flags_of(node, flag, &mask) & mask;
}
/*---------------------------------------------------------------------------*/
static void
put(uint8_t *flags, uint8_t mask, bool on)
{
  *flags = on ? *flags | mask : *flags & ~mask;
}
/*---------------------------------------------------------------------------*/
void
storage_set(uint8_t node, uint8_t place, uint8_t flag, bool on)
{
  uint8_t mask = 1 << place;
  uint8_t *flags = flags_of(node, flag, &mask);

  put(flags, mask, on);
}
/*---------------------------------------------------------------------------*/
bool
storage_is_reserved(uint8_t node, uint8_t place)
{
  return blackboard_frames[node].reservations & 1 << place;
}
/*---------------------------------------------------------------------------*/
void
storage_reserve(uint8_t node, uint8_t place, bool reserved)
{
  put(&blackboard_frames[node].reservations, 1 << place, reserved);
}
/*---------------------------------------------------------------------------*/
uint8_t
storage_places(uint8_t node)
{
  return STORAGE_FRAME_PLACES;
}
/*---------------------------------------------------------------------------*/
/* The types begin where the values end (2.4). */
uint8_t
storage_values(uint8_t event)
{
  return position(event, STORAGE_TYPE) - position(event, STORAGE_VALUE);
}
/*---------------------------------------------------------------------------*/
bool
storage_is_signed(uint8_t event)
{
  return blackboard_frames[event].reservations >> TYPE_SHIFT
    != BLACKBOARD_TYPE_UNSIGNED;
}
/*---------------------------------------------------------------------------*/
bool
storage_is_sound(uint8_t node)
{
  uint8_t part;

  for(part = STORAGE_TYPE; part <= STORAGE_HANDLER; part++) {
    if(position(node, part) + STORAGE_FRAME_PLACES > WORDS) {
      return false;
    }
  }
  return position(node, STORAGE_VALUE) < position(node, STORAGE_TYPE);
}
/*---------------------------------------------------------------------------*/
uint8_t
storage_next(uint8_t node)
{
  node++; /* from STORAGE_NO_NODE to 0 */
  return node < STORAGE_NODES ? node : STORAGE_NO_NODE;
}
/*---------------------------------------------------------------------------*/
/* The value is stored once: the sub-event has the same position of it. */
void
storage_link(uint8_t node, uint8_t event)
{
  set_position(node, STORAGE_VALUE, position(event, STORAGE_VALUE));
}
/*---------------------------------------------------------------------------*/
void
storage_unlink(uint8_t node)
{
  blackboard_frames[node].flags = 0;
}
/*---------------------------------------------------------------------------*/
/* A node has its six places: what there may be too few of are sub-events. */
bool
storage_fits(uint8_t event, bool own, int places)
{
  return true;
}
/*---------------------------------------------------------------------------*/
void
storage_grow(uint8_t event)
{
}
/*---------------------------------------------------------------------------*/
void
storage_close_gaps(void)
{
}
#endif
