/* SPDX-License-Identifier: Apache-2.0 */
/* What 6LoWPAN and IPv6 know of each other. */
#ifndef IP_H
#define IP_H

#include "dissect.h"

/* Numbers of headers (IANA). */
enum { HOP_BY_HOP = 0, IP_IN_IP = 41, ROUTING = 43, FRAGMENT = 44, NO_NEXT = 59, DESTINATION = 60, MOBILITY = 135 };
enum { IP_HEADER = 40, DEEPEST = 8 };

struct ip {
  uint8_t source[IP_SIZE], destination[IP_SIZE];
  int next; /* -1: compressed */
  int hops;
};

void ip_row(struct frame *frame, const struct ip *ip);

/* An extension header behind its first two bytes. */
void ip_extension(struct frame *frame, int kind, const uint8_t *from, const uint8_t *end);

/* A packet with its whole header. `depth`: of headers within headers. */
void ip_packet(struct frame *frame, const uint8_t *from, unsigned depth);

#endif
