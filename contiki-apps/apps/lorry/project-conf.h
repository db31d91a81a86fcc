/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

#define ENERGEST_CONF_ON 1

/* The Makefile's CODED. */
#ifndef LORRY_CODED
#define LORRY_CODED 0
#endif

/* Nothing is asked where the rules are in the components' code (coded.c). */
#define PUBSUB_CONF_ENFORCEMENT (!LORRY_CODED)
#define POLICY_CONF_SWITCHED_RULES 1

/* Key 0 is the packages', key 1 that of all of the lorry's motes, which seals updates. */
#define SECURE_GROUP_CONF_KEYS 2
#if CONTIKI_TARGET_SKY
#define SECURE_GROUP_CONF_MEMBERS 64
#else
#define SECURE_GROUP_CONF_MEMBERS 164
#endif
#define POLICY_UPDATE_CONF_SEALED 1
#define POLICY_UPDATE_CONF_KEY 1
#define POLICY_UPDATE_CONF_MOTES 255
#define POLICY_UPDATE_CONF_TELLING (20 * CLOCK_SECOND)
#define POLICY_BYTECODE_CONF_TELLING (20 * CLOCK_SECOND)

/* A mote's component and its policies open at most so many channels. */
#define PUBSUB_CONF_MAX_PUBLISHER_CHANNELS 10
#define PUBSUB_CONF_MAX_SUBSCRIBER_CHANNELS 10

/* Without policies all of 120 motes flood readings of two topics. A Tmote Sky's 10 KB have no room for so many, nor for so many
   members and frames: with its policies, a network of as many motes as their images fit for needs fewer. */
#if CONTIKI_TARGET_SKY
#define PUSH_DPC_CONF_MAX_FLOWS 64
#define QUEUEBUF_CONF_NUM 8
#else
#define PUSH_DPC_CONF_MAX_FLOWS 255
#define QUEUEBUF_CONF_NUM 16
#endif
#define RELIABLE_CPC_CONF_MAX_NEIGHBOURS 16
/* The frames after one hot reading: two questions for smoke, the answers of four detectors, an alarm. */
#define RELIABLE_CPC_CONF_MAX_FLOODS 12
#define PULL_DPC_CONF_REFRESH (10 * CLOCK_SECOND)

#endif
