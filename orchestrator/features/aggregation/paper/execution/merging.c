/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What aggregation costs a mote's processor, for each merge function: an event that is stored, one that is merged into a stored
 * one with few and with many contributors, and the application's function alone. Nothing is below: no radio, no timer.
 * merging.py reads the measurements in this order, after one of nothing.
 */
#include <string.h>
#include "contiki.h"
#include "merge-function.h"
#include "count.h"
#include "histogram.h"
#include "max.h"
#include "mean.h"
#include "min.h"
#include "pubsub-observer.h"
#include "sky/program/measure.h"
#include "sum.h"

#define SUBJECT 0x0102030405060708ULL
#define VALUE 100

const struct pubsub_observer *pubsub_observer;
struct process *process_current;

static struct pubsub_interceptor *interceptor;
static struct merge_attribute state;
static struct pubsub_event arrived;
/*---------------------------------------------------------------------------*/
bool
pubsub_routing_intercept(struct pubsub_interceptor *its)
{
  interceptor = its;
  return true;
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_let_pass(struct pubsub_interceptor *its)
{
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_forward(struct pubsub_event *event)
{
}
/*---------------------------------------------------------------------------*/
/* As with configured routes, which send nothing beside an event. */
bool
pubsub_routing_fits(const struct pubsub_event *event, unsigned more)
{
  return pubsub_event_fits(event, more);
}
/*---------------------------------------------------------------------------*/
void
ctimer_set_with_process(struct ctimer *timer, clock_time_t after, void (*f)(void *), void *ptr, struct process *process)
{
}
/*---------------------------------------------------------------------------*/
void
ctimer_stop(struct ctimer *timer)
{
}
/*---------------------------------------------------------------------------*/
clock_time_t
clock_time(void)
{
  return 0;
}
/*---------------------------------------------------------------------------*/
static uint16_t
random(void)
{
  static uint16_t value = 1;

  value = value * 25173 + 13849;
  return value;
}
/*---------------------------------------------------------------------------*/
/* Fills an event with so many contributors, from a publisher on. */
static void
fill(struct pubsub_event *event, const struct merge_function *function, uint8_t first, uint8_t contributors)
{
  memset(event, 0, sizeof(*event));
  event->subject = SUBJECT;
  event->flags = PUBSUB_AGGREGATABLE;
  event->contributors = contributors;
  event->length = function->data_size;
  for(uint8_t i = 0; i < event->length; i++) {
    event->data[i] = function->data_size == 2 ? random() & 0x3f : 1;
  }
  for(uint8_t i = 0; i < contributors; i++) {
    event->contributor[i].publisher = first + i;
    event->contributor[i].sequence = random();
  }
}
/*---------------------------------------------------------------------------*/
static void
intercepted(void)
{
  began();
  interceptor->intercept(interceptor, &arrived);
  ended();
}
/*---------------------------------------------------------------------------*/
void
measure(void)
{
  static const struct merge_function *const functions[] = {
    &merge_max_function, &merge_min_function, &merge_count_function, &merge_sum_function, &merge_mean_function,
    &merge_histogram_function
  };
  static const uint8_t held[] = { 1, 5, 9 };

  began();
  ended();
  for(unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
    const struct merge_function *function = functions[i];

    merge_attribute_init(&state, function, 0);
    state.attribute.type->attach(&state.attribute, SUBJECT);
    fill(&arrived, function, 1, 1);
    intercepted();
    for(unsigned k = 0; k < sizeof(held); k++) {
      fill(&state.stored, function, 2, held[k]);
      state.holds = true;
      intercepted();
    }
    fill(&state.stored, function, 2, 9);
    began();
    function->merge(&state, &arrived);
    ended();
  }
}
