/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A script that doesn't run natively runs in a process of its own. It gets every
 * line, and the simulation waits until it asks for the next one. Both sides send
 * messages over a socket: a struct message in the machine's byte order, followed
 * by `length` bytes. `mote` is a mote's index.
 */
#ifndef JAVASCRIPT_H
#define JAVASCRIPT_H

#include "motes/simulation.h"

enum message_kind {
  /* To the script, which goes on: */
  MESSAGE_LINE = 1, /* of `mote`, whose id is in x, at the time `number` (us); its text follows */
  MESSAGE_TIMEOUT = 2,
  MESSAGE_LINES = 3, /* to a script that stands aside: lines of "ID TIME TEXT" */
  /* From the script: it waits for one of those above, or has ended with the verdict `number`, 1 for OK and 0 for FAILED. */
  MESSAGE_WAIT = 10,
  /* A script that stands aside may have decided at an earlier line; x is the line's time (us), -1 for the time-out. */
  MESSAGE_VERDICT = 11,
  /* These take effect at once: */
  MESSAGE_LOG = 20,      /* text into the log */
  MESSAGE_MOVE = 21,     /* mote, to x, y, z (m) */
  MESSAGE_SET_ID = 22,   /* mote, number */
  MESSAGE_APPEND = 23,   /* to a file of the script's (script_files.h); its name, a slash, the text */
  MESSAGE_WRITE_FILE = 24,
  MESSAGE_SPEED = 25,    /* limit of speed, x; 0: none */
  /* These take effect after the present event: */
  MESSAGE_ADD = 30,      /* mote, as generated */
  MESSAGE_REMOVE = 31,   /* mote */
  MESSAGE_WRITE = 32,    /* bytes to the mote's serial port */
  MESSAGE_GENERATE = 33, /* a line of `mote` for the script itself, in `number` us */
  MESSAGE_PRESS = 34,    /* mote's button */
  MESSAGE_RELEASE = 35,
  MESSAGE_CLICK = 36,    /* both, one after the other */
  MESSAGE_SIGNAL_PIR = 37,
  MESSAGE_VIBRATE = 38,
  /* These are questions; the answer is a message of the same kind: */
  MESSAGE_GENERATE_MOTE = 40, /* of the type `number`; the answer names the mote */
  MESSAGE_MOTES = 41,         /* the answer: index and id of every mote, 32 bits each */
  MESSAGE_MOTE = 42,          /* the answer: number is its id, x, y, z its place, mote its type */
  MESSAGE_IS_PRESSED = 43     /* the answer: number is 1 if the mote's button is down */
};

struct message {
  uint32_t kind, mote;
  int64_t number;
  double x, y, z;
  uint32_t length, zero;
};

/* `file`: the socket. The script gets the simulation's lines, if it stands aside perhaps later. Otherwise the simulation
   waits at each line until the script asks for the next one or has decided (log.closed). */
void javascript_open(struct simulation *simulation, int file);

void javascript_timeout(struct simulation *simulation);

#endif
