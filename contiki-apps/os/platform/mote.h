/* SPDX-License-Identifier: Apache-2.0 */
/* The mote's side of Cooja's interface: the variables that the simulator reads
   and writes, by their symbols, and the fibre in which the processes run. */
#ifndef MOTE_H_
#define MOTE_H_

#include <stdbool.h>
#include <stdint.h>

/* Cooja writes a received frame with two bytes of FCS behind it. */
#define MOTE_FRAME_MAX 125 /* bytes, without FCS */
#define MOTE_FRAME_BUFFER 128

/* Bytes that can be logged in one tick; a process that prints more waits. */
#ifndef MOTE_CONF_LOG_SIZE
#define MOTE_CONF_LOG_SIZE 2048
#endif

/* Contiki-NG's size. Cooja itself checks for 16 KB only. */
#ifndef MOTE_CONF_SERIAL_SIZE
#define MOTE_CONF_SERIAL_SIZE 2048
#endif

#define MOTE_EEPROM_SIZE 1024 /* Cooja copies all of it */
#define MOTE_CFS_SIZE 4000    /* likewise */

/* The simulator finds these among the object's dynamic symbols; everything else
   stays inside. */
#define MOTE_ABI __attribute__((visibility("default")))

/* Time: ms since boot, us of the simulation. */
extern MOTE_ABI int64_t simCurrentTime, simEtimerNextExpirationTime;
extern MOTE_ABI int64_t simRtimerCurrentTicks, simRtimerNextExpirationTime;
extern MOTE_ABI int simEtimerPending, simRtimerPending;
extern MOTE_ABI int simProcessRunValue; /* not 0: tick again in 1 ms */
extern MOTE_ABI char simDontFallAsleep;

/* Radio. */
extern MOTE_ABI char simRadioHWOn, simReceiving, simPower;
extern MOTE_ABI int simRadioChannel, simInSize, simOutSize;
extern MOTE_ABI int simSignalStrength, simLastSignalStrength; /* dBm */
extern MOTE_ABI int simLQI, simLastLQI;
extern MOTE_ABI int64_t simLastPacketTimestamp; /* us */
extern MOTE_ABI char simInDataBuffer[MOTE_FRAME_BUFFER];
extern MOTE_ABI char simOutDataBuffer[MOTE_FRAME_BUFFER];

/* Serial line. */
extern MOTE_ABI char simLoggedFlag, simLoggedData[MOTE_CONF_LOG_SIZE];
extern MOTE_ABI int simLoggedLength;
extern MOTE_ABI char simSerialReceivingFlag;
extern MOTE_ABI char simSerialReceivingData[MOTE_CONF_SERIAL_SIZE];
extern MOTE_ABI int simSerialReceivingLength;

/* Identity. simRandomSeed is the simulation's seed plus the mote's id. */
extern MOTE_ABI int simMoteID, simRandomSeed;
extern MOTE_ABI char simMoteIDChanged;

/* The board's other devices. */
extern MOTE_ABI unsigned char simLedsValue;
extern MOTE_ABI char simBeeped;
extern MOTE_ABI char simButtonChanged, simButtonIsActive, simButtonIsDown;
extern MOTE_ABI char simPirChanged, simPirIsActive;
extern MOTE_ABI char simVibChanged, simVibIsActive;
extern MOTE_ABI unsigned char simEEPROMData[MOTE_EEPROM_SIZE];
extern MOTE_ABI char simEEPROMChanged;
extern MOTE_ABI int simEEPROMRead, simEEPROMWritten;
extern MOTE_ABI char simCFSChanged, simCFSData[MOTE_CFS_SIZE];
extern MOTE_ABI int simCFSRead, simCFSWritten, simCFSSize;

MOTE_ABI int cooja_init(void);
MOTE_ABI void cooja_tick(void);

/* Would a tick only drop this complete frame? The embedded engine asks this in place of a tick that had nothing else to
   do; the tick itself asks, too. */
MOTE_ABI bool mote_ignores(const uint8_t *frame, int size);

/* ---- the fibre --------------------------------------------------------- */

void fibre_start(void (*body)(void));

/* The tick goes on with the fibre by this, until it waits again. */
void fibre_resume(void);

/* The tick says by this that nothing which the fibre waits for has happened. */
bool fibre_is_waiting(void);

/* The tick asks: is the fibre in its outermost loop? When does it want to
   be woken (INT64_MAX: not at a time)? */
bool fibre_waits_for_work(void);
int64_t fibre_wake_time(void);

/* The fibre waits by these: for the next tick, at most 1 ms; for that long; until the radio has sent the frame; until
   there is work for a process. */
void fibre_wait(void);
void fibre_sleep(int64_t us);
void fibre_wait_sent(void);
void fibre_wait_work(void);

/* The tick says by this that what the fibre waits for by fibre_sleep() has come earlier. */
void fibre_wake(void);

/* The tick asks when a clock that isn't Cooja's reaches the next etimer, us; INT64_MAX: never. */
int64_t clock_etimer_time(void);

/* Does the caller run in the fibre? (An rtimer's callback doesn't.) */
bool fibre_is_running(void);

/* ---- parts that the tick calls ----------------------------------------- */

/* Contiki's main function, the fibre's body. */
void mote_main(void);

int64_t rtimer_next_time(void); /* INT64_MAX: none is set */
void cooja_radio_received(void);
void mote_serial_input(void);
void mote_button_changed(void);
void mote_pir_changed(void);
void mote_vibration_changed(void);

#endif
