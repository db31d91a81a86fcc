/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic storage (2.3): a container for each event, with pointers to its values and to its
 * places, of which it has as many as it needs; blackboard-dynamic-order.c has their order of
 * priority. All places and values lie one after the other in one array and are shifted when one
 * is added or removed; therefore a block of one event blocks all. The array of containers is the
 * index table.
 */
#include <string.h>
#include "blackboard-command.h"
#include "blackboard-tree.h"

#if BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
#include "blackboard-dynamic-containers.h"

#define WORDS BLACKBOARD_DYNAMIC_WORDS
_Static_assert(WORDS >= BLACKBOARD_STORAGE_VALUES, "no room for the values");
_Static_assert(BLACKBOARD_STORAGE_NODES < BLACKBOARD_STORAGE_NO_NODE, "too many events");

struct blackboard_container blackboard_containers[BLACKBOARD_STORAGE_NODES];
uint32_t blackboard_array[WORDS];
const uint16_t blackboard_words = WORDS;

static uint16_t used; /* words */
#define EVERY(node) for(node = 0; node < BLACKBOARD_STORAGE_NODES; node++)
/*---------------------------------------------------------------------------*/
/* The places of each container begin where those of the one before end. */
static void
set_pointers(void)
{
  struct blackboard_container *container = blackboard_containers;
  struct blackboard_entry *at =
    (struct blackboard_entry *)(blackboard_array + BLACKBOARD_STORAGE_VALUES);
  unsigned node;

  EVERY(node) {
    if(container[node].sharing == node) {
      container[node].places = at;
      at += container[node].number_of_places;
    }
  }
  EVERY(node) {
    container[node].places = container[container[node].sharing].places;
  }
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_init(void)
{
#define VALUES(name, type, values, subscribers) values,
#define TYPE_OF(name, type, values, subscribers) BLACKBOARD_TYPE_##type,
  static const uint8_t numbers[] = { BLACKBOARD_EVENTS(VALUES) };
  static const uint8_t types[] = { BLACKBOARD_EVENTS(TYPE_OF) };
  uint32_t *at = blackboard_array;
  unsigned node;

  memset(blackboard_containers, 0, sizeof(blackboard_containers));
  memset(blackboard_array, 0, sizeof(blackboard_array));
  blackboard_dynamic_front = NULL;
  used = BLACKBOARD_STORAGE_VALUES;
  EVERY(node) {
    struct blackboard_container *container = &blackboard_containers[node];

    container->sharing = node;
    if(node < BLACKBOARD_NUMBER_OF_EVENTS) {
      container->values = at;
      container->number_of_values = numbers[node];
      container->type = types[node];
      at += numbers[node];
      blackboard_dynamic_append(container);
    }
  }
  set_pointers();
}
/*---------------------------------------------------------------------------*/
static struct blackboard_entry *
entry_at(unsigned place)
{
  return &blackboard_containers[BLACKBOARD_NODE(place)].places[BLACKBOARD_NUMBER_IN_NODE(place)];
}
/*---------------------------------------------------------------------------*/
struct blackboard_type *
blackboard_storage_type(unsigned place)
{
  return &entry_at(place)->type;
}
/*---------------------------------------------------------------------------*/
uint32_t *
blackboard_storage_handler(unsigned place)
{
  return &entry_at(place)->handler;
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_load(unsigned place, struct blackboard_entry *entry)
{
  *entry = *entry_at(place);
}
/*---------------------------------------------------------------------------*/
/* All events that share the place are subscribed, or all aren't any more. */
void
blackboard_storage_store(unsigned place, const struct blackboard_entry *entry)
{
  unsigned node, flag;
  unsigned sharing = blackboard_containers[BLACKBOARD_NODE(place)].sharing;

  *entry_at(place) = *entry;
  EVERY(node) {
    if(blackboard_containers[node].sharing == sharing) {
      unsigned same = BLACKBOARD_PLACE(node, BLACKBOARD_NUMBER_IN_NODE(place));

      for(flag = BLACKBOARD_STORAGE_ACTIVE; flag <= BLACKBOARD_STORAGE_POLLED; flag++) {
        blackboard_storage_set(same, flag,
                               flag == BLACKBOARD_STORAGE_ACTIVE && entry->type.number != 0);
      }
    }
  }
}
/*---------------------------------------------------------------------------*/
uint32_t *
blackboard_storage_values(uint_fast8_t node)
{
  return blackboard_containers[node].values;
}
/*---------------------------------------------------------------------------*/
/* A block of one event blocks all, so the flag is that of the first one. */
static uint32_t *
flags_of(unsigned place, unsigned flag)
{
  struct blackboard_container *container =
    &blackboard_containers[place == BLACKBOARD_BLOCKED(BLACKBOARD_NODE(place))
                           ? 0 : BLACKBOARD_NODE(place)];

  return flag == BLACKBOARD_STORAGE_ACTIVE ? &container->active
    : &container->marks[flag - BLACKBOARD_STORAGE_DUE];
}
/*---------------------------------------------------------------------------*/
bool
blackboard_storage_is(unsigned place, uint_fast8_t flag)
{
  return flag == BLACKBOARD_STORAGE_RESERVED ? blackboard_storage_type(place)->number != 0
    : *flags_of(place, flag) >> BLACKBOARD_NUMBER_IN_NODE(place) & 1;
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_set(unsigned place, uint_fast8_t flag, bool on)
{
  uint32_t mask = (uint32_t)1 << BLACKBOARD_NUMBER_IN_NODE(place);

  if(flag != BLACKBOARD_STORAGE_RESERVED) {
    uint32_t *flags = flags_of(place, flag);

    *flags = on ? *flags | mask : *flags & ~mask;
  }
}
/*---------------------------------------------------------------------------*/
uint_fast8_t
blackboard_storage_number_of_places(uint_fast8_t node)
{
  return blackboard_containers[node].number_of_places;
}
/*---------------------------------------------------------------------------*/
uint_fast8_t
blackboard_storage_number_of_values(uint_fast8_t event)
{
  return blackboard_containers[event].number_of_values;
}
/*---------------------------------------------------------------------------*/
bool
blackboard_storage_is_signed(uint_fast8_t event)
{
  return blackboard_containers[event].type != BLACKBOARD_TYPE_UNSIGNED;
}
/*---------------------------------------------------------------------------*/
bool
blackboard_storage_is_sound(uint_fast8_t event)
{
  struct blackboard_container *container = &blackboard_containers[event];

  return container->values >= blackboard_array
    && container->values + container->number_of_values
    <= blackboard_array + BLACKBOARD_STORAGE_VALUES
    && (uint32_t *)container->places >= blackboard_array + BLACKBOARD_STORAGE_VALUES
    && (uint32_t *)(container->places + container->number_of_places)
    <= blackboard_array + used;
}
/*---------------------------------------------------------------------------*/
/* The number of places changes after the array was shifted. */
static void
set_number_of_places(unsigned sharing, unsigned number)
{
  unsigned node;

  EVERY(node) {
    if(blackboard_containers[node].sharing == sharing) {
      blackboard_containers[node].number_of_places = number;
    }
  }
  set_pointers();
}
/*---------------------------------------------------------------------------*/
unsigned
blackboard_storage_grow(uint_fast8_t event)
{
  unsigned place = BLACKBOARD_PLACE(event, blackboard_storage_number_of_places(event));
  struct blackboard_entry *end = entry_at(place);

  memmove(end + 1, end, (uint8_t *)(blackboard_array + used) - (uint8_t *)end);
  memset(end, 0, sizeof(*end));
  used += BLACKBOARD_STORAGE_WORDS_OF_A_PLACE;
  set_number_of_places(blackboard_containers[event].sharing,
                       BLACKBOARD_NUMBER_IN_NODE(place) + 1);
  return place;
}
/*---------------------------------------------------------------------------*/
static void
close_up(uint32_t *flags, uint32_t below)
{
  uint32_t own = (uint32_t)3 << BLACKBOARD_STORAGE_MOST_PLACES;

  *flags = (*flags & (below | own))
    | ((*flags & ~own) >> 1 & ~below);
}
/*---------------------------------------------------------------------------*/
static void
remove_place(unsigned place)
{
  struct blackboard_entry *at = entry_at(place);
  uint32_t below = ((uint32_t)1 << BLACKBOARD_NUMBER_IN_NODE(place)) - 1;
  unsigned sharing = blackboard_containers[BLACKBOARD_NODE(place)].sharing, i;

  used -= BLACKBOARD_STORAGE_WORDS_OF_A_PLACE;
  memmove(at, at + 1, (uint8_t *)(blackboard_array + used) - (uint8_t *)at);
  EVERY(i) {
    if(blackboard_containers[i].sharing == sharing) {
      close_up(&blackboard_containers[i].active, below);
      close_up(&blackboard_containers[i].marks[0], below);
      close_up(&blackboard_containers[i].marks[1], below);
    }
  }
  set_number_of_places(sharing, blackboard_storage_number_of_places(BLACKBOARD_NODE(place)) - 1);
}
/*---------------------------------------------------------------------------*/
/* It comes after all events, and so has less priority. */
void
blackboard_storage_link(uint_fast8_t node, uint_fast8_t event)
{
  blackboard_containers[node].values = blackboard_containers[event].values;
  blackboard_dynamic_append(&blackboard_containers[node]);
  blackboard_storage_grow(node);
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_unlink(uint_fast8_t node)
{
  blackboard_dynamic_take_out(&blackboard_containers[node]);
  remove_place(BLACKBOARD_PLACE(node, 0));
}
/*---------------------------------------------------------------------------*/
bool
blackboard_storage_are_one(uint_fast8_t event, uint_fast8_t other)
{
  return blackboard_containers[event].sharing
    == (other == BLACKBOARD_STORAGE_NO_NODE ? event : blackboard_containers[other].sharing);
}
/*---------------------------------------------------------------------------*/
/* Of events that share them, the smallest number counts. */
uint_fast8_t
blackboard_storage_most(uint_fast8_t event)
{
  static const uint8_t declared[] = { BLACKBOARD_EVENTS(BLACKBOARD_STORAGE_SUBSCRIBERS) };
  uint_fast8_t i, most = declared[event];

  for(i = 0; i < BLACKBOARD_NUMBER_OF_EVENTS; i++) {
    if(blackboard_storage_are_one(i, event) && declared[i] < most) {
      most = declared[i];
    }
  }
  return most;
}
/*---------------------------------------------------------------------------*/
static bool
is_shared(unsigned event)
{
  unsigned node;

  EVERY(node) {
    if(node != event && blackboard_storage_are_one(node, event)) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
/* A sub-event has the values of one event only. */
bool
blackboard_storage_fits(uint_fast8_t event, unsigned places, unsigned conditions)
{
  return BLACKBOARD_STORAGE_VALUES + BLACKBOARD_STORAGE_WORDS_OF_A_PLACE * places <= WORDS
    && !(conditions > 0 && is_shared(event));
}
/*---------------------------------------------------------------------------*/
bool
blackboard_storage_has(unsigned places)
{
  return used + BLACKBOARD_STORAGE_WORDS_OF_A_PLACE * places <= WORDS;
}
/*---------------------------------------------------------------------------*/
void
blackboard_storage_close_gaps(void)
{
  unsigned node, n;

  EVERY(node) {
    for(n = blackboard_storage_number_of_places(node); n-- > 0;) {
      if(!blackboard_storage_is(BLACKBOARD_PLACE(node, n), BLACKBOARD_STORAGE_RESERVED)) {
        remove_place(BLACKBOARD_PLACE(node, n));
      }
    }
  }
}
/*---------------------------------------------------------------------------*/
int
blackboard_share(uint8_t event, uint8_t with)
{
  int result = blackboard_block(event);
  struct blackboard_container *container;
  unsigned n;

  if(result < 0) {
    return result;
  }
  container = &blackboard_containers[event];
  blackboard_storage_close_gaps();
  if(with >= BLACKBOARD_NUMBER_OF_EVENTS) {
    result = BLACKBOARD_UNKNOWN_EVENT;
  } else if(container->number_of_places > 0 || is_shared(event)) {
    result = BLACKBOARD_NO_ROOM;
  } else {
    for(n = blackboard_storage_number_of_places(with); n-- > 0;) {
      if(blackboard_storage_type(BLACKBOARD_PLACE(with, n))->kind & BLACKBOARD_KIND_FORWARD) {
        result = BLACKBOARD_NO_ROOM;
      }
    }
  }
  if(result == BLACKBOARD_OK) {
    container->sharing = blackboard_containers[with].sharing;
    container->number_of_places = blackboard_storage_number_of_places(with);
    container->active |= blackboard_containers[with].active
      & ~((uint32_t)3 << BLACKBOARD_STORAGE_MOST_PLACES);
    set_pointers();
  }
  blackboard_unblock(event);
  blackboard_command_tell_producers();
  return result;
}
#endif
