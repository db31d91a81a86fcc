/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secure groups (Russello, Mostarda and Dulay 2011, 3.3 and 5.4): motes that share
 * a key encrypt and authenticate values. Keys come with the mote's image, out of
 * band.
 *
 * Two files have the same functions beside the keys, and SECURE_GROUP_CONF_SKIPJACK
 * chooses:
 *
 * - secure-group-aes.c (default): AES-128 in CCM* of IEEE 802.15.4. A sealed value
 *   says its mote and a counter, has a code of 32 bits, and is taken once.
 * - secure-group-skipjack.c: the paper's Skipjack, one block a value. It is BROKEN
 *   for today's use: the key has 80 bits, equal values look equal, and what was
 *   sealed once can be replayed. It is here to measure what the paper measured.
 *
 * The AES variant compiles against lib/ccm-star.h of Contiki-NG and against ours.
 */
#ifndef SECURE_GROUP_H_
#define SECURE_GROUP_H_

#include <stdbool.h>
#include <stdint.h>
#include "policies/policy-values.h"

#ifdef SECURE_GROUP_CONF_SKIPJACK
#define SECURE_GROUP_SKIPJACK SECURE_GROUP_CONF_SKIPJACK
#else
#define SECURE_GROUP_SKIPJACK 0
#endif

#if SECURE_GROUP_SKIPJACK
#define SECURE_GROUP_KEY_SIZE 10
#define SECURE_GROUP_SEALED_SIZE 8
#else
#define SECURE_GROUP_KEY_SIZE 16
#define SECURE_GROUP_SEALED_SIZE 12
#endif

/* Keys of a mote. */
#ifdef SECURE_GROUP_CONF_KEYS
#define SECURE_GROUP_KEYS SECURE_GROUP_CONF_KEYS
#else
#define SECURE_GROUP_KEYS 1
#endif

/* Members whose counters are remembered; the values of further ones are refused. */
#ifdef SECURE_GROUP_CONF_MEMBERS
#define SECURE_GROUP_MEMBERS SECURE_GROUP_CONF_MEMBERS
#else
#define SECURE_GROUP_MEMBERS 16
#endif

/* The number of the key that policies call K_g. */
#define SECURE_GROUP_KEY 0

/*
 * Start without keys. `counter`: the first number that this mote seals with. It
 * must be above all those of its earlier boots, or others take its values for
 * replayed ones; an application keeps it in memory that outlives a boot.
 */
void secure_group_init(uint16_t self, uint32_t counter);

/* SECURE_GROUP_KEY_SIZE octets. False: there is no key of that number. */
bool secure_group_set_key(uint8_t number, const uint8_t *key);

/* Seal a value. Without the key: octets that no key opens, counted. */
struct policy_sealed secure_group_encrypt(int16_t value, uint8_t key);

/* Whether it was sealed with the key and wasn't opened here before. Asking changes
   nothing but counters. */
bool secure_group_test(struct policy_sealed sealed, uint8_t key);

/* Open it, once. 0 for what secure_group_test() says false of. */
int16_t secure_group_decrypt(struct policy_sealed sealed, uint8_t key);

/* For the ciphers, of secure-group-keys.c: no keys, nothing counted; the key of a number, or
   NULL, which is counted. */
void secure_group_reset(void);
const uint8_t *secure_group_key(uint8_t number);

#if !SECURE_GROUP_SKIPJACK
/* Which mote a value says that it is from; true once secure_group_test() says so. */
uint16_t secure_group_sealer(const struct policy_sealed *sealed);

/* Whether a value was sealed by the same mote directly after the other. */
bool secure_group_follows(const struct policy_sealed *one, const struct policy_sealed *next);
#endif

#define SECURE_GROUP_COUNTERS(X) \
  X(group_sealed) \
  X(group_opened) \
  X(group_not_ours) \
  X(group_replayed) \
  X(group_no_key) \
  X(group_no_room)

struct secure_group_counters {
#define SECURE_GROUP_COUNTER_FIELD(name) uint16_t name;
  SECURE_GROUP_COUNTERS(SECURE_GROUP_COUNTER_FIELD)
#undef SECURE_GROUP_COUNTER_FIELD
};

extern struct secure_group_counters secure_group_counters;

#endif
