/* SPDX-License-Identifier: Apache-2.0 */
/* Receive with Automatic ACKnowledgement: the transceiver's RX_AACK, and the driver's interrupt and buffers behind it. */
#ifndef RX_AACK_H_
#define RX_AACK_H_

#include <stdbool.h>
#include <stdint.h>

void rx_aack_init(void);

/* Blocks while the interrupt is still moving a frame. */
void rx_aack_wait_for_interrupt(void);

/* Is a frame being received (after its synchronisation header) or acknowledged? */
bool rx_aack_is_busy(void);

/* Switches the receiver on, or off because the transceiver contends and sends: a frame that begins meanwhile is lost. */
void rx_aack_listen(bool on);

/* The sender of a frame with that sequence number asks: did its ACK come in time? */
bool rx_aack_wait_for_ack(uint8_t sequence_number);

/* Called by the tick: sends an ACK that is due. True if rx_aack_time() has changed. */
bool rx_aack_tick(void);

/* Due time of the next ACK, us; INT64_MAX: none. */
int64_t rx_aack_time(void);

#endif
