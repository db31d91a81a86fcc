/* SPDX-License-Identifier: Apache-2.0 */
/* Every mote's side: updates are carried out in their order, each once, and answered. */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "policy-update-air.h"
#include "pubsub.h"

struct policy_update_counters policy_update_counters;
void (*policy_update_seen)(const struct policy_update *update, bool done);

/* A mote whose updates are carried out here. */
struct sender {
  uint8_t publisher; /* 0: unused */
  uint16_t incarnation;
  uint8_t number; /* of its last one that this mote has; POLICY_UPDATE_NONE */
  bool is_refused;
  bool is_waiting; /* for an answer */
};

static const struct pubsub_routing_driver *answers;
static struct pubsub_publisher_channel *answering;
static struct sender senders[POLICY_UPDATE_SENDERS];
static struct ctimer timer;
/*---------------------------------------------------------------------------*/
static bool
carry_out(const struct policy_update *update)
{
  switch(update->what) {
  case POLICY_UPDATE_LOAD:
    return policy_manager_load(update->policy);
  case POLICY_UPDATE_DISABLE:
    return policy_manager_disable(update->policy);
  case POLICY_UPDATE_REPLACE:
    return policy_manager_replace(update->policy, update->other);
#if POLICY_SWITCHED_RULES
  case POLICY_UPDATE_RULE_ON:
  case POLICY_UPDATE_RULE_OFF:
    return policy_manager_switch_rule(update->policy, update->other,
                                      update->what == POLICY_UPDATE_RULE_ON);
#endif
  default:
    return false;
  }
}
/*---------------------------------------------------------------------------*/
bool
policy_update_apply(const struct policy_update *update)
{
  bool done = carry_out(update);

  if(done) {
    policy_update_counters.updates_done++;
  } else {
    policy_update_counters.updates_refused++;
  }
  if(policy_update_seen != NULL) {
    policy_update_seen(update, done);
  }
  return done;
}
/*---------------------------------------------------------------------------*/
static void
answer(void *ptr)
{
  uint8_t data[PUBSUB_MAX_DATA];
  struct policy_update_answer_air air;
  struct sender *sender;

  for(sender = senders; sender < senders + POLICY_UPDATE_SENDERS; sender++) {
    if(sender->is_waiting) {
      sender->is_waiting = false;
      air = (struct policy_update_answer_air) {
        sender->publisher, sender->number, sender->is_refused
      };
      pubsub_publish_by(answers, answering, data, policy_update_write_answer(data, &air),
                        PUBSUB_RELIABLE);
    }
  }
}
/*---------------------------------------------------------------------------*/
/* Not all motes at the same time. */
static void
answer_soon(struct sender *sender)
{
  if(!sender->is_waiting) {
    sender->is_waiting = true;
    ctimer_set(&timer, POLICY_UPDATE_ANSWERING + random_rand() % POLICY_UPDATE_ANSWERING,
               answer, NULL);
  }
}
/*---------------------------------------------------------------------------*/
/* NULL: there is no room for one more. A mote that booted again begins anew. */
static struct sender *
sender_of(const struct pubsub_contributor *author)
{
  struct sender *sender, *unused = NULL;

  for(sender = senders; sender < senders + POLICY_UPDATE_SENDERS; sender++) {
    if(sender->publisher == author->publisher) {
      break;
    }
    if(sender->publisher == 0 && unused == NULL) {
      unused = sender;
    }
  }
  if(sender == senders + POLICY_UPDATE_SENDERS) {
    sender = unused;
  } else if(sender->incarnation == author->incarnation) {
    return sender;
  }
  if(sender != NULL) {
    *sender = (struct sender) { author->publisher, author->incarnation, POLICY_UPDATE_NONE };
  }
  return sender;
}
/*---------------------------------------------------------------------------*/
/* It is the one after what this mote has, or the oldest that there is. */
static bool
is_next(const struct policy_update_air *air, const struct sender *sender)
{
  uint8_t ahead = policy_update_ahead(air->number, sender->number);

  return sender->number == POLICY_UPDATE_NONE ? air->is_first
    : ahead == 1 || (air->is_first && ahead > 0 && ahead <= POLICY_UPDATE_NONE / 2);
}
/*---------------------------------------------------------------------------*/
static bool
lacks_some(const struct policy_update_air *air, const struct sender *sender)
{
  uint8_t ahead = policy_update_ahead(air->number, sender->number);

  return sender->number == POLICY_UPDATE_NONE || (ahead > 0 && ahead <= POLICY_UPDATE_NONE / 2);
}
/*---------------------------------------------------------------------------*/
/* One that is next and for this mote, or that tells it that it lacks some. */
static void
take(const struct policy_update_air *air, struct sender *sender)
{
  struct policy_update update = {
    air->to == 0 ? PUBSUB_EVERYBODY : air->to, air->what, air->policy, air->other
  };
  bool is_mine = air->to == 0 || air->to == pubsub_routing_self();

  if(!is_mine && !air->is_only) {
    return; /* for this mote there is another one of that number */
  }
  if(is_next(air, sender)) {
    sender->number = air->number;
    sender->is_refused = is_mine && air->what != POLICY_UPDATE_NOTHING
      && !policy_update_apply(&update);
    if(is_mine) {
      answer_soon(sender);
    }
  } else if(lacks_some(air, sender) || (is_mine && (air->to != 0 || air->is_only))) {
    answer_soon(sender);
  }
}
/*---------------------------------------------------------------------------*/
static void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  struct policy_update_air air;
  struct sender *sender;

  if(from == pubsub_routing_self() || !policy_update_read(&air, event)) {
    return;
  }
  sender = sender_of(&event->contributor[0]);
  if(sender == NULL) {
    policy_update_counters.updates_refused++;
  } else {
    take(&air, sender);
  }
}
/*---------------------------------------------------------------------------*/
bool
policy_update_init(const struct pubsub_routing_driver *routes,
                   const struct pubsub_routing_driver *answers_by)
{
  struct pubsub_publisher_channel *channel = pubsub_announce(POLICY_UPDATE_SUBJECT, NULL);

  answers = answers_by != NULL ? answers_by : routes;
  answering = pubsub_announce(POLICY_UPDATE_ANSWERS, NULL);
  memset(&policy_update_counters, 0, sizeof(policy_update_counters));
  memset(senders, 0, sizeof(senders));
  ctimer_stop(&timer);
  policy_update_sender_init(routes, answers, channel);
  return channel != NULL && answering != NULL
    && pubsub_subscribe(POLICY_UPDATE_SUBJECT, arrived, NULL, NULL) != NULL;
}
