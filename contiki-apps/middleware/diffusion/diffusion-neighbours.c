/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "diffusion-conf.h"
#include "diffusion-neighbours.h"
#include "pubsub-counters.h"
#include "pubsub-link.h"
#include "pubsub-routing.h"

#include "sys/log.h"
#define LOG_MODULE "Diffusion"
#define LOG_LEVEL LOG_LEVEL_WARN

struct neighbour {
  linkaddr_t address;
  uint16_t id; /* PUBSUB_NOBODY: unused */
  uint8_t missed;
};

static struct neighbour neighbours[DIFFUSION_MAX_NEIGHBOURS];
/*---------------------------------------------------------------------------*/
void
diffusion_neighbours_init(void)
{
  memset(neighbours, 0, sizeof(neighbours));
}
/*---------------------------------------------------------------------------*/
static struct neighbour *
find(uint16_t id)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_NEIGHBOURS; i++) {
    if(neighbours[i].id == id) {
      return &neighbours[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
/* Finds room for another neighbour: an unused entry, or one that is no
   gradient's way any more. */
static struct neighbour *
allocate(bool (*is_way)(uint16_t neighbour))
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_NEIGHBOURS; i++) {
    if(neighbours[i].id == PUBSUB_NOBODY
       || !is_way(neighbours[i].id)) {
      return &neighbours[i];
    }
  }
  pubsub_counters.pool_exhausted++;
  LOG_WARN("no neighbour left of %u\n", (unsigned)DIFFUSION_MAX_NEIGHBOURS);
  return NULL;
}
/*---------------------------------------------------------------------------*/
bool
diffusion_neighbours_learn(uint16_t id, bool (*is_way)(uint16_t neighbour))
{
  struct neighbour *neighbour = find(id);

  if(neighbour == NULL) {
    neighbour = allocate(is_way);
    if(neighbour == NULL) {
      return false;
    }
    neighbour->id = id;
    neighbour->missed = 0;
  }
  linkaddr_copy(&neighbour->address, pubsub_link_sender());
  return true;
}
/*---------------------------------------------------------------------------*/
const linkaddr_t *
diffusion_neighbours_address(uint16_t id)
{
  struct neighbour *neighbour = find(id);

  return neighbour == NULL ? NULL : &neighbour->address;
}
/*---------------------------------------------------------------------------*/
void
diffusion_neighbours_answered(uint16_t id)
{
  struct neighbour *neighbour = find(id);

  if(neighbour != NULL) {
    neighbour->missed = 0;
  }
}
/*---------------------------------------------------------------------------*/
bool
diffusion_neighbours_missed(uint16_t id)
{
  struct neighbour *neighbour = find(id);

  if(neighbour == NULL) {
    return true;
  }
  if(++neighbour->missed < DIFFUSION_MOST_MISSED) {
    return false;
  }
  neighbour->missed = 0; /* if it comes back, its misses count from 0 */
  return true;
}
