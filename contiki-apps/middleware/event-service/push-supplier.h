/* SPDX-License-Identifier: Apache-2.0 */
/* The interface push_supplier (3.2). */
#ifndef PUSH_SUPPLIER_H_
#define PUSH_SUPPLIER_H_

#include <stdbool.h>
#include "pubsub-event.h"

struct push_supplier {
  void (*disconnect)(pubsub_subject_t event); /* or NULL: called when it can't push
                                                 any more */
};

/* End the supplier's part: the advertisement is withdrawn. False if there is none. */
bool push_supplier_disconnect(pubsub_subject_t event);

#endif
