/* SPDX-License-Identifier: Apache-2.0 */
#include "net/mac/radio-csma/rx-aack.h"

#include <string.h>

#include "dev/cooja-radio.h"
#include "net/linkaddr.h"
#include "net/mac/framer/frame802154.h"
#include "net/mac/radio-csma/radio-csma.h"
#include "net/netstack.h"
#include "net/packetbuf.h"
#include "platform/mote.h"

#define ACK_LENGTH 3 /* bytes, without FCS */

/* The driver's rxframe[]: written at the tail by the interrupt, read at the head by the process. A length of 0 is free. */
static struct {
  uint8_t length;
  packetbuf_attr_t rssi, lqi;
  uint8_t data[MOTE_FRAME_MAX];
} buffers[RADIO_CSMA_RX_BUFFERS];
static uint8_t head, tail;

static int64_t moved_time; /* us: when the interrupt has moved the last frame to its buffer */

static bool listening;
static int64_t listening_since; /* us */

static enum { NO_ACK, ACK_OWED, ACK_ON_AIR } ack_state;
static int64_t ack_time; /* us: when it is to be sent */
static bool ack_changed;
static uint8_t ack[ACK_LENGTH] = { FRAME802154_ACKFRAME, 0, 0 };

static enum { NOT_EXPECTED, EXPECTED, ARRIVED } answer;
static uint8_t expected_number;

PROCESS(rx_aack_process, "RX_AACK");

/* The third level of filtering (9.4.2.4, frame filtering) lets data frames pass that are for this mote or for all, in its
   PAN. */
static bool
is_for_us(const frame802154_t *frame)
{
  if(frame->fcf.frame_type != FRAME802154_DATAFRAME || frame->fcf.dest_addr_mode == FRAME802154_NOADDR ||
     (frame->dest_pid != frame802154_get_pan_id() && frame->dest_pid != FRAME802154_BROADCASTPANDID)) {
    return false;
  }
  return frame802154_is_broadcast_addr(frame->fcf.dest_addr_mode, (uint8_t *)frame->dest_addr) ||
    memcmp(frame->dest_addr, linkaddr_node_addr.u8, LINKADDR_SIZE) == 0;
}

/* TRX24_RX_END: the interrupt doesn't check whether the buffer is free. A frame that is still in it is lost. */
static void
store(const uint8_t *bytes, int length)
{
  radio_csma_counters->buffer_overflow += buffers[tail].length > 0;
  memcpy(buffers[tail].data, bytes, (size_t)length);
  buffers[tail].length = (uint8_t)length;
  buffers[tail].rssi = (packetbuf_attr_t)simLastSignalStrength;
  buffers[tail].lqi = (packetbuf_attr_t)simLastLQI;
  tail = (uint8_t)((tail + 1) % RADIO_CSMA_RX_BUFFERS);
  moved_time = simRtimerCurrentTicks + RADIO_CSMA_MOVE(length);
  process_poll(&rx_aack_process);
}

static void
receive(uint8_t *bytes, int length)
{
  frame802154_t frame;

  if(mote_ignores(bytes, length) || frame802154_parse(bytes, length, &frame) == 0 || !is_for_us(&frame)) {
    return;
  }
  if(frame.fcf.ack_required) {
    ack[2] = frame.seq;
    ack_time = simRtimerCurrentTicks + RADIO_CSMA_ACK_DELAY;
    ack_state = ACK_OWED;
    ack_changed = true;
  }
  store(bytes, length);
}

/* A frame is complete. */
static void
interrupt(void)
{
  uint8_t *bytes = (uint8_t *)simInDataBuffer;
  int length = simInSize;

  simInSize = 0;
  cooja_radio_filter_next(true);
  if(length > MOTE_FRAME_MAX) {
    return;
  }
  if(answer == EXPECTED && length == ACK_LENGTH && (bytes[0] & 7) == FRAME802154_ACKFRAME && bytes[2] == expected_number) {
    answer = ARRIVED;
    fibre_wake();
  } else if(!listening || simLastPacketTimestamp < listening_since) {
    radio_csma_counters->missed_contending++;
  } else {
    receive(bytes, length);
  }
}

void
rx_aack_init(void)
{
  listening = true;
  cooja_radio_set_interrupt(interrupt);
  process_start(&rx_aack_process, NULL);
}

void
rx_aack_wait_for_interrupt(void)
{
  fibre_sleep(moved_time - simRtimerCurrentTicks);
}

bool
rx_aack_is_busy(void)
{
  return ack_state != NO_ACK ||
    (simReceiving && simLastPacketTimestamp >= listening_since &&
     simRtimerCurrentTicks - simLastPacketTimestamp >= RADIO_CSMA_SHR);
}

void
rx_aack_listen(bool on)
{
  listening = on;
  if(on) {
    listening_since = simRtimerCurrentTicks;
    /* The frame that is being received now must reach the interrupt, because only the interrupt can tell that it began too
       early. */
    cooja_radio_filter_next(!simReceiving);
  }
}

bool
rx_aack_wait_for_ack(uint8_t sequence_number)
{
  bool arrived;

  expected_number = sequence_number;
  answer = EXPECTED;
  fibre_sleep(RADIO_CSMA_ACK_WAIT);
  arrived = answer == ARRIVED;
  answer = NOT_EXPECTED;
  return arrived;
}

bool
rx_aack_tick(void)
{
  if(ack_state == ACK_OWED && simRtimerCurrentTicks >= ack_time) {
    ack_state = NO_ACK;
    ack_changed = true;
    if(simRadioHWOn && simOutSize == 0) {
      memcpy(simOutDataBuffer, ack, sizeof(ack));
      simOutSize = sizeof(ack);
      ack_state = ACK_ON_AIR;
    }
  } else if(ack_state == ACK_ON_AIR && simOutSize == 0) {
    ack_state = NO_ACK;
  }
  if(ack_changed) {
    ack_changed = false;
    return true;
  }
  return false;
}

int64_t
rx_aack_time(void)
{
  return ack_state == ACK_OWED ? ack_time : INT64_MAX;
}

/* rf230_process handles one frame, and polls itself if another one waits. */
static void
hand_up(void)
{
  rx_aack_wait_for_interrupt();
  fibre_sleep(RADIO_CSMA_MOVE(buffers[head].length));
  packetbuf_clear();
  packetbuf_copyfrom(buffers[head].data, buffers[head].length);
  packetbuf_set_attr(PACKETBUF_ATTR_RSSI, buffers[head].rssi);
  packetbuf_set_attr(PACKETBUF_ATTR_LINK_QUALITY, buffers[head].lqi);
  buffers[head].length = 0;
  head = (uint8_t)((head + 1) % RADIO_CSMA_RX_BUFFERS);
  if(buffers[head].length > 0) {
    process_poll(&rx_aack_process);
  }
  NETSTACK_MAC.input();
}

PROCESS_THREAD(rx_aack_process, ev, data)
{
  PROCESS_BEGIN();
  while(1) {
    PROCESS_YIELD_UNTIL(ev == PROCESS_EVENT_POLL);
    if(buffers[head].length > 0) {
      hand_up();
    }
  }
  PROCESS_END();
}
