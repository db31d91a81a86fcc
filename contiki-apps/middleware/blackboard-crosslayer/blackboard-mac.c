/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A MAC driver in front of the one that is built. It sees every frame go down,
 * every verdict and every frame come up, and changes none of them.
 */
#include "contiki.h"
#include "net/netstack.h"
#include "net/packetbuf.h"
#include "net/queuebuf.h"
#include "lib/memb.h"
#include "blackboard-crosslayer.h"
#include "crosslayer-value.h"

#if MAC_CONF_WITH_CSMA
#define MAC_BELOW csma_driver
#elif MAC_CONF_WITH_RADIO_CSMA
#define MAC_BELOW radio_csma_driver
#else
#define MAC_BELOW nullmac_driver
#endif

extern const struct mac_driver MAC_BELOW, blackboard_mac_driver;

/* A frame that the MAC below is not done with. */
struct frame {
  mac_callback_t sent;
  void *ptr;
};

/* Each frame that waits in CSMA has a queue buffer, and one more may just be
   refused. */
MEMB(frames, struct frame, QUEUEBUF_NUM + 1);
/*---------------------------------------------------------------------------*/
#ifdef BLACKBOARD_CROSSLAYER_CONF_QUEUE
static uint8_t length;

static void
change_length(int change)
{
  length += change;
  blackboard_crosslayer_value(BLACKBOARD_CROSSLAYER_QUEUE, length);
}
#else
#define change_length(change)
#endif
/*---------------------------------------------------------------------------*/
static void
done(void *ptr, int status, int transmissions)
{
  struct frame frame = *(struct frame *)ptr;

  if(status == MAC_TX_DEFERRED) {
    mac_call_sent_callback(frame.sent, frame.ptr, status, transmissions);
    return;
  }
  memb_free(&frames, ptr);
  change_length(-1);
#ifdef BLACKBOARD_CROSSLAYER_CONF_RETRIES
  blackboard_crosslayer_value(BLACKBOARD_CROSSLAYER_RETRIES,
                              transmissions > 1 ? transmissions - 1 : 0);
#endif
  mac_call_sent_callback(frame.sent, frame.ptr, status, transmissions);
}
/*---------------------------------------------------------------------------*/
static void
send(mac_callback_t sent, void *ptr)
{
  struct frame *frame = memb_alloc(&frames);

  if(frame == NULL) {
    MAC_BELOW.send(sent, ptr); /* sent without being counted */
    return;
  }
  frame->sent = sent;
  frame->ptr = ptr;
  change_length(1);
  MAC_BELOW.send(done, frame);
}
/*---------------------------------------------------------------------------*/
static void
input(void)
{
#ifdef BLACKBOARD_CROSSLAYER_CONF_RSSI
  blackboard_crosslayer_value(BLACKBOARD_CROSSLAYER_RSSI,
                              (uint32_t)(int32_t)(int16_t)
                              packetbuf_attr(PACKETBUF_ATTR_RSSI));
#endif
  MAC_BELOW.input();
}
/*---------------------------------------------------------------------------*/
static void
init(void)
{
  memb_init(&frames);
  MAC_BELOW.init();
}
/*---------------------------------------------------------------------------*/
static int
on(void)
{
  return MAC_BELOW.on();
}
/*---------------------------------------------------------------------------*/
static int
off(void)
{
  return MAC_BELOW.off();
}
/*---------------------------------------------------------------------------*/
static int
max_payload(void)
{
  return MAC_BELOW.max_payload();
}
/*---------------------------------------------------------------------------*/
const struct mac_driver blackboard_mac_driver = {
  "blackboard", init, send, input, on, off, max_payload
};
