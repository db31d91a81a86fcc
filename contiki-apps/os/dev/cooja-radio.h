/* SPDX-License-Identifier: Apache-2.0 */
/* The radio of a mote in Cooja. */
#ifndef COOJA_RADIO_H_
#define COOJA_RADIO_H_

#include "contiki.h"
#include "dev/radio.h"

/* Changing from receiving to sending takes until the next tick, at most 1 ms; and
   for a frame (which, unlike an ACK, has more than 3 bytes) until the one after
   it. As Contiki-NG's driver: a neighbour's frame that begins or ends then is a
   tick, so how long it takes, and what the CCA behind it sees, depends on the
   traffic; with a fixed time, fewer frames find the channel busy. */
#ifdef COOJA_CONF_SIMULATE_TURNAROUND
#define COOJA_SIMULATE_TURNAROUND COOJA_CONF_SIMULATE_TURNAROUND
#else
#define COOJA_SIMULATE_TURNAROUND 1
#endif

/* A clear channel assessment just before a frame, unless the MAC says otherwise
   by RADIO_PARAM_TX_MODE. */
#ifdef COOJA_CONF_TRANSMIT_ON_CCA
#define COOJA_TRANSMIT_ON_CCA COOJA_CONF_TRANSMIT_ON_CCA
#else
#define COOJA_TRANSMIT_ON_CCA 1
#endif

extern const struct radio_driver cooja_radio_driver;

/* Of a complete frame (MAC header and payload, bytes): is it for nobody on this mote? Counts it then, and does nothing
   else that anyone could notice: the frame is gone before a process could see it. */
typedef bool cooja_radio_filter_t(const uint8_t *frame, uint16_t length);

/* As acceptance filters of radio and CAN controllers do: what only passes by costs no way up the stack. NULL: none. A
   frame that comes while the processes wait for something isn't asked about. */
void cooja_radio_set_filter(cooja_radio_filter_t *passes_by);

/* Takes a complete frame out of simInDataBuffer within the tick in which it came, even while the processes wait: an
   interrupt. (It leaves simInSize at 0.) The driver's own process, and its read(), then see no frames. */
typedef void cooja_radio_interrupt_t(void);
void cooja_radio_set_interrupt(cooja_radio_interrupt_t *received);

/* Whether the filter may be asked about the frame that comes next. */
void cooja_radio_filter_next(bool on);

#endif
