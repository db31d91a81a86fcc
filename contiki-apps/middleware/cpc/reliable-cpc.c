/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ReliableCPC. To one neighbour: the MAC's acknowledgements and retries. To all in
 * a flood: who has a frame sends it on, which is heard and taken as its
 * acknowledgement, also before this mote has sent it; those that are known as
 * neighbours and were not heard to have it get the frame once more each, acknowledged
 * by the MAC, one after the other, so that the MAC's queue has room for other frames.
 * So a flood that loses nothing costs one frame a mote, as with UnreliableCPC.
 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "net/queuebuf.h"
#include "sys/ctimer.h"
#include "cpc.h"
#include "pubsub-link.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"
#include "reliable-cpc.h"

struct neighbour {
  uint16_t mote; /* PUBSUB_NOBODY: unused */
  uint8_t missed; /* frames in a row that it didn't acknowledge */
  linkaddr_t address;
};

/* What a flood is known by: its first individual event. */
struct flood {
  pubsub_subject_t subject;
  struct pubsub_contributor event;
};

/* A flood's frame, until all neighbours have it. */
struct pending {
  uint8_t length; /* 0: unused */
  uint8_t frame[PUBSUB_FRAME_SIZE];
  struct flood of;
  uint16_t lacking; /* bit n: neighbour n */
  struct ctimer timer;
};

static struct neighbour neighbours[RELIABLE_CPC_MAX_NEIGHBOURS];
static struct pending floods[RELIABLE_CPC_MAX_FLOODS];

/* The flood whose frame waits to be sent, and who was heard to have it. */
static struct {
  struct flood of;
  uint16_t have; /* bit n: neighbour n */
} expected;
/*---------------------------------------------------------------------------*/
static struct neighbour *
find(uint16_t mote)
{
  unsigned i;

  for(i = 0; i < RELIABLE_CPC_MAX_NEIGHBOURS; i++) {
    if(neighbours[i].mote == mote) {
      return &neighbours[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
static bool
is_of(const struct flood *flood, const struct pubsub_event *event)
{
  return flood->subject == event->subject
    && flood->event.publisher == event->contributor[0].publisher
    && flood->event.sequence == event->contributor[0].sequence;
}
/*---------------------------------------------------------------------------*/
static void
expect(const struct pubsub_event *event)
{
  expected.of = (struct flood) { event->subject, event->contributor[0] };
  expected.have = 0;
}
/*---------------------------------------------------------------------------*/
static void
has(uint16_t mote, const struct pubsub_event *event)
{
  struct neighbour *neighbour = find(mote);
  uint16_t bit;
  unsigned i;

  if(neighbour == NULL && (neighbour = find(PUBSUB_NOBODY)) == NULL) {
    return; /* without an entry, it counts as having every frame */
  }
  neighbour->mote = mote;
  neighbour->missed = 0;
  linkaddr_copy(&neighbour->address, pubsub_link_sender());
  bit = 1u << (neighbour - neighbours);
  if(is_of(&expected.of, event)) {
    expected.have |= bit;
  }
  for(i = 0; i < RELIABLE_CPC_MAX_FLOODS; i++) {
    if(floods[i].length > 0 && is_of(&floods[i].of, event)) {
      floods[i].lacking &= ~bit;
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
done(const uint8_t *frame, uint16_t length, const char *reason,
     unsigned transmissions)
{
  struct neighbour *neighbour = find(pubsub_get16(frame + PUBSUB_FRAME_NEXT_HOP_AT));

  if(reason != NULL) {
    cpc_counters.cpc_unanswered++;
  }
  if(neighbour == NULL) {
    return;
  }
  if(reason == NULL) {
    neighbour->missed = 0;
  } else if(++neighbour->missed >= RELIABLE_CPC_MOST_MISSED) {
    neighbour->mote = PUBSUB_NOBODY; /* until it is heard again */
  }
}
/*---------------------------------------------------------------------------*/
static void
unicast(const uint8_t *frame, uint16_t length)
{
  uint16_t mote = pubsub_get16(frame + PUBSUB_FRAME_NEXT_HOP_AT);
  struct neighbour *neighbour = find(mote);

  if(neighbour == NULL || mote == PUBSUB_NOBODY) {
    cpc_counters.cpc_untracked++;
    pubsub_routing_broadcast(frame, length);
  } else {
    pubsub_link_send_to(&neighbour->address, frame, length, done);
  }
}
/*---------------------------------------------------------------------------*/
/* The neighbours had their time to send it on: one that lacks it gets it, and the others
   have some more. Where this mote's own frames wait at the MAC, those of its neighbours do. */
static void
repeat(void *ptr)
{
  struct pending *flood = ptr;
  unsigned i;

  if(queuebuf_numfree() < QUEUEBUF_NUM) {
    ctimer_set(&flood->timer, RELIABLE_CPC_PATIENCE / 2 + random_rand() % RELIABLE_CPC_PATIENCE,
               repeat, flood);
    return;
  }
  for(i = 0; i < RELIABLE_CPC_MAX_NEIGHBOURS; i++) {
    if(flood->lacking >> i & 1 && neighbours[i].mote != PUBSUB_NOBODY) {
      flood->lacking &= ~(1u << i);
      ctimer_set(&flood->timer, 1 + random_rand() % RELIABLE_CPC_PAUSE, repeat, flood);
      cpc_counters.cpc_repeated++;
      pubsub_put16(flood->frame + PUBSUB_FRAME_NEXT_HOP_AT, neighbours[i].mote);
      pubsub_link_send_to(&neighbours[i].address, flood->frame, flood->length, done);
      return;
    }
  }
  flood->length = 0;
}
/*---------------------------------------------------------------------------*/
/* Those that don't have it: all but whom it came from. */
static uint16_t
lacking(uint16_t from)
{
  uint16_t these = 0;
  unsigned i;

  for(i = 0; i < RELIABLE_CPC_MAX_NEIGHBOURS; i++) {
    if(neighbours[i].mote != PUBSUB_NOBODY && neighbours[i].mote != from) {
      these |= 1u << i;
    }
  }
  return these;
}
/*---------------------------------------------------------------------------*/
static void
flood(const uint8_t *frame, uint16_t length,
      const struct pubsub_event *event, uint16_t from)
{
  unsigned i;

  pubsub_routing_broadcast(frame, length);
  for(i = 0; i < RELIABLE_CPC_MAX_FLOODS && floods[i].length > 0; i++);
  if(i == RELIABLE_CPC_MAX_FLOODS) {
    cpc_counters.cpc_untracked++;
    return;
  }
  memcpy(floods[i].frame, frame, length);
  floods[i].length = length;
  floods[i].of = (struct flood) { event->subject, event->contributor[0] };
  floods[i].lacking = lacking(from);
  if(is_of(&expected.of, event)) {
    floods[i].lacking &= ~expected.have;
  }
  ctimer_set(&floods[i].timer, RELIABLE_CPC_PATIENCE, repeat, &floods[i]);
}
/*---------------------------------------------------------------------------*/
void
reliable_cpc_init(void)
{
  unsigned i;

  for(i = 0; i < RELIABLE_CPC_MAX_FLOODS; i++) {
    ctimer_stop(&floods[i].timer);
    floods[i].length = 0;
  }
  memset(neighbours, 0, sizeof(neighbours));
  memset(&expected, 0, sizeof(expected));
  cpc_init(&cpc_reliable);
}
/*---------------------------------------------------------------------------*/
const struct cpc cpc_reliable = { "ReliableCPC", unicast, flood, expect, has };
