/* SPDX-License-Identifier: Apache-2.0 */
/* A script that runs (javascript.h), and the functions that it calls (prelude.js). */
#ifndef JAVASCRIPT_CALLS_H
#define JAVASCRIPT_CALLS_H

#include "motes/simulation.h"
#include "script/quickjs.h"

#include <ucontext.h>

#define JAVASCRIPT_NAME "<input>" /* of all texts, in stacks */
enum { LONGEST_WHAT = 400 };      /* bytes of an error's text that are reported */

/* `kind` of tell_() and ask_(). */
enum request_kind {
  /* These take effect at once: */
  TELL_MOVE = 21,   /* mote, to x, y, z (m) */
  TELL_SET_ID = 22, /* mote, number */
  TELL_APPEND = 23, /* to a file of the script's (script_files.h); its name, a slash, the text */
  TELL_WRITE_FILE = 24,
  TELL_SPEED = 25, /* limit of speed, x; 0: none */
  TELL_SET_MEMORY = 26, /* of an emulated mote, from the address `number`: bytes in hexadecimal */
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
  ASK_IS_PRESSED = 43,    /* 1 if the mote's button is down, otherwise 0 */
  ASK_LEDS = 44,          /* those of an emulated Tmote Sky that are on: 1 red, 2 green, 4 blue */
  ASK_VARIABLE = 45,      /* of an emulated mote, with this name: its address and size; nothing if there is none */
  ASK_MEMORY = 46,        /* of an emulated mote, from the address `number`, so many bytes: in hexadecimal */
  ASK_POWER_TIMES = 47    /* struct power_times of the mote, or nothing if it has no radio */
};

struct javascript {
  struct simulation *simulation;
  struct source *sources;
  JSContext *context;
  ucontext_t kernel, own; /* what goes on when the other waits */
  int (*switches)(ucontext_t *from, const ucontext_t *to); /* between them */
  bool timed_out;
  const struct mote *mote; /* whose line the script gets when it goes on */
  const char *line;
  size_t line_length, printed;
  JSValue came; /* the function that takes a line */
  bool generates; /* it waits for a new mote of this type: */
  int64_t type;
  const struct mote *generated;
  char *error; /* that ended it */
  int error_line;
};

/* The process's only script, because the functions that it calls get nothing but its values. */
extern struct javascript *javascript_running;

/* Gives the script its functions. */
void javascript_define_calls(JSContext *context);

/* Lets the kernel go on, until it lets the script go on. */
void javascript_wait(void);

/* The innermost line of the script's own text in a stack, from 1; lines of the time-out's code come behind. 0: none. */
int javascript_line_of(const char *stack);

/* Ends the process with a report of this kind that names a line of the script. */
_Noreturn void javascript_end(const char *kind, const char *what, size_t length, int line);

#endif
