/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Radios are switched on and off and change their power at any time, in the
 * middle of frames too, their own ones included.
 *
 * EEPROM: byte 0 not 0 traces every tick of this mote; byte 1 not 0 lets it
 * switch its radio off while it transmits, from so many tenths of a second on; byte 2 not 0 lets it leave a frame
 * to a radio that is off.
 *
 * Pins down: what switching off does to both ends of a frame, ranges and signal
 * strengths scaled by power, power changed during a frame or while off, and a
 * radio that is off when its mote boots.
 */
#include "probe.h"

const char probe_radio_at_start = 0;

enum { SOURCE, SEQUENCE, SHORTEST = 10, LONGEST = 110 };

static const char powers[] = { 100, 100, 80, 60, 45, 30, 10, 1 };

static int sequence;

static void
send(void)
{
  int size = SHORTEST + (int)probe_random(LONGEST - SHORTEST + 1);

  simOutDataBuffer[SOURCE] = (char)simMoteID;
  simOutDataBuffer[SEQUENCE] = (char)++sequence;
  probe_fill(SEQUENCE + 1, size);
  probe_send(size);
  log_text("out");
  log_field("", size);
  log_field("n ", sequence);
  log_field("p", simPower);
  log_field("on ", simRadioHWOn);
  log_end();
}

static void
switch_radio(void)
{
  simRadioHWOn = !simRadioHWOn;
  log_text(simRadioHWOn ? "on" : "off");
  log_field("v", simReceiving);
  log_field("o", simOutSize);
  log_field("s", simSignalStrength);
  log_end();
}

static void
change_power(void)
{
  simPower = powers[probe_random(sizeof(powers))];
  log_text("power");
  log_field("", simPower);
  log_field("v", simReceiving);
  log_field("o", simOutSize);
  log_end();
}

static int
reckless(void)
{
  return simEEPROMData[1] && simRtimerCurrentTicks >= simEEPROMData[1] * INT64_C(100000);
}

static void
act(void)
{
  switch(probe_random(8)) {
  case 0:
    if(simOutSize == 0 || reckless()) {
      switch_radio();
    }
    break;
  case 1:
    if(!simRadioHWOn) {
      switch_radio();
    }
    break;
  case 2:
    change_power();
    break;
  case 3:
    probe_poll();
    break;
  default:
    if(simOutSize == 0 && (simRadioHWOn || simEEPROMData[2])) {
      send();
    }
    break;
  }
}

void
probe_event(enum probe_event event)
{
  switch(event) {
  case PROBE_BOOT:
    probe_trace = simEEPROMData[0];
    simRadioHWOn = simMoteID & 1;
    probe_rtimer(simRtimerCurrentTicks + 20000);
    probe_etimer(333);
    break;
  case PROBE_SENT:
    log_text("sent");
    log_field("on ", simRadioHWOn);
    log_end();
    break;
  case PROBE_CARRIER:
    log_byte(simReceiving ? '(' : ')');
    log_field("s", simSignalStrength);
    log_end();
    break;
  case PROBE_FRAME:
    log_text("in ");
    log_frame();
    log_field("from ", (uint8_t)simInDataBuffer[SOURCE]);
    log_field("n ", (uint8_t)simInDataBuffer[SEQUENCE]);
    log_field("s", simLastSignalStrength);
    log_field("t", simLastPacketTimestamp);
    log_end();
    break;
  case PROBE_RTIMER:
    act();
    probe_rtimer(simRtimerCurrentTicks + 100 + probe_random(24000));
    break;
  case PROBE_ETIMER:
    log_text("state");
    log_field("on ", simRadioHWOn);
    log_field("p", simPower);
    log_field("v", simReceiving);
    log_field("o", simOutSize);
    log_field("s", simSignalStrength);
    log_end();
    probe_etimer(333);
    break;
  case PROBE_POLL:
    if(simOutSize == 0 || reckless()) {
      switch_radio();
    }
    break;
  }
}
