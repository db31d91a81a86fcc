/* SPDX-License-Identifier: Apache-2.0 */
/* Follows datagrams over their hops, when all frames and receptions of a file are rows: see matching.c. */
#ifndef MATCHING_H
#define MATCHING_H

#include "dissect.h"

/* The columns: name, kind, dictionary. The tables' declaration in ../__init__.py says what they mean. */
#define DATAGRAM_COLUMNS(X) \
  X(datagram, INT32, NULL) X(protocol, TEXT, &protocols) X(origin, INT32, NULL) X(destination, INT32, NULL) X(ip_src, TEXT, &ips) \
  X(ip_dst, TEXT, &ips) X(link_dst, TEXT, &addresses) X(transport, INT16, NULL) X(src_port, INT32, NULL) X(dst_port, INT32, NULL) \
  X(icmp_type, INT16, NULL) X(rpl_kind, TEXT, &words) X(coap_type, TEXT, &words) X(coap_code, TEXT, &codes) \
  X(coap_path, TEXT, &paths) X(payload_length, INT32, NULL) X(payload_hash, INT64, NULL) X(first_frame, INT32, NULL) \
  X(t_us, INT64, NULL) X(end_us, INT64, NULL) X(last_us, INT64, NULL) X(hops, INT16, NULL) X(transmissions, INT32, NULL) \
  X(delivered, INT32, NULL) X(duplicates, INT32, NULL) X(answers, INT32, NULL) X(fate, TEXT, &fates) X(fate_mote, INT32, NULL) \
  X(cause, TEXT, &fates)

#define HOP_COLUMNS(X) \
  X(datagram, INT32, NULL) X(hop, INT16, NULL) X(mote, INT32, NULL) X(to, INT32, NULL) X(link_dst, TEXT, &addresses) \
  X(first_frame, INT32, NULL) X(frames, INT32, NULL) X(t_us, INT64, NULL) X(last_us, INT64, NULL) X(end_us, INT64, NULL) \
  X(receivers, INT32, NULL) X(repeats, INT32, NULL) X(acked, BOOLEAN, NULL) X(cause, TEXT, &fates)

#define TRAFFIC_COLUMNS(X) \
  X(mote, INT32, NULL) X(protocol, TEXT, &protocols) X(channel, INT16, NULL) X(frames, INT32, NULL) X(bytes, INT64, NULL) \
  X(air_us, INT64, NULL)

#define LINK_COLUMNS(X) \
  X(mote, INT32, NULL) X(to, INT32, NULL) X(hops, INT32, NULL) X(received, INT32, NULL) X(acked, INT32, NULL) \
  X(frames, INT32, NULL) X(frames_received, INT32, NULL) X(collided, INT32, NULL) X(below_sensitivity, INT32, NULL) \
  X(radio_off, INT32, NULL) X(busy_sending, INT32, NULL) X(wrong_channel, INT32, NULL) X(lost_by_chance, INT32, NULL) \
  X(cut_short, INT32, NULL) X(missed, INT32, NULL) X(out_of_range, INT32, NULL)

#define NUMBER_OF_TRAFFIC(name, kind, dictionary) T_##name,
#define NUMBER_OF_LINK(name, kind, dictionary) L_##name,
enum { TRAFFIC_COLUMNS(NUMBER_OF_TRAFFIC) TRAFFIC_COLUMN_COUNT };
enum { LINK_COLUMNS(NUMBER_OF_LINK) LINK_COLUMN_COUNT };

#define NUMBER_OF_DATAGRAM(name, kind, dictionary) D_##name,
#define NUMBER_OF_HOP(name, kind, dictionary) H_##name,
enum { DATAGRAM_COLUMNS(NUMBER_OF_DATAGRAM) DATAGRAM_COLUMN_COUNT };
enum { HOP_COLUMNS(NUMBER_OF_HOP) HOP_COLUMN_COUNT };

extern struct table datagrams_table, hops_table, traffic, links;

/* `engine`: the rows are of a record of the engine, which knows who received what, up to `end_us`; else of a capture. */
void match(bool engine, int64_t end_us);

#endif
