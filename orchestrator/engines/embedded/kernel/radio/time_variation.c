/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/time_variation.h"

#include "base/exact.h"
#include "base/memory.h"
#include "base/report.h"

#include <stdlib.h>

enum { FIRST_BUCKETS = 16, LONGEST_CHAIN = 8, LEAST_FOR_TREES = 64, FIRST_FOUND = 64 };
static const double STEP_MS = 1000.0 * 10.0;

struct pair {
  int low, high;
  double offset; /* dB */
};

static uint32_t
hash_code(const struct pair *pair)
{
  uint32_t code = (uint32_t)(pair->low ^ pair->high);

  return code ^ code >> 16; /* as HashMap spreads it */
}

/* Another hash for finding a pair, because the map's chains are long. */
static uint32_t
place(const struct time_variation *variation, int low, int high)
{
  uint32_t at = ((uint32_t)low * 0x9E3779B1u ^ (uint32_t)high * 0x85EBCA77u) >> 7;

  for(at &= variation->found_size - 1; variation->found[at] != 0; at = (at + 1) & (variation->found_size - 1)) {
    const struct pair *pair = &variation->pairs[variation->found[at] - 1];
    if(pair->low == low && pair->high == high) {
      break;
    }
  }
  return at;
}

static void
grow_found(struct time_variation *variation)
{
  free(variation->found);
  variation->found_size = variation->found_size ? 2 * variation->found_size : FIRST_FOUND;
  variation->found = allocate(variation->found_size, sizeof(*variation->found));
  for(uint32_t i = 0; i < variation->count; i++) {
    variation->found[place(variation, variation->pairs[i].low, variation->pairs[i].high)] = i + 1;
  }
}

/* A chain of more than eight becomes a tree, unless the table is so small that it grows instead. Pairs with equal hash codes
   are in such a tree, and so in the map's order, by their addresses in Java's memory, which are not known. */
static void
lengthen_chain(struct time_variation *variation, const struct pair *added)
{
  uint32_t bucket = hash_code(added) & (variation->buckets - 1), before = 0;

  for(uint32_t i = 0; i + 1 < variation->count; i++) {
    before += (hash_code(&variation->pairs[i]) & (variation->buckets - 1)) == bucket;
  }
  if(before >= LONGEST_CHAIN) {
    if(variation->buckets >= LEAST_FOR_TREES) {
      report_error(ERROR_DESCRIPTION, "the logistic loss varies with time between so many motes that Cooja's own result differs from "
                   "run to run (the link between motes %d and %d is the ninth in its place of a hash table); set "
                   "enable_time_variation to false, or simulate fewer motes", added->low, added->high);
    }
    variation->buckets *= 2;
  }
}

void
time_variation_enter(struct time_variation *variation, int low, int high)
{
  struct pair *pair;
  uint32_t at;

  if(2 * (variation->count + 1) > variation->found_size) {
    grow_found(variation);
  }
  at = place(variation, low, high);
  if(variation->found[at] != 0) {
    return;
  }
  variation->pairs = with_room(variation->pairs, variation->count, &variation->size, FIRST_FOUND, sizeof(*variation->pairs));
  variation->buckets = variation->buckets ? variation->buckets : FIRST_BUCKETS;
  pair = &variation->pairs[variation->count++];
  *pair = (struct pair){low, high, 0};
  variation->found[at] = variation->count;
  variation->ordered = false;
  lengthen_chain(variation, pair);
  if(4 * variation->count > 3 * variation->buckets) { /* HashMap's load factor */
    variation->buckets *= 2;
  }
}

/* Sorts pairs by bucket, and within a bucket in the order of insertion. */
static void
put_in_order(struct time_variation *variation)
{
  uint32_t *next = allocate(variation->buckets + 1, sizeof(*next));

  variation->order = reallocate(variation->order, variation->count + 1, sizeof(*variation->order));
  for(uint32_t i = 0; i < variation->count; i++) {
    next[(hash_code(&variation->pairs[i]) & (variation->buckets - 1)) + 1]++;
  }
  for(uint32_t bucket = 0; bucket < variation->buckets; bucket++) {
    next[bucket + 1] += next[bucket];
  }
  for(uint32_t i = 0; i < variation->count; i++) {
    variation->order[next[hash_code(&variation->pairs[i]) & (variation->buckets - 1)]++] = i;
  }
  free(next);
  variation->ordered = true;
}

void
time_variation_evolve(struct time_variation *variation, struct java_random *random, int64_t now)
{
  int64_t period = (int64_t)((double)(now / 1000) / STEP_MS);

  if(!variation->ordered) {
    put_in_order(variation);
  }
  for(; variation->periods < period; variation->periods++) {
    for(uint32_t i = 0; i < variation->count; i++) {
      double *offset = &variation->pairs[variation->order[i]].offset;
      *offset += java_random_double(random) - 0.5;
      if(*offset < variation->least) {
        *offset = variation->least;
      } else if(*offset > variation->most) {
        *offset = variation->most;
      }
    }
  }
}

double
time_variation_of(const struct time_variation *variation, int a, int b)
{
  uint32_t found = variation->count == 0 ? 0 : variation->found[place(variation, a < b ? a : b, a < b ? b : a)];

  return found == 0 ? 0 : variation->pairs[found - 1].offset;
}
