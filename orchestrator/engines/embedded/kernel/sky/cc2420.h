/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CC2420, the radio of the Tmote Sky (Texas Instruments, SWRS041), as Cooja's MSPSim models it: its states, frames byte
 * by byte, address recognition, acknowledgements, FIFO pins. cc2420_spi.h has what the microcontroller commands.
 *
 * Where the model differs from the chip, the model counts: it ignores encryption, needs no time for a change of channel,
 * and hears a frame only from its preamble on.
 */
#ifndef CC2420_H
#define CC2420_H

#include "msp430/msp430.h"

enum cc2420_state { /* the numbers in FSMSTATE */
  CC2420_VREG_OFF = -1,
  CC2420_POWER_DOWN = 0,
  CC2420_IDLE = 1,
  CC2420_RX_CALIBRATE = 2,
  CC2420_RX_SFD_SEARCH = 3,
  CC2420_RX_WAIT = 14,
  CC2420_RX_FRAME = 16,
  CC2420_RX_OVERFLOW = 17,
  CC2420_TX_CALIBRATE = 32,
  CC2420_TX_PREAMBLE = 34,
  CC2420_TX_FRAME = 37,
  CC2420_TX_ACK_CALIBRATE = 48,
  CC2420_TX_ACK_PREAMBLE = 49,
  CC2420_TX_ACK = 52
};

enum cc2420_mode { CC2420_OFF, CC2420_LISTENS, CC2420_SENDS, CC2420_NO_POWER };

enum { /* addresses of registers, and of strobes below 0x0f */
  CC2420_MDMCTRL0 = 0x11, CC2420_RSSI = 0x13, CC2420_TXCTRL = 0x15, CC2420_FSCTRL = 0x18, CC2420_IOCFG0 = 0x1c,
  CC2420_IOCFG1 = 0x1d, CC2420_FSMSTATE = 0x2c, CC2420_REGISTERS = 64
};

enum { /* bits of the status byte */
  CC2420_OSCILLATOR_STABLE = 0x40, CC2420_TX_ACTIVE = 0x08, CC2420_RSSI_VALID = 0x02
};

enum { /* places in the RAM */
  CC2420_TXFIFO = 0, CC2420_RXFIFO = 0x80, CC2420_FIFO_SIZE = 128, CC2420_IEEE_ADDRESS = 0x160, CC2420_PAN = 0x168,
  CC2420_SHORT_ADDRESS = 0x16a, CC2420_RAM_END = 0x180, CC2420_MEMORY = 512
};

enum { CC2420_FULL_POWER = 31 }; /* of the power level in TXCTRL */

struct cc2420_pin {
  uint8_t port, pin;
  uint16_t inverted; /* the bit of IOCFG0 that inverts it; 0: none */
};

struct cc2420_listener { /* all of them are called at once */
  void (*sent)(void *context, uint8_t byte); /* onto the air, at the byte's beginning */
  void (*mode_changed)(void *context);
  void (*channel_changed)(void *context);
  void (*power_changed)(void *context);
};

struct cc2420_fifo { /* the RXFIFO, in the RAM */
  unsigned read, write, length, mark;
};

struct cc2420 {
  struct msp430 *mcu;
  const struct cc2420_listener *listener;
  void *context;
  enum cc2420_state state;
  enum cc2420_mode mode;
  bool powered; /* its voltage regulator is on */
  bool selected; /* by the SPI's chip select */
  uint8_t status;
  uint16_t registers[CC2420_REGISTERS];
  uint8_t memory[CC2420_MEMORY];
  int channel; /* as the listener knows it */
  struct cc2420_pin cca_pin, fifop_pin, fifo_pin, sfd_pin;
  bool cca, announced_cca, fifop, fifo, sfd;
  struct msp430_event regulator, oscillator, symbol, preamble, send, acknowledge;

  unsigned preamble_position, tx_position, ack_position;
  uint8_t ack[6]; /* length, frame control, number, FCS */
  bool ack_pending_bit; /* of the acknowledgements to come */

  struct cc2420_fifo rx;
  unsigned fifop_threshold; /* bytes in the FIFO */
  unsigned zeros; /* bytes 0 in a row, before a frame */
  unsigned frame_length, frame_read;
  uint16_t frame_crc;
  uint8_t frame_number, frame_type, address_mode; /* of the destination */
  bool asks_for_ack, wants_ack, has_to_ack, crc_ok, rejected, overflow;
  bool decoding; /* of this frame's address */

  enum { CC2420_WAITING, CC2420_WRITE_REGISTER, CC2420_READ_REGISTER, CC2420_RAM, CC2420_READ_RXFIFO, CC2420_WRITE_TXFIFO } command;
  unsigned command_position, address;
  uint16_t value;
  bool reads_ram;
  unsigned tx_cursor, rx_left; /* bytes of the packet that is being read */
  bool tx_flush; /* the next byte begins a new frame */
  uint8_t correlation; /* in place of a link quality */
};

/* Requires its pins, listener and microcontroller; the rest is 0. */
void cc2420_init(struct cc2420 *radio);

/* What the microcontroller's reset does to it. */
void cc2420_reset(struct cc2420 *radio);

void cc2420_set_state(struct cc2420 *radio, enum cc2420_state state);
void cc2420_power(struct cc2420 *radio, bool on);
void cc2420_start_oscillator(struct cc2420 *radio);
void cc2420_stop_oscillator(struct cc2420 *radio);
void cc2420_flush_rx(struct cc2420 *radio);
void cc2420_write_register(struct cc2420 *radio, unsigned address, uint16_t value);
void cc2420_set_sfd(struct cc2420 *radio, bool high);
void cc2420_set_fifo(struct cc2420 *radio, bool high);
void cc2420_set_fifop(struct cc2420 *radio, bool high);

/* The oldest byte in the RXFIFO is taken out of it; 0 if it is empty. */
uint8_t cc2420_take(struct cc2420 *radio);

/* The mean strength (dBm) of what it hears. */
void cc2420_set_rssi(struct cc2420 *radio, int dbm);

int cc2420_channel(const struct cc2420 *radio); /* 11 to 26; other numbers before the firmware has set one */

static inline bool
cc2420_searches(const struct cc2420 *radio)
{
  return radio->state == CC2420_RX_SFD_SEARCH;
}

/* It takes a frame, if only to reject it by its address; `to_its_end`: one more byte completes it. A frame without bytes is its
   length alone. */
static inline bool
cc2420_takes_frame(const struct cc2420 *radio, bool to_its_end)
{
  return radio->state == CC2420_RX_FRAME && !radio->overflow && (radio->rejected || radio->rx.length < CC2420_FIFO_SIZE) &&
         (!to_its_end || radio->frame_read == 0 || radio->frame_read == radio->frame_length);
}

static inline bool
cc2420_in_reception(const struct cc2420 *radio)
{
  return radio->state == CC2420_RX_CALIBRATE || radio->state == CC2420_RX_SFD_SEARCH || radio->state == CC2420_RX_FRAME ||
         radio->state == CC2420_RX_OVERFLOW || radio->state == CC2420_RX_WAIT;
}

/* Does it listen or send? */
static inline bool
cc2420_is_on(const struct cc2420 *radio)
{
  return cc2420_searches(radio) || radio->mode == CC2420_LISTENS || radio->mode == CC2420_SENDS;
}

#endif
