/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator looks each of these up by name when an interface of the .csc
   needs it, whether the application uses it or not. */
#include "platform/mote.h"

/* Cooja compares its address in the file with that in memory. */
MOTE_ABI intptr_t referenceVar;

int64_t simCurrentTime, simEtimerNextExpirationTime;
int64_t simRtimerCurrentTicks, simRtimerNextExpirationTime;
int simEtimerPending, simRtimerPending, simProcessRunValue;
char simDontFallAsleep;

/* A radio in silence, before the simulator has said anything. */
char simRadioHWOn = 1, simReceiving, simPower = 100;
int simRadioChannel = 26, simInSize, simOutSize;
int simSignalStrength = -100, simLastSignalStrength = -100;
int simLQI = 105, simLastLQI = 105;
int64_t simLastPacketTimestamp;
char simInDataBuffer[MOTE_FRAME_BUFFER], simOutDataBuffer[MOTE_FRAME_BUFFER];

char simLoggedFlag, simLoggedData[MOTE_CONF_LOG_SIZE];
int simLoggedLength;
char simSerialReceivingFlag, simSerialReceivingData[MOTE_CONF_SERIAL_SIZE];
int simSerialReceivingLength;

int simMoteID, simRandomSeed;
char simMoteIDChanged;

unsigned char simLedsValue;
char simBeeped;
char simButtonChanged, simButtonIsActive = 1, simButtonIsDown;
char simPirChanged, simPirIsActive, simVibChanged, simVibIsActive;
unsigned char simEEPROMData[MOTE_EEPROM_SIZE];
char simEEPROMChanged;
int simEEPROMRead, simEEPROMWritten;
char simCFSChanged, simCFSData[MOTE_CFS_SIZE];
int simCFSRead, simCFSWritten, simCFSSize;
