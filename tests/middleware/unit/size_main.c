/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node that publishes and subscribes; with WITH_MERGE its channel merges, with
 * WITH_DIFFUSION it is routed by subscriptions.
 */
#include "configured-routes.h"
#include "pubsub.h"
#include "pubsub-link.h"
#ifdef WITH_MERGE
#include "mean.h"
static struct merge_attribute merging;
#endif
#ifdef WITH_DIFFUSION
#include "diffusion.h"
static struct diffusion_attribute offered;
#endif

unsigned host_logged;
clock_time_t clock_time(void) { return 0; }
void pubsub_link_init(void (*input)(const uint8_t *frame, uint16_t length)) { }
void pubsub_link_send(const uint8_t *frame, uint16_t length, uint16_t number,
                      void (*sent)(uint16_t number, const char *reason)) { }
#ifdef WITH_DIFFUSION
const linkaddr_t *pubsub_link_sender(void) { return NULL; }
void pubsub_link_send_to(const linkaddr_t *to, const uint8_t *frame,
                         uint16_t length, pubsub_link_done done) { }
#endif
#if defined WITH_MERGE || defined WITH_DIFFUSION
#include "sys/ctimer.h"
unsigned short random_rand(void) { return 4; }
void ctimer_set(struct ctimer *c, clock_time_t t, void (*f)(void *), void *p)
{ }
void ctimer_stop(struct ctimer *c) { }
clock_time_t ctimer_expiration_time(struct ctimer *c) { return 0; }
#endif

/* A channel's attributes cost it one pointer. */
struct channel_without_attributes {
  struct pubsub_publisher_channel *next;
  pubsub_subject_t subject;
  uint16_t sequence;
};
_Static_assert(sizeof(struct pubsub_publisher_channel)
               <= sizeof(struct channel_without_attributes) + sizeof(void *),
               "a channel pays for more than one pointer");

static void got(const struct pubsub_event *event, uint16_t from, void *context)
{ }

int
main(void)
{
  struct pubsub_publisher_channel *channel;
  struct pubsub_attribute *attributes = NULL;

#ifdef WITH_MERGE
  merge_attribute_init(&merging, &merge_mean_function, 3);
  attributes = &merging.attribute;
#endif
  configured_routes_set(1);
  pubsub_init(2, 1, &configured_routes);
#ifdef WITH_DIFFUSION
  diffusion_init();
  diffusion_publish(&offered);
  attributes = &offered.attribute;
#endif
  pubsub_subscribe(1, got, NULL, NULL);
  channel = pubsub_announce(1, attributes);
  return !pubsub_publish(channel, "", 0, 0);
}
