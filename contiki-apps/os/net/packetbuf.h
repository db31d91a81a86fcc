/* SPDX-License-Identifier: Apache-2.0 */
/* The one packet that is being worked on: header, data, attributes, addresses.
   Headers are put before the data of an outgoing packet, and taken off that of an incoming
   one. */
#ifndef PACKETBUF_H_
#define PACKETBUF_H_

#include "contiki.h"
#include "net/linkaddr.h"

#ifdef PACKETBUF_CONF_SIZE
#define PACKETBUF_SIZE PACKETBUF_CONF_SIZE
#else
#define PACKETBUF_SIZE 128
#endif

typedef uint16_t packetbuf_attr_t;

struct packetbuf_attr {
  packetbuf_attr_t val;
};
struct packetbuf_addr {
  linkaddr_t addr;
};

enum {
  PACKETBUF_ATTR_NONE,
  PACKETBUF_ATTR_CHANNEL,
  PACKETBUF_ATTR_NETWORK_ID,
  PACKETBUF_ATTR_LINK_QUALITY,
  PACKETBUF_ATTR_RSSI, /* dBm, as a signed 16-bit number */
  PACKETBUF_ATTR_MAX_MAC_TRANSMISSIONS,
  PACKETBUF_ATTR_MAC_SEQNO,
  PACKETBUF_ATTR_MAC_ACK,
  PACKETBUF_ATTR_MAC_METADATA,
  PACKETBUF_ATTR_MAC_NO_SRC_ADDR,
  PACKETBUF_ATTR_MAC_NO_DEST_ADDR,
  PACKETBUF_ATTR_FRAME_TYPE,
  PACKETBUF_ADDR_SENDER,
  PACKETBUF_ADDR_RECEIVER,
  PACKETBUF_ATTR_MAX
};

#define PACKETBUF_NUM_ADDRS 2
#define PACKETBUF_NUM_ATTRS (PACKETBUF_ATTR_MAX - PACKETBUF_NUM_ADDRS)
#define PACKETBUF_ADDR_FIRST PACKETBUF_ADDR_SENDER
#define PACKETBUF_IS_ADDR(type) ((type) >= PACKETBUF_ADDR_FIRST)

void packetbuf_clear(void);

/* Sets new data and clears everything else. Returns the number of bytes taken, at most
   PACKETBUF_SIZE. */
int packetbuf_copyfrom(const void *from, uint16_t length);

/* Copies header and data, without what packetbuf_hdrreduce() has taken off; returns their
   length. */
int packetbuf_copyto(void *to);

void *packetbuf_dataptr(void);
uint16_t packetbuf_datalen(void);
void packetbuf_set_datalen(uint16_t length);
void *packetbuf_hdrptr(void);
uint8_t packetbuf_hdrlen(void);
uint16_t packetbuf_totlen(void);
uint16_t packetbuf_remaininglen(void);

/* Makes room before the data, or makes data into header; returns 0 if there is not
   enough. */
int packetbuf_hdralloc(int size);
int packetbuf_hdrreduce(int size);

void packetbuf_set_attr(uint8_t type, packetbuf_attr_t value);
packetbuf_attr_t packetbuf_attr(uint8_t type);
void packetbuf_set_addr(uint8_t type, const linkaddr_t *address);
const linkaddr_t *packetbuf_addr(uint8_t type);
bool packetbuf_holds_broadcast(void);
void packetbuf_attr_clear(void);
void packetbuf_attr_copyto(struct packetbuf_attr *attributes,
                           struct packetbuf_addr *addresses);
void packetbuf_attr_copyfrom(struct packetbuf_attr *attributes,
                             struct packetbuf_addr *addresses);

#endif
