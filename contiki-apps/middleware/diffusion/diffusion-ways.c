/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "diffusion-neighbours.h"
#include "diffusion-ways.h"

/* Closes the gap of a removed way, so that older ones stay in front. */
void
diffusion_ways_remove(struct diffusion_way *ways, unsigned i)
{
  memmove(&ways[i], &ways[i + 1],
          (DIFFUSION_MAX_WAYS - 1 - i) * sizeof(ways[0]));
  memset(&ways[DIFFUSION_MAX_WAYS - 1], 0, sizeof(ways[0]));
}
/*---------------------------------------------------------------------------*/
int
diffusion_ways_find(const struct diffusion_way *ways, uint16_t neighbour)
{
  int i;

  for(i = 0; i < DIFFUSION_MAX_WAYS; i++) {
    if(ways[i].neighbour == neighbour) {
      return i;
    }
  }
  return -1;
}
/*---------------------------------------------------------------------------*/
static bool
is_better(const struct diffusion_way *a, const struct diffusion_way *b)
{
  return a->age != b->age ? a->age < b->age : a->hops < b->hops;
}
/*---------------------------------------------------------------------------*/
const struct diffusion_way *
diffusion_ways_best(const struct diffusion_way *ways, uint8_t hops)
{
  const struct diffusion_way *best = NULL;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_WAYS && ways[i].neighbour != 0; i++) {
    if(ways[i].hops < hops
       && (best == NULL || is_better(&ways[i], best))) {
      best = &ways[i];
    }
  }
  return best;
}
/*---------------------------------------------------------------------------*/
void
diffusion_ways_learn(struct diffusion_way *ways, uint16_t from, uint8_t hops,
                     bool (*is_way)(uint16_t neighbour))
{
  const struct diffusion_way new = { from, hops, 0 };
  unsigned i, worst = 0;

  for(i = 0; i < DIFFUSION_MAX_WAYS && ways[i].neighbour != 0; i++) {
    if(ways[i].neighbour == from) {
      diffusion_ways_remove(ways, i);
      i--;
    } else if(!is_better(&ways[i], &ways[worst])) {
      worst = i;
    }
  }
  if(i == DIFFUSION_MAX_WAYS) {
    if(!is_better(&new, &ways[worst])) {
      return;
    }
    diffusion_ways_remove(ways, worst);
    i--;
  }
  if(diffusion_neighbours_learn(from, is_way)) {
    ways[i] = new;
  }
}
