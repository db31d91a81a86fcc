/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits of the middleware's memory. Each PUBSUB_X has a PUBSUB_CONF_X that
 * a project sets in its project-conf.h.
 */
#ifndef PUBSUB_CONF_H_
#define PUBSUB_CONF_H_

#include "contiki.h"

/*
 * Largest frame the routing layer hands to the MAC, bytes. aMaxPHYPacketSize
 * is 127; the rest is left to the IEEE 802.15.4 MAC header (at most 23 bytes
 * without security), its FCS (2) and two spare.
 */
#ifdef PUBSUB_CONF_FRAME_SIZE
#define PUBSUB_FRAME_SIZE PUBSUB_CONF_FRAME_SIZE
#else
#define PUBSUB_FRAME_SIZE 100
#endif

/* Largest application data of one event, bytes. */
#ifdef PUBSUB_CONF_MAX_DATA
#define PUBSUB_MAX_DATA PUBSUB_CONF_MAX_DATA
#else
#define PUBSUB_MAX_DATA 32
#endif

/* Channels of one node, announced and subscribed ones apart. */
#ifdef PUBSUB_CONF_MAX_PUBLISHER_CHANNELS
#define PUBSUB_MAX_PUBLISHER_CHANNELS PUBSUB_CONF_MAX_PUBLISHER_CHANNELS
#else
#define PUBSUB_MAX_PUBLISHER_CHANNELS 4
#endif

#ifdef PUBSUB_CONF_MAX_SUBSCRIBER_CHANNELS
#define PUBSUB_MAX_SUBSCRIBER_CHANNELS PUBSUB_CONF_MAX_SUBSCRIBER_CHANNELS
#else
#define PUBSUB_MAX_SUBSCRIBER_CHANNELS 4
#endif

/* Neighbours of one node in a configured topology. */
#ifdef PUBSUB_CONF_MAX_NEIGHBOURS
#define PUBSUB_MAX_NEIGHBOURS PUBSUB_CONF_MAX_NEIGHBOURS
#else
#define PUBSUB_MAX_NEIGHBOURS 64
#endif

#endif
