/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many senders at the same microsecond or close to it, first without listening
 * before they talk, then with.
 *
 * EEPROM: byte 0 not 0 traces every tick of this mote.
 *
 * Pins down: the order of events at one time, overlapping receptions, hidden
 * senders, a receiver that transmits, interference that outlasts a reception,
 * frames lost unread, and the signal strength that a clear channel assessment
 * sees.
 */
#include "probe.h"

const char probe_radio_at_start = 1;

enum { SOURCE, SEQUENCE, SHORTEST = 2, LONGEST = 125 };
enum { SLOT_US = 100000, FIRST_SLOT_US = 500000, LISTEN_FROM_US = 4500000,
       CLEAR_BELOW_DBM = -95, TRIES = 4 };

/* Where in a slot a mote starts to send, in us. */
static const int offsets[] = { 0, 0, 0, 1, 32, 300, 1000, 1000, 2000, 3500 };

static int sequence, tries;
static int64_t slot;

static void
next_slot(void)
{
  do {
    slot += SLOT_US;
  } while(slot <= simRtimerCurrentTicks || probe_random(3) == 0);
  tries = 0;
  probe_rtimer(slot + offsets[probe_random(sizeof(offsets) / sizeof(offsets[0]))]);
}

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
  log_field("s", simSignalStrength);
  log_field("v", simReceiving);
  log_end();
}

void
probe_event(enum probe_event event)
{
  switch(event) {
  case PROBE_BOOT:
    probe_trace = simEEPROMData[0];
    slot = FIRST_SLOT_US;
    next_slot();
    break;
  case PROBE_SENT:
    log_text("sent");
    log_field("s", simSignalStrength);
    log_end();
    if(probe_random(4) == 0) {
      probe_poll();
    } else {
      next_slot();
    }
    break;
  case PROBE_POLL:
    send(); /* a second frame, 1 ms after the first */
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
    if(simRtimerCurrentTicks >= LISTEN_FROM_US && simSignalStrength > CLEAR_BELOW_DBM) {
      log_text("busy");
      log_field("s", simSignalStrength);
      log_field("v", simReceiving);
      log_end();
      if(++tries < TRIES) {
        probe_rtimer(simRtimerCurrentTicks + 320 * (1 + probe_random(8)));
      } else {
        next_slot();
      }
    } else {
      send();
    }
    break;
  default:
    break;
  }
}
