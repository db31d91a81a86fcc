/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a probe needs that looks at what reaches a mote from outside: buttons
 * and sensors, serial input, another id; and at what Cooja does to the variables
 * of its EEPROM, file system and beeper. Linked with inputs.c instead of probe.c.
 */
#ifndef INPUTS_H
#define INPUTS_H

#include "probe.h"

extern char simMoteIDChanged;
extern char simSerialReceivingFlag, simSerialReceivingData[PROBE_SERIAL];
extern int simSerialReceivingLength;
extern char simLedsValue, simBeeped;
extern char simButtonChanged, simButtonIsActive, simButtonIsDown;
extern char simPirChanged, simPirIsActive, simVibChanged, simVibIsActive;
extern char simEEPROMChanged, simCFSChanged;
extern int simEEPROMRead, simEEPROMWritten, simCFSRead, simCFSWritten, simCFSSize;

/* Called in every tick after the first, before its events. */
void probe_inputs(void);

#endif
