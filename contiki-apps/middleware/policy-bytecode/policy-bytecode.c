/* SPDX-License-Identifier: Apache-2.0 */
/* The two places of programs, and what the policy manager sees of the present one. */
#include <string.h>
#include "contiki.h"
#include "policy-bytecode.h"
#include "pubsub-octets.h"

static uint8_t places[2][POLICY_BYTECODE_SIZE];
static uint16_t lengths[2]; /* 0: no program that was verified */
static uint8_t present;
static struct policy_timeout timeouts[2]; /* by enum policy_clock; of period 0 there is none */
/*---------------------------------------------------------------------------*/
void
policy_bytecode_init(void)
{
  lengths[0] = lengths[1] = 0;
  present = 0;
  memset(timeouts, 0, sizeof(timeouts));
}
/*---------------------------------------------------------------------------*/
/* Of a handler in the table that size. */
static uint8_t
size_of(const uint8_t *handler)
{
  return *handler == POLICY_POINT_TIME ? 8 : 4;
}
/*---------------------------------------------------------------------------*/
static const uint8_t *
handler_of(const uint8_t *program, uint8_t point, uint8_t topic)
{
  const uint8_t *handler = program + POLICY_BYTECODE_HEADER;
  uint8_t i;

  for(i = 0; i < program[4]; i++) {
    if(handler[0] == point && handler[1] == topic) {
      return handler;
    }
    handler += size_of(handler);
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
uint16_t
policy_bytecode_code(const uint8_t *program, uint8_t point, uint8_t topic)
{
  const uint8_t *handler = handler_of(program, point, topic);

  return handler != NULL ? pubsub_get16(handler + 2) : 0;
}
/*---------------------------------------------------------------------------*/
static enum policy_outcome
run(struct policy *self, struct policy_event *event, uint8_t topic)
{
  uint16_t at = lengths[present] > 0
    ? policy_bytecode_code(places[present], event->point, topic) : 0;

  return at > 0 ? policy_bytecode_run(places[present], at, self, event) : POLICY_NO_RULE;
}
/*---------------------------------------------------------------------------*/
static enum policy_outcome
on_event(struct policy *self, struct policy_event *event)
{
  return run(self, event, event->topic);
}
/*---------------------------------------------------------------------------*/
static enum policy_outcome
on_idle(struct policy *self, struct policy_event *event)
{
  return run(self, event, POLICY_IDLE);
}
/*---------------------------------------------------------------------------*/
static enum policy_outcome
on_timer(struct policy *self, struct policy_event *event)
{
  return run(self, event, POLICY_IN_STATE);
}
/*---------------------------------------------------------------------------*/
void
policy_bytecode_start(void)
{
  struct policy_event none = { .point = POLICY_BYTECODE_START };

  memset(policy_bytecode_cells, 0, sizeof(policy_bytecode_cells));
  run(&policies[policy_bytecode_number], &none, 0);
}
/*---------------------------------------------------------------------------*/
bool
policy_bytecode_entry(uint8_t point, uint8_t topic, struct policy_entry *entry)
{
  if(lengths[present] == 0 || handler_of(places[present], point, topic) == NULL) {
    return false;
  }
  *entry = (struct policy_entry) {
    POLICY_EVENT(point, topic), on_event, &policies[policy_bytecode_number]
  };
  return true;
}
/*---------------------------------------------------------------------------*/
const struct policy_timeout *
policy_bytecode_timeout(uint8_t clock)
{
  return &timeouts[clock];
}
/*---------------------------------------------------------------------------*/
static void
read_timeout(uint8_t clock, policy_handler_t handler)
{
  const uint8_t *entry = handler_of(places[present], POLICY_POINT_TIME, clock);

  timeouts[clock] = (struct policy_timeout) {
    entry != NULL ? POLICY_TICKS(pubsub_get32(entry + 4)) : 0, clock, handler,
    &policies[policy_bytecode_number]
  };
}
/*---------------------------------------------------------------------------*/
/* That place's program is the present one, from its beginning on. */
static void
change_to(uint8_t place)
{
  present = place;
  read_timeout(POLICY_IDLE, on_idle);
  read_timeout(POLICY_IN_STATE, on_timer);
  policy_manager_load(policy_bytecode_number);
}
/*---------------------------------------------------------------------------*/
uint8_t *
policy_bytecode_place(void)
{
  lengths[!present] = 0;
  return places[!present];
}
/*---------------------------------------------------------------------------*/
enum policy_bytecode_verdict
policy_bytecode_take(uint16_t length)
{
  enum policy_bytecode_verdict verdict = policy_bytecode_verify(places[!present], length);

  if(verdict == POLICY_BYTECODE_GOOD) {
    lengths[!present] = length;
    change_to(!present);
  }
  return verdict;
}
/*---------------------------------------------------------------------------*/
bool
policy_bytecode_revert(void)
{
  if(lengths[!present] == 0) {
    return false;
  }
  change_to(!present);
  return true;
}
/*---------------------------------------------------------------------------*/
const uint8_t *
policy_bytecode_present(uint16_t *length)
{
  *length = lengths[present];
  return lengths[present] > 0 ? places[present] : NULL;
}
