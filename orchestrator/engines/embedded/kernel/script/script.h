/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation's test script, which reads the motes' lines, logs, and gives the verdict. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

struct conversation;
struct door;
struct program;
struct script_files;
struct simulation;

struct script {
  struct program *program; /* of a native script (program.h); NULL: it runs in a process of its own (javascript.h) */
  struct conversation *conversation; /* with that process */
  bool driven; /* there is no script: another process drives the simulation */
  struct door *door; /* by which it does (run/door.h) */
  struct script_files *files; /* the files that it wrote (script_files.h) */
  int64_t timeout_us;
  bool aside;         /* it runs in a process, does not act on the simulation, and gets many lines at once */
  int64_t decided_us; /* the time of the line at which it decided; -1: the present time */
  int64_t due_us;     /* the latest time at which it gets the lines that wait for it, by hand_over() after an event */
  void (*hand_over)(struct simulation *simulation);
  bool failed;        /* the verdict */
};

#endif
