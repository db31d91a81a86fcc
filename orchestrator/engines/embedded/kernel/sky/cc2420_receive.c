/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/cc2420_receive.h"

#include "radio/fcs.h"

enum { START_OF_FRAME = 0x7a, LEAST_ZEROS = 4 }; /* bytes of the preamble */

/* Frames: IEEE 802.15.4, 5.2.1. Places count from the byte with the length. */
enum {
  BEACON, DATA, ACKNOWLEDGEMENT, COMMAND, TYPE = 7, ASKS_FOR_ACK = 0x20, SHORT_MODE = 2, LONG_MODE = 3, CONTROL_LOW = 1,
  CONTROL_HIGH = 2, NUMBER = 3, SHORT_END = 7, LONG_END = 13, PAN_SIZE = 2, SHORT_SIZE = 2, LONG_SIZE = 8
};
enum { RECOGNISES_ADDRESS = 0x800, ACKNOWLEDGES = 0x10 }; /* bits of MDMCTRL0 */
enum { CRC_OK = 0x80 };                                   /* in the last byte of a received frame */

static bool
has_option(const struct cc2420 *radio, unsigned option)
{
  return (radio->registers[CC2420_MDMCTRL0] & option) != 0;
}

static void
add(struct cc2420 *radio, uint8_t byte)
{
  radio->memory[CC2420_RXFIFO + radio->rx.write] = byte;
  radio->rx.write = (radio->rx.write + 1) % CC2420_FIFO_SIZE;
  radio->rx.length++;
}

/* The byte so many places before the next one. */
static uint8_t *
back(struct cc2420 *radio, unsigned places)
{
  return &radio->memory[CC2420_RXFIFO + (radio->rx.write + CC2420_FIFO_SIZE - places) % CC2420_FIFO_SIZE];
}

/* Do these bytes come before the last `behind` ones? */
static bool
came(struct cc2420 *radio, const uint8_t *bytes, unsigned count, unsigned behind)
{
  for(unsigned i = 0; i < count; i++) {
    if(*back(radio, count + behind - i) != bytes[i]) {
      return false;
    }
  }
  return true;
}

static void
reject(struct cc2420 *radio)
{
  radio->rx.write = radio->rx.mark;
  radio->rx.length = (radio->rx.write + CC2420_FIFO_SIZE - radio->rx.read) % CC2420_FIFO_SIZE;
  cc2420_set_sfd(radio, false);
  cc2420_set_fifo(radio, radio->rx.length > 0);
  radio->rejected = true;
}

/* The second byte of the frame's control field has the kinds of addresses. */
static void
take_control(struct cc2420 *radio, uint8_t byte)
{
  bool recognises = has_option(radio, RECOGNISES_ADDRESS);

  if(radio->frame_type == DATA || radio->frame_type == COMMAND) {
    radio->wants_ack = radio->asks_for_ack;
    radio->address_mode = byte >> 2 & 3;
    if(recognises && radio->address_mode != LONG_MODE && radio->address_mode != SHORT_MODE) {
      reject(radio);
    }
  } else if(radio->frame_type == BEACON || radio->frame_type == ACKNOWLEDGEMENT) {
    radio->decoding = radio->wants_ack = false;
  } else if(recognises) {
    reject(radio);
  }
}

/* The destination, once it is complete. */
static void
decode_address(struct cc2420 *radio)
{
  static const uint8_t BROADCAST[] = {0xff, 0xff};
  const uint8_t *memory = radio->memory;
  unsigned size;
  bool ours;

  if(radio->address_mode == LONG_MODE && radio->frame_read == LONG_END) {
    size = LONG_SIZE;
    ours = came(radio, memory + CC2420_IEEE_ADDRESS, LONG_SIZE, 0);
  } else if(radio->address_mode == SHORT_MODE && radio->frame_read == SHORT_END) {
    size = SHORT_SIZE;
    ours = came(radio, BROADCAST, SHORT_SIZE, 0) || came(radio, memory + CC2420_SHORT_ADDRESS, SHORT_SIZE, 0);
  } else {
    return;
  }
  radio->decoding = false;
  if(!ours || !(came(radio, memory + CC2420_PAN, PAN_SIZE, size) || came(radio, BROADCAST, PAN_SIZE, size))) {
    reject(radio);
  }
}

static void
take_byte(struct cc2420 *radio, uint8_t byte)
{
  add(radio, byte);
  if(radio->frame_read == 0) {
    radio->frame_crc = 0;
    radio->frame_length = byte;
    radio->decoding = has_option(radio, RECOGNISES_ADDRESS);
    cc2420_set_fifo(radio, true);
  } else if((int)radio->frame_read < (int)radio->frame_length - 1) { /* before the FCS */
    radio->frame_crc = fcs_add(radio->frame_crc, byte);
    if(radio->frame_read == CONTROL_LOW) {
      radio->frame_type = byte & TYPE;
      radio->asks_for_ack = (byte & ASKS_FOR_ACK) != 0;
    } else if(radio->frame_read == CONTROL_HIGH) {
      take_control(radio, byte);
    } else if(radio->frame_read == NUMBER) {
      radio->frame_number = byte;
    } else if(radio->decoding) {
      decode_address(radio);
    }
  }
  if(!radio->fifop && radio->rx.length <= radio->frame_length + 1 && !radio->decoding && !radio->rejected &&
     radio->rx.length > radio->fifop_threshold) {
    cc2420_set_fifop(radio, true);
  }
}

static void
end_frame(struct cc2420 *radio)
{
  if(radio->rejected) {
    cc2420_set_sfd(radio, false);
    cc2420_set_state(radio, CC2420_RX_WAIT);
    return;
  }
  radio->crc_ok = *back(radio, 2) == (radio->frame_crc & 0xff) && *back(radio, 1) == radio->frame_crc >> 8;
  *back(radio, 2) = radio->registers[CC2420_RSSI] & 0xff;
  *back(radio, 1) = (uint8_t)(radio->correlation | (radio->crc_ok ? CRC_OK : 0));
  if(radio->rx.length <= radio->frame_length + 1) { /* there is no frame before it */
    cc2420_set_fifop(radio, true);
  }
  cc2420_set_sfd(radio, false);
  if(((has_option(radio, ACKNOWLEDGES) && radio->wants_ack) || radio->has_to_ack) && radio->crc_ok) {
    cc2420_set_state(radio, CC2420_TX_ACK_CALIBRATE);
  } else {
    cc2420_set_state(radio, CC2420_RX_WAIT);
  }
}

static void
overflow(struct cc2420 *radio)
{
  cc2420_set_fifop(radio, true);
  cc2420_set_fifo(radio, false);
  cc2420_set_sfd(radio, false);
  radio->overflow = true;
  radio->has_to_ack = false;
  cc2420_set_state(radio, CC2420_RX_OVERFLOW);
}

static void
search(struct cc2420 *radio, uint8_t byte)
{
  if(byte == 0) {
    radio->zeros++;
  } else if(radio->zeros >= LEAST_ZEROS && byte == START_OF_FRAME) {
    cc2420_set_sfd(radio, true);
    cc2420_set_state(radio, CC2420_RX_FRAME);
  } else {
    radio->zeros = 0;
  }
}

void
cc2420_receive(struct cc2420 *radio, uint8_t byte)
{
  if(cc2420_searches(radio)) {
    search(radio, byte);
  } else if(radio->state == CC2420_RX_FRAME && !radio->overflow) {
    if(radio->rx.length == CC2420_FIFO_SIZE) {
      overflow(radio);
      return;
    }
    if(!radio->rejected) {
      take_byte(radio, byte);
    }
    if(radio->frame_read++ == radio->frame_length) {
      end_frame(radio);
    }
  }
}
