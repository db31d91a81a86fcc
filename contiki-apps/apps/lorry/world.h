/* SPDX-License-Identifier: Apache-2.0 */
/* The lorry as sensors see it: scripted traces, and noise. */
#ifndef WORLD_H_
#define WORLD_H_

#include <stdbool.h>
#include <stdint.h>

/* The measured time begins. */
void world_begin(void);

/* Degrees Celsius at this mote now. */
int16_t world_temperature(void);

/* The same inside a package. */
int16_t world_package_temperature(void);

/* Whether there is smoke at this mote now. */
bool world_smoke(void);

#endif
