/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "start-sender.h"

static uint8_t sent_frames;
static bool previous_is_out;
static uint32_t previous_at;
/*---------------------------------------------------------------------------*/
static void
is_out(bool transmitted)
{
  previous_is_out = transmitted;
  previous_at = run_now();
}
/*---------------------------------------------------------------------------*/
void
start_sender_send(uint16_t command_number, uint32_t at,
                  bool exact, uint8_t hops)
{
  struct run_command command;

  command.number = command_number;
  command.code = RUN_START;
  command.target = 0;
  command.start.number = ++sent_frames;
  command.start.hops = hops;
  command.start.remaining = at - run_now();
  command.start.remaining_at_previous =
    previous_is_out && exact ? at - previous_at : START_TIME_UNKNOWN;
  previous_is_out = false;
  run_command_send(&command, is_out);
}
