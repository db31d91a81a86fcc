/* SPDX-License-Identifier: Apache-2.0 */
/* A passive infrared sensor; its value is how often it was triggered. */
#ifndef PIR_SENSOR_H_
#define PIR_SENSOR_H_

#include "lib/sensors.h"

#define PIR_SENSOR "PIR"

extern const struct sensors_sensor pir_sensor;

#endif
