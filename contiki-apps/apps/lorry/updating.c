/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include "contiki.h"
#include "dev/eeprom.h"
#include "dev/serial-line.h"
#include "sys/ctimer.h"
#include "configuration.h"
#include "counters-dump.h"
#include "eeprom-fields.h"
#include "policy-log.h"
#include "policy-update/policy-update.h"
#include "pubsub-octets.h"
#include "pull-dpc/pull-dpc.h"
#include "push-dpc/push-dpc.h"
#include "updating.h"
#if POLICY_BYTECODE
#include "policy-bytecode/policy-bytecode-spread.h"
#endif

static struct ctimer timer;

PROCESS(updating_process, "Updates by line");
/*---------------------------------------------------------------------------*/
static void
updated(const struct policy_update *update, bool done)
{
  static const char *const words[] = { "load", "disable", "replace", "rule-on", "rule-off" };

  policy_log_update(update->what >= POLICY_UPDATE_LOAD && update->what <= POLICY_UPDATE_RULE_OFF
                    ? words[update->what - POLICY_UPDATE_LOAD] : "unknown",
                    update->policy, update->other, done);
}
/*---------------------------------------------------------------------------*/
/* The driver's screen. */
static void
settled(uint8_t done, uint8_t refused, uint8_t silent)
{
  uint16_t mote;

  printf("update: done by %u, refused by %u, %u silent\n", done, refused, silent);
  for(mote = 1; mote <= configuration.awaited; mote++) {
    if(mote != configuration.mote && policy_update_answer_of(mote) == POLICY_UPDATE_SILENT) {
      printf("update: mote %u is silent\n", mote);
    }
  }
}
/*---------------------------------------------------------------------------*/
#if POLICY_BYTECODE
static void
code_seen(uint8_t version, enum policy_bytecode_verdict verdict)
{
  policy_log_update("code", policy_bytecode_number, version, verdict == POLICY_BYTECODE_GOOD);
}
/*---------------------------------------------------------------------------*/
uint8_t
updating_program(uint8_t *program)
{
  uint8_t length = eeprom_fields_program_count();

  eeprom_read(eeprom_fields_program_at(), program, length);
  return length;
}
/*---------------------------------------------------------------------------*/
uint8_t
updating_part(uint8_t *data, const uint8_t *program, uint8_t length, uint8_t version,
              uint8_t number)
{
  uint8_t at = number * POLICY_BYTECODE_PART;
  uint8_t size = length - at < POLICY_BYTECODE_PART ? length - at : POLICY_BYTECODE_PART;

  data[0] = version;
  data[1] = number;
  pubsub_put16(pubsub_put16(data + 2, length), policy_bytecode_crc(program, length));
  memcpy(data + POLICY_BYTECODE_PART_HEAD, program + at, size);
  return POLICY_BYTECODE_PART_HEAD + size;
}
/*---------------------------------------------------------------------------*/
static void
send_program(void)
{
  uint8_t program[UINT8_MAX], data[PUBSUB_MAX_DATA], number;
  uint8_t length = updating_program(program);

  for(number = 0; number * POLICY_BYTECODE_PART < length; number++) {
    policy_bytecode_part(data, updating_part(data, program, length, 1, number));
  }
}
#endif
/*---------------------------------------------------------------------------*/
static void
send(void *ptr)
{
  struct policy_update update = {
    PUBSUB_EVERYBODY, configuration.update, configuration.updated, configuration.updated_by
  };

#if POLICY_BYTECODE
  if(configuration.update == EEPROM_FIELDS_UPDATE_CODE) {
    send_program();
    return;
  }
#endif
  policy_update_send(&update);
}
/*---------------------------------------------------------------------------*/
void
updating_init(void)
{
  policy_update_init(&push_dpc_routes, &pull_dpc_routes);
  policy_update_seen = updated;
  policy_update_settled = settled;
#if POLICY_BYTECODE
  policy_bytecode_spread_init(&push_dpc_routes);
  policy_bytecode_seen = code_seen;
#endif
  process_start(&updating_process, NULL);
}
/*---------------------------------------------------------------------------*/
void
updating_start(void)
{
  uint16_t mote;

  for(mote = 1; mote <= configuration.awaited; mote++) {
    policy_update_await(mote);
  }
  if(configuration.update != 0) {
    ctimer_set(&timer, pubsub_ticks(configuration.update_at), send, NULL);
  }
}
/*---------------------------------------------------------------------------*/
void
updating_stop(void)
{
  ctimer_stop(&timer);
}
/*---------------------------------------------------------------------------*/
void
updating_dump(void)
{
#define PRINT_UPDATE(name) counters_dump_one(#name, policy_update_counters.name);
  POLICY_UPDATE_COUNTERS(PRINT_UPDATE)
#if POLICY_BYTECODE
#define PRINT_CODE(name) counters_dump_one(#name, policy_bytecode_counters.name);
  POLICY_BYTECODE_COUNTERS(PRINT_CODE)
#endif
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(updating_process, ev, data)
{
  PROCESS_BEGIN();

  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == serial_line_event_message);
    if(!policy_update_line(data)) {
#if POLICY_BYTECODE
      policy_bytecode_line(data);
#endif
    }
  }

  PROCESS_END();
}
