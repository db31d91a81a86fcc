/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The side of the mote that sends updates: it numbers them, keeps the last ones, asks
 * those that don't answer, and gives motes that lack some what they lack, one after the
 * other. Floods aren't repeated hop by hop (PUBSUB_RELIABLE): who asks until there is an
 * answer needs no more, and in a dense network these repetitions keep answers off the air.
 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "policy-update-air.h"
#include "pubsub.h"

#define REFUSED 0x80

void (*policy_update_settled)(uint8_t done, uint8_t refused, uint8_t silent);

static const struct pubsub_routing_driver *routes, *answers;
static struct pubsub_publisher_channel *channel;
static struct pubsub_subscriber_channel *listening;
static struct policy_update kept[POLICY_UPDATE_KEPT]; /* the oldest first */
static uint8_t count;  /* of those */
static uint8_t newest; /* the last one's number */
static uint8_t answered[POLICY_UPDATE_MOTES + 1]; /* by mote: its last number, and REFUSED */
static uint8_t awaited[POLICY_UPDATE_MOTES / 8 + 1]; /* a bit for each mote */
static uint8_t round;   /* of asking */
static uint16_t cursor; /* the next mote to be asked in this round */
static bool is_settled; /* all have answered, or are taken not to */
static struct ctimer timer;
/*---------------------------------------------------------------------------*/
void
policy_update_sender_init(const struct pubsub_routing_driver *routes_of,
                          const struct pubsub_routing_driver *answers_by,
                          struct pubsub_publisher_channel *channel_of)
{
  routes = routes_of;
  answers = answers_by;
  channel = channel_of;
  listening = NULL;
  count = 0;
  newest = POLICY_UPDATE_NONE - 1;
  memset(answered, POLICY_UPDATE_NONE, sizeof(answered));
  memset(awaited, 0, sizeof(awaited));
  ctimer_stop(&timer);
}
/*---------------------------------------------------------------------------*/
void
policy_update_await(uint8_t mote)
{
  if(mote > 0 && mote <= POLICY_UPDATE_MOTES && mote != pubsub_routing_self()) {
    awaited[mote / 8] |= 1 << mote % 8;
  }
}
/*---------------------------------------------------------------------------*/
enum policy_update_answer
policy_update_answer_of(uint8_t mote)
{
  if(mote > POLICY_UPDATE_MOTES || count == 0 || (answered[mote] & ~REFUSED) != newest) {
    return POLICY_UPDATE_SILENT;
  }
  return answered[mote] & REFUSED ? POLICY_UPDATE_REFUSED : POLICY_UPDATE_DONE;
}
/*---------------------------------------------------------------------------*/
/* The last update is for it, and its answer is wanted. */
static bool
is_asked(uint16_t mote)
{
  uint16_t target = kept[count - 1].target;

  return target == PUBSUB_EVERYBODY ? awaited[mote / 8] >> mote % 8 & 1 : mote == target;
}
/*---------------------------------------------------------------------------*/
/* To a mote, or, as it was sent first, to all that it is for, who are asked to answer if
   they have it already. */
static void
send(uint8_t number, uint8_t to, bool is_asking)
{
  uint8_t data[PUBSUB_MAX_DATA], age = policy_update_ahead(newest, number);
  const struct policy_update *update = &kept[count - 1 - age];
  bool is_for_one = update->target != PUBSUB_EVERYBODY;
  struct policy_update_air air = {
    number, is_for_one, age == count - 1, to, update->what, update->policy, update->other
  };

  if(is_for_one && to == 0) {
    air.to = (uint8_t)update->target;
  } else if(to == 0) {
    air.is_only = is_asking;
  } else if(is_for_one && to != update->target) {
    air.is_only = false;
    air.what = POLICY_UPDATE_NOTHING;
  }
  pubsub_publish_by(routes, channel, data, policy_update_write(data, &air), 0);
}
/*---------------------------------------------------------------------------*/
/* What a mote lacks first of those that there are; its last if it lacks none. */
static void
send_next(uint8_t mote)
{
  uint8_t last = answered[mote] & ~REFUSED;
  uint8_t behind = last == POLICY_UPDATE_NONE ? count : policy_update_ahead(newest, last);
  uint8_t age = behind == 0 ? 0 : behind > count ? count - 1 : behind - 1;

  send((newest + POLICY_UPDATE_NONE - age) % POLICY_UPDATE_NONE, mote, false);
}
/*---------------------------------------------------------------------------*/
/* Motes that were away hear that there is something that they lack. */
static void
tell(void *ptr)
{
  send(newest, 0, false);
  ctimer_set(&timer, POLICY_UPDATE_TELLING, tell, NULL);
}
/*---------------------------------------------------------------------------*/
static void
settle(void)
{
  uint8_t by_answer[POLICY_UPDATE_REFUSED + 1] = { 0 };
  uint16_t mote;

  is_settled = true;
  for(mote = 1; mote <= POLICY_UPDATE_MOTES; mote++) {
    if(is_asked(mote)) {
      by_answer[policy_update_answer_of(mote)]++;
    }
  }
  policy_update_counters.updates_unanswered += by_answer[POLICY_UPDATE_SILENT];
  if(policy_update_settled != NULL) {
    policy_update_settled(by_answer[POLICY_UPDATE_DONE], by_answer[POLICY_UPDATE_REFUSED],
                          by_answer[POLICY_UPDATE_SILENT]);
  }
  ctimer_set(&timer, POLICY_UPDATE_TELLING, tell, NULL);
}
/*---------------------------------------------------------------------------*/
/* The first mote from that one on whose answer lacks; 0: there is none. */
static uint8_t
next_silent(uint16_t from)
{
  for(; from <= POLICY_UPDATE_MOTES; from++) {
    if(is_asked(from) && policy_update_answer_of(from) == POLICY_UPDATE_SILENT) {
      return from;
    }
  }
  return 0;
}
/*---------------------------------------------------------------------------*/
static uint8_t
silent_count(void)
{
  uint8_t mote, silent = 0;

  for(mote = next_silent(1); mote != 0; mote = next_silent(mote + 1)) {
    silent++;
  }
  return silent;
}
/*---------------------------------------------------------------------------*/
/* In rounds that are ever further apart; all at once or, if few are silent, one after the
   other. */
static void
ask(void *ptr)
{
  uint8_t mote = next_silent(cursor);
  bool is_end = mote == 0;

  if(cursor == 1 && (round == POLICY_UPDATE_ROUNDS || is_end)) {
    settle();
    return;
  }
  if(cursor == 1 && silent_count() > POLICY_UPDATE_FEW) {
    policy_update_counters.updates_repeated++;
    send(newest, 0, true);
    is_end = true;
  } else if(mote != 0) {
    policy_update_counters.updates_repeated++;
    send_next(mote);
    cursor = mote + 1;
  }
  if(is_end) {
    cursor = 1;
    round++;
  }
  ctimer_set(&timer, is_end ? (clock_time_t)POLICY_UPDATE_PATIENCE << (round - 1)
             : POLICY_UPDATE_GAP, ask, NULL);
}
/*---------------------------------------------------------------------------*/
static void
take_answer(const struct pubsub_event *event, uint16_t from, void *context)
{
  struct policy_update_answer_air air;
  uint8_t mote = event->contributor[0].publisher;

  if(!policy_update_read_answer(&air, event) || air.sender != pubsub_routing_self()
     || count == 0 || mote > POLICY_UPDATE_MOTES) {
    return;
  }
  if(air.number != POLICY_UPDATE_NONE
     && policy_update_ahead(newest, air.number) > POLICY_UPDATE_NONE / 2) {
    policy_update_counters.updates_malformed++; /* it was never sent */
    return;
  }
  if(air.number == newest && policy_update_answer_of(mote) == POLICY_UPDATE_SILENT) {
    policy_update_counters.updates_answered++;
  }
  answered[mote] = air.number | (air.is_refused ? REFUSED : 0);
  if(air.number != newest) {
    send_next(mote);
  } else if(!is_settled && next_silent(1) == 0) {
    settle();
  }
}
/*---------------------------------------------------------------------------*/
static void
keep(const struct policy_update *update)
{
  if(count == POLICY_UPDATE_KEPT) {
    memmove(kept, kept + 1, sizeof(kept) - sizeof(kept[0]));
    count--;
  }
  kept[count++] = *update;
  newest = (newest + 1) % POLICY_UPDATE_NONE;
}
/*---------------------------------------------------------------------------*/
/* Answers come only to a mote that sends updates. */
static void
listen(void)
{
  if(listening == NULL) {
    listening = pubsub_subscribe(POLICY_UPDATE_ANSWERS, take_answer, NULL, NULL);
    if(answers->subscription != NULL) {
      answers->subscription(POLICY_UPDATE_ANSWERS, true);
    }
  }
}
/*---------------------------------------------------------------------------*/
bool
policy_update_send(const struct policy_update *update)
{
  bool is_for_all = update->target == PUBSUB_EVERYBODY;

  if(update->policy > POLICY_UPDATE_LARGEST || update->other > POLICY_UPDATE_LARGEST
     || channel == NULL
     || (!is_for_all && (update->target == 0 || update->target > POLICY_UPDATE_MOTES))) {
    policy_update_counters.updates_refused++;
    return false;
  }
  if(is_for_all || update->target == pubsub_routing_self()) {
    policy_update_apply(update);
  }
  if(update->target == pubsub_routing_self()) {
    return true;
  }
  listen();
  keep(update);
  send(newest, 0, false);
  round = 0;
  cursor = 1;
  is_settled = false;
  ctimer_set(&timer, POLICY_UPDATE_PATIENCE, ask, NULL);
  return true;
}
