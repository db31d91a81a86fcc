/* SPDX-License-Identifier: Apache-2.0 */
/* The CC2420 on the Tmote Sky: its pins and its serial interface (Texas Instruments SWRS041, Moteiv's schematics). */
#ifndef SKY_CC2420_SPI_H_
#define SKY_CC2420_SPI_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cc2420_strobe {
  SNOP = 0x00,
  SXOSCON = 0x01,
  SRXON = 0x03,
  STXON = 0x04,
  STXONCCA = 0x05,
  SRFOFF = 0x06,
  SFLUSHRX = 0x08,
  SFLUSHTX = 0x09
};

enum cc2420_register {
  MDMCTRL0 = 0x11,
  MDMCTRL1 = 0x12,
  RSSI = 0x13,
  TXCTRL = 0x15,
  RXCTRL1 = 0x17,
  FSCTRL = 0x18,
  SECCTRL0 = 0x19,
  IOCFG0 = 0x1c,
  TXFIFO = 0x3e,
  RXFIFO = 0x3f
};

#define RAM_IEEEADR 0x160
#define RAM_PANID 0x168
#define RAM_SHORTADR 0x16a

/* The status byte, which each strobe returns. */
#define XOSC16M_STABLE 0x40
#define TX_ACTIVE 0x08
#define RSSI_VALID 0x02

void cc2420_spi_init(void); /* pins and USART 0; the chip has no power */
void cc2420_power_up(void); /* and a reset; registers have their reset values */
uint8_t cc2420_strobe(enum cc2420_strobe strobe);
uint16_t cc2420_get(enum cc2420_register reg);
void cc2420_set(enum cc2420_register reg, uint16_t value);
void cc2420_write_ram(uint16_t address, const uint8_t *bytes, size_t size);
void cc2420_write_frame(uint8_t length, const uint8_t *bytes, size_t size);
void cc2420_read_fifo(uint8_t *bytes, size_t size); /* bytes NULL: dropped */

bool cc2420_fifo(void);  /* there is a byte in the receiver's buffer */
bool cc2420_fifop(void); /* there is a whole frame, or the buffer has overflowed */
bool cc2420_sfd(void);   /* a frame is on the air, in or out */
bool cc2420_cca(void);   /* the channel is clear */

#endif
