/* SPDX-License-Identifier: Apache-2.0 */
#include "net/mac/mac-sequence.h"

#include <string.h>

#include "lib/random.h"
#include "net/packetbuf.h"

/* How long a number is remembered, and of how many senders. Both are Contiki-NG's. */
#ifdef NETSTACK_CONF_MAC_SEQNO_MAX_AGE
#define MAX_AGE NETSTACK_CONF_MAC_SEQNO_MAX_AGE
#else
#define MAX_AGE (20 * CLOCK_SECOND)
#endif
#ifdef NETSTACK_CONF_MAC_SEQNO_HISTORY
#define SENDERS NETSTACK_CONF_MAC_SEQNO_HISTORY
#else
#define SENDERS 16
#endif

struct heard {
  linkaddr_t sender; /* null: this entry is unused */
  clock_time_t time;
  uint8_t seqno;
};

/* The sender that was heard last comes first. */
static struct heard heard[SENDERS];
static uint8_t macDSN;

/* What find_sender() looked up last: every frame is first compared, then registered. */
static linkaddr_t sought;
static int place = -1; /* of `sought`; -1: look it up */

void
mac_sequence_init(void)
{
  memset(heard, 0, sizeof(heard));
  place = -1;
  macDSN = (uint8_t)random_rand();
}

void
mac_sequence_set_dsn(void)
{
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_SEQNO, macDSN++);
}

/* The place of the packet's sender; the last place if it has none. */
static int
find_sender(void)
{
  const linkaddr_t sender = *packetbuf_addr(PACKETBUF_ADDR_SENDER);

  if(place >= 0 && linkaddr_cmp(&sought, &sender)) {
    return place;
  }
  sought = sender;
  place = 0;
  while(place < SENDERS - 1 && !linkaddr_cmp(&heard[place].sender, &sender)) {
    place++;
  }
  return place;
}

int
mac_sequence_is_duplicate(void)
{
  const struct heard *last = &heard[find_sender()];

  return linkaddr_cmp(&last->sender, packetbuf_addr(PACKETBUF_ADDR_SENDER)) &&
    last->seqno == packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO) &&
    clock_time() - last->time <= (clock_time_t)MAX_AGE;
}

void
mac_sequence_register_seqno(void)
{
  memmove(&heard[1], &heard[0], (size_t)find_sender() * sizeof(heard[0]));
  place = 0;
  linkaddr_copy(&heard[0].sender, packetbuf_addr(PACKETBUF_ADDR_SENDER));
  heard[0].seqno = (uint8_t)packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO);
  heard[0].time = clock_time();
}
