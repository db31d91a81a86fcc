/* SPDX-License-Identifier: Apache-2.0 */
/* Transmit with Automatic frame Retransmission and CSMA-CA reTry: the transceiver's TX_ARET. */
#ifndef TX_ARET_H_
#define TX_ARET_H_

/* Sends a frame and says what became of it (MAC_TX_*); the processor waits for that. `transmissions`: how often it was on
   the air. */
int tx_aret(const void *frame, unsigned length, int *transmissions);

#endif
