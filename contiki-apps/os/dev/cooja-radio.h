/* SPDX-License-Identifier: Apache-2.0 */
/* The radio of a mote in Cooja. */
#ifndef COOJA_RADIO_H_
#define COOJA_RADIO_H_

#include "contiki.h"
#include "dev/radio.h"

/* Changing from receiving to sending takes until the next tick, at most 1 ms; and
   for a frame (which, unlike an ACK, has more than 3 bytes) until the one after
   it. Contiki-NG's driver waits in the same way. A neighbour's frame that begins or ends meanwhile causes a tick, so
   the traffic decides how long the wait is and what the CCA after it sees. With a fixed time, fewer frames would find
   the channel busy. */
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

/* dBm: carrier sense finds the channel busy above it. Cooja's dBm only say how near a sender is, relative to the range:
   -10 beside it, -95 at the range and wherever it interferes beyond (UDGM). So -95, Contiki-NG's value on Cooja, senses
   what can be received, -96 also what only interferes, and -76 over 78 % of the range. -76 dBm is the reset value of the
   ATmega128RFA1 (CCA_ED_THRES, datasheet 8266A, 9.12.13), whose dBm are others. */
#ifdef COOJA_RADIO_CONF_CCA_THRESHOLD
#define COOJA_RADIO_CCA_THRESHOLD COOJA_RADIO_CONF_CCA_THRESHOLD
#else
#define COOJA_RADIO_CCA_THRESHOLD -95
#endif

extern const struct radio_driver cooja_radio_driver;

/* Says of a complete frame (MAC header and payload, bytes) whether nobody on this mote wants it. If so, it counts the
   frame and does nothing else that anyone could notice, and the frame is dropped before a process sees it. */
typedef bool cooja_radio_filter_t(const uint8_t *frame, uint16_t length);

/* Like the acceptance filters of radio and CAN controllers, this saves the stack the work on frames that only pass
   by. NULL: there is no filter. It isn't asked about a frame that comes while the processes wait for something. */
void cooja_radio_set_filter(cooja_radio_filter_t *passes_by);

/* Takes a complete frame out of simInDataBuffer within the tick in which it came, even while the processes wait, like
   an interrupt. (It leaves simInSize at 0.) The driver's own process, and its read(), then see no frames. */
typedef void cooja_radio_interrupt_t(void);
void cooja_radio_set_interrupt(cooja_radio_interrupt_t *received);

/* Whether the filter may be asked about the frame that comes next. */
void cooja_radio_filter_next(bool on);

#endif
