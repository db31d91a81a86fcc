/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static storage (2.2): places for the declared numbers of subscribers, one
 * array of flags (of each event: published, its subscribers, block) and one of
 * words. The index table is constant. A sub-event, which only conditions need
 * here, has one place.
 */
#include <string.h>
#include "blackboard-storage.h"

#if BLACKBOARD_CONCEPT == BLACKBOARD_STATIC

#define PLACES (STORAGE_PLACES + STORAGE_SUB_EVENTS)
#define WORDS (STORAGE_VALUES + 3 * PLACES)
#define FLAGS (PLACES + 2 * STORAGE_NODES)
#define BYTES(bits) (((bits) + 7) / 8)

/* Where the values and the places of an event begin. */
#define INDICES(name, type, values, subscribers) \
  VALUE_##name, LAST_VALUE_##name = VALUE_##name + (values) - 1,
#define PLACE_INDICES(name, type, values, subscribers) \
  PLACE_##name, LAST_PLACE_##name = PLACE_##name + (subscribers) - 1,
enum { BLACKBOARD_EVENTS(INDICES) };
enum { BLACKBOARD_EVENTS(PLACE_INDICES) };

struct index {
  uint16_t value;
  uint16_t place;
  uint8_t values;
  uint8_t places;
  uint8_t type;
};

static const struct index table[] = {
#define ENTRY(name, type, values, subscribers) \
  { VALUE_##name, PLACE_##name, values, subscribers, BLACKBOARD_TYPE_##type },
  BLACKBOARD_EVENTS(ENTRY)
};
_Static_assert(STORAGE_NODES < STORAGE_NO_NODE, "too many events");

uint32_t blackboard_array[WORDS];
uint8_t blackboard_flags[BYTES(FLAGS)];
const uint16_t blackboard_words = WORDS;

/* Beside definition 1: its notification queue, as bits, and the deadlines. */
static uint8_t due[BYTES(PLACES)], polled[BYTES(PLACES)];
uint32_t blackboard_deadlines[PLACES];
/* Whose value a sub-event shares. */
static uint8_t events[STORAGE_SUB_EVENTS + 1];
/*---------------------------------------------------------------------------*/
void
storage_init(void)
{
  memset(blackboard_array, 0, sizeof(blackboard_array));
  memset(blackboard_flags, 0, sizeof(blackboard_flags));
  memset(due, 0, sizeof(due));
  memset(polled, 0, sizeof(polled));
}
/*---------------------------------------------------------------------------*/
static uint16_t
place_of(uint8_t node)
{
  return node < BLACKBOARD_NUMBER_OF_EVENTS ? table[node].place :
    STORAGE_PLACES + node - BLACKBOARD_NUMBER_OF_EVENTS;
}
/*---------------------------------------------------------------------------*/
uint32_t *
storage_word(uint8_t node, uint8_t part, uint8_t index)
{
  if(part == STORAGE_VALUE) {
    if(node >= BLACKBOARD_NUMBER_OF_EVENTS) {
      node = events[node - BLACKBOARD_NUMBER_OF_EVENTS];
    }
    return &blackboard_array[table[node].value + index];
  }
  return &blackboard_array[STORAGE_VALUES + (part - 1) * PLACES
                           + place_of(node) + index];
}
/*---------------------------------------------------------------------------*/
uint32_t *
storage_deadline(uint8_t node, uint8_t place)
{
  return &blackboard_deadlines[place_of(node) + place];
}
/*---------------------------------------------------------------------------*/
static uint8_t *
flags_of(uint8_t node, uint8_t place, uint8_t flag, uint8_t *mask)
{
  uint16_t bit = place_of(node);
  uint8_t *flags = blackboard_flags;

  if(flag == STORAGE_DUE || flag == STORAGE_POLLED) {
    flags = flag == STORAGE_DUE ? due : polled;
    bit += place;
  } else {
    bit += 2 * node + (flag == STORAGE_PUBLISHED ? 0 :
                       flag == STORAGE_ACTIVE ? 1 + place :
                       1 + storage_places(node));
  }
  *mask = 1 << bit % 8;
  return &flags[bit / 8];
}
/*---------------------------------------------------------------------------*/
bool
storage_is(uint8_t node, uint8_t place, uint8_t flag)
{
  uint8_t mask;
  const uint8_t *flags = flags_of(node, place, flag, &mask);

  return *flags & mask;
}
/*---------------------------------------------------------------------------*/
void
storage_set(uint8_t node, uint8_t place, uint8_t flag, bool on)
{
  uint8_t mask;
  uint8_t *flags = flags_of(node, place, flag, &mask);

  *flags = on ? *flags | mask : *flags & ~mask;
}
/*---------------------------------------------------------------------------*/
/* No subscription has the type 0. */
bool
storage_is_reserved(uint8_t node, uint8_t place)
{
  return *storage_word(node, STORAGE_TYPE, place) != 0;
}
/*---------------------------------------------------------------------------*/
void
storage_reserve(uint8_t node, uint8_t place, bool reserved)
{
}
/*---------------------------------------------------------------------------*/
uint8_t
storage_places(uint8_t node)
{
  return node < BLACKBOARD_NUMBER_OF_EVENTS ? table[node].places : 1;
}
/*---------------------------------------------------------------------------*/
uint8_t
storage_values(uint8_t event)
{
  return table[event].values;
}
/*---------------------------------------------------------------------------*/
bool
storage_is_signed(uint8_t event)
{
  return table[event].type != BLACKBOARD_TYPE_UNSIGNED;
}
/*---------------------------------------------------------------------------*/
/* The positions are constants. */
bool
storage_is_sound(uint8_t node)
{
  return true;
}
/*---------------------------------------------------------------------------*/
uint8_t
storage_next(uint8_t node)
{
  node++; /* from STORAGE_NO_NODE to 0 */
  return node < STORAGE_NODES ? node : STORAGE_NO_NODE;
}
/*---------------------------------------------------------------------------*/
void
storage_link(uint8_t node, uint8_t event)
{
  events[node - BLACKBOARD_NUMBER_OF_EVENTS] = event;
}
/*---------------------------------------------------------------------------*/
void
storage_unlink(uint8_t node)
{
}
/*---------------------------------------------------------------------------*/
/* Sub-events have their places; an event has no more than it was given. */
bool
storage_fits(uint8_t event, bool own, int places)
{
  return !own;
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
