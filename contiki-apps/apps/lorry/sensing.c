/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "components.h"
#include "configuration.h"
#include "policies/policy-subject.h"
#include "world.h"

/* A mote has one component. */
static struct pubsub_publisher_channel *channel, *other_channel;
/*---------------------------------------------------------------------------*/
/* The fire alarm and the air conditioning share the sensor (5.1, 5.2). */
static void
start_temperature(void)
{
  channel = pubsub_announce(policy_subject("TempForFireAlarm"), NULL);
  other_channel = pubsub_announce(policy_subject("ACSTemp"), NULL);
}
/*---------------------------------------------------------------------------*/
static void
read_temperature(void)
{
  int16_t degrees = world_temperature();

  lorry_notify(channel, &degrees, 1);
  lorry_notify(other_channel, &degrees, 1);
}

const struct component lorry_temperature = { start_temperature, read_temperature };
/*---------------------------------------------------------------------------*/
/* It is read when a policy asks for it. */
static void
start_smoke(void)
{
  pubsub_announce(policy_subject("Smoke"), NULL);
}

const struct component lorry_smoke = { start_smoke, NULL };
/*---------------------------------------------------------------------------*/
/* Its topic says of which package a reading is (5.3). */
static void
start_package(void)
{
  channel = pubsub_announce(policy_subject("PackageTemperature"), NULL);
}
/*---------------------------------------------------------------------------*/
static void
read_package(void)
{
  int16_t numbers[] = { world_package_temperature(), (int16_t)configuration.mote };

  lorry_notify(channel, numbers, 2);
}

const struct component lorry_package = { start_package, read_package };
