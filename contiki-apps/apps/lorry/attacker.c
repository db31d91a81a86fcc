/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Somebody else's mote beside the lorry. It speaks the middleware's protocols and
 * hasn't the packages' key. It always listens to what packages send each other; what
 * it does beside that is `attack`.
 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "components.h"
#include "configuration.h"
#include "counters-dump.h"
#include "policies/policy-manager.h"
#include "policies/policy-subject.h"
#include "policy-update/policy-update.h"
#include "pubsub-octets.h"
#include "push-dpc/push-dpc.h"
#include "updating.h"
#if POLICY_BYTECODE
#include "policy-bytecode/policy-bytecode-spread.h"
#endif

#define PERIOD (CLOCK_SECOND / 5)
#define NOBODYS_MOTE 250 /* whose readings it makes up */
#define PULLS 16         /* in a frame */
#define HEARD 8          /* events that it replays in turn */

static struct ctimer timer;
static struct {
  uint8_t data[PUBSUB_MAX_DATA], length;
} heard[HEARD]; /* the first that it heard */
static uint8_t heard_count, replayed;
static uint16_t read_in_clear, read_sealed;
/*---------------------------------------------------------------------------*/
static void
listen(const struct pubsub_event *event, uint16_t from, void *context)
{
  struct policy_value values[POLICY_ARGUMENTS];
  uint8_t count, i;
  bool is_clear = policy_manager_decode(values, &count, event->data, event->length);

  if(event->contributor[0].publisher == configuration.mote) {
    return; /* its own */
  }
  for(i = 0; i < count && is_clear; i++) {
    is_clear = values[i].kind != POLICY_SEALED;
  }
  if(is_clear) {
    read_in_clear++;
  } else {
    read_sealed++;
  }
  if(heard_count < HEARD) {
    memcpy(heard[heard_count].data, event->data, event->length);
    heard[heard_count++].length = event->length;
  }
}
/*---------------------------------------------------------------------------*/
/* Pull messages of subscribers and subscriptions that there are not. */
static void
flood(void)
{
  uint8_t body[4 * PULLS], i;

  for(i = 0; i < PULLS; i++) {
    pubsub_put16(body + 4 * i, 1000 + random_rand() % 50000);
    pubsub_put16(body + 4 * i + 2, random_rand());
  }
  pubsub_routing_send(PUBSUB_FRAME_PULLS, PUBSUB_EVERYBODY, body, sizeof(body), NULL);
}
/*---------------------------------------------------------------------------*/
#if POLICY_BYTECODE
/* One part after the other of a newer program that lacks
   its last octet. Its checksum is right, and this mote's verifier isn't asked. */
static void
spread_broken_code(void)
{
  static uint8_t number;
  uint8_t program[UINT8_MAX], data[PUBSUB_MAX_DATA];
  uint8_t length = updating_program(program) - 1;

  pubsub_publish_by(&push_dpc_routes, pubsub_publisher_of(POLICY_BYTECODE_SUBJECT), data,
                    updating_part(data, program, length, 2, number), 0);
  number = (number + 1) * POLICY_BYTECODE_PART < length ? number + 1 : 0;
}
#endif
/*---------------------------------------------------------------------------*/
static void
attack(void *ptr)
{
  int16_t made_up[] = { 20, NOBODYS_MOTE };
  struct pubsub_publisher_channel *channel =
    pubsub_publisher_of(policy_subject("PackageTemperature"));

  switch(configuration.attack) {
  case ATTACK_INJECT:
    lorry_notify(channel, made_up, 2);
    break;
  case ATTACK_REPLAY:
    if(heard_count > 0 && channel != NULL) {
      replayed = (replayed + 1) % heard_count;
      pubsub_publish(channel, heard[replayed].data, heard[replayed].length, 0);
    }
    break;
  case ATTACK_DISABLE:
    policy_update_send(&(struct policy_update) {
      PUBSUB_EVERYBODY, POLICY_UPDATE_DISABLE, configuration.updated, 0
    });
    break;
  case ATTACK_FLOOD:
    flood();
    break;
#if POLICY_BYTECODE
  case ATTACK_CODE:
    spread_broken_code();
    break;
#endif
  }
  ctimer_reset(&timer);
}
/*---------------------------------------------------------------------------*/
static void
begin(void *ptr)
{
  lorry_does("attack");
  ctimer_set(&timer, PERIOD, attack, NULL);
}
/*---------------------------------------------------------------------------*/
static void
start(void)
{
  pubsub_announce(policy_subject("PackageTemperature"), NULL);
  pubsub_subscribe(policy_subject("PackageTemperature"), listen, NULL, NULL);
  if(configuration.attack != ATTACK_NONE) {
    ctimer_set(&timer, pubsub_ticks(configuration.attack_at), begin, NULL);
  }
}
/*---------------------------------------------------------------------------*/
static void
dump(void)
{
  counters_dump_one("overheard_in_clear", read_in_clear);
  counters_dump_one("overheard_sealed", read_sealed);
}

/*---------------------------------------------------------------------------*/
static void
stop(void)
{
  ctimer_stop(&timer);
}

const struct component lorry_attacker = { start, NULL, dump, stop };
