/* SPDX-License-Identifier: Apache-2.0 */
#include "radio/neighbours.h"

#include "base/exact.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/*
 * Radios are sorted by strips as wide as the larger range, and within a strip by y. The radios that can hear a radio are then
 * in its own and the neighbouring strips, whatever the number of motes.
 */
static double
strip(const struct mote *mote, double range)
{
  return floor(mote->x / range);
}

static int
compare_place(const void *left, const void *right, void *range)
{
  const struct mote *a = *(struct mote *const *)left, *b = *(struct mote *const *)right;
  double strips[] = {strip(a, *(double *)range), strip(b, *(double *)range)};

  if(strips[0] != strips[1]) {
    return strips[0] < strips[1] ? -1 : 1;
  }
  return (a->y > b->y) - (a->y < b->y); /* the order of those at one y shows nowhere: who is found is sorted again */
}

static int
compare_registration(const void *left, const void *right, void *all)
{
  const struct neighbour *a = left, *b = right;
  const struct mote *motes = all;

  return motes[a->mote].registered < motes[b->mote].registered ? -1 : 1;
}

double
neighbours_distance(const struct mote *a, const struct mote *b)
{
  double x = fabs(a->x - b->x), y = fabs(a->y - b->y), z = fabs(a->z - b->z);

  return sqrt(x * x + y * y + z * z);
}

/* The strength decreases linearly from strong at the source to weak at the range. */
int
neighbours_strength(double distance, double range, bool *beyond)
{
  double fraction = distance / range, strength = STRONG_DBM + fraction * (WEAK_DBM - STRONG_DBM);

  *beyond = !(fraction < 1);
  return isnan(strength) ? INT_MIN : to_int(strength);
}

/* The first radio of this strip, or of later ones, whose y is not below `least`. */
static uint32_t
first_from(const struct medium *medium, double range, double number, double least)
{
  uint32_t low = 0, high = medium->radio_count;

  while(low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct mote *mote = medium->by_x[middle];
    if(strip(mote, range) < number || (strip(mote, range) == number && mote->y < least)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void
find_in_strip(struct medium *medium, struct mote *mote, double range, double number)
{
  struct radio *radio = &mote->radio;
  double slack = 1e-6 * (range + fabs(mote->y)); /* the sum below may round to the wrong side */

  for(uint32_t i = first_from(medium, range, number, mote->y - range - slack); i < medium->radio_count; i++) {
    struct mote *other = medium->by_x[i];
    double apart;
    bool beyond;
    int signal;
    if(strip(other, range) != number || other->y > mote->y + range + slack) {
      break;
    }
    medium->radios_seen++;
    apart = neighbours_distance(mote, other);
    if(other == mote || !(apart < range)) {
      continue;
    }
    radio->neighbours = with_room(radio->neighbours, radio->neighbour_count, &radio->neighbour_size, 16, sizeof(*radio->neighbours));
    signal = neighbours_strength(apart, medium->transmission_range, &beyond);
    radio->neighbours[radio->neighbour_count++] = (struct neighbour){other->index, beyond, signal, apart};
  }
}

static void
find(struct simulation *simulation, struct mote *mote)
{
  struct medium *medium = simulation->medium;
  struct radio *radio = &mote->radio;
  double range = fmax(medium->transmission_range, medium->interference_range), number, before = NAN;

  radio->neighbour_count = 0;
  if(medium->sorted != medium->placement) {
    medium->sorted = medium->placement;
    if(range > 0) {
      qsort_r(medium->by_x, medium->radio_count, sizeof(*medium->by_x), compare_place, &range);
    }
  }
  number = strip(mote, range);
  for(int i = -2; range > 0 && i <= 2; i++) { /* one more strip on either side, because divisions round */
    if(number + i != before) { /* far away, adding 1 changes nothing */
      find_in_strip(medium, mote, range, number + i);
    }
    before = number + i;
  }
  if(radio->neighbour_count > 0) {
    qsort_r(radio->neighbours, radio->neighbour_count, sizeof(*radio->neighbours), compare_registration, simulation->motes);
  }
}

void
neighbours_find(struct simulation *simulation, struct mote *mote)
{
  if(mote->radio.placement != simulation->medium->placement) {
    find(simulation, mote);
    mote->radio.placement = simulation->medium->placement;
  }
}

void
neighbours_of_lost(struct simulation *simulation, struct mote *mote)
{
  uint64_t seen = simulation->medium->radios_seen;

  if(observer_wants_fates()) {
    neighbours_find(simulation, mote);
    simulation->medium->radios_seen = seen; /* the record is no work of the medium */
  }
}
