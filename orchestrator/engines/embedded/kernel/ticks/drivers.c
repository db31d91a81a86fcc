/* SPDX-License-Identifier: Apache-2.0 */
#include "ticks/drivers.h"

#include "ticks/emulator.h"

enum { ON, RECEIVING, SIZE, SIGNAL, LQI, LAST_SIGNAL, LAST_LQI, PIR_ACTIVE, VIBRATION_ACTIVE, FIRST_INPUT };
enum { STATES = 1 << 5, SOME_SIZE = 5 };

/* The variables that drivers read before a tick; those from FIRST_INPUT on announce input, and are 0. */
static const struct variable VARIABLES[] = {
  [ON] = {"simRadioHWOn", 1, KNOWN, .may_change = false},
  [RECEIVING] = {"simReceiving", 1, KNOWN, .may_change = false},
  [SIZE] = {"simInSize", 4, COUNTED, .may_change = true},
  [SIGNAL] = {"simSignalStrength", 4, ANY, .may_change = false, .value = -71},
  [LQI] = {"simLQI", 4, ANY, .may_change = false, .value = 37},
  [LAST_SIGNAL] = {"simLastSignalStrength", 4, ANY, .may_change = true, .value = -83},
  [LAST_LQI] = {"simLastLQI", 4, ANY, .may_change = true, .value = 59},
  [PIR_ACTIVE] = {"simPirIsActive", 1, KNOWN, .may_change = false},
  [VIBRATION_ACTIVE] = {"simVibIsActive", 1, KNOWN, .may_change = false},
  [FIRST_INPUT] = {"simMoteIDChanged", 1, KNOWN, .may_change = true},
  {"simSerialReceivingFlag", 1, KNOWN, .may_change = true},
  {"simButtonChanged", 1, KNOWN, .may_change = true},
  {"simPirChanged", 1, KNOWN, .may_change = true},
  {"simVibChanged", 1, KNOWN, .may_change = true},
};
enum { COUNT = sizeof(VARIABLES) / sizeof(VARIABLES[0]) };

/* Makes the changes that idle_skip() and radio_take_strength() make. */
static void
skip(int32_t values[COUNT])
{
  if(values[ON] && values[RECEIVING]) {
    values[LAST_SIGNAL] = values[SIGNAL];
    values[LAST_LQI] = values[LQI];
  } else if(!values[ON]) {
    values[SIZE] = 0;
  }
}

static bool
known_in(struct emulator *emulator, const uint64_t *functions, unsigned count, struct variable variables[COUNT])
{
  int32_t expected[COUNT];

  for(unsigned i = 0; i < COUNT; i++) {
    expected[i] = variables[i].value;
  }
  skip(expected);
  for(unsigned i = 0; i < count; i++) {
    if(!emulator_call(emulator, functions[i], variables, COUNT)) {
      return false;
    }
  }
  for(unsigned i = 0; i < COUNT; i++) {
    if(variables[i].value != expected[i]) {
      return false;
    }
  }
  return true;
}

bool
drivers_are_known(const struct firmware *firmware, const uint64_t *functions, unsigned count)
{
  struct emulator emulator = {.firmware = firmware};
  struct variable found[COUNT], variables[COUNT];

  for(unsigned i = 0; i < COUNT; i++) {
    found[i] = VARIABLES[i];
  }
  emulator_find(firmware, found, COUNT);
  for(unsigned state = 0; state < STATES; state++) {
    for(unsigned i = 0; i < COUNT; i++) {
      variables[i] = found[i];
    }
    variables[ON].value = state & 1;
    variables[RECEIVING].value = state >> 1 & 1;
    variables[SIZE].value = state & 4 ? SOME_SIZE : 0;
    variables[PIR_ACTIVE].value = state >> 3 & 1;
    variables[VIBRATION_ACTIVE].value = state >> 4 & 1;
    if(variables[ON].value && !variables[RECEIVING].value && variables[SIZE].value) {
      continue; /* a tick with a frame to read is not skipped */
    }
    if(!known_in(&emulator, functions, count, variables)) {
      return false;
    }
  }
  return true;
}
