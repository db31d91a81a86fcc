/* SPDX-License-Identifier: Apache-2.0 */
/* The supplier of a leaf: its measurements, and the times of its pushes. */
#ifndef SUPPLIER_H_
#define SUPPLIER_H_

#include "contiki.h"
#include "eeprom-fields.h"
#include "pubsub.h"

/* Pushes as many events as the settings say, from now on; earlier pushes end. */
void supplier_push(pubsub_subject_t event, const struct eeprom_fields *settings);

/* It pushes no more. */
void supplier_stop(void);

/* Where boards are bridged, it publishes there. */
void supplier_bridge(struct pubsub_publisher_channel *channel);

#endif
