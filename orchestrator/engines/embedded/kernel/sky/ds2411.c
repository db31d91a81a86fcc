/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/ds2411.h"

enum { READ_ROM = 0x33, FAMILY = 0x01, CRC_POLYNOMIAL = 0x8c };
static const double RESET_MS = 0.4, PRESENCE_MS = 0.48, SAMPLE_MS = 0.04;

static uint8_t
crc(const uint8_t *bytes, unsigned count)
{
  uint8_t remainder = 0;

  for(unsigned i = 0; i < count; i++) {
    remainder ^= bytes[i];
    for(int bit = 0; bit < 8; bit++) {
      remainder = (uint8_t)((remainder & 1) ? remainder >> 1 ^ CRC_POLYNOMIAL : remainder >> 1);
    }
  }
  return remainder;
}

static void
prepare_answer(struct ds2411 *chip)
{
  chip->answer[0] = FAMILY;
  for(unsigned i = 0; i < DS2411_NUMBER; i++) {
    chip->answer[1 + i] = chip->number[i];
  }
  chip->answer[DS2411_ANSWER - 1] = crc(chip->answer, DS2411_ANSWER - 1);
  chip->answer_length = DS2411_ANSWER;
}

/* A bit of the command: the wire is low for long (0) or for a moment (1). */
static void
read_bit(struct ds2411 *chip)
{
  chip->command = (uint8_t)(chip->command + (chip->high ? 1 << chip->bit : 0));
  if(++chip->bit == 8) {
    if(chip->command == READ_ROM) {
      prepare_answer(chip); /* another command is answered as the last one was */
    }
    chip->state = DS2411_WAITS_TO_SEND;
    chip->bit = chip->sent = 0;
  }
}

static void
pass_time(struct msp430_event *event, int64_t time)
{
  struct ds2411 *chip = MSP430_AROUND(event, struct ds2411, event);

  (void)time;
  if(chip->state == DS2411_WAITS_FOR_RESET && !chip->high) {
    chip->state = DS2411_IN_RESET;
  } else if(chip->state == DS2411_SHOWS_PRESENCE) {
    msp430_set_pin(chip->mcu, chip->port, chip->pin, true);
    chip->state = DS2411_READS;
    chip->command = 0;
    chip->bit = 0;
  } else if(chip->state == DS2411_READS) {
    read_bit(chip);
  }
}

static void
send_bit(struct ds2411 *chip)
{
  msp430_set_pin(chip->mcu, chip->port, chip->pin, (chip->answer[chip->sent] >> chip->bit & 1) != 0);
  if(++chip->bit == 8) {
    if(++chip->sent == chip->answer_length) {
      chip->state = DS2411_IDLE; /* and stays behind the last bit, as in MSPSim */
    } else if(chip->sent == DS2411_BUFFER) { /* it never got a READ ROM, and doesn't know where its answer ends */
      msp430_stop_for_chip(chip->mcu);
    } else {
      chip->bit = 0;
    }
  }
}

void
ds2411_wire(struct ds2411 *chip, bool high)
{
  if(high == chip->high) {
    return;
  }
  chip->high = high;
  switch(chip->state) {
  case DS2411_IDLE:
    msp430_set_pin(chip->mcu, chip->port, chip->pin, true);
    if(!high) {
      chip->state = DS2411_WAITS_FOR_RESET;
      msp430_in_ms(chip->mcu, &chip->event, RESET_MS);
    }
    break;
  case DS2411_IN_RESET:
    if(high) {
      chip->state = DS2411_SHOWS_PRESENCE;
      msp430_set_pin(chip->mcu, chip->port, chip->pin, false);
      msp430_in_ms(chip->mcu, &chip->event, PRESENCE_MS);
    }
    break;
  case DS2411_READS:
    if(!high) {
      msp430_in_ms(chip->mcu, &chip->event, SAMPLE_MS);
    }
    break;
  case DS2411_WAITS_TO_SEND:
    if(!high) {
      chip->state = DS2411_SENDS;
    }
    break;
  case DS2411_SENDS:
    if(high) {
      send_bit(chip);
    }
    break;
  case DS2411_WAITS_FOR_RESET:
  case DS2411_SHOWS_PRESENCE:
    break;
  }
}

void
ds2411_set_id(struct ds2411 *chip, int id)
{
  for(unsigned i = 0; i < DS2411_NUMBER; i++) {
    chip->number[i] = (uint8_t)(i == 3 ? id >> 8 : id);
  }
}

void
ds2411_init(struct ds2411 *chip)
{
  chip->event.run = pass_time;
}
