/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic storage (2.3): a container for each event, in a list that is the order
 * of priority, with pointers to its values and to its places, which it has as
 * many of as it needs. They stand one behind the other in one array and are
 * shifted when one is added or taken away; so what blocks one event, blocks all.
 * The array of containers is the index table.
 */
#include <string.h>
#include "blackboard-command.h"
#include "blackboard-tree.h"

#if BLACKBOARD_CONCEPT == BLACKBOARD_DYNAMIC
#include "blackboard-dynamic.h"

#define WORDS BLACKBOARD_DYNAMIC_WORDS
#define MOST_PLACES 32 /* bits of the containers' flags */
_Static_assert(WORDS >= STORAGE_VALUES, "no room for the values");
_Static_assert(STORAGE_NODES < STORAGE_NO_NODE, "too many events");

struct blackboard_container {
  struct blackboard_container *next;
  uint32_t *values;
  uint32_t *places; /* type, limit, handler, deadline each */
  uint8_t number_of_values;
  uint8_t number_of_places;
  uint8_t type;
  uint8_t sharing;  /* the container whose places these are */
  uint8_t flags;    /* bits STORAGE_PUBLISHED and STORAGE_BLOCKED */
  uint32_t of_places[STORAGE_POLLED + 1];
};

struct blackboard_container blackboard_containers[STORAGE_NODES];
uint32_t blackboard_array[WORDS];
const uint16_t blackboard_words = WORDS;

static struct blackboard_container *front;
static uint16_t used; /* words */
#define EVERY(node) for(node = 0; node < STORAGE_NODES; node++)
/*---------------------------------------------------------------------------*/
static void
insert(struct blackboard_container *container,
       struct blackboard_container **where)
{
  container->next = *where;
  *where = container;
}
/*---------------------------------------------------------------------------*/
static void
take_out(struct blackboard_container *container)
{
  struct blackboard_container **at = &front;

  while(*at != container) {
    at = &(*at)->next;
  }
  *at = container->next;
}
/*---------------------------------------------------------------------------*/
static void
append(struct blackboard_container *container)
{
  struct blackboard_container **at = &front;

  while(*at != NULL) {
    at = &(*at)->next;
  }
  insert(container, at);
}
/*---------------------------------------------------------------------------*/
/* The places of each begin where those of the one before end. */
static void
set_pointers(void)
{
  struct blackboard_container *container = blackboard_containers;
  uint32_t *at = blackboard_array + STORAGE_VALUES;
  uint8_t node;

  EVERY(node) {
    if(container[node].sharing == node) {
      container[node].places = at;
      at += STORAGE_WORDS_OF_A_PLACE * container[node].number_of_places;
    }
  }
  EVERY(node) {
    container[node].places = container[container[node].sharing].places;
  }
}
/*---------------------------------------------------------------------------*/
void
storage_init(void)
{
#define VALUES(name, type, values, subscribers) values,
#define TYPE_OF(name, type, values, subscribers) BLACKBOARD_TYPE_##type,
  static const uint8_t numbers[] = { BLACKBOARD_EVENTS(VALUES) };
  static const uint8_t types[] = { BLACKBOARD_EVENTS(TYPE_OF) };
  uint32_t *at = blackboard_array;
  uint8_t node;

  memset(blackboard_containers, 0, sizeof(blackboard_containers));
  memset(blackboard_array, 0, sizeof(blackboard_array));
  front = NULL;
  used = STORAGE_VALUES;
  EVERY(node) {
    struct blackboard_container *container = &blackboard_containers[node];

    container->sharing = node;
    if(node < BLACKBOARD_NUMBER_OF_EVENTS) {
      container->values = at;
      container->number_of_values = numbers[node];
      container->type = types[node];
      at += numbers[node];
      append(container);
    }
  }
  set_pointers();
}
/*---------------------------------------------------------------------------*/
uint32_t *
storage_word(uint8_t node, uint8_t part, uint8_t index)
{
  struct blackboard_container *container = &blackboard_containers[node];

  return part == STORAGE_VALUE ? &container->values[index] :
    &container->places[STORAGE_WORDS_OF_A_PLACE * index + part - 1];
}
/*---------------------------------------------------------------------------*/
uint32_t *
storage_deadline(uint8_t node, uint8_t place)
{
  return storage_word(node, STORAGE_HANDLER + 1, place);
}
/*---------------------------------------------------------------------------*/
bool
storage_is(uint8_t node, uint8_t place, uint8_t flag)
{
  uint8_t flags = blackboard_containers[node].flags;

  if(flag <= STORAGE_POLLED) {
    return blackboard_containers[node].of_places[flag] >> place & 1;
  }
  if(flag == STORAGE_BLOCKED) {
    EVERY(node) {
      flags |= blackboard_containers[node].flags;
    }
  }
  return flags >> flag & 1;
}
/*---------------------------------------------------------------------------*/
void
storage_set(uint8_t node, uint8_t place, uint8_t flag, bool on)
{
  struct blackboard_container *container = &blackboard_containers[node];

  if(flag <= STORAGE_POLLED) {
    uint32_t mask = (uint32_t)1 << place;
    uint32_t *bits = &container->of_places[flag];
    *bits = on ? *bits | mask : *bits & ~mask;
  } else {
    uint8_t mask = 1 << flag;
    container->flags = on ? container->flags | mask
      : container->flags & ~mask;
  }
}
/*---------------------------------------------------------------------------*/
/* No subscription has the type 0. */
bool
storage_is_reserved(uint8_t node, uint8_t place)
{
  return *storage_word(node, STORAGE_TYPE, place) != 0;
}
/*---------------------------------------------------------------------------*/
/* For those that share the place too. */
void
storage_reserve(uint8_t node, uint8_t place, bool reserved)
{
  uint8_t sharing = blackboard_containers[node].sharing, flag;

  EVERY(node) {
    if(blackboard_containers[node].sharing == sharing) {
      for(flag = STORAGE_ACTIVE; flag <= STORAGE_POLLED; flag++) {
        storage_set(node, place, flag, reserved && flag == STORAGE_ACTIVE);
      }
    }
  }
}
/*---------------------------------------------------------------------------*/
uint8_t
storage_places(uint8_t node)
{
  return blackboard_containers[node].number_of_places;
}
/*---------------------------------------------------------------------------*/
uint8_t
storage_values(uint8_t event)
{
  return blackboard_containers[event].number_of_values;
}
/*---------------------------------------------------------------------------*/
bool
storage_is_signed(uint8_t event)
{
  return blackboard_containers[event].type != BLACKBOARD_TYPE_UNSIGNED;
}
/*---------------------------------------------------------------------------*/
bool
storage_is_sound(uint8_t node)
{
  struct blackboard_container *container = &blackboard_containers[node];

  return container->values >= blackboard_array
    && container->values + container->number_of_values
    <= blackboard_array + STORAGE_VALUES
    && container->places >= blackboard_array + STORAGE_VALUES
    && container->places
    + STORAGE_WORDS_OF_A_PLACE * container->number_of_places
    <= blackboard_array + used;
}
/*---------------------------------------------------------------------------*/
uint8_t
storage_next(uint8_t node)
{
  struct blackboard_container *next =
    node == STORAGE_NO_NODE ? front : blackboard_containers[node].next;

  return next == NULL ? STORAGE_NO_NODE : next - blackboard_containers;
}
/*---------------------------------------------------------------------------*/
static void
set_number_of_places(uint8_t sharing, uint8_t number)
{
  uint8_t node;

  EVERY(node) {
    if(blackboard_containers[node].sharing == sharing) {
      blackboard_containers[node].number_of_places = number;
    }
  }
  set_pointers();
}
/*---------------------------------------------------------------------------*/
void
storage_grow(uint8_t event)
{
  uint8_t places = storage_places(event);
  uint32_t *end = storage_word(event, STORAGE_TYPE, places);

  memmove(end + STORAGE_WORDS_OF_A_PLACE, end,
          (blackboard_array + used - end) * sizeof(*end));
  memset(end, 0, STORAGE_WORDS_OF_A_PLACE * sizeof(*end));
  used += STORAGE_WORDS_OF_A_PLACE;
  set_number_of_places(blackboard_containers[event].sharing, places + 1);
}
/*---------------------------------------------------------------------------*/
static void
remove_place(uint8_t node, uint8_t place)
{
  uint32_t *at = storage_word(node, STORAGE_TYPE, place);
  uint32_t below = ((uint32_t)1 << place) - 1;
  uint8_t sharing = blackboard_containers[node].sharing, i, flag;

  used -= STORAGE_WORDS_OF_A_PLACE;
  memmove(at, at + STORAGE_WORDS_OF_A_PLACE,
          (blackboard_array + used - at) * sizeof(*at));
  EVERY(i) {
    if(blackboard_containers[i].sharing == sharing) {
      for(flag = STORAGE_ACTIVE; flag <= STORAGE_POLLED; flag++) {
        uint32_t *bits = &blackboard_containers[i].of_places[flag];
        *bits = (*bits & below) | (*bits >> 1 & ~below);
      }
    }
  }
  set_number_of_places(sharing, storage_places(node) - 1);
}
/*---------------------------------------------------------------------------*/
/* It stands after all events, and so has less priority. */
void
storage_link(uint8_t node, uint8_t event)
{
  blackboard_containers[node].values = blackboard_containers[event].values;
  append(&blackboard_containers[node]);
  storage_grow(node);
}
/*---------------------------------------------------------------------------*/
void
storage_unlink(uint8_t node)
{
  take_out(&blackboard_containers[node]);
  remove_place(node, 0);
}
/*---------------------------------------------------------------------------*/
static bool
is_shared(uint8_t event)
{
  uint8_t node;

  EVERY(node) {
    if(node != event && blackboard_containers[node].sharing
       == blackboard_containers[event].sharing) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
bool
storage_fits(uint8_t event, bool own, int places)
{
  return used + STORAGE_WORDS_OF_A_PLACE * places <= WORDS
    && !(own && storage_places(event) >= MOST_PLACES)
    && !(places > own && is_shared(event));
}
/*---------------------------------------------------------------------------*/
void
storage_close_gaps(void)
{
  uint8_t node, place;

  EVERY(node) {
    for(place = storage_places(node); place-- > 0;) {
      if(!storage_is_reserved(node, place)) {
        remove_place(node, place);
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
  uint8_t place;

  if(result < 0) {
    return result;
  }
  container = &blackboard_containers[event];
  storage_close_gaps();
  if(with >= BLACKBOARD_NUMBER_OF_EVENTS) {
    result = BLACKBOARD_UNKNOWN_EVENT;
  } else if(container->number_of_places > 0 || is_shared(event)) {
    result = BLACKBOARD_NO_ROOM;
  } else {
    for(place = 0; place < storage_places(with); place++) {
      if(*storage_word(with, STORAGE_TYPE, place) & TYPE_FORWARD) {
        result = BLACKBOARD_NO_ROOM;
      }
    }
  }
  if(result == BLACKBOARD_OK) {
    container->sharing = blackboard_containers[with].sharing;
    container->number_of_places = storage_places(with);
    container->of_places[STORAGE_ACTIVE] =
      blackboard_containers[with].of_places[STORAGE_ACTIVE];
    set_pointers();
  }
  blackboard_unblock(event);
  command_tell_producers();
  return result;
}
/*---------------------------------------------------------------------------*/
int
blackboard_raise(uint8_t event)
{
  int result = blackboard_block(event);

  if(result == BLACKBOARD_OK) {
    take_out(&blackboard_containers[event]);
    insert(&blackboard_containers[event], &front);
    blackboard_unblock(event);
  }
  return result;
}
#endif
