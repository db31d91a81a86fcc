/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames longer than simInDataBuffer: Cooja copies frame and FCS whole, over
 * whatever lies behind the buffer, in its order among all that it writes.
 * Contiki-NG's buffer has 125 bytes, and the longest frame 127 with its FCS.
 *
 * EEPROM: byte 0 not 0 traces every tick of this mote.
 *
 * Pins down: when the copy is made, next to each variable that Cooja writes or
 * reads before the mote's next tick: whether it is receiving, on, at which
 * power and channel, and what it sends then. The variables lie in this order
 * whatever the compiler makes of others.
 */
#include "probe.h"

const char probe_radio_at_start = 1;

enum { BUFFER = 61, /* bytes of simInDataBuffer; see below */
       SOURCE = 0, SHORTEST = 50, LONGEST = 110,
       RECEIVING = 61, ON, POWER, CHANNEL, IN_SIZE = 68, LQI = 72, SIGNAL = 76, TIMESTAMP = 80, LAST_SIGNAL = 88,
       OUT_SIZE = 96,
       PAUSE_MS = 12, LONGEST_IN = 120 };

#define VARIABLE(name, bytes, first) \
  ".globl " #name "\n.type " #name ", %object\n.size " #name ", " #bytes "\n" #name ":\n.byte " #first "\n.org " #name " + " #bytes "\n"
#define ONES(name) ".globl " #name "\n.type " #name ", %object\n.size " #name ", 4\n" #name ":\n.byte 156, 255, 255, 255\n" /* -100 */

__asm__(
  ".pushsection .data\n.balign 64\n"
  VARIABLE(simInDataBuffer, 61, 0)
  VARIABLE(simReceiving, 1, 0)
  VARIABLE(simRadioHWOn, 1, 0)
  VARIABLE(simPower, 1, 100)
  VARIABLE(simRadioChannel, 4, 26)
  VARIABLE(simInSize, 4, 0)
  VARIABLE(simLQI, 4, 105)
  ONES(simSignalStrength)
  VARIABLE(simLastPacketTimestamp, 8, 0)
  ONES(simLastSignalStrength)
  VARIABLE(simLastLQI, 4, 105)
  VARIABLE(simOutSize, 4, 0)
  ".zero 156\n"
  VARIABLE(simOutDataBuffer, 256, 0)
  ".popsection\n");

static int size = SHORTEST;

static void
put(int at, int bytes, int64_t value)
{
  for(int i = 0; i < bytes; i++) {
    simOutDataBuffer[at + i] = (char)(value >> (8 * i));
  }
}

static int
one_of(int usual, int other)
{
  return probe_random(3) == 0 ? other : usual;
}

/* What the frame leaves in the variables behind the buffer. */
static void
fill(void)
{
  probe_fill(0, size);
  simOutDataBuffer[SOURCE] = (char)simMoteID;
  put(RECEIVING, 1, one_of(1, 0));
  put(ON, 1, one_of(1, 0));
  put(POWER, 1, one_of(100, 60));
  put(CHANNEL, 4, one_of(26, 15));
  put(IN_SIZE, 4, one_of(size, (int)probe_random(LONGEST_IN)));
  put(LQI, 4, probe_random(400));
  put(SIGNAL, 4, -(int)probe_random(120));
  put(TIMESTAMP, 8, (int64_t)probe_random(1000000) * 1000003);
  put(LAST_SIGNAL, 4, -(int)probe_random(120));
  put(OUT_SIZE, 4, one_of(0, 1 + (int)probe_random(40)));
}

static void
log_variables(void)
{
  log_field("v", simReceiving);
  log_field("on", simRadioHWOn);
  log_field("p", simPower);
  log_field("ch", simRadioChannel);
  log_field("l", simLQI);
  log_field("s", simSignalStrength);
  log_field("t", simLastPacketTimestamp);
  log_field("ls", simLastSignalStrength);
  log_field("ll", simLastLQI);
  log_field("o", simOutSize);
  log_end();
}

void
probe_event(enum probe_event event)
{
  switch(event) {
  case PROBE_BOOT:
    probe_trace = simEEPROMData[0];
    size += simMoteID;
    probe_etimer(PAUSE_MS * (1 + probe_random(20)));
    break;
  case PROBE_CARRIER:
    log_byte(simReceiving ? '(' : ')');
    log_variables();
    break;
  case PROBE_FRAME:
    log_text("in");
    log_field("size ", simInSize);
    log_byte(' ');
    if(simInSize > LONGEST_IN) {
      simInSize = LONGEST_IN;
    }
    log_frame();
    log_variables();
    break;
  case PROBE_ETIMER:
    simRadioHWOn = 1;
    simPower = 100;
    simRadioChannel = 26;
    if(simOutSize == 0 && probe_random(2)) {
      /* Not those whose FCS would lie in simOutSize: it would be sent, whatever it is. */
      size = size >= LONGEST ? SHORTEST : size + 1;
      if(size > OUT_SIZE - 2 && size < OUT_SIZE + 4) {
        size = OUT_SIZE + 4;
      }
      fill();
      probe_send(size);
      log_text("out");
      log_field("", size);
      log_variables();
    } else if(probe_random(8) == 0) {
      simSignalStrength = -42; /* nobody's business but the medium's next update */
      simLQI = 7;
      simLastPacketTimestamp = 7;
    }
    probe_etimer(PAUSE_MS * (1 + probe_random(9)));
    break;
  default:
    break;
  }
}
