/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sensor whose conversion keeps the CPU waiting, and a temperature for it to
 * read. Both are modelled: the conversion is cpu_use(), the temperature is a
 * function of the time, the seed and the mote, so that an application which
 * samples more often or at another time samples the same world.
 */
#ifndef MODELLED_SENSOR_H_
#define MODELLED_SENSOR_H_

#include <stdint.h>

/* `conversion`: us that a reading takes the CPU. */
void modelled_sensor_init(uint32_t seed, uint16_t mote, uint32_t conversion);

/*
 * For a thread: take a reading, hundredths of a degree Celsius. There is one
 * sensor: threads wait for each other.
 */
int32_t modelled_sensor_read(void);

/* The temperature `ms` milliseconds after its time began. */
int32_t modelled_sensor_at(uint32_t ms);

/* The number of readings taken: the log's counter samples_taken. _init() sets
   it to 0. */
extern uint32_t modelled_sensor_samples;

#endif
