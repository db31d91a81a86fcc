/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/cooja-radio.h"

#include <string.h>

#include "net/netstack.h"
#include "net/packetbuf.h"
#include "platform/mote.h"
#include "sys/energest.h"

#define CHANNEL_MIN 11
#define CHANNEL_MAX 26
#define POWER_MIN 1
#define POWER_MAX 100
#define ACK_SIZE 3 /* bytes */

static const void *prepared;
static bool polled_mode; /* the MAC asks for frames itself */
static bool send_on_cca = COOJA_TRANSMIT_ON_CCA;
static int cca_threshold = COOJA_RADIO_CCA_THRESHOLD; /* dBm */
static PLATFORM_HOT cooja_radio_filter_t *passes_by;
static cooja_radio_interrupt_t *interrupt;
static bool filters_next = true;

PROCESS(cooja_radio_process, "Cooja radio");

static int
init(void)
{
  process_start(&cooja_radio_process, NULL);
  return 1;
}

static int
on(void)
{
  ENERGEST_ON(ENERGEST_TYPE_LISTEN);
  simRadioHWOn = 1;
  return 1;
}

static int
off(void)
{
  ENERGEST_OFF(ENERGEST_TYPE_LISTEN);
  simRadioHWOn = 0;
  return 1;
}

static int
channel_clear(void)
{
  return simSignalStrength <= cca_threshold;
}

static int
receiving_packet(void)
{
  return simReceiving;
}

static int
pending_packet(void)
{
  return !simReceiving && simInSize > 0;
}

/* Blocks until the frame has left. */
static int
send_frame(const void *payload, unsigned short length)
{
  if(COOJA_SIMULATE_TURNAROUND) {
    fibre_wait();
    if(length > ACK_SIZE) {
      fibre_wait();
    }
  }
  if(send_on_cca && !channel_clear()) {
    return RADIO_TX_COLLISION;
  }
  memcpy(simOutDataBuffer, payload, length);
  simOutSize = length;
  fibre_wait_sent();
  return RADIO_TX_OK;
}

static int
send(const void *payload, unsigned short length)
{
  char was_on = simRadioHWOn;
  int result;

  if(length == 0 || length > MOTE_FRAME_MAX || simOutSize > 0) {
    return RADIO_TX_ERR;
  }
  simRadioHWOn = 1;
  ENERGEST_SWITCH(ENERGEST_TYPE_LISTEN, ENERGEST_TYPE_TRANSMIT);
  result = send_frame(payload, length);
  ENERGEST_OFF(ENERGEST_TYPE_TRANSMIT);
  if(was_on) {
    ENERGEST_ON(ENERGEST_TYPE_LISTEN);
  }
  simRadioHWOn = was_on;
  return result;
}

static int
prepare(const void *payload, unsigned short length)
{
  prepared = payload;
  return length > MOTE_FRAME_MAX ? RADIO_TX_ERR : RADIO_TX_OK;
}

static int
transmit(unsigned short length)
{
  return prepared == NULL ? RADIO_TX_ERR : send(prepared, length);
}

static int
read(void *buffer, unsigned short size)
{
  int length = simInSize;

  simInSize = 0;
  if(length <= 0 || length > size || length > MOTE_FRAME_MAX) {
    return 0;
  }
  memcpy(buffer, simInDataBuffer, (size_t)length);
  if(!polled_mode) {
    packetbuf_set_attr(PACKETBUF_ATTR_RSSI, (packetbuf_attr_t)simLastSignalStrength);
    packetbuf_set_attr(PACKETBUF_ATTR_LINK_QUALITY, (packetbuf_attr_t)simLastLQI);
  }
  return length;
}

void
cooja_radio_set_filter(cooja_radio_filter_t *filter)
{
  passes_by = filter;
}

bool
mote_ignores(const uint8_t *frame, int size)
{
  return passes_by != NULL && filters_next && !polled_mode && size <= MOTE_FRAME_MAX && fibre_waits_for_work() &&
    passes_by(frame, (uint16_t)size);
}

void
cooja_radio_set_interrupt(cooja_radio_interrupt_t *received)
{
  interrupt = received;
}

void
cooja_radio_filter_next(bool on)
{
  filters_next = on;
}

/* Called by the tick when a frame is complete. */
void
cooja_radio_received(void)
{
  if(interrupt != NULL) {
    interrupt();
  } else if(mote_ignores((const uint8_t *)simInDataBuffer, simInSize)) {
    simInSize = 0;
  } else {
    process_poll(&cooja_radio_process);
  }
}

static void
receive(void)
{
  packetbuf_clear();
  int length = read(packetbuf_dataptr(), PACKETBUF_SIZE);
  if(length > 0) {
    packetbuf_set_datalen((uint16_t)length);
    NETSTACK_MAC.input();
  }
}

PROCESS_THREAD(cooja_radio_process, ev, data)
{
  PROCESS_BEGIN();
  while(1) {
    PROCESS_YIELD_UNTIL(ev == PROCESS_EVENT_POLL);
    if(!polled_mode) {
      receive();
    }
  }
  PROCESS_END();
}

static radio_result_t
get_value(radio_param_t parameter, radio_value_t *value)
{
  switch(parameter) {
  case RADIO_PARAM_POWER_MODE:
    *value = simRadioHWOn ? RADIO_POWER_MODE_ON : RADIO_POWER_MODE_OFF;
    break;
  case RADIO_PARAM_CHANNEL:
    *value = simRadioChannel;
    break;
  case RADIO_PARAM_RX_MODE:
    *value = polled_mode ? RADIO_RX_MODE_POLL_MODE : 0;
    break;
  case RADIO_PARAM_TX_MODE:
    *value = send_on_cca ? RADIO_TX_MODE_SEND_ON_CCA : 0;
    break;
  case RADIO_PARAM_TXPOWER: /* per cent of the range, not dBm */
    *value = simPower;
    break;
  case RADIO_PARAM_CCA_THRESHOLD:
    *value = cca_threshold;
    break;
  case RADIO_PARAM_RSSI:
    *value = simSignalStrength;
    break;
  case RADIO_PARAM_LAST_RSSI:
    *value = simLastSignalStrength;
    break;
  case RADIO_PARAM_LAST_LINK_QUALITY:
    *value = simLastLQI;
    break;
  case RADIO_CONST_CHANNEL_MIN:
    *value = CHANNEL_MIN;
    break;
  case RADIO_CONST_CHANNEL_MAX:
    *value = CHANNEL_MAX;
    break;
  case RADIO_CONST_TXPOWER_MIN:
    *value = POWER_MIN;
    break;
  case RADIO_CONST_TXPOWER_MAX:
    *value = POWER_MAX;
    break;
  case RADIO_CONST_PHY_OVERHEAD:
    *value = RADIO_PHY_OVERHEAD;
    break;
  case RADIO_CONST_BYTE_AIR_TIME:
    *value = RADIO_BYTE_AIR_TIME;
    break;
  case RADIO_CONST_MAX_PAYLOAD_LEN:
    *value = MOTE_FRAME_MAX;
    break;
  default:
    return RADIO_RESULT_NOT_SUPPORTED;
  }
  return RADIO_RESULT_OK;
}

static radio_result_t
set_power_mode(radio_value_t value)
{
  switch(value) {
  case RADIO_POWER_MODE_ON:
    on();
    return RADIO_RESULT_OK;
  case RADIO_POWER_MODE_OFF:
    off();
    return RADIO_RESULT_OK;
  default:
    return RADIO_RESULT_INVALID_VALUE;
  }
}

static radio_result_t
set_value(radio_param_t parameter, radio_value_t value)
{
  switch(parameter) {
  case RADIO_PARAM_POWER_MODE:
    return set_power_mode(value);
  case RADIO_PARAM_CHANNEL:
    /* Cooja lets a negative channel send to, and hear, all channels. */
    if(value >= 0 && (value < CHANNEL_MIN || value > CHANNEL_MAX)) {
      return RADIO_RESULT_INVALID_VALUE;
    }
    simRadioChannel = value;
    return RADIO_RESULT_OK;
  case RADIO_PARAM_RX_MODE:
    /* Cooja's radio neither filters nor acknowledges. */
    if(value & ~RADIO_RX_MODE_POLL_MODE) {
      return RADIO_RESULT_INVALID_VALUE;
    }
    polled_mode = value != 0;
    return RADIO_RESULT_OK;
  case RADIO_PARAM_TX_MODE:
    if(value & ~RADIO_TX_MODE_SEND_ON_CCA) {
      return RADIO_RESULT_INVALID_VALUE;
    }
    send_on_cca = value != 0;
    return RADIO_RESULT_OK;
  case RADIO_PARAM_TXPOWER:
    if(value < POWER_MIN || value > POWER_MAX) {
      return RADIO_RESULT_INVALID_VALUE;
    }
    simPower = (char)value;
    return RADIO_RESULT_OK;
  case RADIO_PARAM_CCA_THRESHOLD:
    cca_threshold = value;
    return RADIO_RESULT_OK;
  default:
    return RADIO_RESULT_NOT_SUPPORTED;
  }
}

static radio_result_t
get_object(radio_param_t parameter, void *to, size_t size)
{
  rtimer_clock_t time = (rtimer_clock_t)simLastPacketTimestamp;

  if(parameter != RADIO_PARAM_LAST_PACKET_TIMESTAMP) {
    return RADIO_RESULT_NOT_SUPPORTED;
  }
  if(to == NULL || size != sizeof(time)) {
    return RADIO_RESULT_INVALID_VALUE;
  }
  memcpy(to, &time, sizeof(time));
  return RADIO_RESULT_OK;
}

static radio_result_t
set_object(radio_param_t parameter, const void *from, size_t size)
{
  (void)parameter;
  (void)from;
  (void)size;
  return RADIO_RESULT_NOT_SUPPORTED;
}

const struct radio_driver cooja_radio_driver = {
  init, prepare, transmit, send, read, channel_clear, receiving_packet,
  pending_packet, on, off, get_value, set_value, get_object, set_object
};
