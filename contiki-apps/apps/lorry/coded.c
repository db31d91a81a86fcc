/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fire alarm and the air conditioning without policies, to compare: the
 * components themselves do what Figures 14 to 18 say (Figure 15 as sprinkler.escape
 * has it), and every notification is broadcast, as in the plain implementation that
 * the paper compares itself with (6.2.4). An event's data is its bare numbers.
 */
#include "contiki.h"
#include "sys/ctimer.h"
#include "components.h"
#include "configuration.h"
#include "policies/policy-manager.h"
#include "policies/policy-subject.h"
#include "pubsub-octets.h"
#include "sampling-buffer.h"
#include "world.h"

#define HOT 50 /* degrees: Figure 14 */

enum sprinkler { IDLE, PRE_ALARM, ALARM };

static struct pubsub_publisher_channel *channel, *other_channel;
static int16_t target, delta; /* degrees: Figure 18 */
static bool is_set;           /* somebody conditions the air */
static enum sprinkler sprinkler;
static struct ctimer patience; /* for a detector that sees smoke */
/*---------------------------------------------------------------------------*/
static void
broadcast(struct pubsub_publisher_channel *by, int16_t number, uint8_t flags)
{
  uint8_t data[2];

  pubsub_put16(data, (uint16_t)number);
  pubsub_publish(by, data, sizeof(data), flags);
}
/*---------------------------------------------------------------------------*/
static void
read_temperature(void)
{
  int16_t degrees = world_temperature();

  if(degrees >= HOT) {
    broadcast(channel, degrees, PUBSUB_RELIABLE);
  }
  if(is_set && sampling_buffer_deviate_or_zero(degrees, target, delta)) {
    broadcast(other_channel, degrees, 0);
  }
}
/*---------------------------------------------------------------------------*/
/* The driver's component writes values as policies read them. */
static void
set(const struct pubsub_event *event, uint16_t from, void *context)
{
  struct policy_value values[POLICY_ARGUMENTS];
  uint8_t count;

  if(policy_manager_decode(values, &count, event->data, event->length) && count == 2) {
    target = (int16_t)values[0].as.number;
    delta = (int16_t)values[1].as.number;
    is_set = true;
  }
}
/*---------------------------------------------------------------------------*/
static void
start_temperature(void)
{
  channel = pubsub_announce(policy_subject("TempForFireAlarm"), NULL);
  other_channel = pubsub_announce(policy_subject("ACSTemp"), NULL);
  pubsub_subscribe(policy_subject("TempControl"), set, NULL, NULL);
}

const struct component lorry_coded_temperature = { start_temperature, read_temperature, NULL };
/*---------------------------------------------------------------------------*/
static void
asked(const struct pubsub_event *event, uint16_t from, void *context)
{
  broadcast(channel, world_smoke(), PUBSUB_RELIABLE);
}
/*---------------------------------------------------------------------------*/
static void
start_smoke(void)
{
  channel = pubsub_announce(policy_subject("Smoke"), NULL);
  pubsub_subscribe(policy_subject("GetSmokeReading"), asked, NULL, NULL);
}

const struct component lorry_coded_smoke = { start_smoke, NULL, NULL };
/*---------------------------------------------------------------------------*/
static void
nobody_saw_smoke(void *ptr)
{
  if(sprinkler == PRE_ALARM) {
    sprinkler = IDLE;
  }
}
/*---------------------------------------------------------------------------*/
static void
hot(const struct pubsub_event *event, uint16_t from, void *context)
{
  if(sprinkler == IDLE) {
    sprinkler = PRE_ALARM;
    ctimer_set(&patience, CLOCK_SECOND, nobody_saw_smoke, NULL);
    pubsub_publish(other_channel, NULL, 0, PUBSUB_RELIABLE);
  }
}
/*---------------------------------------------------------------------------*/
static void
smoke(const struct pubsub_event *event, uint16_t from, void *context)
{
  if(sprinkler == PRE_ALARM && event->length > 0 && event->data[0] != 0) {
    sprinkler = ALARM;
    pubsub_publish(channel, NULL, 0, PUBSUB_RELIABLE);
  }
}
/*---------------------------------------------------------------------------*/
static void
start_sprinkler(void)
{
  lorry_sprinkler.start();
  channel = pubsub_announce(policy_subject("FireAlarm"), NULL);
  other_channel = pubsub_announce(policy_subject("GetSmokeReading"), NULL);
  pubsub_subscribe(policy_subject("TempForFireAlarm"), hot, NULL, NULL);
  pubsub_subscribe(policy_subject("Smoke"), smoke, NULL, NULL);
}

const struct component lorry_coded_sprinkler = { start_sprinkler, NULL, NULL };
/*---------------------------------------------------------------------------*/
static void
condition(const struct pubsub_event *event, uint16_t from, void *context)
{
  static bool is_on;

  if(event->length == 2
     && is_on != ((int16_t)pubsub_get16(event->data) != configuration.target)) {
    is_on = !is_on;
    lorry_does(is_on ? "air conditioning on" : "air conditioning off");
  }
}
/*---------------------------------------------------------------------------*/
static void
start_climate(void)
{
  pubsub_subscribe(policy_subject("ACSTemp"), condition, NULL, NULL);
}

const struct component lorry_coded_climate = { start_climate, NULL, NULL };
