/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The emulated motes whose CPUs are awake. In Cooja each has an event every us. Here they are in one list, which has one event
 * every us in which one of them has to run.
 *
 * The order of motes in a us is Cooja's. An awake mote keeps its place from us to us. One that a timer wakes had its event in
 * the queue for longer, so it comes before all that are awake; one that is woken from outside comes after them.
 */
#ifndef AWAKE_H
#define AWAKE_H

#include "observation/processors.h"
#include "sky/ahead.h"

/*
 * Must be called before the simulation runs. `every_slice`: keep no list, but have an event every us for each mote, as Cooja.
 * `acts`: something may act on motes, or see them between events (sky_start()).
 */
void awake_init(struct simulation *simulation, bool every_slice, bool acts, awake_do *function);

/* The mote's event has come, or it has to run up to the present time (duration 0). */
void awake_run(struct awake_mote *awake, int64_t duration_us);

/* Has the same effect on others as awake_run() with duration 0, but runs a mote only if it can notice that before it wakes. */
void awake_disturb(struct awake_mote *awake);

/* It isn't in the simulation any more. */
void awake_leave(struct awake_mote *awake);

/* Must be called when a mote's fault has ended the event that ran: the others whose turn it was run next. */
void awake_resume(struct simulation *simulation);

/* Has it already run farther than the others, so that it had noticed by now if anything could reach it? */
bool awake_is_ahead(const struct awake_mote *awake);

/* sky_processor_times() of it. */
void awake_processor_times(const struct awake_mote *awake, struct processor_times *times);

#endif
