/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lorry of a case study (Russello, Mostarda and Dulay 2011, section 5). Every
 * mote has one component; which policies it loads is in its EEPROM. README.md
 * explains.
 */
#include <stdio.h>
#include "contiki.h"
#include "net/netstack.h"
#include "sys/ctimer.h"
#include "components.h"
#include "configuration.h"
#include "counters-dump.h"
#include "cpc/cpc.h"
#include "cpc/reliable-cpc.h"
#include "eeprom-fields.h"
#include "energy-states.h"
#include "event-trace.h"
#include "identity.h"
#include "policy-log.h"
#include "policy-update/policy-update.h"
#include "pubsub-octets.h"
#include "pull-dpc/pull-dpc.h"
#include "push-dpc/push-dpc.h"
#include "sampling-buffer.h"
#include "secure-group.h"
#include "updating.h"
#include "world.h"

/* For how long the others may still be printing, because they booted up to the
   scenario's start-delay later. */
#define OTHERS_DUMP (5 * CLOCK_SECOND)

static const struct policy_manager_protocols protocols = { &push_dpc_routes, &pull_dpc_routes };
static struct pubsub_counters counters;
static struct ctimer power; /* fails */

PROCESS(lorry_process, "Lorry");
PROCESS(lorry_reading_process, "Readings");
AUTOSTART_PROCESSES(&identity_process, &lorry_process);
/*---------------------------------------------------------------------------*/
/* Only packages have key 0, and all motes but the attacker the key of updates. A boot's
   numbers are above those of the boot before. */
static void
join_groups(uint16_t boot)
{
  uint8_t key[SECURE_GROUP_KEY_SIZE] = { 0 };

  secure_group_init(configuration.mote, ((uint32_t)boot << 16) + 1);
  pubsub_put32(key, configuration.group_key);
  if(configuration.role == EEPROM_FIELDS_ROLE_PACKAGE) {
    secure_group_set_key(SECURE_GROUP_KEY, key);
  }
  key[SECURE_GROUP_KEY_SIZE - 1] = POLICY_UPDATE_KEY;
  if(configuration.role != EEPROM_FIELDS_ROLE_ATTACKER) {
    secure_group_set_key(POLICY_UPDATE_KEY, key);
  }
}
/*---------------------------------------------------------------------------*/
/* The middleware begins anew, and no policy is loaded. */
static void
start_middleware(uint16_t boot)
{
  pubsub_init(configuration.mote, configuration.mote, &push_dpc_routes);
  reliable_cpc_init();
  push_dpc_init();
  pull_dpc_init();
  sampling_buffer_init();
  join_groups(boot);
  policy_manager_init(&protocols);
  policy_log_start(configuration.trace);
  updating_init();
}
/*---------------------------------------------------------------------------*/
static void
boot(void)
{
  uint16_t number = configuration_boot();
  uint8_t i;

  if(number > 0) {
    printf("!rev,%u\n", number);
  }
  start_middleware(number);
  for(i = 0; i < 32 && i < policy_count; i++) {
    if(configuration.policies >> i & 1) {
      policy_manager_load(i);
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
start_component(void)
{
  const struct component *component = lorry_component();

  if(component != NULL) {
    component->start();
    if(component->reading != NULL) {
      process_start(&lorry_reading_process, NULL);
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
begin(void)
{
  energy_states_begin();
  pubsub_counters_start();
  event_trace_switch(configuration.trace);
  world_begin();
  start_component();
}
/*---------------------------------------------------------------------------*/
/* The power comes back: what was in memory is lost, updates of policies too; the mote
   loads what its image says. Counters of the run and the trace go on. */
static void
reboot(void *ptr)
{
  NETSTACK_RADIO.on();
  boot();
  start_component();
}
/*---------------------------------------------------------------------------*/
/* What was in memory is lost at once; nothing is heard, done or sent before it comes back. */
static void
fail(void *ptr)
{
  process_exit(&lorry_reading_process);
  if(lorry_component() != NULL && lorry_component()->stop != NULL) {
    lorry_component()->stop();
  }
  if(configuration.off_for == 0) {
    reboot(NULL);
  } else {
    start_middleware(0);
    NETSTACK_RADIO.off();
    ctimer_set(&power, pubsub_ticks(configuration.off_for), reboot, NULL);
  }
}
/*---------------------------------------------------------------------------*/
static void
dump(void)
{
  printf("!node,%s,%u,0,0\n", configuration_role(), (unsigned)configuration.mote);
  counters_dump(&counters);
#define PRINT_PUSH(name) counters_dump_one(#name, push_dpc_counters.name);
  PUSH_DPC_COUNTERS(PRINT_PUSH)
#define PRINT_PULL(name) counters_dump_one(#name, pull_dpc_counters.name);
  PULL_DPC_COUNTERS(PRINT_PULL)
#define PRINT_CPC(name) counters_dump_one(#name, cpc_counters.name);
  CPC_COUNTERS(PRINT_CPC)
#define PRINT_GROUP(name) counters_dump_one(#name, secure_group_counters.name);
  SECURE_GROUP_COUNTERS(PRINT_GROUP)
  updating_dump();
  policy_log_dump();
  if(lorry_component() != NULL && lorry_component()->dump != NULL) {
    lorry_component()->dump();
  }
  energy_states_dump();
}
/*---------------------------------------------------------------------------*/
/* What time-outs would do while others still print is no part of the run. */
static void
disable_all(void)
{
  uint8_t i;

  for(i = 0; i < policy_count; i++) {
    policy_manager_disable(i);
  }
}
/*---------------------------------------------------------------------------*/
/* Motes read at different times in an interval, drawn from the seed (Knuth's
   multiplier). */
PROCESS_THREAD(lorry_reading_process, ev, data)
{
  static struct etimer timer;

  PROCESS_BEGIN();

  etimer_set(&timer, pubsub_ticks((configuration.seed * 31 + configuration.mote) * 2654435761UL
                                  % 4294967296ULL % configuration.interval));
  while(1) {
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    lorry_component()->reading();
    etimer_reset_with_new_interval(&timer, pubsub_ticks(configuration.interval));
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(lorry_process, ev, data)
{
  static struct etimer timer;
  const char *fault;

  PROCESS_BEGIN();

  fault = configuration_read();
  if(fault != NULL) {
    printf("lorry: %s\n", fault);
    PROCESS_EXIT();
  }
  boot();
  etimer_set(&timer, pubsub_ticks(configuration.warm_up));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  begin();
  if(configuration.reboot_at > 0) {
    ctimer_set(&power, pubsub_ticks(configuration.reboot_at), fail, NULL);
  }
  etimer_set(&timer, pubsub_ticks(configuration.duration));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  process_exit(&lorry_reading_process);
  etimer_set(&timer, pubsub_ticks(configuration.drain));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  event_trace_switch(false);
  energy_states_end();
  counters = pubsub_counters;
  dump();
  disable_all();
  if(configuration.mote == 1) {
    etimer_set(&timer, OTHERS_DUMP);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    printf("!run,end,0\n");
  }

  PROCESS_END();
}
