/* SPDX-License-Identifier: Apache-2.0 */
#include "neighbours.h"

#include "exact.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>

static int
compare_x(const void *left, const void *right)
{
  const struct mote *a = *(struct mote *const *)left, *b = *(struct mote *const *)right;

  return a->x < b->x ? -1 : a->x > b->x ? 1 : a->index < b->index ? -1 : 1;
}

static int
compare_registration(const void *left, const void *right)
{
  const struct neighbour *a = left, *b = right;

  return a->mote < b->mote ? -1 : 1;
}

uint32_t
neighbours_sort(struct mote **by_x, struct mote *motes, uint32_t count)
{
  uint32_t radios = 0;

  for(uint32_t i = 0; i < count; i++) {
    if(mote_has(&motes[i], WITH_ContikiRadio)) {
      by_x[radios++] = &motes[i];
    }
  }
  qsort(by_x, radios, sizeof(*by_x), compare_x);
  return radios;
}

static double
distance(const struct mote *a, const struct mote *b)
{
  double x = fabs(a->x - b->x), y = fabs(a->y - b->y), z = fabs(a->z - b->z);

  return sqrt(x * x + y * y + z * z);
}

/* First in by_x whose x is not below `least`. */
static uint32_t
first_from(const struct medium *medium, double least)
{
  uint32_t low = 0, high = medium->radio_count;

  while(low < high) {
    uint32_t middle = low + (high - low) / 2;
    if(medium->by_x[middle]->x < least) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void
neighbours_find(struct simulation *simulation, struct mote *mote)
{
  const struct medium *medium = &simulation->medium;
  struct radio *radio = &mote->radio;
  double range = fmax(medium->transmission_range, medium->interference_range);
  double slack = 1e-6 * (range + fabs(mote->x)); /* the sum below may round to the wrong side */
  uint32_t size = 0;

  if(radio->neighbours != NULL) {
    return;
  }
  for(uint32_t i = first_from(medium, mote->x - range - slack); i < medium->radio_count; i++) {
    struct mote *other = medium->by_x[i];
    double apart;
    if(other->x > mote->x + range + slack) {
      break;
    }
    apart = distance(mote, other);
    if(other == mote || !(apart < range)) {
      continue;
    }
    if(radio->neighbour_count == size) {
      size = size ? 2 * size : 16;
      radio->neighbours = reallocate(radio->neighbours, size, sizeof(*radio->neighbours));
    }
    radio->neighbours[radio->neighbour_count++] = (struct neighbour){other->index, apart};
  }
  if(radio->neighbour_count == 0) {
    radio->neighbours = allocate(1, sizeof(*radio->neighbours));
  }
  qsort(radio->neighbours, radio->neighbour_count, sizeof(*radio->neighbours), compare_registration);
}
