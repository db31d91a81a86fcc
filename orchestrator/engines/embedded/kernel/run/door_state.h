/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the door, for the files that it consists of (door.h). */
#ifndef DOOR_STATE_H
#define DOOR_STATE_H

#include "base/reader.h"
#include "run/answer.h"
#include "run/branch.h"
#include "run/deferred.h"
#include "script/script.h"

struct door {
  int file;
  struct reader commands;
  enum listened { NOTHING, LINES, BYTES } *listened; /* by mote */
  bool stops;     /* the simulation stands still after an event in which a listened mote printed */
  bool at_lines;  /* it stands still at a line, while the mote's event is under way; what it is told then is: */
  struct deferred deferred;
  bool answers;   /* the driver waits for an answer */
  bool logs_nothing; /* the driver writes the log, not the motes' lines */
  bool heard;     /* something happened for which it stands still after the event */
  struct answer answer;
  void (*at_line)(struct simulation *simulation); /* waits there for the driver */
  int files[BRANCH_FILES]; /* that came with the latest commands */
  unsigned file_count;
};

#endif
