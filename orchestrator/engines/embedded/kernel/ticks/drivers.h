/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contiki-NG calls a list of functions before each tick, its drivers', which a user may replace or add to. A tick may be
 * skipped only if all of them together do what idle_skip() does in their place, and nothing else. That follows from their
 * code, whatever they and their files are called, however they were compiled: they run (emulator.h) in every state that a
 * mote without other input can be in. Those that read or write more than the variables known here are never skipped.
 */
#ifndef DRIVERS_H
#define DRIVERS_H

#include "loader/firmware.h"

bool drivers_are_known(const struct firmware *firmware, const uint64_t *functions, unsigned count);

#endif
