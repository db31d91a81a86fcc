/* SPDX-License-Identifier: Apache-2.0 */
/* MAC frames of IEEE 802.15.4: frame versions 2003, 2006 and 2015, without
   security and information elements. */
#ifndef FRAME_802154_H_
#define FRAME_802154_H_

#include "contiki.h"
#include "net/linkaddr.h"

#define IEEE802154_PANID IEEE802154_CONF_PANID

#ifdef FRAME802154_CONF_VERSION
#define FRAME802154_VERSION FRAME802154_CONF_VERSION
#else
#define FRAME802154_VERSION FRAME802154_IEEE802154_2006
#endif

/* Frame types (IEEE 802.15.4-2006, table 79). */
#define FRAME802154_BEACONFRAME 0
#define FRAME802154_DATAFRAME 1
#define FRAME802154_ACKFRAME 2
#define FRAME802154_CMDFRAME 3

/* Addressing modes (table 80). */
#define FRAME802154_NOADDR 0
#define FRAME802154_SHORTADDRMODE 2
#define FRAME802154_LONGADDRMODE 3

#define FRAME802154_BROADCASTADDR 0xffff
#define FRAME802154_BROADCASTPANDID 0xffff

/* Frame versions. */
#define FRAME802154_IEEE802154_2003 0
#define FRAME802154_IEEE802154_2006 1
#define FRAME802154_IEEE802154_2015 2

/* The frame control field; the widths are those on the air. */
typedef struct {
  uint8_t frame_type;                  /* 3 bits */
  uint8_t security_enabled;
  uint8_t frame_pending;
  uint8_t ack_required;
  uint8_t panid_compression;
  uint8_t sequence_number_suppression; /* 2015 */
  uint8_t ie_list_present;             /* 2015 */
  uint8_t dest_addr_mode;              /* 2 bits */
  uint8_t frame_version;               /* 2 bits */
  uint8_t src_addr_mode;               /* 2 bits */
} frame802154_fcf_t;

/* Addresses are stored highest byte first; on the air the lowest goes first. */
typedef struct {
  uint8_t dest_addr[8];
  uint8_t src_addr[8];
  frame802154_fcf_t fcf;
  uint8_t seq;
  uint16_t dest_pid;
  uint16_t src_pid;
  uint8_t *payload;
  int payload_len;
} frame802154_t;

/* Length of the header, and the header itself (at most 23 bytes). They set
   panid_compression, before version 2015, if both PAN ids are the same. */
int frame802154_hdrlen(frame802154_t *frame);
int frame802154_create(frame802154_t *frame, uint8_t *buffer);

/* Returns the header's length, 0 for a frame that is not known here. Reads
   nothing past length, and sets every member of frame. */
int frame802154_parse(uint8_t *data, int length, frame802154_t *frame);

void frame802154_create_fcf(frame802154_fcf_t *fcf, uint8_t *buffer);
void frame802154_parse_fcf(const uint8_t *data, frame802154_fcf_t *fcf);

/* The PAN ids of a header with this frame control field. */
void frame802154_has_panid(frame802154_fcf_t *fcf, int *has_src_pan_id,
                           int *has_dest_pan_id);

uint16_t frame802154_get_pan_id(void);
void frame802154_set_pan_id(uint16_t pan_id);
int frame802154_check_dest_panid(frame802154_t *frame);
bool frame802154_is_broadcast_addr(uint8_t mode, const uint8_t *address);

#endif
