/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#ifdef MOTE_LEAVES_RBX
/* Compiled with -ffixed-rbx, so the embedded engine may share one copy of the code among all motes. */
extern const char mote_leaves_rbx;
const char mote_leaves_rbx = 1;
#endif

/* Cooja finds every one of these by its symbol; most are never used by a
   probe, but the interface classes named in a .csc ask for them. */
char referenceVar;

int64_t simCurrentTime, simRtimerCurrentTicks;
int64_t simRtimerNextExpirationTime, simEtimerNextExpirationTime;
int simRtimerPending, simEtimerPending, simProcessRunValue;

#ifndef PROBE_PLACES_RADIO /* a probe that has them in an order of its own */
char simRadioHWOn, simReceiving, simPower = 100;
int simRadioChannel = 26, simInSize, simOutSize;
int simSignalStrength = -100, simLastSignalStrength = -100;
int simLQI = 105, simLastLQI = 105;
int64_t simLastPacketTimestamp;
char simInDataBuffer[PROBE_BUFFER], simOutDataBuffer[PROBE_BUFFER];
#endif

int simMoteID, simRandomSeed;
char simMoteIDChanged;

char simLoggedFlag;
int simLoggedLength;
char simLoggedData[PROBE_LOG];
#ifndef PROBE_PLACES_SERIAL /* the same */
char simSerialReceivingFlag;
int simSerialReceivingLength;
char simSerialReceivingData[PROBE_SERIAL];
#endif

char simLedsValue, simBeeped, simDontFallAsleep;
char simButtonChanged, simButtonIsActive, simButtonIsDown;
char simPirChanged, simPirIsActive, simVibChanged, simVibIsActive;
char simEEPROMChanged, simEEPROMData[PROBE_EEPROM];
int simEEPROMRead, simEEPROMWritten;
char simCFSChanged, simCFSData[PROBE_EEPROM];
int simCFSRead, simCFSWritten, simCFSSize;

int probe_trace;

static int booted, polled, sending, receiving;
static uint32_t random_state;

/* ---- logging ---------------------------------------------------------- */

void
log_byte(int byte)
{
  if(simLoggedLength < PROBE_LOG) {
    simLoggedData[simLoggedLength++] = (char)byte;
    simLoggedFlag = 1;
  }
}

void
log_text(const char *text)
{
  while(*text) {
    log_byte(*text++);
  }
}

void
log_number(int64_t value)
{
  char digits[20];
  int n = 0;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

  if(value < 0) {
    log_byte('-');
  }
  do {
    digits[n++] = (char)('0' + rest % 10);
    rest /= 10;
  } while(rest);
  while(n) {
    log_byte(digits[--n]);
  }
}

void
log_field(const char *name, int64_t value)
{
  log_byte(' ');
  log_text(name);
  log_number(value);
}

void
log_hex(uint32_t value, int digits)
{
  while(digits--) {
    log_byte("0123456789abcdef"[(value >> (4 * digits)) & 15]);
  }
}

void
log_end(void)
{
  log_byte('\n');
}

void
log_frame(void)
{
  uint32_t sum = 2166136261u; /* FNV-1a */

  for(int i = 0; i < simInSize + 2; i++) {
    sum = (sum ^ (uint8_t)simInDataBuffer[i]) * 16777619u;
  }
  log_number(simInSize);
  log_byte(' ');
  log_hex(sum, 8);
}

/* ---- what a probe asks for -------------------------------------------- */

void
probe_etimer(int64_t ms)
{
  simEtimerNextExpirationTime = simCurrentTime + ms;
  simEtimerPending = 1;
}

void
probe_rtimer(int64_t at_us)
{
  simRtimerNextExpirationTime = at_us;
  simRtimerPending = 1;
}

void
probe_poll(void)
{
  polled = 1;
  simProcessRunValue = 1;
}

void
probe_send(int size)
{
  simOutSize = size;
  sending = 1;
}

void
probe_fill(int from, int size)
{
  for(int i = from; i < size; i++) {
    simOutDataBuffer[i] = (char)(simMoteID * 31 + i * 7);
  }
}

uint32_t
probe_random(uint32_t n)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return (uint32_t)(((uint64_t)random_state * n) >> 32);
}

/* ---- what the simulator calls ----------------------------------------- */

static void
log_tick(void)
{
  log_byte('.');
  log_field("", simRtimerCurrentTicks);
  log_field("", simCurrentTime);
  log_field("v", simReceiving);
  log_field("i", simInSize);
  log_field("o", simOutSize);
  log_field("s", simSignalStrength);
  log_field("t", simLastPacketTimestamp);
  log_end();
}

static void
boot(void)
{
  booted = 1;
  simMoteIDChanged = 0;
  random_state = (uint32_t)simRandomSeed * 2654435761u + 1;
  random_state = random_state ? random_state : 1;
  probe_random(1);
  probe_random(1);
  log_text("boot");
  log_field("", simMoteID);
  log_field("seed ", simRandomSeed);
  log_field("at ", simRtimerCurrentTicks);
  log_field("clock ", simCurrentTime);
  log_end();
  probe_event(PROBE_BOOT);
}

void
cooja_init(void)
{
  simRadioHWOn = probe_radio_at_start;
}

void
cooja_tick(void)
{
  int run = polled;

  polled = 0;
  simProcessRunValue = 0;
  if(probe_trace) {
    log_tick();
  }
  if(!booted) {
    boot();
    return;
  }
  if(sending && simOutSize == 0) {
    sending = 0;
    probe_event(PROBE_SENT);
  }
  if(simReceiving) {
    simLastSignalStrength = simSignalStrength;
    simLastLQI = simLQI;
  }
  if(receiving != simReceiving) {
    receiving = simReceiving;
    probe_event(PROBE_CARRIER);
  }
  if(simInSize > 0) {
    probe_event(PROBE_FRAME);
    simInSize = 0;
  }
  if(simEtimerPending && simEtimerNextExpirationTime <= simCurrentTime) {
    simEtimerPending = 0;
    probe_event(PROBE_ETIMER);
  }
  if(simRtimerPending && simRtimerNextExpirationTime <= simRtimerCurrentTicks) {
    simRtimerPending = 0;
    probe_event(PROBE_RTIMER);
  }
  if(run) {
    probe_event(PROBE_POLL);
  }
}
