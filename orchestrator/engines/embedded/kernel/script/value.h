/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of a script that runs natively (program.h), as JavaScript and Nashorn have them. Strings, lists and maps are
 * shared and counted. Whatever is not done here as there ends the process by beyond(): the run is done again with the script
 * in an interpreter.
 */
#ifndef VALUE_H
#define VALUE_H

#include "script/beyond.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind {
  UNASSIGNED, /* a name that nothing was given yet: to read it is an error */
  UNDEFINED, NIL, BOOLEAN, NUMBER,
  LONG, /* java.lang.Long, an object: the time */
  STRING, LIST, MAP
};

struct string {
  uint32_t references, length; /* bytes */
  bool ascii;
  char bytes[]; /* UTF-8 */
};

struct list;
struct map;

struct value {
  enum value_kind kind;
  union {
    bool truth;
    double number;
    int64_t whole;
    struct string *string;
    struct list *list;
    struct map *map;
  };
};

struct list {
  uint32_t references, count, size;
  struct value *values;
};

struct value string_value(const char *bytes, size_t length);
struct value list_value(void);
struct value map_value(void);

static inline struct value
number_value(double number)
{
  return (struct value){.kind = NUMBER, .number = number};
}

static inline struct value
truth_value(bool truth)
{
  return (struct value){.kind = BOOLEAN, .truth = truth};
}

static inline struct value
nothing(enum value_kind kind)
{
  return (struct value){.kind = kind};
}

struct value value_keep(struct value value); /* one more that has it */
void value_drop(struct value value);

void list_append(struct list *list, struct value value); /* takes it over */

/* As JavaScript's String(); the value is taken over, the string is the caller's. Of a list or a map: beyond. */
struct string *to_string(struct value value);

/* Its bytes without a string being made: in `room` (at least NUMBER_ROOM), or where they lie. */
const char *value_bytes(const struct value *value, char *room, size_t *length);

/* A string's, whose methods are called or which a method is given. */
const struct string *value_text(struct value value);

double to_number(struct value value); /* value is not taken over */
bool to_truth(struct value value);

bool values_equal(struct value a, struct value b);    /* == */
bool values_identical(struct value a, struct value b); /* === */

struct value value_sum(struct value a, struct value b); /* takes both over */

/* Of a to b; a number that is none makes every comparison false. */
enum order { LESS, SAME, MORE, UNORDERED };
enum order value_order(struct value a, struct value b);

/* Maps: integers below 2^32 - 1 come first, in their order, then the other keys as they came. A key is not taken over. */
struct value map_get(const struct map *map, struct value key);
bool map_has(const struct map *map, struct value key);
void map_delete(struct map *map, struct value key);
/* Takes the value over. `kept`: at an integer, where there are only numbers, a long becomes one, as in Nashorn. */
void map_set(struct map *map, struct value key, struct value value, bool kept);
struct value map_keys(const struct map *map);                          /* a list of strings */

void map_free(struct map *map);

/* What was allocated for strings, lists and maps; more than an interpreter would allow is beyond. */
void value_count(size_t bytes);
void value_uncount(size_t bytes);

#endif
