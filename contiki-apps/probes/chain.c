/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relays a counter along a configured chain and back.
 *
 * EEPROM: byte 0 the neighbour towards the start, byte 1 the neighbour towards
 * the end, 0 at either end; so what differs between motes is data.
 *
 * Pins down: start delays and clock drift, boot with the radio already on, EEPROM
 * content, etimer, rtimer and poll wake-ups, an rtimer set in the past, frame
 * time on air by size, signal strength by distance, FCS bytes, and how log bytes
 * become a line.
 */
#include "probe.h"

const char probe_radio_at_start = 1;

enum { SOURCE, TARGET, COUNTER, HOPS = 4, HEADER = 5, HOPS_MOST = 24, PERIOD_MS = 400 };

static int previous, next, counter, long_line, into_the_past;

static int
pass_on(int to, int value, int hops)
{
  if(to == 0 || simOutSize > 0 || hops > HOPS_MOST) {
    return 0;
  }
  simOutDataBuffer[SOURCE] = (char)simMoteID;
  simOutDataBuffer[TARGET] = (char)to;
  simOutDataBuffer[COUNTER] = (char)(value >> 8);
  simOutDataBuffer[COUNTER + 1] = (char)value;
  simOutDataBuffer[HOPS] = (char)hops;
  probe_fill(HEADER, HEADER + 5 * hops);
  probe_send(HEADER + 5 * hops);
  return 1;
}

/* What Cooja does with bytes that aren't printable ASCII. */
static void
log_odd_bytes(void)
{
  log_text("bytes ");
  for(int byte = 1; byte < 256; byte++) {
    if(byte != '\n') {
      log_byte(byte);
    }
  }
  log_end();
  log_end(); /* an empty line */
  log_text("a line in two");
}

static int waiting_to, waiting_value, waiting_hops;

static void
received(void)
{
  int target = (uint8_t)simInDataBuffer[TARGET];
  int value = (uint8_t)simInDataBuffer[COUNTER] << 8 | (uint8_t)simInDataBuffer[COUNTER + 1];
  int from = (uint8_t)simInDataBuffer[SOURCE];

  log_text("in ");
  log_frame();
  log_field("from ", from);
  log_field("n ", value);
  log_field("s", simLastSignalStrength);
  log_field("now", simSignalStrength);
  log_field("lqi", simLastLQI);
  log_field("t", simLastPacketTimestamp);
  log_end();
  if(target != simMoteID) {
    return;
  }
  waiting_value = value;
  waiting_hops = (uint8_t)simInDataBuffer[HOPS] + 1;
  waiting_to = from == previous ? (next ? next : previous) : previous;
  if(value % 3 == 0) {
    probe_poll(); /* answer a millisecond later */
  } else {
    probe_rtimer(simRtimerCurrentTicks + 200 + probe_random(4000));
  }
}

static void
relay(const char *by)
{
  if(waiting_to) {
    int sent = pass_on(waiting_to, waiting_value, waiting_hops);
    log_text("relay ");
    log_text(by);
    log_field("to ", waiting_to);
    log_field("n ", waiting_value);
    log_field("sent ", sent);
    log_end();
    waiting_to = 0;
  }
}

void
probe_event(enum probe_event event)
{
  switch(event) {
  case PROBE_BOOT:
    previous = (uint8_t)simEEPROMData[0];
    next = (uint8_t)simEEPROMData[1];
    log_text("chain");
    log_field("", previous);
    log_field("", next);
    log_field("eeprom[2] ", (uint8_t)simEEPROMData[2]);
    log_end();
    if(previous == 0) {
      log_odd_bytes();
      probe_etimer(1500);
    } else {
      probe_etimer(5000 + 10 * simMoteID);
    }
    break;
  case PROBE_SENT:
    log_text("sent");
    log_field("", simRtimerCurrentTicks);
    log_end();
    break;
  case PROBE_CARRIER:
    log_text(simReceiving ? "carrier" : "quiet");
    log_field("s", simSignalStrength);
    log_end();
    break;
  case PROBE_FRAME:
    received();
    break;
  case PROBE_ETIMER:
    if(previous == 0) {
      counter++;
      if(counter == 1) {
        log_text(" ticks");
        log_end();
      }
      log_text("start");
      log_field("n ", counter);
      log_field("sent ", pass_on(next, counter, 1));
      log_end();
      probe_etimer(PERIOD_MS);
    } else if(next == 0) {
      /* Longer than a line may be, in pieces of one tick each. */
      for(int i = 0; i < 4100; i++) {
        log_byte('a' + (i + long_line) % 26);
      }
      if(++long_line < 5) {
        probe_etimer(1);
      } else {
        log_end();
      }
    } else if(simMoteID == 4) {
      into_the_past = 1;
      probe_poll();
    }
    break;
  case PROBE_RTIMER:
    log_text("rtimer");
    log_field("", simRtimerCurrentTicks);
    log_field("set ", simRtimerNextExpirationTime);
    log_end();
    relay("rtimer");
    break;
  case PROBE_POLL:
    if(into_the_past) {
      /* An rtimer in the past, set when this tick has looked at its rtimer
         already: Cooja turns its time back and runs it then. */
      into_the_past = 0;
      log_text("past");
      log_field("", simRtimerCurrentTicks);
      log_end();
      probe_rtimer(simRtimerCurrentTicks - 150);
    }
    relay("poll");
    break;
  }
}
