/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"
#include "run-frames.h"
/*---------------------------------------------------------------------------*/
void
run_command_encode(const struct run_command *command,
                   uint8_t body[RUN_COMMAND_SIZE])
{
  uint8_t *at = pubsub_put16(body, command->number);

  *at++ = command->code;
  *at++ = command->target;
  *at++ = command->times;
  *at++ = command->start.number;
  *at++ = command->start.hops;
  at = pubsub_put32(at, command->start.remaining);
  pubsub_put32(at, command->start.remaining_at_previous);
}
/*---------------------------------------------------------------------------*/
bool
run_command_decode(struct run_command *command,
                   const uint8_t *body, uint16_t length)
{
  if(length != RUN_COMMAND_SIZE) {
    return false;
  }
  command->number = pubsub_get16(body + PUBSUB_COMMAND_BODY_COMMAND_NUMBER_AT);
  command->code = body[PUBSUB_COMMAND_BODY_CODE_AT];
  command->target = body[PUBSUB_COMMAND_BODY_TARGET_AT];
  command->times = body[PUBSUB_COMMAND_BODY_TIMES_AT];
  command->start.number = body[PUBSUB_COMMAND_BODY_START_NUMBER_AT];
  command->start.hops = body[PUBSUB_COMMAND_BODY_START_HOPS_AT];
  command->start.remaining =
    pubsub_get32(body + PUBSUB_COMMAND_BODY_START_REMAINING_AT);
  command->start.remaining_at_previous =
    pubsub_get32(body + PUBSUB_COMMAND_BODY_START_REMAINING_AT_PREVIOUS_AT);
  return command->code >= RUN_INITIALISE && command->code <= RUN_START;
}
/*---------------------------------------------------------------------------*/
void
run_command_send(const struct run_command *command,
                 void (*sent)(bool transmitted))
{
  uint8_t body[RUN_COMMAND_SIZE];

  run_command_encode(command, body);
  pubsub_routing_send(RUN_COMMAND, PUBSUB_EVERYBODY, body, sizeof(body), sent);
}
/*---------------------------------------------------------------------------*/
bool
run_probe_decode(struct run_probe *probe, const uint8_t *body, uint16_t length)
{
  if(length != RUN_PROBE_SIZE) {
    return false;
  }
  probe->publisher = body[PUBSUB_PROBE_BODY_PUBLISHER_AT];
  probe->number = pubsub_get16(body + PUBSUB_PROBE_BODY_COMMAND_NUMBER_AT);
  probe->times = body[PUBSUB_PROBE_BODY_TIMES_AT];
  return true;
}
/*---------------------------------------------------------------------------*/
void
run_probe_send(const struct run_probe *probe, uint8_t type, uint16_t to)
{
  uint8_t body[RUN_PROBE_SIZE];

  body[PUBSUB_PROBE_BODY_PUBLISHER_AT] = probe->publisher;
  pubsub_put16(body + PUBSUB_PROBE_BODY_COMMAND_NUMBER_AT, probe->number);
  body[PUBSUB_PROBE_BODY_TIMES_AT] = probe->times;
  pubsub_routing_send(type, to, body, sizeof(body), NULL);
}
/*---------------------------------------------------------------------------*/
uint32_t
run_now(void)
{
  return (uint32_t)((uint64_t)clock_time() * 1000 / CLOCK_SECOND);
}
/*---------------------------------------------------------------------------*/
clock_time_t
run_ticks_until(uint32_t at)
{
  int32_t left = (int32_t)(at - run_now());

  return left > 0 ? pubsub_ticks((uint32_t)left) : 0;
}
