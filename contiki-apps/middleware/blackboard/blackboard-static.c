/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static storage (2.2) has places for the declared numbers of subscribers, one array of
 * flags (of each event: published, its subscribers, block) and one of words. The index
 * table is constant. A sub-event, which only conditions need here, has one place.
 */
#include "blackboard-tree.h"

#if BLACKBOARD_CONCEPT == BLACKBOARD_STATIC

#define PLACES (BLACKBOARD_STORAGE_PLACES + BLACKBOARD_STORAGE_SUB_EVENTS)
#define WORDS (BLACKBOARD_STORAGE_VALUES + 3 * PLACES)
#define FLAGS (PLACES + 2 * BLACKBOARD_STORAGE_NODES)
#define BYTES(bits) (((bits) + 7) / 8)

/* The positions at which the values and the places of an event begin. */
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
_Static_assert(BLACKBOARD_STORAGE_NODES < BLACKBOARD_STORAGE_NO_NODE, "too many events");
#define FEW_ENOUGH(name, type, values, subscribers) \
  _Static_assert((subscribers) <= BLACKBOARD_STORAGE_MOST_PLACES, "30 subscribers");
BLACKBOARD_EVENTS(FEW_ENOUGH)

uint32_t blackboard_array[WORDS];
uint8_t blackboard_flags[BYTES(FLAGS)];
const uint16_t blackboard_words = WORDS;

/* What definition 1 doesn't contain: its notification queue, as bits, what is to be
   polled, and the deadlines. */
static uint8_t marks[2][BYTES(PLACES)];
uint32_t blackboard_deadlines[PLACES];
/*---------------------------------------------------------------------------*/
static unsigned
first_place(unsigned node)
{
  return node < BLACKBOARD_NUMBER_OF_EVENTS ? table[node].place :
    BLACKBOARD_STORAGE_PLACES + node - BLACKBOARD_NUMBER_OF_EVENTS;
}
/*---------------------------------------------------------------------------*/
static unsigned
index_of(unsigned place)
{
  return first_place(BLACKBOARD_NODE(place)) + BLACKBOARD_NUMBER_IN_NODE(place);
}
/*---------------------------------------------------------------------------*/
static uint32_t *
word_of(unsigned place)
{
  return &blackboard_array[BLACKBOARD_STORAGE_VALUES + index_of(place)];
}
/*---------------------------------------------------------------------------*/
struct blackboard_type *
blackboard_storage_type(unsigned place)
{
  return (struct blackboard_type *)word_of(place);
}
/*---------------------------------------------------------------------------*/
uint32_t *
blackboard_storage_handler(unsigned place)
{
  return word_of(place) + 2 * PLACES;
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_load(unsigned place, struct blackboard_entry *entry)
{
  const uint32_t *word = word_of(place);
  unsigned i;

  for(i = 0; i < 3; i++) {
    entry->words[i] = word[i * PLACES];
  }
  entry->deadline = blackboard_deadlines[index_of(place)];
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_store(unsigned place, const struct blackboard_entry *entry)
{
  uint32_t *word = word_of(place);
  unsigned i;

  for(i = 0; i < 3; i++) {
    word[i * PLACES] = entry->words[i];
  }
  blackboard_deadlines[index_of(place)] = entry->deadline;
}
/*---------------------------------------------------------------------------*/
uint32_t *
blackboard_storage_values(uint_fast8_t node)
{
  return &blackboard_array[table[blackboard_tree_event(node)].value];
}
/*---------------------------------------------------------------------------*/
/* The event's published flag, its subscribers', its block flag. */
static uint8_t *
flags_of(unsigned place, unsigned flag, uint8_t *mask)
{
  unsigned node = BLACKBOARD_NODE(place), number = BLACKBOARD_NUMBER_IN_NODE(place);
  unsigned bit = first_place(node);
  uint8_t *flags = blackboard_flags;

  if(flag == BLACKBOARD_STORAGE_ACTIVE) {
    bit += 2 * node + (place == BLACKBOARD_PUBLISHED(node) ? 0 : 1 +
                       (place == BLACKBOARD_BLOCKED(node)
                        ? blackboard_storage_number_of_places(node) : number));
  } else {
    flags = marks[flag - BLACKBOARD_STORAGE_DUE];
    bit += number;
  }
  *mask = 1 << bit % 8;
  return &flags[bit / 8];
}
/*---------------------------------------------------------------------------*/
bool
blackboard_storage_is(unsigned place, uint_fast8_t flag)
{
  uint8_t mask;

  return flag == BLACKBOARD_STORAGE_RESERVED ? blackboard_storage_type(place)->number != 0
    : *flags_of(place, flag, &mask) & mask;
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_set(unsigned place, uint_fast8_t flag, bool on)
{
  uint8_t mask;

  if(flag != BLACKBOARD_STORAGE_RESERVED) {
    uint8_t *flags = flags_of(place, flag, &mask);

    *flags = on ? *flags | mask : *flags & ~mask;
  }
}
/*---------------------------------------------------------------------------*/
uint_fast8_t
blackboard_storage_number_of_places(uint_fast8_t node)
{
  return node < BLACKBOARD_NUMBER_OF_EVENTS ? table[node].places : 1;
}
/*---------------------------------------------------------------------------*/
uint_fast8_t
blackboard_storage_number_of_values(uint_fast8_t event)
{
  return table[event].values;
}
/*---------------------------------------------------------------------------*/
bool
blackboard_storage_is_signed(uint_fast8_t event)
{
  return table[event].type != BLACKBOARD_TYPE_UNSIGNED;
}
#endif
