/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mote with a life outside of the radio: buttons, sensors, serial input, LEDs,
 * beeper, EEPROM and file system, all changed at any time.
 *
 * EEPROM: byte 0 not 0 traces every tick of this mote; byte 1 says which inputs
 * are active at boot (1 button, 2 infrared sensor, 4 vibration sensor); byte 2 how
 * often serial input must be announced before the mote takes it (0: at once).
 *
 * Pins down: which variables Cooja resets after a tick and at which values it
 * leaves them, that what is written into the EEPROM stays there, how serial
 * input is put behind what the mote hasn't taken, presses of a button that
 * sleeps, a new id and its seed, and motes that come, go and move.
 */
#include "inputs.h"

const char probe_radio_at_start = 1;

enum { SOURCE, SEQUENCE, LEDS, SUM, HEADER = 7, LONGEST = 90, SHOWN = 48 };

static int sequence, announced, down;

static uint32_t
checksum(const char *bytes, int count)
{
  uint32_t sum = 2166136261u; /* FNV-1a */

  for(int i = 0; i < count; i++) {
    sum = (sum ^ (uint8_t)bytes[i]) * 16777619u;
  }
  return sum;
}

static void
log_devices(const char *when)
{
  log_text(when);
  log_field("eeprom ", simEEPROMChanged);
  log_field("r", simEEPROMRead);
  log_field("w", simEEPROMWritten);
  log_byte(' ');
  log_hex(checksum(simEEPROMData, PROBE_EEPROM), 8);
  log_field("cfs ", simCFSChanged);
  log_field("r", simCFSRead);
  log_field("w", simCFSWritten);
  log_field("size ", simCFSSize);
  log_field("beep ", simBeeped);
  log_field("leds ", (int8_t)simLedsValue);
  log_field("down ", simButtonIsDown);
  log_end();
}

static void
take_serial(void)
{
  int count = simSerialReceivingLength, shown = count < SHOWN ? count : SHOWN;

  log_text("serial");
  log_field("", count);
  log_byte(' ');
  log_hex(checksum(simSerialReceivingData, count), 8);
  log_text(" \"");
  for(int i = 0; i < shown; i++) {
    uint8_t byte = (uint8_t)simSerialReceivingData[i];
    if(byte >= ' ' && byte < 127) {
      log_byte(byte);
    } else {
      log_byte('<');
      log_hex(byte, 2);
      log_byte('>');
    }
  }
  log_byte('"');
  log_end();
  simSerialReceivingLength = 0;
  announced = 0;
}

void
probe_inputs(void)
{
  if(simMoteIDChanged) {
    simMoteIDChanged = 0;
    log_text("renamed");
    log_field("", simMoteID);
    log_field("seed ", simRandomSeed);
    log_end();
  }
  if(simSerialReceivingFlag) {
    simSerialReceivingFlag = 0;
    log_text("announced");
    log_field("", simSerialReceivingLength);
    log_field("at ", simRtimerCurrentTicks);
    log_end();
    if(++announced > (uint8_t)simEEPROMData[2]) {
      take_serial();
    }
  }
  if(simButtonChanged) {
    log_text("button");
    log_field("", simButtonChanged);
    log_field("down ", simButtonIsDown);
    log_field("at ", simRtimerCurrentTicks);
    log_field("clock ", simCurrentTime);
    log_end();
    simButtonChanged = 0;
  } else if(down != simButtonIsDown) {
    log_text("unannounced");
    log_field("down ", simButtonIsDown);
    log_end();
  }
  down = simButtonIsDown;
  if(simPirChanged || simVibChanged) {
    log_text("sensor");
    log_field("pir ", simPirChanged);
    log_field("vib ", simVibChanged);
    log_field("at ", simRtimerCurrentTicks);
    log_end();
    simPirChanged = simVibChanged = 0;
  }
  if(probe_trace) {
    log_devices(":");
  }
}

static void
use_eeprom(void)
{
  int from = 16 + (int)probe_random(PROBE_EEPROM - 32), count = 1 + (int)probe_random(16);

  for(int i = from; i < from + count; i++) {
    simEEPROMData[i] = (char)(simEEPROMData[i] * 5 + simMoteID + i);
  }
  simEEPROMWritten += count;
  simEEPROMRead += from;
  simEEPROMChanged = (char)probe_random(3); /* Cooja looks for 1 alone */
}

static void
act(void)
{
  switch(probe_random(7)) {
  case 0:
    use_eeprom();
    break;
  case 1:
    simCFSWritten += 3;
    simCFSRead += 1;
    simCFSSize = (int)probe_random(PROBE_EEPROM);
    simCFSChanged = (char)probe_random(3);
    break;
  case 2:
    simBeeped = (char)probe_random(3);
    break;
  case 3:
    simLedsValue = (char)probe_random(256);
    break;
  case 4:
    simButtonIsActive = (char)probe_random(3); /* only 1 is active */
    log_text("active");
    log_field("", simButtonIsActive);
    log_end();
    break;
  case 5:
    probe_poll();
    break;
  default:
    break;
  }
}

static void
send(void)
{
  int size = HEADER + (int)probe_random(LONGEST);
  uint32_t sum = checksum(simEEPROMData, PROBE_EEPROM);

  simOutDataBuffer[SOURCE] = (char)simMoteID;
  simOutDataBuffer[SEQUENCE] = (char)++sequence;
  simOutDataBuffer[LEDS] = simLedsValue;
  for(int i = 0; i < 4; i++) {
    simOutDataBuffer[SUM + i] = (char)(sum >> 8 * i);
  }
  probe_fill(HEADER, size);
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
    simButtonIsActive = simEEPROMData[1] & 1;
    simPirIsActive = simEEPROMData[1] >> 1 & 1;
    simVibIsActive = simEEPROMData[1] >> 2 & 1;
    log_devices("devices");
    probe_rtimer(simRtimerCurrentTicks + 30000);
    probe_etimer(300 + simMoteID % 10);
    break;
  case PROBE_SENT:
    log_text("sent");
    log_field("s", simSignalStrength);
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
    log_field("leds ", (uint8_t)simInDataBuffer[LEDS]);
    log_field("s", simLastSignalStrength);
    log_field("lqi", simLastLQI);
    log_field("t", simLastPacketTimestamp);
    log_end();
    break;
  case PROBE_ETIMER:
    log_devices("state");
    probe_etimer(400);
    break;
  case PROBE_RTIMER:
    if(simOutSize == 0 && probe_random(3) == 0) {
      send();
    } else {
      act();
    }
    probe_rtimer(simRtimerCurrentTicks + 500 + probe_random(60000));
    break;
  case PROBE_POLL:
    log_devices("poll");
    break;
  }
}
