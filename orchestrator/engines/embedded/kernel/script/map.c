/* SPDX-License-Identifier: Apache-2.0 */
/* A JavaScript object that is used as a map. */
#include "base/memory.h"
#include "script/number_text.h"
#include "script/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 16 };
static const uint32_t NO_INDEX = UINT32_MAX;
static const uint32_t LONGEST_ARRAY = 100000; /* larger keys are kept in another way (kept_() of java.js) */

struct key {
  uint32_t index; /* of an integer; or NO_INDEX */
  struct string *string;
};

struct entry {
  struct key key;
  struct value value; /* UNASSIGNED: deleted */
};

struct map {
  uint32_t references, count, size; /* entries, deleted ones included, in the order in which they came */
  struct entry *entries;
  uint32_t *table, table_size; /* numbers of entries from 1, by hash; open addressing */
  uint32_t not_numbers;        /* at integers */
  size_t counted;
};

struct value
map_value(void)
{
  struct map *map = allocate(1, sizeof(*map));

  map->references = 1;
  return (struct value){.kind = MAP, .map = map};
}

static void
key_drop(struct key key)
{
  if(key.string != NULL) {
    value_drop((struct value){.kind = STRING, .string = key.string});
  }
}

void
map_free(struct map *map)
{
  for(uint32_t i = 0; i < map->count; i++) {
    value_drop(map->entries[i].value);
    key_drop(map->entries[i].key);
  }
  value_uncount(map->counted);
  free(map->entries);
  free(map->table);
  free(map);
}

/* 0, or digits that don't begin with 0, below 2^32 - 1. */
static uint32_t
index_of(const char *bytes, size_t length)
{
  uint64_t index = 0;

  if(length == 0 || length > 10 || (length > 1 && bytes[0] == '0')) {
    return NO_INDEX;
  }
  for(size_t i = 0; i < length; i++) {
    if(bytes[i] < '0' || bytes[i] > '9') {
      return NO_INDEX;
    }
    index = 10 * index + (uint64_t)(bytes[i] - '0');
  }
  return index < NO_INDEX ? (uint32_t)index : NO_INDEX;
}

/* Names that every object inherits. */
static void
refuse_inherited(const struct string *string)
{
  static const char *const NAMES[] = {"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
                                      "toString", "valueOf"};

  for(size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
    if(string->length == strlen(NAMES[i]) && memcmp(string->bytes, NAMES[i], string->length) == 0) {
      beyond("a key that every object has");
    }
  }
  if(string->length > 2 && string->bytes[0] == '_' && string->bytes[1] == '_') {
    beyond("a key that begins with __");
  }
}

/* The string is a new reference. */
static struct key
key_of(struct value key)
{
  struct key found = {NO_INDEX, NULL};

  if(key.kind == NUMBER && key.number >= 0 && key.number < NO_INDEX && key.number == trunc(key.number)) {
    found.index = (uint32_t)key.number;
    return found;
  }
  found.string = to_string(value_keep(key));
  found.index = index_of(found.string->bytes, found.string->length);
  if(found.index != NO_INDEX) {
    key_drop(found);
    found.string = NULL;
  } else {
    refuse_inherited(found.string);
  }
  return found;
}

static uint32_t
hash(struct key key)
{
  uint32_t hash = 2166136261u; /* FNV-1a */

  if(key.string == NULL) {
    return key.index * 2654435761u;
  }
  for(uint32_t i = 0; i < key.string->length; i++) {
    hash = (hash ^ (uint8_t)key.string->bytes[i]) * 16777619u;
  }
  return hash;
}

static bool
same(struct key a, struct key b)
{
  return a.index == b.index && (a.string == NULL || (a.string->length == b.string->length &&
                                                     memcmp(a.string->bytes, b.string->bytes, a.string->length) == 0));
}

/* The key's place in the table, or the free place for it. */
static uint32_t
place_of(const struct map *map, struct key key)
{
  uint32_t place = hash(key) & (map->table_size - 1);

  while(map->table[place] != 0 && !same(map->entries[map->table[place] - 1].key, key)) {
    place = (place + 1) & (map->table_size - 1);
  }
  return place;
}

static struct entry *
find(const struct map *map, struct key key)
{
  uint32_t number = map->table_size == 0 ? 0 : map->table[place_of(map, key)];

  return number == 0 || map->entries[number - 1].value.kind == UNASSIGNED ? NULL : &map->entries[number - 1];
}

static void
grow(struct map *map)
{
  map->size = map->size ? 2 * map->size : FIRST_SIZE;
  map->counted += map->size * (sizeof(struct entry) + sizeof(uint32_t));
  value_count(map->size * (sizeof(struct entry) + sizeof(uint32_t)));
  map->entries = reallocate(map->entries, map->size, sizeof(struct entry));
  free(map->table);
  map->table_size = 2 * map->size;
  map->table = allocate(map->table_size, sizeof(uint32_t));
  for(uint32_t i = 0; i < map->count; i++) {
    map->table[place_of(map, map->entries[i].key)] = i + 1;
  }
}

struct value
map_get(const struct map *map, struct value key)
{
  struct key wanted = key_of(key);
  struct entry *entry = find(map, wanted);

  key_drop(wanted);
  return entry == NULL ? nothing(UNDEFINED) : value_keep(entry->value);
}

bool
map_has(const struct map *map, struct value key)
{
  struct key wanted = key_of(key);
  struct entry *entry = find(map, wanted);

  key_drop(wanted);
  return entry != NULL;
}

static bool
is_odd(const struct entry *entry)
{
  return entry->key.string == NULL && entry->value.kind != NUMBER && entry->value.kind != UNDEFINED;
}

void
map_delete(struct map *map, struct value key)
{
  struct key wanted = key_of(key);
  struct entry *entry = find(map, wanted);

  key_drop(wanted);
  if(entry != NULL) {
    map->not_numbers -= is_odd(entry);
    value_drop(entry->value);
    entry->value = nothing(UNASSIGNED);
  }
}

void
map_set(struct map *map, struct value key, struct value value, bool kept)
{
  struct key wanted = key_of(key);
  struct entry *entry = find(map, wanted);

  if(kept && value.kind == LONG && wanted.index <= LONGEST_ARRAY && map->not_numbers == 0) {
    value = number_value((double)value.whole);
  }
  if(entry != NULL) {
    key_drop(wanted);
    map->not_numbers -= is_odd(entry);
    value_drop(entry->value);
  } else {
    if(map->count == map->size) {
      grow(map);
    }
    map->table[place_of(map, wanted)] = map->count + 1; /* a deleted key keeps its old entry, which is never found */
    entry = &map->entries[map->count++];
    entry->key = wanted;
  }
  entry->value = value;
  map->not_numbers += is_odd(entry);
}

static int
by_index(const void *a, const void *b)
{
  uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

  return first < second ? -1 : first > second;
}

struct value
map_keys(const struct map *map)
{
  struct value keys = list_value();
  uint32_t *indexes = allocate(map->count, sizeof(*indexes)), count = 0;
  char room[NUMBER_ROOM];

  for(uint32_t i = 0; i < map->count; i++) {
    if(map->entries[i].key.string == NULL && map->entries[i].value.kind != UNASSIGNED) {
      indexes[count++] = map->entries[i].key.index;
    }
  }
  qsort(indexes, count, sizeof(*indexes), by_index);
  for(uint32_t i = 0; i < count; i++) {
    list_append(keys.list, string_value(room, number_text(room, indexes[i])));
  }
  for(uint32_t i = 0; i < map->count; i++) {
    if(map->entries[i].key.string != NULL && map->entries[i].value.kind != UNASSIGNED) {
      list_append(keys.list, value_keep((struct value){.kind = STRING, .string = map->entries[i].key.string}));
    }
  }
  free(indexes);
  return keys;
}
