/* SPDX-License-Identifier: Apache-2.0 */
/* Cooja's unit disk graph medium (UDGM), and the parts that it shares with the one with constant loss. */
#ifndef UNIT_DISK_H
#define UNIT_DISK_H

#include "radio/medium.h"

/* The probability of reception at a distance of at most the range at the source's power (both m). Called only if the
   medium's reception ratio is not 1, or the range is 0. */
typedef double reception_probability(const struct medium *medium, double distance, double range);

void unit_disk_init(struct simulation *simulation);
void unit_disk_connect(struct simulation *simulation, struct mote *source, struct packet *packet,
                       reception_probability *probability);
void unit_disk_update(const struct medium *medium, struct mote *mote);
void unit_disk_update_bytes(struct simulation *simulation);
void unit_disk_join(struct medium *medium, struct mote *mote);
void unit_disk_leave(struct medium *medium, struct mote *mote);
void unit_disk_work_out(const struct medium *medium, struct connection *connection);

#endif
