/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/cc2420.h"

#include "base/exact.h"
#include "radio/fcs.h"

static const double SYMBOL_MS = 0.016; /* IEEE 802.15.4 at 2.4 GHz: 62,500 symbols a second */
static const double REGULATOR_MS = 0.05, OSCILLATOR_MS = 1; /* MSPSim's; the chip's regulator may take 0.6 ms */

enum { CALIBRATION = 12, SETTLING = 8, BYTE = 2 }; /* symbols */
enum { ACK_GAP = CALIBRATION + BYTE + BYTE }; /* symbols before an acknowledgement: MSPSim sees the frame end a byte early */

static const uint8_t HEADER[] = {0, 0, 0, 0, 0x7a}; /* preamble and start of frame delimiter */

enum { RSSI_OFFSET = -45, STRONGEST = 127 + RSSI_OFFSET, WEAKEST = -128 + RSSI_OFFSET }; /* dBm */
enum { MEAN_CORRELATION = 37 };

enum { /* bits of registers */
  MDMCTRL0_AFTER_RESET = 0x0ae2, RSSI_THRESHOLD_AFTER_RESET = 0xe000, TXCTRL_AFTER_RESET = 0xa0ff,
  FIFOP_THRESHOLD = 0x7f, FIFOP_THRESHOLD_AFTER_RESET = 64, CCA_MUX = 0x1f, CCA_MUX_OSCILLATOR = 24
};

enum { ACKNOWLEDGEMENT = 2, PENDING = 0x10 }; /* in a frame's first byte: IEEE 802.15.4, 5.2.1 */

/* ---- pins ---- */

static void
drive(struct cc2420 *radio, const struct cc2420_pin *pin, bool high)
{
  msp430_set_pin(radio->mcu, pin->port, pin->pin, high != ((radio->registers[CC2420_IOCFG0] & pin->inverted) != 0));
}

void
cc2420_set_sfd(struct cc2420 *radio, bool high)
{
  radio->sfd = high;
  drive(radio, &radio->sfd_pin, high);
}

void
cc2420_set_fifo(struct cc2420 *radio, bool high)
{
  radio->fifo = high;
  drive(radio, &radio->fifo_pin, high);
}

void
cc2420_set_fifop(struct cc2420 *radio, bool high)
{
  radio->fifop = high;
  drive(radio, &radio->fifop_pin, high);
}

/* The channel is clear if what the radio hears is weaker than the threshold. */
static void
update_cca(struct cc2420 *radio)
{
  unsigned mux = radio->registers[CC2420_IOCFG1] & CCA_MUX;
  bool before = radio->cca;

  if(mux == 0) {
    uint16_t rssi = radio->registers[CC2420_RSSI];
    radio->cca = (radio->status & CC2420_RSSI_VALID) != 0 && (int8_t)(rssi & 0xff) < (int8_t)(rssi >> 8);
  } else if(mux == CCA_MUX_OSCILLATOR) {
    radio->cca = (radio->status & CC2420_OSCILLATOR_STABLE) != 0;
  }
  if(radio->cca != before) {
    radio->announced_cca = radio->cca;
    drive(radio, &radio->cca_pin, radio->cca);
  }
}

/* ---- registers ---- */

int
cc2420_channel(const struct cc2420 *radio)
{
  return (radio->registers[CC2420_FSCTRL] - 357 - 0x4000) / 5 + 11; /* 2405 MHz and 5 MHz a channel, as the chip counts */
}

void
cc2420_write_register(struct cc2420 *radio, unsigned address, uint16_t value)
{
  uint16_t before = radio->registers[address];

  radio->registers[address] = address == CC2420_RSSI ? (uint16_t)((before & 0xff) | (value & 0xff00)) : value;
  if(address == CC2420_IOCFG0) {
    radio->fifop_threshold = value & FIFOP_THRESHOLD;
    uint16_t polarity = radio->fifo_pin.inverted | radio->fifop_pin.inverted | radio->sfd_pin.inverted | radio->cca_pin.inverted;
    if(((before ^ value) & polarity) != 0) {
      cc2420_set_fifop(radio, radio->fifop);
      cc2420_set_fifo(radio, radio->fifo);
      cc2420_set_sfd(radio, radio->sfd);
      drive(radio, &radio->cca_pin, radio->announced_cca);
    }
  } else if(address == CC2420_IOCFG1) {
    update_cca(radio);
  } else if(address == CC2420_TXCTRL) {
    radio->listener->power_changed(radio->context);
  } else if(address == CC2420_FSCTRL && cc2420_channel(radio) != radio->channel) {
    radio->channel = cc2420_channel(radio);
    radio->listener->channel_changed(radio->context);
  }
}

static void
default_registers(struct cc2420 *radio)
{
  radio->registers[CC2420_MDMCTRL0] = MDMCTRL0_AFTER_RESET;
  radio->registers[CC2420_RSSI] = (uint16_t)(RSSI_THRESHOLD_AFTER_RESET | (radio->registers[CC2420_RSSI] & 0xff));
}

void
cc2420_set_rssi(struct cc2420 *radio, int dbm)
{
  dbm = dbm < WEAKEST ? -WEAKEST : dbm; /* MSPSim's own mistake */
  dbm = dbm > STRONGEST ? STRONGEST : dbm;
  radio->registers[CC2420_RSSI] = (uint16_t)((radio->registers[CC2420_RSSI] & 0xff00) | ((dbm - RSSI_OFFSET) & 0xff));
  update_cca(radio);
}

/* ---- RXFIFO ---- */

static void
fifo_clear(struct cc2420 *radio)
{
  radio->rx.read = radio->rx.write = radio->rx.length = 0;
}

uint8_t
cc2420_take(struct cc2420 *radio)
{
  uint8_t byte = radio->memory[CC2420_RXFIFO + radio->rx.read];

  if(radio->rx.length == 0) {
    return 0;
  }
  radio->rx.read = (radio->rx.read + 1) % CC2420_FIFO_SIZE;
  radio->rx.length--;
  return byte;
}

/* ---- states ---- */

static void
set_mode(struct cc2420 *radio, enum cc2420_mode mode)
{
  if(mode != radio->mode) {
    radio->mode = mode;
    radio->listener->mode_changed(radio->context);
  }
}

static void
in_symbols(struct cc2420 *radio, struct msp430_event *event, int symbols)
{
  msp430_in_ms(radio->mcu, event, SYMBOL_MS * symbols);
}

static void
power_down(struct cc2420 *radio)
{
  radio->status &= (uint8_t)~(CC2420_RSSI_VALID | CC2420_OSCILLATOR_STABLE);
  radio->crc_ok = false;
  default_registers(radio);
  set_mode(radio, CC2420_NO_POWER);
  update_cca(radio);
}

static void
send_header(struct msp430_event *event, int64_t time)
{
  struct cc2420 *radio = MSP430_AROUND(event, struct cc2420, preamble);

  (void)time;
  if(radio->preamble_position < sizeof(HEADER)) {
    radio->listener->sent(radio->context, HEADER[radio->preamble_position]);
    radio->preamble_position++;
    in_symbols(radio, event, BYTE);
    return;
  }
  cc2420_set_sfd(radio, true);
  if(radio->state == CC2420_TX_PREAMBLE) {
    cc2420_set_state(radio, CC2420_TX_FRAME);
  } else if(radio->state == CC2420_TX_ACK_PREAMBLE) {
    cc2420_set_state(radio, CC2420_TX_ACK);
  }
}

static void
sent_all(struct cc2420 *radio, bool overflow)
{
  radio->status &= (uint8_t)~CC2420_TX_ACTIVE;
  cc2420_set_sfd(radio, false);
  cc2420_set_state(radio, overflow ? CC2420_RX_OVERFLOW : CC2420_RX_CALIBRATE);
  set_mode(radio, CC2420_LISTENS);
}

static void
append_fcs(uint8_t *frame, unsigned length) /* frame[0] is the length */
{
  fcs_append(frame + 1, length - 2);
}

static void
send_byte(struct msp430_event *event, int64_t time)
{
  struct cc2420 *radio = MSP430_AROUND(event, struct cc2420, send);
  uint8_t *frame = &radio->memory[CC2420_TXFIFO];

  (void)time;
  if(radio->tx_position > frame[0]) {
    radio->tx_flush = true;
    sent_all(radio, radio->overflow);
    return;
  }
  if((int)radio->tx_position == frame[0] - 1) {
    unsigned length = frame[0];
    if(length < 2) { /* there is no room for the FCS, and it goes over the length */
      frame[0] = frame[1] = 0;
    } else {
      append_fcs(frame, length);
    }
  }
  radio->listener->sent(radio->context, frame[radio->tx_position % CC2420_FIFO_SIZE]);
  radio->tx_position++;
  in_symbols(radio, event, BYTE);
}

static void
send_ack_byte(struct msp430_event *event, int64_t time)
{
  struct cc2420 *radio = MSP430_AROUND(event, struct cc2420, acknowledge);

  (void)time;
  if(radio->ack_position == sizeof(radio->ack)) {
    sent_all(radio, false);
    return;
  }
  if(radio->ack_position == 0) {
    radio->ack[0] = sizeof(radio->ack) - 1;
    radio->ack[1] = (uint8_t)(ACKNOWLEDGEMENT | (radio->ack_pending_bit ? PENDING : 0));
    radio->ack[2] = 0;
    radio->ack[3] = radio->frame_number;
    append_fcs(radio->ack, radio->ack[0]);
  }
  radio->listener->sent(radio->context, radio->ack[radio->ack_position]);
  radio->ack_position++;
  in_symbols(radio, event, BYTE);
}

void
cc2420_set_state(struct cc2420 *radio, enum cc2420_state state)
{
  radio->state = state;
  radio->registers[CC2420_FSMSTATE] = (uint16_t)state;
  switch(state) {
  case CC2420_VREG_OFF:
    cc2420_flush_rx(radio);
    radio->tx_cursor = 0;
    power_down(radio);
    break;
  case CC2420_POWER_DOWN:
    fifo_clear(radio);
    power_down(radio);
    break;
  case CC2420_IDLE:
    radio->status &= (uint8_t)~CC2420_RSSI_VALID;
    set_mode(radio, CC2420_OFF);
    update_cca(radio);
    break;
  case CC2420_RX_CALIBRATE:
    in_symbols(radio, &radio->symbol, CALIBRATION);
    set_mode(radio, CC2420_LISTENS);
    break;
  case CC2420_RX_SFD_SEARCH:
    msp430_pause(radio->mcu); /* from now on it depends on others */
    radio->zeros = 0;
    if((radio->status & CC2420_RSSI_VALID) == 0) {
      in_symbols(radio, &radio->symbol, SETTLING);
    }
    update_cca(radio);
    set_mode(radio, CC2420_LISTENS);
    break;
  case CC2420_RX_WAIT:
    in_symbols(radio, &radio->symbol, SETTLING);
    set_mode(radio, CC2420_LISTENS);
    break;
  case CC2420_RX_FRAME:
    radio->rx.mark = radio->rx.write;
    radio->frame_read = 0;
    radio->rejected = radio->has_to_ack = radio->crc_ok = false;
    break;
  case CC2420_TX_CALIBRATE:
    in_symbols(radio, &radio->symbol, CALIBRATION + BYTE);
    set_mode(radio, CC2420_SENDS);
    break;
  case CC2420_TX_ACK_CALIBRATE:
    radio->status |= CC2420_TX_ACTIVE;
    in_symbols(radio, &radio->symbol, ACK_GAP);
    set_mode(radio, CC2420_SENDS);
    break;
  case CC2420_TX_PREAMBLE:
  case CC2420_TX_ACK_PREAMBLE:
    radio->preamble_position = 0;
    send_header(&radio->preamble, 0);
    break;
  case CC2420_TX_FRAME:
    radio->tx_position = 0;
    radio->crc_ok = false;
    send_byte(&radio->send, 0);
    break;
  case CC2420_TX_ACK:
    radio->ack_position = 0;
    radio->crc_ok = false;
    send_ack_byte(&radio->acknowledge, 0);
    break;
  case CC2420_RX_OVERFLOW:
    break;
  }
}

/* So many symbols after a state began. */
static void
pass_symbols(struct msp430_event *event, int64_t time)
{
  struct cc2420 *radio = MSP430_AROUND(event, struct cc2420, symbol);

  (void)time;
  if(radio->state == CC2420_RX_CALIBRATE || radio->state == CC2420_RX_WAIT) {
    cc2420_set_state(radio, CC2420_RX_SFD_SEARCH);
  } else if(radio->state == CC2420_RX_SFD_SEARCH) {
    radio->status |= CC2420_RSSI_VALID;
    update_cca(radio);
  } else if(radio->state == CC2420_TX_CALIBRATE) {
    cc2420_set_state(radio, CC2420_TX_PREAMBLE);
  } else if(radio->state == CC2420_TX_ACK_CALIBRATE) {
    cc2420_set_state(radio, CC2420_TX_ACK_PREAMBLE);
  }
}

static void
oscillator_is_stable(struct msp430_event *event, int64_t time)
{
  struct cc2420 *radio = MSP430_AROUND(event, struct cc2420, oscillator);

  (void)time;
  radio->status |= CC2420_OSCILLATOR_STABLE;
  cc2420_set_state(radio, CC2420_IDLE);
  if((radio->registers[CC2420_IOCFG1] & CCA_MUX) == CCA_MUX_OSCILLATOR) {
    update_cca(radio);
  }
}

static void
regulator_is_up(struct msp430_event *event, int64_t time)
{
  struct cc2420 *radio = MSP430_AROUND(event, struct cc2420, regulator);

  (void)time;
  radio->powered = true;
  cc2420_set_state(radio, CC2420_POWER_DOWN);
  update_cca(radio);
}

void
cc2420_start_oscillator(struct cc2420 *radio)
{
  msp430_in_ms(radio->mcu, &radio->oscillator, OSCILLATOR_MS);
}

void
cc2420_stop_oscillator(struct cc2420 *radio)
{
  radio->status &= (uint8_t)~CC2420_OSCILLATOR_STABLE;
  cc2420_set_state(radio, CC2420_POWER_DOWN);
  cc2420_set_fifop(radio, false);
}

void
cc2420_power(struct cc2420 *radio, bool on)
{
  if(on == radio->powered) {
    return;
  }
  if(on) { /* asked again before it is up, it begins anew */
    msp430_in_ms(radio->mcu, &radio->regulator, REGULATOR_MS);
  } else {
    radio->powered = false;
    cc2420_set_state(radio, CC2420_VREG_OFF);
  }
}

void
cc2420_flush_rx(struct cc2420 *radio)
{
  fifo_clear(radio);
  cc2420_set_sfd(radio, false);
  cc2420_set_fifop(radio, false);
  cc2420_set_fifo(radio, false);
  radio->overflow = false;
  if(cc2420_in_reception(radio)) {
    cc2420_set_state(radio, CC2420_RX_SFD_SEARCH);
  }
}

void
cc2420_reset(struct cc2420 *radio)
{
  radio->status &= (uint8_t)~CC2420_TX_ACTIVE;
  cc2420_power(radio, false);
}

void
cc2420_init(struct cc2420 *radio)
{
  radio->state = CC2420_VREG_OFF;
  radio->mode = CC2420_NO_POWER;
  radio->registers[CC2420_TXCTRL] = TXCTRL_AFTER_RESET;
  default_registers(radio);
  radio->channel = cc2420_channel(radio);
  radio->fifop_threshold = FIFOP_THRESHOLD_AFTER_RESET;
  radio->correlation = MEAN_CORRELATION;
  radio->regulator.run = regulator_is_up;
  radio->oscillator.run = oscillator_is_stable;
  radio->symbol.run = pass_symbols;
  radio->preamble.run = send_header;
  radio->send.run = send_byte;
  radio->acknowledge.run = send_ack_byte;
}
