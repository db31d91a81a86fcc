/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a script in QuickJS, on a stack of its own: at every line it goes on until it waits for the next one. The functions
 * that it calls are those of prelude.js; `kind` of its tell_() and ask_() is one of these.
 */
#ifndef JAVASCRIPT_H
#define JAVASCRIPT_H

#include "base/reader.h"
#include "base/text.h"
#include "motes/simulation.h"

enum request_kind {
  /* These take effect at once: */
  TELL_MOVE = 21,   /* mote, to x, y, z (m) */
  TELL_SET_ID = 22, /* mote, number */
  TELL_APPEND = 23, /* to a file of the script's (script_files.h); its name, a slash, the text */
  TELL_WRITE_FILE = 24,
  /* These take effect after the present event: */
  TELL_ADD = 30,      /* mote, as generated */
  TELL_REMOVE = 31,   /* mote */
  TELL_WRITE = 32,    /* bytes to the mote's serial port */
  TELL_GENERATE = 33, /* a line of `mote` for the script itself, in `number` us */
  TELL_PRESS = 34,    /* mote's button */
  TELL_RELEASE = 35,
  TELL_CLICK = 36,    /* both, one after the other */
  TELL_SIGNAL_PIR = 37,
  TELL_VIBRATE = 38,
  /* These are questions, which are answered with numbers in a text: */
  ASK_GENERATE_MOTE = 40, /* of the type `number`; the new mote's index */
  ASK_MOTES = 41,         /* index and id of every mote */
  ASK_MOTE = 42,          /* its id, x, y, z, type */
  ASK_IS_PRESSED = 43     /* 1 if the mote's button is down, otherwise 0 */
};

struct javascript;

/* How the kernel runs scripts. `module`: quickjs-ng's extension module; `folder` has the .js files that are beside this one. */
struct interpreter {
  const char *module, *folder;
};

/* Reads the line "javascript" and the lines "source LINES HEX" behind it: texts, each of which is evaluated with so many
   empty lines before it. Reads one line more. */
struct javascript *javascript_read(struct reader *reader);

/* Starts the script, up to where it waits for its first line. Ends the process with a report if it is no JavaScript. */
void javascript_open(struct simulation *simulation, const struct interpreter *interpreter);

/* For simulation.line: runs the script until it waits again or has decided (log.closed). */
void javascript_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length);

/* Runs the script's code for the time-out, at whose end it has decided. */
void javascript_timeout(struct simulation *simulation);

/* The error that ended the script, as members of the report; nothing if none did. */
void javascript_report_error(const struct simulation *simulation, struct text *json);

#endif
