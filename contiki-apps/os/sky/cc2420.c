/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the CC2420. The chip checks and makes the FCS, recognises the mote's address and acknowledges. */
#include "sky/cc2420.h"

#include "contiki.h"
#include "net/linkaddr.h"
#include "net/netstack.h"
#include "net/packetbuf.h"
#include "sky/cc2420-spi.h"
#include "sky/msp430.h"
#include "sys/energest.h"

#define CHANNEL_MIN 11
#define CHANNEL_MAX 26
#define FRAME_MAX 125 /* bytes, without FCS */
#define FCS_SIZE 2
#define ACK_SIZE 3

/* MDMCTRL0: reserved frame types are dropped, CCA hysteresis 2 dB, CCA mode 3 (no carrier, no energy), preamble of 3 bytes. */
#define MODEM 0x02c2
#define ADR_DECODE 0x0800
#define AUTOCRC 0x0020
#define AUTOACK 0x0010

#define RSSI_OFFSET -45 /* dB (SWRS041, 23) */
#define CRC_OK 0x80

static const void *prepared;
static uint8_t prepared_length;
static bool is_on, polled_mode, send_on_cca = true;
static uint8_t rx_mode = RADIO_RX_MODE_ADDRESS_FILTER | RADIO_RX_MODE_AUTOACK;
static int channel = IEEE802154_CONF_DEFAULT_CHANNEL;
static int8_t cca_threshold = -32 + RSSI_OFFSET; /* dBm: the reset value */
static int8_t last_rssi;
static uint8_t last_correlation;
static uint8_t power_level = 31;

/* Output power by PA_LEVEL (SWRS041, table 9). */
static const struct {
  int8_t dbm;
  uint8_t level;
} powers[] = { { 0, 31 }, { -1, 27 }, { -3, 23 }, { -5, 19 }, { -7, 15 }, { -10, 11 }, { -15, 7 }, { -25, 3 } };

PROCESS(cc2420_process, "CC2420");

static void
wait_for(uint8_t status)
{
  while(!(cc2420_strobe(SNOP) & status)) {
  }
}

static void
set_modem(void)
{
  cc2420_set(MDMCTRL0, (uint16_t)(MODEM | AUTOCRC | (rx_mode & RADIO_RX_MODE_ADDRESS_FILTER ? ADR_DECODE : 0) |
                                  (rx_mode & RADIO_RX_MODE_AUTOACK ? AUTOACK : 0)));
}

/* The synthesizer's frequency is 2048 MHz more (SWRS041, 20). */
static void
set_channel(int number)
{
  channel = number;
  cc2420_set(FSCTRL, (uint16_t)(0x4000 | (357 + 5 * (number - CHANNEL_MIN))));
  if(is_on) {
    cc2420_strobe(SRXON);
  }
}

static void
set_addresses(void)
{
  uint8_t pan[2] = { IEEE802154_CONF_PANID & 0xff, IEEE802154_CONF_PANID >> 8 }, none[2] = { 0xff, 0xff };
  uint8_t address[LINKADDR_SIZE];

  for(int i = 0; i < LINKADDR_SIZE; i++) {
    address[i] = linkaddr_node_addr.u8[LINKADDR_SIZE - 1 - i];
  }
  cc2420_write_ram(RAM_IEEEADR, address, sizeof(address));
  cc2420_write_ram(RAM_PANID, pan, sizeof(pan));
  cc2420_write_ram(RAM_SHORTADR, none, sizeof(none));
}

static int
init(void)
{
  cc2420_spi_init();
  cc2420_power_up();
  cc2420_strobe(SXOSCON);
  wait_for(XOSC16M_STABLE);
  set_modem();
  cc2420_set(MDMCTRL1, 0x0500); /* correlation threshold 20, as recommended (SWRS041, 16.1) */
  cc2420_set(RXCTRL1, 0x2a56);  /* the recommended bandpass filter current */
  cc2420_set(SECCTRL0, 0x01c4); /* the receiver's buffer isn't locked after a frame */
  cc2420_set(IOCFG0, 0x007f);   /* FIFOP: a whole frame */
  set_channel(channel);
  set_addresses();
  process_start(&cc2420_process, NULL);
  return 1;
}

static void
flush(void)
{
  cc2420_strobe(SFLUSHRX);
  cc2420_strobe(SFLUSHRX); /* twice (SWRS041, 14.3) */
}

static int
on(void)
{
  if(!is_on) {
    is_on = true;
    flush();
    cc2420_strobe(SRXON);
    ENERGEST_ON(ENERGEST_TYPE_LISTEN);
  }
  return 1;
}

static int
off(void)
{
  if(is_on) {
    while(cc2420_strobe(SNOP) & TX_ACTIVE) { /* an ACK is sent to its end */
    }
    cc2420_strobe(SRFOFF);
    is_on = false;
    ENERGEST_OFF(ENERGEST_TYPE_LISTEN);
  }
  return 1;
}

static int
prepare(const void *payload, unsigned short length)
{
  if(length == 0 || length > FRAME_MAX) {
    prepared = NULL;
    return RADIO_TX_ERR;
  }
  prepared = payload;
  prepared_length = (uint8_t)length;
  while(cc2420_strobe(SNOP) & TX_ACTIVE) {
  }
  cc2420_strobe(SFLUSHTX);
  cc2420_write_frame((uint8_t)(length + FCS_SIZE), payload, length);
  return RADIO_TX_OK;
}

/* Blocks until the frame has left. */
static int
transmit_prepared(void)
{
  if(send_on_cca) {
    wait_for(RSSI_VALID);
    cc2420_strobe(STXONCCA);
  } else {
    cc2420_strobe(STXON);
  }
  if(!(cc2420_strobe(SNOP) & TX_ACTIVE)) {
    return RADIO_TX_COLLISION;
  }
  ENERGEST_SWITCH(ENERGEST_TYPE_LISTEN, ENERGEST_TYPE_TRANSMIT);
  while(cc2420_strobe(SNOP) & TX_ACTIVE) {
  }
  ENERGEST_SWITCH(ENERGEST_TYPE_TRANSMIT, ENERGEST_TYPE_LISTEN);
  return RADIO_TX_OK;
}

static int
transmit(unsigned short length)
{
  bool was_on = is_on;
  int result;

  if(prepared == NULL || length != prepared_length) {
    return RADIO_TX_ERR;
  }
  on();
  result = transmit_prepared();
  if(!was_on) {
    off();
  }
  return result;
}

static int
send(const void *payload, unsigned short length)
{
  return prepare(payload, length) == RADIO_TX_OK ? transmit(length) : RADIO_TX_ERR;
}

static int
read(void *buffer, unsigned short size)
{
  uint8_t length, footer[FCS_SIZE];

  if(!cc2420_fifop()) {
    return 0;
  }
  if(!cc2420_fifo()) { /* overflow */
    flush();
    return 0;
  }
  cc2420_read_fifo(&length, 1);
  if(length < ACK_SIZE + FCS_SIZE || length > FRAME_MAX + FCS_SIZE) {
    flush();
    return 0;
  }
  length -= FCS_SIZE;
  if(length > size) {
    cc2420_read_fifo(NULL, (size_t)length + FCS_SIZE);
    return 0;
  }
  cc2420_read_fifo(buffer, length);
  cc2420_read_fifo(footer, sizeof(footer));
  if(!(footer[1] & CRC_OK)) {
    return 0;
  }
  last_rssi = (int8_t)((int8_t)footer[0] + RSSI_OFFSET);
  last_correlation = footer[1] & 0x7f;
  if(!polled_mode) {
    packetbuf_set_attr(PACKETBUF_ATTR_RSSI, (packetbuf_attr_t)last_rssi);
    packetbuf_set_attr(PACKETBUF_ATTR_LINK_QUALITY, last_correlation);
  }
  return length;
}

static int
channel_clear(void)
{
  bool was_on = is_on;
  int clear;

  on();
  wait_for(RSSI_VALID);
  clear = cc2420_cca();
  if(!was_on) {
    off();
  }
  return clear;
}

static int
receiving_packet(void)
{
  return is_on && cc2420_sfd();
}

static int
pending_packet(void)
{
  return cc2420_fifop();
}

/* A frame is complete. The processor wakes; the flag is cleared here, the frame read by the process. */
void
port1_interrupt(void)
{
  P1IFG = 0;
  process_poll(&cc2420_process);
}

PROCESS_THREAD(cc2420_process, ev, data)
{
  PROCESS_BEGIN();
  while(1) {
    PROCESS_YIELD_UNTIL(ev == PROCESS_EVENT_POLL);
    if(!polled_mode) {
      packetbuf_clear();
      int length = read(packetbuf_dataptr(), PACKETBUF_SIZE);
      if(length > 0) {
        packetbuf_set_datalen((uint16_t)length);
        NETSTACK_MAC.input();
      }
      if(cc2420_fifop()) { /* the next frame came without an edge of its own */
        process_poll(&cc2420_process);
      }
    }
  }
  PROCESS_END();
}

static int
power_dbm(void)
{
  for(unsigned i = 0; i < sizeof(powers) / sizeof(powers[0]); i++) {
    if(powers[i].level <= power_level) {
      return powers[i].dbm;
    }
  }
  return powers[sizeof(powers) / sizeof(powers[0]) - 1].dbm;
}

/* The strongest that isn't stronger than asked for. */
static radio_result_t
set_power(radio_value_t dbm)
{
  for(unsigned i = 0; i < sizeof(powers) / sizeof(powers[0]); i++) {
    if(powers[i].dbm <= dbm) {
      power_level = powers[i].level;
      cc2420_set(TXCTRL, (uint16_t)(0xa0e0 | power_level));
      return dbm > powers[0].dbm ? RADIO_RESULT_INVALID_VALUE : RADIO_RESULT_OK;
    }
  }
  return RADIO_RESULT_INVALID_VALUE;
}

static radio_result_t
get_value(radio_param_t parameter, radio_value_t *value)
{
  switch(parameter) {
  case RADIO_PARAM_POWER_MODE:
    *value = is_on ? RADIO_POWER_MODE_ON : RADIO_POWER_MODE_OFF;
    break;
  case RADIO_PARAM_CHANNEL:
    *value = channel;
    break;
  case RADIO_PARAM_RX_MODE:
    *value = rx_mode | (polled_mode ? RADIO_RX_MODE_POLL_MODE : 0);
    break;
  case RADIO_PARAM_TX_MODE:
    *value = send_on_cca ? RADIO_TX_MODE_SEND_ON_CCA : 0;
    break;
  case RADIO_PARAM_TXPOWER:
    *value = power_dbm();
    break;
  case RADIO_PARAM_CCA_THRESHOLD:
    *value = cca_threshold;
    break;
  case RADIO_PARAM_RSSI:
    *value = (int8_t)(cc2420_get(RSSI) & 0xff) + RSSI_OFFSET;
    break;
  case RADIO_PARAM_LAST_RSSI:
    *value = last_rssi;
    break;
  case RADIO_PARAM_LAST_LINK_QUALITY:
    *value = last_correlation;
    break;
  case RADIO_CONST_CHANNEL_MIN:
    *value = CHANNEL_MIN;
    break;
  case RADIO_CONST_CHANNEL_MAX:
    *value = CHANNEL_MAX;
    break;
  case RADIO_CONST_TXPOWER_MIN:
    *value = -25;
    break;
  case RADIO_CONST_TXPOWER_MAX:
    *value = 0;
    break;
  case RADIO_CONST_PHY_OVERHEAD:
    *value = RADIO_PHY_OVERHEAD;
    break;
  case RADIO_CONST_BYTE_AIR_TIME:
    *value = RADIO_BYTE_AIR_TIME;
    break;
  case RADIO_CONST_MAX_PAYLOAD_LEN:
    *value = FRAME_MAX;
    break;
  default:
    return RADIO_RESULT_NOT_SUPPORTED;
  }
  return RADIO_RESULT_OK;
}

static radio_result_t
set_rx_mode(radio_value_t value)
{
  if(value & ~(RADIO_RX_MODE_ADDRESS_FILTER | RADIO_RX_MODE_AUTOACK | RADIO_RX_MODE_POLL_MODE)) {
    return RADIO_RESULT_INVALID_VALUE;
  }
  polled_mode = value & RADIO_RX_MODE_POLL_MODE;
  rx_mode = (uint8_t)(value & ~RADIO_RX_MODE_POLL_MODE);
  set_modem();
  return RADIO_RESULT_OK;
}

static radio_result_t
set_value(radio_param_t parameter, radio_value_t value)
{
  switch(parameter) {
  case RADIO_PARAM_POWER_MODE:
    if(value != RADIO_POWER_MODE_ON && value != RADIO_POWER_MODE_OFF) {
      return RADIO_RESULT_INVALID_VALUE;
    }
    value == RADIO_POWER_MODE_ON ? on() : off();
    return RADIO_RESULT_OK;
  case RADIO_PARAM_CHANNEL:
    if(value < CHANNEL_MIN || value > CHANNEL_MAX) {
      return RADIO_RESULT_INVALID_VALUE;
    }
    set_channel(value);
    return RADIO_RESULT_OK;
  case RADIO_PARAM_RX_MODE:
    return set_rx_mode(value);
  case RADIO_PARAM_TX_MODE:
    if(value & ~RADIO_TX_MODE_SEND_ON_CCA) {
      return RADIO_RESULT_INVALID_VALUE;
    }
    send_on_cca = value != 0;
    return RADIO_RESULT_OK;
  case RADIO_PARAM_TXPOWER:
    return set_power(value);
  case RADIO_PARAM_CCA_THRESHOLD:
    cca_threshold = (int8_t)value;
    cc2420_set(RSSI, (uint16_t)(value - RSSI_OFFSET) << 8);
    return RADIO_RESULT_OK;
  default:
    return RADIO_RESULT_NOT_SUPPORTED;
  }
}

static radio_result_t
get_object(radio_param_t parameter, void *to, size_t size)
{
  (void)parameter;
  (void)to;
  (void)size;
  return RADIO_RESULT_NOT_SUPPORTED;
}

static radio_result_t
set_object(radio_param_t parameter, const void *from, size_t size)
{
  (void)parameter;
  (void)from;
  (void)size;
  return RADIO_RESULT_NOT_SUPPORTED;
}

const struct radio_driver cc2420_driver = {
  init, prepare, transmit, send, read, channel_clear, receiving_packet,
  pending_packet, on, off, get_value, set_value, get_object, set_object
};
