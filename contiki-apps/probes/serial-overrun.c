/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serial input longer than simSerialReceivingData: Cooja appends it whole, over
 * whatever lies behind the buffer, up to a limit of its own (16 KB; Contiki-NG's
 * buffer has 2,048 bytes).
 *
 * EEPROM: byte 0 not 0 traces every tick of this mote.
 *
 * Pins down: that the length is written before the bytes and the flag after
 * them, what a length that was written over means for the next input, and what
 * the medium makes of a radio whose variables changed between two ticks. The
 * variables lie in this order whatever the compiler makes of others.
 */
#include "inputs.h"

const char probe_radio_at_start = 1;

enum { SIZE = 20, PAUSE_MS = 15, LONGEST_IN = 120, MOST_TAKEN = 90 };

#define VARIABLE(name, bytes, first) \
  ".globl " #name "\n.type " #name ", %object\n.size " #name ", " #bytes "\n" #name ":\n.byte " #first "\n.org " #name " + " #bytes "\n"
#define ONES(name) ".globl " #name "\n.type " #name ", %object\n.size " #name ", 4\n" #name ":\n.byte 156, 255, 255, 255\n" /* -100 */

__asm__(
  ".pushsection .data\n.balign 64\n"
  VARIABLE(simSerialReceivingData, 16, 0)
  VARIABLE(simSerialReceivingLength, 4, 0)
  VARIABLE(simSerialReceivingFlag, 1, 0)
  VARIABLE(simReceiving, 1, 0)
  VARIABLE(simRadioHWOn, 1, 0)
  VARIABLE(simPower, 1, 100)
  VARIABLE(simRadioChannel, 4, 26)
  VARIABLE(simInSize, 4, 0)
  ONES(simSignalStrength)
  VARIABLE(simLQI, 4, 105)
  VARIABLE(simLastPacketTimestamp, 8, 0)
  VARIABLE(simOutSize, 4, 0)
  ONES(simLastSignalStrength)
  VARIABLE(simLastLQI, 4, 105)
  ".zero 100\n"
  VARIABLE(simInDataBuffer, 256, 0)
  VARIABLE(simOutDataBuffer, 256, 0)
  ".zero 16384\n" /* as far as Cooja may write, whatever the length became */
  ".popsection\n");

static int sequence;

static void
log_variables(void)
{
  log_field("n", simSerialReceivingLength);
  log_field("f", simSerialReceivingFlag);
  log_field("v", simReceiving);
  log_field("on", simRadioHWOn);
  log_field("p", simPower);
  log_field("ch", simRadioChannel);
  log_field("i", simInSize);
  log_field("s", simSignalStrength);
  log_field("l", simLQI);
  log_field("t", simLastPacketTimestamp);
  log_field("o", simOutSize);
  log_end();
}

void
probe_inputs(void)
{
  if(simSerialReceivingFlag) {
    log_text("serial");
    log_variables();
    for(int i = 0; i < simSerialReceivingLength && i < MOST_TAKEN; i++) {
      log_hex((uint8_t)simSerialReceivingData[i], 2);
    }
    log_end();
    simSerialReceivingFlag = 0;
    if(probe_random(3)) { /* else what comes next is put behind it */
      simSerialReceivingLength = 0;
    }
    if(simSerialReceivingLength > MOST_TAKEN) {
      simSerialReceivingLength = 0;
    }
    if(simInSize > LONGEST_IN) {
      simInSize = LONGEST_IN;
    }
    if(simOutSize > LONGEST_IN) {
      simOutSize = LONGEST_IN;
    }
  }
}

void
probe_event(enum probe_event event)
{
  switch(event) {
  case PROBE_BOOT:
    probe_trace = simEEPROMData[0];
    probe_etimer(PAUSE_MS * (1 + probe_random(20)));
    break;
  case PROBE_SENT:
    log_text("sent");
    log_variables();
    break;
  case PROBE_CARRIER:
    log_byte(simReceiving ? '(' : ')');
    log_variables();
    break;
  case PROBE_FRAME:
    log_text("in ");
    log_frame();
    log_variables();
    break;
  case PROBE_ETIMER:
    simRadioHWOn = 1;
    simPower = 100;
    simRadioChannel = 26;
    if(simOutSize == 0 && probe_random(2)) {
      probe_fill(0, SIZE);
      simOutDataBuffer[0] = (char)++sequence;
      probe_send(SIZE + (int)probe_random(60));
      log_text("out");
      log_variables();
    } else {
      log_text("pause");
      log_end();
    }
    probe_etimer(PAUSE_MS * (1 + probe_random(9)));
    break;
  default:
    break;
  }
}
