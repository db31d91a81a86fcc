/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of a script that runs natively (program.h), like those of JavaScript and Nashorn. Strings, lists and maps have
 * reference counts. Where the behaviour may differ from Nashorn's, beyond() ends the process, and the run is made again with
 * the script in an interpreter.
 */
#ifndef VALUE_H
#define VALUE_H

#include "script/beyond.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind {
  UNASSIGNED, /* a name without a value, which can't be read */
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

struct value value_keep(struct value value); /* adds a reference */
void value_drop(struct value value);

void list_append(struct list *list, struct value value); /* takes the value's reference */

/* Converts like JavaScript's String(); takes the value's reference and returns a new string. Beyond for lists and maps. */
struct string *to_string(struct value value);

/* The bytes of a value's text without making a string: in `room` (at least NUMBER_ROOM) or in the value. */
const char *value_bytes(const struct value *value, char *room, size_t *length);

/* The string of a value whose methods are called, or that is a method's argument. */
const struct string *value_text(struct value value);

double to_number(struct value value); /* keeps the value's reference */
bool to_truth(struct value value);

bool values_equal(struct value a, struct value b);    /* == */
bool values_identical(struct value a, struct value b); /* === */

struct value value_sum(struct value a, struct value b); /* takes both references */

/* Compares a with b; every comparison with NaN is false. */
enum order { LESS, SAME, MORE, UNORDERED };
enum order value_order(struct value a, struct value b);

/* Maps: integers below 2^32 - 1 come first, ascending, then the other keys in the order of insertion. Keys keep their
   references. */
struct value map_get(const struct map *map, struct value key);
bool map_has(const struct map *map, struct value key);
void map_delete(struct map *map, struct value key);
/* Takes the value's reference. `kept`: at an integer key, among numbers only, a long becomes a number, as in Nashorn. */
void map_set(struct map *map, struct value key, struct value value, bool kept);
struct value map_keys(const struct map *map);                          /* a list of strings */

void map_free(struct map *map);

/* Counts what is allocated for strings, lists and maps; more than an interpreter allows is beyond. */
void value_count(size_t bytes);
void value_uncount(size_t bytes);

#endif
