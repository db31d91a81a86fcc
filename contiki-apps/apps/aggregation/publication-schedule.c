/* SPDX-License-Identifier: Apache-2.0 */
#include "publication-schedule.h"

/* The purposes of drawn numbers, which keep the draws apart. */
enum {
  DRAW_INTERVAL = 1,
  DRAW_JITTER = 2,
  DRAW_VALUE = 3
};
/*---------------------------------------------------------------------------*/
/*
 * Mixes 32 bits thoroughly (xor-shift and multiply; the finaliser of Appleby's
 * MurmurHash3). A mixer instead of a generator with a state, since rounds must
 * be reachable in any order.
 */
static uint32_t
mix(uint32_t x)
{
  x ^= x >> 16;
  x *= 0x85ebca6bUL;
  x ^= x >> 13;
  x *= 0xc2b2ae35UL;
  return x ^ x >> 16;
}
/*---------------------------------------------------------------------------*/
static uint32_t
draw(uint32_t seed, uint8_t what, uint8_t who, uint16_t round)
{
  uint32_t x = mix(seed + 0x9e3779b9UL);

  x = mix(x ^ ((uint32_t)what << 8 | who));
  return mix(x + 0x9e3779b9UL * round);
}
/*---------------------------------------------------------------------------*/
/* A number below `limit`, from 32 random bits. */
static uint32_t
below(uint32_t limit, uint32_t random)
{
  return (uint32_t)((uint64_t)random * limit >> 32);
}
/*---------------------------------------------------------------------------*/
void
publication_begin(struct publication *publication, uint8_t publisher)
{
  publication->publisher = publisher;
  publication->round = 0;
  publication->round_time = 0;
  publication->time = 0;
}
/*---------------------------------------------------------------------------*/
bool
publication_next(struct publication *publication,
                 const struct publication_parameters *p)
{
  uint32_t round_time = publication->round_time;
  uint16_t round = publication->round + 1;
  uint32_t time;

  if(round > 1) {
    round_time += p->interval_min
      + below(p->interval_max - p->interval_min + 1,
              draw(p->seed, DRAW_INTERVAL, p->rate, round));
  }
  if(round == 0 || round_time >= p->duration) {
    return false;
  }
  time = round_time
    + p->delay_step * (p->last_first != 0
                       ? p->last_first + 1 - publication->publisher
                       : publication->publisher)
    + below(p->jitter, draw(p->seed, DRAW_JITTER,
                            publication->publisher, round));
  publication->round = round;
  publication->round_time = round_time;
  /* A jitter longer than an interval doesn't turn the order around. */
  if(time > publication->time) {
    publication->time = time;
  }
  return true;
}
/*---------------------------------------------------------------------------*/
bool
publication_seek(struct publication *publication, uint16_t round,
                 const struct publication_parameters *parameters)
{
  if(round < publication->round) {
    publication_begin(publication, publication->publisher);
  }
  while(publication->round < round) {
    if(!publication_next(publication, parameters)) {
      return false;
    }
  }
  return round > 0;
}
/*---------------------------------------------------------------------------*/
int16_t
publication_value(const struct publication *publication,
                  const struct publication_parameters *parameters)
{
  return (int16_t)(draw(parameters->seed, DRAW_VALUE, publication->publisher,
                        publication->round) >> 16);
}
