/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by all probes: the mote side of Cooja's interface and a small
 * event loop on top of it.
 *
 * A probe uses nothing but the variables and the two functions that Cooja
 * calls. It has no thread of its own: every tick runs to its end. What a probe
 * logs is therefore a direct picture of when the simulator called it and of
 * what it found in its variables. The golden cases of tests/golden/cooja depend
 * on every byte: probes are frozen, a new idea is a new probe.
 */
#ifndef PROBE_H
#define PROBE_H

#include <stdint.h>

enum {
  PROBE_BUFFER = 256,       /* bytes; a frame and the two FCS bytes behind it */
  PROBE_EEPROM = 1024,      /* bytes; Cooja reads and writes this many */
  PROBE_SERIAL = 16 * 1024, /* bytes; Cooja's own limit for serial input */
  PROBE_LOG = 8 * 1024      /* bytes logged in one tick */
};

/* Clock, in the units Cooja uses. */
extern int64_t simCurrentTime;              /* ms since this mote's boot */
extern int64_t simRtimerCurrentTicks;       /* us of simulation time */
extern int64_t simRtimerNextExpirationTime; /* us of simulation time */
extern int64_t simEtimerNextExpirationTime; /* ms since this mote's boot */
extern int simRtimerPending, simEtimerPending, simProcessRunValue;

/* Radio. */
extern char simRadioHWOn, simReceiving, simPower;
extern int simRadioChannel, simInSize, simOutSize;
extern int simSignalStrength, simLastSignalStrength, simLQI, simLastLQI;
extern int64_t simLastPacketTimestamp;
extern char simInDataBuffer[PROBE_BUFFER], simOutDataBuffer[PROBE_BUFFER];

/* Identity and configuration. */
extern int simMoteID, simRandomSeed;
extern char simEEPROMData[PROBE_EEPROM];

/* Why probe_event() is called. A tick calls it once per cause, in this order. */
enum probe_event {
  PROBE_BOOT,     /* first tick; the mote's id and seed are known */
  PROBE_SENT,     /* simOutSize fell to 0 */
  PROBE_CARRIER,  /* simReceiving changed */
  PROBE_FRAME,    /* simInSize > 0: frame in simInDataBuffer */
  PROBE_ETIMER,   /* etimer due */
  PROBE_RTIMER,   /* rtimer due */
  PROBE_POLL      /* probe_poll() was called in the tick before */
};

/* One probe defines these two. */
extern const char probe_radio_at_start; /* simRadioHWOn before the first tick */
void probe_event(enum probe_event event);

/* Log every tick with all that the simulator can have changed, when not 0. */
extern int probe_trace;

void probe_etimer(int64_t ms);      /* in ms from now */
void probe_rtimer(int64_t at_us);   /* at a simulation time, in us */
void probe_poll(void);              /* simProcessRunValue: tick again in 1 ms */
void probe_send(int size);          /* frame of that size from simOutDataBuffer */
void probe_fill(int from, int size); /* pattern into simOutDataBuffer[from..size) */

/* Uniform in 0 .. n-1, from a generator of the mote's own (xorshift32). */
uint32_t probe_random(uint32_t n);

/* Logging. A line ends with log_end(). */
void log_text(const char *text);
void log_number(int64_t value);
void log_field(const char *name, int64_t value); /* " name" then the number */
void log_hex(uint32_t value, int digits);
void log_byte(int byte);
void log_end(void);

/* " size checksum" of the bytes simInDataBuffer[0 .. size+2), FCS included. */
void log_frame(void);

#endif
