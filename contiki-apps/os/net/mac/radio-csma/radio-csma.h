/* SPDX-License-Identifier: Apache-2.0 */
/* Medium access by the transceiver, as Contiki 2.x has it on the ATmega128RFA1: nullmac and sicslowmac above a radio
   that itself does CSMA/CA, acknowledges and repeats (its Extended Operating Mode). What differs is in ../../../README.md.

   The constants are from two sources:
   - the public driver: Contiki, cpu/avr/radio/rf230bb/rf230bb.c and halbb.c, platform/avr-atmega128rfa1/contiki-conf.h
     (the revision of 2018; what it writes to CSMA_BE is from February 2011),
   - the datasheet: Atmel, ATmega128RFA1, 8266A, December 2009; where that has no text, the one of its successors
     ATmega256/128/64RFR2 (42073A), which has the same transceiver. */
#ifndef RADIO_CSMA_H_
#define RADIO_CSMA_H_

#include "contiki.h"
#include "net/mac/mac.h"

#define RADIO_CSMA_SYMBOL 16 /* us: IEEE 802.15.4-2006, table 1, 2.4 GHz O-QPSK */

/* rf230_warm_reset() writes 0x80 to CSMA_BE: MAX_BE 8, MIN_BE 0 (9.12.47). So the first CCA comes without any backoff:
   the standard's default for macMinBE is 3. */
#define RADIO_CSMA_MIN_BE 0
#define RADIO_CSMA_MAX_BE 8

/* RF230_CONF_CSMA_RETRIES: how often CSMA-CA is repeated on a busy channel (MAX_CSMA_RETRIES, table 9-67). */
#define RADIO_CSMA_RETRIES 5

/* RF230_CONF_FRAME_RETRIES is 2, which the driver writes to MAX_FRAME_RETRIES less 1: transmissions, after the first, of a
   frame that asks for an ACK and gets none. */
#define RADIO_CSMA_FRAME_RETRIES 1

/* RF230_CONF_RX_BUFFERS: frames that wait for rf230_process. */
#define RADIO_CSMA_RX_BUFFERS 3

/* us. aUnitBackoffPeriod, 20 symbols (IEEE 802.15.4-2006, table 85); a CCA of 8 symbols (6.9.9; the datasheet's tTR28 of
   140 us, table 9-8, is that of a CCA asked for by the program, read-out included). */
#define RADIO_CSMA_BACKOFF_PERIOD (20 * RADIO_CSMA_SYMBOL)
#define RADIO_CSMA_CCA (8 * RADIO_CSMA_SYMBOL)

/* us from the end of a clear CCA to the first symbol on the air: PLL settling and PA ramp-up (tTR10, tTR23, tables 9-3 and
   9-8; figure "Example Timing of a TX_ARET Transaction"). It is not aTurnaroundTime, 12 symbols, which is the standard's
   maximum. */
#define RADIO_CSMA_TX_DELAY 16

/* us from the end of a frame to its ACK: 12 symbols (AACK_ACK_TIME = 0, figure 9-11); and how long a sender waits for it:
   macAckWaitDuration, 54 symbols (IEEE 802.15.4-2006, 7.4.2). */
#define RADIO_CSMA_ACK_DELAY (12 * RADIO_CSMA_SYMBOL)
#define RADIO_CSMA_ACK_WAIT (54 * RADIO_CSMA_SYMBOL)

/* us of preamble and SFD, 10 symbols. Only after them is the radio busy with a frame (BUSY_RX_AACK, 9.4.2.4.2): a program
   that wants to send before doesn't wait for the frame (rf230_waitidle()). */
#define RADIO_CSMA_SHR (10 * RADIO_CSMA_SYMBOL)

/* us that the processor takes to move a frame with its FCS from one buffer to another: 8 cycles a byte, those of avr-libc's
   memcpy() loop (ld, st, subi, sbci, brcc), at F_CPU, 16 MHz. Each frame received is moved twice, by the interrupt
   (hal_frame_read(), whose loop is slower) and by rf230_read(), each to be sent once (rf230_prepare()). Nothing else that
   the processor does takes time here, so this is a lower bound. It must not be 0: a mote that passes a frame on would then
   begin to contend in the same microsecond as the motes that waited for the frame's end, and collide with them. */
#define RADIO_CSMA_MOVE(bytes) (((int64_t)(bytes) + 2) / 2)

/* Counts since the last clearing; the log format explains each. */
struct radio_csma_counters {
  uint32_t assessments;
  uint32_t busy_assessments;
  uint32_t missed_contending;
  uint32_t buffer_overflow;
  uint32_t no_ack;
  uint64_t deaf_us;
};

/* Sets where it counts from now on. */
void radio_csma_count_in(struct radio_csma_counters *counters);
extern struct radio_csma_counters *radio_csma_counters;

extern const struct mac_driver radio_csma_driver;

#endif
