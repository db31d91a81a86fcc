/* SPDX-License-Identifier: Apache-2.0 */
#include "net/mac/radio-csma/tx-aret.h"

#include <string.h>

#include "lib/random.h"
#include "net/mac/mac.h"
#include "net/mac/radio-csma/radio-csma.h"
#include "net/mac/radio-csma/rx-aack.h"
#include "net/netstack.h"
#include "platform/mote.h"
#include "sys/energest.h"

#define FCF_ACK_REQUEST 0x20
#define SEQUENCE_NUMBER 2 /* its place in a frame */

/* rf230_waitidle(): a frame that is being received is received to its end, and acknowledged. */
static void
wait_until_idle(void)
{
  while(rx_aack_is_busy()) {
    fibre_wait();
  }
  rx_aack_wait_for_interrupt();
}

/* The channel is busy if there is a signal at either end of the time, because no frame is short enough to lie in
   between. (The transceiver compares the mean power of the 8 symbols, in which a signal of one symbol, 9 dB weaker,
   still shows if it is strong enough.) */
static bool
assess_channel(void)
{
  bool clear = NETSTACK_RADIO.channel_clear();

  fibre_sleep(RADIO_CSMA_CCA);
  clear = NETSTACK_RADIO.channel_clear() && clear;
  radio_csma_counters->assessments++;
  radio_csma_counters->busy_assessments += !clear;
  return clear;
}

/* IEEE 802.15.4-2006, 7.5.1.4, unslotted. */
static bool
csma_ca(void)
{
  for(int nb = 0; nb <= RADIO_CSMA_RETRIES; nb++) {
    int be = MIN(RADIO_CSMA_MIN_BE + nb, RADIO_CSMA_MAX_BE);

    fibre_sleep((random_rand() & ((1 << be) - 1)) * RADIO_CSMA_BACKOFF_PERIOD);
    if(assess_channel()) {
      return true;
    }
  }
  return false;
}

static void
put_on_air(const void *frame, unsigned length)
{
  fibre_sleep(RADIO_CSMA_TX_DELAY);
  radio_csma_counters->missed_contending += simReceiving != 0; /* this frame ends it */
  memcpy(simOutDataBuffer, frame, length);
  simOutSize = (int)length;
  fibre_wait_sent();
}

static int
transmit(const uint8_t *frame, unsigned length, int *transmissions)
{
  for(int retry = 0; retry <= RADIO_CSMA_FRAME_RETRIES; retry++) {
    if(!csma_ca()) {
      return MAC_TX_COLLISION;
    }
    put_on_air(frame, length);
    ++*transmissions;
    if(!(frame[0] & FCF_ACK_REQUEST) || rx_aack_wait_for_ack(frame[SEQUENCE_NUMBER])) {
      return MAC_TX_OK;
    }
  }
  radio_csma_counters->no_ack++;
  return MAC_TX_NOACK;
}

int
tx_aret(const void *frame, unsigned length, int *transmissions)
{
  char was_on = simRadioHWOn;
  int64_t begin;
  int status;

  if(length <= SEQUENCE_NUMBER || length > MOTE_FRAME_MAX) {
    return MAC_TX_ERR;
  }
  fibre_sleep(RADIO_CSMA_MOVE(length)); /* rf230_prepare() */
  simRadioHWOn = 1; /* rf230_transmit() wakes it, and lets it sleep again */
  wait_until_idle();
  begin = simRtimerCurrentTicks;
  rx_aack_listen(false);
  ENERGEST_SWITCH(ENERGEST_TYPE_LISTEN, ENERGEST_TYPE_TRANSMIT);
  status = transmit(frame, length, transmissions);
  ENERGEST_OFF(ENERGEST_TYPE_TRANSMIT);
  if(was_on) {
    ENERGEST_ON(ENERGEST_TYPE_LISTEN);
  }
  simRadioHWOn = was_on;
  rx_aack_listen(true);
  radio_csma_counters->deaf_us += (uint64_t)(simRtimerCurrentTicks - begin);
  return status;
}
