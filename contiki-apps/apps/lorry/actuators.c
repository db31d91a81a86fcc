/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "sys/ctimer.h"
#include "components.h"
#include "configuration.h"
#include "policies/policy-manager.h"
#include "policies/policy-subject.h"
#include "updating.h"
/*---------------------------------------------------------------------------*/
static void
fire(const struct pubsub_event *event, uint16_t from, void *context)
{
  static bool is_open;

  if(!is_open) {
    is_open = true;
    lorry_does("sprinkler opened");
  }
}
/*---------------------------------------------------------------------------*/
static void
start_sprinkler(void)
{
  pubsub_subscribe(policy_subject("FireAlarm"), fire, NULL, NULL);
}

const struct component lorry_sprinkler = { start_sprinkler, NULL };
/*---------------------------------------------------------------------------*/
static void
alarm(const struct pubsub_event *event, uint16_t from, void *context)
{
  lorry_does(context);
}
/*---------------------------------------------------------------------------*/
static void
start_alarm_unit(void)
{
  static char fire_alarm[] = "alarm sent: fire", package_alarm[] = "alarm sent: package";

  pubsub_subscribe(policy_subject("FireAlarm"), alarm, fire_alarm, NULL);
  pubsub_subscribe(policy_subject("PackageAlarm"), alarm, package_alarm, NULL);
}

const struct component lorry_alarm_unit = { start_alarm_unit, NULL };
/*---------------------------------------------------------------------------*/
/* It acts on a reading that is not the target, and stops at one that is (5.2). */
static void
climate(const struct pubsub_event *event, uint16_t from, void *context)
{
  static bool is_on;
  struct policy_value values[POLICY_ARGUMENTS];
  uint8_t count;

  if(policy_manager_decode(values, &count, event->data, event->length) && count == 1
     && is_on != (values[0].as.number != configuration.target)) {
    is_on = !is_on;
    lorry_does(is_on ? "air conditioning on" : "air conditioning off");
  }
}
/*---------------------------------------------------------------------------*/
static void
start_climate(void)
{
  pubsub_subscribe(policy_subject("ACSTemp"), climate, NULL, NULL);
}

const struct component lorry_climate = { start_climate, NULL };
/*---------------------------------------------------------------------------*/
static struct ctimer setting;

static void
set(void *channel)
{
  int16_t numbers[] = { configuration.target, configuration.delta };

  lorry_notify(channel, numbers, 2);
}
/*---------------------------------------------------------------------------*/
/* The driver sets the air conditioning when all motes have started. */
static void
start_driver(void)
{
  ctimer_set(&setting, 2 * CLOCK_SECOND, set, pubsub_announce(policy_subject("TempControl"), NULL));
  updating_start();
}
/*---------------------------------------------------------------------------*/
static void
stop_driver(void)
{
  ctimer_stop(&setting);
  updating_stop();
}

const struct component lorry_driver = { start_driver, NULL, NULL, stop_driver };
