/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

/* First what the far publisher publishes, then what comes in. */
#define BLACKBOARD_CONF_EVENTS(X) \
  X(BYTE, UNSIGNED, 1, 6) X(WORD, SIGNED, 1, 6) X(REAL, FIXED, 1, 6) \
  X(HEAT, SIGNED, 1, 6) X(ODD, UNSIGNED, 1, 6) X(RING, SIGNED, 1, 6) \
  X(BYTE_IN, UNSIGNED, 1, 6) X(WORD_IN, SIGNED, 1, 6) \
  X(WIDE_IN, SIGNED, 1, 6) X(REAL_IN, FIXED, 1, 6) X(HEAT_IN, SIGNED, 1, 6) \
  X(ODD_IN, UNSIGNED, 1, 6) X(RING_IN, SIGNED, 1, 6) \
  X(SAMPLED_IN, SIGNED, 1, 6)
#define BLACKBOARD_CONF_BINDINGS(X) \
  X(OUT, byte, BYTE, 1) X(IN, byte, BYTE_IN, 1) \
  X(OUT, word, WORD, 2) X(IN, word, WORD_IN, 2) \
  X(OUT, wide, WORD, 4) X(IN, wide, WIDE_IN, 4) \
  X(OUT, real, REAL, 4) X(IN, real, REAL_IN, 4) \
  X(OUT_MERGED, heat, HEAT, 2) X(IN, heat, HEAT_IN, 2) \
  X(OUT, odd, ODD, 4) X(IN, odd, ODD_IN, 2) \
  X(OUT, ring, RING, 2) X(IN, ring, RING_IN, 2) \
  X(IN, sampled, SAMPLED_IN, 2)

#define BLACKBOARD_CONF_QUEUE 16
#define PUBSUB_CONF_MAX_PUBLISHER_CHANNELS 9
#define PUBSUB_CONF_MAX_SUBSCRIBER_CHANNELS 9

#endif
