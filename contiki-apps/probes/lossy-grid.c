/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Periodic broadcasts in a grid with losses; every reception is logged with
 * its size, signal strength and time.
 *
 * EEPROM: byte 0 not 0 traces every tick of this mote.
 *
 * Pins down: the order of random draws (start delays, transmission success,
 * reception success by distance), the order in which receivers are visited,
 * and signal strengths between transmission and interference range.
 */
#include "probe.h"

const char probe_radio_at_start = 1;

enum { SOURCE, SEQUENCE, SHORTEST = 3, LONGEST = 121 };

static int sequence;

static void
broadcast(void)
{
  int size = SHORTEST + (int)probe_random(LONGEST - SHORTEST + 1);

  simOutDataBuffer[SOURCE] = (char)simMoteID;
  simOutDataBuffer[SEQUENCE] = (char)++sequence;
  probe_fill(SEQUENCE + 1, size);
  probe_send(size);
  log_text("out");
  log_field("", size);
  log_field("n ", sequence);
  log_end();
}

void
probe_event(enum probe_event event)
{
  switch(event) {
  case PROBE_BOOT:
    probe_trace = simEEPROMData[0];
    probe_etimer(1000 + probe_random(600));
    break;
  case PROBE_FRAME:
    log_text("in ");
    log_frame();
    log_field("from ", (uint8_t)simInDataBuffer[SOURCE]);
    log_field("n ", (uint8_t)simInDataBuffer[SEQUENCE]);
    log_field("s", simLastSignalStrength);
    log_field("now", simSignalStrength);
    log_field("t", simLastPacketTimestamp);
    log_end();
    break;
  case PROBE_ETIMER:
    if(simOutSize == 0) {
      broadcast();
    }
    probe_etimer(250 + probe_random(600));
    break;
  default:
    break;
  }
}
