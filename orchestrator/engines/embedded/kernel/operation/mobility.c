/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/mobility.h"

#include "operation/population.h"

static void
step(struct simulation *simulation, struct time_event *time_event)
{
  struct mobility *mobility = (struct mobility *)time_event;
  const struct move *move = &mobility->moves[mobility->next];
  int64_t now = simulation->queue.now;

  if(now >= move->time + mobility->start) {
    if(move->place < simulation->present_count) {
      struct mote *mote = &simulation->motes[simulation->present[move->place]];
      population_move(simulation, mote, move->x, move->y, mote->z);
    }
    if(++mobility->next == mobility->count) {
      mobility->start = now;
      mobility->next = 0;
    }
  }
  time_event_insert(&simulation->queue, time_event, step, mobility->moves[mobility->next].time + mobility->start);
}

void
mobility_start(struct simulation *simulation)
{
  for(uint32_t i = 0; i < simulation->mobility_count; i++) {
    struct mobility *mobility = &simulation->mobility[i];
    event_init(&mobility->time_event.event);
    if(mobility->count > 0) {
      step(simulation, &mobility->time_event);
    }
  }
}
