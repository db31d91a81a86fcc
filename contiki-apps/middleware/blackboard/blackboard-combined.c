/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paper's own storage (2.4): a management frame of seven bytes a node and
 * one array of words. There is no index table, because all frames have one size.
 */
#include <string.h>
#include "blackboard-command.h"
#include "blackboard-storage.h"

#if BLACKBOARD_CONCEPT == BLACKBOARD_COMBINED

struct blackboard_frame {
  uint8_t flags;        /* six of subscribers, published, block */
  uint8_t reservations; /* six, and two bits of the event's type */
  uint8_t positions[5]; /* four of ten bits: value, type, limit, handler */
};
_Static_assert(sizeof(struct blackboard_frame) == 7, "7 bytes a frame");
_Static_assert(BLACKBOARD_STORAGE_FRAME_PLACES == BLACKBOARD_STORAGE_MOST_PLACES, "6 and 2 flags");

#define WORDS_OF_A_NODE (3 * BLACKBOARD_STORAGE_FRAME_PLACES)
#define WORDS (BLACKBOARD_STORAGE_VALUES + WORDS_OF_A_NODE * BLACKBOARD_STORAGE_NODES)
_Static_assert(WORDS <= 1024, "a position has ten bits");
_Static_assert(BLACKBOARD_STORAGE_NODES < BLACKBOARD_STORAGE_NO_NODE, "too many events");

/*
 * The words of an event are its values, types, limits and handlers. The words of sub-events, which
 * have no values, come after those of all events.
 */
#define INDICES(name, type, values, subscribers) \
  WORD_##name, LAST_WORD_##name = WORD_##name + (values) + WORDS_OF_A_NODE - 1,
enum { BLACKBOARD_EVENTS(INDICES) SUB_EVENT_WORDS };

#define FRAME(name, type, values, subscribers) \
  { 0, BLACKBOARD_TYPE_##type << BLACKBOARD_STORAGE_FRAME_PLACES, \
    POSITIONS(WORD_##name, WORD_##name + (values)) },
#define POSITIONS(value, type) \
  { (value) & 255, \
    (value) >> 8 | ((type) << 2 & 255), \
    (type) >> 6 | (((type) + BLACKBOARD_STORAGE_FRAME_PLACES) << 4 & 255), \
    ((type) + BLACKBOARD_STORAGE_FRAME_PLACES) >> 4 \
    | (((type) + 2 * BLACKBOARD_STORAGE_FRAME_PLACES) << 6 & 255), \
    ((type) + 2 * BLACKBOARD_STORAGE_FRAME_PLACES) >> 2 }

struct blackboard_frame blackboard_frames[BLACKBOARD_STORAGE_NODES] = {
  BLACKBOARD_EVENTS(FRAME)
};
const uint8_t blackboard_storage_declared[] = { BLACKBOARD_EVENTS(BLACKBOARD_STORAGE_SUBSCRIBERS) };
uint32_t blackboard_array[WORDS];
const uint16_t blackboard_words = WORDS;

/* What definition 3 doesn't contain: its notification queue, as bits, what is to be polled, and the
   deadlines. */
static uint8_t marks[BLACKBOARD_STORAGE_NODES][2];
uint32_t blackboard_deadlines[BLACKBOARD_STORAGE_NODES * BLACKBOARD_STORAGE_FRAME_PLACES];

enum { VALUE, TYPE, LIMIT, HANDLER };
/*---------------------------------------------------------------------------*/
static unsigned
position(uint_fast8_t node, uint_fast8_t part)
{
  const uint8_t *at = &blackboard_frames[node].positions[part];

  return (at[0] | at[1] << 8) >> 2 * part & 0x3ff;
}
/*---------------------------------------------------------------------------*/
/* Stands for words past the array, so that writing to one changes nothing else. */
static uint32_t *
word_of(unsigned place, uint_fast8_t part)
{
  static uint32_t nowhere;
  unsigned at = position(BLACKBOARD_NODE(place), part) + BLACKBOARD_NUMBER_IN_NODE(place);

  if(at >= WORDS) {
    blackboard_command_count(BLACKBOARD_COUNTER(bad_position));
    return &nowhere;
  }
  return &blackboard_array[at];
}
/*---------------------------------------------------------------------------*/
static uint32_t *
deadline(unsigned place)
{
  return &blackboard_deadlines[place - (8 - BLACKBOARD_STORAGE_FRAME_PLACES)
                               * BLACKBOARD_NODE(place)];
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_load(unsigned place, struct blackboard_entry *entry)
{
  uint_fast8_t part;

  for(part = TYPE; part <= HANDLER; part++) {
    entry->words[part - TYPE] = *word_of(place, part);
  }
  entry->deadline = *deadline(place);
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_store(unsigned place, const struct blackboard_entry *entry)
{
  uint_fast8_t part;

  for(part = TYPE; part <= HANDLER; part++) {
    *word_of(place, part) = entry->words[part - TYPE];
  }
  *deadline(place) = entry->deadline;
}
/*---------------------------------------------------------------------------*/
struct blackboard_type *
blackboard_storage_type(unsigned place)
{
  return (struct blackboard_type *)word_of(place, TYPE);
}
/*---------------------------------------------------------------------------*/
uint32_t *
blackboard_storage_handler(unsigned place)
{
  return word_of(place, HANDLER);
}
/*---------------------------------------------------------------------------*/
uint32_t *
blackboard_storage_values(uint_fast8_t node)
{
  return word_of(BLACKBOARD_PLACE(node, 0), VALUE);
}
/*---------------------------------------------------------------------------*/
static uint8_t * __attribute__((noinline)) /* it is smaller so */
flags_of(unsigned place, uint_fast8_t flag)
{
  return flag < BLACKBOARD_STORAGE_DUE
    ? (uint8_t *)&blackboard_frames[BLACKBOARD_NODE(place)] + flag
    : &marks[BLACKBOARD_NODE(place)][flag - BLACKBOARD_STORAGE_DUE];
}
/*---------------------------------------------------------------------------*/
bool
blackboard_storage_is(unsigned place, uint_fast8_t flag)
{
  return *flags_of(place, flag) >> BLACKBOARD_NUMBER_IN_NODE(place) & 1;
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_set(unsigned place, uint_fast8_t flag, bool on)
{
  uint8_t *flags = flags_of(place, flag);
  uint_fast8_t number = BLACKBOARD_NUMBER_IN_NODE(place);

  *flags = (*flags & ~(1 << number)) | on << number;
}
/*---------------------------------------------------------------------------*/
/* The types begin where the values end (2.4). */
uint_fast8_t
blackboard_storage_number_of_values(uint_fast8_t event)
{
  return position(event, TYPE) - position(event, VALUE);
}
/*---------------------------------------------------------------------------*/
bool
blackboard_storage_is_signed(uint_fast8_t event)
{
  return blackboard_frames[event].reservations >> BLACKBOARD_STORAGE_FRAME_PLACES
    != BLACKBOARD_TYPE_UNSIGNED;
}
/*---------------------------------------------------------------------------*/
bool
blackboard_storage_is_sound(uint_fast8_t event)
{
  unsigned value = position(event, VALUE);
  uint_fast8_t part;

  for(part = TYPE; part <= HANDLER; part++) {
    unsigned at = position(event, part);

    if(at <= value || at + BLACKBOARD_STORAGE_FRAME_PLACES > WORDS) {
      return false;
    }
  }
  return true;
}
/*---------------------------------------------------------------------------*/
/* The value is stored once: the sub-event has the position of its event's value. */
void
blackboard_storage_link(uint_fast8_t node, uint_fast8_t event)
{
  unsigned value = position(event, VALUE);
  unsigned type = SUB_EVENT_WORDS
    + (node - BLACKBOARD_NUMBER_OF_EVENTS) * WORDS_OF_A_NODE;
  uint8_t positions[] = POSITIONS(value, type);

  memcpy(blackboard_frames[node].positions, positions, sizeof(positions));
}
#endif
