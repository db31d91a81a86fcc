/* SPDX-License-Identifier: Apache-2.0 */
/* A vibration sensor; its value counts the shocks. */
#ifndef VIB_SENSOR_H_
#define VIB_SENSOR_H_

#include "lib/sensors.h"

#define VIB_SENSOR "Vibration"

extern const struct sensors_sensor vib_sensor;

#endif
