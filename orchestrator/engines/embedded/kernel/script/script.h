/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation's test script, which reads the motes' lines, logs, and gives the verdict. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

struct door;
struct end_script;
struct javascript;
struct script_files;
struct simulation;

struct script {
  struct end_script *ends;       /* one of ours (end_script.h), or NULL */
  struct javascript *javascript; /* any other (javascript.h), or NULL */
  bool driven; /* there is no script: another process drives the simulation */
  struct door *door; /* by which it does (run/door.h) */
  struct script_files *files; /* the files that it wrote (script_files.h) */
  int64_t timeout_us;
  void (*hand_over)(struct simulation *simulation); /* gives the driver control when it is due (motes/simulation.h) */
  bool failed;        /* the verdict */
};

#endif
