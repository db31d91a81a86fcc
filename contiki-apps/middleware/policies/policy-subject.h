/* SPDX-License-Identifier: Apache-2.0 */
/* The subject of a topic that policies name: the name itself up to eight characters;
   of a longer one the first six and two hexadecimal digits of its CRC-32. */
#ifndef POLICY_SUBJECT_H_
#define POLICY_SUBJECT_H_

#include "pubsub-event.h"

pubsub_subject_t policy_subject(const char *topic);

#endif
