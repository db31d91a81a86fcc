/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator looks each of these up by name when an interface of the .csc
   needs it, whether the application uses it or not. */
#include "contiki-conf.h"
#include "platform/mote.h"

/* Cooja compares its address in the file with that in memory. */
MOTE_ABI intptr_t referenceVar;

PLATFORM_HOT int64_t simCurrentTime, simEtimerNextExpirationTime;
PLATFORM_HOT int64_t simRtimerCurrentTicks, simRtimerNextExpirationTime;
PLATFORM_HOT int simEtimerPending, simRtimerPending, simProcessRunValue;
PLATFORM_HOT char simDontFallAsleep;

/* Tells the embedded engine that, after a tick that leaves simProcessRunValue at 0, further ticks only take signal
   strengths in (tick.c) until an input comes, a timer is due or the mote's transmission ends. */
MOTE_ABI extern const char mote_ticks_can_be_skipped;
const char mote_ticks_can_be_skipped = 1;

#ifdef MOTE_LEAVES_RBX
/* Tells the embedded engine that the code leaves rbx alone (see Makefile.os). */
MOTE_ABI extern const char mote_leaves_rbx;
const char mote_leaves_rbx = 1;
#endif

/* The values of a radio in silence, before the simulator has set any; they are Contiki-NG's. */
PLATFORM_HOT char simRadioHWOn = 1, simReceiving, simPower = 100;
PLATFORM_HOT int simRadioChannel = 26, simInSize, simOutSize;
PLATFORM_HOT int simSignalStrength = -110, simLastSignalStrength = -110;
PLATFORM_HOT int simLQI = 100, simLastLQI = 100;
PLATFORM_HOT int64_t simLastPacketTimestamp;
char simInDataBuffer[MOTE_FRAME_BUFFER], simOutDataBuffer[MOTE_FRAME_BUFFER];

char simLoggedData[MOTE_CONF_LOG_SIZE];
PLATFORM_HOT char simLoggedFlag, simSerialReceivingFlag;
PLATFORM_HOT int simLoggedLength;
char simSerialReceivingData[MOTE_CONF_SERIAL_SIZE];
int simSerialReceivingLength;

int simMoteID, simRandomSeed;
PLATFORM_HOT char simMoteIDChanged;

PLATFORM_HOT unsigned char simLedsValue;
PLATFORM_HOT char simBeeped;
PLATFORM_HOT char simButtonChanged, simButtonIsActive = 1, simButtonIsDown;
PLATFORM_HOT char simPirChanged, simPirIsActive, simVibChanged, simVibIsActive;
unsigned char simEEPROMData[MOTE_EEPROM_SIZE];
PLATFORM_HOT char simEEPROMChanged;
int simEEPROMRead, simEEPROMWritten;
PLATFORM_HOT char simCFSChanged;
char simCFSData[MOTE_CFS_SIZE];
int simCFSRead, simCFSWritten, simCFSSize;
