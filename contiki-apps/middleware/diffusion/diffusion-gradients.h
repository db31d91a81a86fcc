/* SPDX-License-Identifier: Apache-2.0 */
/* Topics, and for each of a topic's subscribers the ways that lead there. */
#ifndef DIFFUSION_GRADIENTS_H_
#define DIFFUSION_GRADIENTS_H_

#include <stdbool.h>
#include <stdint.h>
#include "diffusion-conf.h"
#include "pubsub-event.h"

#define DIFFUSION_NO_TOPIC 0xff

struct diffusion_topic {
  pubsub_subject_t subject;
  uint8_t channels;      /* this node's, with the attribute; 0: others' only */
  uint8_t subscriptions; /* of them, subscribers' */
  bool used;
  uint16_t sequence;     /* of this node's last interest */
  clock_time_t renewal;  /* of this node's interest */
  clock_time_t due;      /* when it is flooded next */
};

struct diffusion_way {
  uint16_t neighbour; /* PUBSUB_NOBODY: unused */
  uint8_t hops;       /* from the neighbour to the subscriber */
  uint8_t age;        /* renewals that did not come this way since */
};

struct diffusion_gradient {
  uint8_t topic;       /* DIFFUSION_NO_TOPIC: unused */
  uint8_t hops;        /* from here, as told to the neighbours */
  uint16_t subscriber;
  uint16_t sequence;   /* of the newest interest */
  bool forward;        /* it is still to be sent on, */
  clock_time_t due;    /* at this time */
  uint32_t renewal;    /* ms; 0: withdrawn */
  clock_time_t expires;
  struct diffusion_way way[DIFFUSION_MAX_WAYS]; /* older first */
};

extern struct diffusion_topic diffusion_topics[DIFFUSION_MAX_TOPICS];
extern struct diffusion_gradient diffusion_gradients[DIFFUSION_MAX_GRADIENTS];

struct diffusion_interest {
  pubsub_subject_t subject;
  uint16_t subscriber;
  uint16_t sequence;
  uint8_t hops;
  uint32_t renewal; /* ms; 0: withdrawn */
};

/* A next hop; `forwards` if some subscriber is further on. */
struct diffusion_hop {
  uint16_t neighbour;
  bool forwards;
};

void diffusion_gradients_init(void);

/* The topic's number, DIFFUSION_NO_TOPIC if it isn't known. */
uint8_t diffusion_topic_find(pubsub_subject_t subject);

/* The same, made if need be; DIFFUSION_NO_TOPIC if the pool is full. */
uint8_t diffusion_topic_get(pubsub_subject_t subject);

/*
 * An interest came through that neighbour. Returns its gradient if it was newer
 * than all before, NULL otherwise.
 */
struct diffusion_gradient *
diffusion_gradients_learn(const struct diffusion_interest *interest,
                          uint16_t from);

/* Forget the neighbour in all gradients. */
void diffusion_gradients_drop(uint16_t neighbour);

void diffusion_gradients_free(struct diffusion_gradient *gradient);

/*
 * The union of next hops towards all subscribers of the topic but `from`, each
 * once; room for DIFFUSION_MAX_GRADIENTS. Returns how many.
 */
uint8_t diffusion_gradients_hops(uint8_t topic, uint16_t from,
                                 struct diffusion_hop *hops);

#endif
