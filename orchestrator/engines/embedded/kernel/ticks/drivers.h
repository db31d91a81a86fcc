/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contiki-NG calls the functions of its drivers before each tick, and a user may replace them or add some. A tick may be
 * skipped only if all of them together do exactly what idle_skip() does in their place. This is found out from their code,
 * whatever their names are and however they were compiled: they are emulated (emulator.h) in every state that a mote without
 * other input can have. Drivers that read or write other variables than those known here are never skipped.
 */
#ifndef DRIVERS_H
#define DRIVERS_H

#include "loader/firmware.h"

bool drivers_are_known(const struct firmware *firmware, const uint64_t *functions, unsigned count);

#endif
