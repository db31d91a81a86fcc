/* SPDX-License-Identifier: Apache-2.0 */
/* Topics, and for each of a topic's subscribers the ways that lead there. */
#ifndef DIFFUSION_GRADIENTS_H_
#define DIFFUSION_GRADIENTS_H_

#include <stdbool.h>
#include <stdint.h>
#include "diffusion-conf.h"
#include "diffusion-ways.h"
#include "pubsub-event.h"

#define DIFFUSION_NO_TOPIC 0xff

/* In place of a number of hops: there is no way, or no longer one. */
#define DIFFUSION_NO_WAY 0xff

struct diffusion_topic {
  pubsub_subject_t subject;
  uint8_t channels;      /* this node's, with the attribute; 0: others' only */
  uint8_t subscriptions; /* of them, subscribers' */
  bool used;
  uint16_t sequence;     /* of this node's last interest */
  clock_time_t renewal;  /* of this node's interest */
  clock_time_t due;      /* when it is flooded next */
};

struct diffusion_gradient {
  uint8_t topic;       /* DIFFUSION_NO_TOPIC: unused */
  uint8_t hops;        /* from here, as told to the neighbours; or NO_WAY */
  uint16_t subscriber;
  uint16_t sequence;   /* of the newest interest */
  uint8_t asked;       /* times that NO_WAY was told again */
  bool forward;        /* the neighbours are still to be told, */
  clock_time_t due;    /* at this time; else: when they were told */
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

/* Tells the neighbours this node's distance, after a random time below
   `jitter`. */
typedef void (*diffusion_gradients_tell_t)(struct diffusion_gradient *gradient,
                                           clock_time_t jitter);

/* Starts; `tell` is called whenever the neighbours must be told of a change. */
void diffusion_gradients_init(diffusion_gradients_tell_t tell);

/* The topic's number, DIFFUSION_NO_TOPIC if it isn't known. */
uint8_t diffusion_topic_find(pubsub_subject_t subject);

/* The same, but the topic is added if necessary; DIFFUSION_NO_TOPIC if the pool
   is full. */
uint8_t diffusion_topic_get(pubsub_subject_t subject);

/* The gradient towards that subscriber of the topic, NULL if there is none. */
struct diffusion_gradient *diffusion_gradients_find(uint8_t topic,
                                                    uint16_t subscriber);

/* The topic's gradients, as bits: their places in the pool. */
uint32_t diffusion_gradients_of(uint8_t topic);

/*
 * An interest came through that neighbour. Returns whether it was newer than all
 * before; then it is sent on.
 */
bool diffusion_gradients_learn(const struct diffusion_interest *interest,
                               uint16_t from);

/* The neighbour is not, or no longer, a way of this gradient. */
void diffusion_gradients_remove(struct diffusion_gradient *gradient,
                                uint16_t neighbour);

/* None of its ways leads there: the neighbours are told, and any that has a way
   answers. */
void diffusion_gradients_lose(struct diffusion_gradient *gradient);

/* The neighbour is not, or no longer, a way of any gradient. */
void diffusion_gradients_drop(uint16_t neighbour);

/* Whether it is a way of some gradient. */
bool diffusion_gradients_have(uint16_t neighbour);

void diffusion_gradients_free(struct diffusion_gradient *gradient);

/* The next hop of events for the subscriber; PUBSUB_NOBODY if there is no way. */
uint16_t diffusion_gradients_next_hop(const struct diffusion_gradient *gradient);

/* Whether that neighbour is as good a next hop. */
bool diffusion_gradients_is_best(const struct diffusion_gradient *gradient,
                                 uint16_t neighbour);

#endif
