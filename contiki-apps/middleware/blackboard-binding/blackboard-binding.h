/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the publish/subscribe between nodes (pubsub) to the blackboard inside a
 * node: a subject is bound to an event by one line of project-conf.h.
 *
 *   #define BLACKBOARD_CONF_EVENTS(X) \
 *     X(LIGHT, UNSIGNED, 1, 6) X(ALARM, SIGNED, 1, 6)
 *   #define BLACKBOARD_CONF_BINDINGS(X) \
 *     X(IN, light, LIGHT, 2) \
 *     X(OUT, alarm, ALARM, 4)
 *
 *   pubsub_init(..); blackboard_start(); ..
 *   blackboard_bind_all();
 *
 * X(direction, subject, event, octets): the subject's name (at most eight
 * letters, digits and `_`) and the octets of the event's data, little-endian: 1,
 * 2 or 4. A value of a signed event has its sign in all of them.
 *
 * IN: each event message of the subject that reaches this node is published to
 * the board with its value: one received from another node, an aggregate, or one
 * that this node itself published (a sampled value). A relay publishes those
 * that it forwards. OUT: each value published to the board becomes an event of
 * the subject. OUT_MERGED: the same; merge functions on the way may take it.
 *
 * The compiler refuses a subject that is bound twice to one event, so in and out
 * as well, and one that goes out from two events (its event messages would have
 * two numberings). What goes out by a binding does not come in again at the same
 * node, whatever events lie between.
 */
#ifndef BLACKBOARD_BINDING_H_
#define BLACKBOARD_BINDING_H_

#include "blackboard.h"
#include "pubsub.h"

#ifdef BLACKBOARD_CONF_BINDINGS
#define BLACKBOARD_BINDINGS(X) BLACKBOARD_CONF_BINDINGS(X)
#else
#define BLACKBOARD_BINDINGS(X)
#endif

/* The number of bindings. A name that occurs twice is one of the faults
   above. */
enum {
#define BLACKBOARD_BINDING_NUMBER(direction, subject, event, octets) \
  BLACKBOARD_BINDING_##subject##_##event,
  BLACKBOARD_BINDINGS(BLACKBOARD_BINDING_NUMBER)
#undef BLACKBOARD_BINDING_NUMBER
  BLACKBOARD_NUMBER_OF_BINDINGS
};
enum {
#define BLACKBOARD_GOES_OUT_IN(subject)
#define BLACKBOARD_GOES_OUT_OUT(subject) BLACKBOARD_GOES_OUT_##subject,
#define BLACKBOARD_GOES_OUT_OUT_MERGED(subject) BLACKBOARD_GOES_OUT_##subject,
#define BLACKBOARD_GOES_OUT(direction, subject, event, octets) \
  BLACKBOARD_GOES_OUT_##direction(subject)
  BLACKBOARD_BINDINGS(BLACKBOARD_GOES_OUT)
#undef BLACKBOARD_GOES_OUT
  BLACKBOARD_NUMBER_OF_SUBJECTS_OUT
};

/*
 * Open the channel of a binding, BLACKBOARD_BINDING_subject_event, or of all
 * bindings; each once. `attributes` of the channel are merge functions or
 * diffusion; or NULL. They return false if a channel or a subscription was
 * refused, which is logged and counted; the second one has opened the others
 * then.
 */
bool blackboard_bind(unsigned binding, struct pubsub_attribute *attributes);
bool blackboard_bind_all(void);

struct blackboard_binding_counters {
  uint32_t refused;  /* bindings that could not be opened */
  uint32_t length;   /* events that came in with another number of octets */
  uint32_t outrun;   /* values that a newer one replaced before they went out */
  uint32_t range;    /* values that the octets can't hold: they did not go out */
  uint32_t returned; /* events that came back in, having gone out here */
};

extern struct blackboard_binding_counters blackboard_binding_counters;

/* Prints `!cnt bindings_NAME` for each that is not 0. */
void blackboard_binding_dump(void);

#endif
