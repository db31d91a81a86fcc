/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Motes change between two channels at any time, in the middle of frames too,
 * their own ones included; one may listen to all channels.
 *
 * EEPROM: byte 0 not 0 traces every tick of this mote; byte 1 not 0 sets the
 * channel to -1, which Cooja takes for all channels, and keeps it there.
 *
 * Pins down: interference that sleeps on another channel, frames that a hop
 * cuts in two, and what wakes up on arrival at the other channel.
 */
#include "probe.h"

const char probe_radio_at_start = 1;

enum { SOURCE, SEQUENCE, CHANNEL, SHORTEST = 20, LONGEST = 125 };
enum { ALL_CHANNELS = -1, CHANNEL_A = 15, CHANNEL_B = 20 };

static int sequence;

static void
send(void)
{
  int size = SHORTEST + (int)probe_random(LONGEST - SHORTEST + 1);

  simOutDataBuffer[SOURCE] = (char)simMoteID;
  simOutDataBuffer[SEQUENCE] = (char)++sequence;
  simOutDataBuffer[CHANNEL] = (char)simRadioChannel;
  probe_fill(CHANNEL + 1, size);
  probe_send(size);
  log_text("out");
  log_field("", size);
  log_field("n ", sequence);
  log_field("ch", simRadioChannel);
  log_end();
}

static void
hop(void)
{
  if(simRadioChannel != ALL_CHANNELS) {
    simRadioChannel = simRadioChannel == CHANNEL_A ? CHANNEL_B : CHANNEL_A;
    log_text("hop");
    log_field("", simRadioChannel);
    log_field("v", simReceiving);
    log_field("o", simOutSize);
    log_field("s", simSignalStrength);
    log_end();
  }
}

void
probe_event(enum probe_event event)
{
  switch(event) {
  case PROBE_BOOT:
    probe_trace = simEEPROMData[0];
    simRadioChannel = simEEPROMData[1] ? ALL_CHANNELS : CHANNEL_A;
    probe_rtimer(simRtimerCurrentTicks + 50000);
    break;
  case PROBE_SENT:
    log_text("sent");
    log_field("s", simSignalStrength);
    log_end();
    break;
  case PROBE_CARRIER:
    log_byte(simReceiving ? '(' : ')');
    log_field("s", simSignalStrength);
    log_field("ch", simRadioChannel);
    log_end();
    break;
  case PROBE_FRAME:
    log_text("in ");
    log_frame();
    log_field("from ", (uint8_t)simInDataBuffer[SOURCE]);
    log_field("n ", (uint8_t)simInDataBuffer[SEQUENCE]);
    log_field("on ", (uint8_t)simInDataBuffer[CHANNEL]);
    log_field("ch", simRadioChannel);
    log_field("s", simLastSignalStrength);
    log_field("t", simLastPacketTimestamp);
    log_end();
    break;
  case PROBE_RTIMER:
    if(simOutSize > 0) {
      if(probe_random(4) == 0) {
        hop();
      }
    } else if(probe_random(5) < 2) {
      hop();
    } else {
      send();
    }
    probe_rtimer(simRtimerCurrentTicks + 200 + probe_random(30000));
    break;
  default:
    break;
  }
}
